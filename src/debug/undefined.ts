/** What nothing has written at a moment. */
import { UndefinedWords } from '../check/index.ts'
import type { GroupState, Observer, RegisterPlace } from '../engine/index.ts'
import { isGroup, viewOf } from './lanes.ts'
import type { Change, Clock, GroupPosition, Thread, UndefinedMoment } from './model.ts'
import { type Follower, type Recording, showStart } from './recording.ts'

/** Bytes that may be written down of it. */
const MAX_BYTES = 2 ** 26

/** Follows a recording from its start on. For the part that it has followed, any moment can be looked up, in both directions. */
export class UndefinedIndex implements Follower {
  seen: Clock = -1
  readonly #recording: Recording
  #words: UndefinedWords

  constructor(recording: Recording) {
    this.#recording = recording
    this.#words = this.#newWords()
  }

  #newWords(): UndefinedWords {
    const { source, execution } = this.#recording
    return new UndefinedWords(source, {
      clock: () => execution.clock,
      hasOutputs: source.batch?.keepsOutputs === true,
      maxByteLength: MAX_BYTES,
    })
  }

  get observer(): Observer {
    return this.#words.observer
  }
  get byteLength(): number {
    return this.#words.byteLength
  }
  get isFull(): boolean {
    return this.#words.isFull
  }

  start(): void {
    showStart(this.observer, this.#recording)
  }

  /** It does not go back: where it has seen more than the moment of a change, it begins again. */
  forgetFrom(clock: Clock): void {
    if (this.seen < clock) return
    this.seen = -1
    this.#words = this.#newWords()
  }

  get #groups(): readonly GroupState[] {
    return this.#recording.execution.inspect()
  }

  changed(change: Change): void {
    if (change.kind === 'memory') {
      const { range, bytes } = change
      if (range.space === 'resource') this.#words.defineStored(range.resource, range.byteOffset, bytes.length)
      if (range.space !== 'tgsm') return
      const found = this.#groups.find((g) => range.group !== undefined && isGroup(g.position, range.group))
      if (found !== undefined) this.#words.defineShared(found.group, range.byteOffset, bytes.length)
      return
    }
    const view = viewOf(this.#groups, change.thread)
    if (view === undefined) return
    const { group, firstThread, laneCount, wave } = view.wave
    this.#words.defineRegister({ group: group.group, firstThread, laneCount, wave }, view.lane, change.place)
  }

  /** What is undefined at the present moment; undefined where the recording was not followed that far. */
  get moment(): UndefinedMoment | undefined {
    const { clock } = this.#recording
    if (this.seen < clock || this.isFull) return undefined
    const words = this.#words
    const groupAt = (position: GroupPosition): GroupState | undefined =>
      this.#groups.find((g) => isGroup(g.position, position))
    return {
      register: (thread: Thread, place: RegisterPlace) => {
        const view = viewOf(this.#groups, thread)
        if (view === undefined) return undefined
        const { group, firstThread } = view.wave
        return words.registerAt(clock, { group: group.group, firstThread, lane: view.lane }, place)
      },
      shared: (position, byteOffset) => {
        const group = groupAt(position)
        return group && words.sharedAt(clock, group.group, byteOffset)
      },
      isStored: (resource, byteOffset) => words.isStoredAt(clock, resource, byteOffset),
    }
  }
}
