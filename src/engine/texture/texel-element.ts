import { type Format, formatNamed } from '../../isa/formats/index.ts'
import { type AccessAddress, type Builder, isAlwaysValid, type Value } from '../ir/index.ts'
import { decodeElement, dwordsOf } from './texel-format.ts'

/** Elements in memory: their dwords, and the register words that they decode to. */

/** What texels of blocks are stored as: engines decode them before a dispatch. */
const DECODED = formatNamed('R32G32B32A32_FLOAT')

/** The format that texels have where code reads them: blocks, and textures of which there is a copy, are `isDecoded`. */
export const storedFormat = (format: Format, isDecoded = format.layout !== 'linear'): Format =>
  isDecoded ? DECODED : format

/** Loads the wanted dwords at an address. */
function loadDwords(
  o: Builder,
  statement: number,
  address: AccessAddress,
  dwords: readonly number[],
): (n: number) => Value {
  // A load whose result is unused may still be out of bounds.
  if (dwords.length === 0 && isAlwaysValid(address)) return () => o.constant(0)
  const results = dwords.map((_, i) => o.result(i))
  o.push({ kind: 'load', statement, address, components: dwords, dwords, results })
  return (n) => results[dwords.indexOf(n)] ?? o.constant(0)
}

/** The float of an 8-bit sRGB code, from its entry of the table. */
function linearOf(o: Builder, statement: number, entry: Value): Value {
  const address: AccessAddress = {
    space: { kind: 'srgb-table' },
    index: undefined,
    offset: entry,
    stride: 0,
    valid: o.constant(0xffffffff),
  }
  return loadDwords(o, statement, address, [0])(0)
}

/** The four register words of the element at an address, of those that are wanted. */
export function loadElementAt(
  o: Builder,
  statement: number,
  address: AccessAddress,
  format: Format,
  wanted: readonly boolean[],
): (Value | undefined)[] {
  const stored = storedFormat(format)
  const dword = loadDwords(o, statement, address, dwordsOf(stored, wanted))
  return decodeElement(o, stored, dword, wanted, (entry) => linearOf(o, statement, entry))
}

/** Those of an element of one dword that was loaded already. */
export function decodeDword(
  o: Builder,
  statement: number,
  format: Format,
  word: Value,
  wanted: readonly boolean[],
): (Value | undefined)[] {
  return decodeElement(
    o,
    format,
    () => word,
    wanted,
    (entry) => linearOf(o, statement, entry),
  )
}

function placeInView(o: Builder, binding: number, offset: Value): AccessAddress {
  const space = { kind: 'buffer', binding, writable: false } as const
  return { space, index: undefined, offset, stride: 0, valid: o.constant(0xffffffff) }
}

/** Dwords of a view from a byte offset from its base on, which are known to be in it, or whose values do not matter. */
export function loadInView(o: Builder, statement: number, binding: number, offset: Value, count: number): Value[] {
  const address = placeInView(o, binding, offset)
  const dwords = Array.from({ length: count }, (_, n) => n)
  const dword = loadDwords(o, statement, address, dwords)
  return dwords.map(dword)
}

/** The same of a texel that is known to be in the view, at a byte offset from its base. */
export function loadElement(
  o: Builder,
  statement: number,
  binding: number,
  format: Format,
  offset: Value,
  wanted: readonly boolean[],
): (Value | undefined)[] {
  return loadElementAt(o, statement, placeInView(o, binding, offset), format, wanted)
}
