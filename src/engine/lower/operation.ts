import {
  type ComponentType,
  controlOf,
  FILE,
  type InstructionRow,
  type OperandSlot,
  PRECISE,
  SYNC,
  SYNC_THREADS,
  type Traits,
} from '../../isa/index.ts'
import { evaluationsOf, type Instruction, modifiedWord, type Operand, outputWords } from '../../program/index.ts'
import type { Value } from '../ir/index.ts'
import { roundToPrecision } from '../precision.ts'
import type { Node } from './blocks.ts'
import { withRegisters } from './computed-registers.ts'
import { emitAtomic, emitCounter, emitLoad, emitStore } from './memory.ts'
import { readWord, writerOf } from './operand.ts'
import { emitTexelOperation } from './texture-operations.ts'
import type { Translator } from './translate.ts'
import { Unsupported } from './unsupported.ts'

/** An instruction with its operands and slots, ready to translate. */
export interface Operation {
  readonly statement: number
  readonly instruction: Instruction
  readonly row: InstructionRow
}

/** The word of a source slot at a place, with its modifiers. */
export function readSource(t: Translator, slot: OperandSlot, operand: Operand, place: number): Value {
  const at = slot.components === 1 ? 0 : place
  return modifiedWord(t.builder, slot.type, operand.modifier, at, readWord(t, operand, at))
}

interface Source {
  readonly slot: OperandSlot
  readonly operand: Operand
}

/** Sources and destinations in operand order. */
export function partition(op: Operation): { readonly sources: Source[]; readonly dests: Source[] } {
  const all = op.row.operands.map((slot, n) => ({ slot, operand: op.instruction.operands[n]! }))
  return {
    sources: all.filter((x) => x.slot.role === 'source' || x.slot.role === 'condition'),
    dests: all.filter((x) => x.slot.role === 'dest'),
  }
}

/** Writes that wait until every source of the instruction has been read. */
type Write = readonly [operand: Operand, component: number, value: Value]

export function commit(t: Translator, writes: readonly Write[]): void {
  const real = writes.filter(([operand]) => operand.type !== FILE.null)
  const writers = real.map(([operand, component]) => writerOf(t, operand, component))
  const { rounded = false } = t.builder.options
  real.forEach(([operand, , value], i) => {
    writers[i]!(rounded ? roundToPrecision(t.builder, operand.minPrecision, value) : value)
  })
}

/** Results of float32 rows are flushed: their meanings flush whatever can be denormal (semantics/float). */
function known(t: Translator, type: ComponentType, value: Value): Value {
  if (type === 'f32' && !t.builder.options.keepDenormals) t.builder.learn(value, { flushed: true })
  return value
}

/** A pure instruction: every source is read before anything is written. */
function alu(t: Translator, op: Operation, { lanes, semantics }: Extract<Traits, { kind: 'alu' }>): void {
  const { instruction, row } = op
  const dests = row.operands.filter((slot) => slot.role === 'dest')
  const writes: Write[] = []
  for (const e of evaluationsOf(instruction, row)) {
    const words = e.sources.map(({ operand, position }) =>
      readSource(t, row.operands[operand]!, instruction.operands[operand]!, position),
    )
    const results = semantics(t.builder, words)
    const stated = lanes === 'pairs' ? results : results.map((value, i) => known(t, dests[i]!.type, value))
    const outputs = outputWords(t.builder, row, e, stated)
    e.outputs.forEach(({ operand, component }, i) => {
      writes.push([instruction.operands[operand]!, component, outputs[i]!])
    })
  }
  commit(t, writes)
}

/** One instruction that is no flow control. */
export function emitOperation(t: Translator, op: Extract<Node, { kind: 'op' }>): void {
  try {
    withRegisters(t, op.instruction, () => {
      t.reported.clear()
      t.builder.precise = op.row.controls.includes(PRECISE) && controlOf(op.instruction.controls, PRECISE) !== 0
      emitOnce(t, op)
    })
  } catch (e) {
    if (e instanceof Unsupported && e.statement === 0) throw new Unsupported(e.message, op.statement)
    throw e
  }
}

/** An instruction whose registers are all known. */
function emitOnce(t: Translator, op: Extract<Node, { kind: 'op' }>): void {
  const { traits } = op.row
  switch (traits.kind) {
    case 'alu':
      alu(t, op, traits)
      return
    case 'load':
      traits.addressing === 'typed' ? emitTexelOperation(t, op) : emitLoad(t, op, traits.addressing)
      return
    case 'store':
      traits.addressing === 'typed' ? emitTexelOperation(t, op) : emitStore(t, op, traits.addressing)
      return
    case 'atomic':
      emitAtomic(t, op, traits.operation, traits.returnsOriginal)
      return
    case 'counter':
      emitCounter(t, op, traits.direction)
      return
    case 'sync':
      if ((controlOf(op.instruction.controls, SYNC) & SYNC_THREADS) !== 0)
        t.builder.push({ kind: 'barrier', statement: op.statement })
      return
    case 'sample':
    case 'gather':
    case 'query':
      emitTexelOperation(t, op)
      return
    case 'debug':
      if (traits.action === 'abort') t.builder.push({ kind: 'stop', statement: op.statement })
      return
    default:
      throw new Unsupported(`${op.row.mnemonic} is not compiled`, op.statement)
  }
}
