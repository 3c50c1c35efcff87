import type { QuadKernel, QuadMemory as QuadMemoryWords, QuadProgram, ShaderOperations } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { loadPlanes } from '../raster/index.ts'
import { approximateCodes } from './approximate/approximate-codes.ts'
import { approximateRun, approximateShading, laneOfRow, type RunOptions } from './approximate/approximate-runs.ts'
import { setTarget } from './color-stores.ts'
import {
  type InputProgramOptions,
  inputWords,
  interpolatedAttributes,
  type QuadWords,
  quadWords,
} from './input-program.ts'
import type { PixelInputs } from './inputs.ts'
import type { PixelMerge, PlainTarget } from './merge.ts'
import { clearRuns, QUAD_MEMORY, type QuadMemory } from './quads.ts'
import { holdingPlanes, type OfPrimitive } from './rows-of-quads.ts'
import { colorProgram, sliceStart, storeColors } from './store-program.ts'
import { pixelLayout } from './target-pixels.ts'

/**
 * Interpolation, pixel shader and store as one program of quads, where the shader is some operations and nothing comes between it and
 * its target: the words between them stay in registers, and one loop goes over the quads, or over the pixels of those beside each other.
 */

/** How pixels of a run are shaded: four at a time, or eight approximately where that is certain. */
interface RunShading<V> {
  readonly take: (pixels: QuadWords<V>) => void
  readonly approximately: Pick<RunOptions<V>, 'shading' | 'codes'> | undefined
}

/**
 * Takes the pixels of `count` quads beside each other, an even number, from the one on that runs, of which all pixels have all samples:
 * four of both rows at once. Lane i is pixel i of four.
 */
function overRun<V>(
  o: ValueOps<V>,
  m: QuadMemoryWords<V>,
  quad: QuadWords<V>,
  count: V,
  { offsets, precision, slots }: Pick<InputProgramOptions, 'offsets' | 'precision' | 'slots'>,
  { take, approximately }: RunShading<V>,
): void {
  const c = (n: number): V => o.constant(n)
  const all = (): V => c(2 ** (offsets.length / 2) - 1)
  const { firstX, firstY } = quad
  const lane = laneOfRow(o, m)
  const end = o.i32Add(firstX, o.shiftLeft(count, c(1)))
  const overPixels = (ofPrimitive: () => OfPrimitive<V>, [from, to]: readonly [V, V] = [firstX, end]): readonly V[] =>
    m.repeat(
      [from],
      ([x]) => o.i32Less(x!, to),
      ([x]) => {
        const primitive = ofPrimitive()
        for (const down of [0, 1]) {
          const y = o.i32Add(firstY, c(down))
          take({ ...quad, ...primitive, x: o.i32Add(x!, lane), y, coverage: all, masks: all })
        }
        return [o.i32Add(x!, c(4))]
      },
    )
  if (precision === 'fast') {
    holdingPlanes(quad, { precision, slots }, (ofPrimitive) => overPixels(ofPrimitive))
    return
  }
  loadPlanes(quad.row, interpolatedAttributes(slots))
  const exactly = (from: V, to: V): void => {
    overPixels(() => ({ ...quad.loadedOnce(), planes: quad.row }), [from, to])
  }
  if (approximately === undefined) exactly(firstX, end)
  else approximateRun(o, m, { quad, count, lane, end, exactly, ...approximately })
}

const COMPONENTS: readonly number[] = [0, 1, 2, 3]

interface JoinedProgramOptions {
  readonly target: PlainTarget
  readonly operations: ShaderOperations
  readonly inputs: InputProgramOptions
  /** Invocations of a column of the shader's registers. */
  readonly capacity: number
  readonly takesRuns: boolean
}

function joinedProgram(options: JoinedProgramOptions): QuadProgram {
  const { operations, inputs, capacity, takesRuns, target } = options
  const { store, slot, slot1 } = target
  const { program, view } = store
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryWords<V>): void => {
    const quad = quadWords(o, m, QUAD_MEMORY.shaded, inputs.rowLength)
    /** Shades four pixels, and stores them to those of the quad or to addresses of their own. */
    const shade = (pixels: QuadWords<V>, at?: V): void => {
      const words = new Map<number, V>()
      inputWords(o, m, inputs, pixels, (first, word) => void words.set(first / capacity, word))
      // Inputs that nothing feeds are 0.
      const { outputs: flushed, unflushed } = operations
      const outputs = m.outputsOf(
        { ...operations, outputs: [...flushed, ...unflushed] },
        (n) => words.get(n) ?? o.constant(0),
      )
      const register = (first: number): readonly V[] =>
        COMPONENTS.map((c) => (first < 0 ? o.constant(0) : outputs[first + c]!))
      const colors = {
        source: register(slot),
        source1: register(slot1),
        unflushed: register(slot + flushed.length),
        zeros: COMPONENTS.reduce((bits, c) => bits | (operations.constants[slot + c] === 0 ? 1 << c : 0), 0),
        masks: pixels.masks(),
      }
      const write = (): void => storeColors(o, m, program, view, colors, at)
      if (program.keepsDenormals) m.keepingDenormals(write)
      else write()
    }
    const ofQuad = (): readonly V[] => {
      shade(quad)
      return []
    }
    if (!takesRuns) {
      ofQuad()
      return
    }
    const count = m.load(o.i32Add(o.shiftLeft(m.quad, o.constant(2)), o.constant(QUAD_MEMORY.shaded.runs)), 1)[0]!
    const { rowPitch, wordCount } = pixelLayout(view)
    const ofRun = (): readonly V[] => {
      const start = sliceStart(o, m)
      const addressOf = (x: V, y: V): V => {
        const ofRow = o.i32Add(start, o.i32Mul(y, o.constant(rowPitch)))
        return o.i32Add(ofRow, o.i32Mul(x, o.constant(wordCount * 4)))
      }
      const take = (pixels: QuadWords<V>): void => shade(pixels, addressOf(pixels.x, pixels.y))
      const shading = approximateShading(m, options)
      const approximately = shading && { shading, codes: approximateCodes(o, m, options, shading, { quad, addressOf }) }
      overRun(o, m, quad, count, inputs, { take, approximately })
      return []
    }
    quad.choose(o.i32Less(o.constant(0), count), ofRun, ofQuad)
  }
  const stored = colorProgram(program, view, capacity, slot1 >= 0).key
  const ofInputs = { ...inputs, offsets: [...inputs.offsets] }
  return { key: JSON.stringify(['joined', takesRuns, ofInputs, operations, stored, slot, slot1]), meaning }
}

/** What the program is made of, once it is wanted. */
interface JoinedQuadsOptions {
  readonly operations: ShaderOperations
  readonly inputs: PixelInputs
  readonly merge: PixelMerge
  readonly capacity: number
}

export class JoinedQuads {
  readonly #memory: QuadMemory
  readonly #o: JoinedQuadsOptions
  #joined: { readonly kernel: QuadKernel; readonly store: PlainTarget['store'] } | undefined
  #isTried = false
  #takesRuns: boolean | undefined

  constructor(memory: QuadMemory, o: JoinedQuadsOptions) {
    this.#memory = memory
    this.#o = o
  }

  /** Whether quads beside each other may wait as one, of those that come from now on: not before there were many quads. */
  get takesRuns(): boolean {
    if (this.#takesRuns !== undefined) return this.#takesRuns
    if (!this.#isTried) return false
    const { kernel } = this.#joined ?? {}
    if (kernel !== undefined && !this.#o.operations.comparesPixels) this.#compile(true)
    this.#takesRuns = this.#joined?.kernel !== kernel
    return this.#takesRuns
  }

  /** Shades and stores the quads that wait, all of plain triangles; false where that is not done here. */
  run(count: number): boolean {
    if (!this.#isTried && count >= compileThresholds.quads) this.#compile(false)
    if (this.#joined === undefined) return false
    setTarget(this.#memory, this.#joined.store)
    this.#joined.kernel.run(count, this.#memory.start)
    clearRuns(this.#memory.shaded)
    return true
  }

  #compile(takesRuns: boolean): void {
    this.#isTried = true
    const { kernels, offsets } = this.#memory
    const { operations, inputs, merge, capacity } = this.#o
    const [options, target] = [inputs.programOptions, merge.plainTarget]
    if (kernels === undefined || options === undefined || target === undefined) return
    offsets.set(options.offsets)
    const program = joinedProgram({ target, operations, inputs: options, capacity, takesRuns })
    const kernel = kernels.quadKernelFor(program)
    if (kernel !== undefined) this.#joined = { kernel, store: target.store }
  }
}
