import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { encodeMessage, MessageReader } from '../apps/dap/index.ts'
import { heddle } from './support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-debug-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const RACE = at('examples/check-missing-barrier/pick-best.job.json')

it('runs scripts: exit code 1 where an expectation does not hold', async () => {
  const good = await heddle('debug', RACE, '--script', at('examples/debugging/race.heddle'))
  expect([good.status, good.stderr]).toEqual([0, ''])
  expect(good.stdout).toContain('all as expected')
  const script = join(folder, 'wrong.heddle')
  writeFileSync(script, 'stepi\nexpect instruction 5\n')
  const bad = await heddle('debug', RACE, '-q', '--script', script)
  expect(bad.status).toBe(1)
  expect(bad.stderr).toContain('wrong.heddle:2:1: error: instruction is 1, expected 5')
})

it('refuses what cannot be debugged with exit code 2', async () => {
  const draw = await heddle(
    'debug',
    at('examples/drawing/msaa.job.json'),
    '--script',
    at('examples/debugging/race.heddle'),
  )
  expect([draw.status, draw.stderr]).toEqual([2, expect.stringContaining('session-frame')])
  expect((await heddle('debug', join(folder, 'none.job.json'))).status).toBe(2)
  expect((await heddle('dap', '--port', 'many')).status).toBe(2)
})

it('prints with findings how the debugger is opened there, and their history', async () => {
  const { stdout } = await heddle('check', RACE, '--trace')
  expect(stdout).toContain(`debug: heddle debug ${RACE} --finding check-race@15`)
  expect(stdout).toContain('history of g+0x80 [check-race] instruction 15')
  expect(stdout).toContain('<- here')
})

it('serves the debug adapter protocol on standard input and output', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', at('apps/cli/main.ts'), 'dap'], { cwd: at('.') })
  const stopped = new Promise<unknown>((done) => {
    const reader = new MessageReader((m) => {
      if ((m as { event?: string }).event === 'stopped') done(m)
    })
    child.stdout.on('data', (bytes: Buffer) => reader.push(bytes))
  })
  const requests = [
    ['initialize', { adapterID: 'test' }],
    ['launch', { program: RACE, finding: 'check-race@15' }],
    ['configurationDone', {}],
  ] as const
  for (const [i, [command, args]] of requests.entries()) {
    child.stdin.write(encodeMessage({ seq: i + 1, type: 'request', command, arguments: args }))
  }
  expect(await stopped).toMatchObject({ body: { reason: 'entry', threadId: 1 } })
  const ended = new Promise<number | null>((done) => child.on('exit', done))
  child.stdin.end()
  expect(await ended).toBe(0)
})
