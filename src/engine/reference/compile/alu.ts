import { controlOf, type LaneRule, SATURATE, type Semantics, saturate } from '../../../isa/index.ts'
import { isNull, maskedComponents, type Result, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { isDouble, sourceDouble, sourceValue } from './operand.ts'
import { type Op, type Statement, sequence } from './statement.ts'

/** Operands of a statement that receive results, and those that are read, by index. */
function split(s: Statement): { readonly dests: readonly number[]; readonly sources: readonly number[] } {
  const dests: number[] = []
  const sources: number[] = []
  s.row.operands.forEach((slot, i) => {
    if (slot.role === 'dest') dests.push(i)
    else sources.push(i)
  })
  return { dests, sources }
}

/** Components that a statement computes: those that any of its destinations takes. */
function computedComponents(s: Statement, dests: readonly number[]): number[] {
  const wanted = new Set(
    dests.flatMap((d) => {
      const o = s.instruction.operands[d]!
      return isNull(o) ? [] : maskedComponents(o)
    }),
  )
  return [0, 1, 2, 3].filter((c) => wanted.has(c))
}

function saturated(s: Statement, dest: number, words: readonly Value[]): readonly Value[] {
  if (!s.row.controls.includes(SATURATE) || controlOf(s.instruction.controls, SATURATE) === 0) return words
  return saturate(s.recorder.ops, s.row.operands[dest]!.type, words)
}

type Results = Map<number, (Value | undefined)[]>

function emptyResults(dests: readonly number[]): Results {
  return new Map(dests.map((d) => [d, [undefined, undefined, undefined, undefined]]))
}

function componentwise(s: Statement, semantics: Semantics, out: Results): void {
  const { dests, sources } = split(s)
  for (const c of computedComponents(s, dests)) {
    const words = sources.map((i) => sourceValue(s, i, c))
    if (words.includes(undefined)) return
    const results = semantics(s.recorder.ops, words as Value[])
    dests.forEach((d, i) => {
      const taken = maskedComponents(s.instruction.operands[d]!).includes(c)
      if (taken) out.get(d)![c] = saturated(s, d, [results[i]!])[0]
    })
  }
}

/** Every component that a slot names is read, whatever the mask; the result goes to each masked component. */
function reduce(s: Statement, semantics: Semantics, out: Results): void {
  const { dests, sources } = split(s)
  const words = sources.flatMap((i) =>
    Array.from({ length: s.row.operands[i]!.components ?? 1 }, (_, c) => sourceValue(s, i, c)),
  )
  if (words.includes(undefined)) return
  const results = semantics(s.recorder.ops, words as Value[])
  dests.forEach((d, i) => {
    const [word] = saturated(s, d, [results[i]!])
    for (const c of maskedComponents(s.instruction.operands[d]!)) out.get(d)![c] = word
  })
}

/**
 * Doubles lie in .xy and .zw. A double result goes to the pairs in the mask; the first 32-bit result to the first
 * component of the mask, the second to the next (functional specification 22.15.1, 22.17.1).
 */
function pairs(s: Statement, semantics: Semantics, out: Results): void {
  const { dests, sources } = split(s)
  const dest = dests[0]!
  const components = maskedComponents(s.instruction.operands[dest]!)
  const toDouble = isDouble(s.row.operands[dest]!)
  const pairNumbers = toDouble
    ? [0, 1].filter((p) => components.some((c) => c >> 1 === p))
    : components.slice(0, 2).map((_, i) => i)
  for (const p of pairNumbers) {
    const words = sources.flatMap((i): readonly (Value | undefined)[] =>
      isDouble(s.row.operands[i]!) ? (sourceDouble(s, i, p) ?? [undefined]) : [sourceValue(s, i, p)],
    )
    if (words.includes(undefined)) return
    const results = saturated(s, dest, semantics(s.recorder.ops, words as Value[]))
    const places = toDouble ? [p * 2, p * 2 + 1].filter((c) => components.includes(c)) : [components[p]!]
    for (const c of places) out.get(dest)![c] = results[toDouble ? c & 1 : 0]
  }
}

const RULES: Readonly<Record<LaneRule, (s: Statement, semantics: Semantics, out: Results) => void>> = {
  componentwise,
  reduce,
  pairs,
}

/** A pure instruction: its row's meaning recorded for the components that are written. */
export function compileAlu(s: Statement, lanes: LaneRule, semantics: Semantics): Op {
  const out = emptyResults(split(s).dests)
  RULES[lanes](s, semantics, out)
  const results = [...out].map(([operand, values]): Result => ({ operand, values }))
  // Gathers are pushed to `before` while operands and destinations are compiled, so they are taken last.
  const write = writeResults(s, results)
  return sequence([...s.before, write])
}
