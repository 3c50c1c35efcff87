import { indexableTempsOf } from '../engine/index.ts'
import { FILE } from '../isa/index.ts'
import type { DebuggedRun } from './run.ts'

/** FNV-1a over 32-bit words. */
class Digest {
  #value = 0x811c9dc5

  add(word: number): void {
    this.#value = Math.imul(this.#value ^ word, 0x01000193) ^ (this.#value >>> 15)
  }

  get value(): number {
    return this.#value >>> 0
  }
}

/**
 * A number for the whole state of the moment that is looked at: registers, places and masks of all threads in flight, shared
 * memory, contents of what can be written. Moments with different numbers differ.
 */
export function stateDigest({ timeLine, declarations: d, source }: DebuggedRun): number {
  const digest = new Digest()
  digest.add(timeLine.clock)
  const { batch } = source
  const entry = d.entries[batch?.entry ?? 0]
  const arrays = entry === undefined ? d.indexableTemps : indexableTempsOf(d, entry)
  const places = [
    ...Array.from({ length: d.tempCount }, (_, r) => ({ file: FILE.temp, indices: [r] })),
    ...arrays.flatMap(({ register, count }) =>
      Array.from({ length: count }, (_, i) => ({ file: FILE['indexable-temp'], indices: [register, i] })),
    ),
  ]
  // What stages leave are registers too.
  if (batch !== undefined) {
    for (const { file, register, vertexCount } of entry?.outputs ?? [])
      if (vertexCount === 0) places.push({ file, indices: [register] })
  }
  for (const group of timeLine.groups) {
    digest.add(group.group)
    digest.add(group.epoch)
    for (const word of group.tgsm) digest.add(word)
    for (const wave of group.waves) {
      for (const word of [wave.statement, wave.status.length, wave.active.low, wave.active.high]) digest.add(word)
      for (const word of [wave.ended.low, wave.ended.high, wave.callDepth, wave.barrier ?? -1]) digest.add(word)
      for (const place of places) {
        for (let component = 0; component < 4; component++) {
          for (let lane = 0; lane < wave.laneCount; lane++)
            digest.add(wave.register({ ...place, component }, lane) ?? 0)
        }
      }
    }
  }
  for (const view of source.bindings.u.values()) {
    for (const word of view.storage.words) digest.add(word)
    if (view.shape === 'structured' && view.counter !== undefined) digest.add(view.counter.words[view.counter.index]!)
  }
  return digest.value
}
