/** The single steps of walks over draws that ask, change, and go by lines: each answers with what is wrong, in words. */
import type { Change, DrawTimeLine, MemoryRange, RecordedChange, RecordedFinding } from '../../../src/debug/index.ts'
import type { LoadedShader } from '../../../src/engine/index.ts'
import { FILE, rowOfOpcode } from '../../../src/isa/index.ts'
import type { PreparedDraw } from '../frames/index.ts'
import type { Random } from '../random/random.ts'
import { copyDrawMemory, type DrawChange, type DrawMoment, type DrawMoments, momentsOfDraw } from './draw-moments.ts'
import { lineStep } from './lines.ts'
import type { Moment } from './moments.ts'

/** Statements of a draw that are written down; longer draws are left out. */
export const MOST = 3000

export interface DrawWalk {
  readonly draw: PreparedDraw
  readonly line: DrawTimeLine
  readonly random: Random
  /** Puts memory back to how the draw finds it. */
  readonly reset: () => void
  readonly changes: (DrawChange & { readonly recorded: RecordedChange })[]
  known: DrawMoments
}

/** Goes over the draw again with its changes, and leaves memory as it was; false where it has become too long. */
function refresh(w: DrawWalk): boolean {
  const back = copyDrawMemory(w.draw.resources)
  w.reset()
  const known = momentsOfDraw(w.draw, MOST, w.changes)
  back()
  if (known !== undefined) w.known = known
  return known !== undefined
}

/** A random change of the present moment, and how the draw that is written down makes it. */
function changeOf({ line, random }: DrawWalk, m: DrawMoment): { change: Change; make: DrawChange['make'] } | undefined {
  const bits = random.chance(0.5) ? random.below(2 ** 32) | 0 : random.pick([0, 1, 0x3f800000, 0x40000000])
  const { bindings, loaded } = line.line.source
  const views = [...bindings.u.values()]
  if (views.length > 0 && random.chance(0.4)) {
    const { resource, storage } = random.pick(views)
    const bytes = Uint8Array.from({ length: Math.min(4, storage.bytes.length) }, () => random.below(256))
    const byteOffset = random.below(storage.bytes.length - bytes.length + 1)
    const range: MemoryRange = { space: 'resource', resource, byteOffset, byteLength: bytes.length }
    return { change: { kind: 'memory', range, bytes }, make: () => storage.bytes.set(bytes, byteOffset) }
  }
  const { tempCount } = loaded.declarations
  if (tempCount === 0) return undefined
  const thread = random.pick(m.invocations)
  const place = { file: FILE.temp, indices: [random.below(tempCount)], component: random.below(4) }
  const make: DrawChange['make'] = (groups) => {
    // Changes before it may have left others in flight.
    const wave = groups
      .flatMap((g) => g.waves)
      .find(({ firstThread, laneCount }) => thread >= firstThread && thread < firstThread + laneCount)
    wave?.setRegister(place, thread - wave.firstThread, bits)
  }
  return { change: { kind: 'register', thread: { group: [0, 0, 0], thread }, place, bits }, make }
}

async function drop(w: DrawWalk, recorded: RecordedChange): Promise<void> {
  const place = w.changes.findIndex((c) => c.recorded.change === recorded.change)
  await w.line.dropChange(recorded)
  w.changes.splice(place, 1)
}

export async function changeStep(w: DrawWalk): Promise<string | undefined> {
  const { line, random } = w
  const { clock } = line
  // Batches that changes were made in may be gone after other changes.
  if ((await line.changesMade()).length !== w.changes.length) return `there are not ${w.changes.length} changes`
  const m = w.known.moments[clock]
  if (line.changes.length > 0 && (random.chance(0.4) || line.changes.length > 2)) {
    await drop(w, random.pick(line.changes))
    return refresh(w) ? undefined : 'without a change the draw is too long'
  }
  if (m === undefined || m.next === undefined || m.invocations.length === 0 || line.line.next === undefined)
    return undefined
  const made = changeOf(w, m)
  if (made === undefined) return undefined
  await line.change(made.change)
  const recorded = line.changes.findLast((c) => c.change === made.change || isCopy(c, made.change, clock))
  if (recorded === undefined) return `the change at ${clock} is not among the changes`
  w.changes.push({ recorded, batch: m.batch, clock: clock - line.batch.first, make: made.make })
  if (!refresh(w)) {
    await drop(w, recorded)
    refresh(w)
  }
  return undefined
}

/** Changes are kept as copies: of those of one clock the last one was made last. */
const isCopy = (c: RecordedChange, change: Change, clock: number): boolean =>
  c.clock === clock && JSON.stringify(c.change, hideResources) === JSON.stringify(change, hideResources)

const hideResources = (key: string, value: unknown): unknown => (key === 'resource' ? 'resource' : value)

/** Who accessed a word in the whole draw, in order. */
export async function historyStep(w: DrawWalk): Promise<string | undefined> {
  const { line, random, known } = w
  const all = known.moments.concat([...known.ends.values()]).flatMap((m) => m.accesses)
  if (all.length === 0) return undefined
  const { resource, at } = random.pick(all)
  const loads = random.chance(0.3)
  const byteOffset = at & ~3
  const range = { space: 'resource', resource, byteOffset, byteLength: 4 } as MemoryRange
  const from = line.clock
  const got = (await line.history(range, { loads }))!.map((a) => `${a.before} ${a.thread} ${a.access}`)
  if (line.clock !== from) return `a question moved the time line from ${from} to ${line.clock}`
  const want = doneBy(known).flatMap(({ accesses, before }) =>
    accesses
      .filter((a) => a.resource === resource && a.at < byteOffset + 4 && a.end > byteOffset)
      .filter((a) => loads || a.access !== 'load')
      .map((a) => `${before} ${a.invocation} ${a.access}`),
  )
  return got.join() === want.join() ? undefined : `the history of byte ${byteOffset} is ${got}, not ${want}`
}

/** What each statement accessed: at the end of a batch it is said by the batch's end. */
function doneBy({ moments, ends }: DrawMoments): { accesses: DrawMoment['accesses']; before: number }[] {
  return moments.flatMap((m, clock) => {
    const next = moments[clock + 1]
    const behind = next !== undefined && next.batch === m.batch ? next : ends.get(m.batch)
    return behind === undefined ? [] : [{ accesses: behind.accesses, before: clock }]
  })
}

/** What fixed functions find is about no statement, or about the output that streams are fed with. */
export const isOfPipeline = ({ code }: RecordedFinding): boolean =>
  code.startsWith('pipeline-') || code === 'check-stream-overflow'

/** The first moment of a stage, or of the draw where it runs nothing. */
const firstOf = ({ moments, stages }: DrawMoments, stage: string): number =>
  Math.max(
    0,
    moments.findIndex((m) => stages[m.batch] === stage),
  )

/** Whether the invocation of a finding executes its statement at its moment. */
function isAtInvocation(
  { before, stage, statement, thread }: RecordedFinding,
  { moments, stages }: DrawMoments,
): boolean {
  const m = moments[before]!
  return stages[m.batch] === stage && m.statement === statement && m.invocations.includes(thread.thread)
}

const VERTICES_OF = { pointlist: 1, linestrip: 2, trianglestrip: 3 } as const

/** The clocks of the emits that complete primitives of a stream, in the order of the invocations of each batch. */
function completedAt({ moments, stages }: DrawMoments, { declarations }: LoadedShader, stream: number): number[] {
  const { stage, program } = declarations
  if (stage.kind !== 'geometry') return []
  const size = VERTICES_OF[stage.streams.find((s) => s.stream === stream)?.topology ?? 'pointlist']
  const own = moments.flatMap((m, clock) => (stages[m.batch] === 'geometry' ? [{ ...m, clock }] : []))
  return [...new Set(own.map((m) => m.batch))].flatMap((batch) => {
    const strips = new Map<number, { clocks: number[]; length: number; emitted: number }>()
    for (const { statement, invocations, clock } of own.filter((m) => m.batch === batch)) {
      const s = program.statements[statement]
      const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
      if (s?.kind !== 'instruction' || traits?.kind !== 'stream') continue
      const index = s.operands[0]?.indices[0]
      const isIts = (index?.kind === 'immediate' ? index.value : 0) === stream
      for (const i of invocations) {
        const strip = strips.get(i) ?? { clocks: [], length: 0, emitted: 0 }
        strips.set(i, strip)
        const isKept = traits.emits && strip.emitted++ < stage.maxVertexCount
        if (isKept && isIts && ++strip.length >= size) strip.clocks.push(clock)
        if (traits.cuts && isIts) strip.length = 0
      }
    }
    return [...strips].sort(([a], [b]) => a - b).flatMap(([, { clocks }]) => clocks)
  })
}

/** Whether a full stream is found where the last vertex of the first primitive is made that had no room. */
function isWhereFull(f: RecordedFinding, { draw, known }: Pick<DrawWalk, 'draw' | 'known'>): boolean {
  if (!isAtInvocation(f, known)) return false
  const { batch } = known.moments[f.before]!
  const { geometry } = draw.pipeline
  if (geometry === undefined) {
    // The last statement of its invocation.
    return !known.moments.some((m, c) => c > f.before && m.batch === batch && m.invocations.includes(f.thread.thread))
  }
  const stream = known.result.streamOutput.findIndex((s, i) =>
    f.message.startsWith(`stream ${i} has ${s.primitivesStorageNeeded} `),
  )
  return completedAt(known, geometry.loaded, stream)[known.result.streamOutput[stream]!.primitivesWritten] === f.before
}

/** What is wrong with the findings of fixed functions: the draw's own diagnostics say what there are. */
function wrongOfPipeline(found: readonly RecordedFinding[], { draw, known }: DrawWalk): string | undefined {
  const { result } = known
  const warnings = [...draw.pipeline.diagnostics, ...result.diagnostics].filter(
    (d) => d.code.startsWith('pipeline-') && d.severity === 'warning',
  )
  const full = result.streamOutput.filter((s) => s.primitivesStorageNeeded > s.primitivesWritten)
  const want = [...warnings.map((d) => d.message), ...full.map(() => 'stream')].sort()
  const got = found.map((f) => (f.code === 'check-stream-overflow' ? 'stream' : f.message)).sort()
  if (got.join() !== want.join()) return `the pipeline finds ${got.join()}, not ${want.join()}`
  const wrong = found.find((f) => {
    if (f.code === 'check-stream-overflow') return !isWhereFull(f, { draw, known })
    if (f.message.includes('tessellation factor')) return f.stage !== 'hull' || !isAtInvocation(f, known)
    // All else is there before the stage that it is about.
    return f.before !== firstOf(known, f.stage!)
  })
  return wrong === undefined ? undefined : `${wrong.code} of the ${wrong.stage} shader is not at ${wrong.before}`
}

/** All findings with their moments, and where the other side of one is. */
export async function findingsStep(w: DrawWalk): Promise<string | undefined> {
  const { line, random, known } = w
  const from = line.clock
  const found = await line.findings()
  const ofPipeline = wrongOfPipeline(found.filter(isOfPipeline), w)
  if (ofPipeline !== undefined) return ofPipeline
  const all = found.filter((f) => !isOfPipeline(f))
  if (line.clock !== from) return `findings moved the time line from ${from} to ${line.clock}`
  const got = all.map((f) => `${f.before} ${f.stage} ${f.code} ${f.statement} ${f.invocation}: ${f.message}`)
  const want = known.findings.map(({ before, stage, finding: { code, site, message } }) => {
    return `${before} ${stage} ${code} ${site.statement} ${site.invocation}: ${message}`
  })
  const wrong = want.findIndex((text, i) => text !== got[i])
  if (got.length !== want.length || wrong >= 0)
    return `findings are ${got.length}, not ${want.length}: "${got[wrong]}", not "${want[wrong]}"`
  if (all.length === 0) return undefined
  const finding = random.pick(all)
  const at = await line.otherMoment(finding)
  if (line.clock !== from) return `the other side of a finding moved the time line from ${from} to ${line.clock}`
  if (at === undefined) return undefined
  const statements = [finding.statement, ...(finding.other ? [finding.other.statement] : [])]
  const isThere = at <= finding.before && statements.includes(known.moments[at]!.statement)
  return isThere ? undefined : `the other side of "${finding.code}" at ${finding.before} is not at ${at}`
}

/** A run to the next finding. */
export async function catchStep({ line, random, known }: DrawWalk): Promise<string | undefined> {
  const direction = random.pick(['forward', 'backward'] as const)
  const from = line.clock
  const ofPipeline = (await line.findings()).filter(isOfPipeline)
  const clocks = [...known.findings, ...ofPipeline].map((f) => f.before + 1).sort((a, b) => a - b)
  const want = direction === 'forward' ? clocks.find((c) => c > from) : clocks.findLast((c) => c < from)
  const stop = await line.run(direction, [{ kind: 'finding' }])
  const what = `${direction} from ${from} to a finding`
  if (want === undefined) return stop.reason === 'condition' ? `${what}: stopped at ${stop.clock}` : undefined
  return stop.reason === 'condition' && stop.clock === want
    ? undefined
    : `${what}: ${stop.reason} at ${stop.clock}, not at ${want}`
}

/** A step by made-up lines, in the batch that is looked at. */
export async function lineStepInBatch({ line, random, known }: DrawWalk): Promise<string | undefined> {
  const batch = line.batches.indexOf(line.batch)
  const { first, invocations } = line.batch
  const own = known.moments.filter((m) => m.batch === batch)
  const end = known.ends.get(batch)
  const effects = { memory: [], writes: [], findings: [], released: undefined, arrived: false, diverged: false }
  const moments = [...own, ...(end === undefined ? [] : [end])].map(
    (m): Moment => ({ ...m, group: 0, threads: m.invocations, effects }),
  )
  const inBatch = {
    get clock() {
      return line.clock - first
    },
    laneOf: line.laneOf.bind(line),
    step: async (...args: Parameters<DrawTimeLine['step']>) => {
      const stop = await line.step(...args)
      return { ...stop, clock: stop.clock - first }
    },
  } as unknown as DrawTimeLine
  const { engine, loaded, bindings, options = {} } = line.line.source
  const run = { engine, shader: loaded, bindings, groups: [1, 1, 1] as const, options }
  return lineStep({ random, line: inBatch, run, moments, isCut: false }, invocations)
}
