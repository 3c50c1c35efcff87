/** Frames in the job format, version 2. */
import { DiagnosticCollector, failure, type Outcome, outcomeOf, present } from '../../diagnostic/index.ts'
import { MAX_RESOURCE_BYTE_LENGTH, MAX_STRUCTURE_STRIDE } from '../../machine/index.ts'
import { atMostOne, type Fields, fieldsOf, memberPath, show } from '../parse/fields.ts'
import { parseOptions, shaderField } from '../parse/parse.ts'
import { valueBytes } from '../parse/parse-contents.ts'
import { TEXTURE_KIND_NAMES, textureFields } from '../parse/parse-resource.ts'
import { slotOfText } from '../parse/parse-slot.ts'
import { checkNames } from './check-names.ts'
import type {
  FrameCheck,
  FrameContents,
  FrameJob,
  FrameOutput,
  FramePipeline,
  FrameResource,
  GraphicsStage,
  NameAt,
} from './model.ts'
import { FRAME_COMPARES, GRAPHICS_STAGES } from './model.ts'
import { CAMEL_CASE } from './naming.ts'
import { nameField, parseBindings } from './parse-bindings.ts'
import { parseCommand } from './parse-commands.ts'
import { parseFrameContents } from './parse-contents.ts'
import {
  parseBlend,
  parseDepthStencil,
  parseInputLayout,
  parseRasterizer,
  parseStreamOutput,
  parseTopology,
} from './parse-state.ts'

const MAX_WORD = 0xffffffff
const MAX_MIP = 31
const DEFAULT_PROFILES: Readonly<Record<string, string>> = {
  vertex: 'vs_5_0',
  hull: 'hs_5_0',
  domain: 'ds_5_0',
  geometry: 'gs_5_0',
  pixel: 'ps_5_0',
  compute: 'cs_5_0',
}

/** Contents of a buffer: words, floats, values by name, or anything with a kind; zeros without any. */
function bufferContents(f: Fields): FrameContents {
  if (!atMostOne(f, 'contents', ['words', 'floats', 'values', 'init'])) return { kind: 'zero' }
  const values = f.raw('values')
  if (values !== undefined) return { kind: 'variables', values, path: memberPath(f.path, 'values') }
  const words = valueBytes(f, 'words', 'u32')
  if (words !== undefined) return { kind: 'bytes', bytes: words, path: memberPath(f.path, 'words') }
  const floats = valueBytes(f, 'floats', 'f32')
  if (floats !== undefined) return { kind: 'bytes', bytes: floats, path: memberPath(f.path, 'floats') }
  return parseFrameContents(f.object('init'))
}

/** Contents that do not say of themselves how many bytes there are. */
const ENDLESS = ['zero', 'fill-u32', 'lcg-u32', 'lcg-f32', 'ramp-u32', 'ramp-f32']

function parseBuffer(f: Fields, name: string): FrameResource {
  const byteLength = f.whole('size', 0, Number.MAX_SAFE_INTEGER)
  const stride = f.whole('stride', 1, MAX_STRUCTURE_STRIDE)
  const contents = bufferContents(f)
  if (!f.has('size') && ENDLESS.includes(contents.kind)) {
    f.report('job-missing-field', 'size', 'the field is missing, and the contents do not say how many bytes there are')
  }
  if (byteLength !== undefined && byteLength > MAX_RESOURCE_BYTE_LENGTH) {
    f.report('job-size', 'size', `a resource has at most ${MAX_RESOURCE_BYTE_LENGTH} bytes; ${byteLength} were given`)
  }
  return { kind: 'buffer', name, path: f.path, contents, ...present({ byteLength, stride }) }
}

function parseResource(f: Fields, name: string): FrameResource | undefined {
  f.ignore('comment')
  const kind = f.require('kind', f.word('kind', ['buffer', ...TEXTURE_KIND_NAMES] as const))
  if (kind === undefined) return undefined
  const resource: FrameResource =
    kind === 'buffer'
      ? parseBuffer(f, name)
      : { kind: 'texture', name, path: f.path, ...textureFields(f, kind, parseFrameContents) }
  f.done()
  return resource
}

/** The members of an object, each as fields of its own with its name. */
function members<T>(f: Fields, field: string, read: (o: Fields, name: string) => T | undefined): T[] {
  const all = f.object(field)
  return (all?.names() ?? []).flatMap((name) => read(all!, name) ?? [])
}

function parsePipeline(f: Fields, name: string): FramePipeline | undefined {
  f.ignore('comment')
  const base = { name, path: f.path }
  if (f.has('compute')) {
    const shader = nameField(f, 'compute')
    const rest = { unbound: parseUnbound(f), bindings: parseBindings(f.object('bind')) }
    f.done()
    return shader === undefined ? undefined : { kind: 'compute', ...base, shader, ...rest }
  }
  const shaders: Partial<Record<GraphicsStage, NameAt>> = {}
  for (const stage of GRAPHICS_STAGES) {
    const shader = nameField(f, stage)
    if (shader !== undefined) shaders[stage] = shader
  }
  f.require('vertex', shaders.vertex)
  const streams = f.object('streamOutput')
  const streamOutput = streams === undefined ? undefined : parseStreamOutput(streams, 'strides', CAMEL_CASE)
  streams?.done()
  const pipeline: FramePipeline = {
    kind: 'graphics',
    ...base,
    shaders,
    topology: parseTopology(f, 'topology'),
    inputLayout: parseInputLayout(f.objects('inputLayout'), CAMEL_CASE),
    rasterizer: parseRasterizer(f.object('rasterizer'), CAMEL_CASE),
    depthStencil: parseDepthStencil(f.object('depthStencil'), CAMEL_CASE),
    blend: parseBlend(f.object('blend'), CAMEL_CASE),
    sampleMask: f.whole('sampleMask', 0, MAX_WORD) ?? MAX_WORD,
    ...present({ streamOutput, cutOnLists: f.flag('cutOnLists'), precision: f.word('precision', ['exact', 'fast']) }),
    unbound: parseUnbound(f),
    bindings: parseBindings(f.object('bind')),
  }
  f.done()
  return pipeline
}

function parseUnbound(f: Fields): FramePipeline['unbound'] {
  return (f.list('unbound') ?? []).flatMap((item, i) => {
    if (typeof item === 'string') return slotOfText(f, `unbound[${i}]`, item, 'tubs', 'a slot') ?? []
    f.report('job-wrong-type', `unbound[${i}]`, `a slot is expected; ${show(item)} was given`)
    return []
  })
}

/** Profile of HLSL where none is given: that of the stage in which the shader is used. */
function profileOf(shader: string, pipelines: readonly FramePipeline[]): string {
  for (const p of pipelines) {
    if (p.kind === 'compute' && p.shader.name === shader) return DEFAULT_PROFILES.compute!
    if (p.kind !== 'graphics') continue
    const stage = GRAPHICS_STAGES.find((s) => p.shaders[s]?.name === shader)
    if (stage !== undefined) return DEFAULT_PROFILES[stage]!
  }
  return DEFAULT_PROFILES.pixel!
}

/** A bound for all components, or up to four of them. */
function tolerance(f: Fields, name: string): readonly number[] {
  const given = f.raw(name)
  const list = Array.isArray(given) ? (f.list(name) ?? []) : [f.number(name) ?? 0]
  const fits = list.length >= 1 && list.length <= 4 && list.every((v) => typeof v === 'number' && v >= 0)
  if (fits) return list as number[]
  f.report(
    'job-out-of-range',
    name,
    `a number of 0 or more is expected, or one for each component; ${show(given)} was given`,
  )
  return [0]
}

/** Expected contents: a file, an image, words, floats, or anything with a kind. */
function expectedContents(f: Fields): FrameContents | undefined {
  if (!atMostOne(f, 'expected contents', ['file', 'png', 'words', 'floats', 'init'])) return undefined
  const file = f.text('file')
  if (file !== undefined) return { kind: 'file', file, byteOffset: 0, path: memberPath(f.path, 'file') }
  const png = f.text('png')
  if (png !== undefined) return { kind: 'png', file: png, path: memberPath(f.path, 'png') }
  return f.has('words') || f.has('floats') || f.has('init') ? bufferContents(f) : undefined
}

/** What both notations say of a comparison. */
export function parseFrameCheck(f: Fields): FrameCheck | undefined {
  f.ignore('comment')
  const resource = f.require('resource', nameField(f, 'resource'))
  const compare = f.word('compare', FRAME_COMPARES) ?? 'exact'
  const outliers = f.number('outliers') ?? 0
  if (outliers < 0 || outliers > 1)
    f.report('job-out-of-range', 'outliers', `a number from 0 to 1 is expected; ${outliers} was given`)
  const exactWords = (f.list('exactWords') ?? []).filter((w, i): w is number => {
    const fits = Number.isInteger(w) && (w as number) >= 0
    if (!fits)
      f.report('job-out-of-range', `exactWords[${i}]`, `the number of a word is expected; ${show(w)} was given`)
    return fits
  })
  const stride = f.whole('stride', 4, MAX_STRUCTURE_STRIDE) ?? 4
  const check = {
    path: f.path,
    compare,
    outliers,
    exactWords,
    stride,
    abs: tolerance(f, 'abs'),
    rel: tolerance(f, 'rel'),
    ...present({
      expected: expectedContents(f),
      mip: f.whole('mip', 0, MAX_MIP),
      slice: f.whole('slice', 0, MAX_WORD),
      difference: f.text('difference'),
    }),
  }
  f.done()
  return resource === undefined ? undefined : { resource, ...check }
}

function parseOutput(f: Fields): FrameOutput[] {
  const resource = f.require('resource', nameField(f, 'resource'))
  const file = f.require('path', f.text('path'))
  const [mip, slice] = [f.whole('mip', 0, MAX_MIP) ?? 0, f.whole('slice', 0, MAX_WORD) ?? 0]
  f.done()
  return resource === undefined || file === undefined ? [] : [{ resource, path: f.path, file, mip, slice }]
}

/** The fields of a frame in the job format. */
function frameOf(f: Fields): FrameJob {
  f.ignore('$schema', 'comment')
  f.require('version', f.whole('version', 2, 2))
  const pipelines = members(f, 'pipelines', (o, name) => {
    const p = o.object(name)
    return p === undefined ? undefined : parsePipeline(p, name)
  })
  return {
    version: 2,
    name: f.text('name') ?? 'frame',
    resources: members(f, 'resources', (o, name) => {
      const r = o.object(name)
      return r === undefined ? undefined : parseResource(r, name)
    }),
    shaders: members(f, 'shaders', (o, name) => ({
      name,
      path: memberPath(o.path, name),
      source: shaderField(o, name, profileOf(name, pipelines), true),
    })),
    pipelines,
    commands: (f.require('commands', f.objects('commands')) ?? []).flatMap((c) => parseCommand(c) ?? []),
    checks: f.objects('expect').flatMap((c) => parseFrameCheck(c) ?? []),
    outputs: f.objects('output').flatMap(parseOutput),
    previews: [],
    options: parseOptions(f),
  }
}

/** Reads a frame with one of the notations; every wrong field is a diagnostic, and with errors there is no value. */
export function readFrame(value: unknown, read: (f: Fields) => FrameJob): Outcome<FrameJob> {
  const diagnostics = new DiagnosticCollector()
  const f = fieldsOf(value, '$', diagnostics)
  if (f === undefined) return failure(diagnostics.finish())
  const frame = read(f)
  f.done()
  if (diagnostics.errorCount === 0) checkNames(frame, diagnostics)
  const found = diagnostics.finish()
  return diagnostics.errorCount > 0 ? failure(found) : outcomeOf(frame, found)
}

/** A frame in the job format, version 2, from parsed JSON. */
export function parseFrame(value: unknown): Outcome<FrameJob> {
  return readFrame(value, frameOf)
}
