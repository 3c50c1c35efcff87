import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

/** Results rounded to minimum precision: the WebAssembly engine against the reference engine, over numbers at the edges. */

/** Around what float16 and 2.8 fixed point can hold: ties, denormals of float16, the largest, infinities and NaN. */
const EDGES = [
  0,
  2 ** -26,
  2 ** -25,
  1.5 * 2 ** -25,
  2 ** -24,
  3 * 2 ** -25,
  2 ** -14,
  2 ** -14 - 2 ** -26,
  1,
  1 + 2 ** -11,
  1 + 3 * 2 ** -11,
  1 + 2 ** -12,
  2047.5,
  2048.5,
  65504,
  65519,
  65520,
  1e10,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  2,
  2 - 1 / 512,
  1 / 512,
  3 / 512,
  1.9999,
]
const FLOATS = Float32Array.from([...EDGES, ...EDGES.map((x) => -x)])
const WORDS = new Uint32Array(FLOATS.buffer.slice(0))
const INTEGERS = Uint32Array.of(0, 1, 0x7fff, 0x8000, 0xffff, 0x10000, 0x18000, 0x7fffffff, 0x80000000, 0xffff8000)

const program = (body: string) => `cs_5_0
dcl_globalFlags refactoringAllowed | enableMinimumPrecision
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroup.x
dcl_temps 4
dcl_indexableTemp x0[3], 4
dcl_thread_group 60, 1, 1
ishl r0.x, vThreadIDInGroup.x, l(2)
ishl r0.y, vThreadIDInGroup.x, l(4)
ld_raw r1.x, r0.x, t0.xxxx
${body}
store_raw u9.xyzw, r0.y, r2.xyzw
ret
`
const BODIES = {
  'moves and arithmetic': `mov r2.x {min16f}, r1.x
mov r2.y {min2_8f}, r1.x
add r2.z {min16f}, r1.x, r1.x
mul r2.w {min2_8f}, r1.x, l(0.5)`,
  'integers, comparisons and several destinations': `iadd r2.x {min16i}, r1.x, l(1)
udiv r2.y {min16u}, r2.z {min16u}, r1.x, l(3)
lt r2.w {min16i}, r1.x, l(1.0)`,
  'loads, saturated results and private arrays': `ld_raw r2.x {min16f}, r0.x, t0.xxxx
mul_sat r2.y {min16f}, r1.x, l(0.3)
and r3.x, r0.x, l(3)
mov x0[r3.x + 0].x {min16f}, r1.x
mov x0[1].y {min2_8f}, r1.x
mov r2.z, x0[r3.x + 0].x
mov r2.w, x0[1].y`,
}

describe.each(Object.entries(BODIES))('%s', (_name, body) => {
  it.each([
    ['floats', WORDS],
    ['integers', INTEGERS],
  ] as const)('of %s', async (_kind, data) => {
    const bind = () => ({ t0: createSrv(valueOrThrow(createBuffer({ data: data.slice() })), { raw: true }) })
    for (const minPrecision of ['round', 'full'] as const) {
      for (const denormals of ['flush', 'keep'] as const) {
        expect(await compareEngines(program(body), bind, { load: { minPrecision, denormals } })).toEqual([])
      }
    }
  })
})
