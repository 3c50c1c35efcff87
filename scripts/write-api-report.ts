// Writes the declarations of the package's doors to api/, which is reviewed: `npm run api`. A test compares them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { reportDoors } from './api-report.ts'

const folder = new URL('../api/', import.meta.url)
const reports = reportDoors()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const { file, text } of reports) writeFileSync(new URL(file, folder), text)
