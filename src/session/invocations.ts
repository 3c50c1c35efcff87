/** Invocations of a draw by what people call them. */
import type { DrawBatch, PixelFragment, PixelHistory, PixelQuestion } from '../debug/index.ts'
import type { DebuggedDraw } from './run.ts'

/** Kinds of invocations, each with the stage that runs them and the numbers that name one. */
export const INVOCATIONS = {
  vertex: { stage: 'vertex', numbers: ['VERTEX', '[INSTANCE]'] },
  'control-point': { stage: 'hull', numbers: ['POINT', 'PATCH'] },
  patch: { stage: 'hull', numbers: ['PATCH'] },
  'domain-point': { stage: 'domain', numbers: ['POINT', 'PATCH'] },
  primitive: { stage: 'geometry', numbers: ['PRIMITIVE'] },
} as const

export type InvocationKind = keyof typeof INVOCATIONS

/** A pixel, and what happened to it. */
export interface PixelWithHistory {
  readonly question: PixelQuestion
  readonly history: PixelHistory
}

/** An invocation with its batch. */
export interface FoundInvocation {
  readonly batch: DrawBatch
  readonly invocation: number
}

/** What the name of an invocation looks like. */
function patternOf(kind: InvocationKind, [first, second]: readonly number[]): RegExp {
  switch (kind) {
    case 'vertex':
      return new RegExp(`^vertex ${first} of instance ${second ?? '\\d+'}$`)
    case 'control-point':
      return new RegExp(`^control point ${first} of patch ${second}\\b`)
    case 'patch':
      return new RegExp(`^(?:fork|join) phase instance \\d+ of patch ${first}\\b`)
    case 'domain-point':
      return new RegExp(`^domain point ${first} of patch ${second}\\b`)
    case 'primitive':
      return new RegExp(`\\bprimitive ${first}\\b`)
  }
}

/** The first invocation of a stage for which something holds. */
function firstWhere(
  { line }: DebuggedDraw,
  stage: string,
  holds: (batch: DrawBatch, invocation: number) => boolean,
): FoundInvocation | undefined {
  for (const batch of line.batches) {
    if (batch.stage !== stage) continue
    for (let invocation = 0; invocation < batch.invocations; invocation++)
      if (holds(batch, invocation)) return { batch, invocation }
  }
  return undefined
}

/** The first invocation of a kind with these numbers. */
export function invocationOf(
  draw: DebuggedDraw,
  kind: InvocationKind,
  numbers: readonly number[],
): FoundInvocation | undefined {
  const pattern = patternOf(kind, numbers)
  return firstWhere(draw, INVOCATIONS[kind].stage, (batch, i) => pattern.test(batch.describe(i)))
}

/** The invocation that made a fragment of a pixel; `nth` where a primitive has several there, from 0. */
function invocationOfFragment(
  draw: DebuggedDraw,
  { x, y }: { readonly x: number; readonly y: number },
  { primitiveId, instance, sample }: Pick<PixelFragment, 'primitiveId' | 'instance' | 'sample'>,
  nth = 0,
): FoundInvocation | undefined {
  let left = nth
  return firstWhere(draw, 'pixel', (batch, i) => {
    const place = batch.placeOf(i)
    const isHere = place?.x === x && place.y === y && !batch.isHelper(i)
    if (!isHere || place.primitiveId !== primitiveId || place.instance !== instance || place.sample !== sample)
      return false
    return left-- === 0
  })
}

/** `vertex 3`, `domain-point 5 0`: a kind with its numbers; undefined where there is none. */
export function invocationNamedBy(draw: DebuggedDraw, text: string): FoundInvocation | undefined {
  const [kind = '', ...words] = text.trim().split(/[\s,]+/)
  if (!Object.hasOwn(INVOCATIONS, kind) || words.some((w) => !/^\d+$/.test(w))) return undefined
  return invocationOf(draw, kind as InvocationKind, words.map(Number))
}

/** The invocation that made one of the fragments of a pixel's history. */
export function invocationOfNthFragment(
  draw: DebuggedDraw,
  { question, history }: PixelWithHistory,
  n: number,
): FoundInvocation | undefined {
  const { fragments } = history
  const own = fragments[n]
  if (own === undefined || !own.isShaded) return undefined
  const isSame = (f: PixelFragment): boolean =>
    f.isShaded && f.primitiveId === own.primitiveId && f.instance === own.instance && f.sample === own.sample
  return invocationOfFragment(draw, question, own, fragments.slice(0, n).filter(isSame).length)
}
