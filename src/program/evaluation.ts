/**
 * The lane rules of pure instructions, worked out once: which words each evaluation of a row's meaning takes, and where
 * its results go. Engines, the flow of undefined values and the checks of numbers read evaluations, not rules.
 */
import {
  applyModifier,
  type ComponentType,
  controlOf,
  FILE,
  type InstructionRow,
  type LaneRule,
  SATURATE,
  saturate,
  type ValueOps,
} from '../isa/index.ts'
import { type Instruction, type Operand, writeMask } from './model.ts'

/** A word that an evaluation takes: of source operand `operand` at a position, before its swizzle. */
export interface WordRead {
  readonly operand: number
  readonly position: number
}

/** A result that goes to a component of a destination operand. */
export interface WordWrite {
  readonly operand: number
  readonly component: number
  /** Which of the meaning's results it is. */
  readonly result: number
  /** With `_sat`: the results that are saturated together, this one among them; else empty. */
  readonly saturated: readonly number[]
}

/** One evaluation of an instruction's meaning. */
export interface Evaluation {
  readonly sources: readonly WordRead[]
  readonly outputs: readonly WordWrite[]
}

/** Components that a destination takes, ascending; none where its result is dropped. */
export function writtenComponents(o: Operand): readonly number[] {
  if (o.type === FILE.null) return []
  const mask = writeMask(o)
  return [0, 1, 2, 3].filter((c) => (mask >> c) & 1)
}

interface Evaluating {
  readonly instruction: Instruction
  readonly row: InstructionRow
  readonly dests: readonly number[]
  readonly sources: readonly number[]
  readonly isSaturated: boolean
}

const isDouble = (x: Evaluating, operand: number): boolean => x.row.operands[operand]!.type === 'f64'
const written = (x: Evaluating, operand: number): readonly number[] =>
  writtenComponents(x.instruction.operands[operand]!)

/** One evaluation for each component that any destination takes. */
function componentwise(x: Evaluating): Evaluation[] {
  const wanted = [0, 1, 2, 3].filter((c) => x.dests.some((d) => written(x, d).includes(c)))
  return wanted.map((c) => ({
    sources: x.sources.map((operand) => ({ operand, position: c })),
    outputs: x.dests.flatMap((operand, result) =>
      written(x, operand).includes(c)
        ? [{ operand, component: c, result, saturated: x.isSaturated ? [result] : [] }]
        : [],
    ),
  }))
}

/** Every component that a slot names is read, whatever the mask; a result goes to each component of its mask. */
function reduce(x: Evaluating): Evaluation[] {
  const sources = x.sources.flatMap((operand) =>
    Array.from({ length: x.row.operands[operand]!.components ?? 4 }, (_, position) => ({ operand, position })),
  )
  const outputs = x.dests.flatMap((operand, result) =>
    written(x, operand).map((component) => ({
      operand,
      component,
      result,
      saturated: x.isSaturated ? [result] : [],
    })),
  )
  return [{ sources, outputs }]
}

/**
 * Doubles lie in .xy and .zw. A double result goes to the pairs in the mask; the first 32-bit result to the first
 * component of the mask, the second to the next (functional specification 22.15.1, 22.17.1).
 */
function pairs(x: Evaluating): Evaluation[] {
  const dest = x.dests[0]!
  const masked = written(x, dest)
  const toDouble = isDouble(x, dest)
  const numbers = toDouble
    ? [0, 1].filter((n) => masked.some((c) => c >> 1 === n))
    : masked.slice(0, 2).map((_, n) => n)
  const together = toDouble ? [0, 1] : [0]
  return numbers.map((n) => {
    const components = toDouble ? [n * 2, n * 2 + 1].filter((c) => masked.includes(c)) : [masked[n]!]
    return {
      sources: x.sources.flatMap((operand) =>
        (isDouble(x, operand) ? [n * 2, n * 2 + 1] : [n]).map((position) => ({ operand, position })),
      ),
      outputs: components.map((component) => ({
        operand: dest,
        component,
        result: toDouble ? component & 1 : 0,
        saturated: x.isSaturated ? together : [],
      })),
    }
  })
}

const RULES: Readonly<Record<LaneRule, (x: Evaluating) => Evaluation[]>> = { componentwise, reduce, pairs }

/** Evaluations that were worked out, by what they depend on beside the row: programs write the same components again and again. */
const KNOWN = new WeakMap<InstructionRow, Map<number, readonly Evaluation[]>>()

/** Which components the destinations of an instruction take, and whether results are saturated, as a number. */
function writesKey(instruction: Instruction, row: InstructionRow): number {
  let key = row.controls.includes(SATURATE) && controlOf(instruction.controls, SATURATE) !== 0 ? 1 : 0
  for (let n = 0; n < row.operands.length; n++) {
    if (row.operands[n]!.role !== 'dest') continue
    const operand = instruction.operands[n]!
    key = key * 16 + (operand.type === FILE.null ? 0 : writeMask(operand) & 15)
  }
  return key
}

/** The evaluations of an instruction; none for those without a pure meaning. */
export function evaluationsOf(instruction: Instruction, row: InstructionRow): readonly Evaluation[] {
  if (row.traits.kind !== 'alu') return []
  let known = KNOWN.get(row)
  if (known === undefined) KNOWN.set(row, (known = new Map()))
  const key = writesKey(instruction, row)
  let found = known.get(key)
  if (found === undefined) known.set(key, (found = workedOut(instruction, row, row.traits.lanes)))
  return found
}

function workedOut(instruction: Instruction, row: InstructionRow, lanes: LaneRule): readonly Evaluation[] {
  const dests = row.operands.flatMap((slot, i) => (slot.role === 'dest' ? [i] : []))
  const sources = row.operands.flatMap((slot, i) => (slot.role === 'dest' ? [] : [i]))
  const isSaturated = row.controls.includes(SATURATE) && controlOf(instruction.controls, SATURATE) !== 0
  return RULES[lanes]({ instruction, row, dests, sources, isSaturated })
}

/** A word of a source with its operand's modifier, which of a double changes the high word alone. */
export function modifiedWord<V>(o: ValueOps<V>, type: ComponentType, modifier: number, position: number, word: V): V {
  if (modifier === 0 || (type === 'f64' && (position & 1) === 0)) return word
  return applyModifier(o, type, modifier, word)
}

/** The word of each output of an evaluation, given the results of the meaning. */
export function outputWords<V>(o: ValueOps<V>, row: InstructionRow, e: Evaluation, results: readonly V[]): V[] {
  if (e.outputs.every((output) => output.saturated.length === 0)) return e.outputs.map((o) => results[o.result]!)
  const saturated = new Map<number, readonly V[]>()
  return e.outputs.map((output) => {
    const { operand, result } = output
    const key = operand * 4 + output.saturated[0]!
    const words =
      saturated.get(key) ??
      saturate(
        o,
        row.operands[operand]!.type,
        output.saturated.map((r) => results[r]!),
      )
    saturated.set(key, words)
    return words[output.saturated.indexOf(result)]!
  })
}
