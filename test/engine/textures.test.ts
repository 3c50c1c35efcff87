import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { gatherDeclarations } from '../../src/engine/gather/declarations.ts'
import { type Engine, matchBindings, runPartsAtOnce, threadsOf } from '../../src/engine/index.ts'
import type { Region } from '../../src/engine/ir/value.ts'
import { translate } from '../../src/engine/lower/translate.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { texelExpander } from '../../src/engine/texture/texel-code.ts'
import { optimize, specialize } from '../../src/engine/transform/optimize.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createSampler, createSrv, createTexture, createUav } from '../../src/machine/index.ts'
import { bindingsOf, runTextureCase, textureCase } from '../support/random-texture.ts'
import { programOf } from '../support/run-text.ts'

/**
 * Texture instructions on the WebAssembly engine: formats x dimensions x filters x address modes x instructions against
 * the reference engine (`scripts/differential-textures.ts` runs more of them), and which of them are code.
 */

const CASES = 240
const FIRST = 1000

describe('random texture instructions', () => {
  const reference = createReferenceEngine({})

  /** Every third seed, where an engine leaves other words than the reference engine. */
  async function differing(width: 1 | 2 | 4, count: number, decoded: boolean): Promise<string[]> {
    const engine = createWasmEngineWith({ width, threads: 1, alwaysDecodes: decoded })
    const found: string[] = []
    for (let n = 0; n < count; n += 3) {
      const seed = FIRST + n + Math.log2(width)
      const c = textureCase(seed, decoded)
      if (c === undefined) continue
      const want = await runTextureCase(reference, c, width === 4)
      const got = await runTextureCase(engine, c, width === 4)
      if (want.some((w, i) => w !== got[i])) found.push(`seed ${seed}: ${c.name}`)
    }
    engine.dispose?.()
    return found
  }

  for (const width of [1, 2, 4] as const) {
    it(`give the reference engine's words, ${width} vectors a word`, async () => {
      expect(await differing(width, CASES, false)).toEqual([])
    })

    it(`filter decoded copies to the same words, ${width} vectors a word`, async () => {
      expect(await differing(width, CASES / 2, true)).toEqual([])
    })
  }
})

function countTexels(region: Region): number {
  return region.items.reduce((n, item) => {
    if (item.kind === 'texel') return n + 1
    if (item.kind === 'if') return n + countTexels(item.taken) + countTexels(item.otherwise)
    return item.kind === 'block' || item.kind === 'loop' ? n + countTexels(item.body) : n
  }, 0)
}

interface Compiled {
  readonly text: string
  readonly count: number
}

/** Texture instructions of a case that are left to the host. */
function hostCalls(seed: number): Compiled | undefined {
  const c = textureCase(seed)
  if (c === undefined) return undefined
  const declarations = valueOrThrow(gatherDeclarations(programOf(c.text)))
  const options = { threads: threadsOf(declarations), keepDenormals: false, fused: false }
  const lowered = runPartsAtOnce(optimize(valueOrThrow(translate(declarations, options))))
  const matched = valueOrThrow(matchBindings(declarations, bindingsOf(c).bound))
  const { uses } = lowered.bindings
  const views = uses.map((u) => (u.register === 't' ? matched.t : matched.u).get(u.key))
  const samplers = uses.map((u) => (u.register === 's' ? matched.s.get(u.key) : undefined))
  const found = runPartsAtOnce(specialize(lowered, { expand: texelExpander({ views, samplers }) }))
  return { text: c.name, count: countTexels(found.root) }
}

it('nothing is left to the host', () => {
  const seen = Array.from({ length: 300 }, (_, n) => hostCalls(5000 + n)).filter((x) => x !== undefined)
  expect(seen.filter((x) => x.count > 0)).toEqual([])
  expect(seen.length).toBeGreaterThan(250)
})

describe('decoded copies of textures', () => {
  const SAMPLES = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 3
dcl_thread_group 16, 8, 1
utof r0.xy, vThreadID.xyxx
mul r0.xy, r0.xyxx, l(0.109375, 0.1875, 0, 0)
sample_l_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.500000)
ishl r2.x, vThreadID.y, l(4)
iadd r2.x, r2.x, vThreadID.x
ishl r2.x, r2.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw
ret
`

  type Words = readonly [first: number, end: number]

  /** What an engine's dispatches leave, one with the texture as it was made and one after each of the words `changed` were written. */
  async function samples(engine: Engine, changed: readonly Words[]): Promise<Uint32Array[]> {
    const own = engine.memory === undefined ? {} : { memory: engine.memory }
    const data = Uint32Array.from({ length: 52 * 24 * 2 }, (_, i) => Math.imul(i + 1, 0x9e3779b1))
    const size = { dimension: 'texture2d', format: 'R8G8B8A8_UNORM_SRGB', width: 52, height: 24, mipLevels: 3 } as const
    const texture = valueOrThrow(createTexture({ ...size, data: data.subarray(0, 52 * 24 + 26 * 12 + 13 * 6), ...own }))
    const out = valueOrThrow(createBuffer({ byteLength: 16 * 8 * 16, ...own }))
    const shader = valueOrThrow(engine.load(programOf(SAMPLES)))
    const t0 = valueOrThrow(createSrv(texture))
    const s0 = valueOrThrow(createSampler({ address: 'WRAP' }))
    const bindings = valueOrThrow(
      matchBindings(shader.declarations, { t0, s0, u0: valueOrThrow(createUav(out, { raw: true })) }),
    )
    const results: Uint32Array[] = []
    for (const [first, end] of [[0, 0], ...changed] as const) {
      for (let n = first; n < end; n++) texture.storage.words[n] = texture.storage.words[n]! ^ 0x00ff80ff
      await engine.dispatch(shader, bindings, [1, 1, 1])
      results.push(out.storage.words.slice())
    }
    return results
  }

  it('are made anew where bytes were written through any array over them', async () => {
    // Texels that samples read: the first, which stands at both ends of its row, the last, a row, and some of the second mip.
    const changed = [
      [0, 1],
      [52 * 24 - 1, 52 * 24],
      [52 * 7, 52 * 8],
      [52 * 24 + 26, 52 * 24 + 26 * 11],
    ] as const
    const want = await samples(createReferenceEngine({}), changed)
    const engine = createWasmEngineWith({ threads: 1, alwaysDecodes: true })
    expect(await samples(engine, changed)).toEqual(want)
    engine.dispose?.()
    for (const [n, words] of want.slice(1).entries()) expect(words, `change ${n}`).not.toEqual(want[n])
  })
})

describe('textures of blocks', () => {
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.xy
dcl_temps 3
dcl_thread_group 8, 8, 1
mov r0.xy, vThreadID.xyxx
mov r0.zw, l(0, 0, 0, 0)
ld_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyzw, t0.xyzw
ishl r2.x, vThreadID.y, l(3)
iadd r2.x, r2.x, vThreadID.x
ishl r2.x, r2.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw
ret
`

  it('are decoded again where their bytes have changed since the last dispatch', async () => {
    const engine = createWasmEngineWith({ threads: 1 })
    const memory = engine.memory!
    const data = Uint32Array.from({ length: 8 }, (_, i) => Math.imul(i + 1, 0x9e3779b1))
    const texture = valueOrThrow(
      createTexture({ dimension: 'texture2d', format: 'BC1_UNORM', width: 8, height: 8, data, memory }),
    )
    const out = valueOrThrow(createBuffer({ byteLength: 8 * 8 * 16, memory }))
    const shader = valueOrThrow(engine.load(programOf(text)))
    const bound = { t0: valueOrThrow(createSrv(texture)), u0: valueOrThrow(createUav(out, { raw: true })) }
    const dispatch = async (): Promise<Uint32Array> => {
      await engine.dispatch(shader, valueOrThrow(matchBindings(shader.declarations, bound)), [1, 1, 1])
      return out.storage.words.slice()
    }
    const before = await dispatch()
    expect(await dispatch()).toEqual(before)
    // The block of texels (4, 4) to (7, 7): all its texels become white.
    texture.storage.words.set([0xffffffff, 0], 6)
    const after = await dispatch()
    const changed = [...after.keys()].filter((i) => after[i] !== before[i]).map((i) => i >> 2)
    expect(changed.length).toBeGreaterThan(0)
    expect(changed.every((t) => (t & 7) >= 4 && t >> 3 >= 4)).toBe(true)
    expect([...after.slice((4 * 8 + 4) * 4, (4 * 8 + 4) * 4 + 4)]).toEqual(Array(4).fill(0x3f800000))
    engine.dispose?.()
  })
})
