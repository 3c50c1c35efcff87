/** Random walks over the time lines of draws, held against the draws themselves, which were gone over statement by statement. */
import { createDrawTimeLine, type StopCondition } from '../../../src/debug/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { createReferenceEngine } from '../../../src/engine/reference/index.ts'
import { WAVE_WIDTHS } from '../../../src/machine/index.ts'
import { drawAtOnce } from '../draw-text.ts'
import { asWideAs, type PreparedDraw, randomFrame, visitDraws } from '../frames/index.ts'
import { Random } from '../random/random.ts'
import {
  batchDigest,
  copyDrawMemory,
  type DrawMoment,
  momentsOfDraw,
  storagesOfDraw,
  targetsOf,
  targetWords,
  withTargets,
} from './draw-moments.ts'
import { catchStep, changeStep, type DrawWalk, findingsStep, historyStep, lineStepInBatch, MOST } from './draw-steps.ts'

/** The state that the time line shows, with the batch that it shows. */
function wrongState({ draw, line, known }: DrawWalk): string | undefined {
  const { clock } = line
  const batch = line.batches.indexOf(line.batch)
  const { loaded, bindings, batch: own } = line.line.source
  const entry = own!.entry
  const isAtEnd = line.line.clock === line.batch.statements
  const m = isAtEnd ? known.ends.get(batch) : known.moments[clock]
  if (m === undefined) return `stands at ${clock} of ${known.moments.length}`
  if (m.batch !== batch) return `at ${clock} batch ${batch} is shown, not ${m.batch}`
  if (line.batch.stage !== known.stages[batch]) return `batch ${batch} is said to be of the ${line.batch.stage} shader`
  const next = line.line.next === undefined ? undefined : JSON.stringify(line.line.next)
  if (next !== m.next) return `at ${clock} ${next} is next, not ${m.next}`
  const layout = known.layouts[batch]!
  const state = batchDigest(loaded, bindings, entry, layout)(line.line.groups)
  return withTargets(state, targetWords(targetsOf(draw.resources))) === m.digest
    ? undefined
    : `at ${clock} in batch ${batch} (${line.batch.stage}) the state is another`
}

/** A condition that stops at statements or at stores, and where it holds. */
function randomDrawCondition({ random, known }: DrawWalk): {
  condition: StopCondition
  holds: (m: DrawMoment) => boolean
} {
  const { moments } = known
  const stores = moments.flatMap((m) => m.accesses).filter((a) => a.access !== 'load')
  if (stores.length > 0 && random.chance(0.4)) {
    const one = random.pick(stores)
    const range = { space: 'resource', resource: one.resource, byteOffset: one.at, byteLength: 1 } as never
    return {
      condition: { kind: 'memory', ranges: [range], access: 'write' },
      holds: (m) =>
        m.accesses.some((s) => s.access !== 'load' && s.resource === one.resource && one.at >= s.at && one.at < s.end),
    }
  }
  const { statement } = random.pick(moments)
  const threads = random.chance(0.5) ? undefined : [random.pick(random.pick(moments).invocations)]
  return {
    condition: { kind: 'statement', statements: [statement], ...(threads === undefined ? {} : { where: { threads } }) },
    holds: (m) =>
      m.statement === statement &&
      m.invocations.length > 0 &&
      (threads === undefined || m.invocations.includes(threads[0]!)),
  }
}

async function runStep(w: DrawWalk): Promise<string | undefined> {
  const { line, known, random } = w
  const direction = random.pick(['forward', 'backward'] as const)
  const { condition, holds } = randomDrawCondition(w)
  const from = line.clock
  // The end of a batch and the begin of the next are one clock.
  const here = (c: number): readonly DrawMoment[] => {
    const m = known.moments[c]
    const before = known.moments[c - 1]
    const end = before === undefined || before.batch === m?.batch ? undefined : known.ends.get(before.batch)
    return [m, end].filter((x) => x !== undefined)
  }
  const clocks = Array.from({ length: known.moments.length + 1 }, (_, c) => c)
  const list = clocks.filter((c) => (direction === 'forward' ? c > from : c < from) && here(c).some(holds))
  const want = direction === 'forward' ? list[0] : list.at(-1)
  const stop = await line.run(direction, [condition])
  const what = `${direction} from ${from} to ${condition.kind}`
  if (want === undefined) {
    const reason = direction === 'forward' ? 'end' : 'start'
    return stop.reason === reason ? undefined : `${what}: ${stop.reason} at ${stop.clock}, not ${reason}`
  }
  return stop.reason === 'condition' && stop.clock === want
    ? undefined
    : `${what}: ${stop.reason} at ${stop.clock}, not at ${want}`
}

async function jump({ line, known, random }: DrawWalk): Promise<string | undefined> {
  const clock = random.below(known.moments.length + 1)
  await line.goTo(clock)
  return line.clock === clock ? undefined : `went to ${clock} and stands at ${line.clock}`
}

async function single({ line, known, random }: DrawWalk): Promise<string | undefined> {
  const direction = random.pick(['forward', 'backward'] as const)
  const from = line.clock
  const want = Math.max(0, Math.min(known.moments.length, from + (direction === 'forward' ? 1 : -1)))
  await line.step(direction, { unit: 'any' })
  return line.clock === want ? undefined : `a step ${direction} from ${from} led to ${line.clock}`
}

/** The next statement of an invocation, or of its wave, in its batch. */
async function unitStep({ line, known, random }: DrawWalk): Promise<string | undefined> {
  const direction = random.pick(['forward', 'backward'] as const)
  const batch = line.batches.indexOf(line.batch)
  const own = known.moments.flatMap((m, clock) => (m.batch === batch ? [{ ...m, clock }] : []))
  const one = random.pick(own)
  if (one.invocations.length === 0) return undefined
  const thread = random.pick(one.invocations)
  const unit = random.pick(['lane', 'wave'] as const)
  const from = line.clock
  const isIts = (m: DrawMoment): boolean =>
    unit === 'lane' ? m.invocations.includes(thread) : m.firstInvocation === one.firstInvocation
  const list = own.filter((m) => isIts(m) && (direction === 'forward' ? m.clock > from : m.clock < from))
  const want = (direction === 'forward' ? list[0] : list.at(-1))?.clock
  const stop = await line.step(direction, { unit, thread: { group: [0, 0, 0], thread } })
  const what = `${direction} from ${from} by ${unit} of invocation ${thread} in batch ${batch}`
  if (want === undefined) return stop.reason === 'reached' ? `${what}: stopped at ${stop.clock}` : undefined
  return stop.reason === 'reached' && stop.clock === want ? undefined : `${what}: ${stop.reason} at ${stop.clock}`
}

/** What a draw left, as text. */
export function leftText(draw: PreparedDraw, result: unknown): string {
  const memory = storagesOfDraw(draw.resources).map((s) => [...s.words].join())
  return `${JSON.stringify(result)} ${memory.join('; ')}`
}

function plainLeft(draw: PreparedDraw): string {
  const { engine, pipeline, resources, call, options } = draw
  return leftText(draw, drawAtOnce(engine, pipeline, resources, call, options))
}

/** The ways of a walk, some of them oftener than others. */
const WAYS: readonly ((w: DrawWalk) => Promise<string | undefined>)[] = [
  ...[jump, jump, single, single, single, runStep, runStep, runStep, unitStep, unitStep],
  ...[jump, jump, single, single, single, runStep, runStep, runStep, unitStep, unitStep],
  ...[lineStepInBatch, lineStepInBatch, lineStepInBatch, historyStep, historyStep, catchStep, findingsStep, changeStep],
]

/** Walks over one draw; memory is left as it was. */
export async function walkDraw(
  draw: PreparedDraw,
  seed: number,
  steps: number,
  used: Set<string>,
): Promise<string | undefined> {
  const reset = copyDrawMemory(draw.resources)
  const plain = plainLeft(draw)
  reset()
  const known = momentsOfDraw(draw, MOST)
  if (known === undefined || known.moments.length === 0) {
    reset()
    return undefined
  }
  const left = leftText(draw, known.result)
  reset()
  const line = (await createDrawTimeLine(draw))!
  try {
    for (const stage of known.stages) used.add(stage)
    const random = new Random(seed)
    if (line.end !== known.moments.length) return `ends at ${line.end}, not at ${known.moments.length}`
    const w: DrawWalk = { draw, line, known, random, reset, changes: [] }
    for (let n = 0; n < steps; n++) {
      const wrong = (await random.pick(WAYS)(w)) ?? wrongState(w)
      if (wrong !== undefined) return `step ${n}: ${wrong}`
    }
    for (const c of line.changes) await line.dropChange(c)
    await line.goTo(line.end)
    const shown = leftText(draw, line.drawResult)
    if (shown !== plain) return `the time line ends with ${shown.slice(0, 300)}, not ${plain.slice(0, 300)}`
  } finally {
    line.dispose()
    reset()
  }
  const again = plainLeft(draw)
  reset()
  if (left !== plain) return 'gone over statement by statement, the draw leaves something else'
  return again === plain ? undefined : 'behind its time line the draw leaves something else'
}

/** An engine whose waves have the width of a seed. */
export const engineOfSeed = (seed: number): Engine =>
  asWideAs(createReferenceEngine({}), WAVE_WIDTHS[seed % WAVE_WIDTHS.length]!)

/** Walks over each draw of a random frame, under waves of a width; adds the stages that ran to `used`. */
export async function walkDraws(seed: number, steps: number, used: Set<string>): Promise<string | undefined> {
  const engine = engineOfSeed(seed)
  let [wrong, n] = [undefined as string | undefined, 0]
  await visitDraws(randomFrame(seed), engine, async (draw) => {
    n++
    if (wrong !== undefined) return
    const found = await walkDraw(draw, seed + n, steps, used)
    if (found !== undefined) wrong = `draw ${n}: ${found}`
  })
  return wrong
}
