// Writes the pages of docs/ that are made from tables: `npm run docs`. A test fails while they are out of date.
import { writeFileSync } from 'node:fs'
import { renderInstructionReference } from './isa-reference.ts'

writeFileSync(new URL('../docs/instructions.md', import.meta.url), renderInstructionReference())
