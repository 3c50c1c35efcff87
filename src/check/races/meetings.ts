/**
 * Where the UAV atomics of each group were: by which of them two groups meet says what a missing fence should have ordered.
 * Kept as words, since every atomic of every lane comes here, and read where a race is reported.
 */

/** A location of UAV atomics of a group, with the last one of them. */
interface Meeting {
  readonly location: number
  readonly byteOffset: number
  readonly statement: number
  readonly thread: number
  readonly epoch: number
}

/** Atomics of a group that are remembered, by location: enough to say by which one two groups meet. */
const MAX_MEETINGS = 16
const MAX_GROUPS = 1 << 18
/** Of a meeting: its byte offset and location, then the statement, thread and epoch of its last atomic. */
const MEETING_WORDS = 5
/** Of a group: how many meetings it has, and those. */
const BLOCK_WORDS = 1 + MAX_MEETINGS * MEETING_WORDS

export interface Meetings {
  /** First word by group. */
  readonly blocks: Map<number, number>
  readonly locations: Map<object, number>
  words: Int32Array
  /** What was looked up last: atomics of one statement have it in common. */
  last: { group: number; block: number; location: object | undefined; number: number }
}

export const noMeetings = (): Meetings => ({
  blocks: new Map(),
  locations: new Map(),
  words: new Int32Array(BLOCK_WORDS),
  last: { group: -1, block: -1, location: undefined, number: -1 },
})

function enterGroup(m: Meetings, group: number): void {
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

function enterLocation(m: Meetings, location: object): void {
  let number = m.locations.get(location)
  if (number === undefined) m.locations.set(location, (number = m.locations.size))
  m.last.location = location
  m.last.number = number
}

/** Remembers where an atomic of a group was; of a place the last one counts. */
export function noteMeeting(
  m: Meetings,
  group: number,
  location: object,
  byteOffset: number,
  statement: number,
  thread: number,
  epoch: number,
): void {
  const { last } = m
  if (last.location !== location) enterLocation(m, location)
  if (last.group !== group) {
    if (m.blocks.size > MAX_GROUPS && !m.blocks.has(group)) return
    enterGroup(m, group)
  }
  const { words } = m
  const { block, number } = last
  const count = words[block]!
  const end = block + 1 + count * MEETING_WORDS
  let at = block + 1
  while (at < end && (words[at] !== (byteOffset | 0) || words[at + 1] !== number)) at += MEETING_WORDS
  if (at === end) {
    if (count === MAX_MEETINGS) return
    words[block] = count + 1
    words[at] = byteOffset
    words[at + 1] = number
  }
  words[at + 2] = statement
  words[at + 3] = thread
  words[at + 4] = epoch
}

/** The meetings of a group, in the order in which their places were first met. */
export function meetingsOf({ blocks, words }: Meetings, group: number): readonly Meeting[] {
  const block = blocks.get(group)
  if (block === undefined) return []
  return Array.from({ length: words[block]! }, (_, n) => {
    const at = block + 1 + n * MEETING_WORDS
    const [byteOffset, location, statement, thread, epoch] = words.subarray(at, at + MEETING_WORDS)
    return { location: location!, byteOffset: byteOffset! >>> 0, statement: statement!, thread: thread!, epoch: epoch! }
  })
}
