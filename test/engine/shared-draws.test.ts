import * as threads from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Diagnostic, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/run/engine.ts'
import { beginDraw, compileThresholds, sharedCounts } from '../../src/pipeline/index.ts'
import { TileThread } from '../../src/pipeline/tiles/tile-thread.ts'
import { amount } from '../support/amount.ts'
import { at, prepare, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'
import { createSharingEngine, type EnginesByThreads, enginesByThreads } from '../support/sharing.ts'
import { workerModule } from '../support/worker-module.ts'

/** Draws on several threads: what they leave is what one thread leaves, in everything that a caller sees. */

const SIZE = 64
const COUNT = amount(30, 80)

/** Triangles over each other: the order of blending shows. */
function triangles(): number[][] {
  let seed = 12345
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  return Array.from({ length: COUNT * 3 }, () => [
    ...at(next(SIZE + 20) - 10, next(SIZE + 20) - 10, SIZE, SIZE, next(100) / 100, 1 + next(4)),
    ...Array.from({ length: 4 }, () => next(100) / 100),
  ])
}

/** Triangles of some pixels, so many that threads find them by code, with a large one among every fifty. */
function smallTriangles(most = 7): number[][] {
  const random = new Random(3)
  return Array.from({ length: 1200 }, (_, i) => {
    const [x, y, size] = [random.below(SIZE), random.below(SIZE), i % 50 === 49 ? SIZE * 3 : most]
    return Array.from({ length: 3 }, () => [
      ...at(x + random.below(size * 16) / 16, y + random.below(size * 16) / 16, SIZE, SIZE, random.below(100) / 100, 1),
      ...Array.from({ length: 4 }, () => random.below(100) / 100),
    ])
  }).flat()
}

const pixel = (...code: string[]): string =>
  `ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_output o0.xyzw\ndcl_temps 3\n${code.join('\n')}\nret\n`

const BLENDED: Scene = {
  width: SIZE,
  height: SIZE,
  depth: 'D32_FLOAT',
  vertices: triangles(),
  ps: pixel('deriv_rtx r0.x, v1.x', 'add o0.xyz, v1.xyzx, r0.xxxx', 'mov o0.w, l(0.5)'),
  state: {
    rasterizer: { cullMode: 'NONE' },
    depthStencil: { depthFunc: 'LESS_EQUAL' },
    blend: { renderTarget: [{ blendEnable: true, srcBlend: 'SRC_ALPHA', destBlend: 'INV_SRC_ALPHA' }] },
  },
}

/** The loop ends for pixels with a color alone. */
const ENDLESS = pixel(
  'mov r0.x, l(0)',
  'loop',
  'iadd r0.x, r0.x, l(1)',
  'lt r0.y, v1.x, l(0.0)',
  'breakc_nz r0.y',
  'endloop',
  'mov o0.xyzw, v1.xyzw',
)

/** What a caller sees of a draw, but for the messages that name the engine's threads. */
function seen(scene: Scene, engine: Engine) {
  const { pipeline, resources, call } = prepare(scene, engine)
  const draw = valueOrThrow(beginDraw(engine, valueOrThrow(pipeline), resources, call, scene.options))
  while (!draw.run(performance.now())) {}
  const views = [...resources.renderTargets, resources.depthStencil].filter((v) => v !== undefined)
  return { result: draw.result(), images: views.map((v) => Array.from(v.storage.words)) }
}

const textOf = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map((d) => [d.code, d.message, ...d.notes].join('\n'))

let engines: EnginesByThreads
beforeAll(async () => {
  engines = await enginesByThreads()
}, 60_000)
afterAll(() => {
  for (const engine of Object.values(engines)) engine.dispose?.()
})

/** The draws that were shared, and the tiles that workers had in them. */
function counted<T>(run: () => T): { readonly value: T; readonly draws: number; readonly tiles: number } {
  const before = { ...sharedCounts }
  const value = run()
  return { value, draws: sharedCounts.draws - before.draws, tiles: sharedCounts.tilesOfWorkers - before.tilesOfWorkers }
}

const CASES: readonly (readonly [string, Scene])[] = [
  ['blended triangles with a depth test', BLENDED],
  ['small triangles', { ...BLENDED, vertices: smallTriangles() }],
  ['small triangles of four samples', { ...BLENDED, vertices: smallTriangles(), sampleCount: 4 }],
  ['instances', { ...BLENDED, call: { vertexCount: 60, instanceCount: 3 } }],
  ['four samples', { ...BLENDED, sampleCount: 4 }],
  ['depth alone', { ...BLENDED, ps: null }],
  ['lines', { ...BLENDED, state: { ...BLENDED.state, topology: 'LINELIST' } }],
  [
    'wireframes with alpha',
    { ...BLENDED, state: { ...BLENDED.state, rasterizer: { fillMode: 'WIREFRAME', antialiasedLineEnable: true } } },
  ],
  ['points', { ...BLENDED, state: { ...BLENDED.state, topology: 'POINTLIST' } }],
]

describe('draws on several threads', () => {
  it.each(CASES)('leave what one thread leaves: %s', (_, scene) => {
    const want = seen(scene, engines[1])
    expect(want.result.samplesPassed).toBeGreaterThan(0)
    for (const n of [2, 3] as const) {
      const { value, draws } = counted(() => seen(scene, engines[n]))
      expect(value).toEqual(want)
      expect(draws).toBe(1)
    }
  })

  it('leave the same where a thread goes on with a tile through several chunks', () => {
    const scene: Scene = { ...BLENDED, vertices: smallTriangles(30), sampleCount: 4 }
    const want = seen(scene, engines[1])
    const sizes = { ...compileThresholds }
    Object.assign(compileThresholds, { firstChunkPixels: 1, chunkPixels: 4096, bandBytes: 1024 })
    const before = sharedCounts.tilesBehind
    for (const n of [2, 3] as const) {
      for (let i = 0; i < 5; i++) expect(seen(scene, engines[n])).toEqual(want)
    }
    Object.assign(compileThresholds, sizes)
    expect(sharedCounts.tilesBehind).toBeGreaterThan(before)
  })

  it('give way to their host behind each tile that the calling thread does while there is no room for more triangles', () => {
    const { pipeline, resources, call } = prepare(BLENDED, engines[2])
    const sizes = { ...compileThresholds }
    // Each triangle has a chunk of its own, so that there is none left soon.
    Object.assign(compileThresholds, { firstChunkPixels: 1, chunkPixels: 1 })
    const tiles = vi.spyOn(TileThread.prototype, 'step')
    const draw = valueOrThrow(beginDraw(engines[2], valueOrThrow(pipeline), resources, call))
    let most = 0
    for (let isEnded = false; !isEnded; ) {
      tiles.mockClear()
      isEnded = draw.run(performance.now())
      most = Math.max(most, tiles.mock.calls.length)
    }
    draw.result()
    vi.restoreAllMocks()
    Object.assign(compileThresholds, sizes)
    expect(most).toBe(1)
  })

  it('have workers take part', () => {
    const { tiles } = counted(() => {
      const before = sharedCounts.tilesOfWorkers
      for (let i = 0; i < 20 && sharedCounts.tilesOfWorkers === before; i++) seen(BLENDED, engines[2])
    })
    expect(tiles).toBeGreaterThan(0)
  })

  it('find what one thread finds, in the same order and with the same first pixel', () => {
    const ps = pixel(
      'ftou r0.xy, v0.xyxx',
      'mov r1.xyzw, l(0,0,0,0)',
      'and r0.z, r0.x, l(7)',
      'mov x0[r0.z + 0].x, v1.x',
      'and r0.z, r0.y, l(3)',
      'mov r1.x, x1[r0.z + 0].x',
      'mov o0.xyzw, r1.xyzw',
    ).replace('dcl_temps 3', 'dcl_temps 3\ndcl_indexableTemp x0[5], 4\ndcl_indexableTemp x1[2], 4')
    const scene = { ...BLENDED, ps }
    const want = seen(scene, engines[1])
    expect(want.result.diagnostics.length).toBeGreaterThan(1)
    for (const n of [2, 3] as const) {
      const { value, draws } = counted(() => seen(scene, engines[n]))
      expect(textOf(value.result.diagnostics)).toEqual(textOf(want.result.diagnostics))
      expect(value).toEqual(want)
      expect(draws).toBe(1)
    }
  })

  it('name the first pixel of a load that goes wrong in two ways, which code looks for one after the other', () => {
    // Nothing is bound: even columns are outside the view, odd ones outside the structure, and both are one finding.
    const ps = pixel(
      'ftou r0.xy, v0.xyxx',
      'and r0.x, r0.x, l(1)',
      'ishl r0.x, r0.x, l(5)',
      'ld_structured r1.xyzw, r0.y, r0.x, t0.xyzw',
      'mov o0.xyzw, r1.xyzw',
    ).replace('ps_5_0', 'ps_5_0\ndcl_resource_structured t0, 16')
    const scene = { ...BLENDED, ps }
    const want = textOf(seen(scene, createReferenceEngine({})).result.diagnostics)
    expect(want.filter((t) => t.includes('first by pixel'))).toHaveLength(1)
    for (const n of [1, 2, 3] as const) {
      const { value, draws } = counted(() => seen(scene, engines[n]))
      expect(textOf(value.result.diagnostics)).toEqual(want)
      expect(draws).toBe(n === 1 ? 0 : 1)
    }
  })

  it('stop at the budget of instructions as on one thread', () => {
    const scene: Scene = { ...BLENDED, ps: ENDLESS, options: { maxInstructionsPerThread: 1000 } }
    const want = seen(scene, engines[1]).result
    const { value, draws } = counted(() => seen(scene, engines[2]).result)
    expect(draws).toBe(1)
    expect(want.stopped).toBe('budget')
    expect(value.stopped).toBe('budget')
    expect(textOf(value.diagnostics)).toEqual(textOf(want.diagnostics))
    expect(seen(BLENDED, engines[2])).toEqual(seen(BLENDED, engines[1]))
  })

  it.each(['canceled', 'time'] as const)('end where they are when they are stopped: %s', (why) => {
    const engine = engines[2]
    const { pipeline, resources, call } = prepare({ ...BLENDED, ps: ENDLESS }, engine)
    // As many instructions as code can count: on a fast machine it would run the default of them up in the time there is.
    const maxInstructionsPerThread = why === 'time' ? 2 ** 31 - 1 : 100_000
    const options = { maxInstructionsPerThread, ...(why === 'time' ? { maxMilliseconds: 30 } : {}) }
    const draw = valueOrThrow(beginDraw(engine, valueOrThrow(pipeline), resources, call, options))
    if (why === 'time') while (!draw.run(performance.now() + 10)) {}
    else {
      draw.run(performance.now())
      draw.stop('canceled')
    }
    expect(draw.result().stopped).toBe(why)
    expect(seen(BLENDED, engine)).toEqual(seen(BLENDED, engines[1]))
  })

  it('are those of which enough is left for others to gain', async () => {
    const options = { threads: 2, startNow: true, workerModule: await workerModule() }
    const engine = createWasmEngineWith(options)
    const screens = (count: number): number[][] =>
      Array.from({ length: count }, () => [
        [-1, 3, 0.5, 1, 0.1, 0.2, 0.3, 0.4],
        [3, -1, 0.5, 1, 0.1, 0.2, 0.3, 0.4],
        [-1, -1, 0.5, 1, 0.1, 0.2, 0.3, 0.4],
      ]).flat()
    const loops = pixel(
      'mov r0.x, l(0)',
      'loop',
      'iadd r0.x, r0.x, l(1)',
      'ige r0.y, r0.x, l(9)',
      'breakc_nz r0.y',
    ).replace('\nret', `\nendloop\nmov o0.xyzw, v1.xyzw\nret`)
    const sharedOf = (scene: Partial<Scene>): number =>
      counted(() => expect(seen({ ...BLENDED, ...scene }, engine)).toEqual(seen({ ...BLENDED, ...scene }, engines[1])))
        .draws
    // 0.02, 0.2 and 1.3 ms of one thread.
    expect(sharedOf({ vertices: screens(1) })).toBe(0)
    expect(sharedOf({ vertices: smallTriangles().slice(0, 900) })).toBe(0)
    expect(sharedOf({ vertices: screens(64) })).toBe(0)
    // As many pixels with loops, and ten times as many.
    expect(sharedOf({ vertices: screens(64), ps: loops })).toBe(1)
    expect(sharedOf({ vertices: screens(640) })).toBe(1)
    // Large ones behind small ones.
    expect(sharedOf({ vertices: [...smallTriangles().slice(0, 900), ...screens(640)] })).toBe(1)
    engine.dispose?.()
  })

  it('whose order shows run on one thread', () => {
    const ps = `ps_5_0\ndcl_uav_raw u1\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nimm_atomic_iadd r0.x, u1, l(0), l(1)\nutof o0.xyzw, r0.xxxx\nret\n`
    expect(counted(() => seen({ ...BLENDED, ps }, engines[2])).draws).toBe(0)
    const trapped = { ...BLENDED, options: { undefinedPolicy: 'trap' as const } }
    expect(counted(() => seen(trapped, engines[2])).draws).toBe(0)
  })
})

describe('workers that fail at their part of a draw', () => {
  const real = process.getBuiltinModule
  afterEach(() => {
    process.getBuiltinModule = real
  })

  function sabotaged(fault: string, module: string): Engine {
    class Worker extends threads.Worker {
      constructor(source: string, options: threads.WorkerOptions) {
        const call = 'const given = shared.work('
        if (!source.includes(call)) throw new Error('the source of workers has changed')
        super(source.replace(call, `${fault}; ${call}`), options)
      }
    }
    process.getBuiltinModule = ((name: string) =>
      name === 'node:worker_threads' ? { ...threads, Worker } : real.call(process, name)) as typeof real
    return createSharingEngine({ threads: 2, workerModule: module })
  }

  it('are done without, where they had no tile yet; the next draw too', async () => {
    const engine = sabotaged("throw new Error('broken')", await workerModule())
    const want = seen(BLENDED, engines[1])
    for (let i = 0; i < 2; i++) expect(seen(BLENDED, engine)).toEqual(want)
    engine.dispose?.()
  })

  it('and a module that cannot be loaded leaves draws to one thread', () => {
    const engine = createSharingEngine({ threads: 2, workerModule: 'data:text/javascript,throw 1' })
    const { value, draws } = counted(() => seen(BLENDED, engine))
    expect(draws).toBe(0)
    expect(value).toEqual(seen(BLENDED, engines[1]))
    engine.dispose?.()
  })
})
