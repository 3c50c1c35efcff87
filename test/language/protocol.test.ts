import { MessageChannel } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as P from 'vscode-languageserver-protocol'
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node'
import { bundleForBrowser } from '../support/bundle.ts'
import { corpusFile } from '../support/corpus.ts'
import { type LanguageClient, languageClient } from '../support/language-client.ts'

const BROKEN = `ps_5_0
dcl_output o0.xyzw
dcl_temps 1
mvo r0.x, l(1.0)
mov o0.xyzw, r1.xxxx
ret
`

/** Line numbers below are counted from 0. */
const SHADER = `//
// Buffer Definitions: 
//
// cbuffer Params
// {
//
//   float4 tint;                       // Offset:    0 Size:    16
//   float gain;                        // Offset:   16 Size:     4
//
// }
//
//
// Resource Bindings:
//
// Name                                 Type  Format         Dim      HLSL Bind  Count
// ------------------------------ ---------- ------- ----------- -------------- ------
// Params                            cbuffer      NA          NA            cb0      1 
//
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
dcl_temps 3
mul r0.x, v1.x, cb0[1].x
if_nz r0.x
  add r0.x, r0.x, l(1.000000)
else
  mov r0.x, l(1065353216)
endif
mov r2.x, r0.x
mov o0.xyzw, r0.xxxx
ret
`
const LINES = SHADER.split('\n')
const lineOf = (text: string): number => LINES.findIndex((l) => l.includes(text))
const place = (line: string, word: string) => ({
  position: { line: lineOf(line), character: lineOf(line) < 0 ? -1 : LINES[lineOf(line)]!.indexOf(word) },
})

const WITH_CALLS = `ps_5_0
dcl_output o0.x
dcl_temps 1
mov r0.x, l(0)
call label1
call label1
mov o0.x, r0.x
ret
label label1
add r0.x, r0.x, l(1.0)
ret
`

let client: LanguageClient
let uri: string

beforeAll(async () => {
  client = await languageClient({ commands: true })
  uri = await client.open(SHADER)
})
afterAll(() => client.dispose())

const at = <T>(method: string, line: string, word: string, more: object = {}): Promise<T> =>
  client.ask<T>(`textDocument/${method}`, uri, { ...place(line, word), ...more })

const lines = (ranges: readonly { readonly range: P.Range }[]): number[] => ranges.map((r) => r.range.start.line)

describe('findings', () => {
  it('come from assembler and rules, with links to what they mean', async () => {
    const other = await languageClient({ docsUrl: 'https://example.org/docs/' })
    const { diagnostics } = await other.findings(await other.open(BROKEN), ({ diagnostics }) => diagnostics.length > 1)
    expect(diagnostics.map((d) => [d.code, d.range.start.line])).toEqual([
      ['asm-mnemonic', 3],
      ['validate-undeclared-temp', 4],
    ])
    expect(diagnostics[0]?.codeDescription?.href).toBe('https://example.org/docs/findings.md#asm-mnemonic')
    expect(diagnostics[0]?.range).toEqual({ start: { line: 3, character: 0 }, end: { line: 3, character: 3 } })
    other.dispose()
  })

  it('follow changes of parts of the text, and go with it', async () => {
    const own = await client.open(BROKEN)
    await client.findings(own, ({ diagnostics }) => diagnostics.length > 1)
    const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 3 } }
    await client.change(own, [{ range, text: 'mov' }])
    const count = { start: { line: 2, character: 10 }, end: { line: 2, character: 11 } }
    const version = await client.change(own, [{ range: count, text: '2' }])
    const { diagnostics } = await client.findings(own, (p) => p.version === version && p.diagnostics.length === 2)
    // r1 is declared now, and nothing has written it; what r0 gets, nothing reads.
    expect(diagnostics.map((d) => d.code)).toEqual(['validate-unwritten-temp', 'language-unused-result'])
    expect(diagnostics[1]?.tags).toEqual([1])
    await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri: own } })
    await client.findings(own, (p) => p.diagnostics.length === 0)
  })

  it('have fixes that name them', async () => {
    const own = await client.open(BROKEN)
    const range = { start: { line: 3, character: 1 }, end: { line: 3, character: 1 } }
    const actions = await client.ask<P.CodeAction[]>('textDocument/codeAction', own, {
      range,
      context: { diagnostics: [] },
    })
    const fix = actions.find((a) => a.kind === 'quickfix')
    expect(fix).toMatchObject({ title: 'write mov', isPreferred: true, diagnostics: [{ code: 'asm-mnemonic' }] })
    expect(fix?.edit?.changes?.[own]).toEqual([
      { range: { start: { line: 3, character: 0 }, end: { line: 3, character: 3 } }, newText: 'mov' },
    ])
  })

  it('offer the other dialect for a sound text alone', async () => {
    const context = { diagnostics: [], only: ['source'] }
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }
    const sound = await client.ask<P.CodeAction[]>('textDocument/codeAction', uri, { range, context })
    expect(sound.map((a) => a.title)).toEqual(['write this in the dialect lossless'])
    expect(sound[0]?.edit?.changes?.[uri]?.[0]?.newText).toMatch(/^\.lossless 1/m)
    const broken = await client.open(BROKEN)
    expect(await client.ask('textDocument/codeAction', broken, { range, context })).toEqual([])
  })
})

describe('what is shown', () => {
  const value = async (line: string, word: string): Promise<string> => {
    const hover = await at<P.Hover | null>('hover', line, word)
    return (hover?.contents as P.MarkupContent | undefined)?.value ?? ''
  }

  it('of a mnemonic is meaning, formula, operands, stages and models', async () => {
    const text = await value('mul r0', 'mul')
    for (const part of [
      'mul[_sat] dest',
      'dest = src0 * src1',
      'source, float; may be negated',
      'Shader model 4.0; stages: any',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('of a register is its declaration, name, flow and uses', async () => {
    expect(await value('mul r0', 'cb0')).toContain('**Params.gain**')
    const text = await value('mov o0', 'r0')
    for (const line of ['add r0.x', 'mov r0.x']) expect(text).toContain(`line ${lineOf(line) + 1}: \`${line}`)
    expect(text).toContain('3 writes, 4 reads')
    expect(text).not.toContain('mul r0.x')
  })

  it('of a literal is every reading', async () => {
    const text = await value('l(1065353216)', '1065353216')
    for (const reading of ['| float | 1 |', '| int | 1065353216 |', '`0x3f800000`']) expect(text).toContain(reading)
  })

  it('of a listing of the corpus has names of its signature', async () => {
    const { listing } = corpusFile('ps/real_pbr')
    const own = await client.open(listing)
    const rows = listing.split('\n')
    const line = rows.findIndex((l) => /^\w+ .*\bv\d/.test(l) && !l.startsWith('dcl'))
    const position = { line, character: rows[line]!.search(/\bv\d/) }
    const hover = await client.ask<P.Hover>('textDocument/hover', own, { position })
    expect((hover.contents as P.MarkupContent).value).toMatch(/input register: \*\*[A-Z]/)
  })

  it('between the words are names, ends and floats, and what settings ask for', async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: LINES.length, character: 0 } }
    const labels = async (c: LanguageClient, own: string) =>
      (await c.ask<P.InlayHint[]>('textDocument/inlayHint', own, { range })).map((h) => h.label)
    expect(await labels(client, uri)).toEqual([': Params.gain', '= 1'])
    const inlayHints = { names: false, floats: false, numbers: true, offsets: true }
    const other = await languageClient({ settings: { inlayHints } })
    const own = await other.open('cs_5_0\ndcl_thread_group 1, 1, 1\nnop\nret')
    // Two tokens in front, four of the declaration, one each.
    expect(await labels(other, own)).toEqual(['0x00000008', '0x00000018', '0', '0x0000001C', '1'])
    const [first] = await other.ask<P.InlayHint[]>('textDocument/inlayHint', own, { range })
    const resolved = await other.connection.sendRequest<P.InlayHint>('inlayHint/resolve', first)
    expect(resolved.tooltip).toMatchObject({ value: expect.stringContaining('byte offset') })
    other.dispose()
  })

  it('above lines are commands of compute shaders and counts of memory', async () => {
    const own = await client.open('cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nstore_raw u0.x, l(0), l(1)\nret')
    const lenses = await client.ask<P.CodeLens[]>('textDocument/codeLens', own)
    expect(lenses.map((l) => [l.command?.title, l.command?.command])).toEqual([
      ['run', 'heddle.run'],
      ['check', 'heddle.check'],
      ['debug', 'heddle.debug'],
      ['1 write, 0 reads', 'heddle.showReferences'],
    ])
  })
})

describe('what can be written', () => {
  const labels = async (text: string, position: P.Position): Promise<P.CompletionItem[]> => {
    const own = await client.open(text)
    return (await client.ask<P.CompletionList>('textDocument/completion', own, { position })).items
  }

  it('are instructions of the stage and model, as snippets, with what they mean on request', async () => {
    const items = await labels('cs_4_0\nm', { line: 1, character: 1 })
    const names = items.map((i) => i.label)
    expect(names).toContain('mad_sat')
    // Pixel shaders alone sample with derivatives, and 4.0 has no bit counts.
    for (const absent of ['sample', 'countbits', 'deriv_rtx']) expect(names).not.toContain(absent)
    const mad = items.find((i) => i.label === 'mad')!
    expect(mad.textEdit).toMatchObject({ newText: expect.stringMatching(/^mad (?:\$\{\d:\w+\}(?:, )?){4}$/) })
    const resolved = await client.connection.sendRequest<P.CompletionItem>('completionItem/resolve', mad)
    expect(resolved.documentation).toMatchObject({ value: expect.stringContaining('dest = src0 * src1 + src2') })
  })

  it('are words with what must stand behind them, and with the end of the block that they open', async () => {
    const items = await labels('cs_5_0\n', { line: 1, character: 0 })
    const names = items.map((i) => i.label)
    const present = ['if_z', 'if_nz', 'dcl_resource_buffer', 'dcl_resource_texture2d', 'dcl_resource_raw']
    // The six barriers of HLSL.
    const barriers = ['sync_g', 'sync_g_t', 'sync_uglobal', 'sync_uglobal_t', 'sync_uglobal_g', 'sync_uglobal_g_t']
    expect(names).toEqual(expect.arrayContaining([...present, ...barriers]))
    for (const absent of ['if', 'dcl_resource', 'dcl_resource_raw_buffer', 'sync']) expect(names).not.toContain(absent)
    const ends = ['loop', 'switch', 'if_nz'].map((n) => items.find((i) => i.label === n)?.textEdit?.newText)
    expect(ends.map((e) => e?.split('\n').at(-1))).toEqual(['endloop', 'endswitch', 'endif'])
  })

  it('are profiles first', async () => {
    expect((await labels('p', { line: 0, character: 1 })).map((i) => i.label)).toContain('ps_5_0')
  })

  it('are registers that fit, components of the wanted width, words of declarations', async () => {
    const head = 'ps_5_0\ndcl_input_ps linear v1.xy\ndcl_output o0.xyzw\ndcl_temps 2\nmov r0.xy, v1.xyxx\n'
    const line = 5
    const sources = (await labels(`${head}add r1.xy, `, { line, character: 11 })).map((i) => i.label)
    expect(sources).toEqual(expect.arrayContaining(['r0', 'v1', 'l(...)']))
    expect(sources).not.toContain('o0')
    const dests = (await labels(`${head}add `, { line, character: 4 })).map((i) => i.label)
    expect(dests).toEqual(expect.arrayContaining(['r0', 'o0']))
    expect(dests).not.toContain('v1')
    const swizzles = await labels(`${head}add r1.xy, r0.`, { line, character: 14 })
    expect(swizzles.sort((a, b) => (a.sortText! < b.sortText! ? -1 : 1))[0]?.label).toBe('xyyy')
    expect((await labels(`${head}dcl_input_ps `, { line, character: 13 })).map((i) => i.label)).toContain(
      'linear centroid',
    )
    expect((await labels(`${head}dcl_resource_texture2d (`, { line, character: 24 })).map((i) => i.label)).toContain(
      'unorm',
    )
  })

  it('is told operand by operand', async () => {
    const help = await at<P.SignatureHelp>('signatureHelp', 'mul r0', 'cb0')
    expect(help).toMatchObject({
      activeParameter: 2,
      signatures: [{ label: 'mul[_sat] dest, [-]src0[_abs], [-]src1[_abs]' }],
    })
  })
})

describe('where things are', () => {
  it('is where what is read was written, or declared, or begun', async () => {
    expect(lines(await at('definition', 'mov o0', 'r0'))).toEqual([lineOf('add r0'), lineOf('mov r0')])
    expect(lines(await at('definition', 'mul r0', 'v1'))).toEqual([lineOf('dcl_input_ps')])
    expect(lines(await at('definition', 'endif', 'endif'))).toEqual([lineOf('if_nz')])
    expect(lines(await at('declaration', 'mov o0', 'r0'))).toEqual([lineOf('dcl_temps')])
  })

  it('is every place that shares the value', async () => {
    const context = { includeDeclaration: true }
    const found = await at<P.Location[]>('references', 'mul r0', 'v1', { context })
    expect(lines(found)).toEqual([lineOf('dcl_input_ps'), lineOf('mul r0')])
    const highlights = await at<P.DocumentHighlight[]>('documentHighlight', 'if_nz', 'if')
    expect(lines(highlights)).toEqual(['if_nz', 'else', 'endif'].map(lineOf))
    const kinds = await at<P.DocumentHighlight[]>('documentHighlight', 'mul r0', 'r0')
    expect(kinds.map((h) => h.kind)).toEqual([3, 2, 2])
    const linked = await at<P.LinkedEditingRanges>('linkedEditingRange', 'mov r2', 'r2')
    expect(linked).toBeNull()
  })

  it('has a name that can be exchanged, where the name is the own', async () => {
    expect(await at('prepareRename', 'mul r0', 'r0')).toEqual({
      start: { line: lineOf('mul r0'), character: 4 },
      end: { line: lineOf('mul r0'), character: 6 },
    })
    for (const [word, why] of [
      ['v1', /signature/],
      ['cb0', /slot/],
    ] as const) {
      await expect(at('prepareRename', 'mul r0', word)).rejects.toThrow(why)
    }
    const edit = await at<P.WorkspaceEdit>('rename', 'mul r0', 'r0', { newName: 'r2' })
    expect(edit.changes?.[uri]?.map((e) => e.newText).sort()).toEqual(['0', '2', '2', '2', '2', '2', '2', '2'])
    await expect(at('rename', 'mul r0', 'r0', { newName: 'r9' })).rejects.toThrow(/r0 to r2/)
    await expect(at('rename', 'mul r0', 'r0', { newName: 'v2' })).rejects.toThrow(/such as r1/)
  })

  it('is called from places that are listed', async () => {
    const own = await client.open(WITH_CALLS)
    const [item] = await client.ask<P.CallHierarchyItem[]>('textDocument/prepareCallHierarchy', own, {
      position: { line: 4, character: 1 },
    })
    expect(item?.name).toBe('label label1')
    const incoming = await client.connection.sendRequest<P.CallHierarchyIncomingCall[]>('callHierarchy/incomingCalls', {
      item,
    })
    expect(incoming.map((c) => [c.from.name, c.fromRanges.map((r) => r.start.line)])).toEqual([['main', [4, 5]]])
    const outgoing = await client.connection.sendRequest<P.CallHierarchyOutgoingCall[]>('callHierarchy/outgoingCalls', {
      item: incoming[0]!.from,
    })
    expect(outgoing.map((c) => c.to.name)).toEqual(['label label1'])
    // What the subroutine adds to was written before its calls, and by itself.
    const found = await client.ask<P.Location[]>('textDocument/definition', own, {
      position: { line: 9, character: 10 },
    })
    expect(lines(found)).toEqual([3, 9])
  })
})

describe('the shape of a text', () => {
  it('is an outline, parts to fold and growing selections', async () => {
    const symbols = await client.ask<P.DocumentSymbol[]>('textDocument/documentSymbol', uri)
    expect(symbols.map((s) => [s.name, s.children?.length])).toEqual([
      ['declarations', 5],
      ['main', 1],
    ])
    const folds = await client.ask<P.FoldingRange[]>('textDocument/foldingRange', uri)
    expect(folds).toContainEqual({ startLine: lineOf('if_nz'), endLine: lineOf('else') - 1, kind: 'region' })
    expect(folds.filter((f) => f.kind === 'comment').length).toBeGreaterThan(1)
    const [selection] = await client.ask<P.SelectionRange[]>('textDocument/selectionRange', uri, {
      positions: [{ line: lineOf('mul r0'), character: LINES[lineOf('mul r0')]!.indexOf('cb0') + 1 }],
    })
    const texts: string[] = []
    for (let s: P.SelectionRange | undefined = selection; s !== undefined; s = s.parent) {
      if (s.range.start.line === s.range.end.line) {
        texts.push(LINES[s.range.start.line]!.slice(s.range.start.character, s.range.end.character))
      }
    }
    expect(texts).toEqual(['cb0', 'cb0[1].x', 'mul r0.x, v1.x, cb0[1].x'])
  })

  it('is formatted as the listing is', async () => {
    const own = await client.open('ps_5_0\ndcl_temps   1\nif_nz r0.x // why\nmov  r0.x ,l(1,2,3,4)\n    endif\nret')
    const options = { tabSize: 8, insertSpaces: false }
    const edits = await client.ask<P.TextEdit[]>('textDocument/formatting', own, { options })
    expect(edits.map((e) => e.newText)).toEqual(['dcl_temps 1', '  mov r0.x, l(1,2,3,4)', 'endif'])
    const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 1 } }
    const some = await client.ask<P.TextEdit[]>('textDocument/rangeFormatting', own, { options, range })
    expect(some.map((e) => e.newText)).toEqual(['endif'])
  })

  it('is told in tokens: all, those of a part, and what changed', async () => {
    const own = await client.open('ps_5_0\nmov r0.x, l(1)')
    const full = await client.ask<P.SemanticTokens>('textDocument/semanticTokens/full', own)
    // Profile; mnemonic, register (variable, written), component, literal prefix, number.
    const types = full.data.filter((_, i) => i % 5 === 3)
    expect(types).toEqual([0, 1, 5, 6, 9, 9])
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 14 } }
    const part = await client.ask<P.SemanticTokens>('textDocument/semanticTokens/range', own, { range })
    expect(part.data.length).toBe(25)
    await client.change(own, [
      { range: { start: { line: 1, character: 12 }, end: { line: 1, character: 12 } }, text: '2' },
    ])
    const delta = await client.ask<P.SemanticTokensDelta>('textDocument/semanticTokens/full/delta', own, {
      previousResultId: full.resultId,
    })
    expect(delta.edits.length).toBe(1)
  })

  it('has names of the shader that it is told to be of', async () => {
    const { listing, bytes } = corpusFile('ps/real_pbr')
    const code = listing.slice(listing.search(/^ps_/m))
    const own = await client.open(code)
    const range = { start: { line: 0, character: 0 }, end: { line: 400, character: 0 } }
    const names = async (): Promise<number> => {
      const hints = await client.ask<P.InlayHint[]>('textDocument/inlayHint', own, { range })
      return hints.filter((h) => String(h.label).startsWith(': ')).length
    }
    expect(await names()).toBe(0)
    const base64 = Buffer.from(bytes).toString('base64')
    await client.connection.sendNotification('heddle/container', { uri: own, base64 })
    expect(await names()).toBeGreaterThan(3)
  })
})

describe('the language server', () => {
  it('does not answer what was canceled while it was busy, and goes on', async () => {
    const own = await client.open(`ps_5_0\ndcl_temps 2\n${'mul r0.x, r1.x, r1.x\n'.repeat(20_000)}ret`)
    const asked = { textDocument: { uri: own } }
    const cancel = new CancellationTokenSource()
    const first = client.connection.sendRequest('textDocument/semanticTokens/full', asked)
    const canceled = client.connection.sendRequest('textDocument/documentSymbol', asked, cancel.token)
    const refused = canceled.then(
      () => 'answered',
      (e: P.ResponseError) => e.code,
    )
    cancel.cancel()
    expect(await refused).toBe(-32800)
    expect(await first).toMatchObject({ data: expect.any(Array) })
    expect(await client.ask('textDocument/foldingRange', own)).toBeInstanceOf(Array)
  })

  it('leaves out what a text that has changed meanwhile would be told', async () => {
    const own = await languageClient()
    const uri = await own.open(`ps_5_0\n${'nop\n'.repeat(2000)}ret`)
    const versions: number[] = []
    const last = new Promise<number>((done) => {
      own.connection.onNotification('$/heddle/checked', (p: { readonly version: number }) => {
        versions.push(p.version)
        if (p.version === typed.at(-1)) done(p.version)
      })
    })
    const typed: number[] = []
    const start = { line: 1, character: 0 }
    for (let i = 0; i < 20; i++) typed.push(await own.change(uri, [{ range: { start, end: start }, text: ' ' }]))
    await last
    // Twenty keys come at once: what is said of texts in between would be late.
    expect(versions.length).toBeLessThan(10)
    own.dispose()
  })

  it('answers nothing about texts that are not open', async () => {
    expect(await client.ask('textDocument/hover', 'none:1', { position: { line: 0, character: 0 } })).toBeNull()
    expect(await client.ask('textDocument/semanticTokens/full', 'none:1')).toBeNull()
  })

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
