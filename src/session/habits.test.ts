import { expect, it } from 'vitest'
import { corpusFile } from '../../test/support/corpus.ts'
import { memoryHost } from '../../test/support/jobs.ts'
import { assemblySession, sessionOf } from '../../test/support/sessions.ts'
import { jobTemplate, loadShader } from '../job/index.ts'
import { type CommandContext, type DebugSession, outputText, runCommand } from './index.ts'

const BODY = `ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
mov r0.y, l(0)
loop
  uge r0.z, r0.y, l(3)
  breakc_nz r0.z
  iadd r0.y, r0.y, l(1)
endloop
store_raw u0.x, r0.x, r0.y
ret`

const contextOf = (session: DebugSession): CommandContext => ({ session, findings: [] })

async function said(context: CommandContext, line: string): Promise<string> {
  const { value, diagnostics } = await runCommand(context, line)
  return value === undefined ? `error: ${diagnostics[0]?.message}` : outputText(value.outputs)
}

/** What lines say, one after the other, of a new session. */
async function conversation(lines: readonly string[]): Promise<readonly string[]> {
  const context = contextOf(await assemblySession(BODY))
  const found: string[] = []
  for (const line of lines) found.push(await said(context, line))
  context.session.timeLine.dispose()
  return found
}

/** What people type who know another debugger, and the same in words of this one. */
const SAME: readonly (readonly [habit: readonly string[], own: readonly string[]])[] = [
  [
    ['b i5', 'run', 'c', 'rc'],
    ['break i5', 'continue', 'continue', 'back continue'],
  ],
  [
    ['b i5', 'c', 'c', 'run', 'info b'],
    ['break i5', 'continue', 'continue', 'run', 'breakpoints'],
  ],
  [
    ['si', 'ni', 'rsi', 'rni'],
    ['stepi', 'nexti', 'back stepi', 'back nexti'],
  ],
  [
    ['finish', 'reverse-finish'],
    ['out', 'back out'],
  ],
  [
    ['n', 's', 'rn', 'rs', 'reverse-step'],
    ['next', 'step', 'back next', 'back step', 'back step'],
  ],
  [
    ['advance i7', 'bt', 'backtrace'],
    ['until i7', 'stack', 'stack'],
  ],
  [
    ['si', 'p/x r0.x', 'print/d r0', 'p/t r0.x'],
    ['stepi', 'print r0.x,x', 'print r0,d', 'print r0.x,b'],
  ],
  [
    ['x/4xw u0', 'x u0', 'x/2 u0+8'],
    ['memory u0 4', 'memory u0', 'memory u0+8 2'],
  ],
  [
    ['rwatch u0', 'awatch u0+4', 'rw u0', 'aw u0'],
    ['watch u0 read', 'watch u0+4 any', 'watch u0 read', 'watch u0 any'],
  ],
  [
    ['info registers', 'info locals', 'info threads'],
    ['registers', 'variables', 'lanes'],
  ],
  [
    ['info r r0.x', 'info frame', 'info line', 'info'],
    ['print r0.x', 'where', 'where', 'info'],
  ],
  [
    ['thread list', 'thread select 2', 't 3', 'thread backtrace'],
    ['lanes', 'thread 2', 'thread 3', 'stack'],
  ],
  [
    ['si', 'thread apply all p asint(r0.x)'],
    ['stepi', 'column asint(r0.x)'],
  ],
  [
    ['disas', 'disassemble', 'l 2,4'],
    ['list asm', 'list asm', 'list 2,4'],
  ],
  [
    ['set var r0.x = 3', 'p r0.x,d'],
    ['set r0.x = 3', 'print r0.x,d'],
  ],
  [
    ['breakpoint set -l 9', 'breakpoint list', 'breakpoint delete 1'],
    ['break 9', 'breakpoints', 'delete 1'],
  ],
  [
    ['call 1+1', 'output 1+1', 'expr 1+1', 'ptype r0.x'],
    ['print 1+1', 'print 1+1', 'print 1+1', 'whatis r0.x'],
  ],
  [
    ['si', 'restart', 'start'],
    ['stepi', 'go start', 'go start'],
  ],
  [
    ['tbreak i5', 'tb i6'],
    ['break i5 once', 'break i6 once'],
  ],
]

it.each(SAME)('%j is %j', async (habit, own) => {
  expect(await conversation(habit)).toEqual(await conversation(own))
})

it('a comment and an empty line say nothing, and what there is in no words says where else to look', async () => {
  const [comment, empty, jump, slash, nothing] = await conversation(['# b i5', '', 'jump i3', 'p/s r0', 'info frob'])
  expect([comment, empty]).toEqual(['', ''])
  expect([jump, slash, nothing]).toEqual([
    'error: jump is no command of this debugger',
    'error: there is no format s',
    'error: there is no info about frob',
  ])
})

it('a breakpoint for once is gone when it was hit; the others can be turned off, and take other conditions', async () => {
  const context = contextOf(await assemblySession(BODY, 2))
  const { session } = context
  const clocks = async (lines: readonly string[]): Promise<readonly number[]> => {
    const found: number[] = []
    for (const line of lines) {
      await said(context, line)
      found.push(session.timeLine.clock)
    }
    return found
  }
  // The loop's test is instruction 3: statements 2, 6 (behind endloop), 10 and so on of one wave of two lanes.
  await said(context, 'break i5 once')
  const [hit] = await clocks(['continue'])
  expect(session.breakpoints).toEqual([])
  await said(context, 'break i5')
  const all = await clocks(['go start', 'continue', 'continue', 'continue', 'continue'])
  expect(all[1]).toBe(hit)
  expect(new Set(all.slice(1, 4)).size).toBe(3)
  expect(await said(context, 'breakpoints')).not.toMatch(/disabled/)
  await said(context, 'disable 2')
  expect(await said(context, 'breakpoints')).toMatch(/i5.*disabled/)
  expect((await clocks(['go start', 'continue']))[1]).toBe(session.timeLine.end)
  await said(context, 'enable 2')
  await said(context, 'condition 2 asint(r0.y) == 2')
  expect((await clocks(['go start', 'continue']))[1]).toBe(all[3])
  await said(context, 'condition 2')
  await said(context, 'ignore 2 1')
  expect((await clocks(['go start', 'continue']))[1]).toBe(all[2])
  expect(await said(context, 'delete i5')).toBe('breakpoint 2 deleted')
})

it('refuses conditions that can have no value, and says at the end which had none', async () => {
  const [syntax, name, register, end] = await conversation([
    'break i5 if (((',
    'break i5 if frob > 1',
    'break i5 if r0.x@9 > 1',
    'continue',
  ])
  expect(syntax).toMatch(/^error: the condition \(\(\( cannot be evaluated/)
  expect(name).toMatch(/^error: .* there is no variable or register frob/)
  expect(register).toMatch(/^breakpoint 1/)
  expect(end).toMatch(/^the condition of breakpoint 1 has no value: /)
})

it('shows expressions at each stop, until they are displayed no more', async () => {
  const [first, stop, none] = await conversation(['display asint(r0.y)', 'until i7', 'undisplay 1']).then(
    async (a) => a,
  )
  expect(first).toMatch(/asint\(r0.y\) = 0/)
  expect(stop).toMatch(/ {2}1: asint\(r0.y\) = 3$/)
  expect(none).toBe('display 1 ended')
})

/** A session over a shader of the corpus whose HLSL has a function that was inlined twice. */
function lightsSession(): Promise<DebugSession> {
  const files = { 'lights.dxbc': corpusFile('cs/real_light_cull.zi').bytes }
  const place = { file: 'lights.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }
  return sessionOf(jobTemplate(loadShader(place, memoryHost(files)).value!, 'lights', 'lights.dxbc').value!, files)
}

it('looks names up in the functions outside, until the next stop', async () => {
  const context = contextOf(await lightsSession())
  await said(context, 'until unproj')
  expect(await said(context, 'bt')).toBe('#0 unproj at real_light_cull.hlsl:18\n#1 main at real_light_cull.hlsl:26')
  const inner = await said(context, 'info locals')
  expect(inner).toMatch(/^ {2}p = /m)
  expect(inner).not.toMatch(/^ {2}c0 = /m)
  expect(await said(context, 'up')).toBe('#1 main at real_light_cull.hlsl:26')
  const outer = await said(context, 'info locals')
  expect(outer).toMatch(/^ {2}c0 = /m)
  expect(outer).not.toMatch(/^ {2}p = /m)
  expect(await said(context, 'up')).toBe('error: this is the outermost function')
  expect(await said(context, 'frame 0')).toBe('#0 unproj at real_light_cull.hlsl:18')
  expect(await said(context, 'down')).toBe('error: this is the innermost function')
  expect(await said(context, 'frame 7')).toBe('error: there is no frame 7')
  await said(context, 'up')
  await said(context, 'stepi')
  expect(context.session.level).toBe(0)
})
