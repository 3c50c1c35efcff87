/**
 * The contract of every engine: what is loaded and dispatched, what observers see, what a program declares and how
 * bindings are matched with it, and `Device`, which callers use.
 *
 * Invariants: this room imports no engine; engines are passed to it. Bad bindings, group counts and options are refused
 * with diagnostics that name the slot before anything runs. Observers change nothing.
 * It executes nothing itself: `engine/reference` and `engine/wasm` do.
 */
export * from './batch.ts'
export { type ClassBinding, resolveClassInstances } from './class-instances.ts'
export * from './contract.ts'
export * from './declarations.ts'
export * from './device.ts'
export type { DeviceBuffer, DeviceTexture } from './device-resources.ts'
export * from './element-kernels.ts'
export { inPlaceOf, withFallback } from './fallback.ts'
export { createFindings, type Finding, type Findings, type FindingsState } from './findings.ts'
export * from './gather/declarations.ts'
export { invocationNanoseconds } from './gather/invocation-time.ts'
export type * from './inspection.ts'
export { matchBindings, matchBindingsOrThrow, matchResolved, matchResolvedBindings } from './match-bindings.ts'
export {
  hostWaits,
  inLongerParts,
  nextTask,
  type Parts,
  type PartsLimits,
  restIfDue,
  runPartsAtOnce,
  runPartsInSlices,
  runPartsInTasks,
  SLICE_MS,
  setSliceMilliseconds,
  sliceEnd,
  sliceMilliseconds,
} from './next-task.ts'
export type * from './observer.ts'
export {
  blockOf,
  type EntryLayout,
  layoutOf,
  type RegisterBlock,
  type RegisterLayout,
  slotOf,
} from './register-layout.ts'
export { registerName } from './register-name.ts'
export { checkRequest, checkStageRequest, doesNotDraw, groupCounts, refusedResult, resetCounters } from './request.ts'
export { holdStorages } from './resource-use.ts'
export { runAtOnce, runInSlices, runInTurn, stopDiagnostic } from './run-execution.ts'
export * from './stage-declarations.ts'
export { signedText, type TexelAxis, texelText } from './texel-axes.ts'
