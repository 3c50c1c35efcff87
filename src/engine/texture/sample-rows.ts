import { constantOf, type FilterTaps, type Value, viewProperty } from '../ir/index.ts'
import { chooseValues } from './filter-code.ts'
import { packedOf } from './packed-quads.ts'
import {
  applyAddress,
  hasPowersOfTwo,
  isMasked,
  isNear,
  isNoOffset,
  locate,
  type Position,
  reduceRange,
  sizeClassOf,
} from './sample-address.ts'
import type { MipChoice } from './sample-mips.ts'
import type { TapContext } from './tap-context.ts'
import { type RowLevel, rowLevelOf } from './texel-place.ts'

/**
 * Samples of decoded copies whose filters read two texels at each of two addresses (`decoded-views.ts` has the margins that allow it): the
 * same arithmetic as `sample-taps.ts` and `filter-code.ts` for numbers that meet no denormals.
 */

/** The first of two texels on an axis, where the second stands behind it in the copy. */
function firstTexel(c: TapContext, level: RowLevel, n: 0 | 1): Position {
  const { o, sampler } = c
  const mode = n === 0 ? sampler.addressU : sampler.addressV
  const [offset, last] = [c.offsets[n]!, level.last[n]]
  const reach = { near: isNoOffset(offset), powers: hasPowersOfTwo(c.view) }
  const isShort = isNear(sizeClassOf(c.view), mode, false)
  const reduced = reduceRange(o, c.coordinates[n]!, mode)
  const masked = isMasked(mode, reach)
  const { first, fraction } = locate(o, reduced, level.sizes[n], offset, true, isShort, masked)
  if (masked) return { first: o.and(first, last), fraction }
  const one = o.constant(1)
  if (mode === 'wrap') return { first: applyAddress(o, first, o.i32Add(last, one), 'wrap', reach).texel, fraction }
  const isLast = o.i32Less(o.i32Sub(last, one), first)
  const beyond = o.i32Add(last, o.constant(2))
  return { first: o.select(isLast, beyond, o.make('i32Max', [o.constant(-1), first])), fraction }
}

/** Addresses of the first texels of both rows on a mip, and weights. */
function rowTaps(c: TapContext, mip: Value): FilterTaps {
  const { o } = c
  const level = rowLevelOf(o, c.statement, c.binding, mip)
  const [x, y] = [firstTexel(c, level, 0), firstTexel(c, level, 1)]
  const inRow = o.i32Mul(x.first, o.constant(c.stored.blockByteLength))
  const row = o.i32Add(level.begin, o.i32Mul(y.first, level.rowPitch))
  // Slices are as far from each other on all mips.
  const slice = o.i32Mul(c.slice, viewProperty(o, c.binding, 'slicePitch'))
  const first = o.i32Add(o.i32Add(row, inRow), slice)
  return { taps: [first, o.i32Add(first, level.rowPitch)], u: x.fraction, v: y.fraction }
}

/** A sample's components: of one mip, or of both where a lane of the wave has a weight for the second. */
export function sampleRows(c: TapContext, mips: MipChoice): (Value | undefined)[] {
  const { o } = c
  const { fraction } = mips
  const filter = (hasBoth: boolean): Value[] => {
    const near = rowTaps(c, mips.near)
    const far = hasBoth ? { ...rowTaps(c, mips.far), fraction } : undefined
    const results = [0, 1, 2, 3].map((n) => o.result(n))
    o.push({ kind: 'filter', statement: c.statement, ...near, far, codeBits: undefined, results })
    return results
  }
  const zero = o.constant(0)
  const hasWeight = (): Value => o.make('anyLane', [o.not(o.f32Equal(packedOf(fraction), zero))])
  const all =
    constantOf(fraction) === 0
      ? filter(false)
      : chooseValues(
          o,
          hasWeight(),
          () => filter(true),
          () => filter(false),
        )
  for (const r of all) o.addFacts(r, { flushed: true })
  return all.map((r, n) => (c.wanted[n] ? r : undefined))
}
