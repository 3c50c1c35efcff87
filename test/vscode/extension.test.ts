import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { clientOptions } from '../../apps/vscode/src/client-options.ts'
import { activateOn } from '../../apps/vscode/src/extension.ts'
import { listingOfShader, shaderOfListing } from '../../apps/vscode/src/listing-uri.ts'
import { assembleOrThrow, disassembleOrThrow } from '../../src/asm/index.ts'
import { readDxbcOrThrow } from '../../src/dxbc/index.ts'
import { corpusFile, corpusFiles } from '../support/corpus.ts'
import { storingFrame, storingPixel, WHOLE_TARGET } from '../support/racing-frame.ts'
import { SEVEN, sevenJob } from '../support/seven.ts'
import * as fake from './fake.ts'

const { files, seen, Uri, writeBeside } = fake
const at = (name: string) => Uri.file(`/work space/${name}`)

/** The shader with what a listing of its bytes has not: a comment and a blank line. */
const SHADER = SEVEN.replace('ishl', '// A comment that only the document has.\nishl').replace('iadd', '\niadd')
const job = (words: readonly number[], shader?: string): string => JSON.stringify(sevenJob(words, shader))

const BYTES = assembleOrThrow(SHADER)

beforeAll(() => {
  const context = { subscriptions: [] as unknown[] }
  activateOn(context as never, async () => ({ stop: async () => {} }))
  expect(context.subscriptions.length).toBeGreaterThan(8)
})
beforeEach(() => {
  writeBeside(at('seven.dxasm'), SHADER)
  writeBeside(at('seven.dxbc'), BYTES)
  writeBeside(at('good.job.json'), job([7, 8, 9, 10]))
  writeBeside(at('bad.job.json'), job([7, 8, 0, 10], 'seven.dxbc'))
})
afterEach(() => {
  files.clear()
  for (const list of [seen.messages, seen.output, seen.shown, seen.started, seen.outcomes]) list.length = 0
  fake.window.tabGroups.activeTabGroup.activeTab = undefined
  fake.window.activeTextEditor = undefined
})

test('what the language server begins with is plain data, which a message to a worker can hold', () => {
  const { initializationOptions } = clientOptions()
  expect(structuredClone(initializationOptions)).toEqual({ commands: true, settings: {} })
})

describe('listings', () => {
  const listing = listingOfShader(at('seven.dxbc'))
  const read = async (): Promise<string> => new TextDecoder().decode(await fake.workspace.fs.readFile(listing))
  const save = (text: string): Promise<void> => fake.workspace.fs.writeFile(listing, new TextEncoder().encode(text))

  it('are documents of the language, by an address that leads back', async () => {
    expect(listing.path).toBe('/work space/seven.dxbc.dxasm')
    expect(shaderOfListing(Uri.parse(listing.toString())).toString()).toBe(at('seven.dxbc').toString())
    expect(await read()).toBe(disassembleOrThrow(BYTES))
    expect((await fake.workspace.fs.stat(listing)).size).toBe((await read()).length)
  })

  it('save back into the container, as it was where nothing was changed', async () => {
    await save(await read())
    expect(files.get(at('seven.dxbc').toString())).toEqual(BYTES)
    await save((await read()).replace('l(7)', 'l(9)'))
    expect(await read()).toContain('l(9)')
    expect(readDxbcOrThrow(files.get(at('seven.dxbc').toString())!).chunks.length).toBe(
      readDxbcOrThrow(BYTES).chunks.length,
    )
  })

  it.each([
    ['of spelling', (t: string) => t.replace('iadd', 'iaddd'), 'iaddd'],
    ['of the rules of Direct3D', (t: string) => t.replace('dcl_temps 1\n', ''), 'dcl_temps'],
  ])('with errors %s are refused with their places, and the file stays', async (_, damage, text) => {
    const damaged = damage(await read())
    const before = files.get(at('seven.dxbc').toString())
    await expect(save(damaged)).rejects.toThrow(/the listing has errors and was not saved: line \d+: /)
    expect(files.get(at('seven.dxbc').toString())).toBe(before)
    const found = seen.problems.get(listing.toString())!
    expect(found.map((d) => d.message).join('\n')).toContain(text)
    expect(found.every((d) => d.range.start.line > 0)).toBe(true)
    fake.changeDocument(listing)
    expect(seen.problems.has(listing.toString())).toBe(false)
  })

  it('change with the file', () => {
    const changed: string[] = []
    const subscription = seen.fileSystems
      .get('dxbc')!
      .onDidChangeFile((all) => changed.push(...all.map((c) => c.uri.toString())))
    writeBeside(at('seven.dxbc'), BYTES)
    subscription.dispose()
    expect(changed).toEqual([listing.toString()])
  })

  it('of what is not read say what it is, and cannot be written', async () => {
    const dxil = readDxbcOrThrow(BYTES)
    expect(dxil.chunks.length).toBeGreaterThan(0)
    writeBeside(at('effect.fxo'), Uint8Array.of(0x01, 0x20, 0xff, 0xfe, 0, 0))
    const of = listingOfShader(at('effect.fxo'))
    expect(new TextDecoder().decode(await fake.workspace.fs.readFile(of))).toMatch(
      /^\/\/ This is an effect of the profile fx_5_0/,
    )
    expect((await fake.workspace.fs.stat(of)).permissions).toBe(fake.FilePermission.Readonly)
  })
})

interface FakePanel {
  webview: { html: string; options: unknown; onDidReceiveMessage: (l: (m: unknown) => unknown) => unknown }
  receive: fake.EventEmitter<unknown>
  onDidDispose(): void
}

async function opened(name: string): Promise<FakePanel> {
  const receive = new fake.EventEmitter<unknown>()
  const panel: FakePanel = {
    webview: { html: '', options: {}, onDidReceiveMessage: receive.event },
    receive,
    onDidDispose() {},
  }
  const editor = seen.editors.get('heddle.container')!
  const document = await editor.openCustomDocument(at(name), {} as never, {} as never)
  await editor.resolveCustomEditor(document, panel as never, {} as never)
  return panel
}

describe('the editor of compiled shaders', () => {
  it('has bindings, signatures and statistics of every file of the corpus, and runs nothing but its own script', async () => {
    for (const { bytes } of corpusFiles().filter((_, i) => i % 50 === 0)) {
      writeBeside(at('corpus.dxbc'), bytes)
      const { html } = (await opened('corpus.dxbc')).webview
      const nonce = /script-src 'nonce-([0-9a-f]{32})'/.exec(html)![1]
      expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none';`)
      expect([...html.matchAll(/<(?:script|style)([^>]*)>/g)].map((m) => m[1])).toEqual([
        ` nonce="${nonce}"`,
        ` nonce="${nonce}"`,
      ])
      expect(html).not.toMatch(/ on\w+=|src="|href="|#[0-9a-fA-F]{3,6}\b(?=;)/)
      const hasStatistics = readDxbcOrThrow(bytes).chunks.some((c) => c.fourcc === 'STAT')
      expect(html.includes('<summary>Statistics</summary>')).toBe(hasStatistics)
    }
  })

  it('shows the file anew when it changes, and opens its listing', async () => {
    const panel = await opened('seven.dxbc')
    expect(panel.webview.html).toContain('<td>4 x 1 x 1</td>')
    writeBeside(at('seven.dxbc'), assembleOrThrow(SHADER.replace('group 4', 'group 8')))
    await expect.poll(() => panel.webview.html).toContain('<td>8 x 1 x 1</td>')
    panel.receive.fire({ command: 'openListing' })
    panel.receive.fire('anything else')
    await expect.poll(() => seen.shown).toEqual([listingOfShader(at('seven.dxbc')).toString()])
  })

  it.each([
    ['an effect', Uint8Array.of(0x01, 0x10, 0xff, 0xfe, 0, 0), 'fx_4_0'],
    ['nothing', new Uint8Array(), 'This file is empty'],
    ['a text', new TextEncoder().encode('float4 main()'), 'no compiled shader'],
    ['a shader that is cut', BYTES.subarray(0, 50), 'damaged'],
  ])('says of %s what it is', async (_, bytes, text) => {
    writeBeside(at('other.dxbc'), bytes)
    const { html } = (await opened('other.dxbc')).webview
    expect(html).toContain(text)
    expect(html).toContain('<p class="why">')
  })

  it('takes no name of a shader for a tag', async () => {
    const bytes = Uint8Array.from(corpusFile('cs/raw_access').bytes)
    const text = Buffer.from(bytes).toString('latin1')
    const at0 = text.indexOf('RDEF')
    const creator = text.indexOf('Microsoft', at0)
    bytes.set(new TextEncoder().encode('<img a=1>'), creator)
    writeBeside(at('tag.dxbc'), bytes)
    const { html } = (await opened('tag.dxbc')).webview
    expect(html).toContain('&lt;img a=1&gt;')
    expect(html).not.toContain('<img')
  })
})

describe('commands', () => {
  it('run: prints what was compared, and warns of a difference', async () => {
    await fake.commands.executeCommand('heddle.run', at('good.job.json').toString())
    expect(seen.messages).toEqual(['seven: as expected'])
    await fake.commands.executeCommand('heddle.run', at('bad.job.json'))
    expect(seen.messages[1]).toBe('seven: u0: 1 of 4 words differ')
  })

  it('check: finds what the checker finds', async () => {
    writeBeside(at('good.job.json'), job([7, 8]).replace('"size":16', '"size":8'))
    await fake.commands.executeCommand('heddle.check', at('good.job.json'))
    expect(seen.messages[0]).toContain('check-bounds')
    await fake.commands.executeCommand('heddle.check', at('seven.dxbc'))
    expect(seen.messages[1]).toContain('as expected')
  })

  it('check: both places of a race are findings of the listing, until it changes', async () => {
    // All threads store where they then load what another one has stored.
    const racing = SHADER.replace('ret\n', 'ld_raw r0.x, l(0), u0.xxxx\nstore_raw u0.x, l(12), r0.x\nret\n')
    const accesses = (text: string): number[] =>
      text
        .split('\n')
        .flatMap((l, i) => (/^(store|ld)_raw/.test(l) ? [i] : []))
        .slice(0, 2)
    writeBeside(at('race.dxasm'), racing)
    writeBeside(at('race.dxbc'), assembleOrThrow(racing))
    writeBeside(at('race.job.json'), job([7, 8, 9, 10], 'race.dxbc'))
    writeBeside(at('text.job.json'), job([7, 8, 9, 10], 'race.dxasm'))
    const linesOf = (uri: ReturnType<typeof at>): number[][] =>
      (seen.problems.get(uri.toString()) ?? []).map((d) => [
        d.range.start.line,
        ...(d.relatedInformation ?? []).map((r) => r.location.range.start.line),
      ])
    await fake.commands.executeCommand('heddle.check', at('text.job.json'))
    expect(linesOf(at('race.dxasm'))).toContainEqual(expect.arrayContaining(accesses(racing)))
    fake.changeDocument(at('race.dxasm'))
    expect(linesOf(at('race.dxasm'))).toEqual([])
    await fake.commands.executeCommand('heddle.check', at('race.job.json'))
    const listing = listingOfShader(at('race.dxbc'))
    const listed = disassembleOrThrow(assembleOrThrow(racing))
    expect(linesOf(listing)).toContainEqual(expect.arrayContaining(accesses(listed)))
  })

  it('check: findings of a draw are in the listing of their shader, and at the command of the frame', async () => {
    writeBeside(at('place.dxasm'), WHOLE_TARGET)
    writeBeside(at('paint.dxbc'), assembleOrThrow(storingPixel('l(0)')))
    const frame = JSON.stringify(storingFrame('scene', 'place.dxasm', 'paint.dxbc'), undefined, 2)
    writeBeside(at('scene.job.json'), frame)
    const listing = listingOfShader(at('paint.dxbc'))
    const store = disassembleOrThrow(assembleOrThrow(storingPixel('l(0)')))
      .split('\n')
      .findIndex((l) => /^store_raw/.test(l))
    const command = frame.split('\n').findIndex((l) => l.includes('"draw": "whole"')) - 1
    // Of the frame, and of its listing, for which the frame is found.
    for (const about of [at('scene.job.json'), listing]) {
      await fake.commands.executeCommand('heddle.check', about)
      const inListing = seen.problems.get(listing.toString())!
      expect(inListing.map((d) => [d.code, d.range.start.line])).toEqual([['check-race-invocations', store]])
      expect(inListing[0]!.message).toContain('in draw 0 of pipeline whole ($.commands[1])')
      expect(seen.problems.get(at('place.dxasm').toString())).toEqual([])
    }
    const inFrame = seen.problems.get(at('scene.job.json').toString())!
    expect(inFrame.map((d) => [d.code, d.range.start.line])).toEqual([['check-race-invocations', command]])
    const { location } = inFrame[0]!.relatedInformation![0]!
    expect([location.uri.toString(), location.range.start.line]).toEqual([listing.toString(), store])
    // What is right again takes them away everywhere.
    writeBeside(at('paint.dxbc'), assembleOrThrow(storingPixel('r0.x')))
    await fake.commands.executeCommand('heddle.check', at('scene.job.json'))
    expect(seen.problems.get(listing.toString())).toEqual([])
    expect(seen.problems.get(at('scene.job.json').toString())).toEqual([])
  })

  it('check: what is wrong with a description, and with a shader in it, is shown in the description', async () => {
    const text = JSON.stringify({ ...sevenJob(), shader: { assembly: SEVEN } }, undefined, 2)
    writeBeside(at('inline.job.json'), text.replace(/"size": 16/, '"size": 8'))
    await fake.commands.executeCommand('heddle.check', at('inline.job.json'))
    const lines = (): number[] =>
      (seen.problems.get(at('inline.job.json').toString()) ?? []).map((d) => d.range.start.line)
    expect(lines().length).toBeGreaterThan(0)
  })

  it('run and check: shaders by themselves, a missing file, a path that leads out', async () => {
    await fake.commands.executeCommand('heddle.run', listingOfShader(at('seven.dxbc')))
    expect(seen.messages.at(-1)).toContain('as expected')
    writeBeside(at('lost.job.json'), job([7], 'none.dxbc'))
    await fake.commands.executeCommand('heddle.run', at('lost.job.json'))
    expect(seen.messages.at(-1)).toContain('there is no file:///work%20space/none.dxbc')
    writeBeside(at('out.job.json'), job([7], '../../etc/passwd'))
    await fake.commands.executeCommand('heddle.run', at('out.job.json'))
    expect(seen.messages.at(-1)).toContain('outside of the workspace')
    await fake.commands.executeCommand('heddle.run', undefined)
    expect(seen.messages.at(-1)).toContain('Open a run description')
  })

  it('create a run description that runs, once', async () => {
    await fake.commands.executeCommand('heddle.createDescription', at('seven.dxbc'))
    expect(seen.shown).toEqual([at('seven.job.json').toString()])
    await fake.commands.executeCommand('heddle.run', at('seven.job.json'))
    expect(seen.messages).toEqual(['seven.dxbc: as expected'])
    writeBeside(at('seven.job.json'), '{}')
    await fake.commands.executeCommand('heddle.createDescription', at('seven.dxbc'))
    expect(new TextDecoder().decode(files.get(at('seven.job.json').toString()))).toBe('{}')
  })
})

describe('the test explorer', () => {
  const token = { isCancellationRequested: false, onCancellationRequested: () => new fake.Disposable(() => {}) }
  const profile = (label: string) => seen.profiles.find((p) => p.label === label)!
  const items = () => [...(seen.controllers[0] as unknown as { map: Map<string, { label: string }> }).map.values()]

  it('has each description, runs them and shows both sides of a difference', async () => {
    await seen.controllers[0]!.resolveHandler!()
    expect(items().map((i) => i.label)).toEqual(['good.job.json', 'bad.job.json'])
    await profile('Run').run({ include: undefined, exclude: [] }, token as never)
    expect(seen.outcomes.map((o) => `${o.what} ${o.id}`)).toEqual([
      'passed good.job.json',
      'failed bad.job.json',
      'end ',
    ])
    const [message] = seen.outcomes[1]!.messages!
    expect(message).toMatchObject({ message: 'u0: 1 of 4 words differ' })
    expect(message!.actualOutput).toContain('9')
    expect(message!.expectedOutput).toMatch(/\b0\b|0x00000000/)
  })

  it('checks where it is asked to, skips what was canceled, and debugs', async () => {
    writeBeside(at('good.job.json'), job([7, 8]).replace('"size":16', '"size":8'))
    await seen.controllers[0]!.resolveHandler!()
    const [good] = items()
    await profile('Run').run({ include: [good] }, token as never)
    await profile('Check for races and bad accesses').run({ include: [good] }, token as never)
    fake.workspace.settings.set('heddle.checkWithTests', true)
    await profile('Run').run({ include: [good] }, token as never)
    fake.workspace.settings.clear()
    await profile('Run').run({ include: [good] }, { ...token, isCancellationRequested: true } as never)
    expect(seen.outcomes.filter((o) => o.what !== 'end').map((o) => o.what)).toEqual([
      'passed',
      'failed',
      'failed',
      'skipped',
    ])
    await profile('Debug').run({ include: [good] }, token as never)
    expect(seen.started).toMatchObject([{ type: 'heddle', program: at('good.job.json').toString(), stopOnEntry: true }])
  })

  it('is kept up to date', async () => {
    await seen.controllers[0]!.resolveHandler!()
    writeBeside(at('new.job.json'), job([7]))
    expect(items().map((i) => i.label)).toContain('new.job.json')
  })
})

describe('the manifest', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../apps/vscode/manifest.json', import.meta.url), 'utf8'))

  it('names the commands, editors and the debugger that the extension registers', () => {
    const { commands, customEditors, menus, keybindings } = manifest.contributes
    const names = commands.map((c: { command: string }) => c.command)
    // The command of lenses takes arguments that a user cannot give: it is not in the palette.
    expect([...names, 'heddle.showReferences'].sort()).toEqual([...seen.commands.keys()].sort())
    expect(customEditors.map((e: { viewType: string }) => e.viewType)).toEqual([...seen.editors.keys()])
    const used = [...Object.values(menus).flat(), ...keybindings].map((m) => (m as { command: string }).command)
    expect(used.filter((c) => !names.includes(c))).toEqual([])
  })

  it('has the version of the package, and no proposed interface', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(manifest.version).toBe(version)
    expect(manifest.enabledApiProposals).toBeUndefined()
  })

  it('knows listings by their first line, behind the header of fxc too', () => {
    const [{ firstLine }] = manifest.contributes.languages
    for (const line of ['cs_5_0', 'ps_4_1', '// Generated by Microsoft (R) HLSL Shader Compiler 10.1'])
      expect(line).toMatch(new RegExp(firstLine))
    for (const line of ['int main()', '; assembly', '// Generated by hand'])
      expect(line).not.toMatch(new RegExp(firstLine))
  })
})
