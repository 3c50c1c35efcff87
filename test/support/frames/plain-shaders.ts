import type { Random } from '../random/random.ts'
import { MEMORY, SOURCE } from './templates.ts'

/** Shaders as most draws have them: attributes, constants, textures, and a few operations on them. */

/** Attributes behind the position, v1 and v2. */
export const PLAIN_ATTRIBUTES = 2

const text = (...lines: readonly (string | false)[]): string => `${lines.filter((l) => l !== false).join('\n')}\n`

export function plainVertexShader(r: Random): string {
  const [hasConstants, hasInstances] = [r.chance(0.5), r.chance(0.4)]
  return text(
    'vs_5_0',
    hasConstants && 'dcl_constantbuffer cb0[2], immediateIndexed',
    'dcl_input v0.xyzw',
    'dcl_input v1.xyzw',
    'dcl_input v2.xyzw',
    hasInstances && 'dcl_input_sgv v3.x, instance_id',
    'dcl_output_siv o0.xyzw, position',
    'dcl_output o1.xyzw',
    'dcl_output o2.xyzw',
    'dcl_temps 1',
    hasInstances ? 'utof r0.x, v3.x' : 'mov r0.x, l(0.0)',
    // Instances lie side by side.
    'mul r0.y, r0.x, v0.w',
    'mad o0.xyzw, r0.yyyy, l(0.125, 0.0625, 0.0, 0.0), v0.xyzw',
    hasConstants ? 'mad o1.xyzw, v1.xyzw, cb0[0].xyzw, cb0[1].xyzw' : 'mov o1.xyzw, v1.xyzw',
    'add o2.xyzw, v2.xyzw, r0.xxxx',
    'ret',
  )
}

/** One vertex for each of the first of a primitive, moved by its number: points, the strip of a triangle, or those points that a test lets. */
export function plainGeometryShader(n: number): { readonly text: string; readonly primitive: 'point' | 'triangle' } {
  const isChosen = n % 6 >= 4
  const primitive = isChosen || n % 2 === 0 ? 'point' : 'triangle'
  const size = primitive === 'point' ? 1 : 3
  const emitted = isChosen ? 3 * ((n % 6) - 3) : n % 6 < 3 ? 1 : 3
  const vertices = Array.from({ length: emitted }, (_, i) => [
    ...(isChosen ? [`lt r0.x, v[0][1].${'xyzw'[i % 4]}, l(${0.25 + i / 16})`, 'if_nz r0.x'] : []),
    `mad o0.xyzw, v[${i % size}][0].wwww, l(${i * 0.0625}, ${(i % 2) * 0.125}, 0.0, 0.0), v[${i % size}][0].xyzw`,
    `mov o1.xyzw, v[${i % size}][1].xyzw`,
    isChosen ? 'utof o2.xyzw, vPrim' : `mov o2.xyzw, v[${i % size}][2].wzyx`,
    'emit_stream m0',
    ...(isChosen ? ['endif'] : []),
  ])
  return {
    primitive,
    text: text(
      'gs_5_0',
      `dcl_input_siv v[${size}][0].xyzw, position`,
      `dcl_input v[${size}][1].xyzw`,
      `dcl_input v[${size}][2].xyzw`,
      ...(isChosen ? ['dcl_input vPrim', 'dcl_temps 1'] : []),
      `dcl_inputprimitive ${primitive}`,
      'dcl_stream m0',
      `dcl_outputtopology ${isChosen || emitted === 1 ? 'pointlist' : 'trianglestrip'}`,
      'dcl_output_siv o0.xyzw, position',
      'dcl_output o1.xyzw',
      'dcl_output o2.xyzw',
      `dcl_maxout ${emitted}`,
      ...vertices.flat(),
      'ret',
    ),
  }
}

const OPERATIONS: readonly (readonly [string, number])[] = [
  ...([
    ['add', 2],
    ['mul', 2],
    ['mad', 3],
    ['mad', 3],
    ['min', 2],
    ['max', 2],
    ['frc', 1],
    ['mul_sat', 2],
  ] as const),
  ...([
    ['lt', 2],
    ['movc', 3],
    ['dp4', 2],
    ['rsq', 1],
    ['sqrt', 1],
    ['round_ni', 1],
    ['and', 2],
    ['ftoi', 1],
  ] as const),
]

/** Operations one after the other, without flow: such shaders become one program with what is before and behind them. */
function operations(r: Random, isQuick: boolean): string[] {
  const sources = ['v1.xyzw', 'v1.wzyx', 'v2.xyzw', '-v1.xxyy', '|v2.zyxx|', 'r0.xyzw', 'r0.wwxy', 'l(0.5, 2, -1, 0.1)']
  const count = isQuick ? r.below(3) : r.below(9)
  return Array.from({ length: count }, () => {
    const [name, size] = r.pick(isQuick ? OPERATIONS.slice(0, 6) : OPERATIONS)
    const operands = Array.from({ length: size }, () => r.pick(sources))
    return `${name} ${r.pick(['r0.xyzw', 'r0.xz', 'r0.yw'])}, ${operands.join(', ')}`
  })
}

const MODES = ['linear', 'linear', 'linear', 'constant', 'linear_centroid', 'linear_noperspective'] as const
const SAMPLES = [
  ...['sample r1.xyzw, r1.xyxx, t0.xyzw, s0', 'sample r1.xyzw, r1.xyxx, t0.xyzw, s0'],
  ...['sample_b r1.xyzw, r1.xyxx, t0.xyzw, s0, l(0.5)', 'sample_l r1.xyzw, r1.xyxx, t0.xyzw, s0, l(0.75)'],
  'sample_d r1.xyzw, r1.xyxx, t0.xyzw, s0, v1.xyxx, v2.xyxx',
]

const sampleLines = (r: Random, scale: string, texture: string): string[] => [
  `mul r1.xyzw, v2.xyxy, l(${scale}, ${scale}, 1.0, 1.0)`,
  r.pick(SAMPLES).replace('t0', texture),
  'add r0.xyzw, r0.xyzw, r1.xyzw',
]

/**
 * Counts by pixel, modulo 8 both ways; or, ordered, what each of the first 8 x 8 pixels had times three and the primitive: pixels of
 * one place have a word of their own.
 */
function memoryLines(isOrdered: boolean): string[] {
  const place = ['imad r1.x, r1.y, l(8), r1.x', 'ishl r1.x, r1.x, l(2)']
  if (!isOrdered) {
    return ['ftou r1.xy, v0.xyxx', 'and r1.xy, r1.xyxx, l(7, 7, 0, 0)', ...place, `atomic_iadd ${MEMORY}, r1.x, l(1)`]
  }
  return [
    ...['ftou r1.xy, v0.xyxx', 'umax r1.z, r1.x, r1.y', 'ult r1.z, r1.z, l(8)', 'if_nz r1.z', ...place],
    ...[
      `ld_raw r2.x, r1.x, ${MEMORY}.xxxx`,
      'imad r2.x, r2.x, l(3), v3.x',
      `store_raw ${MEMORY}.x, r1.x, r2.x`,
      'endif',
    ],
  ]
}

/** Colors that are attributes, or some sums and products of them. */
export function codePixelShader(r: Random): string {
  const sources = ['v1.xyzw', 'v1.wzyx', 'v2.xyzw', 'v2.xxyy', '-v1.xyzw', 'r0.xyzw', 'l(0.5, 0.25, 1.0, 0.125)']
  const operations = Array.from({ length: r.pick([0, 0, 1, 2, 3]) }, () => {
    const name = r.pick(['add', 'mul', 'mul', 'add_sat', 'mul_sat', 'min', 'max'])
    return `${name} ${r.pick(['r0.xyzw', 'r0.xyz', 'r0.w'])}, ${r.pick(sources)}, ${r.pick(sources)}`
  })
  const isDual = r.chance(0.3)
  return text(
    'ps_5_0',
    `dcl_input_ps ${r.pick(MODES)} v1.xyzw`,
    `dcl_input_ps ${r.pick(MODES)} v2.xyzw`,
    'dcl_output o0.xyzw',
    isDual && 'dcl_output o1.xyzw',
    'dcl_temps 1',
    'mov r0.xyzw, v1.xyzw',
    ...operations,
    'mov o0.xyzw, r0.xyzw',
    isDual && 'mov o1.xyzw, v2.xyzw',
    'ret',
  )
}

export interface PlainPixelShader {
  readonly text: string
  /** Textures are this large; 0 where there are none. */
  readonly textureSize: number
  readonly isSampleFrequency: boolean
}

/** What plain pixel shaders are about, in the order of a pool: two of operations, textures, decisions, and one with memory. */
const KINDS = ['operations', 'operations', 'texture', 'texture', 'source', 'samples', 'depth', 'memory'] as const

/** Colors by operations; with textures; with what decides over samples or depth; and few with memory. */
export function plainPixelShader(r: Random, n: number): PlainPixelShader {
  const kind = KINDS[n % KINDS.length]!
  const decides = kind === 'samples' || kind === 'depth'
  const outputs = kind === 'operations' ? r.pick([1, 1, 2, 3]) : 1
  const isSampleFrequency = kind === 'depth' && r.chance(0.3)
  const mode = isSampleFrequency ? 'linear_sample' : r.pick(MODES)
  const scale = r.pick(['0.0625', '0.5', '1.0', '3.0'])
  const texture = kind === 'source' ? SOURCE : kind === 'texture' ? 't0' : undefined
  const textureSize = texture === undefined ? 0 : 4 * (2 + r.below(14))
  const isOrdered = r.chance(0.5)
  // Without constants operations are one program with interpolation and store.
  const hasConstants = kind !== 'memory' && n > 0 && r.chance(0.3)
  const ofDepth = ['mov oDepth, r2.x', 'mov oDepthGE, r2.x', 'mov oDepthLE, r2.x']
  const decision = r.pick(kind === 'depth' ? ofDepth : ['discard_nz r1.x', 'mov oMask, r1.x'])
  const output = /o(Mask|Depth\w*)/.exec(decision)?.[0]
  const memory = kind === 'memory'
  return {
    textureSize,
    isSampleFrequency,
    text: text(
      'ps_5_0',
      memory && `dcl_uav_raw${isOrdered ? '_rov' : ''} ${MEMORY}`,
      hasConstants && 'dcl_constantbuffer cb0[1], immediateIndexed',
      texture !== undefined && 'dcl_sampler s0, mode_default',
      texture !== undefined && `dcl_resource_texture2d (float,float,float,float) ${texture}`,
      'dcl_input_ps_siv linear_noperspective v0.xyzw, position',
      `dcl_input_ps ${mode} v1.xyzw`,
      `dcl_input_ps ${r.pick(MODES)} v2.xyzw`,
      memory && 'dcl_input_ps_sgv constant v3.x, primitive_id',
      'dcl_output o0.xyzw',
      outputs > 1 && 'dcl_output o1.xyzw',
      outputs > 2 && 'dcl_output o2.xyzw',
      decides && output !== undefined && `dcl_output ${output}`,
      'dcl_temps 3',
      'mov r0.xyzw, v1.xyzw',
      ...operations(r, kind !== 'operations'),
      ...(texture === undefined ? [] : sampleLines(r, scale, texture)),
      ...(decides
        ? ['ftou r1.xy, v0.xyxx', 'imad r1.x, r1.y, l(3), r1.x', 'and r1.x, r1.x, l(7)', 'frc r2.x, v2.x', decision]
        : []),
      ...(memory ? memoryLines(isOrdered) : []),
      hasConstants ? 'mad o0.xyzw, r0.xyzw, cb0[0].xyzw, v2.xyzw' : 'mov o0.xyzw, r0.xyzw',
      outputs > 1 && 'mov o1.xyzw, v2.wzyx',
      outputs > 2 && 'mov o2.xyzw, r0.yxwz',
      'ret',
    ),
  }
}
