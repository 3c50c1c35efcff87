/**
 * Run descriptions ("jobs"): JSON to plain data, the shaders and the resources they name, one dispatch or the commands of a
 * frame (`frame/`), and the comparison of what they left with what was expected. `heddle run`, `check` and `bench` share
 * them. The format stands in docs/running.md and schema/job.schema.json.
 *
 * Invariants: everything that can be checked is checked before anything runs, and each wrong field is a diagnostic with
 * its JSON path; files and compilers are reached through a `JobHost` only; contents, sizes and results are the same on
 * every host.
 * It prints nothing: `print.ts` makes tables, the verbs write them.
 */

export { type DescribedShader, namesShader, type ShaderUse, shadersOf, withShaderText } from './described-shaders.ts'
export {
  type DescriptionFile,
  descriptionBeside,
  descriptionTemplate,
} from './description-of-shader.ts'
export {
  type CommandReport,
  type DispatchWork,
  type DrawWork,
  type FrameFlags,
  type FrameJob,
  type FrameReport,
  frameCheckReport,
  frameTemplate,
  overrideFrame,
  type PreparedFrame,
  type PreparedFrameResource,
  parseFrame,
  parseScene,
  prepareFrame,
  prepareFrameInTasks,
  runFrameOn,
  subjectOf,
  type TemplateShader,
  writeFrameOutputs,
  writtenResources,
} from './frame/index.ts'
export { type FileRange, type HostFailure, type Image, isFailure, type JobHost, NO_FILES } from './host.ts'
export type * from './model.ts'
export { placeInJson } from './parse/json-place.ts'
export { type ParsedJob, parseJob, parseJobOrThrow, parseJobText, parseJobTextOrThrow } from './parse/parse.ts'
export {
  type Description,
  parseDescription,
  parseDescriptionOrThrow,
  parseDescriptionText,
  parseDescriptionTextOrThrow,
} from './parse/parse-description.ts'
export { RESOURCE_KINDS } from './parse/parse-resource.ts'
export { checkFlags, jobOfFlags, type OverrideFlags, overrideJob, type QuickFlags } from './parse/quick.ts'
export { type CheckReport, type Difference, type GreatestDifference, runChecks } from './run/check.ts'
export { texelText } from './run/locate.ts'
export { writeOutputs } from './run/outputs.ts'
export { type PreparedJob, type PreparedResource, prepareJob, snapshotResources } from './run/prepare.ts'
export { type Printed, printResource, printTable } from './run/print.ts'
export { type JobReport, type RunLimits, type RunOnOptions, runJobOn } from './run/run-job.ts'
export { type LoadedJobShader, loadShader } from './run/shader.ts'
export { type Table, tableLines } from './run/table.ts'
export { type JobTemplate, jobTemplate } from './run/template.ts'
export { descriptionText } from './text/index.ts'
export { writeByName } from './values/by-name.ts'
export { textureToImage } from './values/image.ts'
export { constantsShape, defaultValues } from './values/shape.ts'
export {
  componentNames,
  eachTexel,
  isReadable,
  shownFormat,
  texelComponents,
  texelPlace,
  withoutCurve,
} from './values/texels.ts'
