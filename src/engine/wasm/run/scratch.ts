import type { Lowered } from '../../ir/index.ts'
import { RECORD_HEADER, RECORD_WORDS } from '../emit/kernel-layout.ts'
import { EXCHANGE_WORDS } from '../emit/vector-pairing.ts'
import { countSites, largestCall } from '../flow/item-questions.ts'
import { NEXT_WAVE_VECTORS } from '../flow/next-wave.ts'
import { RUN_WORDS } from '../flow/rolled-runs.ts'

/** The layout of the scratch memory of one worker, fixed when a kernel is compiled. */

/** Bytes at the start of scratch memory that lanes write to which must not write. */
const DUMP_BYTES = 64

/** The scratch memory of one worker: dump page, words passed through memory, words of calls to the host, records, shared memory, frames of waves. */
export class Scratch {
  /** Where words of lanes are passed through memory (emit/vector-pairing.ts). */
  readonly exchangeOffset = DUMP_BYTES
  /** Where runs of operations for one vector after the other read and leave their words (flow/rolled-runs.ts). */
  readonly runOffset: number
  /** What a wave of pixels leaves for the next one (flow/next-wave.ts). */
  readonly nextWaveOffset: number
  readonly callOffset: number
  /** Records of what is found wrong. */
  readonly reportOffset: number
  readonly tgsmOffset: number
  readonly framesOffset: number
  /** Private arrays of a wave; they begin its frame. */
  readonly privateBytes: number
  #slotBytes = 0

  constructor(lowered: Lowered, width: number) {
    this.runOffset = DUMP_BYTES + EXCHANGE_WORDS * width * 16
    this.nextWaveOffset = this.runOffset + RUN_WORDS * width * 16
    const isPixel = lowered.declarations.stage.kind === 'pixel'
    this.callOffset = this.nextWaveOffset + (isPixel ? NEXT_WAVE_VECTORS * 16 : 0)
    const elements = lowered.privateArrays.reduce((sum, x) => sum + x.count, 0)
    this.privateBytes = elements * 4 * width * 16
    this.reportOffset = this.callOffset + largestCall(lowered.root) * width * 16
    this.tgsmOffset = this.reportOffset + RECORD_HEADER + (1 + countSites(lowered.root)) * RECORD_WORDS * 4
    this.framesOffset = this.tgsmOffset + Math.ceil(lowered.declarations.tgsmByteLength / 16) * 16
  }

  /** Room in the frame of each wave; answers its offset in the frame. */
  slot(byteLength: number): number {
    const at = this.frameStride
    this.#slotBytes += byteLength
    return at
  }

  /** Bytes of one wave's frame. */
  get frameStride(): number {
    return this.privateBytes + this.#slotBytes
  }

  /** All of it, with frames for a number of waves. */
  byteLength(frames: number): number {
    return this.framesOffset + this.frameStride * frames + 64
  }
}
