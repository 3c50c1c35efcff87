/**
 * Code for lowered programs: WebAssembly SIMD emitted as bytes, run over one shared memory.
 *
 * - `kernel.ts` makes the function of a program: the loop over groups, and in it the waves of `waves.ts`. Around barriers the
 *   code is cut into parts (`parts.ts`, `frames.ts`): together for all waves where the threads are known to meet
 *   (`plan.ts`, `group.ts`), else each wave keeps a place of its own (`alternate-plan.ts`, `alternate.ts`).
 * - `wave.ts` is control flow of one wave, `effects.ts` and what it names memory, `scalar-ops.ts` and `vector-ops.ts` values,
 *   `report.ts` records of what is found, `speculation.ts` stretches that run without flushes first, `turns.ts` how many turns
 *   of a loop stand one after the other. `assembler.ts` and `writer.ts` are the bytes.
 * - `engine.ts` loads and dispatches; `memory.ts` is where resources live; `workers/` runs groups on other threads.
 *
 * Invariants: results are the reference engine's, bit for bit; nothing is copied for resources that live in the engine's
 * memory, but for textures of blocks (`decoded.ts`); lanes run in lockstep, 4, 8 or 16 of them, in the order of
 * SV_GroupIndex.
 *
 * Calls the host, on the calling thread alone: filters along a line of anisotropy (`host.ts`), and fused multiply-adds.
 * Refuses, with `engine-not-compiled`: observers, `poison` and schedules; the clock; programs beyond the limits that
 * docs/execution.md lists. Those are the reference engine's.
 * It decides nothing about meaning: values and regions come from `lower`.
 */
export { createWasmEngine, createWasmEngineWith, tryCreateWasmEngine, WASM_ENGINE } from './run/engine.ts'
