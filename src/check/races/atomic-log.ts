import type { MemoryEvent } from '../../engine/index.ts'
import type { GroupClock } from './group-clock.ts'

/**
 * Where each group executed UAV atomics. A race between two groups that used the same atomic is reported with the fence that is
 * missing there. Kept as words, since every atomic of every lane is logged; read only where a race is reported.
 */

/** A location of UAV atomics of a group, with the last one of them. */
interface AtomicRecord {
  readonly location: number
  readonly byteOffset: number
  readonly statement: number
  readonly thread: number
  readonly epoch: number
}

/** Locations that are kept for a group: enough to find one that two groups have in common. */
const MAX_RECORDS = 16
const MAX_GROUPS = 1 << 18
/** Of a record: byte offset and location, then the statement, thread and epoch of its last atomic. */
const RECORD_WORDS = 5
/** Of a group: how many records it has, and those. */
const BLOCK_WORDS = 1 + MAX_RECORDS * RECORD_WORDS

export interface AtomicLog {
  /** First word by group. */
  readonly blocks: Map<number, number>
  readonly locations: Map<object, number>
  words: Int32Array
  /** What was looked up last: atomics of one statement have it in common. */
  last: { group: number; block: number; location: object | undefined; number: number }
}

export const newAtomicLog = (): AtomicLog => ({
  blocks: new Map(),
  locations: new Map(),
  words: new Int32Array(BLOCK_WORDS),
  last: { group: -1, block: -1, location: undefined, number: -1 },
})

function enterGroup(m: AtomicLog, group: number): void {
  let block = m.blocks.get(group)
  if (block === undefined) {
    block = m.blocks.size * BLOCK_WORDS
    m.blocks.set(group, block)
    if (block + BLOCK_WORDS > m.words.length) {
      const larger = new Int32Array(2 * m.words.length + BLOCK_WORDS)
      larger.set(m.words)
      m.words = larger
    }
  }
  m.last.group = group
  m.last.block = block
}

function enterLocation(m: AtomicLog, location: object): void {
  let number = m.locations.get(location)
  if (number === undefined) m.locations.set(location, (number = m.locations.size))
  m.last.location = location
  m.last.number = number
}

/** An atomic of one lane, as the race detector holds the current access. */
interface CurrentAtomic {
  readonly event: MemoryEvent
  readonly clock: GroupClock
  readonly thread: number
  readonly byteOffset: number
}

/** Logs an atomic; it replaces an earlier one at the same place. */
export function logAtomic(m: AtomicLog, location: object, { byteOffset, thread, event, clock }: CurrentAtomic): void {
  const { last } = m
  const { group } = clock
  if (last.location !== location) enterLocation(m, location)
  if (last.group !== group) {
    if (m.blocks.size > MAX_GROUPS && !m.blocks.has(group)) return
    enterGroup(m, group)
  }
  const { words } = m
  const { block, number } = last
  const count = words[block]!
  const end = block + 1 + count * RECORD_WORDS
  let at = block + 1
  while (at < end && (words[at] !== (byteOffset | 0) || words[at + 1] !== number)) at += RECORD_WORDS
  if (at === end) {
    if (count === MAX_RECORDS) return
    words[block] = count + 1
    words[at] = byteOffset
    words[at + 1] = number
  }
  words[at + 2] = event.wave.statement
  words[at + 3] = thread
  words[at + 4] = clock.epoch
}

/** The atomics of a group, in the order of the first one at each place. */
export function atomicsOf({ blocks, words }: AtomicLog, group: number): readonly AtomicRecord[] {
  const block = blocks.get(group)
  if (block === undefined) return []
  return Array.from({ length: words[block]! }, (_, n) => {
    const at = block + 1 + n * RECORD_WORDS
    const [byteOffset, location, statement, thread, epoch] = words.subarray(at, at + RECORD_WORDS)
    return { location: location!, byteOffset: byteOffset! >>> 0, statement: statement!, thread: thread!, epoch: epoch! }
  })
}
