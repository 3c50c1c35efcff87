/** Frames in the notation that has Direct3D's own names: descriptors as the C++ headers have them, resources by `id`. */
import { type Outcome, present } from '../../diagnostic/index.ts'
import { MAX_RESOURCE_BYTE_LENGTH, parseSlot, type SlotRegister, type TextureOptions } from '../../machine/index.ts'
import type { ShaderSource } from '../model.ts'
import { type Fields, isObject } from '../parse/fields.ts'
import { samplerFields } from '../parse/parse-resource.ts'
import type {
  FrameBinding,
  FrameBindings,
  FrameCommand,
  FrameCounts,
  FrameJob,
  FramePipeline,
  FrameResource,
  FrameStage,
  GraphicsStage,
  NameAt,
  SubresourceAt,
} from './model.ts'
import { PASCAL_CASE } from './naming.ts'
import { MAX_TARGETS, nameField, parseTarget, places } from './parse-bindings.ts'
import { parseSceneContents } from './parse-contents.ts'
import { parseFrameCheck, readFrame } from './parse-frame.ts'
import {
  parseBlend,
  parseDepthStencil,
  parseFour,
  parseInputLayout,
  parseRasterizer,
  parseScissors,
  parseStreamOutput,
  parseTopology,
  parseViewports,
} from './parse-state.ts'

const MAX_WORD = 0xffffffff
const MAX_SLOT = 127

const STAGES: Readonly<Record<GraphicsStage, string>> = {
  vertex: 'VS',
  hull: 'HS',
  domain: 'DS',
  geometry: 'GS',
  pixel: 'PS',
}
const STAGE_NAMES = Object.keys(STAGES) as readonly GraphicsStage[]

const BIND_FLAGS = [
  ...(['VERTEX_BUFFER', 'INDEX_BUFFER', 'CONSTANT_BUFFER', 'SHADER_RESOURCE', 'STREAM_OUTPUT'] as const),
  ...(['RENDER_TARGET', 'DEPTH_STENCIL', 'UNORDERED_ACCESS'] as const),
]

/** D3D11_RESOURCE_MISC_FLAG; of them TEXTURECUBE alone changes what a resource is here. */
const MISC_FLAGS = [
  ...(['GENERATE_MIPS', 'SHARED', 'TEXTURECUBE', 'DRAWINDIRECT_ARGS', 'BUFFER_ALLOW_RAW_VIEWS'] as const),
  ...(['BUFFER_STRUCTURED', 'RESOURCE_CLAMP', 'SHARED_KEYEDMUTEX', 'GDI_COMPATIBLE'] as const),
]
const TYPES = ['Buffer', 'Texture1D', 'Texture2D', 'Texture3D'] as const

function checkFlags(f: Fields, name: string, words: readonly string[], prefix: string): string[] {
  const items = f.entries(name)
  return (items?.names() ?? []).flatMap((item) => items!.word(item, words, prefix) ?? [])
}

function parseResource(f: Fields): FrameResource | undefined {
  f.ignore('comment')
  const name = f.require('id', f.text('id'))
  const type = f.require('type', f.word('type', TYPES))
  checkFlags(f, 'BindFlags', BIND_FLAGS, 'D3D11_BIND_')
  checkFlags(f, 'CPUAccessFlags', ['READ', 'WRITE'], 'D3D11_CPU_ACCESS_')
  f.word('Usage', ['DEFAULT', 'IMMUTABLE', 'DYNAMIC', 'STAGING'] as const, 'D3D11_USAGE_')
  const misc = checkFlags(f, 'MiscFlags', MISC_FLAGS, 'D3D11_RESOURCE_MISC_')
  const contents = parseSceneContents(f.object('init'))
  if (name === undefined || type === undefined) return undefined
  const base = { name, path: f.path, contents }
  if (type === 'Buffer') {
    const byteLength = f.require('ByteWidth', f.whole('ByteWidth', 1, MAX_RESOURCE_BYTE_LENGTH)) ?? 4
    const stride = f.whole('StructureByteStride', 0, 2048)
    f.done()
    return { kind: 'buffer', ...base, byteLength, ...present({ stride: stride === 0 ? undefined : stride }) }
  }
  const options = textureOptions(f, type, misc.includes('TEXTURECUBE'))
  f.done()
  return { kind: 'texture', ...base, options, parts: [] }
}

/** The fields of D3D11_TEXTURE1D_DESC, D3D11_TEXTURE2D_DESC or D3D11_TEXTURE3D_DESC. */
function textureOptions(f: Fields, type: Exclude<(typeof TYPES)[number], 'Buffer'>, isCube: boolean): TextureOptions {
  const side = (name: string): number => f.require(name, f.whole(name, 1, 16384)) ?? 1
  const base = {
    format: f.require('Format', f.text('Format')) ?? '',
    width: side('Width'),
    mipLevels: f.whole('MipLevels', 0, 15) ?? 1,
  }
  if (type === 'Texture3D') return { dimension: 'texture3d', ...base, height: side('Height'), depth: side('Depth') }
  const arraySize = f.whole('ArraySize', 1, 2048) ?? (isCube ? 6 : 1)
  if (type === 'Texture1D') return { dimension: 'texture1d', ...base, arraySize }
  const samples = f.object('SampleDesc')
  const sampleCount = samples?.whole('Count', 1, 16) ?? 1
  samples?.whole('Quality', 0, MAX_WORD)
  samples?.done()
  const dimension = isCube ? 'texturecube' : 'texture2d'
  return { dimension, ...base, height: side('Height'), arraySize, sampleCount }
}

/** Slots of one kind by number, each read by `read`. */
function slots<T>(
  f: Fields,
  name: string,
  register: SlotRegister,
  read: (o: Fields, key: string, slot: FrameBinding['slot']) => T | undefined,
): T[] {
  const o = f.object(name)
  return (o?.names() ?? []).flatMap((key) => {
    const slot = /^\d{1,3}$/.test(key) && Number(key) <= MAX_SLOT ? parseSlot(`${register}${key}`) : undefined
    o!.raw(key)
    if (slot === undefined) {
      o!.report('job-slot', key, `the number of a slot from 0 to ${MAX_SLOT} is expected`)
      return []
    }
    return read(o!, key, slot) ?? []
  })
}

function parseStage(f: Fields): FrameBinding[] {
  const view = (o: Fields, key: string, slot: FrameBinding['slot']): FrameBinding | undefined => {
    const resource = nameField(o, key)
    return resource === undefined ? undefined : { kind: 'view', slot, path: resource.path, resource, view: {} }
  }
  const sampler = (o: Fields, key: string, slot: FrameBinding['slot']): FrameBinding | undefined => {
    const description = o.object(key)
    if (description === undefined) return undefined
    const options = samplerFields(description, PASCAL_CASE)
    description.done()
    return { kind: 'sampler', slot, path: description.path, options }
  }
  return [
    ...slots(f, 'ConstantBuffers', 'b', view),
    ...slots(f, 'ShaderResources', 't', view),
    ...slots(f, 'Samplers', 's', sampler),
  ]
}

/** An object that may be null for none. */
function optional(f: Fields, name: string): Fields | undefined {
  return f.raw(name) === null ? undefined : f.object(name)
}

type Shaders = Map<string, NameAt & { readonly source: ShaderSource }>

/** The stages of a pipeline: their shaders, and what is bound. */
function parseStages(f: Fields, shaders: Shaders) {
  const used: Partial<Record<GraphicsStage, NameAt>> = {}
  const bound: Partial<Record<FrameStage, FrameBinding[]>> = {}
  for (const stage of STAGE_NAMES) {
    const o = optional(f, STAGES[stage])
    if (o === undefined) continue
    if (o.raw('shader') !== null) {
      const name = o.require('shader', nameField(o, 'shader'))
      if (name !== undefined) {
        used[stage] = name
        const source = {
          file: name.name,
          entry: 'main',
          profile: `${STAGES[stage].toLowerCase()}_5_0`,
          path: name.path,
        }
        if (!shaders.has(name.name)) shaders.set(name.name, { ...name, source })
      }
    }
    bound[stage] = parseStage(o)
    o.done()
  }
  return { used, bound }
}

function parseInputAssembler(f: Fields | undefined) {
  const inputLayout = f === undefined ? [] : parseInputLayout(f.objects('InputLayout'), PASCAL_CASE)
  const topology = f === undefined ? 'TRIANGLELIST' : parseTopology(f, 'PrimitiveTopology')
  const vertexBuffers = (f?.objects('VertexBuffers') ?? []).flatMap((v) => {
    const buffer = v.require('buffer', nameField(v, 'buffer'))
    const slot = v.require('Slot', v.whole('Slot', 0, 31)) ?? 0
    const stride = v.require('Stride', v.whole('Stride', 0, 2048)) ?? 0
    const offset = v.whole('Offset', 0, MAX_WORD) ?? 0
    v.done()
    return buffer === undefined ? [] : [{ slot, buffer, stride, offset }]
  })
  const index = f === undefined ? undefined : optional(f, 'IndexBuffer')
  const buffer = index?.require('buffer', nameField(index, 'buffer'))
  const format = index?.word('Format', ['R16_UINT', 'R32_UINT'] as const, 'DXGI_FORMAT_') ?? 'R32_UINT'
  const offset = index?.whole('Offset', 0, MAX_WORD) ?? 0
  index?.done()
  f?.done()
  const indexBuffer = buffer === undefined ? {} : { indexBuffer: { buffer, format, offset } }
  return { inputLayout, topology, bindings: { vertexBuffers, ...indexBuffer } }
}

function parseStreams(f: Fields | undefined) {
  if (f === undefined) return undefined
  const state = parseStreamOutput(f, 'BufferStrides', PASCAL_CASE)
  const targets = f.objects('Targets').flatMap((t, slot) => {
    const buffer = t.require('buffer', nameField(t, 'buffer'))
    // The offset -1 appends; as a UINT it is 0xffffffff.
    const offset = t.whole('Offset', -1, MAX_WORD) ?? 0
    t.done()
    return buffer === undefined
      ? []
      : [{ slot, buffer, offset: offset >>> 0 === MAX_WORD ? ('APPEND' as const) : offset }]
  })
  f.done()
  return { state, targets }
}

function parseOutputMerger(f: Fields | undefined) {
  const parsed = present({
    renderTargets: f && places(f, 'RenderTargets', MAX_TARGETS, parseTarget),
    depthStencil: f === undefined || f.raw('DepthStencil') === null ? undefined : parseTarget(f, 'DepthStencil'),
    stencilReference: f?.whole('StencilRef', 0, 0xff),
    blendFactor: f && parseFour(f, 'BlendFactor', 'red, green, blue, alpha'),
  })
  const state = {
    depthStencil: parseDepthStencil(f && optional(f, 'DepthStencilState'), PASCAL_CASE),
    blend: parseBlend(f && optional(f, 'BlendState'), PASCAL_CASE),
    sampleMask: f?.whole('SampleMask', 0, MAX_WORD) ?? MAX_WORD,
  }
  f?.done()
  return { bindings: parsed, state }
}

function parsePipeline(f: Fields, name: string, shaders: Shaders): FramePipeline {
  const ia = parseInputAssembler(f.require('IA', f.object('IA')))
  const stages = parseStages(f, shaders)
  f.require('VS', stages.used.vertex)
  const streams = parseStreams(optional(f, 'SO'))
  const rs = f.object('RS')
  const viewports = rs && parseViewports(rs, 'Viewports', PASCAL_CASE)
  const scissors = rs && parseScissors(rs, 'ScissorRects', PASCAL_CASE)
  const rasterizer = parseRasterizer(rs && optional(rs, 'State'), PASCAL_CASE)
  rs?.done()
  const om = parseOutputMerger(f.object('OM'))
  f.done()
  const bindings: FrameBindings = {
    stages: stages.bound,
    ...ia.bindings,
    ...om.bindings,
    ...present({ viewports, scissors, streamOutput: streams?.targets }),
  }
  return {
    kind: 'graphics',
    name,
    path: f.path,
    shaders: stages.used,
    topology: ia.topology,
    inputLayout: ia.inputLayout,
    rasterizer,
    ...om.state,
    ...present({ streamOutput: streams?.state }),
    unbound: [],
    bindings,
  }
}

const count = (f: Fields, name: string, otherwise?: number): number => {
  const given = f.whole(name, 0, MAX_WORD)
  if (otherwise === undefined) f.require(name, given)
  return given ?? otherwise ?? 0
}

function vertexCounts(f: Fields, name: string, isInstanced: boolean): FrameCounts {
  return {
    kind: 'vertices',
    vertexCount: count(f, name),
    startVertex: count(f, 'StartVertexLocation', 0),
    instanceCount: isInstanced ? count(f, 'InstanceCount') : 1,
    startInstance: isInstanced ? count(f, 'StartInstanceLocation', 0) : 0,
  }
}

function indexCounts(f: Fields, name: string, isInstanced: boolean): FrameCounts {
  return {
    kind: 'indices',
    indexCount: count(f, name),
    startIndex: count(f, 'StartIndexLocation', 0),
    baseVertex: f.whole('BaseVertexLocation', -0x80000000, 0x7fffffff) ?? 0,
    instanceCount: isInstanced ? count(f, 'InstanceCount') : 1,
    startInstance: isInstanced ? count(f, 'StartInstanceLocation', 0) : 0,
  }
}

const DRAWS: Readonly<Record<string, (f: Fields) => FrameCounts>> = {
  Draw: (f) => vertexCounts(f, 'VertexCount', false),
  DrawInstanced: (f) => vertexCounts(f, 'VertexCountPerInstance', true),
  DrawIndexed: (f) => indexCounts(f, 'IndexCount', false),
  DrawIndexedInstanced: (f) => indexCounts(f, 'IndexCountPerInstance', true),
  DrawAuto: () => ({ kind: 'auto' }),
}

const OTHERS = ['ClearRenderTargetView', 'ClearDepthStencilView', 'ResolveSubresource'] as const

type Resources = ReadonlyMap<string, FrameResource>

/** Mips of each slice of a texture; 1 of what is none, which is complained of elsewhere. */
function mipCountOf(resource: FrameResource | undefined): number {
  if (resource?.kind !== 'texture') return 1
  const { mipLevels, width, height, depth } = resource.options
  return mipLevels === 0 ? 1 + Math.floor(Math.log2(Math.max(width ?? 1, height ?? 1, depth ?? 1))) : (mipLevels ?? 1)
}

/** A subresource by D3D11CalcSubresource's number, which counts the mips of slice 0, then those of slice 1, and so on. */
function subresourceField(f: Fields, field: string, number: string, resources: Resources): SubresourceAt | undefined {
  const resource = f.require(field, nameField(f, field))
  const index = f.whole(number, 0, MAX_WORD) ?? 0
  if (resource === undefined) return undefined
  const mips = mipCountOf(resources.get(resource.name))
  return { resource, mip: index % mips, slice: Math.floor(index / mips) }
}

function parseOther(f: Fields, op: (typeof OTHERS)[number], resources: Resources): FrameCommand | undefined {
  const { path } = f
  if (op === 'ResolveSubresource') {
    const to = subresourceField(f, 'DstResource', 'DstSubresource', resources)
    const from = subresourceField(f, 'SrcResource', 'SrcSubresource', resources)
    const format = f.text('Format')
    return from && to && { kind: 'resolve', path, from, to, ...present({ format }) }
  }
  const target = f.require('View', parseTarget(f, 'View'))
  if (op === 'ClearRenderTargetView') {
    const color = f.require('ColorRGBA', parseFour(f, 'ColorRGBA', 'red, green, blue, alpha')) ?? [0, 0, 0, 0]
    return target && { kind: 'clear', path, target, color, as: 'target' }
  }
  const flags = checkFlags(f, 'ClearFlags', ['DEPTH', 'STENCIL'], 'D3D11_CLEAR_')
  if (flags.length === 0) f.report('job-missing-field', 'ClearFlags', 'DEPTH, STENCIL or both are expected')
  const [depth, stencil] = [f.number('Depth') ?? 1, f.whole('Stencil', 0, 0xff) ?? 0]
  const values = { ...(flags.includes('DEPTH') ? { depth } : {}), ...(flags.includes('STENCIL') ? { stencil } : {}) }
  return target && { kind: 'clearDepthStencil', path, target, ...values }
}

function parseCommand(f: Fields, resources: Resources): FrameCommand | undefined {
  const op = f.require('op', f.word('op', [...Object.keys(DRAWS), ...OTHERS]))
  if (op === undefined) return undefined
  let command: FrameCommand | undefined
  const draw = DRAWS[op]
  if (draw === undefined) command = parseOther(f, op as (typeof OTHERS)[number], resources)
  else {
    const pipeline = f.require('pipeline', nameField(f, 'pipeline'))
    const counts = draw(f)
    if (pipeline !== undefined) command = { kind: 'draw', path: f.path, pipeline, counts, bindings: { stages: {} } }
  }
  f.done()
  return command
}

function sceneOf(f: Fields): FrameJob {
  f.ignore('about', 'element', 'elements', 'comment')
  const shaders: Shaders = new Map()
  const resources = f.objects('resources').flatMap((r) => parseResource(r) ?? [])
  const byName = new Map(resources.map((r) => [r.name, r]))
  const all = f.require('pipelines', f.object('pipelines'))
  const pipelines = (all?.names() ?? []).flatMap((name) => {
    const p = all!.object(name)
    return p === undefined ? [] : [parsePipeline(p, name, shaders)]
  })
  return {
    version: 2,
    name: f.text('name') ?? 'frame',
    resources,
    shaders: [...shaders.values()],
    pipelines,
    commands: f.objects('commands').flatMap((c) => parseCommand(c, byName) ?? []),
    checks: f.objects('check').flatMap((c) => parseFrameCheck(c) ?? []),
    outputs: [],
    previews: [],
    options: { load: {} },
  }
}

/** Whether parsed JSON is a frame in this notation: it lists resources and has commands, and no version. */
export function isScene(value: unknown): boolean {
  return (
    isObject(value) && value.version === undefined && Array.isArray(value.commands) && Array.isArray(value.resources)
  )
}

export function parseScene(value: unknown): Outcome<FrameJob> {
  return readFrame(value, sceneOf)
}
