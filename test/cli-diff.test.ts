import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { align } from '../apps/cli/compare/align.ts'
import { disassemble } from '../src/asm/index.ts'
import { heddle } from './support/cli.ts'
import { CORPUS_FOLDER } from './support/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-diff-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const shader = (name: string): string => join(CORPUS_FOLDER, `${name}.dxbc`)

const HEAD = ['cs_5_0', 'dcl_globalFlags refactoringAllowed', 'dcl_uav_raw u0', 'dcl_input vThreadID.x']
const BODY = ['mov r0.x, l(0.500000)', 'mul r0.x, r0.x, r0.x', 'store_raw u0.x, vThreadID.x, r0.x', 'ret']

function text(name: string, lines: readonly string[]): string {
  const path = join(folder, `${name}.asm`)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const program = (temps: number, body: readonly string[]): string[] => [
  ...HEAD,
  `dcl_temps ${temps}`,
  'dcl_thread_group 4, 1, 1',
  ...body,
]

describe('heddle diff', () => {
  it('aligns statements, and shows the part that differs', async () => {
    const a = text('a', program(1, BODY))
    const b = text('b', program(2, [BODY[0]!, 'mov r1.x, l(1.000000)', ...BODY.slice(1)]))
    const { status, stdout } = await heddle('diff', a, b, '-U', '1')
    expect(status).toBe(1)
    expect(stdout.split('\n').slice(0, 14)).toEqual([
      `--- ${a}`,
      `+++ ${b}`,
      '',
      'declarations',
      '@@ statements 3, 3 @@',
      '- dcl_temps 1',
      '+ dcl_temps 2',
      '',
      'code',
      '@@ instructions 0 to 1, 0 to 2 @@',
      '  mov r0.x, l(0.500000)',
      '+ mov r1.x, l(1.000000)',
      '  mul r0.x, r0.x, r0.x',
      '',
    ])
    // One more instruction, one more register, one more that moves.
    expect(stdout).toContain('- instructions: 4\n- temps: 1\n+ instructions: 5\n+ temps: 2\n')
  })

  it('shows bits where texts look alike', async () => {
    // 0x3f000001 is 0.50000006: six decimals print it as 0.500000.
    const a = text('near', program(1, BODY))
    const b = text('far', program(1, ['mov r0.x, l(0x3f000001)', ...BODY.slice(1)]))
    const { stdout } = await heddle('diff', a, b, '-U', '0')
    expect(stdout).toContain('- mov r0.x, l(0x3f000000)\n+ mov r0.x, l(0x3f000001)\n')
  })

  it('is silent of nothing: same bytes are 0, other parts are named', async () => {
    const same = await heddle('diff', shader('cs/icb'), shader('cs/icb'))
    expect([same.status, same.stdout]).toEqual([0, `${shader('cs/icb')} and ${shader('cs/icb')} are the same\n`])
    const stripped = join(folder, 'stripped.dxbc')
    const listing = join(folder, 'icb.asm')
    writeFileSync(listing, disassemble(new Uint8Array(readFileSync(shader('cs/icb')))))
    expect((await heddle('asm', listing, '--base', shader('cs/icb'), '--strip', '-o', stripped)).status).toBe(0)
    const { status, stdout } = await heddle('diff', shader('cs/icb'), stripped)
    expect([status, stdout]).toEqual([1, expect.stringContaining('\nbindings\n')])
    expect(stdout).not.toContain('\ncode\n')
  })

  it('prints JSON, and nothing with --quiet', async () => {
    const { status, stdout } = await heddle('diff', '--json', shader('cs/flow_if'), shader('cs/flow_if.od'))
    const json = JSON.parse(stdout)
    expect([status, json.isSame, json.sections[0].title]).toEqual([1, false, 'declarations'])
    const quiet = await heddle('diff', '-q', shader('cs/flow_if'), shader('cs/flow_if.od'))
    expect([quiet.status, quiet.stdout]).toEqual([1, ''])
  })

  it('exits with 2 for what it cannot read', async () => {
    expect((await heddle('diff', shader('cs/icb'), join(folder, 'none'))).status).toBe(2)
    expect((await heddle('diff', shader('cs/icb'), shader('cs/icb'), '-U', 'x')).status).toBe(2)
  })
})

describe('aligned lines', () => {
  const lines = (text: string) => [...text].map((key) => ({ key, text: key }))
  const shown = (a: string, b: string, context: number): string[] =>
    align(lines(a), lines(b), context).hunks.map((h) =>
      h.map((l) => ({ same: '', removed: '-', added: '+' })[l.change] + l.text).join(' '),
    )

  it('share a hunk where their contexts touch, and have each line once', () => {
    expect(shown('abcdefgh', 'abXdefgYh', 1)).toEqual(['b -c +X d', 'g +Y h'])
    expect(shown('abcdefgh', 'abXdeYgh', 1)).toEqual(['b -c +X d e -f +Y g'])
    expect(shown('abc', 'abc', 3)).toEqual([])
    expect(shown('', 'a', 3)).toEqual(['+a'])
  })
})

describe('colors', () => {
  it('are in listings where they are asked for alone', async () => {
    const plain = (await heddle('dis', shader('cs/icb'))).stdout
    const colored = (await heddle('dis', shader('cs/icb'), '--color')).stdout
    expect(plain).not.toContain('\u001b')
    expect(colored).toContain('\u001b[33mret\u001b[39m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal reads as a color
    expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(plain)
    const out = join(folder, 'colored.asm')
    await heddle('dis', shader('cs/icb'), '--color', '-o', out)
    expect(readFileSync(out, 'latin1')).toBe(plain)
  })
})

describe('colors in pipes', () => {
  it('come with FORCE_COLOR, unless --no-color is given', async () => {
    vi.stubEnv('NO_COLOR', undefined)
    vi.stubEnv('FORCE_COLOR', '1')
    expect((await heddle('dis', shader('cs/icb'))).stdout).toContain('\u001b[33m')
    expect((await heddle('dis', shader('cs/icb'), '--no-color')).stdout).not.toContain('\u001b')
    vi.stubEnv('FORCE_COLOR', '0')
    expect((await heddle('dis', shader('cs/icb'))).stdout).not.toContain('\u001b')
    vi.unstubAllEnvs()
  })
})

describe('--json', () => {
  it('is taken by dis, asm and explain', async () => {
    const listed = JSON.parse((await heddle('dis', '--json', shader('cs/icb'), shader('ps/empty'))).stdout)
    expect(listed.map((l: { file: string }) => l.file)).toEqual([shader('cs/icb'), shader('ps/empty')])
    const path = text('json', program(1, BODY))
    const [assembled] = JSON.parse((await heddle('asm', '--json', path)).stdout)
    expect(Buffer.from(assembled.shader, 'base64').toString('latin1', 0, 4)).toBe('DXBC')
    const [explained] = JSON.parse((await heddle('explain', '--json', 'check-race')).stdout)
    expect(explained).toMatchObject({ code: 'check-race', severity: 'error' })
  })
})
