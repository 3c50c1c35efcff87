import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PortClient } from './support/port-client.ts'

const WORKER = fileURLToPath(new URL('../apps/dap/worker.ts', import.meta.url))

/** What a worker of a page has in its global scope, over the port of Node's. */
const PAGE_GLOBALS = `
const { parentPort } = require('node:worker_threads')
globalThis.postMessage = (message) => parentPort.postMessage(message)
globalThis.addEventListener = (type, listener) => parentPort.on(type, (data) => listener({ data }))
`

let worker: Worker
let client: PortClient

beforeAll(async () => {
  // For the platform `browser`, a module of Node anywhere in the bundle is an error of the build.
  const { outputFiles } = await build({
    entryPoints: [WORKER],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2023',
    write: false,
    logLevel: 'error',
  })
  const code = `(function (require, process, Buffer, setImmediate) {\n${outputFiles[0]!.text}\n})()`
  worker = new Worker(`${PAGE_GLOBALS}\ndelete globalThis.setImmediate;\n${code}`, { eval: true })
  client = new PortClient(worker)
}, 60_000)
afterAll(() => worker.terminate())

const SHADER = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 4, 1, 1
mov r0.x, l(0)
loop
  iadd r0.x, r0.x, l(1)
  uge r0.y, r0.x, l(LIMIT)
  breakc_nz r0.y
endloop
store_raw u0.x, l(0), r0.x
ret
`
const shader = (limit: number): string => SHADER.replace('LIMIT', `${limit}`)
const DESCRIPTION = {
  version: 1,
  name: 'test',
  shader: 'test.asm',
  dispatch: [1, 1, 1],
  maxInstructions: 1e9,
  resources: [{ slot: 'u0', kind: 'raw', size: 16 }],
}

async function launched(args: object): Promise<P.StoppedEvent['body']> {
  const stopped = client.event('stopped')
  expect(await client.ask('launch', args)).toMatchObject({ success: true })
  await client.ask('configurationDone')
  return (await stopped).body
}

it('serves in a worker, with the files that the launch request brings', async () => {
  expect(await client.ask('initialize', { adapterID: 'page' })).toMatchObject({ body: { supportsStepBack: true } })
  const byData = { job: DESCRIPTION, files: { 'test.asm': shader(3) }, stopOnEntry: true }
  expect(await launched(byData)).toMatchObject({ reason: 'entry' })
  const end = client.event('stopped')
  await client.ask('continue', { threadId: 1 })
  expect((await end).body.description).toMatch(/end of the run/)
  const { body } = await client.ask('readMemory', { memoryReference: 'u0+0x0', count: 4 })
  expect(body.data).toBe('AwAAAA==')
})

it('finds the files of a description beside it', async () => {
  const files = { 'jobs/test.job.json': JSON.stringify(DESCRIPTION), 'jobs/test.asm': shader(3) }
  const byPath = { program: './jobs/test.job.json', files, stopOnEntry: true }
  expect(await launched(byPath)).toMatchObject({ reason: 'entry' })
  expect(await client.ask('launch', { program: 'other.json', files })).toMatchObject({
    success: false,
    message: expect.stringContaining('among "files"'),
  })
})

it('yields while it runs: a pause ends a run that would take long', async () => {
  await launched({ job: DESCRIPTION, files: { 'test.asm': shader(4e7) }, stopOnEntry: true })
  const stopped = client.event('stopped')
  await client.ask('continue', { threadId: 1 })
  expect(await client.ask('pause', { threadId: 1 })).toMatchObject({ success: true })
  expect((await stopped).body).toMatchObject({ reason: 'pause' })
})

const ENDLESS = { job: { ...DESCRIPTION, maxInstructions: 2e9 }, files: { 'test.asm': shader(4e8) }, stopOnEntry: true }

it('tells how far it is, and stops where its progress is canceled', async () => {
  await client.ask('initialize', { adapterID: 'page', supportsProgressReporting: true })
  await launched(ENDLESS)
  const [started, stopped, ended] = [
    client.event('progressStart'),
    client.event('stopped'),
    client.event('progressEnd'),
  ]
  await client.ask('continue', { threadId: 1 })
  const { progressId, cancellable } = (await started).body
  expect(cancellable).toBe(true)
  await client.ask('cancel', { progressId })
  expect((await ended).body).toEqual({ progressId })
  expect((await stopped).body).toMatchObject({ reason: 'pause' })
  // It stands where it was stopped, and goes on in both directions.
  expect((await client.ask('threads')).body.threads).toHaveLength(1)
  const back = client.event('stopped')
  await client.ask('stepBack', { threadId: 1, granularity: 'instruction' })
  expect((await back).body).toMatchObject({ reason: 'step' })
})

it('answers requests that were canceled with "cancelled", under way or waiting', async () => {
  await launched(ENDLESS)
  const started = client.event('progressStart')
  const history = client.ask('heddle/history', { memoryReference: 'u0+0x0' })
  const waiting = client.ask('heddle/timeLine')
  await started
  // The numbers of the two requests are the last two.
  const last = client.lastSeq
  await client.ask('cancel', { requestId: last })
  await client.ask('cancel', { requestId: last - 1 })
  expect(await history).toMatchObject({ success: false, message: 'cancelled' })
  expect(await waiting).toMatchObject({ success: false, message: 'cancelled' })
  expect(await client.ask('threads')).toMatchObject({ success: true })
})

it('ends a command of the console that runs long', async () => {
  await launched(ENDLESS)
  const [started, stopped] = [client.event('progressStart'), client.event('stopped')]
  const answer = client.ask('evaluate', { expression: 'continue', context: 'repl' })
  await started
  await client.ask('pause', { threadId: 1 })
  expect(await answer).toMatchObject({ success: true, body: { result: expect.stringContaining('canceled') } })
  expect((await stopped).body).toMatchObject({ reason: 'pause' })
})
