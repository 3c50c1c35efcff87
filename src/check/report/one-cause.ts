import type { ReportFinding } from './report.ts'

/**
 * One mistake can make many pairs of statements race: each pair is found by itself, and here those that one change would
 * remove become one finding with its places. Used where a report is put together.
 */
export interface Cause {
  readonly findings: readonly ReportFinding[]
  /** What to do, beside the notes of the first finding. */
  readonly notes: readonly string[]
}

/** Findings with those of one cause folded into the first of them. */
export function foldCauses(findings: readonly ReportFinding[], causes: readonly Cause[]): ReportFinding[] {
  const folded = new Map<ReportFinding, ReportFinding | undefined>()
  for (const { findings: members, notes } of causes) {
    const first = findings.find((f) => members.includes(f))!
    const others = findings.filter((f) => f !== first && members.includes(f))
    for (const f of others) folded.set(f, undefined)
    const count = members.reduce((n, f) => n + f.count, 0)
    const places = others.map(({ site, other, memory }) => ({ site, other: other!, ...(memory && { memory }) }))
    folded.set(first, {
      ...first,
      count,
      notes: [...first.notes, ...notes],
      ...(places.length > 0 && { places }),
    })
  }
  return findings.flatMap((f) => (folded.has(f) ? (folded.get(f) ?? []) : [f]))
}

/** What a pair of accesses lacks, as text that is the same for pairs that lack the same; undefined where it is not known. */
function lackOf({ code, memory, related, barriersBetween }: ReportFinding): string | undefined {
  switch (code) {
    case 'check-race-across-groups':
      // The fence before the atomic by which the groups meet.
      return related === undefined ? undefined : `fence ${related.map((r) => r.statement).join(' ')}`
    case 'check-coherence':
      return `coherence of ${memory?.register}`
    case 'check-race-barrier-scope': {
      const memoryKind = memory?.space === 'tgsm' ? 'shared memory' : 'UAVs'
      return `scope of ${barriersBetween?.map((b) => b.statement).join(' ')} for ${memoryKind}`
    }
    default:
      return undefined
  }
}

/** Pairs that lack one fence, the coherence of one UAV, or the right flags of the barriers between them. */
export function sharedCauses(findings: readonly ReportFinding[]): Cause[] {
  const byLack = new Map<string, ReportFinding[]>()
  for (const f of findings) {
    const lack = f.other === undefined ? undefined : lackOf(f)
    if (lack === undefined) continue
    const known = byLack.get(lack)
    if (known === undefined) byLack.set(lack, [f])
    else known.push(f)
  }
  return [...byLack.values()].map((all) => ({ findings: all, notes: [] }))
}
