import { STAGE_INVOCATIONS, type StageSetup } from './differential-stages.ts'
import { declareConstants, declareInterfaces, declareResources } from './random/declarations.ts'
import { emitBodies, emitStatement } from './random/flow.ts'
import { emitStore } from './random/memory.ts'
import { type Plan, planOf, type RandomOptions } from './random/plan.ts'
import type { Random } from './random/random.ts'
import { emitOutput } from './random/stage-statements.ts'
import { ARRAY, MAIN, OWN_BYTES, SCRATCH, SELF, type StageRegister, TEMPS, VALUES, Writer } from './random/writer.ts'
import { assembled, hintsOf, loadValue, type RandomProgram } from './random-program.ts'

/**
 * Random shaders of the graphics stages: what compute programs have, but for shared memory and barriers, and what only a
 * stage has. Memory that invocations share is used in an order that shows, since draws have one (docs/drawing.md).
 */

export type GraphicsStage = 'vertex' | 'hull' | 'domain' | 'geometry' | 'pixel'
export const GRAPHICS_STAGES: readonly GraphicsStage[] = ['vertex', 'hull', 'domain', 'geometry', 'pixel']
const PREFIX: Readonly<Record<GraphicsStage, string>> = {
  vertex: 'vs',
  hull: 'hs',
  domain: 'ds',
  geometry: 'gs',
  pixel: 'ps',
}

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
interface Entry {
  readonly declarations: readonly string[]
  readonly inputs: readonly StageRegister[]
  readonly outputs: readonly StageRegister[]
  /** The component with the number of the invocation. */
  readonly number: string
}

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** Computed registers of a file, and the declaration of their range. */
const range = (isComputed: boolean, name: string, count: number): string[] =>
  isComputed ? [`dcl_indexRange ${name} ${count}`] : []

/** What the stages of a draw have in common; shaders that run alone choose for themselves. */
export interface Linkage {
  /** Registers from 1 on that each stage hands to the next. */
  readonly attributes: number
  /** What geometry shaders read. */
  readonly primitive: 'point' | 'line' | 'triangle'
}

function vertexEntry(r: Random, linkage: Linkage | undefined): Entry {
  const [reads, writes] = [r.chance(0.5), r.chance(0.5)]
  const inputs = linkage?.attributes ?? 1 + r.below(4)
  return {
    number: 'v0.x',
    declarations: [
      'dcl_input_sgv v0.x, vertex_id',
      ...times(inputs, (n) => `dcl_input v${n + 1}.xyzw`),
      'dcl_output_siv o0.xyzw, position',
      ...times(3, (n) => `dcl_output o${n + 1}.xyzw`),
      'dcl_output o4.xy',
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

function pixelEntry(r: Random, isNew: boolean, linkage: Linkage | undefined): Entry {
  const reads = r.chance(0.5)
  const inputs = linkage?.attributes ?? 2 + r.below(3)
  const depth = r.pick(isNew ? [undefined, 'oDepth', 'oDepthGE', 'oDepthLE'] : [undefined, 'oDepth'])
  const [mask, coverage] = [isNew && r.chance(0.4), isNew && r.chance(0.4)]
  const scalars = [...(depth === undefined ? [] : [depth]), ...(mask ? ['oMask'] : [])]
  // Position comes first where a stage before puts it there.
  const [number, position, flag] = linkage === undefined ? [0, inputs + 1, inputs + 2] : [8, 0, 9]
  return {
    number: `v${number}.x`,
    declarations: [
      `dcl_input_ps_sgv constant v${number}.x, primitive_id`,
      ...times(inputs, (n) => `dcl_input_ps ${n === 0 ? 'linear' : r.pick(MODES)} v${n + 1}.xyzw`),
      `dcl_input_ps_siv linear_noperspective v${position}.xyzw, position`,
      `dcl_input_ps_sgv constant v${flag}.x, ${r.pick(isNew ? ['is_front_face', 'sampleIndex'] : ['is_front_face'])}`,
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

const PRIMITIVES = [
  ['point', 1],
  ['line', 2],
  ['triangle', 3],
  ['lineadj', 4],
  ['triangleadj', 6],
] as const

function geometryEntry(w: Writer, isNew: boolean, linkage: Linkage | undefined): Entry {
  const { r } = w
  const [primitive, vertices] = r.pick(PRIMITIVES.filter(([p]) => linkage === undefined || p === linkage.primitive))
  const [reads, writes] = [r.chance(0.5), isNew && r.chance(0.25)]
  const registers = linkage?.attributes ?? 1 + r.below(3)
  const streams = isNew ? r.pick([1, 1, 2, 4]) : 1
  const instances = isNew && r.chance(0.4) ? 1 + r.below(4) : 0
  const topology = streams > 1 ? 'pointlist' : r.pick(['pointlist', 'linestrip', 'trianglestrip'])
  w.streams = streams
  const ofStream = (n: number): string[] => [
    ...(isNew ? [`dcl_stream m${n}`] : []),
    `dcl_outputtopology ${topology}`,
    ...(n === 0 ? ['dcl_output_siv o0.xyzw, position', ...times(2, (i) => `dcl_output o${i + 1}.xyzw`)] : []),
    ...(n === 0 ? range(writes, 'o1.xyzw', 2) : [`dcl_output o${n + 2}.xyzw`]),
  ]
  return {
    number: 'vPrim',
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
      ...times(streams - 1, (n) => `o${n + 3}`).map((n) => named(n)),
    ],
  }
}

const DOMAINS = ['tri', 'quad', 'isoline'] as const

function domainEntry(r: Random): Entry {
  const points = 1 + r.below(5)
  const domain = r.pick(DOMAINS)
  const reads = r.chance(0.5)
  const writes = r.chance(0.4)
  const letters = domain === 'tri' ? 'xyz' : 'xy'
  return {
    number: 'vPrim',
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

interface Patch {
  readonly inputPoints: number
  readonly outputPoints: number
}

const PATCH_OUTPUTS = 4

function controlPointEntry(r: Random, { inputPoints }: Patch): Entry {
  const [reads, writes] = [r.chance(0.5), r.chance(0.4)]
  return {
    number: 'vPrim',
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

function patchEntry(r: Random, { inputPoints, outputPoints }: Patch, kind: 'fork' | 'join'): Entry {
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

function emitEntry(w: Writer, entry: Entry, statements: number): void {
  const { plan } = w
  for (const line of entry.declarations) w.line(line)
  w.line(`dcl_temps ${TEMPS}`)
  w.line(`dcl_indexableTemp x0[${ARRAY}], 4`)
  w.inputs = entry.inputs
  w.outputs = entry.outputs
  w.line(`mov ${SELF}.xy, ${entry.number.includes('.') ? `${entry.number}xxx` : entry.number}`)
  w.line(`ishl ${SELF}.w, ${SELF}.x, l(${Math.log2(OWN_BYTES)})`)
  for (let register = 0; register < VALUES; register++) {
    const isInput = w.r.chance(0.4)
    if (!isInput) loadValue(w, register)
    else w.line(`mov r${register}.xyzw, ${w.input()}`)
  }
  w.left = statements
  // The last quarter may return: behind that, lanes are apart.
  const early = { ...MAIN, returns: false }
  while (w.left > statements / 4) emitStatement(w, early)
  while (w.left > 0) emitStatement(w, { ...MAIN, together: false })
  if (plan.writes && plan.memory) for (let i = 0; i < OWN_BYTES / 16; i++) emitStore(w, 16 * i, i)
  for (let n = 0; n < entry.outputs.length; n++) if (w.r.chance(0.8)) emitOutput(w, n)
  if (w.position !== undefined) w.line(`mov o0.xyzw, ${w.position}.xyzw`)
  if (plan.stage === 'geometry' && w.r.chance(0.7)) w.line(w.plan.model.startsWith('4') ? 'emit' : 'emit_stream m0')
  w.line('ret')
}

function declareShared(w: Writer): void {
  const { plan } = w
  const isOld = plan.model.startsWith('4')
  w.line(
    isOld ? 'dcl_globalFlags refactoringAllowed | enableRawAndStructuredBuffers' : 'dcl_globalFlags refactoringAllowed',
  )
  declareConstants(w)
  declareResources(w)
  if (plan.interfaces) declareInterfaces(w)
}

function emitHull(w: Writer): void {
  const { r, plan } = w
  const patch = { inputPoints: 1 + r.below(5), outputPoints: 1 + r.below(5) }
  const domain = r.pick(DOMAINS)
  w.line('hs_decls')
  declareShared(w)
  w.line(`dcl_input_control_point_count ${patch.inputPoints}`)
  w.line(`dcl_output_control_point_count ${patch.outputPoints}`)
  w.line(`dcl_tessellator_domain domain_${domain}`)
  w.line('dcl_tessellator_partitioning partitioning_integer')
  w.line(`dcl_tessellator_output_primitive ${domain === 'isoline' ? 'output_line' : 'output_triangle_cw'}`)
  const phases = [
    ...(r.chance(0.8) ? (['control_point'] as const) : []),
    ...times(r.below(3), () => 'fork' as const),
    ...times(r.below(2), () => 'join' as const),
  ] as readonly ('control_point' | 'fork' | 'join')[]
  for (const kind of phases.length === 0 ? (['fork'] as const) : phases) {
    w.line(`hs_${kind}_phase`)
    const entry = kind === 'control_point' ? controlPointEntry(r, patch) : patchEntry(r, patch, kind)
    emitEntry(w, entry, Math.ceil(plan.statements / 2))
  }
}

/** The shader of a seed. */
export function randomStageProgram(
  seed: number,
  options: RandomOptions & { stage: GraphicsStage },
  linkage?: Linkage,
): RandomProgram {
  const own = planOf(seed, options)
  // The stages of a draw share UAVs: those of random shaders would not fit.
  const writes = own.writes && linkage === undefined
  const uavs = writes ? own.uavs : new Set<number>()
  const plan: Plan = { ...own, writes, uavs, total: STAGE_INVOCATIONS, count: STAGE_INVOCATIONS }
  const w = new Writer(plan)
  const { stage } = options
  const isNew = plan.model.startsWith('5')
  w.inputs = []
  w.line(`${PREFIX[stage]}_${plan.model}`)
  if (stage === 'hull') emitHull(w)
  else {
    declareShared(w)
    const entry =
      stage === 'vertex'
        ? vertexEntry(w.r, linkage)
        : stage === 'pixel'
          ? pixelEntry(w.r, isNew, linkage)
          : stage === 'geometry'
            ? geometryEntry(w, isNew, linkage)
            : domainEntry(w.r)
    // Primitives of a draw come where its vertices are.
    const place = stage === 'vertex' ? 'v1' : 'v[0][0]'
    w.position = linkage === undefined || stage === 'pixel' ? undefined : place
    emitEntry(w, entry, plan.statements)
    emitBodies(w)
  }
  const text = `${w.lines.join('\n')}\n`
  const { threads, groups, total, numbers, classInstances } = plan
  // The order in which records are appended shows.
  const u5 = { elements: Math.max(1, (total * w.appends) >> 1) }
  const hints = { ...hintsOf(plan, w.appends), u5 }
  return { text, program: assembled(text), threads, groups, total, numbers, hints, classInstances }
}

/** What the shader of a seed holds: stages in turn, every model that has the stage. */
export function stageOptionsOf(seed: number): RandomOptions & { stage: GraphicsStage } {
  // Pixel shaders have most of their own: three of seven.
  const stage = GRAPHICS_STAGES[Math.min(seed % 7, 4)]!
  const at = (n: number, of: number): boolean => (seed * 11 + n) % of === 0
  const isTessellation = stage === 'hull' || stage === 'domain'
  const old = isTessellation ? '5_0' : at(1, 13) ? '4_0' : at(2, 12) ? '4_1' : '5_0'
  const model = at(3, 9) ? '5_1' : old
  return {
    stage,
    model,
    statements: 12 + ((seed >> 2) % 5) * 8,
    flow: !at(4, 8),
    memory: !at(5, 4),
    barriers: false,
    texels: at(6, 2),
    calls: stage !== 'hull' && at(7, 5),
    interfaces: stage !== 'hull' && model === '5_0' && at(8, 16),
    dynamicRanges: model === '5_1' && at(9, 2),
    chains: model === '5_1' && at(10, 2),
    floats: !at(12, 3),
  }
}

/** How the shader is run to be compared with waves of compiled code of `width` vectors a word. */
export function stageSetupOf(p: RandomProgram, width: 1 | 2 | 4): StageSetup {
  const { numbers, hints, classInstances } = p
  // Shaders with UAVs run four lanes at once: quad by quad.
  const waveWidth = /^dcl_uav/m.test(p.text) ? 4 : LANES[width]
  return { numbers, hints, classInstances, isNumbered: true, waveWidth, maxInstructions: 200_000 }
}

/** Lanes of a wave, by vectors a word. */
export const LANES = { 1: 4, 2: 8, 4: 16 } as const
