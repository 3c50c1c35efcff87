/**
 * The stages of a draw before the rasterizer on several threads.
 *
 * Each thread (`front-thread.ts`) takes parts of the draw and runs them to chunks of primitives and to what goes to stream output;
 * `part-order.ts` hands these on in the order of the parts, `staged-output.ts` writes stream output to its buffers. Invariants: what
 * a draw leaves, counts and finds does not depend on the number of threads; what workers are given (`front-work.ts`) is plain data.
 * It imports no engine.
 */
export { SharedFront } from './shared-front.ts'
export { runShared } from './worker.ts'
