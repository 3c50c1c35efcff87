import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { formatNamed } from '../../src/isa/formats/index.ts'
import {
  type Bindings,
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type Texture,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { programOf } from '../support/run-text.ts'

/**
 * What is read where there is no texel (functional specification 5.8.5, 22.4.6 to 22.4.8): 0 in the components that the
 * format has, and in those that it lacks the default of 19.1.3.3, a 1 of the format's type in alpha. For every family of
 * formats, every way out, both engines.
 */

const ONE = 0x3f800000
/** Formats, and what alpha is worth out of bounds: by the letters of the name, not by the code under test. */
const ALPHA = {
  R32G32B32A32_FLOAT: 0,
  R16G16B16A16_SNORM: 0,
  R8G8B8A8_UNORM: 0,
  R8G8B8A8_UNORM_SRGB: 0,
  B8G8R8A8_UNORM: 0,
  R10G10B10A2_UINT: 0,
  A8_UNORM: 0,
  B5G5R5A1_UNORM: 0,
  BC1_UNORM: 0,
  BC2_UNORM: 0,
  BC3_UNORM: 0,
  BC7_UNORM: 0,
  R32G32B32_FLOAT: ONE,
  R32G32B32_UINT: 1,
  R32G32_SINT: 1,
  R32_FLOAT: ONE,
  R32_UINT: 1,
  R16G16_FLOAT: ONE,
  R16_SINT: 1,
  R16_UNORM: ONE,
  R8G8_UINT: 1,
  R8_SNORM: ONE,
  B8G8R8X8_UNORM: ONE,
  B5G6R5_UNORM: ONE,
  R11G11B10_FLOAT: ONE,
  R9G9B9E5_SHAREDEXP: ONE,
  R24_UNORM_X8_TYPELESS: ONE,
  X24_TYPELESS_G8_UINT: 1,
  R8G8_B8G8_UNORM: ONE,
  BC4_UNORM: ONE,
  BC5_SNORM: ONE,
  BC6H_UF16: ONE,
} as const
type Name = keyof typeof ALPHA
const NAMES = Object.keys(ALPHA) as Name[]

/** Depth formats are read through views of their color form. */
const STORED: Readonly<Record<string, string>> = {
  R24_UNORM_X8_TYPELESS: 'R24G8_TYPELESS',
  X24_TYPELESS_G8_UINT: 'R24G8_TYPELESS',
}

const ENGINES: readonly Engine[] = [
  createReferenceEngine({}),
  ...([1, 2, 4] as const).map((width) => createWasmEngineWith({ width, threads: 1 })),
]

/** Four words that `code` leaves in r0, on every engine. */
async function wordsOf(declaration: string, code: string, bind: () => Bindings): Promise<number[][]> {
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
${declaration}
dcl_uav_raw u7
dcl_temps 1
dcl_thread_group 1, 1, 1
${code}
store_raw u7.xyzw, l(0), r0.xyzw
ret
`
  const found: number[][] = []
  for (const engine of ENGINES) {
    const shader = valueOrThrow(engine.load(programOf(text)))
    const out = valueOrThrow(createBuffer({ byteLength: 16, data: new Uint32Array(4).fill(7) }))
    const bindings = { ...bind(), u7: valueOrThrow(createUav(out, { raw: true })) }
    await engine.dispatch(shader, valueOrThrow(matchBindings(shader.declarations, bindings)), [1, 1, 1])
    found.push([...out.storage.words])
  }
  return found
}

const onEvery = (words: readonly number[]): number[][] => ENGINES.map(() => [...words])
const typeOf = (name: Name): string => Array(4).fill(formatNamed(name).result).join(',')

/** A texture of which no byte is 0. */
function textureOf(name: Name, options: Partial<TextureOptions> = {}): Texture {
  const format = STORED[name] ?? name
  const made = valueOrThrow(createTexture({ dimension: 'texture2d', format, width: 8, height: 4, ...options }))
  made.storage.bytes.fill(0x35)
  return made
}

const outsideOf = (name: Name): number[] => [0, 0, 0, ALPHA[name]]
const viewOf = (name: Name): { readonly format?: Name } => (STORED[name] === undefined ? {} : { format: name })
const able = (capability: 'multisampleLoad' | 'typedUavLoad' | 'filter'): Name[] =>
  NAMES.filter((n) => STORED[n] === undefined && formatNamed(n).capabilities[capability] !== 'none')

describe('out of bounds', () => {
  const loadOf = (name: Name, place: string): string =>
    `ld_indexable(texture2d)(${typeOf(name)}) r0.xyzw, l(${place}), t0.xyzw`

  it.each(NAMES)('a texel past the width, the height, the mips of %s', async (name) => {
    const declaration = `dcl_resource_texture2d (${typeOf(name)}) t0`
    const bind = (): Bindings => ({ t0: createSrv(textureOf(name, { mipLevels: 2 }), viewOf(name)) })
    for (const place of ['8, 0, 0, 0', '0, 4, 0, 0', '-1, 0, 0, 0', '4, 0, 0, 1', '0, 0, 0, 2']) {
      expect(await wordsOf(declaration, loadOf(name, place), bind), place).toEqual(onEvery(outsideOf(name)))
    }
  })

  it.each(NAMES)('a slice past the last of %s', async (name) => {
    const declaration = `dcl_resource_texture2darray (${typeOf(name)}) t0`
    const bind = (): Bindings => ({ t0: createSrv(textureOf(name, { arraySize: 2 }), viewOf(name)) })
    const code = `ld_indexable(texture2darray)(${typeOf(name)}) r0.xyzw, l(0, 0, 2, 0), t0.xyzw`
    expect(await wordsOf(declaration, code, bind)).toEqual(onEvery(outsideOf(name)))
  })

  it.each(NAMES)('a mip of %s that a minimum LOD clamps off, and a view of which it leaves nothing', async (name) => {
    const declaration = `dcl_resource_texture2d (${typeOf(name)}) t0`
    const at = (minLod: number) => (): Bindings => ({
      t0: createSrv(textureOf(name, { mipLevels: 2, minLod }), viewOf(name)),
    })
    expect(await wordsOf(declaration, loadOf(name, '0, 0, 0, 0'), at(1))).toEqual(onEvery(outsideOf(name)))
    expect(await wordsOf(declaration, loadOf(name, '0, 0, 0, 1'), at(1.5))).toEqual(onEvery(outsideOf(name)))
  })

  it.each(NAMES.filter((n) => formatNamed(n).capabilities.resources.buffer !== 'none'))(
    'an element of a typed buffer of %s',
    async (name) => {
      const declaration = `dcl_resource_buffer (${typeOf(name)}) t0`
      const bytes = formatNamed(name).blockByteLength * 4
      const data = new Uint8Array(bytes).fill(0x35)
      const bind = (): Bindings => ({ t0: createSrv(valueOrThrow(createBuffer({ data })), { format: name }) })
      for (const n of [4, -1]) {
        const code = `ld_indexable(buffer)(${typeOf(name)}) r0.xyzw, l(${n}, 0, 0, 0), t0.xyzw`
        expect(await wordsOf(declaration, code, bind), `${n}`).toEqual(onEvery(outsideOf(name)))
      }
    },
  )

  it.each(able('multisampleLoad'))('a texel and a sample of a multisample texture of %s', async (name) => {
    const declaration = `dcl_resource_texture2dms(2) (${typeOf(name)}) t0`
    const bind = (): Bindings => ({ t0: createSrv(textureOf(name, { sampleCount: 2 })) })
    for (const [place, sample] of [
      ['8, 0, 0, 0', 0],
      ['0, 0, 0, 0', 2],
    ]) {
      const code = `ldms_indexable(texture2dms)(${typeOf(name)}) r0.xyzw, l(${place}), t0.xyzw, l(${sample})`
      expect(await wordsOf(declaration, code, bind), `${place}, sample ${sample}`).toEqual(onEvery(outsideOf(name)))
    }
  })

  it.each(able('typedUavLoad'))('ld_uav_typed of %s', async (name) => {
    const code = `ld_uav_typed_indexable(texture2d)(${typeOf(name)}) r0.xyzw, l(8, 0, 0, 0), u0.xyzw`
    const declaration = `dcl_uav_typed_texture2d (${typeOf(name)}) u0`
    const bind = (): Bindings => ({ u0: createUav(textureOf(name)) })
    expect(await wordsOf(declaration, code, bind)).toEqual(onEvery(outsideOf(name)))
  })

  it.each(able('filter'))('a sample of %s of which a clamp leaves nothing', async (name) => {
    const declaration = `dcl_sampler s0, mode_default\ndcl_resource_texture2d (${typeOf(name)}) t0`
    const code = `sample_l_indexable(texture2d)(${typeOf(name)}) r0.xyzw, l(0.5, 0.5, 0, 0), t0.xyzw, s0, l(0)`
    const view = (): Bindings['t0'] => createSrv(textureOf(name, { mipLevels: 2, minLod: 1.5 }), viewOf(name))
    const bind = (): Bindings => ({ t0: view(), s0: createSampler({}) })
    expect(await wordsOf(declaration, code, bind)).toEqual(onEvery(outsideOf(name)))
  })
})

it('the swizzle of the resource moves the default along', async () => {
  const code = 'ld_indexable(texture2d)(float,float,float,float) r0.xyzw, l(9, 0, 0, 0), t0.wxyw'
  const bind = (): Bindings => ({ t0: createSrv(textureOf('R32_FLOAT')) })
  const declaration = 'dcl_resource_texture2d (float,float,float,float) t0'
  expect(await wordsOf(declaration, code, bind)).toEqual(onEvery([ONE, 0, 0, ONE]))
})

it('a slot that nothing is bound to reads 0 in every component', async () => {
  const code = 'ld_indexable(texture2d)(float,float,float,float) r0.xyzw, l(0, 0, 0, 0), t0.xyzw'
  const declaration = 'dcl_resource_texture2d (float,float,float,float) t0'
  expect(await wordsOf(declaration, code, () => ({}))).toEqual(onEvery([0, 0, 0, 0]))
})
