import { expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { invariantCounts } from '../../src/engine/wasm/flow/loop-invariants.ts'
import { type Bindings, createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

// Vectors that loops read and do not change stand behind a merge in front of the loop (engine/wasm/flow/loop-invariants.ts).

const THREADS = 16

/** A float of each thread between 1 and 2. */
function bind(): Bindings {
  const words = Uint32Array.from({ length: THREADS }, (_, i) => (127 << 23) | (Math.imul(i + 1, 0x5f3d7) & 0x7fffff))
  const buffer = valueOrThrow(createBuffer({ data: new Uint8Array(words.buffer) }))
  return { t0: valueOrThrow(createSrv(buffer, { raw: true })) }
}

/** r0.x is the thread's float, r0.y its square, r1.x what is stored. */
const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroupFlattened
dcl_temps 5
dcl_thread_group ${THREADS}, 1, 1
ishl r4.y, vThreadIDInGroupFlattened.x, l(2)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.x, r4.y, t0.xxxx
mul r0.y, r0.x, r0.x
mov r1.xy, l(0, 0, 0, 0)
mov r2.x, l(0)
${body}
store_raw u9.x, r4.y, r1.x
ret
`

/** Vectors that are kept in code of one vector a wave, without a second copy of it for denormals; its results are the reference engine's. */
async function keptBy(body: string): Promise<number> {
  const before = invariantCounts.vectors
  expect(await compareEngines(program(body), bind, { width: 1, load: { denormals: 'keep' } })).toEqual([])
  return invariantCounts.vectors - before
}

/** A loop of rounds that are counted in r2.x, left at its top. */
const loop = (body: string): string => `loop
  uge r2.y, r2.x, l(3)
  breakc_nz r2.y
${body}
  iadd r2.x, r2.x, l(1)
endloop`

test('what a loop reads in a branch of its body is kept in front of it', async () => {
  // The square alone: the float is what it is made of, and the round's number belongs to the loop.
  expect(
    await keptBy(
      loop(`  ieq r2.z, r2.x, l(1)
  if_nz r2.z
    add r1.x, r1.x, r0.y
  endif`),
    ),
  ).toBe(1)
})

test('a loop that reads nothing from outside keeps nothing', async () => {
  expect(await keptBy(loop('  iadd r1.x, r1.x, r2.x'))).toBe(0)
})

test('what is kept in front of an outer loop is not kept again, what that loop makes is', async () => {
  expect(
    await keptBy(
      loop(`  mul r0.z, r1.y, r0.y
  mov r3.x, l(0)
  loop
    uge r3.y, r3.x, l(2)
    breakc_nz r3.y
    mad r1.x, r0.y, r0.z, r1.x
    iadd r3.x, r3.x, l(1)
  endloop
  add r1.y, r1.x, l(1.5)`),
    ),
  ).toBe(2)
})

test('threads that leave a loop in other rounds than their neighbors', async () => {
  expect(
    await keptBy(`and r3.z, vThreadIDInGroupFlattened.x, l(3)
utof r3.w, r3.z
loop
  uge r2.y, r2.x, r3.z
  breakc_nz r2.y
  lt r2.z, r1.x, r0.y
  if_nz r2.z
    mad r1.x, r0.y, l(0.75), r1.x
  else
    add r1.x, r3.w, -r0.y
  endif
  iadd r2.x, r2.x, l(1)
endloop
add r1.x, r1.x, r3.w`),
  ).toBeGreaterThan(0)
})
