import type { DrawCall, ShaderStage } from '../../../src/pipeline/index.ts'
import { shrink } from '../differential.ts'
import { stagesOf } from './frame.ts'
import type { FrameCommand, FrameDraw, FramePipeline, FrameShaders, RandomFrame } from './model.ts'

/** Makes a frame smaller as long as something holds of it: commands, then calls and state, then the shaders. */

type Holds = (f: RandomFrame) => boolean

const withCommands = (f: RandomFrame, commands: readonly FrameCommand[]): RandomFrame => ({ ...f, commands })
const withPipeline = (f: RandomFrame, n: number, p: FramePipeline): RandomFrame => ({
  ...f,
  pipelines: f.pipelines.map((other, i) => (i === n ? p : other)),
})

/** Smaller calls: half as many vertices, one instance. */
function callsOf({ call }: FrameDraw): DrawCall[] {
  if (call.kind !== 'direct') return []
  const { instanceCount = 1 } = call.call
  const fewer = (count: number): number[] => [count >> 1, count - 3, count - 1].filter((n) => n > 0 && n < count)
  return [
    ...(instanceCount > 1 ? [{ ...call.call, instanceCount: 1 }] : []),
    ...('vertexCount' in call.call
      ? fewer(call.call.vertexCount).map((vertexCount) => ({ ...call.call, vertexCount }))
      : fewer(call.call.indexCount).map((indexCount) => ({ ...call.call, indexCount }))),
  ]
}

/** Draws that are a little simpler. */
function simplerDraws(d: FrameDraw, f: RandomFrame): FrameDraw[] {
  const { width, height } = f
  const whole = [{ topLeftX: 0, topLeftY: 0, width, height, minDepth: 0, maxDepth: 1 }]
  const isWhole = JSON.stringify(d.fixed.viewports) === JSON.stringify(whole)
  return [
    ...callsOf(d).map((call) => ({ ...d, call: { kind: 'direct' as const, call } })),
    ...d.targets.flatMap((t, n) =>
      t === undefined ? [] : [{ ...d, targets: d.targets.map((other, i) => (i === n ? undefined : other)) }],
    ),
    ...(d.depth === undefined ? [] : [{ ...d, depth: undefined }]),
    ...(isWhole ? [] : [{ ...d, fixed: { ...d.fixed, viewports: whole } }]),
  ]
}

/** Pipelines with one field of their state at its default, or without a geometry shader. */
function simplerPipelines(p: FramePipeline): FramePipeline[] {
  const found: FramePipeline[] = []
  const state = p.state as Readonly<Record<string, unknown>>
  for (const part of ['rasterizer', 'depthStencil', 'blend'] as const) {
    const fields = p.state[part] as Readonly<Record<string, unknown>> | undefined
    for (const name of Object.keys(fields ?? {})) {
      const { [name]: _gone, ...rest } = fields!
      found.push({ ...p, state: { ...p.state, [part]: rest } })
    }
  }
  for (const name of ['streamOutput', 'sampleMask', 'cutOnLists']) {
    if (state[name] === undefined) continue
    const { [name]: _gone, ...rest } = state
    found.push({ ...p, state: rest as unknown as FramePipeline['state'] })
  }
  const { geometry, ...shaders } = p.shaders
  if (geometry !== undefined) found.push({ ...p, shaders })
  return found
}

/** The first candidate that still holds, again and again. */
function descend<T>(from: T, candidates: (t: T) => readonly T[], holds: (t: T) => boolean): T {
  let best = from
  for (;;) {
    const next = candidates(best).find(holds)
    if (next === undefined) return best
    best = next
  }
}

async function smallerShaders(f: RandomFrame, n: number, stage: ShaderStage, holds: Holds): Promise<RandomFrame> {
  const p = f.pipelines[n]!
  const of = (shaders: FrameShaders): RandomFrame => withPipeline(f, n, { ...p, shaders })
  const small = await shrink(p.shaders[stage]!, (s) => holds(of({ ...p.shaders, [stage]: s })))
  return of({ ...p.shaders, [stage]: small })
}

export async function shrinkFrame(frame: RandomFrame, holds: Holds): Promise<RandomFrame> {
  const fewer = (f: RandomFrame): RandomFrame[] =>
    f.commands.map((_, n) => withCommands(f, [...f.commands.slice(0, n), ...f.commands.slice(n + 1)]))
  let best = descend(frame, fewer, holds)
  const simpler = (f: RandomFrame): RandomFrame[] => [
    ...f.commands.flatMap((c, n) =>
      c.kind !== 'draw'
        ? []
        : simplerDraws(c, f).map((d) =>
            withCommands(
              f,
              f.commands.map((o, i) => (i === n ? d : o)),
            ),
          ),
    ),
    ...f.pipelines.flatMap((p, n) => simplerPipelines(p).map((other) => withPipeline(f, n, other))),
    ...(f.sampleCount > 1 ? [{ ...f, sampleCount: 1 as const }] : []),
    ...(f.arraySize > 1 && f.kind.dimension !== 'texturecube' ? [{ ...f, arraySize: 1 }] : []),
    ...(f.kind.mipSlice > 0 ? [{ ...f, kind: { ...f.kind, mipSlice: 0 } }] : []),
    ...(f.kind.dimension !== 'texture2d' ? [{ ...f, kind: { ...f.kind, dimension: 'texture2d' as const } }] : []),
    ...(f.inEngine ? [{ ...f, inEngine: false }] : []),
  ]
  best = descend(best, simpler, holds)
  for (const [n, p] of best.pipelines.entries()) {
    if (!best.commands.some((c) => c.kind === 'draw' && c.pipeline === n)) continue
    for (const stage of stagesOf(p.shaders)) best = await smallerShaders(best, n, stage, holds)
  }
  return best
}

/** A frame as text: its shaders as assembly, all else as it is. */
export function printFrame(f: RandomFrame): string {
  const used = new Set(f.commands.flatMap((c) => (c.kind === 'draw' ? [c.pipeline] : [])))
  const shaders = f.pipelines.flatMap((p, n) =>
    used.has(n) ? stagesOf(p.shaders).map((stage) => `pipeline ${n}, ${stage} shader:\n${p.shaders[stage]!.text}`) : [],
  )
  const { pipelines, ...rest } = f
  const states = pipelines.map(({ state }) => state)
  return [
    ...shaders,
    JSON.stringify({ ...rest, states }, undefined, 1).replace(
      /\[\s+([^[\]{}]*?)\s+\]/gs,
      (_, inner) => `[${inner.replace(/\s+/g, ' ')}]`,
    ),
  ].join('\n')
}
