import type { ElementKernels } from '../../engine/index.ts'
import type { Storage } from '../../machine/index.ts'
import { fillCode } from './fill-program.ts'
import type { RowRunner } from './row-runner.ts'

/** Rows of a surface that are filled with a pattern. Rows of all slices are counted one after the other. */

export interface FillTask {
  readonly kind: 'fill'
  readonly byteOffset: number
  readonly rowPitch: number
  readonly slicePitch: number
  /** Rows of a slice. */
  readonly height: number
  readonly rowBytes: number
  readonly pattern: readonly number[]
  /** The bits of the pattern that are written; null where all are. */
  readonly mask: readonly number[] | null
}

/** The 32-bit word that a pattern repeats; undefined where it is none. */
function wordOf(pattern: Uint8Array): number | undefined {
  const word = Array.from({ length: 4 }, (_, i) => pattern[i % pattern.length]!)
  const isRepeated =
    (pattern.length % 4 === 0 || 4 % pattern.length === 0) && pattern.every((b, i) => b === word[i % 4])
  return isRepeated ? new DataView(Uint8Array.from(word).buffer).getUint32(0, true) : undefined
}

/** Fills a run of bytes with a pattern; `length` is a multiple of the pattern's. */
export function fillRun({ bytes, words }: Storage, at: number, length: number, pattern: Uint8Array): void {
  const word = (at | length) % 4 === 0 ? wordOf(pattern) : undefined
  if (word !== undefined) {
    words.fill(word, at / 4, (at + length) / 4)
    return
  }
  // By doubling what is there.
  bytes.set(pattern.subarray(0, length), at)
  for (let done = pattern.length; done < length; done *= 2) {
    bytes.copyWithin(at + done, at, at + Math.min(done, length - done))
  }
}

/** Replaces the bits of a mask in each element. */
function fillMasked(bytes: Uint8Array, at: number, length: number, pattern: Uint8Array, mask: Uint8Array): void {
  for (let i = 0; i < pattern.length; i++) {
    const kept = ~mask[i]!
    if (mask[i] === 0) continue
    const value = pattern[i]! & mask[i]!
    for (let n = at + i; n < at + length; n += pattern.length) bytes[n] = (bytes[n]! & kept) | value
  }
}

export function fillRows(t: FillTask, storage: Storage, kernels: ElementKernels | undefined): RowRunner {
  const pattern = Uint8Array.from(t.pattern)
  const mask = t.mask === null ? undefined : Uint8Array.from(t.mask)
  const code = fillCode(kernels, pattern, mask)
  const { rowBytes, rowPitch, slicePitch, height } = t
  const fill = (at: number, length: number): void => {
    if (mask === undefined) fillRun(storage, at, length, pattern)
    else fillMasked(storage.bytes, at, length, pattern, mask)
  }
  return (from, to) => {
    for (let row = from; row < to; ) {
      const y = row % height
      const count = Math.min(height - y, to - row)
      const at = t.byteOffset + ((row - y) / height) * slicePitch + y * rowPitch
      // Rows without a gap between them are one run.
      const runs =
        rowBytes === rowPitch
          ? { at, pitch: 0, count: 1, length: count * rowBytes }
          : { at, pitch: rowPitch, count, length: rowBytes }
      const done = code?.(storage, runs) ?? 0
      for (let n = 0; done < runs.length && n < runs.count; n++) fill(at + n * runs.pitch + done, runs.length - done)
      row += count
    }
  }
}
