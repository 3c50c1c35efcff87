/** Random walks over time lines, forward and backward, held against a run that was gone over once from start to end. */
import {
  createTimeLine,
  type Direction,
  type MemoryRange,
  type RecordedAccess,
  type RecordedChange,
  type Stop,
  type StopCondition,
  type TimeLine,
} from '../../src/debug/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { matchBindings, threadCountOf } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { type ResolvedBindings, type Uav, UNDEFINED_POLICIES } from '../../src/machine/index.ts'
import { KERNEL_NAMES, prepareKernel, readKernel } from './kernel.ts'
import { Random } from './random/random.ts'
import { randomBindings } from './random-bindings.ts'
import { optionsOf, randomProgram } from './random-program.ts'
import { scheduleOfCase } from './snapshots.ts'
import { allMoments, digestOf, type Moment, type OracleChange, type OracleRun, placesOf } from './time-line-oracle.ts'

const ENGINE = createReferenceEngine({})

/** Moments that are written down of a run; walks stay below. */
const MOST_MOMENTS = 800

/** The bytes and counters of UAVs, copied by other means than those of snapshots. */
function copyContents(bindings: ResolvedBindings): () => void {
  const kept = [...bindings.u.values()].map((view) => {
    const counter = view.shape === 'structured' ? view.counter : undefined
    return { view, bytes: view.storage.bytes.slice(), counter, count: counter?.words[counter.index] }
  })
  return () => {
    for (const { view, bytes, counter, count } of kept) {
      view.storage.bytes.set(bytes)
      if (counter !== undefined) counter.words[counter.index] = count!
    }
  }
}

interface WalkState {
  readonly run: OracleRun
  readonly line: TimeLine
  readonly random: Random
  readonly reset: () => void
  readonly changes: (OracleChange & { readonly recorded: RecordedChange })[]
  moments: readonly Moment[]
  /** The run goes on behind what is written down. */
  isCut: boolean
}

/** Goes over the run again, with the changes, and leaves memory as it was. */
function refresh(s: WalkState): void {
  const back = copyContents(s.run.bindings)
  s.reset()
  const { moments, result } = allMoments(s.run, s.changes, MOST_MOMENTS)
  s.moments = moments
  s.isCut = result === undefined
  back()
}

const isAt = (m: Moment, group: number, threads: readonly number[]): boolean =>
  m.group === group && m.threads.some((t) => threads.includes(t))

interface Sought {
  readonly condition: StopCondition
  /** Whether the condition holds at a moment, by what was written down. */
  readonly holds: (m: Moment, clock: number) => boolean
}

const groupPosition = ({ groups: [x, y] }: OracleRun, group: number): readonly [number, number, number] => [
  group % x,
  Math.floor(group / x) % y,
  Math.floor(group / (x * y)),
]

function soughtStatement(s: WalkState): Sought {
  const { random, moments, run } = s
  const m = moments[random.below(moments.length)]!
  const statements = random.chance(0.2) ? undefined : [m.statement, moments[random.below(moments.length)]!.statement]
  const isHere = (x: Moment): boolean =>
    x.threads.length > 0 && (statements === undefined || statements.includes(x.statement))
  if (m.threads.length === 0 || random.chance(0.4))
    return { condition: { kind: 'statement', statements }, holds: isHere }
  const threads = [m.threads[0]!, random.below(threadCountOf(run.shader.declarations))]
  const group = groupPosition(run, m.group)
  return {
    condition: { kind: 'statement', statements, where: { group, threads } },
    holds: (x) => isHere(x) && isAt(x, m.group, threads),
  }
}

const uavsOf = ({ bindings }: OracleRun): (readonly [number, Uav])[] => [...bindings.u]

type Deed = Moment['did']['memory'][number]

/** The range of the first byte of an access, and which other accesses begin there. */
function rangeOfDeed(s: WalkState, one: Deed): { range: MemoryRange; isThere: (a: Deed) => boolean } | undefined {
  const { run } = s
  const { declarations } = run.shader
  const id = Number(one.space.replace(/\D/g, ''))
  if (one.space.startsWith('tgsm')) {
    const placeOf = (a: Deed): number =>
      a.space.startsWith('tgsm')
        ? declarations.tgsm.find((t) => t.register === Number(a.space.slice(4)))!.byteOffset + a.at
        : -1
    const byteOffset = placeOf(one)
    return { range: { space: 'tgsm', byteOffset, byteLength: 4 }, isThere: (a) => placeOf(a) === byteOffset }
  }
  const declared = declarations.uavs.find((u) => u.id === id)
  const view = uavsOf(run).find(([key]) => key === declared?.first)?.[1]
  // Ranges of several registers, texels, and resources that are bound twice, are left to other tests.
  if (!one.space.startsWith('uav') || declared === undefined || view === undefined) return undefined
  if (declared.first !== declared.last || declared.space !== 0 || declared.shape === 'typed') return undefined
  const all = [...run.bindings.u.values(), ...run.bindings.t.values()]
  if (all.filter((v) => v.resource === view.resource).length > 1) return undefined
  return {
    range: { space: 'resource', resource: view.resource, byteOffset: one.at, byteLength: 1 },
    isThere: (a) => a.space === one.space && a.at === one.at,
  }
}

function anyDeed({ moments, random }: WalkState): Deed | undefined {
  const touched = moments.filter((m) => m.did.memory.length > 0)
  return touched.length === 0 ? undefined : random.pick(random.pick(touched).did.memory)
}

function soughtMemory(s: WalkState): Sought | undefined {
  const one = anyDeed(s)
  const at = one === undefined ? undefined : rangeOfDeed(s, one)
  if (at === undefined) return undefined
  const access = s.random.pick(['read', 'write', 'change', 'any'] as const)
  const counts = (a: Deed): boolean => {
    if (access === 'any') return true
    if (access === 'change') return a.isChange
    return a.access === 'atomic' || (access === 'read') === (a.access === 'load')
  }
  return {
    condition: { kind: 'memory', ranges: [at.range], access },
    holds: (m) => m.did.memory.some((a) => at.isThere(a) && counts(a)),
  }
}

/** Who accessed a word in the whole run, in order. */
async function historyStep(s: WalkState): Promise<string | undefined> {
  const one = anyDeed(s)
  const at = one === undefined ? undefined : rangeOfDeed(s, one)
  if (at === undefined) return undefined
  const loads = s.random.chance(0.3)
  const clock = s.line.clock
  const all = await s.line.history(at.range, { loads })
  if (s.line.clock !== clock) return `a question moved the time line from ${clock} to ${s.line.clock}`
  const known = s.moments.length - 1
  const got = all!.filter((a) => a.before < known).map((a) => `${a.before} ${a.thread} ${a.access}`)
  const want = s.moments.flatMap((m, c) =>
    m.did.memory
      .filter((a) => at.isThere(a) && (loads || a.access !== 'load'))
      .map((a) => `${c - 1} ${a.thread} ${a.access}`),
  )
  if (got.join() !== want.join())
    return `the history of ${JSON.stringify(at.range, hideResources)} is ${got}, not ${want}`
  return s.run.options.undefinedPolicy === 'poison' ? undefined : wrongChain(all!, at.range.space === 'tgsm')
}

/** What one access left is what the next one to the same word found. */
function wrongChain(all: readonly RecordedAccess[], isOfGroups: boolean): string | undefined {
  const last = new Map<string, string>()
  for (const a of all) {
    const key = isOfGroups ? a.group.join() : ''
    const shared = last.get(key)
    if (shared !== undefined && shared !== a.original.join()) return `found ${a.original} at ${a.before}, not ${shared}`
    last.set(key, a.value.join())
  }
  return undefined
}

function soughtWrite(s: WalkState): Sought | undefined {
  const { random, moments, run } = s
  const writing = moments.filter((m) => m.did.writes.length > 0)
  if (writing.length === 0) return undefined
  const one = random.pick(random.pick(writing).did.writes)
  const isChange = random.chance(0.5)
  const component = random.below(4)
  const where = { group: groupPosition(run, one.group), threads: [one.thread] }
  return {
    condition: {
      kind: 'register',
      place: { file: 0, indices: [one.register], component },
      access: isChange ? 'change' : 'write',
      where,
    },
    holds: (m) =>
      m.did.writes.some(
        (w) =>
          w.group === one.group &&
          w.thread === one.thread &&
          w.register === one.register &&
          (((isChange ? w.changed : w.mask) >> component) & 1) === 1,
      ),
  }
}

function soughtOf(s: WalkState): Sought {
  const kinds: (() => Sought | undefined)[] = [
    () => soughtStatement(s),
    () => soughtStatement(s),
    () => soughtMemory(s),
    () => soughtWrite(s),
    () => ({ condition: { kind: 'divergence' }, holds: (m) => m.did.diverged }),
    () => ({ condition: { kind: 'barrier', at: 'release' }, holds: (m) => m.did.released !== undefined }),
    () => ({ condition: { kind: 'barrier', at: 'arrival' }, holds: (m) => m.did.arrived }),
  ]
  return s.random.pick(kinds)() ?? soughtStatement(s)
}

/** The clock at which a run must stop; -1 at the start, `moments.length` behind what is written down. */
function expectedStop(s: WalkState, from: number, direction: Direction, holds: Sought['holds']): number {
  const { moments } = s
  if (direction === 'forward') {
    for (let c = from + 1; c < moments.length; c++) if (holds(moments[c]!, c)) return c
    return moments.length
  }
  for (let c = from - 1; c >= 0; c--) if (holds(moments[c]!, c)) return c
  return -1
}

/** The same with hits counted from the start. */
function withHits(s: WalkState, sought: Sought): Sought {
  const { random, moments } = s
  if (random.chance(0.7) || sought.condition.when !== undefined) return sought
  const kind = random.pick(['equal', 'from', 'every'] as const)
  const count = 1 + random.below(4)
  const passed = new Set<number>()
  let n = 0
  moments.forEach((m, clock) => {
    if (!sought.holds(m, clock)) return
    n++
    if (kind === 'equal' ? n === count : kind === 'from' ? n >= count : n % count === 0) passed.add(clock)
  })
  return {
    condition: { ...sought.condition, hits: { kind, count } },
    holds: (_, clock) => passed.has(clock),
  }
}

async function runStep(s: WalkState): Promise<string | undefined> {
  const direction = s.random.pick(['forward', 'backward'] as const)
  const first = withHits(s, soughtOf(s))
  const all = s.random.chance(0.3) ? [first, withHits(s, soughtOf(s))] : [first]
  const from = s.line.clock
  const want = expectedStop(s, from, direction, (m, c) => all.some((x) => x.holds(m, c)))
  // Behind what is written down nothing is known.
  if (want === s.moments.length && s.isCut) return undefined
  const stop = await s.line.run(
    direction,
    all.map((x) => x.condition),
  )
  const what = `${direction} from ${from} to ${all.map((x) => JSON.stringify(x.condition, hideResources)).join(' or ')}`
  return wrongStop(s, stop, want, what) ?? wrongHits(s, stop, all, what)
}

const hideResources = (key: string, value: unknown): unknown => (key === 'resource' ? 'resource' : value)

function wrongStop(s: WalkState, stop: Stop, want: number, what: string): string | undefined {
  const clock = want < 0 ? 0 : want === s.moments.length ? want - 1 : want
  const reason = want < 0 ? 'start' : want === s.moments.length ? 'end' : undefined
  if (stop.clock !== clock) return `${what}: stopped at ${stop.clock} (${stop.reason}), not at ${clock}`
  if (reason !== undefined && stop.reason !== reason) return `${what}: the reason is ${stop.reason}, not ${reason}`
  return undefined
}

/** The conditions that are said to hold are those that do. */
function wrongHits(s: WalkState, stop: Stop, all: readonly Sought[], what: string): string | undefined {
  if (stop.reason !== 'condition') return undefined
  const m = s.moments[stop.clock]!
  for (const { condition, holds } of all) {
    const isHit = stop.hits.some((h) => h.condition === condition)
    if (isHit !== holds(m, stop.clock))
      return `${what}: at ${stop.clock} ${condition.kind} is ${isHit ? '' : 'not '}hit`
  }
  return undefined
}

/** A step of a lane, a wave or a group. */
async function unitStep(s: WalkState): Promise<string | undefined> {
  const { random, moments, line, run } = s
  const direction = random.pick(['forward', 'backward'] as const)
  const at = moments[random.chance(0.5) ? line.clock : random.below(moments.length)]!
  if (at.next === undefined) return undefined
  if (at.threads.length === 0) return undefined
  const thread = random.pick(at.threads)
  const group = groupPosition(run, at.group)
  const unit = random.pick(['group', 'wave', 'lane', 'lane'] as const)
  const depth = random.pick(['in', 'over', 'out'] as const)
  const state = line.laneOf({ group, thread })
  const callDepth = state?.wave.callDepth ?? 0
  const deepest = depth === 'in' ? 99 : depth === 'over' ? callDepth : callDepth - 1
  const holds = (m: Moment): boolean => {
    if (m.group !== at.group) return false
    if (unit === 'group') return true
    if (unit === 'wave') return m.wave === at.wave
    return m.threads.includes(thread) && m.callDepth <= deepest
  }
  const from = line.clock
  // Where the group ends, or begins, without another statement of the unit, steps stop there.
  const want = expectedStop(s, from, direction, holds)
  if (want === moments.length && s.isCut) return undefined
  const stop = await line.step(
    direction,
    unit === 'lane' ? { unit, thread: { group, thread }, depth } : { unit, thread: { group, thread } },
  )
  const what = `${direction} from ${from} by ${unit} ${depth} of thread ${thread} of group ${at.group}`
  if (stop.reason === 'reached') return wrongStop(s, stop, want, what)
  if (stop.reason !== 'group')
    return want < 0 || want === moments.length ? undefined : `${what}: ended with ${stop.reason}`
  const ran = (m: Moment): boolean => m.group === at.group
  const [low, high] = direction === 'forward' ? [from, stop.clock] : [stop.clock, from]
  const between = moments.slice(low + (direction === 'forward' ? 1 : 0), high).some(holds)
  const beyond = direction === 'forward' ? moments.slice(stop.clock) : moments.slice(0, stop.clock)
  return between || beyond.some(ran) ? `${what}: said at ${stop.clock} that the group has none` : undefined
}

async function changeStep(s: WalkState): Promise<string | undefined> {
  const { line, random, run } = s
  const clock = line.clock
  const m = s.moments[clock]!
  if (random.chance(0.3) && line.changes.length > 0) {
    const dropped = random.pick(line.changes)
    await line.dropChange(dropped)
    s.changes.splice(
      s.changes.findIndex((c) => c.recorded === dropped),
      1,
    )
    refresh(s)
    return undefined
  }
  if (m.next === undefined || m.threads.length === 0 || s.changes.length > 2) return undefined
  const thread = random.pick(m.threads)
  const group = groupPosition(run, m.group)
  const bits = random.below(2 ** 32) | 0
  const places = placesOf(run.shader).filter((p) => p.file === 0)
  if (places.length === 0) return undefined
  const place = random.pick(places)
  await line.change({ kind: 'register', thread: { group, thread }, place, bits })
  // Of changes with one clock the last one was made last.
  const recorded = line.changes.findLast((c) => c.clock === clock)!
  s.changes.push({
    recorded,
    clock,
    make: (groups) => {
      const wave = groups.find((g) => g.group === m.group)!.waves[m.wave]!
      wave.setRegister(place, thread - wave.firstThread, bits)
    },
  })
  s.changes.sort((a, b) => a.clock - b.clock)
  refresh(s)
  return undefined
}

async function jump(s: WalkState): Promise<string | undefined> {
  const { line, random, moments } = s
  const near = random.chance(0.5)
  const clock = near
    ? Math.max(0, Math.min(moments.length - 1, line.clock + random.below(41) - 20))
    : random.below(moments.length)
  await line.goTo(clock)
  return line.clock === clock ? undefined : `went to ${clock} and stands at ${line.clock}`
}

async function single(s: WalkState): Promise<string | undefined> {
  const direction = s.random.pick(['forward', 'backward'] as const)
  const from = s.line.clock
  const want = from + (direction === 'forward' ? 1 : -1)
  if (want >= s.moments.length) return undefined
  await s.line.step(direction, { unit: 'any' })
  return s.line.clock === Math.max(0, want) ? undefined : `a step ${direction} from ${from} led to ${s.line.clock}`
}

/** What the time line shows must be what was written down. */
function wrongState(s: WalkState): string | undefined {
  const { line, run, moments } = s
  const m = moments[line.clock]
  if (m === undefined) return `stands at ${line.clock} of ${moments.length}`
  const next = line.next === undefined ? undefined : JSON.stringify(line.next)
  if (next !== m.next) return `at ${line.clock} ${next} is next, not ${m.next}`
  const digest = digestOf(line.groups, run.bindings, placesOf(run.shader))
  return digest === m.digest ? undefined : `at ${line.clock} the state is another`
}

/** A run without a time line: what it answers, and the bytes that it leaves. */
function plainEnd({ run, reset }: WalkState): string {
  const { engine, shader, bindings, groups, options } = run
  reset()
  const result = engine.dispatch(shader, bindings, groups, options)
  return endText(result, bindings)
}

function endText(result: unknown, bindings: ResolvedBindings): string {
  const bytes = [...bindings.u.values()].map((view) => {
    const counter = view.shape === 'structured' ? view.counter : undefined
    return `${[...view.storage.words].join()} ${counter?.words[counter.index]}`
  })
  return `${JSON.stringify(result)} ${bytes.join('; ')}`
}

/** Without its changes, the time line ends as a run without it does. */
async function wrongEnd(s: WalkState): Promise<string | undefined> {
  const { line, run } = s
  for (const change of [...line.changes]) await line.dropChange(change)
  await line.goTo(Number.MAX_SAFE_INTEGER)
  const got = endText(line.result, run.bindings)
  const want = plainEnd(s)
  return got === want ? undefined : `the end is ${got.slice(0, 300)}, not ${want.slice(0, 300)}`
}

/** Walks over a run; the first thing that is wrong, in words. */
async function walk(run: OracleRun, seed: number, steps: number): Promise<string | undefined> {
  const reset = copyContents(run.bindings)
  const random = new Random(seed)
  const { engine, shader: loaded, bindings, groups, options } = run
  const limits = random.chance(0.3) ? { maxCheckpointBytes: 1 << random.below(24) } : {}
  const line = valueOrThrow(createTimeLine({ engine, loaded, bindings, groups, options }, limits))
  const s: WalkState = { run, line, random, reset, changes: [], moments: [], isCut: false }
  refresh(s)
  const ways = [
    jump,
    jump,
    single,
    single,
    single,
    runStep,
    runStep,
    runStep,
    runStep,
    unitStep,
    unitStep,
    historyStep,
    changeStep,
  ]
  for (let n = 0; n < steps; n++) {
    const wrong = (await random.pick(ways)(s)) ?? wrongState(s)
    if (wrong !== undefined) return `step ${n}: ${wrong}`
  }
  const wrong = await wrongEnd(s)
  line.dispose()
  reset()
  return wrong
}

/** A walk over a corner of a kernel, cut off by the budget of instructions. */
export function walkKernel(name: string, n: number, steps: number): Promise<string | undefined> {
  const kernel = readKernel(name)
  const shader = valueOrThrow(ENGINE.load(kernel.program))
  const bindings = valueOrThrow(matchBindings(shader.declarations, prepareKernel(kernel).bindings))
  const [x, y] = kernel.dispatch
  const most = threadCountOf(shader.declarations) > 64 ? 1 : 3
  const groups = [Math.min(x, most), x > 1 ? 1 : Math.min(y, most), 1] as const
  const options = { schedule: scheduleOfCase(n), maxInstructionsPerThread: 150 }
  return walk({ engine: ENGINE, shader, bindings, groups, options }, n, steps)
}

/** A walk over a random program of a seed, which also chooses its schedule and what is done about the undefined. */
export function walkRandom(seed: number, steps: number): Promise<string | undefined> {
  const p = randomProgram(seed, optionsOf(seed))
  const shader = valueOrThrow(ENGINE.load(p.program))
  const fill = { numbers: p.numbers, hints: p.hints, unbound: 1 / 12 }
  const bindings = valueOrThrow(
    matchBindings(shader.declarations, randomBindings(shader.declarations, seed, fill).bindings),
  )
  const options = {
    schedule: scheduleOfCase(seed),
    undefinedPolicy: UNDEFINED_POLICIES[seed % 3]!,
    classInstances: p.classInstances,
    maxInstructionsPerThread: 20_000,
  }
  return walk({ engine: ENGINE, shader, bindings, groups: p.groups, options }, seed, steps)
}

export { KERNEL_NAMES }
