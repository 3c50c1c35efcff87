/** The manifest of the extension and the code that reads what it says: neither has what the other lacks. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { argumentsOf } from '../../apps/dap/arguments.ts'
import type { LaunchArguments, ThreadMode } from '../../apps/dap/index.ts'
import { initialSettings } from '../../apps/lsp/server/settings.ts'
import { clientOptions } from '../../apps/vscode/src/client-options.ts'
import { activateOn } from '../../apps/vscode/src/extension.ts'
import { LISTING_SCHEME, listingOfShader } from '../../apps/vscode/src/listing-uri.ts'
import { DESCRIPTIONS } from '../../apps/vscode/src/tests.ts'
import { HINT_KINDS } from '../../src/language/index.ts'
import * as fake from './fake.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('apps/vscode/manifest.json'))
const { contributes } = manifest
const [debug] = contributes.debuggers
const launch: Readonly<Record<string, { readonly type?: string; readonly enum?: readonly string[] }>> =
  debug.configurationAttributes.launch.properties
const settings: Readonly<Record<string, { readonly default: unknown }>> = contributes.configuration.properties
const languages: readonly string[] = contributes.languages.map((l: { id: string }) => l.id)
const commands: readonly string[] = contributes.commands.map((c: { command: string }) => c.command)

const context = { subscriptions: [] as { dispose(): unknown }[] }
beforeAll(() => activateOn(context as never, async () => ({ stop: async () => {} })))
afterAll(() => {
  for (const s of context.subscriptions) s.dispose()
})

/** Every argument of a launch request, by whether launch.json of this editor has it. */
const ARGUMENTS: Readonly<Record<keyof LaunchArguments, boolean>> = {
  ...{ program: true, command: true, pixel: true, onlyPixel: true, invocation: true, stopOnEntry: true },
  ...{ threads: true, clock: true, finding: true, thread: true, stopAtEnd: true, sourcePathMap: true },
  // The editor sets it itself: Run Without Debugging.
  noDebug: false,
  // Of clients without files.
  ...{ job: false, files: false },
}

const THREADS: Readonly<Record<ThreadMode, true>> = { sets: true, waves: true, lanes: true }

const SAMPLES: Readonly<Record<string, unknown>> = { string: 'a', boolean: true, number: 1, object: { x: 1, y: 2 } }

describe('launch.json', () => {
  it('has the arguments that the debug adapter takes', () => {
    const taken = Object.entries(ARGUMENTS).flatMap(([name, isThere]) => (isThere ? [name] : []))
    expect(Object.keys(launch).sort()).toEqual(taken.sort())
    expect(debug.configurationAttributes.launch.required).toEqual(['program'])
  })

  test.each(Object.entries(launch))('%s is of the type that the adapter takes', (name, { type = 'string' }) => {
    const samples = name === 'sourcePathMap' ? { ...SAMPLES, object: { 'C:\\shaders': '/shaders' } } : SAMPLES
    for (const [of, value] of Object.entries(samples)) {
      const take = () => argumentsOf('launch', { [name]: value })
      if (of === type) expect(take).not.toThrow()
      else expect(take, of).toThrow()
    }
  })

  it('has the threads that the adapter knows', () => {
    expect([...launch.threads!.enum!].sort()).toEqual(Object.keys(THREADS).sort())
  })

  it('begins with configurations of those arguments', () => {
    const known = ['type', 'request', 'name', ...Object.keys(launch)]
    for (const { body } of debug.configurationSnippets) {
      expect(body.type).toBe(debug.type)
      expect(Object.keys(body).filter((k) => !known.includes(k))).toEqual([])
    }
  })
})

describe('settings', () => {
  const section = 'heddle.inlayHints.'
  const hints = Object.keys(settings).filter((s) => s.startsWith(section))

  it('are those of the language server, with what it takes where they are absent', () => {
    expect(hints.map((s) => s.slice(section.length)).sort()).toEqual([...HINT_KINDS].sort())
    const shown = initialSettings({ capabilities: {}, processId: null, rootUri: null }, undefined).hints
    for (const s of hints) expect(settings[s]!.default, s).toBe(shown.has(s.slice(section.length) as never))
  })

  it('are read, those that no server has', () => {
    const sources = ['tests', 'commands', 'debugging', 'descriptions']
      .map((f) => read(`apps/vscode/src/${f}.ts`))
      .join()
    const got = [...sources.matchAll(/getConfiguration\('heddle'\)\.get\('(\w+)'\)/g)].map((m) => `heddle.${m[1]}`)
    expect(Object.keys(settings).filter((s) => !hints.includes(s))).toEqual(got)
  })
})

describe('commands', () => {
  /** Of lenses: it takes what the language server sends with it. */
  const INTERNAL = ['heddle.showReferences']

  it('are registered, and those that are registered are in the palette', () => {
    const registered = [...fake.seen.commands.keys()].filter((c) => c.startsWith('heddle.'))
    expect([...commands, ...INTERNAL].sort()).toEqual(registered.sort())
  })

  it('of menus and keys are there', () => {
    const named = [...Object.values(contributes.menus).flat(), ...contributes.keybindings] as { command: string }[]
    expect(named.map((n) => n.command).filter((c) => !commands.includes(c))).toEqual([])
  })
})

describe('languages and editors', () => {
  it('have one name each throughout', () => {
    const ofClient = (clientOptions().documentSelector as { language: string }[]).map((s) => s.language)
    expect(ofClient).toEqual(languages)
    expect(contributes.grammars.map((g: { language: string }) => g.language)).toEqual(languages)
    expect(contributes.breakpoints.map((b: { language: string }) => b.language)).toEqual(debug.languages)
    expect(debug.languages).toEqual(expect.arrayContaining([...languages]))
    for (const [, language] of JSON.stringify(contributes.menus).matchAll(/resourceLangId == (\w+)/g)) {
      expect(languages).toContain(language)
    }
  })

  it('are for the files that the code makes and follows', () => {
    const listing = listingOfShader(fake.Uri.file('/a/b.dxbc'))
    expect(contributes.languages[0].extensions.some((e: string) => listing.path.endsWith(e))).toBe(true)
    const patterns: readonly string[] = contributes.customEditors.flatMap(
      (e: { selector: { filenamePattern: string }[] }) => e.selector.map((s) => s.filenamePattern),
    )
    const followed = /\*\.\{([\w,]+)\}/.exec(read('apps/vscode/src/extension.ts'))![1]!.split(',')
    expect(patterns.map((p) => p.replace('*.', '')).sort()).toEqual(followed.sort())
  })

  it('of compiled shaders are registered, and their button is shown in each', () => {
    const types: readonly string[] = contributes.customEditors.map((e: { viewType: string }) => e.viewType)
    expect([...fake.seen.editors.keys()].sort()).toEqual([...types].sort())
    const when = contributes.menus['editor/title'][0].when as string
    const pattern = new RegExp(/=~ \/(.*)\//.exec(when)![1]!)
    for (const type of types) expect(type).toMatch(pattern)
  })
})

it('the extension is activated by what it is needed for', () => {
  expect([...manifest.activationEvents].sort()).toEqual(
    [`onFileSystem:${LISTING_SCHEME}`, `onDebugResolve:${debug.type}`, `workspaceContains:${DESCRIPTIONS}`].sort(),
  )
})
