import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { createBuffer, createSrv, createTexture, createUav, type TextureOptions } from '../../../src/machine/index.ts'
import { f, floats, type OpcodeVector } from '../../support/opcode-vector.ts'
import { contents, type Place, TYPED_PLACES, UNTYPED_PLACES } from './places.ts'

/** Loads and stores that do not filter (22.4.6 to 22.4.13), and their feedback forms. Bounds stand in `bounds.test.ts`. */

const NOT_A_NUMBER = 0x7f800001
const DENORMAL = 0x80000001
const INDEX_OF_DATA = [0x11, NOT_A_NUMBER, DENORMAL, 0x80000000, 0x55, 0x66, 0x77, 0x88]

/** `_s` forms return a status that check_access_fully_mapped turns into all ones: nothing here is tiled (5.9.4.5). */
const CHECKED = 'check_access_fully_mapped r1.w, r3.y'

interface DwordCase {
  readonly name: string
  readonly declares: string
  readonly register: string
  readonly raw: boolean
  readonly srv: boolean
}
const DWORD_CASES: readonly DwordCase[] = [
  { name: 'a raw UAV', declares: 'dcl_uav_raw u0', register: 'u0', raw: true, srv: false },
  { name: 'a raw SRV', declares: 'dcl_resource_raw t0', register: 't0', raw: true, srv: true },
  { name: 'a structured UAV', declares: 'dcl_uav_structured u0, 16', register: 'u0', raw: false, srv: false },
  { name: 'a structured SRV', declares: 'dcl_resource_structured t0, 16', register: 't0', raw: false, srv: true },
]

function dwordVectors(c: DwordCase): OpcodeVector[] {
  const bind = () => {
    const buffer = valueOrThrow(createBuffer({ data: Uint32Array.from(INDEX_OF_DATA), stride: 16 }))
    const options = c.raw ? { raw: true } : {}
    return { bindings: c.srv ? { t0: createSrv(buffer, options) } : { u0: createUav(buffer, options) } }
  }
  const load = c.raw ? 'ld_raw' : 'ld_structured'
  const at = (byte: number): string => (c.raw ? `l(${byte})` : `l(${byte >> 4}), l(${byte & 15})`)
  const base = { declares: c.declares, bind }
  return [
    {
      ...base,
      mnemonic: load,
      reason: `of ${c.name}: bits as they are, NaN and denormals too`,
      body: `${load} r1.xyzw, ${at(0)}, ${c.register}.xyzw`,
      result: [0x11, NOT_A_NUMBER, DENORMAL, 0x80000000],
    },
    {
      ...base,
      mnemonic: load,
      reason: `of ${c.name}: the swizzle names dwords from the address, the mask components of the destination`,
      body: `${load} r1.xzw, ${at(16)}, ${c.register}.wxyz`,
      result: [0x88, 7, 0x66, 0x77],
    },
    {
      ...base,
      mnemonic: load,
      reason: `of ${c.name}: one dword to all components`,
      body: `${load} r1.xyzw, ${at(20)}, ${c.register}.xxxx`,
      result: [0x66, 0x66, 0x66, 0x66],
    },
    {
      ...base,
      mnemonic: load,
      reason: `of ${c.name}: the address in a computed register`,
      body: `mov r2.w, l(${c.raw ? 24 : 1})\nmov r2.z, l(8)\n${load} r1.x, r2.w${c.raw ? '' : ', r2.z'}, ${c.register}.xxxx`,
      result: [0x77, 7, 7, 7],
    },
    {
      ...base,
      mnemonic: `${load}_s`,
      reason: `of ${c.name}, with its status`,
      body: `${load}_s r1.xyz, r3.y, ${at(16)}, ${c.register}.zyxw\n${CHECKED}`,
      result: [0x77, 0x66, 0x55, 0xffffffff],
    },
    {
      ...base,
      mnemonic: `${load}_s`,
      reason: `of ${c.name}, without its status (null)`,
      body: `${load}_s r1.xyz, null, ${at(16)}, ${c.register}.zyxw`,
      result: [0x77, 0x66, 0x55, 7],
    },
  ]
}

const MASKS = ['x', 'xy', 'xyz', 'xyzw']

/** As many words of the value's swizzle as the mask has, in order and without gaps (22.4.11, 22.4.13). */
function storeVectors(place: Place): OpcodeVector[] {
  const raw = place.name.startsWith('raw')
  // Dwords 4 to 7: structures of two dwords leave room for two, so structured memory is written two at a time at most.
  const masks = raw ? MASKS : MASKS.slice(0, 2)
  const store = raw ? 'store_raw' : 'store_structured'
  const values = [0xffffffff, NOT_A_NUMBER, DENORMAL, 0x80000000]
  return masks.map((mask): OpcodeVector => {
    const words = contents(place, 1000 + place.index)
    for (let i = 0; i < mask.length; i++) words[4 + i] = values[3 - i]!
    return {
      mnemonic: store,
      reason: `.${mask} to ${place.name}`,
      declares: place.declares,
      bind: () => place.bind(contents(place, 1000 + place.index)),
      body: [
        place.copyIn ?? '',
        `mov r2.xyzw, l(${values.map((v) => `0x${v.toString(16)}`).join(', ')})`,
        `${store} ${place.register}.${mask}, ${raw ? 'l(16)' : 'l(2), l(0)'}, r2.wzyx`,
        place.copyOut ?? '',
      ].join('\n'),
      result: [7, 7, 7, 7],
      memory: Array.from(words),
    }
  })
}

/** One element of a typed UAV of each dimension: written, read back, and nothing else touched. */
function typedVectors(place: Place): OpcodeVector[] {
  const bind = () => place.bind(contents(place, 0xfffffffe))
  const at = `mov r2.xyzw, l(${[...place.address].reverse().join(', ')})`
  return [
    {
      mnemonic: 'ld_uav_typed',
      reason: `of a ${place.name}: missing components are 0, 0 and 1`,
      declares: place.declares,
      bind,
      body: `${at}\nld_uav_typed r1.xyzw, r2.wzyx, u0.xyzw`,
      result: [0xfffffffe, 0, 0, 1],
    },
    {
      mnemonic: 'ld_uav_typed_s',
      reason: `of a ${place.name}, with its status`,
      declares: place.declares,
      bind,
      body: `ld_uav_typed_s r1.xyz, r3.y, l(${place.address.join(', ')}), u0.ywxx\n${CHECKED}`,
      result: [0, 1, 0xfffffffe, 0xffffffff],
    },
    {
      mnemonic: 'store_uav_typed',
      reason: `to a ${place.name}: the first component of the value`,
      declares: place.declares,
      bind,
      body: `${at}\nstore_uav_typed u0.xyzw, r2.wzyx, l(0x80000000, 1, 2, 3)`,
      memory: Array.from(contents(place, 0x80000000)),
    },
  ]
}

/** Format, first bytes of the buffer, and what a load gives. Conversions by 3.2.3; codes chosen at the ends of each. */
const FORMATS: readonly (readonly [
  format: string,
  type: string,
  bytes: readonly number[],
  result: readonly number[],
])[] = [
  ['R8G8B8A8_UNORM', 'unorm', [0, 255, 51, 128], floats(0, 1, 51 / 255, 128 / 255)],
  ['R8G8B8A8_SNORM', 'snorm', [0, 0x7f, 0x81, 0x80], floats(0, 1, -1, -1)],
  ['R8G8B8A8_UINT', 'uint', [0, 255, 1, 128], [0, 255, 1, 128]],
  ['R8G8B8A8_SINT', 'sint', [0, 255, 127, 128], [0, 0xffffffff, 127, 0xffffff80]],
  ['B8G8R8A8_UNORM', 'unorm', [255, 0, 51, 0], floats(51 / 255, 0, 1, 0)],
  ['R8_UNORM', 'unorm', [255, 9, 9, 9], floats(1, 0, 0, 1)],
  ['R8_SINT', 'sint', [0x80, 9, 9, 9], [0xffffff80, 0, 0, 1]],
  ['R16G16_UNORM', 'unorm', [0xff, 0xff, 0, 0], floats(1, 0, 0, 1)],
  ['R16G16_SNORM', 'snorm', [0, 0x80, 1, 0x80], floats(-1, -1, 0, 1)],
  ['R16G16_UINT', 'uint', [0xff, 0xff, 0, 0x80], [0xffff, 0x8000, 0, 1]],
  ['R16G16_SINT', 'sint', [0xff, 0xff, 0, 0x80], [0xffffffff, 0xffff8000, 0, 1]],
  ['R16G16_FLOAT', 'float', [1, 0, 0, 0xfc], [f(2 ** -24), 0xff800000, 0, f(1)]],
  ['R10G10B10A2_UNORM', 'unorm', [0xff, 0x03, 0, 0xc0], floats(1, 0, 0, 1)],
  ['R10G10B10A2_UINT', 'uint', [0xff, 0x07, 0, 0x80], [1023, 1, 0, 2]],
  ['R11G11B10_FLOAT', 'float', [0xc0, 0x03, 0x1e, 0x78], [f(1), f(1), f(1), f(1)]],
  ['R32_FLOAT', 'float', [1, 0, 0x80, 0x7f], [NOT_A_NUMBER, 0, 0, f(1)]],
  ['R32_UINT', 'uint', [0, 0, 0, 0x80], [0x80000000, 0, 0, 1]],
  ['R32G32B32A32_UINT', 'uint', [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], [1, 2, 3, 0xffffffff]],
]

function formatVectors([format, type, bytes, result]: (typeof FORMATS)[number]): OpcodeVector[] {
  const types = `(${Array(4).fill(type).join(',')})`
  const make = () => {
    const data = new Uint8Array(64)
    data.set(bytes, bytes.length)
    return valueOrThrow(createBuffer({ data }))
  }
  const size = bytes.length
  // One element is `size` bytes, or one or two where the format is smaller than the four bytes written.
  const elementBytes = format.startsWith('R8_') ? 1 : size
  const element = size / elementBytes
  const common = { reason: `of a buffer of ${format}`, result }
  const vectors: OpcodeVector[] = [
    {
      ...common,
      mnemonic: 'ld',
      declares: `dcl_resource_buffer ${types} t0`,
      bind: () => ({ bindings: { t0: createSrv(make(), { format }) } }),
      body: `ld_indexable(buffer)${types} r1.xyzw, l(${element}, 99, 99, 99), t0.xyzw`,
    },
    {
      ...common,
      mnemonic: 'ld_uav_typed',
      declares: `dcl_uav_typed_buffer ${types} u0`,
      bind: () => ({ bindings: { u0: createUav(make(), { format }) } }),
      body: `ld_uav_typed_indexable(buffer)${types} r1.xyzw, l(${element}, 99, 99, 99), u0.xyzw`,
    },
  ]
  // B8G8R8A8 has no typed UAV in Direct3D 11.0 (19.1).
  return format.startsWith('B8') ? vectors.slice(0, 1) : vectors
}

/** Value stored, and the first dword of memory after (3.2.3: scaled and rounded to nearest, clamped, NaN to 0). */
const STORES: readonly (readonly [format: string, type: string, value: string, dword: number])[] = [
  ['R8G8B8A8_UNORM', 'unorm', 'l(0.5, -1.0, 2.0, 1.0)', 0xffff0080],
  ['R8G8B8A8_UNORM', 'unorm', 'l(0x7fc00000, 0xff800000, 0x7f800000, 0x3f800000)', 0xffff0000],
  ['R8G8B8A8_SNORM', 'snorm', 'l(1.0, -1.0, -2.0, 0x7fc00000)', 0x0081817f],
  ['R8G8B8A8_UINT', 'uint', 'l(1, 255, 0, 128)', 0x8000ff01],
  ['R8G8B8A8_SINT', 'sint', 'l(-1, 127, -128, 0)', 0x00807fff],
  ['R16G16_FLOAT', 'float', 'l(1.0, -0.0, 9.0, 9.0)', 0x80003c00],
  ['R16G16_UNORM', 'unorm', 'l(1.0, 0.0, 9.0, 9.0)', 0x0000ffff],
  ['R32_FLOAT', 'float', 'l(0x7f800001, 9, 9, 9)', NOT_A_NUMBER],
  ['R32_FLOAT', 'float', 'l(0x80000001, 9, 9, 9)', DENORMAL],
  ['R32_SINT', 'sint', 'l(-2, 9, 9, 9)', 0xfffffffe],
  ['R10G10B10A2_UNORM', 'unorm', 'l(1.0, 0.0, 0.0, 1.0)', 0xc00003ff],
  ['R11G11B10_FLOAT', 'float', 'l(1.0, 1.0, 1.0, 5.0)', 0x781e03c0],
  ['R11G11B10_FLOAT', 'float', 'l(-1.0, -1.0, -1.0, 5.0)', 0],
]

const storeFormat = ([format, type, value, dword]: (typeof STORES)[number]): OpcodeVector => {
  const types = `(${Array(4).fill(type).join(',')})`
  return {
    mnemonic: 'store_uav_typed',
    reason: `of ${value} to ${format}`,
    declares: `dcl_uav_typed_buffer ${types} u0`,
    bind: () => {
      const buffer = valueOrThrow(createBuffer({ data: Uint32Array.of(0x12345678, 0x12345678) }))
      return { bindings: { u0: createUav(buffer, { format }) }, memory: buffer.storage }
    },
    body: `store_uav_typed u0.xyzw, l(1, 99, 99, 99), ${value}`,
    memory: [0x12345678, dword],
  }
}

const U = '(uint,uint,uint,uint)'
const texture = (options: Omit<TextureOptions, 'format' | 'width'>, count: number, sampleCount = 1) =>
  valueOrThrow(
    createTexture({
      ...options,
      format: 'R32_UINT',
      width: 4,
      sampleCount,
      data: Uint32Array.from({ length: count }, (_, i) => 100 + i),
    }),
  )

interface Loaded {
  readonly reason: string
  readonly word: string
  readonly bind: () => ReturnType<typeof texture>
  readonly body: string
  readonly result: readonly number[]
  readonly codes?: readonly string[]
  readonly mnemonic?: string
  readonly view?: object
}

const one = () => texture({ dimension: 'texture1d' }, 4)
const two = () => texture({ dimension: 'texture2d', height: 4, mipLevels: 3 }, 21)
const slices = () => texture({ dimension: 'texture2d', height: 4, arraySize: 2 }, 32)
const rows = () => texture({ dimension: 'texture1d', arraySize: 3 }, 12)
const deep = () => texture({ dimension: 'texture3d', height: 4, depth: 4 }, 64)
const samples = () => texture({ dimension: 'texture2d', height: 2 }, 32, 4)
const sampleSlices = () => texture({ dimension: 'texture2d', height: 2, arraySize: 2 }, 64, 4)
const ld = (word: string, suffix: string, address: string, rest = ''): string =>
  `ld${suffix}_indexable${rest}(${word})${U} r1.xyzw, l(${address}), t0.xyzw`
/** Out of bounds: 0 in what the format has, and 1 in the alpha that R32_UINT lacks (rule 23 of the semantics). */
const OUT = { result: [0, 0, 0, 1], codes: ['engine-out-of-bounds'] }

/** Texel (x, y, z) holds 100 and its place in the documented order. */
const LOADS: readonly Loaded[] = [
  {
    reason: '.yz are no coordinates of a Texture1D',
    word: 'texture1d',
    bind: one,
    body: ld('texture1d', '', '3, 99, 99, 0'),
    result: [103, 0, 0, 1],
  },
  {
    reason: '.y is the slice of a Texture1DArray',
    word: 'texture1darray',
    bind: rows,
    body: ld('texture1darray', '', '1, 2, 99, 0'),
    result: [109, 0, 0, 1],
  },
  {
    reason: '.z is no coordinate of a Texture2D',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '', '1, 3, 99, 0'),
    result: [113, 0, 0, 1],
  },
  {
    reason: '.w is the mip',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '', '1, 1, 99, 1'),
    result: [119, 0, 0, 1],
  },
  {
    reason: 'of the last mip',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '', '0, 0, 99, 2'),
    result: [120, 0, 0, 1],
  },
  {
    reason: 'past the extent of the mip, though mip 0 has it',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '', '2, 0, 0, 1'),
    ...OUT,
  },
  {
    reason: 'mips count from the first of the view',
    word: 'texture2d',
    bind: two,
    view: { mostDetailedMip: 1 },
    body: ld('texture2d', '', '1, 1, 99, 0'),
    result: [119, 0, 0, 1],
  },
  {
    reason: '.z is the slice of a Texture2DArray',
    word: 'texture2darray',
    bind: slices,
    body: ld('texture2darray', '', '1, 2, 1, 0'),
    result: [125, 0, 0, 1],
  },
  {
    reason: 'slices count from the first of the view',
    word: 'texture2darray',
    bind: slices,
    view: { dimension: 'texture2darray', firstArraySlice: 1, arraySize: 1 },
    body: ld('texture2darray', '', '1, 2, 0, 0'),
    result: [125, 0, 0, 1],
  },
  {
    reason: '.z is the depth of a Texture3D',
    word: 'texture3d',
    bind: deep,
    body: ld('texture3d', '', '1, 2, 3, 0'),
    result: [157, 0, 0, 1],
  },
  {
    reason: 'offsets are added in texels',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '_aoffimmi', '1, 1, 0, 0').replace('_indexable', '_indexable(2,-1,5)'),
    result: [103, 0, 0, 1],
  },
  {
    reason: 'offsets are added in texels of the mip',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '_aoffimmi', '0, 1, 0, 1').replace('_indexable', '_indexable(1,-1,0)'),
    result: [117, 0, 0, 1],
  },
  {
    reason: 'below 0 wraps to a large address, out of bounds',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '_aoffimmi', '0, 1, 0, 0').replace('_indexable', '_indexable(-1,0,0)'),
    ...OUT,
  },
  {
    reason: 'an offset of -1 takes the greatest address to one outside as well',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '_aoffimmi', '-1, 1, 0, 0').replace('_indexable', '_indexable(-1,0,0)'),
    ...OUT,
  },
  {
    reason: 'an offset of 2 takes address -1 to 1: 32 bits wrap',
    word: 'texture2d',
    bind: two,
    body: ld('texture2d', '_aoffimmi', '-1, 1, 0, 0').replace('_indexable', '_indexable(2,0,0)'),
    result: [105, 0, 0, 1],
  },
  {
    reason: 'v and w of an offset are ignored for a Texture1D',
    word: 'texture1d',
    bind: one,
    body: ld('texture1d', '_aoffimmi', '1, 0, 0, 0').replace('_indexable', '_indexable(2,-8,7)'),
    result: [103, 0, 0, 1],
  },
  {
    reason: 'no offset along the array axis',
    word: 'texture1darray',
    bind: rows,
    body: ld('texture1darray', '_aoffimmi', '1, 1, 0, 0').replace('_indexable', '_indexable(2,-1,0)'),
    result: [107, 0, 0, 1],
  },
  {
    reason: 'no offset along the array axis',
    word: 'texture2darray',
    bind: slices,
    body: ld('texture2darray', '_aoffimmi', '1, 2, 1, 0').replace('_indexable', '_indexable(1,-1,-1)'),
    result: [122, 0, 0, 1],
  },
  {
    reason: 'all three offsets for a Texture3D',
    word: 'texture3d',
    bind: deep,
    body: ld('texture3d', '_aoffimmi', '1, 2, 3, 0').replace('_indexable', '_indexable(1,1,-3)'),
    result: [114, 0, 0, 1],
  },
  {
    reason: 'one sample of a texel (22.4.7); .zw are ignored',
    word: 'texture2dms(4)',
    bind: samples,
    mnemonic: 'ldms',
    body: `ldms_indexable(texture2dms)${U} r1.xyzw, l(1, 1, 99, 99), t0.xyzw, l(2)`,
    result: [122, 0, 0, 1],
  },
  {
    reason: 'the sample number from a register',
    word: 'texture2dms(4)',
    bind: samples,
    mnemonic: 'ldms',
    body: `mov r2.w, l(3)\nldms_indexable(texture2dms)${U} r1.zw, l(0, 0, 0, 0), t0.xyxw, r2.w`,
    result: [7, 7, 103, 1],
  },
  {
    reason: '.z is the slice of an array',
    word: 'texture2dmsarray(4)',
    bind: sampleSlices,
    mnemonic: 'ldms',
    body: `ldms_indexable(texture2dmsarray)${U} r1.xyzw, l(1, 0, 1, 99), t0.xyzw, l(1)`,
    result: [137, 0, 0, 1],
  },
  {
    reason: 'offsets are added in texels',
    word: 'texture2dms(4)',
    bind: samples,
    mnemonic: 'ldms',
    body: `ldms_aoffimmi_indexable(2,1,0)(texture2dms)${U} r1.xyzw, l(1, 0, 0, 0), t0.xyzw, l(0)`,
    result: [128, 0, 0, 1],
  },
  {
    reason: 'past the texture',
    word: 'texture2dms(4)',
    bind: samples,
    mnemonic: 'ldms',
    body: `ldms_indexable(texture2dms)${U} r1.xyzw, l(4, 0, 0, 0), t0.xyzw, l(0)`,
    ...OUT,
  },
  {
    reason: 'with its status',
    word: 'texture2dms(4)',
    bind: samples,
    mnemonic: 'ldms_s',
    body: `ldms_s_indexable(texture2dms)${U} r1.xyz, r3.y, l(1, 1, 0, 0), t0.wyxx, l(2)\n${CHECKED}`,
    result: [1, 0, 122, 0xffffffff],
  },
  {
    reason: 'with its status',
    word: 'texture2d',
    bind: two,
    mnemonic: 'ld_s',
    body: `ld_s_indexable(texture2d)${U} r1.xyz, r3.y, l(1, 1, 0, 1), t0.wyxx\n${CHECKED}`,
    result: [1, 0, 119, 0xffffffff],
  },
  {
    reason: 'without its status (null)',
    word: 'texture2d',
    bind: two,
    mnemonic: 'ld_s',
    body: `ld_s_indexable(texture2d)${U} r1.xyz, null, l(1, 1, 0, 1), t0.wyxx`,
    result: [1, 0, 119, 7],
  },
]

const loadVector = (c: Loaded): OpcodeVector => ({
  mnemonic: c.mnemonic ?? 'ld',
  reason: `${c.word}: ${c.reason}`,
  declares: `dcl_resource_${c.word} ${U} t0`,
  bind: () => ({ bindings: { t0: createSrv(c.bind(), c.view ?? {}) } }),
  body: c.body,
  result: c.result,
  ...(c.codes === undefined ? {} : { codes: c.codes }),
})

/** Any word that is not the status of a mapped access (5.9.4.5.3). */
const STATUS: readonly OpcodeVector[] = [
  ['of a status of 0', 'l(0)', 0],
  ['of all ones', 'l(-1)', 0xffffffff],
].map(([reason, status, x]) => ({
  mnemonic: 'check_access_fully_mapped',
  reason: `${reason}`,
  body: `mov r2.z, ${status}\ncheck_access_fully_mapped r1.xy, r2.z`,
  result: [x as number, x as number, 7, 7],
}))

/** What cs_4_0 and cs_4_1 have: one raw or structured UAV, and structured shared memory (18.7.2). */
const DOWNLEVEL: readonly OpcodeVector[] = ['cs_4_0', 'cs_4_1'].flatMap((model): OpcodeVector[] => [
  {
    mnemonic: 'store_raw',
    reason: `to the one raw UAV of ${model}`,
    model,
    body: 'store_raw u7.xyzw, l(0), l(1, 2, 3, 4)\nmov r1.y, l(5)\nld_raw r1.x, l(8), u7.xxxx',
    result: [3, 5, 7, 7],
  },
  {
    mnemonic: 'store_structured',
    reason: `to shared memory of ${model}`,
    model,
    declares: 'dcl_tgsm_structured g0, 16, 1\ndcl_input vThreadIDInGroupFlattened',
    body: `store_structured g0.xyz, vThreadIDInGroupFlattened.x, l(4), l(9, 8, 6, 5)
ld_structured r1.xyzw, vThreadIDInGroupFlattened.x, l(0), g0.xyzw`,
    result: [0, 9, 8, 6],
  },
])

export const ACCESS_VECTORS: readonly OpcodeVector[] = [
  ...DWORD_CASES.flatMap(dwordVectors),
  ...UNTYPED_PLACES.flatMap(storeVectors),
  ...TYPED_PLACES.flatMap(typedVectors),
  ...FORMATS.flatMap(formatVectors),
  ...STORES.map(storeFormat),
  ...LOADS.map(loadVector),
  ...STATUS,
  ...DOWNLEVEL,
]
