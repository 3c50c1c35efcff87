import {
  QUADS_OF_A_CALL,
  type QuadKernel,
  type QuadMemory as QuadMemoryWords,
  type QuadProgram,
  type ShaderOperations,
} from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { loadPlanes } from '../raster/index.ts'
import { stateText } from '../state-text.ts'
import { approximateCodes } from './approximate/approximate-codes.ts'
import { approximateRun, approximateShading, laneOfRow, type RunOptions } from './approximate/approximate-runs.ts'
import { overFastRun } from './approximate/fast-runs.ts'
import { setTarget } from './color-stores.ts'
import {
  type InputProgramOptions,
  inputWords,
  interpolatedAttributes,
  parameterWord,
  type QuadWords,
  quadWords,
} from './input-program.ts'
import type { PixelInputs } from './inputs.ts'
import { PACKED_COLUMNS, packedPlaces } from './jobs/packed-pixels.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import type { PixelMerge, PlainTarget } from './merge.ts'
import { clearRuns, FOUND_COLUMNS, PARAMETER, QUAD_MEMORY, type QuadMemory, SHADED_COLUMNS } from './quads.ts'
import { colorProgram, pixelAddress, sliceStart, storeColors } from './store-program.ts'
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
  { offsets, slots }: Pick<InputProgramOptions, 'offsets' | 'slots'>,
  { take, approximately }: RunShading<V>,
): void {
  const c = (n: number): V => o.constant(n)
  const all = (): V => c(2 ** (offsets.length / 2) - 1)
  const { firstX, firstY } = quad
  const lane = laneOfRow(o, m)
  const end = o.i32Add(firstX, o.shiftLeft(count, c(1)))
  const exactly = (from: V, to: V): void => {
    m.repeat(
      [from],
      ([x]) => o.i32Less(x!, to),
      ([x]) => {
        const primitive = { ...quad.loadedOnce(), planes: quad.row }
        for (const down of [0, 1]) {
          const y = o.i32Add(firstY, c(down))
          take({ ...quad, ...primitive, x: o.i32Add(x!, lane), y, coverage: all, masks: all })
        }
        return [o.i32Add(x!, c(4))]
      },
    )
  }
  loadPlanes(quad.row, interpolatedAttributes(slots))
  if (approximately === undefined) exactly(firstX, end)
  else approximateRun(o, m, { quad, count, lane, end, exactly, ...approximately })
}

const COMPONENTS: readonly number[] = [0, 1, 2, 3]

/**
 * What runs: quads that wait, quads that wait of which one may stand for several, those that were found and tested, or groups of pixels
 * without helpers.
 */
type JoinedKind = 'waiting' | 'runs' | 'found' | 'packed'

interface JoinedProgramOptions {
  readonly target: PlainTarget
  readonly operations: ShaderOperations
  readonly inputs: InputProgramOptions
  /** Invocations of a column of the shader's registers. */
  readonly capacity: number
  readonly kind: JoinedKind
}

function joinedProgram(options: JoinedProgramOptions): QuadProgram {
  const { operations, inputs, capacity, kind, target } = options
  const { store, slot, slot1 } = target
  const { program, view } = store
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryWords<V>): void => {
    const isFound = kind === 'found' || kind === 'packed'
    const number = isFound ? o.i32Add(m.quad, parameterWord(o, m, PARAMETER.firstQuad)) : m.quad
    const columns = { waiting: SHADED_COLUMNS, runs: SHADED_COLUMNS, found: FOUND_COLUMNS, packed: PACKED_COLUMNS }[
      kind
    ]
    const quad = quadWords(o, m, columns, inputs.rowLength, number)
    // Triangles of which quads are found in this way are in the first slice.
    const start = (): V => (isFound ? parameterWord(o, m, PARAMETER.target) : sliceStart(o, m))
    /** Shades four pixels, and stores them to those of the quad or to addresses of their own. */
    const shade = (pixels: QuadWords<V>, at?: V, inRange = 0): void => {
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
        inRange,
        masks: pixels.masks(),
      }
      const write = (): void => {
        const place = at === undefined ? { first: pixelAddress(o, view, start(), quad.firstX, quad.firstY) } : { at }
        storeColors(o, m, store, colors, place)
      }
      if (program.keepsDenormals) m.keepingDenormals(write)
      else write()
    }
    const ofQuad = (): readonly V[] => {
      shade(quad)
      return []
    }
    if (kind === 'packed') {
      const { x, y } = packedPlaces(o, m, number)
      const all = (): V => o.constant(1)
      shade({ ...quad, x, y, coverage: all, masks: all }, pixelAddress(o, view, start(), x, y))
      return
    }
    if (kind !== 'runs') {
      ofQuad()
      return
    }
    const count = m.load(o.i32Add(o.shiftLeft(m.quad, o.constant(2)), o.constant(QUAD_MEMORY.shaded.runs)), 1)[0]!
    const ofRun = (): readonly V[] => {
      const first = start()
      const addressOf = (x: V, y: V): V => pixelAddress(o, view, first, x, y)
      if (inputs.precision === 'fast') {
        const colors = { operations, inputs, capacity, slot }
        const layout = pixelLayout(view)
        const place = { layout, first: addressOf(quad.firstX, quad.firstY) }
        overFastRun(o, m, { quad, count, lane: laneOfRow(o, m), colors, ...place, take: shade })
        return []
      }
      const take = (pixels: QuadWords<V>): void => shade(pixels, addressOf(pixels.x, pixels.y))
      const shading = approximateShading(m, options)
      const approximately = shading && { shading, codes: approximateCodes(o, m, options, shading, { quad, addressOf }) }
      overRun(o, m, quad, count, inputs, { take, approximately })
      return []
    }
    quad.choose(o.i32Less(o.constant(0), count), ofRun, ofQuad)
  }
  const stored = colorProgram(store, capacity, slot1 >= 0).key
  const ofInputs = { ...inputs, offsets: [...inputs.offsets] }
  const key = `["joined","${kind}",${JSON.stringify(ofInputs)},${stateText(operations)},${stored},${slot},${slot1}]`
  return { key, meaning }
}

/** What the program is made of, once it is wanted. */
interface JoinedQuadsOptions {
  readonly operations: ShaderOperations
  readonly inputs: PixelInputs
  readonly merge: PixelMerge
  readonly capacity: number
}

/** Quads from which it is worth a call to shade them where they were found. */
const FEW_FOUND = 16

interface Joined {
  readonly kernel: QuadKernel
  readonly store: PlainTarget['store']
}

export class JoinedQuads {
  readonly #memory: QuadMemory
  readonly #o: JoinedQuadsOptions
  #joined: Joined | undefined
  #isTried = false
  #takesRuns: boolean | undefined
  /** For quads that were found and tested; null where there is no code. */
  #found: Joined | null | undefined
  /** For pixels without helpers. */
  #packed: Joined | undefined

  constructor(memory: QuadMemory, o: JoinedQuadsOptions) {
    this.#memory = memory
    this.#o = o
  }

  /** Whether there is anything that code could be made of. */
  get mayCompile(): boolean {
    const { inputs, merge } = this.#o
    return this.#memory.kernels !== undefined && inputs.programOptions !== undefined && merge.plainTarget !== undefined
  }

  /** The code of a kind. */
  wantedFor(kind: JoinedKind): WantedProgram {
    return wantedProgram(
      () => this.#prepare(kind),
      () => this.#programOf(kind),
    )
  }

  #prepare(kind: JoinedKind): void {
    if (kind === 'waiting') this.#prepareWaiting()
    else if (kind === 'runs') this.#prepareRuns()
    else if (kind === 'found') this.#prepareFound()
    else this.takesPacked()
  }

  /** Makes the code for quads that wait. */
  #prepareWaiting(): void {
    if (this.#isTried) return
    this.#isTried = true
    this.#joined = this.#compile('waiting')
  }

  /** Makes the code for quads that wait of which one may stand for several. */
  #prepareRuns(): void {
    if (this.#takesRuns !== undefined || !this.#isTried) return
    const joined = this.#joined
    const ofRuns = joined && this.#compile('runs')
    this.#joined = ofRuns ?? joined
    this.#takesRuns = ofRuns !== undefined
  }

  /** Makes the code for quads that were found and tested. */
  #prepareFound(): void {
    if (this.#found === undefined) this.#found = this.#compile('found') ?? null
  }

  /** Whether quads beside each other may wait as one, of those that come from now on: not before there were many quads. */
  get takesRuns(): boolean {
    if (this.#takesRuns === undefined) this.#prepareRuns()
    return this.#takesRuns === true
  }

  /** Shades and stores the quads that wait, all of plain triangles; false where that is not done here. */
  run(count: number): boolean {
    if (count >= compileThresholds.quads) this.#prepareWaiting()
    if (this.#joined === undefined) return false
    setTarget(this.#memory, this.#joined.store)
    this.#joined.kernel.run(count, this.#memory.start)
    clearRuns(this.#memory.shaded)
    return true
  }

  /** Whether so many quads that were found and tested are shaded where they lie. */
  takesFound(count: number): boolean {
    if (count >= compileThresholds.quads) this.#prepareFound()
    return this.#found != null && count >= Math.min(FEW_FOUND, compileThresholds.quads)
  }

  /** Shades and stores them, where they are taken. */
  runFound(count: number): void {
    this.#runFrom(this.#found!, count)
  }

  /** Makes the code for pixels without helpers; false where there is none. */
  takesPacked(): boolean {
    this.#packed ??= this.#compile('packed')
    return this.#packed !== undefined
  }

  /** Shades and stores groups of four pixels. */
  runPacked(count: number): void {
    this.#runFrom(this.#packed!, count)
  }

  #runFrom({ kernel, store }: Joined, count: number): void {
    const { parameters, start } = this.#memory
    setTarget(this.#memory, store)
    for (let first = 0; first < count; first += QUADS_OF_A_CALL) {
      parameters[PARAMETER.firstQuad] = first
      kernel.run(Math.min(QUADS_OF_A_CALL, count - first), start)
    }
  }

  /** The program of code of a kind; undefined where there is none. */
  #programOf(kind: JoinedKind): QuadProgram | undefined {
    const { operations, inputs, merge, capacity } = this.#o
    if (operations.comparesPixels && (kind === 'runs' || kind === 'packed')) return undefined
    const [options, target] = [inputs.programOptions, merge.plainTarget]
    if (options === undefined || target === undefined) return undefined
    return joinedProgram({ target, operations, inputs: options, capacity, kind })
  }

  #compile(kind: JoinedKind): Joined | undefined {
    const { kernels, offsets } = this.#memory
    const { inputs, merge } = this.#o
    const [options, target, program] = [inputs.programOptions, merge.plainTarget, this.#programOf(kind)]
    if (kernels === undefined || options === undefined || target === undefined || program === undefined)
      return undefined
    offsets.set(options.offsets)
    const kernel = kernels.quadKernelFor(program)
    return kernel && { kernel, store: target.store }
  }
}
