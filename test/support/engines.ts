import { type Diagnostic, valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type DispatchOptions,
  type DispatchResult,
  type Engine,
  type GroupCounts,
  type LoadOptions,
  matchBindings,
} from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith, type WasmEngineOptions } from '../../src/engine/wasm/run/engine.ts'
import { type Bindings, counterValue, createBuffer, createUav, type Schedule } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { programOf } from './run-text.ts'

/** What one run left: how it ended, what it found, and the words of everything that can be written. */
interface Outcome {
  readonly ended: string
  readonly findings: readonly string[]
  readonly words: ReadonlyMap<string, readonly number[]>
}

export interface CompareOptions extends DispatchOptions {
  readonly groups?: GroupCounts
  readonly load?: LoadOptions
  /** Compare with this many v128 a word alone; default: 1, 2 and 4. */
  readonly width?: 1 | 2 | 4
  /** Code holds values against what the compiler takes for granted; a claim that fails throws. */
  readonly assertions?: boolean
  /** Operations are emitted vector by vector, in chunks of a few. */
  readonly shortRuns?: boolean
  /** Bytes of the output at u9; default 16 for each of 64 threads. */
  readonly outputBytes?: number
  /** Compare how the dispatch ended and what was undefined, not what other threads had written until then. */
  readonly outcomeOnly?: boolean
}

/** Everything in a finding: which, where, of whom first, and how often. */
const textOf = (d: Diagnostic): string =>
  `${d.code} ${d.severity} at ${JSON.stringify(d.place)}: ${d.message} (${(d.notes ?? []).join('; ')})`

function findingsOf(result: DispatchResult): string[] {
  return [...result.diagnostics.map(textOf), `${result.undefinedCount} undefined`]
}

async function outcomeOf(
  engine: Engine,
  program: Program,
  bind: () => Bindings,
  options: CompareOptions,
): Promise<Outcome | string> {
  const {
    groups = [1, 1, 1],
    load = {},
    outputBytes = 1024,
    width: _width,
    outcomeOnly: _only,
    assertions: _asserts,
    shortRuns: _short,
    ...dispatch
  } = options
  const loaded = engine.load(program, load)
  if (loaded.value === undefined) return loaded.diagnostics.map((d) => `${d.code}: ${d.message}`).join('; ')
  const out = valueOrThrow(createBuffer({ byteLength: outputBytes }))
  const bindings = valueOrThrow(
    matchBindings(loaded.value.declarations, { ...bind(), u9: createUav(out, { raw: true }) }),
  )
  const result = await engine.dispatch(loaded.value, bindings, groups, dispatch)
  const words = new Map<string, readonly number[]>()
  for (const [key, view] of bindings.u) {
    words.set(`u${key}`, [...view.storage.words])
    if (view.shape === 'structured' && view.counter !== undefined) {
      words.set(`the counter of u${key}`, [counterValue(view.counter)])
    }
  }
  return { ended: result.stopped ?? 'ran', findings: findingsOf(result), words }
}

function differencesOf(want: Outcome, got: Outcome, outcomeOnly: boolean): string[] {
  const found: string[] = want.ended === 'refused' ? ['the reference engine refuses the dispatch'] : []
  if (want.ended !== got.ended) found.push(`${got.ended}, not ${want.ended}`)
  if (outcomeOnly) return found
  if (want.findings.join('\n') !== got.findings.join('\n')) {
    found.push(`found [${got.findings.join(', ')}], not [${want.findings.join(', ')}]`)
  }
  for (const [name, wanted] of want.words) {
    const words = got.words.get(name)!
    const at = wanted.findIndex((w, i) => w !== words[i])
    if (at >= 0) found.push(`${name}[${at}] is ${words[at]!.toString(16)}, not ${wanted[at]!.toString(16)}`)
  }
  return found
}

const REFERENCE = createReferenceEngine({})
const compiled = (settings: WasmEngineOptions) =>
  ([1, 2, 4] as const).map((width) => ({ width, engine: createWasmEngineWith({ width, ...settings }) }))
const COMPILED = compiled({})
const ASSERTING = compiled({ assertions: true })
const BY_VECTORS = compiled({ shortRuns: true })

function enginesFor({ assertions, shortRuns }: CompareOptions): typeof COMPILED {
  if (shortRuns === true) return BY_VECTORS
  return assertions === true ? ASSERTING : COMPILED
}

/**
 * Runs assembly text on the reference engine and on the WebAssembly engine with each number of lanes, the reference's
 * waves as wide; answers what differs, and where nothing ran. `bind` makes new resources for each run; u9 is a raw output that is added to them.
 */
export async function compareEngines(
  text: string,
  bind: () => Bindings,
  options: CompareOptions = {},
): Promise<string[]> {
  const program = programOf(text)
  const found: string[] = []
  for (const { width, engine } of enginesFor(options)) {
    if (options.width !== undefined && options.width !== width) continue
    const schedule: Schedule = { waveWidth: (width * 4) as Schedule['waveWidth'], order: 'forward', groupsInFlight: 1 }
    const want = await outcomeOf(REFERENCE, program, bind, { ...options, schedule })
    const got = await outcomeOf(engine, program, bind, options)
    if (typeof want === 'string' || typeof got === 'string') {
      found.push(`${width * 4} lanes: ${JSON.stringify(got)}, not ${JSON.stringify(want)}`)
    } else {
      found.push(...differencesOf(want, got, options.outcomeOnly === true).map((d) => `${width * 4} lanes: ${d}`))
    }
  }
  return found
}
