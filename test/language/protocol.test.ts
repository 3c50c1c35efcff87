import { MessageChannel } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleForBrowser } from '../support/bundle.ts'
import { type LanguageClient, languageClient } from '../support/language-client.ts'

const BROKEN = `ps_5_0
dcl_output o0.xyzw
dcl_temps 1
mvo r0.x, l(1.0)
mov o0.xyzw, r1.xxxx
ret
`

let client: LanguageClient

beforeAll(async () => {
  client = await languageClient()
})
afterAll(() => client.dispose())

describe('the language server', () => {
  it('says what is wrong with a text, from assembler and rules', async () => {
    const uri = await client.open(BROKEN)
    const { diagnostics } = await client.findings(uri, ({ diagnostics }) => diagnostics.length > 1)
    expect(diagnostics.map((d) => [d.code, d.range.start.line])).toEqual([
      ['asm-mnemonic', 3],
      ['validate-undeclared-temp', 4],
    ])
  })

  it('says what an instruction means', async () => {
    const uri = await client.open(BROKEN)
    const hover = await client.connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position: { line: 4, character: 1 },
    })
    expect(hover).toMatchObject({ contents: { kind: 'markdown', value: expect.stringContaining('mov') } })
  })
})

describe('the language server for workers', () => {
  it('is bundled without Node, and answers at a port', async () => {
    const bundle = await bundleForBrowser('apps/lsp/worker/index.ts')
    expect(bundle.imports).toEqual([])
    const url = `data:text/javascript;base64,${Buffer.from(bundle.text).toString('base64')}`
    const { serveOnPort } = (await import(/* @vite-ignore */ url)) as { serveOnPort: (port: unknown) => void }
    const { port1, port2 } = new MessageChannel()
    serveOnPort(port2)
    const answer = new Promise((done) => port1.once('message', done))
    port1.postMessage({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { capabilities: {} } })
    expect(await answer).toMatchObject({ id: 1, result: { serverInfo: { name: 'heddle' } } })
    port1.close()
  })
})
