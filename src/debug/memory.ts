/** Which bytes the events of memory are about. */
import { type Declarations, type MemoryEvent, tgsmOffset } from '../engine/index.ts'
import type { Buffer, Texture } from '../machine/index.ts'
import type { MemoryRange } from './model.ts'

/** One entry of an event: bytes that one lane accessed. */
interface EntryAccess {
  readonly row: number
  readonly entry: number
  readonly lane: number
  /** From the start of the resource, or of the group's whole shared memory. */
  readonly byteOffset: number
  /** Bits differ after it. */
  readonly isChange: boolean
}

/** The resource that a row of an event accesses. */
export function resourceOf(e: MemoryEvent, row: number): Buffer | Texture | undefined {
  const view = e.views === undefined ? e.view : e.views[row]
  return view === undefined || view.kind === 'cbv' ? undefined : view.resource
}

function isOfRange(e: MemoryEvent, row: number, range: MemoryRange): boolean {
  switch (range.space) {
    case 'tgsm': {
      const { group } = range
      if (e.space !== 'tgsm') return false
      const { groupX, groupY, groupZ } = e.wave
      return group === undefined || (group[0] === groupX && group[1] === groupY && group[2] === groupZ)
    }
    case 'resource':
      return (e.space === 'uav' || e.space === 'srv') && resourceOf(e, row) === range.resource
    case 'counter':
      return e.space === 'counter' && resourceOf(e, row) === range.resource
  }
}

/** Whether an event can be about one of the ranges at all: a cheap question for most events. */
export function touches(e: MemoryEvent, ranges: readonly MemoryRange[]): boolean {
  if (e.views !== undefined) return true
  return ranges.some((range) => isOfRange(e, 0, range))
}

/** Whether an entry leaves other bits than it found. */
function changes(e: MemoryEvent, row: number, entry: number): boolean {
  if (e.access === 'load') return false
  const { values, originals, valuesPerRow, width } = e
  const isTexel = valuesPerRow > width
  const first = row * valuesPerRow + (isTexel ? 0 : entry)
  const count = isTexel ? valuesPerRow : 1
  for (let i = first; i < first + count; i++) if (values[i] !== originals[i]) return true
  return false
}

/** The entries of an event that lie in one of the ranges. */
export function* accessesOf(e: MemoryEvent, ranges: readonly MemoryRange[], d: Declarations): Generator<EntryAccess> {
  const base = e.space === 'tgsm' ? tgsmOffset(d, e.register) : 0
  for (let row = 0; row < e.wave.activeCount; row++) {
    const own = ranges.filter((range) => isOfRange(e, row, range))
    if (own.length === 0) continue
    for (let entry = 0; entry < e.width; entry++) {
      const at = e.byteOffsets[row * e.width + entry]!
      if (at < 0) continue
      const byteOffset = base + at
      const isInside = own.some(
        (r) =>
          r.space === 'counter' ||
          (byteOffset < r.byteOffset + r.byteLength && byteOffset + e.byteLength > r.byteOffset),
      )
      if (isInside) {
        yield { row, entry, lane: e.wave.lanes[row]!, byteOffset, isChange: changes(e, row, entry) }
      }
    }
  }
}
