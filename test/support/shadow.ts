import type { Diagnostic } from '../../src/diagnostic/index.ts'
import type {
  DispatchOptions,
  DispatchResult,
  Engine,
  GroupCounts,
  LoadedShader,
  LoadOptions,
} from '../../src/engine/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/run/engine.ts'
import type { ResolvedBindings } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'

/**
 * Every run of a suite once more on the WebAssembly engine, before the reference engine: it must end alike, say the same
 * in the same words, and leave the same bytes. So suites that check what one engine finds check both.
 */

interface Shadow {
  readonly engine: Engine
  /** Programs and dispatches that have no code, by the diagnostics. */
  readonly notCompiled: Map<string, number>
  /** Runs that were compared. */
  runs: number
}

let shadow: Shadow | undefined

/** Compares all runs from now on. */
export function castShadow(width: 1 | 2 | 4 | undefined): Shadow {
  shadow = { engine: createWasmEngineWith({ width }), notCompiled: new Map(), runs: 0 }
  return shadow
}

const isBeyond = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((d) => d.code === 'engine-not-compiled')

function noteBeyond(s: Shadow, diagnostics: readonly Diagnostic[]): void {
  const { message } = diagnostics.find((d) => d.code === 'engine-not-compiled')!
  s.notCompiled.set(message, (s.notCompiled.get(message) ?? 0) + 1)
}

/** The shader of the shadow. What the reference refused must be refused. */
export function loadShadow(program: Program, options: LoadOptions, refused: boolean): LoadedShader | undefined {
  if (shadow === undefined) return undefined
  const loaded = shadow.engine.load(program, options)
  if (loaded.value !== undefined && refused) throw new Error('the WebAssembly engine loads what the reference refuses')
  if (loaded.value === undefined && isBeyond(loaded.diagnostics)) noteBeyond(shadow, loaded.diagnostics)
  else if (loaded.value === undefined && !refused) {
    throw new Error(
      `the WebAssembly engine refuses the program: ${loaded.diagnostics.map((d) => d.message).join('; ')}`,
    )
  }
  return loaded.value
}

/** Words of everything that is bound, and of counters. */
function wordsOf(bindings: ResolvedBindings): Int32Array[] {
  const views = [...bindings.b.values(), ...bindings.t.values(), ...bindings.u.values()]
  return views.flatMap((view) => {
    const { buffer, byteOffset, words } = view.storage
    const all = [new Int32Array(buffer, byteOffset, words.length)]
    if (view.kind === 'uav' && view.shape === 'structured' && view.counter !== undefined) all.push(view.counter.words)
    return all
  })
}

/** All that is reported to a user. */
const textOf = (d: Diagnostic): string =>
  `${d.code} ${d.severity} at ${JSON.stringify(d.place)}: ${d.message} (${(d.notes ?? []).join('; ')})`

/** What a user would see differ of two results. */
export function differences(want: DispatchResult, got: DispatchResult): string[] {
  const found: string[] = []
  if (want.stopped !== got.stopped) found.push(`ended ${got.stopped}, not ${want.stopped}`)
  if (want.undefinedCount !== got.undefinedCount)
    found.push(`${got.undefinedCount}, not ${want.undefinedCount} undefined`)
  const [wanted, gotten] = [want.diagnostics.map(textOf), got.diagnostics.map(textOf)]
  if (wanted.join('\n') !== gotten.join('\n')) found.push(`reported\n${gotten.join('\n')}\nnot\n${wanted.join('\n')}`)
  return found
}

/** Runs the reference after the shadow, over the same bytes, and throws where they differ. */
export function runShadowed(
  shader: LoadedShader | undefined,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  options: DispatchOptions,
  run: () => DispatchResult,
): DispatchResult {
  if (shadow === undefined || shader === undefined) return run()
  const words = wordsOf(bindings)
  const before = words.map((w) => w.slice())
  const got = shadow.engine.dispatch(shader, bindings, groups, options) as DispatchResult
  const after = words.map((w) => w.slice())
  words.forEach((w, i) => void w.set(before[i]!))
  const want = run()
  if (got.stopped === 'refused' && isBeyond(got.diagnostics)) {
    noteBeyond(shadow, got.diagnostics)
    return want
  }
  shadow.runs++
  const found = differences(want, got)
  if (want.stopped === undefined) {
    words.forEach((w, i) => {
      const at = w.findIndex((word, n) => word !== after[i]![n])
      if (at >= 0) found.push(`word ${at} of binding ${i} is ${after[i]![at]}, not ${w[at]}`)
    })
  }
  if (found.length > 0) throw new Error(`the WebAssembly engine differs: ${found.join('\n')}`)
  return want
}
