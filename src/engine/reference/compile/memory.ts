import { type OperandRole, operandFor } from '../../../isa/index.ts'
import { FEEDBACK_FULLY_MAPPED } from '../../../machine/index.ts'
import { componentAt, writeMask } from '../../../program/index.ts'
import { undefinedWord } from '../run/report.ts'
import type { ObservedWave, Wave } from '../run/state.ts'
import { createLocator, DROPPED, keepPages, type Locator, memoryEvent, UNDEFINED, wordsOf } from './access.ts'
import { isNull, maskedComponents, type Result, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { withoutHelpers } from './helper-lanes.ts'
import { sourceValue } from './operand.ts'
import { type Op, refuse, runSteps, type Statement, sequence } from './statement.ts'

/** Loads and stores of raw buffers, structured buffers and shared memory: dwords as they are, no conversion. */

/** Position of the operand of a role, the nth of its kind. */
export function operandOf(s: Statement, role: OperandRole, nth = 0): number {
  let seen = 0
  return s.row.operands.findIndex((o) => o.role === role && seen++ === nth)
}

/** The columns of source operands' words, and the op that computes them. */
export function evaluateColumns(s: Statement, values: readonly (Value | undefined)[]): EvaluatedColumns | undefined {
  if (values.includes(undefined)) return undefined
  const { steps, columns } = s.recorder.evaluate(values as Value[])
  return { columns, compute: steps.length === 0 ? [] : [(w) => runSteps(w, steps)] }
}
export interface EvaluatedColumns {
  readonly columns: readonly number[]
  readonly compute: readonly Op[]
}

/** The whole of a statement: gathers of computed registers, the address and values, then what it does with them. */
export function complete(s: Statement, evaluated: readonly Op[], rest: readonly Op[]): Op {
  return sequence([...s.before, ...evaluated, ...rest])
}

/** A status of a feedback form: everything is mapped, since this machine has no tiled resources. */
export function statusResult(s: Statement): Result[] {
  const operand = operandFor(s.row, 'status')
  if (operand < 0 || isNull(s.instruction.operands[operand]!)) return []
  const status = s.recorder.ops.constant(FEEDBACK_FULLY_MAPPED)
  const components = maskedComponents(s.instruction.operands[operand]!)
  return [{ operand, values: [0, 1, 2, 3].map((c) => (components.includes(c) ? status : undefined)) }]
}

/** Scratch columns for the words that a handler puts in, and the results that go from there to operand `operand`. */
export function resultColumns(s: Statement, operand: number): { readonly columns: number[]; readonly result: Result } {
  const o = s.instruction.operands[operand]!
  const components = isNull(o) ? [] : maskedComponents(o)
  const columns = components.map(() => s.recorder.scratch())
  const values = [0, 1, 2, 3].map((c) => {
    const i = components.indexOf(c)
    return i < 0 ? undefined : s.recorder.column(columns[i]!)
  })
  return { columns, result: { operand, values } }
}

/** Reads the dwords that the locator found into columns. */
function loadRows(locator: Locator, columns: readonly number[], observed: boolean): Op {
  const { width } = locator
  const { tgsmFirst } = locator
  return (w) => {
    locator.locate(w)
    const { I, lanes, activeCount, offsets } = w
    const dynamic = locator.view !== undefined && locator.view.slot < 0
    const fixed = dynamic ? undefined : wordsOf(w, locator, 0)
    const shown = observed ? shownTo(w) : undefined
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const words = dynamic ? wordsOf(w, locator, k) : fixed
      for (let i = 0; i < width; i++) {
        const entry = k * width + i
        const at = offsets[entry]!
        const value = at >= 0 ? words![tgsmFirst + (at >> 2)]! : at === UNDEFINED ? undefinedWord(w) : 0
        I[columns[i]! + l] = value
        if (shown !== undefined) shown.values[entry] = value
      }
    }
    if (shown !== undefined) memoryEvent(w, locator, 4, width)
  }
}

/** Where values go that an observer is shown; undefined where it has no method for accesses. */
const shownTo = (w: Wave): ObservedWave | undefined =>
  w.dispatch.observer?.memory === undefined ? undefined : w.observed

interface AddressOperands {
  /** -1 where memory has no structures. */
  readonly index: number
  readonly byteOffset: number
}

function addressOperands({ row }: Statement): AddressOperands {
  return { index: operandFor(row, 'structure-index'), byteOffset: operandFor(row, 'byte-offset') }
}

/** ld_raw and ld_structured: component c of the destination takes the dword that the memory operand's swizzle names. */
export function compileLoad(s: Statement, addressing: 'raw' | 'structured'): Op {
  const memory = operandOf(s, 'resource')
  const { columns, result } = resultColumns(s, 0)
  const components = [0, 1, 2, 3].filter((c) => result.values[c] !== undefined)
  const at = addressOperands(s)
  const address = evaluateColumns(s, [
    sourceValue(s, at.byteOffset, 0),
    ...(at.index < 0 ? [] : [sourceValue(s, at.index, 0)]),
  ])
  if (address === undefined) return () => {}
  const dwords = components.map((c) => componentAt(s.instruction.operands[memory]!, c))
  const locator = createLocator(s, {
    operand: memory,
    access: 'load',
    addressing,
    columns: { byteOffset: address.columns[0]!, index: address.columns[1] },
    dwords,
    returns: false,
  })
  const write = writeResults(s, [result, ...statusResult(s)])
  if (locator === undefined) return () => {}
  return complete(s, address.compute, [loadRows(locator, columns, s.context.observed), write])
}

/** store_raw and store_structured: the words of the value's swizzle in order, without gaps, as many as the mask has. */
export function compileStore(s: Statement, addressing: 'raw' | 'structured'): Op {
  const memory = operandOf(s, 'memory')
  const mask = writeMask(s.instruction.operands[memory]!)
  const width = [1, 3, 7, 15].indexOf(mask) + 1
  if (width === 0) {
    refuse(s, memory, 'a store has one of the masks .x, .xy, .xyz, .xyzw')
    return () => {}
  }
  const at = addressOperands(s)
  const value = operandOf(s, 'source')
  const all = evaluateColumns(s, [
    sourceValue(s, at.byteOffset, 0),
    at.index < 0 ? s.recorder.ops.constant(0) : sourceValue(s, at.index, 0),
    ...[0, 1, 2, 3].slice(0, width).map((c) => sourceValue(s, value, c)),
  ])
  if (all === undefined) return () => {}
  const [byteOffset, index, ...values] = all.columns
  const locator = createLocator(s, {
    operand: memory,
    access: 'store',
    addressing,
    columns: { byteOffset: byteOffset!, index: at.index < 0 ? undefined : index },
    dwords: [0, 1, 2, 3].slice(0, width),
    returns: false,
  })
  if (locator === undefined) return () => {}
  return complete(s, all.compute, [withoutHelpers(s, storeRows(locator, values, s.context.observed))])
}

function storeRows(locator: Locator, values: readonly number[], observed: boolean): Op {
  const { width, tgsmFirst } = locator
  return (w) => {
    locator.locate(w)
    if (observed) keepPages(w, locator, 4)
    const { I, lanes, activeCount, offsets } = w
    const dynamic = locator.view !== undefined && locator.view.slot < 0
    const fixed = dynamic ? undefined : wordsOf(w, locator, 0)
    const shown = observed ? shownTo(w) : undefined
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const words = dynamic ? wordsOf(w, locator, k) : fixed
      for (let i = 0; i < width; i++) {
        const entry = k * width + i
        const at = offsets[entry]!
        const place = tgsmFirst + (at >> 2)
        const value = I[values[i]! + l]!
        if (shown !== undefined) {
          shown.values[entry] = value
          shown.originals[entry] = at > DROPPED ? words![place]! : 0
        }
        if (at > DROPPED) words![place] = value
      }
    }
    if (shown !== undefined) memoryEvent(w, locator, 4, width)
  }
}
