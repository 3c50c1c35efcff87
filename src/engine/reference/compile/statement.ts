import { type DiagnosticCollector, diagnostic } from '../../../diagnostic/index.ts'
import type { InstructionRow, ValueOps } from '../../../isa/index.ts'
import type { Instruction, Operand } from '../../../program/index.ts'
import type { LoadOptions } from '../../contract.ts'
import type { Declarations } from '../../declarations.ts'
import { registerName } from '../../register-name.ts'
import type { AccessSite } from '../run/report.ts'
import type { Wave } from '../run/state.ts'
import type { Columns } from './columns.ts'
import type { Step } from './emit.ts'
import type { Value } from './graph.ts'
import type { Recorder } from './recorder.ts'

/** One statement made executable: it works on the active lanes of a wave. */
export type Op = (w: Wave) => void

/** Which events code passes to observers: each kind is compiled by itself, so that events without an observer cost nothing. */
export type Watched = 'nothing' | 'events' | 'events and writes'

/** A register that statements name without a computed index; resolved once a dispatch. */
export interface StaticSlot {
  readonly file: 't' | 'u' | 's'
  readonly key: number
}

/** What compiling all statements of a program shares. */
export interface CompileContext {
  readonly declarations: Declarations
  readonly options: LoadOptions
  /** The code is for a dispatch with an observer: every access is an event. */
  readonly observed: boolean
  /** Every write of a register is an event too. */
  readonly showsWrites: boolean
  readonly columns: Columns
  readonly numbers: ValueOps<number>
  /** Of the configuration, and with two roundings in mad for precise statements. */
  readonly recorder: Recorder
  readonly preciseRecorder: Recorder
  readonly viewSlots: StaticSlot[]
  readonly samplerSlots: StaticSlot[]
  readonly diagnostics: DiagnosticCollector
}

/** One statement while it is compiled. */
export interface Statement {
  readonly context: CompileContext
  readonly instruction: Instruction
  readonly row: InstructionRow
  /** Index in `Program.statements`. */
  readonly index: number
  /** For this statement until the next one begins: nothing that runs may ask it. */
  readonly recorder: Recorder
  /** Run before the statement: registers with computed indices are gathered into scratch columns. */
  readonly before: Op[]
  readonly gathered: Map<string, Value>
}

export function beginStatement(
  context: CompileContext,
  instruction: Instruction,
  row: InstructionRow,
  index: number,
  precise: boolean,
): Statement {
  const recorder = precise ? context.preciseRecorder : context.recorder
  recorder.begin()
  return { context, instruction, row, index, recorder, before: [], gathered: new Map() }
}

/** Refuses the program: an operand that cannot be executed. */
export function refuse(s: Statement, operand: number, message: string): void {
  s.context.diagnostics.push(diagnostic('engine-operand', message, { kind: 'statement', index: s.index, operand }))
}

export function siteOf(
  s: Statement,
  operand: number,
  access: AccessSite['access'],
  space: AccessSite['space'],
): AccessSite {
  const o: Operand | undefined = s.instruction.operands[operand]
  const first = o?.indices[0]
  return {
    statement: s.index,
    operand,
    access,
    space,
    register: first?.kind === 'immediate' ? first.value : -1,
    name: o === undefined ? s.row.mnemonic : registerName(s.context.declarations, o),
  }
}

/** Runs steps over the lanes of a wave. */
export function runSteps(w: Wave, steps: readonly Step[]): void {
  const { I, F, laneCount } = w
  for (let i = 0; i < steps.length; i++) {
    const s = steps[i]!
    s.kernel(I, F, s.d, s.a, s.b, s.c, laneCount)
  }
}

/** One op of several; the common short cases without a loop. */
export function sequence(ops: readonly Op[]): Op {
  const [first, second] = ops
  if (first === undefined) return () => {}
  if (second === undefined) return first
  if (ops.length === 2) {
    return (w) => {
      first(w)
      second(w)
    }
  }
  return (w) => {
    for (let i = 0; i < ops.length; i++) ops[i]!(w)
  }
}
