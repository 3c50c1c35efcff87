import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import {
  type Bindings,
  createSampler,
  createSrv,
  createTexture,
  type SamplerOptions,
  type TextureOptions,
} from '../../../src/machine/index.ts'
import { f, floats, type OpcodeVector } from '../../support/opcode-vector.ts'

/** Sampling and gathering in a compute shader (22.4.2 to 22.4.5, 22.4.15 to 22.4.20), and the feedback forms. */

const F = '(float,float,float,float)'
const CHECKED = 'check_access_fully_mapped r1.w, r3.y'
const ALL = 0xffffffff

/** 4 x 4 texels (x, y, 10 x + y, 0.5); mip 1 is (50, 51, 52, 53), mip 2 (90, 91, 92, 93). */
const TEXELS = [
  ...Array.from({ length: 16 }, (_, i) => [i & 3, i >> 2, 10 * (i & 3) + (i >> 2), 0.5]),
  ...Array.from({ length: 4 }, () => [50, 51, 52, 53]),
  [90, 91, 92, 93],
].flat()

const made = (options: TextureOptions) => valueOrThrow(createTexture(options))
const mipped = (minLod = 0) =>
  made({
    dimension: 'texture2d',
    format: 'R32G32B32A32_FLOAT',
    width: 4,
    height: 4,
    mipLevels: 3,
    minLod,
    data: Float32Array.from(TEXELS),
  })

const POINT = { filter: 'MIN_MAG_MIP_POINT' } as const
const BETWEEN_MIPS = { filter: 'MIN_MAG_POINT_MIP_LINEAR' } as const
const LINEAR = { filter: 'MIN_MAG_LINEAR_MIP_POINT' } as const

const bound = (view: Bindings[string], sampler: SamplerOptions) => () => ({
  bindings: { t0: view, s0: createSampler(sampler) },
})
const TWO_D = `dcl_resource_texture2d ${F} t0\ndcl_sampler s0, mode_default`
const TWO_D_COMPARING = `dcl_resource_texture2d ${F} t0\ndcl_sampler s0, mode_comparison`

/** Center of texel (2, 1) of 4 x 4. */
const AT = 'l(0.625, 0.375, 9.0, 9.0)'
const TEXEL = floats(2, 1, 21, 0.5)
const FIRST = floats(50, 51, 52, 53)
const SECOND = floats(90, 91, 92, 93)

interface Explicit {
  readonly reason: string
  readonly lod: string
  readonly sampler: SamplerOptions
  readonly result: readonly number[]
  readonly view?: object
}
/** Half of mip 0 at (2, 1) and half of mip 1. */
const HALF_WAY = floats(26, 26, 36.5, 26.75)

const LODS: readonly Explicit[] = [
  { reason: 'LOD 0', lod: '0.0', sampler: POINT, result: TEXEL },
  { reason: 'a negative LOD is the largest map', lod: '-3.0', sampler: POINT, result: TEXEL },
  { reason: 'LOD 1', lod: '1.0', sampler: POINT, result: FIRST },
  { reason: 'the nearest mip: 0.25 is 0', lod: '0.25', sampler: POINT, result: TEXEL },
  { reason: 'the nearest mip: 0.75 is 1', lod: '0.75', sampler: POINT, result: FIRST },
  { reason: 'past the last mip stays there', lod: '99.0', sampler: POINT, result: SECOND },
  { reason: 'blends two mips where the sampler does', lod: '0.5', sampler: BETWEEN_MIPS, result: HALF_WAY },
  { reason: 'blends the last two mips', lod: '1.5', sampler: BETWEEN_MIPS, result: floats(70, 71, 72, 73) },
  { reason: 'the bias of the sampler counts', lod: '0.0', sampler: { ...POINT, mipLodBias: 1 }, result: FIRST },
  { reason: 'the least LOD of the sampler counts', lod: '0.0', sampler: { ...POINT, minLod: 2 }, result: SECOND },
  { reason: 'the greatest LOD of the sampler counts', lod: '2.0', sampler: { ...POINT, maxLod: 1 }, result: FIRST },
  {
    reason: 'the bias comes before the clamp',
    lod: '0.0',
    sampler: { ...POINT, mipLodBias: 2, maxLod: 1 },
    result: FIRST,
  },
  {
    reason: 'LODs count from the first mip of the view',
    lod: '0.0',
    sampler: POINT,
    view: { mostDetailedMip: 1 },
    result: FIRST,
  },
  {
    reason: 'anisotropic filtering has no anisotropy here',
    lod: '1.0',
    sampler: { filter: 'ANISOTROPIC' },
    result: FIRST,
  },
]

const explicit = (c: Explicit): OpcodeVector => ({
  mnemonic: 'sample_l',
  reason: c.reason,
  declares: TWO_D,
  bind: bound(createSrv(mipped(), c.view ?? {}), c.sampler),
  body: `sample_l_indexable(texture2d)${F} r1.xyzw, ${AT}, t0.xyzw, s0, l(${c.lod})`,
  result: c.result,
})

/** Derivatives in normalized space: one texel of mip 0 is 0.25 (7.18.11: the longer of the two, in texels, as log2). */
const GRADIENTS: readonly (readonly [reason: string, ddx: string, ddy: string, result: readonly number[]])[] = [
  ['0 is LOD -infinity, the largest map', '0.0, 0.0, 9.0, 9.0', '0.0, 0.0, 9.0, 9.0', TEXEL],
  ['one texel is LOD 0', '0.25, 0.0, 9.0, 9.0', '0.0, 0.25, 9.0, 9.0', TEXEL],
  ['two texels are LOD 1', '0.5, 0.0, 9.0, 9.0', '0.0, 0.0, 9.0, 9.0', FIRST],
  ['the longer of the two counts', '0.25, 0.0, 9.0, 9.0', '0.0, -0.5, 9.0, 9.0', FIRST],
  ['four texels are LOD 2', '0.0, 1.0, 9.0, 9.0', '0.25, 0.0, 9.0, 9.0', SECOND],
  ['length, not a component: (1.2, 1.6) texels are LOD 1', '0.3, 0.4, 9.0, 9.0', '0.0, 0.0, 9.0, 9.0', FIRST],
]
const gradients = ([reason, ddx, ddy, result]: (typeof GRADIENTS)[number]): OpcodeVector => ({
  mnemonic: 'sample_d',
  reason,
  declares: TWO_D,
  bind: bound(createSrv(mipped()), POINT),
  body: `sample_d_indexable(texture2d)${F} r1.xyzw, ${AT}, t0.xyzw, s0, l(${ddx}), l(${ddy})`,
  result,
})

/** The clamp is a least LOD beside the sampler's (5.9.4.5). */
const CLAMPS: readonly (readonly [
  reason: string,
  ddx: string,
  clamp: string,
  sampler: SamplerOptions,
  result: readonly number[],
])[] = [
  ['a clamp of 0 changes nothing', '0.0', 'l(0.0)', POINT, TEXEL],
  ['a clamp of 1 lifts LOD 0 to 1', '0.25', 'l(1.0)', POINT, FIRST],
  ['a clamp of 1 leaves LOD 2', '1.0', 'l(1.0)', POINT, SECOND],
  ['a clamp of a half blends two mips', '0.0', 'l(0.5)', BETWEEN_MIPS, HALF_WAY],
]
const clamped = ([reason, ddx, clamp, sampler, result]: (typeof CLAMPS)[number]): OpcodeVector[] => [
  {
    mnemonic: 'sample_d_cl_s',
    reason,
    declares: TWO_D,
    bind: bound(createSrv(mipped()), sampler),
    body: `sample_d_cl_s_indexable(texture2d)${F} r1.xyz, r3.y, ${AT}, t0.xyzw, s0, l(${ddx}, 0.0, 0.0, 0.0), l(0.0, 0.0, 0.0, 0.0), ${clamp}\n${CHECKED}`,
    result: [...result.slice(0, 3), ALL],
  },
]

const FORMS: readonly OpcodeVector[] = [
  {
    mnemonic: 'sample_l_s',
    reason: 'with its status',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), POINT),
    body: `sample_l_s_indexable(texture2d)${F} r1.xyz, r3.y, ${AT}, t0.zwxy, s0, l(1.0)\n${CHECKED}`,
    result: [...floats(52, 53, 50), ALL],
  },
  {
    mnemonic: 'sample_l_s',
    reason: 'without its status (null)',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), POINT),
    body: `sample_l_s_indexable(texture2d)${F} r1.xyz, null, ${AT}, t0.zwxy, s0, l(1.0)`,
    result: [...floats(52, 53, 50), 7],
  },
  {
    mnemonic: 'sample_d_cl_s',
    reason: 'without status and clamp (null)',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), POINT),
    body: `sample_d_cl_s_indexable(texture2d)${F} r1.xyz, null, ${AT}, t0.xyzw, s0, l(1.0, 0.0, 0.0, 0.0), l(0.0, 0.0, 0.0, 0.0), null`,
    result: [...SECOND.slice(0, 3), 7],
  },
  {
    mnemonic: 'sample_l',
    reason: 'offsets come before the address mode: wrapped',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), { ...POINT, address: 'WRAP' }),
    body: `sample_l_aoffimmi_indexable(3,-2,0)(texture2d)${F} r1.xyzw, ${AT}, t0.xyzw, s0, l(0.0)`,
    result: floats(1, 3, 13, 0.5),
  },
  {
    mnemonic: 'sample_l',
    reason: 'offsets are in texels of the mip: out to the border',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), { ...POINT, address: 'BORDER', borderColor: [1, 2, 3, 4] }),
    body: `sample_l_aoffimmi_indexable(1,0,0)(texture2d)${F} r1.xyzw, ${AT}, t0.xyzw, s0, l(1.0)`,
    result: floats(1, 2, 3, 4),
  },
  {
    mnemonic: 'sample_l',
    reason: 'linear: the mean of four texels',
    declares: TWO_D,
    bind: bound(createSrv(mipped()), LINEAR),
    body: `sample_l_indexable(texture2d)${F} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0, l(0.0)`,
    result: floats(1.5, 1.5, 16.5, 0.5),
  },
]

/** What needs neighboring pixels (22.4.15, 22.4.16, 22.4.19: stage pixel) cannot be loaded as a compute shader. */
const REFUSED: readonly OpcodeVector[] = (
  [
    ['sample', '', TWO_D, ''],
    ['sample_b', '', TWO_D, ', l(0.0)'],
    ['sample_c', '', TWO_D_COMPARING, ', l(0.0)'],
    ['sample_cl_s', ' r3.y,', TWO_D, ', l(0.0)'],
    ['sample_b_cl_s', ' r3.y,', TWO_D, ', l(0.0), l(0.0)'],
    ['sample_c_cl_s', ' r3.y,', TWO_D_COMPARING, ', l(0.0), l(0.0)'],
  ] as const
).map(([mnemonic, status, declares, rest]): OpcodeVector => {
  const resource = mnemonic.includes('_c_') || mnemonic.endsWith('_c') ? 't0.xxxx' : 't0.xyzw'
  return {
    mnemonic,
    reason: 'needs the derivatives of a quad',
    declares,
    body: `${mnemonic}_indexable(texture2d)${F} r1.xyzw,${status} ${AT}, ${resource}, s0${rest}`,
    refused: 'engine-instruction',
  }
})

/** Reference below, equal to and above the texel, and NaN: ordered comparisons with NaN fail, not-equal holds (3.1). */
const COMPARISONS: readonly (readonly [name: string, below: number, equal: number, above: number, nan: number])[] = [
  ['NEVER', 0, 0, 0, 0],
  ['LESS', 1, 0, 0, 0],
  ['EQUAL', 0, 1, 0, 0],
  ['LESS_EQUAL', 1, 1, 0, 0],
  ['GREATER', 0, 0, 1, 0],
  ['NOT_EQUAL', 1, 0, 1, 1],
  ['GREATER_EQUAL', 0, 1, 1, 0],
  ['ALWAYS', 1, 1, 1, 1],
]
const depth = (format: string, data: Float32Array | Uint16Array, width = 1, height = 1) =>
  createSrv(made({ dimension: 'texture2d', format, width, height, data }))
const HALF = depth('R32_FLOAT', Float32Array.of(0.5))
const comparing = (comparison: string, filter = 'COMPARISON_MIN_MAG_MIP_POINT'): SamplerOptions => ({
  filter,
  comparison,
})

/** The forms that compare; each reads one texel, and what it gives stands in .x and .y. */
const COMPARING_FORMS: readonly (readonly [mnemonic: string, body: (reference: string) => string, status: boolean])[] =
  [
    [
      'sample_c_lz',
      (r) => `sample_c_lz_indexable(texture2d)${F} r1.xy, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, ${r}`,
      false,
    ],
    [
      'sample_c_lz_s',
      (r) => `sample_c_lz_s_indexable(texture2d)${F} r1.xy, r3.y, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, ${r}\n${CHECKED}`,
      true,
    ],
    ['gather4_c', (r) => `gather4_c_indexable(texture2d)${F} r1.xy, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0.x, ${r}`, false],
    [
      'gather4_c_s',
      (r) => `gather4_c_s_indexable(texture2d)${F} r1.xy, r3.y, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0.x, ${r}\n${CHECKED}`,
      true,
    ],
    [
      'gather4_po_c',
      (r) => `gather4_po_c_indexable(texture2d)${F} r1.xy, l(0.5, 0.5, 0.0, 0.0), l(3, -3, 0, 0), t0.xyzw, s0.x, ${r}`,
      false,
    ],
    [
      'gather4_po_c_s',
      (r) =>
        `gather4_po_c_s_indexable(texture2d)${F} r1.xy, r3.y, l(0.5, 0.5, 0.0, 0.0), l(3, -3, 0, 0), t0.xyzw, s0.x, ${r}\n${CHECKED}`,
      true,
    ],
  ]
const compared: readonly OpcodeVector[] = COMPARING_FORMS.flatMap(([mnemonic, body, status]) =>
  COMPARISONS.flatMap(([comparison, ...results]) =>
    ['l(0.25)', 'l(0.5)', 'l(0.75)', 'l(0x7fc00000)'].map((reference, i): OpcodeVector => {
      const passed = f(results[i]!)
      return {
        mnemonic,
        reason: `reference ${reference} ${comparison} texel 0.5`,
        declares: TWO_D_COMPARING,
        bind: bound(HALF, comparing(comparison)),
        body: body(reference),
        result: [passed, passed, 7, status ? ALL : 7],
      }
    }),
  ),
)

/** The reference is quantized to the format first, and clamped to its range (22.4.19). */
const QUANTIZED: readonly OpcodeVector[] = [
  ['a half as 16-bit UNORM is 0x8000', 0x8000, '0.5', 1],
  ['above the range is its end', 0xffff, '7.0', 1],
  ['below the range is 0', 0, '-7.0', 1],
  ['a code apart', 0x8001, '0.5', 0],
].map(
  ([reason, code, reference, passed]): OpcodeVector => ({
    mnemonic: 'sample_c_lz',
    reason: `EQUAL in R16_UNORM: ${reason}`,
    declares: TWO_D_COMPARING,
    bind: bound(depth('R16_UNORM', Uint16Array.of(code as number)), comparing('EQUAL')),
    body: `sample_c_lz_indexable(texture2d)${F} r1.x, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, l(${reference})`,
    result: [f(passed as number), 7, 7, 7],
  }),
)

/** Texels 0.1, 0.2, 0.3, 0.4 row by row of 2 x 2. */
const SQUARE = depth('R32_FLOAT', Float32Array.of(0.1, 0.2, 0.3, 0.4), 2, 2)
const SQUARES: readonly OpcodeVector[] = [
  {
    mnemonic: 'sample_c_lz',
    reason: 'answers are filtered, not texels: 0.25 is less than two of four',
    declares: TWO_D_COMPARING,
    bind: bound(SQUARE, comparing('LESS', 'COMPARISON_MIN_MAG_LINEAR_MIP_POINT')),
    body: `sample_c_lz_indexable(texture2d)${F} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, l(0.25)`,
    result: floats(0.5, 0.5, 0.5, 0.5),
  },
  {
    mnemonic: 'gather4_c',
    reason: 'gives each answer, counter-clockwise from the lower left',
    declares: TWO_D_COMPARING,
    bind: bound(SQUARE, comparing('LESS')),
    body: `gather4_c_indexable(texture2d)${F} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0.x, l(0.35)`,
    result: floats(0, 1, 0, 0),
  },
  {
    mnemonic: 'gather4_po_c',
    reason: 'gives each answer at the offset',
    declares: TWO_D_COMPARING,
    bind: bound(SQUARE, { ...comparing('LESS'), address: 'BORDER', borderColor: [0.9, 0, 0, 0] }),
    body: `gather4_po_c_indexable(texture2d)${F} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), l(1, 0, 0, 0), t0.xyzw, s0.x, l(0.35)`,
    result: floats(1, 1, 1, 0),
  },
  {
    mnemonic: 'gather4_c',
    reason: 'of an unbound texture is 0 (22.4.3)',
    declares: TWO_D_COMPARING,
    bind: () => ({ bindings: { s0: createSampler(comparing('ALWAYS')) } }),
    body: `gather4_c_indexable(texture2d)${F} r1.xyzw, l(0.5, 0.5, 0.0, 0.0), t0.xyzw, s0.x, l(0.35)`,
    result: [0, 0, 0, 0],
    codes: ['engine-unbound'],
  },
  {
    mnemonic: 'sample_c_lz',
    reason: 'LOD 0 has the bias and clamp of the sampler (22.4.20)',
    declares: TWO_D_COMPARING,
    bind: bound(
      createSrv(
        made({
          dimension: 'texture2d',
          format: 'R32_FLOAT',
          width: 2,
          height: 2,
          mipLevels: 2,
          data: Float32Array.of(0, 0, 0, 0, 1),
        }),
      ),
      { ...comparing('LESS'), minLod: 1 },
    ),
    body: `sample_c_lz_indexable(texture2d)${F} r1.x, l(0.5, 0.5, 0.0, 0.0), t0.xxxx, s0, l(0.5)`,
    result: [f(1), 7, 7, 7],
  },
]

/** At the middle the texels (1, 2) (2, 2) (2, 1) (1, 1), in this order (22.4.2). */
const MIDDLE = 'l(0.5, 0.5, 9.0, 9.0)'
interface Gathered {
  readonly reason: string
  readonly mnemonic?: string
  readonly body: string
  readonly result: readonly number[]
  readonly sampler?: SamplerOptions
  readonly view?: () => Bindings[string]
  readonly declares?: string
}
const gather = (component: string, resource = 't0.xyzw', suffix = '', offset = ''): string =>
  `gather4${suffix}_indexable${offset}(texture2d)${F} r1.xyzw, ${MIDDLE}, ${resource}, s0.${component}`
const gatherPo = (offset: string): string =>
  `gather4_po_indexable(texture2d)${F} r1.xyzw, ${MIDDLE}, ${offset}, t0.xyzw, s0.z`
const RED = () =>
  createSrv(
    made({
      dimension: 'texture2d',
      format: 'R32_FLOAT',
      width: 2,
      height: 2,
      data: Uint32Array.of(1, 0x80000000, 0x7f800000, 0x3f800000),
    }),
  )
const WHOLE = () =>
  createSrv(
    made({
      dimension: 'texture2d',
      format: 'R8G8_UINT',
      width: 2,
      height: 2,
      data: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 255),
    }),
  )
const WRAP = { ...POINT, address: 'WRAP' } as const

const GATHERS: readonly Gathered[] = [
  { reason: 'red', body: gather('x'), result: floats(1, 2, 2, 1) },
  { reason: 'green', body: gather('y'), result: floats(2, 2, 1, 1) },
  { reason: 'blue', body: gather('z'), result: floats(12, 22, 21, 11) },
  { reason: 'alpha', body: gather('w'), result: floats(0.5, 0.5, 0.5, 0.5) },
  {
    reason: 'the swizzle of the resource turns the four texels',
    body: gather('z', 't0.wzyx'),
    result: floats(11, 21, 22, 12),
  },
  {
    reason: 'the top mip of the view, whatever the sampler says',
    sampler: { ...POINT, minLod: 2, mipLodBias: 3 },
    body: gather('z'),
    result: floats(12, 22, 21, 11),
  },
  {
    reason: 'the top mip of the view',
    view: () => createSrv(mipped(), { mostDetailedMip: 1 }),
    body: gather('z'),
    result: floats(52, 52, 52, 52),
  },
  {
    reason: 'immediate offsets',
    body: gather('z', 't0.xyzw', '_aoffimmi', '(1,-1,0)'),
    result: floats(21, 31, 30, 20),
  },
  {
    reason: 'address modes apply to each texel: wrapped',
    sampler: WRAP,
    body: gather('z', 't0.xyzw', '_aoffimmi', '(2,0,0)'),
    result: floats(32, 2, 1, 31),
  },
  {
    reason: 'address modes apply to each texel: clamped',
    body: gather('z', 't0.xyzw', '_aoffimmi', '(2,0,0)'),
    result: floats(32, 32, 31, 31),
  },
  {
    reason: 'address modes apply to each texel: border',
    sampler: { ...POINT, address: 'BORDER', borderColor: [1, 2, 3, 4] },
    body: gather('z', 't0.xyzw', '_aoffimmi', '(2,0,0)'),
    result: floats(32, 3, 3, 31),
  },
  {
    reason: 'floats are returned unaltered: a denormal, -0, INF',
    view: RED,
    body: gather('x'),
    result: [0x7f800000, 0x3f800000, 0x80000000, 1],
  },
  { reason: 'missing components have their defaults', view: RED, body: gather('y'), result: [0, 0, 0, 0] },
  { reason: 'missing alpha is 1', view: RED, body: gather('w'), result: floats(1, 1, 1, 1) },
  {
    reason: 'with its status',
    mnemonic: 'gather4_s',
    body: `gather4_s_indexable(texture2d)${F} r1.xyz, r3.y, ${MIDDLE}, t0.xyzw, s0.z\n${CHECKED}`,
    result: [...floats(12, 22, 21), ALL],
  },
  {
    reason: 'offsets of a register',
    mnemonic: 'gather4_po',
    body: gatherPo('l(1, -1, 99, 99)'),
    result: floats(21, 31, 30, 20),
  },
  {
    reason: 'the six low bits are a signed number: 63 is -1',
    mnemonic: 'gather4_po',
    body: gatherPo('l(63, 0, 0, 0)'),
    result: floats(2, 12, 11, 1),
  },
  {
    reason: 'bits above the sixth are nothing: 0x41 is 1',
    mnemonic: 'gather4_po',
    body: gatherPo('l(0x41, 0xffffff80, 0, 0)'),
    result: floats(22, 32, 31, 21),
  },
  {
    reason: '31 texels and wrapped',
    mnemonic: 'gather4_po',
    sampler: WRAP,
    body: gatherPo('l(31, 0, 0, 0)'),
    result: floats(2, 12, 11, 1),
  },
  {
    reason: '32 is -32',
    mnemonic: 'gather4_po',
    sampler: { ...POINT, address: 'CLAMP' },
    body: gatherPo('l(32, 0, 0, 0)'),
    result: floats(2, 2, 1, 1),
  },
  {
    reason: 'with its status',
    mnemonic: 'gather4_po_s',
    body: `gather4_po_s_indexable(texture2d)${F} r1.xyz, r3.y, ${MIDDLE}, l(1, -1, 0, 0), t0.xyzw, s0.z\n${CHECKED}`,
    result: [...floats(21, 31, 30), ALL],
  },
  {
    reason: 'integers',
    declares: 'dcl_resource_texture2d (uint,uint,uint,uint) t0\ndcl_sampler s0, mode_default',
    view: WHOLE,
    body: `gather4_indexable(texture2d)(uint,uint,uint,uint) r1.xyzw, ${MIDDLE}, t0.xyzw, s0.y`,
    result: [6, 255, 4, 2],
  },
]

const gathered = (c: Gathered): OpcodeVector => ({
  mnemonic: c.mnemonic ?? 'gather4',
  reason: c.reason,
  declares: c.declares ?? TWO_D,
  bind: bound(c.view?.() ?? createSrv(mipped()), c.sampler ?? POINT),
  body: c.body,
  result: c.result,
})

/** Each dimension with its coordinates: texel n of the documented order holds n; unused coordinates are 99. */
const numbered = (options: Omit<TextureOptions, 'format' | 'data'>, count: number) =>
  createSrv(made({ ...options, format: 'R32_FLOAT', data: Float32Array.from({ length: count }, (_, i) => i) }))
const CUBES = numbered({ dimension: 'texturecube', width: 2, arraySize: 12 }, 48)
const DIMENSIONS: readonly (readonly [word: string, view: Bindings[string], at: string, texel: number])[] = [
  ['texture1d', numbered({ dimension: 'texture1d', width: 4 }, 4), '0.875, 99.0, 99.0, 99.0', 3],
  ['texture1darray', numbered({ dimension: 'texture1d', width: 4, arraySize: 3 }, 12), '0.625, 2.0, 99.0, 99.0', 10],
  // The slice is rounded to the nearest, ties to even, and clamped (22.4.15).
  ['texture1darray', numbered({ dimension: 'texture1d', width: 4, arraySize: 3 }, 12), '0.125, 0.5, 99.0, 99.0', 0],
  ['texture1darray', numbered({ dimension: 'texture1d', width: 4, arraySize: 3 }, 12), '0.125, 1.5, 99.0, 99.0', 8],
  ['texture1darray', numbered({ dimension: 'texture1d', width: 4, arraySize: 3 }, 12), '0.125, 77.0, 99.0, 99.0', 8],
  ['texture1darray', numbered({ dimension: 'texture1d', width: 4, arraySize: 3 }, 12), '0.125, -7.0, 99.0, 99.0', 0],
  [
    'texture2darray',
    numbered({ dimension: 'texture2d', width: 2, height: 2, arraySize: 3 }, 12),
    '0.75, 0.25, 1.25, 99.0',
    5,
  ],
  ['texture3d', numbered({ dimension: 'texture3d', width: 2, height: 2, depth: 2 }, 8), '0.25, 0.75, 0.75, 99.0', 6],
  // Face +X of a cube: u runs along -z, v along -y; +Z: u along x, v along -y (7.18.9).
  [
    'texturecube',
    createSrv(
      made({
        dimension: 'texturecube',
        format: 'R32_FLOAT',
        width: 2,
        data: Float32Array.from({ length: 24 }, (_, i) => i),
      }),
    ),
    '1.0, 0.5, 0.5, 99.0',
    0,
  ],
  [
    'texturecube',
    createSrv(
      made({
        dimension: 'texturecube',
        format: 'R32_FLOAT',
        width: 2,
        data: Float32Array.from({ length: 24 }, (_, i) => i),
      }),
    ),
    '0.5, 0.5, 1.0, 99.0',
    17,
  ],
  ['texturecubearray', CUBES, '1.0, 0.5, 0.5, 1.0', 24],
]
const dimensions: readonly OpcodeVector[] = DIMENSIONS.map(([word, view, at, texel]) => ({
  mnemonic: 'sample_l',
  reason: `${word} at ${at}`,
  declares: `dcl_resource_${word} ${F} t0\ndcl_sampler s0, mode_default`,
  bind: bound(view, POINT),
  body: `sample_l_indexable(${word})${F} r1.x, l(${at}), t0.xyzw, s0, l(0.0)`,
  result: [f(texel), 7, 7, 7],
}))

export const SAMPLE_VECTORS: readonly OpcodeVector[] = [
  ...LODS.map(explicit),
  ...GRADIENTS.map(gradients),
  ...CLAMPS.flatMap(clamped),
  ...FORMS,
  ...REFUSED,
  ...compared,
  ...QUANTIZED,
  ...SQUARES,
  ...GATHERS.map(gathered),
  ...dimensions,
]
