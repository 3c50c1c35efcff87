import { type Diagnostic, diagnostic, showValue } from '../../diagnostic/index.ts'
import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import {
  type DepthStencilView,
  type RenderTargetView,
  type Storage,
  storageOver,
  type TargetView,
  type TextureUav,
  type TypedBufferUav,
  targetOffset,
  type Uav,
} from '../../machine/index.ts'
import { clampDepth, depthPlane, stencilByte } from './depth-stencil.ts'
import { type ComponentCode, componentCode, createElement, type Element, elementWriter, lowBits } from './element.ts'

/** Clears of views (functional specification 5.2.3); viewport and scissor do not apply. Each answers what was wrong. */

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

/** Fills a run of bytes with a pattern, by doubling what is there; `length` is a multiple of the pattern's. */
function fillRun(bytes: Uint8Array, at: number, length: number, pattern: Uint8Array): void {
  bytes.set(pattern.subarray(0, length), at)
  for (let done = pattern.length; done < length; done *= 2) {
    bytes.copyWithin(at + done, at, at + Math.min(done, length - done))
  }
}

function fillSurface(s: Surface, pattern: Uint8Array): void {
  for (let slice = 0; slice < s.slices; slice++) {
    for (let y = 0; y < s.height; y++) {
      fillRun(s.storage.bytes, s.byteOffset + slice * s.slicePitch + y * s.rowPitch, s.width * s.pixelBytes, pattern)
    }
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
export function clearRenderTarget(view: RenderTargetView, color: Color): Diagnostic[] {
  const wrong = checkFour(color, 'The clear of a render target view')
  if (wrong.length === 0) fillSurface(surfaceOfTarget(view), colorPattern(view.format, color))
  return wrong
}

/** What a clear of a depth-stencil view sets; a plane that is left out stays. */
export interface DepthStencilClear {
  /** Clamped to 0 to 1. */
  readonly depth?: number
  /** 8 bits. */
  readonly stencil?: number
}

/** ClearDepthStencilView. */
export function clearDepthStencil(view: DepthStencilView, { depth, stencil }: DepthStencilClear): Diagnostic[] {
  const readOnly = (depth !== undefined && view.readOnlyDepth) || (stencil !== undefined && view.readOnlyStencil)
  if (readOnly) return [diagnostic('pipeline-clear', 'The depth-stencil view is read-only; clear through another.')]
  const plane = depthPlane(view)
  const at = stencilByte(view)
  const value = depth === undefined ? undefined : plane.convert(clampDepth(Math.fround(depth), 0, 1))
  const { bytes } = view.storage
  for (let slice = 0; slice < view.arraySize; slice++) {
    for (let y = 0; y < view.height; y++) {
      const row = targetOffset(view, 0, y, slice, 0)
      for (let i = 0; i < view.width * view.sampleCount; i++) {
        const offset = row + i * view.bytesPerTexel
        if (value !== undefined) plane.store(offset, value)
        if (stencil !== undefined && at !== undefined) bytes[offset + at] = stencil & 255
      }
    }
  }
  return []
}

/**
 * ClearUnorderedAccessViewUint: the low bits of value i to component i without conversion or clamp; raw and structured
 * views are filled with the first value (5.2.3.2).
 */
export function clearUnorderedAccessUint(view: Uav, values: Color): Diagnostic[] {
  const wrong = checkFour(values, 'The clear of an unordered access view')
  if (wrong.length > 0) return wrong
  const element = createElement()
  element.bits.set(values)
  if (view.shape === 'raw' || view.shape === 'structured') {
    const word = new Uint8Array(element.bits.buffer, 0, 4)
    if (view.byteLength > 0) fillRun(view.storage.bytes, view.byteOffset, view.byteLength, word)
    return []
  }
  fillSurface(surfaceOfUav(view), patternOf(view.format, element, lowBits))
  return []
}

/** ClearUnorderedAccessViewFloat: typed views of FLOAT, UNORM and SNORM formats, converted as a store (5.2.3.2). */
export function clearUnorderedAccessFloat(view: Uav, values: Color): Diagnostic[] {
  const wrong = checkFour(values, 'The clear of an unordered access view')
  if (wrong.length > 0) return wrong
  if (view.shape === 'raw' || view.shape === 'structured') {
    return [diagnostic('pipeline-clear', `A ${view.shape} view cannot be cleared with floats; clear it with integers.`)]
  }
  if (view.format.result !== 'float') {
    const text = `A view of format ${view.format.name} cannot be cleared with floats; clear it with integers.`
    return [diagnostic('pipeline-clear', text)]
  }
  fillSurface(surfaceOfUav(view), colorPattern(view.format, values))
  return []
}
