import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { parseDescriptionText, prepareFrame } from '../../src/job/index.ts'

// A program takes up to 30 ms to compile in a new process: a draw yields to its host between those that it needs.

const FOLDER = fileURLToPath(new URL('../draws/', import.meta.url))
const SCENES = readdirSync(FOLDER, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))
/** Programs that move vertices are made together: they are short. */
const MOST = 2

afterEach(() => {
  vi.restoreAllMocks()
})

it.each(SCENES)('%s compiles few programs between two tasks of the host', async (scene) => {
  const folder = join(FOLDER, scene)
  const { value } = parseDescriptionText(readFileSync(join(folder, 'small.json'), 'utf8'))
  if (value?.kind !== 'frame') throw new Error('no frame')
  const engine = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))
  const prepared = prepareFrame(value.frame, createHost({ folder }), engine).value!
  const kernels = engine.elementKernels!
  const counts: number[] = []
  let before = kernels.programCount
  const look = (): void => {
    counts.push(kernels.programCount - before)
    before = kernels.programCount
  }
  const { setImmediate: later } = globalThis
  vi.spyOn(globalThis, 'setImmediate').mockImplementation(((call: () => void) => {
    look()
    return later(call)
  }) as typeof setImmediate)
  // In the second frame there is code for what was seen to be much in the first.
  for (let frame = 0; frame < 2; frame++) {
    for (const { run } of prepared.commands) {
      await run({})
      look()
    }
  }
  expect(counts.reduce((a, b) => a + b)).toBeGreaterThan(0)
  expect(Math.max(...counts)).toBeLessThanOrEqual(MOST)
  engine.dispose?.()
})
