import { withSlashes } from '../../diagnostic/index.ts'
import type { Report } from './report.ts'

/** Names of HLSL files as another machine compiled them, turned into those of a repository: used by hosts before they write. */
export interface PathMapping {
  readonly from: string
  readonly to: string
}

/** `FROM=TO`; undefined where the text is none. The last = divides, for paths may hold others. */
export function parsePathMapping(text: string): PathMapping | undefined {
  const at = text.lastIndexOf('=')
  return at <= 0 ? undefined : { from: withSlashes(text.slice(0, at)), to: withSlashes(text.slice(at + 1)) }
}

/** A path with the first mapping that names a folder (or file) at its start. Paths of Windows are compared without case. */
export function mapPath(path: string, mappings: readonly PathMapping[]): string {
  const plain = withSlashes(path)
  const fold = (s: string): string => (/^[a-z]:/i.test(plain) ? s.toLowerCase() : s)
  for (const { from, to } of mappings) {
    const start = from.replace(/\/$/, '')
    if (fold(plain) !== fold(start) && !fold(plain).startsWith(`${fold(start)}/`)) continue
    const rest = plain.slice(start.length).replace(/^\//, '')
    const folder = to.replace(/\/$/, '')
    return folder === '' ? rest : rest === '' ? folder : `${folder}/${rest}`
  }
  return path
}

function mapped(value: unknown, mappings: readonly PathMapping[]): unknown {
  if (Array.isArray(value)) return value.map((v) => mapped(v, mappings))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, v]) => {
    if (key !== 'source') return [key, mapped(v, mappings)]
    const source = v as { readonly file: string }
    return [key, { ...source, file: mapPath(source.file, mappings) }]
  })
  return Object.fromEntries(entries)
}

/** A report whose findings name mapped files. */
export function mapReportPaths(report: Report, mappings: readonly PathMapping[]): Report {
  if (mappings.length === 0) return report
  return { ...report, findings: mapped(report.findings, mappings) as Report['findings'] }
}
