import { batchCapacity } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { UndefinedPolicy } from '../../machine/index.ts'
import { allSamples, isSampleCount, type SampleCount } from '../raster/index.ts'
import type { PixelSetup } from '../tiles/index.ts'
import type { Pipeline } from './description.ts'
import { testsEarly } from './early-tests.ts'
import type { DrawResources } from './resources.ts'
import type { TargetShape } from './target-shape.ts'

/** What the pixels of a draw depend on, of its pipeline and its resources. */

/** Render targets. */
const MAX_TARGETS = 8

/** What follows from the pipeline and the targets alone. */
export type TargetPixels = Omit<
  PixelSetup,
  | 'renderTargets'
  | 'depthStencil'
  | 'stencilReference'
  | 'blendFactor'
  | 'undefinedTargets'
  | 'poisons'
  | 'traps'
  | 'hasInstances'
>

interface PixelSetupParts {
  readonly fixed: TargetPixels
  readonly undefinedTargets: readonly number[]
  readonly policy: UndefinedPolicy
  /** There are several instances. */
  readonly isMany: boolean
}

export function pixelSetupOf(r: DrawResources, parts: PixelSetupParts): PixelSetup {
  const { fixed, undefinedTargets, policy, isMany } = parts
  return {
    linkage: fixed.linkage,
    precision: fixed.precision,
    depthStencilState: fixed.depthStencilState,
    blend: fixed.blend,
    targets: fixed.targets,
    sampleCount: fixed.sampleCount,
    sampleMask: fixed.sampleMask,
    forcedOutput: fixed.forcedOutput,
    capacity: fixed.capacity,
    isSampleFrequency: fixed.isSampleFrequency,
    testsEarly: fixed.testsEarly,
    hasDiscard: fixed.hasDiscard,
    alphaSamples: fixed.alphaSamples,
    renderTargets: r.renderTargets,
    depthStencil: r.depthStencil,
    stencilReference: r.stencilReference,
    blendFactor: r.blendFactor,
    undefinedTargets,
    poisons: policy === 'poison',
    traps: policy === 'trap',
    hasInstances: isMany,
  }
}

/** Found once for a pipeline and its targets. */
export function targetPixels(
  p: Pipeline,
  renderTargets: DrawResources['renderTargets'],
  shape: TargetShape,
): TargetPixels {
  const declarations = p.pixel?.loaded.declarations
  const pixelOutputs = declarations?.entries[0]?.outputs ?? []
  const declared = new Set(pixelOutputs.filter((o) => o.file === FILE.output).map((o) => o.register))
  const targets = renderTargets.flatMap((v, i) => (v !== undefined && declared.has(i) && i < MAX_TARGETS ? [i] : []))
  const stage = declarations?.stage
  const writesMask = pixelOutputs.some((o) => o.file === FILE['output-coverage-mask'])
  return {
    linkage: p.linkage,
    precision: p.precision,
    depthStencilState: p.depthStencil,
    blend: p.blend,
    targets,
    sampleCount: sampleCountOf(p, shape),
    ...sampleMasks(p, shape),
    capacity: declarations === undefined ? 0 : batchCapacity(declarations),
    isSampleFrequency: stage?.kind === 'pixel' && stage.sampleFrequency,
    testsEarly: testsEarly(p),
    hasDiscard: declarations?.hasDiscard ?? false,
    alphaSamples: p.blend.alphaToCoverageEnable && !writesMask ? shape.sampleCount : 0,
  }
}

/** Samples of the rasterizer. */
function sampleCountOf({ rasterizer }: Pipeline, shape: TargetShape): SampleCount {
  const count = rasterizer.forcedSampleCount === 0 ? shape.sampleCount : rasterizer.forcedSampleCount
  return isSampleCount(count) ? count : 1
}

/** What the sample mask limits: the rasterizer's samples, with a forced count those of the targets, or nothing. */
function sampleMasks(
  { pixel, sampleMask, rasterizer }: Pipeline,
  { hasTargets, sampleCount }: TargetShape,
): Pick<PixelSetup, 'sampleMask' | 'forcedOutput'> {
  // With nothing but UAVs bound the mask has no effect (3.5.6.4).
  if (!hasTargets && pixel !== undefined && pixel.loaded.declarations.uavs.length > 0) {
    return { sampleMask: -1, forcedOutput: undefined }
  }
  if (rasterizer.forcedSampleCount === 0) return { sampleMask, forcedOutput: undefined }
  return { sampleMask: -1, forcedOutput: sampleMask & allSamples(isSampleCount(sampleCount) ? sampleCount : 1) }
}
