import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { debug } from '../src/host/index.ts'
import { createHost } from '../src/host/node/index.ts'
import { parseDescriptionText } from '../src/job/index.ts'
import { runScript } from '../src/session/index.ts'

const at = (path: string): string => fileURLToPath(new URL(`../examples/${path}`, import.meta.url))

/** The sessions of docs/debugging.md: a run description, its folder, a script. */
const SESSIONS = [
  ['check-missing-barrier', 'pick-best', 'race'],
  ['debugging', 'uninitialized', 'uninitialized'],
  ['debugging', 'out-of-bounds', 'out-of-bounds'],
  ['debugging', 'wrong-pixel', 'wrong-pixel'],
] as const

it.each(SESSIONS)(
  '%s/%s leads from the symptom to the cause in under ten commands, and back',
  async (folder, job, script) => {
    const { value } = parseDescriptionText(readFileSync(at(`${folder}/${job}.job.json`), 'utf8'))
    const session = await debug(value!, createHost({ folder: at(folder) }))
    const text = readFileSync(at(`debugging/${script}.heddle`), 'utf8')
    const report = await runScript(session.value!, text)
    expect(report.diagnostics).toEqual([])
    expect(report.repeated).toBe(report.stops)
    const commands = text.split('\n').filter((l) => l !== '' && !/^(?:#|expect )/.test(l))
    expect(commands.length).toBeLessThan(10)
    // The page shows the commands as they are.
    const page = readFileSync(fileURLToPath(new URL('../docs/debugging.md', import.meta.url)), 'utf8')
    for (const line of commands) expect(page, line).toContain(`\n    (heddle) ${line}`)
  },
)
