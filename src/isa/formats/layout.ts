import type { ComponentEncoding, ComponentName, Format, FormatComponent, FormatLayout, FormatResult } from './format.ts'

/**
 * The name of a format says its layout (functional spec 19.1.3): groups of letters with bit counts, from the least
 * significant bit on, each followed by the encoding of the groups before it. This reads it once, so that the table
 * states each fact in one place.
 */
const ENCODINGS: Readonly<Record<string, ComponentEncoding>> = {
  UNORM: 'unorm',
  SNORM: 'snorm',
  UINT: 'uint',
  SINT: 'sint',
  FLOAT: 'float',
  SHAREDEXP: 'sharedexp',
  TYPELESS: 'typeless',
  UF16: 'float',
  SF16: 'float',
}

interface Pending {
  readonly name: ComponentName
  readonly bitOffset: number
  readonly bitCount: number
  encoding: ComponentEncoding
}

function withSrgb(c: Pending): void {
  // The A component of an SRGB format stays linear (19.1.3.2).
  if (c.encoding === 'unorm' && c.name !== 'a') c.encoding = 'unorm-srgb'
}

/** The components of a linear format name such as `R24_UNORM_X8_TYPELESS`. */
export function parseLinearComponents(name: string): FormatComponent[] {
  const all: Pending[] = []
  let untyped: Pending[] = []
  let bitOffset = 0
  for (const token of name.split('_')) {
    if (/^([RGBADSXE]\d+)+$/.test(token)) {
      for (const [, letter, bits] of token.matchAll(/([RGBADSXE])(\d+)/g)) {
        const bitCount = Number(bits)
        const c: Pending = {
          name: letter!.toLowerCase() as ComponentName,
          bitOffset,
          bitCount,
          encoding: 'typeless',
        }
        bitOffset += bitCount
        all.push(c)
        untyped.push(c)
      }
    } else if (token === 'SRGB') {
      for (const c of all) withSrgb(c)
    } else if (token === 'BIAS') {
      for (const c of untyped) c.encoding = 'xr-bias'
      untyped = []
    } else if (token !== 'XR') {
      for (const c of untyped) c.encoding = c.name === 'x' ? 'typeless' : ENCODINGS[token]!
      untyped = []
    }
  }
  return all
}

const BLOCK_COMPONENTS: Readonly<Record<Exclude<FormatLayout, 'linear' | 'packed422'>, string>> = {
  bc1: 'rgba',
  bc2: 'rgba',
  bc3: 'rgba',
  bc4: 'r',
  bc5: 'rg',
  bc6h: 'rgb',
  bc7: 'rgba',
}

/** The components that decoding a block yields; they have no place in the block, so their bit offset is 0. */
export function blockComponents(layout: FormatLayout, name: string): FormatComponent[] {
  const letters = layout === 'packed422' ? 'rgb' : layout === 'linear' ? '' : BLOCK_COMPONENTS[layout]
  const encoding = ENCODINGS[name.split('_')[layout === 'packed422' ? 2 : 1]!]!
  const bitCount = layout === 'bc6h' ? 16 : 8
  return [...letters].map((letter) => {
    const c: Pending = { name: letter as ComponentName, bitOffset: 0, bitCount, encoding }
    if (name.endsWith('_SRGB')) withSrgb(c)
    return c
  })
}

/** What a register holds after a read: by the first typed color component (19.1.3.3). */
export function resultOf(components: readonly FormatComponent[]): FormatResult {
  const first = components.find((c) => c.encoding !== 'typeless')
  if (first === undefined) return 'none'
  if (first.encoding === 'uint' || first.encoding === 'sint') return first.encoding
  return 'float'
}

/** Bytes of a block, by layout; linear formats sum their bits. */
export function blockShape(
  layout: FormatLayout,
  components: readonly FormatComponent[],
): Pick<Format, 'blockWidth' | 'blockHeight' | 'blockByteLength' | 'bitsPerElement'> {
  if (layout === 'linear') {
    const bits = components.reduce((sum, c) => sum + c.bitCount, 0)
    return { blockWidth: 1, blockHeight: 1, blockByteLength: bits / 8, bitsPerElement: bits }
  }
  if (layout === 'packed422') return { blockWidth: 2, blockHeight: 1, blockByteLength: 4, bitsPerElement: 16 }
  const blockByteLength = layout === 'bc1' || layout === 'bc4' ? 8 : 16
  return { blockWidth: 4, blockHeight: 4, blockByteLength, bitsPerElement: blockByteLength / 2 }
}
