/** Run descriptions of every version and notation: jobs of one dispatch, and frames. */
import { failure, hasErrors, type Outcome, outcomeOf, valueOrThrow } from '../../diagnostic/index.ts'
import { type FrameJob, isScene, parseFrame, parseScene } from '../frame/index.ts'
import type { Job } from '../model.ts'
import { isObject } from './fields.ts'
import { readJson } from './json.ts'
import { parseJob } from './parse.ts'

/** What a description says to run. */
export type Description =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'frame'; readonly frame: FrameJob }

/** Descriptions of version 2 are frames; so are those that have pipelines or commands. */
function isFrame(value: unknown): boolean {
  if (!isObject(value)) return false
  return value.version === 2 || (value.version === undefined && ('commands' in value || 'pipelines' in value))
}

/** A description from parsed JSON. */
export function parseDescription(value: unknown): Outcome<Description> {
  if (isScene(value) || isFrame(value)) {
    const { value: frame, diagnostics } = isScene(value) ? parseScene(value) : parseFrame(value)
    return frame === undefined ? failure(diagnostics) : outcomeOf({ kind: 'frame', frame }, diagnostics)
  }
  const { value: job, diagnostics } = parseJob(value)
  return job === undefined ? failure(diagnostics) : outcomeOf({ kind: 'job', job }, diagnostics)
}

/** As `parseDescription`, from text. */
export function parseDescriptionText(text: string): Outcome<Description> {
  const json = readJson(text)
  return hasErrors(json.diagnostics) ? failure(json.diagnostics) : parseDescription(json.value)
}

/** As `parseDescription`; throws ShaderError on any error. */
export function parseDescriptionOrThrow(value: unknown): Description {
  return valueOrThrow(parseDescription(value))
}

/** As `parseDescriptionText`; throws ShaderError on any error. */
export function parseDescriptionTextOrThrow(text: string): Description {
  return valueOrThrow(parseDescriptionText(text))
}
