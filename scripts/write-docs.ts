// Writes the pages of docs/ and the files of the editor extension that are made from tables: `npm run docs`. A test fails
// while they are out of date.
import { mkdirSync, writeFileSync } from 'node:fs'
import { renderFindings } from './findings-reference.ts'
import { GRAMMAR_FILES } from './grammar.ts'
import { renderInstructionReference } from './isa-reference.ts'

writeFileSync(new URL('../docs/instructions.md', import.meta.url), renderInstructionReference())
writeFileSync(new URL('../docs/findings.md', import.meta.url), renderFindings())
for (const [path, text] of GRAMMAR_FILES) {
  const url = new URL(`../${path}`, import.meta.url)
  mkdirSync(new URL('.', url), { recursive: true })
  writeFileSync(url, text)
}
