/**
 * From a program to intermediate code, for the engines that generate code: `blocks.ts` nests flow control, `translate.ts` with
 * `operand`, `operation`, `memory` and `texture-operations` makes values and items, `computed-registers.ts` code for registers that
 * the program computes, `interfaces.ts` calls through class instances. `shader-operations.ts` makes plain data of short pixel shaders.
 *
 * Invariants: meanings come from the rows, through `ValueOps`; texture operations stay whole. Nothing here depends on WebAssembly.
 */

export { outputBounds } from './operation-bounds.ts'
export { shaderOperations, shaderOutputs } from './shader-operations.ts'
export { emittedWords, MAX_SAMPLES, STAGE_INPUTS, STAGE_OUTPUTS } from './stage-effects.ts'

export { translate, translateInParts } from './translate.ts'
export { Unsupported } from './unsupported.ts'
