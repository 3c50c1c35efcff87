/** Commands: of the palette, of menus, and of the lenses that the language server shows above a program. */
import * as vscode from 'vscode'
import { placedMessage } from '../../../src/diagnostic/index.ts'
import { showFindings } from './check-findings.ts'
import { openListing } from './container-editor.ts'
import { activeUri, configurationFor } from './debugging.ts'
import { checkFile, isDescription, type Result, runFile, subjectOf, templateFor } from './descriptions.ts'

/** What a command is about: the argument of a lens or a menu, or what the user looks at. */
function uriOf(argument: unknown): vscode.Uri | undefined {
  if (argument instanceof vscode.Uri) return argument
  return typeof argument === 'string' ? vscode.Uri.parse(argument, true) : activeUri()
}

/** Runs work with a notice that it goes on, and prints what came of it. */
async function show(
  output: vscode.OutputChannel,
  title: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true }
  const result = await vscode.window.withProgress(options, (_, token) => {
    const abort = new AbortController()
    token.onCancellationRequested(() => abort.abort())
    return work(abort.signal)
  })
  output.appendLine(result.lines.join('\n'))
  if (result.passed) vscode.window.setStatusBarMessage(`${result.name}: as expected`, 5000)
  else {
    output.show(true)
    void vscode.window.showWarningMessage(`${result.name}: ${result.problems[0]}`)
  }
  return result
}

/** Writes a description beside a shader, and opens it; one that is there already is opened as it is. */
async function createDescription(uri: vscode.Uri): Promise<void> {
  const shader = subjectOf(uri)
  const target = shader.with({ path: shader.path.replace(/\.[^./]*$/, '.job.json') })
  const isThere = await vscode.workspace.fs.stat(target).then(
    () => true,
    () => false,
  )
  if (!isThere) {
    const { value, diagnostics } = await templateFor(shader)
    if (value === undefined) {
      void vscode.window.showErrorMessage(diagnostics.map(placedMessage).join('\n'))
      return
    }
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`))
  }
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(target))
}

/** Positions as the language server has them. */
interface ServerRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

type ServerPlace = { readonly uri: string; readonly range: ServerRange }

/** Shows the uses that a lens of the language server counts. */
function showReferences(uri: string, at: ServerRange['start'], places: readonly ServerPlace[]): Thenable<unknown> {
  const locations = places.map(({ uri: of, range: { start, end } }) => {
    const range = new vscode.Range(start.line, start.character, end.line, end.character)
    return new vscode.Location(vscode.Uri.parse(of, true), range)
  })
  const position = new vscode.Position(at.line, at.character)
  return vscode.commands.executeCommand(
    'editor.action.showReferences',
    vscode.Uri.parse(uri, true),
    position,
    locations,
  )
}

export function registerCommands(
  output: vscode.OutputChannel,
  checked: vscode.DiagnosticCollection,
): vscode.Disposable {
  const register = (name: string, work: (uri: vscode.Uri) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`heddle.${name}`, (argument: unknown) => {
      const uri = uriOf(argument)
      if (uri !== undefined) return work(uri)
      return vscode.window.showErrorMessage('Open a run description, a compiled shader or a listing first.')
    })
  return vscode.Disposable.from(
    register('run', (uri) => show(output, 'Running', (signal) => runFile(uri, signal))),
    register('check', async (uri) => {
      const { found } = await show(output, 'Checking', () => checkFile(uri))
      showFindings(checked, found)
    }),
    register('debug', (uri) => {
      const folder = vscode.workspace.getWorkspaceFolder(uri)
      return vscode.debug.startDebugging(folder, configurationFor(uri))
    }),
    register('openListing', (uri) => (isDescription(uri) ? undefined : openListing(subjectOf(uri)))),
    register('createDescription', createDescription),
    vscode.commands.registerCommand('heddle.showReferences', showReferences),
  )
}
