import type { ElementKernels, QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import type { VertexArray } from '../../geometry.ts'
import { laneBytesOf } from '../../lane-bytes.ts'
import {
  type DepthStencilTest,
  type DepthStencilTestState,
  hasDepthStencilWords,
  testStateText,
} from '../../merge/index.ts'
import { JOB_WORDS, type PrimitiveTable } from '../../raster/index.ts'
import { BLOCK, canHaveBounds, DepthBounds, isBeyond, leastDepth } from '../depth-bounds.ts'
import { parameterWord } from '../input-program.ts'
import { LineReads } from '../line-reads.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from '../quads.ts'
import { layoutText, pixelLayout } from '../target-pixels.ts'
import {
  drawWords,
  type HiddenBands,
  overQuads,
  type TriangleQuad,
  type TriangleSamples,
  type TriangleWords,
  testSamples,
} from '../triangle-quads.ts'
import { isBandHidden, pixelsOfBand } from './hidden-bands.ts'
import { type JobCode, type JobProgram, newPacking, type Packing, rowProgram } from './job-code.ts'
import { beginPacked, endPacked, groupsIn, packQuad } from './packed-pixels.ts'
import { type WantedPrograms, wantedProgram } from './wanted-programs.ts'

/**
 * Small triangles of draws whose tests come before the pixel shader, or whose tests after it can be foreseen: one program covers and
 * tests them, and lists the quads of which a sample may still be written.
 */

/** How samples are tested: for good, or without a change of anything, since the same test follows the shader. */
export type TestedWhen = 'early' | 'ahead'

interface TestedJobsOptions extends TriangleSamples {
  readonly when: TestedWhen
  readonly state: DepthStencilTestState
  /** There are bounds of the depth buffer's blocks. */
  readonly hasBounds: boolean
  /** Pixels that pass are left without helpers, of one sample a pixel. */
  readonly packs: boolean
}

/** Words of a quad and of its samples that pass, all ones where they do; what is rejected is written over by the next. */
function leaveTested<V>(
  o: ValueOps<V>,
  m: QuadMemoryOps<V>,
  { samples, ...quad }: TriangleQuad<V>,
  passes: readonly V[],
  { when, row, at }: { readonly when: TestedWhen; readonly row: V; readonly at: V },
): void {
  const { found } = QUAD_MEMORY
  const c = (n: number): V => o.constant(n)
  /** Bits of samples. */
  const bits = (words: readonly V[]): V =>
    words.map((word, n) => o.and(word, c(1 << samples[n]!.sample))).reduce((a, b) => o.or(a, b))
  const ofQuad = (column: number, word: V): void => m.store(o.i32Add(o.shiftLeft(at, c(2)), c(column)), [word])
  const laneBytes = laneBytesOf(o, m, at)
  m.store(o.i32Add(laneBytes, c(found.masks)), [bits(samples.map((s) => s.isCovered))])
  if (when === 'early') m.store(o.i32Add(laneBytes, c(found.passed)), [bits(passes)])
  ofQuad(found.primitives, row)
  ofQuad(found.x, quad.x)
  ofQuad(found.y, quad.y)
}

function testedProgram({
  when,
  state: given,
  hasBounds,
  packs,
  ...samples
}: TestedJobsOptions): QuadProgram | undefined {
  const state = when === 'ahead' ? { ...given, writesDepth: false, writesStencil: false } : given
  const { view } = state
  if (!hasDepthStencilWords(view)) return undefined
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const { jobs, rowJobs } = QUAD_MEMORY
    const c = (n: number): V => o.constant(n >>> 0)
    const count = parameterWord(o, m, PARAMETER.jobs)
    const draw = drawWords(o, m)
    const bounds = hasBounds ? parameterWord(o, m, PARAMETER.bounds) : undefined
    const test = (t: TriangleWords<V>, quad: TriangleQuad<V>, row: V, carried: readonly V[]): readonly V[] => {
      const [at, sum, invoked] = carried
      const passes = testSamples(o, m, state, draw, t, quad)
      const anyPasses = passes.reduce((a, b) => o.or(a, b))
      const isRejected = o.i32Equal(m.signs(anyPasses), c(0))
      if (!packs) leaveTested(o, m, quad, passes, { when, row, at: at! })
      const added = when === 'early' ? passes : [o.and(quad.isCovered, isRejected)]
      // All ones are -1.
      const behind = packs
        ? packQuad(o, m, { x: quad.x, y: quad.y, bits: m.signs(anyPasses) }, at!, row)
        : o.i32Add(o.i32Add(at!, c(1)), isRejected)
      const next = [behind, added.reduce((a, b) => o.i32Sub(a, b), sum!)]
      return when === 'early' ? [...next, o.i32Sub(invoked!, anyPasses)] : next
    }
    const take = (t: TriangleWords<V>, quad: TriangleQuad<V>, row: V, carried: readonly V[]): readonly V[] => {
      if (bounds === undefined) return test(t, quad, row, carried)
      const [at, sum, ...rest] = carried as [V, V, ...V[]]
      return m.choose(
        isBeyond(o, m, state, bounds, quad, leastDepth(o, state, draw, t)),
        () => [at, when === 'early' ? sum : o.i32Sub(sum, quad.isCovered), ...rest],
        () => test(t, quad, row, carried),
      )
    }
    const bands: HiddenBands<V> | undefined = bounds && {
      height: BLOCK,
      isHidden: (t, band) => isBandHidden(o, m, state, bounds, band, leastDepth(o, state, draw, t)),
      leaveOut: (t, band, [at, sum, ...rest]) => {
        return [at!, when === 'early' ? sum! : o.i32Add(sum!, pixelsOfBand(o, m, t, band)), ...rest]
      },
    }
    const round = ([n, first, row, ...before]: readonly V[]): readonly V[] => {
      const job = o.i32Add(o.i32Mul(n!, c(JOB_WORDS * 4)), c(jobs))
      m.store(o.i32Add(o.shiftLeft(row!, c(2)), c(rowJobs)), [job])
      const options = { ...samples, limitsRows: true, bands }
      if (packs) beginPacked(o, m, first!, row!)
      const [last, ...counted] = overQuads(o, m, job, options, [first!, ...before], (t, quad, carried) =>
        take(t, quad, row!, carried),
      )
      const isEmpty = o.i32Equal(first!, last!)
      const end = packs ? endPacked(o, m, last!) : last!
      return [o.i32Add(n!, c(1)), end, o.i32Add(o.i32Add(row!, c(1)), isEmpty), ...counted]
    }
    const firstRow = parameterWord(o, m, PARAMETER.firstRow)
    // Samples and pixels that pass, or pixels that are left out.
    const counts = when === 'early' ? [PARAMETER.counted, PARAMETER.invoked] : [PARAMETER.counted]
    const ends = m.repeat([c(0), c(0), firstRow, ...counts.map(() => c(0))], ([n]) => o.i32Less(n!, count), round)
    m.store(c(QUAD_MEMORY.parameters + (packs ? PARAMETER.packed : PARAMETER.found) * 4), [ends[1]!])
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.rows * 4), [ends[2]!])
    counts.forEach((to, i) => {
      m.store(o.i32Add(laneBytesOf(o, m, c(0)), c(QUAD_MEMORY.parameters + to * 4)), [ends[3 + i]!])
    })
  }
  const states = `${testStateText(state)},${samples.sampleMask}`
  const layout = `["${view.format.name}",${view.sampleCount},${layoutText(pixelLayout(view))}]`
  // Depths are compared as they are, and of a denormal the code is 0.
  return { key: `["tested","${when}",${hasBounds},${packs},${layout},${states}]`, keepsDenormals: true, meaning }
}

export interface TestedJobs extends JobCode {
  readonly when: TestedWhen
  /** Of the last run: samples that have passed, or pixels of quads that were left out. */
  readonly counted: number
  /** Of the last run, where tests are early: pixels of which a sample has passed. */
  readonly invoked: number
  dispose(): void
}

/** Undefined where quads must be found first. */
export function testedJobs(
  memory: QuadMemory,
  table: PrimitiveTable,
  when: TestedWhen,
  { state }: DepthStencilTest,
  { offsets, sampleMask }: TriangleSamples,
  wanted: WantedPrograms,
): TestedJobs | undefined {
  const { kernels } = memory
  const covered = sampleMask & (2 ** (offsets.length / 2) - 1)
  if (state === undefined || kernels === undefined || covered === 0) return undefined
  const { view } = state
  if (!kernels.reaches(view.storage.buffer) || view.sampleCount * 2 !== offsets.length) return undefined
  const programOf = (hasBounds: boolean, packs: boolean): QuadProgram | undefined =>
    testedProgram({ when, state, offsets, sampleMask: covered, hasBounds, packs })
  if (programOf(false, false) === undefined) return undefined
  return new CompiledTests(memory, kernels, table, { when, state, wanted, programOf })
}

interface TestsParts {
  readonly when: TestedWhen
  readonly state: DepthStencilTestState
  readonly wanted: WantedPrograms
  readonly programOf: (hasBounds: boolean, packs: boolean) => QuadProgram | undefined
}

class CompiledTests implements TestedJobs {
  readonly findsQuads = true
  readonly testsQuads = true
  readonly when: TestedWhen
  readonly packing: Packing | undefined
  readonly #memory: QuadMemory
  readonly #kernels: ElementKernels
  readonly #table: PrimitiveTable
  readonly #state: DepthStencilTestState
  readonly #programOf: TestsParts['programOf']
  readonly #bounds: DepthBounds | undefined
  readonly #wanted: WantedPrograms
  #areBoundsWanted = false
  /** Of several samples whole parts are read: `ReadAhead`. */
  readonly #reads: LineReads | undefined
  counted = 0
  invoked = 0
  #tests: QuadKernel | undefined
  /** With bounds of depth. */
  #bounded: QuadKernel | undefined
  #rows: QuadKernel | undefined

  constructor(
    memory: QuadMemory,
    kernels: ElementKernels,
    table: PrimitiveTable,
    { when, state, wanted, programOf }: TestsParts,
  ) {
    const isSingle = state.view.sampleCount === 1
    this.#memory = memory
    this.#kernels = kernels
    this.#wanted = wanted
    this.#table = table
    this.when = when
    this.#state = state
    this.#programOf = programOf
    this.#bounds = canHaveBounds(state) ? new DepthBounds(memory, state) : undefined
    this.#reads = isSingle ? new LineReads(memory, state.view) : undefined
    const packed = wantedProgram(
      () => this.#pack(),
      () => this.#programOf(false, true)!,
    )
    this.packing = when === 'early' && isSingle ? newPacking(packed) : undefined
  }

  #kernelOf(hasBounds: boolean, packs: boolean): QuadKernel | undefined {
    return this.#kernels.quadKernelFor(this.#programOf(hasBounds, packs)!)
  }

  #pack(): boolean {
    const made = this.#kernelOf(false, true)
    this.#tests = made ?? this.#tests
    this.#bounded &&= made && this.#kernelOf(true, true)
    return made !== undefined
  }

  get #packs(): boolean {
    return this.packing?.isOn === true
  }

  #ofPixels(at: number): number {
    const { parameters } = this.#memory
    return parameters[at]! + parameters[at + 1]! + parameters[at + 2]! + parameters[at + 3]!
  }

  programs({ registerCount }: Pick<VertexArray, 'registerCount'>): readonly JobProgram[] {
    const ofTests = (): QuadProgram => this.#programOf(false, false)!
    const ofRows = (): QuadProgram => rowProgram(this.#table, registerCount * 16)
    return [
      wantedProgram(() => (this.#tests = this.#kernels.quadKernelFor(ofTests())) !== undefined, ofTests),
      wantedProgram(() => (this.#rows = this.#kernels.quadKernelFor(ofRows())) !== undefined, ofRows),
    ]
  }

  run(count: number, quads: number): void {
    const { parameters, found, start } = this.#memory
    const { view, reference } = this.#state
    const table = this.#table
    const bounds = this.#bounds
    this.#reads?.run(count)
    parameters[PARAMETER.jobs] = count
    parameters[PARAMETER.firstRow] = table.count
    parameters[PARAMETER.depth] = view.storage.byteOffset + view.byteOffset - start
    parameters[PARAMETER.stencilReference] = reference & 0xff
    bounds?.count(quads)
    if (bounds?.areDue === true) this.#wantBounds(bounds)
    const hasBounds = bounds?.isOpen === true
    if (hasBounds) this.#bounded ??= this.#kernelOf(true, this.#packs)
    // There may be code for bounds that there was no room for.
    const kernel = (hasBounds ? this.#bounded : undefined) ?? this.#tests!
    kernel.run(1, start)
    if (this.#packs) {
      this.packing!.groups = groupsIn(parameters[PARAMETER.packed]!)
      this.packing!.pixels = this.#ofPixels(PARAMETER.invoked)
    } else found.count = parameters[PARAMETER.found]!
    this.counted = this.#ofPixels(PARAMETER.counted)
    if (this.when === 'early') this.invoked = this.#ofPixels(PARAMETER.invoked)
    table.count = parameters[PARAMETER.rows]!
    this.#rows!.run(1, start)
  }

  #wantBounds(bounds: DepthBounds): void {
    if (this.#areBoundsWanted) return
    this.#areBoundsWanted = true
    this.#wanted.want([
      bounds.wanted,
      wantedProgram(
        () => void (this.#bounded ??= this.#kernelOf(true, this.#packs)),
        () => this.#programOf(true, this.#packs),
      ),
    ])
  }

  dispose(): void {
    this.#bounds?.dispose()
  }
}
