import {
  countLeading,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import {
  atomicOperation,
  COUNTER,
  CUSTOM_DATA,
  controlOf,
  type DeclarationForm,
  DIMENSION,
  DIMENSION_NUMBER,
  DYNAMICALLY_INDEXED,
  FILE,
  GLOBALLY_COHERENT,
  RASTERIZER_ORDERED,
  registerFile,
  rowOfOpcode,
  SAMPLE_COUNT,
  SAMPLER_MODE,
  stageOfNumber,
} from '../isa/index.ts'
import { type Instruction, type Program, parameterOf } from '../program/index.ts'
import { checkOperandFiles } from './operand-files.ts'
import { type EntryDeclaration, gatherStage, type StageDeclaration } from './stage-declarations.ts'

/**
 * The registers a declaration names. Shader Model 4.0 to 5.0: one register, `id` is its number. Shader Model 5.1: `id`
 * is the range identifier that instructions name, the range is registers `first` to `last` of `space`.
 */
export interface RegisterRange {
  /** What instructions name as their first index. */
  readonly id: number
  readonly first: number
  /** Last register, inclusive; 0xffffffff for an array without bounds. */
  readonly last: number
  readonly space: number
  /** Index of the declaration in `Program.statements`. */
  readonly statement: number
}

/** A range of shader resource views that the program declares. */
export interface ResourceDeclaration extends RegisterRange {
  readonly shape: 'typed' | 'raw' | 'structured'
  /** Number in RESOURCE_DIMENSION: `buffer`, a texture dimension, or the raw and structured buffers' own. */
  readonly dimension: number
  /** Return types of x, y, z, w as four numbers of RETURN_TYPE, 4 bits each; 0 where the shape is not typed. */
  readonly returnTypes: number
  /** Bytes of a structure; 0 where the shape is not structured. */
  readonly stride: number
  /** Samples that a multisample texture must have; 0 for any. */
  readonly sampleCount: number
}

/** A range of unordered access views that the program declares. */
export interface UavDeclaration extends ResourceDeclaration {
  readonly globallyCoherent: boolean
  /** A rasterizer ordered view: pixel shader invocations of one pixel access it in the order of their primitives. */
  readonly rasterizerOrdered: boolean
  /** The shader uses the hidden counter (structured only). */
  readonly counter: boolean
  /** Atomics that the program executes on it: none, the exchange alone, or others. */
  readonly atomics: 'none' | 'exchange' | 'all'
}

/** A range of constant buffers that the program declares. */
export interface ConstantBufferDeclaration extends RegisterRange {
  /** Declared constants of 16 bytes; 0 stands for "unknown size". */
  readonly constantCount: number
}

/** A range of samplers that the program declares. */
export interface SamplerDeclaration extends RegisterRange {
  readonly comparison: boolean
}

/** Thread group shared memory that the program declares. Sizes are in bytes. */
export interface TgsmDeclaration {
  readonly register: number
  readonly shape: 'raw' | 'structured'
  readonly byteLength: number
  /** Bytes of a structure; 0 for raw. */
  readonly stride: number
  /** Structures; bytes / 4 for raw. */
  readonly count: number
  /** First byte in the group's whole shared memory, when the registers lie one after the other. */
  readonly byteOffset: number
  readonly statement: number
}

/** An array of temporary registers (`dcl_indexableTemp`). */
export interface IndexableTempDeclaration {
  readonly register: number
  readonly count: number
  /** Components declared, 1 to 4; storage is always four. */
  readonly components: number
  readonly statement: number
}

/** A table of function bodies (`dcl_function_table`). */
export interface FunctionTable {
  readonly table: number
  /** Function bodies (labels `fb#`) by call site. */
  readonly bodies: readonly number[]
}
/** `fp#[arrayLength][callSiteCount] = {tables}`. */
export interface InterfaceDeclaration {
  readonly interface: number
  readonly arrayLength: number
  readonly callSiteCount: number
  readonly tables: readonly number[]
  readonly dynamicallyIndexed: boolean
  readonly statement: number
}

/** What a program declares, gathered once for engines, bindings, observers and the pipeline. */
export interface Declarations {
  readonly program: Program
  readonly stage: StageDeclaration
  /** The phases of a hull shader in order; one entry, the whole program, for the other stages. */
  readonly entries: readonly EntryDeclaration[]
  /** The program can discard pixels. */
  readonly hasDiscard: boolean
  readonly tempCount: number
  readonly indexableTemps: readonly IndexableTempDeclaration[]
  /** Words of the immediate constant buffer, four a constant. */
  readonly immediateConstants: Uint32Array
  readonly resources: readonly ResourceDeclaration[]
  readonly uavs: readonly UavDeclaration[]
  readonly constantBuffers: readonly ConstantBufferDeclaration[]
  readonly samplers: readonly SamplerDeclaration[]
  readonly tgsm: readonly TgsmDeclaration[]
  readonly tgsmByteLength: number
  readonly functionTables: readonly FunctionTable[]
  readonly interfaces: readonly InterfaceDeclaration[]
}

/** Threads of a group that Direct3D allows: 768 with a 4.x model, 1024 with 5.x; TGSM is 16 KiB and 32 KiB (18.6.6). */
const MAX_GROUP_THREADS = 1024
const MAX_TGSM_BYTES = 32768
const MAX_TEMPS = 4096
/** Slots for this[] data (22.7.20). */
const MAX_INTERFACE_POINTERS = 253
const STAGE_COMPUTE = 5
const UNBOUNDED = 0xffffffff

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

interface Gathering extends Mutable<Omit<Declarations, 'stage' | 'entries'>> {
  threads: readonly [number, number, number]
  threadCount: number
  /** x# registers of the phase. */
  phaseArrays: Set<number>
  /** Elements of all of them. */
  phaseElements: number
  readonly diagnostics: DiagnosticCollector
}

function complain(g: Gathering, code: 'engine-declaration', message: string, statement: number): void {
  g.diagnostics.push(diagnostic(code, message, { kind: 'statement', index: statement }))
}

function immediateIndex(i: Instruction, n: number): number {
  const index = i.operands[0]?.indices[n]
  return index?.kind === 'immediate' ? index.value : 0
}

/** True for Shader Model 5.1, where bindings are ranges with a register space. */
export function hasRanges(program: Program): boolean {
  return program.major === 5 && program.minor >= 1
}

function rangeOf(g: Gathering, i: Instruction, statement: number): RegisterRange {
  const id = immediateIndex(i, 0)
  if (!hasRanges(g.program)) return { id, first: id, last: id, space: 0, statement }
  const space = parameterOf(i, 'space') ?? 0
  return { id, first: immediateIndex(i, 1), last: immediateIndex(i, 2) >>> 0, space, statement }
}

function typedResource(g: Gathering, i: Instruction, statement: number): ResourceDeclaration {
  return {
    ...rangeOf(g, i, statement),
    shape: 'typed',
    dimension: controlOf(i.controls, DIMENSION),
    returnTypes: (parameterOf(i, 'returnTypes') ?? 0) & 0xffff,
    stride: 0,
    sampleCount: controlOf(i.controls, SAMPLE_COUNT),
  }
}

function rawResource(g: Gathering, i: Instruction, statement: number): ResourceDeclaration {
  const dimension = DIMENSION_NUMBER.rawBuffer
  return { ...rangeOf(g, i, statement), shape: 'raw', dimension, returnTypes: 0, stride: 0, sampleCount: 0 }
}

function structuredResource(g: Gathering, i: Instruction, statement: number): ResourceDeclaration {
  const stride = parameterOf(i, 'stride') ?? 0
  if (stride === 0 || stride % 4 !== 0) {
    complain(
      g,
      'engine-declaration',
      `a structure stride of ${stride} bytes is declared; it must be a multiple of 4`,
      statement,
    )
  }
  const dimension = DIMENSION_NUMBER.structuredBuffer
  return { ...rangeOf(g, i, statement), shape: 'structured', dimension, returnTypes: 0, stride, sampleCount: 0 }
}

function uav(i: Instruction, declared: ResourceDeclaration): UavDeclaration {
  return {
    ...declared,
    // The sample count's bits say other things in the declaration of a UAV.
    sampleCount: 0,
    atomics: 'none',
    globallyCoherent: controlOf(i.controls, GLOBALLY_COHERENT) === 1,
    rasterizerOrdered: controlOf(i.controls, RASTERIZER_ORDERED) === 1,
    counter: declared.shape === 'structured' && controlOf(i.controls, COUNTER) === 1,
  }
}

function constantBuffer(g: Gathering, i: Instruction, statement: number): ConstantBufferDeclaration {
  const ranged = hasRanges(g.program)
  const constantCount = ranged ? (parameterOf(i, 'size') ?? 0) : immediateIndex(i, 1)
  return { ...rangeOf(g, i, statement), constantCount }
}

function tgsm(g: Gathering, i: Instruction, statement: number, shape: 'raw' | 'structured'): void {
  const stride = parameterOf(i, 'stride') ?? 0
  const structures = parameterOf(i, 'count') ?? 0
  const byteLength = parameterOf(i, 'byteCount') ?? stride * structures
  const register = immediateIndex(i, 0)
  if (byteLength === 0 || byteLength % 4 !== 0 || stride % 4 !== 0 || g.tgsmByteLength + byteLength > MAX_TGSM_BYTES) {
    const text = `g${register} of ${byteLength} bytes is declared after ${g.tgsmByteLength}; a group has at most ${MAX_TGSM_BYTES}, in whole dwords`
    complain(g, 'engine-declaration', text, statement)
    return
  }
  const count = shape === 'raw' ? byteLength / 4 : structures
  g.tgsm.push({ register, shape, byteLength, stride, count, byteOffset: g.tgsmByteLength, statement })
  g.tgsmByteLength += byteLength
}

function threadGroup(g: Gathering, i: Instruction, statement: number): void {
  const [x, y, z] = [parameterOf(i, 'x') ?? 0, parameterOf(i, 'y') ?? 0, parameterOf(i, 'z') ?? 0]
  const threadCount = x * y * z
  if (threadCount < 1 || threadCount > MAX_GROUP_THREADS) {
    const text = `a thread group of ${x} x ${y} x ${z} threads is declared; it must have 1 to ${MAX_GROUP_THREADS}`
    complain(g, 'engine-declaration', text, statement)
    return
  }
  g.threads = [x, y, z]
  g.threadCount = threadCount
}

function interfaceDeclaration(g: Gathering, i: Instruction, statement: number): void {
  const [number = 0, callSiteCount = 0, lengths = 0, ...tables] = i.parameters
  const arrayLength = lengths >>> 16
  const tableCount = lengths & 0xffff
  if (tables.length < tableCount) {
    complain(g, 'engine-declaration', `fp${number} lists ${tables.length} function tables of ${tableCount}`, statement)
  }
  if (number + Math.max(1, arrayLength) > MAX_INTERFACE_POINTERS) {
    const text = `fp${number}[${arrayLength}] goes past the ${MAX_INTERFACE_POINTERS} interface pointers that a shader can have`
    complain(g, 'engine-declaration', text, statement)
    return
  }
  g.interfaces.push({
    interface: number,
    arrayLength,
    callSiteCount,
    tables: tables.slice(0, tableCount),
    dynamicallyIndexed: controlOf(i.controls, DYNAMICALLY_INDEXED) === 1,
    statement,
  })
}

/** Phases of a hull shader declare x# registers of their own, under the same numbers. */
function beginPhase(g: Gathering): void {
  g.phaseArrays.clear()
  g.phaseElements = 0
}

/** The x# registers of an entry: those that are declared in it. */
export function indexableTempsOf(
  d: Pick<Declarations, 'indexableTemps'>,
  entry: Pick<EntryDeclaration, 'first' | 'end'>,
): readonly IndexableTempDeclaration[] {
  const all = d.indexableTemps
  // They stand in the order of their statements, and a shader can have thousands of phases.
  const before = (statement: number): number => countLeading(all, (x) => x.statement < statement)
  return all.slice(before(entry.first), before(entry.end))
}

function indexableTemp(g: Gathering, i: Instruction, statement: number): void {
  const register = parameterOf(i, 'register') ?? 0
  const count = parameterOf(i, 'count') ?? 0
  const components = parameterOf(i, 'components') ?? 4
  const used = g.phaseElements
  if (g.phaseArrays.has(register)) {
    complain(g, 'engine-declaration', `x${register} is declared twice`, statement)
    return
  }
  if (count === 0 || used + count > MAX_TEMPS) {
    const text = `x${register}[${count}] is declared after ${used} registers; a shader has 1 to ${MAX_TEMPS} temporary registers`
    complain(g, 'engine-declaration', text, statement)
    return
  }
  g.indexableTemps.push({ register, count, components, statement })
  g.phaseArrays.add(register)
  g.phaseElements += count
}

function temps(g: Gathering, i: Instruction, statement: number): void {
  const count = parameterOf(i, 'count') ?? 0
  if (count > MAX_TEMPS) complain(g, 'engine-declaration', `${count} temporary registers are declared`, statement)
  // Every phase may declare its own; the most is what a thread needs.
  else g.tempCount = Math.max(g.tempCount, count)
}

type Gatherer = (g: Gathering, i: Instruction, at: number) => void

function functionTable(g: Gathering, i: Instruction): void {
  const [table = 0, count = 0, ...bodies] = i.parameters
  g.functionTables.push({ table, bodies: bodies.slice(0, count) })
}

/** Inputs, outputs and what hull, domain and geometry shaders say of themselves: gathered by stage-declarations.ts. */
const ofStage: Gatherer = () => {}
/** Says nothing that running needs: the number of a body stands at its label too. */
const nothing: Gatherer = () => {}

const GATHERERS: Readonly<Record<DeclarationForm, Gatherer>> = {
  resource: (g, i, at) => g.resources.push(typedResource(g, i, at)),
  'resource-raw': (g, i, at) => g.resources.push(rawResource(g, i, at)),
  'resource-structured': (g, i, at) => g.resources.push(structuredResource(g, i, at)),
  'uav-typed': (g, i, at) => g.uavs.push(uav(i, typedResource(g, i, at))),
  'uav-raw': (g, i, at) => g.uavs.push(uav(i, rawResource(g, i, at))),
  'uav-structured': (g, i, at) => g.uavs.push(uav(i, structuredResource(g, i, at))),
  'tgsm-raw': (g, i, at) => tgsm(g, i, at, 'raw'),
  'tgsm-structured': (g, i, at) => tgsm(g, i, at, 'structured'),
  'constant-buffer': (g, i, at) => g.constantBuffers.push(constantBuffer(g, i, at)),
  sampler: (g, i, at) =>
    g.samplers.push({ ...rangeOf(g, i, at), comparison: controlOf(i.controls, SAMPLER_MODE) === 1 }),
  temps,
  'indexable-temp': indexableTemp,
  'thread-group': threadGroup,
  'function-table': functionTable,
  interface: interfaceDeclaration,
  'function-body': nothing,
  'index-range': ofStage,
  input: ofStage,
  'input-sv': ofStage,
  'input-ps': ofStage,
  'input-ps-sv': ofStage,
  output: ofStage,
  'output-sv': ofStage,
  'global-flags': ofStage,
  'gs-input-primitive': ofStage,
  'gs-output-topology': ofStage,
  'gs-max-output': ofStage,
  'gs-instances': ofStage,
  stream: ofStage,
  'input-control-points': ofStage,
  'output-control-points': ofStage,
  'tess-domain': ofStage,
  'tess-partitioning': ofStage,
  'tess-output-primitive': ofStage,
  'hs-max-tessfactor': ofStage,
  'hs-fork-instances': ofStage,
  'hs-join-instances': ofStage,
}

/** Remembers which UAVs atomics work on: a typed one must then have a format that has them. */
function noteAtomic(g: Gathering, i: Instruction, exchange: boolean): void {
  for (const o of i.operands) {
    const id = o.indices[0]
    if (o.type !== FILE.uav || id?.kind !== 'immediate') continue
    const at = g.uavs.findIndex((u) => u.id === id.value)
    const known = g.uavs[at]
    if (known !== undefined)
      g.uavs[at] = { ...known, atomics: exchange && known.atomics !== 'all' ? 'exchange' : 'all' }
  }
}

function gatherStatement(g: Gathering, at: number): void {
  const s = g.program.statements[at]!
  if (s.kind === 'unknown') {
    complain(g, 'engine-declaration', 'the statement could not be decoded, so the program cannot run', at)
  } else if (s.kind === 'custom-data') {
    if (s.dataClass === CUSTOM_DATA.immediateConstantBuffer) g.immediateConstants = Uint32Array.from(s.dwords)
  } else {
    const traits = rowOfOpcode(s.opcode)?.traits
    if (traits?.kind === 'declaration') GATHERERS[traits.declares](g, s, at)
    else if (traits?.kind === 'phase') beginPhase(g)
    else if (traits?.kind === 'flow' && traits.action === 'discard') g.hasDiscard = true
    else if (traits?.kind === 'atomic') noteAtomic(g, s, atomicOperation(traits.operation).onFloat32)
  }
}

/** Two declarations of one register. */
function checkTwice(g: Gathering): void {
  const seen = new Map<string, number>()
  const check = (prefix: string, id: number, statement: number): void => {
    const key = `${prefix}${id}`
    if (seen.has(key)) complain(g, 'engine-declaration', `${key} is declared twice`, statement)
    seen.set(key, statement)
  }
  const prefix = (file: number): string => registerFile(file)!.prefix
  for (const d of g.resources) check(prefix(FILE.resource), d.id, d.statement)
  for (const d of g.uavs) check(prefix(FILE.uav), d.id, d.statement)
  for (const d of g.constantBuffers) check(prefix(FILE['constant-buffer']), d.id, d.statement)
  for (const d of g.samplers) check(prefix(FILE.sampler), d.id, d.statement)
  for (const d of g.tgsm) check(prefix(FILE.tgsm), d.register, d.statement)
}

function newGathering(program: Program): Gathering {
  return {
    program,
    threads: [0, 0, 0],
    threadCount: 0,
    hasDiscard: false,
    phaseArrays: new Set(),
    phaseElements: 0,
    tempCount: 0,
    indexableTemps: [],
    immediateConstants: new Uint32Array(0),
    resources: [],
    uavs: [],
    constantBuffers: [],
    samplers: [],
    tgsm: [],
    tgsmByteLength: 0,
    functionTables: [],
    interfaces: [],
    diagnostics: new DiagnosticCollector(),
  }
}

/** What a program declares; errors where its declarations cannot be obeyed. */
export function gatherDeclarations(program: Program): Outcome<Declarations> {
  const g = newGathering(program)
  for (let at = 0; at < program.statements.length; at++) gatherStatement(g, at)
  checkTwice(g)
  checkOperandFiles(program, g.diagnostics)
  const compute: StageDeclaration = { kind: 'compute', threads: g.threads, threadCount: g.threadCount }
  const { stage, entries } = gatherStage(program, compute, g.diagnostics)
  if (stage.kind === 'compute' && g.threadCount === 0 && g.diagnostics.errorCount === 0) {
    g.diagnostics.push(diagnostic('engine-declaration', 'the program declares no thread group size'))
  }
  const { diagnostics, threads, threadCount, phaseArrays, phaseElements, ...rest } = g
  const found = diagnostics.finish()
  return diagnostics.errorCount > 0 ? failure(found) : outcomeOf({ ...rest, stage, entries }, found)
}

/** As `gatherDeclarations`; throws ShaderError on any error. */
export function gatherDeclarationsOrThrow(program: Program): Declarations {
  return valueOrThrow(gatherDeclarations(program))
}

/** As `gatherDeclarations`, for what only compute shaders can be given to. */
export function gatherComputeDeclarations(program: Program): Outcome<Declarations> {
  if (program.stageNumber === STAGE_COMPUTE) return gatherDeclarations(program)
  const stage = stageOfNumber(program.stageNumber)
  const what = stage === undefined ? `the version token says stage ${program.stageNumber}` : `this is a ${stage} shader`
  const text = `only compute shaders can be dispatched; ${what}`
  return failure([diagnostic('engine-stage', text)])
}

/** Threads of a group in x, y, z; 1 x 1 x 1 in stages without groups. */
export function threadsOf(d: Declarations): readonly [number, number, number] {
  return d.stage.kind === 'compute' ? d.stage.threads : [1, 1, 1]
}

/** Threads of a group; 1 in stages without groups. */
export function threadCountOf(d: Declarations): number {
  return d.stage.kind === 'compute' ? d.stage.threadCount : 1
}

/** The number of registers of a range; Infinity without bounds. */
const RANGES_BY_ID = new WeakMap<readonly RegisterRange[], ReadonlyMap<number, RegisterRange>>()

/** The first range of a program's declarations with an id. It runs for every statement, so lists are gone through once. */
export function findRange<T extends RegisterRange>(ranges: readonly T[], id: number): T | undefined {
  let byId = RANGES_BY_ID.get(ranges)
  if (byId === undefined) {
    byId = new Map(ranges.toReversed().map((range) => [range.id, range]))
    RANGES_BY_ID.set(ranges, byId)
  }
  return byId.get(id) as T | undefined
}

export function rangeLength(range: RegisterRange): number {
  return range.last === UNBOUNDED ? Number.POSITIVE_INFINITY : range.last - range.first + 1
}
