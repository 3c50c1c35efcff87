import { type DiagnosticDetails, largest, type StatementPlace } from '../diagnostic/index.ts'
import {
  ACCESS_PATTERN,
  COUNTER,
  controlOf,
  type DeclarationForm,
  DIMENSION,
  DIMENSION_NUMBER,
  FILE,
  type InstructionRow,
  rowOfOpcode,
  SAMPLER_MODE,
  type Stage,
  stageOfNumber,
} from '../isa/index.ts'
import {
  DECLARATION_CLASS,
  globalFlagsOf,
  type Instruction,
  type Operand,
  type ParameterName,
  type Program,
  parameterOf,
  threadGroupOf,
  writeMask,
} from '../program/index.ts'
import { immediateIndex } from './operand.ts'

/** An instruction with its row and where it stands. */
export interface Site {
  /** Index in `Program.statements`. */
  readonly index: number
  readonly instruction: Instruction
  readonly row: InstructionRow
  /** Index in `ProgramContext.phases`. */
  readonly phase: number
}

export type PhaseKind = 'main' | 'declarations' | 'control-point' | 'fork' | 'join' | 'subroutines'

/** A declared input or output register. */
export interface RegisterDeclaration {
  readonly site: Site
  readonly operand: Operand
  readonly mask: number
  /** Number of the register: the last index; 0 for files without. */
  readonly register: number
  /** Number of the system value, 0 for none. */
  readonly systemValue: number
  /** Geometry shader stream that was declared last before this. */
  readonly stream: number
}

export interface IndexRange {
  readonly site: Site
  readonly file: number
  readonly mask: number
  readonly first: number
  readonly count: number
  readonly stream: number
}

interface ArrayDeclaration {
  readonly site: Site
  readonly count: number
  readonly components: number
}

/**
 * A part of a program with its own registers: the whole program, or a phase of a hull shader. Function bodies of a hull
 * shader stand after its phases and run in any of them.
 */
export interface Phase {
  readonly kind: PhaseKind
  /** Where the phase starts; the statement of its marker. */
  readonly start: number
  readonly sites: readonly Site[]
  readonly temps: readonly Site[]
  readonly tempCount: number
  readonly arrays: ReadonlyMap<number, ArrayDeclaration>
  readonly inputs: readonly RegisterDeclaration[]
  readonly outputs: readonly RegisterDeclaration[]
  /** Components declared, by `registerKey`. */
  readonly declaredMasks: ReadonlyMap<number, number>
  readonly ranges: readonly IndexRange[]
}

/** A resource, UAV, TGSM, sampler or constant buffer as declared. */
export interface Binding {
  readonly site: Site
  readonly form: DeclarationForm
  readonly file: number
  /** What instructions name it by: the slot, or the range identifier in Shader Model 5.1. */
  readonly id: number
  /** First and last register; both the slot before Shader Model 5.1. */
  readonly lower: number
  readonly upper: number
  /** Number of a RESOURCE_DIMENSION; raw and structured buffers included. 0 for what has none. */
  readonly dimension: number
  /** RETURN_TYPE numbers of typed views, 4 bits a component. */
  readonly returnTypes: number
  /** Bytes of a structure. */
  readonly stride: number
  /** Elements of a constant buffer (0: unknown), bytes of raw TGSM, structures of structured TGSM. */
  readonly size: number
  readonly samplerMode: number
  readonly dynamicallyIndexed: boolean
  readonly hasCounter: boolean
}

export interface ProgramContext {
  readonly program: Program
  readonly stage: Stage | undefined
  /** 40, 41, 50 or 51, or what the version token says. */
  readonly model: number
  readonly sites: readonly Site[]
  readonly phases: readonly Phase[]
  readonly bindings: readonly Binding[]
  /** The first binding with a file and id, by `bindingKey`. */
  readonly bindingByKey: ReadonlyMap<number, Binding>
  /** Words of the global flags that are set. */
  readonly globalFlags: ReadonlySet<string>
  /** Threads of a group in x, y, z; undefined when not declared. */
  readonly threadGroup: readonly [number, number, number] | undefined
  /** Some statement could not be decoded: what is not there may be in it. */
  readonly damaged: boolean
  /** Statements in which a rule found something, reported or not: rules with one finding a cause report its first place. */
  readonly faulty: Set<number>
}

export const bindingKey = (file: number, id: number): number => file * 0x100000000 + id

/** A register with its file and stream. Registers with two indices are named by the second. */
export const registerKey = (file: number, register: number, stream = 0): number =>
  (file * 4 + (stream & 3)) * 0x100000000 + register

export function place(site: Site, operand?: number): StatementPlace {
  return operand === undefined
    ? { kind: 'statement', index: site.index }
    : { kind: 'statement', index: site.index, operand }
}

/** The other place of a finding: a statement, and what is there. */
export const alsoAt = (site: Site, message: string): DiagnosticDetails => ({
  related: [{ place: place(site), message }],
})

/** What a declaration row declares; undefined for other rows. */
export function formOf(row: InstructionRow): DeclarationForm | undefined {
  return row.traits.kind === 'declaration' ? row.traits.declares : undefined
}

/** Parameter `name` of a statement. */
export function parameter(site: Site, name: ParameterName): number | undefined {
  return parameterOf(site.instruction, name)
}

const PHASE_KIND = {
  declarations: 'declarations',
  'control-point': 'control-point',
  fork: 'fork',
  join: 'join',
} as const satisfies Record<string, PhaseKind>

interface PhaseBuilder {
  readonly kind: PhaseKind
  readonly start: number
  readonly sites: Site[]
}

/** Every instruction, and the phases they are in. */
function splitPhases(program: Program, stage: Stage | undefined): { sites: Site[]; phases: PhaseBuilder[] } {
  const sites: Site[] = []
  const phases: PhaseBuilder[] = [{ kind: stage === 'hull' ? 'declarations' : 'main', start: 0, sites: [] }]
  program.statements.forEach((statement, index) => {
    if (statement.kind !== 'instruction') return
    const row = rowOfOpcode(statement.opcode)
    if (row === undefined) return
    const { traits } = row
    const last = phases[phases.length - 1]!
    if (traits.kind === 'phase' && stage === 'hull') {
      const fresh = last.sites.length === 0 && traits.phase === 'declarations'
      if (!fresh) phases.push({ kind: PHASE_KIND[traits.phase], start: index, sites: [] })
    } else if (stage === 'hull' && traits.kind === 'flow' && traits.action === 'label' && last.kind !== 'subroutines') {
      phases.push({ kind: 'subroutines', start: index, sites: [] })
    }
    const site: Site = { index, instruction: statement, row, phase: phases.length - 1 }
    sites.push(site)
    phases[phases.length - 1]!.sites.push(site)
  })
  return { sites, phases }
}

function declaredRegister(operand: Operand): number {
  const count = operand.indices.length
  return count === 0 ? 0 : (immediateIndex(operand, count - 1) ?? 0)
}

/** A register without components in its token (`vForkInstanceID`) has one. */
function declaredMask(operand: Operand): number {
  return writeMask(operand) || 1
}

const NO_SITES: readonly Site[] = []
const NO_ARRAYS: Phase['arrays'] = new Map()
const NO_REGISTERS: readonly RegisterDeclaration[] = []
const NO_MASKS: Phase['declaredMasks'] = new Map()
const NO_RANGES: readonly IndexRange[] = []

/** A phase that declares nothing; a hull shader may have very many. */
function barePhase({ kind, start, sites }: PhaseBuilder): Phase {
  return {
    kind,
    start,
    sites,
    temps: NO_SITES,
    tempCount: 0,
    arrays: NO_ARRAYS,
    inputs: NO_REGISTERS,
    outputs: NO_REGISTERS,
    declaredMasks: NO_MASKS,
    ranges: NO_RANGES,
  }
}

function describePhase(builder: PhaseBuilder): Phase {
  if (!builder.sites.some((site) => formOf(site.row) !== undefined)) return barePhase(builder)
  const temps: Site[] = []
  const arrays = new Map<number, ArrayDeclaration>()
  const inputs: RegisterDeclaration[] = []
  const outputs: RegisterDeclaration[] = []
  const ranges: IndexRange[] = []
  const declaredMasks = new Map<number, number>()
  let stream = 0
  for (const site of builder.sites) {
    const form = formOf(site.row)
    const operand = site.instruction.operands[0]
    if (form === 'temps') temps.push(site)
    if (form === 'indexable-temp') declareArray(site, arrays)
    if (form === 'stream' && operand !== undefined) stream = immediateIndex(operand, 0) ?? 0
    if (form === undefined || operand === undefined) continue
    if (form === 'index-range') {
      const [file, first, count] = [operand.type, declaredRegister(operand), parameter(site, 'count') ?? 0]
      ranges.push({ site, file, first, count, mask: declaredMask(operand), stream: outputStream(file, stream) })
    }
    const kind = DECLARATION_CLASS[form]
    if (kind !== 'input' && kind !== 'output') continue
    const mask = declaredMask(operand)
    const register = declaredRegister(operand)
    const systemValue = parameter(site, 'systemValue') ?? 0
    const ownStream = outputStream(operand.type, stream)
    const declaration: RegisterDeclaration = { site, operand, mask, register, systemValue, stream: ownStream }
    const list = kind === 'input' ? inputs : outputs
    list.push(declaration)
    const key = registerKey(operand.type, register, declaration.stream)
    declaredMasks.set(key, (declaredMasks.get(key) ?? 0) | mask)
  }
  const tempCount = largest(
    0,
    temps.slice(0, 16).map((site) => parameter(site, 'count') ?? 0),
  )
  return { ...builder, temps, tempCount, arrays, inputs, outputs, ranges, declaredMasks }
}

/** Only outputs belong to a stream. */
function outputStream(file: number, stream: number): number {
  return file === FILE.output ? stream & 3 : 0
}

function declareArray(site: Site, arrays: Map<number, ArrayDeclaration>): void {
  const register = parameter(site, 'register') ?? 0
  if (arrays.has(register)) return
  arrays.set(register, {
    site,
    count: parameter(site, 'count') ?? 0,
    components: parameter(site, 'components') ?? 4,
  })
}

const BINDING_DIMENSION: Partial<Record<DeclarationForm, number>> = {
  'resource-raw': DIMENSION_NUMBER.rawBuffer,
  'uav-raw': DIMENSION_NUMBER.rawBuffer,
  'tgsm-raw': DIMENSION_NUMBER.rawBuffer,
  'resource-structured': DIMENSION_NUMBER.structuredBuffer,
  'uav-structured': DIMENSION_NUMBER.structuredBuffer,
  'tgsm-structured': DIMENSION_NUMBER.structuredBuffer,
}

const BINDING_FILES: ReadonlySet<number> = new Set([
  FILE.resource,
  FILE.uav,
  FILE.tgsm,
  FILE.sampler,
  FILE['constant-buffer'],
])

/** The binding that a declaration declares. `ranged`: Shader Model 5.1 names id, first and last register. */
function describeBinding(site: Site, ranged: boolean): Binding | undefined {
  const form = formOf(site.row)
  const operand = site.instruction.operands[0]
  if (form === undefined || operand === undefined || !BINDING_FILES.has(operand.type)) return undefined
  if (DECLARATION_CLASS[form] !== 'binding') return undefined
  const id = immediateIndex(operand, 0) ?? 0
  const hasRange = ranged && operand.type !== FILE.tgsm
  const controls = site.instruction.controls
  const size =
    form === 'constant-buffer' && !hasRange
      ? immediateIndex(operand, 1)
      : (parameter(site, 'size') ?? parameter(site, 'byteCount') ?? parameter(site, 'count'))
  return {
    site,
    form,
    id,
    file: operand.type,
    lower: hasRange ? (immediateIndex(operand, 1) ?? 0) : id,
    upper: hasRange ? (immediateIndex(operand, 2) ?? 0) : id,
    dimension: BINDING_DIMENSION[form] ?? (hasDimension(form) ? controlOf(controls, DIMENSION) : 0),
    returnTypes: parameter(site, 'returnTypes') ?? 0,
    stride: parameter(site, 'stride') ?? 0,
    size: size ?? 0,
    samplerMode: form === 'sampler' ? controlOf(controls, SAMPLER_MODE) : 0,
    dynamicallyIndexed: form === 'constant-buffer' && controlOf(controls, ACCESS_PATTERN) === 1,
    hasCounter: form === 'uav-structured' && controlOf(controls, COUNTER) === 1,
  }
}

const hasDimension = (form: DeclarationForm): boolean => form === 'resource' || form === 'uav-typed'

/** Registers of function bodies in a hull shader: what any phase declares. */
function unite(phases: readonly Phase[], own: Phase): Phase {
  const declaredMasks = new Map(own.declaredMasks)
  const arrays = new Map(own.arrays)
  for (const phase of phases) {
    for (const [register, array] of phase.arrays) if (!arrays.has(register)) arrays.set(register, array)
    for (const [key, mask] of phase.declaredMasks) declaredMasks.set(key, (declaredMasks.get(key) ?? 0) | mask)
  }
  const tempCount = largest(
    0,
    phases.map((phase) => phase.tempCount),
  )
  return { ...own, tempCount, arrays, declaredMasks, ranges: phases.flatMap((phase) => phase.ranges) }
}

/** Where a phase stands; what is declared in it may be more. */
const partOf = ({ start, sites }: Phase): Pick<Phase, 'start' | 'sites'> => ({ start, sites })

/** Everything the rules need of a program, gathered once. */
export function programContext(program: Program): ProgramContext {
  const stage = stageOfNumber(program.stageNumber)
  const model = program.major * 10 + program.minor
  const { sites, phases: builders } = splitPhases(program, stage)
  const own = builders.map(describePhase)
  const bodies = own.find((p) => p.kind === 'subroutines')
  const united = bodies === undefined ? undefined : unite(own, bodies)
  const phases = own.map((p) => (p.kind === 'subroutines' && united !== undefined ? { ...united, ...partOf(p) } : p))
  const bindings: Binding[] = []
  const bindingByKey = new Map<number, Binding>()
  for (const site of sites) {
    const binding = describeBinding(site, model >= 51)
    if (binding === undefined) continue
    bindings.push(binding)
    const key = bindingKey(binding.file, binding.id)
    if (!bindingByKey.has(key)) bindingByKey.set(key, binding)
  }
  return {
    ...{ program, stage, model, sites, phases, bindings, bindingByKey },
    globalFlags: globalFlagsOf(program),
    threadGroup: threadGroupOf(program),
    damaged: program.statements.some((s) => s.kind === 'unknown'),
    faulty: new Set(),
  }
}

/** The binding that an operand names; undefined where it is chosen at run time or not declared. */
export function bindingOf(context: ProgramContext, operand: Operand): Binding | undefined {
  const id = immediateIndex(operand, 0)
  return id === undefined ? undefined : context.bindingByKey.get(bindingKey(operand.type, id))
}

/** The binding that the resource or memory operand of an instruction names. */
export function accessedBinding(context: ProgramContext, site: Site): Binding | undefined {
  const at = site.row.operands.findIndex((slot) => slot.role === 'resource' || slot.role === 'memory')
  const operand = site.instruction.operands[at]
  return operand === undefined ? undefined : bindingOf(context, operand)
}

/** Calls `visit` for each operand of each instruction. */
export function eachOperand(
  context: ProgramContext,
  visit: (operand: Operand, slot: InstructionRow['operands'][number], site: Site, i: number) => void,
): void {
  // Some thirty rules go over all operands: an iterator here would be half of what they leave to be collected.
  const { sites } = context
  for (let at = 0; at < sites.length; at++) {
    const site = sites[at]!
    const { operands: slots } = site.row
    const { operands } = site.instruction
    for (let i = 0; i < slots.length; i++) {
      const operand = operands[i]
      if (operand !== undefined) visit(operand, slots[i]!, site, i)
    }
  }
}
