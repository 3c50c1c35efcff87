import type { Diagnostic, Place, RelatedPlace } from '../../diagnostic/index.ts'
import { accessText } from './render.ts'
import { NO_STATEMENT, type Report, type ReportFinding, type ReportLine, type ReportSite, whoText } from './report.ts'

const placeOf = ({ statement, instruction }: ReportLine): Place | undefined =>
  statement === NO_STATEMENT
    ? undefined
    : { kind: 'statement', index: statement, ...(instruction === undefined ? {} : { instruction }) }

const siteText = (site: ReportSite): string => `${whoText(site)}${accessText(site)}`

function relatedOf(f: ReportFinding): readonly RelatedPlace[] {
  const lines: (readonly [ReportLine, string])[] = [
    ...(f.other === undefined ? [] : [[f.other, siteText(f.other)] as const]),
    ...(f.barriersBetween ?? []).map((line) => [line, 'stands between them and does not order them'] as const),
    ...(f.related ?? []).map((line) => [line, line.label] as const),
    ...(f.places ?? []).flatMap(({ site, other }) =>
      [other, site].map((s) => [s, `the same: ${siteText(s)}`] as const),
    ),
    ...(f.uses ?? []).slice(1).map((line) => [line, 'also used here'] as const),
  ]
  return lines.flatMap(([line, message]) => {
    const place = placeOf(line)
    return place === undefined ? [] : [{ place, message }]
  })
}

function findingDiagnostic(f: ReportFinding): Diagnostic {
  const { code, severity, count, site, memory } = f
  const place = placeOf(site)
  const related = relatedOf(f)
  const notes = [
    ...(memory === undefined ? [] : [`memory: ${memory.text}`]),
    ...(site.access === 'other' && site.action === undefined ? [] : [siteText(site)]),
    ...f.notes,
  ]
  const message = count > 1 ? `${f.message} (${count} times)` : f.message
  return { code, severity, message, notes, ...(place && { place }), ...(related.length === 0 ? {} : { related }) }
}

/**
 * What was found in one dispatch, for editors: each finding at its statement, with its other access and what explains it as places
 * beside it. Findings of commands of a frame are left out, as they are about several programs.
 */
export function reportDiagnostics({ findings }: Report): readonly Diagnostic[] {
  return findings.filter((f) => f.command === undefined && f.stage === undefined).map(findingDiagnostic)
}
