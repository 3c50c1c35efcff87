import {
  domainPlace,
  factorPhase,
  type PatchShape,
  type SystemOutput,
  systemDeclarations,
  systemLines,
  tessellatorDeclarations,
} from '../random/linked-outputs.ts'
import type { Random } from '../random/random.ts'

/** Shaders whose every part is known: what only a whole draw has, chosen at random. */

/** A raw buffer that the shaders of all stages count in: the order of their counts shows. */
export const MEMORY = 'u12'
export const MEMORY_WORDS = 64
/** A texture that pixel shaders read: one of the frame that the draw does not draw to. */
export const SOURCE = 't20'

export const MODES = [
  ...['constant', 'linear', 'linear_centroid', 'linear_noperspective', 'linear_noperspective_centroid'],
  ...['linear_sample', 'linear_noperspective_sample'],
] as const

const text = (...lines: (string | false)[]): string => `${lines.filter((line) => line !== false).join('\n')}\n`

/** An addition whose value before goes to `to` as a float. */
const count = (to: string, word: number): string[] => [
  `imm_atomic_iadd ${to}, ${MEMORY}, l(${4 * word}), l(1)`,
  `utof ${to}, ${to}`,
]

export function vertexTemplate(r: Random, system: readonly SystemOutput[]): string {
  const counts = r.chance(0.2)
  return text(
    'vs_5_0',
    counts && `dcl_uav_raw ${MEMORY}`,
    'dcl_input_sgv v0.x, vertex_id',
    'dcl_input v1.xyzw',
    'dcl_input v2.xyzw',
    'dcl_input v3.xyzw',
    'dcl_input_sgv v4.x, instance_id',
    'dcl_output_siv o0.xyzw, position',
    'dcl_output o1.xyzw',
    'dcl_output o2.xyzw',
    'dcl_output o3.xyzw',
    ...systemDeclarations(system),
    'dcl_temps 2',
    // Instances lie side by side.
    'utof r0.x, v4.x',
    'mul r0.x, r0.x, l(0.25)',
    'mad r1.xyzw, r0.xxxx, l(1.0, -1.0, 0.0, 0.0), v1.xyzw',
    'mov o0.xyzw, r1.xyzw',
    'mov o1.xyzw, v2.xyzw',
    'add o2.xyzw, v2.wzyx, v3.xyzw',
    'utof r0.y, v0.x',
    ...(counts ? count('r0.z', r.below(4)) : ['mov r0.z, l(1.0)']),
    'mov o3.xyzw, r0.xyzz',
    ...systemLines(r, system, 'r1.xyzw', 'v0.x'),
    'ret',
  )
}

export function hullTemplate(r: Random, patch: PatchShape): string {
  const { inputPoints, outputPoints } = patch
  const counts = r.chance(0.2)
  const passes = inputPoints === outputPoints && r.chance(0.3)
  const points = text(
    'hs_control_point_phase',
    'dcl_input vOutputControlPointID',
    `dcl_input v[${inputPoints}][0].xyzw`,
    `dcl_input v[${inputPoints}][1].xyzw`,
    'dcl_output o0.xyzw',
    'dcl_output o1.xyzw',
    'dcl_temps 1',
    `umin r0.x, vOutputControlPointID, l(${inputPoints - 1})`,
    'mov o0.xyzw, v[r0.x][0].xyzw',
    'mul o1.xyzw, v[r0.x][1].xyzw, l(0.5, 1.0, 2.0, -1.0)',
    ...(counts ? [...count('r0.y', 4), 'add o1.w, o1.w, r0.y'].slice(0, 2) : []),
    'ret',
  )
  return [
    text('hs_5_0', 'hs_decls', counts && `dcl_uav_raw ${MEMORY}`),
    text(
      `dcl_input_control_point_count ${inputPoints}`,
      `dcl_output_control_point_count ${outputPoints}`,
      ...tessellatorDeclarations(patch),
    ),
    passes ? '' : points,
    text(...factorPhase(r, patch, 4)),
    // What the fork phase wrote, for the domain shader.
    text('hs_join_phase', 'dcl_input vpc[4].x', 'dcl_output o0.xyzw', 'mul o0.xyzw, vpc[4].xxxx, l(1,2,3,4)', 'ret'),
  ].join('')
}

export function domainTemplate(
  r: Random,
  { outputPoints, domain }: PatchShape,
  system: readonly SystemOutput[],
): string {
  const counts = r.chance(0.2)
  return text(
    'ds_5_0',
    counts && `dcl_uav_raw ${MEMORY}`,
    `dcl_input_control_point_count ${outputPoints}`,
    `dcl_tessellator_domain domain_${domain}`,
    'dcl_input vPrim',
    `dcl_input vDomain.${domain === 'tri' ? 'xyz' : 'xy'}`,
    `dcl_input vicp[${outputPoints}][0].xyzw`,
    `dcl_input vicp[${outputPoints}][1].xyzw`,
    'dcl_input vpc[0].xyzw',
    'dcl_output_siv o0.xyzw, position',
    'dcl_output o1.xyzw',
    'dcl_output o2.xyzw',
    ...systemDeclarations(system),
    'dcl_temps 9',
    ...domainPlace(domain, outputPoints, 'r0'),
    'mov o0.xyzw, r0.xyzw',
    `mad o1.xyzw, vicp[0][1].xyzw, vDomain.xyxy, vicp[${outputPoints - 1}][1].wzyx`,
    ...(counts ? count('r1.x', 8) : ['mov r1.x, vpc[0].w']),
    'mov o2.xyz, vpc[0].xyzx',
    'mov o2.w, r1.x',
    ...systemLines(r, system, 'r0.xyzw', 'vPrim'),
    'ret',
  )
}

const VERTICES: Readonly<Record<string, number>> = { point: 1, line: 2, triangle: 3, lineadj: 4, triangleadj: 6 }
/** Vertices of an input primitive of a geometry shader. */
export const verticesOf = (primitive: string): number => VERTICES[primitive] ?? Number(primitive.slice('patch'.length))

const plainSystem = (system: readonly SystemOutput[]): string[] => systemDeclarations(system)

/** Every stream has a position of its own; registers are shared. */
function streamDeclarations(streams: number, topology: string, system: readonly SystemOutput[]): string[] {
  return Array.from({ length: streams }, (_, n) => [
    `dcl_stream m${n}`,
    `dcl_outputtopology ${topology}`,
    'dcl_output_siv o0.xyzw, position',
    'dcl_output o1.xyzw',
    ...(n === 0 ? ['dcl_output o2.xyzw', ...plainSystem(system)] : []),
  ]).flat()
}

export function geometryTemplate(r: Random, primitive: string, system: readonly SystemOutput[]): string {
  const size = verticesOf(primitive)
  const streams = r.pick([1, 1, 1, 2, 3, 4])
  const topology = streams > 1 ? 'pointlist' : r.pick(['pointlist', 'linestrip', 'trianglestrip', 'trianglestrip'])
  const instances = r.chance(0.3) ? 1 + r.below(3) : 0
  const [counts, cuts] = [r.chance(0.2), r.chance(0.4)]
  const vertices = 1 + r.below(6)
  const shift = `l(${r.pick(['0.5', '0.125', '-0.25'])}, 0.25, 0.0, 0.0)`
  const step = (n: number): string[] => [
    `mad r1.xyzw, r0.xxxx, ${shift}, v[r0.y][0].xyzw`,
    'mov o0.xyzw, r1.xyzw',
    'mov o1.xyzw, v[r0.y][1].xyzw',
    `mov o2.xyzw, ${counts ? 'r0.zzzz' : 'r0.xyxy'}`,
    ...systemLines(r, system, 'r1.xyzw', 'vPrim'),
    `emit_stream m${n}`,
  ]
  return text(
    'gs_5_0',
    counts && `dcl_uav_raw ${MEMORY}`,
    `dcl_input_siv v[${size}][0].xyzw, position`,
    `dcl_input v[${size}][1].xyzw`,
    'dcl_input vPrim',
    instances > 0 && 'dcl_input vGSInstanceID',
    'dcl_temps 2',
    `dcl_inputprimitive ${primitive}`,
    instances > 0 && `dcl_gsinstances ${instances}`,
    ...streamDeclarations(streams, topology, system),
    `dcl_maxout ${1 + r.below(vertices * streams + 2)}`,
    instances > 0 ? 'utof r0.x, vGSInstanceID' : 'mov r0.x, l(0.0)',
    ...(counts ? count('r0.z', 12) : ['mov r0.z, l(0)']),
    'mov r0.w, l(0)',
    'loop',
    `uge r0.y, r0.w, l(${vertices})`,
    'breakc_nz r0.y',
    `umin r0.y, r0.w, l(${size - 1})`,
    'add r0.x, r0.x, l(0.125)',
    ...Array.from({ length: streams }, (_, n) => step(n)).flat(),
    'iadd r0.w, r0.w, l(1)',
    ...(cuts ? [`ieq r0.y, r0.w, l(${1 + r.below(4)})`, 'if_nz r0.y', 'cut_stream m0', 'endif'] : []),
    'endloop',
    'ret',
  )
}

export interface PixelShape {
  /** Targets that it writes. */
  readonly outputs: number
}

interface PixelParts {
  readonly mode: string
  readonly depth: string | undefined
  readonly coverage: 'vCoverage' | 'vInnerCoverage' | undefined
  readonly [flag: string]: unknown
}

function pixelParts(r: Random): PixelParts {
  const depth = r.pick([undefined, undefined, undefined, 'oDepth', 'oDepthGE', 'oDepthLE'])
  return {
    mode: r.pick(MODES),
    depth,
    coverage: r.pick([undefined, undefined, 'vCoverage', 'vInnerCoverage'] as const),
    memory: r.chance(0.3),
    discards: r.chance(0.35),
    masks: r.chance(0.3),
    early: r.chance(0.15),
    samples: r.chance(0.25),
    stencil: r.chance(0.15),
    distances: r.chance(0.3),
    slices: r.chance(0.3),
    faces: r.chance(0.3),
    outside: r.chance(0.2),
    source: r.chance(0.3),
  }
}

function pixelDeclarations(r: Random, p: PixelParts, outputs: number): (string | false)[] {
  const place = r.pick(['linear_noperspective', 'linear_noperspective_centroid', 'linear_noperspective_sample'])
  return [
    `dcl_globalFlags refactoringAllowed${p.early === true ? ' | forceEarlyDepthStencil' : ''}`,
    p.memory === true && `dcl_uav_raw ${MEMORY}`,
    p.source === true && `dcl_resource_texture2d (float,float,float,float) ${SOURCE}`,
    `dcl_input_ps_siv ${place} v0.xyzw, position`,
    `dcl_input_ps ${p.mode} v1.xyzw`,
    `dcl_input_ps ${r.pick(MODES.slice(0, 5))} v2.xyzw`,
    p.distances === true && 'dcl_input_ps_siv linear v5.xyzw, clip_distance',
    p.slices === true && 'dcl_input_ps_siv constant v7.x, rendertarget_array_index',
    p.slices === true && 'dcl_input_ps_siv constant v7.y, viewport_array_index',
    'dcl_input_ps_sgv constant v8.x, primitive_id',
    p.faces === true && 'dcl_input_ps_sgv constant v9.x, is_front_face',
    p.samples === true && 'dcl_input_ps_sgv constant v10.x, sampleIndex',
    p.coverage !== undefined && `dcl_input ${p.coverage}`,
    ...Array.from({ length: outputs }, (_, n) => `dcl_output o${n}.xyzw`),
    p.depth !== undefined && `dcl_output ${p.depth}`,
    p.masks === true && 'dcl_output oMask',
    p.stencil === true && 'dcl_output oStencilRef',
    'dcl_temps 4',
  ]
}

/** Lines that find the words of the outputs in r0, r1 and r2: r2.x is the number of the pixel, r2.y its byte. */
function pixelBody(r: Random, p: PixelParts): (string | false)[] {
  const sum = (from: string, to = 'r0.w'): string => `add ${to}, ${to}, ${from}`
  return [
    'mul r0.xyzw, v1.xyzw, l(0.5, 0.25, 3.0, 1.0)',
    `deriv_rtx_${r.pick(['fine', 'coarse'])} r1.x, r0.x`,
    `deriv_rty_${r.pick(['fine', 'coarse'])} r1.y, v2.z`,
    'add r0.xy, r0.xyxx, r1.xyxx',
    'mul r1.xyzw, v2.wzyx, l(0.1, 0.2, 0.3, 0.4)',
    'ftou r2.xy, v0.xyxx',
    'imad r2.x, r2.y, l(8), r2.x',
    'ishl r2.y, r2.x, l(2)',
    p.distances === true && sum('v5.y'),
    ...(p.slices === true ? ['iadd r3.x, v7.x, v7.y', 'utof r3.x, r3.x', sum('r3.x', 'r0.z')] : []),
    ...(p.faces === true ? ['movc r3.x, v9.x, l(0.5), l(-0.5)', sum('r3.x', 'r0.y')] : []),
    ...(p.samples === true ? ['utof r3.x, v10.x', sum('r3.x', 'r0.z')] : []),
    ...(p.coverage === undefined ? [] : [`utof r3.x, ${p.coverage}.x`, sum('r3.x', 'r1.x')]),
    // Sums do not depend on an order; what the atomics give back does, and goes to the target.
    ...(p.memory === true
      ? [`imm_atomic_iadd r3.x, ${MEMORY}, l(64), r2.x`, 'utof r3.x, r3.x', 'mad r0.w, r3.x, l(0.125), r0.w']
      : []),
    ...(p.memory === true && p.outside === true
      ? ['iadd r2.z, r2.y, l(150)', `store_raw ${MEMORY}.xy, r2.z, r2.xyxx`]
      : []),
    ...(p.source === true
      ? [
          'ftou r3.xy, v0.xyxx',
          'mov r3.zw, l(0)',
          `ld r3.xyzw, r3.xyzw, ${SOURCE}.xyzw`,
          'add r1.xyzw, r1.xyzw, r3.xyzw',
        ]
      : []),
    'and r2.w, r2.x, l(3)',
    p.discards === true && `discard_${r.pick(['z', 'nz'])} r2.w`,
    p.memory === true && `atomic_umax ${MEMORY}, l(68), r2.y`,
    ...(p.masks === true ? ['iadd r2.w, r2.x, l(5)', 'mov oMask, r2.w'] : []),
    p.stencil === true && 'mov oStencilRef, r2.x',
    ...(p.depth === undefined ? [] : ['frc r3.y, r0.x', `mov ${p.depth}, r3.y`]),
  ]
}

/** A pixel shader with some of: memory, discard, coverage in and out, depth and stencil out, samples, slices, faces. */
export function pixelTemplate(r: Random, { outputs }: PixelShape): string {
  const p = pixelParts(r)
  const values = ['r0.xyzw', 'r1.xyzw', 'r0.wzyx', 'r1.yxwz']
  return text(
    'ps_5_0',
    ...pixelDeclarations(r, p, outputs),
    ...pixelBody(r, p),
    ...Array.from({ length: outputs }, (_, n) => `mov o${n}.xyzw, ${values[n]}`),
    'ret',
  )
}
