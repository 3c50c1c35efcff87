import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findCodeChunk, readDxbcOrThrow } from '../../src/dxbc/index.ts'
import {
  type Bound,
  type Buffer,
  type BufferOptions,
  counterValue,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type Texture,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { decodeProgramOrThrow, type Program } from '../../src/program/index.ts'

/**
 * The kernels of `test/kernels` as their README describes them: an independent reading of the run descriptions, so that
 * the engines are not judged by code that the command line shares. Knows nothing of files, so that pages can run it.
 */

interface Init {
  readonly kind: 'zero' | 'fill-u32' | 'lcg-u32' | 'lcg-f32'
  readonly value?: number
  readonly seed?: number
  readonly lo?: number
  readonly hi?: number
}
interface Resource {
  readonly slot: string
  readonly kind: 'structured' | 'raw' | 'typed' | 'texture2d' | 'cbuffer' | 'sampler'
  readonly stride?: number
  readonly size?: number
  readonly format?: string
  readonly width?: number
  readonly height?: number
  readonly counter?: number
  readonly words?: readonly number[]
  readonly filter?: string
  readonly address?: string
  readonly init?: Init
}
interface Check {
  readonly slot: string
  readonly compare: 'exact' | 'f32' | 'u8' | 'lists'
  /** What must be there; absent in runs for timing. */
  readonly file?: string
  readonly abs?: number
  readonly rel?: number
  readonly outliers?: number
  readonly heads?: string
  readonly nodes?: string
  readonly stride?: number
  readonly counter?: number
}
export interface KernelDescription {
  readonly name: string
  readonly shader: string
  readonly dispatch: readonly [number, number, number]
  readonly resources: readonly Resource[]
  readonly check: readonly Check[]
}

export interface Kernel {
  readonly name: string
  readonly program: Program
  readonly dispatch: readonly [number, number, number]
  readonly description: KernelDescription
  /** The files that the description names. */
  readonly file: (name: string) => Uint8Array
}

export interface KernelRun {
  readonly bindings: Readonly<Record<string, Bound>>
  readonly resources: ReadonlyMap<string, Buffer | Texture>
}

/** What makes the resources of a run: a device, or the heap. */
export interface ResourceMaker {
  createBuffer(options: Omit<BufferOptions, 'memory'>): Buffer
  createTexture(options: Omit<TextureOptions, 'memory'>): Texture
}

const HEAP: ResourceMaker = {
  createBuffer: (options) => valueOrThrow(createBuffer(options)),
  createTexture: (options) => valueOrThrow(createTexture(options)),
}

/** A kernel from its run description (`<name>.small.json`) and whatever gives the files that it names. */
export function kernelOf(name: string, description: KernelDescription, file: Kernel['file']): Kernel {
  const program = decodeProgramOrThrow(findCodeChunk(readDxbcOrThrow(file(description.shader)))!.data)
  return { name, program, dispatch: description.dispatch, description, file }
}

function initialWords(init: Init, byteLength: number): Uint8Array {
  const f = Math.fround
  const words = new Uint32Array(byteLength / 4)
  const floats = new Float32Array(words.buffer)
  let x = init.seed ?? 0
  for (let i = 0; i < words.length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    if (init.kind === 'fill-u32') words[i] = init.value!
    if (init.kind === 'lcg-u32') words[i] = x
    if (init.kind === 'lcg-f32') floats[i] = f(f(init.lo!) + f(f((x >>> 8) / 16777216) * f(f(init.hi!) - f(init.lo!))))
  }
  return new Uint8Array(words.buffer)
}

function makeResource(r: Resource, maker: ResourceMaker): Buffer | Texture {
  if (r.kind === 'texture2d') {
    const { format, width, height } = r
    const options = { dimension: 'texture2d', format: format!, width: width!, height: height! } as const
    const texture = maker.createTexture(options)
    texture.storage.bytes.set(initialWords(r.init!, texture.byteLength))
    return texture
  }
  const stride = r.kind === 'structured' ? { stride: r.stride! } : {}
  return maker.createBuffer({ data: initialWords(r.init!, r.size!), ...stride })
}

function makeView(r: Resource, resource: Buffer | Texture): Bound {
  const uav = r.slot.startsWith('u')
  if (resource.kind === 'texture') return uav ? valueOrThrow(createUav(resource)) : valueOrThrow(createSrv(resource))
  const shape = r.kind === 'typed' ? { format: r.format! } : r.kind === 'raw' ? { raw: true } : {}
  if (!uav) return valueOrThrow(createSrv(resource, shape))
  const counter = r.counter === undefined ? {} : { counter: 'counter' as const, initialCount: r.counter }
  return valueOrThrow(createUav(resource, { ...shape, ...counter }))
}

/** Fresh resources for one dispatch. */
export function prepareKernel(kernel: Kernel, maker: ResourceMaker = HEAP): KernelRun {
  const bindings: Record<string, Bound> = {}
  const resources = new Map<string, Buffer | Texture>()
  for (const r of kernel.description.resources) {
    if (r.kind === 'cbuffer') {
      const words = new Uint32Array(Math.ceil(r.words!.length / 4) * 4)
      words.set(r.words!)
      bindings[r.slot] = valueOrThrow(createCbv(words))
    } else if (r.kind === 'sampler') {
      bindings[r.slot] = valueOrThrow(createSampler({ filter: r.filter!, address: r.address! }))
    } else {
      const resource = makeResource(r, maker)
      resources.set(r.slot, resource)
      bindings[r.slot] = makeView(r, resource)
    }
  }
  return { bindings, resources }
}

function bytesOf(run: KernelRun, slot: string): Uint8Array {
  return run.resources.get(slot)!.storage.bytes
}

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer)

/** For each head the length of its list, then the list's pairs sorted: independent of the order of execution. */
export function canonicalLists(heads: Uint32Array, nodes: Uint32Array, stride: number): Uint32Array {
  const out: number[] = []
  for (const head of heads) {
    const pairs: [number, number][] = []
    for (let at = head; at !== 0xffffffff; at = nodes[(at * stride) / 4]!) {
      pairs.push([nodes[(at * stride) / 4 + 1]!, nodes[(at * stride) / 4 + 2]!])
    }
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])
    out.push(pairs.length, ...pairs.flat())
  }
  return Uint32Array.from(out)
}

function differing(kernel: Kernel, c: Check, run: KernelRun): { readonly wrong: number; readonly count: number } {
  const want = kernel.file(c.file!)
  const count = (got: ArrayLike<number>, wanted: ArrayLike<number>, same: (a: number, b: number) => boolean) => {
    let wrong = got.length === wanted.length ? 0 : Number.POSITIVE_INFINITY
    for (let i = 0; i < wanted.length; i++) if (!same(got[i]!, wanted[i]!)) wrong++
    return { wrong, count: wanted.length }
  }
  const exactly = (a: number, b: number): boolean => a === b
  if (c.compare === 'lists') {
    const view = run.bindings[c.nodes!]!
    const counter = view.kind === 'uav' && 'counter' in view ? view.counter : undefined
    if (counter === undefined || counterValue(counter) !== c.counter) return { wrong: 1, count: 1 }
    const lists = canonicalLists(wordsOf(bytesOf(run, c.heads!)), wordsOf(bytesOf(run, c.nodes!)), c.stride!)
    return count(lists, wordsOf(want), exactly)
  }
  const got = bytesOf(run, c.slot)
  if (c.compare === 'u8') return count(got, want, (a, b) => Math.abs(a - b) <= c.abs!)
  if (c.compare === 'exact') return count(wordsOf(got), wordsOf(want), exactly)
  const floats = (b: Uint8Array): Float32Array => new Float32Array(b.slice().buffer)
  return count(floats(got), floats(want), (a, b) => Math.abs(a - b) <= c.abs! + c.rel! * Math.abs(b))
}

/** Every check that failed, in words; empty when the kernel gave what it must. */
export function failedChecks(kernel: Kernel, run: KernelRun): string[] {
  return kernel.description.check.flatMap((c) => {
    const { wrong, count } = differing(kernel, c, run)
    return wrong <= (c.outliers ?? 0) * count ? [] : [`${kernel.name} ${c.slot}: ${wrong} of ${count} differ`]
  })
}

/** What a run left behind in a form that does not depend on the order of execution. */
export function outcomeOf(kernel: Kernel, run: KernelRun): Record<string, Uint8Array> {
  const lists = kernel.description.check.find((c) => c.compare === 'lists')
  if (lists !== undefined) {
    const words = canonicalLists(
      wordsOf(bytesOf(run, lists.heads!)),
      wordsOf(bytesOf(run, lists.nodes!)),
      lists.stride!,
    )
    return { lists: new Uint8Array(words.buffer) }
  }
  const outputs = [...run.resources.keys()].filter((slot) => slot.startsWith('u'))
  return Object.fromEntries(outputs.map((slot) => [slot, bytesOf(run, slot).slice()]))
}
