import { expect, it } from 'vitest'
import { assemblyJob, sessionOf } from '../../test/support/sessions.ts'
import { type DebugSession, runCommand } from './index.ts'

const SHADER = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_constantbuffer CB2[4], immediateIndexed
dcl_indexableTemp x0[8], 4
dcl_indexableTemp x3[2], 4
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
mov x0[r0.x + 1].x, r0.x
mov r1.xy, cb2[1].xyxx
store_raw u0.x, r0.x, r0.x
ret`

const session = (): Promise<DebugSession> =>
  sessionOf({ ...assemblyJob(), unbound: ['b2'] }, { 'test.asm': new TextEncoder().encode(SHADER) })

async function said(session: DebugSession, line: string): Promise<string> {
  const { value, diagnostics } = await runCommand({ session, findings: [] }, line)
  return value === undefined ? diagnostics[0]!.message : 'set'
}

it('refuses conditions on registers that the shader does not declare when they are set', async () => {
  const own = await session()
  for (const [condition, fault] of [
    ['r99.x > 1', 'the shader declares no r99 (column 1); it has r0-1'],
    ['r0.x > 1 && asint(r2.y) == 3', 'the shader declares no r2 (column 19); it has r0-1'],
    ['x1[0].x', 'the shader declares no x1[0] (column 1); it has x0[0-7], x3[0-1]'],
    ['x0[8].x', 'the shader declares no x0[8] (column 1); it has x0[0-7], x3[0-1]'],
    ['x0[asint(r7.x)].x', 'the shader declares no r7 (column 10); it has r0-1'],
    ['o0.x', 'the shader declares no o0 (column 1); it has no register o#'],
    ['cb5[0].x == 1.0', 'the shader declares no cb5[0] (column 1); it has cb2'],
    ['max(r3.x@*) > 1', 'the shader declares no r3 (column 5); it has r0-1'],
    ['1 + missing', 'there is no variable or register missing here (column 5)'],
  ] as const) {
    expect(await said(own, `break i3 if ${condition}`)).toBe(`the condition ${condition} cannot be evaluated: ${fault}`)
    expect(await said(own, `watch u0 if ${condition}`)).toContain(fault)
  }
  expect(await said(own, 'break i3 log r0 is {r0.x}, r9 {r9.x}')).toBe(
    'the logged expression r9.x cannot be evaluated: the shader declares no r9 (column 1); it has r0-1',
  )
  expect(own.breakpoints).toEqual([])
  expect(await said(own, 'break i3')).toBe('set')
  expect(await said(own, 'condition 1 r99.x')).toMatch(/no r99/)
})

it('takes conditions on everything that can be read somewhere', async () => {
  const own = await session()
  for (const condition of [
    ...['$r1.w', 'x0[7].x', 'x0[asint(r0.x)].x', 'cb2[3].x', 'vThreadID.x == 3', 'vThreadGroupID.y'],
    ...['vThreadIDInGroupFlattened.x', 'r0.x@3 == 1.0'],
  ]) {
    expect(await said(own, `break i3 if ${condition}`), condition).toBe('set')
  }
})

it('shows constants without names by what their bits look like', async () => {
  const bytes = new TextEncoder().encode(SHADER)
  const b2 = { slot: 'b2', kind: 'cbuffer', size: 64, init: { kind: 'words', data: [16, 1065353216, 0, 0] } }
  const job = assemblyJob()
  const own = await sessionOf({ ...job, resources: [...(job.resources as object[]), b2] }, { 'test.asm': bytes })
  expect(own.evaluate('cb2[0]').value?.node.value).toBe('(16, 1.0, 0, 0)')
  expect(own.evaluate('asint(cb2[0].x) + 1').value?.node.value).toBe('17')
})
