/** The progress bar of long work, where standard error is a terminal. */
import type { SingleBar } from 'cli-progress'

/** Loaded only when it is needed: short work should start at once. */
export async function progressBar(total: number, least: number): Promise<SingleBar | undefined> {
  if (total < least || process.stderr.isTTY !== true) return undefined
  const { SingleBar } = (await import('cli-progress')).default
  const bar = new SingleBar({ format: '{bar} {value}/{total} {file}', clearOnComplete: true, stream: process.stderr })
  bar.start(total, 0, { file: '' })
  return bar
}
