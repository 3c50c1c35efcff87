/** Makes each command of a frame ready: its views, what it binds, and everything that can be checked before it runs. */
import { type Diagnostic, hasErrors, outcomeOf } from '../../diagnostic/index.ts'
import {
  type DispatchOptions,
  type DispatchResult,
  type GroupCounts,
  nextTask,
  runInSlices,
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
import {
  automaticCall,
  beginDraw,
  type DrawCall,
  type DrawResult,
  indirectCall,
  type Pipeline,
} from '../../pipeline/index.ts'
import {
  clearDepthStencil,
  clearRenderTarget,
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
  copyRegion,
  copyResource,
  generateMips,
  resolveTexture,
} from '../../pipeline/merge/index.ts'
import type { JobOptions } from '../model.ts'
import { present } from '../parse/fields.ts'
import { fillBuffer, fillSubresource } from '../run/contents.ts'
import type { FrameCommand, FrameCounts, NameAt } from './model.ts'
import { type Preparation, placed, report, take } from './preparation.ts'
import {
  bufferOf,
  depthStencilOf,
  dispatchBindings,
  drawResources,
  mergeBindings,
  renderTargetOf,
} from './prepare-bindings.ts'
import { contentsContext, resolveFrameContents } from './prepare-resources.ts'

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

export type CommandLimits = Pick<DispatchOptions, 'maxMilliseconds' | 'signal' | 'onProgress'>

export interface PreparedCommand {
  readonly command: FrameCommand
  readonly run: (limits: CommandLimits) => Promise<CommandResult> | CommandResult
}

type Of<K extends FrameCommand['kind']> = Extract<FrameCommand, { kind: K }>
type Run = PreparedCommand['run']

/** Longest that the host's event loop is held, in milliseconds. */
const SLICE_MS = 40

function dispatchOptions(o: JobOptions): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread } = o
  return present({
    schedule: schedule === undefined ? undefined : { ...DEFAULT_SCHEDULE, ...schedule },
    undefinedPolicy,
    maxInstructionsPerThread,
  })
}

/** Runs a draw in slices that give way to the host. */
async function runDraw(
  p: Preparation,
  c: Of<'draw'>,
  pipeline: Pipeline,
  resources: NonNullable<ReturnType<typeof drawResources>>,
  call: DrawCall,
  limits: CommandLimits,
): Promise<CommandResult> {
  const r = resources.resources()
  const { maxMilliseconds } = limits
  const options = { ...dispatchOptions(p.frame.options), ...present({ maxMilliseconds }) }
  const begun = beginDraw(p.engine, pipeline, r, call, options)
  const known = begun.diagnostics.length
  if (!begun.ok) return refused(begun.diagnostics, c.path)
  const draw = begun.value
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  while (!draw.run(Math.min(deadline, performance.now() + SLICE_MS))) {
    if (limits.signal?.aborted === true) draw.stop('canceled')
    else if (performance.now() >= deadline) draw.stop('time')
    else await nextTask()
  }
  resources.finish(r)
  const { diagnostics, stopped, statistics, samplesPassed, streamOutput, undefinedCount, engine } = draw.result()
  // What was found before it began has been reported when the frame was prepared.
  const found = diagnostics.slice(known).map((d) => ofCommand(d, c.path))
  const counts = { statistics, samplesPassed, streamOutput }
  const result = { diagnostics: found, undefinedCount, draw: counts, ...present({ engine }) }
  return stopped === undefined ? result : { ...result, stopped }
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

function prepareDraw(p: Preparation, c: Of<'draw'>): Run | undefined {
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
  const begun = beginDraw(
    p.engine,
    pipeline,
    resources.resources(),
    knownCall(counts),
    dispatchOptions(p.frame.options),
  )
  for (const d of begun.diagnostics) {
    // What is missing has been complained of, or is left out on purpose.
    if (d.code !== 'machine-binding-missing') p.out.push(placed(d, fieldOf(d, c.path)))
  }
  if (!begun.ok) return undefined
  return (limits) => {
    const call = callOf()
    if (call.value === undefined) return refused(call.diagnostics, c.path)
    return runDraw(p, c, pipeline, resources, call.value, limits)
  }
}

function groupCountsAt(buffer: Buffer, byteOffset: number): GroupCounts | undefined {
  if (byteOffset % 4 !== 0 || byteOffset + 12 > buffer.byteLength) return undefined
  const w = buffer.storage.words.subarray(byteOffset / 4, byteOffset / 4 + 3)
  return [w[0]!, w[1]!, w[2]!]
}

/** Thread groups in Z that cs_4_0 and cs_4_1 can have (functional specification 18.7). */
const MAX_Z_SM4 = 1

function prepareDispatch(p: Preparation, c: Of<'dispatch'>): Run | undefined {
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
  return async (limits) => {
    const counts = 'buffer' in groups ? groupCountsAt(source!, groups.byteOffset)! : groups
    const options = { ...dispatchOptions(p.frame.options), ...limits }
    const result = await runInSlices(p.engine, loaded, bindings, counts, options)
    return dispatchResult(result, counts, c.path)
  }
}

function dispatchResult(r: DispatchResult, groups: GroupCounts, path: string): CommandResult {
  const { engine, stopped, threadInstructionCount, undefinedCount } = r
  const diagnostics = r.diagnostics.map((d) => ofCommand(d, path))
  return { diagnostics, groups, undefinedCount, ...present({ engine, stopped, threadInstructionCount }) }
}

/** A command that is carried out at once; what it answers are errors at its place. */
function atOnce(c: FrameCommand, carryOut: () => readonly Diagnostic[]): Run {
  return () => {
    const found = carryOut()
    return hasErrors(found) ? refused(found, c.path) : { diagnostics: found.map((d) => placed(d, c.path)) }
  }
}

function prepareClear(p: Preparation, c: Of<'clear'>): Run | undefined {
  if (c.as === 'target') {
    const view = renderTargetOf(p, c.target)
    return view === undefined ? undefined : atOnce(c, () => clearRenderTarget(view, c.color))
  }
  const { resource, path, dimension, format, mipSlice, firstArraySlice, arraySize } = c.target
  const made = p.resources.get(resource.name)
  if (made === undefined) return undefined
  const part = present({ dimension, mipSlice, firstArraySlice, arraySize })
  const isPlain = made.resource.kind === 'buffer' && made.resource.stride === undefined && format === undefined
  const options = isPlain ? { raw: true } : { ...part, ...present({ format }) }
  const view = take(p.out, createUav(made.resource, options), path, resource.name)
  const clear = c.as === 'float' ? clearUnorderedAccessFloat : clearUnorderedAccessUint
  return view === undefined ? undefined : atOnce(c, () => clear(view, c.color))
}

function prepareClearDepthStencil(p: Preparation, c: Of<'clearDepthStencil'>): Run | undefined {
  const view = depthStencilOf(p, c.target)
  const values = present({ depth: c.depth, stencil: c.stencil })
  return view === undefined ? undefined : atOnce(c, () => clearDepthStencil(view, values))
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

function prepareResolve(p: Preparation, c: Of<'resolve'>): Run | undefined {
  const [from, to] = [textureOf(p, c.from.resource), textureOf(p, c.to.resource)]
  if (from === undefined || to === undefined) return undefined
  const place = (at: Of<'resolve'>['from']) => ({ mip: at.mip, arraySlice: at.slice })
  return atOnce(c, () => resolveTexture(to, place(c.to), from, place(c.from), c.format))
}

function prepareGenerateMips(p: Preparation, c: Of<'generateMips'>): Run | undefined {
  const texture = textureOf(p, c.resource)
  const view = texture === undefined ? undefined : take(p.out, createSrv(texture), c.resource.path, c.resource.name)
  return view === undefined ? undefined : atOnce(c, () => generateMips(view))
}

function prepareWrite(p: Preparation, c: Of<'write'>): Run | undefined {
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
  const contents = resolveFrameContents(context, c.contents, extent, resource.byteLength)
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

function runOf(p: Preparation, c: FrameCommand): Run | undefined {
  switch (c.kind) {
    case 'draw':
      return prepareDraw(p, c)
    case 'dispatch':
      return prepareDispatch(p, c)
    case 'clear':
      return prepareClear(p, c)
    case 'clearDepthStencil':
      return prepareClearDepthStencil(p, c)
    case 'copy':
      return prepareCopy(p, c)
    case 'resolve':
      return prepareResolve(p, c)
    case 'generateMips':
      return prepareGenerateMips(p, c)
    case 'write':
      return prepareWrite(p, c)
  }
}

/** Every command that can be carried out; complaints of the others. */
export function prepareCommands(p: Preparation): PreparedCommand[] {
  return p.frame.commands.flatMap((command) => {
    const run = runOf(p, command)
    return run === undefined ? [] : [{ command, run }]
  })
}
