import { WORKER_SOURCE } from './source.ts'

/** Starts workers on the host at hand; the pool calls it. */

/** What a worker is given. */
interface WorkerData {
  readonly memory: unknown
  /** Byte offset of the control block. */
  readonly control: number
  readonly index: number
  /** URL of the module for shared work; undefined where there is none. */
  readonly module: string | undefined
  /** The host packs pairs of vectors of what it compiles. */
  readonly packsPairs: boolean
}

export interface SpawnedWorker {
  terminate(): void
  /** Whether it is known to have ended though this thread has not yielded: `file` is the number that it left in its mailbox, from 1 on. */
  hasEnded(file: number): boolean
}

interface NodeWorker {
  unref(): void
  terminate(): unknown
  on(event: 'error' | 'exit', listener: () => void): void
}
interface NodeWorkerThreads {
  readonly Worker: new (
    source: string,
    options: { eval: true; workerData: WorkerData; execArgv: string[] },
  ) => NodeWorker
}
interface NodeFiles {
  fstatSync(file: number): unknown
}
interface BrowserWorker {
  onerror: (() => void) | null
  postMessage(data: WorkerData): void
  terminate(): void
}

/** The parts of the host's globals that starting workers takes; none of them is in the language's library. */
interface HostGlobals {
  readonly process?: { getBuiltinModule?: (name: string) => unknown }
  readonly navigator?: { readonly hardwareConcurrency?: number }
  readonly Worker?: new (url: string) => BrowserWorker
  readonly Blob?: new (parts: string[], options: { type: string }) => object
  readonly URL?: { createObjectURL(blob: object): string; revokeObjectURL(url: string): void }
  readonly crossOriginIsolated?: boolean
}

/**
 * A thread that waits for a worker hears no event of its end. Node closes the files that a worker opened once none of its code runs any
 * more, however it ended; so each opens one, which does nothing else.
 */
const OPENS_FILE = `
const openFile = () => {
  try {
    return require('node:fs').openSync(require('node:os').devNull)
  } catch {
    return -1
  }
}`

function isClosed(files: NodeFiles, file: number): boolean {
  try {
    files.fstatSync(file)
    return false
  } catch (e) {
    return (e as { code?: string }).code === 'EBADF'
  }
}

function spawnNode(
  threads: NodeWorkerThreads,
  files: NodeFiles | undefined,
  data: WorkerData,
  onFailure: () => void,
): SpawnedWorker {
  const source = `${WORKER_SOURCE}${OPENS_FILE}\nserve({ ...require('node:worker_threads').workerData, file: openFile() })`
  // What the program has loaded before it starts is not for workers: it can take them longer than all they have to run.
  const worker = new threads.Worker(source, { eval: true, workerData: data, execArgv: [] })
  // A program that is done may end although workers wait for more.
  worker.unref()
  // An error ends it too, and is heard first; nothing else may be done with it.
  worker.on('error', () => undefined)
  worker.on('exit', onFailure)
  const hasEnded = (file: number): boolean => files !== undefined && file > 0 && isClosed(files, file - 1)
  return { terminate: () => void worker.terminate(), hasEnded }
}

function spawnBrowser(host: HostGlobals, data: WorkerData, onFailure: () => void): SpawnedWorker | undefined {
  const { Worker, Blob, URL } = host
  if (Worker === undefined || Blob === undefined || URL === undefined) return undefined
  const source = `${WORKER_SOURCE}\nonmessage = (e) => serve(e.data)`
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  try {
    const worker = new Worker(url)
    // A content security policy without blobs for workers is heard of here, or by an exception.
    worker.onerror = onFailure
    worker.postMessage(data)
    return { terminate: () => worker.terminate(), hasEnded: () => false }
  } catch {
    return undefined
  } finally {
    URL.revokeObjectURL(url)
  }
}

/**
 * Starts a worker of the host; undefined where that cannot be. `onFailure` is called where the host finds out later, when
 * this thread has yielded.
 */
export function spawnWorker(data: WorkerData, onFailure: () => void): SpawnedWorker | undefined {
  const host = globalThis as HostGlobals
  const builtin = <T>(name: string): T | undefined => host.process?.getBuiltinModule?.(name) as T | undefined
  const threads = builtin<NodeWorkerThreads>('node:worker_threads')
  if (threads === undefined) return spawnBrowser(host, data, onFailure)
  return spawnNode(threads, builtin<NodeFiles>('node:fs'), data, onFailure)
}

/** Why the host has no workers that can share memory; undefined where it has. */
export function obstacleToWorkers(): string | undefined {
  const host = globalThis as HostGlobals
  if (host.process?.getBuiltinModule?.('node:worker_threads') !== undefined) return undefined
  if (host.Worker === undefined) return 'the host has no workers'
  // Browsers let memory reach other threads in cross-origin isolated pages only.
  return host.crossOriginIsolated === true ? undefined : 'the page is not cross-origin isolated'
}

/** Threads that the host runs at once, as far as it says. */
export function hostThreads(): number {
  const host = globalThis as HostGlobals
  const os = host.process?.getBuiltinModule?.('node:os') as { availableParallelism(): number } | undefined
  return Math.max(1, os?.availableParallelism() ?? host.navigator?.hardwareConcurrency ?? 1)
}

/** Whether this thread may block: the main thread of a page may not. */
export function mayBlock(): boolean {
  const host = globalThis as HostGlobals & { readonly document?: unknown }
  return host.document === undefined
}
