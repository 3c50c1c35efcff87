import { readFileSync } from 'node:fs'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as vscode from 'vscode'
import { activateOn } from '../../apps/vscode/src/extension.ts'
import { listingOfShader } from '../../apps/vscode/src/listing-uri.ts'
import { assembleOrThrow, disassembleOrThrow } from '../../src/asm/index.ts'
import { corpusFile } from '../support/corpus.ts'
import * as fake from './fake.ts'

const { seen, Uri, writeBeside } = fake
const at = (name: string) => Uri.file(`/work space/${name}`)

/** Lines of the document are others than those of the debugger's own listing, which has statements alone. */
const SHADER = `// A comment.

cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
// Another one.
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)

iadd r0.y, vThreadIDInGroupFlattened.x, l(7)
store_raw u0.x, r0.x, r0.y
ret
`
const lineOf = (text: string, part: string): number => text.split('\n').findIndex((l) => l.includes(part)) + 1

const job = (shader: string): string =>
  JSON.stringify({ shader, dispatch: [1, 1, 1], resources: [{ slot: 'u0', kind: 'raw', size: 16 }] })

/** A client as the editor is one: requests with numbers, answers and events by what they are. */
class Client {
  readonly #adapter: vscode.DebugAdapter
  readonly #waiting = new Map<number, (r: P.Response) => void>()
  readonly #events: P.Event[] = []
  #seq = 1

  constructor(adapter: vscode.DebugAdapter) {
    this.#adapter = adapter
    adapter.onDidSendMessage((m) => {
      const message = m as P.ProtocolMessage
      if (message.type === 'response') this.#waiting.get((message as P.Response).request_seq)?.(message as P.Response)
      else this.#events.push(message as P.Event)
    })
  }

  request(command: string, args: object = {}): Promise<P.Response> {
    const seq = this.#seq++
    return new Promise((done) => {
      this.#waiting.set(seq, done)
      this.#adapter.handleMessage({ seq, type: 'request', command, arguments: args } as vscode.DebugProtocolMessage)
    })
  }

  /** The next event of a name. */
  async event(name: string): Promise<P.Event> {
    await expect.poll(() => this.#events.some((e) => e.event === name), { timeout: 5000 }).toBe(true)
    return this.#events.splice(
      this.#events.findIndex((e) => e.event === name),
      1,
    )[0]!
  }

  async top(): Promise<P.StackFrame> {
    const { body } = await this.request('threads')
    const { threadId = body.threads[0].id } = (await this.event('stopped')).body
    return (await this.request('stackTrace', { threadId })).body.stackFrames[0]
  }
}

beforeAll(() => activateOn({ subscriptions: [] } as never, async () => ({ stop: async () => {} })))
afterAll(() => fake.files.clear())

async function client(): Promise<Client> {
  const descriptor = (await seen.adapters[0]!.createDebugAdapterDescriptor({} as never, undefined)) as never as {
    implementation: vscode.DebugAdapter
  }
  const made = new Client(descriptor.implementation)
  await made.request('initialize', { adapterID: 'heddle' })
  return made
}

async function stoppedAt(
  program: vscode.Uri,
  source: string,
  line: number,
): Promise<{ client: Client; bound: P.Breakpoint }> {
  const made = await client()
  expect(await made.request('launch', { program: program.toString() })).toMatchObject({ success: true })
  await made.event('initialized')
  const set = await made.request('setBreakpoints', { source: { path: source }, breakpoints: [{ line }] })
  await made.request('configurationDone')
  return { client: made, bound: set.body.breakpoints[0] }
}

describe('the debugger of the editor', () => {
  it.each([
    ['a run description', 'seven.job.json'],
    ['the listing itself', 'seven.dxasm'],
  ])('stops in the lines of the document: launched with %s', async (_, program) => {
    writeBeside(at('seven.dxasm'), SHADER)
    writeBeside(at('seven.job.json'), job('seven.dxasm'))
    const path = at('seven.dxasm').fsPath
    const line = lineOf(SHADER, 'iadd')
    const { client, bound } = await stoppedAt(at(program), path, line)
    expect(bound).toMatchObject({ verified: true, line })
    expect(await client.top()).toMatchObject({ line, source: { name: 'seven.dxasm', path } })
    await client.request('next', { threadId: 1 })
    expect(await client.top()).toMatchObject({ line: line + 1 })
  })

  it('moves a breakpoint between instructions to the next one', async () => {
    writeBeside(at('seven.dxasm'), SHADER)
    const { bound } = await stoppedAt(at('seven.dxasm'), at('seven.dxasm').fsPath, lineOf(SHADER, 'iadd') - 1)
    expect(bound.line).toBe(lineOf(SHADER, 'iadd'))
  })

  it('shows compiled shaders by their listing, which is a document of its own address', async () => {
    const bytes = assembleOrThrow(SHADER)
    writeBeside(at('seven.dxbc'), bytes)
    writeBeside(at('compiled.job.json'), job('seven.dxbc'))
    const listing = listingOfShader(at('seven.dxbc'))
    const line = lineOf(disassembleOrThrow(bytes), 'store_raw')
    const { client, bound } = await stoppedAt(at('compiled.job.json'), listing.toString(), line)
    expect(bound).toMatchObject({ verified: true, line })
    expect(await client.top()).toMatchObject({ line, source: { path: listing.toString() } })
  })

  it('stops in the HLSL of shaders with debug data', async () => {
    const { bytes } = corpusFile('cs/real_light_cull.zi')
    writeBeside(at('lights.dxbc'), bytes)
    const made = await client()
    const launched = await made.request('launch', { program: at('lights.dxbc').toString(), stopOnEntry: true })
    expect(launched).toMatchObject({ success: true })
    await made.event('initialized')
    await made.request('configurationDone')
    expect((await made.top()).source!.name).toMatch(/\.hlsl$/)
  })

  it('goes to the shader that made the color of a pixel', async () => {
    const folder = new URL('../../examples/drawing/', import.meta.url)
    for (const name of ['msaa.job.json', 'shaders/flat.vs.asm', 'shaders/flat.ps.asm'])
      writeBeside(at(name), readFileSync(new URL(name, folder), 'utf8'))
    const made = await client()
    const pixel = { x: 96, y: 96 }
    const launched = await made.request('launch', {
      program: at('msaa.job.json').toString(),
      command: 2,
      pixel,
      onlyPixel: true,
    })
    expect(launched).toMatchObject({ success: true })
    await made.event('initialized')
    await made.request('configurationDone')
    expect((await made.top()).source!.name).toBe('pixel.listing.asm')
  })

  it('says why it cannot open something', async () => {
    const made = await client()
    const gone = await made.request('launch', { program: at('gone.job.json').fsPath })
    expect(gone).toMatchObject({ success: false })
    writeBeside(at('pixel.dxbc'), corpusFile('ps/empty').bytes)
    const pixel = await made.request('launch', { program: at('pixel.dxbc').toString() })
    expect(pixel.success).toBe(false)
    expect(pixel.message).toMatch(/compute|stage|pixel/)
  })
})

describe('F5', () => {
  const resolve = (configuration: object) =>
    seen.debugProviders[0]!.resolveDebugConfiguration!(undefined, configuration as never)

  it('without launch.json debugs what the user looks at', async () => {
    const shown = (input: unknown): void => {
      fake.window.tabGroups.activeTabGroup.activeTab = { input }
    }
    shown(new fake.TabInputCustom(at('seven.dxbc')))
    expect(await resolve({})).toMatchObject({ type: 'heddle', request: 'launch', program: at('seven.dxbc').toString() })
    shown(new fake.TabInputText(at('seven.job.json')))
    expect(await resolve({})).toMatchObject({ program: at('seven.job.json').toString(), stopOnEntry: true })
    expect(await resolve({ type: 'heddle', program: 'x.job.json' })).toEqual({ type: 'heddle', program: 'x.job.json' })
    shown(new fake.TabInputText(at('notes.md')))
    expect(await resolve({})).toBeUndefined()
    expect(seen.messages.at(-1)).toContain('open one, or name it as "program" in launch.json')
  })
})
