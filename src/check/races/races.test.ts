import { describe, expect, it } from 'vitest'
import { checkText, codesIn, foundIn, rawUav } from '../../../test/support/check-text.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { createBuffer, createTexture, createUav } from '../../machine/index.ts'

const RACES = { detectors: ['races'] } as const

/** 64 threads; each reads what its neighbor wrote, with `sync` between. */
const exchange = (sync: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_tgsm_structured g0, 4, 64
dcl_thread_group 64, 1, 1
store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
${sync}
xor r0.x, vThreadIDInGroupFlattened.x, l(1)
ld_structured r0.y, r0.x, l(0), g0.xxxx
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.x, r0.y
ret`

const check = (text: string, groups: readonly [number, number, number] = [1, 1, 1], u0 = rawUav(1024)) =>
  checkText(text, { u0 }, { ...RACES, groups })

describe('races in thread group shared memory', () => {
  it('are ordered by a barrier that covers TGSM and waits', async () => {
    expect(foundIn(await check(exchange('sync_g_t')))).toEqual([])
    expect(foundIn(await check(exchange('sync_uglobal_g_t')))).toEqual([])
  })

  it('are found without a barrier, in one wave and across waves, whatever the schedule', async () => {
    const report = await check(exchange('nop'))
    expect(foundIn(report)).toEqual(['check-race@3'])
    expect(report.findings[0]!.other?.instruction).toBe(0)
    for (const waveWidth of [1, 4, 64] as const) {
      const schedule = { waveWidth, order: { seed: 3 }, groupsInFlight: 1 } as const
      const found = await checkText(exchange('nop'), { u0: rawUav(256) }, { ...RACES, schedule })
      const [race] = found.findings
      expect(race!.code).toBe('check-race')
      expect([race!.site.instruction, race!.other!.instruction].sort()).toEqual([0, 3])
    }
  })

  it('are found behind a sync of the wrong scope, which is named', async () => {
    for (const sync of ['sync_uglobal_t', 'sync_ugroup_t', 'sync_g', 'sync_uglobal']) {
      const report = await check(exchange(sync))
      expect([sync, foundIn(report)]).toEqual([sync, ['check-race-barrier-scope@3']])
      expect(report.findings[0]!.barriersBetween?.map((b) => b.instruction)).toEqual([1])
    }
  })

  it('a later write meets earlier reads', async () => {
    const text = exchange('sync_g_t').replace(
      'ishl r0.x, vThread',
      'store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.y\nishl r0.x, vThread',
    )
    expect(foundIn(await check(text))).toEqual(['check-race@4'])
    const fixed = text.replace('store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.y', 'sync_g_t\n$&')
    expect(foundIn(await check(fixed))).toEqual([])
  })

  it('are judged by dword: neighbors do not race', async () => {
    const text = exchange('nop').replace(
      'xor r0.x, vThreadIDInGroupFlattened.x, l(1)',
      'mov r0.x, vThreadIDInGroupFlattened.x',
    )
    expect(foundIn(await check(text))).toEqual([])
  })

  const total = (second: string, between: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_raw g0, 16
dcl_thread_group 64, 1, 1
atomic_iadd g0, l(0), l(1)
${between}
${second}
ret`

  it('atomics do not race with atomics, but with stores, and loads need a barrier', async () => {
    expect(foundIn(await check(total('atomic_umax g0, l(0), l(9)', 'nop')))).toEqual([])
    expect(foundIn(await check(total('store_raw g0.x, l(0), vThreadIDInGroupFlattened.x', 'sync_g_t')))).toEqual([
      'check-race@2',
    ])
    expect(
      foundIn(await check(total('if_z vThreadIDInGroupFlattened.x\nstore_raw g0.x, l(0), l(5)\nendif', 'nop'))),
    ).toEqual(['check-race@3'])
    expect(foundIn(await check(total('ld_raw r0.x, l(0), g0.xxxx', 'nop')))).toEqual(['check-race-atomic@2'])
    expect(foundIn(await check(total('ld_raw r0.x, l(0), g0.xxxx', 'sync_g_t')))).toEqual([])
  })

  it('threads that all write the same value get a hint, those that do not an error', async () => {
    const write = (value: string): string => total(`store_raw g0.x, l(8), ${value}`, 'sync_g_t')
    const same = await check(write('l(7)'))
    expect([foundIn(same), codesIn(same)]).toEqual([[], ['check-barrier-needless', 'check-race-same-value']])
    expect(foundIn(await check(write('vThreadIDInGroupFlattened.x')))).toEqual(['check-race@2'])
  })

  it('orders single threads through an atomic after a fence without waiting', async () => {
    const handOver = (fence: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_tgsm_raw g0, 16
dcl_thread_group 2, 1, 1
if_z vThreadIDInGroupFlattened.x
  store_raw g0.x, l(0), l(5)
  ${fence}
  imm_atomic_exch r0.x, g0, l(4), l(1)
else
  imm_atomic_iadd r0.x, g0, l(4), l(0)
  if_nz r0.x
    ld_raw r0.x, l(0), g0.xxxx
    store_raw u0.x, l(0), r0.x
  endif
endif
ret`
    const schedule = { waveWidth: 1, order: 'forward', groupsInFlight: 1 } as const
    const run = async (fence: string) =>
      foundIn(await checkText(handOver(fence), { u0: rawUav(16) }, { ...RACES, schedule }))
    expect(await run('sync_g')).toEqual([])
    expect(await run('nop')).toEqual(['check-race@7'])
    expect(await run('sync_uglobal')).toEqual(['check-race-barrier-scope@7'])
  })
})

/** Every thread of two groups touches its own dword of the first 64, so that groups meet. */
const acrossGroups = (body: string, flags = ''): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw${flags} u0
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_temps 2
dcl_thread_group 64, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
${body}
ret`

describe('races in UAVs', () => {
  it('are found within a group, and a TGSM barrier does not order them', async () => {
    const text = (sync: string): string =>
      acrossGroups(`store_raw u0.x, r0.x, vThreadIDInGroupFlattened.x
${sync}
xor r0.y, r0.x, l(4)
ld_raw r0.z, r0.y, u0.xxxx
iadd r0.x, r0.x, l(256)
store_raw u0.x, r0.x, r0.z`)
    expect(foundIn(await check(text('nop')))).toEqual(['check-race@4'])
    expect(foundIn(await check(text('sync_g_t')))).toEqual(['check-race-barrier-scope@4'])
    expect(foundIn(await check(text('sync_uglobal_t')))).toEqual([])
    expect(foundIn(await check(text('sync_ugroup_t')))).toEqual([])
  })

  it('are found across groups, which no barrier orders', async () => {
    const write = 'iadd r0.y, vThreadGroupID.x, vThreadIDInGroupFlattened.x\nstore_raw u0.x, r0.x, r0.y'
    expect(foundIn(await check(acrossGroups(write), [2, 1, 1]))).toEqual(['check-race-across-groups@2'])
    expect(foundIn(await check(acrossGroups(`${write}\nsync_uglobal_t`), [2, 1, 1]))).toEqual([
      'check-race-across-groups@2',
    ])
    expect(foundIn(await check(acrossGroups(write), [1, 1, 1]))).toEqual([])
  })

  it('reading groups and a writing group race though each group for itself is in order', async () => {
    const text = acrossGroups(`ld_raw r0.y, r0.x, u0.xxxx
sync_uglobal_t
if_z vThreadGroupID.x
  iadd r0.y, r0.y, l(1)
  store_raw u0.x, r0.x, r0.y
endif`)
    expect(foundIn(await check(text, [3, 1, 1]))).toEqual(['check-race-across-groups@1'])
  })

  it('UAV atomics are atomic against plain accesses: of loads a hint, of stores a warning', async () => {
    for (const [plain, found] of [
      ['store_raw u0.x, l(0), l(3)', ['check-unordered-atomic@3']],
      ['ld_raw r0.y, l(0), u0.xxxx', []],
    ] as const) {
      const body = `atomic_iadd u0, l(0), l(1)\nif_z vThreadIDInGroupFlattened.x\n${plain}\nendif`
      const report = await check(acrossGroups(body))
      expect([foundIn(report), codesIn(report)]).toEqual([found, ['check-unordered-atomic']])
      for (const f of report.findings) expect(f.severity).toBe(found.length > 0 ? 'warning' : 'hint')
    }
  })

  it('no hint of equal values stands beside the race of the same two statements', async () => {
    // Threads 2n and 2n + 1 write the same value, others different ones: to one dword.
    const body = 'ushr r0.y, vThreadIDInGroupFlattened.x, l(1)\nstore_raw u0.x, l(0), r0.y'
    expect(codesIn(await check(acrossGroups(body)))).toEqual(['check-race'])
    expect(codesIn(await check(acrossGroups('store_raw u0.x, l(0), l(7)')))).toEqual(['check-race-same-value'])
  })

  it('atomics that came in order hide a race from one run, and the runs of --schedules look again', async () => {
    // Thread 0 stores and raises a flag behind a fence; the last thread goes on only where it finds the flag raised, which
    // it does where waves run forward. Where they run in reverse it loads without having met the flag.
    const body = `if_z vThreadIDInGroupFlattened.x
store_raw u0.x, l(0), l(5)
sync_uglobal
imm_atomic_or r0.y, u0, l(64), l(1)
endif
ieq r0.z, vThreadIDInGroupFlattened.x, l(7)
if_nz r0.z
imm_atomic_or r0.y, u0, l(64), l(0)
ld_raw r0.w, l(0), u0.xxxx
store_raw u0.x, l(128), r0.w
endif`
    const text = acrossGroups(body, '_glc')
    const one = { waveWidth: 4, order: 'forward', groupsInFlight: 1 } as const
    expect(foundIn(await checkText(text, { u0: rawUav(1024) }, { ...RACES, schedule: one }))).toEqual([])
    const again = await checkText(text, { u0: rawUav(1024) }, { detectors: ['races', 'schedules'], schedule: one })
    expect(foundIn(again).filter((f) => f.startsWith('check-race'))).toEqual(['check-race@2'])
  })

  const lastGroup = (fence: string, glc: string): string =>
    acrossGroups(
      `if_z vThreadIDInGroupFlattened.x
  ishl r0.y, vThreadGroupID.x, l(2)
  store_raw u0.x, r0.y, vThreadGroupID.x
  ${fence}
  imm_atomic_iadd r0.z, u0, l(64), l(1)
  ieq r0.z, r0.z, l(3)
  if_nz r0.z
    ld_raw r1.xyzw, l(0), u0.xyzw
    store_raw u0.x, l(128), r1.x
  endif
endif`,
      glc,
    )

  it('the last group may read what the others wrote, after a fence, an atomic, and with _glc', async () => {
    const groups = [4, 1, 1] as const
    expect(foundIn(await check(lastGroup('sync_uglobal', '_glc'), groups))).toEqual([])
    expect(foundIn(await check(lastGroup('sync_uglobal', ''), groups))).toEqual(['check-coherence@8'])
    expect(foundIn(await check(lastGroup('nop', '_glc'), groups))).toEqual(['check-race-across-groups@8'])
    expect(foundIn(await check(lastGroup('sync_g', '_glc'), groups))).toEqual(['check-race-across-groups@8'])
  })

  it('a thread of the group that did not fence itself is not ordered by another thread that did', async () => {
    const text = acrossGroups(
      `iadd r0.y, vThreadIDInGroupFlattened.x, l(1)
ishl r1.x, vThreadGroupID.x, l(8)
iadd r0.x, r0.x, r1.x
store_raw u0.x, r0.x, r0.y
SYNC
if_z vThreadIDInGroupFlattened.x
  sync_uglobal
  imm_atomic_iadd r0.z, u0, l(1020), l(1)
  if_nz r0.z
    ld_raw r1.xyzw, l(0), u0.xyzw
  endif
endif`,
      '_glc',
    )
    const groups = [2, 1, 1] as const
    expect(foundIn(await check(text.replace('SYNC', 'nop'), groups))).toEqual(['check-race-across-groups@10'])
    expect(foundIn(await check(text.replace('SYNC', 'sync_uglobal_t'), groups))).toEqual([])
  })

  it('texels smaller than a dword do not race with their neighbors, wide ones race as a whole', async () => {
    const typed = (format: string, address: string): Promise<string[]> => {
      const buffer = valueOrThrow(createBuffer({ byteLength: 2048 }))
      const u0 = valueOrThrow(createUav(buffer, { format }))
      const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_typed_buffer (uint,uint,uint,uint) u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 64, 1, 1
ushr r0.x, vThreadIDInGroupFlattened.x, l(${address})
store_uav_typed u0.xyzw, r0.xxxx, vThreadIDInGroupFlattened.xxxx
ret`
      return checkText(text, { u0 }, RACES).then(foundIn)
    }
    expect(await typed('R8_UINT', '0')).toEqual([])
    expect(await typed('R16_UINT', '0')).toEqual([])
    expect(await typed('R32G32B32A32_UINT', '0')).toEqual([])
    expect(await typed('R8_UINT', '1')).toEqual(['check-race@1'])
    expect(await typed('R32G32B32A32_UINT', '1')).toEqual(['check-race@1'])
  })

  it('texels of textures race by texel', async () => {
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 8, height: 8 }),
    )
    const text = (y: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_typed_texture2d (float,float,float,float) u0
dcl_input vThreadIDInGroup.xy
dcl_temps 2
dcl_thread_group 8, 8, 1
utof r0.x, vThreadIDInGroup.y
mul r0.x, r0.x, l(0.1)
mov r1.xy, vThreadIDInGroup.xyxx
${y}
store_uav_typed u0.xyzw, r1.xyyy, r0.xxxx
ret`
    const u0 = valueOrThrow(createUav(texture))
    expect(foundIn(await checkText(text('nop'), { u0 }, RACES))).toEqual([])
    const report = await checkText(text('ushr r1.y, r1.y, l(1)'), { u0 }, RACES)
    expect(foundIn(report)).toEqual(['check-race@4'])
    expect(report.findings[0]!.memory?.text).toMatch(/^u0 texel \(\d, \d\)$/)
  })

  it('two views of one buffer are one memory', async () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
    const u0 = valueOrThrow(createUav(buffer, { raw: true }))
    const u1 = valueOrThrow(createUav(buffer, { format: 'R32_UINT' }))
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_typed_buffer (uint,uint,uint,uint) u1
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.x, vThreadIDInGroupFlattened.x
xor r0.x, vThreadIDInGroupFlattened.x, l(1)
store_uav_typed u1.xyzw, r0.xxxx, vThreadIDInGroupFlattened.xxxx
ret`
    expect(foundIn(await checkText(text, { u0, u1 }, RACES))).toEqual(['check-race@3'])
  })
})

describe('needless barriers', () => {
  it('are a hint where nothing meets across them, and none where something does', async () => {
    const needless = (report: Awaited<ReturnType<typeof check>>): (number | undefined)[] =>
      report.findings.filter((f) => f.code === 'check-barrier-needless').map((f) => f.site.instruction)
    expect(needless(await check(exchange('sync_g_t')))).toEqual([])
    expect(needless(await check(exchange('sync_g_t\nsync_g_t')))).toEqual([2])
    const own = exchange('sync_g_t').replace(
      'xor r0.x, vThreadIDInGroupFlattened.x, l(1)',
      'mov r0.x, vThreadIDInGroupFlattened.x',
    )
    expect(needless(await check(own))).toEqual([1])
  })
})
