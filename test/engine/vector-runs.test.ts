import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Value } from '../../src/engine/ir/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { VectorLocals } from '../../src/engine/wasm/emit/vector-locals.ts'
import { FunctionAssembler } from '../../src/engine/wasm/encode/assembler.ts'
import { vectorRunCounts } from '../../src/engine/wasm/flow/vector-runs.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { type Bindings, createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareOn } from '../support/differential.ts'
import { compareEngines } from '../support/engines.ts'
import { irProgram } from '../support/ir-program.ts'
import { optionsOf, randomProgram } from '../support/random-program.ts'

// Runs of operations that are emitted for one vector of the wave after the other (engine/wasm/flow/vector-runs.ts): threads leave quad by
// quad, so that vectors are skipped while others go on, the first of a wave too. Held against the reference engine bit for bit.

const THREADS = 64
/** Four floats of a thread, about 1; in the second half of each set of eight threads the last is a denormal. */
function bind(): Bindings {
  const words = Uint32Array.from({ length: THREADS * 4 }, (_, i) => {
    const isTiny = i % 32 === 31
    return isTiny ? 1 + i : ((127 << 23) | Math.imul(i + 1, 0x1f3d5)) & 0x3fffffff
  })
  const buffer = valueOrThrow(createBuffer({ data: new Uint8Array(words.buffer) }))
  return { t0: valueOrThrow(createSrv(buffer, { raw: true })) }
}

const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_immediateConstantBuffer { { 0.5, 1, 2, 3}, { 4, 5, 6, 7}, { 1.5, 2.5, 3.5, 4.5}, { 8, 9, 10, 11} }
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroupFlattened
dcl_temps 8
dcl_tgsm_structured g0, 4, 16
dcl_thread_group ${THREADS}, 1, 1
ishl r7.y, vThreadIDInGroupFlattened.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.xyzw, r7.y, t0.xyzw
ushr r7.z, vThreadIDInGroupFlattened.x, l(2)
and r7.x, vThreadIDInGroupFlattened.x, l(15)
store_structured g0.x, r7.x, l(0), r0.x
sync_g_t
mov r1.xyzw, l(0,0,0,0)
${body}
store_raw u9.xyzw, r7.y, r1.xyzw
ret
`

/** A loop that quads leave after `rounds`: a number of the quad, in r6.x. */
const loop = (rounds: string, body: string): string => `mov r2.x, l(0)
${rounds}
loop
  uge r2.y, r2.x, r6.x
  breakc_nz r2.y
${body}
  iadd r2.x, r2.x, l(1)
endloop`

const ARITHMETIC = `  mad r3.xyzw, r0.xyzw, r0.wzyx, r1.xyzw
  add r4.xyz, r3.xyzx, -r0.yzwy
  dp3 r4.w, r4.xyzx, r4.xyzx
  sqrt r4.w, r4.w
  min r3.w, r4.w, r3.w
  mad r1.xyzw, r3.xyzw, l(0.5, 0.25, 0.125, 0.75), r4.wzyx`

const ROUNDS: Readonly<Record<string, string>> = {
  'later quads later': 'iadd r6.x, r7.z, l(1)',
  'earlier quads later': 'iadd r6.x, -r7.z, l(17)',
  'every other quad not at all': 'and r6.x, r7.z, l(1)\nimul null, r6.x, r6.x, l(5)',
  'threads of a quad apart': 'and r6.x, r7.x, l(7)',
}

describe.each(Object.entries(ROUNDS))('%s', (_, rounds) => {
  const holds = async (body: string): Promise<void> => {
    expect(await compareEngines(program(body), bind, { shortRuns: true })).toEqual([])
    expect(await compareEngines(program(body), bind)).toEqual([])
  }

  test('chunks of a loop', async () => {
    const before = { ...vectorRunCounts }
    await holds(loop(rounds, ARITHMETIC))
    expect(vectorRunCounts.skipped).toBeGreaterThan(before.skipped)
    expect(vectorRunCounts.always).toBe(before.always)
  })

  test('addresses of lanes that do not run are in bounds, since what they are made of is not skipped', async () => {
    const before = vectorRunCounts.always
    await holds(
      loop(
        rounds,
        `${ARITHMETIC}
  ftou r5.x, |r1.x|
  iadd r5.x, r5.x, r2.x
  xor r5.x, r5.x, r7.x
  and r5.x, r5.x, l(15)
  ld_structured r5.y, r5.x, l(0), g0.xxxx
  and r5.z, r5.x, l(3)
  add r1.xy, r1.xyxx, icb[r5.z + 0].xyxx
  add r1.z, r1.z, r5.y`,
      ),
    )
    expect(vectorRunCounts.always).toBeGreaterThan(before)
  })

  test('words that are the same for all, where the first vector does not run', () =>
    holds(
      loop(
        rounds,
        `  ishl r5.x, r2.x, l(4)
  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r5.xyzw, r5.x, t0.xyzw
  mul r5.x, r5.x, r5.y
  add r5.x, r5.x, l(0.5)
  mul r5.y, r5.x, r5.z
${ARITHMETIC}
  mad r1.xyzw, r1.xyzw, r5.xyxy, r5.yxyx`,
      ),
    ))

  test('addresses that follow from that of the first lane, where the first vector does not run', () =>
    holds(`ishl r5.x, vThreadIDInGroupFlattened.x, l(2)
${loop(
  rounds,
  `  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r5.y, r5.x, t0.xxxx
  mad r3.xyzw, r0.xyzw, r5.yyyy, r1.xyzw
  iadd r5.x, r5.x, l(8)
  mad r1.xyzw, r3.xyzw, l(0.5, 0.25, 0.125, 0.75), r3.wzyx`,
)}`))

  test('a run outside of loops that some quads skip', async () => {
    const before = vectorRunCounts.rolled
    await holds(`${rounds}
ult r2.y, l(2), r6.x
if_nz r2.y
${ARITHMETIC}
${ARITHMETIC}
endif
add r1.xyzw, r1.xyzw, r0.xyzw`)
    expect(vectorRunCounts.rolled).toBeGreaterThan(before)
  })

  test('complements of what a run outside of loops keeps to itself', () =>
    holds(`${rounds}
ult r2.y, l(2), r6.x
if_nz r2.y
  iadd r3.xy, r0.xyxx, r0.yzyy
  xor r4.xy, r3.xyxx, r0.wwww
  imul null, r4.xy, r4.xyxx, l(5, 7, 0, 0)
  not r3.xy, r3.xyxx
  store_structured g0.x, r7.x, l(0), r4.x
  and r1.x, r3.x, l(7)
  and r1.y, r3.y, l(0xff00)
  and r1.z, r3.x, r4.y
  and r1.w, r3.y, r4.x
endif`))
})

describe('which locals hold vectors', () => {
  const { root } = irProgram('v0 = threadInGroup.0\nv1 = not v0\nv2 = not v1')
  const [a, b] = root.items.map((item) => (item as { readonly value: Value }).value) as [Value, Value]

  const newLocals = (): VectorLocals => new VectorLocals(new FunctionAssembler(5))
  const write = (locals: VectorLocals, v: Value, count = 2): readonly number[] =>
    locals.write(v, () => locals.create(v, count, count))

  test('a value that has ended has none until it is written again', () => {
    const locals = newLocals()
    expect(write(locals, a)).toEqual([5, 6])
    locals.end([a, b])
    expect(locals.has(a)).toBe(false)
    expect(locals.find(a)).toBeUndefined()
    expect(() => locals.read(a)).toThrow()
    const again = write(locals, a)
    expect(locals.read(a)).toEqual(again)
    expect(locals.has(b)).toBe(false)
  })

  test('those of a value that has ended go to values that end, too, never to others, which may read theirs before they are whole', () => {
    const locals = newLocals()
    locals.limit(a, 'run')
    const ofA = write(locals, a)
    locals.end([a])
    expect(write(locals, b)).toEqual([7, 8])
    locals.end([b])
    locals.limit(a, 'run')
    expect([...ofA, 7, 8]).toEqual(expect.arrayContaining([...write(locals, a)]))
  })

  test('all vectors of a value that only code for the same vector reads are kept in one', () => {
    const locals = newLocals()
    locals.limit(a, 'part')
    expect(write(locals, a, 4)).toEqual([5, 5, 5, 5])
    locals.end([a])
    locals.limit(b, 'run')
    expect(write(locals, b)).toEqual([5, 6])
  })

  test('code for any vector of the wave has nothing from outside but what it is given', () => {
    const locals = newLocals()
    const [ofA, ofB] = [write(locals, a), write(locals, b)]
    locals.within(new Map([[a, 99]]), () => {
      expect(locals.read(a)).toEqual([99])
      expect(locals.has(b)).toBe(false)
      write(locals, b, 1)
    })
    expect(locals.read(a)).toEqual(ofA)
    expect(locals.read(b)).toEqual(ofB)
  })
})

// Random programs in which words of skipped vectors that were not zeros became addresses out of the memory.
test.each([5044, 5068, 5140])('the random program %i', async (seed) => {
  const engine = createWasmEngineWith({ width: 2, threads: 1, shortRuns: true })
  const comparison = { reference: createReferenceEngine({}), engine, load: {}, findings: false }
  expect((await compareOn(comparison, randomProgram(seed, optionsOf(seed)), seed)).kind).toBe('equal')
  engine.dispose?.()
})
