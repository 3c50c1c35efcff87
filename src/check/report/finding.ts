import type { DiagnosticCode, Severity } from '../../diagnostic/index.ts'
import type { MemorySpace, WaveSite } from '../../engine/index.ts'

/** A thread doing something: where in the program, who, and when counted in barriers. */
export interface Site {
  /** Index in `Program.statements`. */
  readonly statement: number
  readonly group: readonly [number, number, number]
  /** vThreadIDInGroupFlattened; in a draw the invocation's place in its batch. */
  readonly thread: number
  /** In a draw: what people call the invocation, `vertex 12 of instance 3`. */
  readonly invocation?: string
  /** In a draw: the stage of an access that is not of the finding's own stage. */
  readonly stage?: string
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  /** Bits read or written, where known. */
  readonly value?: number
  /** What the thread did, where "load", "store" and "atomic" do not say it: `branched on it`. */
  readonly action?: string
  /** Statements of the last barriers that the thread's group passed before, latest last. */
  readonly barriers?: readonly number[]
}

/** What people call the invocation of a lane; undefined for threads. */
export function invocationOf(wave: Pick<WaveSite, 'batch' | 'firstThread'>, lane: number): string | undefined {
  return wave.batch?.describe(wave.firstThread + lane)
}

export function siteOf(wave: WaveSite, lane: number, access: Site['access'], action?: string): Site {
  const invocation = invocationOf(wave, lane)
  return {
    statement: wave.statement,
    group: [wave.groupX, wave.groupY, wave.groupZ],
    thread: wave.firstThread + lane,
    ...(invocation === undefined ? {} : { invocation }),
    access,
    ...(action === undefined ? {} : { action }),
  }
}

/** A place in memory as the program names it. */
export interface MemoryPlace {
  readonly space: MemorySpace | 'other'
  /** Register, or range identifier in Shader Model 5.1. */
  readonly register: number
  /** Bytes from the start of the register (TGSM) or of the view's resource; absent where there is no address. */
  readonly byteOffset?: number
  /** Where the view begins in its resource; absent for TGSM. */
  readonly viewByteOffset?: number
  /** Bytes of a structure or element, where the memory has them. */
  readonly stride?: number
  /** A texture: `byteOffset` counts in its storage and means nothing to people. */
  readonly texel?: readonly number[]
}

/** One thing that is wrong, with the accesses that make it so. Identical ones are folded: `count` says how many there were. */
export interface Finding {
  readonly code: DiagnosticCode
  readonly severity: Severity
  /** One sentence. */
  readonly message: string
  readonly site: Site
  /** The other access of a pair: the earlier one of a race, the use of an undefined value. */
  readonly other?: Site
  readonly memory?: MemoryPlace
  /** The two accesses are of different iterations of a loop, for sure. */
  readonly acrossIterations?: boolean
  /** Statements of barriers that both accesses' group passed in between, none of which ordered them. */
  readonly barriersBetween?: readonly number[]
  /** Statements that explain the finding. */
  readonly related?: readonly { readonly label: string; readonly statement: number }[]
  /** Of an undefined value: all statements where it mattered; more may come while the dispatch runs. */
  readonly uses?: ReadonlySet<number>
  readonly notes: readonly string[]
}

/** Findings that agree in code, statements and memory, with the first of them and their number. */
export interface FoldedFinding extends Finding {
  readonly count: number
}

/** Takes findings as they come and folds them. Keeps at most `limit` different ones and counts the rest. */
export interface FindingSink {
  /** Cheap test before a finding is put together: true when one of this kind is known and was counted. */
  known(code: DiagnosticCode, statement: number, otherStatement: number, register: number, times?: number): boolean
  add(finding: Finding, times?: number): void
  readonly findings: () => readonly FoldedFinding[]
  /** Different findings beyond the limit, hints aside. */
  readonly dropped: () => number
}

interface Entry {
  /** Undefined for findings beyond the limit. */
  readonly finding: Finding | undefined
  count: number
}

/**
 * A number for what findings are folded by; exact for programs below a million statements and 4096 registers. A pair of
 * statements is one pair in either order: which access came first is the schedule's doing.
 */
function keyOf(statement: number, other: number, register: number): number {
  const low = Math.min(statement, other)
  return (register + 1) * 2 ** 40 + (low + 1) * 2 ** 20 + Math.max(statement, other)
}

/** A sink that keeps the first `limit` different findings in the order in which they came. */
export function makeFindingSink(limit: number): FindingSink {
  const byCode = new Map<DiagnosticCode, Map<number, Entry>>()
  const kept: Entry[] = []
  let beyond = 0
  let hints = 0
  let others = 0
  const tableOf = (code: DiagnosticCode): Map<number, Entry> => {
    let table = byCode.get(code)
    if (table === undefined) byCode.set(code, (table = new Map()))
    return table
  }
  return {
    known(code, statement, otherStatement, register, times = 1) {
      const entry = byCode.get(code)?.get(keyOf(statement, otherStatement, register))
      if (entry === undefined) return false
      entry.count += times
      return true
    },
    add(finding, times = 1) {
      const table = tableOf(finding.code)
      const key = keyOf(finding.site.statement, finding.other?.statement ?? -1, finding.memory?.register ?? -1)
      const known = table.get(key)
      if (known !== undefined) {
        known.count += times
        return
      }
      // Hints have a limit of their own: they neither take the place of findings nor make a report partial.
      const isHint = finding.severity === 'hint'
      const count = isHint ? hints++ : others++
      const entry: Entry = { finding: count < limit ? finding : undefined, count: times }
      table.set(key, entry)
      if (entry.finding !== undefined) kept.push(entry)
      else if (!isHint) beyond++
    },
    findings: () => kept.map(({ finding, count }) => ({ ...finding!, count })),
    dropped: () => beyond,
  }
}
