import type { QuadProgram } from '../../../engine/index.ts'
import { compileThresholds } from '../../compile-thresholds.ts'
import type { JoinedQuads } from '../joined-quads.ts'
import type { QuadMemory } from '../quads.ts'
import type { Packing } from './job-code.ts'
import { paysPacking } from './packed-pixels.ts'
import { type WantedPrograms, wantedProgram } from './wanted-programs.ts'

/** Shades the pixels of small triangles without the helpers of their quads, in draws whose triangles have many. */
export class PackedShading {
  readonly #memory: QuadMemory
  readonly #packing: Packing
  readonly #joined: JoinedQuads
  /** Quads of jobs have been tested, and may have failed. */
  readonly #areTested: boolean
  #isChosen = false

  constructor(memory: QuadMemory, packing: Packing, joined: JoinedQuads, areTested: boolean) {
    this.#memory = memory
    this.#packing = packing
    this.#joined = joined
    this.#areTested = areTested
  }

  /** Whether jobs leave pixels without helpers. */
  get isOn(): boolean {
    return this.#packing.isOn
  }

  /** Decides for the jobs that come, once there is code, by the quads that were found: not before there were some. */
  choose(wanted: WantedPrograms): void {
    const { count, primitives, masks, passed } = this.#memory.found
    if (this.#isChosen || count < compileThresholds.quads) return
    this.#isChosen = true
    if (!paysPacking(primitives, this.#areTested ? passed : masks, count)) return
    const packing = this.#packing
    const joined = this.#joined
    const { program, take } = packing.program
    const takeBoth = (): void => {
      packing.isOn = joined.takesPacked() && take()
    }
    const ofPacking = (): QuadProgram | undefined => (joined.takesPacked() ? program?.() : undefined)
    wanted.want([joined.wantedFor('packed'), wantedProgram(takeBoth, ofPacking)])
  }

  /** Pixels that the last jobs have left. */
  get pixelCount(): number {
    return this.#packing.pixels
  }

  /** Shades and stores them. */
  run(): void {
    this.#joined.runPacked(this.#packing.groups)
  }
}
