import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { debug } from '../src/host/index.ts'
import { createHost } from '../src/host/node/index.ts'
import { parseDescriptionText } from '../src/job/index.ts'
import { outputText, runCommand, runScript } from '../src/session/index.ts'

const at = (path: string): string => fileURLToPath(new URL(`../examples/${path}`, import.meta.url))

/** The sessions of docs/debugging.md: a run description, its folder, a script. */
const SESSIONS = [
  ['check-missing-barrier', 'pick-best', 'race'],
  ['debugging', 'uninitialized', 'uninitialized'],
  ['debugging', 'out-of-bounds', 'out-of-bounds'],
  ['debugging', 'wrong-pixel', 'wrong-pixel'],
] as const

/** What the page shows of a session: commands, each with the lines below it. */
function shownSession(commands: readonly string[]): readonly (readonly [command: string, lines: readonly string[]])[] {
  const page = readFileSync(fileURLToPath(new URL('../docs/debugging.md', import.meta.url)), 'utf8').split('\n')
  const prompts = commands.map((c) => `    (heddle) ${c}`)
  const first = page.findIndex((_, i) => {
    const found = page.slice(i).filter((l) => l.startsWith('    (heddle) '))
    return page[i] === prompts[0] && prompts.every((p, n) => found[n] === p)
  })
  if (first < 0) throw new Error(`the page has no session of ${commands.join('; ')}`)
  const shown: [string, string[]][] = []
  for (const line of page.slice(first)) {
    if (!line.startsWith('    ')) break
    if (line.startsWith('    (heddle) ')) shown.push([line.slice('    (heddle) '.length), []])
    else shown.at(-1)![1].push(line)
  }
  return shown
}

const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim()

it.each(SESSIONS)('%s/%s says what the page shows', async (folder, job, script) => {
  const { value } = parseDescriptionText(readFileSync(at(`${folder}/${job}.job.json`), 'utf8'))
  const session = (await debug(value!, createHost({ folder: at(folder) }))).value!
  const text = readFileSync(at(`debugging/${script}.heddle`), 'utf8')
  const commands = text.split('\n').filter((l) => l !== '' && !/^(?:#|expect )/.test(l))
  const context = { session, findings: [] }
  for (const [command, lines] of shownSession(commands)) {
    const answer = await runCommand(context, command)
    const said = collapsed(outputText(answer.value!.outputs))
    for (const line of lines) expect(said, command).toContain(collapsed(line))
  }
})

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
