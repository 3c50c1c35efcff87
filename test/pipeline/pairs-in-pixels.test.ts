import { afterEach, expect, it, vi } from 'vitest'
import type { Outcome } from '../../src/diagnostic/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { type BoundPipeline, type Pipeline, PipelineCompiler } from '../../src/engine/wasm/run/pipeline.ts'
import { isPairingProfitable } from '../../src/engine/wasm/run/specialization.ts'
import { createSampler, createSrv, createTexture } from '../../src/machine/index.ts'
import { draw, type Scene } from '../support/draw-text.ts'

// Which pixel shaders are compiled for hosts that pack pairs of vectors, and how; their results are those of the reference engine.

afterEach(() => {
  vi.restoreAllMocks()
})

const SIDE = 16
const FILTER = { filter: 'MIN_MAG_MIP_LINEAR' } as const
const VERTICES = [
  [-1, -1, 0, 1],
  [-1, 3, 0, 1],
  [3, -1, 0, 1],
].map((v) => [...v, ...v])

/** A loop of so many products and sums, and a texture read before it. */
const shader = (count: number, read = ''): string =>
  [
    'ps_5_0',
    ...(read === '' ? [] : ['dcl_sampler s0, mode_default', 'dcl_resource_texture2d (float,float,float,float) t0']),
    'dcl_input_ps linear v1.xyzw',
    'dcl_output o0.xyzw',
    'dcl_temps 2',
    'mov r0.xyzw, v1.xyzw',
    ...(read === '' ? [] : [read]),
    'mov r1.x, l(0)',
    'loop',
    'ige r1.y, r1.x, l(3)',
    'breakc_nz r1.y',
    ...Array.from(
      { length: count },
      (_, n) => `mad r0.xyzw, r0.yzwx, l(0.5, 0.25, 0.75, 0.125), l(${n}.0, 1.0, 2.0, 3.0)`,
    ),
    'iadd r1.x, r1.x, l(1)',
    'endloop',
    'mov o0.xyzw, r0.xyzw',
    'ret',
    '',
  ].join('\n')

function texture(mipLevels: number) {
  const made = createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 8, height: 8, mipLevels })
  const t = valueOrThrow(made)
  for (let n = 0; n < t.storage.words.length; n++) t.storage.words[n] = n * 0x01234567
  return t
}

/** Draws with an engine whose host packs pairs, or not; the code of the last pixel shader, and whether the colors are right. */
function drawn(
  ps: string,
  pairs = true,
  mipLevels = 4,
): { readonly pixel: Pipeline; readonly isRight: boolean; readonly modules: Uint8Array[] } {
  const bindings = {
    pixel: { t0: valueOrThrow(createSrv(texture(mipLevels))), s0: valueOrThrow(createSampler(FILTER)) },
  }
  const scene: Scene = {
    vertices: VERTICES,
    width: SIDE,
    height: SIDE,
    ps,
    resources: ps.includes('t0') ? { bindings } : {},
  }
  const modules: Uint8Array[] = []
  const host = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } }).WebAssembly
  class Watched extends host.Module {
    constructor(bytes: Uint8Array) {
      super(bytes)
      modules.push(bytes)
    }
  }
  vi.spyOn(host, 'Module').mockImplementation(Watched)
  const compiled = vi.spyOn(PipelineCompiler.prototype, 'forBindings')
  const engine = withFallback(createWasmEngineWith({ threads: 1, pairs, baselineMs: 0 }), createReferenceEngine({}))
  const [own, reference] = [draw(scene, engine), draw(scene)]
  const all = compiled.mock.results.flatMap(({ value }) => {
    const { value: bound } = value as Outcome<BoundPipeline>
    return bound === undefined ? [] : [bound.pipeline]
  })
  const pixel = all.findLast(({ lowered }) => lowered.declarations.stage.kind === 'pixel')!
  vi.restoreAllMocks()
  let isRight = true
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      for (const c of [0, 1, 2, 3]) isRight &&= own.word(x, y, c) === reference.word(x, y, c)
    }
  }
  engine.dispose?.()
  return { pixel, isRight, modules }
}

const lanesOf = (ps: string, pairs?: boolean): number => drawn(ps, pairs).pixel.kernel.lanes

it('long code in loops takes two pairs, where it would take two single vectors, and longer code one', () => {
  const long = drawn(shader(200))
  expect(isPairingProfitable(long.pixel.lowered)).toBe(true)
  expect(long.pixel.kernel.lanes).toBe(16)
  expect(long.isRight).toBe(true)
  expect(lanesOf(shader(200), false)).toBe(8)
  const longer = drawn(shader(300))
  expect(longer.pixel.kernel.lanes).toBe(8)
  expect(longer.isRight).toBe(true)
})

const SAMPLE = 'sample r0.xyzw, v1.xyxx, t0.xyzw, s0'

it('code that samples with a computed level of detail is not made for pairs', () => {
  const computed = drawn(shader(160, SAMPLE))
  expect(isPairingProfitable(computed.pixel.lowered)).toBe(false)
  expect(computed.isRight).toBe(true)
  // A texture with one mip has no level of detail to compute.
  expect(isPairingProfitable(drawn(shader(160, SAMPLE), true, 1).pixel.lowered)).toBe(true)
})

it('no code of such hosts loads a word into all lanes at once, which V8 packs wrongly', () => {
  const LOAD_SPLAT = [0xfd, 9, 2]
  const loads = (modules: readonly Uint8Array[]): boolean =>
    modules.some((bytes) => bytes.some((_, n) => LOAD_SPLAT.every((byte, i) => bytes[n + i] === byte)))
  expect(loads(drawn(shader(40, SAMPLE), false).modules)).toBe(true)
  expect(loads(drawn(shader(40, SAMPLE)).modules)).toBe(false)
})
