/** The command line on a terminal: `script` of util-linux gives it one. */
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const KERNELS = join(ROOT, 'test/kernels')
const MAIN = ['--import', 'tsx', join(ROOT, 'apps/cli/main.ts')]
const ENV = { ...process.env, TERM: 'xterm', NO_COLOR: '1' }

interface OnTerminal {
  readonly text: string
  readonly status: number | null
}

/** Runs the command line on a terminal of 60 columns; `press` gives keys for what has been shown so far. */
function onTerminal(args: readonly string[], press: (text: string) => string | undefined): Promise<OnTerminal> {
  const quoted = [process.execPath, ...MAIN, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 60; exec ${quoted}`, '/dev/null'], { cwd: ROOT, env: ENV })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const keys = press(text)
    if (keys !== undefined) child.stdin.write(keys)
  })
  return new Promise((resolve) => child.on('close', (status) => resolve({ text, status })))
}

const CLEAR_LINE = '\r\u001b[K'

/** What stands on a terminal that was given a text: of each line what came after it was last cleared. */
const shown = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split(CLEAR_LINE).at(-1))
    .join('\n')

describe('on a terminal', () => {
  it('there is script of util-linux', () => {
    const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' })
    expect(stdout, 'install bsdutils (Debian) or util-linux').toContain('util-linux')
  })

  it('results of runs are as in a pipe, and nothing is left of the progress line', async () => {
    const jobs = ['copy', 'saxpy', 'scan'].map((name) => join(KERNELS, `${name}.small.json`))
    const { text, status } = await onTerminal(['run', ...jobs], () => undefined)
    const piped = spawnSync(process.execPath, [...MAIN, 'run', ...jobs], { cwd: ROOT, env: ENV, encoding: 'utf8' })
    const timeless = (s: string): string => s.replace(/, [\d.]+ ms/g, '')
    expect(text).toContain(`${CLEAR_LINE}[          ] 0/3 `)
    expect(text).toContain('2/3 ')
    expect(timeless(shown(text))).toBe(timeless(piped.stdout))
    expect([status, piped.status]).toEqual([0, 0])
  })

  it('Ctrl+C ends long work, and no setting of the terminal was changed', async () => {
    const jobs = ['raymarch', 'nbody'].map((name) => join(KERNELS, `${name}.json`))
    let isPressed = false
    const { text, status } = await onTerminal(['run', '--engine', 'reference', '--max-time', '0', ...jobs], (s) => {
      if (isPressed || !s.includes('0/2 ')) return undefined
      isPressed = true
      return '\u0003'
    })
    expect(status).toBe(130)
    expect(text).not.toContain('\u001b[?')
  })
})
