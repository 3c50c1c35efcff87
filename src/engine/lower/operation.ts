import {
  applyModifier,
  type ComponentType,
  controlOf,
  FILE,
  type InstructionRow,
  type OperandSlot,
  PRECISE,
  SATURATE,
  SYNC,
  SYNC_THREADS,
  saturate,
  type Traits,
} from '../../isa/index.ts'
import { type Instruction, type Operand, writeMask } from '../../program/index.ts'
import type { Value } from '../ir/value.ts'
import { roundToPrecision } from '../precision.ts'
import type { Node } from './blocks.ts'
import { withRegisters } from './computed-registers.ts'
import { emitAtomic, emitCounter, emitLoad, emitStore } from './memory.ts'
import { readWord, Unsupported, writerOf } from './operand.ts'
import { emitTexelOperation } from './texture-operations.ts'
import type { Translator } from './translate.ts'

/** An instruction with its operands and slots, ready to translate. */
export interface Operation {
  readonly statement: number
  readonly instruction: Instruction
  readonly row: InstructionRow
}

/** The word of a source slot at a place, with its modifiers. */
export function readSource(t: Translator, slot: OperandSlot, operand: Operand, place: number): Value {
  const at = slot.components === 1 ? 0 : place
  const word = readWord(t, operand, at)
  // A modifier of a double changes its high word alone (modifiers.ts).
  if (slot.type === 'f64' && place % 2 === 0) return word
  return applyModifier(t.builder, slot.type, operand.modifier, word)
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

function saturated(t: Translator, op: Operation, type: ComponentType, words: readonly Value[]): readonly Value[] {
  const has = op.row.controls.includes(SATURATE) && controlOf(op.instruction.controls, SATURATE) === 1
  return has ? saturate(t.builder, type, words) : words
}

/** Results of float32 rows are flushed: their meanings flush whatever can be denormal (semantics/float). */
function known(t: Translator, type: ComponentType, value: Value): Value {
  if (type === 'f32' && !t.builder.options.keepDenormals) t.builder.learn(value, { flushed: true })
  return value
}

function componentwise(t: Translator, op: Operation, traits: Extract<Traits, { kind: 'alu' }>): void {
  const { sources, dests } = partition(op)
  const masks = dests.map((d) => (d.operand.type === FILE.null ? 0 : writeMask(d.operand)))
  const writes: Write[] = []
  for (let c = 0; c < 4; c++) {
    if (!masks.some((m) => (m >> c) & 1)) continue
    const words = sources.map((s) => readSource(t, s.slot, s.operand, c))
    const results = traits.semantics!(t.builder, words)
    dests.forEach((d, i) => {
      if (((masks[i]! >> c) & 1) === 0) return
      const value = saturated(t, op, d.slot.type, [known(t, d.slot.type, results[i]!)])[0]!
      writes.push([d.operand, c, value])
    })
  }
  commit(t, writes)
}

function reduce(t: Translator, op: Operation, traits: Extract<Traits, { kind: 'alu' }>): void {
  const { sources, dests } = partition(op)
  const words = sources.flatMap((s) =>
    Array.from({ length: s.slot.components ?? 4 }, (_, place) => readSource(t, s.slot, s.operand, place)),
  )
  const dest = dests[0]!
  const result = known(t, dest.slot.type, traits.semantics!(t.builder, words)[0]!)
  const value = saturated(t, op, dest.slot.type, [result])[0]!
  const mask = writeMask(dest.operand)
  commit(
    t,
    [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => [dest.operand, c, value]),
  )
}

/**
 * 64-bit values: pair p stands in the places 2p and 2p + 1 after the swizzle. Words beside them: place p of a source,
 * the first or second component of the write mask (functional specification 22.14 to 22.17).
 */
function pairs(t: Translator, op: Operation, traits: Extract<Traits, { kind: 'alu' }>): void {
  const { sources, dests } = partition(op)
  const dest = dests[0]!
  const mask = writeMask(dest.operand)
  const wide = dest.slot.type === 'f64'
  const written = [0, 1, 2, 3].filter((c) => (mask >> c) & 1)
  const writes: Write[] = []
  for (let p = 0; p < 2; p++) {
    const components = wide ? [2 * p, 2 * p + 1].filter((c) => (mask >> c) & 1) : written.slice(p, p + 1)
    if (components.length === 0) continue
    const words = sources.flatMap((s) =>
      s.slot.type === 'f64'
        ? [readSource(t, s.slot, s.operand, 2 * p), readSource(t, s.slot, s.operand, 2 * p + 1)]
        : [readWordOfPair(t, s, p)],
    )
    const results = saturated(t, op, dest.slot.type, traits.semantics!(t.builder, words))
    for (const c of components) writes.push([dest.operand, c, results[wide ? c - 2 * p : 0]!])
  }
  commit(t, writes)
}

function readWordOfPair(t: Translator, s: Source, pair: number): Value {
  const word = readWord(t, s.operand, pair)
  return applyModifier(t.builder, s.slot.type, s.operand.modifier, word)
}

function alu(t: Translator, op: Operation, traits: Extract<Traits, { kind: 'alu' }>): void {
  if (traits.semantics === undefined)
    throw new Unsupported(`${op.row.mnemonic} has no meaning to compile`, op.statement)
  if (traits.lanes === 'componentwise') componentwise(t, op, traits)
  else if (traits.lanes === 'reduce') reduce(t, op, traits)
  else pairs(t, op, traits)
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
