/** Looks up the names in a frame: resources, shaders and pipelines that commands, pipelines and checks mention. */
import { type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import { suggestion } from '../parse/suggest.ts'
import type { FrameBindings, FrameCommand, FrameJob, FrameTarget, NameAt } from './model.ts'

function namesOfBindings(b: FrameBindings): NameAt[] {
  const slots = [...Object.values(b.stages).flat(), ...(b.unorderedAccess ?? [])]
  const targets: (FrameTarget | undefined)[] = [...(b.renderTargets ?? []), b.depthStencil]
  return [
    ...slots.flatMap((s) => (s?.kind === 'view' ? [s.resource] : [])),
    ...(b.vertexBuffers ?? []).map((v) => v.buffer),
    ...(b.indexBuffer === undefined ? [] : [b.indexBuffer.buffer]),
    ...(b.streamOutput ?? []).map((s) => s.buffer),
    ...targets.flatMap((t) => (t === undefined ? [] : [t.resource])),
  ]
}

function namesOfCommand(c: FrameCommand): NameAt[] {
  switch (c.kind) {
    case 'draw':
      return [...namesOfBindings(c.bindings), ...(c.counts.kind === 'indirect' ? [c.counts.buffer] : [])]
    case 'dispatch':
      return [...namesOfBindings(c.bindings), ...('buffer' in c.groups ? [c.groups.buffer] : [])]
    case 'clear':
    case 'clearDepthStencil':
      return [c.target.resource]
    case 'copy':
    case 'copyStructureCount':
      return [c.from, c.to]
    case 'resolve':
      return [c.from.resource, c.to.resource]
    case 'generateMips':
    case 'write':
      return [c.resource]
  }
}

/** Complains of names that nothing has, and of pipelines that are of the wrong kind for their command. */
export function checkNames(frame: FrameJob, out: DiagnosticSink): void {
  const check = (what: string, names: readonly string[]) => {
    const known = new Set(names)
    return ({ name, path }: NameAt): boolean => {
      if (known.has(name)) return true
      const near = suggestion(name, names)
      const notes = near.length > 0 || names.length === 0 ? near : [`there are ${names.slice(0, 20).join(', ')}`]
      out.push(diagnostic('job-name', `there is no ${what} ${JSON.stringify(name)}`, { kind: 'path', path }, notes))
      return false
    }
  }
  const resource = check(
    'resource',
    frame.resources.map((r) => r.name),
  )
  const shader = check(
    'shader',
    frame.shaders.map((s) => s.name),
  )
  const pipeline = check(
    'pipeline',
    frame.pipelines.map((p) => p.name),
  )
  const seen = new Set<string>()
  for (const r of frame.resources) {
    if (seen.has(r.name)) {
      const text = `the resource ${JSON.stringify(r.name)} is described twice`
      out.push(diagnostic('job-name', text, { kind: 'path', path: r.path }))
    }
    seen.add(r.name)
  }
  for (const p of frame.pipelines) {
    const shaders = p.kind === 'compute' ? [p.shader] : Object.values(p.shaders).filter((s) => s !== undefined)
    shaders.forEach(shader)
    namesOfBindings(p.bindings).forEach(resource)
  }
  for (const c of frame.commands) {
    namesOfCommand(c).forEach(resource)
    if (c.kind !== 'draw' && c.kind !== 'dispatch') continue
    if (!pipeline(c.pipeline)) continue
    const { kind } = frame.pipelines.find((p) => p.name === c.pipeline.name)!
    if ((kind === 'compute') === (c.kind === 'dispatch')) continue
    const text = `${c.kind} takes a ${c.kind === 'draw' ? 'graphics' : 'compute'} pipeline; ${c.pipeline.name} is a ${kind} pipeline`
    out.push(diagnostic('job-name', text, { kind: 'path', path: c.pipeline.path }))
  }
  for (const c of frame.checks) resource(c.resource)
  for (const o of frame.outputs) resource(o.resource)
  for (const p of frame.previews) resource(p)
}
