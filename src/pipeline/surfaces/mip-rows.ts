import { findFormat } from '../../isa/formats/index.ts'
import type { Storage, ViewLevel } from '../../machine/index.ts'
import { createMean, type Mean } from './mean.ts'
import type { RowRunner } from './row-runner.ts'

/** Rows of a mip, each texel of which is the mean of the area of the mip before it that it covers. Rows of all depths are counted one after the other. */

export interface MipTask {
  readonly kind: 'mip'
  readonly format: string
  readonly from: MipLevel
  readonly to: MipLevel
}

/** A level of one array slice. */
export type MipLevel = Pick<ViewLevel, 'byteOffset' | 'rowPitch' | 'slicePitch' | 'width' | 'height' | 'depth'>

/** Source texels that one texel covers along an axis, with whole-number weights of one sum for all texels. */
interface Cover {
  readonly first: number
  readonly weights: readonly number[]
}

/** In units of 1 / (size * sourceSize) of the axis, texel i of the source reaches from i * size to (i + 1) * size. */
function coversOf(size: number, sourceSize: number): { readonly covers: Cover[]; readonly total: number } {
  const unit = sourceSize % size === 0 ? size : 1
  const covers = Array.from({ length: size }, (_, i): Cover => {
    const [from, to] = [i * sourceSize, (i + 1) * sourceSize]
    const first = Math.floor(from / size)
    const weights: number[] = []
    for (let t = first; t * size < to; t++) {
      weights.push((Math.min(to, (t + 1) * size) - Math.max(from, t * size)) / unit)
    }
    return { first, weights }
  })
  return { covers, total: sourceSize / unit }
}

function addBox(mean: Mean, at: number, level: MipLevel, bytes: number, x: Cover, y: Cover, z: Cover): void {
  for (const [k, wz] of z.weights.entries()) {
    for (const [j, wy] of y.weights.entries()) {
      const row = at + (z.first + k) * level.slicePitch + (y.first + j) * level.rowPitch + x.first * bytes
      for (const [i, wx] of x.weights.entries()) mean.add(row + i * bytes, wx * wy * wz)
    }
  }
}

export function mipRows({ format, from, to }: MipTask, storage: Storage): RowRunner {
  const formatOfView = findFormat(format)!
  const mean = createMean(formatOfView, storage, storage)
  const bytes = formatOfView.blockByteLength
  const x = coversOf(to.width, from.width)
  const y = coversOf(to.height, from.height)
  const z = coversOf(to.depth, from.depth)
  const total = x.total * y.total * z.total
  return (first, end) => {
    for (let row = first; row < end; row++) {
      const j = row % to.height
      const k = (row - j) / to.height
      const [cy, cz] = [y.covers[j]!, z.covers[k]!]
      const at = to.byteOffset + k * to.slicePitch + j * to.rowPitch
      for (const [i, cx] of x.covers.entries()) {
        addBox(mean, from.byteOffset, from, bytes, cx, cy, cz)
        mean.store(at + i * bytes, total)
      }
    }
  }
}
