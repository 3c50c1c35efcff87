import { type DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import {
  CONTROL_POINTS,
  controlOf,
  type DeclarationForm,
  DOMAIN,
  GLOBAL_FLAGS,
  INPUT_PRIMITIVE,
  INTERPOLATION,
  OUTPUT_PRIMITIVE,
  OUTPUT_TOPOLOGY,
  PARTITIONING,
  rowOfOpcode,
  type Stage,
  stageOfNumber,
} from '../../isa/index.ts'
import {
  COMPONENTS_4,
  type Instruction,
  type Operand,
  type Program,
  parameterOf,
  SELECT_MASK,
} from '../../program/index.ts'
import {
  type EntryDeclaration,
  INTERPOLATION_NUMBER,
  type InputPrimitive,
  type IoDeclaration,
  type OutputTopology,
  type StageDeclaration,
  type StreamDeclaration,
  SYSTEM_VALUE_NUMBER,
  type TessellatorDomain,
  type TessellatorOutputPrimitive,
  type TessellatorPartitioning,
} from '../stage-declarations.ts'

/** Gathers what a program declares of its stage. */

const DOMAINS: readonly (TessellatorDomain | undefined)[] = [undefined, 'isoline', 'triangle', 'quad']
const PARTITIONINGS: readonly (TessellatorPartitioning | undefined)[] = [
  undefined,
  'integer',
  'pow2',
  'fractional_odd',
  'fractional_even',
]
const OUTPUT_PRIMITIVES: readonly (TessellatorOutputPrimitive | undefined)[] = [
  undefined,
  'point',
  'line',
  'triangle_cw',
  'triangle_ccw',
]
const TOPOLOGIES: Readonly<Record<number, OutputTopology>> = { 1: 'pointlist', 3: 'linestrip', 5: 'trianglestrip' }
const PRIMITIVES: Readonly<Record<number, InputPrimitive>> = {
  1: { kind: 'point', vertexCount: 1 },
  2: { kind: 'line', vertexCount: 2 },
  3: { kind: 'triangle', vertexCount: 3 },
  6: { kind: 'line_adj', vertexCount: 4 },
  7: { kind: 'triangle_adj', vertexCount: 6 },
}
const FIRST_PATCH_PRIMITIVE = 8
const LAST_PATCH_PRIMITIVE = 39
/** forceEarlyDepthStencil in the GLOBAL_FLAGS control. */
const FORCE_EARLY_DEPTH_STENCIL = 1 << 2

function inputPrimitive(number: number): InputPrimitive | undefined {
  if (number >= FIRST_PATCH_PRIMITIVE && number <= LAST_PATCH_PRIMITIVE) {
    return { kind: 'patch', vertexCount: number - FIRST_PATCH_PRIMITIVE + 1 }
  }
  return PRIMITIVES[number]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

interface Gathering {
  readonly stage: Stage
  readonly entries: Mutable<EntryDeclaration>[]
  readonly streams: StreamDeclaration[]
  stream: number
  input: number
  maxVertexCount: number
  instanceCount: number
  inputControlPoints: number
  outputControlPoints: number
  domain: number
  partitioning: number
  outputPrimitive: number
  maxTessFactor: number | undefined
  globalFlags: number
  readonly diagnostics: DiagnosticCollector
}

const FLOAT = new Float32Array(1)
const WORD = new Uint32Array(FLOAT.buffer)

function floatOf(bits: number): number {
  WORD[0] = bits
  return FLOAT[0]!
}

const current = (g: Gathering): Mutable<EntryDeclaration> => g.entries.at(-1)!

function immediate(o: Operand, n: number): number {
  const index = o.indices[n]
  return index?.kind === 'immediate' ? index.value : 0
}

/** Components that a declaration names; files written without components have their first one alone. */
function declaredMask(o: Operand): number {
  return o.components === COMPONENTS_4 && o.mode === SELECT_MASK ? o.selection & 15 : 1
}

/** Registers and vertices that any stage has at most: 32 each (4.4.3.2, 10.7); more would only take memory. */
const MAX_REGISTERS = 64
const MAX_VERTICES = 32

function io(
  g: Gathering,
  i: Instruction,
  statement: number,
  systemValue: number,
  interpolation: number,
): IoDeclaration | undefined {
  const o = i.operands[0]!
  const twoIndices = o.indices.length === 2
  const register = immediate(o, twoIndices ? 1 : 0)
  const vertexCount = twoIndices ? immediate(o, 0) : 0
  if (register >= MAX_REGISTERS || vertexCount > MAX_VERTICES) {
    const text = `register ${register} of ${vertexCount} vertices is declared; there are ${MAX_REGISTERS} registers and ${MAX_VERTICES} vertices at most`
    report(g, text, statement)
    return undefined
  }
  return {
    file: o.type,
    register,
    vertexCount,
    mask: declaredMask(o),
    systemValue,
    interpolation,
    stream: g.stream,
    statement,
  }
}

type Gatherer = (g: Gathering, i: Instruction, at: number) => void

const input = (g: Gathering, i: Instruction, at: number, systemValue: number): void => {
  const mode = g.stage === 'pixel' ? controlOf(i.controls, INTERPOLATION) : 0
  const declared = io(g, i, at, systemValue, mode)
  if (declared !== undefined) current(g).inputs.push(declared)
}
const output = (g: Gathering, i: Instruction, at: number, systemValue: number): void => {
  const declared = io(g, i, at, systemValue, 0)
  if (declared !== undefined) current(g).outputs.push(declared)
}

function indexRange(g: Gathering, i: Instruction): void {
  const o = i.operands[0]!
  const first = immediate(o, o.indices.length === 2 ? 1 : 0)
  current(g).indexRanges.push({ file: o.type, first, count: parameterOf(i, 'count') ?? 0 })
}

function outputTopology(g: Gathering, i: Instruction, at: number): void {
  const topology = TOPOLOGIES[controlOf(i.controls, OUTPUT_TOPOLOGY)]
  if (topology === undefined) {
    report(g, 'the declared output topology is none of pointlist, linestrip and trianglestrip', at)
    return
  }
  g.streams.push({ stream: g.stream, topology })
}

function report(g: Gathering, message: string, statement: number): void {
  g.diagnostics.push(diagnostic('engine-declaration', message, { kind: 'statement', index: statement }))
}

/** Forms that say nothing of a stage are gathered by declarations.ts. */
const nothing: Gatherer = () => {}

const GATHERERS: Readonly<Record<DeclarationForm, Gatherer>> = {
  resource: nothing,
  'resource-raw': nothing,
  'resource-structured': nothing,
  'uav-typed': nothing,
  'uav-raw': nothing,
  'uav-structured': nothing,
  'tgsm-raw': nothing,
  'tgsm-structured': nothing,
  'constant-buffer': nothing,
  sampler: nothing,
  temps: nothing,
  'indexable-temp': nothing,
  'thread-group': nothing,
  'function-body': nothing,
  'function-table': nothing,
  interface: nothing,
  'index-range': indexRange,
  input: (g, i, at) => input(g, i, at, SYSTEM_VALUE_NUMBER.none),
  'input-ps': (g, i, at) => input(g, i, at, SYSTEM_VALUE_NUMBER.none),
  'input-sv': (g, i, at) => input(g, i, at, parameterOf(i, 'systemValue') ?? 0),
  'input-ps-sv': (g, i, at) => input(g, i, at, parameterOf(i, 'systemValue') ?? 0),
  output: (g, i, at) => output(g, i, at, SYSTEM_VALUE_NUMBER.none),
  'output-sv': (g, i, at) => output(g, i, at, parameterOf(i, 'systemValue') ?? 0),
  'global-flags': (g, i) => {
    g.globalFlags |= controlOf(i.controls, GLOBAL_FLAGS)
  },
  'gs-input-primitive': (g, i) => {
    g.input = controlOf(i.controls, INPUT_PRIMITIVE)
  },
  'gs-output-topology': outputTopology,
  'gs-max-output': (g, i) => {
    g.maxVertexCount = parameterOf(i, 'count') ?? 0
  },
  'gs-instances': (g, i) => {
    g.instanceCount = parameterOf(i, 'count') ?? 1
  },
  stream: (g, i) => {
    g.stream = immediate(i.operands[0]!, 0)
  },
  'input-control-points': (g, i) => {
    g.inputControlPoints = controlOf(i.controls, CONTROL_POINTS)
  },
  'output-control-points': (g, i) => {
    g.outputControlPoints = controlOf(i.controls, CONTROL_POINTS)
  },
  'tess-domain': (g, i) => {
    g.domain = controlOf(i.controls, DOMAIN)
  },
  'tess-partitioning': (g, i) => {
    g.partitioning = controlOf(i.controls, PARTITIONING)
  },
  'tess-output-primitive': (g, i) => {
    g.outputPrimitive = controlOf(i.controls, OUTPUT_PRIMITIVE)
  },
  'hs-max-tessfactor': (g, i) => {
    g.maxTessFactor = floatOf(parameterOf(i, 'factor') ?? 0)
  },
  'hs-fork-instances': (g, i) => {
    current(g).instanceCount = parameterOf(i, 'count') ?? 1
  },
  'hs-join-instances': (g, i) => {
    current(g).instanceCount = parameterOf(i, 'count') ?? 1
  },
}

function newEntry(kind: EntryDeclaration['kind'], first: number, end: number): Mutable<EntryDeclaration> {
  return { kind, instanceCount: 1, first, end, inputs: [], outputs: [], indexRanges: [] }
}

function gatherStatement(g: Gathering, program: Program, at: number): void {
  const s = program.statements[at]!
  if (s.kind !== 'instruction') return
  const traits = rowOfOpcode(s.opcode)?.traits
  if (traits?.kind === 'declaration') GATHERERS[traits.declares](g, s, at)
  else if (traits?.kind === 'phase' && traits.phase !== 'declarations') {
    current(g).end = at
    g.entries.push(newEntry(traits.phase, at + 1, program.statements.length))
    g.stream = 0
  }
}

function stageOf(g: Gathering, compute: StageDeclaration): StageDeclaration {
  switch (g.stage) {
    case 'compute':
      return compute
    case 'vertex':
      return { kind: 'vertex' }
    case 'hull':
      return {
        kind: 'hull',
        inputControlPointCount: g.inputControlPoints,
        outputControlPointCount: g.outputControlPoints,
        domain: named(g, DOMAINS[g.domain], 'tessellator domain', 'quad'),
        partitioning: named(g, PARTITIONINGS[g.partitioning], 'partitioning', 'integer'),
        outputPrimitive: named(g, OUTPUT_PRIMITIVES[g.outputPrimitive], 'output primitive', 'triangle_cw'),
        maxTessFactor: g.maxTessFactor,
      }
    case 'domain':
      return {
        kind: 'domain',
        domain: named(g, DOMAINS[g.domain], 'tessellator domain', 'quad'),
        controlPointCount: g.inputControlPoints,
      }
    case 'geometry':
      return {
        kind: 'geometry',
        input: named(g, inputPrimitive(g.input), 'input primitive', PRIMITIVES[1]!),
        streams: g.streams,
        maxVertexCount: g.maxVertexCount,
        instanceCount: g.instanceCount,
      }
    case 'pixel':
      return {
        kind: 'pixel',
        forceEarlyDepthStencil: (g.globalFlags & FORCE_EARLY_DEPTH_STENCIL) !== 0,
        sampleFrequency: isSampleFrequency(g.entries[0]!.inputs),
      }
  }
}

/** Per-sample shading is requested by a declared sample index or sample-mode input (23.6). */
function isSampleFrequency(inputs: readonly IoDeclaration[]): boolean {
  return inputs.some(
    (d) =>
      d.systemValue === SYSTEM_VALUE_NUMBER.sampleIndex ||
      d.interpolation === INTERPOLATION_NUMBER.linearSample ||
      d.interpolation === INTERPOLATION_NUMBER.linearNoperspectiveSample,
  )
}

function named<T>(g: Gathering, value: T | undefined, what: string, otherwise: T): T {
  if (value !== undefined) return value
  const text = `the ${g.stage} shader declares no ${what} that Direct3D has`
  g.diagnostics.push(diagnostic('engine-declaration', text))
  return otherwise
}

interface GatheredStage {
  readonly stage: StageDeclaration
  readonly entries: readonly EntryDeclaration[]
}

/** The stage's declarations of a program. `compute` is what declarations.ts found of the thread group. */
export function gatherStage(
  program: Program,
  compute: StageDeclaration,
  diagnostics: DiagnosticCollector,
): GatheredStage {
  const stage = stageOfNumber(program.stageNumber)
  if (stage === undefined) {
    const text = `the version token names stage ${program.stageNumber}, which Direct3D 11 does not have`
    diagnostics.push(diagnostic('engine-stage', text))
    return { stage: compute, entries: [] }
  }
  const g: Gathering = {
    stage,
    entries: [newEntry('main', 0, program.statements.length)],
    streams: [],
    stream: 0,
    input: 0,
    maxVertexCount: 0,
    instanceCount: 1,
    inputControlPoints: 0,
    outputControlPoints: 0,
    domain: 0,
    partitioning: 0,
    outputPrimitive: 0,
    maxTessFactor: undefined,
    globalFlags: 0,
    diagnostics,
  }
  for (let at = 0; at < program.statements.length; at++) gatherStatement(g, program, at)
  const declared = stageOf(g, compute)
  // What stands before the first phase of a hull shader declares, and runs nothing.
  const entries = stage === 'hull' ? g.entries.slice(1) : g.entries
  return { stage: declared, entries }
}
