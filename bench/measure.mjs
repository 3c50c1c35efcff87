import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Milliseconds of `runs` calls after `warmups`, each run of `work` timed by itself. */
export function timings(work, runs = 7, warmups = 2) {
  for (let i = 0; i < warmups; i++) work()
  return Array.from({ length: runs }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
}

/** Every file below a folder of test/ with this ending, as bytes. */
export function filesBelow(folder, ending) {
  const root = fileURLToPath(new URL(`../test/${folder}/`, import.meta.url))
  const paths = readdirSync(root, { recursive: true })
    .filter((p) => p.endsWith(ending))
    .sort()
  if (paths.length === 0) throw new Error(`no ${ending} below test/${folder}`)
  return paths.map((p) => ({ path: join(root, p), bytes: new Uint8Array(readFileSync(join(root, p))) }))
}
