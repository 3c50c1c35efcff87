/** Every code of a finding with its explanation, as a page: `docs/findings.md`. Findings in editors link to its headings. */
import { CODES, type Severity } from '../src/diagnostic/index.ts'

const SEVERITY: Readonly<Record<Severity, string>> = { error: 'Error', warning: 'Warning', hint: 'Hint' }

/** The page. Each code is a heading, so that its anchor is the code. */
export function renderFindings(): string {
  const lines = [
    '# Findings',
    '',
    'Made from the registry of codes by `npm run docs`; do not edit. `heddle explain CODE` prints the same.',
  ]
  for (const [code, { severity, title, explanation, source }] of Object.entries(CODES)) {
    lines.push('', `## ${code}`, '', `${SEVERITY[severity]}: ${title}.`, '', explanation)
    if (source !== undefined) lines.push('', `Source: ${source}.`)
  }
  return `${lines.join('\n')}\n`
}
