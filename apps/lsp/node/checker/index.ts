/** A listing under the checker, with the run description that lies beside it, or else resources that fit what it declares. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { failure, type Outcome, outcomeOf } from '../../../../src/diagnostic/index.ts'
import { checkParsed, ENGINES } from '../../../../src/host/index.ts'
import { createHost } from '../../../../src/host/node/index.ts'
import {
  type Job,
  type JobHost,
  jobTemplate,
  loadShader,
  NO_FILES,
  parseDescription,
  parseDescriptionText,
  type ShaderSource,
} from '../../../../src/job/index.ts'
import type { CheckListing } from '../../server/index.ts'

/** After this a check ends with what it has found. */
const MAX_MILLISECONDS = 60_000

/** The description that `heddle init` makes for a listing; undefined where there is none, or it is one of a frame. */
async function besideListing(path: string): Promise<Outcome<Job> | undefined> {
  const beside = path.replace(/\.[^./\\]*$/, '.job.json')
  if (beside === path || !existsSync(beside)) return undefined
  const { value, diagnostics } = parseDescriptionText(await readFile(beside, 'utf8'))
  if (value === undefined) return failure(diagnostics)
  return value.kind === 'job' ? outcomeOf(value.job, diagnostics) : undefined
}

function jobFor(shader: ShaderSource, name: string): Outcome<Job> {
  const loaded = loadShader(shader, NO_FILES)
  if (loaded.value === undefined) return failure(loaded.diagnostics)
  const template = jobTemplate(loaded.value, name, name)
  if (template.value === undefined) return failure(template.diagnostics)
  const { value, diagnostics } = parseDescription(template.value)
  return value?.kind === 'job' ? outcomeOf(value.job, diagnostics) : failure(diagnostics)
}

/** Checks the text of an editor, whether or not it is saved: it stands in place of the shader that a description names. */
export const checkFile: CheckListing = async (uri, text, signal) => {
  const path = uri.startsWith('file:') ? fileURLToPath(uri) : undefined
  const shader: ShaderSource = { assembly: text, entry: 'main', profile: 'cs_5_0', path: '$.shader' }
  const name = path === undefined ? 'listing' : basename(path)
  const job = (path === undefined ? undefined : await besideListing(path)) ?? jobFor(shader, name)
  if (job.value === undefined) return { refused: job.diagnostics }
  const host: JobHost = path === undefined ? NO_FILES : createHost({ folder: dirname(path) })
  const description = { kind: 'job', job: { ...job.value, shader } } as const
  const options = { maxMilliseconds: MAX_MILLISECONDS, signal }
  const { report } = await checkParsed(description, host, ENGINES.reference({}), options)
  const refused = report.diagnostics.filter((d) => d.severity === 'error')
  return report.partial === 'refused' && refused.length > 0 ? { refused } : { report }
}
