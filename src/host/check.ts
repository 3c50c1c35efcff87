import { statementLister } from '../asm/index.ts'
import {
  type CheckOptions,
  type CheckShader,
  type CheckTarget,
  check as checkWithOptions,
  type Report,
} from '../check/index.ts'
import { present } from '../diagnostic/index.ts'
import type { DispatchCounts, Engine } from '../engine/index.ts'
import { createReferenceEngine, REFERENCE_ENGINE } from '../engine/reference/index.ts'
import type { Bindings } from '../machine/index.ts'

/**
 * The checker with listings: `import { check, renderReport } from 'heddle/check'`. `check(device, shader, bindings,
 * groups, options)` runs one dispatch under all detectors and gives a plain `Report`.
 */
export {
  type CheckOptions,
  type CheckShader,
  type CheckTarget,
  DEFAULT_DETECTORS,
  DETECTOR_NAMES,
  type DetectorName,
  defaultSchedules,
  type FileReport,
  isClean,
  isSuppressed,
  mapReportPaths,
  type PartialReason,
  type PathMapping,
  parsePathMapping,
  parseSuppression,
  parseSuppressionFile,
  type RenderReportOptions,
  type Report,
  type ReportFinding,
  type ReportLine,
  type ReportMemory,
  type ReportSite,
  type ReportStats,
  renderReport,
  reportsToJunit,
  reportsToSarif,
  type Suppression,
  scheduleText,
} from '../check/index.ts'
export {
  type CheckDescriptionOptions,
  checkDescription,
  checkParsed,
  type DescriptionCheck,
} from './check-description.ts'
export { type CheckDrawOptions, checkDraw } from './check-draw.ts'

/**
 * Only the reference engine calls observers. A shader that another engine made ready is loaded again from
 * its program; resources are the same in all engines.
 */
function observed(
  target: CheckTarget,
  shader: CheckShader,
  options: CheckOptions,
): [Engine, CheckShader, CheckOptions] {
  const engine = 'engine' in target ? target.engine : target
  if (engine.name === REFERENCE_ENGINE) return [engine, shader, options]
  const reference = createReferenceEngine({})
  if (shader instanceof Uint8Array || 'statements' in shader) return [reference, shader, options]
  const loaded = 'declarations' in shader ? shader : shader.loaded
  const instances = 'loaded' in shader ? shader.classInstances : undefined
  const merged = { load: loaded.options, classInstances: instances, ...present(options) }
  return [reference, loaded.declarations.program, merged]
}

/**
 * Runs a shader under the checker, on the resources that are bound. Statements in the report are listed as fxc lists
 * them. With a container's bytes the report also names fields of structures and, where there is debug information, lines
 * of HLSL. Never rejects for what the shader does; a dispatch that cannot start gives `partial: 'refused'`.
 */
export function check(
  target: CheckTarget,
  shader: CheckShader,
  bindings: Bindings,
  groups: DispatchCounts,
  options: CheckOptions = {},
): Promise<Report> {
  const [engine, source, merged] = observed(target, shader, { lister: statementLister, ...present(options) })
  return checkWithOptions(engine, source, bindings, groups, merged)
}
