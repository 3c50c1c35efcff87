import type { Format } from '../../isa/formats/index.ts'
import { type Storage, storageOver, type Texture } from '../../machine/index.ts'
import { hexText, SCALAR_BYTES, type ScalarType, scalarText } from '../values/scalars.ts'
import { componentPath, type Leaf, leavesOf, type Shape } from '../values/shape.ts'
import { componentText, isReadable, shownFormat, texelComponents, texelPlace } from '../values/texels.ts'
import type { PreparedResource } from './resources.ts'

/** A byte of a resource as people find it: which element, of what type, and how its value reads. */
export interface Located {
  /** `[12].position.y`, `(3, 7)`, `byte 64`. */
  readonly where: string
  readonly type: string
  /** The value there, in any copy of the resource's bytes. */
  readonly text: (bytes: Storage) => string
}

/** A copy of bytes that texel codecs can read. */
export function storageOfBytes(bytes: Uint8Array): Storage {
  const storage = storageOver(
    { buffer: new ArrayBuffer(Math.max(16, Math.ceil(bytes.length / 16) * 16)), byteOffset: 0 },
    bytes.length,
  )
  storage.bytes.set(bytes)
  return storage
}

function dataView(s: Storage): DataView {
  return new DataView(s.buffer, s.byteOffset, s.byteLength)
}

function scalarAt(at: number, type: ScalarType): (s: Storage) => string {
  return (s) => (at + SCALAR_BYTES[type] <= s.byteLength ? scalarText(dataView(s), at, type) : 'nothing')
}

const LEAVES = new WeakMap<Shape, readonly Leaf[]>()

export function cachedLeaves(shape: Shape): readonly Leaf[] {
  const known = LEAVES.get(shape) ?? leavesOf(shape) ?? []
  LEAVES.set(shape, known)
  return known
}

/** The number of a shape that a byte belongs to. */
function componentAt(shape: Shape, byteOffset: number): { leaf: Leaf; component: number } | undefined {
  for (const leaf of cachedLeaves(shape)) {
    const size = SCALAR_BYTES[leaf.shape.scalar]
    const component = leaf.shape.offsets.findIndex((o) => {
      const at = byteOffset - leaf.byteOffset - o
      return at >= 0 && at < size
    })
    if (component >= 0) return { leaf, component }
  }
  return undefined
}

/** A byte of an array of structures. */
export function locateInStructure(
  shape: Shape | undefined,
  stride: number,
  at: number,
  fallback: ScalarType | undefined,
): Located {
  const index = Math.floor(at / stride)
  const inside = at % stride
  const found = shape === undefined ? undefined : componentAt(shape, inside)
  if (found === undefined) {
    const where = stride === 4 ? `[${index}]` : `[${index}] byte ${inside - (inside % 4)}`
    return { ...word(at - (at % 4), fallback), where }
  }
  const { leaf, component } = found
  const path = componentPath(leaf, component)
  const start = index * stride + leaf.byteOffset + leaf.shape.offsets[component]!
  const dot = path === '' || path.startsWith('[') || path.startsWith('.') ? '' : '.'
  return { where: `[${index}]${dot}${path}`, type: leaf.shape.scalar, text: scalarAt(start, leaf.shape.scalar) }
}

function word(at: number, type: ScalarType | undefined): Located {
  const where = `byte ${at}`
  if (type !== undefined) return { where, type, text: scalarAt(at, type) }
  return { where, type: '', text: (s) => (at + 4 <= s.byteLength ? hexText(dataView(s), at, 4) : 'nothing') }
}

/** Mip, slice and texel of a byte of a texture. */
function texelAt(texture: Texture, at: number): { where: string; start: number; inBlock: number } | undefined {
  const slice = Math.floor(at / texture.arrayPitch)
  const inSlice = at % texture.arrayPitch
  const mip = texture.mips.findIndex((m) => inSlice < m.byteOffset + m.byteLength)
  const part = texture.mips[mip]
  if (part === undefined) return undefined
  const { blockWidth, blockHeight, blockByteLength } = texture.format
  const inPart = inSlice - part.byteOffset
  const z = Math.floor(inPart / part.slicePitch)
  const row = Math.floor((inPart % part.slicePitch) / part.rowPitch)
  const column = Math.floor((inPart % part.rowPitch) / (blockByteLength * texture.sampleCount))
  const sample = Math.floor(inPart / blockByteLength) % texture.sampleCount
  const [x, y] = [column * blockWidth, row * blockHeight]
  const axes = texture.dimension === 'texture3d' ? [x, y, z] : texture.dimension === 'texture1d' ? [x] : [x, y]
  const parts = [
    `(${axes.join(', ')})`,
    ...(texture.sampleCount > 1 ? [`sample ${sample}`] : []),
    ...(texture.mipLevels > 1 ? [`mip ${mip}`] : []),
    ...(texture.arraySize > 1 ? [`slice ${slice}`] : []),
  ]
  const place = { ...part, byteOffset: part.byteOffset + slice * texture.arrayPitch }
  const [start] = texelPlace(texture, place, x, y, z)
  return { where: parts.join(' '), start: start + sample * blockByteLength, inBlock: 0 }
}

/** A byte of a texture: its texel, read in a format. */
export function locateTexel(texture: Texture, format: Format, at: number, type?: ScalarType): Located {
  const texel = texelAt(texture, at)
  if (texel === undefined || !isReadable(format)) return word(at - (at % 4), type)
  const read = (s: Storage): string =>
    elementText(texelComponents(format, s, texel.start, texel.inBlock), (v) => componentText(format, v))
  return { where: texel.where, type: format.name, text: read }
}

/**
 * What stands at a byte of the resource behind a slot. `type` is how words without a description are read; absent, they
 * are hexadecimal.
 */
export function locate(r: PreparedResource, at: number, type?: ScalarType): Located {
  const { bound, shape } = r
  if (bound.kind === 'sampler') return word(at, type)
  if (bound.kind === 'cbv') {
    const found = shape === undefined ? undefined : componentAt(shape, at)
    if (found === undefined) return word(at, type)
    const { leaf, component } = found
    const start = leaf.byteOffset + leaf.shape.offsets[component]!
    return { where: componentPath(leaf, component), type: leaf.shape.scalar, text: scalarAt(start, leaf.shape.scalar) }
  }
  switch (bound.shape) {
    case 'raw':
      return word(at - (at % 4), type)
    case 'structured':
      return locateInStructure(shape, bound.stride, at, type)
    case 'typed': {
      const { format, stride } = bound
      const index = Math.floor(at / stride)
      const read = (s: Storage): string =>
        elementText(texelComponents(format, s, index * stride), (v) => componentText(format, v))
      return { where: `[${index}]`, type: format.name, text: read }
    }
    case 'texture':
      return locateTexel(bound.resource, bound.format, at, type)
  }
}

/** One element as people read it: of depth and stencil formats `0.5, stencil 3`. */
export function texelText(format: Format, bytes: Uint8Array): string {
  const shown = shownFormat(format)
  const storage = storageOfBytes(bytes)
  const stencil = format.components.find((c) => c.name === 's')
  const ofStencil = stencil === undefined ? '' : `, stencil ${bytes[stencil.bitOffset >> 3]}`
  if (!isReadable(shown)) return hexText(dataView(storage), 0, bytes.length)
  return `${elementText(texelComponents(shown, storage, 0), (v) => componentText(shown, v))}${ofStencil}`
}

function elementText(values: readonly number[], text: (v: number) => string): string {
  return values.length === 1 ? text(values[0]!) : `(${values.map(text).join(', ')})`
}

/** Bits of the words at a place, for values that read alike and are not. */
export function bitsText(s: Storage, at: number, byteCount: number): string {
  return at + byteCount <= s.byteLength ? hexText(dataView(s), at, byteCount) : ''
}
