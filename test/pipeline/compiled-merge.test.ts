/**
 * Stores to render targets in compiled code leave the bytes that the numbers of the output merger leave, which
 * `blend.test.ts` compares with exact arithmetic: every format, random states, samples, overlapping quads and places outside.
 */
import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { ElementKernels } from '../../src/engine/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import type { Format } from '../../src/isa/formats/index.ts'
import { createTexture, type Memory, type RenderTargetView, rtv } from '../../src/machine/index.ts'
import { createColorMerge } from '../../src/pipeline/merge/index.ts'
import { DEFAULT_BLEND, type TargetBlend } from '../../src/pipeline/state.ts'
import { anyValue, randomState } from '../support/exact-blend.ts'
import { wordOf } from '../support/exact-formats.ts'
import { pick, type Random, RENDERABLE, randomFrom } from '../support/random-targets.ts'

const ENGINE = createWasmEngineWith({ threads: 1 })
/** Enough pixels for compiled code, in more calls than one. */
const COUNT = 1100
const STATES = 6
const SIZE = 12

/** Counts what was compiled. */
function counted(kernels: ElementKernels): { readonly kernels: ElementKernels; made: number } {
  const counts = {
    made: 0,
    kernels: {
      quadKernelFor: kernels.quadKernelFor.bind(kernels),
      reaches: kernels.reaches.bind(kernels),
      take: kernels.take.bind(kernels),
      give: kernels.give.bind(kernels),
      kernelFor(...asked: Parameters<ElementKernels['kernelFor']>) {
        const kernel = kernels.kernelFor(...asked)
        if (kernel !== undefined) counts.made++
        return kernel
      },
    },
  }
  return counts
}

function targetIn(memory: Memory | undefined, format: Format, sampleCount: number): RenderTargetView {
  const size = { width: SIZE, height: SIZE, sampleCount }
  const options = { dimension: 'texture2d', format: format.name, ...size } as const
  return valueOrThrow(rtv(valueOrThrow(createTexture({ ...options, memory }))))
}

/** Quads at random places, some beyond the target. */
function randomPixels(random: Random) {
  const below = (n: number): number => Math.floor(random() * n)
  const quads = Array.from({ length: COUNT / 4 }, () => [below(SIZE / 2 + 1) * 2, below(SIZE / 2 + 1) * 2] as const)
  const column = (of: (quad: readonly [number, number]) => number): Int32Array => Int32Array.from(quads, of)
  return {
    count: COUNT / 4,
    x: column(([x]) => x),
    y: column(([, y]) => y),
    slices: column(() => (random() < 0.05 ? 1 : 0)),
    masks: Int32Array.from({ length: COUNT }, () => below(32)),
  }
}

function states(random: Random): TargetBlend[] {
  const blended = Array.from({ length: STATES }, () => randomState(random))
  return [...blended, { ...randomState(random), blendEnable: false }]
}

/** Whole words of float32 or UNORM; bits without a meaning do not matter. */
const isCompiled = ({ components, bitsPerElement }: Format): boolean => {
  const colors = components.filter((c) => c.encoding !== 'typeless')
  const isKnown = colors.every((c) => c.encoding === 'unorm' || (c.encoding === 'float' && c.bitCount === 32))
  return bitsPerElement >= 32 && isKnown
}

describe('stores to render targets in compiled code', () => {
  it.each(RENDERABLE.map((f) => [f.name, f] as const))('leave the same bytes of %s', (_, format) => {
    const random = randomFrom(format.number + 1)
    const counts = counted(ENGINE.elementKernels!)
    const blends = states(random)
    for (const b of blends) {
      const sampleCount = pick(random, [1, 1, 4])
      const views = [ENGINE.memory, undefined].map((memory) => targetIn(memory, format, sampleCount))
      const [ours, theirs] = views as [RenderTargetView, RenderTargetView]
      for (let i = 0; i < theirs.storage.byteLength; i++) theirs.storage.bytes[i] = Math.floor(random() * 256)
      ours.storage.bytes.set(theirs.storage.bytes)
      const words = Int32Array.from({ length: COUNT * 8 }, () => wordOf(anyValue(random)))
      const pixels = randomPixels(random)
      const colors = { words, first: 0, first1: random() < 0.8 ? COUNT * 4 : -1, stride: COUNT }
      const blend = { ...DEFAULT_BLEND, renderTarget: [b] }
      const factor = [anyValue(random), anyValue(random), anyValue(random), anyValue(random)] as const
      createColorMerge([theirs], blend, factor).write(0, pixels, colors)
      createColorMerge([ours], blend, factor, { kernels: counts.kernels }).write(0, pixels, colors)
      const differing = ours.storage.bytes.findIndex((byte, i) => byte !== theirs.storage.bytes[i])
      expect({ differing, b, sampleCount, factor }).toEqual({ differing: -1, b, sampleCount, factor })
    }
    const written = blends.filter((b) => b.renderTargetWriteMask !== 0 && b.blendEnable)
    expect(counts.made).toBe(isCompiled(format) ? written.length : 0)
  })
})
