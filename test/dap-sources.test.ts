/** The adapter over files: the user's own source text, and what it shows when a run has ended. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DebugClient } from '@vscode/debugadapter-testsupport'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeAdapterHost } from '../apps/cli/debugger/dap-host.ts'
import { serveStream } from '../apps/cli/debugger/dap-streams.ts'
import { createHost } from '../src/host/node/index.ts'
import { jobTemplate, loadShader } from '../src/job/index.ts'
import { CORPUS_FOLDER } from './support/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-dap-'))
const JOB = join(folder, 'lights.job.json')
const OWN = join(folder, 'real_light_cull.hlsl')
const HLSL = join(CORPUS_FOLDER, 'cs/real_light_cull.hlsl')

let server: Server
let client: DebugClient

beforeAll(async () => {
  copyFileSync(join(CORPUS_FOLDER, 'cs/real_light_cull.zi.dxbc'), join(folder, 'lights.dxbc'))
  const place = { file: 'lights.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }
  const shader = loadShader(place, createHost({ folder })).value!
  writeFileSync(JOB, JSON.stringify(jobTemplate(shader, 'lights', 'lights.dxbc').value))
  server = createServer((socket) => serveStream(socket, (b) => void socket.write(b), nodeAdapterHost()))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  rmSync(OWN, { force: true })
  client = new DebugClient('node', '', 'heddle')
  await client.start((server.address() as AddressInfo).port)
})
afterEach(() => client.stop())

async function launched(more: object = {}): Promise<P.Source> {
  await Promise.all([
    client.configurationSequence(),
    client.waitForEvent('stopped'),
    client.launch({ program: JOB, stopOnEntry: true, ...more }),
  ])
  return ((await client.customRequest('loadedSources')).body.sources as P.Source[])[0]!
}

const threadOf = async (): Promise<number> => (await client.threadsRequest()).body.threads[0]!.id
const frameOf = async (): Promise<P.StackFrame> =>
  (await client.stackTraceRequest({ threadId: await threadOf() })).body.stackFrames[0]!

describe('the text of a source file', () => {
  it('is the user’s own file, where it is the one that was compiled', async () => {
    copyFileSync(HLSL, OWN)
    const source = await launched()
    expect([source.path, source.sourceReference]).toEqual([OWN, undefined])
    const breakpoints = [{ line: 29 }]
    const set = (await client.setBreakpointsRequest({ source: { path: OWN }, breakpoints })).body.breakpoints[0]!
    expect(set.verified).toBe(true)
    await Promise.all([client.waitForEvent('stopped'), client.continueRequest({ threadId: await threadOf() })])
    const { source: shown, line } = await frameOf()
    expect([shown?.path, line]).toEqual([OWN, set.line])
  })

  it('is that of the debug data where the file was changed, with breakpoints by its name all the same', async () => {
    writeFileSync(OWN, `${readFileSync(HLSL, 'utf8')}\n// changed`)
    const source = await launched()
    expect(source.path).not.toBe(OWN)
    expect(source.sourceReference).toBeGreaterThan(0)
    const { content } = (await client.sourceRequest({ source, sourceReference: source.sourceReference! })).body
    expect(content).toBe(readFileSync(HLSL, 'utf8'))
    const [set] = (await client.setBreakpointsRequest({ source: { path: OWN }, breakpoints: [{ line: 29 }] })).body
      .breakpoints
    expect(set?.verified).toBe(true)
  })
})

it('has a frame at the end of a run, with the memory that it left', async () => {
  const source = await launched()
  const [event] = await Promise.all([
    client.waitForEvent('stopped'),
    client.continueRequest({ threadId: await threadOf() }),
  ])
  expect((event as P.StoppedEvent).body.description).toContain('end')
  const frame = await frameOf()
  expect([frame.name, frame.source?.path]).toEqual(['the end of the run', source.path])
  const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body
  expect(scopes.map((s) => s.name)).toEqual(['Resources', 'Constants'])
  const { variablesReference } = scopes[0]!
  const { variables } = (await client.variablesRequest({ variablesReference })).body
  expect(variables.map((v) => v.name)).toContain('lights')
  // Memory and constants are there; registers are of threads, which have ended.
  const { result } = (await client.evaluateRequest({ expression: 'lights[0].pos', frameId: frame.id })).body
  expect(result).toMatch(/^\(/)
  await expect(client.evaluateRequest({ expression: 'r0.x', frameId: frame.id })).rejects.toThrow(/no thread runs/)
})

describe('paths of debug data', () => {
  it('is the user’s own wherever a map of paths says that it is, in a name of other case', async () => {
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere, { recursive: true })
    const there = join(elsewhere, 'Real_Light_Cull.HLSL')
    copyFileSync(HLSL, there)
    expect((await launched()).sourceReference).toBeGreaterThan(0)
    await client.stop()
    client = new DebugClient('node', '', 'heddle')
    await client.start((server.address() as AddressInfo).port)
    const source = await launched({ sourcePathMap: { 's:/CS': elsewhere } })
    expect([source.path, source.sourceReference]).toEqual([there, undefined])
    const set = await client.setBreakpointsRequest({ source: { path: there }, breakpoints: [{ line: 29 }] })
    expect(set.body.breakpoints[0]?.verified).toBe(true)
    await Promise.all([client.waitForEvent('stopped'), client.continueRequest({ threadId: await threadOf() })])
    const { source: shown, line } = await frameOf()
    expect([shown?.path, line]).toEqual([there, set.body.breakpoints[0]?.line])
  })

  it.each([
    'S:\\cs\\real_light_cull.hlsl',
    's:/CS/REAL_LIGHT_CULL.hlsl',
    '/home/me/src/Real_Light_Cull.hlsl',
    'C:\\work\\real_light_cull.hlsl',
  ])('takes breakpoints by the path %s', async (path) => {
    await launched()
    const set = await client.setBreakpointsRequest({ source: { path }, breakpoints: [{ line: 29 }] })
    expect(set.body.breakpoints.map((b) => b.verified)).toEqual([true])
    const other = await client.setBreakpointsRequest({
      source: { path: `${path}.other` },
      breakpoints: [{ line: 29 }],
    })
    expect(other.body.breakpoints.map((b) => b.verified)).toEqual([false])
  })
})
