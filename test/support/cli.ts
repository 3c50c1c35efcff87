import { vi } from 'vitest'
import { buildCli } from '../../apps/cli/program.ts'
import { runCli } from '../../apps/cli/run-cli.ts'

export interface CliResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `heddle ARGS` in this process: what it writes (bytes as Latin-1) and the exit code it sets. */
export async function heddle(...args: string[]): Promise<CliResult> {
  const texts = { stdout: '', stderr: '' }
  const catching = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      texts[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1')
      return true
    })
  const spies = [catching('stdout'), catching('stderr')]
  const before = process.exitCode
  process.exitCode = 0
  try {
    await runCli(buildCli(), ['node', 'heddle', ...args])
    return { status: Number(process.exitCode ?? 0), ...texts }
  } finally {
    process.exitCode = before
    for (const spy of spies) spy.mockRestore()
  }
}
