/** When invocations of a draw made what its fixed functions take: vertices for stream output, factors for the tessellator. */
import type { LoadedShader, Observer, WaveSite, WriteEvent } from '../../engine/index.ts'
import { FILE, rowOfOpcode } from '../../isa/index.ts'
import { TESSELLATION_FACTORS } from '../../pipeline/index.ts'
import type { Clock } from '../model.ts'
import { writtenWord } from '../words.ts'

/** What one invocation did at one moment. */
export interface StageMoment {
  /** Number of the batch. */
  readonly batch: number
  /** The clock before the statement, counted from the batch's begin. */
  readonly before: Clock
  readonly invocation: number
  readonly statement: number
}

/** The batch that runs, and its clock; a statement that is under way counts. */
export interface BatchClock {
  readonly batch: number
  readonly clock: Clock
}

/** Watches the stage that makes the vertices for stream output. */
export interface VertexMoments {
  readonly observer: Observer
  /** When a vertex was complete, by how many its stage has made behind it. */
  before(behind: number): StageMoment | undefined
}

/** Vertices that are what invocations leave: each is complete where its invocation executes its last statement. */
class InvocationEnds implements VertexMoments {
  readonly observer: Observer
  readonly #at: BatchClock
  /** By batch, the last statement of each invocation so far, and its clock. */
  readonly #batches = new Map<number, { readonly clocks: Float64Array; readonly statements: Int32Array }>()

  constructor(at: BatchClock) {
    this.#at = at
    this.observer = { instruction: (wave) => this.#note(wave) }
  }

  #note({ batch: own, lanes, activeCount, firstThread, statement }: WaveSite): void {
    const { batch, clock } = this.#at
    let last = this.#batches.get(batch)
    if (last === undefined) {
      const count = own?.count ?? 0
      this.#batches.set(batch, (last = { clocks: new Float64Array(count), statements: new Int32Array(count) }))
    }
    for (let k = 0; k < activeCount; k++) {
      const invocation = firstThread + lanes[k]!
      last.clocks[invocation] = clock - 1
      last.statements[invocation] = statement
    }
  }

  before(behind: number): StageMoment | undefined {
    let left = behind
    for (const [batch, { clocks, statements }] of [...this.#batches].reverse()) {
      const invocation = clocks.length - 1 - left
      if (invocation >= 0) return { batch, before: clocks[invocation]!, invocation, statement: statements[invocation]! }
      left -= clocks.length
    }
    return undefined
  }
}

/** Vertices that a geometry shader emits: those of one batch, in the order of its invocations. */
class Emissions implements VertexMoments {
  readonly observer: Observer
  readonly #at: BatchClock
  readonly #emits: Uint8Array
  readonly #most: number
  #batch = -1
  /** By invocation. */
  #emitted: StageMoment[][] = []

  constructor({ declarations }: LoadedShader, at: BatchClock) {
    this.#at = at
    const { stage, program } = declarations
    this.#most = stage.kind === 'geometry' ? stage.maxVertexCount : 0
    this.#emits = Uint8Array.from(program.statements, (s) => {
      const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
      return traits?.kind === 'stream' && traits.emits ? 1 : 0
    })
    this.observer = { instruction: (wave) => this.#note(wave) }
  }

  #note({ lanes, activeCount, firstThread, statement }: WaveSite): void {
    const { batch, clock } = this.#at
    if (batch !== this.#batch) this.#emitted = []
    this.#batch = batch
    if (this.#emits[statement] === 0) return
    for (let k = 0; k < activeCount; k++) {
      const invocation = firstThread + lanes[k]!
      const own = (this.#emitted[invocation] ??= [])
      // What is emitted beyond the declared count is dropped.
      if (own.length < this.#most) own.push({ batch, before: clock - 1, invocation, statement })
    }
  }

  before(behind: number): StageMoment | undefined {
    return this.#emitted.flat().at(-1 - behind)
  }
}

export const vertexMoments = (loaded: LoadedShader, at: BatchClock): VertexMoments =>
  loaded.declarations.stage.kind === 'geometry' ? new Emissions(loaded, at) : new InvocationEnds(at)

const FACTORS: ReadonlySet<number> = new Set(Object.values(TESSELLATION_FACTORS).flat())

const BITS = new Int32Array(1)
const NUMBER = new Float32Array(BITS.buffer)

/** The factors that the phases of a hull shader wrote last, by patch of the batch and component of the registers. */
export class FactorMoments {
  readonly observer: Observer
  readonly #at: BatchClock
  readonly #most: number
  /** Masks of the components that are factors, by register. */
  readonly #masks = new Map<number, number>()
  readonly #written = new Map<string, { readonly factor: number; readonly moment: StageMoment }>()

  constructor({ declarations }: LoadedShader, at: BatchClock) {
    this.#at = at
    const { stage, entries } = declarations
    this.#most = (stage.kind === 'hull' ? stage.maxTessFactor : undefined) ?? Number.POSITIVE_INFINITY
    for (const { register, mask, systemValue } of entries.flatMap((e) => e.outputs)) {
      if (FACTORS.has(systemValue)) this.#masks.set(register, (this.#masks.get(register) ?? 0) | mask)
    }
    this.observer = { write: (e) => this.#note(e) }
  }

  #note(e: WriteEvent): void {
    const mask = e.file === 'output' ? e.mask & (this.#masks.get(e.register) ?? 0) : 0
    if (mask === 0) return
    const { batch, clock } = this.#at
    const { lanes, activeCount, firstThread, statement } = e.wave
    for (let k = 0; k < activeCount; k++) {
      const invocation = firstThread + lanes[k]!
      const moment = { batch, before: clock - 1, invocation, statement }
      for (let c = 0; c < 4; c++) {
        if (((mask >> c) & 1) === 0) continue
        BITS[0] = writtenWord(e, FILE.output, c, k)
        this.#written.set(`${invocation} ${e.register * 4 + c}`, { factor: NUMBER[0]!, moment })
      }
    }
  }

  /** Where the largest factor of the first patch was written that has one above what the shader declares. */
  firstExcess(): StageMoment | undefined {
    const above = [...this.#written.values()].filter((w) => w.factor > this.#most)
    above.sort((a, b) => a.moment.invocation - b.moment.invocation || b.factor - a.factor)
    return above[0]?.moment
  }
}
