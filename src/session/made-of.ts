/** Which invocations of earlier stages made what an invocation of a draw reads. */
import { type DrawBatch, verticesOf } from '../debug/index.ts'
import type { DebuggedDraw, DebuggedProgram } from './run.ts'

/** What an invocation reads, in words, and the commands that go to who made it. */
export interface Sources {
  readonly text: string
  readonly commands: readonly string[]
}

/** Names that are listed at the most. */
const MOST_NAMED = 32

function numberIn(name: string, pattern: RegExp): number | undefined {
  const m = pattern.exec(name)
  return m === null ? undefined : Number(m[1])
}

/** The primitive and the instance that an invocation is of. */
function primitiveOf(batch: DrawBatch, invocation: number): { primitive: number; instance: number } | undefined {
  const place = batch.placeOf(invocation)
  if (place !== undefined) return { primitive: place.primitiveId, instance: place.instance }
  const name = batch.describe(invocation)
  const primitive = numberIn(name, /\b(?:patch|primitive) (\d+)/)
  return primitive === undefined ? undefined : { primitive, instance: numberIn(name, /of instance (\d+)/) ?? 0 }
}

/** How many invocations of a stage have names like this one's. */
function countNamed({ line }: DebuggedDraw, stage: string, pattern: RegExp): number {
  let count = 0
  for (const batch of line.batches) {
    if (batch.stage !== stage) continue
    for (let i = 0; i < batch.invocations; i++) if (pattern.test(batch.describe(i))) count++
  }
  return count
}

function ofVertices({ source }: DebuggedDraw, primitive: number, instance: number, what: string): Sources {
  const vertices = verticesOf(source, primitive) ?? []
  const ofInstance = instance > 0 ? ` ${instance}` : ''
  const distinct = [...new Set(vertices)].slice(0, MOST_NAMED)
  return {
    text: `${what} has the outputs of these vertices`,
    commands: distinct.map((v) => `vertex ${v}${ofInstance}`),
  }
}

function ofPatch(draw: DebuggedDraw, primitive: number, what: string): Sources {
  const count = countNamed(draw, 'domain', new RegExp(`^domain point \\d+ of patch ${primitive}\\b`))
  if (count === 0) return { text: `patch ${primitive} was culled: no domain point of it runs`, commands: [] }
  const text = `${what} has the outputs of some of the ${count} domain points of patch ${primitive}`
  return { text, commands: [`domain-point 0 ${primitive}`, `domain-point ${count - 1} ${primitive}`] }
}

function ofControlPoints(draw: DebuggedDraw, patch: number, instance: number, isWhole: boolean): Sources {
  const count = countNamed(draw, 'hull', new RegExp(`^control point \\d+ of patch ${patch}\\b`))
  const constants = isWhole ? [`patch ${patch}`] : []
  if (count > 0) {
    const points = Array.from({ length: Math.min(count, MOST_NAMED) }, (_, i) => `control-point ${i} ${patch}`)
    const text = `patch ${patch} has these control points${isWhole ? ' and constants' : ''}`
    return { text, commands: [...points, ...constants] }
  }
  const { commands } = ofVertices(draw, patch, instance, '')
  const text = `the hull shader passes control points on: those of patch ${patch} are the outputs of these vertices`
  return {
    text: isWhole ? `${text}; its constants are the hull shader's` : text,
    commands: [...commands, ...constants],
  }
}

/** Who made what an invocation reads. */
export function sourcesOf(
  draw: DebuggedDraw,
  programs: readonly Pick<DebuggedProgram, 'stage'>[],
  batch: DrawBatch,
  invocation: number,
): Sources {
  const has = (stage: string): boolean => programs.some((p) => p.stage === stage)
  const own = primitiveOf(batch, invocation)
  if (batch.stage === 'vertex' || own === undefined)
    return { text: 'the input assembler: the vertex buffers and the numbers of vertex and instance', commands: [] }
  const { primitive, instance } = own
  const what = `primitive ${primitive}`
  switch (batch.stage) {
    case 'hull': {
      const isPoint = batch.describe(invocation).startsWith('control point')
      return isPoint
        ? ofVertices(draw, primitive, instance, `patch ${primitive}`)
        : ofControlPoints(draw, primitive, instance, false)
    }
    case 'domain':
      return ofControlPoints(draw, primitive, instance, true)
    case 'pixel':
      if (has('geometry')) return { text: `the geometry shader emitted ${what}`, commands: [`primitive ${primitive}`] }
      return has('domain') ? ofPatch(draw, primitive, what) : ofVertices(draw, primitive, instance, what)
    default:
      return has('domain') ? ofPatch(draw, primitive, what) : ofVertices(draw, primitive, instance, what)
  }
}
