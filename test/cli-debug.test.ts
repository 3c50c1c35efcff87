import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  const script = at('examples/debugging/wrong-pixel.heddle')
  const clear = await heddle(
    'debug',
    at('examples/debugging/wrong-pixel.job.json'),
    '--command',
    '0',
    '--script',
    script,
  )
  expect([clear.status, clear.stderr]).toEqual([2, expect.stringContaining('session-frame')])
  expect(clear.stderr).toContain('2 (draw directions)')
  expect((await heddle('debug', join(folder, 'none.job.json'))).status).toBe(2)
  expect((await heddle('dap', '--port', 'many')).status).toBe(2)
})

it('prints with findings how the debugger is opened there, and their history', async () => {
  const { stdout } = await heddle('check', RACE, '--trace')
  expect(stdout).toContain(`debug: heddle debug ${RACE} --finding check-race@15`)
  expect(stdout).toContain('history of g+0x80 [check-race] instruction 15')
  expect(stdout).toContain('<- here')
})

it('opens draws at findings, and at one pixel alone where not all can be kept', async () => {
  const PIXEL = at('examples/debugging/wrong-pixel.job.json')
  const script = join(folder, 'stages.heddle')
  // One pixel is a quad for each of the two triangles that are not hidden.
  writeFileSync(
    script,
    'pixel 7,7\nfragment 1\nexpect invocation pixel (7, 7) of primitive 1\nstages\nexpect output pixel             8\n',
  )
  const one = await heddle('debug', PIXEL, '--pixel', '7,7', '--script', script)
  expect([one.status, one.stderr]).toEqual([0, ''])
  expect((await heddle('debug', PIXEL, '--pixel', 'seven', '--script', script)).status).toBe(2)
  const source = (name: string): string => readFileSync(at(`examples/debugging/wrong-pixel.${name}`), 'utf8')
  writeFileSync(join(folder, 'wrong-pixel.vs.asm'), source('vs.asm'))
  writeFileSync(join(folder, 'wrong-pixel.ps.asm'), source('ps.asm').replace('rsq r0.x, r0.x', 'mov r0.x, r0.y'))
  writeFileSync(join(folder, 'draw.job.json'), source('job.json'))
  const { stdout } = await heddle('check', join(folder, 'draw.job.json'))
  const command = /debug: heddle (debug .*)/.exec(stdout)![1]!.split(' ')
  expect(command.slice(2)).toEqual([
    '--command',
    '2',
    '--finding',
    expect.stringMatching(/^check-uninitialized-temp@pixel:\d$/),
  ])
  writeFileSync(script, 'expect stage pixel\n')
  const there = await heddle(...command, '--script', script)
  expect([there.status, there.stderr]).toEqual([0, ''])
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
