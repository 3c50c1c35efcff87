import type { Severity } from '../../../src/diagnostic/index.ts'

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'hint']

/** `2 errors, 1 hint`: how many findings there are of each severity. */
export function countsText(findings: readonly { readonly severity: Severity }[]): string {
  const parts = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((f) => f.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? '' : 's'}`]
  })
  return parts.length === 0 ? 'nothing found' : parts.join(', ')
}
