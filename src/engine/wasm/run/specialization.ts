import {
  isWithinCodes,
  MAX_SLOT_INDEX,
  type ResolvedBindings,
  type Sampler,
  type Srv,
  slotKey,
  type Uav,
} from '../../../machine/index.ts'
import { criticalPathShare, pressureOf, Uniformity, VARYING } from '../../analysis/index.ts'
import type { ClassBinding } from '../../class-instances.ts'
import {
  type BindingUse,
  type BoundRegisters,
  type ComputedRange,
  hasLoop,
  type Lowered,
  type Region,
  rangeName,
  regionsIn,
  someItem,
  type Value,
} from '../../ir/index.ts'
import { hasPowersOfTwo, sizeClassOf, type TexelBindings } from '../../texture/index.ts'
import { optimize } from '../../transform/index.ts'
import { COSTS } from '../flow/costs.ts'
import { MIN_ROLLED } from '../flow/rolled-runs.ts'

/** What code depends on beside its program: vectors per word, strides of views, formats and samplers. */

/** Values alive at once beyond which four vectors a word spill too much to pay in code without loops. */
const MAX_FOR_FOUR = 8
/** Share of the longest chain from which straight code waits more than it spills (blackscholes 0.96, xxhash 0.30). */
const WAITING = 0.6
/**
 * Values of lanes with code for each vector beyond which code with loops takes long to compile. In batches pairs count as one:
 * with one vector of 256 bits a word operations wait for each other (the scene raymarch 197 ms, with two of them 119).
 */
const MAX_VALUES_FOR_FOUR = 1024

/**
 * Whether a program samples with a computed level of detail: mip, addresses, texels and blends wait for each other, so that more
 * quads at once gain more than they spill (the scene texture a tenth).
 */
const choosesMips = (root: Region): boolean =>
  someItem(root.items, (item) => item.kind === 'load' && item.address.space.kind === 'mip-table')

/** Values of lanes whose code is there for each vector: all but those of long runs outside of loops. */
function countCopied(root: Region, counts: (v: Value) => boolean, isRolled: (count: number) => boolean): number {
  let copied = 0
  const walk = (region: Region, inLoop: boolean): void => {
    let run = 0
    const endRun = (): void => {
      if (inLoop || !isRolled(run)) copied += run
      run = 0
    }
    for (let n = 0; n < region.items.length; n++) {
      const item = region.items[n]!
      if (item.kind === 'value') {
        if (counts(item.value)) run++
        continue
      }
      endRun()
      for (const inner of regionsIn(item)) walk(inner, inLoop || item.kind === 'loop')
    }
    endRun()
  }
  walk(root, false)
  return copied
}

/** v128 per word, and what was found on the way. */
interface WidthChoice {
  readonly width: 1 | 2 | 4
  readonly uniformity: Uniformity | undefined
}

/**
 * v128 per word, by measurements of the kernels (bench/): four where loops or few live values let scalar work be shared
 * by more lanes or where operations wait for each other, two in other straight code; never more lanes than the group has,
 * nor a badly filled last wave. Where the host packs pairs, two of them take one register.
 */
export function widthFor(lowered: Lowered, pairs: boolean): WidthChoice {
  const { threads } = lowered.builder.options
  const threadCount = threads[0] * threads[1] * threads[2]
  if (threadCount <= 4) return { width: 1, uniformity: undefined }
  if (threadCount <= 8 || threadCount % 16 !== 0) return { width: 2, uniformity: undefined }
  // Which values vary by lane is the same for all widths where threads stand in one row: so it is found for the likely one.
  const lanes = threads[0] === threadCount && lowered.builder.valueCount <= MAX_VALUES_FOR_FOUR ? 16 : 8
  const uniformity = new Uniformity(lowered.builder, lowered.root, threads, lanes)
  return { width: isFourBetter(lowered, pairs, uniformity) ? 4 : 2, uniformity }
}

function isFourBetter(lowered: Lowered, pairs: boolean, uniformity: Uniformity): boolean {
  const counts = (v: Value): boolean => uniformity.level(v) === VARYING
  const isBatch = lowered.declarations.stage.kind !== 'compute'
  const isRolled = (count: number): boolean => isBatch && !pairs && count >= MIN_ROLLED
  if (countCopied(lowered.root, counts, isRolled) > (isBatch && pairs ? 2 : 1) * MAX_VALUES_FOR_FOUR) return false
  if (isBatch && choosesMips(lowered.root)) return true
  if (lowered.root.items.some(hasLoop)) return true
  if (pressureOf(lowered.root, counts) <= (pairs ? 2 : 1) * MAX_FOR_FOUR) return true
  return criticalPathShare(lowered.root, counts, COSTS) >= WAITING
}

/** Iterations that a loop is assumed to have where operations are weighed. */
const ITERATIONS = 8
/** Operations of lanes for each access at addresses of the lanes' own from which packing pays: below, moving words between
 * the halves of vectors costs more (scan has 2 and bitonic 3, oit 7, histogram 8, blur 10). */
const MIN_FOR_PAIRS = 7

/**
 * Whether code for a host that packs pairs is likely to gain: mostly arithmetic, not gathers and scatters. Pixel shaders that
 * sample with a computed level of detail lose: what filters load lane by lane meets in memory (the scene foliage 96 to 140 ms).
 */
export function isPairingProfitable(lowered: Lowered): boolean {
  if (lowered.declarations.stage.kind !== 'compute' && choosesMips(lowered.root)) return false
  const uniformity = new Uniformity(lowered.builder, lowered.root, lowered.builder.options.threads, 16)
  let operations = 0
  let scattered = 0
  const isScattered = (v: Value | undefined): boolean =>
    v !== undefined && uniformity.level(v) === VARYING && uniformity.of(v).pattern === undefined
  const weigh = (region: Region, weight: number): void => {
    for (const item of region.items) {
      if (item.kind === 'value') operations += uniformity.level(item.value) === VARYING ? weight : 0
      else if (item.kind === 'load' || item.kind === 'store' || item.kind === 'atomic') {
        const { index, offset } = item.address
        if (isScattered(index) || isScattered(offset)) scattered += weight
      } else if (item.kind === 'loop') weigh(item.body, weight * ITERATIONS)
      else if (item.kind === 'block') weigh(item.body, weight)
      else if (item.kind === 'if') for (const arm of [item.taken, item.otherwise]) weigh(arm, weight)
    }
  }
  weigh(lowered.root, 1)
  return operations >= MIN_FOR_PAIRS * scattered
}

export const NO_TEXELS: TexelBindings = { views: [], samplers: [] }

export const usesTexels = (region: Region): boolean => someItem(region.items, (item) => item.kind === 'texel')

/** A program as far as it is made simpler before its bindings are known: where texels are expanded all that comes then. */
export function* simplifiedInParts(lowered: Lowered): Generator<void, Lowered> {
  return usesTexels(lowered.root) ? lowered : yield* optimize(lowered)
}

/** Texts of samplers and views, which do not change: most draws bind those of the draw before. */
const TEXTS = new WeakMap<Sampler | Srv | Uav, string>()

function textOf<T extends Sampler | Srv | Uav>(bound: T, make: (bound: T) => string): string {
  const known = TEXTS.get(bound)
  if (known !== undefined) return known
  const text = make(bound)
  TEXTS.set(bound, text)
  return text
}

function viewText(view: Srv | Uav): string {
  if (view.shape !== 'texture') return view.shape === 'typed' ? `${view.format.name}*` : view.shape
  const { format, dimension, levels, sampleCount, minLod } = view
  const sizes = [sizeClassOf(view), hasPowersOfTwo(view), isWithinCodes(view)]
  return [format.name, dimension, levels.length, sampleCount, minLod, ...sizes].join(' ')
}

const NO_COPIES: NonNullable<TexelBindings['decoded']> = new Map()

/** What code for texels depends on, as text: formats, dimensions, samplers. */
export function texelKey(lowered: Lowered, { views, samplers, decoded = NO_COPIES }: TexelBindings): string {
  let key = decoded.size === 0 ? '' : `decoded ${[...decoded].join()} `
  lowered.bindings.uses.forEach((use, n) => {
    if (n > 0) key += '|'
    if (use.register === 's') {
      const sampler = samplers[n]
      key += sampler === undefined ? 'none' : textOf(sampler, (s) => JSON.stringify(s))
    } else if (use.resource?.shape === 'typed') {
      const view = views[n]
      key += view === undefined ? 'none' : textOf(view, viewText)
    }
  })
  return key
}

/** Strides of bound views that are not the declared ones. */
export function stridesOf(
  uses: readonly BindingUse[],
  views: readonly (Srv | Uav | undefined)[],
): ReadonlyMap<number, number> | undefined {
  const found = new Map<number, number>()
  uses.forEach((use, n) => {
    const view = views[n]
    if (view === undefined || use.resource?.shape !== 'structured') return
    const stride = view.shape === 'structured' ? view.stride : 0
    if (stride !== use.resource.stride) found.set(n, stride)
  })
  return found.size === 0 ? undefined : found
}

/** Registers of ranges that something is bound to: what code with computed registers chooses from. */
export function boundRegisters(ranges: readonly ComputedRange[], bindings: ResolvedBindings): BoundRegisters {
  const found = new Map<string, readonly number[]>()
  for (const range of ranges) {
    const base = slotKey(0, range.space)
    const last = Math.min(range.last, MAX_SLOT_INDEX)
    const slots = [...bindings[range.register].keys()].map((key) => key - base)
    const inside = slots.filter((n) => n >= range.first && n <= last)
    found.set(
      rangeName(range),
      inside.sort((a, b) => a - b),
    )
  }
  return found
}

/** Interface pointers and bound registers as text. */
export function variantKey(classes: ClassBinding | undefined, bound: BoundRegisters | undefined): string {
  return JSON.stringify([[...(classes?.instances ?? [])], [...(bound ?? [])]])
}
