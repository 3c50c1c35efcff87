import { diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { type Buffer, isCount } from './buffer.ts'
import { allocateStorage, heapMemory, type Memory } from './memory.ts'
import { resolveFormat } from './texture.ts'
import type { Counter, CounterUse, RawBufferRange, StructuredBufferRange, TypedBufferRange } from './view.ts'
import { fail } from './view-failure.ts'

/** Range of a buffer view, and how the shader sees it. */
export interface BufferViewOptions {
  /** Makes it a typed view. */
  readonly format?: string | number | undefined
  /** Makes it a raw view (of bytes): D3D11_BUFFEREX_SRV_FLAG_RAW and D3D11_BUFFER_UAV_FLAG_RAW. */
  readonly raw?: boolean | undefined
  /** Makes it a structured view with this stride; the buffer's own stride when left out. */
  readonly stride?: number | undefined
  /** In elements: of the format, structures, or 4-byte words of a raw view. Default 0. */
  readonly firstElement?: number | undefined
  /** In the same elements. Default: all that follow. */
  readonly elementCount?: number | undefined
}

/** The hidden counter of a view of a structured buffer (D3D11_BUFFER_UAV_FLAG_COUNTER, _APPEND). */
export interface UavCounterOptions {
  /** 'counter' or 'append': gives a structured view a hidden counter. */
  readonly counter?: CounterUse | undefined
  /** Counter value at each dispatch and draw, 0 to 2^32-1; default 0 at the first and kept after. -1 keeps it. */
  readonly initialCount?: number | undefined
  /** Where the counter lies; default the heap, shared when the buffer is. */
  readonly memory?: Memory | undefined
}

interface ElementRange {
  readonly byteOffset: number
  readonly count: number
}

/** Elements of a size that a view takes from a buffer, checked against how many there are. */
export function elementRange(
  buffer: Buffer,
  o: BufferViewOptions,
  elementBytes: number,
  what: string,
): Outcome<ElementRange> {
  const available = Math.floor(buffer.byteLength / elementBytes)
  const first = o.firstElement ?? 0
  const count = o.elementCount ?? available - first
  if (!isCount(first) || !isCount(count) || count === 0 || first + count > available) {
    return fail(
      'machine-view-range',
      `A ${what} view of elements ${first} to ${first + count - 1} was requested of a buffer of ${buffer.byteLength} bytes, which holds ${available} elements of ${elementBytes} bytes.`,
    )
  }
  return outcomeOf({ byteOffset: first * elementBytes, count })
}

function typedRange(buffer: Buffer, o: BufferViewOptions, as: 'srv' | 'uav'): Outcome<TypedBufferRange> {
  const found = resolveFormat(o.format!)
  const format = found.value
  if (format === undefined) return failure(found.diagnostics)
  const { resources, typedUavStore } = format.capabilities
  if (resources.buffer === 'none' || format.result === 'none' || (as === 'uav' && typedUavStore === 'none')) {
    const what = as === 'uav' ? 'an unordered access' : 'a shader resource'
    return failure([diagnostic('machine-format-support', `${format.name} cannot be ${what} view of a buffer.`)])
  }
  const stride = format.blockByteLength
  const range = elementRange(buffer, o, stride, `typed (${format.name})`)
  if (range.value === undefined) return failure(range.diagnostics)
  const { byteOffset, count } = range.value
  return outcomeOf({
    shape: 'typed',
    resource: buffer,
    format,
    stride,
    byteOffset,
    byteLength: count * stride,
    elementCount: count,
    storage: buffer.storage,
  })
}

function rawRange(buffer: Buffer, o: BufferViewOptions): Outcome<RawBufferRange> {
  const range = elementRange(buffer, o, 4, 'raw')
  if (range.value === undefined) return failure(range.diagnostics)
  const { byteOffset, count } = range.value
  if (byteOffset % 16 !== 0) {
    // 5.3.9.2: the start of a raw view is 128-bit aligned.
    return fail('machine-view-range', `A raw view starts at byte ${byteOffset}; it must start at a multiple of 16.`)
  }
  return outcomeOf({
    shape: 'raw',
    resource: buffer,
    byteOffset,
    byteLength: count * 4,
    elementCount: count * 4,
    storage: buffer.storage,
  })
}

function structuredRange(buffer: Buffer, o: BufferViewOptions): Outcome<StructuredBufferRange> {
  const stride = o.stride ?? buffer.stride
  if (stride === undefined) {
    return fail(
      'machine-view-kind',
      'A view of a buffer without a stride needs a format, raw: true, or a stride of its own.',
    )
  }
  if (!isCount(stride) || stride === 0 || stride % 4 !== 0 || (buffer.stride ?? stride) !== stride) {
    const own = buffer.stride === undefined ? 'a multiple of 4' : `the buffer's own stride of ${buffer.stride}`
    return fail('machine-view-kind', `A structured view with a stride of ${stride} was requested; it must be ${own}.`)
  }
  const range = elementRange(buffer, o, stride, 'structured')
  if (range.value === undefined) return failure(range.diagnostics)
  const { byteOffset, count } = range.value
  return outcomeOf({
    shape: 'structured',
    resource: buffer,
    stride,
    byteOffset,
    byteLength: count * stride,
    elementCount: count,
    storage: buffer.storage,
  })
}

/** The range a buffer view shows, by the one way of seeing it that the options name. */
export function bufferRange(
  buffer: Buffer,
  o: BufferViewOptions,
  as: 'srv' | 'uav',
): Outcome<TypedBufferRange | RawBufferRange | StructuredBufferRange> {
  const kinds = [o.format !== undefined, o.raw === true, o.stride !== undefined].filter((x) => x).length
  if (kinds > 1)
    return fail('machine-view-kind', 'A buffer view is typed, raw or structured: give one of format, raw and stride.')
  if (o.format !== undefined) return typedRange(buffer, o, as)
  return o.raw === true ? rawRange(buffer, o) : structuredRange(buffer, o)
}

/** The hidden counter of a structured view, in memory as shared as the buffer's. */
export function makeCounter(buffer: Buffer, o: UavCounterOptions): Outcome<Counter> {
  const initial = o.initialCount
  if (initial !== undefined && initial !== -1 && (!isCount(initial) || initial > 0xffffffff)) {
    return fail('machine-view-kind', `An initial count of ${initial} was given; it must be -1 or 0 to 4294967295.`)
  }
  const shared = typeof SharedArrayBuffer !== 'undefined' && buffer.storage.buffer instanceof SharedArrayBuffer
  const storage = allocateStorage(o.memory ?? heapMemory(shared), 4, 'The counter of a view')
  if (storage.value === undefined) return failure(storage.diagnostics)
  const words = new Int32Array(storage.value.buffer, storage.value.byteOffset, 1)
  const base = { use: o.counter!, words, index: 0 }
  return outcomeOf(initial === undefined || initial === -1 ? base : { ...base, initialValue: initial })
}
