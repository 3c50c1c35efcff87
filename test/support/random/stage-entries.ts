import { domainPlace, type PatchShape, type SystemOutput, systemDeclarations, systemLines } from './linked-outputs.ts'
import type { Random } from './random.ts'
import { SCRATCH, type StageRegister, type Writer } from './writer.ts'

/** Inputs and outputs of random shaders by stage, and the registers that their statements name. */

const ALL = 'xyzw'
const named = (name: string, letters = ALL): StageRegister => ({ name: () => name, letters })

/** An index that is cut to a range, or any value. */
const computed = (w: Writer, first: number): string => {
  const index = w.relative()
  return first === 0 ? index : index.includes(' + ') ? index : `${index} + ${first}`
}

/** Registers with one index; some instructions choose one of them. */
function ranged(prefix: string, first: number, count: number, isComputed: boolean): StageRegister[] {
  const each = Array.from({ length: count }, (_, i) => named(`${prefix}${first + i}`))
  if (!isComputed) return each
  const any: StageRegister = { name: (w) => `${prefix}[${computed(w, first)}]`, letters: ALL }
  return [...each, any, any]
}

/** Registers of several vertices or control points: `v[1][0]`, `v[r6.w][1]`, `v[0][r6.w + 0]`. */
function ofVertices(prefix: string, vertices: number, registers: number, isComputed: boolean): StageRegister[] {
  const known: StageRegister = {
    name: (w) => `${prefix}[${w.r.below(vertices)}][${w.r.below(registers)}]`,
    letters: ALL,
  }
  const vertex: StageRegister = {
    name: (w) => {
      // Mostly one that exists.
      if (w.r.chance(0.7)) w.line(`umin ${SCRATCH}.w, ${w.one()}, l(${vertices - 1})`)
      else w.line(`and ${SCRATCH}.w, ${w.one()}, l(7)`)
      return `${prefix}[${SCRATCH}.w][${w.r.below(registers)}]`
    },
    letters: ALL,
  }
  const register: StageRegister = {
    name: (w) => `${prefix}[${w.r.below(vertices)}][${computed(w, 0)}]`,
    letters: ALL,
  }
  return isComputed ? [known, vertex, vertex, register] : [known, vertex]
}

/** What an entry declares, and the registers that its statements name. */
export interface Entry {
  readonly declarations: readonly string[]
  readonly inputs: readonly StageRegister[]
  readonly outputs: readonly StageRegister[]
  /** The component with the number of the invocation. */
  readonly number: string
  /** The input that is the position of the output o0 in the end. */
  readonly place?: string
  /** What the entry ends with. */
  readonly last?: readonly string[]
}

export const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** Computed registers of a file, and the declaration of their range. */
const range = (isComputed: boolean, name: string, count: number): string[] =>
  isComputed ? [`dcl_indexRange ${name} ${count}`] : []

/** What the stages of a draw have in common; shaders that run alone choose for themselves. */
export interface Linkage {
  /** Registers from 1 on that each stage hands to the next. */
  readonly attributes: number
  /** What geometry shaders read: a word of dcl_inputPrimitive. */
  readonly primitive: string
  /** First UAV; below are render targets. Absent: no UAVs. */
  readonly firstUav?: number
  /** What hull and domain shaders agree on. */
  readonly patch?: PatchShape
  /** What the stage puts out for the rasterizer beside the position. */
  readonly system?: readonly SystemOutput[]
}

const systemOf = (linkage: Linkage | undefined): readonly SystemOutput[] => linkage?.system ?? []

export function vertexEntry(r: Random, linkage: Linkage | undefined): Entry {
  const [reads, writes] = [r.chance(0.5), r.chance(0.5)]
  const inputs = linkage?.attributes ?? 1 + r.below(4)
  const system = systemOf(linkage)
  return {
    number: 'v0.x',
    // Primitives of a draw come where its vertices are.
    ...(linkage === undefined ? {} : { place: 'v1', last: systemLines(r, system, 'v1', 'v0.x') }),
    declarations: [
      'dcl_input_sgv v0.x, vertex_id',
      ...times(inputs, (n) => `dcl_input v${n + 1}.xyzw`),
      'dcl_output_siv o0.xyzw, position',
      ...times(3, (n) => `dcl_output o${n + 1}.xyzw`),
      'dcl_output o4.xy',
      ...systemDeclarations(system),
      ...range(reads, 'v1.xyzw', inputs),
      ...range(writes, 'o1.xyzw', 3),
    ],
    inputs: [named('v0', 'x'), ...ranged('v', 1, inputs, reads)],
    outputs: [named('o0'), ...ranged('o', 1, 3, writes), named('o4', 'xy')],
  }
}

const MODES = [
  'linear',
  'linear_centroid',
  'linear_noperspective',
  'linear_noperspective_centroid',
  'constant',
] as const

export function pixelEntry(r: Random, isNew: boolean, linkage: Linkage | undefined): Entry {
  const reads = r.chance(0.5)
  const inputs = linkage?.attributes ?? 2 + r.below(3)
  // Depth and coverage of any bits leave little of a draw: there they are rare.
  const isLinked = linkage !== undefined
  const depths = isNew ? [undefined, 'oDepth', 'oDepthGE', 'oDepthLE'] : [undefined, 'oDepth']
  const depth = isLinked && r.chance(0.6) ? undefined : r.pick(depths)
  const [mask, coverage] = [isNew && r.chance(isLinked ? 0.15 : 0.4), isNew && r.chance(0.4)]
  const scalars = [...(depth === undefined ? [] : [depth]), ...(mask ? ['oMask'] : [])]
  // Position comes first where a stage before puts it there.
  const [number, position, flag] = linkage === undefined ? [0, inputs + 1, inputs + 2] : [8, 0, 9]
  return {
    number: `v${number}.x`,
    declarations: [
      `dcl_input_ps_sgv constant v${number}.x, primitive_id`,
      ...times(inputs, (n) => `dcl_input_ps ${n === 0 ? 'linear' : r.pick(MODES)} v${n + 1}.xyzw`),
      `dcl_input_ps_siv linear_noperspective v${position}.xyzw, position`,
      `dcl_input_ps_sgv constant v${flag}.x, ${isNew && r.chance(isLinked ? 0.2 : 0.5) ? 'sampleIndex' : 'is_front_face'}`,
      ...(coverage ? ['dcl_input vCoverage.x'] : []),
      ...times(3, (n) => `dcl_output o${n}.xyzw`),
      'dcl_output o3.xw',
      ...scalars.map((name) => `dcl_output ${name}`),
      ...range(reads, 'v1.xyzw', inputs),
    ],
    inputs: [
      named(`v${number}`, 'x'),
      named(`v${position}`),
      named(`v${flag}`, 'x'),
      ...(coverage ? [named('vCoverage', 'x')] : []),
      ...ranged('v', 1, inputs, reads),
    ],
    outputs: [...times(3, (n) => `o${n}`).map((n) => named(n)), named('o3', 'xw'), ...scalars.map((n) => named(n, ''))],
  }
}

/** Registers of the streams after the first, one each: behind those for the rasterizer. */
const FIRST_STREAM_REGISTER = 8

const PRIMITIVES = [
  ['point', 1],
  ['line', 2],
  ['triangle', 3],
  ['lineadj', 4],
  ['triangleadj', 6],
] as const

/** An input primitive of a geometry shader and how many vertices it has; `patch4` has four. */
function inputPrimitive(name: string): readonly [name: string, vertices: number] {
  return PRIMITIVES.find(([p]) => p === name) ?? [name, Number(name.slice('patch'.length))]
}

export function geometryEntry(w: Writer, isNew: boolean, linkage: Linkage | undefined): Entry {
  const { r } = w
  const [primitive, vertices] = linkage === undefined ? r.pick(PRIMITIVES) : inputPrimitive(linkage.primitive)
  const [reads, writes] = [r.chance(0.5), isNew && r.chance(0.25)]
  const registers = linkage?.attributes ?? 1 + r.below(3)
  const streams = isNew ? r.pick([1, 1, 2, 4]) : 1
  const system = systemOf(linkage)
  const instances = isNew && r.chance(0.4) ? 1 + r.below(4) : 0
  const topology = streams > 1 ? 'pointlist' : r.pick(['pointlist', 'linestrip', 'trianglestrip'])
  w.streams = streams
  const ofStream = (n: number): string[] => [
    ...(isNew ? [`dcl_stream m${n}`] : []),
    `dcl_outputtopology ${topology}`,
    ...(n === 0 ? ['dcl_output_siv o0.xyzw, position', ...times(2, (i) => `dcl_output o${i + 1}.xyzw`)] : []),
    ...(n === 0 ? systemDeclarations(system) : []),
    ...(n === 0 ? range(writes, 'o1.xyzw', 2) : [`dcl_output o${n + FIRST_STREAM_REGISTER - 1}.xyzw`]),
  ]
  const place = 'v[0][0]'
  return {
    number: 'vPrim',
    ...(linkage === undefined ? {} : { place, last: systemLines(r, system, place, 'vPrim') }),
    declarations: [
      `dcl_input_siv v[${vertices}][0].xyzw, position`,
      ...times(registers, (n) => `dcl_input v[${vertices}][${n + 1}].xyzw`),
      'dcl_input vPrim',
      ...(instances > 0 ? ['dcl_input vGSInstanceID'] : []),
      ...range(reads, `v[${vertices}][0].xyzw`, registers + 1),
      `dcl_inputprimitive ${primitive}`,
      ...(instances > 0 ? [`dcl_gsinstances ${instances}`] : []),
      ...times(streams, ofStream).flat(),
      `dcl_maxout ${1 + r.below(8)}`,
    ],
    inputs: [
      named('vPrim', ''),
      ...(instances > 0 ? [named('vGSInstanceID', '')] : []),
      ...ofVertices('v', vertices, registers + 1, reads),
    ],
    outputs: [
      named('o0'),
      ...ranged('o', 1, 2, writes),
      ...times(streams - 1, (n) => `o${n + FIRST_STREAM_REGISTER}`).map((n) => named(n)),
    ],
  }
}

export const DOMAINS = ['tri', 'quad', 'isoline'] as const

export function domainEntry(r: Random, linkage: Linkage | undefined): Entry {
  const points = linkage?.patch?.outputPoints ?? 1 + r.below(5)
  const domain = linkage?.patch?.domain ?? r.pick(DOMAINS)
  const system = systemOf(linkage)
  const reads = r.chance(0.5)
  const writes = r.chance(0.4)
  const letters = domain === 'tri' ? 'xyz' : 'xy'
  const place = `${SCRATCH}.xyzw`
  return {
    number: 'vPrim',
    ...(linkage === undefined
      ? {}
      : {
          last: [
            ...domainPlace(domain, points, SCRATCH),
            ...systemLines(r, system, place, 'vPrim'),
            `mov o0.xyzw, ${place}`,
          ],
        }),
    declarations: [
      `dcl_input_control_point_count ${points}`,
      `dcl_tessellator_domain domain_${domain}`,
      'dcl_input vPrim',
      `dcl_input vDomain.${letters}`,
      ...times(2, (n) => `dcl_input vicp[${points}][${n}].xyzw`),
      ...times(4, (n) => `dcl_input vpc[${n}].xyzw`),
      ...range(reads, `vicp[${points}][0].xyzw`, 2),
      ...range(reads, 'vpc[0].xyzw', 4),
      'dcl_output_siv o0.xyzw, position',
      ...times(3, (n) => `dcl_output o${n + 1}.xyzw`),
      ...systemDeclarations(system),
      ...range(writes, 'o1.xyzw', 3),
    ],
    inputs: [
      named('vPrim', ''),
      named('vDomain', letters),
      ...ofVertices('vicp', points, 2, reads),
      ...patchConstants(4, reads),
    ],
    outputs: [named('o0'), ...ranged('o', 1, 3, writes)],
  }
}

function patchConstants(count: number, isComputed: boolean): StageRegister[] {
  const known: StageRegister = { name: (w) => `vpc[${w.r.below(count)}]`, letters: ALL }
  const any: StageRegister = { name: (w) => `vpc[${computed(w, 0)}]`, letters: ALL }
  return isComputed ? [known, any] : [known]
}

type Patch = Pick<PatchShape, 'inputPoints' | 'outputPoints'>

export const PATCH_OUTPUTS = 4

export function controlPointEntry(r: Random, { inputPoints }: Patch, isLinked: boolean): Entry {
  const [reads, writes] = [r.chance(0.5), r.chance(0.4)]
  return {
    number: 'vPrim',
    ...(isLinked
      ? {
          last: [
            `umin ${SCRATCH}.x, vOutputControlPointID, l(${inputPoints - 1})`,
            `mov o0.xyzw, v[${SCRATCH}.x][0].xyzw`,
          ],
        }
      : {}),
    declarations: [
      'dcl_input vOutputControlPointID',
      'dcl_input vPrim',
      ...times(2, (n) => `dcl_input v[${inputPoints}][${n}].xyzw`),
      ...range(reads, `v[${inputPoints}][0].xyzw`, 2),
      ...times(3, (n) => `dcl_output o${n}.xyzw`),
      ...range(writes, 'o0.xyzw', 3),
    ],
    inputs: [
      named('vPrim', ''),
      named('vOutputControlPointID', ''),
      ...ofVertices('v', inputPoints, 2, reads),
      { name: (w) => `v[vOutputControlPointID][${w.r.below(2)}]`, letters: ALL },
    ],
    outputs: ranged('o', 0, 3, writes),
  }
}

export function patchEntry(r: Random, { inputPoints, outputPoints }: Patch, kind: 'fork' | 'join'): Entry {
  const [reads, writes] = [r.chance(0.5), r.chance(0.5)]
  const instances = r.chance(0.6) ? 1 + r.below(5) : 0
  const id = kind === 'fork' ? 'vForkInstanceID' : 'vJoinInstanceID'
  const isJoin = kind === 'join'
  return {
    number: 'vPrim',
    declarations: [
      ...(instances > 0 ? [`dcl_hs_${kind}_phase_instance_count ${instances}`] : []),
      'dcl_input vPrim',
      ...(instances > 0 ? [`dcl_input ${id}`] : []),
      ...times(2, (n) => `dcl_input vicp[${inputPoints}][${n}].xyzw`),
      ...times(3, (n) => `dcl_input vocp[${outputPoints}][${n}].xyzw`),
      ...(isJoin ? times(PATCH_OUTPUTS, (n) => `dcl_input vpc[${n}].xyzw`) : []),
      ...range(reads, `vicp[${inputPoints}][0].xyzw`, 2),
      ...range(reads, `vocp[${outputPoints}][0].xyzw`, 3),
      ...(isJoin ? range(reads, 'vpc[0].xyzw', PATCH_OUTPUTS) : []),
      ...times(PATCH_OUTPUTS, (n) => `dcl_output o${n}.xyzw`),
      ...range(writes, 'o0.xyzw', PATCH_OUTPUTS),
    ],
    inputs: [
      named('vPrim', ''),
      ...(instances > 0 ? [named(id, '')] : []),
      ...ofVertices('vicp', inputPoints, 2, reads),
      ...ofVertices('vocp', outputPoints, 3, reads),
      ...(isJoin ? patchConstants(PATCH_OUTPUTS, reads) : []),
    ],
    outputs: ranged('o', 0, PATCH_OUTPUTS, writes),
  }
}
