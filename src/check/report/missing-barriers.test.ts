import { describe, expect, it } from 'vitest'
import { checkText, foundIn, rawUav } from '../../../test/support/check-text.ts'
import { parseSuppression, type Suppression } from './suppressions.ts'

/** Races of one missing barrier as one finding, and where a barrier would go: only where all threads of the group pass. */

const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
dcl_tgsm_raw g0, 64
dcl_thread_group 16, 1, 1
ishl r3.x, vThreadIDInGroupFlattened.x, l(2)
${body}
ret`
const run = (body: string, options = {}) =>
  checkText(program(body), { u0: rawUav(256) }, { detectors: ['races'], ...options })
const advice = async (body: string): Promise<string[]> =>
  (await run(body)).findings.filter((f) => f.severity !== 'hint').flatMap((f) => f.notes)

const load = (distance: number): string => `xor r0.x, r3.x, l(${distance})\nld_raw r1.x, r0.x, g0.xxxx\n`
const STORE = 'store_raw g0.x, r3.x, r3.x\n'

describe('pairs that one barrier would order', () => {
  it('are one finding with its places', async () => {
    const { findings } = await run(`${STORE}${load(4)}${load(8)}${load(16)}nop`)
    expect(findings.map((f) => [f.code, f.site.instruction, f.count])).toEqual([['check-race', 3, 48]])
    expect(findings[0]!.places?.map((p) => [p.other.instruction, p.site.instruction])).toEqual([
      [1, 5],
      [1, 7],
    ])
  })

  it('are as many as barriers are missing', async () => {
    // Store, load of a neighbor, store over what the neighbor reads, load of another neighbor: a barrier after each of three.
    const { findings } = await run(`${STORE}${load(4)}${STORE}${load(8)}nop`)
    const pairs = findings.map((f) => [f.other!.instruction!, f.site.instruction!].sort((a, b) => a - b))
    expect(pairs.sort((a, b) => a[0]! - b[0]!)).toEqual([
      [1, 3],
      [3, 4],
      [4, 6],
    ])
  })

  it('stay apart for suppressions', async () => {
    const suppressions = [parseSuppression('check-race@5') as Suppression]
    const { findings } = await run(`${STORE}${load(4)}${load(8)}nop`, { suppressions })
    expect(findings.map((f) => [f.site.instruction, f.places])).toEqual([[3, undefined]])
  })
})

describe('where a barrier would go', () => {
  const before = 'a barrier (GroupMemoryBarrierWithGroupSync, sync_g_t) before'
  it('before the second access', async () => {
    expect(await advice(`${STORE}${load(4)}nop`)).toEqual([`${before} 3: ld_raw r1.x, r0.x, g0.xxxx would order them`])
  })

  it('before the branch that holds the second access', async () => {
    const branch = `ult r2.x, r3.x, l(8)\nif_nz r2.x\n${load(4)}endif`
    expect(await advice(`${STORE}${branch}`)).toEqual([`${before} 3: if_nz r2.x would order them`])
  })

  it('nowhere inside a branch, and nowhere after threads may have ended', async () => {
    const split = /^not all threads of the group may pass/
    for (const body of [
      `ult r2.x, r3.x, l(32)\nif_nz r2.x\n${STORE}${load(4)}endif`,
      `ult r2.x, r3.x, l(32)\nretc_nz r2.x\n${STORE}${load(4)}`,
    ]) {
      const notes = await advice(body)
      expect(notes).toHaveLength(1)
      expect(notes[0]).toMatch(split)
    }
  })

  it('inside a loop on a condition', async () => {
    const loop = `mov r2.y, l(0)\nloop\nuge r2.x, r2.y, l(1)\nbreakc_nz r2.x\n${STORE}${load(4)}iadd r2.y, r2.y, l(1)\nendloop`
    expect(await advice(loop)).toEqual([
      `${before} 7: ld_raw r1.x, r0.x, g0.xxxx would order them, if all threads of the group run every iteration`,
    ])
  })

  it('at the end of a loop, where accesses of different iterations race', async () => {
    const loop = `mov r2.y, l(0)\nloop\nuge r2.x, r2.y, l(2)\nbreakc_nz r2.x\n${STORE}sync_g_t\n${load(4)}iadd r2.y, r2.y, l(1)\nendloop`
    const notes = [
      'the accesses are of different iterations of the loop',
      `${before} 10: endloop would order them, if all threads of the group run every iteration`,
    ]
    expect(await advice(loop)).toEqual(notes)
    expect(foundIn(await run(loop))).toEqual(['check-race@5'])
    // In a loop that not all threads enter no barrier fits, at its end neither.
    const branch = await advice(`ult r2.x, r3.x, l(32)\nif_nz r2.x\n${loop}\nendif`)
    expect(branch).toEqual([notes[0], expect.stringMatching(/^not all threads of the group may pass/)])
  })
})

describe('groups that meet at an atomic', () => {
  const lastGroup = (fence: string): string => `if_z vThreadIDInGroupFlattened.x
ishl r0.x, vThreadGroupID.x, l(2)
store_raw u0.x, r0.x, l(5)
${fence}
imm_atomic_iadd r0.y, u0, l(64), l(1)
ieq r0.y, r0.y, l(1)
if_nz r0.y
ld_raw r1.x, l(0), u0.xxxx
store_raw u0.x, l(128), r1.x
endif
endif`
  it('without a fence: the store, the atomic and the fence are named, and no barrier', async () => {
    const text = (fence: string) =>
      program(lastGroup(fence))
        .replace('dcl_uav_raw u0', 'dcl_uav_raw_glc u0')
        .replace('dcl_temps', 'dcl_input vThreadGroupID.x\ndcl_temps')
    const check = (fence: string) =>
      checkText(text(fence), { u0: rawUav(256) }, { detectors: ['races'], groups: [2, 1, 1] })
    expect(foundIn(await check('sync_uglobal'))).toEqual([])
    const [race] = (await check('nop')).findings
    expect(race).toMatchObject({
      code: 'check-race-across-groups',
      other: { instruction: 3 },
      site: { instruction: 8 },
    })
    expect(race!.related).toMatchObject([{ instruction: 5, label: 'the atomic by which the groups meet' }])
    expect(race!.notes.join('\n')).toContain('put a fence (DeviceMemoryBarrier, sync_uglobal)')
    expect(race!.notes.join('\n')).not.toContain('WithGroupSync')
  })
})
