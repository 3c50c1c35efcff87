/**
 * Pixels: quads that the rasterizer found are tested, collected, shaded together and merged.
 *
 * Invariants: lanes keep the order in which quads were added, in memory effects of the shader and in targets; what is left
 * does not depend on how many run together. Input registers are filled, and results taken, column by column. It finds no
 * pixels and runs no instruction.
 */
export type { PixelPlace } from '../../engine/index.ts'
export { linkPixelShader, type PixelLinkage } from './link-inputs.ts'
export { type SetupCode, TRIANGLES_OF_A_CALL, type TriangleList } from './setup-code.ts'
export { PixelStage } from './stage.ts'
export type { PixelCounts } from './stage-options.ts'
export { BOX_PLAIN, type RecordList } from './triangle-jobs.ts'
