/** Run descriptions: those in files, and those that are made for a shader that has none. */
import * as vscode from 'vscode'
import { type Diagnostic, failure, type Outcome, placedMessage, ShaderError } from '../../../src/diagnostic/index.ts'
import { checkParsed, ENGINES, engineNamed, renderReport } from '../../../src/host/index.ts'
import {
  type CheckReport,
  type Description,
  type DescriptionFile,
  descriptionBeside,
  descriptionTemplate,
  type FrameReport,
  type JobReport,
  type JobTemplate,
  type LoadedJobShader,
  loadShader,
  parseDescription,
  parseDescriptionText,
  runFrameOn,
  runJobOn,
} from '../../../src/job/index.ts'
import { type DocumentFindings, findingsOf } from './check-findings.ts'
import { folderOf, nameOf, readText, withFiles } from './files.ts'
import { isListingUri, shaderOfListing } from './listing-uri.ts'

export const isDescription = (uri: vscode.Uri): boolean => uri.path.endsWith('.json')

async function loadedShader(shader: vscode.Uri): Promise<Outcome<LoadedJobShader>> {
  const source = { file: nameOf(shader), entry: 'main', profile: 'cs_5_0', path: '' }
  return (await withFiles(folderOf(shader), (host) => loadShader(source, host))).value
}

function templateOf(shader: LoadedJobShader, file: string): Outcome<JobTemplate> {
  return descriptionTemplate([{ shader, file }], file)
}

/** Data of a description that runs a shader at once, with what it declares. */
export async function templateFor(shader: vscode.Uri): Promise<Outcome<JobTemplate>> {
  const { value, diagnostics } = await loadedShader(shader)
  return value === undefined ? failure(diagnostics) : templateOf(value, nameOf(shader))
}

/** Descriptions in the folder of a shader. */
async function descriptionsBeside(shader: vscode.Uri): Promise<readonly DescriptionFile[]> {
  const folder = folderOf(shader)
  const entries = await vscode.workspace.fs.readDirectory(folder).then(
    (found) => found,
    () => [],
  )
  const names = entries.map(([name]) => name).filter((name) => name.endsWith('.job.json'))
  const read = names.sort().map(async (name) => {
    const text = await readText(vscode.Uri.joinPath(folder, name)).catch(() => undefined)
    return text === undefined ? [] : [{ name, text }]
  })
  return (await Promise.all(read)).flat()
}

/** The file that a document is about: of a listing of a compiled shader that shader. */
export const subjectOf = (uri: vscode.Uri): vscode.Uri => (isListingUri(uri) ? shaderOfListing(uri) : uri)

/** The description in a file, or of a shader: one that lies beside it, or one that is made for it. */
export async function descriptionOf(uri: vscode.Uri): Promise<Outcome<Description>> {
  const subject = subjectOf(uri)
  if (isDescription(subject)) return parseDescriptionText(await readText(subject))
  const { value: shader, diagnostics } = await loadedShader(subject)
  if (shader === undefined) return failure(diagnostics)
  const beside = descriptionBeside(shader, nameOf(subject), await descriptionsBeside(subject))
  if (beside !== undefined) return beside
  const made = templateOf(shader, nameOf(subject))
  return made.value === undefined ? failure(made.diagnostics) : parseDescription(made.value)
}

/** What a run or a check of a description came to. */
export interface Result {
  readonly passed: boolean
  readonly name: string
  /** For people. */
  readonly lines: readonly string[]
  /** What keeps it from passing, each in a few words. */
  readonly problems: readonly string[]
  /** Contents that are not as expected: what there is, and what is expected. */
  readonly differences: readonly { readonly label: string; readonly expected: string; readonly actual: string }[]
  /** Of a check: what it found in the documents of the shaders and of the description. */
  readonly found?: readonly DocumentFindings[] | undefined
}

const refusedResult = (name: string, o: { readonly diagnostics: readonly Diagnostic[] }): Result => {
  const problems = o.diagnostics.filter((d) => d.severity === 'error').map(placedMessage)
  return { passed: false, name, lines: problems, problems, differences: [] }
}

function checkLine(c: CheckReport): string {
  if (c.problem !== undefined) return `${c.label}: ${c.problem}`
  return c.passed ? `${c.label}: as expected` : `${c.label}: ${c.different} of ${c.total} ${c.unit} differ`
}

function differenceOf(c: CheckReport): Result['differences'][number] {
  const column = (key: 'got' | 'expected'): string => c.first.map((d) => `${d.where}  ${d[key]}`).join('\n')
  return { label: checkLine(c), expected: column('expected'), actual: column('got') }
}

function resultOf(name: string, report: JobReport | FrameReport): Result {
  const { run, diagnostics } = report
  const errors = diagnostics.filter((d) => d.severity === 'error').map(placedMessage)
  if (run === undefined) return refusedResult(name, { diagnostics })
  const wrong = run.checks.filter((c) => !c.passed)
  const stopped = run.stopped === undefined ? [] : [`the run was stopped (${run.stopped})`]
  const problems = [...stopped, ...wrong.map(checkLine), ...errors]
  const notes = diagnostics.filter((d) => d.severity !== 'error').map((d) => `${d.severity}: ${placedMessage(d)}`)
  return {
    passed: problems.length === 0,
    name,
    lines: [`${name}: ran on the engine ${report.engine}`, ...run.checks.map(checkLine), ...errors, ...notes],
    problems,
    differences: wrong.filter((c) => c.first.length > 0).map(differenceOf),
  }
}

/** Does `work` for the description of a file; what is wrong with the description is a result too. */
async function withDescription(
  uri: vscode.Uri,
  work: (description: Description, name: string, folder: vscode.Uri) => Promise<Result>,
): Promise<Result> {
  const subject = subjectOf(uri)
  try {
    const found = await descriptionOf(subject)
    if (found.value === undefined) return refusedResult(nameOf(subject), found)
    const { value } = found
    return await work(value, (value.kind === 'job' ? value.job : value.frame).name, folderOf(subject))
  } catch (e) {
    if (!(e instanceof Error) && !(e instanceof ShaderError)) throw e
    return { passed: false, name: nameOf(subject), lines: [e.message], problems: [e.message], differences: [] }
  }
}

/** Seconds after which a run in an editor is stopped. */
const MAX_MILLISECONDS = 60_000

/** Runs what a file describes, and compares what it left with what is expected. */
export function runFile(uri: vscode.Uri, signal?: AbortSignal): Promise<Result> {
  return withDescription(uri, async (description, name, folder) => {
    const limits = { maxMilliseconds: MAX_MILLISECONDS, ...(signal === undefined ? {} : { signal }) }
    const { value: report } = await withFiles(folder, async (host): Promise<JobReport | FrameReport> => {
      const options = (description.kind === 'job' ? description.job : description.frame).options
      // One thread: workers would need a file of their own beside the bundle.
      const create = engineNamed(options.engine)
      if (create.value === undefined) return { name, engine: '', diagnostics: create.diagnostics }
      const engine = create.value({ threads: 1 })
      try {
        return description.kind === 'job'
          ? await runJobOn(description.job, host, engine, limits)
          : await runFrameOn(description.frame, host, engine, limits)
      } finally {
        engine.dispose?.()
      }
    })
    return resultOf(name, report)
  })
}

/** Runs what a file describes under the checker. */
export function checkFile(uri: vscode.Uri): Promise<Result> {
  return withDescription(uri, async (description, name, folder) => {
    const { value } = await withFiles(folder, (host) => {
      const options = { compare: true, maxMilliseconds: MAX_MILLISECONDS }
      return checkParsed(description, host, ENGINES.reference({}), options)
    })
    const { report, differences } = value
    const found = report.findings.filter((f) => f.severity !== 'hint').map((f) => `${f.code}: ${f.message}`)
    const refused = report.diagnostics.filter((d) => d.severity === 'error').map(placedMessage)
    const partial = report.partial === undefined ? [] : [`the check is partial (${report.partial})`]
    const problems = [...found, ...differences.map(checkLine), ...refused, ...partial]
    const lines = [renderReport(report), ...differences.map(checkLine)]
    const subject = subjectOf(uri)
    const documentFindings = await findingsOf(description, isDescription(subject) ? subject : undefined, folder, report)
    const isPassed = problems.length === 0
    return {
      passed: isPassed,
      name,
      lines,
      problems,
      differences: differences.map(differenceOf),
      found: documentFindings,
    }
  })
}
