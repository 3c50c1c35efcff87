import type { ElementKernels, PixelPlace } from '../../engine/index.ts'
import type { DepthStencilTest } from '../merge/index.ts'
import type { StageShader } from '../stage-runner.ts'
import type { Precision } from '../state.ts'
import type { PixelLinkage } from './link-inputs.ts'
import type { PixelMergeOptions } from './merge.ts'

/** What the pixels of a draw depend on, and what is counted of them. */

export interface PixelStageOptions extends PixelMergeOptions {
  /** Undefined where no pixel shader is bound: depth and stencil alone. */
  readonly shader: StageShader | undefined
  readonly linkage: PixelLinkage
  readonly precision: Precision
  readonly depthStencil: DepthStencilTest
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  /** Rasterizer samples that may be covered: the sample mask, or all where it counts for the output alone (3.5.6). */
  readonly sampleMask: number
  readonly isSampleFrequency: boolean
  /** Pixels of a batch, of whole quads. */
  readonly capacity: number
  readonly kernels: ElementKernels | undefined
  /** A target has more slices than one. */
  readonly hasSlices: boolean
  /** Time (performance.now) after which nothing further begins. */
  readonly deadline: number
  readonly describe: (pixel: PixelPlace) => string
  /** Where a pixel stands in the order of the draw; given where several threads run it. */
  readonly orderOf?: ((pixel: PixelPlace) => readonly number[]) | undefined
}

export interface PixelCounts {
  readonly invocations: number
  readonly samplesPassed: number
  /** Pixels written to targets that Direct3D leaves undefined. */
  readonly undefinedWrites: number
}
