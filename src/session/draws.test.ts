import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { scriptedRuns } from '../../test/support/scripted-runs.ts'
import { sessionOf } from '../../test/support/sessions.ts'
import { outputText, runCommand, runScript, scopesOf } from './index.ts'
import type { DebugSession } from './session.ts'

const EXAMPLES = new URL('../../examples/debugging/', import.meta.url)
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, EXAMPLES)))
const JOB = JSON.parse(new TextDecoder().decode(read('wrong-pixel.job.json'))) as Record<string, unknown>
const FILES = {
  'wrong-pixel.vs.asm': read('wrong-pixel.vs.asm'),
  'wrong-pixel.ps.asm': read('wrong-pixel.ps.asm'),
}

/** The frame of the example: three triangles over 15 x 15 pixels. Its pixel shader may be another. */
const drawSession = (ps?: string): Promise<DebugSession> =>
  sessionOf(JOB, ps === undefined ? FILES : { ...FILES, 'wrong-pixel.ps.asm': new TextEncoder().encode(ps) })

const PS = new TextDecoder().decode(FILES['wrong-pixel.ps.asm'])

async function said(session: DebugSession, line: string): Promise<string> {
  const { value, diagnostics } = await runCommand({ session, findings: [] }, line)
  return value === undefined ? `refused: ${diagnostics[0]!.message}` : outputText(value.outputs)
}

async function holds(session: DebugSession, ...lines: string[]): Promise<void> {
  const report = await runScript(session, lines.join('\n'))
  expect(report.diagnostics).toEqual([])
  expect(report.repeated).toBe(report.stops)
}

it('steps through all stages in both directions', async () => {
  await holds(
    await drawSession(),
    'expect stage vertex',
    'expect invocation vertex 0 of instance 0',
    'stepi 3',
    'expect instruction 3',
    // ret is the last of the vertices: behind it come the pixels.
    'stepi',
    'expect stage pixel',
    'expect instruction 0',
    'back',
    'expect stage vertex',
    'expect instruction 3',
    'go end',
    'back',
    'expect stage pixel',
    'expect instruction 5',
  )
})

it('goes to invocations by their names', async () => {
  const session = await drawSession()
  // The vertex shader moves (3, -1, 0.5) to o0 and (3, -1) to o1.
  await holds(
    session,
    'vertex 4',
    'expect invocation vertex 4 of instance 0',
    'until i3',
    'expect o0.x == 3.0 && o0.y == -1.0 && o0.z == 0.5 && o1.x == 3.0',
    'pixel 7,7',
    'fragment 1',
    'expect invocation pixel (7, 7) of primitive 1',
  )
  expect(await said(session, 'vertex 9')).toBe('refused: no vertex 9 runs in this draw')
  expect(await said(session, 'primitive 0')).toBe('refused: the draw has no geometry shader')
  expect(await said(session, 'pixel 15,0')).toBe('refused: pixel (15, 0) is outside of the targets')
  expect(await said(session, 'pixel 7,7')).toMatch(
    /2 .* failed the depth test \(LESS\) before the shader ran .* would leave o0/,
  )
  expect(await said(session, 'fragment 2')).toBe('refused: the shader did not run for fragment 2')
  expect(await said(session, 'fragment 7')).toMatch(/has 3$/)
  expect(await said(session, 'registers')).toMatch(/v1 = .*\(DIRECTION\)/)
})

it('stops in the stage that a breakpoint is of, and watches its outputs', async () => {
  const session = await drawSession()
  await holds(
    session,
    'break pixel:i2 hits 2',
    'continue',
    'expect stage pixel',
    'expect instruction 2',
    'delete',
    'go 0',
  )
  await holds(session, 'watch o1.x', 'continue', 'expect stage vertex', 'expect instruction 3', 'delete', 'go 0')
  await holds(session, 'break pixel:i1 if r0.x == 0.0', 'continue', 'expect invocation pixel (7, 7) of primitive 1')
  expect(await said(session, 'break hull:i1')).toBe('refused: there is no hull shader')
})

it('marks helper lanes', async () => {
  const session = await drawSession()
  // 15 x 15 pixels: quads at the right and lower edges reach over them.
  await said(session, 'pixel 14,14')
  expect(await said(session, 'fragment 0')).toContain('pixel (14, 14) of primitive 0')
  expect(await said(session, 'lanes')).toContain('helper lanes')
  const grid = await said(session, 'grid')
  expect(grid).toMatch(/B helper lanes at instruction 0 \(\d+\)/)
  // The quad of (14, 14) has one pixel that stores.
  expect(grid).toMatch(/AB\n/)
})

it('stops at findings of draws', async () => {
  const session = await drawSession(PS.replace('rsq r0.x, r0.x', 'mov r0.x, r0.y'))
  await holds(
    session,
    'findings',
    'expect output check-uninitialized-temp',
    'catch undefined',
    'continue',
    'expect reason finding',
    'expect finding check-uninitialized-temp',
    'expect stage pixel',
    'go finding 0',
  )
})

it('draws with what was changed', async () => {
  const session = await drawSession()
  await holds(session, 'vertex 3', 'until i3', 'set o1.x = 5.0', 'vertex 4', 'until i3', 'set o1.x = 5.0')
  await holds(session, 'vertex 5', 'until i3', 'set o1.x = 5.0')
  await said(session, 'pixel 14,14')
  await said(session, 'fragment 1')
  // The three vertices of triangle 1 have it, and so has each of its pixels.
  expect(await said(session, 'print v1.x')).toBe('v1.x = 5.0  (register)')
  expect(await said(session, 'changes')).toMatch(/2 .*\n/)
  expect(session.timeLine.changes).toHaveLength(3)
})

it('opens other commands of a frame', async () => {
  const session = await sessionOf(
    { ...JOB, commands: [...(JOB.commands as object[]), { draw: 'directions', vertexCount: 3 }] },
    FILES,
  )
  expect(await said(session, 'draws')).toMatch(/2 {2}draw .*<- debugged/)
  expect(await said(session, 'command 3')).toMatch(/^command 3: draw of directions/)
  // Behind the first draw its depth is 0.5, and the triangle at 0.75 is hidden.
  expect(await said(session, 'pixel 3,3')).toContain('failed the depth test (LESS)')
  expect(await said(session, 'command 0')).toBe('refused: command 0 is a clear; draws and dispatches can be debugged')
  expect(session.frame?.current).toBe(3)
})

it('keeps breakpoints where another command runs the same shader, and the others for the way back', async () => {
  const { shaders, pipelines, commands } = JOB as {
    shaders: Record<string, string>
    pipelines: Record<string, object>
    commands: object[]
  }
  const otherPixels = new TextEncoder().encode(PS.replace('rsq r0.x, r0.x', 'mov r0.x, r0.y'))
  const job = {
    ...JOB,
    shaders: { ...shaders, other: 'other.ps.asm' },
    pipelines: { ...pipelines, others: { ...pipelines.directions, pixel: 'other' } },
    commands: [...commands, { draw: 'directions', vertexCount: 3 }, { draw: 'others', vertexCount: 3 }],
  }
  const session = await sessionOf(job, { ...FILES, 'other.ps.asm': otherPixels })
  await said(session, 'break vertex:i2 thread 1 hits 1')
  await said(session, 'break pixel:i2')
  await said(session, 'catch nan')
  const ids = (): readonly number[] => session.breakpoints.map((b) => b.id)
  expect(await said(session, 'command 3')).not.toContain('other commands')
  expect(ids()).toEqual([1, 2, 3])
  // Behind the first draw its triangle is hidden: no pixel runs.
  await holds(session, 'continue', 'expect stage vertex', 'expect instruction 2', 'continue', 'expect reason end')
  // Another pixel shader: what stands in it waits.
  expect(await said(session, 'command 4')).toContain('1 breakpoint of other commands: 2')
  expect(ids()).toEqual([1, 3])
  expect(await said(session, 'breakpoints')).toMatch(/thread 1\n.*3 {2}nan\n.*2 {2}pixel:i2, of another command/s)
  await holds(session, 'continue', 'expect stage vertex', 'expect instruction 2')
  await said(session, 'command 2')
  expect(ids()).toEqual([1, 2, 3])
  await holds(session, 'continue', 'expect stage vertex', 'continue', 'expect stage pixel', 'expect instruction 2')
  expect(await said(session, 'command 4')).toContain('breakpoint of other commands')
  expect(await said(session, 'delete')).toBe('3 breakpoints deleted')
  await said(session, 'command 2')
  expect(ids()).toEqual([])
})

it('names each register so that its name means it, where a variable has the same', async () => {
  // Its HLSL has a float r2.
  const session = await scriptedRuns('ps/real_pbr.zi')[0]!.open()
  await said(session, 'until pixel:main')
  await said(session, 'stepi 20')
  const registers = scopesOf(session.run, session.focus)
    .find((s) => s.name === 'Registers')!
    .node.children(0, 64)
  expect(registers.find((n) => n.name === 'r2')?.expression).toBe('$r2')
  for (const { expression, value } of registers.filter((n) => n.name.startsWith('r'))) {
    const found = session.evaluate(expression!).value!.node
    expect([expression, found.value]).toEqual([expression, value])
  }
  expect(session.evaluate('r2').value!.node.value).toBe('not available')
})

/** Two draws of one pipeline that write a buffer, and one of another. */
function framesWithBuffer(): Promise<DebugSession> {
  const { resources, pipelines, shaders, commands } = JOB as {
    [K in 'resources' | 'shaders']: Record<string, unknown>
  } & { pipelines: { directions: { bind: object } }; commands: unknown[] }
  const { directions } = pipelines
  const bind = { ...directions.bind, unorderedAccess: { u1: { resource: 'log', raw: true } } }
  const draw = { draw: 'writes', vertexCount: 3 }
  const writes = PS.replace('dcl_input_ps', 'dcl_uav_raw u1\ndcl_input_ps').replace(
    'rsq r0.x',
    'store_raw u1.x, l(8), r0.x\nrsq r0.x',
  )
  const job = {
    ...JOB,
    resources: { ...resources, log: { kind: 'buffer', size: 16 } },
    shaders: { ...shaders, writes: { assembly: writes } },
    pipelines: { ...pipelines, writes: { ...directions, pixel: 'writes', bind } },
    commands: [...commands.slice(0, 2), draw, { draw: 'directions', vertexCount: 3 }, draw],
  }
  return sessionOf(job, FILES)
}

it('keeps breakpoints of memory and registers for the commands that have them', async () => {
  const session = await framesWithBuffer()
  await said(session, 'until pixel:main')
  await said(session, 'watch u1+8')
  await said(session, 'watch pixel:o0.x')
  const next = async (): Promise<string> => (await said(session, 'continue')).split('\n')[0]!
  const ofFirst = [await next(), await next()]
  expect(ofFirst).toEqual(['access 1 (u1+8 write)', 'access 2 (pixel:o0.x write)'])
  // The other pipeline has another shader, whose registers are others; the frame still has the buffer, which nothing writes there.
  expect(await said(session, 'command 3')).toContain('1 breakpoint of other commands: 2')
  expect(await next()).toBe('end of the run')
  // What the first draw left stands in the buffer, and is written again.
  await said(session, 'command 4')
  expect(session.waiting).toEqual([])
  expect([await next(), await next()]).toEqual(ofFirst)
  expect(await said(session, 'breakpoints')).toMatch(/1 +u1\+8 write\n.*2 +pixel:o0.x write/)
})

it('marks changes that are left out, and lists those of batches that are gone', async () => {
  const session = await drawSession()
  // A vertex behind the near plane takes its triangle, and with the last of them all pixels.
  await said(session, 'until pixel:main')
  await said(session, 'stepi')
  expect(await said(session, 'set r0.x = 3')).toMatch(/1 change /)
  const lines = async (): Promise<string[]> => (await said(session, 'changes')).split('\n').slice(2, -1)
  expect((await lines())[0]).not.toContain('left out')
  await said(session, 'go start')
  for (const lane of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
    await said(session, `vertex ${lane}`)
    await said(session, 'until 9')
    await said(session, 'set o0.z = -1.0')
  }
  const marked = (await lines()).filter((l) => l.includes('left out'))
  expect(marked).toHaveLength(1)
  expect(marked[0]).toMatch(/r0\.x of thread 0 = 0x00000003/)
})

it('names the invocations that made what one reads', async () => {
  const session = await drawSession()
  await said(session, 'pixel 7,7')
  await said(session, 'fragment 1')
  // Primitive 1 of a list of triangles without indices.
  expect(await said(session, 'inputs')).toBe(
    'primitive 1 has the outputs of these vertices\n  vertex 3\n  vertex 4\n  vertex 5\neach of these lines is the command that goes there',
  )
  await said(session, 'vertex 4')
  expect(await said(session, 'inputs')).toMatch(/^the input assembler/)
})

const sceneSession = (name: string): Promise<DebugSession> => scriptedRuns(`scene ${name}`)[0]!.open()

it('goes back from a pixel through domain and hull shader to the vertices', async () => {
  const session = await sceneSession('tess')
  await said(session, 'domain-point 0 5')
  // 4 x 4 patches over 5 x 5 vertices: patch 5 is the second of the second row.
  const ofPoint = await said(session, 'inputs')
  expect(ofPoint.match(/^ {2}\S.*$/gm)).toEqual(['  vertex 6', '  vertex 7', '  vertex 11', '  vertex 12', '  patch 5'])
  await said(session, 'patch 5')
  expect((await said(session, 'inputs')).match(/^ {2}\S.*$/gm)).toEqual(ofPoint.match(/^ {2}vertex.*$/gm))
  await said(session, 'break pixel:i0')
  await said(session, 'continue')
  const [, patch] = /of primitive (\d+)/.exec(await said(session, 'where'))!
  expect(await said(session, 'inputs')).toMatch(
    new RegExp(`domain points of patch ${patch}\\n  domain-point 0 ${patch}\\n`),
  )
  expect(await said(session, 'control-point 0 0')).toMatch(/^refused: no control-point 0 of 0 runs/)
})

it('goes back from a pixel through the geometry shader to its vertex', async () => {
  const session = await sceneSession('billboards')
  await said(session, 'break pixel:i0')
  await said(session, 'continue')
  const [, primitive] = /of primitive (\d+)/.exec(await said(session, 'where'))!
  expect(await said(session, 'inputs')).toMatch(
    new RegExp(`emitted primitive ${primitive}\\n  primitive ${primitive}\\n`),
  )
  await said(session, `primitive ${primitive}`)
  // Points without indices.
  expect(await said(session, 'inputs')).toMatch(new RegExp(`these vertices\\n  vertex ${primitive}\\n`))
})
