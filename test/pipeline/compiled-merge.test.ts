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
import { type ColorMerge, createColorMerge, type MergedColors } from '../../src/pipeline/merge/index.ts'
import { ColorStores } from '../../src/pipeline/pixels/color-stores.ts'
import { acquireQuadMemory, releaseQuadMemory } from '../../src/pipeline/pixels/quads.ts'
import { DEFAULT_BLEND, type TargetBlend } from '../../src/pipeline/state.ts'
import { anyValue, randomState } from '../support/exact-blend.ts'
import { wordOf } from '../support/exact-formats.ts'
import { pick, type Random, RENDERABLE, randomFrom } from '../support/random-targets.ts'

const ENGINE = createWasmEngineWith({ threads: 1 })
/** Enough pixels for compiled code: a whole batch. */
const COUNT = 1024
const STATES = 6
const SIZE = 12

/** Counts what was compiled. */
function counted(kernels: ElementKernels): { readonly kernels: ElementKernels; made: number } {
  const counts = {
    made: 0,
    kernels: {
      get programCount() {
        return kernels.programCount
      },
      reaches: kernels.reaches.bind(kernels),
      copy: kernels.copy.bind(kernels),
      allocate: kernels.allocate.bind(kernels),
      release: kernels.release.bind(kernels),
      has: kernels.has.bind(kernels),
      compileInParts: kernels.compileInParts.bind(kernels),
      quadKernelFor(...args: Parameters<ElementKernels['quadKernelFor']>) {
        const kernel = kernels.quadKernelFor(...args)
        if (kernel !== undefined) counts.made++
        return kernel
      },
    },
  }
  return counts
}

/** Writes quads as the pixel stage does, with all that code needs in the memory of the engine. */
function writeCompiled(
  kernels: ElementKernels,
  merge: ColorMerge,
  quads: ReturnType<typeof randomPixels>,
  colors: MergedColors,
): void {
  const memory = acquireQuadMemory(kernels)
  const { shaded } = memory
  shaded.count = quads.count
  shaded.x.set(quads.x)
  shaded.y.set(quads.y)
  shaded.slices.set(quads.slices)
  shaded.written.set(quads.masks)
  const byteLength = colors.words.byteLength
  const range = kernels.allocate(byteLength)!
  const words = new Int32Array(range.buffer, range.byteOffset, colors.words.length)
  words.set(colors.words)
  new ColorStores(memory, merge).write(0, { ...colors, words })
  kernels.release(range, byteLength)
  releaseQuadMemory(memory)
}

function targetIn(memory: Memory | undefined, format: Format, sampleCount: number): RenderTargetView {
  const size = { width: SIZE, height: SIZE, sampleCount }
  const options = { dimension: 'texture2d', format: format.name, ...size } as const
  return valueOrThrow(rtv(valueOrThrow(createTexture({ ...options, memory }))))
}

/** Quads at random places. Of those that lie beyond the target nothing is covered. */
function randomPixels(random: Random) {
  const below = (n: number): number => Math.floor(random() * n)
  const quads = Array.from({ length: COUNT / 4 }, () => [below(SIZE / 2 + 1) * 2, below(SIZE / 2 + 1) * 2] as const)
  const isInside = (i: number): boolean => Math.max(...quads[i >> 2]!) < SIZE
  return {
    count: COUNT / 4,
    x: Int32Array.from(quads, ([x]) => x),
    y: Int32Array.from(quads, ([, y]) => y),
    slices: new Int32Array(COUNT / 4),
    masks: Int32Array.from({ length: COUNT }, (_, i) => (isInside(i) ? below(32) : 0)),
  }
}

function states(random: Random): TargetBlend[] {
  const blended = Array.from({ length: STATES }, () => randomState(random))
  return [...blended, { ...randomState(random), blendEnable: false }]
}

/** Sizes of colors for which most quads have one way to be stored: from denormals to beyond what a float of 16 bits holds. */
const SIZES = [0, 1e-40, 1e-8, 5e-5, 0.001, 0.5, 3, 60000]

/** Colors of which nearly all are finite and have no sign, and what is stored before them. */
const positiveWord = (random: Random): number =>
  wordOf(random() < 0.99 ? Math.fround(pick(random, SIZES) * (0.1 + random())) : anyValue(random))
const positiveByte = (random: Random, i: number): number =>
  Math.floor(
    (i & 1) === 0 ? random() * 256 : random() < 0.99 ? random() * 0x7c : 0x7c + random() * pick(random, [4, 132]),
  )

/** Whole words of floats and normalized components, and of integers, which do not blend; bits without a meaning do not matter. */
const isCompiled = ({ components, bitsPerElement }: Format): boolean =>
  bitsPerElement >= 32 && components.every((c) => c.encoding !== 'xr-bias' && c.encoding !== 'sharedexp')

describe('stores to render targets in compiled code', () => {
  it.each(RENDERABLE.map((f) => [f.name, f] as const))('leave the same bytes of %s', (_, format) => {
    const random = randomFrom(format.number + 1)
    const counts = counted(ENGINE.elementKernels!)
    const blends = states(random)
    for (const b of blends) {
      const sampleCount = pick(random, [1, 1, 4])
      const views = [ENGINE.memory, undefined].map((memory) => targetIn(memory, format, sampleCount))
      const [ours, theirs] = views as [RenderTargetView, RenderTargetView]
      const isPositive = random() < 0.5
      for (let i = 0; i < theirs.storage.byteLength; i++) {
        theirs.storage.bytes[i] = isPositive ? positiveByte(random, i) : Math.floor(random() * 256)
      }
      ours.storage.bytes.set(theirs.storage.bytes)
      const word = (): number => (isPositive ? positiveWord(random) : wordOf(anyValue(random)))
      const words = Int32Array.from({ length: COUNT * 8 }, word)
      const pixels = randomPixels(random)
      const colors = { words, first: 0, first1: random() < 0.8 ? COUNT * 4 : -1, stride: COUNT }
      const blend = { ...DEFAULT_BLEND, renderTarget: [b] }
      const factor = [anyValue(random), anyValue(random), anyValue(random), anyValue(random)] as const
      const options = { precision: random() < 0.5 ? 'exact' : 'fast' } as const
      createColorMerge([theirs], blend, factor, options).write(0, pixels, colors)
      writeCompiled(counts.kernels, createColorMerge([ours], blend, factor, options), pixels, colors)
      const differing = ours.storage.bytes.findIndex((byte, i) => byte !== theirs.storage.bytes[i])
      const about = { b, sampleCount, factor, options }
      expect({ differing, ...about }).toEqual({ differing: -1, ...about })
    }
    const written = blends.filter((b) => b.renderTargetWriteMask !== 0)
    expect(counts.made).toBe(isCompiled(format) ? written.length : 0)
  })
})
