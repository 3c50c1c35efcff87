import { describe, expect, it } from 'vitest'
import { checkText, codesIn, foundIn, rawUav } from '../../test/support/check-text.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import { createBuffer, createUav, type Uav } from '../machine/index.ts'
import { type DetectorName, isClean } from './report/report.ts'

const program = (body: string, declarations = 'dcl_uav_raw u0', threads = 64): string => `cs_5_0
dcl_globalFlags refactoringAllowed
${declarations}
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
dcl_tgsm_raw g0, 256
dcl_thread_group ${threads}, 1, 1
${body}
ret`

const run = (body: string, detectors: readonly DetectorName[]) =>
  checkText(program(body), { u0: rawUav(256) }, { detectors })

describe('barriers', () => {
  const found = async (body: string): Promise<string[]> => foundIn(await run(body, ['barriers']))

  it('reached by all are fine, in loops too', async () => {
    expect(
      await found(
        'sync_g_t\nmov r0.x, l(0)\nloop\nuge r0.y, r0.x, l(3)\nbreakc_nz r0.y\nsync_g_t\niadd r0.x, r0.x, l(1)\nendloop',
      ),
    ).toEqual([])
    expect(await found('if_z vThreadIDInGroupFlattened.x\nsync_g\nendif')).toEqual([])
  })

  it('reached by a part of the group: within a wave, by whole waves, after a return', async () => {
    expect(await found('if_z vThreadIDInGroupFlattened.x\nsync_g_t\nendif')).toEqual(['check-barrier-divergent@1'])
    expect(await found('ult r0.x, vThreadIDInGroupFlattened.x, l(32)\nif_nz r0.x\nsync_g_t\nendif')).toEqual([
      'check-barrier-divergent@2',
    ])
    expect(await found('ult r0.x, vThreadIDInGroupFlattened.x, l(32)\nif_nz r0.x\nret\nendif\nsync_g_t')).toEqual([
      'check-barrier-divergent@4',
    ])
  })

  it('different ones in parts of the group', async () => {
    const report = await run(
      'ult r0.x, vThreadIDInGroupFlattened.x, l(32)\nif_nz r0.x\nsync_g_t\nelse\nsync_g_t\nendif',
      ['barriers'],
    )
    expect(codesIn(report)).toEqual(['check-barrier-different'])
    expect([report.findings[0]!.site.instruction, report.findings[0]!.other!.instruction].sort()).toEqual([2, 4])
  })
})

describe('counters', () => {
  const counted = (use: 'counter' | 'append', initialCount: number): Uav =>
    valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: 128, stride: 4 })), { counter: use, initialCount }))
  const check = (body: string, u0: Uav) =>
    checkText(program(body, 'dcl_uav_structured_opc u0, 4', 16), { u0 }, { detectors: ['counters'] })

  it('alloc alone and consume alone within bounds are fine', async () => {
    expect(codesIn(await check('imm_atomic_alloc r0.x, u0', counted('append', 0)))).toEqual([])
    expect(codesIn(await check('imm_atomic_consume r0.x, u0', counted('counter', 16)))).toEqual([])
  })

  it('mixed', async () => {
    const report = await check('imm_atomic_alloc r0.x, u0\nimm_atomic_consume r0.x, u0', counted('counter', 4))
    expect(foundIn(report)).toEqual(['check-counter-mixed@1'])
    expect(report.findings[0]!.other?.instruction).toBe(0)
  })

  it('below zero and past the end', async () => {
    expect(foundIn(await check('imm_atomic_consume r0.x, u0', counted('counter', 15)))).toEqual([
      'check-counter-underflow@0',
    ])
    const full = await check('imm_atomic_alloc r0.x, u0', counted('append', 17))
    expect(foundIn(full)).toEqual(['check-counter-overflow@0'])
    expect(full.findings[0]!.count).toBe(1)
    const guarded = await check('imm_atomic_alloc r0.x, u0', counted('counter', 17))
    expect([foundIn(guarded), codesIn(guarded)]).toEqual([[], ['check-counter-overflow']])
  })
})

describe('numbers', () => {
  const found = async (body: string): Promise<string[]> => foundIn(await run(body, ['numbers']))

  it('NaN and infinity where they are produced, not where they are used', async () => {
    const body = 'mov r0.x, l(-4.0)\nsqrt r0.y, r0.x\nadd r0.z, r0.y, l(1.0)\nmul r0.w, r0.z, r0.z'
    const report = await run(body, ['numbers'])
    expect(foundIn(report)).toEqual(['check-nan-produced@1'])
    expect(report.findings[0]!.notes).toEqual(['operands: -4'])
    expect(await found('mov r0.x, l(3.0e38)\nmul r0.y, r0.x, r0.x\nadd r0.z, r0.y, l(1.0)')).toEqual([
      'check-infinity-produced@1',
    ])
    expect(await found('mov r0.x, l(2.0)\nmul r0.y, r0.x, r0.x')).toEqual([])
    expect(await found('mov r0.x, l(0x7e00)\nf16tof32 r0.y, r0.x')).toEqual([])
  })

  it('a NaN that is made of infinities, of zeros, or of both', async () => {
    // IEEE 754: inf - inf, 0 * inf, 0 / 0 and inf / inf are NaN; inf + inf, inf * 2 and inf / 2 are infinities.
    const infinity = 'mov r0.x, l(0x7f800000)\nmov r0.y, l(0)\n'
    const nan = ['check-nan-produced@2']
    expect(await found(`${infinity}add r1.x, r0.x, -r0.x`)).toEqual(nan)
    expect(await found(`${infinity}mul r1.x, r0.x, r0.y`)).toEqual(nan)
    expect(await found(`${infinity}mad r1.x, r0.x, r0.y, l(1.0)`)).toEqual(nan)
    expect(await found(`${infinity}dp2 r1.x, r0.xxxx, r0.xyxx`)).toEqual(nan)
    expect(await found(`${infinity}frc r1.x, r0.x`)).toEqual(nan)
    expect(await found(`${infinity}div r1.x, r0.x, r0.x`)).toEqual(nan)
    expect(await found(`${infinity}div r1.x, r0.y, r0.y`)).toEqual(['check-division-by-zero@2', ...nan])
    // 0 * log2(0), as in pow(0, 0).
    expect(await found(`${infinity}log r0.z, r0.y\nmul r1.x, r0.z, r0.y`)).toEqual([
      'check-infinity-produced@2',
      'check-nan-produced@3',
    ])
    for (const silent of ['add r1.x, r0.x, r0.x', 'mul r1.x, r0.x, l(2.0)', 'div r1.x, r0.x, l(2.0)']) {
      expect(await found(`${infinity}${silent}`)).toEqual([])
    }
    // A NaN among the operands is where it comes from.
    expect(await found('mov r0.x, l(0x7fc00000)\nadd r1.x, r0.x, l(0x7f800000)')).toEqual([])
  })

  it('of one statement, each component by its own operands', async () => {
    const body = 'mov r0.xy, l(0x7fc00000, -1.0, 0, 0)\nsqrt r1.xy, r0.xyxx'
    expect(await found(body)).toEqual(['check-nan-produced@1'])
  })

  it('divisions by zero, of floats and integers', async () => {
    expect(await found('mov r0.x, l(0)\ndiv r0.y, l(1.0), r0.x')).toEqual(['check-division-by-zero@1'])
    expect(await found('mov r0.x, l(0)\nudiv r0.y, r0.z, l(7), r0.x')).toEqual(['check-division-by-zero@1'])
    expect(await found('mov r0.x, l(0)\nrcp r0.y, r0.x')).toEqual(['check-division-by-zero@1'])
    expect(await found('mov r0.x, l(2)\nudiv r0.y, null, l(7), r0.x')).toEqual([])
  })

  it('conversions out of range', async () => {
    expect(await found('mov r0.x, l(3000000000.0)\nftoi r0.y, r0.x')).toEqual(['check-conversion-range@1'])
    expect(await found('mov r0.x, l(3000000000.0)\nftou r0.y, r0.x')).toEqual([])
    expect(await found('mov r0.x, l(-1.0)\nftou r0.y, r0.x')).toEqual(['check-conversion-range@1'])
    expect(await found('mov r0.x, l(-0.5)\nftou r0.y, r0.x\nftoi r0.z, r0.x')).toEqual([])
  })

  it('doubles too', async () => {
    const doubles = 'mov r0.xyzw, l(0,0,0,0)\nmov r1.y, l(0x3ff00000)\nmov r1.x, l(0)\n'
    expect(await found(`${doubles}ddiv r2.xy, r1.xyxy, r0.xyxy`)).toEqual(['check-division-by-zero@3'])
    expect(await found(`${doubles}ddiv r2.xy, r1.xyxy, r1.xyxy`)).toEqual([])
    expect(await found('mov r0.x, l(0)\nmov r0.y, l(0x7fe00000)\ndmul r2.xy, r0.xyxy, r0.xyxy')).toEqual([
      'check-infinity-produced@2',
    ])
    expect(await found('mov r0.x, l(0)\nmov r0.y, l(0x42000000)\ndtoi r2.x, r0.xyxy')).toEqual([
      'check-conversion-range@2',
    ])
    expect(await found('mov r0.x, l(0)\nmov r0.y, l(0x41d00000)\ndtoi r2.x, r0.xyxy')).toEqual([])
  })

  it('only what active lanes do', async () => {
    expect(
      await found('utof r0.x, vThreadIDInGroupFlattened.x\nif_nz vThreadIDInGroupFlattened.x\nrcp r0.y, r0.x\nendif'),
    ).toEqual([])
  })
})

describe('schedules', () => {
  const exchange = (sync: string): string => `ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw g0.x, r0.x, vThreadIDInGroupFlattened.x
${sync}
xor r0.y, r0.x, l(128)
ld_raw r0.z, r0.y, g0.xxxx
iadd r0.z, r0.z, l(5)
store_raw u0.x, r0.x, r0.z`

  it('agree where accesses are ordered', async () => {
    expect(foundIn(await run(exchange('sync_g_t'), ['schedules']))).toEqual([])
  })

  it('give the first write that differs and the load that made it so', async () => {
    const report = await run(exchange('nop'), ['schedules'])
    expect(foundIn(report)).toEqual(['check-schedule@6'])
    expect(report.findings[0]).toMatchObject({
      other: { instruction: 4, access: 'load' },
      memory: { text: 'u0 byte 0' },
    })
  })

  it('leave the results of the first run in place', async () => {
    const u0 = rawUav(256)
    await checkText(program(exchange('nop')), { u0 }, { detectors: ['schedules'] })
    const schedules = new Uint32Array(u0.storage.bytes.slice().buffer)
    const plain = rawUav(256)
    await checkText(program(exchange('nop')), { u0: plain }, { detectors: [] })
    expect(schedules).toEqual(new Uint32Array(plain.storage.bytes.slice().buffer))
  })

  it('two threads that write one dword', async () => {
    const report = await run('store_raw u0.x, l(0), vThreadIDInGroupFlattened.x', ['schedules'])
    expect(foundIn(report)).toEqual(['check-schedule@0'])
  })
})

describe('budgets', () => {
  it('leave what was found so far and say that the report is partial', async () => {
    const body = 'store_raw u0.x, l(0), vThreadIDInGroupFlattened.x\nloop\nendloop'
    const report = await checkText(program(body), { u0: rawUav(16) }, { maxInstructionsPerThread: 10_000 })
    expect([report.partial, foundIn(report)]).toEqual(['instructions', ['check-race@0']])
    const endless = program('loop\nstore_raw u0.x, l(0), vThreadIDInGroupFlattened.x\nendloop')
    const timed = await checkText(
      endless,
      { u0: rawUav(16) },
      { maxMilliseconds: 400, maxInstructionsPerThread: 2 ** 40 },
    )
    expect([timed.partial, foundIn(timed)]).toEqual(['time', ['check-race@1']])
    expect(timed.diagnostics.map((d) => d.code)).toContain('check-stopped')
    const wide = program(
      'ishl r0.x, vThreadIDInGroupFlattened.x, l(20)\nloop\niadd r0.x, r0.x, l(4096)\nstore_raw u0.x, r0.x, l(1)\nendloop',
    )
    const large = await checkText(wide, { u0: rawUav(2 ** 26) }, { detectors: ['races'], maxShadowByteLength: 2 ** 20 })
    expect(large.partial).toBe('memory')
  })

  it('hints beyond the limit do not make a report partial', async () => {
    const stores = Array.from({ length: 8 }, (_, i) => `store_raw u0.x, l(${4 * i}), l(7)`).join('\n')
    const report = await checkText(program(stores), { u0: rawUav(64) }, { detectors: ['races'], maxFindings: 3 })
    expect([report.findings.length, report.partial, isClean(report)]).toEqual([3, undefined, true])
  })

  it('findings beyond the limit are counted', async () => {
    const stores = Array.from({ length: 8 }, (_, i) => `store_raw u0.x, l(${4 * i}), vThreadIDInGroupFlattened.x`).join(
      '\n',
    )
    const report = await checkText(program(stores), { u0: rawUav(64) }, { detectors: ['races'], maxFindings: 3 })
    expect([report.findings.length, report.partial, report.stats.droppedFindings]).toEqual([3, 'findings', 5])
  })

  it('pairs of one cause are one finding, however many they are', async () => {
    // Each of 40 loads reads what another thread stored before, with no barrier: 40 pairs, one barrier is missing.
    const loads = Array.from({ length: 40 }, () => 'ld_raw r0.y, r0.x, u0.xxxx').join('\n')
    const body = `ishl r0.x, vThreadIDInGroupFlattened.x, l(2)\nstore_raw u0.x, r0.x, l(1)\nxor r0.x, r0.x, l(4)\n${loads}`
    const report = await checkText(program(body), { u0: rawUav(256) }, { detectors: ['races'], maxFindings: 3 })
    const [finding] = report.findings
    expect([report.findings.length, report.partial, report.stats.droppedFindings]).toEqual([1, undefined, 0])
    expect([finding!.code, finding!.places!.length]).toEqual(['check-race', 39])
  })
})
