import {
  FILE,
  MIN_PRECISION_WORD,
  type OperandSlot,
  REGISTER_FILES,
  type RegisterFile,
  type RegisterFileName,
  type Stage,
} from '../../isa/index.ts'
import {
  COMPONENTS_4,
  componentAt,
  isPlainlyIndexed,
  MODIFIER_ABS,
  MODIFIER_ABSNEG,
  MODIFIER_NEG,
  type Operand,
  type OperandIndex,
  SELECT_MASK,
  SELECT_SWIZZLE,
  writeMask,
} from '../../program/index.ts'
import { eachOperand, formOf, type PhaseKind, type ProgramContext, place, type Site } from '../context.ts'
import {
  countBits,
  fileOf,
  indexRegister,
  isImmediate,
  isRelative,
  maskText,
  positionsRead,
  registerText,
} from '../operand.ts'
import { instructionRule, type Report, type Rule } from '../rule.ts'

const DESTINATIONS: ReadonlySet<RegisterFileName> = new Set([
  'temp',
  'indexable-temp',
  'output',
  'output-depth',
  'output-depth-greater-equal',
  'output-depth-less-equal',
  'output-coverage-mask',
  'output-stencil-ref',
  'function-output',
])

/** Files that hold values. Results cannot be read back: outputs are written only. */
function isSourceFile(file: RegisterFile): boolean {
  if (file.name === 'this-pointer') return true
  return file.class === 'register' || file.class === 'input' || file.class === 'immediate' || file.class === 'constant'
}

/** null may stand where the row says so, and for a result beside another or of an atomic, which has its effect anyway. */
function mayBeNull(site: Site, slot: OperandSlot): boolean {
  if (slot.nullable || slot.role !== 'dest') return slot.nullable
  const { kind } = site.row.traits
  return kind === 'atomic' || kind === 'counter' || site.row.operands.filter((s) => s.role === 'dest').length > 1
}

function fits(site: Site, slot: OperandSlot, operand: Operand, file: RegisterFile): boolean {
  if (file.name === 'null') return mayBeNull(site, slot)
  if (slot.files !== undefined) return slot.files.includes(file.name)
  switch (slot.role) {
    case 'dest':
      return DESTINATIONS.has(file.name)
    case 'source':
    case 'condition':
    case 'address':
      if (operand.type === FILE.immediate64) return slot.type === 'f64' || slot.type === 'bits'
      return isSourceFile(file)
    default:
      return true
  }
}

const COMPUTE_ABSENT: readonly RegisterFileName[] = ['input', 'output']

/** Stages that a file exists in, where its table entry is wider than the truth for a stage. */
function existsIn(file: RegisterFile, stage: Stage): boolean {
  if (stage === 'compute' && COMPUTE_ABSENT.includes(file.name)) return false
  if (stage === 'domain' && file.name === 'input') return false
  return file.stages.includes(stage)
}

/** Files that the token format has and no compiler emits. */
const NEVER_EMITTED: ReadonlySet<RegisterFileName> = new Set(['function-input', 'function-output'])

/** `it can be r#, x#, o#, null`: the register files of the stage that fit a slot. */
function fittingNote(context: ProgramContext, site: Site, slot: OperandSlot, operand: Operand): readonly string[] {
  const { stage } = context
  const names = REGISTER_FILES.filter((f) => {
    const isThere = stage === undefined || existsIn(f, stage)
    return isThere && !NEVER_EMITTED.has(f.name) && fits(site, slot, { ...operand, type: f.number }, f)
  }).map((f) => (f.indices[1] > 0 ? `${f.prefix}#` : f.prefix))
  return names.length === 0 ? [] : [`it can be ${[...new Set(names)].join(', ')}`]
}

/** Files that only some phases of a hull shader have (S 10.7 to 10.9). */
const HULL_PHASES: Readonly<Partial<Record<RegisterFileName, readonly string[]>>> = {
  input: ['control-point'],
  'output-control-point-id': ['control-point'],
  'input-control-point': ['fork', 'join'],
  'output-control-point': ['fork', 'join'],
  'fork-instance-id': ['fork'],
  'join-instance-id': ['join'],
  'patch-constant': ['join'],
}

const PHASE_TEXT: Readonly<Record<PhaseKind, string>> = {
  main: 'the main program',
  declarations: 'the declarations phase',
  'control-point': 'the control point phase',
  fork: 'a fork phase',
  join: 'a join phase',
  subroutines: 'a function body',
}

/** Number of indices of a register of `file`, in an instruction or a declaration; undefined where any may do. */
function indexCount(context: ProgramContext, file: RegisterFile, declared: boolean): number | undefined {
  const twoAxes = context.stage === 'geometry' || context.stage === 'hull'
  switch (file.name) {
    case 'input':
      return twoAxes ? 2 : 1
    case 'output':
    case 'patch-constant':
      return 1
    case 'input-control-point':
    case 'output-control-point':
    case 'indexable-temp':
      return 2
    case 'sampler':
    case 'resource':
    case 'uav':
      return context.model < 51 ? 1 : declared ? 3 : 2
    case 'constant-buffer':
      return context.model < 51 ? 2 : 3
    case 'this-pointer':
    case 'interface':
    case 'function-input':
    case 'function-output':
      return undefined
    default:
      return file.indices[0] === file.indices[1] ? file.indices[0] : undefined
  }
}

/** What a register's index number `i` may be: a plain number, or a register as well. */
function mayBeRelative(context: ProgramContext, file: RegisterFile, i: number): boolean {
  switch (file.name) {
    case 'input':
    case 'output':
    case 'input-control-point':
    case 'output-control-point':
    case 'patch-constant':
    case 'immediate-constant-buffer':
    case 'this-pointer':
      return true
    case 'indexable-temp':
    case 'interface':
      return i === 1
    case 'constant-buffer':
      return context.model >= 51 ? i > 0 : context.model >= 50 || i === 1
    case 'sampler':
    case 'resource':
      return context.model >= 51 ? i === 1 : context.model >= 50
    case 'uav':
      return context.model >= 51 && i === 1
    default:
      return false
  }
}

function isSingleComponent(o: Operand): boolean {
  return o.components !== COMPONENTS_4 || o.mode > SELECT_SWIZZLE || isReplicated(o)
}

/** A swizzle that names one component four times. */
function isReplicated(o: Operand): boolean {
  return o.mode === SELECT_SWIZZLE && [1, 2, 3].every((i) => componentAt(o, i) === componentAt(o, 0))
}

/** Why the register inside a relative index cannot stand there. `outer` is where the index is. */
function indexRegisterMismatch(index: OperandIndex): string | undefined {
  const register = indexRegister(index)
  if (register === undefined) return undefined
  const file = fileOf(register)
  if (file === undefined) return undefined
  if (file.name === 'null' || !isSourceFile(file)) return `${file.prefix} has no value to index with`
  if (isImmediate(register)) return 'an immediate value cannot stand in a relative index'
  if (register.modifier !== 0) return 'the index register has a modifier'
  if (!isSingleComponent(register)) return 'the index register must name one component'
  if (register.indices.some((inner) => indexRegister(inner)?.indices.some(isRelative) === true)) {
    return 'the index register is itself indexed by an indexed register; one level is allowed'
  }
  return undefined
}

/** Numbers can be negated whether an instruction takes them as signed or not, and so can what an atomic adds. */
function isNumber(site: Site, slot: OperandSlot): boolean {
  return slot.role === 'source' && (slot.type === 'u32' || site.row.traits.kind === 'atomic')
}

function modifierFits(site: Site, slot: OperandSlot, modifier: number): boolean {
  if (modifier === 0) return true
  const allowed = slot.modifiers === 'none' && isNumber(site, slot) ? 'neg' : slot.modifiers
  if (modifier === MODIFIER_NEG) return allowed !== 'none'
  return (modifier === MODIFIER_ABS || modifier === MODIFIER_ABSNEG) && allowed === 'neg-abs'
}

const isDeclaration = (site: Site): boolean => formOf(site.row) !== undefined

function checkIndices(context: ProgramContext, site: Site, i: number, operand: Operand, report: Report): void {
  const file = fileOf(operand)
  if (file === undefined) return
  if (isPlainlyIndexed(operand)) return
  operand.indices.forEach((index, at) => {
    if (index.kind === 'immediate64' || index.kind === 'relative-plus64') {
      report(`${file.prefix} has a 64-bit index; Direct3D 11 has none.`, place(site, i))
    } else if (isRelative(index) && (isDeclaration(site) || !mayBeRelative(context, file, at))) {
      report(`Index ${at} of ${file.prefix} must be a number here; it comes from a register.`, place(site, i))
    }
    const inner = indexRegister(index)
    if (inner !== undefined && inner.indices.length > 0) checkIndices(context, site, i, inner, report)
  })
}

const MIN_PRECISIONS = MIN_PRECISION_WORD.words

export const OPERAND_RULES: readonly Rule[] = [
  instructionRule('validate-operand-file', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      const file = fileOf(operand)
      if (file === undefined || fits(site, slot, operand, file)) return
      const notes = fittingNote(context, site, slot, operand)
      report(`${file.prefix} cannot be the ${slot.name} of ${site.row.mnemonic}.`, place(site, i), notes)
    })
  }),
  instructionRule('validate-register-stage', (context, report) => {
    const { stage } = context
    if (stage === undefined) return
    eachOperand(context, (operand, _slot, site, i) => {
      const file = fileOf(operand)
      if (file === undefined || existsIn(file, stage)) return
      report(`A ${stage} shader has no register ${file.prefix}.`, place(site, i))
    })
  }),
  instructionRule('validate-phase-register', (context, report) => {
    if (context.stage !== 'hull') return
    eachOperand(context, (operand, _slot, site, i) => {
      const file = fileOf(operand)
      const kind = context.phases[site.phase]!.kind
      const phases = file === undefined ? undefined : HULL_PHASES[file.name]
      if (phases === undefined || kind === 'subroutines' || phases.includes(kind)) return
      const text = `${file!.prefix} is there in ${phases.join(' and ')} phases; this is ${PHASE_TEXT[kind]}.`
      report(text, place(site, i))
    })
  }),
  instructionRule('validate-index-dimension', (context, report) => {
    eachOperand(context, (operand, _slot, site, i) => {
      const file = fileOf(operand)
      if (file === undefined) return
      const expected = indexCount(context, file, isDeclaration(site))
      if (expected === undefined || expected === operand.indices.length) return
      report(`${file.prefix} has ${operand.indices.length} indices and needs ${expected} here.`, place(site, i))
    })
  }),
  instructionRule('validate-index-form', (context, report) => {
    eachOperand(context, (operand, _slot, site, i) => checkIndices(context, site, i, operand, report))
  }),
  instructionRule('validate-index-register', (context, report) => {
    eachOperand(context, (operand, _slot, site, i) => {
      if (isPlainlyIndexed(operand)) return
      for (const index of operand.indices) {
        const why = indexRegisterMismatch(index)
        if (why !== undefined) report(`In the index of ${registerText(operand)}, ${why}.`, place(site, i))
      }
    })
  }),
  instructionRule('validate-source-modifier', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (operand.modifier > MODIFIER_ABSNEG || modifierFits(site, slot, operand.modifier)) return
      const word = operand.modifier === MODIFIER_NEG ? 'negation' : 'absolute value'
      report(`The ${slot.name} of ${site.row.mnemonic} cannot have the modifier ${word}.`, place(site, i))
    })
  }),
  instructionRule('validate-component-selection', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (operand.components !== COMPONENTS_4 || isImmediate(operand)) return
      const isMask = operand.mode === SELECT_MASK
      if (slot.role === 'dest' || slot.role === 'memory') {
        if (!isMask) report(`The ${slot.name} of ${site.row.mnemonic} needs a write mask.`, place(site, i))
      } else if (isMask && (slot.role === 'source' || slot.role === 'condition' || slot.role === 'address')) {
        report(`The ${slot.name} of ${site.row.mnemonic} is read, and has a write mask.`, place(site, i))
      }
    })
  }),
  instructionRule('validate-scalar-operand', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (slot.components !== 1 || isImmediate(operand) || operand.type === FILE.null) return
      if (slot.role === 'dest') {
        if (countBits(writeMask(operand)) > 1) {
          report(`${slot.name} of ${site.row.mnemonic} is one component; the mask has more.`, place(site, i))
        }
      } else if (operand.mode !== SELECT_MASK && !isSingleComponent(operand)) {
        report(`${slot.name} of ${site.row.mnemonic} must select one component.`, place(site, i))
      }
    })
  }),
  instructionRule('validate-write-mask', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (slot.role !== 'dest' || operand.components !== COMPONENTS_4 || operand.mode !== SELECT_MASK) return
      if ((operand.selection & 15) === 0) report(`${site.row.mnemonic} writes no component at all.`, place(site, i))
    })
  }),
  instructionRule('validate-double-mask', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (slot.role !== 'dest' || slot.type !== 'f64' || operand.components !== COMPONENTS_4) return
      const mask = operand.selection & 15
      if (operand.mode !== SELECT_MASK || mask === 0 || mask === 3 || mask === 12 || mask === 15) return
      report(`A double takes .xy or .zw; the mask is .${maskText(mask)}.`, place(site, i))
    })
  }),
  instructionRule('validate-double-swizzle', (context, report) => {
    eachOperand(context, (operand, slot, site, i) => {
      if (slot.type !== 'f64' || slot.role !== 'source' || operand.components !== COMPONENTS_4) return
      if (isImmediate(operand)) return
      const positions = positionsRead(site.row, slot, site.instruction) || 3
      const broken = [0, 2].some((at) => {
        if (((positions >> at) & 3) !== 3) return false
        const low = componentAt(operand, at)
        return operand.mode !== SELECT_SWIZZLE || (low !== 0 && low !== 2) || componentAt(operand, at + 1) !== low + 1
      })
      if (broken) report('A double is read from .xy or .zw; the swizzle takes its halves apart.', place(site, i))
    })
  }),
  instructionRule('validate-min-precision', (context, report) => {
    const enabled = context.globalFlags.has('enableMinimumPrecision')
    eachOperand(context, (operand, _slot, site, i) => {
      if (operand.minPrecision === 0) return
      if (MIN_PRECISIONS[operand.minPrecision] === undefined) {
        report(`Minimum precision ${operand.minPrecision} does not exist.`, place(site, i))
      } else if (!enabled) {
        report('The operand has a minimum precision, and the program lacks enableMinimumPrecision.', place(site, i))
      }
    })
  }),
  instructionRule('validate-non-uniform', (context, report) => {
    if (context.model >= 51) return
    eachOperand(context, (operand, _slot, site, i) => {
      if (operand.nonUniform) report('Indices that differ between lanes need Shader Model 5.1.', place(site, i))
    })
  }),
  instructionRule('validate-shift-amount', (context, report) => {
    if (context.model >= 50) return
    eachOperand(context, (operand, slot, site, i) => {
      if (!isShiftAmount(site, slot)) return
      const positions = positionsRead(site.row, slot, site.instruction)
      const used = [0, 1, 2, 3].filter((at) => (positions >> at) & 1)
      const amounts = used.map((at) => (isImmediate(operand) ? operand.values[at] : componentAt(operand, at)))
      if (operand.components !== COMPONENTS_4 || new Set(amounts).size < 2) return
      report('Shader Model 4 shifts every component by the same amount; these differ.', place(site, i))
    })
  }),
]

/** Rows of Shader Model 4 with an unsigned second source beside a first one of another use: the shifts. */
function isShiftAmount(site: Site, slot: OperandSlot): boolean {
  const { traits, operands, since } = site.row
  if (traits.kind !== 'alu' || traits.lanes !== 'componentwise' || since.major > 4) return false
  const [first, value, amount] = operands
  if (operands.length !== 3 || amount !== slot || first?.type !== 'bits') return false
  return slot.type === 'u32' && !slot.castsPrecision && value?.castsPrecision === true
}
