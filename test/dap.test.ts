import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { MessageChannel } from 'node:worker_threads'
import { DebugClient } from '@vscode/debugadapter-testsupport'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serveStream } from '../apps/cli/debugger/dap-streams.ts'
import { type AdapterHost, DebugAdapter, encodeMessage, MessageReader, serveOnPort } from '../apps/dap/index.ts'
import { failure } from '../src/diagnostic/index.ts'
import { debug } from '../src/host/index.ts'
import { jobTemplate, loadShader, parseDescription } from '../src/job/index.ts'
import { corpusFile } from './support/corpus.ts'
import { kernelJob, memoryHost } from './support/jobs.ts'
import { PortClient } from './support/port-client.ts'
import { assemblyJob } from './support/sessions.ts'

const assembly = (body: string, threads = 4): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_thread_group ${threads}, 1, 1
${body}
`

/** Thread t stores 10 t + 7 at 4 t; line 7 is the first instruction. */
const PROGRAM = `imul null, r0.x, vThreadIDInGroupFlattened.x, l(10)
iadd r0.x, r0.x, l(7)
ishl r0.y, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.y, r0.x
ret`

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const FILES: Readonly<Record<string, Uint8Array>> = {
  'test.asm': bytes(assembly(PROGRAM)),
  'outside.asm': bytes(assembly('mov r0.x, l(64)\nstore_raw u0.x, r0.x, r0.x\nret')),
  'lights.dxbc': corpusFile('cs/real_light_cull.zi').bytes,
  'parts.asm': bytes(assembly('and r0.x, vThreadIDInGroupFlattened.x, l(1)\nif_nz r0.x\n  mov r0.y, l(1)\nendif\nret')),
  'endless.asm': bytes(assembly('mov r0.x, l(0)\nloop\n  iadd r0.x, r0.x, l(1)\nendloop\nret', 1)),
}

const host: AdapterHost = {
  async open({ job }) {
    const { value, diagnostics } = parseDescription(job)
    return value === undefined ? failure(diagnostics) : debug(value, memoryHost(FILES))
  },
}

const JOB = assemblyJob()
const LISTING: P.Source = { path: 'listing.asm' }
const FIRST_LINE = 6

let server: Server
let client: DebugClient

beforeAll(async () => {
  server = createServer((socket) => serveStream(socket, (b) => void socket.write(b), host))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(() => void server.close())
beforeEach(async () => {
  client = new DebugClient('node', '', 'heddle')
  await client.start((server.address() as AddressInfo).port)
})
afterEach(() => client.stop())

/** Launches a job that stops at its entry. */
async function atEntry(job: unknown = JOB, more: object = {}): Promise<P.StoppedEvent> {
  const [, stopped] = await Promise.all([
    client.configurationSequence(),
    client.waitForEvent('stopped'),
    client.launch({ job, stopOnEntry: true, ...more }),
  ])
  return stopped as P.StoppedEvent
}

const stops = async (request: Promise<unknown>): Promise<P.StoppedEvent['body']> => {
  const [event] = await Promise.all([client.waitForEvent('stopped'), request])
  return event.body
}

async function lineOf(threadId: number): Promise<number | undefined> {
  return (await client.stackTraceRequest({ threadId })).body.stackFrames[0]?.line
}

const firstFrame = async (threadId: number): Promise<P.StackFrame> =>
  (await client.stackTraceRequest({ threadId })).body.stackFrames[0]!

async function scopeNamed(threadId: number, name: string): Promise<P.Scope> {
  const frame = (await client.stackTraceRequest({ threadId })).body.stackFrames[0]!
  const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body
  return scopes.find((s) => s.name === name)!
}

const refused = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'answered',
    (e: Error) => e.message,
  )

describe('the debug adapter', () => {
  it('says what it can, and takes breakpoints once something is launched', async () => {
    const { body } = await client.initializeRequest()
    expect(body).toMatchObject({
      supportsStepBack: true,
      supportsDisassembleRequest: true,
      supportsReadMemoryRequest: true,
    })
    expect(body?.exceptionBreakpointFilters?.map((f) => f.filter)).toContain('races')
    const [initialized] = await Promise.all([
      client.waitForEvent('initialized'),
      client.launchRequest({ job: JOB } as object),
    ])
    expect(initialized.event).toBe('initialized')
  })

  it('refuses what it cannot launch, with what is wrong', async () => {
    await client.initializeRequest()
    expect(await refused(client.launchRequest({ job: { version: 1 } } as object))).toMatch(/shader/)
    expect(await refused(client.threadsRequest().then(() => client.continueRequest({ threadId: 1 })))).toMatch(
      /launched/,
    )
    expect(await refused(client.customRequest('heddle/nothing'))).toMatch(/not known/)
    expect(await refused(client.customRequest('toString'))).toMatch(/not known/)
  })

  it('refuses arguments of other types than the protocol says, and goes on', async () => {
    await atEntry()
    const send = (command: string, args: unknown): Promise<string> => refused(client.customRequest(command, args))
    expect(await send('setBreakpoints', {})).toBe('setBreakpoints takes an object as source; nothing was given')
    expect(await send('setBreakpoints', { source: LISTING, breakpoints: [{ line: 'x' }] })).toBe(
      'setBreakpoints takes a whole number as breakpoints[0].line; "x" was given',
    )
    expect(await send('evaluate', { expression: 7 })).toMatch(/takes a text as expression; 7 was given/)
    expect(await send('disassemble', { memoryReference: '0x0', instructionCount: -1 })).toMatch(/instructionCount/)
    expect(await send('scopes', { frameId: 99 })).toMatch(/earlier stop/)
    expect(await send('writeMemory', { memoryReference: 'u0+0x0', data: '!!!' })).toMatch(/base64/)
    // What clients leave out may be null.
    expect(await send('evaluate', { expression: '1+1', context: 'watch', frameId: null })).toBe('answered')
  })

  it('stops at lines, with conditions, hit counts and messages', async () => {
    await client.hitBreakpoint({ job: JOB }, { path: 'listing.asm', line: FIRST_LINE + 3 })
    const first = await client.setBreakpointsRequest({ source: LISTING, breakpoints: [{ line: 1 }, { line: 99 }] })
    expect(first.body.breakpoints.map((b) => [b.verified, b.line])).toEqual([
      [true, FIRST_LINE],
      [false, undefined],
    ])
    const filtered = await client.setBreakpointsRequest({
      source: LISTING,
      breakpoints: [
        { line: FIRST_LINE + 1, condition: 'vThreadIDInGroupFlattened.x' },
        { line: FIRST_LINE + 2, hitCondition: 'often' },
        { line: FIRST_LINE + 2, condition: '1 +' },
        { line: FIRST_LINE + 2, logMessage: 'shift {asint(r0.x)}' },
        { line: FIRST_LINE + 2, condition: '1 < r99.x' },
        { line: FIRST_LINE + 2, logMessage: 'shift {nobody}' },
      ],
    })
    expect(filtered.body.breakpoints.map((b) => b.verified)).toEqual([true, false, false, true, false, false])
    expect(filtered.body.breakpoints[4]?.message).toMatch(/declares no r99 \(column 5\); it has r0-1$/)
    expect(filtered.body.breakpoints[5]?.message).toMatch(/^nobody: there is no variable/)
    // Back to the condition: the lowest thread for which it holds is 1.
    const stopped = await stops(client.reverseContinueRequest({ threadId: 1 }))
    expect(stopped).toMatchObject({ reason: 'breakpoint', hitBreakpointIds: [filtered.body.breakpoints[0]!.id] })
    const output: string[] = []
    client.on('output', (e: P.OutputEvent) => output.push(e.body.output))
    expect((await stops(client.continueRequest({ threadId: 1 }))).description).toMatch(/end of the run/)
    expect(output).toEqual([7, 17, 27, 37].map((n) => `shift ${n}\n`))
    const places = await client.customRequest('breakpointLocations', {
      source: LISTING,
      line: 1,
      endLine: FIRST_LINE + 1,
    })
    expect(places.body.breakpoints.map((b: P.BreakpointLocation) => b.line)).toEqual([FIRST_LINE, FIRST_LINE + 1])
  })

  it('steps in both directions, by instruction too', async () => {
    const entry = await atEntry()
    const threadId = entry.body.threadId!
    expect(entry.body).toMatchObject({ reason: 'entry', allThreadsStopped: true })
    const lines = [await lineOf(threadId)]
    for (const request of [
      () => client.nextRequest({ threadId }),
      () => client.stepInRequest({ threadId }),
      () => client.nextRequest({ threadId, granularity: 'instruction' }),
      () => client.stepBackRequest({ threadId }),
      () => client.stepBackRequest({ threadId, granularity: 'instruction' }),
    ]) {
      expect((await stops(request())).reason).toBe('step')
      lines.push(await lineOf(threadId))
    }
    expect(lines).toEqual([0, 1, 2, 3, 2, 1].map((n) => FIRST_LINE + n))
    expect((await stops(client.reverseContinueRequest({ threadId }))).description).toMatch(/start of the run/)
    expect((await stops(client.stepOutRequest({ threadId }))).description).toMatch(/end of the run/)
    expect((await stops(client.restartRequest({}))).reason).toBe('entry')
    expect(
      (
        await client.stepInTargetsRequest({
          frameId: (await client.stackTraceRequest({ threadId })).body.stackFrames[0]!.id,
        })
      ).body.targets,
    ).toEqual([])
  })

  it('restarts a frame by going back to where it began', async () => {
    const { threadId = 0 } = (await atEntry()).body
    await stops(client.customRequest('heddle/goTo', { clock: 3 }))
    const { id } = await firstFrame(threadId)
    expect((await stops(client.restartFrameRequest({ frameId: id }))).reason).toBe('goto')
    expect(await lineOf(threadId)).toBe(FIRST_LINE)
    expect(await refused(client.restartFrameRequest({ frameId: 99 }))).toMatch(/earlier stop/)
  })

  it('goes to times, not lines', async () => {
    const { threadId = 0 } = (await atEntry()).body
    const { targets } = (await client.gotoTargetsRequest({ source: LISTING, line: FIRST_LINE + 3 })).body
    expect(targets.map((t) => t.label)).toEqual([
      'the next time: store_raw u0.x, r0.y, r0.x',
      'the last time: store_raw u0.x, r0.y, r0.x',
    ])
    expect((await stops(client.gotoRequest({ threadId, targetId: targets[0]!.id }))).reason).toBe('goto')
    expect(await lineOf(threadId)).toBe(FIRST_LINE + 3)
    expect((await stops(client.customRequest('heddle/goTo', { clock: 1 }))).reason).toBe('goto')
    expect(await lineOf(threadId)).toBe(FIRST_LINE + 1)
  })

  it('stops at functions, instructions, data and findings', async () => {
    const { threadId = 0 } = (await atEntry()).body
    const functions = await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'main' }, { name: 'none' }] })
    expect(functions.body.breakpoints.map((b) => b.verified)).toEqual([true, false])
    const { instructionPointerReference = '' } = (await client.stackTraceRequest({ threadId })).body.stackFrames[0]!
    const instructions = await client.customRequest('setInstructionBreakpoints', {
      breakpoints: [
        { instructionReference: instructionPointerReference, offset: 2 },
        { instructionReference: '0xffff' },
      ],
    })
    expect(instructions.body.breakpoints.map((b: P.Breakpoint) => b.verified)).toEqual([true, false])
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'instruction breakpoint' })
    expect(await lineOf(threadId)).toBe(FIRST_LINE + 2)
    await client.customRequest('setInstructionBreakpoints', { breakpoints: [] })
    const info = (
      await client.dataBreakpointInfoRequest({
        name: 'u0+0x8',
        asAddress: true,
        bytes: 4,
      } as P.DataBreakpointInfoArguments)
    ).body
    expect(info).toMatchObject({ dataId: 'u0+0x8:4', accessTypes: ['read', 'write', 'readWrite'] })
    expect((await client.dataBreakpointInfoRequest({ name: 'nobody' })).body.dataId).toBe(null)
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: info.dataId!, accessType: 'write' }] })
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'data breakpoint' })
    expect((await client.evaluateRequest({ expression: 'asint(r0.x)' })).body.result).toBe('27')
    expect(await stops(client.reverseContinueRequest({ threadId }))).toMatchObject({ reason: 'function breakpoint' })
  })

  it('stops at writes to registers of a thread, to elements and to ranges', async () => {
    const { threadId = 0 } = (await atEntry()).body
    const idOf = async (name: string, more: object = {}): Promise<string | null> =>
      (await client.dataBreakpointInfoRequest({ name, ...more } as P.DataBreakpointInfoArguments)).body.dataId
    const watch = async (dataId: string | null): Promise<boolean[]> => {
      const accessType = 'write' as const
      const answer = await client.setDataBreakpointsRequest({ breakpoints: [{ dataId: dataId!, accessType }] })
      return answer.body.breakpoints.map((b) => b.verified)
    }
    // As a client asks: the part `y` of r0, among the variables.
    const registers = await scopeNamed(threadId, 'Registers')
    const { variables } = (await client.variablesRequest({ variablesReference: registers.variablesReference })).body
    const { variablesReference } = variables.find((v) => v.name === 'r0')!
    expect(await idOf('y', { variablesReference })).toBe('r0.y@0,0,0/0')
    await client.customRequest('heddle/focus', { thread: 2 })
    const register = await idOf('r0.y')
    expect(register).toBe('r0.y@0,0,0/2')
    expect(await watch(register)).toEqual([true])
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'data breakpoint' })
    // Behind ishl, the third instruction: thread 2 has 4 * 2 there.
    expect(await lineOf(threadId)).toBe(FIRST_LINE + 3)
    expect((await client.evaluateRequest({ expression: 'asint(r0.y)' })).body.result).toBe('8')
    expect(await watch(await idOf('u0[3]'))).toEqual([true])
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'data breakpoint' })
    // The store is of all four threads at once; who wrote element 3 is thread 3.
    expect((await client.evaluateRequest({ expression: 'asint(r0.x)' })).body.result).toBe('37')
    expect(await watch(await idOf('u0+0x8', { asAddress: true, bytes: 8 }))).toEqual([true])
    expect(await stops(client.reverseContinueRequest({ threadId }))).toMatchObject({ reason: 'entry' })
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'data breakpoint' })
    expect(await watch('t0+0')).toEqual([false])
  })

  it('stops at findings and explains them', async () => {
    const { threadId = 0 } = (await atEntry({ ...JOB, shader: 'outside.asm' })).body
    await client.setExceptionBreakpointsRequest({
      filters: ['races'],
      filterOptions: [{ filterId: 'bounds', condition: 'code == check-bounds-raw' }],
    })
    expect(await stops(client.continueRequest({ threadId }))).toMatchObject({ reason: 'exception' })
    const { body } = await client.exceptionInfoRequest({ threadId })
    expect(body.exceptionId).toBe('check-bounds-raw')
    expect(body.details?.stackTrace).toMatch(/raw/)
  })

  it('shows and changes variables and memory', async () => {
    const { threadId = 0 } = (await atEntry()).body
    await client.setBreakpointsRequest({ source: LISTING, breakpoints: [{ line: FIRST_LINE + 3 }] })
    await stops(client.continueRequest({ threadId }))
    const registers = await scopeNamed(threadId, 'Registers')
    expect(registers.presentationHint).toBe('registers')
    const { variables } = (await client.variablesRequest({ variablesReference: registers.variablesReference })).body
    const r0 = variables.find((v) => v.name === 'r0')!
    expect(variables.find((v) => v.name === 'r1')?.value).toBe('(0, 0, 0, 0) (never written)')
    expect(r0.value).toMatch(/^\(7, 0, 0, 0\) \(zw never written\)$/)
    const x = (await client.variablesRequest({ variablesReference: r0.variablesReference, start: 0, count: 1 })).body
      .variables
    expect(x.map((v) => [v.name, v.value])).toEqual([['x', '7']])
    const [set] = await Promise.all([
      client.setVariableRequest({ variablesReference: r0.variablesReference, name: 'x', value: '99' }),
      client.waitForEvent('invalidated'),
    ])
    expect(set.body.value).toBe('99')
    expect(
      await refused(client.setVariableRequest({ variablesReference: r0.variablesReference, name: 'x', value: 'much' })),
    ).toMatch(/number/)
    await client.customRequest('setExpression', { expression: 'r0.x', value: '0x41' })
    const locals = await scopeNamed(threadId, 'Locals')
    await client.setVariableRequest({ variablesReference: locals.variablesReference, name: 'lane', value: '2' })
    expect((await client.evaluateRequest({ expression: 'r0.x', context: 'hover' })).body.result).toBe('27')
    await stops(client.continueRequest({ threadId }))
    const read = await client.customRequest('readMemory', { memoryReference: 'u0+0x0', offset: 0, count: 80 })
    expect(read.body.unreadableBytes).toBe(16)
    expect([...new Uint32Array(new Uint8Array(Buffer.from(read.body.data, 'base64')).buffer).slice(0, 4)]).toEqual([
      0x41, 17, 27, 37,
    ])
    const data = Buffer.from(Uint8Array.of(1, 2, 3, 4)).toString('base64')
    const [written] = await Promise.all([
      client.customRequest('writeMemory', { memoryReference: 'u0+0x4', data }),
      client.waitForEvent('memory'),
    ])
    expect(written.body.bytesWritten).toBe(4)
    const again = await client.customRequest('readMemory', { memoryReference: 'u0+0x4', count: 4 })
    expect(again.body.data).toBe(data)
    expect(await refused(client.customRequest('writeMemory', { memoryReference: 'u0+0x3e', data }))).toMatch(/2 bytes/)
    expect(await refused(client.customRequest('readMemory', { memoryReference: 'q0', count: 4 }))).toMatch(/no memory/)
  })

  it('says that memory which is shown may have changed, at each stop and behind each change', async () => {
    await client.initializeRequest({ adapterID: 'heddle', supportsMemoryEvent: true })
    const initialized = client.waitForEvent('initialized')
    await client.launchRequest({ job: JOB, stopOnEntry: true } as object)
    await initialized
    const { threadId = 0 } = await stops(client.configurationDoneRequest())
    await client.customRequest('readMemory', { memoryReference: 'u0+0x0', offset: 4, count: 8 })
    const told = async (request: () => Promise<unknown>): Promise<unknown> =>
      (await Promise.all([client.waitForEvent('memory'), request()]))[0].body
    const want = { memoryReference: 'u0+0x0', offset: 4, count: 8 }
    expect(await told(() => client.stepInRequest({ threadId }))).toEqual(want)
    expect(await told(() => client.customRequest('setExpression', { expression: 'r0.x', value: '1' }))).toEqual(want)
    expect(await told(() => client.evaluateRequest({ expression: 'set u0+4 = 7', context: 'repl' }))).toEqual(want)
  })

  it('pages long buffers', async () => {
    const { threadId = 0 } = (await atEntry(kernelJob('reduce'))).body
    const resources = await scopeNamed(threadId, 'Resources')
    const { variables } = (await client.variablesRequest({ variablesReference: resources.variablesReference })).body
    const values = variables.find((v) => v.name === 'values')!
    expect(values.indexedVariables).toBe(10000)
    const page = await client.variablesRequest({
      variablesReference: values.variablesReference,
      filter: 'indexed',
      start: 5000,
      count: 3,
    })
    expect(page.body.variables.map((v) => [v.name, v.memoryReference])).toEqual(
      [5000, 5001, 5002].map((n) => [`[${n}]`, `t0+0x${(4 * n).toString(16)}`]),
    )
    const lanes = await scopeNamed(threadId, 'All lanes')
    expect(lanes.indexedVariables).toBe(256)
  })

  it('gives instructions, padded where there are none, and sources', async () => {
    const { threadId = 0 } = (await atEntry()).body
    const { instructionPointerReference: memoryReference = '' } = (await client.stackTraceRequest({ threadId })).body
      .stackFrames[0]!
    const { instructions } = (
      await client.disassembleRequest({ memoryReference, instructionOffset: -8, instructionCount: 14 })
    ).body!
    expect(instructions).toHaveLength(14)
    expect(instructions.filter((i) => i.presentationHint === 'invalid').length).toBeGreaterThan(0)
    expect(instructions[8]).toMatchObject({ address: memoryReference, line: FIRST_LINE })
    expect(instructions[8]!.instruction).toMatch(/^imul null, r0\.x/)
    const { sources } = (await client.customRequest('loadedSources')).body
    const content = (await client.sourceRequest({ sourceReference: sources[0].sourceReference })).body.content
    expect(content.split('\n')[FIRST_LINE - 1]).toMatch(/^imul null/)
    expect((await client.modulesRequest({})).body.modules[0]).toMatchObject({
      name: 'test',
      symbolStatus: 'no debug data',
    })
  })

  it('answers the console with commands and expressions, and completes names', async () => {
    const { threadId = 0 } = (await atEntry()).body
    expect((await client.evaluateRequest({ expression: '6 * 7', context: 'watch' })).body.result).toBe('42')
    expect(await refused(client.evaluateRequest({ expression: 'nobody', context: 'watch' }))).toMatch(/nobody/)
    const moved = await stops(client.evaluateRequest({ expression: 'stepi 2', context: 'repl' }))
    expect(moved.reason).toBe('step')
    expect(await lineOf(threadId)).toBe(FIRST_LINE + 2)
    expect((await client.evaluateRequest({ expression: 'grid', context: 'repl' })).body.result).toContain('AAAA')
    const { targets } = (await client.completionsRequest({ text: 'bre', column: 4 })).body
    expect(targets.map((t) => t.label)).toContain('break')
  })

  it('has threads as sets of lanes, waves or lanes', async () => {
    await atEntry(kernelJob('reduce'))
    const sets = (await client.threadsRequest()).body.threads
    expect(sets).toHaveLength(8)
    expect(sets[1]).toMatchObject({
      id: 33,
      name: expect.stringMatching(/^group \(0, 0, 0\) wave 1 · threads 32-63 · at instruction 0$/),
    })
    await stops(client.customRequest('heddle/goTo', { clock: 300 }))
    expect((await client.threadsRequest()).body.threads[0]?.name).toMatch(/barrier/)
  })

  it('says which threads came and went, and that the run goes on where the request does not say so', async () => {
    // Odd threads go one way, even ones another; then all are together again.
    const job = { ...JOB, shader: 'parts.asm' }
    const events: string[] = []
    for (const name of ['thread', 'continued', 'stopped']) {
      client.on(name, ({ body: b }: { body: { reason?: string; threadId: number } }) => {
        events.push(`${name} ${b.reason ?? ''} ${b.threadId}`)
      })
    }
    await atEntry(job)
    expect(events.splice(0)).toEqual(['thread started 1', 'stopped entry 1'])
    // By requests of the protocol that clients know to move the run: the even threads 0 and 2 wait behind the block.
    await stops(client.nextRequest({ threadId: 1, granularity: 'instruction' }))
    await stops(client.customRequest('heddle/goTo', { clock: 2 }))
    expect(events.splice(0)).toEqual([...['stopped step 1', 'continued  1', 'thread started 2', 'stopped goto 1']])
    await stops(client.evaluateRequest({ expression: 'go start', context: 'repl' }))
    expect(events.splice(0)).toEqual(['continued  1', 'thread exited 2', 'stopped goto 1'])
  })

  it('has lanes as threads where they are wished', async () => {
    await atEntry(JOB, { threads: 'lanes' })
    expect((await client.threadsRequest()).body.threads.map((t) => t.id)).toEqual([1, 2, 3, 4])
    const stopped = await stops(client.nextRequest({ threadId: 3 }))
    expect(stopped.threadId).toBe(3)
  })

  it('stops what runs long, and tells how far it is', async () => {
    const endless = { ...JOB, shader: 'endless.asm', maxInstructions: 1e9 }
    const running = Promise.all([client.configurationSequence(), client.launch({ job: endless })])
    await running
    const stopped = client.waitForEvent('stopped')
    await client.pauseRequest({ threadId: 1 })
    expect((await stopped).body.reason).toBe('pause')
    await client.customRequest('cancel', { requestId: 1 })
    await Promise.all([client.waitForEvent('terminated'), client.terminateRequest()])
    await client.disconnectRequest()
  })

  it('answers requests of pages: grids, columns, histories, time lines', async () => {
    await atEntry()
    await stops(client.customRequest('heddle/goTo', { clock: 3 }))
    const grid = (await client.customRequest('heddle/grid')).body
    expect(grid).toMatchObject({ size: [4, 1, 1], places: [{ text: 'store_raw u0.x, r0.y, r0.x' }] })
    expect((await client.customRequest('heddle/column', { expression: 'r0.x' })).body.values).toEqual([
      '7',
      '17',
      '27',
      '37',
    ])
    const { accesses } = (await client.customRequest('heddle/history', { memoryReference: 'u0+0x4' })).body
    expect(accesses).toMatchObject([{ before: 3, access: 'store', thread: 1, value: [17, 0, 0, 0] }])
    expect((await client.customRequest('heddle/timeLine')).body).toMatchObject({ clock: 3, findings: [], changes: [] })
    await client.customRequest('heddle/focus', { thread: 3 })
    expect((await client.evaluateRequest({ expression: 'r0.x' })).body.result).toBe('37')
  })
})

describe('with debug data', () => {
  it('shows lines, inlined frames and variables of the HLSL', async () => {
    const loaded = loadShader({ file: 'lights.dxbc', entry: 'main', profile: 'cs_5_0', path: '$' }, memoryHost(FILES))
    const job = jobTemplate(loaded.value!, 'lights', 'lights.dxbc').value
    const { threadId = 0 } = (await atEntry(job)).body
    const [source] = (await client.customRequest('loadedSources')).body.sources as P.Source[]
    const text = (await client.sourceRequest({ source: source!, sourceReference: 0 })).body.content
    expect(text).toContain('numthreads')
    expect(source?.checksums?.[0]?.algorithm).toBe('MD5')
    const { breakpoints } = (await client.setBreakpointsRequest({ source: source!, breakpoints: [{ line: 1 }] })).body
    expect(breakpoints[0]).toMatchObject({ verified: true, line: expect.any(Number) })
    // The threads of the first wave are at its first line already; a later wave comes to it.
    await stops(client.continueRequest({ threadId }))
    const stopped = (await client.threadsRequest()).body.threads
    expect(stopped.length).toBeGreaterThan(0)
    const { line } = await firstFrame(threadId)
    expect(line).toBe(breakpoints[0]?.line)
    const lines: number[] = []
    for (let i = 0; i < 6; i++) {
      await stops(client.nextRequest({ threadId }))
      lines.push((await firstFrame(threadId)).line)
    }
    expect(new Set(lines).size).toBeGreaterThan(1)
    const locals = await scopeNamed(threadId, 'Locals')
    const names = (await client.variablesRequest({ variablesReference: locals.variablesReference })).body.variables.map(
      (v) => v.name,
    )
    // A variable with the name of a command is the variable; a grave accent before it makes it the command.
    const repl = async (expression: string): Promise<string> =>
      (await client.evaluateRequest({ expression, context: 'repl' })).body.result
    expect(await repl('t')).toBe((await client.evaluateRequest({ expression: 't', context: 'watch' })).body.result)
    expect(await repl('`g')).toMatch(/^group \(0, 0, 0\)/)
    expect(await repl('info threads')).toMatch(/threads +count +place/)
    // Every variable is one that the text declares.
    for (const name of names.filter((n) => n !== 'lane' && !n.startsWith('<'))) expect(text).toContain(name)
    expect(names.length).toBeGreaterThan(1)
  })
})

describe('messages', () => {
  it('are cut from bytes however they come, and nonsense between them is passed over', () => {
    const messages = [{ seq: 1, type: 'request', command: 'a', text: 'größer' }, { seq: 2 }]
    const junk = new TextEncoder().encode('Content-Length: x\r\n\r\n')
    const all = Buffer.concat([encodeMessage(messages[0]!), junk, encodeMessage(messages[1]!)])
    for (const size of [1, 7, all.length]) {
      const taken: unknown[] = []
      const reader = new MessageReader((m) => taken.push(m))
      for (let i = 0; i < all.length; i += size) reader.push(all.subarray(i, i + size))
      expect(taken).toEqual(messages)
    }
  })

  it('are objects behind a port, as in a worker', async () => {
    const { port1, port2 } = new MessageChannel()
    serveOnPort(port2 as never, host)
    const client = new PortClient(port1)
    const ask = client.ask.bind(client)
    await ask('initialize', { adapterID: 'heddle' })
    await ask('launch', { job: JOB, stopOnEntry: true })
    const stopped = client.event('stopped')
    await ask('configurationDone')
    expect(await stopped).toMatchObject({ body: { reason: 'entry' } })
    expect(await ask('threads')).toMatchObject({ success: true, body: { threads: [{ id: 1 }] } })
    port1.close()
    port2.close()
  })

  it('of no sense are refused or passed over', () => {
    const answers: P.Response[] = []
    const adapter = new DebugAdapter(host, (m) => answers.push(m as P.Response))
    for (const m of [undefined, 3, 'text', {}, { seq: 1, type: 'event' }]) adapter.handle(m)
    expect(answers).toEqual([])
  })
})
