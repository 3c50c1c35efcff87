import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import {
  type Bindings,
  createBuffer,
  createSrv,
  createTexture,
  createUav,
  type TextureOptions,
} from '../../../src/machine/index.ts'
import { f, floats, type OpcodeVector } from '../../support/opcode-vector.ts'

/** What instructions tell about resources (22.4.1, 22.4.14, 22.4.21, 22.4.22), and the variants of sync (22.17.7). */

const F = '(float,float,float,float)'
const INF = 0x7f800000
const made = (options: Omit<TextureOptions, 'format'>) =>
  valueOrThrow(createTexture({ ...options, format: 'R32_FLOAT' }))

/** Sizes of the first mip, of the second, and how many of them `_rcpFloat` turns over: array sizes it does not. */
interface Sized {
  readonly word: string
  readonly declared?: string
  readonly options: Omit<TextureOptions, 'format'>
  readonly first: readonly number[]
  readonly second?: readonly number[]
  readonly mips: number
  readonly turned: number
}
const SIZED: readonly Sized[] = [
  {
    word: 'texture1d',
    options: { dimension: 'texture1d', width: 8, mipLevels: 3 },
    first: [8, 0, 0],
    second: [4, 0, 0],
    mips: 3,
    turned: 1,
  },
  {
    word: 'texture1darray',
    options: { dimension: 'texture1d', width: 8, mipLevels: 3, arraySize: 5 },
    first: [8, 5, 0],
    second: [4, 5, 0],
    mips: 3,
    turned: 1,
  },
  {
    word: 'texture2d',
    options: { dimension: 'texture2d', width: 8, height: 4, mipLevels: 3 },
    first: [8, 4, 0],
    second: [4, 2, 0],
    mips: 3,
    turned: 2,
  },
  {
    word: 'texture2darray',
    options: { dimension: 'texture2d', width: 8, height: 4, mipLevels: 3, arraySize: 5 },
    first: [8, 4, 5],
    second: [4, 2, 5],
    mips: 3,
    turned: 2,
  },
  {
    word: 'texture3d',
    options: { dimension: 'texture3d', width: 8, height: 4, depth: 2, mipLevels: 3 },
    first: [8, 4, 2],
    second: [4, 2, 1],
    mips: 3,
    turned: 3,
  },
  {
    word: 'texturecube',
    options: { dimension: 'texturecube', width: 8, mipLevels: 3 },
    first: [8, 8, 0],
    second: [4, 4, 0],
    mips: 3,
    turned: 2,
  },
  {
    word: 'texture2dms',
    declared: 'texture2dms(4)',
    options: { dimension: 'texture2d', width: 8, height: 4, sampleCount: 4 },
    first: [8, 4, 0],
    mips: 1,
    turned: 2,
  },
  {
    word: 'texture2dmsarray',
    declared: 'texture2dmsarray(2)',
    options: { dimension: 'texture2d', width: 8, height: 4, sampleCount: 2, arraySize: 3 },
    first: [8, 4, 3],
    mips: 1,
    turned: 2,
  },
]

/** Only the sizes that the dimension has are turned over; those set to 0 stay 0. */
const reciprocal = (sizes: readonly number[], turned: number): number[] =>
  sizes.map((n, i) => f(i < turned ? 1 / n : n))

function sizeVectors(c: Sized): OpcodeVector[] {
  const texture = made(c.options)
  const declares = `dcl_resource_${c.declared ?? c.word} ${F} t0`
  const ask = (
    suffix: string,
    mip: string,
    sizes: readonly number[],
    mips: number,
    bindings: Bindings,
  ): OpcodeVector => ({
    mnemonic: 'resinfo',
    reason: `${suffix} of mip ${mip} of a ${c.word}${Object.keys(bindings).length === 0 ? ', unbound' : ''}`,
    declares,
    bind: () => ({ bindings }),
    body: `mov r2.z, l(${mip})\nresinfo_indexable(${c.word})${F}${suffix} r1.xyzw, r2.z, t0.xyzw`,
    result: [...sizes, suffix === '_uint' ? mips : f(mips)],
    ...(Object.keys(bindings).length === 0 ? { codes: ['engine-unbound'] } : {}),
  })
  const three = (mip: string, sizes: readonly number[], mips: number, bindings: Bindings): OpcodeVector[] => [
    ask('_uint', mip, sizes, mips, bindings),
    ask('', mip, sizes.map(f), mips, bindings),
    ask('_rcpFloat', mip, reciprocal(sizes, c.turned), mips, bindings),
  ]
  const bindings = { t0: createSrv(texture) }
  return [
    ...three('0', c.first, c.mips, bindings),
    ...(c.second === undefined ? [] : three('1', c.second, c.mips, bindings)),
    // Out of range: the sizes of an unbound resource, and the count all the same.
    ...three(String(c.mips), [0, 0, 0], c.mips, bindings),
    ...three('-1', [0, 0, 0], c.mips, bindings),
    ...three('0', [0, 0, 0], 0, {}),
  ]
}

const RECIPROCALS: readonly OpcodeVector[] = [
  {
    mnemonic: 'resinfo',
    reason: 'an unbound Texture3D turned over is INF three times, and no mips',
    declares: `dcl_resource_texture3d ${F} t0`,
    body: `resinfo_indexable(texture3d)${F}_rcpFloat r1.xyzw, l(0), t0.xyzw`,
    result: [INF, INF, INF, 0],
    codes: ['engine-unbound'],
  },
  {
    mnemonic: 'resinfo',
    reason: 'an unbound UAV',
    declares: `dcl_uav_typed_texture2d ${F} u0`,
    body: `resinfo_indexable(texture2d)${F}_rcpFloat r1.xyzw, l(0), u0.wzyx`,
    result: [0, 0, INF, INF],
    codes: ['engine-unbound'],
  },
]

const mips = () => made({ dimension: 'texture2d', width: 8, height: 4, mipLevels: 3, arraySize: 4 })
const cubes = () => made({ dimension: 'texturecube', width: 8, mipLevels: 2, arraySize: 12 })
const PARTS: readonly OpcodeVector[] = [
  {
    mnemonic: 'resinfo',
    reason: 'is of the view, not of the resource (5.2)',
    declares: `dcl_resource_texture2darray ${F} t0`,
    bind: () => ({
      bindings: { t0: createSrv(mips(), { mostDetailedMip: 1, mipLevels: 2, firstArraySlice: 1, arraySize: 2 }) },
    }),
    body: `resinfo_indexable(texture2darray)${F}_uint r1.xyzw, l(0), t0.xyzw`,
    result: [4, 2, 2, 2],
  },
  {
    mnemonic: 'resinfo',
    reason: 'of a UAV has one mip, its own',
    declares: `dcl_uav_typed_texture2darray ${F} u0`,
    bind: () => ({ bindings: { u0: createUav(mips(), { mipSlice: 2, firstArraySlice: 1, arraySize: 3 }) } }),
    body: `resinfo_indexable(texture2darray)${F}_uint r1.xyzw, l(0), u0.xyzw`,
    result: [2, 1, 3, 1],
  },
  {
    mnemonic: 'resinfo',
    reason: 'of a cube array has the sizes of a face (.z is undefined)',
    declares: `dcl_resource_texturecubearray ${F} t0`,
    bind: () => ({ bindings: { t0: createSrv(cubes()) } }),
    body: `resinfo_indexable(texturecubearray)${F}_uint r1.xyw, l(1), t0.xyzw`,
    result: [4, 4, 7, 2],
  },
  {
    mnemonic: 'resinfo',
    reason: 'swizzle and mask choose',
    declares: `dcl_resource_texture2d ${F} t0`,
    bind: () => ({ bindings: { t0: createSrv(made({ dimension: 'texture2d', width: 8, height: 4, mipLevels: 3 })) } }),
    body: `resinfo_indexable(texture2d)${F}_uint r1.yw, l(0), t0.xwyx`,
    result: [7, 3, 7, 8],
  },
]

interface Counted {
  readonly reason: string
  readonly declares: string
  readonly register: string
  readonly bindings: () => Bindings
  readonly count: number
  readonly codes?: readonly string[]
}
const bytes = (byteLength: number, stride?: number) =>
  valueOrThrow(createBuffer({ byteLength, ...(stride === undefined ? {} : { stride }) }))
const COUNTED: readonly Counted[] = [
  {
    reason: 'bytes of a raw SRV',
    declares: 'dcl_resource_raw t0',
    register: 't0',
    bindings: () => ({ t0: createSrv(bytes(100), { raw: true }) }),
    count: 100,
  },
  {
    reason: 'bytes of a part',
    declares: 'dcl_uav_raw u0',
    register: 'u0',
    bindings: () => ({ u0: createUav(bytes(100), { raw: true, firstElement: 4, elementCount: 10 }) }),
    count: 40,
  },
  {
    reason: 'structures of a structured UAV',
    declares: 'dcl_uav_structured u0, 12',
    register: 'u0',
    bindings: () => ({ u0: createUav(bytes(96, 12)) }),
    count: 8,
  },
  {
    reason: 'structures of a part',
    declares: 'dcl_resource_structured t0, 12',
    register: 't0',
    bindings: () => ({ t0: createSrv(bytes(96, 12), { firstElement: 3, elementCount: 2 }) }),
    count: 2,
  },
  {
    reason: 'elements of a typed UAV',
    declares: `dcl_uav_typed_buffer ${F} u0`,
    register: 'u0',
    bindings: () => ({ u0: createUav(bytes(96), { format: 'R16_FLOAT' }) }),
    count: 48,
  },
  {
    reason: 'elements of a part of a typed SRV',
    declares: `dcl_resource_buffer ${F} t0`,
    register: 't0',
    bindings: () => ({ t0: createSrv(bytes(96), { format: 'R32G32B32A32_FLOAT', firstElement: 1 }) }),
    count: 5,
  },
  {
    reason: 'nothing bound',
    declares: 'dcl_resource_raw t0',
    register: 't0',
    bindings: () => ({}),
    count: 0,
    codes: ['engine-unbound'],
  },
]
const counted = (c: Counted): OpcodeVector => ({
  mnemonic: 'bufinfo',
  reason: `${c.reason}, to every component of the mask`,
  declares: c.declares,
  bind: () => ({ bindings: c.bindings() }),
  body: `bufinfo r1.xyw, ${c.register}.xyzw`,
  result: [c.count, c.count, 7, c.count],
  ...(c.codes === undefined ? {} : { codes: c.codes }),
})

/** Sample positions in sixteenths of a pixel from its center (19.2.4). */
const PATTERNS: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  2: [
    [4, 4],
    [-4, -4],
  ],
  4: [
    [-2, -6],
    [6, -2],
    [-6, 2],
    [2, 6],
  ],
  8: [
    [1, -3],
    [-1, 3],
    [5, 1],
    [-3, -5],
    [-5, 5],
    [-7, -1],
    [3, 7],
    [7, -7],
  ],
}
const sampled = (count: number) => made({ dimension: 'texture2d', width: 2, height: 2, sampleCount: count })
const samples: readonly OpcodeVector[] = Object.entries(PATTERNS).flatMap(([text, pattern]): OpcodeVector[] => {
  const count = Number(text)
  const declares = `dcl_resource_texture2dms(${count}) ${F} t0`
  const bind = () => ({ bindings: { t0: createSrv(sampled(count)) } })
  const positions = [...pattern, [0, 0] as const].map(
    ([x, y], i): OpcodeVector => ({
      mnemonic: 'samplepos',
      reason: i < count ? `sample ${i} of ${count}` : `no sample ${i} of ${count}: a zero vector`,
      declares,
      bind,
      body: `mov r2.w, l(${i})\nsamplepos r1.xyzw, t0.yxwz, r2.w`,
      result: floats(y / 16, x / 16, 0, 0),
    }),
  )
  return [
    ...positions,
    {
      mnemonic: 'sampleinfo',
      reason: `${count} samples as an integer`,
      declares,
      bind,
      body: 'sampleinfo_uint r1.xyzw, t0.xyzw',
      result: [count, 0, 0, 0],
    },
    {
      mnemonic: 'sampleinfo',
      reason: `${count} samples as a float, swizzled`,
      declares,
      bind,
      body: 'sampleinfo r1.yz, t0.yxyy',
      result: [7, f(count), 0, 7],
    },
  ]
})
const UNBOUND_SAMPLES: readonly OpcodeVector[] = [
  {
    mnemonic: 'sampleinfo',
    reason: 'of nothing is 0',
    declares: `dcl_resource_texture2dms(4) ${F} t0`,
    body: 'sampleinfo_uint r1.xyzw, t0.xyzw',
    result: [0, 0, 0, 0],
    codes: ['engine-unbound'],
  },
  {
    mnemonic: 'samplepos',
    reason: 'of nothing is 0',
    declares: `dcl_resource_texture2dms(4) ${F} t0`,
    body: 'samplepos r1.xyzw, t0.xyzw, l(1)',
    result: [0, 0, 0, 0],
    codes: ['engine-unbound'],
  },
]

/** The ten variants for compute shaders: one thread sees its own writes through each. */
export const SYNC_VARIANTS: readonly string[] = [
  'sync_g',
  'sync_ugroup',
  'sync_uglobal',
  'sync_g_t',
  'sync_ugroup_t',
  'sync_uglobal_t',
  'sync_ugroup_g',
  'sync_uglobal_g',
  'sync_ugroup_g_t',
  'sync_uglobal_g_t',
]
const syncs: readonly OpcodeVector[] = SYNC_VARIANTS.map((sync) => ({
  mnemonic: 'sync',
  reason: sync,
  declares: 'dcl_uav_raw u0\ndcl_tgsm_raw g0, 16',
  bind: () => ({ bindings: { u0: createUav(bytes(16), { raw: true }) } }),
  body: `store_raw g0.x, l(4), l(5)\nstore_raw u0.x, l(4), l(6)\n${sync}\nld_raw r1.x, l(4), g0.xxxx\nld_raw r1.y, l(4), u0.xxxx`,
  result: [5, 6, 7, 7],
}))

export const QUERY_VECTORS: readonly OpcodeVector[] = [
  ...SIZED.flatMap(sizeVectors),
  ...RECIPROCALS,
  ...PARTS,
  ...COUNTED.map(counted),
  ...samples,
  ...UNBOUND_SAMPLES,
  ...syncs,
]
