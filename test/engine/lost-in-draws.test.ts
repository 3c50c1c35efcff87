import * as threads from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, nextTask } from '../../src/engine/index.ts'
import { createBuffer, createRtv, createTexture } from '../../src/machine/index.ts'
import { beginDraw, clearRenderTarget, drawParts, type StreamBuffer } from '../../src/pipeline/index.ts'
import { at, prepare, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'
import { createSharingEngine } from '../support/sharing.ts'
import { workerModule } from '../support/worker-module.ts'

/** Workers that are lost in the middle of each kind of part: the draw ends with an error, and the engine draws on. */

const SIZE = 64
const elements = drawParts.elements
const real = process.getBuiltinModule
afterEach(() => {
  drawParts.elements = elements
  process.getBuiltinModule = real
})

/** Statements of a worker's code in which a kind of part runs. */
const PLACES = {
  'a part of vertices': /yield\* this\.#runner\.run\(this\.#order\.part\)/,
  'a tile': /const chunk\d* = this\.#wordsOf\(this\.#tileChunk\)/,
  'a band': /const next\d* = this\.#raster\.addByCode/,
  'a part of stream output': /this\.#inner\.write\(stream\d*, vertices/,
  'rows of a surface': /run\d*\(from, Math\.min\(rowCount, from/,
} as const
type Place = keyof typeof PLACES

/** How a worker is lost. */
const FAULTS = {
  throws: 'throw new Error("broken")',
  ends: 'process.exit(3)',
  'runs out of memory': 'const all = []; for (;;) all.push(new Array(100000).fill({}))',
} as const
type Fault = keyof typeof FAULTS

/** Workers have little memory, so that it soon runs out. */
function limitMemory(): void {
  class Worker extends threads.Worker {
    constructor(source: string, options: threads.WorkerOptions) {
      super(source, { ...options, resourceLimits: { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 } })
    }
  }
  process.getBuiltinModule = ((name: string) =>
    name === 'node:worker_threads' ? { ...threads, Worker } : real.call(process, name)) as typeof real
}

/** An engine of which the first worker is lost when it comes to such a part. */
async function engineWith(place: Place, fault: Fault, count: number): Promise<Engine> {
  const isFirst = 'process.getBuiltinModule("node:worker_threads").workerData.index === 0'
  const text = await workerModule((source) => {
    const changed = source.replace(PLACES[place], (call) => `if (${isFirst}) { ${FAULTS[fault]} } ${call}`)
    if (changed === source) throw new Error('the code of workers has changed')
    return changed
  })
  limitMemory()
  return createSharingEngine({ threads: count, workerModule: text })
}

function triangles(count: number): number[][] {
  const random = new Random(7)
  return Array.from({ length: count }, () => {
    const [x, y] = [random.below(SIZE), random.below(SIZE)]
    return Array.from({ length: 3 }, () => [
      ...at(x + random.below(160) / 16, y + random.below(160) / 16, SIZE, SIZE, random.below(100) / 100, 1),
      ...Array.from({ length: 4 }, () => random.below(100) / 100),
    ])
  }).flat()
}

const SCENE: Scene = {
  width: SIZE,
  height: SIZE,
  depth: 'D32_FLOAT',
  vertices: triangles(400),
  ps: 'ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n',
  state: {
    rasterizer: { cullMode: 'NONE' },
    blend: { renderTarget: [{ blendEnable: true, srcBlend: 'SRC_ALPHA', destBlend: 'INV_SRC_ALPHA' }] },
  },
}
/** Targets that are large for as many triangles: these are listed by tiles. */
const LARGE: Scene = { ...SCENE, width: SIZE * 2, height: SIZE * 2 }
const STREAMED: Scene = {
  ...SCENE,
  ps: null,
  targets: [],
  state: {
    streamOutput: {
      declaration: [
        { stream: 0, semanticName: 'R', semanticIndex: 1, startComponent: 0, componentCount: 4, outputSlot: 0 },
      ],
      rasterizedStream: null,
    },
  },
}

/** Draws with turns for the host, which says that a worker has ended; whether it ended in time. */
async function drawn(scene: Scene, engine: Engine) {
  const data = new Uint32Array(8192)
  const made = valueOrThrow(createBuffer({ data, ...(engine.memory && { memory: engine.memory }) }))
  const stream: StreamBuffer = { storage: made.storage, byteLength: made.byteLength, filled: 0 }
  const prepared = prepare({ ...scene, resources: { ...scene.resources, streamOutputBuffers: [stream] } }, engine)
  const draw = valueOrThrow(beginDraw(engine, valueOrThrow(prepared.pipeline), prepared.resources, prepared.call))
  const end = performance.now() + 15_000
  while (!draw.run(performance.now() + 1)) {
    if (performance.now() > end) throw new Error('the draw does not end')
    await nextTask()
  }
  const { engine: _, ...result } = draw.result()
  const views = [...prepared.resources.renderTargets, prepared.resources.depthStencil].filter((v) => v !== undefined)
  const words = [...views.map((v) => Array.from(v.storage.words)), Array.from(made.storage.words)]
  return { result, words }
}

const DRAWS: readonly (readonly [Place, Scene])[] = [
  ['a part of vertices', SCENE],
  ['a tile', LARGE],
  ['a band', SCENE],
  ['a band', { ...SCENE, ps: null, targets: [] }],
  ['a part of stream output', STREAMED],
]
const WAYS: readonly (readonly [Fault, number])[] = [
  ['throws', 2],
  ['throws', 3],
  ['ends', 3],
  ['runs out of memory', 2],
]

describe.each(DRAWS)('a worker lost in %s', (place, scene) => {
  it.each(WAYS)('that %s ends the draw, of %i threads, and the next draws are whole', async (fault, count) => {
    drawParts.elements = 48
    const alone = createSharingEngine({ threads: 1 })
    const want = await drawn(scene, alone)
    const engine = await engineWith(place, fault, count)
    let isLost = false
    // A worker that comes late has no part in a draw.
    for (let n = 0; n < 60 && !isLost; n++) {
      const { result, words } = await drawn(scene, engine)
      isLost = result.stopped !== undefined
      if (!isLost) {
        expect({ result, words }).toEqual(want)
        continue
      }
      expect(result.stopped).toBe('lost')
      expect(result.diagnostics.filter((d) => d.severity === 'error').map((d) => d.code)).toEqual(['engine-worker'])
    }
    expect(isLost).toBe(true)
    expect(engine.sharedWork!.readyCount).toBe(count - 2)
    for (let n = 0; n < 2; n++) expect(await drawn(scene, engine)).toEqual(want)
    engine.dispose?.()
    alone.dispose?.()
  })
})

describe('a worker lost in rows of a surface', () => {
  it.each(WAYS)('that %s leaves them to the other threads, of %i', async (fault, count) => {
    const engine = await engineWith('rows of a surface', fault, count)
    const size = { width: 256, height: 1024 }
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', ...size, memory: engine.memory! }),
    )
    const view = valueOrThrow(createRtv(texture))
    for (let n = 0; n < 200 && engine.sharedWork!.readyCount > count - 2; n++) {
      texture.storage.words.fill(0)
      const start = performance.now()
      expect(clearRenderTarget(view, [1, 0, 1, 1], engine)).toEqual([])
      expect(texture.storage.words.every((w) => w === 0xffff00ff)).toBe(true)
      // Much less than the time after which one that is silent is given up.
      expect(performance.now() - start).toBeLessThan(10_000)
    }
    expect(engine.sharedWork!.readyCount).toBe(count - 2)
    expect((await drawn(SCENE, engine)).result.stopped).toBeUndefined()
    engine.dispose?.()
  })
})
