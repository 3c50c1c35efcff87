import type { Instruction, Operand } from '../../program/index.ts'
import type { ClassBinding } from '../class-instances.ts'
import type { Declarations, RegisterRange } from '../declarations.ts'
import type { BindingTable, BindingUse, Builder, Check, ReportDetails, Reports, Value } from '../ir/index.ts'

/** The program being translated, as the files that translate instructions and operands see it; `translate.ts` implements it. */
export interface Translation {
  readonly declarations: Declarations
  readonly builder: Builder
  readonly bindings: BindingTable
  /** What interface pointers point to. */
  readonly classes: ClassBinding
  /** Current values of temp components (r#, then x# that are only indexed by constants), at register * 4 + component. */
  readonly variables: Value[]
  /** Register number of x#'s first element among the variables; absent for arrays in memory. */
  readonly promoted: ReadonlyMap<number, number>
  readonly privateArrays: readonly { readonly register: number; readonly count: number }[]
  /** The instruction being translated. */
  readonly instruction: Instruction | undefined
  /** Bindings of the operands whose registers are computed, in the arm being translated. */
  readonly candidates: Map<Operand, number>
  /** Arms of all choices among registers so far. */
  arms: number
  /** Findings of the current instruction. */
  readonly reported: Reports
  /** Registers of a range that something is bound to, smallest first. */
  boundRegisters(register: BindingUse['register'], range: RegisterRange): readonly number[]
  /** Leaves a finding about an operand of the current instruction. */
  report(operand: Operand, check: Check, details?: ReportDetails): void
  /** Runs one of two bodies; an instruction may be translated several times under tests that it does not have itself. */
  choose(condition: Value, taken: () => void, otherwise: () => void): void
}
