import type { DiagnosticCode } from '../../diagnostic/index.ts'
import type { WaveSite } from '../../engine/index.ts'
import type { CheckContext } from '../context.ts'
import { type Finding, type Site, siteOf } from '../report/finding.ts'

/** Where undefined values come from: what the tables of undefined values keep by word and lane, and how a use is reported. */

type OriginKind = 'temp' | 'indexable-temp' | 'tgsm' | 'uav' | 'bounds'

export const CODE_OF: Readonly<Record<Exclude<OriginKind, 'bounds'>, DiagnosticCode>> = {
  temp: 'check-uninitialized-temp',
  'indexable-temp': 'check-uninitialized-indexable-temp',
  tgsm: 'check-uninitialized-tgsm',
  uav: 'check-uninitialized-uav',
}

/** A place in the program that reads something undefined. */
export interface Origin {
  readonly kind: OriginKind
  readonly code: DiagnosticCode
  readonly statement: number
  readonly register: number
  /** The first access, for the case that no value of any matters. */
  readonly first: UndefinedRead
  /** Statements where a value mattered, in the order of their first use. */
  readonly uses: Set<number>
  /** Accesses of the step in which an origin was met last, by lane: components of one access are one. */
  step: number
  readonly fresh: (UndefinedRead | undefined)[]
}

/** One access of one thread that gave something undefined. */
interface UndefinedRead {
  readonly origin: Origin
  readonly describe: () => Finding
  /** How many accesses it stands for. */
  readonly times: number
  /** Its value mattered, and it was counted. */
  isCounted: boolean
  /** The set that holds this access alone. */
  readonly alone: OriginSet
}

/** The accesses that an undefined word depends on. Sets never change once they are made. */
export type OriginSet = readonly UndefinedRead[]

export interface Origins {
  /** In the order in which they were met. */
  readonly all: Origin[]
  readonly byStatement: (Origin[] | undefined)[]
  /** Counts executed statements of waves. */
  step: number
}

export const noOrigins = (): Origins => ({ all: [], byStatement: [], step: 0 })

/** Accesses that a set keeps apart; beyond that it keeps one for each origin, so that no origin is ever lost. */
const MAX_APART = 64

function makeRead(origin: Origin, describe: () => Finding, times: number): UndefinedRead {
  const read = { origin, describe, times, isCounted: false, alone: [] as OriginSet }
  read.alone = [read]
  return read
}

/** What names an origin: how it came to be, its statement, and its register. */
export interface OriginName {
  readonly kind: OriginKind
  readonly code: DiagnosticCode
  readonly statement: number
  readonly register: number
}

function originNamed(o: Origins, name: OriginName): Origin | undefined {
  const met = o.byStatement[name.statement]
  if (met === undefined) return undefined
  for (const origin of met) if (origin.code === name.code && origin.register === name.register) return origin
  return undefined
}

function newOrigin(o: Origins, name: OriginName, describe: () => Finding): Origin {
  const fresh: (UndefinedRead | undefined)[] = []
  const made = { ...name, uses: new Set<number>(), step: -1, fresh } as { -readonly [K in keyof Origin]: Origin[K] }
  made.first = makeRead(made, describe, 1)
  o.all.push(made)
  const met = (o.byStatement[name.statement] ??= [])
  met.push(made)
  return made
}

/**
 * The access that a lane makes in this step; the components of one access are one access. `describer` is called at once for
 * what describes the access, where that may still be needed: an origin is described by the first access that matters.
 */
export function undefinedRead(o: Origins, name: OriginName, lane: number, describer: () => () => Finding): OriginSet {
  let origin = originNamed(o, name)
  const known = origin?.step === o.step ? origin.fresh[lane] : undefined
  if (known !== undefined) return known.alone
  const describe = origin === undefined || origin.uses.size === 0 ? describer() : origin.first.describe
  origin ??= newOrigin(o, name, describe)
  if (origin.step !== o.step) {
    origin.step = o.step
    origin.fresh.length = 0
  }
  const made = makeRead(origin, describe, 1)
  origin.fresh[lane] = made
  return made.alone
}

/** One access for each origin of a set that has grown too large, with the number of those that it stands for. */
function merged(set: OriginSet): OriginSet {
  const byOrigin = new Map<Origin, UndefinedRead[]>()
  for (const read of set) {
    const known = byOrigin.get(read.origin)
    if (known === undefined) byOrigin.set(read.origin, [read])
    else known.push(read)
  }
  return [...byOrigin].map(([origin, reads]) => {
    const times = reads.reduce((n, r) => n + (r.isCounted ? 0 : r.times), 0)
    return times === 0 ? reads[0]! : makeRead(origin, reads[0]!.describe, times)
  })
}

/** The accesses of both sets. */
export function union(a: OriginSet | undefined, b: OriginSet): OriginSet {
  if (a === undefined || a === b) return b
  const more = b.filter((read) => !a.includes(read))
  if (more.length === 0) return a
  const all = [...a, ...more]
  return all.length <= MAX_APART ? all : merged(all)
}

/** An undefined value matters here: each of the accesses that it depends on is reported, or counted where it is known. */
export function use(
  context: CheckContext,
  set: OriginSet,
  wave: WaveSite,
  lane: number,
  access: Site['access'],
  action: string,
): void {
  const { sink } = context
  for (const read of set) {
    const { origin } = read
    const isFirst = origin.uses.size === 0
    origin.uses.add(wave.statement)
    if (read.isCounted) continue
    read.isCounted = true
    if (isFirst) {
      const finding = read.describe()
      const message = `${finding.message}, and the ${origin.kind === 'bounds' ? 'result' : 'value'} ${action}`
      sink.add({ ...finding, message, other: siteOf(wave, lane, access, action), uses: origin.uses }, read.times)
    } else {
      const [usedAt] = origin.uses
      sink.known(origin.code, origin.statement, usedAt!, origin.register, read.times)
    }
  }
}
