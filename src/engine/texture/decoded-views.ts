import {
  DEFAULT_SAMPLER,
  filtersCodes,
  type Sampler,
  type Srv,
  type TextureSrv,
  type Uav,
} from '../../machine/index.ts'
import { itemsBelow, type Region } from '../ir/index.ts'
import { producesNoDenormal } from './normalized-filters.ts'
import { mayBeOfCodes } from './sample-codes.ts'

/**
 * Textures of which code may read copies of four floats a texel in place of their own texels: one load gives all components
 * of a texel, and a filter blends them together.
 */

/**
 * Texels at both ends of the rows of copies, and rows before and behind them. Before the first texel stands that once more; behind the last
 * one the first, for address mode wrap, then the last one twice, for clamp: so a filter reads two texels at one address in either
 * mode, and its second row stands behind the first.
 */
export const ROW_START = 1
export const ROW_END = 3

/** Whether texels are blended by a filter that reads no border: not compared, and neither their least nor their greatest taken. */
export function blendsTexels({ reduction, addressU, addressV }: Sampler, isCompared: boolean): boolean {
  const reduces = reduction === 'minimum' || reduction === 'maximum'
  return !isCompared && !reduces && addressU !== 'border' && addressV !== 'border'
}

/** A binding that a program only samples, with the bindings of the samplers. */
export interface SampledBinding {
  readonly binding: number
  readonly samplers: readonly (number | undefined)[]
  /** All samples may be sums of codes, by what they ask for. */
  readonly maySumCodes: boolean
}

/** Bindings that nothing but samples without comparison reads. */
export function sampledBindings(root: Region): SampledBinding[] {
  const found = new Map<number, Set<number | undefined>>()
  const others = new Set<number>()
  const ofFloats = new Set<number>()
  for (const item of itemsBelow(root.items)) {
    if (item.kind !== 'texel') continue
    const { binding, operation, compare, sampler } = item.request
    if (operation !== 'sample' || compare) others.add(binding)
    if (!mayBeOfCodes(item.request)) ofFloats.add(binding)
    const samplers = found.get(binding) ?? new Set()
    found.set(binding, samplers.add(sampler))
  }
  return [...found].flatMap(([binding, samplers]) =>
    others.has(binding) ? [] : [{ binding, samplers: [...samplers], maySumCodes: !ofFloats.has(binding) }],
  )
}

/** Flat textures of three or four components of few bits: their texels take longer to decode than to load. */
function isPacked({ dimension, format, sampleCount }: TextureSrv): boolean {
  const isFlat = dimension === 'texture2d' || dimension === 'texture2darray'
  const isWords = format.layout === 'linear' && format.blockByteLength % 4 === 0
  return isFlat && sampleCount === 1 && isWords && format.components.length >= 3
}

/** Whether the second texel of a row, and the second row, stands behind the first in a copy, wherever the first is. */
const readsRows = ({ addressU, addressV }: Sampler): boolean =>
  [addressU, addressV].every((mode) => mode === 'wrap' || mode === 'clamp')

/** Whether all samples of a view by some samplers are bilinear filters that read two texels a row, where there is a copy of it. */
function mayDecode(view: Srv | Uav | undefined, samplers: readonly (Sampler | undefined)[]): view is TextureSrv {
  if (view?.shape !== 'texture' || view.kind !== 'srv' || !isPacked(view)) return false
  return samplers.every((given) => {
    const sampler = given ?? DEFAULT_SAMPLER
    const isLinear = sampler.min === 'linear' && sampler.mag === 'linear'
    return isLinear && readsRows(sampler) && blendsTexels(sampler, false) && producesNoDenormal(view.format, sampler)
  })
}

/** What a copy of a texture holds: four floats a texel, or the whole numbers that samples in `fast` sum. */
export type CopyKind = 'floats' | 'codes'

/** What a copy of a view would hold for a program's samples by some samplers; undefined where there is none that all of them could read. */
export function copyKindOf(
  view: Srv | Uav | undefined,
  samplers: readonly (Sampler | undefined)[],
  maySumCodes: boolean,
  isFast: boolean,
): CopyKind | undefined {
  if (!mayDecode(view, samplers)) return undefined
  const summed = samplers.filter((s) => isFast && filtersCodes(view, s ?? DEFAULT_SAMPLER)).length
  if (summed === 0) return 'floats'
  return maySumCodes && summed === samplers.length ? 'codes' : undefined
}
