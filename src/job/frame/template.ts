/** A frame to fill in, made from what the shaders of a pipeline declare and reflect: `heddle init` of graphics shaders. */
import { appendAll, type Diagnostic, diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { ReflectedElement } from '../../dxbc/index.ts'
import { type Declarations, gatherDeclarations, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { LoadedJobShader } from '../run/shader.ts'
import { classInstancesOf, type JobTemplate, slotTemplates } from '../run/template.ts'
import { GRAPHICS_STAGES, type GraphicsStage } from './model.ts'

/** A shader of the frame, with its path in the description. */
export interface TemplateShader {
  readonly shader: LoadedJobShader
  readonly file: string
}

interface Stage extends TemplateShader {
  readonly stage: GraphicsStage
  readonly declarations: Declarations
}

const SIZE = 256
/** Threads stand for texels: textures that are read get as many. */
const EXTENT = [16, 16, 1] as const

const LETTERS = ['R32', 'G32', 'B32', 'A32']
const TYPES = { unknown: 'FLOAT', uint: 'UINT', int: 'SINT', float: 'FLOAT' } as const
const TARGET_FORMATS = { FLOAT: 'R8G8B8A8_UNORM', UINT: 'R32G32B32A32_UINT', SINT: 'R32G32B32A32_SINT' } as const

const GENERATED: ReadonlySet<number> = new Set([SYSTEM_VALUE_NUMBER.vertexId, SYSTEM_VALUE_NUMBER.instanceId])

/** Places on the target in clip space; three of them make a triangle. */
const PLACES = [
  [-0.8, -0.8],
  [-0.8, 0.8],
  [0.8, -0.8],
  [0.8, 0.8],
] as const

const widthOf = (e: ReflectedElement): number => e.mask.trim().length
const typeOf = (e: ReflectedElement): 'FLOAT' | 'UINT' | 'SINT' => TYPES[e.componentType]

/** One vertex's value of an element: its place, or a color that differs from vertex to vertex; integers are 0. */
function elementValue(e: ReflectedElement, vertex: number): number[] {
  const width = widthOf(e)
  if (typeOf(e) !== 'FLOAT') return new Array<number>(width).fill(0)
  const [x, y] = PLACES[vertex % PLACES.length]!
  const isPlace = /position/i.test(e.name)
  const value = isPlace ? [x, y, 0.5, 1] : [0, 1, 2, 3].map((c) => (c === vertex % 3 || c === 3 ? 1 : 0))
  return value.slice(0, width)
}

function inputLayoutOf(inputs: readonly ReflectedElement[]): JobTemplate[] {
  return inputs.map((e) => ({
    semanticName: e.name,
    ...(e.semanticIndex === 0 ? {} : { semanticIndex: e.semanticIndex }),
    format: `${LETTERS.slice(0, widthOf(e)).join('')}_${typeOf(e)}`,
  }))
}

interface Primitive {
  readonly topology: string
  readonly vertexCount: number
}

const PRIMITIVES: Readonly<Record<string, Primitive>> = {
  point: { topology: 'POINTLIST', vertexCount: 3 },
  line: { topology: 'LINELIST', vertexCount: 2 },
  triangle: { topology: 'TRIANGLELIST', vertexCount: 3 },
  line_adj: { topology: 'LINELIST_ADJ', vertexCount: 4 },
  triangle_adj: { topology: 'TRIANGLELIST_ADJ', vertexCount: 6 },
}

/** What the first stage after the vertex shader takes. */
function primitiveOf(stages: readonly Stage[]): Primitive {
  const patches = (count: number): Primitive => ({
    topology: `${count}_CONTROL_POINT_PATCHLIST`,
    vertexCount: count,
  })
  for (const { declarations } of stages) {
    const { stage } = declarations
    if (stage.kind === 'hull') return patches(stage.inputControlPointCount)
    if (stage.kind !== 'geometry') continue
    return stage.input.kind === 'patch' ? patches(stage.input.vertexCount) : PRIMITIVES[stage.input.kind]!
  }
  return PRIMITIVES.triangle!
}

type Mutable = Record<string, unknown>

/** Resources and bindings of a frame while it is put together. */
interface Parts {
  readonly resources: Mutable
  readonly bind: Mutable
}

/** A name for a resource: its own where several stages have the same one, else with the stage. */
function nameFor(parts: Parts, wanted: string, stage: string, described: unknown): string {
  const isFree = (name: string): boolean =>
    parts.resources[name] === undefined || JSON.stringify(parts.resources[name]) === JSON.stringify(described)
  return isFree(wanted) ? wanted : `${stage}_${wanted}`
}

/** How the kinds of version 1 are resources of a frame, and what their views say. */
function resourceOf({ kind, counter, ...rest }: JobTemplate): { resource: JobTemplate; view: JobTemplate } {
  const view = counter === undefined ? {} : { counter }
  if (kind === 'cbuffer' || kind === 'structured') return { resource: { kind: 'buffer', ...rest }, view }
  if (kind === 'raw') return { resource: { kind: 'buffer', ...rest }, view: { raw: true, ...view } }
  if (kind !== 'typed') return { resource: { kind, ...rest }, view }
  const { format, ...others } = rest
  return { resource: { kind: 'buffer', ...others }, view: { format, ...view } }
}

/** Adds what a stage declares: resources by their names in the reflection, views in their slots. */
function addSlots(parts: Parts, { stage, shader, declarations }: Stage): void {
  for (const { slot, comment, ...described } of slotTemplates(shader, declarations, EXTENT)) {
    const name = `${slot}`
    const list = (name.startsWith('u') ? (parts.bind.unorderedAccess ??= {}) : (parts.bind[stage] ??= {})) as Mutable
    if (described.kind === 'sampler') {
      const { kind: _kind, ...sampler } = described
      list[name] = sampler
      continue
    }
    const { resource, view } = resourceOf(described)
    const wanted = /^\w+/.exec(`${comment ?? ''}`)?.[0] ?? `${stage}_${name}`
    // A draw writes a resource through one view: elements of an array are resources of their own.
    const isTaken = list === parts.bind.unorderedAccess && parts.resources[wanted] !== undefined
    const of = isTaken ? `${wanted}_${name.replaceAll(/\W+/g, '_')}` : nameFor(parts, wanted, stage, resource)
    parts.resources[of] = resource
    list[name] = Object.keys(view).length === 0 ? of : { resource: of, ...view }
  }
}

const DEPTHS: ReadonlySet<number> = new Set([
  ...[FILE['output-depth'], FILE['output-depth-greater-equal'], FILE['output-depth-less-equal']],
])

/** Render targets and a depth buffer for what the pixel shader writes. Gives the commands that clear them. */
function addTargets(parts: Parts, pixel: Stage | undefined): { clears: JobTemplate[]; hasDepth: boolean } {
  const outputs = pixel?.declarations.entries[0]?.outputs ?? []
  const registers = [...new Set(outputs.filter((o) => o.file === FILE.output).map((o) => o.register))]
  const targets: (string | null)[] = []
  const clears: JobTemplate[] = []
  const extent = { kind: 'texture2d', width: SIZE, height: SIZE }
  for (const register of registers) {
    const element = pixel?.shader.reflection.outputs.find((e) => e.register === register)
    const name = registers.length === 1 ? 'picture' : `target${register}`
    const format = TARGET_FORMATS[element === undefined ? 'FLOAT' : typeOf(element)]
    parts.resources[name] = { ...extent, format }
    while (targets.length < register) targets.push(null)
    targets.push(name)
    clears.push({ clear: name, color: [0.2, 0.25, 0.35, 1] })
  }
  if (targets.length > 0) parts.bind.renderTargets = targets
  const hasDepth = pixel === undefined || outputs.some((o) => DEPTHS.has(o.file))
  if (hasDepth) {
    parts.resources.depth = { ...extent, format: 'D32_FLOAT' }
    parts.bind.depthStencil = 'depth'
    clears.push({ clearDepthStencil: 'depth', depth: 1 })
  }
  if (targets.length === 0 && !hasDepth) parts.bind.viewports = [{ width: SIZE, height: SIZE }]
  return { clears, hasDepth }
}

function addVertices(parts: Parts, inputs: readonly ReflectedElement[], vertexCount: number): void {
  if (inputs.length === 0) return
  const vertices = Array.from({ length: vertexCount }, (_, v) => inputs.flatMap((e) => elementValue(e, v)))
  parts.resources.vertices = { kind: 'buffer', floats: vertices }
  const stride = 4 * inputs.reduce((n, e) => n + widthOf(e), 0)
  parts.bind.vertexBuffers = [{ buffer: 'vertices', stride }]
}

/** The shader by its file, with class instances where it has interfaces. */
function shaderOf({ shader, file }: Stage): JobTemplate | string {
  const classes = classInstancesOf(shader)
  return Object.keys(classes).length === 0 ? file : { file, ...classes }
}

const COMMENT =
  'Made by heddle init. Vertices, sizes, contents and constants are guesses that run: put in what the shaders are for. ' +
  'To keep what is drawn as expected, give "expect" entries such as {"resource": "picture", "compare": "u8", "png": "picture.png"} and run with --update.'

const wrong = (message: string, notes: readonly string[]): Outcome<never> =>
  failure([diagnostic('engine-stage', message, undefined, notes)])

/** The shaders by stage, each once. */
function stagesOf(shaders: readonly TemplateShader[]): Outcome<Stage[]> {
  const found: Stage[] = []
  const diagnostics: Diagnostic[] = []
  for (const s of shaders) {
    const gathered = gatherDeclarations(s.shader.program)
    if (!gathered.ok) return failure(gathered.diagnostics)
    appendAll(diagnostics, gathered.diagnostics)
    const { kind } = gathered.value.stage
    if (kind === 'compute') return wrong('a compute shader is no stage of a pipeline', [])
    if (found.some((f) => f.stage === kind)) {
      return wrong(`two ${kind} shaders are given; the frame that is made has one pipeline`, [
        'give one shader of each stage',
      ])
    }
    found.push({ ...s, stage: kind, declarations: gathered.value })
  }
  const stages = GRAPHICS_STAGES.flatMap((stage) => found.find((f) => f.stage === stage) ?? [])
  if (stages[0]?.stage === 'vertex') return outcomeOf(stages, diagnostics)
  const only = stages.map((s) => `this is a ${s.stage} shader`).join(', ')
  return wrong(`a frame needs a vertex shader; ${only}`, [
    'give the shaders of a pipeline together: heddle init vertex.dxbc pixel.dxbc',
  ])
}

/** A frame that draws with the shaders of one pipeline: everything they declare is there and bound. */
export function frameTemplate(shaders: readonly TemplateShader[], name: string): Outcome<JobTemplate> {
  const stages = stagesOf(shaders)
  if (!stages.ok) return failure(stages.diagnostics)
  const parts: Parts = { resources: {}, bind: {} }
  const { topology, vertexCount } = primitiveOf(stages.value)
  const inputs = stages.value[0]!.shader.reflection.inputs.filter((e) => !GENERATED.has(e.systemValue))
  addVertices(parts, inputs, vertexCount)
  for (const s of stages.value) addSlots(parts, s)
  const { clears, hasDepth } = addTargets(
    parts,
    stages.value.find((s) => s.stage === 'pixel'),
  )
  const pipeline = {
    ...Object.fromEntries(stages.value.map(({ stage }) => [stage, stage])),
    topology,
    ...(inputs.length === 0 ? {} : { inputLayout: inputLayoutOf(inputs) }),
    rasterizer: { cullMode: 'NONE' },
    ...(hasDepth ? {} : { depthStencil: { depthEnable: false } }),
    bind: parts.bind,
  }
  const value = {
    version: 2,
    name,
    comment: COMMENT,
    resources: parts.resources,
    shaders: Object.fromEntries(stages.value.map((s) => [s.stage, shaderOf(s)])),
    pipelines: { [name]: pipeline },
    commands: [...clears, { draw: name, vertexCount }],
  }
  return outcomeOf(value, stages.diagnostics)
}
