import { describe, expect, it } from 'vitest'
import { assembleOrThrow, cbv, Device, uav } from '../../src/index.ts'

/** One thread reads shared memory of 32 bytes, g0 raw and g1 as 4 structures of 8 bytes, where b0 says. */
const reads = (load: string): Uint8Array =>
  assembleOrThrow(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_uav_raw u0
dcl_temps 1
dcl_tgsm_raw g0, 32
dcl_tgsm_structured g1, 8, 4
dcl_thread_group 1, 1, 1
${load}
store_raw u0.x, l(0), r0.x
ret`)

const RAW = 'ld_raw r0.x, cb0[0].x, g0.xxxx'
const RAW_Y = 'ld_raw r0.x, cb0[0].x, g0.yyyy'
const STRUCTURED = 'ld_structured r0.x, cb0[0].x, cb0[0].y, g1.xxxx'

/** What an index and a byte offset of 32 bits name, and the byte that is told: sums do not wrap. */
const CASES: readonly (readonly [string, readonly [number, number], number])[] = [
  [RAW, [32, 0], 32],
  [RAW, [-4, 0], -4],
  [RAW_Y, [-4, 0], 2 ** 32],
  [STRUCTURED, [4, 4], 36],
  [STRUCTURED, [-2, 0], -16],
  [STRUCTURED, [-2, 4], -12],
  [STRUCTURED, [0, -4], -4],
  // Byte 4 of the register would be inside: nothing wraps there.
  [STRUCTURED, [1, -4], 8 + 2 ** 32 - 4],
  [STRUCTURED, [0x7fffffff, 0], 0x7fffffff * 8],
]

describe.each(['reference', 'wasm'] as const)('bytes outside of shared memory, on %s', (engine) => {
  it.each(CASES)('%s at %j is byte %d', async (load, address, byte) => {
    const device = new Device({ engine, threads: 1 })
    const b0 = cbv(Int32Array.of(...address, 0, 0))
    const u0 = uav(device.createBuffer({ byteLength: 16 }), { raw: true })
    const { diagnostics } = await device.dispatch(device.createShader(reads(load)), { b0, u0 }, [1])
    const [finding] = diagnostics.filter((d) => d.code === 'engine-tgsm-bounds')
    expect(finding?.message).toMatch(new RegExp(`^a load from g[01] at byte ${byte} lies outside its 32 bytes`))
  })
})
