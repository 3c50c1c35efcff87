import { appendAll } from '../../diagnostic/index.ts'
import { constantOf } from '../ir/facts.ts'
import { type EffectItem, operandsOf, type Region, type Value } from '../ir/value.ts'

/** Operations that can make a NaN with any payload; the instruction set wants the one NaN 0x7fc00000. */
const MAKES_NAN: ReadonlySet<string> = new Set([
  'f32Add',
  'f32Sub',
  'f32Mul',
  'f32Div',
  'f32Sqrt',
  'f32Mad',
  'f32RoundNearestEven',
  'f32Floor',
  'f32Ceil',
  'f32Trunc',
  'f64ToF32',
])

/** A number that the program keeps from being NaN: what a test against itself let through, plus a finite constant. */
function isNumber(v: Value): boolean {
  if (v.op === 'f32Add')
    return isNumber(v.args[0]!) && ((constantOf(v.args[1]!) ?? 0x7f800000) & 0x7f800000) < 0x7f800000
  if (v.op !== 'select' || constantOf(v.args[2]!) !== 0) return false
  const [condition, x] = v.args as readonly [Value, Value]
  return condition.op === 'f32Equal' && condition.args[0] === x && condition.args[1] === x
}

const PASSES_ON: ReadonlySet<string> = new Set(['flushDenormal', 'f32Max', 'f32Min', 'f32PseudoMax', 'f32PseudoMin'])

/** Consumers that see numbers, not bits: any NaN is as good as another. */
function seesBits(user: Value, position: number): 'no' | 'as-result' | 'yes' {
  if (user.op === 'select') return position === 0 || isNumber(user) ? 'no' : 'as-result'
  if (PASSES_ON.has(user.op)) return 'as-result'
  if (user.op.startsWith('f32')) return 'no'
  if (user.op === 'and' || user.op === 'or' || user.op === 'xor') {
    // Sign changes of a float: a NaN stays one, and its sign is bits like its payload.
    const other = constantOf(user.args[1 - position]!)
    if (other === 0x7fffffff || other === 0x80000000) return 'as-result'
  }
  return 'yes'
}

/** Consumers to which -0 and +0 are the same, or whose own zeros alone can tell. */
function seesZeroSign(user: Value): 'no' | 'as-result' | 'yes' {
  switch (user.op) {
    case 'f32Equal':
    case 'f32Less':
    case 'f32LessEqual':
    case 'f32ToI32':
    case 'f32ToU32':
      return 'no'
    case 'f32Add':
    case 'f32Sub':
    case 'f32Mul':
    case 'f32Mad':
    case 'flushDenormal':
    case 'f32Max':
    case 'f32Min':
    case 'f32PseudoMax':
    case 'f32PseudoMin':
    case 'f32RoundNearestEven':
    case 'f32Floor':
    case 'f32Ceil':
    case 'f32Trunc':
      return 'as-result'
    case 'select':
      return 'as-result'
    case 'and':
    case 'or':
    case 'xor': {
      // Sign changes: a zero stays a zero.
      const [a, b] = user.args.map((x) => constantOf(x))
      return [a, b].some((c) => c === 0x7fffffff || c === 0x80000000) ? 'as-result' : 'yes'
    }
    default:
      return 'yes'
  }
}

/** Who uses a value, and how often. */
export interface Use {
  /** A pure value, or undefined for an item. */
  readonly user: Value | undefined
  readonly position: number
  /** Where the use stands. */
  readonly region: Region
}

export class Uses {
  readonly #uses = new Map<Value, Use[]>()
  readonly #observed = new Set<Value>()
  readonly #phiInputs = new Map<Value, Value[]>()

  constructor(root: Region) {
    this.#region(root)
    this.#observe()
    this.#observeZeroSigns()
  }

  of(v: Value): readonly Use[] {
    return this.#uses.get(v) ?? []
  }

  /** The bits of a NaN in the value matter, so it must be the right one. */
  needsCanonicalNan(v: Value): boolean {
    return MAKES_NAN.has(v.op) && this.#observed.has(v) && !isNumber(v)
  }

  readonly #signs = new Set<Value>()
  /** The sign of a zero matters to somebody. */
  needsZeroSign(v: Value): boolean {
    return this.#signs.has(v)
  }

  #use(v: Value, region: Region, user?: Value, position = 0): void {
    const use: Use = { user, position, region }
    const known = this.#uses.get(v)
    if (known === undefined) this.#uses.set(v, [use])
    else known.push(use)
  }

  #merge(phi: Value, input: Value, region: Region): void {
    this.#use(input, region)
    const known = this.#phiInputs.get(phi)
    if (known === undefined) this.#phiInputs.set(phi, [input])
    else known.push(input)
  }

  #region(region: Region): void {
    for (const item of region.items) {
      switch (item.kind) {
        case 'value':
          item.value.args.forEach((a, i) => {
            this.#use(a, region, item.value, i)
          })
          break
        case 'if':
          this.#use(item.condition, region)
          // Whether any bit is set is asked of conditions.
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
          item.fall?.forEach((v, i) => {
            this.#merge(item.label.phis[i]!, v, item.body)
          })
          break
        case 'loop':
          for (const h of item.heads) this.#merge(h.value, h.init, region)
          this.#region(item.body)
          for (const h of item.heads) this.#merge(h.value, h.next, item.body)
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

  readonly #roots: Value[] = []

  #effect(item: EffectItem, region: Region): void {
    for (const v of operandsOf(item)) {
      this.#use(v, region)
      // Weights are numbers that are never NaN.
      const isWeight = item.kind === 'filter' && !item.taps.includes(v)
      if (!isWeight) this.#roots.push(v)
    }
  }

  #observe(): void {
    const stack = [...this.#roots]
    for (const [v, uses] of this.#uses) {
      if (uses.some((u) => u.user !== undefined && seesBits(u.user, u.position) === 'yes')) stack.push(v)
    }
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (this.#observed.has(v)) continue
      this.#observed.add(v)
      appendAll(stack, this.#phiInputs.get(v) ?? [])
      v.args.forEach((a, i) => {
        if (seesBits(v!, i) === 'as-result') stack.push(a)
      })
    }
  }

  #observeZeroSigns(): void {
    const stack = [...this.#roots]
    for (const [v, uses] of this.#uses) {
      // The condition of a select is a test of bits, in which a -0 is set.
      const isSeen = (u: Use): boolean =>
        u.user !== undefined && (seesZeroSign(u.user) === 'yes' || (u.user.op === 'select' && u.position === 0))
      if (uses.some(isSeen)) stack.push(v)
    }
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (this.#signs.has(v)) continue
      this.#signs.add(v)
      appendAll(stack, this.#phiInputs.get(v) ?? [])
      if (seesZeroSign(v) === 'as-result') appendAll(stack, v.args)
    }
  }
}
