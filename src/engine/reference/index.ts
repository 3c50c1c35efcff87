/**
 * The reference engine: the executable specification, clear before fast, the judge of every other engine.
 *
 * - `recorder.ts` runs a row's meaning once over a recording `ValueOps`, which gives a `graph.ts`; `emit.ts` makes steps of
 *   it and `kernels.ts` has what a step does, for all lanes of a wave. `number-ops.ts` are the exact operations on one word.
 * - `compile.ts` makes ops of statements: `alu`, `memory`, `typed`, `atomic`, `sampling`, `query`, and with the blocks that
 *   `structure.ts` finds `flow` and `call`. `access.ts` holds every rule of bounds and alignment.
 * - `scheduler.ts` runs groups and waves in the order of the schedule.
 *
 * Invariants: deterministic for a schedule; no code is generated; undefined operations have the documented safe result;
 * code for dispatches without an observer has no trace of one.
 * It knows nothing of other engines and does not match bindings: that is the contract's room.
 */

export { type NumberOpsOptions, numberOps } from './number-ops.ts'
export { createReferenceEngine, REFERENCE_ENGINE } from './run/engine.ts'
