import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { runPartsAtOnce, type SharedWork } from '../../engine/index.ts'
import type { Srv, ViewLevel } from '../../machine/index.ts'
import type { MipLevel } from './mip-rows.ts'
import { rowParts } from './shared-rows.ts'

/**
 * GenerateMips: each mip of a view from the one before it. Direct3D leaves the filter open; here every texel is the mean of
 * the area that it covers, so that each source texel counts the same, odd extents too.
 */

/** Texels that one thread makes in a millisecond, about. */
const TEXELS_OF_A_MILLISECOND = 5000

/** Fills the mips of a view behind its first; answers what was wrong. Threads of `work` take part in large ones. */
export const generateMips = (view: Srv, work?: SharedWork): Diagnostic[] => runPartsAtOnce(mipParts(view, work))

/** As `generateMips`, part by part: of a large texture all of them take a minute. */
export function* mipParts(view: Srv, work?: SharedWork): Generator<void, Diagnostic[]> {
  if (view.shape !== 'texture' || view.sampleCount > 1) {
    const what = view.shape === 'texture' ? 'a multisample texture' : 'a buffer'
    return [diagnostic('pipeline-mips', `Mips were requested of ${what}; it has none.`)]
  }
  if (view.format.capabilities.generateMips === 'none') {
    return [diagnostic('pipeline-mips', `Mips of ${view.format.name} cannot be generated.`)]
  }
  const { format, levels, arraySize, arrayPitch, storage } = view
  for (let slice = 0; slice < arraySize; slice++) {
    const levelOf = ({ byteOffset, rowPitch, slicePitch, width, height, depth }: ViewLevel): MipLevel => {
      return { byteOffset: byteOffset + slice * arrayPitch, rowPitch, slicePitch, width, height, depth }
    }
    for (let i = 1; i < levels.length; i++) {
      const to = levelOf(levels[i]!)
      const milliseconds = (to.width * to.height * to.depth) / TEXELS_OF_A_MILLISECOND
      const task = { kind: 'mip', format: format.name, from: levelOf(levels[i - 1]!), to } as const
      yield* rowParts(task, [storage], to.height * to.depth, milliseconds, { sharedWork: work })
    }
  }
  return []
}
