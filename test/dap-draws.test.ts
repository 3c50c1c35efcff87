import { readFileSync } from 'node:fs'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startDebugServer } from '../apps/dap/index.ts'
import { PortClient } from './support/port-client.ts'

const EXAMPLES = new URL('../examples/debugging/', import.meta.url)
const NAMES = ['wrong-pixel.job.json', 'wrong-pixel.vs.asm', 'wrong-pixel.ps.asm']
const FILES = Object.fromEntries(NAMES.map((name) => [name, readFileSync(new URL(name, EXAMPLES), 'utf8')]))

let ports: { readonly port1: MessagePort; readonly port2: MessagePort }
let client: PortClient

beforeEach(async () => {
  ports = new MessageChannel()
  startDebugServer(ports.port2 as never)
  client = new PortClient(ports.port1)
  await client.ask('initialize', { adapterID: 'heddle' })
})
afterEach(() => {
  ports.port1.close()
  ports.port2.close()
})

async function asked<Body = Record<string, unknown>>(command: string, args: object = {}): Promise<Body> {
  const { success, message, body } = await client.ask(command, args)
  expect([success, message]).toEqual([true, undefined])
  return body
}

type Breakpoints = P.SetBreakpointsResponse['body']

async function stops(command: string, args: object = {}): Promise<P.StoppedEvent['body']> {
  const stopped = client.event('stopped')
  await asked(command, args)
  return (await stopped).body
}

async function launched(args: object): Promise<P.StoppedEvent['body']> {
  await asked('launch', { program: 'wrong-pixel.job.json', files: FILES, ...args })
  return stops('configurationDone')
}

async function frame(threadId: number): Promise<P.StackFrame> {
  const { stackFrames } = await asked<P.StackTraceResponse['body']>('stackTrace', { threadId })
  return stackFrames[0]!
}

it('begins at the invocation that made a pixel, and steps back into the vertices', async () => {
  const { threadId = 0, reason } = await launched({ pixel: { x: 7, y: 7 } })
  expect(reason).toBe('goto')
  const first = await frame(threadId)
  expect(first.name).toBe('main (instruction 0) of pixel (7, 7) of primitive 1')
  expect(first.source?.name).toBe('pixel.listing.asm')
  const { stages } = await asked('heddle/stages')
  expect(stages).toMatchObject([
    { stage: 'vertex', first: 0, invocations: 9 },
    { stage: 'pixel', isCurrent: true },
  ])
  const back = await stops('heddle/goTo', { clock: 1 })
  expect((await frame(back.threadId!)).source?.name).toBe('vertex.listing.asm')
  await stops('heddle/invocation', { name: 'vertex 4' })
  expect((await frame(back.threadId!)).name).toBe('main (instruction 0) of vertex 4 of instance 0')
  expect(await client.ask('heddle/invocation', { name: 'patch 0' })).toMatchObject({ success: false })
})

it('has the listings of all stages as sources, with breakpoints in each', async () => {
  await launched({ stopOnEntry: true })
  const { sources } = await asked<{ sources: P.Source[] }>('loadedSources')
  expect(sources.map((s) => s.name)).toEqual(['vertex.listing.asm', 'pixel.listing.asm'])
  const text = (await asked<{ content: string }>('source', { source: sources[1], sourceReference: 2 })).content
  const line = text.split('\n').findIndex((l) => l.startsWith('rsq')) + 1
  const set = await asked<Breakpoints>('setBreakpoints', { source: sources[1], breakpoints: [{ line }] })
  expect(set.breakpoints).toMatchObject([{ verified: true, line }])
  const stopped = await stops('continue', { threadId: 1 })
  expect(stopped.reason).toBe('breakpoint')
  expect(await frame(stopped.threadId!)).toMatchObject({ line, source: { name: 'pixel.listing.asm' } })
  const functions = await asked<Breakpoints>('setFunctionBreakpoints', {
    breakpoints: [{ name: 'vertex:main' }, { name: 'hull:main' }],
  })
  expect(functions.breakpoints.map((b) => b.verified)).toEqual([true, false])
  expect((await stops('reverseContinue', { threadId: 1 })).reason).toBe('function breakpoint')
  const [{ instructionPointerReference: address = '' }] = [await frame(1)]
  const { instructions } = await asked('disassemble', { memoryReference: address, instructionCount: 2 })
  expect(instructions).toMatchObject([
    { instruction: 'mov o0.xyz, v0.xyzx', location: { name: 'vertex.listing.asm' } },
    {},
  ])
  await asked('setBreakpoints', { source: sources[1], breakpoints: [] })
  await asked('setFunctionBreakpoints', { breakpoints: [] })
  // The fourth instruction of the pixels, by its address.
  const pixel = (await asked<{ stages: { first: number }[] }>('heddle/timeLine')).stages
  await stops('heddle/goTo', { clock: pixel[1]!.first })
  const { instructionPointerReference = '' } = await frame((await threads())[0]!.id)
  const one = { instructionReference: instructionPointerReference, offset: 3 }
  const [made] = (await asked<Breakpoints>('setInstructionBreakpoints', { breakpoints: [one] })).breakpoints
  expect(made?.verified).toBe(true)
  expect((await stops('continue', { threadId: 1 })).reason).toBe('instruction breakpoint')
})

const threads = async (): Promise<P.Thread[]> => (await asked<P.ThreadsResponse['body']>('threads')).threads

it('tells the history of a pixel, and goes to its fragments', async () => {
  await launched({ stopOnEntry: true })
  const { before, after, fragments } = await asked('heddle/pixelHistory', { x: 7, y: 7 })
  expect(before).toEqual({ rt0: '(0, 0, 0, 1)', depth: '1' })
  expect(after).toEqual({ rt0: '(0, 0, 0.2509804, 1)', depth: '0.5' })
  expect(fragments).toMatchObject([
    { primitive: 0, passed: true },
    { primitive: 1, passed: true, outputsText: 'o0 (NaN, NaN, 0.25, 1.0)' },
    { primitive: 2, passed: false, isShaded: false },
  ])
  const stopped = await stops('heddle/invocation', { fragment: 1 })
  const { name } = await frame(stopped.threadId!)
  expect(name).toContain('pixel (7, 7) of primitive 1')
  expect(await client.ask('heddle/invocation', { fragment: 2 })).toMatchObject({ success: false })
  await asked('setExceptionBreakpoints', { filters: ['nan'] })
  expect(await stops('continue', { threadId: stopped.threadId! })).toMatchObject({ reason: 'exception' })
  const grid = await asked('heddle/grid')
  expect(grid).toMatchObject({ stage: 'pixel', size: [16, 2, 1] })
  expect(grid.names).toContain('pixel (7, 7) of primitive 1')
})

it('shows registers with semantics, and stops at writes to outputs', async () => {
  const { threadId = 0 } = await launched({ invocation: 'vertex 3' })
  const { scopes } = (await asked('scopes', {
    frameId: (await frame(threadId)).id,
  })) as unknown as P.ScopesResponse['body']
  const registers = scopes.find((s) => s.name === 'Registers')!
  const { variables } = await asked<P.VariablesResponse['body']>('variables', registers)
  expect(variables.map((v) => [v.name, v.type])).toEqual([
    ['v0', 'POSITION'],
    ['v1', 'DIRECTION'],
    ['o0', 'SV_Position'],
    ['o1', 'DIRECTION'],
  ])
  const { dataId } = await asked('dataBreakpointInfo', { name: 'o1.x' })
  expect(dataId).toBe('vertex:o1.x')
  await asked('setDataBreakpoints', { breakpoints: [{ dataId }] })
  expect((await stops('continue', { threadId })).reason).toBe('data breakpoint')
  expect((await asked('evaluate', { expression: 'o1.x' })).result).toBe('-1.0')
})

it('lists the commands of the frame, and debugs another', async () => {
  const job = JSON.parse(FILES['wrong-pixel.job.json']!)
  const more = { ...job, commands: [...job.commands, { draw: 'directions', vertexCount: 3 }] }
  await asked('launch', { job: more, files: FILES, command: 2 })
  await stops('configurationDone')
  const { commands } = await asked<{ commands: { kind: string }[] }>('heddle/commands')
  expect(commands.map((c) => c.kind)).toEqual(['clear', 'clearDepthStencil', 'draw', 'draw'])
  expect((await stops('heddle/command', { command: 3 })).reason).toBe('entry')
  expect(await asked('heddle/commands')).toMatchObject({ current: 3 })
  expect(await client.ask('heddle/command', { command: 0 })).toMatchObject({ success: false })
})

it('announces the sources of another command', async () => {
  const job = JSON.parse(FILES['wrong-pixel.job.json']!)
  const { directions } = job.pipelines
  // Depth alone: no pixel shader.
  const depth = { ...directions, pixel: undefined, bind: { ...directions.bind, renderTargets: [] } }
  const commands = [...job.commands, { draw: 'depth', vertexCount: 3 }]
  await asked('launch', { job: { ...job, commands, pipelines: { directions, depth } }, files: FILES })
  await stops('configurationDone')
  const removed = client.event('loadedSource')
  await stops('heddle/command', { command: 3 })
  expect((await removed).body).toMatchObject({ reason: 'removed', source: { path: 'pixel.listing.asm' } })
  const come = client.event('loadedSource')
  await asked('evaluate', { expression: '`command 2', context: 'repl' })
  expect((await come).body).toMatchObject({ reason: 'new', source: { path: 'pixel.listing.asm' } })
})
