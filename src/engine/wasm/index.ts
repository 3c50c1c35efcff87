/**
 * Code for lowered programs: WebAssembly SIMD emitted as bytes, run over one shared memory.
 *
 * Invariants: results are the reference engine's, bit for bit; nothing is copied for resources that live in the engine's
 * memory; what has no code of its own (texel.ts) calls the machine's functions on the same memory.
 * It decides nothing about meaning: values and regions come from `lower`.
 */
export { createWasmEngine, createWasmEngineWith, WASM_ENGINE } from './engine.ts'
