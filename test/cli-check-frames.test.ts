/** `heddle check` of frames: exit codes, what is printed, and results for other programs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { heddle } from './support/cli.ts'
import { storingFrame, storingPixel, WHOLE_TARGET } from './support/racing-frame.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'heddle-check-frames-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

function write(name: string, address: string, change: object = {}): string {
  const path = join(FOLDER, `${name}.json`)
  const frame = {
    ...storingFrame(name, { assembly: WHOLE_TARGET }, { assembly: storingPixel(address) }),
    ...change,
  }
  writeFileSync(path, JSON.stringify(frame))
  return path
}

const RIGHT = write('right', 'r0.x')
const RACES = write('races', 'l(0)')

describe('heddle check of frames', () => {
  it('prints findings with their draw, and what was checked', async () => {
    const { status, stdout } = await heddle('check', RACES)
    expect(status).toBe(1)
    expect(stdout).toContain('in draw 0 of pipeline whole ($.commands[1])')
    expect(stdout).toMatch(/first: {2}pixel shader, pixel \(\d, \d\) of primitive 0 in draw 0 writes/)
    expect(stdout).toContain('races: 1 error (1 draw, 3 vertex invocations, 16 pixel invocations)')
    const fine = await heddle('check', RIGHT)
    expect(fine.status).toBe(0)
    expect(fine.stdout).toContain('right: nothing found (1 draw, 3 vertex invocations, 16 pixel invocations)')
  })

  it('writes JSON, SARIF, JUnit and annotations', async () => {
    const [sarif, junit] = [join(FOLDER, 'a.sarif'), join(FOLDER, 'a.xml')]
    const { status, stdout } = await heddle('check', RACES, '--json', '--sarif', sarif, '--junit', junit)
    expect(status).toBe(1)
    const [{ file, report }] = JSON.parse(stdout)
    expect(file).toBe(RACES)
    expect(report.findings[0]).toMatchObject({
      code: 'check-race-invocations',
      stage: 'pixel',
      command: { kind: 'draw', index: 0, pipeline: 'whole', path: '$.commands[1]' },
    })
    const [result] = JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results
    expect(result.ruleId).toBe('check-race-invocations')
    expect(result.message.text).toContain('In draw 0 of pipeline whole ($.commands[1])')
    expect(result.partialFingerprints['heddle/v1']).toContain('check-race-invocations whole pixel')
    expect(readFileSync(junit, 'utf8')).toContain('in draw 0 of pipeline whole')
    const annotations = await heddle('check', RACES, '--github')
    expect(annotations.stdout).toMatch(/::error .*title=check-race-invocations.*draw 0 of pipeline whole/)
  })

  it('opens the debugger at both sides of a race, and prints the history of the memory', async () => {
    const { stdout } = await heddle('check', RACES, '--trace')
    expect(stdout).toContain(`debug: heddle debug ${RACES} --command 1 --finding check-race-invocations@pixel:3`)
    expect(stdout).toMatch(/history of u1\+0x0 \[check-race-invocations\] instruction 3\n.*stage +invocation/)
    expect(stdout).toMatch(/store +pixel +pixel \(\d, \d\) of primitive 0 +instruction 3 .*<- here/)
    // The other side is an earlier store, or of another lane of the same statement.
    const script = join(FOLDER, 'sides.heddle')
    const lines = [
      'expect instruction 3',
      'go finding 0 other',
      'expect stage pixel',
      'expect instruction 3',
      'history u1+0',
    ]
    writeFileSync(script, lines.join('\n'))
    const sides = await heddle('debug', RACES, '--finding', 'check-race-invocations@pixel:3', '--script', script)
    expect([sides.status, sides.stderr]).toEqual([0, ''])
    expect(sides.stdout).toContain('16 accesses in the whole run')
  })

  it('heeds suppressions, detectors and limits', async () => {
    expect((await heddle('check', RACES, '--suppress', 'check-race-invocations')).status).toBe(0)
    const file = join(FOLDER, 'known.txt')
    writeFileSync(file, '[races/whole]\ncheck-race-invocations@3\n')
    expect((await heddle('check', RACES, '--suppressions', file)).status).toBe(0)
    writeFileSync(file, '[races/other]\ncheck-race-invocations\n')
    expect((await heddle('check', RACES, '--suppressions', file)).status).toBe(1)
    expect((await heddle('check', RACES, '--detectors', 'bounds')).status).toBe(0)
    const loop = WHOLE_TARGET.replace('ret', 'loop\nmov r0.x, v0.x\nendloop\nret')
    const endless = write('endless', 'r0.x', {
      shaders: { place: { assembly: loop }, paint: { assembly: storingPixel('r0.x') } },
    })
    const { status, stdout } = await heddle('check', endless, '--max-instructions', '1000')
    expect(status).toBe(1)
    expect(stdout).toContain('partial: a thread executed more instructions than allowed')
  })

  it('compares on request', async () => {
    const white = { words: Array.from({ length: 16 }, () => '0xffffffff') }
    const file = write('compared', 'r0.x', { expect: [{ resource: 'picture', ...white }] })
    const uncompared = await heddle('check', file)
    expect(uncompared.status).toBe(0)
    expect(uncompared.stdout).toContain('expected contents of one description were not compared')
    expect((await heddle('check', file, '--compare')).status).toBe(0)
    const black = { words: Array.from({ length: 16 }, () => 0) }
    const wrong = write('wrong', 'r0.x', { expect: [{ resource: 'picture', ...black }] })
    const compared = await heddle('check', wrong, '--compare')
    expect(compared.status).toBe(1)
    expect(compared.stdout).toContain('contents: picture')
  })

  it('takes mappings of paths', async () => {
    expect((await heddle('check', RIGHT, '--path-map', 'Z:\\build=src')).status).toBe(0)
    expect((await heddle('check', RIGHT, '--path-map', 'src')).status).toBe(2)
  })

  it('says where a frame is wrong', async () => {
    const { status, stderr, stdout } = await heddle(
      'check',
      write('typo', 'r0.x', { commands: [{ draw: 'hole', vertexCount: 3 }] }),
    )
    expect(status).toBe(2)
    expect(`${stdout}${stderr}`).toContain('$.commands[0].draw')
    expect(stdout).toContain('not run')
  })
})
