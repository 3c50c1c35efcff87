import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import { blockDecoder } from './block.ts'
import { type BitsToCode, componentDecoder, componentEncoder, decodeTable, oneBits } from './component.ts'
import { bitsOfF32, f32OfBits } from './float-bits.ts'
import { floatsToSharedExponent, sharedExponentToFloat } from './normalized.ts'
import type { TexelCodec, TexelDecoder, TexelEncoder } from './texel-codec.ts'

/** Where one register component comes from: a word of the element, a shift and mask, and the table of its codes. */
interface Field {
  readonly word: number
  readonly shift: number
  readonly mask: number
  readonly table: Uint32Array
}

function fieldOf(format: Format, name: 'r' | 'g' | 'b' | 'a'): Field {
  const c = format.components.find((x) => x.name === name && x.encoding !== 'typeless')
  if (c === undefined) {
    // A missing component is a field of no bits: its table has the one answer.
    const bits = name === 'a' ? oneBits(format.components) : 0
    return { word: 0, shift: 0, mask: 0, table: Uint32Array.of(bits) }
  }
  return {
    word: c.bitOffset >>> 5,
    shift: c.bitOffset & 31,
    mask: (1 << c.bitCount) - 1,
    table: decodeTable(c.encoding, c.bitCount),
  }
}

/** Elements whose components all have at most 16 bits: four table look-ups, chosen once by the element's size. */
function tableDecoder(format: Format): TexelDecoder {
  const [r, g, b, a] = [fieldOf(format, 'r'), fieldOf(format, 'g'), fieldOf(format, 'b'), fieldOf(format, 'a')]
  const [rs, gs, bs, as] = [r.shift, g.shift, b.shift, a.shift]
  const [rm, gm, bm, am] = [r.mask, g.mask, b.mask, a.mask]
  const [rt, gt, bt, at4] = [r.table, g.table, b.table, a.table]
  const spread = (w: number, out: Uint32Array, at: number): void => {
    out[at] = rt[(w >>> rs) & rm]!
    out[at + 1] = gt[(w >>> gs) & gm]!
    out[at + 2] = bt[(w >>> bs) & bm]!
    out[at + 3] = at4[(w >>> as) & am]!
  }
  if (format.blockByteLength === 1) return (s, o, _, out, at) => spread(s.bytes[o]!, out, at)
  if (format.blockByteLength === 2) return (s, o, _, out, at) => spread(s.halves[o >>> 1]!, out, at)
  if (format.blockByteLength === 4) return (s, o, _, out, at) => spread(s.words[o >>> 2]!, out, at)
  const [rw, gw, bw, aw] = [r.word, g.word, b.word, a.word]
  return (s, o, _, out, at) => {
    const w = o >>> 2
    out[at] = rt[(s.words[w + rw]! >>> rs) & rm]!
    out[at + 1] = gt[(s.words[w + gw]! >>> gs) & gm]!
    out[at + 2] = bt[(s.words[w + bw]! >>> bs) & bm]!
    out[at + 3] = at4[(s.words[w + aw]! >>> as) & am]!
  }
}

/** Formats of whole 32-bit components: the words themselves, bit for bit (3.1.3.2 forbids touching them). */
function wordDecoder(format: Format): TexelDecoder {
  const one = oneBits(format.components)
  switch (format.components.filter((c) => c.encoding !== 'typeless').length) {
    case 1:
      return (s, o, _, out, at) => {
        out[at] = s.words[o >>> 2]!
        out[at + 1] = 0
        out[at + 2] = 0
        out[at + 3] = one
      }
    case 2:
      return (s, o, _, out, at) => {
        const w = o >>> 2
        out[at] = s.words[w]!
        out[at + 1] = s.words[w + 1]!
        out[at + 2] = 0
        out[at + 3] = one
      }
    case 3:
      return (s, o, _, out, at) => {
        const w = o >>> 2
        out[at] = s.words[w]!
        out[at + 1] = s.words[w + 1]!
        out[at + 2] = s.words[w + 2]!
        out[at + 3] = one
      }
    default:
      return (s, o, _, out, at) => {
        const w = o >>> 2
        out[at] = s.words[w]!
        out[at + 1] = s.words[w + 1]!
        out[at + 2] = s.words[w + 2]!
        out[at + 3] = s.words[w + 3]!
      }
  }
}

const decodeSharedExponent: TexelDecoder = (s, o, _, out, at) => {
  const w = s.words[o >>> 2]!
  const exponent = w >>> 27
  out[at] = bitsOfF32(sharedExponentToFloat(w & 511, exponent))
  out[at + 1] = bitsOfF32(sharedExponentToFloat((w >>> 9) & 511, exponent))
  out[at + 2] = bitsOfF32(sharedExponentToFloat((w >>> 18) & 511, exponent))
  out[at + 3] = 0x3f800000
}

const encodeSharedExponent: TexelEncoder = (s, o, values, at) => {
  const [r, g, b] = [f32OfBits(values[at]!), f32OfBits(values[at + 1]!), f32OfBits(values[at + 2]!)]
  s.words[o >>> 2] = floatsToSharedExponent(r, g, b)
}

/** R24_UNORM_X8_TYPELESS: the one component between 16 and 32 bits. */
function wideUnormDecoder(c: FormatComponent): TexelDecoder {
  const decode = componentDecoder(c.encoding, c.bitCount)
  const mask = 2 ** c.bitCount - 1
  return (s, o, _, out, at) => {
    out[at] = decode(s.words[o >>> 2]! & mask)
    out[at + 1] = 0
    out[at + 2] = 0
    out[at + 3] = 0x3f800000
  }
}

interface EncodedField {
  readonly source: number
  readonly word: number
  readonly shift: number
  readonly encode: BitsToCode
}

const REGISTER_COMPONENT: Readonly<Record<string, number>> = { r: 0, g: 1, b: 2, a: 3 }

function linearEncoder(format: Format): TexelEncoder {
  const fields = format.components
    .filter((c) => REGISTER_COMPONENT[c.name] !== undefined && c.encoding !== 'typeless')
    .map((c): EncodedField => {
      return {
        source: REGISTER_COMPONENT[c.name]!,
        word: c.bitOffset >>> 5,
        shift: c.bitOffset & 31,
        encode: componentEncoder(c.encoding, c.bitCount),
      }
    })
  const wordOf = (word: number, values: Uint32Array, at: number): number => {
    let w = 0
    for (const f of fields) if (f.word === word) w |= f.encode(values[at + f.source]!) << f.shift
    return w >>> 0
  }
  switch (format.blockByteLength) {
    case 1:
      return (s, o, values, at) => void (s.bytes[o] = wordOf(0, values, at))
    case 2:
      return (s, o, values, at) => void (s.halves[o >>> 1] = wordOf(0, values, at))
    default: {
      const count = format.blockByteLength >>> 2
      return (s, o, values, at) => {
        for (let i = 0; i < count; i++) s.words[(o >>> 2) + i] = wordOf(i, values, at)
      }
    }
  }
}

/** Two texels in four bytes that share R and B (19.4): R8G8_B8G8 is R G0 B G1, G8R8_G8B8 is G0 R G1 B. */
function packed422Decoder(format: Format): TexelDecoder {
  const greenFirst = format.name.startsWith('G')
  const unorm = decodeTable('unorm', 8)
  const red = greenFirst ? 1 : 0
  const green = greenFirst ? 0 : 1
  return (s, o, inBlock, out, at) => {
    out[at] = unorm[s.bytes[o + red]!]!
    out[at + 1] = unorm[s.bytes[o + green + inBlock * 2]!]!
    out[at + 2] = unorm[s.bytes[o + red + 2]!]!
    out[at + 3] = 0x3f800000
  }
}

function linearDecoder(format: Format): TexelDecoder {
  const shown = format.components.filter((c) => c.encoding !== 'typeless')
  if (shown.some((c) => c.encoding === 'sharedexp')) return decodeSharedExponent
  if (shown.every((c) => c.bitCount === 32)) return wordDecoder(format)
  const wide = shown.find((c) => c.bitCount > 16)
  return wide === undefined ? tableDecoder(format) : wideUnormDecoder(wide)
}

function makeCodec(format: Format): TexelCodec {
  if (format.layout === 'packed422') return { decode: packed422Decoder(format) }
  if (format.layout !== 'linear') return { decode: blockDecoder(format) }
  const shared = format.components.some((c) => c.encoding === 'sharedexp')
  return { decode: linearDecoder(format), encode: shared ? encodeSharedExponent : linearEncoder(format) }
}

const CODECS: (TexelCodec | undefined)[] = []

/** The codec of a format that a view can have; made once, then an array look-up. Typeless and depth formats have none. */
export function codecOf(format: Format): TexelCodec {
  const known = CODECS[format.number]
  if (known !== undefined) return known
  if (format.result === 'none') throw new RangeError(`${format.name} has no texels that a shader can read`)
  return (CODECS[format.number] = makeCodec(format))
}
