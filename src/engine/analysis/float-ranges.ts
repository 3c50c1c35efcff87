import { constantOf, type Facts, floatOf, signOperand, type Value } from '../ir/index.ts'

/**
 * Floats that are known to lie between two finite numbers: what is clamped, what is converted from integers, and sums and products
 * of such. They are never NaN.
 */
interface FloatRange {
  readonly least: number
  readonly greatest: number
}

/** Operands of operands that are looked at: shaders have chains of thousands. */
const MAX_DEPTH = 24

/** From the least to the greatest of some numbers. Rounding keeps order, so that rounded bounds are those of rounded numbers. */
function between(...values: readonly number[]): FloatRange | undefined {
  let least = Math.fround(values[0]!)
  let greatest = least
  for (const value of values) {
    // A NaN stays one.
    least = Math.min(least, Math.fround(value))
    greatest = Math.max(greatest, Math.fround(value))
  }
  return Number.isFinite(least) && Number.isFinite(greatest) ? { least, greatest } : undefined
}

export class FloatRanges {
  readonly #facts: (v: Value) => Facts
  readonly #known = new Map<Value, FloatRange | undefined>()

  constructor(facts: (v: Value) => Facts) {
    this.#facts = facts
  }

  /** Whether a float is never NaN. */
  isNumber(v: Value): boolean {
    return this.#facts(v).number || this.of(v) !== undefined
  }

  /** The range of a float; undefined where none is known. */
  of(v: Value, depth = 0): FloatRange | undefined {
    if (depth > MAX_DEPTH) return undefined
    if (this.#known.has(v)) return this.#known.get(v)
    const found = this.#find(v, (n) => this.of(v.args[n]!, depth + 1))
    this.#known.set(v, found)
    return found
  }

  #find(v: Value, arg: (n: number) => FloatRange | undefined): FloatRange | undefined {
    switch (v.op) {
      case 'constant':
        return between(floatOf(v.imm))
      case 'i32ToF32': {
        const { maybe } = this.#facts(v.args[0]!)
        return maybe < 2 ** 31 ? between(0, maybe) : between(-(2 ** 31), 2 ** 31)
      }
      case 'u32ToF32':
        return between(0, this.#facts(v.args[0]!).maybe)
      // They give the first operand where a comparison fails, and so where the second is NaN.
      case 'f32PseudoMax':
        return this.#clamped(v, arg, true)
      case 'f32PseudoMin':
        return this.#clamped(v, arg, false)
      case 'flushDenormal': {
        const a = arg(0)
        return a && between(a.least, a.greatest, 0)
      }
      case 'select': {
        const [a, b] = [arg(1), arg(2)]
        return a && b && between(a.least, a.greatest, b.least, b.greatest)
      }
      default:
        return this.#arithmetic(v, arg)
    }
  }

  #arithmetic(v: Value, arg: (n: number) => FloatRange | undefined): FloatRange | undefined {
    const isSum = v.op === 'f32Add' || v.op === 'f32Sub'
    if (isSum || v.op === 'f32Mul') {
      const [a, b] = [arg(0), arg(1)]
      if (a === undefined || b === undefined) return undefined
      if (v.op === 'f32Add') return between(a.least + b.least, a.greatest + b.greatest)
      if (v.op === 'f32Sub') return between(a.least - b.greatest, a.greatest - b.least)
      const products = [a.least, a.greatest].flatMap((x) => [x * b.least, x * b.greatest])
      return between(...products)
    }
    const signed = signOperand(v)
    const a = signed && arg(v.args.indexOf(signed))
    const size = a && Math.max(Math.abs(a.least), Math.abs(a.greatest))
    return size === undefined ? undefined : between(-size, size)
  }

  /** The greater or smaller of two, where one of the bounds is that of a clamp around another: min(a, max(b, x)) with numbers a and b. */
  #clamped(v: Value, arg: (n: number) => FloatRange | undefined, isMax: boolean): FloatRange | undefined {
    const [a, b] = [arg(0), arg(1)]
    if (a !== undefined && b !== undefined) {
      const pick = isMax ? Math.max : Math.min
      return between(pick(a.least, b.least), pick(a.greatest, b.greatest))
    }
    const inner = v.args[1]!
    const other = isMax ? 'f32PseudoMin' : 'f32PseudoMax'
    if (a === undefined || inner.op !== other) return undefined
    const bound = constantOf(inner.args[0]!)
    return bound === undefined ? undefined : between(a.least, a.greatest, floatOf(bound))
  }
}
