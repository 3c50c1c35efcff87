import { describe, expect, it } from 'vitest'
import { checkDescription } from '../../src/host/check.ts'
import { runFrame } from '../../src/host/job.ts'
import { NO_FILES } from '../../src/job/index.ts'

/** Frames without a draw that take seconds: they end at their limit of time, and the host can cancel them. */

const frame = (format: string, size: number, mipLevels: number, commands: readonly object[]) => ({
  version: 2,
  resources: { t: { kind: 'texture2d', format, width: size, height: size, mipLevels } },
  commands,
})
/** Five seconds of one command on one thread. */
const MIPS = frame('R8G8B8A8_UNORM', 8192, 14, [{ generateMips: 't' }])
/** Ten seconds of commands of a few milliseconds. */
const CLEARS = frame(
  'R32G32B32A32_FLOAT',
  1024,
  1,
  Array.from({ length: 3000 }, () => ({ clear: 't', color: [1, 0, 1, 0] })),
)

function canceledSoon(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 20)
  return controller.signal
}

describe.each([
  ['mips of a large texture', MIPS],
  ['many clears', CLEARS],
])('%s', (_, description) => {
  it('stop when their time is up', { timeout: 60_000 }, async () => {
    const { run, diagnostics } = await runFrame(description, NO_FILES, { maxMilliseconds: 60, threads: 1 })
    expect(run?.stopped).toBe('time')
    expect(run!.milliseconds).toBeLessThan(2500)
    expect(diagnostics.map((d) => d.code)).toEqual(['pipeline-budget'])
  })

  it('stop when a task of the host cancels them', { timeout: 60_000 }, async () => {
    const { run } = await runFrame(description, NO_FILES, { signal: canceledSoon(), threads: 1 })
    expect(run?.stopped).toBe('canceled')
    expect(run!.milliseconds).toBeLessThan(2500)
  })

  it('stop under the checker', { timeout: 60_000 }, async () => {
    const report = await checkDescription(description, NO_FILES, { signal: canceledSoon() })
    expect(report.partial).toBe('canceled')
  })
})
