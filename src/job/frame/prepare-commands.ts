/** Makes each command of a frame ready: its views, what it binds, and everything that can be checked before it runs. */
import { type Diagnostic, hasErrors, outcomeOf, present } from '../../diagnostic/index.ts'
import {
  type DispatchOptions,
  type DispatchResult,
  type GroupCounts,
  runInSlices,
  runPartsInSlices,
  type Stop,
} from '../../engine/index.ts'
import {
  type Buffer,
  checkDispatch,
  createSrv,
  createUav,
  DEFAULT_SCHEDULE,
  subresource,
  type Texture,
} from '../../machine/index.ts'
import { automaticCall, beginDrawInParts, type DrawCall, type DrawResult, indirectCall } from '../../pipeline/index.ts'
import {
  clearDepthParts,
  clearFloatParts,
  clearTargetParts,
  clearUintParts,
  copyRegion,
  copyResource,
  copyStructureCount,
  mipParts,
  resolveParts,
} from '../../pipeline/surfaces/index.ts'
import type { JobOptions } from '../model.ts'
import { fillBuffer, fillSubresource } from '../run/contents.ts'
import { type FrameCommand, type FrameCounts, GRAPHICS_STAGES, type GraphicsPipeline, type NameAt } from './model.ts'
import { type Preparation, placed, report, take } from './preparation.ts'
import {
  bufferOf,
  countedViews,
  depthStencilOf,
  dispatchBindings,
  drawResources,
  mergeBindings,
  renderTargetOf,
} from './prepare-bindings.ts'
import { contentsContext, resolveFrameContents } from './prepare-resources.ts'
import { type CommandLimits, type DispatchWork, type DrawWork, drawWork, type PreparedWork } from './work.ts'

/** What carrying out a command gave. */
export interface CommandResult {
  readonly diagnostics: readonly Diagnostic[]
  readonly stopped?: Stop
  readonly undefinedCount?: number
  readonly threadInstructionCount?: number
  readonly engine?: string
  readonly draw?: Pick<DrawResult, 'statistics' | 'samplesPassed' | 'streamOutput'>
  readonly groups?: GroupCounts
}

export interface PreparedCommand {
  readonly command: FrameCommand
  readonly run: (limits: CommandLimits) => Promise<CommandResult> | CommandResult
  /** Of draws and dispatches. */
  readonly work?: PreparedWork
}

type Of<K extends FrameCommand['kind']> = Extract<FrameCommand, { kind: K }>
type Run = PreparedCommand['run']
type Made = Omit<PreparedCommand, 'command'>

function dispatchOptions(o: JobOptions): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread } = o
  return present({
    schedule: schedule === undefined ? undefined : { ...DEFAULT_SCHEDULE, ...schedule },
    undefinedPolicy,
    maxInstructionsPerThread,
  })
}

/** A draw as the report of its command has it. */
function drawResult(r: DrawResult, path: string): CommandResult {
  const { stopped, statistics, samplesPassed, streamOutput, undefinedCount, engine } = r
  if (stopped === 'refused') return refused(r.diagnostics, path)
  const diagnostics = r.diagnostics.map((d) => ofCommand(d, path))
  return {
    diagnostics,
    undefinedCount,
    draw: { statistics, samplesPassed, streamOutput },
    ...present({ engine, stopped }),
  }
}

/** Findings of shaders keep their place in the shader; the command is in their notes. */
function ofCommand(d: Diagnostic, path: string): Diagnostic {
  return d.place === undefined ? placed(d, path) : { ...d, notes: [...d.notes, `in the command ${path}`] }
}

function refused(diagnostics: readonly Diagnostic[], path: string): CommandResult {
  return { diagnostics: diagnostics.map((d) => placed(d, fieldOf(d, path))), stopped: 'refused' }
}

/** The field of a command that a finding of a draw is about. */
function fieldOf(d: Diagnostic, path: string): string {
  return d.place?.kind === 'path' && /^\w+$/.test(d.place.path) ? `${path}.${d.place.path}` : path
}

/** Counts that are known before the frame runs; of others as few as there can be. */
function knownCall(counts: FrameCounts): DrawCall {
  if (counts.kind === 'indirect' || counts.kind === 'auto') return { vertexCount: 0 }
  const { kind: _kind, ...call } = counts
  return call
}

function* prepareDraw(p: Preparation, c: Of<'draw'>): Generator<void, Made | undefined> {
  const prepared = p.pipelines.get(c.pipeline.name)
  if (prepared?.kind !== 'graphics') return undefined
  const { pipeline, described } = prepared
  const { counts } = c
  const resources = drawResources(p, described, mergeBindings(described.bindings, c.bindings), c.path)
  const indirect = counts.kind === 'indirect' ? bufferOf(p, counts.buffer) : undefined
  if (resources === undefined || (counts.kind === 'indirect' && indirect === undefined)) return undefined
  const callOf = () => {
    if (counts.kind === 'indirect') return indirectCall(indirect!, counts.byteOffset, counts.indexed)
    if (counts.kind === 'auto') return automaticCall(resources.resources().vertexBuffers[0])
    return outcomeOf(knownCall(counts))
  }
  const known = callOf()
  if (known.value === undefined) {
    take(p.out, known, c.path)
    return undefined
  }
  // Begun and not run: whatever would refuse the draw is found before anything of the frame runs.
  const options = dispatchOptions(p.frame.options)
  const begun = yield* beginDrawInParts(p.engine, pipeline, resources.resources(), knownCall(counts), options)
  for (const d of begun.diagnostics) {
    // What is missing has been reported, or is left out on purpose; hints beside errors are mostly their consequences.
    const isNew = d.code !== 'machine-binding-missing' && (d.severity !== 'hint' || p.out.errorCount === 0)
    if (isNew) p.out.push(placed(d, fieldOf(d, c.path)))
  }
  if (!begun.ok) return undefined
  const containers = containersOf(p, described)
  const found = [...pipeline.diagnostics, ...begun.diagnostics]
  const work = drawWork({ engine: p.engine, pipeline, containers, found, resources, callOf, options })
  return { work, run: async (limits) => drawResult(await work.run(limits), c.path) }
}

/** The containers of a pipeline's shaders. */
function containersOf(p: Preparation, { shaders }: GraphicsPipeline): DrawWork['containers'] {
  const named = GRAPHICS_STAGES.flatMap((stage) => {
    const made = p.shaders.get(shaders[stage]?.name ?? '')
    return made === undefined ? [] : [[stage, made.source.container] as const]
  })
  return Object.fromEntries(named)
}

function groupCountsAt(buffer: Buffer, byteOffset: number): GroupCounts | undefined {
  if (byteOffset % 4 !== 0 || byteOffset + 12 > buffer.byteLength) return undefined
  const w = buffer.storage.words.subarray(byteOffset / 4, byteOffset / 4 + 3)
  return [w[0]!, w[1]!, w[2]!]
}

/** Thread groups in Z that cs_4_0 and cs_4_1 can have (functional specification 18.7). */
const MAX_Z_SM4 = 1

function prepareDispatch(p: Preparation, c: Of<'dispatch'>): Made | undefined {
  const prepared = p.pipelines.get(c.pipeline.name)
  if (prepared?.kind !== 'compute') return undefined
  const { shader, described } = prepared
  const bindings = dispatchBindings(p, shader, described, mergeBindings(described.bindings, c.bindings), c.path)
  const { groups } = c
  const source = 'buffer' in groups ? bufferOf(p, groups.buffer) : undefined
  const { loaded } = shader
  const maxZ = loaded.declarations.program.major < 5 ? MAX_Z_SM4 : undefined
  if (!('buffer' in groups)) for (const d of checkDispatch(groups, maxZ)) p.out.push(placed(d, `${c.path}.groups`))
  else if (source !== undefined && groupCountsAt(source, groups.byteOffset) === undefined) {
    const message = `three group counts of 12 bytes are read at byte ${groups.byteOffset}, a multiple of 4, of ${groups.buffer.name}; it has ${source.byteLength} bytes`
    report(p.out, 'engine-indirect', groups.buffer.path, message)
  }
  if (bindings === undefined) return undefined
  const work: DispatchWork = {
    kind: 'dispatch',
    loaded,
    container: shader.source.container,
    bindings,
    groups: () => ('buffer' in groups ? groupCountsAt(source!, groups.byteOffset)! : groups),
    options: { ...dispatchOptions(p.frame.options), ...present({ classInstances: shader.named.classInstances }) },
  }
  const run: Run = async (limits) => {
    const counts = work.groups()
    const result = await runInSlices(p.engine, loaded, bindings, counts, { ...work.options, ...limits })
    return dispatchResult(result, counts, c.path)
  }
  return { work, run }
}

function dispatchResult(r: DispatchResult, groups: GroupCounts, path: string): CommandResult {
  const { engine, stopped, threadInstructionCount, undefinedCount } = r
  const diagnostics = r.diagnostics.map((d) => ofCommand(d, path))
  return { diagnostics, groups, undefinedCount, ...present({ engine, stopped, threadInstructionCount }) }
}

/** A command that is carried out at once; what it gives are errors at its place. */
function atOnce(c: FrameCommand, carryOut: () => readonly Diagnostic[]): Run {
  return () => {
    const found = carryOut()
    return hasErrors(found) ? refused(found, c.path) : { diagnostics: found.map((d) => placed(d, c.path)) }
  }
}

/** A command that may take long, and stops where the limits say so; a stopped one has been carried out in part. */
function inParts(c: FrameCommand, begin: () => Generator<void, readonly Diagnostic[]>): Run {
  return async (limits) => {
    const ended = await runPartsInSlices(begin(), limits)
    if ('stopped' in ended) return { diagnostics: [], stopped: ended.stopped }
    return atOnce(c, () => ended.value)(limits)
  }
}

function prepareClear(p: Preparation, c: Of<'clear'>): Run | undefined {
  if (c.as === 'target') {
    const view = renderTargetOf(p, c.target)
    return view === undefined ? undefined : inParts(c, () => clearTargetParts(view, c.color, p.engine))
  }
  const { resource, path, dimension, format, mipSlice, firstArraySlice, arraySize } = c.target
  const made = p.resources.get(resource.name)
  if (made === undefined) return undefined
  const part = present({ dimension, mipSlice, firstArraySlice, arraySize })
  const isPlain = made.resource.kind === 'buffer' && made.resource.stride === undefined && format === undefined
  const options = isPlain ? { raw: true } : { ...part, ...present({ format }) }
  const view = take(p.out, createUav(made.resource, options), path, resource.name)
  const clear = c.as === 'float' ? clearFloatParts : clearUintParts
  return view === undefined ? undefined : inParts(c, () => clear(view, c.color, p.engine))
}

function prepareClearDepthStencil(p: Preparation, c: Of<'clearDepthStencil'>): Run | undefined {
  const view = depthStencilOf(p, c.target)
  const values = present({ depth: c.depth, stencil: c.stencil })
  return view === undefined ? undefined : inParts(c, () => clearDepthParts(view, values, p.engine))
}

function resourceOf(p: Preparation, at: NameAt): Buffer | Texture | undefined {
  return p.resources.get(at.name)?.resource
}

function textureOf(p: Preparation, at: NameAt): Texture | undefined {
  const resource = resourceOf(p, at)
  if (resource === undefined || resource.kind === 'texture') return resource
  return report(p.out, 'job-command', at.path, `a texture is expected here; ${at.name} is a buffer`)
}

function prepareCopy(p: Preparation, c: Of<'copy'>): Run | undefined {
  const [from, to] = [resourceOf(p, c.from), resourceOf(p, c.to)]
  if (from === undefined || to === undefined) return undefined
  const { region } = c
  if (region === undefined) return atOnce(c, () => copyResource(to, from))
  const { source: s, destination: d } = region
  const source = { mip: s.mip, arraySlice: s.slice, ...present({ box: s.box }) }
  const destination = { mip: d.mip, arraySlice: d.slice, x: d.x, y: d.y, z: d.z }
  return atOnce(c, () => copyRegion(to, destination, from, source))
}

function prepareCopyCount(p: Preparation, c: Of<'copyStructureCount'>): Run | undefined {
  const to = bufferOf(p, c.to)
  const views = [...countedViews(p, c.from)]
  const [view] = views
  if (to === undefined) return undefined
  if (view === undefined || views.length > 1) {
    const found = view === undefined ? 'none is' : `${views.length} are`
    const text = `one view of ${c.from.name} with a "counter" must be bound in the frame; ${found}`
    return report(p.out, 'job-command', c.from.path, text)
  }
  if (c.byteOffset % 4 !== 0 || c.byteOffset + 4 > to.byteLength) {
    const text = `4 bytes at a multiple of 4 are expected; ${c.to.name} has ${to.byteLength} bytes`
    return report(p.out, 'job-command', `${c.path}.copyStructureCount.byteOffset`, text)
  }
  return atOnce(c, () => copyStructureCount(to, c.byteOffset, view))
}

function prepareResolve(p: Preparation, c: Of<'resolve'>): Run | undefined {
  const [from, to] = [textureOf(p, c.from.resource), textureOf(p, c.to.resource)]
  if (from === undefined || to === undefined) return undefined
  const place = (at: Of<'resolve'>['from']) => ({ mip: at.mip, arraySlice: at.slice })
  return inParts(c, () => resolveParts(to, place(c.to), from, place(c.from), c.format, p.engine))
}

function prepareGenerateMips(p: Preparation, c: Of<'generateMips'>): Run | undefined {
  const texture = textureOf(p, c.resource)
  const view = texture === undefined ? undefined : take(p.out, createSrv(texture), c.resource.path, c.resource.name)
  return view === undefined ? undefined : inParts(c, () => mipParts(view, p.engine.sharedWork))
}

function* prepareWrite(p: Preparation, c: Of<'write'>): Generator<void, Run | undefined> {
  const made = p.resources.get(c.resource.name)
  if (made === undefined) return undefined
  const { resource } = made
  const context = contentsContext(
    p,
    c.resource.name,
    made.shape,
    resource.kind === 'buffer' ? resource.stride : undefined,
  )
  const extent = resource.kind === 'texture' ? resource : { width: 0, height: 0 }
  const contents = yield* resolveFrameContents(context, c.contents, extent, resource.byteLength)
  if (contents === undefined) return undefined
  if (resource.kind === 'texture') {
    const part = subresource(resource, c.mip, c.slice)
    if (c.byteOffset > 0)
      return report(p.out, 'job-command', `${c.path}.byteOffset`, 'textures are written by mip and slice')
    if (part === undefined) {
      const has = `${resource.mipLevels} mips and ${resource.arraySize} slices`
      return report(
        p.out,
        'job-command',
        c.path,
        `mip ${c.mip} of slice ${c.slice} is written; ${c.resource.name} has ${has}`,
      )
    }
    return () => {
      fillSubresource(context, contents, resource, c.mip, c.slice, c.path)
      return { diagnostics: [] }
    }
  }
  const length = contents.kind === 'bytes' ? contents.bytes.length : 0
  if (c.byteOffset + length > resource.byteLength) {
    const message = `${length} bytes are written at byte ${c.byteOffset}; ${c.resource.name} has ${resource.byteLength}`
    return report(p.out, 'job-size', c.path, message)
  }
  return () => {
    if (contents.kind === 'bytes') resource.storage.bytes.set(contents.bytes, c.byteOffset)
    else fillBuffer(context, contents, resource, undefined)
    return { diagnostics: [] }
  }
}

function* runOf(
  p: Preparation,
  c: Exclude<FrameCommand, { kind: 'draw' | 'dispatch' }>,
): Generator<void, Run | undefined> {
  switch (c.kind) {
    case 'clear':
      return prepareClear(p, c)
    case 'clearDepthStencil':
      return prepareClearDepthStencil(p, c)
    case 'copy':
      return prepareCopy(p, c)
    case 'copyStructureCount':
      return prepareCopyCount(p, c)
    case 'resolve':
      return prepareResolve(p, c)
    case 'generateMips':
      return prepareGenerateMips(p, c)
    case 'write':
      return yield* prepareWrite(p, c)
  }
}

function* madeOf(p: Preparation, c: FrameCommand): Generator<void, Made | undefined> {
  if (c.kind === 'draw') return yield* prepareDraw(p, c)
  if (c.kind === 'dispatch') return prepareDispatch(p, c)
  const run = yield* runOf(p, c)
  return run === undefined ? undefined : { run }
}

/** Every command that can be carried out; the others are reported. Yields between shaders that draws have compiled, and within patterns. */
export function* prepareCommands(p: Preparation): Generator<void, PreparedCommand[]> {
  const prepared: PreparedCommand[] = []
  for (const command of p.frame.commands) {
    const made = yield* madeOf(p, command)
    if (made !== undefined) prepared.push({ command, ...made })
  }
  return prepared
}
