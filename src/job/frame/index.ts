/**
 * Frames: run descriptions of version 2, with named resources, shaders, pipelines and commands in order. Two notations give
 * the same model: the job format in camelCase, and frames with Direct3D's own names.
 *
 * Invariants: everything that can be checked is checked before the first command, and each wrong field is a diagnostic with
 * its JSON path; commands are carried out in order and share one limit of time; files are reached through a `JobHost`.
 * It prints nothing and depends on no engine.
 */

export { frameCheckReport } from './check-frame.ts'
export { type FrameFlags, overrideFrame } from './flags.ts'
export type { FrameJob, FramePipeline } from './model.ts'
export { writeFrameOutputs } from './outputs.ts'
export { parseFrame } from './parse-frame.ts'
export { isScene, parseScene } from './parse-scene.ts'
export type { PreparedFrameResource } from './preparation.ts'
export {
  type CommandReport,
  type FrameReport,
  type PreparedFrame,
  prepareFrame,
  prepareFrameInTasks,
  runFrameOn,
  subjectOf,
} from './run-frame.ts'
export { frameTemplate, type TemplateShader } from './template.ts'
export type { DispatchWork, DrawWork, PreparedWork } from './work.ts'
export { writtenResources } from './written.ts'
