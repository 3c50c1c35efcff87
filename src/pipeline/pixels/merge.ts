import { FILE } from '../../isa/index.ts'
import type { TargetView } from '../../machine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import type { ColorMerge, CompilableStore, MergedColors } from '../merge/index.ts'
import { type RegisterWords, registerWords } from '../raster/index.ts'
import { DrawStopped, type EntryRunner } from '../stage-runner.ts'
import { ColorStores } from './color-stores.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import { KeptQuads } from './kept/kept-quads.ts'
import { QUAD_MEMORY, type QuadMemory, type ShadedQuads } from './quads.ts'
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
  /** The shader may discard pixels. */
  readonly hasDiscard: boolean
  readonly alphaToCoverage: ((alpha: number) => number) | undefined
  /** Targets for which Direct3D leaves undefined what is written; with `traps` the first such pixel stops the draw. */
  readonly undefinedTargets: readonly number[]
  readonly traps: boolean
}

/** A target, and the slots of the first components of its output and of o1; -1 where the shader does not write that. */
export interface PlainTarget {
  readonly store: CompilableStore
  readonly slot: number
  readonly slot1: number
}

export class PixelMerge {
  readonly #o: PixelMergeOptions
  readonly #memory: QuadMemory
  readonly #quads: ShadedQuads
  /** All columns of the quads. */
  readonly #words: Int32Array
  readonly #stores: ColorStores
  readonly #tests: SampleTests
  readonly #capacity: number
  readonly #outputs: RegisterWords
  /** Where the engine says which pixels are kept, if it does so in place. */
  readonly #keptWords: Int32Array | undefined
  /** Leaves kept quads alone; null where there is no code, or not for all that follows it. */
  #kept: KeptQuads | null | undefined
  /** First words of o0 and o1, and of outputs that have a file of their own; -1 where the shader does not write them. */
  readonly #o0: number
  readonly #o1: number
  readonly #mask: number
  readonly #depth: number
  readonly #stencilReference: number
  /** First word of each target's o#. */
  readonly #targets: readonly { readonly target: number; readonly first: number }[]
  /** Writes of pixels to targets that are left undefined. */
  undefinedCount = 0

  constructor(runner: EntryRunner, memory: QuadMemory, tests: SampleTests, o: PixelMergeOptions) {
    this.#o = o
    this.#memory = memory
    this.#quads = memory.shaded
    this.#words = memory.words
    this.#stores = new ColorStores(memory, o.colors)
    this.#tests = tests
    const { capacity, keptWords, outputs } = runner.batch
    this.#capacity = capacity
    this.#keptWords = keptWords
    this.#outputs = registerWords(outputs)
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

  /** The one target that gets all that is left of pixels, whatever they leave; undefined where there is more to do. */
  get plainTarget(): PlainTarget | undefined {
    const { testsEarly, hasDiscard, alphaToCoverage, forcedOutput, undefinedTargets } = this.#o
    const isLimited = this.#mask >= 0 || alphaToCoverage !== undefined || forcedOutput !== undefined || hasDiscard
    const [target, ...others] = this.#targets
    if (!testsEarly || isLimited || undefinedTargets.length > 0 || target === undefined) return undefined
    if (others.length > 0 || target.first < 0) return undefined
    const store = this.#stores.compilable(target.target)
    const slot = (first: number): number => (first < 0 ? -1 : first / this.#capacity)
    return store && { store, slot: slot(target.first), slot1: slot(this.#o1) }
  }

  /** The targets that code stores to. */
  get views(): readonly TargetView[] {
    return this.#targets.flatMap(({ target }) => this.#stores.compilable(target)?.view ?? [])
  }

  /** Late tests are of the depth of the primitive and the reference of the draw. */
  get testsOwn(): boolean {
    return this.#depth < 0 && this.#stencilReference < 0
  }

  /**
   * Merges all lanes that have run: `isInPlace` where the engine has said in place which of them are kept, `isPlain` where all are
   * of plain triangles.
   */
  merge(isInPlace: boolean, isPlain: boolean): void {
    if (!isPlain) this.#applyAlphas()
    const kept = isInPlace && isPlain ? this.#keptOf() : null
    const { count } = this.#quads
    if (kept === null) this.#setKept(isInPlace)
    else kept.run()
    this.#findWritten(isPlain, count)
    this.#countUndefined()
    for (const { target, first } of this.#targets) {
      if (kept === null) this.#stores.write(target, this.#colorsOf(first))
      else this.#stores.writeKept(target, this.#colorsOf(first))
    }
  }

  /** The programs that merge many quads. */
  programs(): WantedProgram[] {
    const { testsEarly, forcedOutput } = this.#o
    const testsLate = !testsEarly && forcedOutput === undefined && this.testsOwn && !this.#tests.passesAll
    const isKept = this.#mayLeaveKept && this.#keptWords !== undefined
    return [
      ...this.#targets.map(({ target, first }) =>
        this.#stores.wantedFor(isKept ? 'kept' : 'all', target, this.#colorsOf(first)),
      ),
      ...(isKept ? [wantedProgram(() => this.#prepareKept())] : []),
      ...(testsLate ? [this.#tests.wantedFor('shaded')] : []),
    ]
  }

  #colorsOf(first: number): MergedColors {
    return { words: this.#outputs.words, first, first1: this.#o1, stride: this.#capacity }
  }

  /** What leaves kept quads alone, where nothing else that a shader leaves is read behind it but colors. */
  #keptOf(): KeptQuads | null {
    if (this.#quads.count >= compileThresholds.quads) this.#prepareKept()
    return this.#kept ?? null
  }

  #prepareKept(): void {
    if (this.#kept === undefined) this.#kept = this.#compileKept() ?? null
  }

  /** Nothing else that a shader leaves is read behind discarded pixels but colors. */
  get #mayLeaveKept(): boolean {
    const { forcedOutput, testsEarly, alphaToCoverage, hasDiscard } = this.#o
    const isLimited = this.#mask >= 0 || alphaToCoverage !== undefined || forcedOutput !== undefined
    return hasDiscard && !isLimited && (testsEarly || this.testsOwn)
  }

  #compileKept(): KeptQuads | undefined {
    if (!this.#mayLeaveKept || this.#keptWords === undefined) return undefined
    if (!this.#targets.every(({ target, first }) => this.#stores.writesKept(target, this.#colorsOf(first))))
      return undefined
    return KeptQuads.of(this.#memory, this.#keptWords, this.views)
  }

  /** Fills `written` with the samples of lanes that were not discarded; helpers have none. */
  #setKept(isInPlace: boolean): void {
    const { count, masks, written, discarded } = this.#quads
    // A debugger has pixels discarded that it does not want.
    if (isInPlace && !this.#o.hasDiscard) {
      const { masks: from, written: to } = QUAD_MEMORY.shaded
      this.#words.copyWithin(to / 4, from / 4, from / 4 + count * 4)
      return
    }
    const kept = isInPlace ? this.#keptWords : undefined
    if (kept === undefined) {
      for (let lane = 0; lane < count * 4; lane++) written[lane] = discarded[lane] === 1 ? 0 : masks[lane]!
    } else for (let lane = 0; lane < count * 4; lane++) written[lane] = masks[lane]! & kept[lane]!
  }

  /** Takes from `written` what late tests and coverage outputs leave out; so many quads were shaded. */
  #findWritten(isPlain: boolean, shadedCount: number): void {
    const { forcedOutput, testsEarly, alphaToCoverage } = this.#o
    const { count, written } = this.#quads
    if (this.#mask >= 0 || alphaToCoverage !== undefined || forcedOutput !== undefined) {
      for (let lane = 0; lane < count * 4; lane++) if (written[lane] !== 0) this.#limit(lane)
    }
    if (testsEarly || forcedOutput !== undefined) return
    if (this.#tests.passesAll) {
      this.#tests.count(written, count * 4)
      return
    }
    if (this.testsOwn && isPlain && this.#tests.testShaded(this.#quads, shadedCount)) return
    for (let lane = 0; lane < count * 4; lane++) {
      if (written[lane] !== 0) written[lane] = this.#testLate(lane, written[lane]!)
    }
  }

  #countUndefined(): void {
    const { undefinedTargets, traps } = this.#o
    if (undefinedTargets.length === 0) return
    const { count, written } = this.#quads
    let pixels = 0
    for (let lane = 0; lane < count * 4; lane++) if (written[lane] !== 0) pixels++
    if (traps && pixels > 0) {
      this.undefinedCount++
      throw new DrawStopped('trap')
    }
    this.undefinedCount += pixels * undefinedTargets.length
  }

  /** Multiplies o0.a by the coverage of antialiased lines. */
  #applyAlphas(): void {
    const { count, alphas } = this.#quads
    if (this.#o0 < 0) return
    const { floats } = this.#outputs
    const first = this.#o0 + 3 * this.#capacity
    for (let lane = 0; lane < count * 4; lane++) if (alphas[lane] !== 1) floats[first + lane]! *= alphas[lane]!
  }

  /** Leaves the samples of a lane that its coverage output, its alpha and a forced sample count leave. */
  #limit(lane: number): void {
    const { forcedOutput, testsEarly } = this.#o
    const { written } = this.#quads
    const mask = written[lane]!
    const kept = this.#coverageOf(lane)
    if (forcedOutput === undefined) {
      written[lane] = mask & kept
      return
    }
    // Rasterizer samples are counted, and none where no sample of the output is left (20.4.6).
    const output = forcedOutput & kept
    if (output !== 0 && !testsEarly) this.#tests.passedCount += bitCount(mask)
    written[lane] = output
  }

  /** Samples that the coverage output leaves; it takes the place of alpha to coverage (16.9.4). */
  #coverageOf(lane: number): number {
    const { alphaToCoverage } = this.#o
    if (this.#mask >= 0) return this.#outputs.words[this.#mask + lane]!
    if (alphaToCoverage === undefined) return -1
    return alphaToCoverage(this.#o0 < 0 ? 1 : this.#outputs.floats[this.#o0 + 3 * this.#capacity + lane]!)
  }

  #testLate(lane: number, mask: number): number {
    const { x, y, primitives } = this.#quads
    const { words, floats } = this.#outputs
    const depth = this.#depth < 0 ? undefined : floats[this.#depth + lane]!
    const reference = this.#stencilReference < 0 ? undefined : words[this.#stencilReference + lane]! & 0xff
    const quad = lane >> 2
    const [px, py] = [x[quad]! + (lane & 1), y[quad]! + ((lane >> 1) & 1)]
    return this.#tests.testLate(primitives[quad]!, px, py, mask, depth, reference)
  }
}
