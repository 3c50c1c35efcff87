/**
 * Run descriptions ("jobs"): JSON to plain data, the shaders and the resources they name, one dispatch or the commands of a
 * frame (`frame/`), and the comparison of what they left with what was expected. `heddle run`, `check` and `bench` share them. The format stands in
 * docs/running.md and schema/job.schema.json.
 *
 * Invariants: everything that can be checked is checked before anything runs, and each wrong field is a diagnostic with
 * its JSON path; files and compilers are reached through a `JobHost` only; contents, sizes and results are the same on
 * every host.
 * It prints nothing: `print.ts` makes tables, the verbs write them.
 */
export { writeByName } from './by-name.ts'
export { type CheckReport, type Difference, type GreatestDifference, runChecks } from './check.ts'
export {
  type CommandReport,
  type FrameFlags,
  type FrameJob,
  type FrameReport,
  overrideFrame,
  type PreparedFrame,
  parseFrame,
  parseScene,
  prepareFrame,
  runFrameOn,
  writeFrameOutputs,
} from './frame/index.ts'
export { type FileRange, type HostFailure, type Image, isFailure, type JobHost } from './host.ts'
export type { Contents, Job, JobCheck, JobOptions, JobResource, PrintRequest, ShaderSource } from './model.ts'
export { writeOutputs } from './outputs.ts'
export { type ParsedJob, parseJob, parseJobText } from './parse.ts'
export { type Description, parseDescription, parseDescriptionText } from './parse-description.ts'
export { type PreparedJob, type PreparedResource, prepareJob, snapshotResources } from './prepare.ts'
export { type Printed, printResource, printTable } from './print.ts'
export { checkFlags, jobOfFlags, type OverrideFlags, overrideJob, type QuickFlags } from './quick.ts'
export { type JobReport, type RunLimits, type RunOnOptions, runJobOn, runPrepared } from './run-job.ts'
export { type LoadedJobShader, loadShader } from './shader.ts'
export { constantsShape, defaultValues } from './shape.ts'
export { type Table, tableLines } from './table.ts'
export { type JobTemplate, jobTemplate } from './template.ts'
