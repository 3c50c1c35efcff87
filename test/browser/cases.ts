import { type Engine, nextTask } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { assemble, Device, hasErrors, uav } from '../../src/index.ts'
import { sharedCounts } from '../../src/pipeline/index.ts'
import { type Refusal, type Run, runProgram } from '../support/differential.ts'
import { FIXED_SEEDS } from '../support/fixed-seeds.ts'
import {
  asWideAs,
  compareFrame,
  type FrameRun,
  outcomesText,
  type RandomFrame,
  randomFrame,
  runFrame,
} from '../support/frames/index.ts'
import { failedChecks, type Kernel, type KernelRun, outcomeOf, prepareKernel } from '../support/kernel-run.ts'
import { randomProgram } from '../support/random-program.ts'
import { LANES } from '../support/random-stage-program.ts'

/**
 * What runs in Node, in a page and in a page's worker alike. Everything is told as plain data, so that the runs can be
 * compared: contents as digests, each under a name that says which program to look at.
 */

/** 64 bits over words: the contents of two runs are compared by it. */
class Digest {
  #a = 0x811c9dc5
  #b = 0x9e3779b9
  add(words: Iterable<number>): this {
    for (const word of words) {
      this.#a = Math.imul(this.#a ^ word, 0x01000193)
      this.#b = Math.imul(this.#b ^ (this.#b >>> 15) ^ word, 0x2c1b3c6d)
    }
    return this
  }
  toString(): string {
    return [this.#a, this.#b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
  }
}

function digestOf(contents: readonly Uint32Array[]): string {
  const digest = new Digest()
  for (const words of contents) digest.add(words)
  return digest.toString()
}

/** What a run left, or why there is nothing to compare: `NOT_COMPARED` begins such texts. */
function textOf(run: Run | Refusal): string {
  if ('refused' in run) return `${run.notCompiled ? NOT_COMPARED : 'refused'}: ${run.refused}`
  if (run.stopped === 'budget') return `${NOT_COMPARED}: budget`
  return `${run.stopped ?? 'ran'} ${digestOf(run.outputs.map((o) => o.words))}`
}

/** Programs that an engine does not compile, or that take longer than they are worth. */
export const NOT_COMPARED = 'not compared'

/** What each seeded program leaves in its outputs, as a digest by its seed; `threads` is the WebAssembly engine's. */
export async function differentialDigests(
  engine: 'reference' | 'wasm',
  threads: number,
): Promise<Record<string, string>> {
  const engines =
    engine === 'reference'
      ? [createReferenceEngine({})]
      : ([1, 2, 4] as const).map((width) => createWasmEngineWith({ width, threads }))
  const digests: Record<string, string> = {}
  for (const { seed, options, load } of FIXED_SEEDS.flatMap((set) => set.seeds)) {
    const run = await runProgram(engines[seed % engines.length]!, randomProgram(seed, options), seed, load)
    digests[`seed ${seed}`] = textOf(run)
  }
  for (const e of engines) e.dispose?.()
  return digests
}

/** What a frame left on the reference engine: contents, counts and findings. */
function frameDigest(frame: RandomFrame, run: FrameRun): string {
  const digest = new Digest()
  for (const words of run.contents.values()) digest.add(words)
  return digest.add([...outcomesText(frame, run)].map((c) => c.charCodeAt(0))).toString()
}

const WIDTHS = [1, 2, 4] as const
const widthOf = (seed: number): 1 | 2 | 4 => WIDTHS[seed % 3]!

/** What each random frame leaves on the reference engine, as a digest by its seed; `threads` are those of the engine it is compared with. */
export function frameDigests(seeds: readonly number[], threads = 1): Record<string, string> {
  const reference = createReferenceEngine({})
  return Object.fromEntries(
    seeds.map((seed) => {
      const frame = randomFrame(seed)
      const width = threads === 1 ? widthOf(seed) : 1
      return [`seed ${seed}`, frameDigest(frame, runFrame(frame, asWideAs(reference, LANES[width])))]
    }),
  )
}

/** What frames leave with compiled code, by seed: the same digest where the reference engine leaves it too, else how they differ. */
export interface FrameVerdicts {
  readonly verdicts: Record<string, string>
  /** Draws that workers had a part in, and their tiles. */
  readonly sharedDraws: number
  readonly tilesOfWorkers: number
}

/** Engines by width; with several threads, whose workers load a module from an address, there is one width. */
async function frameEngines(threads: number, workerModule: string | undefined): Promise<readonly Engine[]> {
  if (threads === 1) return WIDTHS.map((width) => createWasmEngineWith({ width, threads: 1 }))
  const engine = createWasmEngineWith({ width: 1, threads, workerModule, startNow: true, minSharedMs: 0 })
  const end = performance.now() + 20_000
  while (engine.sharedWork!.readyCount < threads - 1 && performance.now() < end) await nextTask()
  return [engine]
}

/** Runs frames on compiled code and on the reference engine here. */
export async function frameVerdicts(
  seeds: readonly number[],
  threads = 1,
  workerModule?: string,
): Promise<FrameVerdicts> {
  const reference = createReferenceEngine({})
  const compiled = await frameEngines(threads, workerModule)
  const before = { ...sharedCounts }
  const verdicts = seeds.map((seed) => {
    const frame = randomFrame(seed)
    const width = threads === 1 ? widthOf(seed) : 1
    const { verdict } = compareFrame(frame, reference, compiled[seed % compiled.length]!, LANES[width])
    const text = verdict.kind === 'equal' ? frameDigest(frame, verdict.run) : JSON.stringify(verdict)
    return [`seed ${seed}`, text] as const
  })
  for (const engine of compiled) engine.dispose?.()
  return {
    verdicts: Object.fromEntries(verdicts),
    sharedDraws: sharedCounts.draws - before.draws,
    tilesOfWorkers: sharedCounts.tilesOfWorkers - before.tilesOfWorkers,
  }
}

function contentsOf(kernel: Kernel, run: KernelRun): Uint32Array[] {
  return Object.values(outcomeOf(kernel, run)).map((bytes) => new Uint32Array(bytes.buffer, 0, bytes.length / 4))
}

/** What a kernel left through the public `Device`. */
export interface KernelReport {
  /** The engine that ran it: what one engine cannot run another does. */
  readonly engine: string | undefined
  /** Checks of its results that failed. */
  readonly failed: readonly string[]
  readonly digest: string
}

/** Each kernel on one device with the WebAssembly engine, which is disposed of at the end. */
export async function kernelReports(
  kernels: readonly Kernel[],
  threads: number,
): Promise<Record<string, KernelReport>> {
  const device = new Device({ engine: 'wasm', threads })
  const reports: Record<string, KernelReport> = {}
  for (const kernel of kernels) {
    const run = prepareKernel(kernel, device)
    const { engine } = await device.dispatch(device.createShader(kernel.program), run.bindings, kernel.dispatch)
    reports[kernel.name] = { engine, failed: failedChecks(kernel, run), digest: digestOf(contentsOf(kernel, run)) }
  }
  device.dispose()
  return reports
}

/** What kernels leave that run long enough for workers to take part, as digests. */
export async function largeDigests(kernels: readonly Kernel[], threads: number): Promise<Record<string, string>> {
  const device = new Device({ engine: 'wasm', threads })
  // Once groups have met, workers are there.
  if (threads > 1) await meet(device, 100)
  const digests: Record<string, string> = {}
  for (const kernel of kernels) {
    const run = prepareKernel(kernel, device)
    await device.dispatch(device.createShader(kernel.program), run.bindings, kernel.dispatch)
    digests[kernel.name] = digestOf(contentsOf(kernel, run))
  }
  device.dispose()
  return digests
}

const MEETING_GROUPS = 4096
const MEETING_ADDITIONS = 200
/**
 * Every group adds to one word; the group in the middle then waits, not without end, for a word that only the last group
 * sets. Groups are handed out in order, so on one thread it waits in vain.
 */
const MEETING = `
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadGroupID.x
dcl_temps 2
dcl_thread_group 1, 1, 1
mov r0.x, l(0)
loop
  uge r0.y, r0.x, l(${MEETING_ADDITIONS})
  breakc_nz r0.y
  atomic_iadd u0, l(0), l(1)
  iadd r0.x, r0.x, l(1)
endloop
ieq r0.y, vThreadGroupID.x, l(${MEETING_GROUPS - 1})
if_nz r0.y
  atomic_or u0, l(4), l(1)
endif
ieq r0.y, vThreadGroupID.x, l(${MEETING_GROUPS / 2})
if_nz r0.y
  mov r0.x, l(0)
  loop
    uge r0.y, r0.x, l(${1 << 22})
    breakc_nz r0.y
    imm_atomic_or r1.x, u0, l(4), l(0)
    if_nz r1.x
      atomic_or u0, l(8), l(1)
      break
    endif
    iadd r0.x, r0.x, l(1)
  endloop
endif
ret
`

/** What a dispatch left in which groups of different threads can meet. */
export interface Meeting {
  /** Groups ran at the same time: one saw what a later one wrote. */
  readonly met: boolean
  /** Atomic additions that were lost; 0 however many threads there are. */
  readonly lost: number
  /** What the dispatches said, in their order. */
  readonly said: readonly string[]
}

/**
 * Dispatches `MEETING` until groups have met, `attempts` times at most. Workers of a page start when the page's code
 * yields, so the first dispatches may be alone; between two there are 20 ms.
 */
export async function meet(device: Device, attempts: number): Promise<Meeting> {
  const { value, diagnostics } = assemble(MEETING)
  if (value === undefined || hasErrors(diagnostics)) throw new Error(JSON.stringify(diagnostics))
  const shader = device.createShader(value)
  let lost = 0
  const said: string[] = []
  for (let n = 0; n < attempts; n++) {
    const words = device.createBuffer({ byteLength: 16 })
    const result = await device.dispatch(shader, { u0: uav(words, { raw: true }) }, [MEETING_GROUPS, 1, 1])
    said.push(...result.diagnostics.map((d) => `${d.severity} ${d.code}: ${d.message}`))
    const [sum, , met] = words.read()
    lost += Math.abs(MEETING_GROUPS * MEETING_ADDITIONS - sum!)
    if (met !== 0) return { met: true, lost, said }
    await new Promise<void>((resolve) => setTimeout(resolve, 20))
  }
  return { met: false, lost, said }
}
