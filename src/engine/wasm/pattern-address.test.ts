import { describe, expect, test } from 'vitest'
import { compareEngines } from '../../../test/support/engines.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { type Bindings, createBuffer, createCbv, createSrv, createUav } from '../../machine/index.ts'

/** Checks of a whole wave by the address of its first lane, where the lanes lie far apart. */

const buffer = (words: number) =>
  valueOrThrow(createBuffer({ data: Uint32Array.from({ length: words }, (_, i) => 0x1000 + i) }))

const bind = (): Bindings => ({
  t0: createSrv(buffer(16), { raw: true }),
  t1: valueOrThrow(
    createSrv(valueOrThrow(createBuffer({ data: Uint32Array.from({ length: 16 }, (_, i) => i), stride: 16 }))),
  ),
  u0: createUav(buffer(16), { raw: true }),
  b0: createCbv(Uint32Array.of(0x20000000, 0, 0, 0)),
})

/** Lanes x, y of a group of 2, 2, 1 at x * stepX + y * stepY + cb0[0].x * 4, which is 2^31 more. */
function program(stepX: number, stepY: number, body: string): string {
  return `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_resource_raw t0
dcl_resource_structured t1, 16
dcl_uav_raw u0
dcl_uav_raw u9
dcl_tgsm_raw g0, 64
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_thread_group 2, 2, 1
mov r2.xyzw, l(0, 0, 0, 0)
imul null, r0.x, vThreadIDInGroup.x, l(${stepX})
imul null, r0.y, vThreadIDInGroup.y, l(${stepY})
iadd r0.x, r0.x, r0.y
ishl r0.y, cb0[0].x, l(2)
iadd r0.x, r0.x, r0.y
${body}
ishl r0.z, vThreadIDInGroupFlattened, l(4)
store_raw u9.xyzw, r0.z, r2.xyzw
ret
`
}

const BODIES = {
  'store_raw u#': 'store_raw u0.xyzw, r0.x, l(1, 2, 3, 4)',
  'ld_raw t#': 'ld_raw r2.xyzw, r0.x, t0.xyzw',
  'ld_raw u#': 'ld_raw r2.xyz, r0.x, u0.xyzx',
  'store_raw and ld_raw g#': `store_raw g0.xyzw, r0.x, l(1, 2, 3, 4)
sync_g_t
ld_raw r2.xyzw, vThreadIDInGroupFlattened, g0.xyzw`,
  'ld_structured t#, by its index': 'ld_structured r2.xyzw, r0.x, l(0), t1.xyzw',
  'ld_structured t#, by its offset': 'ld_structured r2.xy, l(1), r0.x, t1.xyxx',
}

// From the lowest to the highest lane it is 2^32 - 4 bytes; with the dwords of the access 2^32 and a few more.
const SPANS = [
  [0x80000000, 0x7ffffffc],
  [0x80000000, 0x7ffffff4],
  [0x7ffffffc, 0x80000000],
  [0x40000000, 0x40000000],
  [0xfffffffc, 4],
  [0x1000000, 0x2000000],
] as const

describe('a wave whose lanes lie about 2^32 bytes apart', () => {
  for (const [what, body] of Object.entries(BODIES)) {
    test(what, async () => {
      for (const [x, y] of SPANS) expect(await compareEngines(program(x, y, body), bind)).toEqual([])
    })
  }
})

describe('lanes whose dwords overlap', () => {
  test('write one after the other, whether all are in bounds or not', async () => {
    // 16 lanes of 3 dwords, 4 bytes apart: 18 dwords, of which the view has 16.
    for (const first of [0, 4, 0xfffffffc]) {
      for (const mask of ['xy', 'xyz', 'xyzw']) {
        const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroup.xyz
dcl_temps 2
dcl_thread_group 16, 1, 1
imad r0.x, vThreadIDInGroup.x, l(4), l(${first})
iadd r1.xyzw, vThreadIDInGroup.xxxx, l(100, 200, 300, 400)
store_raw u0.${mask}, r0.x, r1.xyzw
ret
`
        expect(await compareEngines(text, () => ({ u0: createUav(buffer(16), { raw: true }) }))).toEqual([])
      }
    }
  })
})
