/** A listing under the checker: with a run description that lies beside it, or with inputs that fit what its shader declares. */
import { failure, type Outcome, outcomeOf } from '../../../src/diagnostic/index.ts'
import { setSliceMilliseconds } from '../../../src/engine/index.ts'
import { checkParsed, ENGINES, shaderFindings } from '../../../src/host/index.ts'
import {
  type Description,
  type DescriptionFile,
  descriptionBeside,
  descriptionTemplate,
  type JobHost,
  loadShader,
  NO_FILES,
  namesShader,
  parseDescription,
  type ShaderSource,
  shadersOf,
  withShaderText,
} from '../../../src/job/index.ts'
import type { Checked, CheckListing } from '../server/index.ts'

/** After this a check ends with what it has found. */
const MAX_MILLISECONDS = 60_000
/** A request that comes while a check runs waits for a few of these: messages are read, queued and answered in tasks of their own. */
const SLICE_MILLISECONDS = 5

/** A folder that a listing is in, or below. */
export interface ListingFolder {
  /** The listing's path there. */
  readonly file: string
  readonly host: JobHost
  readonly descriptions: readonly DescriptionFile[]
}

/** What a listing is checked with. */
interface Prepared {
  readonly folder: ListingFolder
  readonly description: Description
}

function prepared(shader: ShaderSource, folders: readonly ListingFolder[]): Outcome<Prepared> {
  const loaded = loadShader(shader, NO_FILES)
  if (loaded.value === undefined) return failure(loaded.diagnostics)
  for (const folder of folders) {
    const beside = descriptionBeside(loaded.value, folder.file, folder.descriptions)
    if (beside === undefined) continue
    return beside.value === undefined ? failure(beside.diagnostics) : outcomeOf({ folder, description: beside.value })
  }
  const [folder = NO_FOLDER] = folders
  const { file } = folder
  const template = descriptionTemplate([{ shader: loaded.value, file }], file)
  if (template.value === undefined) return failure(template.diagnostics)
  const { value, diagnostics } = parseDescription(template.value)
  return value === undefined ? failure(diagnostics) : outcomeOf({ folder, description: value })
}

/**
 * Checks the text of an editor, whether or not it is saved: it stands in place of the shader that a description names. The
 * folders are looked at in order, the listing's own first.
 */
export async function checkText(
  text: string,
  folders: readonly ListingFolder[],
  signal: AbortSignal,
): Promise<Checked> {
  const shader: ShaderSource = { assembly: text, entry: 'main', profile: 'cs_5_0', path: '$.shader' }
  const { value, diagnostics } = prepared(shader, folders)
  if (value === undefined) return { refused: diagnostics }
  const { folder, description } = value
  const own = shadersOf(description).find((s) => description.kind === 'job' || namesShader(s.source, folder.file))
  const options = { maxMilliseconds: MAX_MILLISECONDS, signal }
  setSliceMilliseconds(SLICE_MILLISECONDS)
  const run = withShaderText(description, folder.file, text)
  const { report } = await checkParsed(run, folder.host, ENGINES.reference({}), options)
  const refused = report.diagnostics.filter((d) => d.severity === 'error')
  if (report.partial === 'refused' && refused.length > 0) return { refused }
  return { report, found: own === undefined ? [] : shaderFindings(report, own) }
}

const NO_FOLDER: ListingFolder = { file: 'listing', host: NO_FILES, descriptions: [] }

/** Checks a text of which nothing is known but the text: in a worker, and of a document that is no file. */
export const checkAlone: CheckListing = (_uri, text, signal) => checkText(text, [], signal)
