import type { Instruction, Operand } from '../../program/index.ts'
import type { ClassBinding } from '../class-instances.ts'
import type { Declarations, IndexableTempDeclaration, RegisterRange } from '../declarations.ts'
import type {
  BindingTable,
  BindingUse,
  BoundRegisters,
  Builder,
  Check,
  NeighborRead,
  ReportDetails,
  Reports,
  Value,
} from '../ir/index.ts'
import type { EntryLayout } from '../register-layout.ts'

/** What a dispatch fixes of a program. */
export interface Specialization {
  readonly classes?: ClassBinding | undefined
  /** Registers that something is bound to, of the ranges whose registers are computed. */
  readonly bound?: BoundRegisters | undefined
  /** The entry of a graphics shader that is translated, as an index in `Declarations.entries`. */
  readonly entry?: number | undefined
}
/** Variables of an invocation that say what effects it has. */
interface EffectVariables {
  /** All ones while stores and atomics reach memory. */
  readonly stores: number
  /** Of geometry shaders: vertices emitted so far, and streams that are cut before the next. */
  readonly emitted: number
  readonly cuts: number
}

/** The registers of the entry that is translated. */
export interface StageRegisters {
  readonly layout: EntryLayout
  /** Number of the variable of the first output slot; undefined where outputs are in memory. */
  readonly outputVariables: number | undefined
  /** Outputs begin as the batch has them: phases of a hull shader go on with what others wrote. */
  readonly keepsOutputs: boolean
  /** In pixel and geometry shaders. */
  readonly effects: EffectVariables | undefined
}

/** The program being translated, as the files that translate instructions and operands see it; `translate.ts` implements it. */
export interface Translation {
  readonly declarations: Declarations
  readonly builder: Builder
  readonly bindings: BindingTable
  /** What interface pointers point to. */
  readonly classes: ClassBinding
  /** Current values of temp components (r#, then x# that are only indexed by constants), at register * 4 + component. */
  readonly variables: Value[]
  /** Inputs and outputs of a graphics stage; undefined in compute shaders. */
  readonly stage: StageRegisters | undefined
  /** Register number of x#'s first element among the variables; absent for arrays in memory. */
  readonly promoted: ReadonlyMap<number, number>
  /** x# registers of the entry. */
  readonly indexableTemps: readonly IndexableTempDeclaration[]
  readonly privateArrays: readonly { readonly register: number; readonly count: number }[]
  /** The instruction being translated. */
  readonly instruction: Instruction | undefined
  /** Bindings of the operands whose registers are computed, in the arm being translated. */
  readonly candidates: Map<Operand, number>
  /** Arms of all choices among registers so far. */
  arms: number
  /** Statements so far that read computed words of other lanes of their quad. */
  readonly neighborReads: NeighborRead[]
  /** Findings of the current instruction. */
  readonly reported: Reports
  /** Registers of a range that something is bound to, smallest first. */
  boundRegisters(register: BindingUse['register'], range: RegisterRange): readonly number[]
  /** Leaves a finding about an operand of the current instruction. */
  report(operand: Operand | undefined, check: Check, details?: ReportDetails): void
  /** The invocations that run here end, in subroutines too. */
  leaveProgram(): void
  /** All have left: what follows cannot be reached. */
  readonly ended: boolean
  /** Runs one of two bodies; an instruction may be translated several times under tests that it does not have itself. */
  choose(condition: Value, taken: () => void, otherwise: () => void): void
}
