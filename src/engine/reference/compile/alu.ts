/** Pure instructions of the reference engine: a row's meaning recorded for each evaluation of a statement. */
import type { Semantics } from '../../../isa/index.ts'
import { evaluationsOf, outputWords } from '../../../program/index.ts'
import { type Result, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { sourceValue } from './operand.ts'
import { type Op, type Statement, sequence } from './statement.ts'

/** What the statement leaves in each destination operand; less where an operand was refused. */
function resultsOf(s: Statement, semantics: Semantics): Result[] {
  const dests = s.row.operands.flatMap((slot, i) => (slot.role === 'dest' ? [i] : []))
  const values = new Map(dests.map((d) => [d, new Array<Value | undefined>(4).fill(undefined)]))
  for (const e of evaluationsOf(s.instruction, s.row)) {
    const words = e.sources.map(({ operand, position }) => sourceValue(s, operand, position))
    if (words.includes(undefined)) break
    const results = semantics(s.recorder.ops, words as Value[])
    const outputs = outputWords(s.recorder.ops, s.row, e, results)
    for (const [i, { operand, component }] of e.outputs.entries()) values.get(operand)![component] = outputs[i]
  }
  return dests.map((operand) => ({ operand, values: values.get(operand)! }))
}

/** A pure instruction: its row's meaning recorded for the components that are written. */
export function compileAlu(s: Statement, semantics: Semantics): Op {
  const results = resultsOf(s, semantics)
  // Gathers are pushed to `before` while operands and destinations are compiled, so they are taken last.
  const write = writeResults(s, results)
  return sequence([...s.before, write])
}
