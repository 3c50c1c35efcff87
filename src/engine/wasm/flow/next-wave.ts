import { largest } from '../../../diagnostic/index.ts'
import { GROUP } from '../../analysis/index.ts'
import { OPS, type Region, type Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import { V128 } from '../encode/assembler.ts'
import { SIMD } from '../encode/opcodes.ts'

/**
 * Long chains of packed words (levels of detail of samples) for the next wave. All that a wave does with texels waits for them, so that
 * a processor, which looks a few hundred instructions ahead, has nothing else to do for the length of the chain. So each wave begins
 * with the chains of the wave after it, and finds its own in scratch memory: those of the first wave are computed before the loop.
 */

/** Values that pass from wave to wave at the most. */
export const NEXT_WAVE_VECTORS = 16
/** Operations one after the other from which a value is worth it. */
const MIN_LENGTH = 16
/** Operations that follow from values that pass, and are computed again of those. */
const MAX_DERIVED = 4

/** How many programs were emitted so in this process. */
export const nextWaveCounts = { programs: 0 }

/**
 * Values that follow from nothing but inputs and what all waves share, in their order: of a region and of blocks in it, which every wave
 * enters.
 */
function addValuesOfInputs(e: Emitter, { items }: Region, found: Set<Value>): void {
  for (const item of items) {
    if (item.kind === 'block') addValuesOfInputs(e, item.body, found)
    if (item.kind !== 'value' || item.value.double) continue
    const { op, args } = item.value
    const isShared = !e.isVarying(item.value) && (e.isDefined(item.value) || e.uniformity.level(item.value) <= GROUP)
    const isKnown = isShared || op === 'input' || OPS[op].variesBy === 'operands'
    // Words that are packed no longer are for what is done with them.
    if (!isKnown || op === 'unpackQuads' || OPS[op].isOfWave === true) continue
    if (args.every((a) => a.op === 'constant' || found.has(a))) found.add(item.value)
  }
}

/** Lengths of chains of packed words. */
function chainLengths(e: Emitter, values: Iterable<Value>): Map<Value, number> {
  const lengths = new Map<Value, number>()
  for (const v of values) {
    if (!e.isPacked(v)) continue
    const longest = largest(
      0,
      v.args.map((a) => lengths.get(a) ?? 0),
    )
    lengths.set(v, 1 + longest)
  }
  return lengths
}

/** Which packed values pass from wave to wave: ends of long chains, those aside that follow from others in a few operations. */
function passedValues(e: Emitter, values: ReadonlySet<Value>): Value[] {
  const lengths = chainLengths(e, values)
  const passed: Value[] = []
  /** Operations in which values follow from those that pass. */
  const derived = new Map<Value, number>()
  for (const v of values) {
    if ((lengths.get(v) ?? 0) < MIN_LENGTH) continue
    const parts = v.args.filter((a) => e.isVarying(a))
    const steps = 1 + parts.reduce((sum, a) => sum + (derived.get(a) ?? MAX_DERIVED), 0)
    if (steps <= MAX_DERIVED) derived.set(v, steps)
    else if (e.uses.of(v).some(({ user }) => user === undefined || !values.has(user))) {
      passed.push(v)
      derived.set(v, 0)
    }
  }
  return passed
}

/** All that some values are made of, among `values` and in their order. */
function madeOf(values: ReadonlySet<Value>, ends: readonly Value[]): Value[] {
  const needed = new Set(ends)
  const order = [...values]
  for (const v of order.reverse()) if (needed.has(v)) for (const a of v.args) if (values.has(a)) needed.add(a)
  return order.reverse().filter((v) => needed.has(v))
}

export class NextWave {
  readonly #e: Emitter
  readonly #passed: readonly Value[]
  readonly #made: readonly Value[]

  constructor(e: Emitter, root: Region) {
    this.#e = e
    const isFor = e.settings.isBatch && !e.settings.pairs && e.assertions === undefined
    const values = new Set<Value>()
    if (isFor && e.uniformity.packsQuads) addValuesOfInputs(e, root, values)
    const passed = passedValues(e, values)
    this.#passed = passed.length > NEXT_WAVE_VECTORS ? [] : passed
    this.#made = madeOf(values, this.#passed)
    e.hold(this.#passed)
    if (this.#passed.length > 0) nextWaveCounts.programs++
  }

  /** Computes and keeps the values of a wave, whose inputs lie so many bytes behind those of the wave that the code is in. */
  #keep(offset: number): void {
    const { f } = this.#e
    this.#e.inputOffset = offset
    for (const v of this.#made) this.#e.define(v, v.region)
    this.#e.inputOffset = 0
    for (const [n, v] of this.#passed.entries()) {
      f.get(this.#e.scratch)
      this.#e.vector(v, 0)
      f.simdMemory(SIMD.store, 4, this.#placeOf(n))
    }
  }

  #placeOf(n: number): number {
    return this.#e.settings.nextWaveOffset + n * 16
  }

  /** Before the first wave, when its inputs are known. */
  first(): void {
    if (this.#passed.length > 0) this.#keep(0)
  }

  /** When a wave begins: its values are there, and those of the next wave are kept. */
  begin(): void {
    const { f } = this.#e
    if (this.#passed.length === 0) return
    const own = this.#passed.map((_, n) => {
      const local = f.temp(V128)
      f.get(this.#e.scratch).simdMemory(SIMD.load, 4, this.#placeOf(n)).set(local)
      return local
    })
    // Behind the last wave this reads what lies behind the inputs, and nothing reads what it leaves.
    const ofWave = this.#made.filter((v) => this.#e.isVarying(v))
    this.#e.again(ofWave)
    this.#keep(this.#e.uniformity.lanes * 4)
    this.#e.again(ofWave)
    for (const [n, v] of this.#passed.entries()) {
      const [local] = this.#e.vectorLocals(v)
      f.get(own[n]!).set(local!)
    }
    f.release(V128, ...own)
    this.#e.keep(this.#passed)
  }
}
