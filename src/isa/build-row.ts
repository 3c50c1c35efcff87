import type { Control } from './controls.ts'
import type { RegisterFileName } from './register-files.ts'
import type {
  ComponentType,
  CountedAs,
  InstructionRow,
  LiteralStyle,
  ModifierSet,
  OperandPurpose,
  OperandRole,
  OperandSlot,
  Requirement,
  ShaderModelNumber,
  Traits,
} from './row.ts'
import { ANY_STAGE, type StageSet } from './stages.ts'

const SM40: ShaderModelNumber = { major: 4, minor: 0 }
export const SM41: ShaderModelNumber = { major: 4, minor: 1 }
export const SM50: ShaderModelNumber = { major: 5, minor: 0 }

/** What a row states; everything absent takes the default that most rows share. */
interface RowDescription {
  readonly mnemonic: string
  readonly opcode: number
  readonly enumName?: string
  readonly traits: Traits
  readonly since?: ShaderModelNumber
  readonly downlevel?: 'none' | 'compute' | 'all'
  readonly stages?: StageSet
  readonly requires?: readonly Requirement[]
  readonly operands?: readonly OperandSlot[]
  readonly parameters?: readonly string[]
  readonly parametersFirst?: boolean
  readonly longForm?: boolean
  readonly controls?: readonly Control[]
  readonly literals?: LiteralStyle
  readonly countedAs?: readonly CountedAs[]
  readonly slack?: 'texture' | 'unused-offset'
  readonly evidence?: 'corpus' | 'patched'
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly spec: string
}

export function instruction(d: RowDescription): InstructionRow {
  return {
    enumName: d.mnemonic.toUpperCase(),
    since: SM40,
    downlevel: 'none',
    stages: ANY_STAGE,
    requires: [],
    operands: [],
    parameters: [],
    parametersFirst: false,
    longForm: false,
    controls: [],
    literals: 'integer',
    countedAs: [],
    evidence: 'corpus',
    aliases: [],
    ...d,
  }
}

interface SlotOptions {
  readonly components?: 1 | 2 | 3 | 4
  readonly modifiers?: ModifierSet
  readonly nullable?: boolean
  readonly files?: readonly RegisterFileName[]
  readonly castsPrecision?: boolean
  readonly purpose?: OperandPurpose
}

function slot(name: string, role: OperandRole, type: ComponentType, o: SlotOptions): OperandSlot {
  return { name, role, type, modifiers: 'none', nullable: false, castsPrecision: false, ...o }
}

/** A register that receives a result. */
export const dest = (name: string, type: ComponentType, o: SlotOptions = {}): OperandSlot => slot(name, 'dest', type, o)

const DEFAULT_MODIFIERS: Readonly<Record<ComponentType, ModifierSet>> = {
  f32: 'neg-abs',
  f64: 'neg-abs',
  i32: 'neg',
  u32: 'none',
  f16: 'neg-abs',
  bits: 'none',
}

/** A value; its minimum precision is cast to the destination's (conversions and comparisons use `own`). */
export const src = (name: string, type: ComponentType, o: SlotOptions = {}): OperandSlot =>
  slot(name, 'source', type, { modifiers: DEFAULT_MODIFIERS[type], castsPrecision: true, ...o })

/** A value that is read at its own minimum precision: operands of conversions, comparisons, shift counts. */
export const own = (name: string, type: ComponentType, o: SlotOptions = {}): OperandSlot =>
  src(name, type, { castsPrecision: false, ...o })

export const condition = (name: string, o: SlotOptions = {}): OperandSlot => slot(name, 'condition', 'bits', o)
export const address = (name: string, type: ComponentType, o: SlotOptions = {}): OperandSlot =>
  slot(name, 'address', type, type === 'f32' ? { modifiers: 'neg-abs', ...o } : { modifiers: 'neg', ...o })
export const named = (name: string, role: OperandRole, files: readonly RegisterFileName[]): OperandSlot =>
  slot(name, role, 'bits', { files })
