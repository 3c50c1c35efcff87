import {
  type ComponentType,
  controlOf,
  PRECISE,
  SATURATE,
  SYNC,
  SYNC_THREADS,
  saturate,
  type Traits,
} from '../../isa/index.ts'
import { evaluationsOf, outputWords, writeMask } from '../../program/index.ts'
import type { Value } from '../ir/index.ts'
import type { Node } from './blocks.ts'
import { forEachCandidate } from './computed-registers.ts'
import { emitAtomic, emitCounter, emitLoad, emitStore, returnNothing } from './memory.ts'
import { commit, type Operation, readSource, type Write } from './sources-and-results.ts'
import { emitStream, quadDifference, readsNeighbors, withEffects } from './stage-effects.ts'
import { currentOutputs } from './stage-registers.ts'
import { emitTexelOperation } from './texture-operations.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Translates one instruction that is no flow control, by the kind of its row; `translate.ts` calls it. */

/** Results of float32 rows are flushed: their meanings flush whatever can be denormal (semantics/float). */
function known(t: Translation, type: ComponentType, value: Value): Value {
  if (type === 'f32' && !t.builder.options.keepDenormals) t.builder.addFacts(value, { flushed: true })
  return value
}

/** A pure instruction: every source is read before anything is written. */
function alu(t: Translation, op: Operation, { lanes, semantics }: Extract<Traits, { kind: 'alu' }>): void {
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
    for (let i = 0; i < e.outputs.length; i++) {
      const output = e.outputs[i]!
      writes.push([instruction.operands[output.operand]!, output.component, outputs[i]!])
    }
  }
  commit(t, writes)
}

/** deriv_rtx and its kind: the difference of two neighbors of the quad (16.8). */
function emitDerivative(t: Translation, op: Operation, traits: Extract<Traits, { kind: 'derivative' }>): void {
  const { instruction, row } = op
  const o = t.builder
  const dest = instruction.operands[0]!
  const mask = writeMask(dest)
  const [first, second] = quadDifference(traits)
  readsNeighbors(t, instruction.operands[1]!)
  const saturates = row.controls.includes(SATURATE) && controlOf(instruction.controls, SATURATE) !== 0
  const writes = [0, 1, 2, 3]
    .filter((c) => (mask >> c) & 1)
    .map((c): Write => {
      const word = readSource(t, row.operands[1]!, instruction.operands[1]!, c)
      const of = (lanes: number): Value => o.flushDenormal(o.make('quadSwizzle', [word], lanes))
      const difference = o.flushDenormal(o.f32Sub(of(second), of(first)))
      return [dest, c, saturates ? saturate(o, 'f32', [difference])[0]! : difference]
    })
  commit(t, writes)
}

/** Whether an instruction writes memory, which helper pixels do not. */
const hasEffects = ({ row: { traits } }: Operation): boolean =>
  traits.kind === 'store' || traits.kind === 'atomic' || traits.kind === 'counter'

function emitCandidates(t: Translation, op: Extract<Node, { kind: 'op' }>): void {
  forEachCandidate(t, op.instruction, () => {
    t.reported.clear()
    t.builder.precise = op.row.controls.includes(PRECISE) && controlOf(op.instruction.controls, PRECISE) !== 0
    emitOnce(t, op)
  })
}

/** One instruction that is no flow control. */
export function emitOperation(t: Translation, op: Extract<Node, { kind: 'op' }>): void {
  try {
    if (hasEffects(op)) {
      withEffects(
        t,
        () => emitCandidates(t, op),
        () => returnNothing(t, op),
      )
    } else emitCandidates(t, op)
  } catch (e) {
    if (e instanceof Unsupported && e.statement === 0) throw new Unsupported(e.message, op.statement)
    throw e
  }
}

/** An instruction whose registers are all known. */
function emitOnce(t: Translation, op: Extract<Node, { kind: 'op' }>): void {
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
    case 'derivative':
      emitDerivative(t, op, traits)
      return
    case 'stream':
      emitStream(t, op, () => currentOutputs(t))
      return
    case 'eval':
    case 'nop':
    case 'flow':
    case 'phase':
    case 'custom-data':
    case 'declaration':
      throw new Unsupported(`${op.row.mnemonic} is not compiled`, op.statement)
    default:
      traits satisfies never
  }
}
