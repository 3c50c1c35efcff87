import { Device } from '../../src/index.ts'
import { type Kernel, type KernelDescription, kernelOf } from '../support/kernel-run.ts'
import { differentialDigests, frameVerdicts, kernelReports, largeDigests, type Meeting, meet } from './cases.ts'

/** The browser's globals that this page uses; none of them is in the language's library. */
interface PageGlobals {
  readonly document?: object
  readonly crossOriginIsolated: boolean
  readonly postMessage: (message: unknown) => void
  readonly Worker: new (url: string, options: { readonly type: 'module' }) => PageWorker
  onmessage: ((event: { readonly data: Call }) => void) | null
  heddle: unknown
}
interface Call {
  readonly name: CaseName
  readonly args: readonly never[]
}

interface PageWorker {
  onmessage: ((event: { readonly data: { readonly value?: unknown; readonly error?: string } }) => void) | null
  postMessage(call: Call): void
  terminate(): void
}

const host = globalThis as unknown as PageGlobals

async function fetchBytes(name: string): Promise<Uint8Array> {
  const response = await fetch(`/kernels/${name}`)
  if (!response.ok) throw new Error(`${name}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** A kernel by its description, with all files that this names, fetched. */
async function fetchKernel(name: string, path: string): Promise<Kernel> {
  const text = new TextDecoder().decode(await fetchBytes(path))
  const description = JSON.parse(text) as KernelDescription
  const files = new Map<string, Uint8Array>()
  for (const file of [description.shader, ...description.check.map((c) => c.file)]) {
    if (file !== undefined) files.set(file, await fetchBytes(file))
  }
  return kernelOf(name, description, (file) => files.get(file)!)
}

/** Devices that stay until the driver has counted their workers. */
const kept: Device[] = []

async function meetOn(threads: number, attempts: number): Promise<Meeting> {
  const device = new Device({ engine: 'wasm', threads })
  kept.push(device)
  return meet(device, attempts)
}

function dispose(): void {
  for (const device of kept.splice(0)) device.dispose()
}

/** A call in a worker of this page, which may block as a page may not; its devices start workers of their own. */
function inWorker(name: CaseName, ...args: readonly never[]): Promise<unknown> {
  const worker = new host.Worker('/page.js', { type: 'module' })
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      worker.terminate()
      if (data.error === undefined) resolve(data.value)
      else reject(new Error(data.error))
    }
    worker.postMessage({ name, args })
  })
}

const CASES = {
  isIsolated: () => host.crossOriginIsolated,
  differential: differentialDigests,
  frames: frameVerdicts,
  kernels: async (names: readonly string[], threads: number) =>
    kernelReports(await Promise.all(names.map((name) => fetchKernel(name, `${name}.small.json`))), threads),
  largeKernels: async (names: readonly string[], threads: number) =>
    largeDigests(await Promise.all(names.map((name) => fetchKernel(name, `${name}.json`))), threads),
  meet: meetOn,
  dispose,
}
type CaseName = keyof typeof CASES

const call = (name: CaseName, args: readonly never[]): unknown =>
  (CASES[name] as (...args: never[]) => unknown)(...args)

if (host.document !== undefined) host.heddle = { ...CASES, inWorker }
else {
  // The same module started as a worker of the page answers calls by messages.
  host.onmessage = async ({ data }) => {
    try {
      host.postMessage({ value: await call(data.name, data.args) })
    } catch (e) {
      host.postMessage({ error: String(e) })
    }
  }
}
