/**
 * What every room says when something is wrong: one shape of finding, one registry of codes, places in bytes, text,
 * programs and job files, and their rendering for people and (`results/`) for CI systems. It has nothing of shaders and imports nothing.
 *
 * Invariants: a Diagnostic is plain data; every code stands in the registry (`codes/`, one file a room) with a
 * paragraph of explanation; severities are `error`, `warning`, `hint`; readers keep a bounded number of findings
 * (`DiagnosticCollector`).
 * It does not print: the command line and other hosts decide where a rendered text goes.
 */
export {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anything,
  argumentFault,
  aText,
  bytesExpected,
  bytesFault,
  checkArguments,
  type Expectation,
  isBytes,
  isRecord,
  numberFrom,
  oneOf,
  present,
  showValue,
  wholeFrom,
} from './arguments.ts'
export { FORMER_CODES } from './codes/former.ts'
export { CODES, type CodeInfo, type DiagnosticCode } from './codes/index.ts'
export {
  collectDiagnostics,
  DiagnosticCollector,
  type DiagnosticSink,
  MAX_DIAGNOSTICS,
} from './collector.ts'
export {
  assertNever,
  type Diagnostic,
  type DiagnosticDetails,
  diagnostic,
  type Failure,
  type Fix,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  type RelatedPlace,
  type Severity,
  ShaderError,
  type Success,
  valueOrThrow,
  withPlaces,
} from './diagnostic.ts'
export { appendAll, countLeading, largest } from './lists.ts'
export type { BytePlace, PathPlace, Place, StatementPlace, TextPlace } from './place.ts'
export { type Paint, placedMessage, renderDiagnostic } from './render.ts'
export { type Annotation, githubAnnotation } from './results/github.ts'
export { type JunitCase, junitXml } from './results/junit.ts'
export { type SarifResult, sarifLevel, sarifLog, sarifUri } from './results/sarif.ts'
export type { ShardMark } from './results/shard.ts'
export { withSlashes } from './slashes.ts'
export { closest, didYouMean } from './suggest.ts'
