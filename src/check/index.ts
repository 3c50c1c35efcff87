/**
 * Finds what is wrong with a shader by watching a dispatch: accesses out of bounds, values that nothing wrote, data races,
 * barriers in the wrong place, misused counters, NaNs, infinities and conversions out of range, results that depend on the schedule.
 *
 * One module a detector (`bounds`, `undefined-flow`, `races`, `barriers`, `counters`, `numbers`, `schedules`), each an
 * observer of the engine's events; `check` puts them together and makes a `Report`, which is plain data; `render`,
 * `sarif` and `junit` print reports.
 *
 * Invariants: detectors change nothing; a race is found by happens-before, whatever order the run took; every finding
 * has a code with an explanation; identical findings are folded; a budget that is hit leaves what was found so far and
 * says so. It runs no shader itself: the engine is passed in.
 */
export {
  type CheckJob,
  type CheckOptions,
  type CheckShader,
  type CheckTarget,
  check,
  checkJob,
  MAX_FINDINGS,
  partialOf,
  refusedReport,
} from './check.ts'
export { defaultSchedules, scheduleText } from './detectors/schedules.ts'
export {
  createDrawCheck,
  type DrawCheck,
  type DrawCheckOptions,
  type DrawOutcome,
  type DrawStage,
  isOfPipeline,
  overflowFindings,
  refusedDraw,
  stageOfPlace,
} from './draws/index.ts'
export { combineObservers } from './observers.ts'
export { reportDiagnostics } from './report/diagnostics.ts'
export type { Finding, MemoryPlace, Site } from './report/finding.ts'
export { type CommandCheck, type FrameParts, frameReport, suppressionsOf } from './report/frame-report.ts'
export { reportsToJunit } from './report/junit.ts'
export { mapReportPaths, type PathMapping, parsePathMapping } from './report/path-map.ts'
export { type RenderReportOptions, renderReport } from './report/render.ts'
export {
  commandText,
  DEFAULT_DETECTORS,
  DETECTOR_NAMES,
  type DetectorName,
  isClean,
  NO_STATEMENT,
  type PartialReason,
  type Report,
  type ReportCommand,
  type ReportFinding,
  type ReportLine,
  type ReportMemory,
  type ReportSite,
  type ReportStats,
  whoText,
} from './report/report.ts'
export { type FileReport, reportsToSarif } from './report/sarif.ts'
export { namedLine } from './report/source-lines.ts'
export { isSuppressed, parseSuppression, parseSuppressionFile, type Suppression } from './report/suppressions.ts'
export { type UndefinedKind, UndefinedWords } from './undefined/undefined-words.ts'
export { type FindingWatch, type WatchFindingsOptions, watchDrawFindings, watchFindings } from './watch.ts'
