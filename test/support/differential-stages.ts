import type { Diagnostic } from '../../src/diagnostic/index.ts'
import {
  type Batch,
  type BatchExecution,
  batchCapacity,
  blockOf,
  type ClassInstances,
  type Declarations,
  type Engine,
  isOfBatches,
  type LoadOptions,
  matchBindings,
  type QuadBatch,
  type RegisterLayout,
  type StreamSink,
} from '../../src/engine/index.ts'
import { FILE, rowOfOpcode } from '../../src/isa/index.ts'
import type { WaveWidth } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { type Numbers, Random, wordOf } from './random/random.ts'
import { randomBindings, type SlotHint } from './random-bindings.ts'
import { classInstancesOf } from './random-class-instances.ts'

/** Batches of graphics shaders with random inputs on two engines, for what differs. */

/** Invocations of a batch: no multiple of the lanes of any wave, but whole quads. */
export const STAGE_INVOCATIONS = 84
const COUNT = STAGE_INVOCATIONS
const MAX_INSTRUCTIONS = 4000

/** What a shader is run with beside random inputs and bindings. */
export interface StageSetup {
  readonly maxInstructions?: number
  readonly load?: LoadOptions
  /** Default: tame. */
  readonly numbers?: Numbers
  readonly hints?: Readonly<Record<string, SlotHint>>
  readonly classInstances?: ClassInstances
  /** Each invocation finds its number in vPrim, or in v0.x of stages without one, as random shaders take for granted. */
  readonly isNumbered?: boolean
  /** Lanes of the reference engine's waves: which lane reports a finding first depends on them. */
  readonly waveWidth?: WaveWidth
}

/** What a shader left: words by name, then what it reported. */
interface StageRun {
  readonly words: ReadonlyMap<string, Int32Array | Uint32Array>
  readonly emitted: readonly string[]
  readonly stopped: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Some pixels of each quad, never all: nothing covers such a quad. */
function helpersOf(r: Random): Uint8Array {
  const helpers = Uint8Array.from({ length: COUNT }, () => (r.chance(0.2) ? 1 : 0))
  for (let i = 0; i < COUNT; i += 4) helpers[i + r.below(4)] = 0
  return helpers
}

const quadsOf = (r: Random): QuadBatch => ({
  helpers: helpersOf(r),
  discarded: new Uint8Array(COUNT),
  sampleCount: 4,
  samplePosition: (i) => (i < 4 ? [i / 8, -i / 16] : [0, 0]),
  attributes: {
    snapped: (i, register, c, u, v) => i + register + c + u - v,
    sample: (i, register, c, index) => i + register + c + index,
    centroid: (i, register, c) => i + register + c,
  },
  pixelOf: (i) => String(i),
  depth: () => 0,
})

function batchOf(
  e: BatchExecution,
  entry: number,
  r: Random,
  { numbers = 'tame', isNumbered = false }: StageSetup,
  { declarations, inPlace }: { readonly declarations: Declarations; readonly inPlace: boolean },
  streams: StreamSink | undefined,
): Batch {
  const { inputs, outputs } = e.layouts[entry]!
  const columns = (inPlace ? e.columns?.(entry, batchCapacity(declarations)) : undefined) ?? {
    capacity: COUNT,
    inputs: new Int32Array(inputs.slotCount * COUNT),
    outputs: new Int32Array(outputs.slotCount * COUNT),
  }
  for (const words of [columns.inputs, columns.outputs]) {
    for (let first = 0; first < words.length; first += columns.capacity) {
      for (let i = 0; i < COUNT; i++) words[first + i] = r.chance(0.3) ? r.below(8) : wordOf(r, numbers)
    }
  }
  if (isNumbered) numberInvocations(inputs, columns)
  const isPixel = declarations.stage.kind === 'pixel'
  return {
    entry,
    count: COUNT,
    ...columns,
    keepsOutputs: entry > 0,
    quads: isPixel ? quadsOf(r) : undefined,
    streams,
    describe: (i) => `invocation ${i}`,
  }
}

function numberInvocations(layout: RegisterLayout, { inputs, capacity }: Pick<Batch, 'inputs' | 'capacity'>): void {
  const primitive = blockOf(layout, FILE['input-primitive-id'])
  // The pixel shaders have v0.x, so that quads are numbered through.
  const { firstSlot } = primitive ?? blockOf(layout, FILE.input)!
  for (let i = 0; i < COUNT; i++) inputs[firstSlot * capacity + i] = i
}

/** Runs every entry of a shader once; a text where the engine does not run it. */
function runStage(engine: Engine, program: Program, seed: number, setup: StageSetup): StageRun | string {
  const loaded = engine.load(program, setup.load)
  const refusal = (d: readonly Diagnostic[]): string => d.map((x) => x.message).join('; ')
  if (loaded.value === undefined) return refusal(loaded.diagnostics)
  const { declarations } = loaded.value
  const made = bindingsFor(engine, declarations, seed, setup)
  const matched = matchBindings(declarations, made.bindings)
  if (matched.value === undefined) throw new Error(refusal(matched.diagnostics))
  const { classInstances = classInstancesOf(declarations), maxInstructions = MAX_INSTRUCTIONS } = setup
  const { waveWidth } = setup
  const schedule =
    waveWidth === undefined ? {} : { schedule: { waveWidth, order: 'forward', groupsInFlight: 1 } as const }
  const options = { maxInstructionsPerThread: maxInstructions, classInstances, ...schedule }
  const begun = engine.begin(loaded.value, matched.value, { kind: 'batches' }, options)
  const execution = begun.value
  if (execution === undefined) return refusal(begun.diagnostics)
  if (!isOfBatches(execution)) throw new Error('the engine began no execution of batches')
  const words = new Map<string, Int32Array | Uint32Array>()
  const emitted: string[] = []
  const { kind } = declarations.stage
  const streams: StreamSink | undefined = kind === 'geometry' ? sinkInto(emitted) : undefined
  let stopped: string | undefined
  const r = new Random(seed)
  for (let entry = 0; entry < declarations.entries.length && stopped === undefined; entry++) {
    const batch = batchOf(execution, entry, r, setup, { declarations, inPlace: seed % 2 === 0 }, streams)
    execution.start(batch)
    const forever = Number.POSITIVE_INFINITY
    stopped = execution.run({ time: forever, deadline: forever })?.stopped
    if (kind !== 'geometry') words.set(`outputs of entry ${entry}`, livingOnly(batch))
    if (batch.quads !== undefined) words.set('discarded', discardedOf(batch.quads))
  }
  for (const o of made.outputs) words.set(o.name, o.words().slice())
  const { diagnostics } = execution.finish()
  execution.dispose()
  made.release()
  return { words, emitted, stopped, diagnostics }
}

function bindingsFor(engine: Engine, declarations: Declarations, seed: number, setup: StageSetup) {
  const own = engine.memory === undefined ? {} : { memory: engine.memory }
  const { numbers = 'tame', hints = {} } = setup
  return randomBindings(declarations, seed, { numbers, hints, integers: 0.5, unbound: 0.1, isOwn: true, ...own })
}

/** Events as text. A cut shows by the vertex behind it alone: engines may leave out the others. */
function sinkInto(emitted: string[]): StreamSink {
  const cuts = new Set<number>()
  let last = -1
  const begin = (invocation: number): void => {
    if (invocation !== last) cuts.clear()
    last = invocation
  }
  return {
    vertex(invocation, stream, words) {
      begin(invocation)
      emitted.push(`${invocation}, stream ${stream}${cuts.delete(stream) ? ' after a cut' : ''}: ${words.join(' ')}`)
    },
    cut(invocation, stream) {
      begin(invocation)
      cuts.add(stream)
    },
  }
}

/** What discarded pixels and helpers leave is read by nobody. */
function livingOnly({ outputs, quads, capacity }: Batch): Int32Array {
  const isRead = (i: number): boolean => quads?.helpers[i] !== 1 && quads?.discarded[i] !== 1
  return Int32Array.from({ length: (outputs.length / capacity) * COUNT }, (_, at) => {
    const i = at % COUNT
    return isRead(i) ? outputs[Math.floor(at / COUNT) * capacity + i]! : 0
  })
}

const discardedOf = ({ helpers, discarded }: QuadBatch): Int32Array =>
  Int32Array.from(discarded, (d, i) => (helpers[i] === 1 ? 0 : d))

export type StageVerdict =
  | { readonly kind: 'equal' | 'too-long' }
  | { readonly kind: 'not-compiled' | 'cannot-run' | 'differs'; readonly text: string }

/** Compares one shader on two engines. */
export function compareStage(
  reference: Engine,
  engine: Engine,
  program: Program,
  seed: number,
  setup: StageSetup = {},
): StageVerdict {
  const { waveWidth: _ofReference, ...own } = setup
  const want = runStage(reference, program, seed, setup)
  if (typeof want === 'string') return { kind: 'cannot-run', text: want }
  const got = runStage(engine, program, seed, own)
  if (typeof got === 'string')
    return { kind: got.includes('the compiler failed') ? 'differs' : 'not-compiled', text: got }
  if (want.stopped === 'budget' || got.stopped === 'budget') {
    // The last places differ: engines count what they execute in their own way (docs/execution.md).
    return want.stopped === got.stopped
      ? { kind: 'too-long' }
      : { kind: 'differs', text: `stopped: ${want.stopped}, ${got.stopped}` }
  }
  if (want.stopped !== got.stopped) return { kind: 'differs', text: `stopped: ${want.stopped}, ${got.stopped}` }
  // A shader that ends the draw leaves what the order of lanes makes of it.
  if (want.stopped !== undefined) return { kind: 'equal' }
  for (const [name, words] of want.words) {
    const other = got.words.get(name)!
    const at = words.findIndex((w, i) => w !== other[i])
    if (at < 0) continue
    const hex = (w: number | undefined): string => `0x${((w ?? 0) >>> 0).toString(16)}`
    return {
      kind: 'differs',
      text: `${name}[${at}] is ${hex(words[at])} on the reference engine, ${hex(other[at])} here`,
    }
  }
  const event = want.emitted.findIndex((e, i) => e !== got.emitted[i])
  if (event >= 0 || want.emitted.length !== got.emitted.length) {
    return { kind: 'differs', text: `event ${event}: ${want.emitted[event]}, here ${got.emitted[event]}` }
  }
  const differing = differentFindings(program, want, got)
  return differing === undefined ? { kind: 'equal' } : { kind: 'differs', text: differing }
}

/** A finding as text, as far as engines agree on it. */
export function findingText({ statements }: Program): (d: Diagnostic) => string {
  const isLabel = (s: Program['statements'][number]): boolean => {
    const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
    return traits?.kind === 'flow' && traits.action === 'label'
  }
  const firstLabel = statements.findIndex(isLabel)
  return (d) => {
    const isCalled = firstLabel >= 0 && d.place?.kind === 'statement' && d.place.index > firstLabel
    if (!isCalled) return JSON.stringify(d)
    // Of several calls of a subroutine compiled code names the least invocation that was concerned, not the first.
    const notes = d.notes?.map((note) => note.replace(/first by .*?(?=, and \d+ more|$)/, 'first by some invocation'))
    return JSON.stringify({ ...d, message: '', notes })
  }
}

/** What both report, in any order: that depends on how many lanes a wave has. */
function differentFindings(program: Program, want: StageRun, got: StageRun): string | undefined {
  const text = findingText(program)
  const [wanted, found] = [want.diagnostics.map(text), got.diagnostics.map(text)]
  const missing = wanted.filter((t) => !found.includes(t))
  const added = found.filter((t) => !wanted.includes(t))
  if (missing.length + added.length === 0) return undefined
  return `findings: missing ${missing.join('\n')}; added ${added.join('\n')}`
}
