import { type Diagnostic, valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type DispatchResult, type Engine, type LoadedShader, matchBindings } from '../../../src/engine/index.ts'
import { createReferenceEngine } from '../../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../../src/engine/wasm/index.ts'
import { type Bindings, createCbv, createSrv, createUav, type Schedule } from '../../../src/machine/index.ts'
import { programOf } from '../run-text.ts'
import { createSharingEngine } from '../sharing.ts'
import { Arena, BIG_LAYOUT, SMALL_LAYOUT } from './arena.ts'
import {
  CONSTANTS_BUFFER,
  type IsolationProgram,
  isolationProgram,
  type Kind,
  OUT_BYTES,
  type ViewPlan,
} from './program.ts'

/**
 * Isolation trials: a random program of addresses runs on both engines, each over resources between canaries. Everything
 * they leave must be equal, and nothing outside of what the program may write may have changed.
 */

export interface TrialOptions {
  /** Resources on both sides of 2^31 bytes; default all in a megabyte. */
  readonly big?: boolean
  /** Threads of the host; with several, programs are such that the order of groups does not show. */
  readonly threads?: number
  readonly width: 1 | 2 | 4
}

interface Range {
  readonly byteOffset: number
  readonly byteLength: number
}

interface Bound {
  readonly bindings: Bindings
  /** What the program may write. */
  readonly writable: readonly Range[]
}

function bind(arena: Arena, program: IsolationProgram): Bound {
  const bindings: Record<string, Bindings[string]> = {}
  const writable: Range[] = []
  const add = ({ slot, resource, options }: ViewPlan): void => {
    const isUav = slot.startsWith('u')
    if (resource.kind === 'texture') {
      const texture = arena.textures[resource.number]!
      bindings[slot] = isUav ? valueOrThrow(createUav(texture, options)) : valueOrThrow(createSrv(texture, options))
      if (isUav) writable.push({ byteOffset: texture.storage.byteOffset, byteLength: texture.byteLength })
      return
    }
    const buffer = arena.buffers[resource.number]!
    if (slot.startsWith('b')) {
      bindings[slot] = valueOrThrow(createCbv(buffer, options))
      return
    }
    if (!isUav) {
      bindings[slot] = valueOrThrow(createSrv(buffer, options))
      return
    }
    const view = valueOrThrow(createUav(buffer, options))
    bindings[slot] = view
    if (view.shape === 'texture') return
    writable.push({ byteOffset: buffer.storage.byteOffset + view.byteOffset, byteLength: view.byteLength })
  }
  program.views.forEach(add)
  bindings.u7 = valueOrThrow(createUav(arena.out, { raw: true }))
  bindings.b0 = valueOrThrow(createCbv(program.constants))
  // Constant buffer 1 ends in the middle of what the shader declares, with other memory after it.
  bindings.b1 = valueOrThrow(createCbv(arena.buffers[CONSTANTS_BUFFER]!, { byteLength: 80 }))
  const { byteOffset, byteLength } = arena.out.storage
  writable.push({ byteOffset, byteLength })
  return { bindings, writable }
}

const textOf = (d: Diagnostic): string => `${d.code} ${JSON.stringify(d.place)} ${d.message} ${d.notes.join('; ')}`

const MAX_INSTRUCTIONS = 100_000

/** Engines and memory for trials; made once for many programs. */
export class IsolationBench {
  readonly #engine: Engine
  readonly #reference: Engine
  readonly #ours: Arena
  readonly #theirs: Arena
  readonly #options: TrialOptions

  constructor(options: TrialOptions) {
    this.#options = options
    const { big = false, threads = 1, width } = options
    const layout = big ? BIG_LAYOUT : SMALL_LAYOUT
    this.#engine = createSharingEngine({ width, threads })
    this.#reference = createReferenceEngine({})
    this.#ours = new Arena(this.#engine.memory!, layout, OUT_BYTES)
    // The other engine's memory is of the same kind, so that distances are equal.
    this.#theirs = new Arena(createWasmEngineWith({ threads: 1 }).memory!, layout, OUT_BYTES)
  }

  get byteLength(): number {
    return this.#ours.byteLength
  }

  /** The program of a seed; of some kinds of memory alone where they are named. */
  programOf(seed: number, kinds?: readonly Kind[]): IsolationProgram {
    return isolationProgram(seed, this.#ours, { unordered: (this.#options.threads ?? 1) > 1, kinds })
  }

  /** What is wrong with a seed's program; undefined where it is isolated and both engines agree. */
  async trial(seed: number, kinds?: readonly Kind[]): Promise<string | undefined> {
    return this.run(this.programOf(seed, kinds))
  }

  async run(program: IsolationProgram): Promise<string | undefined> {
    const code = programOf(program.text)
    this.#ours.restore()
    this.#theirs.restore()
    const ours = bind(this.#ours, program)
    const theirs = bind(this.#theirs, program)
    const schedule: Schedule = {
      waveWidth: (this.#options.width * 4) as Schedule['waveWidth'],
      order: 'forward',
      groupsInFlight: 1,
    }
    const got = await this.#dispatch(this.#engine, code, ours.bindings, program, undefined)
    const want = await this.#dispatch(this.#reference, code, theirs.bindings, program, schedule)
    return this.#judge(got, want, ours, theirs)
  }

  async #dispatch(
    engine: Engine,
    code: ReturnType<typeof programOf>,
    bindings: Bindings,
    { shape }: IsolationProgram,
    schedule: Schedule | undefined,
  ): Promise<DispatchResult | string> {
    const loaded: LoadedShader = valueOrThrow(engine.load(code))
    const matched = valueOrThrow(matchBindings(loaded.declarations, bindings))
    try {
      const options = { maxInstructionsPerThread: MAX_INSTRUCTIONS, ...(schedule === undefined ? {} : { schedule }) }
      return await engine.dispatch(loaded, matched, shape.groups, options)
    } catch (e) {
      return `threw ${e instanceof Error ? `${e.name}: ${e.message}` : String(e)}`
    }
  }

  #judge(got: DispatchResult | string, want: DispatchResult | string, ours: Bound, theirs: Bound): string | undefined {
    if (typeof want === 'string') return `the reference engine ${want}`
    if (typeof got === 'string') return got
    const foreign = this.#ours.firstForeign(ours.writable)
    if (foreign !== undefined) return `wrote byte ${foreign} of the arena, which no view that it may write has`
    const theirForeign = this.#theirs.firstForeign(theirs.writable)
    if (theirForeign !== undefined) return `the reference engine wrote byte ${theirForeign}, which no view has`
    const at = this.#ours.difference(this.#theirs)
    if (at !== undefined) return `byte ${at} of the arena differs between the engines`
    if (got.stopped !== want.stopped)
      return `${got.stopped ?? 'ran'}, not ${want.stopped ?? 'ran'}: ${got.diagnostics.map(textOf).join('\n')}`
    // In loops the engines order findings of one statement differently (docs/execution.md).
    const [found, wanted] = [got, want].map((x) => [
      ...x.diagnostics.map(textOf).sort(),
      `${x.undefinedCount} undefined`,
    ])
    const n = found!.findIndex((text, i) => text !== wanted![i])
    if (n >= 0 || found!.length !== wanted!.length)
      return `found ${found![n] ?? 'less'}, not ${wanted![Math.max(n, 0)]}`
    return undefined
  }

  /** Compares all memory, not only what is looked at after each program. */
  finish(): string | undefined {
    const at = this.#ours.differenceAnywhere(this.#theirs)
    return at === undefined ? undefined : `byte ${at} of the arena differs after all programs`
  }

  dispose(): void {
    this.#engine.dispose?.()
  }
}
