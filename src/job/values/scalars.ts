import { bitsOfF32, bitsToFloat16, f32OfBits, float16ToBits } from '../../machine/format/index.ts'

/** Types of numbers in memory; `bool` is HLSL's, 32 bits. */
export const SCALAR_TYPES = ['f32', 'u32', 'i32', 'f16', 'u16', 'i16', 'u8', 'i8', 'f64', 'bool'] as const
export type ScalarType = (typeof SCALAR_TYPES)[number]

export const SCALAR_BYTES: Readonly<Record<ScalarType, number>> = {
  f32: 4,
  u32: 4,
  i32: 4,
  f16: 2,
  u16: 2,
  i16: 2,
  u8: 1,
  i8: 1,
  f64: 8,
  bool: 4,
}

const INTEGERS: Readonly<Partial<Record<ScalarType, readonly [least: number, most: number]>>> = {
  u32: [-0x80000000, 0xffffffff],
  i32: [-0x80000000, 0xffffffff],
  u16: [-0x8000, 0xffff],
  i16: [-0x8000, 0xffff],
  u8: [-0x80, 0xff],
  i8: [-0x80, 0xff],
}

const SPECIALS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
}

/** What may be written for a type, for messages. */
export function scalarExpectation(type: ScalarType): string {
  const range = INTEGERS[type]
  if (type === 'bool') return 'true or false'
  const hex = `or its bits as "0x${'0'.repeat(SCALAR_BYTES[type] * 2)}"`
  if (range !== undefined) return `a whole number from ${range[0]} to ${range[1]} ${hex}`
  return `a number, "NaN", "Infinity", "-Infinity" ${hex}`
}

/** The bits of a text such as `0x3f800000`; undefined where it is none of the type's size. */
function bitsOfText(text: string, byteCount: number): bigint | undefined {
  if (!/^0x[0-9a-f]{1,16}$/i.test(text)) return undefined
  const bits = BigInt(text)
  return bits < 1n << BigInt(byteCount * 8) ? bits : undefined
}

function writeBits(view: DataView, at: number, byteCount: number, bits: bigint): void {
  for (let i = 0; i < byteCount; i++) view.setUint8(at + i, Number((bits >> BigInt(i * 8)) & 0xffn))
}

function writeNumber(view: DataView, at: number, type: ScalarType, n: number): void {
  switch (type) {
    case 'f32':
      view.setFloat32(at, n, true)
      break
    case 'f64':
      view.setFloat64(at, n, true)
      break
    case 'f16':
      view.setUint16(at, bitsToFloat16(bitsOfF32(n)), true)
      break
    case 'u32':
    case 'i32':
    case 'bool':
      view.setUint32(at, n, true)
      break
    case 'u16':
    case 'i16':
      view.setUint16(at, n, true)
      break
    case 'u8':
    case 'i8':
      view.setUint8(at, n)
      break
  }
}

/**
 * Writes one value of parsed JSON as `type`, little-endian. False, and nothing is written, where the value is not one of
 * the type's. Integers may be given signed or unsigned; a true of HLSL is 0xffffffff in registers and 1 in buffers that
 * applications fill, which is what is written.
 */
export function writeScalar(view: DataView, at: number, type: ScalarType, value: unknown): boolean {
  if (typeof value === 'boolean') {
    if (INTEGERS[type] === undefined && type !== 'bool') return false
    writeNumber(view, at, type, value ? 1 : 0)
    return true
  }
  if (typeof value === 'string') {
    const bits = bitsOfText(value, SCALAR_BYTES[type])
    if (bits !== undefined) writeBits(view, at, SCALAR_BYTES[type], bits)
    const special = type.startsWith('f') && Object.hasOwn(SPECIALS, value) ? SPECIALS[value] : undefined
    if (special !== undefined) writeNumber(view, at, type, special)
    return bits !== undefined || special !== undefined
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  const range = INTEGERS[type === 'bool' ? 'u32' : type]
  if (range !== undefined && !(Number.isInteger(value) && value >= range[0] && value <= range[1])) return false
  writeNumber(view, at, type, value)
  return true
}

/** Reads one value. `bool` gives the word. */
export function readScalar(view: DataView, at: number, type: ScalarType): number {
  switch (type) {
    case 'f32':
      return view.getFloat32(at, true)
    case 'f64':
      return view.getFloat64(at, true)
    case 'f16':
      return f32OfBits(float16ToBits(view.getUint16(at, true)))
    case 'u32':
    case 'bool':
      return view.getUint32(at, true)
    case 'i32':
      return view.getInt32(at, true)
    case 'u16':
      return view.getUint16(at, true)
    case 'i16':
      return view.getInt16(at, true)
    case 'u8':
      return view.getUint8(at)
    case 'i8':
      return view.getInt8(at)
  }
}

/** The shortest decimal text that gives the same float32. */
export function f32Text(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (Object.is(value, -0)) return '-0'
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(Number(value.toPrecision(9)))
}

export function hexText(view: DataView, at: number, byteCount: number): string {
  let text = ''
  for (let i = byteCount - 1; i >= 0; i--)
    text += view
      .getUint8(at + i)
      .toString(16)
      .padStart(2, '0')
  return `0x${text}`
}

/** One value as people read it. */
export function scalarText(view: DataView, at: number, type: ScalarType): string {
  const value = readScalar(view, at, type)
  switch (type) {
    case 'f32':
    case 'f16':
      return f32Text(value)
    case 'f64':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'bool':
      return value === 0 ? 'false' : value === 1 || value === 0xffffffff ? 'true' : `true (${hexText(view, at, 4)})`
    default:
      return String(value)
  }
}
