import { describe, expect, it } from 'vitest'
import { everyNth } from '../../test/support/amount.ts'
import { assemblySession, kernelSession } from '../../test/support/sessions.ts'
import { COMMANDS, outputText, runCommand, runScript } from './index.ts'

/** Thread t stores 10 t + 7 at 4 t. */
const PROGRAM = `imul null, r0.x, vThreadIDInGroupFlattened.x, l(10)
iadd r0.x, r0.x, l(7)
ishl r0.y, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.y, r0.x
ret`

const problems = (report: Awaited<ReturnType<typeof runScript>>): readonly string[] =>
  report.diagnostics.map((d) => `${d.place?.kind === 'text' ? d.place.line : 0}: ${d.message}`)

describe('a script', () => {
  it('goes forward and back over its stops', async () => {
    const session = await assemblySession(PROGRAM)
    const report = await runScript(
      session,
      `# thread 2 stores 27
break i3 thread 2
continue
expect instruction 3
expect thread 2
expect reason breakpoint
expect r0.x is 27
expect asint(r0.x) == 27
watch u0+8
continue
expect reason data
expect output behind
history u0+8
expect output -> 0x0000001b 27
back
expect asint(r0.x@1) == 17
memory u0 4
continue
go end
expect reason end`,
    )
    expect(problems(report)).toEqual([])
    expect(report).toMatchObject({ expectations: 10, stops: 6, repeated: 6 })
  })

  it('says which expectation does not hold, and goes on', async () => {
    const session = await assemblySession(PROGRAM)
    const script = 'stepi\nexpect instruction 2\nexpect r0.x is 8\nexpect r9.x\nno such thing\nexpect thread 0'
    const found = problems(await runScript(session, script))
    expect(found).toHaveLength(4)
    expect(found[0]).toBe('2: instruction is 1, expected 2')
    expect(found[1]).toBe('3: r0.x is 0, expected 8')
    expect(found[2]).toMatch(/^4: r9\.x/)
    expect(found[3]).toMatch(/^5: there is no command no/)
  })

  it('makes changes part of the recording', async () => {
    const session = await assemblySession(PROGRAM)
    const script =
      'until i3\nset r0.x = 99\ngo end\nmemory u0 1\nexpect output 0x00000063\nchanges\nexpect output r0.x of thread 0\ndrop 0\nmemory u0 1\nexpect output 0x00000007'
    const found = problems(await runScript(session, script))
    expect(found).toEqual([])
  })

  it('passes over real kernels, forward and backward', async () => {
    for (const name of everyNth(['oit', 'reduce', 'bitonic'], 3)) {
      const session = await kernelSession(name)
      const script =
        'break i3\nbreak i9 hits % 7\ncontinue\ncontinue\ncontinue\ncontinue\nstepi 5\nwave 3\nany 20\nuntil barrier\ncontinue'
      const report = await runScript(session, script)
      expect(problems(report), name).toEqual([])
      expect(report.repeated, name).toBe(report.stops)
    }
  })
})

describe('commands', () => {
  it('have names of their own and a help that knows all of them', async () => {
    const names = COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])])
    expect(new Set(names).size).toBe(names.length)
    const context = { session: await assemblySession(PROGRAM), findings: [] }
    const help = outputText((await runCommand(context, 'help')).value!.outputs)
    for (const c of COMMANDS) {
      expect(help).toContain(`  ${c.name} `)
      expect(outputText((await runCommand(context, `help ${c.name}`)).value!.outputs)).toContain(c.summary)
    }
  })

  it('show the group as a grid, a table and a column', async () => {
    const session = await assemblySession(PROGRAM)
    const context = { session, findings: [] }
    const show = async (line: string): Promise<string> => outputText((await runCommand(context, line)).value!.outputs)
    await show('until i3')
    expect(await show('grid')).toContain('AAAA\n  A at instruction 3 (4)')
    expect(await show('lanes')).toContain('0-3')
    expect(await show('column r0.x')).toContain('4 distinct, least 7, most 37')
    expect(await show('thread 3')).toContain('thread 3 (3, 0, 0)')
    expect(await show('print r0.x,x')).toBe('r0.x,x = 0x00000025  (register)')
    expect(await show('list')).toContain('> 9  store_raw u0.x, r0.y, r0.x')
  })

  it('answer nonsense with what was expected', async () => {
    const context = { session: await assemblySession(PROGRAM), findings: [] }
    const lines = [
      'break 99',
      'break nowhere',
      'watch',
      'watch r0.x sometimes',
      'catch flies',
      'thread 4',
      'thread 1,1,1',
    ]
    for (const line of [
      ...lines,
      'go nowhere',
      'set r0.x',
      'memory q0',
      'delete 7',
      'step x',
      'until',
      'print 1 +',
      'stepx',
    ]) {
      const { value, diagnostics } = await runCommand(context, line)
      expect([line, value]).toEqual([line, undefined])
      expect(diagnostics[0]?.code, line).toBe('session-command')
    }
  })
})
