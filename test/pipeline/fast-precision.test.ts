/**
 * Draws with the precision `fast` against `exact` ones: coverage, depth, stencil and counts are equal, and attributes and colors within the
 * bounds that docs/drawing.md states.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { type FrameReport, parseDescriptionText, runFrameOn } from '../../src/job/index.ts'
import { everyNth } from '../support/amount.ts'
import { compareFastScene, differing, drawWith, randomFastScene } from '../support/fast-scenes.ts'
import { Random } from '../support/random/random.ts'

const compiled = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))

describe('attributes and colors of fast draws', () => {
  it.each(everyNth([1, 2, 3, 4], 4))('are near the exact ones, and everything else is the same, %i', (seed) => {
    const random = new Random(seed)
    let [different, pixels] = [0, 0]
    for (let i = 0; i < 8; i++) {
      const scene = randomFastScene(random)
      const compared = compareFastScene(scene, compiled)
      expect(compared.text).toBeUndefined()
      different += compared.different
      pixels += compared.pixels
      // Small draws compute with numbers what code computes for large ones.
      const drawn = [compiled, createReferenceEngine({})].map((engine) => drawWith(scene, 'fast', engine))
      const [code, numbers] = drawn.map((d) => d.targets.map((t) => [...t!.storage.words]))
      expect(code).toEqual(numbers)
    }
    expect(pixels).toBeGreaterThan(8 * 1000)
    // Otherwise nothing was fast.
    expect(different).toBeGreaterThan(pixels / 10)
  })
})

const FOLDER = fileURLToPath(new URL('../draws/', import.meta.url))

async function runScene(scene: string, precision: 'exact' | 'fast'): Promise<FrameReport> {
  const folder = join(FOLDER, scene)
  const { value, diagnostics } = parseDescriptionText(readFileSync(join(folder, 'small.json'), 'utf8'))
  if (value?.kind !== 'frame') throw new Error(diagnostics.map((d) => d.message).join('\n'))
  const pipelines = value.frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  return runFrameOn({ ...value.frame, pipelines }, createHost({ folder }), compiled)
}

describe('fast scenes', () => {
  // foliage discards by what it samples.
  const scenes = ['billboards', 'blend', 'deferred', 'foliage', 'grid', 'msaa', 'raymarch', 'shadow', 'tess', 'texture']
  it.each(everyNth(scenes, 5))(
    '%s has the counts, the depth and nearly the colors of the exact one',
    { timeout: 60_000 },
    async (name) => {
      const [exact, fast] = [await runScene(name, 'exact'), await runScene(name, 'fast')]
      expect(fast.diagnostics).toEqual([])
      const counts = ({ run }: FrameReport) => run!.commands.map((c) => [c.draw?.statistics, c.draw?.samplesPassed])
      expect(counts(fast)).toEqual(counts(exact))
      // What the specification says of the scene holds within the tolerance that it states.
      expect(fast.run!.checks.filter((c) => !c.passed)).toEqual([])
      for (const [name, { resource }] of exact.run!.prepared.resources) {
        const other = fast.run!.prepared.resources.get(name)!.resource
        const format = 'format' in resource ? resource.format : undefined
        if (format?.name.startsWith('D')) expect(differing(other.storage.words, resource.storage.words)).toBe(-1)
      }
    },
  )
})
