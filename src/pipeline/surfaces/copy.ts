import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { Format } from '../../isa/formats/index.ts'
import { type Buffer, type Subresource, subresource, type Texture } from '../../machine/index.ts'
import type { SubresourcePlace } from './resolve.ts'

/** CopyResource and CopySubresourceRegion (functional specification 5.6.2, 5.6.3): bytes move, nothing is converted. */

/** D3D11_BOX: texels (bytes of a buffer) from the first corner up to, not including, the second. */
export interface CopyBox {
  readonly left: number
  readonly right: number
  readonly top?: number
  readonly bottom?: number
  readonly front?: number
  readonly back?: number
}

/** Where a region goes to: a subresource and its first texel, or the first byte of a buffer as `x`. */
export interface CopyDestination extends SubresourcePlace {
  readonly x?: number
  readonly y?: number
  readonly z?: number
}

/** What is copied; all of the subresource, or buffer, without a box. */
export interface CopySource extends SubresourcePlace {
  readonly box?: CopyBox
}

const refuse = (text: string): Diagnostic[] => [diagnostic('pipeline-copy', text)]

/** Integer formats whose elements blocks of the same size may be copied to and from (Direct3D 10.1). */
const BLOCK_STAND_INS: Readonly<Record<number, readonly string[]>> = {
  4: ['R32_UINT', 'R32_SINT'],
  8: ['R16G16B16A16_UINT', 'R16G16B16A16_SINT', 'R32G32_UINT', 'R32G32_SINT'],
  16: ['R32G32B32A32_UINT', 'R32G32B32A32_SINT'],
}

function isPacked(f: Format): boolean {
  return (f.layout !== 'linear' && f.layout !== 'packed422') || f.components.some((c) => c.encoding === 'sharedexp')
}

/** Whether bytes of one format may become those of another: one family, or a block (or a shared exponent) and an integer. */
export function canCopy(a: Format, b: Format): boolean {
  if (a.family === b.family) return true
  if (a.blockByteLength !== b.blockByteLength) return false
  const standIns = BLOCK_STAND_INS[a.blockByteLength] ?? []
  return (isPacked(a) && standIns.includes(b.name)) || (isPacked(b) && standIns.includes(a.name))
}

function copyBytes(to: Uint8Array, at: number, from: Uint8Array, start: number, length: number): void {
  to.set(from.subarray(start, start + length), at)
}

/** Structured buffers are copied in whole structures, and to such of the same stride (5.6.5). */
function checkStructures(to: Buffer, from: Buffer, offsets: readonly number[]): Diagnostic[] {
  if (to.stride !== undefined && from.stride !== undefined && to.stride !== from.stride) {
    return refuse(
      `The structures of the buffers have ${from.stride} and ${to.stride} bytes; they must be the same size.`,
    )
  }
  const stride = to.stride ?? from.stride
  if (stride === undefined || offsets.every((v) => v % stride === 0)) return []
  return refuse(`Structured buffers are copied in whole structures of ${stride} bytes.`)
}

function copyBuffer(to: Buffer, at: CopyDestination, from: Buffer, { box }: CopySource): Diagnostic[] {
  const { left, right } = box ?? { left: 0, right: from.byteLength }
  const x = at.x ?? 0
  if (![left, right, x].every((v) => Number.isInteger(v) && v >= 0)) {
    return refuse(`Bytes ${left} to ${right} were to go to byte ${x}; these must be whole numbers from 0 on.`)
  }
  if (left >= right) return []
  if (right > from.byteLength || x + right - left > to.byteLength) {
    return refuse(
      `Bytes ${left} to ${right} of ${from.byteLength} were to go to byte ${x} of ${to.byteLength}; they do not fit.`,
    )
  }
  const wrong = checkStructures(to, from, [left, right, x])
  if (wrong.length === 0) copyBytes(to.storage.bytes, x, from.storage.bytes, left, right - left)
  return wrong
}

/** A region in blocks of its format. */
interface BlockRegion {
  readonly first: readonly [x: number, y: number, z: number]
  readonly count: readonly [width: number, height: number, depth: number]
}

type Triple = readonly [number, number, number]

const blockOf = (f: Format): Triple => [f.blockWidth, f.blockHeight, 1]
const extentOf = (s: Subresource): Triple => [s.width, s.height, s.depth]

/** The source box in blocks; undefined where it does not lie in the subresource or on blocks. */
function sourceRegion(s: Subresource, f: Format, box: CopyBox | undefined): BlockRegion | undefined {
  const [width, height, depth] = extentOf(s)
  const { left, right, top = 0, bottom = height, front = 0, back = depth } = box ?? { left: 0, right: width }
  const [low, high, block, extent] = [[left, top, front], [right, bottom, back], blockOf(f), extentOf(s)]
  const fits = low.every((v, i) => {
    const end = high[i]!
    const onBlocks = v % block[i]! === 0 && (end % block[i]! === 0 || end === extent[i]!)
    return Number.isInteger(v) && Number.isInteger(end) && v >= 0 && end <= extent[i]! && onBlocks
  })
  if (!fits) return undefined
  const blocks = (i: 0 | 1 | 2): number => Math.max(0, Math.ceil((high[i]! - low[i]!) / block[i]))
  return {
    first: [left / block[0], top / block[1], front],
    count: [blocks(0), blocks(1), blocks(2)],
  }
}

/** The first block of the destination; undefined where the region does not fit from there on. */
function destinationBlock(s: Subresource, f: Format, at: CopyDestination, count: Triple): Triple | undefined {
  const start = [at.x ?? 0, at.y ?? 0, at.z ?? 0]
  const [block, extent] = [blockOf(f), extentOf(s)]
  const fits = start.every((v, i) => {
    const blocks = Math.ceil(extent[i]! / block[i]!)
    return Number.isInteger(v) && v >= 0 && v % block[i]! === 0 && v / block[i]! + count[i]! <= blocks
  })
  return fits ? [start[0]! / block[0], start[1]! / block[1], start[2]!] : undefined
}

const isWhole = (s: Subresource, f: Format, r: BlockRegion): boolean =>
  r.count.every((n, i) => r.first[i] === 0 && n === Math.ceil(extentOf(s)[i]! / blockOf(f)[i]!))

const placeText = (p: SubresourcePlace): string => `mip ${p.mip ?? 0} of slice ${p.arraySlice ?? 0}`

function moveBlocks(
  to: Texture,
  at: number,
  s: Subresource,
  from: Texture,
  start: number,
  r: Subresource,
  count: Triple,
) {
  const rowBytes = count[0] * from.format.blockByteLength * from.sampleCount
  const all = (count[2] - 1) * r.slicePitch + (count[1] - 1) * r.rowPitch + rowBytes
  const region = from.storage.bytes.subarray(start, start + all)
  // Regions of one texture may overlap (5.6.2.1): what is read must be what was there before.
  const bytes = to.storage === from.storage ? region.slice() : region
  for (let z = 0; z < count[2]; z++) {
    for (let y = 0; y < count[1]; y++) {
      const source = z * r.slicePitch + y * r.rowPitch
      copyBytes(to.storage.bytes, at + z * s.slicePitch + y * s.rowPitch, bytes, source, rowBytes)
    }
  }
}

const blockStart = (s: Subresource, t: Texture, [x, y, z]: Triple): number =>
  s.byteOffset + z * s.slicePitch + y * s.rowPitch + x * t.format.blockByteLength * t.sampleCount

function checkTextures(to: Texture, from: Texture): Diagnostic[] {
  if (!canCopy(to.format, from.format)) {
    return refuse(`${from.format.name} cannot be copied to ${to.format.name}: they are of different families.`)
  }
  if (to.sampleCount === from.sampleCount) return []
  return refuse(`A texture of ${from.sampleCount} samples cannot be copied to one of ${to.sampleCount}; resolve it.`)
}

function copyTexture(to: Texture, at: CopyDestination, from: Texture, source: CopySource): Diagnostic[] {
  const wrong = checkTextures(to, from)
  if (wrong.length > 0) return wrong
  const target = subresource(to, at.mip ?? 0, at.arraySlice ?? 0)
  const origin = subresource(from, source.mip ?? 0, source.arraySlice ?? 0)
  if (target === undefined) return refuse(`The destination has no ${placeText(at)}.`)
  if (origin === undefined) return refuse(`The source has no ${placeText(source)}.`)
  const region = sourceRegion(origin, from.format, source.box)
  if (region === undefined) return refuse(`The box does not lie in ${placeText(source)} in whole blocks.`)
  if (region.count.includes(0)) return []
  const first = destinationBlock(target, to.format, at, region.count)
  if (first === undefined) return refuse(`The region does not fit into ${placeText(at)} of the destination.`)
  const whole = isWhole(origin, from.format, region) && isWhole(target, to.format, { first, count: region.count })
  if (!whole && (from.sampleCount > 1 || from.format.depthStencil || to.format.depthStencil)) {
    return refuse('Multisample and depth textures are copied by whole subresources.')
  }
  const start = blockStart(origin, from, region.first)
  moveBlocks(to, blockStart(target, to, first), target, from, start, origin, region.count)
  return []
}

/** CopySubresourceRegion: a box of one subresource to a place in another; answers what was wrong. */
export function copyRegion(
  destination: Buffer | Texture,
  at: CopyDestination,
  source: Buffer | Texture,
  from: CopySource = {},
): Diagnostic[] {
  if (destination.kind === 'buffer' && source.kind === 'buffer') return copyBuffer(destination, at, source, from)
  if (destination.kind === 'texture' && source.kind === 'texture') return copyTexture(destination, at, source, from)
  return refuse(`A ${source.kind} cannot be copied to a ${destination.kind}.`)
}

function sameShape(a: Texture, b: Texture): boolean {
  const flat = (t: Texture): string => (t.dimension === 'texturecube' ? 'texture2d' : t.dimension)
  const extents = (t: Texture): number[] => [t.width, t.height, t.depth, t.arraySize, t.mipLevels]
  return flat(a) === flat(b) && extents(a).every((v, i) => v === extents(b)[i])
}

/** CopyResource: every subresource of a resource to one of the same kind and size; answers what was wrong. */
export function copyResource(destination: Buffer | Texture, source: Buffer | Texture): Diagnostic[] {
  if (destination.storage === source.storage) return refuse('A resource cannot be copied to itself.')
  if (destination.byteLength !== source.byteLength) {
    return refuse(`The source has ${source.byteLength} bytes, the destination ${destination.byteLength}.`)
  }
  if (destination.kind === 'buffer' && source.kind === 'buffer') return copyBuffer(destination, {}, source, {})
  if (destination.kind !== 'texture' || source.kind !== 'texture') {
    return refuse(`A ${source.kind} cannot be copied to a ${destination.kind}.`)
  }
  const wrong = checkTextures(destination, source)
  if (wrong.length > 0) return wrong
  const isFamily = destination.format.family === source.format.family
  if (!isFamily || !sameShape(destination, source)) {
    return refuse(
      'The textures differ in format family, dimension, size, slices or mips; copy regions of them instead.',
    )
  }
  destination.storage.bytes.set(source.storage.bytes)
  return []
}
