import { FILE } from '../../isa/index.ts'
import type { ColorMerge } from '../merge/index.ts'
import { type RegisterWords, registerWords } from '../raster/index.ts'
import { DrawStopped, type EntryRunner } from '../stage-runner.ts'
import type { PixelLanes } from './lanes.ts'
import { bitCount, type SampleTests } from './sample-tests.ts'

/** What pixel shaders leave: late tests, then colors, lane by lane in their order. */

export interface PixelMergeOptions {
  readonly colors: ColorMerge
  /** Targets that o# writes: bound, and with a component declared. */
  readonly targets: readonly number[]
  /** With a forced sample count: the samples of the targets that a pixel writes, whatever the rasterizer's cover. */
  readonly forcedOutput: number | undefined
  /** Tests have happened before the shader. */
  readonly testsEarly: boolean
  readonly alphaToCoverage: ((alpha: number) => number) | undefined
  /** Targets for which Direct3D leaves undefined what is written; with `traps` the first such pixel stops the draw. */
  readonly undefinedTargets: readonly number[]
  readonly traps: boolean
}

export class PixelMerge {
  readonly #o: PixelMergeOptions
  readonly #lanes: PixelLanes
  readonly #tests: SampleTests
  readonly #discarded: Uint8Array
  readonly #outputs: RegisterWords
  /** First words of o0 and o1, and of outputs that have a file of their own; -1 where the shader does not write them. */
  readonly #o0: number
  readonly #o1: number
  readonly #mask: number
  readonly #depth: number
  readonly #stencilReference: number
  /** First word of each target's o#. */
  readonly #targets: readonly { readonly target: number; readonly first: number }[]
  /** Samples of the targets that each lane writes. */
  readonly #written: Uint32Array
  /** Writes of pixels to targets that are left undefined. */
  undefinedCount = 0

  constructor(runner: EntryRunner, lanes: PixelLanes, tests: SampleTests, o: PixelMergeOptions) {
    this.#o = o
    this.#lanes = lanes
    this.#tests = tests
    this.#discarded = lanes.discarded
    const { capacity } = lanes
    this.#written = lanes.written
    this.#outputs = registerWords(runner.batch.outputs)
    const register = (file: number, number = 0): number => {
      const block = runner.outputBlock(file)
      const r = block === undefined ? -1 : number - block.firstRegister
      return block === undefined || r < 0 || r >= block.registerCount ? -1 : (block.firstSlot + r * 4) * capacity
    }
    this.#o0 = register(FILE.output, 0)
    this.#o1 = register(FILE.output, 1)
    const single = (...files: readonly number[]): number => {
      const block = files.map((f) => runner.outputBlock(f)).find((b) => b !== undefined)
      return block === undefined ? -1 : block.firstSlot * capacity
    }
    this.#mask = single(FILE['output-coverage-mask'])
    this.#depth = single(FILE['output-depth'], FILE['output-depth-greater-equal'], FILE['output-depth-less-equal'])
    this.#stencilReference = single(FILE['output-stencil-ref'])
    this.#targets = o.targets.map((target) => ({ target, first: register(FILE.output, target) }))
  }

  /** Merges all lanes that have run. */
  merge(): void {
    const { count, helpers } = this.#lanes
    this.#applyAlphas()
    for (let lane = 0; lane < count; lane++) {
      this.#written[lane] = helpers[lane] === 1 || this.#discarded[lane] === 1 ? 0 : this.#samplesOf(lane)
    }
    this.#countUndefined()
    const { x, y, slices } = this.#lanes
    const pixels = { count, x, y, slices, masks: this.#written }
    for (const { target, first } of this.#targets) {
      const { words } = this.#outputs
      this.#o.colors.write(target, pixels, { words, first, first1: this.#o1, stride: this.#lanes.capacity })
    }
  }

  #countUndefined(): void {
    const { undefinedTargets, traps } = this.#o
    if (undefinedTargets.length === 0) return
    let pixels = 0
    for (let lane = 0; lane < this.#lanes.count; lane++) if (this.#written[lane] !== 0) pixels++
    if (traps && pixels > 0) {
      this.undefinedCount++
      throw new DrawStopped('trap')
    }
    this.undefinedCount += pixels * undefinedTargets.length
  }

  /** Multiplies o0.a by the coverage of antialiased lines. */
  #applyAlphas(): void {
    const { count, capacity, alphas } = this.#lanes
    if (this.#o0 < 0) return
    const { floats } = this.#outputs
    const first = this.#o0 + 3 * capacity
    for (let lane = 0; lane < count; lane++) if (alphas[lane] !== 1) floats[first + lane]! *= alphas[lane]!
  }

  /** Samples of the targets that a lane writes. */
  #samplesOf(lane: number): number {
    const o = this.#o
    const mask = this.#lanes.masks[lane]!
    const kept = this.#kept(lane)
    if (o.forcedOutput !== undefined) {
      // Rasterizer samples are counted, and none where no sample of the output is left (20.4.6).
      const output = o.forcedOutput & kept
      if (output !== 0 && !o.testsEarly) this.#tests.passedCount += bitCount(mask)
      return output
    }
    return o.testsEarly ? mask & kept : this.#testLate(lane, mask & kept)
  }

  /** Samples that the coverage output leaves; it takes the place of alpha to coverage (16.9.4). */
  #kept(lane: number): number {
    const { alphaToCoverage } = this.#o
    if (this.#mask >= 0) return this.#outputs.words[this.#mask + lane]!
    if (alphaToCoverage === undefined) return -1
    return alphaToCoverage(this.#o0 < 0 ? 1 : this.#outputs.floats[this.#o0 + 3 * this.#lanes.capacity + lane]!)
  }

  #testLate(lane: number, mask: number): number {
    const { x, y, slices, interpolators } = this.#lanes
    const { words, floats } = this.#outputs
    const depth = this.#depth < 0 ? undefined : floats[this.#depth + lane]!
    const reference = this.#stencilReference < 0 ? undefined : words[this.#stencilReference + lane]! & 0xff
    const interpolator = interpolators[lane >> 2]!
    return this.#tests.testLate(interpolator, x[lane]!, y[lane]!, slices[lane]!, mask, depth, reference)
  }
}
