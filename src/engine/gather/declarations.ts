import {
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../../diagnostic/index.ts'
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
} from '../../isa/index.ts'
import { type Instruction, type Program, parameterOf } from '../../program/index.ts'
import {
  type ConstantBufferDeclaration,
  type Declarations,
  hasRanges,
  type RegisterRange,
  type ResourceDeclaration,
  type UavDeclaration,
} from '../declarations.ts'
import type { StageDeclaration } from '../stage-declarations.ts'
import { checkOperandFiles } from './operand-files.ts'
import { gatherStage } from './stage.ts'

/** Gathers what a program declares, and refuses what no engine can run. */

/** Threads of a group that Direct3D allows: 768 with a 4.x model, 1024 with 5.x; TGSM is 16 KiB and 32 KiB (18.6.6). */
const MAX_GROUP_THREADS = 1024
const MAX_TGSM_BYTES = 32768
const MAX_TEMPS = 4096
/** Slots for this[] data (22.7.20). */
const MAX_INTERFACE_POINTERS = 253
const STAGE_COMPUTE = 5

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

function report(g: Gathering, message: string, statement: number): void {
  g.diagnostics.push(diagnostic('engine-declaration', message, { kind: 'statement', index: statement }))
}

function immediateIndex(i: Instruction, n: number): number {
  const index = i.operands[0]?.indices[n]
  return index?.kind === 'immediate' ? index.value : 0
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
    report(g, `a structure stride of ${stride} bytes is declared; it must be a multiple of 4`, statement)
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
    report(g, text, statement)
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
    report(g, text, statement)
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
    report(g, `fp${number} lists ${tables.length} function tables of ${tableCount}`, statement)
  }
  if (number + Math.max(1, arrayLength) > MAX_INTERFACE_POINTERS) {
    const text = `fp${number}[${arrayLength}] goes past the ${MAX_INTERFACE_POINTERS} interface pointers that a shader can have`
    report(g, text, statement)
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

function indexableTemp(g: Gathering, i: Instruction, statement: number): void {
  const register = parameterOf(i, 'register') ?? 0
  const count = parameterOf(i, 'count') ?? 0
  const components = parameterOf(i, 'components') ?? 4
  const used = g.phaseElements
  if (g.phaseArrays.has(register)) {
    report(g, `x${register} is declared twice`, statement)
    return
  }
  if (count === 0 || used + count > MAX_TEMPS) {
    const text = `x${register}[${count}] is declared after ${used} registers; a shader has 1 to ${MAX_TEMPS} temporary registers`
    report(g, text, statement)
    return
  }
  g.indexableTemps.push({ register, count, components, statement })
  g.phaseArrays.add(register)
  g.phaseElements += count
}

function temps(g: Gathering, i: Instruction, statement: number): void {
  const count = parameterOf(i, 'count') ?? 0
  if (count > MAX_TEMPS) report(g, `${count} temporary registers are declared`, statement)
  // Every phase may declare its own; the most is what a thread needs.
  else g.tempCount = Math.max(g.tempCount, count)
}

type Gatherer = (g: Gathering, i: Instruction, at: number) => void

function functionTable(g: Gathering, i: Instruction): void {
  const [table = 0, count = 0, ...bodies] = i.parameters
  g.functionTables.push({ table, bodies: bodies.slice(0, count) })
}

/** Inputs, outputs and what hull, domain and geometry shaders say of themselves: gathered by stage.ts. */
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

/** Notes which UAVs atomics work on: a typed one must then have a format that has them. */
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
    report(g, 'the statement could not be decoded, so the program cannot run', at)
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
    if (seen.has(key)) report(g, `${key} is declared twice`, statement)
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
