import { describe, expect, test } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createSrv, createUav, resolveBindings } from '../../src/machine/index.ts'
import { programOf } from '../support/run-text.ts'

/** Programs that random ones shrank to, with what they must leave by the specification; on every engine. */

const ENGINES: readonly (readonly [string, () => Engine])[] = [
  ['reference', () => createReferenceEngine({})],
  ...([1, 2, 4] as const).map((width) => [`${width} vectors`, () => createWasmEngineWith({ width })] as const),
]
const THREADS = 20

/** The dword that each thread stores to its place; r0.x is the thread's number, r0.y its address. */
async function perThread(engine: Engine, declares: string, body: string): Promise<number[]> {
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u0
${declares}
dcl_input vThreadIDInGroupFlattened
dcl_temps 8
dcl_thread_group ${THREADS}, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
ishl r0.y, r0.x, l(2)
${body}
ret
`
  const memory = engine.memory === undefined ? {} : { memory: engine.memory }
  const data = Uint32Array.from({ length: THREADS }, (_, i) => 100 + i)
  const input = createBuffer({ data, ...memory }).value!
  const output = createBuffer({ byteLength: THREADS * 4, ...memory }).value!
  const views = { t0: createSrv(input, { raw: true }), u0: createUav(output, { raw: true }) }
  await engine.dispatch(engine.load(programOf(text)).value!, resolveBindings(views).value!, [1, 1, 1])
  return Array.from(output.storage.words.subarray(0, THREADS))
}

const all = (f: (i: number) => number): number[] => Array.from({ length: THREADS }, (_, i) => f(i))

describe.each(ENGINES)('%s', (_, create) => {
  test('a load of one dword before the end is in bounds though it names dwords past it', async () => {
    // Threads 18 and 19: the first two dwords are there, z and w are not and nobody wants them (22.4.10).
    const body = 'ld_raw r1.xyzw, r0.y, t0.xyzw\nstore_raw u0.x, r0.y, r1.x'
    expect(await perThread(create(), '', body)).toEqual(all((i) => 100 + i))
  })

  const UNBOUND = 'dcl_resource_texture2d (float,float,float,float) t1'

  test('an arm that always returns once a texture is known to be absent merges nothing', async () => {
    const body = `mov r1.x, l(7)
ieq r2.x, r0.x, l(3)
if_nz r2.x
resinfo_uint r1.x, l(0), t1.xyzw
if_z r1.x
ret
endif
endif
store_raw u0.x, r0.y, r1.x`
    expect(await perThread(create(), UNBOUND, body)).toEqual(all((i) => (i === 3 ? 0 : 7)))
  })

  test('nothing follows a loop that is always returned from', async () => {
    const body = `resinfo_uint r1.x, l(0), t1.xyzw
ieq r2.x, r0.x, l(3)
if_nz r2.x
loop
iadd r3.x, r3.x, r0.x
if_z r1.x
ret
endif
breakc_nz r3.x
endloop
iadd r1.x, r1.x, r3.x
endif
iadd r1.x, r1.x, l(5)
store_raw u0.x, r0.y, r1.x`
    expect(await perThread(create(), UNBOUND, body)).toEqual(all((i) => (i === 3 ? 0 : 5)))
  })

  test.each([1, 31, 32, 33, 63, 64, 95])('%i threads that meet a barrier together are no finding', async (threads) => {
    const engine = create()
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_tgsm_raw g0, 4
dcl_thread_group ${threads}, 1, 1
sync_g_t
ret
`
    const loaded = engine.load(programOf(text)).value!
    // Compiled code has waves of its own and takes no schedule.
    const wide = { schedule: { waveWidth: 64, order: 'forward', groupsInFlight: 1 } } as const
    for (const options of engine.name === 'reference' ? [{}, wide] : [{}]) {
      const result = await engine.dispatch(loaded, resolveBindings({}).value!, [1, 1, 1], options)
      expect(result.diagnostics).toEqual([])
    }
  })

  test('a loop after a barrier that some threads return from is left by the others', async () => {
    const body = `sync_g_t
loop
iadd r1.x, r1.x, l(1)
ult r1.y, l(2), r1.x
breakc_nz r1.y
ieq r1.y, r0.x, l(3)
if_nz r1.y
ret
endif
endloop
store_raw u0.x, r0.y, r1.x`
    expect(await perThread(create(), 'dcl_tgsm_raw g0, 4', body)).toEqual(all((i) => (i === 3 ? 0 : 3)))
  })

  const LEFT_BY_RETURN = `loop
retc_nz r1.x
endloop`

  test('what follows a side that all threads return from is reached by the other side', async () => {
    for (const [first, second] of [
      [LEFT_BY_RETURN, 'mov r3.x, l(1)'],
      ['mov r3.x, l(1)', LEFT_BY_RETURN],
    ]) {
      for (const [compared, stores] of [
        [100, first !== LEFT_BY_RETURN],
        [101, first === LEFT_BY_RETURN],
      ] as const) {
        const body = `ld_raw r1.x, l(0), t0.x
ieq r2.x, r1.x, l(${compared})
if_nz r2.x
${first}
else
${second}
endif
store_raw u0.x, r0.y, r0.x`
        expect(await perThread(create(), '', body)).toEqual(all((i) => (stores ? i : 0)))
      }
    }
  })

  test('of two results for one register the second stays, also where an index is computed', async () => {
    // 100 / 7 is 14, and 2 is left; the remainder is the second result (udiv).
    for (const [quotient, remainder] of [
      ['x0[0]', 'x0[0]'],
      ['x0[r1.x]', 'x0[0]'],
      ['x0[0]', 'x0[r1.x]'],
      ['x0[r1.x]', 'x0[r1.x]'],
    ]) {
      const body = `ld_raw r2.x, l(0), t0.x
udiv ${quotient}.x, ${remainder}.x, r2.x, l(7)
store_raw u0.x, r0.y, x0[0].x`
      expect(await perThread(create(), 'dcl_indexableTemp x0[4], 4', body)).toEqual(all(() => 2))
    }
  })
})
