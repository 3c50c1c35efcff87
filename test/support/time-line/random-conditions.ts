/** Random conditions to run to, with what was written down to say where they hold. */
import type { MemoryRange, StopCondition } from '../../../src/debug/index.ts'
import { threadCountOf } from '../../../src/engine/index.ts'
import type { Uav } from '../../../src/machine/index.ts'
import type { Moment, WalkedRun } from './moments.ts'
import { groupPosition, type WalkState } from './state.ts'

export interface RandomCondition {
  readonly condition: StopCondition
  /** Whether the condition holds at a moment, by what was written down. */
  readonly holds: (m: Moment, clock: number) => boolean
}

const isAt = (m: Moment, group: number, threads: readonly number[]): boolean =>
  m.group === group && m.threads.some((t) => threads.includes(t))

function randomStatement(s: WalkState): RandomCondition {
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

const uavsOf = ({ bindings }: WalkedRun): (readonly [number, Uav])[] => [...bindings.u]

type MemoryAccess = Moment['effects']['memory'][number]

/** The range of the first byte of an access, and which other accesses begin there. */
export function rangeOfAccess(
  s: WalkState,
  one: MemoryAccess,
): { range: MemoryRange; isThere: (a: MemoryAccess) => boolean } | undefined {
  const { run } = s
  const { declarations } = run.shader
  const id = Number(one.space.replace(/\D/g, ''))
  if (one.space.startsWith('tgsm')) {
    const placeOf = (a: MemoryAccess): number =>
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

export function anyAccess({ moments, random }: WalkState): MemoryAccess | undefined {
  const touched = moments.filter((m) => m.effects.memory.length > 0)
  return touched.length === 0 ? undefined : random.pick(random.pick(touched).effects.memory)
}

function randomMemory(s: WalkState): RandomCondition | undefined {
  const one = anyAccess(s)
  const at = one === undefined ? undefined : rangeOfAccess(s, one)
  if (at === undefined) return undefined
  const access = s.random.pick(['read', 'write', 'change', 'any'] as const)
  const counts = (a: MemoryAccess): boolean => {
    if (access === 'any') return true
    if (access === 'change') return a.isChange
    return a.access === 'atomic' || (access === 'read') === (a.access === 'load')
  }
  return {
    condition: { kind: 'memory', ranges: [at.range], access },
    holds: (m) => m.effects.memory.some((a) => at.isThere(a) && counts(a)),
  }
}

/** Where detectors find something: anything, or one code. */
function randomFinding({ random, moments }: WalkState): RandomCondition | undefined {
  const codes = [...new Set(moments.flatMap((m) => m.effects.findings.map((f) => f.code)))]
  if (codes.length === 0) return undefined
  const code = random.chance(0.5) ? undefined : random.pick(codes)
  return {
    condition: { kind: 'finding', ...(code === undefined ? {} : { codes: [code] }) },
    holds: (m) => m.effects.findings.some((f) => code === undefined || f.code === code),
  }
}

function randomWrite(s: WalkState): RandomCondition | undefined {
  const { random, moments, run } = s
  const writing = moments.filter((m) => m.effects.writes.length > 0)
  if (writing.length === 0) return undefined
  const one = random.pick(random.pick(writing).effects.writes)
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
      m.effects.writes.some(
        (w) =>
          w.group === one.group &&
          w.thread === one.thread &&
          w.register === one.register &&
          (((isChange ? w.changed : w.mask) >> component) & 1) === 1,
      ),
  }
}

export function randomCondition(s: WalkState): RandomCondition {
  const kinds: (() => RandomCondition | undefined)[] = [
    () => randomStatement(s),
    () => randomStatement(s),
    () => randomMemory(s),
    () => randomWrite(s),
    () => randomFinding(s),
    () => ({ condition: { kind: 'divergence' }, holds: (m) => m.effects.diverged }),
    () => ({ condition: { kind: 'barrier', at: 'release' }, holds: (m) => m.effects.released !== undefined }),
    () => ({ condition: { kind: 'barrier', at: 'arrival' }, holds: (m) => m.effects.arrived }),
  ]
  return s.random.pick(kinds)() ?? randomStatement(s)
}

/** The same with hits counted from the start. */
export function withHits(s: WalkState, one: RandomCondition): RandomCondition {
  const { random, moments } = s
  if (random.chance(0.7) || one.condition.when !== undefined) return one
  const kind = random.pick(['equal', 'from', 'every'] as const)
  const count = 1 + random.below(4)
  const passed = new Set<number>()
  let n = 0
  moments.forEach((m, clock) => {
    if (!one.holds(m, clock)) return
    n++
    if (kind === 'equal' ? n === count : kind === 'from' ? n >= count : n % count === 0) passed.add(clock)
  })
  return {
    condition: { ...one.condition, hits: { kind, count } },
    holds: (_, clock) => passed.has(clock),
  }
}
