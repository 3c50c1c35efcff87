import { resolveClassInstances } from '../../engine/index.ts'
import { align16, createBuffer, createTexture, type Slot } from '../../machine/index.ts'
import { pipelineShader } from '../../pipeline/index.ts'
import { memberPath } from '../parse/fields.ts'
import { resolveClasses } from '../run/classes.ts'
import {
  type ContentsContext,
  contentsLength,
  fillNewBuffer,
  fillNewTexture,
  fillSubresource,
  type ResolvedContents,
  resolveContents,
} from '../run/contents.ts'
import { type LoadedJobShader, loadShader } from '../run/shader.ts'
import { TotalBytes } from '../run/total-bytes.ts'
import { constantsShape, elementShape, resourceOfSlot, type Shape } from '../values/shape.ts'
import type { FrameBindings, FrameBuffer, FrameContents, FrameStage, FrameTexture } from './model.ts'
import { type PatternTarget, patternBytesInParts, patternLength } from './patterns/index.ts'
import { type Preparation, type PreparedFrameResource, placed, report, take } from './preparation.ts'

/** Loads every shader; what is wrong with one stands at its place. Each is a part. */
export function* prepareShaders(p: Preparation): Generator<void, void> {
  const { denormals, fma, minPrecision } = p.frame.options.load
  const options = Object.fromEntries(
    Object.entries({ denormals, fma, minPrecision }).filter(([, v]) => v !== undefined),
  )
  for (const [n, { name, path, source }] of p.frame.shaders.entries()) {
    if (n > 0) yield
    const read = loadShader(source, p.host)
    p.out.pushAll(read.diagnostics)
    if (!read.ok) continue
    const own = { ...options, listing: read.value.listing }
    const { program } = read.value
    const loaded = p.engine.loadInParts ? yield* p.engine.loadInParts(program, own) : p.engine.load(program, own)
    p.out.pushAll(loaded.diagnostics)
    if (!loaded.ok) continue
    const named = take(p.out, pipelineShader(loaded.value, read.value.container), path, name)
    if (named === undefined) continue
    const classInstances = resolveClasses(source.classInstances ?? [], read.value, p.out)
    const classes = resolveClassInstances(loaded.value.declarations, classInstances)
    p.out.pushAll(classes.diagnostics.map((d) => placed(d, memberPath(source.path, 'classInstances'))))
    p.shaders.set(name, { source: read.value, loaded: loaded.value, named: { ...named, classInstances } })
  }
}

interface Use {
  readonly slot: Slot
  readonly shader: LoadedJobShader
}

/** Where a resource is bound: the first slot of a shader whose reflection can name what is in it. */
function usesOf(p: Preparation, name: string): Use[] {
  const uses: Use[] = []
  const look = (b: FrameBindings, shaderOf: (stage: FrameStage) => string | undefined): void => {
    for (const [stage, bindings] of Object.entries(b.stages)) {
      const shader = p.shaders.get(shaderOf(stage as FrameStage) ?? '')?.source
      for (const one of bindings ?? []) {
        if (shader !== undefined && one.kind === 'view' && one.resource.name === name)
          uses.push({ slot: one.slot, shader })
      }
    }
  }
  const shaderOf =
    (pipeline: string) =>
    (stage: FrameStage): string | undefined => {
      const described = p.frame.pipelines.find((x) => x.name === pipeline)
      if (described?.kind === 'compute') return stage === 'compute' ? described.shader.name : undefined
      return stage === 'compute' ? undefined : described?.shaders[stage]?.name
    }
  for (const described of p.frame.pipelines) look(described.bindings, shaderOf(described.name))
  for (const c of p.frame.commands) {
    if (c.kind === 'draw' || c.kind === 'dispatch') look(c.bindings, shaderOf(c.pipeline.name))
  }
  return uses
}

/** What reflection says of a buffer: the variables of a constant buffer, or one structure of a structured one. */
function shapeOfBuffer(p: Preparation, r: FrameBuffer): Shape | undefined {
  for (const { slot, shader } of usesOf(p, r.name)) {
    const { reflection } = shader
    const shape =
      slot.register === 'b'
        ? constantsShape(reflection, slot)
        : r.stride === undefined
          ? undefined
          : elementShape(resourceOfSlot(reflection, slot), r.stride)
    if (shape !== undefined) return shape
  }
  return undefined
}

/** Contents with their files read and their patterns made, in parts; `room` bytes hold them, where that is known. */
export function* resolveFrameContents(
  c: ContentsContext & Pick<Preparation, 'out'>,
  contents: FrameContents,
  target: PatternTarget,
  room: number | undefined,
): Generator<void, ResolvedContents | undefined> {
  if (contents.kind !== 'pattern') return resolveContents(c, contents)
  const length = patternLength(contents, target)
  if (room !== undefined && length > room) {
    return report(
      c.out,
      'job-size',
      contents.path,
      `${length} bytes of ${contents.name} are too many for ${c.name}, which holds ${room}`,
    )
  }
  return { kind: 'bytes', bytes: yield* patternBytesInParts(contents, target), path: contents.path }
}

export function contentsContext(p: Preparation, name: string, shape?: Shape, stride?: number) {
  return { host: p.host, out: p.out, shape, stride, isShaderKnown: p.shaders.size === p.frame.shaders.length, name }
}

const NO_EXTENT: PatternTarget = { width: 0, height: 0 }

function* prepareBuffer(p: Preparation, r: FrameBuffer): Generator<void, PreparedFrameResource | undefined> {
  const shape = shapeOfBuffer(p, r)
  const context = contentsContext(p, r.name, shape, r.stride)
  const before = p.out.errorCount
  const contents = yield* resolveFrameContents(context, r.contents, NO_EXTENT, r.byteLength)
  if (contents === undefined || p.out.errorCount > before) return undefined
  const own = contentsLength(contents, undefined) ?? 0
  // Constant buffers come in constants of 16 bytes.
  const byteLength = r.byteLength ?? (r.contents.kind === 'variables' ? align16(own) : own)
  const buffer = take(p.out, createBuffer({ byteLength, stride: r.stride, memory: p.engine.memory }), r.path, r.name)
  if (buffer === undefined) return undefined
  fillNewBuffer(context, contents, buffer, undefined)
  return { name: r.name, path: r.path, described: r, resource: buffer, ...(shape === undefined ? {} : { shape }) }
}

function* prepareTexture(p: Preparation, r: FrameTexture): Generator<void, PreparedFrameResource | undefined> {
  const context = contentsContext(p, r.name)
  const { width = 0, height = 1 } = r.options
  // The texture is made first where its size is known, so that no pattern is computed that it cannot hold.
  const image =
    r.contents.kind === 'png' ? yield* resolveFrameContents(context, r.contents, NO_EXTENT, undefined) : undefined
  const extents =
    image?.kind === 'image' && r.options.width === undefined
      ? { width: image.image.width, height: image.image.height }
      : {}
  const texture = take(
    p.out,
    createTexture({ ...r.options, width, ...extents, memory: p.engine.memory }),
    r.path,
    r.name,
  )
  if (texture === undefined) return undefined
  const contents = image ?? (yield* resolveFrameContents(context, r.contents, { width, height }, texture.byteLength))
  if (contents === undefined) return undefined
  fillNewTexture(context, contents, texture, r.path)
  for (const [i, part] of r.parts.entries()) {
    const resolved = yield* resolveFrameContents(context, part.contents, { width, height }, texture.byteLength)
    if (resolved !== undefined)
      fillSubresource(context, resolved, texture, part.mip, part.slice, `${r.path}.subresources[${i}]`)
  }
  return { name: r.name, path: r.path, described: r, resource: texture }
}

/**
 * Makes and fills every resource; what cannot be made is left out, after complaints, and so is all behind one too many. Each is a
 * part, or several where its contents take long.
 */
export function* prepareFrameResources(p: Preparation): Generator<void, void> {
  const total = new TotalBytes()
  for (const r of p.frame.resources) {
    yield
    const made = r.kind === 'buffer' ? yield* prepareBuffer(p, r) : yield* prepareTexture(p, r)
    if (made === undefined) continue
    p.resources.set(r.name, made)
    if (!total.add(made.resource, r.path, r.name, p.out)) return
  }
}
