import { readFileSync } from 'node:fs'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { type JobHost, type JobReport, parseJob, runJobOn } from '../../src/job/index.ts'

const KERNELS = new URL('../kernels/', import.meta.url)

/** A host whose files are those of the kernels and the ones given; what is written is kept. */
export function memoryHost(
  files: Readonly<Record<string, Uint8Array>> = {},
): JobHost & { written: Map<string, Uint8Array> } {
  const written = new Map<string, Uint8Array>()
  return {
    written,
    readFile(path, { byteOffset, byteLength } = { byteOffset: 0 }) {
      const end = byteLength === undefined ? undefined : byteOffset + byteLength
      const own = Object.hasOwn(files, path) ? files[path] : undefined
      if (own !== undefined) return own.subarray(byteOffset, end)
      try {
        return new Uint8Array(readFileSync(new URL(path, KERNELS))).subarray(byteOffset, end)
      } catch {
        return { reason: 'there is no such file' }
      }
    },
    writeFile(path, bytes) {
      written.set(path, bytes)
      return undefined
    },
  }
}

/** Parses and runs a job on the reference engine. Errors of the description are a report without a run. */
export async function runDescription(job: unknown, host: JobHost = memoryHost()): Promise<JobReport> {
  const { value, diagnostics } = parseJob(job)
  if (value === undefined) return { name: '', engine: '', diagnostics }
  return runJobOn(value, host, createReferenceEngine({}))
}

/** A kernel's small description as data, for tests to change. */
export function kernelJob(
  name: string,
): { resources: Record<string, unknown>[]; check: Record<string, unknown>[] } & Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`${name}.small.json`, KERNELS), 'utf8'))
}
