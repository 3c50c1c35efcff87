import {
  ATOMIC_WORDS,
  CELL_MASK,
  makePage,
  PAGE_SHIFT,
  READ_WORDS,
  type Shadow,
  WRITE_WORDS,
} from '../undefined/shadow.ts'
import { type Access, checkCoherence, conflict, inGroup, ordered, type Races, report } from './state.ts'

/** One access against what the cell of its memory remembers (functional specification 7.14.2). */

/** An earlier plain write and the current access. */
function checkAgainstWrite(r: Races, page: Int32Array, at: number): void {
  const thread = page[at]!
  const tag = page[at + 1]!
  const { event, tgsm } = r.current
  if (ordered(r, thread, tag)) {
    checkCoherence(r, thread, tag, 'store')
    return
  }
  if (event.access === 'atomic') {
    report(r, tgsm ? 'check-race' : 'check-unordered-atomic', thread, tag, 'store', page[at + 2])
  } else if (event.access === 'store' && page[at + 2] === r.current.value) {
    report(r, 'check-race-same-value', thread, tag, 'store', page[at + 2])
  } else conflict(r, thread, tag, 'store', page[at + 2])
}

/** An earlier plain read and the current store or atomic. */
function checkAgainstRead(r: Races, thread: number, tag: number): void {
  if (thread === 0 || thread === r.current.thread || ordered(r, thread, tag)) return
  if (r.current.event.access === 'store') conflict(r, thread, tag, 'load')
  else report(r, r.current.tgsm ? 'check-race-atomic' : 'check-unordered-atomic', thread, tag, 'load')
}

/** An earlier atomic and the current plain access. */
function checkAgainstAtomic(r: Races, thread: number, tag: number): void {
  const isOrdered = ordered(r, thread, tag)
  checkCoherence(r, thread, tag, 'atomic')
  if (isOrdered) return
  const { event, tgsm } = r.current
  if (!tgsm) report(r, 'check-unordered-atomic', thread, tag, 'atomic')
  else if (event.access === 'load') report(r, 'check-race-atomic', thread, tag, 'atomic')
  else conflict(r, thread, tag, 'atomic')
}

/**
 * Remembers a reader. Of the two that a cell holds the second is one of another group where there is one, else another
 * thread; readers of the group that a barrier has ordered since give up their place.
 */
function recordRead(r: Races, page: Int32Array, at: number): void {
  const { thread, tag, orderedBelow } = r.current
  const first = page[at]!
  const firstIsNear = inGroup(r, first)
  if (firstIsNear && page[at + 1]! >>> 0 < orderedBelow) {
    page[at] = thread
    page[at + 1] = tag
    return
  }
  const second = page[at + 2]!
  const secondIsNear = second !== 0 && inGroup(r, second)
  const takes =
    second === 0 || second === thread || !firstIsNear || (secondIsNear && page[at + 3]! >>> 0 < orderedBelow)
  if (!takes) return
  page[at + 2] = thread
  page[at + 3] = tag
}

/** The common case of `ordered`, without a call: an access of the group before the last barrier, none of them undecided. */
function isBeforeLastBarrier(r: Races, thread: number, tag: number): boolean {
  const c = r.current
  return tag >>> 0 < c.orderedBelow && r.undecided === 0 && (thread - c.groupFirst) >>> 0 < r.context.threadCount
}

function checkLoad(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const writes = shadow.writes[number]
  if (writes !== undefined) {
    const at = inPage * WRITE_WORDS
    const writer = writes[at]!
    if (writer !== 0 && writer !== thread && !isBeforeLastBarrier(r, writer, writes[at + 1]!))
      checkAgainstWrite(r, writes, at)
  }
  const atomics = shadow.atomics[number]
  if (atomics !== undefined) {
    const by = atomics[inPage * ATOMIC_WORDS]!
    if (by !== 0 && by !== thread) checkAgainstAtomic(r, by, atomics[inPage * ATOMIC_WORDS + 1]!)
  }
  const reads = shadow.reads[number] ?? makePage(shadow, shadow.reads, number, READ_WORDS)
  const at = inPage * READ_WORDS
  const first = reads[at]!
  if (first === 0 || first === thread) {
    reads[at] = thread
    reads[at + 1] = r.current.tag
  } else recordRead(r, reads, at)
}

function checkStore(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const reads = shadow.reads[number]
  if (reads !== undefined) {
    const at = inPage * READ_WORDS
    const reader = reads[at]!
    if (reader !== 0) {
      if (reader !== thread && !isBeforeLastBarrier(r, reader, reads[at + 1]!))
        checkAgainstRead(r, reader, reads[at + 1]!)
      if (reads[at + 2] !== 0) {
        checkAgainstRead(r, reads[at + 2]!, reads[at + 3]!)
        reads[at + 2] = 0
      }
      reads[at] = 0
    }
  }
  const atomics = shadow.atomics[number]
  if (atomics !== undefined) {
    const by = atomics[inPage * ATOMIC_WORDS]!
    if (by !== 0 && by !== thread) checkAgainstAtomic(r, by, atomics[inPage * ATOMIC_WORDS + 1]!)
    atomics[inPage * ATOMIC_WORDS] = 0
  }
  const writes = shadow.writes[number] ?? makePage(shadow, shadow.writes, number, WRITE_WORDS)
  const at = inPage * WRITE_WORDS
  const writer = writes[at]!
  if (writer !== 0 && writer !== thread && !isBeforeLastBarrier(r, writer, writes[at + 1]!))
    checkAgainstWrite(r, writes, at)
  writes[at] = thread
  writes[at + 1] = r.current.tag
  writes[at + 2] = r.current.value
}

function checkAtomic(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const reads = shadow.reads[number]
  if (reads !== undefined) {
    const at = inPage * READ_WORDS
    checkAgainstRead(r, reads[at]!, reads[at + 1]!)
    checkAgainstRead(r, reads[at + 2]!, reads[at + 3]!)
  }
  const writes = shadow.writes[number]
  if (writes !== undefined) {
    const at = inPage * WRITE_WORDS
    const writer = writes[at]!
    if (writer !== 0 && writer !== thread) checkAgainstWrite(r, writes, at)
  }
  const atomics = shadow.atomics[number] ?? makePage(shadow, shadow.atomics, number, ATOMIC_WORDS)
  atomics[inPage * ATOMIC_WORDS] = thread
  atomics[inPage * ATOMIC_WORDS + 1] = r.current.tag
}

export const ACCESS_CHECKS: Readonly<Record<Access, (r: Races, shadow: Shadow, cell: number) => void>> = {
  load: checkLoad,
  store: checkStore,
  atomic: checkAtomic,
}
