import { describe, expect, it } from 'vitest'
import { checkText, foundIn, rawUav } from '../../../test/support/check-text.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { createBuffer, createSrv, createTexture, createUav } from '../../machine/index.ts'
import { parseSuppression, type Suppression } from '../report/suppressions.ts'

/** Which undefined value a finding names: several origins in one program, mixed by lane, by sum and through memory. */

const ones = (byteLength: number) => {
  const data = new Uint32Array(byteLength / 4).fill(1)
  return valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength, data })), { raw: true }))
}
const suppress = (text: string): Suppression => parseSuppression(text) as Suppression

/** Eight threads; r3.x is the byte offset of the thread's own dword. */
const program = (body: string, declarations = ''): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
${declarations}
dcl_thread_group 8, 1, 1
ishl r3.x, vThreadIDInGroupFlattened.x, l(2)
${body}
ret`

const run = (body: string, options = {}, declarations = '') =>
  checkText(program(body, declarations), { u0: rawUav(64), t0: ones(32), t1: ones(16) }, options)
const counts = async (body: string, options = {}, declarations = ''): Promise<unknown[]> =>
  (await run(body, options, declarations)).findings.map((f) => [f.code, f.site.instruction, f.severity, f.count])

/** Lanes 4 to 7 take a zero from beyond t0 (byte 4t + 16 of 32), lanes 0 to 3 one from beyond t1 (bytes 16 to 28 of 16). */
const TWO_LOADS = `iadd r0.y, r3.x, l(16)
ld_raw r1.x, r0.y, t0.xxxx
xor r0.z, r3.x, l(16)
ld_raw r1.y, r0.z, t1.xxxx
iadd r1.x, r1.x, r1.y
store_raw u0.x, r3.x, r1.x`

describe('two origins that meet in one register', () => {
  it('are both reported, each with its own lanes', async () => {
    expect(await counts(TWO_LOADS)).toEqual([
      ['check-bounds-raw', 4, 'warning', 4],
      ['check-bounds-raw', 2, 'warning', 4],
    ])
    const report = await run(TWO_LOADS)
    const named = report.findings.map((f) => [f.message, f.site.threadFlattened, f.other?.threadFlattened])
    expect(named).toEqual([
      ['a load from t1 at byte 16 lies past its 16 bytes, and the result is stored to u0', 0, 0],
      ['a load from t0 at byte 32 lies past its 32 bytes, and the result is stored to u0', 4, 4],
    ])
  })

  it('are not hidden by a suppression of the other', async () => {
    for (const [gone, left] of [
      [4, 2],
      [2, 4],
    ]) {
      const report = await run(TWO_LOADS, { suppressions: [suppress(`check-bounds-raw@${gone}`)] })
      expect(foundIn(report)).toEqual([`check-bounds-raw@${left}`])
    }
  })

  it('are both reported where one lane has both', async () => {
    const both = `iadd r0.y, r3.x, l(32)
ld_raw r1.x, r0.y, t0.xxxx
ld_raw r1.y, r0.y, t1.xxxx
iadd r1.x, r1.x, r1.y
store_raw u0.x, r3.x, r1.x`
    expect(await counts(both)).toEqual([
      ['check-bounds-raw', 2, 'warning', 8],
      ['check-bounds-raw', 3, 'warning', 8],
    ])
  })

  it('registers that nothing wrote, in other lanes each', async () => {
    const registers = `ult r0.x, vThreadIDInGroupFlattened.x, l(4)
if_nz r0.x
mov r1.x, l(1)
else
mov r2.x, l(1)
endif
iadd r1.x, r1.x, r2.x
store_raw u0.x, r3.x, r1.x`
    // r1 and r2 are read by one statement, where half of the threads wrote each.
    const report = await run(registers)
    expect(report.findings.map((f) => [f.message, f.count, f.site.threadFlattened])).toEqual([
      ['r2.x is read before anything wrote it, and the value is stored to u0', 4, 0],
      ['r1.x is read before anything wrote it, and the value is stored to u0', 4, 4],
    ])
  })

  it('a register and an array, both unset', async () => {
    const body = `iadd r1.x, r0.x, x0[1].x
store_raw u0.x, r3.x, r1.x`
    expect(await counts(body, {}, 'dcl_indexableTemp x0[2], 4')).toEqual([
      ['check-uninitialized-temp', 1, 'error', 8],
      ['check-uninitialized-indexable-temp', 1, 'error', 8],
    ])
  })

  it('what a selection leaves is not held against its result', async () => {
    const body = `iadd r0.y, r3.x, l(32)
ld_raw r1.x, r0.y, t0.xxxx
ld_raw r1.y, r0.y, t1.xxxx
ult r0.x, vThreadIDInGroupFlattened.x, l(2)
movc r1.x, r0.x, r1.x, r1.y
store_raw u0.x, r3.x, r1.x`
    expect(await counts(body)).toEqual([
      ['check-bounds-raw', 2, 'warning', 2],
      ['check-bounds-raw', 3, 'warning', 6],
    ])
  })
})

describe('two textures whose borders are other texels', () => {
  // dst[id] = src.Load(id + int2(0, 3)) + two.Load(id + int2(2, 0)), 8 x 8 threads on textures of 8 x 8.
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2d (uint,uint,uint,uint) t0
dcl_resource_texture2d (uint,uint,uint,uint) t1
dcl_uav_typed_texture2d (uint,uint,uint,uint) u0
dcl_input vThreadID.xy
dcl_temps 3
dcl_thread_group 8, 8, 1
iadd r0.xy, vThreadID.xyxx, l(0, 3, 0, 0)
mov r0.zw, l(0, 0, 0, 0)
ld r1.x, r0.xyzw, t0.xyzw
iadd r0.xy, vThreadID.xyxx, l(2, 0, 0, 0)
ld r1.y, r0.xyzw, t1.yxzw
iadd r1.x, r1.x, r1.y
store_uav_typed u0.xyzw, vThreadID.xyyy, r1.xxxx
ret`
  it('are both reported, with the accesses that left each', async () => {
    const texture = () =>
      valueOrThrow(createTexture({ dimension: 'texture2d', width: 8, height: 8, format: 'R32_UINT' }))
    const bindings = {
      t0: valueOrThrow(createSrv(texture())),
      t1: valueOrThrow(createSrv(texture())),
      u0: valueOrThrow(createUav(texture())),
    }
    const { findings } = await checkText(text, bindings)
    // Three rows of eight and two columns of eight lie outside.
    expect(findings.map((f) => [f.message, f.count, f.site.threadFlattened])).toEqual([
      ['a load from t1 at (8, 0) lies outside 8 x 8, in x, and the result is stored to u0', 16, 6],
      ['a load from t0 at (0, 8) lies outside 8 x 8, in y, and the result is stored to u0', 24, 40],
    ])
  })
})

describe('what a finding counts and names', () => {
  it('accesses, not components and not uses', async () => {
    const body = `iadd r0.y, r3.x, l(32)
ld_raw r1.xyzw, r0.y, t0.xyzw
store_raw u0.xyzw, l(0), r1.xyzw
store_raw u0.xyzw, l(16), r1.xyzw`
    const report = await run(body, { detectors: ['bounds'] })
    expect(report.findings.map((f) => [f.site.instruction, f.count])).toEqual([[2, 8]])
    expect(report.findings[0]!.uses?.map((u) => u.instruction)).toEqual([3, 4])
  })

  it('the access of the thread whose value matters, where an earlier one is thrown away', async () => {
    // All loads are out of bounds; thread 5 alone stores what it read, of byte 32 + 5 * 4.
    const body = `iadd r0.y, r3.x, l(32)
ld_raw r1.x, r0.y, t0.xxxx
ieq r0.x, vThreadIDInGroupFlattened.x, l(5)
if_nz r0.x
store_raw u0.x, r3.x, r1.x
endif`
    const [finding] = (await run(body)).findings
    expect(finding).toMatchObject({ count: 1, site: { threadFlattened: 5 }, other: { threadFlattened: 5 } })
    expect(finding!.message).toContain('t0 at byte 52')
  })

  it('the thread that read it, where another stores it', async () => {
    // Thread t puts the zero that it read into g0[7 - t]; after the barrier thread 0 stores g0[0], of thread 7.
    const body = `iadd r0.y, r3.x, l(32)
ld_raw r1.x, r0.y, t0.xxxx
iadd r0.z, -r3.x, l(28)
store_raw g0.x, r0.z, r1.x
sync_g_t
ieq r0.x, vThreadIDInGroupFlattened.x, l(0)
if_nz r0.x
ld_raw r2.x, l(0), g0.xxxx
store_raw u0.x, l(0), r2.x
endif`
    const [finding] = (await run(body, { detectors: ['bounds', 'uninitialized'] }, 'dcl_tgsm_raw g0, 32')).findings
    expect(finding).toMatchObject({ count: 1, site: { threadFlattened: 7 }, other: { threadFlattened: 0 } })
  })

  it('every access of a sum, in a loop too', async () => {
    const body = `mov r1.xy, l(0, 0, 0, 0)
loop
uge r1.z, r1.y, l(3)
breakc_nz r1.z
iadd r0.y, r3.x, l(32)
ld_raw r2.x, r0.y, t0.xxxx
iadd r1.x, r1.x, r2.x
iadd r1.y, r1.y, l(1)
endloop
store_raw u0.x, r3.x, r1.x`
    expect(await counts(body)).toEqual([['check-bounds-raw', 6, 'warning', 24]])
  })

  it('a suppression of one use leaves the others', async () => {
    const body = `store_raw u0.x, r3.x, r0.x
mov r1.x, r0.x
store_raw u0.x, r3.x, r1.x
if_nz r1.x
endif`
    const found = async (...codes: string[]): Promise<string[]> =>
      foundIn(await run(body, { detectors: ['uninitialized'], suppressions: codes.map(suppress) }))
    const code = 'check-uninitialized-temp'
    expect(await found()).toEqual([`${code}@1`, `${code}@2`])
    expect(await found(`${code}@1`)).toEqual([`${code}@2`])
    expect(await found(`${code}@1`, `${code}@3`)).toEqual([`${code}@2`])
    expect(await found(`${code}@1`, `${code}@3`, `${code}@4`)).toEqual([])
  })

  it('undefined addresses of every lane', async () => {
    const body = `ult r0.x, vThreadIDInGroupFlattened.x, l(4)
if_nz r0.x
mov r1.x, r2.x
else
mov r1.x, r2.y
endif
store_raw u0.x, r1.x, l(1)`
    const report = await run(body, { detectors: ['uninitialized'] })
    expect(report.findings.map((f) => [f.site.instruction, f.count])).toEqual([
      [3, 4],
      [5, 4],
    ])
  })
})

describe('loads of shared memory past its end', () => {
  const shared = 'dcl_tgsm_raw g0, 32'
  // Each thread fills its dword and reads the one `d` before it: byte -4 wraps to the end of the address space.
  const load = `store_raw g0.x, r3.x, l(7)
sync_g_t
iadd r0.y, r3.x, l(-4)
ld_raw r1.x, r0.y, g0.xxxx
`
  it('do not matter where the result is masked away', async () => {
    const masked = `${load}ige r0.x, vThreadIDInGroupFlattened.x, l(1)
and r1.x, r0.x, r1.x
store_raw u0.x, r3.x, r1.x`
    expect(foundIn(await run(masked, {}, shared))).toEqual([])
    const selected = `${load}ige r0.x, vThreadIDInGroupFlattened.x, l(1)
movc r1.x, r0.x, r1.x, l(0)
store_raw u0.x, r3.x, r1.x`
    const report = await run(selected, {}, shared)
    expect(foundIn(report)).toEqual([])
    const unused = report.findings.find((f) => f.code === 'check-bounds-tgsm')
    expect(unused).toMatchObject({ severity: 'hint' })
    expect(unused!.notes).toContain('nothing that this run leaves or decides depends on the result')
  })

  it('are an error where the result matters, with the negative address', async () => {
    const report = await run(`${load}store_raw u0.x, r3.x, r1.x`, {}, shared)
    expect(foundIn(report)).toEqual(['check-bounds-tgsm@4'])
    const [finding] = report.findings
    expect(finding).toMatchObject({ severity: 'error', count: 1, site: { threadFlattened: 0 } })
    expect(finding!.message).toBe('a load from g0 at byte -4 lies past its 32 bytes, and the result is stored to u0')
  })

  it('name structures before the first by negative bytes', async () => {
    const body = `iadd r0.y, vThreadIDInGroupFlattened.x, l(-2)
ld_structured r1.x, r0.y, l(4), g0.xxxx
store_raw u0.x, r3.x, r1.x`
    const report = await run(body, { detectors: ['bounds'] }, 'dcl_tgsm_structured g0, 8, 64')
    const [finding] = report.findings
    expect(finding).toMatchObject({ code: 'check-bounds-tgsm', memory: { text: 'g0[-2] byte 4', byteOffset: -12 } })
    expect(finding!.message).toContain('at byte -12 lies past its 512 bytes')
  })

  it('misaligned ones too, where all of the result is undefined', async () => {
    const misaligned = (mask: number): string => `store_raw g0.x, r3.x, l(7)
sync_g_t
ld_raw r1.x, l(2), g0.xxxx
and r1.x, r1.x, l(${mask})
store_raw u0.x, r3.x, r1.x`
    expect(foundIn(await run(misaligned(0), {}, shared))).toEqual([])
    expect(foundIn(await run(misaligned(1), {}, shared))).toEqual(['check-misaligned@3'])
  })
})
