import type { PullModel, QuadBatch, RegisterBlock, StageExecution } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { type ColorMerge, clampDepth, type DepthStencilTest } from '../merge/index.ts'
import {
  centerOf,
  floatBits,
  HALF_PIXEL,
  type Interpolator,
  newWeights,
  type ScreenPrimitive,
  SUBPIXELS,
  type Weights,
} from '../raster/index.ts'
import type { PixelInput, PixelLinkage } from './link.ts'
import { EntryRunner } from './stage-runner.ts'

/** Quads of pixels: inputs interpolated, the shader run for many quads at once, results given to the output merger. */

/** Quads of one batch. */
const QUADS = 64
const LANES = QUADS * 4

export interface PixelStageOptions {
  /** Undefined where no pixel shader is bound: depth and stencil alone. */
  readonly execution: StageExecution | undefined
  readonly linkage: PixelLinkage
  readonly depthStencil: DepthStencilTest
  readonly colors: ColorMerge
  /** Targets that o# writes: bound, and with a component declared. */
  readonly targets: readonly number[]
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  /** Rasterizer samples that may be covered: the sample mask, or all where it counts for the output alone (3.5.6). */
  readonly sampleMask: number
  /** With a forced sample count: the samples of the targets that a pixel writes, whatever the rasterizer's cover. */
  readonly forcedOutput: number | undefined
  readonly isSampleFrequency: boolean
  /** Tests happen before the shader, with their writes. */
  readonly testsEarly: boolean
  readonly alphaToCoverage: ((alpha: number) => number) | undefined
  readonly describe: (pixel: PixelPlace) => string
}

/** A pixel of a primitive, for names in reports. */
export interface PixelPlace {
  readonly x: number
  readonly y: number
  /** -1 at pixel frequency. */
  readonly sample: number
  readonly primitiveId: number
}

export interface PixelCounts {
  invocations: number
  samplesPassed: number
}

type Place = 'center' | 'centroid' | 'sample'
/** An input with the word that the first lane of a batch has of it. */
interface Slotted<T> {
  readonly input: T
  readonly first: number
}
type PlacedInput = Slotted<Extract<PixelInput, { at: Place }>>

/** Where the first lane's word of an input lies. */
function firstWord(block: RegisterBlock | undefined, input: PixelInput): number {
  if (block === undefined) return 0
  return (block.firstSlot + (input.slotRegister - block.firstRegister) * 4 + input.component) * LANES
}

const WEIGHTS: Weights = newWeights()
const FLOAT = new Float32Array(1)
const FLOAT_BITS = new Int32Array(FLOAT.buffer)

function floatOf(bits: number): number {
  FLOAT_BITS[0] = bits
  return FLOAT[0]!
}

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask)

function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Runs the pixel shader of a draw over quads in their order, and merges what comes out in the same order. */
export class PixelStage {
  readonly counts: PixelCounts = { invocations: 0, samplesPassed: 0 }
  readonly #o: PixelStageOptions
  readonly #runner: EntryRunner | undefined
  readonly #quads: QuadBatch
  readonly #helpers = new Uint8Array(LANES)
  /** Samples that a lane's results go to, and samples of its whole primitive in the pixel. */
  readonly #masks = new Uint32Array(LANES)
  readonly #coverage = new Uint32Array(LANES)
  readonly #inner = new Uint8Array(LANES)
  readonly #x = new Int32Array(LANES)
  readonly #y = new Int32Array(LANES)
  readonly #sample = new Int32Array(LANES)
  readonly #interpolators: Interpolator[] = []
  readonly #slices = new Int32Array(LANES)
  /** What o0.a is multiplied by: the coverage of antialiased lines. */
  readonly #alphas = new Float32Array(LANES)
  #lanes = 0
  /** Inputs that are interpolated, by where; and the others. */
  readonly #places: readonly { readonly place: Place; readonly inputs: readonly PlacedInput[] }[]
  readonly #generatedInputs: readonly Slotted<PixelInput>[]
  /** First words of registers that have a file of their own; -1 where the shader does not read them. */
  readonly #singles: { readonly coverage: number; readonly inner: number; readonly primitiveId: number }

  constructor(o: PixelStageOptions) {
    this.#o = o
    this.#quads = {
      helpers: this.#helpers,
      discarded: new Uint8Array(LANES),
      sampleCount: o.offsets.length / 2,
      samplePosition: (index) =>
        index < o.offsets.length / 2
          ? [o.offsets[index * 2]! / SUBPIXELS, o.offsets[index * 2 + 1]! / SUBPIXELS]
          : [0, 0],
      attributes: this.#pullModel(),
      pixelOf: (lane) => `${this.#x[lane]} ${this.#y[lane]} ${this.#sample[lane]} ${this.#slices[lane]}`,
      depth: (lane) => this.#depthOf(lane),
    }
    if (o.execution !== undefined) {
      const describe = (lane: number): string => o.describe(this.#placeOf(lane))
      this.#runner = new EntryRunner(o.execution, describe, { quads: this.#quads, capacity: LANES })
    }
    const block = this.#runner?.inputBlock(FILE.input)
    const slotted = o.linkage.inputs.map((input) => ({ input, first: firstWord(block, input) }))
    const placed = slotted.filter((s): s is PlacedInput => 'at' in s.input)
    this.#places = [...new Set(placed.map((s) => s.input.at))].map((place) => ({
      place,
      inputs: placed.filter((s) => s.input.at === place),
    }))
    this.#generatedInputs = slotted.filter((s) => !('at' in s.input))
    const single = (file: number): number => {
      const own = this.#runner?.inputBlock(file)
      return own === undefined ? -1 : own.firstSlot * LANES
    }
    this.#singles = {
      coverage: single(FILE['input-coverage-mask']),
      inner: single(FILE['inner-coverage']),
      primitiveId: single(FILE['input-primitive-id']),
    }
  }

  #depthOf(lane: number): number {
    const interpolator = this.#interpolators[lane >> 2]!
    const place = this.#sample[lane]! < 0 ? 'centroid' : 'sample'
    const [x, y] = this.#positionOf(place, lane, this.#coverage[lane]!)
    interpolator.weights(x, y, WEIGHTS)
    return interpolator.depth(WEIGHTS)
  }

  #placeOf(lane: number): PixelPlace {
    const { primitiveId } = this.#interpolators[lane >> 2]!.primitive
    return { x: this.#x[lane]!, y: this.#y[lane]!, sample: this.#sample[lane]!, primitiveId }
  }

  /**
   * Takes a quad of a primitive: covered samples of its four pixels as bits, clip distances and the sample mask not yet
   * applied. `inner` has a bit for each pixel that lies in the primitive as a whole; `alphas` are factors of o0.a.
   */
  add(
    interpolator: Interpolator,
    x: number,
    y: number,
    masks: Uint32Array,
    slice: number,
    inner = 0,
    alphas: ArrayLike<number> = FULL_ALPHA,
  ): void {
    const o = this.#o
    const covered = [0, 1, 2, 3].map((i) => {
      const mask = this.#clipped(interpolator, x + (i & 1), y + (i >> 1), masks[i]!)
      return mask & o.sampleMask
    })
    if (o.forcedOutput === 0 || covered.every((m) => m === 0)) return
    const passed = o.testsEarly
      ? covered.map((m, i) => this.#test(interpolator, x + (i & 1), y + (i >> 1), slice, m))
      : covered
    if (this.#runner === undefined) {
      // Without a shader only depth and stencil are written; early or late is the same.
      if (!o.testsEarly) {
        for (let i = 0; i < 4; i++) this.#test(interpolator, x + (i & 1), y + (i >> 1), slice, covered[i]!)
      }
      return
    }
    if (passed.every((m) => m === 0)) return
    if (!o.isSampleFrequency) {
      this.#addLanes(interpolator, x, y, slice, passed, covered, -1, inner, alphas)
      return
    }
    for (let s = 0; s < o.offsets.length / 2; s++) {
      const own = passed.map((m) => m & (1 << s))
      if (own.some((m) => m !== 0)) this.#addLanes(interpolator, x, y, slice, own, covered, s, inner, alphas)
    }
  }

  /** Samples of a pixel on the inner side of all clip distances. */
  #clipped(interpolator: Interpolator, x: number, y: number, mask: number): number {
    const { clipDistances } = interpolator.primitive
    if (clipDistances.length === 0 || mask === 0) return mask
    let kept = mask
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const s = lowest(rest)
      this.#weightsAtSample(interpolator, x, y, s)
      if (!clipDistances.every((word) => interpolator.clipDistance(word, WEIGHTS) >= 0)) kept &= ~(1 << s)
    }
    return kept
  }

  #weightsAtSample(interpolator: Interpolator, x: number, y: number, sample: number): void {
    const { offsets } = this.#o
    interpolator.weights(centerOf(x) + offsets[sample * 2]!, centerOf(y) + offsets[sample * 2 + 1]!, WEIGHTS)
  }

  /** Depth and stencil of the samples of a mask; those that pass. */
  #test(interpolator: Interpolator, x: number, y: number, slice: number, mask: number): number {
    const { depthStencil } = this.#o
    const { viewport, isFrontFacing } = interpolator.primitive
    let passed = 0
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const s = lowest(rest)
      this.#weightsAtSample(interpolator, x, y, s)
      const z = clampDepth(interpolator.depth(WEIGHTS), viewport.minDepth, viewport.maxDepth)
      if (depthStencil.test(x, y, slice, s, z, isFrontFacing)) {
        passed |= 1 << s
        this.counts.samplesPassed++
      }
    }
    return passed
  }

  #addLanes(
    interpolator: Interpolator,
    x: number,
    y: number,
    slice: number,
    masks: readonly number[],
    coverage: readonly number[],
    sample: number,
    inner: number,
    alphas: ArrayLike<number>,
  ): void {
    const first = this.#lanes
    this.#interpolators[first >> 2] = interpolator
    for (let i = 0; i < 4; i++) {
      const lane = first + i
      this.#x[lane] = x + (i & 1)
      this.#y[lane] = y + (i >> 1)
      this.#masks[lane] = masks[i]!
      // Neither the tests nor the sample of this invocation take from it (16.3.2).
      this.#coverage[lane] = coverage[i]!
      this.#helpers[lane] = masks[i] === 0 ? 1 : 0
      this.#inner[lane] = (inner >> i) & 1
      this.#sample[lane] = sample
      this.#slices[lane] = slice
      this.#alphas[lane] = alphas[i]!
      this.#fillLane(interpolator, lane, coverage[i]!)
    }
    this.#lanes += 4
    if (this.#lanes === LANES) this.flush()
  }

  /** Position at which attributes of a place are evaluated, in 1/256 pixel. */
  #positionOf(place: Place, lane: number, coverage: number): readonly [number, number] {
    const { offsets, sampleMask } = this.#o
    const x = centerOf(this.#x[lane]!)
    const y = centerOf(this.#y[lane]!)
    const count = offsets.length / 2
    const all = count === 32 ? -1 : (1 << count) - 1
    let sample = -1
    if (place === 'sample') sample = Math.max(0, this.#sample[lane]!)
    else if (place === 'centroid' && coverage !== all) {
      // The first covered sample; where none is, the first of a partial sample mask, else the center (3.5.5).
      if (coverage !== 0) sample = lowest(coverage)
      else if ((sampleMask & all) !== all && (sampleMask & all) !== 0) sample = lowest(sampleMask & all)
    }
    return sample < 0 ? [x, y] : [x + offsets[sample * 2]!, y + offsets[sample * 2 + 1]!]
  }

  #fillLane(interpolator: Interpolator, lane: number, coverage: number): void {
    const words = this.#runner!.batch.inputs
    for (const { place, inputs } of this.#places) {
      const [px, py] = this.#positionOf(place, lane, coverage)
      interpolator.weights(px, py, WEIGHTS)
      for (const { input, first } of inputs) words[first + lane] = this.#interpolated(interpolator, input, px, py)
    }
    for (const { input, first } of this.#generatedInputs) {
      words[first + lane] = this.#generated(interpolator.primitive, input, lane)
    }
    const singles = this.#singles
    if (singles.coverage >= 0) words[singles.coverage + lane] = this.#coverage[lane]!
    if (singles.inner >= 0) words[singles.inner + lane] = this.#inner[lane]!
    if (singles.primitiveId >= 0) words[singles.primitiveId + lane] = interpolator.primitive.primitiveId
  }

  #interpolated(interpolator: Interpolator, input: Extract<PixelInput, { at: Place }>, px: number, py: number): number {
    if (input.kind === 'attribute') return interpolator.word(input.word, input.mode, WEIGHTS)
    switch (input.component) {
      case 0:
        return floatBits(px / SUBPIXELS)
      case 1:
        return floatBits(py / SUBPIXELS)
      case 2:
        return floatBits(interpolator.depth(WEIGHTS))
      default:
        return floatBits(interpolator.w(WEIGHTS))
    }
  }

  #generated(primitive: ScreenPrimitive, input: PixelInput, lane: number): number {
    switch (input.kind) {
      case 'front-face':
        return primitive.isFrontFacing ? -1 : 0
      case 'sample-index':
        return Math.max(0, this.#sample[lane]!)
      case 'primitive-id':
        return primitive.primitiveId
      case 'render-target':
        return primitive.renderTargetIndex
      case 'viewport':
        return primitive.viewportIndex
      default:
        return 0
    }
  }

  /** Attributes at places that the shader chooses. */
  #pullModel(): PullModel {
    const at = (lane: number, register: number, component: number, px: number, py: number): number => {
      const input = this.#o.linkage.inputs.find((i) => i.slotRegister === register && i.component === component)
      if (input?.kind !== 'attribute') return 0
      const interpolator = this.#interpolators[lane >> 2]!
      interpolator.weights(px, py, WEIGHTS)
      return interpolator.word(input.word, input.mode, WEIGHTS)
    }
    const center = (lane: number): readonly [number, number] => [centerOf(this.#x[lane]!), centerOf(this.#y[lane]!)]
    return {
      snapped: (lane, register, component, u, v) => {
        const [x, y] = center(lane)
        return at(lane, register, component, x + u * (HALF_PIXEL / 8), y + v * (HALF_PIXEL / 8))
      },
      sample: (lane, register, component, index) => {
        const { offsets } = this.#o
        const [x, y] = center(lane)
        if (index >= offsets.length / 2) return at(lane, register, component, x, y)
        return at(lane, register, component, x + offsets[index * 2]!, y + offsets[index * 2 + 1]!)
      },
      centroid: (lane, register, component) => {
        const [x, y] = this.#positionOf('centroid', lane, this.#coverage[lane]!)
        return at(lane, register, component, x, y)
      },
    }
  }

  /** Runs what has been collected and merges it. */
  flush(): void {
    const count = this.#lanes
    if (count === 0) return
    this.#lanes = 0
    this.#quads.discarded.fill(0)
    for (let lane = 0; lane < count; lane++) if (this.#helpers[lane] === 0) this.counts.invocations++
    this.#runner!.run(count)
    for (let lane = 0; lane < count; lane++) if (this.#helpers[lane] === 0) this.#merge(lane)
  }

  #output(file: number, lane: number): number | undefined {
    const block = this.#runner!.outputBlock(file)
    return block === undefined
      ? undefined
      : this.#runner!.batch.outputs[block.firstSlot * this.#runner!.batch.capacity + lane]!
  }

  #merge(lane: number): void {
    const o = this.#o
    if (this.#quads.discarded[lane] === 1) return
    const oMask = this.#output(FILE['output-coverage-mask'], lane)
    // The coverage output takes the place of alpha to coverage (16.9.4).
    const kept = oMask ?? o.alphaToCoverage?.(this.#alpha(lane)) ?? -1
    const mask = this.#merged(lane, kept)
    if (mask === 0) return
    this.#gatherColors(lane)
    const x = this.#x[lane]!
    const y = this.#y[lane]!
    const slice = this.#slices[lane]!
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const s = lowest(rest)
      for (const target of o.targets) o.colors.write(target, x, y, slice, s, COLORS, target * 4, COLORS, 4)
    }
  }

  /** Samples of the targets that a lane writes; `kept` is what its coverage output or alpha leave. */
  #merged(lane: number, kept: number): number {
    const o = this.#o
    const mask = this.#masks[lane]!
    if (o.forcedOutput !== undefined) {
      // Rasterizer samples are counted, and none where no sample of the output is left (20.4.6).
      const output = o.forcedOutput & kept
      if (output !== 0 && !o.testsEarly) this.counts.samplesPassed += bitCount(mask)
      return output
    }
    return o.testsEarly ? mask & kept : this.#testLate(lane, mask & kept)
  }

  #alpha(lane: number): number {
    const block = this.#runner!.outputBlock(FILE.output)
    if (block === undefined || block.firstRegister > 0) return 1
    const alpha = floatOf(this.#runner!.batch.outputs[(block.firstSlot + 3) * this.#runner!.batch.capacity + lane]!)
    return Math.fround(alpha * this.#alphas[lane]!)
  }

  #testLate(lane: number, mask: number): number {
    const { depthStencil } = this.#o
    const interpolator = this.#interpolators[lane >> 2]!
    const depth =
      this.#output(FILE['output-depth'], lane) ??
      this.#output(FILE['output-depth-greater-equal'], lane) ??
      this.#output(FILE['output-depth-less-equal'], lane)
    const reference = this.#output(FILE['output-stencil-ref'], lane)
    const { viewport, isFrontFacing } = interpolator.primitive
    const x = this.#x[lane]!
    const y = this.#y[lane]!
    let passed = 0
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const s = lowest(rest)
      let z = depth === undefined ? 0 : floatOf(depth)
      if (depth === undefined) {
        this.#weightsAtSample(interpolator, x, y, s)
        z = interpolator.depth(WEIGHTS)
      }
      z = clampDepth(z, viewport.minDepth, viewport.maxDepth)
      const stencil = reference === undefined ? undefined : reference & 0xff
      if (depthStencil.test(x, y, this.#slices[lane]!, s, z, isFrontFacing, stencil)) {
        passed |= 1 << s
        this.counts.samplesPassed++
      }
    }
    return passed
  }

  #gatherColors(lane: number): void {
    const { outputs, capacity } = this.#runner!.batch
    const block = this.#runner!.outputBlock(FILE.output)
    COLORS.fill(0)
    if (block === undefined) return
    for (let r = 0; r < block.registerCount; r++) {
      const register = block.firstRegister + r
      if (register > 7) break
      for (let c = 0; c < 4; c++) COLORS[register * 4 + c] = outputs[(block.firstSlot + r * 4 + c) * capacity + lane]!
    }
    if (this.#alphas[lane] !== 1) COLORS[3] = floatBits(floatOf(COLORS[3]!) * this.#alphas[lane]!)
  }
}

/** Pixels of primitives other than antialiased lines. */
const FULL_ALPHA: readonly number[] = [1, 1, 1, 1]

const COLORS = new Int32Array(32)
