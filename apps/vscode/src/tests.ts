/** Run descriptions in the test explorer. */
import * as vscode from 'vscode'
import { showFindings } from './check-findings.ts'
import { checkFile, type Result, runFile } from './descriptions.ts'
import { nameOf } from './files.ts'

export const DESCRIPTIONS = '**/*.job.json'

/** What is wrong, as messages of a test: those with contents show both sides. */
function messagesOf(result: Result, uri: vscode.Uri): vscode.TestMessage[] {
  const location = new vscode.Location(uri, new vscode.Position(0, 0))
  const compared = result.differences.map(({ label, expected, actual }) =>
    vscode.TestMessage.diff(label, expected, actual),
  )
  const inDifferences = new Set(result.differences.map((d) => d.label))
  const others = result.problems.filter((p) => !inDifferences.has(p)).map((p) => new vscode.TestMessage(p))
  return [...compared, ...others].map((message) => Object.assign(message, { location }))
}

/** The tests below those that were requested. */
function* testsIn(controller: vscode.TestController, request: vscode.TestRunRequest): Generator<vscode.TestItem> {
  const excluded = new Set(request.exclude?.map((t) => t.id))
  const requested = request.include ?? [...controller.items].map(([, item]) => item)
  for (const item of requested) if (!excluded.has(item.id)) yield item
}

type Work = (uri: vscode.Uri, signal: AbortSignal) => Promise<Result>

async function runTests(
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
  work: Work,
  checked: vscode.DiagnosticCollection,
): Promise<void> {
  const run = controller.createTestRun(request)
  const abort = new AbortController()
  token.onCancellationRequested(() => abort.abort())
  for (const item of testsIn(controller, request)) {
    if (token.isCancellationRequested) {
      run.skipped(item)
      continue
    }
    run.started(item)
    const start = performance.now()
    const result = await work(item.uri!, abort.signal)
    const milliseconds = performance.now() - start
    run.appendOutput(`${result.lines.join('\n')}\n`.replaceAll('\n', '\r\n'), undefined, item)
    showFindings(checked, result.found)
    if (result.passed) run.passed(item, milliseconds)
    else run.failed(item, messagesOf(result, item.uri!), milliseconds)
  }
  run.end()
}

/** Runs, and where the settings request it checks too. */
async function runAsSet(uri: vscode.Uri, signal: AbortSignal): Promise<Result> {
  const ran = await runFile(uri, signal)
  const isChecked = vscode.workspace.getConfiguration('heddle').get('checkWithTests') === true
  if (!isChecked || !ran.passed || signal.aborted) return ran
  const checked = await checkFile(uri)
  return { ...checked, lines: [...ran.lines, ...checked.lines] }
}

/** A test for each run description of the workspace, kept up to date. */
export function registerTests(checked: vscode.DiagnosticCollection): vscode.Disposable {
  const controller = vscode.tests.createTestController('heddle', 'Heddle')
  const add = (uri: vscode.Uri): void => {
    const label = vscode.workspace.asRelativePath(uri)
    const item = controller.createTestItem(uri.toString(), label === '' ? nameOf(uri) : label, uri)
    controller.items.add(item)
  }
  const find = async (): Promise<void> => {
    const found = await vscode.workspace.findFiles(DESCRIPTIONS, '**/node_modules/**')
    controller.items.replace([])
    for (const uri of found) add(uri)
  }
  controller.resolveHandler = async (item) => {
    if (item === undefined) await find()
  }
  controller.refreshHandler = find
  const { Run, Debug } = vscode.TestRunProfileKind
  controller.createRunProfile(
    'Run',
    Run,
    (request, token) => runTests(controller, request, token, runAsSet, checked),
    true,
  )
  controller.createRunProfile('Check for races and bad accesses', Run, (request, token) =>
    runTests(controller, request, token, checkFile, checked),
  )
  controller.createRunProfile('Debug', Debug, async (request) => {
    for (const item of testsIn(controller, request)) await vscode.commands.executeCommand('heddle.debug', item.uri)
  })
  const watcher = vscode.workspace.createFileSystemWatcher(DESCRIPTIONS)
  watcher.onDidCreate(add)
  watcher.onDidDelete((uri) => controller.items.delete(uri.toString()))
  return vscode.Disposable.from(controller, watcher)
}
