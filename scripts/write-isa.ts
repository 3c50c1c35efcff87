// Part of the build: writes the instruction set as JSON beside the compiled code.
import { writeFileSync } from 'node:fs'
import { isaAsJson } from './isa-reference.ts'

writeFileSync(new URL('../dist/isa.json', import.meta.url), `${JSON.stringify(isaAsJson(), null, 1)}\n`)
