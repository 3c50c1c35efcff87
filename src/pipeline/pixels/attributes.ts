import type { PullModel } from '../../engine/index.ts'
import {
  centerOf,
  fillAttribute,
  fillDepth,
  fillWeights,
  HALF_PIXEL,
  newPlaces,
  type Places,
  type PrimitiveTable,
  registerWords,
} from '../raster/index.ts'
import { attributeNumber, type PixelLinkage, type Place } from './link-inputs.ts'
import { lowestSample, type ShadedQuads } from './quads.ts'

/** Where attributes of pixels are evaluated, and their values at places that a shader chooses. */

/** For one place at a time. */
const ONE = newPlaces(1)
const WORD = registerWords(new Int32Array(1))

export class PixelAttributes implements PullModel {
  readonly #quads: ShadedQuads
  readonly #table: PrimitiveTable
  readonly #linkage: PixelLinkage
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly #offsets: Int32Array
  readonly #sampleMask: number

  constructor(
    quads: ShadedQuads,
    table: PrimitiveTable,
    linkage: PixelLinkage,
    offsets: Int32Array,
    sampleMask: number,
  ) {
    this.#quads = quads
    this.#table = table
    this.#linkage = linkage
    this.#offsets = offsets
    this.#sampleMask = sampleMask
  }

  get sampleCount(): number {
    return this.#offsets.length / 2
  }

  /** Positions of a place in the lanes `from` up to, not including, `to`; that of lane i is element `first + i`. */
  positions(place: Place, from: number, to: number, into: Places, first = 0): void {
    const { x, y, samples } = this.#quads
    for (let lane = from; lane < to; lane++) {
      into.x[first + lane] = centerOf(x[lane >> 2]! + (lane & 1))
      into.y[first + lane] = centerOf(y[lane >> 2]! + ((lane >> 1) & 1))
    }
    if (place === 'center') return
    for (let lane = from; lane < to; lane++) {
      const sample = place === 'sample' ? Math.max(0, samples[lane >> 2]!) : this.#centroid(lane)
      if (sample < 0) continue
      into.x[first + lane]! += this.#offsets[sample * 2]!
      into.y[first + lane]! += this.#offsets[sample * 2 + 1]!
    }
  }

  /** The sample at which centroid attributes are evaluated; -1 for the center. */
  #centroid(lane: number): number {
    const coverage = this.#quads.coverage[lane]!
    const all = 2 ** this.sampleCount - 1
    if (coverage === all) return -1
    if (coverage !== 0) return lowestSample(coverage)
    return centroidWithoutCoverage(this.#sampleMask, this.sampleCount)
  }

  #row(lane: number): number {
    return this.#quads.primitives[lane >> 2]!
  }

  /** Depth of a lane's primitive at its sample, or at the centroid. */
  depth(lane: number): number {
    const row = this.#row(lane)
    this.positions(this.#quads.samples[lane >> 2]! < 0 ? 'centroid' : 'sample', lane, lane + 1, ONE, -lane)
    fillDepth(this.#table, row, ONE, 0, 1, WORD.floats, 0)
    return WORD.floats[0]!
  }

  /** Bits of an attribute at an offset from a pixel's center in 1/256 pixel. */
  #pull(lane: number, register: number, component: number, dx: number, dy: number): number {
    this.positions('center', lane, lane + 1, ONE, -lane)
    ONE.x[0]! += dx
    ONE.y[0]! += dy
    return this.#pullThere(lane, register, component)
  }

  #pullThere(lane: number, register: number, component: number): number {
    const input = this.#linkage.inputs.find((i) => i.slotRegister === register && i.component === component)
    if (input?.kind !== 'attribute') return 0
    const row = this.#row(lane)
    fillWeights(this.#table, row, ONE, 0, 1)
    fillAttribute(this.#table, row, attributeNumber(this.#linkage, input), ONE, 0, 1, WORD, 0)
    return WORD.words[0]!
  }

  snapped(lane: number, register: number, component: number, u: number, v: number): number {
    return this.#pull(lane, register, component, u * (HALF_PIXEL / 8), v * (HALF_PIXEL / 8))
  }

  sample(lane: number, register: number, component: number, index: number): number {
    const isThere = index < this.sampleCount
    const [dx, dy] = isThere ? [this.#offsets[index * 2]!, this.#offsets[index * 2 + 1]!] : [0, 0]
    return this.#pull(lane, register, component, dx, dy)
  }

  centroid(lane: number, register: number, component: number): number {
    this.positions('centroid', lane, lane + 1, ONE, -lane)
    return this.#pullThere(lane, register, component)
  }
}

/** The sample of centroid attributes where none is covered: the first of a partial sample mask, else -1, the center (3.5.5). */
export function centroidWithoutCoverage(sampleMask: number, sampleCount: number): number {
  const all = 2 ** sampleCount - 1
  const limited = sampleMask & all
  return limited !== all && limited !== 0 ? lowestSample(limited) : -1
}
