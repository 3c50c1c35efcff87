/**
 * As much of the editor as the extension uses: files in memory, documents, and lists of what was registered and shown. Tests
 * run the extension on it; the shapes are held against the editor's own types.
 */
import type * as vscode from 'vscode'
import { URI, Utils } from 'vscode-uri'

export const Uri = Object.assign(URI, { joinPath: Utils.joinPath }) as unknown as typeof vscode.Uri

export class Disposable {
  readonly #call: () => unknown
  constructor(call: () => unknown) {
    this.#call = call
  }
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const d of all) d.dispose()
    })
  }
  dispose(): unknown {
    return this.#call()
  }
}

export class EventEmitter<T> {
  readonly #listeners = new Set<(e: T) => unknown>()
  readonly event = (listener: (e: T) => unknown): Disposable => {
    this.#listeners.add(listener)
    return new Disposable(() => this.#listeners.delete(listener))
  }
  fire(e: T): void {
    for (const listener of [...this.#listeners]) listener(e)
  }
  dispose(): void {
    this.#listeners.clear()
  }
}

export class Position {
  readonly line: number
  readonly character: number
  constructor(line: number, character: number) {
    this.line = line
    this.character = character
  }
}

export class Range {
  readonly start: Position
  readonly end: Position
  constructor(line: number, character: number, endLine: number, endCharacter: number) {
    this.start = new Position(line, character)
    this.end = new Position(endLine, endCharacter)
  }
}

export class Location {
  readonly uri: vscode.Uri
  readonly range: unknown
  constructor(uri: vscode.Uri, range: unknown) {
    this.uri = uri
    this.range = range
  }
}

export class Diagnostic {
  readonly range: Range
  readonly message: string
  readonly severity: number
  constructor(range: Range, message: string, severity: number) {
    this.range = range
    this.message = message
    this.severity = severity
  }
}

export class DiagnosticRelatedInformation {
  readonly location: Location
  readonly message: string
  constructor(location: Location, message: string) {
    this.location = location
    this.message = message
  }
}

export class TestMessage {
  expectedOutput?: string
  actualOutput?: string
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
  static diff(message: string, expected: string, actual: string): TestMessage {
    return Object.assign(new TestMessage(message), { expectedOutput: expected, actualOutput: actual })
  }
}

export class DebugAdapterInlineImplementation {
  readonly implementation: vscode.DebugAdapter
  constructor(implementation: vscode.DebugAdapter) {
    this.implementation = implementation
  }
}

export class FileSystemError extends Error {
  static Unavailable = (text: string): FileSystemError => new FileSystemError(text)
  static NoPermissions = (text: string): FileSystemError => new FileSystemError(text)
  static FileNotFound = (uri: vscode.Uri): FileSystemError => new FileSystemError(`there is no ${uri.toString()}`)
}

class TabInput {
  readonly uri: vscode.Uri
  constructor(uri: vscode.Uri) {
    this.uri = uri
  }
}
export class TabInputText extends TabInput {}
export class TabInputCustom extends TabInput {}

export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 } satisfies Partial<
  Record<keyof typeof vscode.DiagnosticSeverity, number>
>
export const FileType = { File: 1 } as const
export const FilePermission = { Readonly: 1 } as const
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 } as const
export const ProgressLocation = { Notification: 15 } as const
export const TestRunProfileKind = { Run: 1, Debug: 2, Coverage: 3 } as const
export const DebugConfigurationProviderTriggerKind = { Initial: 1, Dynamic: 2 } as const

/** The disk, by address. */
export const files = new Map<string, Uint8Array>()

/** What the extension has registered and shown. */
export const seen = {
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  fileSystems: new Map<string, vscode.FileSystemProvider>(),
  editors: new Map<string, vscode.CustomReadonlyEditorProvider>(),
  debugProviders: [] as vscode.DebugConfigurationProvider[],
  adapters: [] as vscode.DebugAdapterDescriptorFactory[],
  started: [] as vscode.DebugConfiguration[],
  messages: [] as string[],
  output: [] as string[],
  shown: [] as string[],
  problems: new Map<string, readonly vscode.Diagnostic[]>(),
  profiles: [] as { label: string; run: (r: unknown, t: vscode.CancellationToken) => Promise<void> }[],
  controllers: [] as { items: Map<string, FakeItem>; resolveHandler?: (item?: unknown) => Promise<void> }[],
  outcomes: [] as { what: string; id: string; messages?: readonly TestMessage[] }[],
}

interface FakeItem {
  readonly id: string
  readonly label: string
  readonly uri: vscode.Uri
}

const providerOf = (uri: vscode.Uri): vscode.FileSystemProvider | undefined => seen.fileSystems.get(uri.scheme)
const watchers = {
  changed: new EventEmitter<vscode.Uri>(),
  created: new EventEmitter<vscode.Uri>(),
  deleted: new EventEmitter<vscode.Uri>(),
}

/** Writes a file as another program would. */
export function writeBeside(uri: vscode.Uri, bytes: Uint8Array | string): void {
  const isThere = files.has(uri.toString())
  files.set(uri.toString(), typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
  watchers[isThere ? 'changed' : 'created'].fire(uri)
}

const fs = {
  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const own = await providerOf(uri)?.readFile(uri)
    const bytes = own ?? files.get(uri.toString())
    if (bytes === undefined) throw FileSystemError.FileNotFound(uri)
    return bytes
  },
  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const provider = providerOf(uri)
    if (provider === undefined) writeBeside(uri, bytes)
    else await provider.writeFile(uri, bytes, { create: true, overwrite: true })
  },
  async readDirectory(folder: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const start = `${folder.path}/`
    return [...files.keys()].flatMap((key): [string, vscode.FileType][] => {
      const { path } = Uri.parse(key)
      const name = path.slice(start.length)
      return path.startsWith(start) && !name.includes('/') ? [[name, FileType.File]] : []
    })
  },
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const own = await providerOf(uri)?.stat(uri)
    if (own !== undefined) return own
    return { type: FileType.File, ctime: 0, mtime: 0, size: (await fs.readFile(uri)).length }
  },
}

const documentsChanged = new EventEmitter<{ document: { uri: vscode.Uri }; contentChanges: readonly object[] }>()

export const workspace = {
  fs,
  textDocuments: [] as vscode.TextDocument[],
  settings: new Map<string, unknown>(),
  getWorkspaceFolder: (uri: vscode.Uri) => (uri.path.startsWith('/work space/') ? { uri } : undefined),
  asRelativePath: (uri: vscode.Uri) => uri.path.replace(/^\/work space\//, ''),
  getConfiguration: (section: string) => ({ get: (name: string) => workspace.settings.get(`${section}.${name}`) }),
  findFiles: async () => [...files.keys()].filter((k) => k.endsWith('.job.json')).map((k) => Uri.parse(k)),
  createFileSystemWatcher: (pattern: string) => {
    const of = (e: EventEmitter<vscode.Uri>) => (listener: (uri: vscode.Uri) => unknown) =>
      e.event((uri) => {
        if (pattern.includes('.job.json') === uri.path.endsWith('.job.json')) listener(uri)
      })
    const { changed, created, deleted } = watchers
    return { onDidChange: of(changed), onDidCreate: of(created), onDidDelete: of(deleted), dispose() {} }
  },
  registerFileSystemProvider: (scheme: string, provider: vscode.FileSystemProvider) => {
    seen.fileSystems.set(scheme, provider)
    return new Disposable(() => seen.fileSystems.delete(scheme))
  },
  onDidChangeTextDocument: documentsChanged.event,
  openTextDocument: async (uri: vscode.Uri) => ({ uri, text: new TextDecoder().decode(await fs.readFile(uri)) }),
}

/** A change of a document in an editor. */
export const changeDocument = (uri: vscode.Uri): void =>
  documentsChanged.fire({ document: { uri }, contentChanges: [{}] })

export const window = {
  tabGroups: { activeTabGroup: { activeTab: undefined as { input: unknown } | undefined } },
  activeTextEditor: undefined as { document: { uri: vscode.Uri; languageId: string } } | undefined,
  createOutputChannel: () => ({ appendLine: (s: string) => void seen.output.push(s), show() {}, dispose() {} }),
  registerCustomEditorProvider: (type: string, provider: vscode.CustomReadonlyEditorProvider) => {
    seen.editors.set(type, provider)
    return new Disposable(() => seen.editors.delete(type))
  },
  showErrorMessage: async (text: string) => void seen.messages.push(text),
  showWarningMessage: async (text: string) => void seen.messages.push(text),
  setStatusBarMessage: (text: string) => void seen.messages.push(text),
  showTextDocument: async (document: { uri: vscode.Uri }) => void seen.shown.push(document.uri.toString()),
  withProgress: (_: unknown, work: (p: unknown, t: unknown) => unknown) =>
    work({}, { isCancellationRequested: false, onCancellationRequested: () => new Disposable(() => {}) }),
}

export const languages = {
  createDiagnosticCollection: () => ({
    set: (uri: vscode.Uri, found: readonly vscode.Diagnostic[]) => void seen.problems.set(uri.toString(), found),
    delete: (uri: vscode.Uri) => void seen.problems.delete(uri.toString()),
    dispose() {},
  }),
  setTextDocumentLanguage: async (document: unknown) => document,
}

export const commands = {
  registerCommand: (name: string, work: (...args: unknown[]) => unknown) => {
    seen.commands.set(name, work)
    return new Disposable(() => seen.commands.delete(name))
  },
  executeCommand: async (name: string, ...args: unknown[]) => seen.commands.get(name)!(...args),
}

export const debug = {
  registerDebugConfigurationProvider: (_: string, provider: vscode.DebugConfigurationProvider) => {
    seen.debugProviders.push(provider)
    return new Disposable(() => {})
  },
  registerDebugAdapterDescriptorFactory: (_: string, factory: vscode.DebugAdapterDescriptorFactory) => {
    seen.adapters.push(factory)
    return new Disposable(() => {})
  },
  startDebugging: async (_: unknown, configuration: vscode.DebugConfiguration) => seen.started.push(configuration) > 0,
}

export const tests = {
  createTestController: () => {
    const items = new Map<string, FakeItem>()
    const controller = {
      items: {
        add: (item: FakeItem) => void items.set(item.id, item),
        delete: (id: string) => void items.delete(id),
        replace: (all: readonly FakeItem[]) => {
          items.clear()
          for (const item of all) items.set(item.id, item)
        },
        [Symbol.iterator]: () => items[Symbol.iterator](),
      },
      createTestItem: (id: string, label: string, uri: vscode.Uri): FakeItem => ({ id, label, uri }),
      createRunProfile: (label: string, _: unknown, run: never) => void seen.profiles.push({ label, run }),
      createTestRun: () => ({
        started() {},
        appendOutput() {},
        passed: (t: FakeItem) => void seen.outcomes.push({ what: 'passed', id: t.label }),
        skipped: (t: FakeItem) => void seen.outcomes.push({ what: 'skipped', id: t.label }),
        failed: (t: FakeItem, messages: TestMessage[]) =>
          void seen.outcomes.push({ what: 'failed', id: t.label, messages }),
        end: () => void seen.outcomes.push({ what: 'end', id: '' }),
      }),
      dispose() {},
    }
    seen.controllers.push(Object.assign(controller, { map: items }) as never)
    return controller
  },
}

type Own<T, Editor> = Exclude<keyof T, 'settings'> extends keyof Editor ? true : never

/** A type error where the fake has something that the editor has not: that would prove nothing. */
export const IS_LIKE_EDITOR: readonly [
  Own<typeof workspace, typeof vscode.workspace>,
  Own<typeof window, typeof vscode.window>,
  Own<typeof languages, typeof vscode.languages>,
  Own<typeof commands, typeof vscode.commands>,
  Own<typeof debug, typeof vscode.debug>,
  Own<typeof tests, typeof vscode.tests>,
] = [true, true, true, true, true, true]
