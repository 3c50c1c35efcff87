import { type LoadedShader, threadsOf } from '../../engine/index.ts'
import type { ShaderFacts } from '../../shader/index.ts'
import type { FoldedFinding, MemoryPlace, Site } from './finding.ts'
import { placeText } from './names.ts'
import type { ReportFinding, ReportMemory, ReportSite } from './report.ts'
import type { Lines } from './source-lines.ts'

/** Findings of detectors as plain data of a report: for the checks of dispatches and of draws. */

/** How findings become what people read. */
export interface Reporting {
  readonly loaded: LoadedShader
  readonly facts: ShaderFacts
  readonly lines: Lines
  /** In a draw: the shader's stage, and how the other stages' findings become text. */
  readonly stage?: string
  readonly ofStage?: (stage: string) => Reporting
}

function reportSite(own: Reporting, site: Site): ReportSite {
  const r = (site.stage === undefined ? undefined : own.ofStage?.(site.stage)) ?? own
  const [x, y] = threadsOf(r.loaded.declarations)
  const { thread } = site
  return {
    ...r.lines.lineOf(site.statement),
    group: site.group,
    thread: [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))],
    threadFlattened: thread,
    ...(r.stage === undefined ? {} : { stage: r.stage }),
    ...(site.invocation === undefined ? {} : { invocation: site.invocation }),
    access: site.access,
    ...(site.action === undefined ? {} : { action: site.action }),
    ...(site.value === undefined ? {} : { value: site.value }),
    ...(site.barriers === undefined ? {} : { barriers: site.barriers.map((s) => r.lines.lineOf(s)) }),
  }
}

function reportMemory(r: Reporting, memory: MemoryPlace): ReportMemory {
  return { ...memory, text: placeText(memory, r.loaded.declarations, r.facts.reflection, r.facts.debug) }
}

export function reportFinding(r: Reporting, f: FoldedFinding): ReportFinding {
  return {
    ...(r.stage === undefined ? {} : { stage: r.stage }),
    code: f.code,
    severity: f.severity,
    message: f.message,
    count: f.count,
    site: reportSite(r, f.site),
    ...(f.other === undefined ? {} : { other: reportSite(r, f.other) }),
    ...(f.memory === undefined ? {} : { memory: reportMemory(r, f.memory) }),
    ...(f.acrossIterations === true ? { acrossIterations: true } : {}),
    ...(f.barriersBetween === undefined || f.barriersBetween.length === 0
      ? {}
      : { barriersBetween: f.barriersBetween.map((s) => r.lines.lineOf(s)) }),
    ...(f.related === undefined
      ? {}
      : { related: f.related.map(({ label, statement }) => ({ ...r.lines.lineOf(statement), label })) }),
    ...(f.uses === undefined ? {} : { uses: [...f.uses].map((s) => r.lines.lineOf(s)) }),
    notes: f.notes,
  }
}

const RACES: ReadonlySet<string> = new Set([
  'check-race',
  'check-race-across-groups',
  'check-race-barrier-scope',
  'check-race-invocations',
])

/** Threads that wrote the same value by chance add nothing to the race of the same two statements. */
export function withoutEchoes(findings: readonly FoldedFinding[]): FoldedFinding[] {
  const pairOf = ({ site, other, memory }: FoldedFinding): string => {
    const pair = [site.statement, other?.statement ?? -1].sort((a, b) => a - b)
    return [...pair, memory?.space, memory?.register].join(' ')
  }
  const racing = new Set(findings.filter((f) => RACES.has(f.code)).map(pairOf))
  return findings.filter((f) => f.code !== 'check-race-same-value' || !racing.has(pairOf(f)))
}

export const RANK = { error: 0, warning: 1, hint: 2 } as const
