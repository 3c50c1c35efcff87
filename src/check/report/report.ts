import type { Diagnostic, DiagnosticCode, Severity } from '../../diagnostic/index.ts'
import type { MemoryPlace } from './finding.ts'

/** What can be looked for. */
export const DETECTOR_NAMES = [
  'bounds',
  'uninitialized',
  'races',
  'barriers',
  'counters',
  'numbers',
  'schedules',
] as const

/** A kind of mistake that `check` looks for. */
export type DetectorName = (typeof DETECTOR_NAMES)[number]

/** What is looked for unless the caller says otherwise. */
export const DEFAULT_DETECTORS: readonly DetectorName[] = ['bounds', 'uninitialized', 'races', 'barriers', 'counters']

/** A line of HLSL, from 1. */
export interface SourceText {
  readonly file: string
  readonly line: number
  /** The line itself, without the blanks around it, where the debug information holds the file. */
  readonly text?: string
}

/** In place of a statement, of findings about a shader as a whole. */
export const NO_STATEMENT = -1

/** A statement as people find it. */
export interface ReportLine {
  /** Index in `Program.statements`, or NO_STATEMENT. */
  readonly statement: number
  /** Number of the instruction as `heddle dis --numbers` and fxc /Ni print it; absent for declarations. */
  readonly instruction?: number
  /** The statement as the listing has it, where a lister was given. */
  readonly listing?: string
  /** The HLSL that it was compiled from, where the container has debug information. */
  readonly source?: SourceText
}

/** A thread at a statement. */
export interface ReportSite extends ReportLine {
  readonly group: readonly [number, number, number]
  /** Thread in its group, x, y, z and flattened. */
  readonly thread: readonly [number, number, number]
  readonly threadFlattened: number
  /** In a draw: the stage, and what people call the invocation; it stands in place of group and thread. */
  readonly stage?: string
  readonly invocation?: string
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  readonly action?: string
  /** Bits read or written, unsigned. */
  readonly value?: number
  /** Barriers that the thread's group passed before, the latest last; absent where not known. */
  readonly barriers?: readonly ReportLine[]
}

/** The memory that a finding is about. */
export interface ReportMemory extends MemoryPlace {
  /** As people name it: `particles[12].position.y (u0)`. */
  readonly text: string
}

/** A further pair of accesses of a finding. */
interface ReportPlace {
  readonly site: ReportSite
  readonly other: ReportSite
  readonly memory?: ReportMemory
}

/** A draw or dispatch of a frame. */
export interface ReportCommand {
  readonly kind: 'draw' | 'dispatch'
  /** Its number among the draws, or among the dispatches, of the frame, from 0. */
  readonly index: number
  readonly pipeline: string
  /** Where the description has it: `$.commands[3]`. */
  readonly path: string
}

/** One thing that is wrong, with everything a reader needs; identical ones are folded. */
export interface ReportFinding {
  /** In a draw: the stage whose shader it is about. */
  readonly stage?: string
  /** In a frame: the command in which it was met first, and the others of the same pipeline in which it was met. */
  readonly command?: ReportCommand
  readonly alsoIn?: readonly ReportCommand[]
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  /** How often it happened. */
  readonly count: number
  readonly site: ReportSite
  readonly other?: ReportSite
  readonly memory?: ReportMemory
  /** The two accesses are of different iterations of a loop, for sure. */
  readonly acrossIterations?: true
  /** Barriers and fences between the two accesses, none of which ordered them. */
  readonly barriersBetween?: readonly ReportLine[]
  /** Further pairs of accesses that the same missing barrier leaves unordered. */
  readonly places?: readonly ReportPlace[]
  /** Statements that explain the finding: the atomic by which two groups meet. */
  readonly related?: readonly (ReportLine & { readonly label: string })[]
  /** Of an undefined value: all statements where it mattered, the first one of which is `other`. */
  readonly uses?: readonly ReportLine[]
  readonly notes: readonly string[]
}

/** Why a report does not cover everything. */
export type PartialReason =
  /** A thread executed more instructions than allowed. */
  | 'instructions'
  /** The time given was used up. */
  | 'time'
  /** `signal` was aborted. */
  | 'canceled'
  /** The tables of the detectors would have taken more memory than allowed. */
  | 'memory'
  /** More different findings than are kept. */
  | 'findings'
  /** The shader executed `abort`, or an undefined operation under the policy `trap`. */
  | 'stopped'
  /** Bindings, counts or options were refused: nothing ran. */
  | 'refused'

/** How much was checked: sizes, statements, accesses and time. */
export interface ReportStats {
  readonly groups: readonly [number, number, number]
  readonly threads: readonly [number, number, number]
  /** In a draw: invocations of each stage that ran; `groups` and `threads` are 0. In a frame: of all that was checked. */
  readonly invocations?: Readonly<Record<string, number>>
  /** In a frame: draws and dispatches that were checked. */
  readonly commands?: { readonly draws: number; readonly dispatches: number }
  /** Instructions executed, counted per thread; 0 for draws, which do not count them. */
  readonly threadInstructions: number
  /** Bytes that the detectors' tables took at the end. */
  readonly shadowByteLength: number
  /** Different findings beyond those kept. */
  readonly droppedFindings: number
  /** Findings that suppressions took away, folded ones counted once. */
  readonly suppressed: number
  readonly detectors: readonly DetectorName[]
}

/** The thread or invocation at a site: group and thread, or stage and invocation; in a frame the command too. */
export function whoText(site: ReportSite, command?: ReportCommand): string {
  const of = command === undefined ? '' : ` in ${command.kind} ${command.index}`
  if (site.stage === undefined) return `thread (${site.thread.join(', ')}) of group (${site.group.join(', ')})${of}`
  const who = site.invocation === undefined ? `${site.stage} shader` : `${site.stage} shader, ${site.invocation}`
  return `${who}${of}`
}

/** `draw 2 of pipeline glow ($.commands[5])`. */
export function commandText({ kind, index, pipeline, path }: ReportCommand): string {
  return `${kind} ${index} of pipeline ${pipeline} (${path})`
}

/** What a check found. Plain data. */
export interface Report {
  /** Name of what was checked, where the caller gave one. */
  readonly name?: string
  readonly findings: readonly ReportFinding[]
  /** Absent when the whole dispatch was checked. */
  readonly partial?: PartialReason
  /** What loading, matching and the engine had to say beside the findings. */
  readonly diagnostics: readonly Diagnostic[]
  readonly stats: ReportStats
}

/** No errors and no warnings, and all of the dispatch was checked; hints do not count. */
export function isClean(report: Report): boolean {
  return report.partial === undefined && report.findings.every((f) => f.severity === 'hint')
}
