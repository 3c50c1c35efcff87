/**
 * The statistics (STAT) of a program, counted from its code as fxc 10.1 counts: in 427 of the 443 files that it made for the
 * corpus every field is equal. fxc counts before its last passes, so a few things cannot be seen in the code any more:
 * moves that were of doubles (12 files), declarations of a hull shader's phases (3), a mask that was no conversion (1).
 * The older compiler (9.29) counts otherwise.
 */
import { type StatField, zeroStatCounts } from '../dxbc/index.ts'
import * as I from '../isa/index.ts'
import * as P from '../program/index.ts'

type Counts = Record<StatField, number>

const { FILE } = I
const INDEXABLE_TEMP = FILE['indexable-temp']
const FLOAT_ONE = 0x3f800000
const SIGN_BIT = 0x80000000
const ROW_DWORDS = 4
/** D3D_PRIMITIVE of a patch of one control point, less one. */
const PATCH_PRIMITIVE = 7
const OPTIMIZATION_SKIPPED = 'skipOptimization'

/** What the counting of a statement needs of the program. */
interface Setting {
  readonly stage: I.Stage | undefined
  readonly skipsOptimization: boolean
}

/** Whether an operand, or one in an index of it, is of the register file. */
function usesFile(operands: readonly P.Operand[], file: number): boolean {
  for (const operand of operands) {
    if (operand.type === file) return true
    for (const index of operand.indices) {
      if ((index.kind === 'relative' || index.kind === 'relative-plus') && usesFile([index.register], file)) return true
    }
  }
  return false
}

/** The values of a literal that the write mask takes; undefined for operands that are no 32-bit literals. */
function literalValues(o: P.Operand | undefined, mask: number): readonly number[] | undefined {
  if (o === undefined || o.type !== FILE.immediate32) return undefined
  return o.values.length === 1 ? o.values : o.values.filter((_, k) => (mask & (1 << k)) !== 0)
}

const isAll = (values: readonly number[] | undefined, value: number): boolean =>
  values !== undefined && values.length > 0 && values.every((v) => v === value)

/** A literal of floats that all have the sign bit: without optimization fxc negated it, which counts as arithmetic. */
function isNegatedLiteral(o: P.Operand): boolean {
  if (o.type !== FILE.immediate32) return false
  return o.values.every((v) => (v & SIGN_BIT) !== 0 && (v & 0x7f800000) !== 0x7f800000)
}

function countMove(counts: Counts, setting: Setting, i: P.Instruction): void {
  const [destination, source] = [i.operands[0], i.operands[1]]
  if (destination === undefined || source === undefined) return
  // A geometry shader's output registers are written when a vertex is emitted; fxc counts these moves nowhere.
  if (setting.stage === 'geometry' && destination.type === FILE.output) return
  const saturates = I.controlOf(i.controls, I.SATURATE) === 1
  const negates = (source.modifier & P.MODIFIER_NEG) !== 0 || (setting.skipsOptimization && isNegatedLiteral(source))
  if (negates && !saturates) counts.floatInstructions++
  else if (source.modifier === P.MODIFIER_NONE || saturates) counts.movInstructions++
}

/** Whether a comparison or mask converts to or from a truth value. */
function convertsTruth(row: I.InstructionRow, setting: Setting, i: P.Instruction): boolean {
  const mask = P.writeMask(i.operands[0]!)
  if (row.countedAs.includes('truth-test')) return isAll(literalValues(i.operands[1], mask), 0)
  if (!row.countedAs.includes('truth-mask') || !setting.skipsOptimization) return false
  const values = literalValues(i.operands[2], mask)
  return isAll(values, 1) || isAll(values, FLOAT_ONE)
}

const PLAIN_FIELDS: Readonly<Partial<Record<I.CountedAs, StatField>>> = {
  float: 'floatInstructions',
  int: 'intInstructions',
  uint: 'uintInstructions',
  conversion: 'conversionInstructions',
  select: 'movcInstructions',
}

/** An instruction with two results that are both wanted is counted nowhere. */
function hasTwoResults(row: I.InstructionRow, i: P.Instruction): boolean {
  return row.operands[1]?.role === 'dest' && i.operands.slice(0, 2).every((o) => o.type !== FILE.null)
}

function countArithmetic(counts: Counts, setting: Setting, row: I.InstructionRow, i: P.Instruction): void {
  if (row.countedAs.length === 0 || hasTwoResults(row, i)) return
  if (row.countedAs.includes('move')) {
    countMove(counts, setting, i)
  } else if (convertsTruth(row, setting, i)) {
    counts.conversionInstructions++
  } else {
    for (const name of row.countedAs) {
      const field = PLAIN_FIELDS[name]
      if (field !== undefined) counts[field]++
    }
  }
}

const CONSTANT_CLASSES: ReadonlySet<I.RegisterClass> = new Set(['constant', 'immediate'])

/** Flow whose condition is a constant is static, as is flow without condition; ends and labels do not count. */
function countFlow(counts: Counts, action: I.FlowAction, condition: P.Operand | undefined): void {
  switch (action) {
    case 'endif':
    case 'loop':
    case 'endloop':
    case 'case':
    case 'default':
    case 'endswitch':
    case 'label':
    case 'fcall':
    case 'discard':
      return
    default: {
      const file = condition === undefined ? undefined : I.registerFile(condition.type)
      const isStatic = file === undefined || CONSTANT_CLASSES.has(file.class)
      counts[isStatic ? 'staticFlowControl' : 'dynamicFlowControl']++
    }
  }
}

const SAMPLE_FIELDS: Readonly<Record<I.LodSource, StatField>> = {
  derivatives: 'textureNormalInstructions',
  // A level of detail that the program gives makes a sample a load.
  explicit: 'textureLoadInstructions',
  bias: 'textureBiasInstructions',
  gradients: 'textureGradientInstructions',
  zero: 'textureCompareInstructions',
}

/** Instructions that reach memory other than TGSM, and what has a counter of its own. */
function countAccess(counts: Counts, row: I.InstructionRow, i: P.Instruction): void {
  const { traits } = row
  switch (traits.kind) {
    case 'load':
      if (!i.operands.some((o) => o.type === FILE.tgsm)) counts.textureLoadInstructions++
      return
    case 'store':
      if (i.operands[0]?.type !== FILE.tgsm) counts.textureStoreInstructions++
      return
    case 'sample':
      counts[traits.comparison ? 'textureCompareInstructions' : SAMPLE_FIELDS[traits.lod]]++
      return
    case 'gather':
      // Comparing gathers are counted in their feedback forms alone.
      if (!traits.comparison || traits.feedback) counts.textureGatherInstructions++
      return
    case 'query':
      if (traits.query === 'lod') counts.textureLodInstructions++
      return
    case 'atomic':
    case 'counter':
      counts.interlockedInstructions++
      return
    case 'sync':
      counts.barrierInstructions++
      return
    case 'stream':
      if (traits.emits) counts.emitInstructions++
      if (traits.cuts) counts.cutInstructions++
      return
    default:
  }
}

const isSampleRate = (mode: number): boolean => I.wordOf(I.INTERPOLATION_MODE, mode).endsWith('sample')

function countDeclaration(counts: Counts, setting: Setting, form: I.DeclarationForm, i: P.Instruction): void {
  const first = i.parameters[0] ?? 0
  switch (form) {
    case 'temps':
      counts.temps = Math.max(counts.temps, first)
      break
    case 'indexable-temp':
      counts.tempArrays += i.parameters[1] ?? 0
      break
    case 'input-ps':
    case 'input-ps-sv':
      if (isSampleRate(I.controlOf(i.controls, I.INTERPOLATION))) counts.sampleFrequency = 1
      if (form === 'input-ps-sv' && I.wordOf(I.SYSTEM_VALUE, first) === 'sampleIndex') counts.sampleFrequency = 1
      break
    case 'gs-input-primitive':
      counts.inputPrimitive = I.controlOf(i.controls, I.INPUT_PRIMITIVE)
      break
    case 'gs-output-topology':
      counts.outputTopology = I.controlOf(i.controls, I.OUTPUT_TOPOLOGY)
      break
    case 'gs-max-output':
      counts.maxOutputVertexCount = first
      break
    case 'gs-instances':
      counts.gsInstanceCount = first
      break
    case 'input-control-points':
      countInputPatch(counts, setting, I.controlOf(i.controls, I.CONTROL_POINTS))
      break
    case 'output-control-points':
      counts.controlPoints = I.controlOf(i.controls, I.CONTROL_POINTS)
      break
    case 'tess-domain':
      counts.tessellatorDomain = I.controlOf(i.controls, I.DOMAIN)
      break
    case 'tess-partitioning':
      counts.hsPartitioning = I.controlOf(i.controls, I.PARTITIONING)
      break
    case 'tess-output-primitive':
      counts.hsOutputPrimitive = I.controlOf(i.controls, I.OUTPUT_PRIMITIVE)
      break
    default:
  }
}

/** A hull shader reads a patch as its input primitive; a domain shader's patch is its number of control points. */
function countInputPatch(counts: Counts, setting: Setting, controlPoints: number): void {
  if (setting.stage !== 'hull') counts.controlPoints = controlPoints
  else if (controlPoints > 0) counts.inputPrimitive = PATCH_PRIMITIVE + controlPoints
}

const INPUT_OUTPUT_FORMS: ReadonlySet<I.DeclarationForm> = new Set([
  'input',
  'input-sv',
  'input-ps',
  'input-ps-sv',
  'output',
  'output-sv',
])

/** Input and output declarations: those of the phase of a hull shader that has most, and its constant buffers. */
function declarationCount(program: P.Program, isHull: boolean): number {
  let most = 0
  let phase = 0
  let buffers = 0
  for (const s of program.statements) {
    const traits = s.kind === 'instruction' ? I.rowOfOpcode(s.opcode)?.traits : undefined
    if (traits?.kind === 'phase') phase = 0
    if (traits?.kind !== 'declaration') continue
    if (INPUT_OUTPUT_FORMS.has(traits.declares)) most = Math.max(most, ++phase)
    if (isHull && traits.declares === 'constant-buffer') buffers++
  }
  return most + buffers
}

/** What counts as an instruction slot: not declarations, phase marks, labels and abort. */
function isSlot(row: I.InstructionRow): boolean {
  const { traits } = row
  if (traits.kind === 'flow') return traits.action !== 'label'
  if (traits.kind === 'debug') return traits.action !== 'abort'
  return traits.kind !== 'declaration' && traits.kind !== 'phase'
}

function countInstruction(counts: Counts, setting: Setting, i: P.Instruction): void {
  const row = I.rowOfOpcode(i.opcode)
  if (row === undefined) return
  if (isSlot(row)) counts.instructions++
  const { traits } = row
  if (traits.kind === 'declaration') {
    countDeclaration(counts, setting, traits.declares, i)
  } else if (usesFile(i.operands, INDEXABLE_TEMP)) {
    counts.arrayInstructions++
  } else {
    countArithmetic(counts, setting, row, i)
  }
  if (traits.kind === 'flow')
    countFlow(counts, traits.action, traits.conditional || traits.action === 'switch' ? i.operands[0] : undefined)
  countAccess(counts, row, i)
}

function countCustomData(counts: Counts, data: P.CustomData): void {
  if (data.dataClass === I.CUSTOM_DATA.immediateConstantBuffer) {
    counts.defs += Math.floor(data.dwords.length / ROW_DWORDS)
  } else if (data.dataClass === I.CUSTOM_DATA.shaderMessage) {
    counts.instructions++
  }
}

/** Counts what STAT says of a program. */
export function countStatistics(program: P.Program): Readonly<Counts> {
  const counts = zeroStatCounts()
  const stage = I.stageOfNumber(program.stageNumber)
  const setting = { stage, skipsOptimization: P.globalFlagsOf(program).has(OPTIMIZATION_SKIPPED) }
  for (const s of program.statements) {
    if (s.kind === 'instruction') countInstruction(counts, setting, s)
    else if (s.kind === 'custom-data') countCustomData(counts, s)
  }
  counts.dcls = declarationCount(program, stage === 'hull')
  return counts
}
