import type { QuadKernel, QuadMemory as QuadMemoryWords, QuadProgram } from '../../engine/index.ts'
import { FILE, type ValueOps } from '../../isa/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import {
  fillAttribute,
  fillDepth,
  fillW,
  fillWeights,
  newPlaces,
  type Places,
  type PrimitiveTable,
  type RegisterWords,
  ROW_WORD,
  registerWords,
  SUBPIXELS,
} from '../raster/index.ts'
import type { EntryRunner } from '../stage-runner.ts'
import type { PixelAttributes } from './attributes.ts'
import {
  type InputProgramOptions,
  type InputSlot,
  inputWords,
  parameterWord,
  type QuadPixels,
} from './input-program.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import { attributeNumber, type PixelInput, type PixelLinkage, type Place } from './link-inputs.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory, type ShadedQuads } from './quads.ts'
import { eachQuad, holdingPlanes, type OfPrimitive, runQuads } from './rows-of-quads.ts'

/** Input registers of pixel shaders: filled for a whole batch at once, column by column, primitive by primitive. */

type PlacedInput = Extract<PixelInput, { at: Place }>
type GeneratedInput = Exclude<PixelInput, { at: Place }>
/** An input with the word that the first lane of a batch has of it, and its number among the attributes. */
interface Slotted<T> {
  readonly input: T
  readonly first: number
  readonly attribute: number
}

interface PixelInputsOptions {
  readonly linkage: PixelLinkage
  readonly offsets: Int32Array
  readonly sampleMask: number
}

const isDepth = (input: PixelInput): boolean => input.kind === 'position' && input.component === 2

type FilledQuad<V> = QuadPixels<V> & OfPrimitive<V>

function inputProgram(options: InputProgramOptions): QuadProgram {
  const { slots, rowLength, precision, offsets, sampleMask, coverage, primitiveId, helpers, same } = options
  const ofSlots = slots.map(({ input, first, attribute }) => [
    first,
    attribute,
    input.kind,
    input.component,
    'at' in input ? input.at : '',
    'mode' in input ? input.mode : 0,
  ])
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryWords<V>): void => {
    const inputs = parameterWord(o, m, PARAMETER.inputs)
    const fill = (quad: FilledQuad<V>): void => {
      const at = o.i32Add(inputs, quad.laneBytes)
      inputWords(o, m, options, quad, (first, word) => m.store(o.i32Add(at, o.constant(first * 4)), [word]))
    }
    eachQuad(o, m, { columns: QUAD_MEMORY.shaded, rowLength }, fill, (first, overRow) =>
      holdingPlanes(first, options, (ofPrimitive) => overRow((pixels) => fill({ ...pixels, ...ofPrimitive() }))),
    )
  }
  const places = [[...offsets], sampleMask]
  const key = JSON.stringify(['inputs', precision, ofSlots, coverage, primitiveId, helpers, rowLength, places, same])
  return { key, meaning }
}

const POOLED_PLACES: Places[] = []

export class PixelInputs {
  readonly #memory: QuadMemory
  readonly #quads: ShadedQuads
  readonly #table: PrimitiveTable
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
  readonly #o: PixelInputsOptions
  readonly #slotOf: (input: PixelInput) => InputSlot
  /** Where the engine reads which lanes are helpers, and the words of all inputs. */
  readonly #helperWords: Int32Array | undefined
  readonly #words: Int32Array
  #kernel: QuadKernel | undefined
  #isRequested = false
  #isInPlace = false

  constructor(
    runner: EntryRunner,
    memory: QuadMemory,
    table: PrimitiveTable,
    attributes: PixelAttributes,
    o: PixelInputsOptions,
  ) {
    const { linkage } = o
    this.#o = o
    this.#memory = memory
    this.#quads = memory.shaded
    this.#table = table
    this.#attributes = attributes
    this.#registers = registerWords(runner.batch.inputs)
    const { capacity, helperWords, inputs } = runner.batch
    this.#at = POOLED_PLACES[0] ?? newPlaces(1024)
    POOLED_PLACES[0] = this.#at
    const block = runner.inputBlock(FILE.input)
    const first = ({ slotRegister, component }: PixelInput): number =>
      block === undefined ? 0 : (block.firstSlot + (slotRegister - block.firstRegister) * 4 + component) * capacity
    const slotted = <T extends PixelInput>(input: T): Slotted<T> => ({
      input,
      first: first(input),
      attribute: attributeNumber(linkage, input),
    })
    this.#slotOf = slotted
    this.#helperWords = helperWords
    this.#words = inputs
    const placed = linkage.inputs.flatMap((i) => ('at' in i ? [slotted(i)] : []))
    this.#places = [...new Set(placed.map((s) => s.input.at))].map((place) => ({
      place,
      inputs: placed.filter((s) => s.input.at === place),
    }))
    this.#generated = linkage.inputs.flatMap((i) => ('at' in i ? [] : [slotted(i)]))
    const single = (file: number): number => {
      const own = runner.inputBlock(file)
      return own === undefined ? -1 : own.firstSlot * capacity
    }
    this.#coverage = single(FILE['input-coverage-mask'])
    this.#inner = single(FILE['inner-coverage'])
    this.#primitiveId = single(FILE['input-primitive-id'])
  }

  /** What a program of quads for the inputs is made of; undefined where there is none. */
  get programOptions(): InputProgramOptions | undefined {
    const helperWords = this.#helperWords
    if (helperWords === undefined || this.#inner >= 0) return undefined
    const { linkage, offsets, sampleMask } = this.#o
    const slots = linkage.inputs.map(this.#slotOf)
    const [coverage, primitiveId] = [this.#coverage, this.#primitiveId]
    const helpers = (helperWords.byteOffset - this.#words.byteOffset) / 4
    const { precision, stride, sameOfAll: same } = this.#table
    return { slots, coverage, primitiveId, helpers, rowLength: stride * 8, precision, offsets, sampleMask, same }
  }

  /** The program that fills the registers of many quads; undefined where there is none. */
  get #program(): QuadProgram | undefined {
    const options = this.programOptions
    return options && inputProgram(options)
  }

  #compile(): QuadKernel | undefined {
    const { kernels, parameters, offsets, start } = this.#memory
    const program = this.#program
    if (kernels === undefined || program === undefined) return undefined
    parameters[PARAMETER.inputs] = this.#words.byteOffset - start
    offsets.set(this.#o.offsets)
    return kernels.quadKernelFor(program)
  }

  /** The code that fills the registers of many quads. */
  get wanted(): WantedProgram {
    return wantedProgram(
      () => void this.#kernelFor(compileThresholds.quads),
      () => this.#program,
    )
  }

  /** Fills the registers of all lanes; `isPlain` where all are of triangles that have an area. */
  fill(isPlain: boolean): void {
    const { count, primitives, masks } = this.#quads
    const kernel = isPlain ? this.#kernelFor(count) : undefined
    this.#isInPlace = kernel !== undefined
    if (kernel !== undefined) {
      runQuads(kernel, this.#memory, count)
      return
    }
    for (let lane = 0; lane < count * 4; lane++) this.#quads.helpers[lane] = masks[lane] === 0 ? 1 : 0
    let from = 0
    while (from < count) {
      const row = primitives[from]!
      let to = from + 1
      while (to < count && primitives[to] === row) to++
      this.#fillPrimitive(row, from * 4, to * 4, isPlain)
      from = to
    }
  }

  /** Whether the last `fill` has written which lanes are helpers where the engine reads it. */
  get isInPlace(): boolean {
    return this.#isInPlace
  }

  #kernelFor(count: number): QuadKernel | undefined {
    if (!this.#isRequested && count >= compileThresholds.quads) {
      this.#isRequested = true
      this.#kernel = this.#compile()
    }
    return this.#kernel
  }

  /** Fills the lanes of one primitive. */
  #fillPrimitive(row: number, from: number, to: number, isPlain: boolean): void {
    const { words } = this.#registers
    for (const { place, inputs } of this.#places) {
      this.#attributes.positions(place, from, to, this.#at)
      fillWeights(this.#table, row, this.#at, from, to)
      for (const slotted of inputs) if (!isDepth(slotted.input)) this.#interpolate(row, slotted, from, to)
      for (const slotted of inputs) if (isDepth(slotted.input)) this.#fillDepth(row, slotted.first, from, to)
    }
    for (const { input, first } of this.#generated) this.#generate(row, input, from, to, first)
    if (this.#coverage >= 0) words.set(this.#quads.coverage.subarray(from, to), this.#coverage + from)
    // Only conservative rasterization says what lies in a primitive as a whole: of other quads nothing is kept.
    if (this.#inner >= 0 && isPlain) words.fill(0, this.#inner + from, this.#inner + to)
    else if (this.#inner >= 0) words.set(this.#quads.inner.subarray(from, to), this.#inner + from)
    if (this.#primitiveId >= 0) {
      words.fill(this.#table.word(row, ROW_WORD.primitiveId), this.#primitiveId + from, this.#primitiveId + to)
    }
  }

  #interpolate(row: number, { input, first, attribute }: Slotted<PlacedInput>, from: number, to: number): void {
    if (input.kind === 'attribute') {
      fillAttribute(this.#table, row, attribute, this.#at, from, to, this.#registers, first)
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
      default:
        fillW(this.#at, from, to, floats, first)
    }
  }

  /** What is tested, whatever the precision; weights are others behind it. */
  #fillDepth(row: number, first: number, from: number, to: number): void {
    fillDepth(this.#table, row, this.#at, from, to, this.#registers.floats, first)
  }

  #generate(row: number, input: GeneratedInput, from: number, to: number, first: number): void {
    const { words } = this.#registers
    const fill = (word: number): void => void words.fill(word, first + from, first + to)
    switch (input.kind) {
      case 'sample-index':
        for (let i = from; i < to; i++) words[first + i] = Math.max(0, this.#quads.samples[i >> 2]!)
        return
      case 'front-face':
        fill(this.#table.word(row, ROW_WORD.isFrontFacing))
        return
      case 'primitive-id':
        fill(this.#table.word(row, ROW_WORD.primitiveId))
        return
      case 'render-target':
        fill(this.#table.word(row, ROW_WORD.renderTargetIndex))
        return
      case 'viewport':
        fill(this.#table.word(row, ROW_WORD.viewportIndex))
        return
      case 'zero':
        fill(0)
    }
  }
}
