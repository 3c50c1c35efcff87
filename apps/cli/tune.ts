import { execFileSync } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { type Diagnostic, diagnostic } from '../../src/diagnostic/index.ts'
import { passesSelfTest } from './self-test.ts'

/**
 * Switches of V8 that make compiled shaders faster. They hold for the whole process, workers too, from the first
 * WebAssembly code on, and cannot be taken back: so they are set only where a user requests it.
 */

/** Pairs of 128-bit vectors become 256-bit ones (V8's revectorization, experimental, x64 only). */
const PACKING = '--experimental-wasm-revectorize'
/** Relaxed SIMD, where it is not on by itself: fused multiply-add for `fma: 'allow'`. */
const RELAXED = '--experimental-wasm-relaxed-simd'
/** Optimized code at once: V8 does not replace the code of a call that is running. */
const OPTIMIZED = '--no-liftoff'

/** V8 before this has an older pass of the same name that packs next to nothing of this code (Node 22). */
const FIRST_V8 = 13

/** What became of the request to tune. */
export interface Tuning {
  /** The runtime packs pairs of vectors. */
  readonly pairs: boolean
  /** Compiled code gave wrong results: run elsewhere. */
  readonly failed: boolean
  readonly diagnostics: readonly Diagnostic[]
}

/** The names of V8's switches in this runtime; naming one that it does not have would print an error. */
function knownSwitches(): ReadonlySet<string> {
  try {
    const text = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8', maxBuffer: 1 << 24 })
    return new Set(text.match(/^ {2}--[\w-]+/gm)?.map((name) => name.trim()))
  } catch {
    return new Set()
  }
}

/** Sets what this runtime has; must come before the first WebAssembly code. Answers whether it packs pairs. */
function setSwitches(): boolean {
  const known = knownSwitches()
  const packs = process.arch === 'x64' && Number.parseInt(process.versions.v8, 10) >= FIRST_V8 && known.has(PACKING)
  for (const name of packs ? [PACKING, OPTIMIZED, RELAXED] : [RELAXED]) if (known.has(name)) setFlagsFromString(name)
  return packs
}

/** What comes of a runtime that packs pairs or does not, and of the test of what it makes. */
export async function tuningOf(packs: boolean, passes: () => Promise<boolean>): Promise<Tuning> {
  const runtime = `Node ${process.version}, V8 ${process.versions.v8}, ${process.arch}`
  if (!packs) {
    return { pairs: false, failed: false, diagnostics: [diagnostic('tune-no-effect', `nothing to tune in ${runtime}`)] }
  }
  if (await passes()) return { pairs: true, failed: false, diagnostics: [] }
  const text = `vector code gives wrong results under ${PACKING} in ${runtime}; everything runs on the reference engine`
  return { pairs: false, failed: true, diagnostics: [diagnostic('tune-self-test', text)] }
}

let tuning: Promise<Tuning> | undefined

/** Tunes the runtime and tests what it then makes, once a process; diagnostics come with the first call only. */
export async function tuneRuntime(): Promise<Tuning> {
  if (tuning !== undefined) return { ...(await tuning), diagnostics: [] }
  tuning = tuningOf(setSwitches(), passesSelfTest)
  return tuning
}
