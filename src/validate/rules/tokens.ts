import {
  CONTROLS_MASK,
  CUSTOM_DATA,
  controlOf,
  INSTRUCTIONS,
  type InstructionRow,
  PRECISE,
  profileName,
  REGISTER_FILES,
  RESINFO_RETURN,
  SAMPLEINFO_RETURN,
  SATURATE,
  stageOfNumber,
} from '../../isa/index.ts'
import {
  COMPONENTS_4,
  COMPONENTS_N,
  type ExtendedOpcode,
  isPlainlyIndexed,
  MODIFIER_ABSNEG,
  type Operand,
  SELECT_MASK,
  SELECT_ONE,
} from '../../program/index.ts'
import { eachOperand, type ProgramContext, place, type Site } from '../context.ts'
import { indexRegister, isImmediate } from '../operand.ts'
import { instructionRule, programRule, type Rule } from '../rule.ts'

const MODELS: readonly number[] = [40, 41, 50, 51]

const bitsOf = (shift: number, width: number): number => ((1 << width) - 1) << shift
const SATURATE_BIT = bitsOf(SATURATE.shift, SATURATE.width)
const PRECISE_BITS = bitsOf(PRECISE.shift, PRECISE.width)

/** Bits of an opcode token that each row gives a meaning. */
const KNOWN_CONTROLS: ReadonlyMap<InstructionRow, number> = new Map(
  INSTRUCTIONS.map((row) => [row, row.controls.reduce((mask, c) => mask | bitsOf(c.shift, c.width), 0)]),
)

const knownControls = (row: InstructionRow): number => KNOWN_CONTROLS.get(row) ?? 0

const writesRegister = (row: InstructionRow): boolean =>
  row.operands.some((slot) => slot.role === 'dest' || slot.role === 'memory')

const isStatement = (row: InstructionRow): boolean => row.traits.kind !== 'declaration'

/** Bits that rules of their own check. */
const JUDGED_ELSEWHERE: ReadonlyMap<InstructionRow, number> = new Map(
  INSTRUCTIONS.map((row) => [row, (writesRegister(row) ? SATURATE_BIT : 0) | (isStatement(row) ? PRECISE_BITS : 0)]),
)

const judgedElsewhere = (row: InstructionRow): number => JUDGED_ELSEWHERE.get(row) ?? 0

/** Kinds whose rows say whether they saturate; what reads resources is not judged. */
const NEVER_SATURATE: readonly string[] = ['alu', 'atomic', 'counter', 'store']

/** Bits of the operand token that mean nothing with its other bits; a reader ignores them, a writer must leave them 0. */
function hasSpareSelection(o: Operand): boolean {
  if (isImmediate(o)) return false
  if (o.components !== COMPONENTS_4) return o.mode !== 0 || o.selection !== 0
  if (o.mode === SELECT_MASK) return o.selection > 15
  return o.mode === SELECT_ONE && o.selection > 3
}

const hasSpareBits = (e: ExtendedOpcode): boolean => e.kind !== 'other' && e.spare !== 0

/** An extended operand token that says that there is no modifier. */
const NO_MODIFIER_TOKEN = 1

/** Bits and tokens beside the operand that mean nothing; fxc itself leaves a token that has no modifier to name. */
function hasMeaninglessExtra({ extra }: Operand): boolean {
  if (extra === undefined) return false
  const { tokens, spare } = extra
  return spare !== 0 || tokens === undefined || tokens.length !== 1 || tokens[0] !== NO_MODIFIER_TOKEN
}

function takesOffset(row: InstructionRow): boolean {
  const { traits } = row
  if (traits.kind === 'sample') return true
  if (traits.kind === 'gather') return !traits.programmableOffset
  return traits.kind === 'load' && traits.addressing === 'typed'
}

const namesResource = (row: InstructionRow): boolean => row.operands.some((slot) => slot.role === 'resource')

/** Why an extended opcode token does not belong there; undefined where it does. */
function misplacedExtension(e: ExtendedOpcode, site: Site, model: number): string | undefined {
  switch (e.kind) {
    case 'sample-offset':
      return takesOffset(site.row) ? undefined : 'takes no texel offsets'
    case 'resource-dimension':
    case 'resource-return-type':
      if (!namesResource(site.row)) return 'names no resource to describe'
      return model < 50 ? 'cannot describe its resource before Shader Model 5.0' : undefined
    case 'other':
      return 'has an extended opcode token of a kind that does not exist'
  }
}

function checkExtensions(site: Site, model: number): string | undefined {
  if (site.instruction.extended.length === 0) return undefined
  const kinds = site.instruction.extended.map((e) => e.kind)
  for (const e of site.instruction.extended) {
    const why = misplacedExtension(e, site, model)
    if (why !== undefined) return why
  }
  if (new Set(kinds).size < kinds.length) return 'has two extended opcode tokens of one kind'
  if (kinds.includes('resource-dimension') !== kinds.includes('resource-return-type')) {
    return 'has the dimension or the return type of its resource without the other'
  }
  return undefined
}

/** How many parameters a statement may have, least and most. */
function parameterCounts(site: Site, model: number): readonly [number, number] {
  const names = site.row.parameters
  if (names.includes('...')) return [names.length - 1, Number.POSITIVE_INFINITY]
  const since51 = names.filter((n) => n === 'space' || n === 'size').length
  const count = model >= 51 ? names.length : names.length - since51
  return [count, count]
}

const RESOURCE_KINDS: readonly string[] = ['sample', 'gather', 'load', 'query']

/**
 * fxc now and then leaves a 0 behind the operands of what reads a resource: the room of texel offsets that feedback
 * samples do not have, a dword behind samplepos (corpus: ps/feedback, ps/samplepos). The room of feedback samples can
 * also hold what was there before.
 */
function isUnusedRange(site: Site, extra: number): boolean {
  if (site.row.slack !== undefined && extra === 1) return true
  const rest = site.instruction.parameters.slice(-extra)
  return RESOURCE_KINDS.includes(site.row.traits.kind) && rest.every((dword) => dword === 0)
}

function checkVersion({ program }: ProgramContext, report: (message: string) => void): void {
  const stage = stageOfNumber(program.stageNumber)
  const model = program.major * 10 + program.minor
  if (stage === undefined) report(`The version token names stage ${program.stageNumber}, which does not exist.`)
  else if (!MODELS.includes(model)) {
    report(`The version token says ${profileName(stage, program.major, program.minor)}; 4.0, 4.1, 5.0 and 5.1 exist.`)
  } else if (model < 50 && (stage === 'hull' || stage === 'domain')) {
    report(`The version token says ${profileName(stage, program.major, program.minor)}; tessellation came with 5.0.`)
  }
}

/** The first of an operand and the registers in its indices, which nest a few levels at most, that something holds for. */
function findRegister(operand: Operand, holds: (o: Operand) => boolean): Operand | undefined {
  if (holds(operand)) return operand
  if (isPlainlyIndexed(operand)) return undefined
  for (const index of operand.indices) {
    const register = indexRegister(index)
    const found = register === undefined ? undefined : findRegister(register, holds)
    if (found !== undefined) return found
  }
  return undefined
}

/** Why an operand token means nothing; undefined where it does not. */
function invalidTokenReason(o: Operand): string | undefined {
  if (REGISTER_FILES[o.type] === undefined) return `Register file ${o.type} does not exist.`
  if (o.components === COMPONENTS_N) return 'A register cannot have more than four components.'
  if (o.components === COMPONENTS_4 && o.mode > SELECT_ONE) return `Component selection mode ${o.mode} does not exist.`
  return o.modifier > MODIFIER_ABSNEG ? `Operand modifier ${o.modifier} does not exist.` : undefined
}

const isInvalid = (o: Operand): boolean => invalidTokenReason(o) !== undefined

export const TOKEN_RULES: readonly Rule[] = [
  programRule('validate-version', checkVersion),
  instructionRule('validate-spare-bits', (context, report) => {
    if (context.program.versionSpare !== 0) report('Bits 8 to 15 of the version token are not 0.')
    for (const site of context.sites) {
      const spare = site.instruction.controls & CONTROLS_MASK & ~knownControls(site.row) & ~judgedElsewhere(site.row)
      if (spare !== 0) {
        report(`${site.row.mnemonic} has bits 0x${(spare >>> 0).toString(16)} set that mean nothing here.`, place(site))
      }
      if (site.instruction.extended.some(hasSpareBits)) {
        report(`An extended opcode token of ${site.row.mnemonic} has bits set that mean nothing.`, place(site))
      }
    }
    eachOperand(context, (operand, _slot, site, i) => {
      if (findRegister(operand, hasSpareSelection) !== undefined) {
        report('The operand has component selection bits set that mean nothing.', place(site, i))
      } else if (findRegister(operand, hasMeaninglessExtra) !== undefined) {
        report('The operand has bits or extended tokens that mean nothing.', place(site, i))
      }
    })
  }),
  instructionRule('validate-saturate', ({ sites }, report) => {
    for (const site of sites) {
      if ((site.instruction.controls & SATURATE_BIT & ~knownControls(site.row)) === 0) continue
      if (!NEVER_SATURATE.includes(site.row.traits.kind)) continue
      report(`${site.row.mnemonic} cannot saturate: its result is not a float.`, place(site))
    }
  }),
  instructionRule('validate-precise', ({ sites }, report) => {
    for (const site of sites) {
      const stray = site.instruction.controls & PRECISE_BITS & ~knownControls(site.row)
      if (stray === 0 || writesRegister(site.row) || !isStatement(site.row)) continue
      const fixes = [{ kind: 'drop-precise' } as const]
      report(`${site.row.mnemonic} has no result that could be precise.`, place(site), [], { fixes })
    }
  }),
  instructionRule('validate-extended-opcode', ({ sites, model }, report) => {
    for (const site of sites) {
      const why = checkExtensions(site, model)
      if (why !== undefined) report(`${site.row.mnemonic} ${why}.`, place(site))
    }
  }),
  instructionRule('validate-parameter-count', ({ sites, model }, report) => {
    for (const site of sites) {
      const [least, most] = parameterCounts(site, model)
      const count = site.instruction.parameters.length
      if (count < least) {
        report(`${site.row.mnemonic} has ${count} dwords beside its operands and needs ${least}.`, place(site))
      } else if (count > most && !isUnusedRange(site, count - most)) {
        report(`${site.row.mnemonic} has ${count - most} dwords too many.`, place(site))
      }
    }
  }),
  instructionRule('validate-operand-token', (context, report) => {
    eachOperand(context, (operand, _slot, site, i) => {
      const invalid = findRegister(operand, isInvalid)
      if (invalid !== undefined) report(invalidTokenReason(invalid)!, place(site, i))
    })
  }),
  instructionRule('validate-return-type-control', ({ sites }, report) => {
    for (const site of sites) {
      const { controls } = site.instruction
      const { traits } = site.row
      if (traits.kind !== 'query') continue
      const resinfo = traits.query === 'resinfo' && controlOf(controls, RESINFO_RETURN) === 3
      const sampleinfo = traits.query === 'sampleinfo' && controlOf(controls, SAMPLEINFO_RETURN) > 1
      if (resinfo || sampleinfo) report(`${site.row.mnemonic} names a return type that does not exist.`, place(site))
    }
  }),
  programRule('validate-immediate-constant-buffer', ({ program }, report) => {
    let seen = 0
    program.statements.forEach((statement, index) => {
      if (statement.kind !== 'custom-data' || statement.dataClass !== CUSTOM_DATA.immediateConstantBuffer) return
      const count = statement.dwords.length
      const at = { kind: 'statement', index } as const
      seen++
      if (seen > 1) report('A program has one immediate constant buffer; this is another.', at)
      else if (count === 0 || count % 4 !== 0) report(`${count} dwords are not a whole number of 4-vectors.`, at)
      else if (count / 4 > 4096) report(`It has ${count / 4} elements; 4096 are allowed.`, at)
    })
  }),
]
