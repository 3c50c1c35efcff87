import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of the package that this file belongs to. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url))

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

/** Least milliseconds of the processor of several calls, as far as other programs can be kept out of it. */
export async function leastProcessorTime(work, runs, leastMilliseconds) {
  let least = Number.POSITIVE_INFINITY
  const begin = performance.now()
  for (let i = 0; i < runs || performance.now() - begin < leastMilliseconds; i++) {
    const start = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Milliseconds of the processor that the thread of this process that began it has taken; of the clock where the system does not say. */
export function callingThreadMilliseconds() {
  const file = `/proc/self/task/${process.pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : performance.now()
}

/** Milliseconds of the processor of all threads of this process, the host's compilers and collectors included. */
export function allThreadsMilliseconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Imports built modules of a package's folder: the first of the paths that is there, because commits have moved files. */
export const builtFrom =
  (root) =>
  (...paths) => {
    const files = paths.map((p) => join(root, 'dist', `${p}.js`))
    const file = files.find((f) => existsSync(f))
    if (file === undefined) throw new Error(`there is no ${files.join(' and no ')}: npm run build makes it`)
    return import(pathToFileURL(file).href)
  }

/** Every file below a folder of test/ with this ending, as bytes. */
export function filesBelow(folder, ending, checkout = ROOT) {
  const root = join(checkout, 'test', folder)
  const paths = readdirSync(root, { recursive: true })
    .filter((p) => p.endsWith(ending))
    .sort()
  if (paths.length === 0) throw new Error(`no ${ending} below test/${folder}`)
  return paths.map((p) => ({ path: join(root, p), bytes: new Uint8Array(readFileSync(join(root, p))) }))
}
