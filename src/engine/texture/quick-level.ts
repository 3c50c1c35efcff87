import {
  HALF_ROOT,
  levelBounds,
  QUICK_SERIES,
  type Sampler,
  type TextureSrv,
  WEIGHT_BITS,
} from '../../machine/index.ts'
import { type Builder, bitsOf, type Value } from '../ir/index.ts'
import { insteadWhere } from './filter-code.ts'
import type { MipChoice } from './sample-mips.ts'

/**
 * The mips of a footprint without doubles. The machine's logarithm is rounded to 2^-12 before it chooses a mip and a weight, so
 * that one good to 2^-18 chooses the same unless it stands near the middle between two steps: then the machine's way is gone.
 */

/** 1.5 * 2^11: added to a number below 2^10, it leaves the number in units of 2^-12, nearest even, in the low bits. */
const TO_STEPS = 0x45400000
const FRACTION_BITS = 12
const WHOLE_STEPS = 0xfffff000

/*
 * How far the quick logarithm may be from the machine's, of a level of detail L: the series is good to 2 * 10^-8 and its roundings come to
 * 6 * 10^-8 (its quotient, its sums and its product, each 2^-24 of a number below 0.25). The machine's root, or the square of an anisotropic
 * length, is rounded by 2^-24 of itself, which are 9 * 10^-8 and 5 * 10^-8 of a logarithm. Both end with a sum that is rounded by 2^-24 of L
 * at the most. Together 2.2 * 10^-7 and 1.2 * 10^-7 times L: 0.0009 of a step, and 0.0005 times L.
 */

/** How far from a step 0 may be and surely not be rounded to another, and by how much less a number for each 1 that it is away from 0. */
const CERTAIN_DISTANCE = (0.5 - 0.0012) / 4096
const LESS_CERTAIN = 0.0006 / 4096

/** Half of log2 of the bits of a number; of 0 and denormals less than -60, of infinity and NaN more than 60. */
export function quickHalfLog2(o: Builder, squared: Value): Value {
  const number = (n: number): Value => o.constant(bitsOf(n))
  const magnitude = o.and(squared, o.constant(0x7fffffff))
  const count = o.constant(23)
  const exponent = o.shiftRightArithmetic(o.i32Sub(magnitude, o.constant(HALF_ROOT)), count)
  const m = o.i32Sub(magnitude, o.shiftLeft(exponent, count))
  const s = o.f32Div(o.f32Sub(m, number(1)), o.f32Add(m, number(1)))
  const s2 = o.f32Mul(s, s)
  const [a, b, c] = QUICK_SERIES.map(number) as [Value, Value, Value]
  const series = o.f32Add(a, o.f32Mul(s2, o.f32Add(b, o.f32Mul(s2, c))))
  return o.f32Add(o.f32Mul(o.i32ToF32(exponent), number(0.5)), o.f32Mul(s, series))
}

/** Whether a sampler leaves the choice to mip and weight alone: no bias, one filter for all levels of detail, several mips. */
export function hasQuickMips(view: TextureSrv, sampler: Sampler): boolean {
  const isOneFilter = sampler.min === sampler.mag || view.format.capabilities.filter === 'none'
  return view.levels.length > 1 && isOneFilter && sampler.mipLodBias === 0
}

/**
 * The mips of a footprint with the square of its length; `exact` chooses where that is not certain, for the whole wave. Of packed quads
 * all of it is packed.
 */
export function quickMips(
  o: Builder,
  view: TextureSrv,
  sampler: Sampler,
  squared: Value,
  exact: () => MipChoice,
): MipChoice {
  const [least, most] = levelBounds(view, sampler).map((n) => o.constant(bitsOf(n))) as [Value, Value]
  const lod = o.make('f32PseudoMin', [most, o.make('f32PseudoMax', [least, quickHalfLog2(o, squared)])])
  const magic = o.constant(TO_STEPS)
  const steps = o.f32Add(lod, magic)
  const distance = o.and(o.f32Sub(lod, o.f32Sub(steps, magic)), o.constant(0x7fffffff))
  const less = o.f32Mul(lod, o.constant(bitsOf(LESS_CERTAIN)))
  const certain = o.f32Sub(o.constant(bitsOf(CERTAIN_DISTANCE)), less)
  const uncertain = o.make('anyLane', [o.f32Less(certain, distance)])
  const last = o.constant(view.levels.length - 1)
  const zero = o.constant(0)
  const isPoint = sampler.mip === 'point' || view.format.capabilities.filter === 'none'
  const half = o.constant(isPoint ? 1 << (FRACTION_BITS - 1) : 0)
  const whole = o.shiftRightArithmetic(o.i32Add(steps, half), o.constant(FRACTION_BITS))
  const near = o.make('u32Min', [last, o.i32Sub(whole, o.constant(TO_STEPS >> FRACTION_BITS))])
  const fraction = isPoint ? zero : o.f32Sub(steps, o.and(steps, o.constant(WHOLE_STEPS)))
  const following = (n: Value): Value => o.make('u32Min', [last, o.i32Add(n, o.constant(1))])
  const quick = {
    near,
    far: isPoint ? near : following(near),
    fraction,
    isWeight: false,
    linear: false,
    off: undefined,
  }
  let exactChoice: MipChoice | undefined
  const chosenOf = (m: MipChoice): Value[] => (isPoint ? [m.near] : [m.near, m.far, m.fraction])
  const chosen = insteadWhere(o, uncertain, chosenOf(quick), () => {
    exactChoice = exact()
    return chosenOf(exactChoice)
  })
  const [n, next, f] = chosen as [Value, Value | undefined, Value | undefined]
  return {
    near: n,
    far: next ?? n,
    fraction: f ?? zero,
    isWeight: false,
    linear: exactChoice!.linear,
    off: exactChoice!.off,
  }
}

/** The same in the precision `fast`: the quick logarithm decides, and the weight is a whole number. `squares` are those of both derivatives. */
export function fastMips(o: Builder, view: TextureSrv, sampler: Sampler, squares: readonly [Value, Value]): MipChoice {
  const [least, most] = levelBounds(view, sampler).map((n) => o.constant(bitsOf(n))) as [Value, Value]
  const zero = o.constant(0)
  const greater = o.make('f32PseudoMax', [o.make('f32PseudoMax', [zero, squares[0]]), squares[1]])
  const lod = o.make('f32PseudoMin', [most, o.make('f32PseudoMax', [least, quickHalfLog2(o, greater)])])
  const steps = o.f32Add(lod, o.constant(TO_STEPS))
  const isPoint = sampler.mip === 'point'
  const half = o.constant(isPoint ? 1 << (FRACTION_BITS - 1) : 0)
  const whole = o.shiftRightArithmetic(o.i32Add(steps, half), o.constant(FRACTION_BITS))
  const near = o.i32Sub(whole, o.constant(TO_STEPS >> FRACTION_BITS))
  if (isPoint) return { near, far: near, fraction: zero, isWeight: true, linear: true, off: undefined }
  const far = o.make('u32Min', [o.constant(view.levels.length - 1), o.i32Add(near, o.constant(1))])
  const fraction = o.and(
    o.shiftLeft(steps, o.constant(WEIGHT_BITS - FRACTION_BITS)),
    o.constant((1 << WEIGHT_BITS) - 1),
  )
  return { near, far, fraction, isWeight: true, linear: true, off: undefined }
}
