// Writes docs/validation-rules.md from the rules and their examples: `npx tsx scripts/write-validation-doc.ts`.
// A test fails while the page is out of date.
import { writeFileSync } from 'node:fs'
import { PROGRAM_EXAMPLES } from '../test/support/validation-examples.ts'
import { renderRuleReference } from './rule-reference.ts'

writeFileSync(new URL('../docs/validation-rules.md', import.meta.url), renderRuleReference(PROGRAM_EXAMPLES))
