import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import {
  codecOf,
  componentDecoder,
  componentEncoder,
  f32OfBits,
  floatToSrgb8,
  type Storage,
} from '../../machine/index.ts'

/**
 * Elements of render targets as four components: what drawing, clears, resolves and mips read and write. Conversions to a
 * format are exact, with one rounding (functional specification 3.2): UNORM and SNORM to nearest with halves away from
 * zero, small floats toward zero, integers clamped.
 */

/** Four components, the same memory as floats and as words. Missing ones are 0, 0, 0 and 1. */
export interface Element {
  readonly floats: Float32Array
  readonly words: Int32Array
  readonly bits: Uint32Array
}

export function createElement(): Element {
  const floats = new Float32Array(4)
  return { floats, words: new Int32Array(floats.buffer), bits: new Uint32Array(floats.buffer) }
}

export type ElementReader = (byteOffset: number, into: Element) => void
type ElementWriter = (byteOffset: number, from: Element) => void

/** The code that a component of the format gets, of component `c` of an element. */
export type ComponentCode = (from: Element, c: number) => number

/** Registers hold components in the order r, g, b, a. */
const REGISTER_COMPONENT: Readonly<Record<string, number>> = { r: 0, g: 1, b: 2, a: 3 }

export interface FormatField {
  /** 0 to 3 for r, g, b, a. */
  readonly component: number
  readonly word: number
  readonly shift: number
  readonly bitCount: number
  readonly source: FormatComponent
}

/** The components of a format that hold color. */
export function fieldsOf(format: Format): FormatField[] {
  return format.components
    .filter((c) => c.encoding !== 'typeless' && REGISTER_COMPONENT[c.name] !== undefined)
    .map((source) => {
      const { name, bitOffset, bitCount } = source
      return { component: REGISTER_COMPONENT[name]!, word: bitOffset >>> 5, shift: bitOffset & 31, bitCount, source }
    })
}

const bitsBelow = (count: number): number => (count === 32 ? -1 : (1 << count) - 1)

/** UNORM: floor(c * (2^n - 1) + 0.5), exact in a double; NaN is 0. */
function unormCode(value: number, bitCount: number): number {
  const greatest = 2 ** bitCount - 1
  return value > 0 ? (value < 1 ? Math.floor(value * greatest + 0.5) : greatest) : 0
}

/** SNORM, sign-extended: halves away from zero, never the lowest code; NaN is 0. */
function snormCode(value: number, bitCount: number): number {
  const greatest = 2 ** (bitCount - 1) - 1
  const code = Math.floor(Math.min(Math.abs(value), 1) * greatest + 0.5)
  return value > 0 ? code : value < 0 ? -code : 0
}

/** How a component is stored by a draw or a clear. */
export function componentCode({ encoding, bitCount }: FormatComponent): ComponentCode {
  if (encoding === 'unorm') return (from, c) => unormCode(from.floats[c]!, bitCount)
  if (encoding === 'snorm') return (from, c) => snormCode(from.floats[c]!, bitCount) & bitsBelow(bitCount)
  const encode = componentEncoder(encoding, bitCount)
  return (from, c) => encode(from.bits[c]!)
}

/** The value behind the largest finite one, as if the exponent went on: where rounding to nearest reaches infinity. */
const NEXT_BEHIND_LARGEST = 65536

/** As `componentCode`, but floats of 16 bits and less are rounded to nearest even, as some hardware does. */
export function nearestComponentCode(component: FormatComponent): ComponentCode {
  const { encoding, bitCount } = component
  const towardZero = componentCode(component)
  if (encoding !== 'float' || bitCount === 32) return towardZero
  const decode = componentDecoder('float', bitCount)
  const sign = bitCount === 16 ? 0x8000 : 0
  return (from, c) => {
    const code = towardZero(from, c)
    const value = sign === 0 ? from.floats[c]! : Math.abs(from.floats[c]!)
    if (!(value > 0 && value < Infinity)) return code
    const magnitude = code & ~sign
    const low = f32OfBits(decode(magnitude))
    const high = Math.min(f32OfBits(decode(magnitude + 1)), NEXT_BEHIND_LARGEST)
    const up = value - low > high - value || (value - low === high - value && magnitude % 2 === 1)
    return up ? code + 1 : code
  }
}

/** The low bits of a component, without conversion or clamp. */
export function lowBits({ bitCount }: FormatComponent): ComponentCode {
  const mask = bitsBelow(bitCount)
  return (from, c) => from.words[c]! & mask
}

/** Reads elements of a format, as shaders see them. */
export function elementReader(format: Format, storage: Storage): ElementReader {
  const { decode } = codecOf(format)
  return (byteOffset, into) => decode(storage, byteOffset, 0, into.bits, 0)
}

interface Coded {
  readonly field: FormatField
  readonly code: ComponentCode
}

/** The bits of one 32-bit word (or of a smaller element) that its components give. */
function gather(fields: readonly Coded[], from: Element): number {
  let bits = 0
  for (let i = 0; i < fields.length; i++) {
    const { field, code } = fields[i]!
    bits |= code(from, field.component) << field.shift
  }
  return bits
}

/** Bits of the word that are left as they are. */
function keptBits(fields: readonly FormatField[], elementBits: number): number {
  let written = 0
  for (const f of fields) written |= bitsBelow(f.bitCount) << f.shift
  return ~written & bitsBelow(Math.min(elementBits, 32))
}

const unorm8Code = (v: number): number => (v > 0 ? (v < 1 ? (v * 255 + 0.5) | 0 : 255) : 0)

/** Writes whole elements of four 8-bit UNORM components, sRGB or not, in either order of red and blue. */
function writeUnorm8(fields: readonly FormatField[], words: Uint32Array, srgb: boolean): ElementWriter {
  const red = fields.find((f) => f.component === 0)!.shift
  const blue = fields.find((f) => f.component === 2)!.shift
  if (srgb) {
    return (byteOffset, { floats }) => {
      const outer = (floatToSrgb8(floats[1]!) << 8) | (unorm8Code(floats[3]!) << 24)
      words[byteOffset >>> 2] = (floatToSrgb8(floats[0]!) << red) | outer | (floatToSrgb8(floats[2]!) << blue)
    }
  }
  return (byteOffset, { floats }) => {
    const outer = (unorm8Code(floats[1]!) << 8) | (unorm8Code(floats[3]!) << 24)
    words[byteOffset >>> 2] = (unorm8Code(floats[0]!) << red) | outer | (unorm8Code(floats[2]!) << blue)
  }
}

function isUnorm8(fields: readonly FormatField[]): boolean {
  const wholeBytes = fields.every((f) => f.source.encoding.startsWith('unorm') && f.bitCount === 8)
  return fields.length === 4 && wholeBytes && fields.every((f) => f.component % 2 === 0 || f.shift === 8 * f.component)
}

/**
 * Writes elements of a format: the components of `writeMask` (bit 0 red), each by the code of `codeOf`; other components
 * and unused bits stay as they are.
 */
export function elementWriter(
  format: Format,
  storage: Storage,
  writeMask = 15,
  codeOf: (component: FormatComponent) => ComponentCode = componentCode,
): ElementWriter {
  const written = fieldsOf(format).filter((f) => (writeMask & (1 << f.component)) !== 0)
  const fields = written.map((f): Coded => ({ field: f, code: codeOf(f.source) }))
  const { bytes, halves, words } = storage
  const kept = keptBits(written, format.bitsPerElement)
  if (format.blockByteLength === 1) {
    return (o, from) => void (bytes[o] = (bytes[o]! & kept) | gather(fields, from))
  }
  if (format.blockByteLength === 2) {
    return (o, from) => void (halves[o >>> 1] = (halves[o >>> 1]! & kept) | gather(fields, from))
  }
  if (format.blockByteLength === 4) {
    if (codeOf === componentCode && isUnorm8(written)) return writeUnorm8(written, words, format.srgb)
    if (kept === 0) return (o, from) => void (words[o >>> 2] = gather(fields, from))
    return (o, from) => void (words[o >>> 2] = (words[o >>> 2]! & kept) | gather(fields, from))
  }
  return wideWriter(fields, words)
}

/** Elements of several words: each word has its own components. */
function wideWriter(fields: readonly Coded[], words: Uint32Array): ElementWriter {
  const parts = [0, 1, 2, 3]
    .map((word) => ({ word, of: fields.filter((f) => f.field.word === word) }))
    .filter((p) => p.of.length > 0)
    .map(({ word, of }) => {
      const written = of.map((f) => f.field)
      return { word, fields: of, kept: keptBits(written, 32) }
    })
  return (byteOffset, from) => {
    const at = byteOffset >>> 2
    for (let i = 0; i < parts.length; i++) {
      const p = parts[i]!
      words[at + p.word] = (words[at + p.word]! & p.kept) | gather(p.fields, from)
    }
  }
}
