import type { DiagnosticCode, Severity } from '../diagnostic/index.ts'
import type { MemorySpace } from '../engine/index.ts'

/** A thread doing something: where in the program, who, and when counted in barriers. */
export interface Site {
  /** Index in `Program.statements`. */
  readonly statement: number
  readonly group: readonly [number, number, number]
  /** vThreadIDInGroupFlattened. */
  readonly thread: number
  /** Barriers and releases that the group had passed. */
  readonly epoch: number
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  /** Bits read or written, where known. */
  readonly value?: number
}

/** A place in memory as the program names it. */
export interface MemoryPlace {
  readonly space: MemorySpace | 'other'
  /** Register, or range identifier in Shader Model 5.1. */
  readonly register: number
  /** Bytes from the start of the register (TGSM) or of the view's resource; absent where there is no address. */
  readonly byteOffset?: number
}

/** One thing that is wrong, with the accesses that make it so. Identical ones are folded: `count` says how many there were. */
export interface Finding {
  readonly code: DiagnosticCode
  readonly severity: Severity
  /** One sentence. */
  readonly message: string
  readonly site: Site
  /** The other access of a pair; the earlier one. */
  readonly other?: Site
  readonly memory?: MemoryPlace
  /** Statements of barriers that both accesses' group passed in between, none of which ordered them. */
  readonly barriersBetween?: readonly number[]
  readonly notes: readonly string[]
}

/** Findings that agree in code, statements and memory, with the first of them and their number. */
export interface FoldedFinding extends Finding {
  readonly count: number
}

/** Takes findings as they come and folds them. Keeps at most `limit` different ones and counts the rest. */
export interface FindingSink {
  /** Cheap test before a finding is put together: true when one of this kind is known and was counted. */
  known(code: DiagnosticCode, statement: number, otherStatement: number, register: number): boolean
  add(finding: Finding): void
  readonly findings: () => readonly FoldedFinding[]
  /** Different findings beyond the limit. */
  readonly dropped: () => number
}

const keyOf = (code: string, statement: number, other: number, register: number): string =>
  `${code} ${statement} ${other} ${register}`

/** A sink that keeps the first `limit` different findings in the order in which they came. */
export function makeFindingSink(limit: number): FindingSink {
  const kept = new Map<string, { finding: Finding; count: number }>()
  const beyond = new Set<string>()
  return {
    known(code, statement, otherStatement, register) {
      const key = keyOf(code, statement, otherStatement, register)
      const entry = kept.get(key)
      if (entry !== undefined) entry.count++
      return entry !== undefined || beyond.has(key)
    },
    add(finding) {
      const key = keyOf(
        finding.code,
        finding.site.statement,
        finding.other?.statement ?? -1,
        finding.memory?.register ?? -1,
      )
      const entry = kept.get(key)
      if (entry !== undefined) entry.count++
      else if (kept.size < limit) kept.set(key, { finding, count: 1 })
      else beyond.add(key)
    },
    findings: () => [...kept.values()].map(({ finding, count }) => ({ ...finding, count })),
    dropped: () => beyond.size,
  }
}
