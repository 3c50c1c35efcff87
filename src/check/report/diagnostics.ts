import type { Diagnostic, Place, RelatedPlace } from '../../diagnostic/index.ts'
import { accessText } from './render.ts'
import {
  commandText,
  NO_STATEMENT,
  type Report,
  type ReportFinding,
  type ReportLine,
  type ReportSite,
  whoText,
} from './report.ts'

/** A statement of the shader that a finding is about; undefined for statements of shaders of other stages. */
function placeOf(line: ReportLine & Pick<ReportSite, 'stage'>, stage: string | undefined): Place | undefined {
  const { statement, instruction } = line
  if (statement === NO_STATEMENT || (line.stage !== undefined && line.stage !== stage)) return undefined
  return { kind: 'statement', index: statement, ...(instruction === undefined ? {} : { instruction }) }
}

const siteText = (site: ReportSite): string => `${whoText(site)}${accessText(site)}`

/** An access of another stage's shader, which has no place in the text of this one. */
function elsewhere(site: ReportSite): string {
  const { instruction, listing } = site
  const where = instruction === undefined ? '' : ` at its instruction ${instruction}`
  return `${siteText(site)}${where}${listing === undefined ? '' : `: ${listing}`}`
}

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
    const place = placeOf(line, f.stage)
    return place === undefined ? [] : [{ place, message }]
  })
}

function findingDiagnostic(f: ReportFinding): Diagnostic {
  const { code, severity, count, site, other, memory, command, alsoIn = [] } = f
  const place = placeOf(site, f.stage)
  const related = relatedOf(f)
  const isElsewhere = other !== undefined && other.stage !== undefined && other.stage !== f.stage
  const notes = [
    ...(memory === undefined ? [] : [`memory: ${memory.text}`]),
    ...(site.access === 'other' && site.action === undefined ? [] : [siteText(site)]),
    ...(isElsewhere ? [elsewhere(other)] : []),
    ...(command === undefined ? [] : [`found in ${[command, ...alsoIn].map(commandText).join(', ')}`]),
    ...f.notes,
  ]
  const message = count > 1 ? `${f.message} (${count} times)` : f.message
  return { code, severity, message, notes, ...(place && { place }), ...(related.length === 0 ? {} : { related }) }
}

const isOfDispatch = (f: ReportFinding): boolean => f.command === undefined && f.stage === undefined

/**
 * What was found about one shader, for editors: each finding at its statement, with its other access and what explains it as
 * places beside it. Unless `isAbout` says which findings are about the shader, they are those of a report of one dispatch.
 */
export function reportDiagnostics({ findings }: Report, isAbout = isOfDispatch): readonly Diagnostic[] {
  return findings.filter(isAbout).map(findingDiagnostic)
}
