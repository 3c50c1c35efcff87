import type { Format } from '../../isa/formats/index.ts'
import { findFormat, formatNamed } from '../../isa/formats/index.ts'
import { bitsOfF32, f32OfBits } from '../../machine/format/index.ts'
import { codecOf, type Storage, type Subresource, subresource, type Texture } from '../../machine/index.ts'
import { f32Text } from './scalars.ts'

/** Typed formats by which the codes of depth formats are read. */
const READ_AS: Readonly<Record<string, string>> = {
  D16_UNORM: 'R16_UNORM',
  D24_UNORM_S8_UINT: 'R24_UNORM_X8_TYPELESS',
  D32_FLOAT: 'R32_FLOAT',
  D32_FLOAT_S8X24_UINT: 'R32_FLOAT_X8X24_TYPELESS',
}

/** The format by which texels are shown: of depth formats that of their depth. */
export function shownFormat(format: Format): Format {
  return findFormat(READ_AS[format.name] ?? format.name) ?? format
}

/** The components a format gives, by the letters of its name: `rgba`, `r`. At most four. */
export function componentNames(format: Format): readonly string[] {
  const names = format.components.map((c) => c.name).filter((n) => n !== 'x' && n !== 'e')
  return ['r', 'g', 'b', 'a', 'd', 's'].filter((n) => (names as readonly string[]).includes(n))
}

/** Place of a component in a register: alpha is always the fourth, depth and stencil the first. */
function registerComponent(name: string): number {
  return Math.max(0, 'rgba'.indexOf(name))
}

/** Whether texels of the format can be taken apart. */
export function isReadable(format: Format): boolean {
  return format.result !== 'none'
}

/** Components of an element as a shader would load them, in the order of `componentNames`. */
export function texelComponents(format: Format, storage: Storage, byteOffset: number, inBlock = 0): number[] {
  const words = new Uint32Array(4)
  codecOf(format).decode(storage, byteOffset, inBlock, words, 0)
  return componentNames(format).map((name) => {
    const bits = words[registerComponent(name)]!
    if (format.result === 'float') return f32OfBits(bits)
    return format.result === 'sint' ? bits | 0 : bits
  })
}

export function componentText(format: Format, value: number): string {
  return format.result === 'float' ? f32Text(value) : String(value)
}

/** Writes an element from components as a shader would store them. False for formats that are not stored texel by texel. */
export function writeTexel(
  format: Format,
  storage: Storage,
  byteOffset: number,
  components: readonly number[],
): boolean {
  if (!isReadable(format)) return false
  const { encode } = codecOf(format)
  if (encode === undefined) return false
  const words = new Uint32Array(4)
  componentNames(format).forEach((name, i) => {
    const value = components[i] ?? (name === 'a' && format.result === 'float' ? 1 : 0)
    words[registerComponent(name)] = format.result === 'float' ? bitsOfF32(value) : value
  })
  encode(storage, byteOffset, words, 0)
  return true
}

/** An SRGB format's codes as they are: its sibling without the curve. Any other format is its own. */
export function withoutCurve(format: Format): Format {
  return format.srgb ? (findFormat(format.name.replace(/_SRGB$/, '')) ?? formatNamed('R8G8B8A8_UNORM')) : format
}

/** Byte offset of a texel's element in the texture's storage, and its place in its block. */
export function texelPlace(
  texture: Texture,
  part: Subresource,
  x: number,
  y: number,
  z: number,
): [at: number, inBlock: number] {
  const { blockWidth, blockHeight, blockByteLength } = texture.format
  const column = Math.floor(x / blockWidth)
  const row = Math.floor(y / blockHeight)
  const at =
    part.byteOffset + z * part.slicePitch + row * part.rowPitch + column * blockByteLength * texture.sampleCount
  return [at, (y % blockHeight) * blockWidth + (x % blockWidth)]
}

/** Calls back for each texel of a subresource, row by row. */
export function eachTexel(
  texture: Texture,
  mip: number,
  slice: number,
  visit: (byteOffset: number, inBlock: number, index: number) => void,
): void {
  const part = subresource(texture, mip, slice)
  if (part === undefined) return
  let index = 0
  for (let z = 0; z < part.depth; z++) {
    for (let y = 0; y < part.height; y++) {
      for (let x = 0; x < part.width; x++) visit(...texelPlace(texture, part, x, y, z), index++)
    }
  }
}
