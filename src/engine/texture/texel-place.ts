import type { TexelView } from '../../machine/index.ts'
import {
  type AccessAddress,
  type Builder,
  type Check,
  constantOf,
  type MemorySpace,
  type TexelValues,
  type Value,
  type ViewProperty,
  viewProperty,
} from '../ir/index.ts'
import { LEVEL, LEVEL_WORDS } from './mip-table.ts'
import { storedFormat } from './texel-element.ts'

/** Where the mips and texels of a view lie, as values: from the view's descriptor, or from its table of mips. */

/** One mip. Byte offset from the view's base; the pitch of slices is that of depth slices or of array slices. */
export interface Level {
  readonly offset: Value
  readonly rowPitch: Value
  readonly slicePitch: Value
  readonly width: Value
  readonly height: Value
  readonly depth: Value
}

function firstLevel(o: Builder, binding: number): Level {
  const word = (name: ViewProperty): Value => viewProperty(o, binding, name)
  return {
    offset: o.constant(0),
    rowPitch: word('rowPitch'),
    slicePitch: word('slicePitch'),
    width: word('width'),
    height: word('height'),
    depth: word('depth'),
  }
}

/** So many words of a mip's row of the table, from `first` on. */
function levelWords(
  o: Builder,
  statement: number,
  binding: number,
  mip: Value,
  first: number,
  count: number,
): readonly Value[] {
  const dwords = Array.from({ length: count }, (_, n) => n)
  const results = dwords.map((n) => o.result(n))
  const address: AccessAddress = {
    space: { kind: 'mip-table', binding },
    index: mip,
    offset: o.constant(first * 4),
    stride: LEVEL_WORDS * 4,
    valid: o.constant(0xffffffff),
  }
  o.push({ kind: 'load', statement, address, components: dwords, dwords, results })
  return results
}

/** The mip of a number that is known to be one of the view's. */
export function levelOf(o: Builder, statement: number, binding: number, mip: Value): Level {
  if (constantOf(mip) === 0) return firstLevel(o, binding)
  const words = (first: number): readonly Value[] => levelWords(o, statement, binding, mip, first, 3)
  const [offset, rowPitch, slicePitch] = words(LEVEL.offset) as [Value, Value, Value]
  const [width, height, depth] = words(LEVEL.width) as [Value, Value, Value]
  return { offset, rowPitch, slicePitch, width, height, depth }
}

/** A mip as filters of rows find it: the address of its first texel, its pitch, and for u and v sizes as floats and the last texels. */
export interface RowLevel {
  readonly begin: Value
  readonly rowPitch: Value
  readonly sizes: readonly [Value, Value]
  readonly last: readonly [Value, Value]
}

export function rowLevelOf(o: Builder, statement: number, binding: number, mip: Value): RowLevel {
  const words = (first: number, count: number): readonly Value[] => levelWords(o, statement, binding, mip, first, count)
  const [begin, rowPitch, width, height] = words(LEVEL.begin, 4) as [Value, Value, Value, Value]
  const [lastX, lastY] = words(LEVEL.lastX, 2) as [Value, Value]
  return { begin, rowPitch, sizes: [width, height], last: [lastX, lastY] }
}

/** Bytes from one texel of a row to the next: all samples of one. */
export const texelBytes = (view: TexelView): number => storedFormat(view.format).blockByteLength * view.sampleCount

/** The mip that a load names: one of the view's, and whether it is the one that was meant. */
function mipOf(o: Builder, view: TexelView, mip: Value | undefined): { mip: Value; valid: Value } {
  const zero = o.constant(0)
  const count = view.levels.length
  if (view.minLod > count - 1) return { mip: zero, valid: zero }
  // Mips below the per-resource clamp do not exist (5.8.5).
  const first = Math.floor(view.minLod)
  const given = mip ?? zero
  const valid = o.u32Less(o.i32Sub(given, o.constant(first)), o.constant(count - first))
  return { mip: o.and(given, valid), valid }
}

/** A texel's coordinates as `ld` takes them; those that the view's dimension does not have are not looked at. */
interface TexelArguments {
  readonly x: Value
  readonly y: Value
  readonly z: Value
  /** Number of the mip, and of the sample; undefined where the instruction has none. */
  readonly mip: Value | undefined
  readonly sample: Value | undefined
}

interface InLevel {
  readonly offset: Value
  readonly valid: Value
}

function placeInLevel(o: Builder, view: TexelView, level: Level, count: Value, { x, y, z }: TexelArguments): InLevel {
  const { dimension } = view
  const line = dimension === 'texture1d' || dimension === 'texture1darray'
  const flat = dimension === 'texture1d' || dimension === 'texture2d' || dimension === 'texture2dms'
  const slice = flat ? undefined : line ? y : z
  let offset = o.i32Add(level.offset, o.i32Mul(x, o.constant(texelBytes(view))))
  let valid = o.u32Less(x, level.width)
  if (!line) {
    offset = o.i32Add(offset, o.i32Mul(y, level.rowPitch))
    valid = o.and(valid, o.u32Less(y, level.height))
  }
  if (slice !== undefined) {
    offset = o.i32Add(offset, o.i32Mul(slice, level.slicePitch))
    valid = o.and(valid, o.u32Less(slice, dimension === 'texture3d' ? level.depth : count))
  }
  return { offset, valid }
}

/** The coordinates that say which texel is meant: those that the view's dimension has, and what is not always 0. */
function namedTexel({ dimension }: TexelView, { x, y, z, mip, sample }: TexelArguments): TexelValues {
  const hasZ = dimension === 'texture3d' || dimension === 'texturecube' || /[^1]d(ms)?array$|cubearray$/.test(dimension)
  const isNamed = (v: Value | undefined): boolean => v !== undefined && constantOf(v) !== 0
  return {
    x,
    y: dimension === 'texture1d' ? undefined : y,
    z: hasZ ? z : undefined,
    mip: isNamed(mip) ? mip : undefined,
    sample: isNamed(sample) ? sample : undefined,
  }
}

/** The address of a texel; `returns` of an atomic whose result is undefined out of bounds (22.17). */
export function texelAddress(
  o: Builder,
  statement: number,
  view: TexelView,
  space: Extract<MemorySpace, { kind: 'buffer' }>,
  at: TexelArguments,
  returns: boolean,
): AccessAddress {
  const { binding } = space
  const { mip, valid: hasMip } = mipOf(o, view, at.mip)
  const level = levelOf(o, statement, binding, mip)
  const place = placeInLevel(o, view, level, viewProperty(o, binding, 'arraySize'), at)
  const always = o.constant(0xffffffff)
  const texel = namedTexel(view, at)
  const checks: Check[] = [
    { reason: 'out-of-bounds', defined: !returns, bad: always, address: at.x, limit: level.width, texel },
  ]
  const { sample } = at
  let { offset } = place
  let valid = o.and(hasMip, place.valid)
  if (sample !== undefined && !(view.sampleCount === 1 && constantOf(sample) === 0)) {
    const count = o.constant(view.sampleCount)
    const has = o.u32Less(sample, count)
    offset = o.i32Add(offset, o.i32Mul(sample, o.constant(view.format.blockByteLength)))
    valid = o.and(valid, has)
    checks.unshift({ reason: 'subresource', defined: false, bad: o.not(has), address: sample, limit: count, texel })
  }
  if (at.mip !== undefined && constantOf(at.mip) !== 0) {
    const count = o.constant(view.levels.length)
    const bad = o.not(o.u32Less(at.mip, count))
    checks.unshift({ reason: 'subresource', defined: true, bad, address: at.mip, limit: count, texel })
  }
  return { space, index: undefined, stride: 0, offset, valid, checks }
}
