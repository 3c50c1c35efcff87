import type { Emitter } from '../emit/emitter.ts'
import type { Mask } from '../emit/kernel-layout.ts'
import { HEADER, PARAMETERS } from '../emit/kernel-layout.ts'
import { I32, type Target, V128 } from '../encode/assembler.ts'
import { BULK, OP, SIMD } from '../encode/opcodes.ts'
import { ByteWriter } from '../encode/writer.ts'
import type { Scratch } from '../run/scratch.ts'

/** The waves of a group as emitted code, for all ways in which a group runs its waves. */

/** The waves of a group: the loop over them, and what each has of its own. */
export class Waves {
  readonly e: Emitter
  readonly scratch: Scratch
  /** Threads of the group. */
  readonly threadCount: number
  readonly count: number
  /** Local: what loops may still execute. */
  readonly budget: number
  /** Local: address of the wave's frame. */
  readonly frame: number
  /** Waves run more than once a group, so that each needs its own frame. */
  readonly #interleaved: boolean
  /** Where the stride of frames goes once all slots are known. */
  readonly #patches: number[] = []

  constructor(e: Emitter, scratch: Scratch, interleaved: boolean) {
    this.e = e
    this.scratch = scratch
    const [x, y, z] = e.settings.threads
    this.threadCount = x * y * z
    this.count = Math.ceil(this.threadCount / e.uniformity.lanes)
    this.budget = e.f.local(I32)
    this.frame = e.f.local(I32)
    this.#interleaved = interleaved
  }

  get #usesFrames(): boolean {
    return this.#interleaved || this.scratch.privateBytes > 0
  }

  /** Frames in memory: one for each wave, or one for all where a wave ends before the next begins. */
  get frameCount(): number {
    if (!this.#usesFrames) return 0
    return this.#interleaved ? this.count : 1
  }

  /** Runs `body` once for each wave of the group; `br` to its argument goes on with the next wave. */
  loop(body: (next: Target) => void): void {
    this.begin()
    const next = this.beginWave()
    body(next)
    this.endWave()
  }

  /** Emits what comes before all waves. */
  begin(): void {
    const { f, firstThread } = this.e
    f.i32(0).set(firstThread)
    if (this.e.settings.isBatch) f.get(this.e.headerLocal(HEADER.inputs)).set(this.e.inputs)
    if (this.#usesFrames) f.get(PARAMETERS.scratch).i32(this.scratch.framesOffset).op(OP.i32Add).set(this.frame)
  }

  #again: Target | undefined
  /** Opens the loop over waves: what is emitted up to `endWave` runs for each; `br` to the target goes on with the next one. */
  beginWave(): Target {
    const { f } = this.e
    this.#again = this.count === 1 ? undefined : f.begin('loop')
    const next = f.begin('block')
    this.e.beginScope()
    return next
  }

  endWave(): void {
    const { f, firstThread } = this.e
    this.e.endScope()
    f.end()
    const again = this.#again
    if (again === undefined) return
    if (this.#interleaved) {
      f.get(this.frame)
      this.#patches.push(f.code.length)
      f.i32Wide(0).op(OP.i32Add).set(this.frame)
    }
    if (this.e.settings.isBatch)
      f.get(this.e.inputs)
        .i32(this.e.uniformity.lanes * 4)
        .op(OP.i32Add)
        .set(this.e.inputs)
    f.get(firstThread).i32(this.e.uniformity.lanes).op(OP.i32Add).tee(firstThread)
    this.#pushThreadCount()
    f.op(OP.i32LtU).brIf(again)
    f.end()
  }

  /** Pushes how many threads of the group run. */
  #pushThreadCount(): void {
    const { f, settings } = this.e
    if (settings.isBatch) f.get(this.e.headerLocal(HEADER.invocations))
    else f.i32(this.threadCount)
  }

  /** The number of threads fills the waves, whatever is run. */
  get #areFull(): boolean {
    return !this.e.settings.isBatch && this.threadCount % this.e.uniformity.lanes === 0
  }

  /** Writes the stride of frames where the loops add it. */
  patch(code: Uint8Array): void {
    for (const at of this.#patches) patchWide(code, at, this.scratch.frameStride)
  }

  /** The mask of the wave at its start: all lanes, or those below the group's end. */
  initialMask(): Mask {
    const { e } = this
    if (this.#areFull) return 'full'
    // Hosts pack comparisons with one and the same vector.
    const rest = e.settings.pairs ? this.#threadsLeft() : undefined
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      e.f.get(e.constantLocal([0, 1, 2, 3].map((l) => i * 4 + l)))
      if (rest === undefined) this.#pushThreadsLeft()
      else e.f.get(rest)
      e.f.simd(SIMD.i32LtS).set(local)
      return local
    })
  }

  /** Pushes a vector of how many threads run from the wave's first one on. */
  #pushThreadsLeft(): void {
    this.#pushThreadCount()
    this.e.f.get(this.e.firstThread).op(OP.i32Sub).simd(SIMD.i32Splat)
  }

  #threadsLeft(): number {
    const local = this.e.f.local(V128)
    this.#pushThreadsLeft()
    this.e.f.set(local)
    return local
  }

  /** Pushes the number of the wave's threads. */
  pushLaneCount(): void {
    const { e } = this
    const { lanes } = e.uniformity
    if (this.#areFull) {
      e.f.i32(lanes)
      return
    }
    const rest = e.f.temp(I32)
    this.#pushThreadCount()
    e.f.get(e.firstThread).op(OP.i32Sub).tee(rest)
    e.f.i32(lanes).get(rest).i32(lanes).op(OP.i32LtS).op(OP.select)
    e.f.release(I32, rest)
  }

  resetBudget(): void {
    this.e.f
      .get(PARAMETERS.descriptor)
      .memory(OP.i32Load, 2, HEADER.budget * 4)
      .set(this.budget)
    this.e.setLook(this.budget)
  }

  /** Where the wave's private arrays are. */
  findPrivate(): void {
    if (this.scratch.privateBytes > 0) this.e.f.get(this.frame).set(this.e.privateBase)
  }

  /** Private arrays begin as zeros. */
  clearPrivate(): void {
    const { privateBytes } = this.scratch
    if (privateBytes === 0) return
    this.findPrivate()
    this.e.f.get(this.frame).i32(0).i32(privateBytes).bulk(BULK.memoryFill)
    this.e.f.code.byte(0)
  }
}

/** Writes an i32.const of five bytes at a place that holds one. */
function patchWide(code: Uint8Array, at: number, value: number): void {
  code.set(new ByteWriter().wide(value).bytes(), at + 1)
}
