import { appendAll } from '../../diagnostic/index.ts'
import type { Observation } from '../../isa/index.ts'
import { constantOf, type EffectItem, OPS, operandsOf, type Region, type Value } from '../ir/index.ts'

/**
 * Who uses a value, and whether the bits of a NaN or the sign of a zero in it are seen; emission uses it before it makes
 * them right.
 */

type Observed = Exclude<Observation, 'by-operands'>

/**
 * A number that the program keeps from being NaN: what a test against itself let through, or the greater or less of it and a constant number,
 * which NaN loses; plus a finite constant.
 */
function isNumber(v: Value): boolean {
  if (v.op === 'f32PseudoMax' || v.op === 'f32PseudoMin') {
    const bound = constantOf(v.args[0]!)
    return bound !== undefined && (bound & 0x7fffffff) <= 0x7f800000
  }
  if (v.op === 'f32Add')
    return isNumber(v.args[0]!) && ((constantOf(v.args[1]!) ?? 0x7f800000) & 0x7f800000) < 0x7f800000
  if (v.op !== 'select' || constantOf(v.args[2]!) !== 0) return false
  const [condition, x] = v.args as readonly [Value, Value]
  return condition.op === 'f32Equal' && condition.args[0] === x && condition.args[1] === x
}

/** A sign change or the absolute value of a float: an operation on bits with the sign bit or all others. */
const isSignMask = (c: number | undefined): boolean => c === 0x7fffffff || c === 0x80000000

/** Whether a user sees the bits of a NaN in its operand at a position. */
function observesNanBits(user: Value, position: number): Observed {
  const { nanBits } = OPS[user.op]
  if (nanBits !== 'by-operands') return nanBits
  if (user.op === 'select') return position === 0 || isNumber(user) ? 'never' : 'as-result'
  if (user.op === 'f32PseudoMax' || user.op === 'f32PseudoMin') return position === 0 ? 'as-result' : 'never'
  // A NaN stays one, and its sign is bits like its payload.
  return isSignMask(constantOf(user.args[1 - position]!)) ? 'as-result' : 'always'
}

/** Whether a user sees the sign of a zero among its operands. */
function observesZeroSign(user: Value): Observed {
  const { zeroSign } = OPS[user.op]
  if (zeroSign !== 'by-operands') return zeroSign
  if (user.op === 'select') return 'as-result'
  // A zero stays a zero.
  return user.args.some((x) => isSignMask(constantOf(x))) ? 'as-result' : 'always'
}

/** Who uses a value, and how often. */
export interface Use {
  /** A pure value, or undefined for an item. */
  readonly user: Value | undefined
  /** Where the use stands. */
  readonly region: Region
}

const NO_USES: readonly Use[] = []

export class Uses {
  /** By the number of the value, as what follows. */
  readonly #uses: (Use[] | undefined)[] = []
  readonly #observed: (boolean | undefined)[] = []
  readonly #phiInputs = new Map<Value, Value[]>()

  constructor(root: Region) {
    this.#region(root)
    this.#observe()
    this.#observeZeroSigns()
  }

  /** Constants are not listed: they have no place where they are computed. */
  of(v: Value): readonly Use[] {
    return this.#uses[v.id] ?? NO_USES
  }

  /** The bits of a NaN in the value matter, so it must be the right one. */
  needsCanonicalNan(v: Value): boolean {
    return OPS[v.op].makesNan && this.#observed[v.id] === true && !isNumber(v)
  }

  readonly #signs: (boolean | undefined)[] = []
  /** Some user sees the sign of a zero in the value. */
  needsZeroSign(v: Value): boolean {
    return this.#signs[v.id] === true
  }

  #add(v: Value, use: Use): void {
    if (v.op === 'constant') return
    const known = this.#uses[v.id]
    if (known === undefined) this.#uses[v.id] = [use]
    else known.push(use)
  }

  #use(v: Value, region: Region): void {
    this.#add(v, { user: undefined, region })
  }

  /** The uses of a value's operands. */
  #operands(user: Value, region: Region): void {
    const { args } = user
    const use: Use = { user, region }
    const seesSigns = args.length > 0 && observesZeroSign(user) === 'always'
    for (let i = 0; i < args.length; i++) {
      const v = args[i]!
      this.#add(v, use)
      if (observesNanBits(user, i) === 'always') this.#nanRoots.push(v)
      // The condition of a select is a test of bits, in which a -0 is set.
      if (seesSigns || (user.op === 'select' && i === 0)) this.#signRoots.push(v)
    }
  }

  #merge(phi: Value, input: Value, region: Region): void {
    this.#use(input, region)
    const known = this.#phiInputs.get(phi)
    if (known === undefined) this.#phiInputs.set(phi, [input])
    else known.push(input)
  }

  #region(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      switch (item.kind) {
        case 'value':
          this.#operands(item.value, region)
          break
        case 'if':
          this.#use(item.condition, region)
          // Of conditions it matters whether any bit is set.
          this.#roots.push(item.condition)
          this.#region(item.taken)
          this.#region(item.otherwise)
          for (const p of item.phis) {
            this.#merge(p.value, p.taken, item.taken)
            this.#merge(p.value, p.otherwise, item.otherwise)
          }
          break
        case 'block':
          this.#region(item.body)
          item.fallthroughArgs?.forEach((v, i) => {
            this.#merge(item.label.phis[i]!, v, item.body)
          })
          break
        case 'loop':
          for (const h of item.headerPhis) this.#merge(h.value, h.init, region)
          this.#region(item.body)
          for (const h of item.headerPhis) this.#merge(h.value, h.next, item.body)
          break
        case 'break':
          item.args.forEach((v, i) => {
            this.#merge(item.label.phis[i]!, v, region)
          })
          break
        case 'barrier':
          break
        default:
          this.#effect(item, region)
      }
    }
  }

  /** Values of which items see all, operations the bits of a NaN, and operations the sign of a zero. */
  readonly #roots: Value[] = []
  readonly #nanRoots: Value[] = []
  readonly #signRoots: Value[] = []

  #effect(item: EffectItem, region: Region): void {
    for (const v of operandsOf(item)) {
      this.#use(v, region)
      // Weights are numbers that are never NaN.
      const isWeight = item.kind === 'filter' && !item.taps.includes(v) && item.far?.taps.includes(v) !== true
      if (!isWeight) this.#roots.push(v)
    }
  }

  #observe(): void {
    const stack = this.#nanRoots
    appendAll(stack, this.#roots)
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (this.#observed[v.id] === true) continue
      this.#observed[v.id] = true
      this.#addInputs(v, stack)
      for (let i = 0; i < v.args.length; i++) if (observesNanBits(v, i) === 'as-result') stack.push(v.args[i]!)
    }
  }

  #observeZeroSigns(): void {
    const stack = this.#signRoots
    appendAll(stack, this.#roots)
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (this.#signs[v.id] === true) continue
      this.#signs[v.id] = true
      this.#addInputs(v, stack)
      if (observesZeroSign(v) === 'as-result') appendAll(stack, v.args)
    }
  }

  #addInputs(v: Value, stack: Value[]): void {
    const inputs = v.op === 'phi' ? this.#phiInputs.get(v) : undefined
    if (inputs !== undefined) appendAll(stack, inputs)
  }
}
