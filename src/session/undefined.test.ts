import { expect, it } from 'vitest'
import { assemblyJob, sessionOf } from '../../test/support/sessions.ts'
import { type DebugSession, outputText, runCommand, scopesOf, shownValue } from './index.ts'

/** Odd threads write r1.xy and x0[1].z; of threads below 8 all store r2.x, which is r1.x + 1, to shared memory. */
const SHADER = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_tgsm_raw g0, 64
dcl_indexableTemp x0[4], 4
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
dcl_thread_group 40, 1, 1
and r0.y, vThreadIDInGroupFlattened.x, l(1)
if_nz r0.y
  mov r1.xy, l(1.0, 2.0, 0, 0)
  mov x0[r0.y].z, l(3.0)
endif
add r2.x, r1.x, l(1.0)
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
ult r0.z, vThreadIDInGroupFlattened.x, l(8)
if_nz r0.z
  store_raw g0.x, r0.x, r2.x
endif
sync_g_t
ld_raw r3.x, r0.x, g0.xxxx
store_raw u0.x, r0.x, r0.x
ret`

const session = (): Promise<DebugSession> =>
  sessionOf(assemblyJob(1, 256), { 'test.asm': new TextEncoder().encode(SHADER) })

async function said(own: DebugSession, ...lines: readonly string[]): Promise<string> {
  let last = ''
  for (const line of lines) {
    const { value, diagnostics } = await runCommand({ session: own, findings: [] }, line)
    last = value === undefined ? diagnostics[0]!.message : outputText(value.outputs)
  }
  return last
}

it('marks registers and their components that nothing has written, from either side', async () => {
  const own = await session()
  expect(await said(own, 'registers')).toMatch(/^ {2}r0 = \(0, 0, 0, 0\) {2}\(float4, never written\)$/m)
  // Thread 1 is odd: it has written r0.y, r1.xy and x0[1].z before the add.
  const before = await said(own, 'thread 1', 'until i5', 'registers')
  expect(before).toMatch(/^ {2}r0 = .* {2}\(float4, xzw never written\)$/m)
  expect(before).toMatch(/^ {2}r1 = .* {2}\(float4, zw never written\)$/m)
  expect(before).toMatch(/^ {4}\[1\] = \(0, 0, 3.0, 0\) {2}\(xyw never written\)$/m)
  expect(await said(own, 'print r1.xy')).toBe('r1.xy = (1.0, 2.0)  (register)')
  // Thread 2 is even: its r1.x was never written, and its r2.x depends on it.
  expect(await said(own, 'thread 2', 'stepi', 'print r1')).toBe('r1 = (0, 0, 0, 0)  (register, never written)')
  expect(await said(own, 'print r2.xy')).toBe('r2.xy = (1.0, 0)  (register, x undefined, y never written)')
  expect(await said(own, 'print r2.x@3')).toBe('r2.x@3 = 2.0  (register)')
  expect(await said(own, 'column r1.x')).toMatch(/ 32-39 +0 \(never written\)\n/)
  expect(await said(own, 'grid r1.x')).toMatch(
    / 0 +- +1\.0 +- +1\.0[\s\S]* {2}-: 24 threads, in which nothing has written it/,
  )
  await said(own, 'until i12')
  expect(await said(own, 'thread 1', 'back until i5', 'registers')).toBe(before)
})

it('marks words of memory', async () => {
  const own = await session()
  expect(await said(own, 'memory g 16')).toMatch(/never written: \+0x0 to \+0x3c$/)
  expect(await said(own, 'memory u0+0x98 8')).toMatch(/not written by the run so far: \+0x98 to \+0xb4$/)
  // Even threads below 8 have stored a value that depends on r1.x, which they never wrote.
  const shared = await said(own, 'until i12', 'memory g 16')
  expect(shared).toMatch(/; undefined: \+0x0, \+0x8, \+0x10, \+0x18; never written: \+0x20 to \+0x3c$/)
  expect(await said(own, 'stepi', 'column r3.x')).toMatch(/^ +0 .* \(undefined\)\n +1 .* 2\.0\n/m)
  // Threads 0 to 39 store a word each.
  expect(await said(own, 'go end', 'memory u0+0x98 8')).toMatch(/not written by the run so far: \+0xa0 to \+0xb4$/)
})

it('takes what the user writes for a value, and forgets it with the change', async () => {
  const own = await session()
  expect(await said(own, 'stepi', 'set r2.w = 7', 'print r2.zw')).toBe('r2.zw = (0, 7)  (register, z never written)')
  expect(await said(own, 'set g+0x4 = 1', 'memory g 4')).toMatch(/never written: \+0x0, \+0x8 to \+0xc$/)
  expect(await said(own, 'go start', 'go 1', 'print r2.w')).toBe('r2.w = 7  (register)')
  expect(await said(own, 'drop 0', 'print r2.w')).toBe('r2.w = 0  (register, never written)')
})

it('lets values be assigned with the words behind them', async () => {
  const own = await session()
  await said(own, 'stepi')
  await own.followUndefined()
  const registers = scopesOf(own.run, own.focus).find((s) => s.name === 'Registers')!.node
  const r2 = registers.children(0, 8).find((n) => n.name === 'r2')!
  expect(shownValue(r2)).toBe('(0, 0, 0, 0) (never written)')
  expect(r2.assign?.('(0, 1.5, 0, 0) (never written)')).toHaveLength(4)
})

it('says nothing of what takes longer than a look, until it is asked for', async () => {
  const own = await session()
  await own.goTo(12)
  expect(await own.followUndefined({}, 5)).toBe(false)
  expect(own.timeLine.undefinedMoment).toBeUndefined()
  expect(await own.followUndefined({}, 12)).toBe(true)
  await own.goTo(3)
  expect(own.timeLine.undefinedMoment).toBeDefined()
  expect(await said(own, 'undefined')).toMatch(/^ {2}r1 = .*never written\)$/m)
})
