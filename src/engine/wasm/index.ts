/**
 * Code for lowered programs: WebAssembly SIMD emitted as bytes, run over one shared memory.
 *
 * - `run/kernel.ts` makes the function of a program: the loop over groups, and in it the waves of `flow/waves.ts`. Around barriers
 *   the code is cut into segments (`barrier-segments.ts`, `frames.ts`): together for all waves where the threads are known to meet
 *   (`group-plan.ts`, `group.ts`), else each wave has a place of its own (`interleaved-waves-plan.ts`, `interleaved-waves.ts`).
 * - `flow/wave.ts` is control flow of one wave, `speculation.ts` ranges that run without flushes first, `vector-runs.ts` and `rolled-runs.ts` long
 *   runs of operations for one vector after the other, `unrolling.ts` how often the
 *   body of a loop is repeated, `costs.ts` the costs of operations. In `emit/` `emitter.ts` keeps values in locals, `scalar-ops.ts` and
 *   `vector-ops.ts` emit operations, `effects.ts` and what it names memory; `kernel-layout.ts` and `descriptor-layout.ts` are what
 *   code and engine agree on. `report/` leaves and reads records of findings; `encode/` is the bytes.
 * - `run/engine.ts` loads and dispatches; `memory.ts` is where resources live; `workers/` runs groups on other threads.
 *
 * Invariants: results are the reference engine's, bit for bit; nothing is copied for resources that live in the engine's
 * memory, but for textures of blocks (`decoded-textures.ts`); lanes run in lockstep, 4, 8 or 16 of them, in the order of
 * SV_GroupIndex.
 *
 * Calls the host, on the calling thread alone: texture operations on views that are no textures (`host-calls.ts`), and fused multiply-adds.
 * Refuses, with `engine-not-compiled`: observers, `poison` and schedules; the clock; programs beyond the limits that
 * docs/execution.md lists. Those are the reference engine's.
 * It decides nothing about meaning: values and regions come from `lower`.
 */
export { createWasmEngine, createWasmEngineWith, tryCreateWasmEngine } from './run/engine.ts'
export { createWorkerThread, type WorkerPlace } from './run/work-thread.ts'
