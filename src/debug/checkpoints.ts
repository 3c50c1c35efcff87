import { countLeading } from '../diagnostic/index.ts'
import type { ExecutionSnapshot } from '../engine/index.ts'
import { contentsByteLength } from '../machine/index.ts'
import type { Clock } from './model.ts'

/** A snapshot of a moment, the user's changes of that moment made. */
interface Checkpoint {
  readonly clock: Clock
  readonly snapshot: ExecutionSnapshot
}

/** More take longer to look through than they spare. */
const MAX_CHECKPOINTS = 512
/** Part of the recording within which distances are about the same; further away they grow. */
const NEAR_PART = 256

/**
 * Checkpoints of a recording in the order of their clocks. The first, at clock 0, always stays, and shows the state before any
 * change. Where they are too many or too large, those go whose neighbors are near, measured by how far the moment is
 * that is looked at: distances grow with the distance from it.
 */
export class Checkpoints {
  readonly #list: Checkpoint[]
  readonly #maxBytes: number
  #bytes: number

  constructor(first: ExecutionSnapshot, maxBytes: number) {
    this.#list = [{ clock: 0, snapshot: first }]
    this.#maxBytes = maxBytes
    this.#bytes = first.byteLength
  }

  get count(): number {
    return this.#list.length
  }

  get byteLength(): number {
    return this.#bytes
  }

  /** Place of the last checkpoint that is not behind a clock. */
  #placeAt(clock: Clock): number {
    return Math.max(0, countLeading(this.#list, (c) => c.clock <= clock) - 1)
  }

  atOrBefore(clock: Clock): Checkpoint {
    return this.#list[this.#placeAt(clock)]!
  }

  /** Bytes of the checkpoint at a place beside pages that it shares with the one before it. */
  #bytesAt(place: number): number {
    const { snapshot } = this.#list[place]!
    return snapshot.ownByteLength + contentsByteLength(snapshot.contents, this.#list[place - 1]?.snapshot.contents)
  }

  add(clock: Clock, snapshot: ExecutionSnapshot, focus: Clock): void {
    const place = this.#placeAt(clock)
    if (this.#list[place]!.clock === clock) return
    const hasNext = place + 1 < this.#list.length
    if (hasNext) this.#bytes -= this.#bytesAt(place + 1)
    this.#list.splice(place + 1, 0, { clock, snapshot })
    this.#bytes += this.#bytesAt(place + 1)
    if (hasNext) this.#bytes += this.#bytesAt(place + 2)
    while (this.#list.length > 2 && (this.#list.length > MAX_CHECKPOINTS || this.#bytes > this.#maxBytes)) {
      this.#remove(this.#leastUseful(focus))
    }
  }

  #leastUseful(focus: Clock): number {
    const list = this.#list
    const last = list.at(-1)!.clock
    const near = Math.max(last, focus) / NEAR_PART
    let [found, least] = [1, Number.POSITIVE_INFINITY]
    for (let i = 1; i < list.length; i++) {
      const { clock } = list[i]!
      // Behind the last one there may be more; it counts as if as much followed as lies before it.
      const gap = (list[i + 1]?.clock ?? 2 * clock - list[i - 1]!.clock) - list[i - 1]!.clock
      const use = gap / (Math.abs(focus - clock) + near)
      if (use < least) [found, least] = [i, use]
    }
    return found
  }

  #remove(place: number): void {
    const hasNext = place + 1 < this.#list.length
    this.#bytes -= this.#bytesAt(place) + (hasNext ? this.#bytesAt(place + 1) : 0)
    this.#list.splice(place, 1)
    if (hasNext) this.#bytes += this.#bytesAt(place)
  }

  /** Drops those of a clock and behind it; the first stays. */
  dropFrom(clock: Clock): void {
    while (this.#list.length > 1 && this.#list.at(-1)!.clock >= clock) this.#remove(this.#list.length - 1)
  }
}
