import type { FrameBindings, FrameCommand, FrameJob } from './model.ts'
import { mergeBindings } from './prepare-bindings.ts'
import { subjectOf } from './run-frame.ts'

/** A resource that a command writes, with the format of the view that it is written by. */
interface Written {
  readonly name: string
  readonly format?: string | undefined
}

function writtenBy(b: FrameBindings): readonly Written[] {
  const targets = [...(b.renderTargets ?? []), b.depthStencil].flatMap((t) => t ?? [])
  const views = [...(b.unorderedAccess ?? []), ...(b.stages.compute ?? []).filter((s) => s.slot.register === 'u')]
  return [
    ...targets.map((t) => ({ name: t.resource.name, format: t.format })),
    ...views.flatMap((v) => (v.kind === 'view' ? [{ name: v.resource.name, format: v.view.format }] : [])),
    ...(b.streamOutput ?? []).map((s) => ({ name: s.buffer.name })),
  ]
}

function writtenByCommand(frame: FrameJob, command: FrameCommand): readonly Written[] {
  switch (command.kind) {
    case 'draw':
    case 'dispatch': {
      const pipeline = frame.pipelines.find((p) => p.name === command.pipeline.name)
      return writtenBy(pipeline === undefined ? command.bindings : mergeBindings(pipeline.bindings, command.bindings))
    }
    case 'clear':
    case 'clearDepthStencil':
      return [{ name: command.target.resource.name, format: command.target.format }]
    default:
      return [{ name: subjectOf(command) }]
  }
}

/** The resources that a frame writes, those of the last command first, with the format of a view of each. */
export function writtenResources(frame: FrameJob): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const command of frame.commands.toReversed()) {
    for (const { name, format } of writtenByCommand(frame, command)) found.set(name, found.get(name) ?? format)
  }
  return found
}
