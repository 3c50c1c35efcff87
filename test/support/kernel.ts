import { readdirSync, readFileSync } from 'node:fs'
import { type Kernel, type KernelDescription, kernelOf } from './kernel-run.ts'

export { canonicalLists, failedChecks, type Kernel, type KernelRun, outcomeOf, prepareKernel } from './kernel-run.ts'

/** The kernels as files; `kernel-run.ts` is what they mean. */
const FOLDER = new URL('../kernels/', import.meta.url)

export const KERNEL_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((f) => f.endsWith('.small.json'))
  .map((f) => f.slice(0, -'.small.json'.length))
  .sort()

/** A kernel with its small run, which has expected contents, or with the one for timing, which has none. */
export function readKernel(name: string, size: 'small' | 'large' = 'small'): Kernel {
  const file = size === 'small' ? `${name}.small.json` : `${name}.json`
  const description = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as KernelDescription
  return kernelOf(name, description, (path) => new Uint8Array(readFileSync(new URL(path, FOLDER))))
}
