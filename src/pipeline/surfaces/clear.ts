import { aNumber, checkArguments, type Diagnostic, diagnostic, showValue } from '../../diagnostic/index.ts'
import { runPartsAtOnce } from '../../engine/index.ts'
import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import {
  type DepthStencilView,
  type RenderTargetView,
  type Storage,
  storageOver,
  type TargetView,
  type TextureUav,
  type TypedBufferUav,
  type Uav,
} from '../../machine/index.ts'
import {
  type ComponentCode,
  clampDepth,
  componentCode,
  createElement,
  depthPlane,
  type Element,
  elementWriter,
  lowBits,
  stencilByte,
} from '../merge/index.ts'
import { fillRun } from './fill-rows.ts'
import { type RowEngine, rowParts } from './shared-rows.ts'

/**
 * Clears of views (functional specification 5.2.3); viewport and scissor do not apply. Each answers what was wrong. Code and threads of
 * `engine` take part in large ones. Each can be had part by part, so that what carries it out may stop or yield to its host in between.
 */

type ClearParts = Generator<void, Diagnostic[]>

export type Color = readonly [number, number, number, number]

/** Rows of elements: what render targets and typed unordered access views have in common. */
interface Surface {
  readonly format: Format
  readonly storage: Storage
  readonly byteOffset: number
  readonly rowPitch: number
  readonly slicePitch: number
  readonly slices: number
  readonly width: number
  readonly height: number
  /** Bytes of all samples of a pixel. */
  readonly pixelBytes: number
}

function surfaceOfTarget(view: TargetView): Surface {
  const { format, storage, byteOffset, rowPitch, slicePitch, arraySize, width, height } = view
  const pixelBytes = view.bytesPerTexel * view.sampleCount
  return { format, storage, byteOffset, rowPitch, slicePitch, slices: arraySize, width, height, pixelBytes }
}

function surfaceOfUav(view: TextureUav | TypedBufferUav): Surface {
  const { format, storage } = view
  const pixelBytes = format.blockByteLength
  if (view.shape === 'typed') {
    const { byteOffset, byteLength, elementCount } = view
    const row = { rowPitch: byteLength, slicePitch: byteLength, slices: 1, width: elementCount, height: 1 }
    return { format, storage, byteOffset, ...row, pixelBytes }
  }
  const level = view.levels[0]!
  const inDepth = view.dimension === 'texture3d'
  return {
    ...{ format, storage, pixelBytes, byteOffset: level.byteOffset, rowPitch: level.rowPitch },
    slicePitch: inDepth ? level.slicePitch : view.arrayPitch,
    slices: inDepth ? level.depth : view.arraySize,
    width: level.width,
    height: level.height,
  }
}

/** Bytes that one thread fills in a millisecond, about. */
const BYTES_OF_A_MILLISECOND = 6_000_000

/** Milliseconds of a part: memory that nothing has touched before takes ten times as long, since the system clears its pages first. */
const PART_MS = 2

/** Fills a surface with a pattern, where a mask is given only the bits of it. */
function* fillParts(s: Surface, pattern: Uint8Array, engine: RowEngine, mask?: Uint8Array): Generator<void, void> {
  const { byteOffset, rowPitch, slicePitch, height } = s
  const rowBytes = s.width * s.pixelBytes
  const rowCount = s.slices * height
  const bits = mask === undefined ? null : [...mask]
  yield* rowParts(
    { kind: 'fill', byteOffset, rowPitch, slicePitch, height, rowBytes, pattern: [...pattern], mask: bits },
    [s.storage],
    rowCount,
    (rowCount * rowBytes) / BYTES_OF_A_MILLISECOND,
    engine,
    PART_MS,
  )
}

function* fillWords(
  { storage, byteOffset, byteLength }: Pick<TypedBufferUav, 'storage' | 'byteOffset' | 'byteLength'>,
  word: Uint8Array,
): Generator<void, void> {
  const most = PART_MS * BYTES_OF_A_MILLISECOND
  for (let at = 0; at < byteLength; at += most) {
    fillRun(storage, byteOffset + at, Math.min(most, byteLength - at), word)
    yield
  }
}

/** The bytes of one element of the format; unused bits are 0. */
function patternOf(format: Format, from: Element, codeOf: (c: FormatComponent) => ComponentCode): Uint8Array {
  const scratch = storageOver({ buffer: new ArrayBuffer(16), byteOffset: 0 }, format.blockByteLength)
  elementWriter(format, scratch, 15, codeOf)(0, from)
  return scratch.bytes
}

/** Halves to the even number. */
const nearest = (v: number): number => {
  const floor = Math.floor(v)
  const rest = v - floor
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor
}

/** A float32 as an integer component, clamped to its range; NaN is 0. */
function integerCode({ encoding, bitCount }: FormatComponent): ComponentCode {
  const [low, high] = encoding === 'uint' ? [0, 2 ** bitCount - 1] : [-(2 ** (bitCount - 1)), 2 ** (bitCount - 1) - 1]
  const mask = 2 ** bitCount - 1
  return (from, c) => {
    const v = from.floats[c]!
    if (Number.isNaN(v)) return 0
    return (nearest(Math.max(low, Math.min(high, v))) & mask) >>> 0
  }
}

function colorPattern(format: Format, color: Color): Uint8Array {
  const element = createElement()
  element.floats.set(color)
  const isInteger = format.result === 'uint' || format.result === 'sint'
  return patternOf(format, element, (c) => (isInteger ? integerCode(c) : componentCode(c)))
}

function checkFour(values: unknown, what: string): Diagnostic[] {
  const fits = Array.isArray(values) && values.length === 4 && values.every((v) => typeof v === 'number')
  if (fits) return []
  return [diagnostic('pipeline-clear', `${what} takes a list of four numbers; ${showValue(values)} was given.`)]
}

/** ClearRenderTargetView: every slice and sample; integers get the closest value (5.2.3.1). */
export const clearRenderTarget = (...clear: Parameters<typeof clearTargetParts>): Diagnostic[] =>
  runPartsAtOnce(clearTargetParts(...clear))

/** As `clearRenderTarget`, part by part. */
export function* clearTargetParts(view: RenderTargetView, color: Color, engine: RowEngine = {}): ClearParts {
  const wrong = checkFour(color, 'The clear of a render target view')
  if (wrong.length === 0) yield* fillParts(surfaceOfTarget(view), colorPattern(view.format, color), engine)
  return wrong
}

/** What a clear of a depth-stencil view sets; a plane that is left out stays. */
export interface DepthStencilClear {
  /** Clamped to 0 to 1. */
  readonly depth?: number
  /** 8 bits. */
  readonly stencil?: number
}

const CLEAR_FIELDS = { depth: aNumber, stencil: aNumber }

/** ClearDepthStencilView. */
export const clearDepthStencil = (...clear: Parameters<typeof clearDepthParts>): Diagnostic[] =>
  runPartsAtOnce(clearDepthParts(...clear))

/** As `clearDepthStencil`, part by part. */
export function* clearDepthParts(
  view: DepthStencilView,
  values: DepthStencilClear,
  engine: RowEngine = {},
): ClearParts {
  const wrong = checkArguments('pipeline-clear', 'the clear of a depth-stencil view', values, CLEAR_FIELDS)
  if (wrong.length > 0) return wrong
  const { depth, stencil } = values
  const readOnly = (depth !== undefined && view.readOnlyDepth) || (stencil !== undefined && view.readOnlyStencil)
  if (readOnly) return [diagnostic('pipeline-clear', 'The depth-stencil view is read-only; clear through another.')]
  const [pattern, mask] = depthStencilPattern(view, depth, stencil)
  const isWhole = mask.every((b) => b === 0xff)
  yield* fillParts(surfaceOfTarget(view), pattern, engine, isWhole ? undefined : mask)
  return []
}

/** The bytes that a clear gives each element, and those of their bits that it sets. Unused bits stay. */
function depthStencilPattern(
  view: DepthStencilView,
  depth: number | undefined,
  stencil: number | undefined,
): [Uint8Array, Uint8Array] {
  const made = [0, 0xff].map((filled) => {
    const storage = storageOver({ buffer: new ArrayBuffer(16), byteOffset: 0 }, view.bytesPerTexel)
    storage.bytes.fill(filled)
    return storage
  })
  const at = stencilByte(view)
  for (const storage of made) {
    const plane = depthPlane({ format: view.format, storage })
    if (depth !== undefined) plane.store(0, plane.convert(clampDepth(Math.fround(depth), 0, 1)))
    if (stencil !== undefined && at !== undefined) storage.bytes[at] = stencil & 255
  }
  // A bit that is set is the same whatever was there before.
  const [low, high] = made as [Storage, Storage]
  return [low.bytes, low.bytes.map((byte, i) => ~(byte ^ high.bytes[i]!))]
}

/**
 * ClearUnorderedAccessViewUint: the low bits of value i to component i without conversion or clamp; raw and structured
 * views are filled with the first value (5.2.3.2).
 */
export const clearUnorderedAccessUint = (...clear: Parameters<typeof clearUintParts>): Diagnostic[] =>
  runPartsAtOnce(clearUintParts(...clear))

/** As `clearUnorderedAccessUint`, part by part. */
export function* clearUintParts(view: Uav, values: Color, engine: RowEngine = {}): ClearParts {
  const wrong = checkFour(values, 'The clear of an unordered access view')
  if (wrong.length > 0) return wrong
  const element = createElement()
  element.bits.set(values)
  if (view.shape === 'raw' || view.shape === 'structured') {
    const word = new Uint8Array(element.bits.buffer, 0, 4)
    yield* fillWords(view, word)
    return []
  }
  yield* fillParts(surfaceOfUav(view), patternOf(view.format, element, lowBits), engine)
  return []
}

/** ClearUnorderedAccessViewFloat: typed views of FLOAT, UNORM and SNORM formats, converted as a store (5.2.3.2). */
export const clearUnorderedAccessFloat = (...clear: Parameters<typeof clearFloatParts>): Diagnostic[] =>
  runPartsAtOnce(clearFloatParts(...clear))

/** As `clearUnorderedAccessFloat`, part by part. */
export function* clearFloatParts(view: Uav, values: Color, engine: RowEngine = {}): ClearParts {
  const wrong = checkFour(values, 'The clear of an unordered access view')
  if (wrong.length > 0) return wrong
  if (view.shape === 'raw' || view.shape === 'structured') {
    return [diagnostic('pipeline-clear', `A ${view.shape} view cannot be cleared with floats; clear it with integers.`)]
  }
  if (view.format.result !== 'float') {
    const text = `A view of format ${view.format.name} cannot be cleared with floats; clear it with integers.`
    return [diagnostic('pipeline-clear', text)]
  }
  yield* fillParts(surfaceOfUav(view), colorPattern(view.format, values), engine)
  return []
}
