import {
  aBoolean,
  aNumber,
  anything,
  aText,
  bytesExpected,
  checkArguments,
  failure,
  isRecord,
  type Outcome,
  oneOf,
  outcomeOf,
  showValue,
} from '../diagnostic/index.ts'
import { type Buffer, isCount } from './buffer.ts'
import { type BufferViewOptions, bufferRange, makeCounter, type UavCounterOptions } from './buffer-view.ts'
import { allocateStorage, bytesOf, heapMemory, type InitialData, type Memory } from './memory.ts'
import type { Texture } from './texture.ts'
import { type TextureSrvOptions, type TextureUavOptions, textureSrv, textureUav } from './texture-view.ts'
import type { Cbv, Srv, Uav } from './view.ts'
import { fail } from './view-failure.ts'

/** Which bytes of a buffer a constant buffer view shows. A shader reads at most 4096 constants of 16 bytes. */
export interface CbvOptions {
  /** First byte, a multiple of 16. Default 0. */
  readonly byteOffset?: number | undefined
  /** Bytes bound; default all that follow. */
  readonly byteLength?: number | undefined
  /** Where plain data is copied to; default the heap. */
  readonly memory?: Memory | undefined
}

/** Constants of 16 bytes that a shader can see of one constant buffer (functional spec 5.3.4.3). */
const MAX_CONSTANT_COUNT = 4096

/** Whether it is a resource at all: callers without types give anything. */
export function notAResource(given: unknown): Outcome<never> | undefined {
  const isResource = isRecord(given) && (given.kind === 'buffer' || given.kind === 'texture') && isRecord(given.storage)
  if (isResource) return undefined
  return fail('machine-view-kind', `A view needs a buffer or a texture; ${showValue(given)} was given.`)
}

const BUFFER_OPTIONS = {
  format: anything,
  raw: aBoolean,
  stride: aNumber,
  firstElement: aNumber,
  elementCount: aNumber,
}
const SRV_OPTIONS = {
  buffer: BUFFER_OPTIONS,
  texture: {
    ...{ format: anything, dimension: aText, mostDetailedMip: aNumber, mipLevels: aNumber },
    ...{ firstArraySlice: aNumber, arraySize: aNumber },
  },
}
const UAV_OPTIONS = {
  buffer: { ...BUFFER_OPTIONS, counter: oneOf('counter', 'append'), initialCount: aNumber, memory: anything },
  texture: {
    format: anything,
    dimension: aText,
    mipSlice: aNumber,
    firstArraySlice: aNumber,
    arraySize: aNumber,
  },
}
const CBV_OPTIONS = { byteOffset: aNumber, byteLength: aNumber, memory: anything }

/** What is wrong with the arguments of a view, as an outcome; undefined where nothing is. */
function wrongArguments(
  resource: Buffer | Texture,
  options: unknown,
  known: typeof SRV_OPTIONS | typeof UAV_OPTIONS,
): Outcome<never> | undefined {
  const wrong = notAResource(resource)
  if (wrong !== undefined) return wrong
  const diagnostics = checkArguments('machine-argument', `a view of a ${resource.kind}`, options, known[resource.kind])
  return diagnostics.length > 0 ? failure(diagnostics) : undefined
}

/** A shader resource view of a buffer (typed, raw or structured) or a texture. */
export function createSrv(resource: Buffer, options?: BufferViewOptions): Outcome<Srv>
export function createSrv(resource: Texture, options?: TextureSrvOptions): Outcome<Srv>
export function createSrv(resource: Buffer | Texture, options?: BufferViewOptions & TextureSrvOptions): Outcome<Srv>
export function createSrv(
  resource: Buffer | Texture,
  options: BufferViewOptions & TextureSrvOptions = {},
): Outcome<Srv> {
  const wrong = wrongArguments(resource, options, SRV_OPTIONS)
  if (wrong !== undefined) return wrong
  if (resource.kind === 'texture') return textureSrv(resource, options)
  const range = bufferRange(resource, options, 'srv')
  if (range.value === undefined) return failure(range.diagnostics)
  return outcomeOf({ kind: 'srv', ...range.value }, range.diagnostics)
}

/** An unordered access view of a buffer (typed, raw or structured, with a counter if chosen) or of one mip of a texture. */
export function createUav(resource: Buffer, options?: BufferViewOptions & UavCounterOptions): Outcome<Uav>
export function createUav(resource: Texture, options?: TextureUavOptions): Outcome<Uav>
export function createUav(
  resource: Buffer | Texture,
  options?: BufferViewOptions & UavCounterOptions & TextureUavOptions,
): Outcome<Uav>
export function createUav(
  resource: Buffer | Texture,
  options: BufferViewOptions & UavCounterOptions & TextureUavOptions = {},
): Outcome<Uav> {
  const wrong = wrongArguments(resource, options, UAV_OPTIONS)
  if (wrong !== undefined) return wrong
  if (resource.kind === 'texture') return textureUav(resource, options)
  const range = bufferRange(resource, options, 'uav')
  if (range.value === undefined) return failure(range.diagnostics)
  if (options.counter === undefined) return outcomeOf({ kind: 'uav', ...range.value })
  if (range.value.shape !== 'structured') {
    return fail('machine-view-kind', `Only a structured view has a hidden counter; this one is ${range.value.shape}.`)
  }
  const counter = makeCounter(resource, options)
  if (counter.value === undefined) return failure(counter.diagnostics)
  return outcomeOf({ kind: 'uav', ...range.value, counter: counter.value })
}

function isConstantSource(source: unknown): source is Buffer | InitialData {
  return (
    bytesExpected(source) === undefined || (isRecord(source) && source.kind === 'buffer' && isRecord(source.storage))
  )
}

/** A constant buffer view of a buffer, or of plain data, which is copied. */
export function createCbv(source: Buffer | InitialData, options: CbvOptions = {}): Outcome<Cbv> {
  if (!isConstantSource(source)) {
    const text = `A constant buffer needs a buffer, an ArrayBuffer or a typed array; ${showValue(source)} was given.`
    return fail('machine-view-kind', text)
  }
  const wrong = checkArguments('machine-argument', 'a constant buffer', options, CBV_OPTIONS)
  if (wrong.length > 0) return failure(wrong)
  let storage = 'kind' in source ? source.storage : undefined
  if (storage === undefined) {
    const data = bytesOf(source as InitialData)
    const made = allocateStorage(options.memory ?? heapMemory(), data.byteLength, 'The constant buffer')
    if (made.value === undefined) return failure(made.diagnostics)
    made.value.bytes.set(data)
    storage = made.value
  }
  const byteOffset = options.byteOffset ?? 0
  if (!isCount(byteOffset) || byteOffset % 16 !== 0) {
    return fail(
      'machine-view-range',
      `A constant buffer is bound from byte ${byteOffset}; it must be a multiple of 16.`,
    )
  }
  const requested = options.byteLength ?? Math.max(0, storage.byteLength - byteOffset)
  if (!isCount(requested)) return fail('machine-view-range', `A constant buffer of ${requested} bytes was requested.`)
  // Constants that fall off the resource read 0 (5.3.4.3.2), so a range that does is legal.
  const byteLength = Math.max(0, Math.min(requested, storage.byteLength - byteOffset, MAX_CONSTANT_COUNT * 16))
  const constantCount = Math.min(MAX_CONSTANT_COUNT, Math.ceil(byteLength / 16))
  return outcomeOf({ kind: 'cbv', storage, byteOffset, byteLength, constantCount })
}
