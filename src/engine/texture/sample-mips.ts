import type { Sampler, TextureSrv } from '../../machine/index.ts'
import { type Builder, bitsOf, constantOf, type Value } from '../ir/index.ts'
import type { Linear } from './sample-address.ts'

/**
 * Level of detail of a sample as values: bias, clamps, and the mips that it selects, as machine/sampling/lod and
 * chooseMips of machine/sampling/sample have them. With a constant LOD all of it folds to constants.
 */

const FRACTION_BITS = 12
const STEPS = 0x45800000 // 4096
const STEP = 0x39800000 // 1 / 4096

export interface MipChoice {
  readonly near: Value
  readonly far: Value
  /** Weight of `far`; constant 0 where one mip is enough. */
  readonly fraction: Value
  /** The weight is a whole number in units of 2^-14, for sums of codes; else a float32. */
  readonly isWeight: boolean
  readonly linear: Linear
  /** Lanes whose clamps leave no mip: they get 0. Undefined where there are none. */
  readonly off: Value | undefined
}

/** min(bound, x) and max(bound, x) as the machine's: NaN gives the bound. */
const atMost = (o: Builder, bound: Value, x: Value): Value => o.select(o.f32Less(x, bound), x, bound)
const atLeast = (o: Builder, bound: Value, x: Value): Value => o.select(o.f32Less(bound, x), x, bound)

/** A biased LOD under the clamps of sampler, resource and instruction. */
export function clampLod(
  o: Builder,
  lod: Value,
  view: TextureSrv,
  sampler: Sampler,
  lodClamp: Value | undefined,
): Value {
  const number = (n: number): Value => o.constant(bitsOf(n))
  let x = atMost(o, number(sampler.maxLod), lod)
  x = atLeast(o, number(sampler.minLod), x)
  if (view.minLod > 0) x = atLeast(o, number(view.minLod), x)
  // A clamp that is NaN clamps nothing.
  return lodClamp === undefined ? x : o.select(o.f32Less(x, lodClamp), lodClamp, x)
}

/** A level of detail between the first mip and the last. */
export const clampToMips = (o: Builder, lod: Value, last: number): Value =>
  atLeast(o, o.constant(0), atMost(o, o.constant(bitsOf(last)), lod))

/** Whether magnification or minification is linear, by the sign of the LOD. */
function filterOf(o: Builder, view: TextureSrv, sampler: Sampler, magnifying: Value): Linear {
  if (view.format.capabilities.filter === 'none') return false
  if (sampler.min === sampler.mag) return sampler.mag === 'linear'
  const linear = sampler.mag === 'linear' ? magnifying : o.not(magnifying)
  const known = constantOf(linear)
  return known === undefined ? linear : known !== 0
}

/** The mips and filters of a LOD that has its biases but not its clamps. */
export function chooseMips(
  o: Builder,
  view: TextureSrv,
  sampler: Sampler,
  biased: Value,
  lodClamp: Value | undefined,
): MipChoice {
  const zero = o.constant(0)
  const count = view.levels.length
  const last = o.constant(count - 1)
  const lod = clampLod(o, biased, view, sampler, lodClamp)
  const magnifying = o.f32LessEqual(lod, zero)
  const linear = filterOf(o, view, sampler, magnifying)
  const off = lodClamp === undefined ? undefined : o.f32Less(o.constant(bitsOf(count - 1)), lodClamp)
  if (count === 1) return { near: zero, far: zero, fraction: zero, isWeight: false, linear, off }
  const inRange = (mip: Value): Value => o.make('i32Max', [zero, o.make('i32Min', [mip, last])])
  const fixed = o.f32ToI32(o.f32RoundNearestEven(o.f32Mul(lod, o.constant(STEPS))))
  const floor = (x: Value): Value => o.shiftRightArithmetic(x, o.constant(FRACTION_BITS))
  if (sampler.mip === 'point' || view.format.capabilities.filter === 'none') {
    const most = o.make('i32Min', [fixed, o.constant(2 ** 30)])
    const near = inRange(floor(o.i32Add(most, o.constant(1 << (FRACTION_BITS - 1)))))
    return { near, far: near, fraction: zero, isWeight: false, linear, off }
  }
  const near = inRange(floor(fixed))
  const far = o.make('i32Min', [o.i32Add(near, o.constant(1)), last])
  const steps = o.and(fixed, o.constant(2 ** FRACTION_BITS - 1))
  const blended = o.and(o.not(magnifying), o.not(o.i32Equal(near, far)))
  return {
    near,
    far,
    fraction: o.f32Mul(o.i32ToF32(o.and(steps, blended)), o.constant(STEP)),
    isWeight: false,
    linear,
    off,
  }
}

/** LOD with the biases of sampler and instruction (22.4.15: none for an explicit one), each addition in float32. */
export function biasedLod(o: Builder, lod: Value, sampler: Sampler, bias: Value): Value {
  return o.f32Add(o.f32Add(lod, o.constant(bitsOf(sampler.mipLodBias))), bias)
}
