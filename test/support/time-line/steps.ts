/** The single steps of walks: each answers with what is wrong, in words. */
import type { Change, RecordedAccess, Stop } from '../../../src/debug/index.ts'
import { placesOf } from './digest.ts'
import type { MadeChange, Moment } from './moments.ts'
import { anyAccess, type RandomCondition, randomCondition, rangeOfAccess, withHits } from './random-conditions.ts'
import { expectedStop, groupPosition, hideResources, refresh, type WalkState } from './state.ts'

/** Who accessed a word in the whole run, in order. */
export async function historyStep(s: WalkState): Promise<string | undefined> {
  const one = anyAccess(s)
  const at = one === undefined ? undefined : rangeOfAccess(s, one)
  if (at === undefined) return undefined
  const loads = s.random.chance(0.3)
  const clock = s.line.clock
  const all = await s.line.history(at.range, { loads })
  if (s.line.clock !== clock) return `a question moved the time line from ${clock} to ${s.line.clock}`
  const known = s.moments.length - 1
  const got = all!.filter((a) => a.before < known).map((a) => `${a.before} ${a.thread} ${a.access}`)
  const want = s.moments.flatMap((m, c) =>
    m.effects.memory
      .filter((a) => at.isThere(a) && (loads || a.access !== 'load'))
      .map((a) => `${c - 1} ${a.thread} ${a.access}`),
  )
  if (got.join() !== want.join())
    return `the history of ${JSON.stringify(at.range, hideResources)} is ${got}, not ${want}`
  // What the user writes is no access, and what is poisoned is not what was stored.
  const isWhole =
    s.run.options.undefinedPolicy !== 'poison' && s.line.changes.every((c) => c.change.kind === 'register')
  return !isWhole ? undefined : wrongChain(all!, at.range.space === 'tgsm')
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

export async function runStep(s: WalkState): Promise<string | undefined> {
  const direction = s.random.pick(['forward', 'backward'] as const)
  const first = withHits(s, randomCondition(s))
  const all = s.random.chance(0.3) ? [first, withHits(s, randomCondition(s))] : [first]
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

export function wrongStop(s: Pick<WalkState, 'moments'>, stop: Stop, want: number, what: string): string | undefined {
  const clock = want < 0 ? 0 : want === s.moments.length ? want - 1 : want
  const reason = want < 0 ? 'start' : want === s.moments.length ? 'end' : undefined
  if (stop.clock !== clock) return `${what}: stopped at ${stop.clock} (${stop.reason}), not at ${clock}`
  if (reason !== undefined && stop.reason !== reason) return `${what}: the reason is ${stop.reason}, not ${reason}`
  return undefined
}

/** The conditions that are said to hold are those that do. */
function wrongHits(s: WalkState, stop: Stop, all: readonly RandomCondition[], what: string): string | undefined {
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
export async function unitStep(s: WalkState): Promise<string | undefined> {
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

/** A random change of the present moment, and how the run that is written down makes it. */
function changeOf(s: WalkState): { readonly change: Change; readonly make: MadeChange['make'] } | undefined {
  const { line, random, run } = s
  const m = s.moments[line.clock]!
  const group = groupPosition(run, m.group)
  const bits = random.below(2 ** 32) | 0
  const kind = random.pick(['register', 'register', 'resource', 'tgsm', 'counter'] as const)
  if (kind === 'register') {
    const thread = random.pick(m.threads)
    const places = placesOf(run.shader).filter((p) => p.file === 0)
    if (places.length === 0) return undefined
    const place = random.pick(places)
    // Changes before it may have left others in flight: then it is left out.
    const make: MadeChange['make'] = (groups) => {
      const wave = groups.find((g) => g.group === m.group)?.waves[m.wave]
      wave?.setRegister(place, thread - wave.firstThread, bits)
    }
    return { change: { kind, thread: { group, thread }, place, bits }, make }
  }
  const bytes = Uint8Array.from({ length: 1 + random.below(9) }, () => random.below(256))
  if (kind === 'tgsm') {
    const { tgsmByteLength } = run.shader.declarations
    if (tgsmByteLength < bytes.length) return undefined
    const byteOffset = random.below(tgsmByteLength - bytes.length + 1)
    const make: MadeChange['make'] = (groups) => {
      const tgsm = groups.find((g) => g.group === m.group)?.tgsm
      if (tgsm !== undefined) new Uint8Array(tgsm.buffer, tgsm.byteOffset, tgsm.byteLength).set(bytes, byteOffset)
    }
    const range = { space: 'tgsm', group, byteOffset, byteLength: bytes.length } as const
    return { change: { kind: 'memory', range, bytes }, make }
  }
  const views = [...run.bindings.u.values()]
  if (views.length === 0) return undefined
  const view = random.pick(views)
  const { resource, storage } = view
  if (kind === 'counter') {
    const counter = view.shape === 'structured' ? view.counter : undefined
    if (counter === undefined) return undefined
    const count = random.below(100)
    const make = (): void => {
      counter.words[counter.index] = count
    }
    const range = { space: 'counter', resource } as const
    return { change: { kind: 'memory', range, bytes: new Uint8Array(Uint32Array.of(count).buffer) }, make }
  }
  if (storage.bytes.length < bytes.length) return undefined
  const byteOffset = random.below(storage.bytes.length - bytes.length + 1)
  const range = { space: 'resource', resource, byteOffset, byteLength: bytes.length } as const
  return { change: { kind: 'memory', range, bytes }, make: () => storage.bytes.set(bytes, byteOffset) }
}

export async function changeStep(s: WalkState): Promise<string | undefined> {
  const { line, random } = s
  const clock = line.clock
  const m = s.moments[clock]!
  if ((await line.changesMade()).length !== s.changes.length) return `there are not ${s.changes.length} changes`
  if (random.chance(0.3) && line.changes.length > 0) {
    const dropped = random.pick(line.changes)
    await line.dropChange(dropped)
    const place = s.changes.findIndex((c) => c.recorded === dropped)
    s.changes.splice(place, 1)
    refresh(s, dropped.clock)
    // Without the change the run may end before the moment that is looked at.
    return undefined
  }
  if (m.next === undefined || m.threads.length === 0 || s.changes.length > 2) return undefined
  const made = changeOf(s)
  if (made === undefined) return undefined
  await line.change(made.change)
  // Of changes with one clock the last one was made last.
  const recorded = line.changes.findLast((c) => c.clock === clock)!
  s.changes.push({ recorded, clock, make: made.make })
  s.changes.sort((a, b) => a.clock - b.clock)
  refresh(s, clock)
  return undefined
}

export async function jump(s: WalkState): Promise<string | undefined> {
  const { line, random, moments } = s
  const near = random.chance(0.5)
  const clock = near
    ? Math.max(0, Math.min(moments.length - 1, line.clock + random.below(41) - 20))
    : random.below(moments.length)
  await line.goTo(clock)
  return line.clock === clock ? undefined : `went to ${clock} and stands at ${line.clock}`
}

export async function single(s: WalkState): Promise<string | undefined> {
  const direction = s.random.pick(['forward', 'backward'] as const)
  const from = s.line.clock
  const want = from + (direction === 'forward' ? 1 : -1)
  if (want >= s.moments.length) return undefined
  await s.line.step(direction, { unit: 'any' })
  return s.line.clock === Math.max(0, want) ? undefined : `a step ${direction} from ${from} led to ${s.line.clock}`
}
