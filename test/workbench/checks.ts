/**
 * An extension that runs beside Heddle's in a real workbench: it has the files of a folder in memory, does what a user does
 * by the interface of the editor, and writes what it sees to the console, one line of JSON for each check.
 */
import * as vscode from 'vscode'

declare const FILES: Readonly<Record<string, string>>
declare const console: { log(text: string): void }

const ROOT = vscode.Uri.from({ scheme: 'memory', path: '/work' })
const at = (name: string): vscode.Uri => vscode.Uri.joinPath(ROOT, name)

class MemoryFiles implements vscode.FileSystemProvider {
  readonly files = new Map<string, { bytes: Uint8Array; time: number }>()
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
  readonly onDidChangeFile = this.#changed.event

  #file(uri: vscode.Uri): { bytes: Uint8Array; time: number } {
    const file = this.files.get(uri.path)
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri)
    return file
  }
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {})
  }
  stat(uri: vscode.Uri): vscode.FileStat {
    if (uri.path === '/' || uri.path === ROOT.path)
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 }
    const { bytes, time } = this.#file(uri)
    return { type: vscode.FileType.File, ctime: 0, mtime: time, size: bytes.length }
  }
  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    const start = `${uri.path}/`
    return [...this.files.keys()].flatMap((path) =>
      path.startsWith(start) ? [[path.slice(start.length), vscode.FileType.File]] : [],
    )
  }
  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes
  }
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.files.set(uri.path, { bytes, time: Date.now() })
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }])
  }
  createDirectory(): void {}
  delete(uri: vscode.Uri): void {
    this.files.delete(uri.path)
  }
  rename(): void {}
}

/** Milliseconds that a check may take. */
const LONGEST = 90_000
const TRIES = 300
const PAUSE = 100

/** What a function gives once it gives something; the editor works things out in its own time. */
async function until<T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let i = 0; i < TRIES; i++) {
    const found = await find()
    if (found !== undefined) return found
    await new Promise<void>((done) => setTimeout(done, PAUSE))
  }
  throw new Error('this never came')
}

const codesOf = (uri: vscode.Uri): string[] => vscode.languages.getDiagnostics(uri).map((d) => String(d.code))

async function opened(name: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(at(name))
  return vscode.window.showTextDocument(document)
}

const CHECKS: Readonly<Record<string, () => Promise<unknown>>> = {
  async language() {
    const { document } = await opened('seven.dxasm')
    const extension = vscode.extensions.getExtension('heddle.heddle-vscode')
    await until(() => (extension?.isActive ? true : undefined))
    return { version: vscode.version, languageId: document.languageId }
  },
  async diagnostics() {
    const { document } = await opened('broken.dxasm')
    return until(() => (codesOf(document.uri).length > 1 ? codesOf(document.uri) : undefined))
  },
  async hover() {
    const { document } = await opened('seven.dxasm')
    const position = document.positionAt(document.getText().indexOf('ishl'))
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    )
    return hovers.map((h) => h.contents.map((c) => (typeof c === 'string' ? c : c.value)).join('\n')).join('\n')
  },
  async completion() {
    const { document } = await opened('seven.dxasm')
    const position = document.positionAt(document.getText().indexOf('ishl') + 2)
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      position,
    )
    return list.items.length
  },
  async container() {
    await vscode.commands.executeCommand('vscode.open', at('saxpy.dxbc'))
    return until(() => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
      return input instanceof vscode.TabInputCustom ? input.viewType : undefined
    })
  },
  async listing() {
    await vscode.commands.executeCommand('heddle.openListing', at('saxpy.dxbc'))
    const editor = await until(() => {
      const active = vscode.window.activeTextEditor
      return active?.document.uri.scheme === 'dxbc' ? active : undefined
    })
    const { document } = editor
    return {
      languageId: document.languageId,
      profile: /^cs_5_0/m.test(document.getText()),
      errors: codesOf(document.uri),
    }
  },
  async save() {
    const { document } = vscode.window.activeTextEditor!
    const before = await vscode.workspace.fs.readFile(at('saxpy.dxbc'))
    const edit = new vscode.WorkspaceEdit()
    const end = document.positionAt(document.getText().search(/^ret/m))
    edit.insert(document.uri, end, 'nop \n')
    await vscode.workspace.applyEdit(edit)
    const saved = await document.save()
    const after = await vscode.workspace.fs.readFile(at('saxpy.dxbc'))
    return { saved, longer: after.length - before.length }
  },
  async debug() {
    const { document } = await opened('seven.dxasm')
    const line = document.positionAt(document.getText().indexOf('iadd')).line
    vscode.debug.addBreakpoints([
      new vscode.SourceBreakpoint(new vscode.Location(document.uri, new vscode.Position(line, 0))),
    ])
    const ended = new Promise<void>((done) => vscode.debug.onDidTerminateDebugSession(() => done()))
    const started = await vscode.debug.startDebugging(undefined, {
      ...{ type: 'heddle', request: 'launch', name: 'seven', program: at('seven.job.json').toString() },
      stopAtEnd: false,
      stopOnEntry: false,
    })
    const item = await until(() => vscode.debug.activeStackItem)
    const session = item.session
    const threadId = item.threadId
    const trace = await session.customRequest('stackTrace', { threadId })
    const frame = trace.stackFrames[0]
    const { scopes } = await session.customRequest('scopes', { frameId: frame.id })
    const seen = {
      started,
      line: frame.line - 1 - line,
      column: frame.column,
      source: frame.source.name,
      scopes: scopes.length > 1,
    }
    await vscode.commands.executeCommand('workbench.action.debug.continue')
    await ended
    return seen
  },
  async frame() {
    const stop = async (): Promise<number> => {
      const { session, threadId } = await until(() => vscode.debug.activeStackItem)
      const trace = await session.customRequest('stackTrace', { threadId })
      return trace.stackFrames[0].line
    }
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints)
    await vscode.debug.startDebugging(undefined, {
      ...{ type: 'heddle', request: 'launch', name: 'seven', program: at('seven.dxasm').toString(), stopOnEntry: true },
    })
    const first = await stop()
    const moved = async (command: string, from: number): Promise<number> => {
      await vscode.commands.executeCommand(`workbench.action.debug.${command}`)
      return until(async () => {
        const line = await stop()
        return line === from ? undefined : line
      })
    }
    const second = await moved('stepOver', first)
    const third = await moved('stepBack', second)
    await vscode.debug.stopDebugging()
    return { stepped: second > first, back: third === first }
  },
  async fix() {
    const { document } = await opened('broken.dxasm')
    const range = document.lineAt(3).range
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      document.uri,
      range,
    )
    const fix = actions.find((a) => a.isPreferred)
    await vscode.workspace.applyEdit(fix!.edit!)
    const left = await until(() => (codesOf(document.uri).includes('asm-mnemonic') ? undefined : codesOf(document.uri)))
    return { title: fix!.title, line: document.lineAt(3).text, left }
  },
}

async function runChecks(): Promise<void> {
  for (const [name, check] of Object.entries(CHECKS)) {
    const late = new Promise<never>((_, fail) => setTimeout(() => fail(new Error('this takes too long')), LONGEST))
    const seen = await Promise.race([check(), late]).then(
      (value) => ({ name, value }),
      (e: unknown) => ({ name, failed: e instanceof Error ? `${e.message}\n${e.stack}` : String(e) }),
    )
    console.log(`check: ${JSON.stringify(seen)}`)
  }
  console.log('check: {"name":"end"}')
}

/**
 * Gives the editor its files and begins the checks. It does not wait for their end: where the editor looks for files of `memory:`
 * before they are registered, it waits for this activation, and so does whatever needs those files (snippets, and with them
 * completion).
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const files = new MemoryFiles()
  for (const [name, base64] of Object.entries(FILES)) {
    files.writeFile(
      at(name),
      Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
    )
  }
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider('memory', files, { isCaseSensitive: true }))
  void runChecks()
}
