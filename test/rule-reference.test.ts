import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderRuleReference } from '../scripts/rule-reference.ts'
import { RULES } from '../src/validate/index.ts'
import { PROGRAM_EXAMPLES } from './support/validation-examples.ts'

test('the page of validation rules is up to date (npx tsx scripts/write-validation-doc.ts)', () => {
  const page = readFileSync(new URL('../docs/validation-rules.md', import.meta.url), 'utf8')
  expect(page).toBe(renderRuleReference(PROGRAM_EXAMPLES))
})

test('the page has every rule', () => {
  const page = renderRuleReference()
  for (const rule of RULES) expect(page).toContain(`### ${rule.code}\n\n*${rule.severity}*: ${rule.title}.`)
})
