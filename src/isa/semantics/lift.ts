import type { Semantics } from '../row.ts'
import { type Pair, type ValueOps, wordsOf } from './value-ops.ts'

/**
 * From functions of named words to the list form that rows have. Callers of a row's meaning pass as many words as its
 * operands and lane rule say, so the words are there.
 */
export type Unary = <V>(o: ValueOps<V>, a: V) => V
export type Binary = <V>(o: ValueOps<V>, a: V, b: V) => V
type Ternary = <V>(o: ValueOps<V>, a: V, b: V, c: V) => V
type Quaternary = <V>(o: ValueOps<V>, a: V, b: V, c: V, d: V) => V

export const words1 =
  (f: Unary): Semantics =>
  (o, s) => [f(o, s[0]!)]

export const words2 =
  (f: Binary): Semantics =>
  (o, s) => [f(o, s[0]!, s[1]!)]

export const words3 =
  (f: Ternary): Semantics =>
  (o, s) => [f(o, s[0]!, s[1]!, s[2]!)]

export const words4 =
  (f: Quaternary): Semantics =>
  (o, s) => [f(o, s[0]!, s[1]!, s[2]!, s[3]!)]

/** Two sources, two destinations. */
export const words2To2 =
  (f: <V>(o: ValueOps<V>, a: V, b: V) => Pair<V>): Semantics =>
  (o, s) =>
    wordsOf(f(o, s[0]!, s[1]!))

/** Doubles to a double. */
export const pairs1 =
  (f: <V>(o: ValueOps<V>, a: Pair<V>) => Pair<V>): Semantics =>
  (o, s) =>
    wordsOf(f(o, [s[0]!, s[1]!]))

export const pairs2 =
  (f: <V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>) => Pair<V>): Semantics =>
  (o, s) =>
    wordsOf(f(o, [s[0]!, s[1]!], [s[2]!, s[3]!]))

export const pairs3 =
  (f: <V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>, c: Pair<V>) => Pair<V>): Semantics =>
  (o, s) =>
    wordsOf(f(o, [s[0]!, s[1]!], [s[2]!, s[3]!], [s[4]!, s[5]!]))

/** Doubles to a word. */
export const pairToWord =
  (f: <V>(o: ValueOps<V>, a: Pair<V>) => V): Semantics =>
  (o, s) => [f(o, [s[0]!, s[1]!])]

export const pairsToWord =
  (f: <V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>) => V): Semantics =>
  (o, s) => [f(o, [s[0]!, s[1]!], [s[2]!, s[3]!])]

/** A word to a double. */
export const wordToPair =
  (f: <V>(o: ValueOps<V>, a: V) => Pair<V>): Semantics =>
  (o, s) =>
    wordsOf(f(o, s[0]!))
