import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, matchBindings } from '../../src/engine/index.ts'
import { FORMATS, type Format, type FormatResource } from '../../src/isa/formats/index.ts'
import {
  type BindingValue,
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  FILTERS,
  type Memory,
  SAMPLE_COUNTS,
  type SamplerOptions,
  type TextureOptions,
  type ViewDimension,
} from '../../src/machine/index.ts'
import { Random } from './random/random.ts'
import { programOf } from './run-text.ts'

/**
 * One texture instruction on a random view with a random sampler, each thread with its own operands: what the engines
 * are compared by on formats x dimensions x filters x address modes x instructions. Everything comes from the seed.
 */

export type TextureOperation =
  | 'ld'
  | 'ld2dms'
  | 'sample_l'
  | 'sample_d'
  | 'sample_c_lz'
  | 'gather4'
  | 'gather4_c'
  | 'gather4_po'
  | 'gather4_po_c'
  | 'resinfo'
  | 'samplepos'
  | 'store'
  | 'ld_uav'
  | 'ld_buffer'
  | 'store_buffer'

export interface TextureCase {
  readonly text: string
  /** What it is, for messages. */
  readonly name: string
  readonly groups: readonly [number, number, number]
  readonly operands: Uint32Array
  readonly texture: Omit<TextureOptions, 'memory'> | undefined
  readonly view: { readonly dimension: ViewDimension; readonly mostDetailedMip: number }
  readonly buffer: { readonly format: string; readonly data: Uint8Array } | undefined
  readonly sampler: SamplerOptions
}

const DIMENSIONS: readonly (readonly [ViewDimension, FormatResource])[] = [
  ['texture1d', 'texture1d'],
  ['texture1darray', 'texture1d'],
  ['texture2d', 'texture2d'],
  ['texture2darray', 'texture2d'],
  ['texture3d', 'texture3d'],
  ['texturecube', 'texturecube'],
  ['texturecubearray', 'texturecube'],
]

const OPERATIONS: readonly TextureOperation[] = [
  'sample_l',
  'sample_l',
  'sample_l',
  'sample_d',
  'sample_c_lz',
  'gather4',
  'gather4_c',
  'gather4_po',
  'gather4_po_c',
  'ld',
  'ld',
  'ld2dms',
  'resinfo',
  'samplepos',
  'store',
  'ld_uav',
  'ld_buffer',
  'store_buffer',
]

/** Words of operands a thread has: four coordinates, LOD, reference, two offsets, six derivatives. */
const WORDS = 16
const THREADS = 48

const BITS = new Uint32Array(1)
const FLOAT = new Float32Array(BITS.buffer)
function bits(value: number): number {
  FLOAT[0] = value
  return BITS[0]!
}

const SPECIAL_FLOATS = [0, -0, 1, -1, 0.5, 2, 1e-40, -1e-40, 2 ** -126, 1e-12, 3e38, -3e38, 1e30, 65504]
const NOT_NUMBERS = [0x7fc00000, 0x7f800000, 0xff800000]

const supports = (format: Format, op: TextureOperation): boolean => {
  const c = format.capabilities
  switch (op) {
    case 'gather4':
    case 'gather4_po':
      return c.gather !== 'none'
    case 'gather4_c':
    case 'gather4_po_c':
      return c.gather !== 'none' && c.comparison !== 'none'
    case 'sample_c_lz':
      return c.comparison !== 'none'
    case 'ld2dms':
    case 'samplepos':
      return c.multisampleLoad !== 'none'
    case 'store':
    case 'store_buffer':
      return c.typedUavStore !== 'none'
    case 'ld_uav':
      return c.typedUavLoad !== 'none'
    default:
      return c.load !== 'none'
  }
}

function dimensionsFor(op: TextureOperation): readonly ViewDimension[] {
  switch (op) {
    case 'ld2dms':
    case 'samplepos':
      return ['texture2dms', 'texture2dmsarray']
    case 'ld':
    case 'store':
    case 'ld_uav':
      return DIMENSIONS.slice(0, 5).map(([d]) => d)
    case 'sample_c_lz':
      return DIMENSIONS.filter(([d]) => d !== 'texture3d').map(([d]) => d)
    case 'gather4':
    case 'gather4_c':
      return ['texture2d', 'texture2darray', 'texturecube', 'texturecubearray']
    case 'gather4_po':
    case 'gather4_po_c':
      return ['texture2d', 'texture2darray']
    default:
      return DIMENSIONS.map(([d]) => d)
  }
}

/** Contents: bytes at random, often 0, with all the odd floats in formats that can hold them. */
function contents(r: Random, format: Format, byteLength: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(byteLength / 4) * 4)
  const words = new Uint32Array(bytes.buffer)
  const wide = format.layout === 'linear' && format.components.every((c) => c.bitCount === 32)
  const odd = r.below(4)
  for (let i = 0; i < words.length; i++) {
    if (!wide || format.result !== 'float') words[i] = r.chance(0.2) ? 0 : r.next()
    else if (odd > 0 && r.chance(odd === 1 ? 0.03 : 0.3)) {
      words[i] = r.chance(0.2) ? r.pick(NOT_NUMBERS) : bits(r.pick(SPECIAL_FLOATS))
    } else words[i] = bits((r.below(2001) - 1000) / 512)
  }
  return bytes.subarray(0, byteLength)
}

function coordinate(r: Random, size: number): number {
  switch (r.below(10)) {
    case 0:
      return r.pick([...NOT_NUMBERS, ...SPECIAL_FLOATS.map(bits)])
    case 1:
    case 2:
    case 3:
      // On texel edges and centers, and just beside them.
      return bits((r.below(6 * size + 1) - 2 * size) / (2 * size) + (r.chance(0.3) ? (r.below(3) - 1) * 1e-4 : 0))
    case 4:
      return bits((r.below(2000) - 1000) / 64)
    default:
      return bits(r.below(4096) / 4096 + (r.below(3) - 1) * (r.chance(0.2) ? 1 : 0))
  }
}

function operandsOf(r: Random, op: TextureOperation, size: number, count: number): Uint32Array {
  const words = new Uint32Array(count * WORDS)
  const isInteger = !op.startsWith('sample_') && !op.startsWith('gather')
  for (let t = 0; t < count; t++) {
    const at = t * WORDS
    for (let c = 0; c < 4; c++) {
      const integer = r.chance(0.05) ? r.next() : r.below(c === 3 ? 6 : size + 2)
      words[at + c] = isInteger ? integer : coordinate(r, size)
    }
    words[at + 4] = r.chance(0.15) ? r.pick([...NOT_NUMBERS, bits(1e30), bits(-1e30)]) : bits((r.below(512) - 100) / 64)
    words[at + 5] = r.chance(0.1) ? r.pick(NOT_NUMBERS) : bits(r.below(257) / 256)
    words[at + 6] = r.chance(0.2) ? r.next() : r.below(64)
    words[at + 7] = r.chance(0.2) ? r.next() : r.below(64)
    for (let c = 8; c < WORDS; c++) words[at + c] = r.chance(0.1) ? r.next() : bits((r.below(200) - 100) / 256)
  }
  return words
}

const types = (format: Format): string => {
  const word = format.result === 'float' ? 'float' : format.result
  return `(${[word, word, word, word].join(',')})`
}

/** Declarations and the instruction; the result is in r4. */
function bodyOf(
  r: Random,
  op: TextureOperation,
  dimension: string,
  format: Format,
  sampleCount: number,
): readonly [string, string] {
  const t = types(format)
  const dcl = `dcl_resource_${dimension} ${t} t0`
  const sampler = `dcl_sampler s0, mode_${op.includes('_c') ? 'comparison' : 'default'}`
  const constantLod = r.chance(0.4)
  const at = r.chance(0.3) && !dimension.includes('cube')
  const axes = dimension.startsWith('texture1d') ? 1 : dimension === 'texture3d' ? 3 : 2
  const offset = [0, 1, 2].map((n) => (n < axes ? r.below(16) - 8 : 0)).join(',')
  const form = (m: string): string => (at ? `${m}_aoffimmi_indexable(${offset})` : `${m}_indexable`)
  const of = (m: string, offsets = true): string => `${offsets ? form(m) : `${m}_indexable`}(${dimension})${t}`
  switch (op) {
    case 'ld':
      return [dcl, `${of('ld')} r4.xyzw, r0.${r.pick(['xyzw', 'xyzz'])}, t0.xyzw`]
    case 'ld2dms': {
      const counted = `dcl_resource_${dimension}(${sampleCount}) ${t} t0`
      return [counted, `ld2dms_indexable(${dimension})${t} r4.xyzw, r0.xyzz, t0.xyzw, r0.w`]
    }
    case 'sample_l': {
      const lod = constantLod ? `l(${r.pick(['0.000000', '1.000000', '-1.000000', '0.750000', '9.000000'])})` : 'r1.x'
      return [`${dcl}\n${sampler}`, `${of('sample_l')} r4.xyzw, r0.xyzw, t0.xyzw, s0, ${lod}`]
    }
    case 'sample_d':
      return [`${dcl}\n${sampler}`, `${of('sample_d')} r4.xyzw, r0.xyzw, t0.xyzw, s0, r2.xyzw, r3.xyzw`]
    case 'sample_c_lz':
      return [`${dcl}\n${sampler}`, `${of('sample_c_lz')} r4.xyzw, r0.xyzw, t0.xxxx, s0, r1.y`]
    case 'gather4':
      return [`${dcl}\n${sampler}`, `${of('gather4')} r4.xyzw, r0.xyzw, t0.xyzw, s0.${r.pick(['x', 'y', 'z', 'w'])}`]
    case 'gather4_c':
      return [`${dcl}\n${sampler}`, `${of('gather4_c')} r4.xyzw, r0.xyzw, t0.xyzw, s0.x, r1.y`]
    case 'gather4_po':
      return [
        `${dcl}\n${sampler}`,
        `${of('gather4_po', false)} r4.xyzw, r0.xyzw, r1.zwzz, t0.xyzw, s0.${r.pick(['x', 'y', 'z', 'w'])}`,
      ]
    case 'gather4_po_c':
      return [`${dcl}\n${sampler}`, `${of('gather4_po_c', false)} r4.xyzw, r0.xyzw, r1.zwzz, t0.xyzw, s0.x, r1.y`]
    case 'resinfo':
      return [dcl, `resinfo_uint_indexable(${dimension})${t} r4.xyzw, ${constantLod ? 'l(0)' : 'r0.w'}, t0.xyzw`]
    case 'samplepos':
      return [`dcl_resource_${dimension}(${sampleCount}) ${t} t0`, `samplepos r4.xyzw, t0.xyzw, r0.w`]
    case 'store':
      return [`dcl_uav_typed_${dimension} ${t} u1`, 'store_uav_typed u1.xyzw, r0.xyzz, r2.xyzw']
    case 'ld_uav':
      return [
        `dcl_uav_typed_${dimension} ${t} u1`,
        `ld_uav_typed_indexable(${dimension})${t} r4.xyzw, r0.xyzz, u1.xyzw`,
      ]
    case 'ld_buffer':
      return [`dcl_resource_buffer ${t} t0`, `ld_indexable(buffer)${t} r4.xyzw, r0.x, t0.xyzw`]
    case 'store_buffer':
      return [`dcl_uav_typed_buffer ${t} u1`, 'store_uav_typed u1.xyzw, r0.xxxx, r2.xyzw']
    default:
      return op satisfies never
  }
}

function textOf(declares: string, body: string): string {
  return `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t7
dcl_uav_raw u7
${declares}
dcl_input vThreadID.x
dcl_temps 6
dcl_thread_group ${THREADS}, 1, 1
ishl r5.x, vThreadID.x, l(6)
ld_raw r0.xyzw, r5.x, t7.xyzw
iadd r5.yzw, r5.xxxx, l(0, 16, 32, 48)
ld_raw r1.xyzw, r5.y, t7.xyzw
ld_raw r2.xyzw, r5.z, t7.xyzw
ld_raw r3.xyzw, r5.w, t7.xyzw
mov r4.xyzw, l(7, 7, 7, 7)
${body}
ishl r5.x, vThreadID.x, l(4)
store_raw u7.xyzw, r5.x, r4.xyzw
ret
`
}

const ADDRESSES = ['WRAP', 'MIRROR', 'CLAMP', 'BORDER', 'MIRROR_ONCE']
const COMPARISONS = ['never', 'less', 'equal', 'less_equal', 'greater', 'not_equal', 'greater_equal', 'always']

function samplerFor(r: Random, op: TextureOperation): SamplerOptions {
  const compares = op.includes('_c')
  const filters = [...FILTERS.keys()].filter((f) => f.startsWith('COMPARISON') === compares)
  const borderColor = [0, 1, 2, 3].map(() => r.pick([0, 1, 0.25, -1, 1e-30, 300, -0]))
  return {
    filter: r.chance(0.4) && !compares ? 'MIN_MAG_MIP_LINEAR' : r.pick(filters),
    addressU: r.pick(ADDRESSES),
    addressV: r.pick(ADDRESSES),
    addressW: r.pick(ADDRESSES),
    borderColor,
    comparison: r.pick(COMPARISONS),
    mipLodBias: r.chance(0.3) ? r.below(5) - 2 : 0,
    minLod: r.chance(0.2) ? r.below(3) : 0,
    maxLod: r.chance(0.2) ? r.below(4) / 2 : 1000,
    maxAnisotropy: r.below(5),
  }
}

/** A sampler that blends texels. */
function filteringSampler(r: Random): SamplerOptions {
  const filter = r.pick(['MIN_MAG_MIP_LINEAR', 'MIN_MAG_LINEAR_MIP_POINT', 'ANISOTROPIC'])
  const addressU = r.pick(['WRAP', 'CLAMP', 'WRAP', 'CLAMP', 'MIRROR', 'MIRROR_ONCE'])
  return { ...samplerFor(r, 'sample_l'), filter, addressU, addressV: r.pick(ADDRESSES.filter((a) => a !== 'BORDER')) }
}

/** Widths at which engines may compute positions in other ways; multiples of 4 for blocks. */
const WIDE = [496, 500, 504, 960, 964, 1024, 1028, 4096]

function textureFor(r: Random, op: TextureOperation, dimension: ViewDimension, format: Format): TextureOptions {
  const multisample = op === 'ld2dms' || op === 'samplepos'
  const resource = multisample ? 'texture2d' : DIMENSIONS.find(([d]) => d === dimension)![1]
  const block = format.blockWidth === 4 ? 4 : format.blockWidth
  const size = (): number => block * (1 + r.below(r.chance(0.2) ? 9 : 4))
  const cube = resource === 'texturecube'
  const width = !cube && r.chance(0.15) ? r.pick(WIDE) : size()
  const height = resource === 'texture1d' ? 1 : cube ? width : Math.max(block === 4 ? 4 : 1, size())
  const isArray = dimension.endsWith('array')
  const mips = multisample || r.chance(0.3) ? 1 : 1 + r.below(4)
  const largest = Math.max(width, height)
  return {
    dimension: resource as TextureOptions['dimension'],
    format: format.name,
    width,
    ...(resource === 'texture1d' ? {} : { height }),
    ...(resource === 'texture3d' ? { depth: 1 + r.below(5) } : {}),
    ...(isArray ? { arraySize: (cube ? 6 : 1) * (1 + r.below(3)) } : {}),
    mipLevels: Math.min(mips, 32 - Math.clz32(largest)),
    ...(multisample ? { sampleCount: r.pick(SAMPLE_COUNTS.filter((n) => n > 1)) } : {}),
    ...(r.chance(0.15) && !multisample ? { minLod: r.below(5) / 2 } : {}),
  }
}

/** Formats of several components of few bits, of which engines may keep decoded copies. */
const isPacked = ({ components, layout, blockByteLength }: Format): boolean =>
  layout === 'linear' && components.length > 2 && blockByteLength % 4 === 0 && components.every((c) => c.bitCount <= 16)

/**
 * The case of a seed; undefined where the seed gives what no format or texture has. `isFiltered` for bilinear filters of flat
 * textures of packed formats alone.
 */
export function textureCase(seed: number, isFiltered = false): TextureCase | undefined {
  const r = new Random(seed)
  const op = r.pick(isFiltered ? (['sample_l', 'sample_d'] as const) : OPERATIONS)
  const isBuffer = op === 'ld_buffer' || op === 'store_buffer'
  const dimension = r.pick(isFiltered ? (['texture2d', 'texture2darray'] as const) : dimensionsFor(op))
  const kind = isBuffer ? 'buffer' : (DIMENSIONS.find(([d]) => d === dimension)?.[1] ?? 'texture2d')
  const formats = FORMATS.filter((f) => f.result !== 'none' && f.capabilities.resources[kind] !== 'none')
  const format = r.pick(formats.filter((f) => supports(f, op) && (!isFiltered || isPacked(f))))
  const texture = isBuffer ? undefined : textureFor(r, op, dimension, format)
  const [declares, body] = bodyOf(r, op, dimension, format, texture?.sampleCount ?? 1)
  const made = texture === undefined ? undefined : createTexture(texture).value
  if (texture !== undefined && made === undefined) return undefined
  const view = { dimension, mostDetailedMip: made !== undefined && r.chance(0.2) ? r.below(made.mipLevels) : 0 }
  const data = contents(r, format, made?.byteLength ?? format.blockByteLength * (3 + r.below(60)))
  const groups = [1 + r.below(2), 1, 1] as const
  const operands = operandsOf(r, op, texture?.width ?? 32, THREADS * groups[0])
  return {
    text: textOf(declares, body),
    name: `${body} on ${format.name} ${JSON.stringify({ ...texture, ...view })}`,
    groups,
    operands,
    texture: texture && { ...texture, data },
    view,
    buffer: isBuffer ? { format: format.name, data } : undefined,
    sampler: isFiltered ? filteringSampler(r) : samplerFor(r, op),
  }
}

/** Fresh resources of a case, from a memory where there is one, and what is written beside the results. */
export function bindingsOf(c: TextureCase, memory?: Memory): CaseBindings {
  const own = memory === undefined ? {} : { memory }
  const out = valueOrThrow(createBuffer({ byteLength: (c.operands.length / WORDS) * 16, ...own }))
  const operands = valueOrThrow(createBuffer({ data: c.operands, ...own }))
  const resource =
    c.buffer === undefined
      ? valueOrThrow(createTexture({ ...c.texture!, ...own }))
      : valueOrThrow(createBuffer({ data: c.buffer.data, ...own }))
  const writes = c.text.includes(' u1')
  const { dimension, mostDetailedMip } = c.view
  const format = c.buffer?.format
  const viewed = (): BindingValue => {
    if (resource.kind === 'buffer') {
      const typed = { format: format! }
      return writes ? valueOrThrow(createUav(resource, typed)) : valueOrThrow(createSrv(resource, typed))
    }
    if (writes) return valueOrThrow(createUav(resource, { dimension, mipSlice: mostDetailedMip }))
    return valueOrThrow(createSrv(resource, { dimension, mostDetailedMip }))
  }
  const bound: Record<string, BindingValue> = {
    t7: valueOrThrow(createSrv(operands, { raw: true })),
    u7: valueOrThrow(createUav(out, { raw: true })),
    [writes ? 'u1' : 't0']: viewed(),
    ...(c.text.includes('dcl_sampler') ? { s0: valueOrThrow(createSampler(c.sampler)) } : {}),
  }
  return { bound, written: [out.storage.words, ...(writes ? [resource.storage.words] : [])] }
}

export interface CaseBindings {
  readonly bound: Record<string, BindingValue>
  readonly written: readonly Uint32Array[]
}

/** Runs a case on an engine: the words of all threads' results, then those of what was written. */
export async function runTextureCase(engine: Engine, c: TextureCase, keep: boolean): Promise<Uint32Array> {
  const { bound, written } = bindingsOf(c, engine.memory)
  const shader = valueOrThrow(engine.load(programOf(c.text), keep ? { denormals: 'keep' } : {}))
  const matched = valueOrThrow(matchBindings(shader.declarations, bound))
  const result = await engine.dispatch(shader, matched, c.groups)
  if (result.stopped !== undefined) {
    throw new Error(`stopped: ${result.stopped} ${result.diagnostics.map((d) => d.message).join('; ')}`)
  }
  return Uint32Array.from(written.flatMap((w) => [...w]))
}
