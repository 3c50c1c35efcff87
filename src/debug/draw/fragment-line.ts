import { valueOrThrow } from '../../diagnostic/index.ts'
import type { Thread, TimeLine } from '../model.ts'
import { createTimeLine } from '../time-line.ts'
import { type CapturedBatch, freshBatch } from './capture.ts'
import type { RepeatedDraw } from './draw-run.ts'

/** The time line of the batch of a fragment, and which of its invocations the fragment is. */
export interface FragmentLine {
  readonly line: TimeLine
  /** To step it: `line.step('forward', { unit: 'lane', thread })`. */
  readonly thread: Thread
}

/** Memory of unordered access is as the draw found it: what other pixels wrote is not there. */
export function openFragment(draw: RepeatedDraw, captured: CapturedBatch, lane: number): FragmentLine {
  const { loaded, bindings, options } = captured
  const { engine } = draw.source
  const source = { engine, loaded, bindings, groups: [1, 1, 1] as const, batch: freshBatch(captured), options }
  return { line: valueOrThrow(createTimeLine(source)), thread: { group: [0, 0, 0], thread: lane } }
}
