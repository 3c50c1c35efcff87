/**
 * Code for lowered programs: WebAssembly SIMD emitted as bytes, run over one shared memory.
 *
 * - `kernel.ts` makes the function of a program: loops over groups, parts between barriers, waves. `wave.ts` is control flow
 *   of one wave, `access.ts` and `effects.ts` memory, `scalar-ops.ts` and `vector-ops.ts` values, `report.ts` records of
 *   accesses out of bounds. `assembler.ts` and `writer.ts` are the bytes.
 * - `engine.ts` loads and dispatches; `memory.ts` is where resources live; `workers/` runs groups on other threads.
 *
 * Invariants: results are the reference engine's, bit for bit; nothing is copied for resources that live in the engine's
 * memory; lanes run in lockstep, 4, 8 or 16 of them, in the order of SV_GroupIndex.
 *
 * Calls the host (`host.ts`, on the calling thread alone): samples other than point or bilinear ones of a Texture2D with
 * one mip, comparisons, gathers, resinfo of textures, samplepos, multisample loads, loads of a mip that is computed, block
 * compressed, sRGB, shared exponent, 8- and 16-bit elements, stores to R11G11B10, and fused multiply-adds.
 * Refuses, with `engine-not-compiled`: resources chosen by a computed register, barriers in flow that is not uniform over
 * the group, minimum precision with rounding. Observers, `poison` and schedules are the reference engine's.
 * Findings are of waves: one a statement, with the last lane and a count; loads that nobody uses are not made.
 * It decides nothing about meaning: values and regions come from `lower`.
 */
export { createWasmEngine, createWasmEngineWith, tryCreateWasmEngine, WASM_ENGINE } from './engine.ts'
