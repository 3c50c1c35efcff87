/** Findings that a client requests: of a check of its listing, of one text, of the files of a workspace. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type * as P from 'vscode-languageserver-protocol'
import { checkAlone } from '../../apps/lsp/checker/index.ts'
import { checkFile } from '../../apps/lsp/node/checker/index.ts'
import { WORKSPACE_FILES } from '../../apps/lsp/node/index.ts'
import { type LanguageClient, languageClient } from '../support/language-client.ts'
import { storingFrame, storingPixel, WHOLE_TARGET } from '../support/racing-frame.ts'

const MISSING_BARRIER = new URL('../../examples/check-missing-barrier/', import.meta.url)
const PULLS = { capabilities: { textDocument: { diagnostic: {}, publishDiagnostics: { relatedInformation: true } } } }
const PUSHED = { capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true } } } }

let client: LanguageClient | undefined
let folder: string | undefined
afterEach(() => {
  client?.dispose()
  if (folder !== undefined) rmSync(folder, { recursive: true })
  folder = undefined
})

const isOfCheck = (d: P.Diagnostic): boolean => String(d.code).startsWith('check-')

/** The lines of a text, from 0, with statements of one form. */
const linesOf = (text: string, statement: RegExp): number[] =>
  text.split('\n').flatMap((l, i) => (statement.test(l) ? [i] : []))

async function check(c: LanguageClient, uri: string): Promise<{ findings: number; text: string }> {
  const lenses = await c.ask<P.CodeLens[]>('textDocument/codeLens', uri)
  expect(lenses.map((l) => l.command?.title)).toEqual(['check'])
  const { command, arguments: given } = lenses[0]!.command!
  return c.connection.sendRequest('workspace/executeCommand', { command, arguments: given })
}

describe('a check of a listing', () => {
  it.each([
    ['that gets findings by notification', PUSHED],
    ['that requests findings', PULLS],
  ])('shows both places of a race to a client %s, with the description beside the file', async (_, hello) => {
    client = await languageClient({}, hello, { check: checkFile })
    expect(client.capabilities.executeCommandProvider?.commands).toEqual(['heddle.checkListing'])
    const file = new URL('pick-best.asm', MISSING_BARRIER)
    const text = readFileSync(file, 'utf8')
    const uri = await client.open(text, file.href)
    const answer = await check(client, uri)
    expect(answer.findings).toBe(5)
    expect(answer.text).toContain('pick-best: 5 errors')
    const shown = await client.findings(uri, (f) => f.diagnostics.some(isOfCheck))
    // Each step reads what another thread stored in the step before; only the first has a barrier in front of it.
    const [, ...stores] = linesOf(text, /store_structured g0/)
    const [, ...loads] = linesOf(text, /ld_structured\S* r1\.xy, \S+ l\(0\), g0/)
    const races = shown.diagnostics.filter((d) => d.code === 'check-race')
    const places = races.map((d) => [d.range, ...d.relatedInformation!.map((r) => r.location.range)])
    expect(places.map((p) => p.map((r) => r.start.line))).toEqual(loads.map((line, i) => [line, stores[i]]))
    // They are of that text: any change takes them away.
    await client.change(uri, [
      { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '\n' },
    ])
    await client.findings(uri, (f) => !f.diagnostics.some(isOfCheck))
  })

  it('makes resources where there is no description, and finds a value that nothing wrote', async () => {
    client = await languageClient({}, PUSHED, { check: checkFile })
    const text = `cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroup.x
dcl_temps 1
dcl_tgsm_raw g0, 16
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroup.x, l(2)
ld_raw r0.y, r0.x, g0.xxxx
store_raw u0.x, r0.x, r0.y
ret
`
    const uri = await client.open(text)
    expect((await check(client, uri)).findings).toBeGreaterThan(0)
    const { diagnostics } = await client.findings(uri, (f) => f.diagnostics.some(isOfCheck))
    const found = diagnostics.find((d) => String(d.code).startsWith('check-uninitialized'))!
    expect(found.range.start.line).toBe(7)
    expect(found.relatedInformation?.map((r) => r.location.range.start.line)).toContain(8)
  })

  const pixelUnsaved = storingPixel('l(0)')

  it.each([
    ['of its folder', '', 'scene.job.json'],
    ['of the folder above', 'shaders/', '../scene.job.json'],
  ])('runs a shader of a draw with the frame %s that names it, as it is in the editor', async (_, below, frame) => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-frame-'))
    const own = join(folder, below)
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'place.vs.dxasm'), WHOLE_TARGET)
    writeFileSync(join(own, 'paint.ps.dxasm'), storingPixel('r0.x'))
    writeFileSync(join(own, 'a.job.json'), '{')
    const shaders = [`${below}place.vs.dxasm`, `${below}paint.ps.dxasm`] as const
    writeFileSync(join(own, frame), JSON.stringify(storingFrame('scene', ...shaders)))
    client = await languageClient({}, PUSHED, { check: checkFile })
    const uri = pathToFileURL(join(own, 'paint.ps.dxasm')).href
    await client.open(storingPixel('r0.x'), uri)
    expect(await check(client, uri)).toMatchObject({ findings: 0, text: expect.stringContaining('1 draw') })
    await client.change(uri, [{ text: pixelUnsaved }])
    expect((await check(client, uri)).findings).toBe(1)
    const { diagnostics } = await client.findings(uri, (f) => f.diagnostics.some(isOfCheck))
    const race = diagnostics.find(isOfCheck)!
    expect(race).toMatchObject({
      code: 'check-race-invocations',
      message: expect.stringContaining('draw 0 of pipeline whole'),
    })
    expect([race.range.start.line]).toEqual(linesOf(pixelUnsaved, /^store_raw/))
    const vertex = pathToFileURL(join(own, 'place.vs.dxasm')).href
    await client.open(WHOLE_TARGET, vertex)
    // The race is of the pixel shader of the file, which has none.
    expect(await check(client, vertex)).toMatchObject({ findings: 0, text: expect.stringContaining('1 draw') })
  })

  it('of a vertex shader runs with vertices made for it; other stages need a frame', async () => {
    client = await languageClient({}, PUSHED, { check: checkAlone })
    const uri = await client.open(WHOLE_TARGET)
    expect(await check(client, uri)).toMatchObject({
      findings: 0,
      text: expect.stringContaining('3 vertex invocations'),
    })
    const pixel = await client.open(pixelUnsaved)
    expect(await check(client, pixel)).toMatchObject({ findings: 0, text: expect.stringContaining('vertex shader') })
  })

  it('says why there is none', async () => {
    client = await languageClient({}, PUSHED, { check: checkFile })
    const uri = await client.open('cs_5_0\ndcl_thread_group 4, 1, 1\nmull r0.x, l(1)\nret\n')
    const request = (of: unknown) =>
      client!.connection.sendRequest('workspace/executeCommand', { command: 'heddle.checkListing', arguments: [of] })
    expect(await request(uri)).toMatchObject({ findings: 0, text: expect.stringContaining('mull') })
    expect(await request('untitled:other.dxasm')).toMatchObject({
      text: expect.stringContaining('listing that is open'),
    })
    expect(await request(undefined)).toMatchObject({ findings: 0 })
  })
})

const BROKEN = 'cs_5_0\ndcl_thread_group 4, 1, 1\nmull r0.x, l(1)\nret\n'
const SOUND = 'cs_5_0\ndcl_thread_group 4, 1, 1\nret\n'
const codesOf = (report: P.DocumentDiagnosticReport): unknown[] | 'unchanged' =>
  report.kind === 'full' ? report.items.map((d) => d.code) : 'unchanged'

describe('findings that are requested', () => {
  it('are sent all the same to a client that never requests them, whatever it says', async () => {
    client = await languageClient({}, PULLS)
    const uri = await client.open(BROKEN)
    await client.findings(uri, (f) => f.diagnostics.some((d) => d.code === 'asm-mnemonic'))
  })

  it('are those of the text as it is, and not sent by themselves from then on', async () => {
    client = await languageClient({}, PULLS)
    const uri = await client.open(BROKEN)
    const pull = (previousResultId?: string) =>
      client!.ask<P.DocumentDiagnosticReport>('textDocument/diagnostic', uri, { previousResultId })
    const first = await pull()
    expect(codesOf(first)).toEqual(['asm-mnemonic'])
    await client.findings(uri, (f) => f.diagnostics.length === 0)
    const published: string[] = []
    client.connection.onNotification(
      'textDocument/publishDiagnostics',
      (sent: P.PublishDiagnosticsParams) => void published.push(sent.uri),
    )
    expect(codesOf(await pull(first.resultId))).toBe('unchanged')
    await client.change(uri, [{ text: SOUND }])
    expect(codesOf(await pull(first.resultId))).toEqual([])
    expect(published).toEqual([])
  })

  it('are those of the files of a workspace, where its user set that', async () => {
    folder = mkdtempSync(join(tmpdir(), 'heddle-workspace-'))
    const file = (name: string): string => join(folder!, name)
    for (const [name, text] of [
      ['a.dxasm', BROKEN],
      ['b.dxbcasm', SOUND],
      ['c.dxasm', BROKEN],
      ['d.asm', BROKEN],
    ] as const)
      writeFileSync(file(name), text)
    const uri = (name: string): string => pathToFileURL(file(name)).href
    const hello = { ...PULLS, workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'shaders' }] }
    client = await languageClient({ settings: { workspaceDiagnostics: true } }, hello, { files: WORKSPACE_FILES })
    expect(client.capabilities.diagnosticProvider).toMatchObject({ workspaceDiagnostics: true })
    await client.open(SOUND, uri('c.dxasm'))
    const pull = async (previousResultIds: readonly P.PreviousResultId[]) => {
      const { items } = await client!.connection.sendRequest<P.WorkspaceDiagnosticReport>('workspace/diagnostic', {
        previousResultIds,
      })
      return new Map(items.map((i) => [i.uri, i]))
    }
    const first = await pull([])
    expect([...first].map(([of, item]) => [of, codesOf(item)])).toEqual([
      [uri('c.dxasm'), []],
      [uri('a.dxasm'), ['asm-mnemonic']],
      [uri('b.dxbcasm'), []],
    ])
    const known = [...first].map(([of, item]) => ({ uri: of, value: item.resultId! }))
    writeFileSync(file('b.dxbcasm'), BROKEN)
    rmSync(file('a.dxasm'))
    const second = await pull(known)
    expect([...second].map(([of, item]) => [of, codesOf(item)])).toEqual([
      [uri('c.dxasm'), 'unchanged'],
      [uri('b.dxbcasm'), ['asm-mnemonic']],
      [uri('a.dxasm'), []],
    ])
  })

  it('are of open texts alone without that setting', async () => {
    client = await languageClient({}, PULLS, { files: WORKSPACE_FILES })
    expect(client.capabilities.diagnosticProvider).toMatchObject({ workspaceDiagnostics: false })
  })
})
