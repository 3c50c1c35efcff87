/** What the extension gives the editor, on every platform. Platforms differ in how the language server is started. */
import * as vscode from 'vscode'
import { registerCommands } from './commands.ts'
import { ContainerEditor } from './container-editor.ts'
import { registerDebugging } from './debugging.ts'
import { LISTING_SCHEME } from './listing-uri.ts'
import { ListingFiles } from './listings.ts'
import { registerTests } from './tests.ts'

/** A language client, as far as it is used here. */
interface StartedClient {
  stop(): Promise<void>
}

type StartClient = (context: vscode.ExtensionContext) => Promise<StartedClient>

const COMPILED = '**/*.{dxbc,cso,fxo,dxo}'

export function activateOn(context: vscode.ExtensionContext, startClient: StartClient): void {
  const output = vscode.window.createOutputChannel('Heddle')
  const problems = vscode.languages.createDiagnosticCollection('heddle')
  const checked = vscode.languages.createDiagnosticCollection('heddle check')
  const listings = new ListingFiles(problems)
  const editor = new ContainerEditor()
  const watcher = vscode.workspace.createFileSystemWatcher(COMPILED)
  watcher.onDidChange((uri) => {
    listings.shaderChanged(uri)
    void editor.shaderChanged(uri)
  })
  context.subscriptions.push(
    output,
    problems,
    checked,
    watcher,
    vscode.workspace.registerFileSystemProvider(LISTING_SCHEME, listings, { isCaseSensitive: true }),
    // Findings of a check, and of a save that was refused, are of the text as it was.
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0) return
      problems.delete(document.uri)
      checked.delete(document.uri)
    }),
    vscode.window.registerCustomEditorProvider('heddle.container', editor),
    vscode.window.registerCustomEditorProvider('heddle.containerOption', editor),
    registerCommands(output, checked),
    registerDebugging(),
    registerTests(checked),
  )
  // Nothing else needs the language server, and nothing waits for it.
  const client = startClient(context).catch((e: unknown) => {
    void vscode.window.showErrorMessage(
      `The language server of Heddle did not start: ${e instanceof Error ? e.message : e}`,
    )
    return undefined
  })
  context.subscriptions.push(new vscode.Disposable(async () => (await client)?.stop()))
}
