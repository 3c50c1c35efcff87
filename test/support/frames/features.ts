import { INSTRUCTIONS, type InstructionRow, rowOfOpcode } from '../../../src/isa/index.ts'
import type { BlendDescription, Given, ShaderStage, TargetBlend } from '../../../src/pipeline/index.ts'
import { GRAPHICS_STAGES } from '../random-stage-program.ts'
import { DEPTH_FORMATS, formatOf, TARGET_FORMATS } from './formats.ts'
import { TOPOLOGIES, VERTEX_FORMATS } from './input.ts'
import type { FrameCommand, FrameDraw, FramePipeline, FrameShader, RandomFrame } from './model.ts'
import { TESSELLATIONS } from './pool.ts'
import type { DrawOutcome } from './run.ts'
import { ALPHA_FACTORS, BLEND_OPS, COMPARISONS, FACTORS, LOGIC_OPS, STENCIL_OPS } from './state.ts'
import { MEMORY, MODES, SOURCE } from './templates.ts'

/** What frames exercise, by name, so that a run can say it and a test can hold that nothing is never made. */

/** Rows that random shaders have: no declarations, comments or what is for debuggers. */
const isMade = ({ traits: { kind } }: InstructionRow): boolean =>
  kind !== 'declaration' && kind !== 'custom-data' && kind !== 'debug'

/** Whether engines run an instruction in a stage: levels of detail of neighboring pixels are for pixel shaders. */
const isRun = ({ traits }: InstructionRow, stage: ShaderStage): boolean =>
  stage === 'pixel' || traits.kind !== 'sample' || (traits.lod !== 'derivatives' && traits.lod !== 'bias')

const instruction = (stage: ShaderStage, row: InstructionRow): string => `${stage} shader: ${row.mnemonic}`
const each = (names: readonly (string | number)[], ...prefixes: string[]): string[] =>
  prefixes.flatMap((prefix) => names.map((name) => `${prefix} ${name}`))

const tessellation = (t: Readonly<Record<'domain' | 'partitioning' | 'outputPrimitive', string>>): string =>
  `tessellated ${t.domain}: ${t.partitioning} ${t.outputPrimitive}`

/** Everything that frames are made of. */
export const FEATURES: readonly string[] = [
  ...GRAPHICS_STAGES.flatMap((stage) =>
    INSTRUCTIONS.filter((row) => isMade(row) && isRun(row, stage) && row.stages.includes(stage)).map((row) =>
      instruction(stage, row),
    ),
  ),
  ...each(['4_0', '4_1', '5_0', '5_1'], 'vertex shader model', 'geometry shader model', 'pixel shader model'),
  ...each(['5_0', '5_1'], 'hull shader model', 'domain shader model'),
  ...each([...TOPOLOGIES, 'patches'], 'topology'),
  ...each(['SOLID', 'WIREFRAME'], 'fill'),
  ...each(['NONE', 'FRONT', 'BACK'], 'cull'),
  ...each([0, 1, 4, 8, 16], 'forced sample count'),
  ...['counterclockwise front', 'depth bias', 'slope scaled depth bias', 'depth bias clamp', 'no depth clip'],
  ...['scissors', 'multisampling', 'antialiased lines', 'conservative rasterization', 'sample mask'],
  ...each(COMPARISONS, 'depth', 'stencil'),
  ...each(STENCIL_OPS, 'stencil failing:', 'depth failing:', 'stencil passing:'),
  ...['depth is tested and not written', 'stencil masks', 'read-only depth', 'read-only stencil'],
  ...each(FACTORS, 'source factor', 'destination factor'),
  ...each(ALPHA_FACTORS, 'source alpha factor', 'destination alpha factor'),
  ...each(BLEND_OPS, 'blend', 'blend alpha'),
  ...each(LOGIC_OPS, 'logic operation'),
  ...['dual source blending', 'independent blending', 'alpha to coverage', 'write mask'],
  ...each(TARGET_FORMATS, 'target', 'blended target').filter(
    (name) => !name.startsWith('blended') || formatOf(name.slice(15)).capabilities.blend !== 'none',
  ),
  ...each(DEPTH_FORMATS, 'depth buffer'),
  ...each([0, 1, 2, 3, 4], 'targets:'),
  ...each(['texture1d', 'texture2d', 'texture3d', 'texturecube'], 'targets of dimension'),
  'targets are lower mips',
  ...['a target is missing', 'slices of a target', 'several slices', 'targets of several tiles'],
  ...each([1, 2, 4, 8, 16], 'samples:'),
  ...each(VERTEX_FORMATS, 'vertex data'),
  ...each([0, 1, 2], 'instance data, step'),
  ...['several vertex buffers', 'a vertex buffer is missing', 'vertices without stride'],
  ...each(['vertices', 'indices', 'indirect vertices', 'indirect indices', 'auto'], 'draw of'),
  ...['instances', 'start vertex', 'start index', 'start instance', 'base vertex', 'an index buffer is missing'],
  ...each(['R16_UINT', 'R32_UINT'], 'indices'),
  ...['cuts in strips', 'cuts in lists', 'cuts do not act on lists', 'several viewports', 'a depth range'],
  ...each(MODES, 'interpolation'),
  ...each(['early tests', 'sample frequency', 'sample index', 'discard', 'UAVs', 'no pixel shader'], 'pixel:'),
  ...each(['oDepth', 'oDepthGE', 'oDepthLE', 'oMask', 'oStencilRef', 'vCoverage', 'vInnerCoverage'], 'pixel:'),
  ...each(
    ['is_front_face', 'primitive_id', 'clip_distance', 'rendertarget_array_index', 'viewport_array_index'],
    'pixel reads',
  ),
  ...each(['clip_distance', 'cull_distance', 'rendertarget_array_index', 'viewport_array_index'], ...SYSTEM_STAGES()),
  ...each(['vertex', 'hull', 'domain', 'geometry', 'pixel'], 'shared memory of the shader:', 'own UAVs of the shader:'),
  ...each(['point', 'line', 'triangle', 'lineadj', 'triangleadj', 'patches'], 'geometry shader reads'),
  ...each(['pointlist', 'linestrip', 'trianglestrip'], 'geometry shader puts out'),
  ...each([1, 2, 3, 4], 'streams:'),
  ...['geometry shader instances', 'geometry shader behind a domain shader', 'methods'],
  ...TESSELLATIONS.map(tessellation),
  ...['greatest tessellation factor', 'control points pass through', 'control points change in number'],
  ...each([0, 1, 2, 3], 'stream output of stream'),
  ...['gaps in stream output', 'strides of stream output', 'nothing is rasterized', 'another stream is rasterized'],
  ...['stream output is appended', 'a stream output buffer is missing'],
  ...['an output of another type than its target', 'undefined words are poison', 'a target is read'],
  ...each(['target', 'depth', 'memory', 'view with floats', 'view with words'], 'clear of'),
  ...each(['resource', 'region', 'region with several samples', 'bytes', 'count'], 'copy of'),
  ...['resolve', 'mips are generated', 'a copy is read', 'targets of several mips'],
  ...['several draws of a pipeline', 'several pipelines', "resources in the engine's memory"],
]

/** What comes of draws. */
export const OUTCOMES: readonly string[] = [
  ...['samples pass', 'pixels fail', 'primitives are clipped', 'stream output is full', 'something undefined'],
]

function SYSTEM_STAGES(): string[] {
  return ['vertex shader puts out', 'domain shader puts out', 'geometry shader puts out']
}

/** How often each feature was met. */
export type FeatureCounts = Map<string, number>

type Add = (feature: string, isThere?: boolean) => void

function addShader(add: Add, stage: ShaderStage, { text, program, hints }: FrameShader): void {
  for (const s of program.statements) {
    const row = s.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
    if (row !== undefined && isMade(row)) add(instruction(stage, row))
  }
  add(`${stage} shader model ${text.slice(3, 6)}`)
  add('methods', text.includes('fcall'))
  add(`shared memory of the shader: ${stage}`, new RegExp(`^dcl_uav_raw ${MEMORY}$`, 'm').test(text))
  add(`own UAVs of the shader: ${stage}`, Object.keys(hints).length > 0 && /^dcl_uav/m.test(text))
  for (const match of text.matchAll(/^dcl_output_siv o\d+\.\w+, (\w+_\w+)/gm))
    add(`${stage} shader puts out ${match[1]}`)
}

function addPixel(add: Add, text: string): void {
  for (const match of text.matchAll(/^dcl_input_ps(?:_s[ig]v)? (\w+) v\d+\.\w+(?:, (\w+))?/gm)) {
    add(`interpolation ${match[1]}`)
    add(`pixel reads ${match[2]}`, match[2]?.includes('_') === true)
    add('pixel: sample frequency', match[1]!.endsWith('_sample') || match[2] === 'sampleIndex')
    add('pixel: sample index', match[2] === 'sampleIndex')
  }
  for (const match of text.matchAll(/^dcl_output (o[A-Z]\w+)/gm)) add(`pixel: ${match[1]}`)
  for (const match of text.matchAll(/^dcl_input (v(?:Inner)?Coverage)/gm)) add(`pixel: ${match[1]}`)
  add('pixel: early tests', text.includes('forceEarlyDepthStencil'))
  add('pixel: discard', text.includes('\ndiscard'))
  add('pixel: UAVs', text.includes('\ndcl_uav'))
}

const declared = (text: string, name: string): string | undefined => new RegExp(`^${name} (\\w+)`, 'm').exec(text)?.[1]

function addGeometry(add: Add, text: string): void {
  const primitive = declared(text, 'dcl_inputprimitive')!
  add(`geometry shader reads ${primitive.startsWith('patch') ? 'patches' : primitive}`)
  for (const match of text.matchAll(/^dcl_outputtopology (\w+)/gm)) add(`geometry shader puts out ${match[1]}`)
  add(`streams: ${new Set(text.match(/^dcl_stream m\d/gm) ?? ['m0']).size}`)
  add('geometry shader instances', text.includes('dcl_gsinstances'))
}

function addHull(add: Add, text: string): void {
  const word = (name: string, before: string): string => declared(text, `dcl_tessellator_${name}`)!.replace(before, '')
  const [domain, partitioning] = [word('domain', 'domain_'), word('partitioning', 'partitioning_')]
  add(tessellation({ domain, partitioning, outputPrimitive: word('output_primitive', 'output_') }))
  add('greatest tessellation factor', text.includes('dcl_hs_max_tessfactor'))
  add('control points pass through', !text.includes('hs_control_point_phase'))
  const count = (side: string): string | undefined => declared(text, `dcl_${side}_control_point_count`)
  add('control points change in number', count('input') !== count('output'))
}

function addRasterizer(add: Add, { state }: FramePipeline): void {
  const { rasterizer = {} } = state
  add(`topology ${state.topology.includes('PATCH') ? 'patches' : state.topology}`)
  add(`fill ${rasterizer.fillMode}`)
  add(`cull ${rasterizer.cullMode}`)
  add(`forced sample count ${rasterizer.forcedSampleCount}`)
  add('counterclockwise front', rasterizer.frontCounterClockwise === true)
  add('depth bias', rasterizer.depthBias !== 0)
  add('depth bias clamp', rasterizer.depthBiasClamp !== 0 && rasterizer.depthBias !== 0)
  add('slope scaled depth bias', rasterizer.slopeScaledDepthBias !== 0)
  add('no depth clip', rasterizer.depthClipEnable === false)
  add('scissors', rasterizer.scissorEnable === true)
  add('multisampling', rasterizer.multisampleEnable === true)
  add('antialiased lines', rasterizer.antialiasedLineEnable === true && rasterizer.multisampleEnable === false)
  add('conservative rasterization', rasterizer.conservativeRaster === 'ON')
  add('sample mask', state.sampleMask !== undefined)
}

function addDepth(add: Add, f: RandomFrame, d: FrameDraw, { state: { depthStencil: s } }: FramePipeline): void {
  if (f.depth === undefined || d.depth === undefined || s === undefined) return
  add(`depth buffer ${f.depth}`)
  add('read-only depth', d.depth.readOnlyDepth)
  if (s.depthEnable === true) {
    add(`depth ${s.depthFunc}`)
    add('depth is tested and not written', s.depthWriteMask === 'ZERO')
  }
  if (s.stencilEnable !== true || !f.depth.includes('S8')) return
  add('read-only stencil', d.depth.readOnlyStencil)
  add('stencil masks', s.stencilReadMask !== 255 && s.stencilWriteMask !== 255)
  for (const face of [s.frontFace!, s.backFace!]) {
    add(`stencil ${face.stencilFunc}`)
    add(`stencil failing: ${face.stencilFailOp}`)
    add(`depth failing: ${face.stencilDepthFailOp}`)
    add(`stencil passing: ${face.stencilPassOp}`)
  }
}

function addTargetBlend(add: Add, format: string, b: Given<TargetBlend> | undefined): void {
  add('write mask', (b?.renderTargetWriteMask ?? 15) !== 15)
  if (b?.logicOpEnable === true) add(`logic operation ${b.logicOp}`)
  if (b?.blendEnable !== true) return
  add(`blended target ${format}`)
  add(`source factor ${b.srcBlend}`)
  add(`destination factor ${b.destBlend}`)
  add(`source alpha factor ${b.srcBlendAlpha}`)
  add(`destination alpha factor ${b.destBlendAlpha}`)
  add(`blend ${b.blendOp}`)
  add(`blend alpha ${b.blendOpAlpha}`)
  add(
    'dual source blending',
    [b.srcBlend, b.destBlend].some((factor) => factor!.includes('SRC1')),
  )
}

function addTargets(add: Add, f: RandomFrame, { targets }: FrameDraw, blend: BlendDescription): void {
  add(`samples: ${f.sampleCount}`)
  add(`targets of dimension ${f.kind.dimension}`)
  add('targets are lower mips', f.kind.mipSlice > 0)
  add(`targets: ${targets.filter((t) => t !== undefined).length}`)
  add('a target is missing', targets.slice(0, -1).includes(undefined))
  add('targets of several tiles', f.width > 64 || f.height > 64)
  const isIndependent = blend.independentBlendEnable === true
  targets.forEach((t, n) => {
    if (t === undefined) return
    const format = f.pictures[t.picture]!
    add(`target ${format}`)
    add('several slices', t.arraySize > 1)
    add('slices of a target', t.firstArraySlice > 0)
    addTargetBlend(add, format, blend.renderTarget?.[isIndependent ? n : 0])
  })
  add('independent blending', isIndependent && targets.length > 1)
  add('alpha to coverage', blend.alphaToCoverageEnable === true && targets.length > 0)
}

function addInput(add: Add, d: FrameDraw, { state }: FramePipeline): void {
  const layout = state.inputLayout ?? []
  for (const e of layout) {
    add(`vertex data ${e.format}`)
    add(`instance data, step ${e.instanceDataStepRate}`, e.inputSlotClass === 'PER_INSTANCE_DATA')
    add('a vertex buffer is missing', d.vertexBuffers[e.inputSlot ?? 0] === undefined)
    add('vertices without stride', d.vertexBuffers[e.inputSlot ?? 0]?.stride === 0)
  }
  add('several vertex buffers', new Set(layout.map((e) => e.inputSlot)).size > 1)
  const { call } = d
  const isIndexed = call.kind === 'indirect' ? call.indexed : call.kind === 'direct' && 'indexCount' in call.call
  const kind =
    call.kind === 'auto'
      ? 'auto'
      : `${call.kind === 'indirect' ? 'indirect ' : ''}${isIndexed ? 'indices' : 'vertices'}`
  add(`draw of ${kind}`)
  if (call.kind === 'direct') {
    const given = call.call as Readonly<Record<string, number | undefined>>
    add('instances', (given.instanceCount ?? 1) > 1)
    add('start instance', (given.startInstance ?? 0) > 0)
    add('start vertex', (given.startVertex ?? 0) > 0)
    add('start index', (given.startIndex ?? 0) > 0)
    add('base vertex', (given.baseVertex ?? 0) !== 0)
  }
  if (!isIndexed) return
  add('an index buffer is missing', d.indexBuffer === undefined)
  if (d.indexBuffer === undefined) return
  const { format, words } = d.indexBuffer
  add(`indices ${format}`)
  if (
    !words.some((w) => w === 0xffffffff || (format === 'R16_UINT' && (w >>> 16 === 0xffff || (w & 0xffff) === 0xffff)))
  )
    return
  const isStrip = state.topology.includes('STRIP')
  add(isStrip ? 'cuts in strips' : state.cutOnLists === false ? 'cuts do not act on lists' : 'cuts in lists')
}

function addStreams(add: Add, d: FrameDraw, { state: { streamOutput } }: FramePipeline): void {
  if (streamOutput === undefined) return
  for (const e of streamOutput.declaration ?? []) {
    add(`stream output of stream ${e.stream}`)
    add('gaps in stream output', e.semanticName === null)
  }
  add('strides of stream output', streamOutput.strides !== undefined)
  add('nothing is rasterized', streamOutput.rasterizedStream === null)
  add('another stream is rasterized', (streamOutput.rasterizedStream ?? 0) > 0)
  add('stream output is appended', d.streamOffsets.includes(-1))
  add('a stream output buffer is missing', d.streamOffsets.includes(undefined))
}

function addDraw(add: Add, f: RandomFrame, d: FrameDraw): void {
  const pipeline = f.pipelines[d.pipeline]!
  const { shaders, state } = pipeline
  for (const [stage, s] of Object.entries(shaders)) addShader(add, stage as ShaderStage, s)
  add('pixel: no pixel shader', shaders.pixel === undefined)
  if (shaders.pixel !== undefined) addPixel(add, shaders.pixel.text)
  if (shaders.geometry !== undefined) addGeometry(add, shaders.geometry.text)
  if (shaders.hull !== undefined) addHull(add, shaders.hull.text)
  add('geometry shader behind a domain shader', shaders.geometry !== undefined && shaders.hull !== undefined)
  addRasterizer(add, pipeline)
  addDepth(add, f, d, pipeline)
  addTargets(add, f, d, state.blend ?? {})
  addInput(add, d, pipeline)
  addStreams(add, d, pipeline)
  add('undefined words are poison', d.undefinedPolicy === 'poison')
  const isRead = shaders.pixel?.text.includes(` ${SOURCE}\n`) === true
  add('a target is read', d.source?.of === 'target' && isRead)
  add('a copy is read', d.source?.of === 'spare' && isRead)
  const isOther = (t: (typeof d.targets)[number], n: number): boolean =>
    t !== undefined &&
    (pipeline.outputTypes[n] ?? formatOf(f.pictures[t.picture]!).result) !== formatOf(f.pictures[t.picture]!).result
  add('an output of another type than its target', shaders.pixel !== undefined && d.targets.some(isOther))
  add('several viewports', d.fixed.viewports.length > 1)
  add(
    'a depth range',
    d.fixed.viewports.some((v) => v.minDepth > 0 || v.maxDepth < 1),
  )
}

function nameOfCommand(f: RandomFrame, c: Exclude<FrameCommand, FrameDraw>): string {
  switch (c.kind) {
    case 'clear':
      return 'clear of target'
    case 'clear-view':
      return `clear of view with ${c.as === 'float' ? 'floats' : 'words'}`
    case 'copy':
      return 'copy of resource'
    case 'copy-region':
      return `copy of region${c.from.of === 'target' && f.sampleCount > 1 ? ' with several samples' : ''}`
    case 'mips':
      return 'mips are generated'
    case 'resolve':
      return 'resolve'
    default:
      return c.kind.replace('clear-', 'clear of ').replace('copy-', 'copy of ')
  }
}

/** Counts what a frame is made of, each feature once. */
export function addFeatures(counts: FeatureCounts, f: RandomFrame): void {
  const met = new Set<string>()
  const add: Add = (feature, isThere = true) => {
    if (isThere) met.add(feature)
  }
  const pipelines: number[] = []
  for (const c of f.commands) {
    if (c.kind === 'draw') {
      addDraw(add, f, c)
      pipelines.push(c.pipeline)
    } else add(nameOfCommand(f, c))
  }
  add('several draws of a pipeline', new Set(pipelines).size < pipelines.length)
  add('several pipelines', new Set(pipelines).size > 1)
  add("resources in the engine's memory", f.inEngine)
  add('targets of several mips', f.sampleCount === 1 && f.kind.mipLevels > 1)
  addTo(counts, met)
}

/** Counts what came of the draws of a frame, each feature once. */
export function addOutcomes(counts: FeatureCounts, draws: readonly DrawOutcome[]): void {
  const met = new Set<string>()
  for (const d of draws) {
    if ('refused' in d) continue
    const { statistics: s, samplesPassed, streamOutput, undefinedCount } = d
    if (samplesPassed > 0) met.add('samples pass')
    if (s.psInvocations > 0 && samplesPassed < s.psInvocations) met.add('pixels fail')
    if (s.cInvocations !== s.cPrimitives) met.add('primitives are clipped')
    if (streamOutput.some((c) => c.primitivesStorageNeeded > c.primitivesWritten)) met.add('stream output is full')
    if (undefinedCount > 0) met.add('something undefined')
  }
  addTo(counts, met)
}

function addTo(counts: FeatureCounts, met: ReadonlySet<string>): void {
  for (const feature of met) counts.set(feature, (counts.get(feature) ?? 0) + 1)
}

const GROUP = /^(.*?)(?:: | (?=[A-Z0-9]))/
const groupOf = (feature: string): string => GROUP.exec(feature)?.[1] ?? 'others'

/** Counts of all features as text, several to a line, and what was never made. */
export function printFeatures(counts: FeatureCounts): string {
  const all = [...FEATURES, ...OUTCOMES]
  const groups = new Map<string, string[]>()
  for (const feature of all) {
    const group = groupOf(feature)
    const name = group === 'others' ? feature : feature.slice(group.length).replace(/^[: ]+/, '')
    groups.set(group, [...(groups.get(group) ?? []), `${name} ${counts.get(feature) ?? 0}`])
  }
  const never = all.filter((feature) => !counts.has(feature))
  const lines = [...groups].map(([group, names]) => `${group}: ${names.join(', ')}`)
  return `${lines.join('\n')}\n${all.length - never.length} of ${all.length} made; never: ${never.join('; ') || 'nothing'}`
}
