import { FILE } from '../../isa/index.ts'
import {
  type Interpolator,
  newPlaces,
  type Places,
  type RegisterWords,
  registerWords,
  SUBPIXELS,
} from '../raster/index.ts'
import type { EntryRunner } from '../stage-runner.ts'
import type { PixelAttributes, Place } from './attributes.ts'
import type { PixelLanes } from './lanes.ts'
import type { PixelInput, PixelLinkage } from './link-inputs.ts'

/** Input registers of pixel shaders: filled for a whole batch at once, column by column, primitive by primitive. */

type PlacedInput = Extract<PixelInput, { at: Place }>
type GeneratedInput = Exclude<PixelInput, { at: Place }>
/** An input with the word that the first lane of a batch has of it. */
interface Slotted<T> {
  readonly input: T
  readonly first: number
}

export class PixelInputs {
  readonly #lanes: PixelLanes
  readonly #attributes: PixelAttributes
  readonly #registers: RegisterWords
  readonly #at: Places
  /** Inputs that are interpolated, by where; and the others. */
  readonly #places: readonly { readonly place: Place; readonly inputs: readonly Slotted<PlacedInput>[] }[]
  readonly #generated: readonly Slotted<GeneratedInput>[]
  /** First words of registers that have a file of their own; -1 where the shader does not read them. */
  readonly #coverage: number
  readonly #inner: number
  readonly #primitiveId: number

  constructor(runner: EntryRunner, lanes: PixelLanes, attributes: PixelAttributes, linkage: PixelLinkage) {
    this.#lanes = lanes
    this.#attributes = attributes
    this.#registers = registerWords(runner.batch.inputs)
    const { capacity } = lanes
    this.#at = newPlaces(capacity)
    const block = runner.inputBlock(FILE.input)
    const first = ({ slotRegister, component }: PixelInput): number =>
      block === undefined ? 0 : (block.firstSlot + (slotRegister - block.firstRegister) * 4 + component) * capacity
    const placed = linkage.inputs.flatMap((i) => ('at' in i ? [{ input: i, first: first(i) }] : []))
    this.#places = [...new Set(placed.map((s) => s.input.at))].map((place) => ({
      place,
      inputs: placed.filter((s) => s.input.at === place),
    }))
    this.#generated = linkage.inputs.flatMap((i) => ('at' in i ? [] : [{ input: i, first: first(i) }]))
    const single = (file: number): number => {
      const own = runner.inputBlock(file)
      return own === undefined ? -1 : own.firstSlot * capacity
    }
    this.#coverage = single(FILE['input-coverage-mask'])
    this.#inner = single(FILE['inner-coverage'])
    this.#primitiveId = single(FILE['input-primitive-id'])
  }

  /** Fills the registers of all lanes. */
  fill(): void {
    const { count, interpolators } = this.#lanes
    let from = 0
    while (from < count) {
      const interpolator = interpolators[from >> 2]!
      let to = from + 4
      while (to < count && interpolators[to >> 2] === interpolator) to += 4
      this.#fillPrimitive(interpolator, from, to)
      from = to
    }
  }

  /** Fills the lanes of one primitive. */
  #fillPrimitive(interpolator: Interpolator, from: number, to: number): void {
    const { words } = this.#registers
    for (const { place, inputs } of this.#places) {
      this.#attributes.positions(place, from, to, this.#at)
      interpolator.weights(this.#at, from, to)
      for (const { input, first } of inputs) this.#interpolate(interpolator, input, from, to, first)
    }
    for (const { input, first } of this.#generated) this.#generate(interpolator, input, from, to, first)
    if (this.#coverage >= 0) words.set(this.#lanes.coverage.subarray(from, to), this.#coverage + from)
    if (this.#inner >= 0) words.set(this.#lanes.inner.subarray(from, to), this.#inner + from)
    if (this.#primitiveId >= 0) {
      words.fill(interpolator.primitive.primitiveId, this.#primitiveId + from, this.#primitiveId + to)
    }
  }

  #interpolate(interpolator: Interpolator, input: PlacedInput, from: number, to: number, first: number): void {
    if (input.kind === 'attribute') {
      interpolator.word(input.word, input.mode, this.#at, from, to, this.#registers, first)
      return
    }
    const { floats } = this.#registers
    switch (input.component) {
      case 0:
        for (let i = from; i < to; i++) floats[first + i] = this.#at.x[i]! / SUBPIXELS
        return
      case 1:
        for (let i = from; i < to; i++) floats[first + i] = this.#at.y[i]! / SUBPIXELS
        return
      case 2:
        interpolator.depth(this.#at, from, to, floats, first)
        return
      default:
        interpolator.w(this.#at, from, to, floats, first)
    }
  }

  #generate({ primitive }: Interpolator, input: GeneratedInput, from: number, to: number, first: number): void {
    const { words } = this.#registers
    switch (input.kind) {
      case 'sample-index':
        for (let i = from; i < to; i++) words[first + i] = Math.max(0, this.#lanes.samples[i]!)
        return
      case 'front-face':
        words.fill(primitive.isFrontFacing ? -1 : 0, first + from, first + to)
        return
      case 'primitive-id':
        words.fill(primitive.primitiveId, first + from, first + to)
        return
      case 'render-target':
        words.fill(primitive.renderTargetIndex, first + from, first + to)
        return
      case 'viewport':
        words.fill(primitive.viewportIndex, first + from, first + to)
        return
      case 'zero':
        words.fill(0, first + from, first + to)
    }
  }
}
