/** The two words of a 64-bit value, low word first: an array, or what makes a word when it is asked for. */
export interface Pair<V> {
  readonly 0: V
  readonly 1: V
}

/** The two words of a 64-bit value as an array. */
export const wordsOf = <V>(pair: Pair<V>): readonly [low: V, high: V] => [pair[0], pair[1]]

/**
 * The primitive operations in which the meaning of every pure instruction is written. `V` is one 32-bit word of one
 * thread, whatever an interpreter makes of it: a number, a SIMD register of lanes, a text, a set of defined bits.
 *
 * The operations are those of IEEE 754 and of 32-bit machines, free of Direct3D's rules: flushing of denormals,
 * NaN rules of min and max, saturation, shift counts and the rest are written once, in `semantics/`, over these. So two
 * engines agree bit for bit when their primitives do. Every operation is total: there is a result for every bit pattern.
 *
 * - `f32…` round to nearest even, keep denormals; a NaN result is always the quiet NaN 0x7fc00000.
 * - `f64…` take and return pairs of words, low word first; a NaN result is always 0x7ff80000_00000000.
 * - Comparisons return all ones or 0.
 * - No result of the meanings in `semantics/` depends on the payload or the sign of a NaN except through operations on
 *   bits (and, or, xor, modifiers, moves), so an engine may put off making a NaN canonical until its bits are seen.
 */
export interface ValueOps<V> {
  /** A constant word, given as an unsigned number. */
  constant(bits: number): V
  /** `a` where `condition` has any bit set, else `b`, bit for bit. */
  select(condition: V, a: V, b: V): V

  /**
   * The word with a float32 denormal replaced by zero of the same sign; identity on every other pattern. With
   * `denormals: 'keep'` an engine makes it the identity on all.
   */
  flushDenormal(a: V): V
  f32Add(a: V, b: V): V
  f32Sub(a: V, b: V): V
  f32Mul(a: V, b: V): V
  f32Div(a: V, b: V): V
  f32Sqrt(a: V): V
  /** a * b + c; two roundings, or one where the engine fuses. */
  f32Mad(a: V, b: V, c: V): V
  /** Integral values: nearest with ties to even, towards negative infinity, towards positive infinity, towards zero. */
  f32RoundNearestEven(a: V): V
  f32Floor(a: V): V
  f32Ceil(a: V): V
  f32Trunc(a: V): V
  /** Ordered comparisons: false where either is NaN. */
  f32Equal(a: V, b: V): V
  f32Less(a: V, b: V): V
  f32LessEqual(a: V, b: V): V

  i32Add(a: V, b: V): V
  i32Sub(a: V, b: V): V
  /** Low 32 bits of the product. */
  i32Mul(a: V, b: V): V
  i32MulHigh(a: V, b: V): V
  u32MulHigh(a: V, b: V): V
  /** Quotient and remainder towards zero; both all ones where b is 0. */
  u32Div(a: V, b: V): V
  u32Rem(a: V, b: V): V
  i32Equal(a: V, b: V): V
  i32Less(a: V, b: V): V
  u32Less(a: V, b: V): V

  and(a: V, b: V): V
  or(a: V, b: V): V
  xor(a: V, b: V): V
  not(a: V): V
  /** Shifts by the low 5 bits of `count`. */
  shiftLeft(a: V, count: V): V
  shiftRightLogical(a: V, count: V): V
  shiftRightArithmetic(a: V, count: V): V
  countBits(a: V): V
  /** Zeros above the highest set bit; 32 for 0. */
  countLeadingZeros(a: V): V
  /** Zeros below the lowest set bit; 32 for 0. */
  countTrailingZeros(a: V): V

  /** To integer towards zero, clamped to the range, NaN to 0. */
  f32ToI32(a: V): V
  f32ToU32(a: V): V
  /** From integer, to nearest even. */
  i32ToF32(a: V): V
  u32ToF32(a: V): V

  f64Add(a: Pair<V>, b: Pair<V>): Pair<V>
  f64Mul(a: Pair<V>, b: Pair<V>): Pair<V>
  f64Div(a: Pair<V>, b: Pair<V>): Pair<V>
  /** a * b + c with one rounding. */
  f64Fma(a: Pair<V>, b: Pair<V>, c: Pair<V>): Pair<V>
  f64Equal(a: Pair<V>, b: Pair<V>): V
  f64Less(a: Pair<V>, b: Pair<V>): V
  f64LessEqual(a: Pair<V>, b: Pair<V>): V
  /** To nearest even, to a float32 that may be denormal. */
  f64ToF32(a: Pair<V>): V
  f32ToF64(a: V): Pair<V>
  f64ToI32(a: Pair<V>): V
  f64ToU32(a: Pair<V>): V
  i32ToF64(a: V): Pair<V>
  u32ToF64(a: V): Pair<V>
}
