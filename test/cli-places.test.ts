import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { heddle } from './support/cli.ts'

/** One way to number: what `heddle dis --numbers` prints is what every report says, whatever its form. */

const folder = mkdtempSync(join(tmpdir(), 'heddle-places-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const DECLARATIONS = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 4, 1, 1
`
const STORE = 'store_raw u0.x, r0.x, l(1)'
/** The store, at no multiple of 4, is the third instruction: number 2, statement 7. */
const MISALIGNED = `${DECLARATIONS}ishl r0.x, vThreadID.x, l(2)\niadd r0.x, r0.x, l(1)\n${STORE}\nret\n`
/** The loop is the second instruction. */
const ENDLESS = `${DECLARATIONS}nop\nloop\n  mov r0.x, l(1)\nendloop\nret\n`
/** The addition of a register that is not declared is the second instruction; its second operand is meant. */
const UNDECLARED = `${DECLARATIONS}nop\niadd r0.x, r3.x, l(1)\nret\n`

const path = (name: string): string => join(folder, name)
const job = (name: string, shader: string, extra: object = {}): void => {
  const resources = [{ slot: 'u0', kind: 'raw', size: 64 }]
  const text = JSON.stringify({ name, shader, dispatch: [1, 1, 1], resources, ...extra })
  writeFileSync(path(`${name}.job.json`), text)
}

beforeAll(() => {
  for (const [name, text] of Object.entries({ misaligned: MISALIGNED, endless: ENDLESS, undeclared: UNDECLARED })) {
    writeFileSync(path(`${name}.asm`), text)
    job(name, `${name}.asm`)
  }
})

describe('instructions are numbered as in listings', () => {
  it('by dis --numbers', async () => {
    await heddle('asm', path('misaligned.asm'), '-o', path('misaligned.dxbc'))
    const { stdout } = await heddle('dis', '--numbers', path('misaligned.dxbc'))
    expect(stdout).toContain(`   2: ${STORE}`)
  })

  it('by run, for people and programs', async () => {
    const { stderr, stdout } = await heddle('run', path('misaligned.job.json'), '--json')
    const [{ diagnostics }] = [JSON.parse(stdout)].flat()
    expect(diagnostics.map((d: { place: unknown }) => d.place)).toEqual([
      { kind: 'statement', index: 7, instruction: 2, operand: 0, listing: STORE },
    ])
    const text = await heddle('run', path('misaligned.job.json'))
    expect(`${text.stderr}${text.stdout}${stderr}`).toContain('instruction 2, operand 0: warning: ')
  })

  it('by run, for CI', async () => {
    const where = `instruction 2, operand 0 (${STORE}): `
    const of = (flag: string, name: string) => heddle('run', path(`${name}.job.json`), ...flag.split(' '))
    expect((await of('--github', 'misaligned')).stdout).toContain(`misaligned: ${where}`)
    await of(`--sarif ${path('run.sarif')}`, 'misaligned')
    const [result] = JSON.parse(readFileSync(path('run.sarif'), 'utf8')).runs[0].results
    expect(result.message.text).toContain(`misaligned: ${where}`)
    const budget =
      'instruction 1 (loop): a thread executed more than 1000 instructions, last in the loop at instruction 1'
    await of(`--junit ${path('run.xml')} --max-instructions 1000`, 'endless')
    const junit = readFileSync(path('run.xml'), 'utf8')
    expect(junit).toContain(`\n${budget}</failure>`)
    expect(junit).not.toContain('statement')
  })

  it('by check, for people, programs and CI', async () => {
    const of = (...flags: string[]) => heddle('check', path('misaligned.job.json'), ...flags)
    expect((await of()).stdout).toContain(`\n      2: ${STORE}\n`)
    const [{ report }] = [JSON.parse((await of('--json')).stdout)].flat()
    expect(report.findings[0].site).toMatchObject({ statement: 7, instruction: 2, listing: STORE })
    await of('--sarif', path('check.sarif'), '--junit', path('check.xml'))
    const [result] = JSON.parse(readFileSync(path('check.sarif'), 'utf8')).runs[0].results
    expect(result.locations[0].logicalLocations[0].name).toBe(`instruction 2: ${STORE}`)
    expect((await of('--github')).stdout).toContain(`(instruction 2: ${STORE})`)
    expect(readFileSync(path('check.xml'), 'utf8')).toContain(`2: ${STORE}`)
  })

  it('by validate and cfg', async () => {
    const { stdout } = await heddle('validate', '--json', path('undeclared.asm'))
    // Of a text the place is the line; of a container the instruction.
    const found = JSON.parse(stdout)[0].findings as { code: string; place?: unknown }[]
    const undeclared = found.find((f) => f.code === 'validate-undeclared-temp')
    expect(undeclared?.place).toMatchObject({ kind: 'text', line: 8 })
    await heddle('asm', '--no-validate', path('undeclared.asm'), '-o', path('undeclared.dxbc'))
    const container = await heddle('validate', path('undeclared.dxbc'))
    expect(`${container.stdout}${container.stderr}`).toContain('instruction 1, operand 1: error: ')
    expect((await heddle('cfg', path('misaligned.dxbc'))).stdout).toContain(`\\l2: ${STORE}\\l`)
  })
})
