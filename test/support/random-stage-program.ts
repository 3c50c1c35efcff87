import { STAGE_INVOCATIONS, type StageSetup } from './differential-stages.ts'
import { declareConstants, declareInterfaces, declareResources } from './random/declarations.ts'
import { emitBodies, emitStatement } from './random/flow.ts'
import { factorPhase, type PatchShape, tessellatorDeclarations } from './random/linked-outputs.ts'
import { emitMissingAtomics, emitStore } from './random/memory.ts'
import { type Plan, planOf, type RandomOptions } from './random/plan.ts'
import type { Random } from './random/random.ts'
import {
  controlPointEntry,
  DOMAINS,
  domainEntry,
  type Entry,
  geometryEntry,
  type Linkage,
  PATCH_OUTPUTS,
  patchEntry,
  pixelEntry,
  times,
  vertexEntry,
} from './random/stage-entries.ts'
import { emitOutput } from './random/stage-statements.ts'
import { emitMissingTexels } from './random/texels.ts'
import { emitMissingValues } from './random/values.ts'
import { ARRAY, MAIN, OWN_BYTES, SELF, TEMPS, VALUES, Writer } from './random/writer.ts'
import type { SlotHint } from './random-bindings.ts'
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

/** The last vertices of a geometry shader; in a draw enough for a triangle around its place. */
function emitLast(w: Writer, { place }: Entry): void {
  const emit = w.plan.model.startsWith('4') ? 'emit' : 'emit_stream m0'
  w.line(emit)
  if (place === undefined || w.r.chance(0.2)) return
  for (const corner of ['1.0, 0.25', '0.125, -0.75']) {
    w.line(`add o0.xyzw, ${place}.xyzw, l(${corner}, 0.0, 0.0)`)
    w.line(emit)
  }
}

function emitEntry(w: Writer, entry: Entry, statements: number): void {
  const { plan } = w
  for (const line of entry.declarations) w.line(line)
  w.line(`dcl_temps ${TEMPS}`)
  w.line(`dcl_indexableTemp x0[${ARRAY}], 4`)
  w.inputs = entry.inputs
  w.outputs = entry.outputs
  w.position = entry.place
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
  emitMissingValues(w)
  if (plan.emphasis === 'memory' && plan.writes) emitMissingAtomics(w)
  if (plan.emphasis === 'texels') emitMissingTexels(w)
  if (plan.writes && plan.memory) for (let i = 0; i < OWN_BYTES / 16; i++) emitStore(w, 16 * i, i)
  for (let n = 0; n < entry.outputs.length; n++) if (w.r.chance(0.8)) emitOutput(w, n)
  if (entry.place !== undefined) w.line(`mov o0.xyzw, ${entry.place}.xyzw`)
  for (const line of entry.last ?? []) w.line(line)
  if (plan.stage === 'geometry' && w.r.chance(0.7)) emitLast(w, entry)
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

/** The shape of patches that hull shaders which run alone have. */
function ownPatch(r: Random): PatchShape {
  const [inputPoints, outputPoints] = [1 + r.below(5), 1 + r.below(5)]
  const domain = r.pick(DOMAINS)
  const outputPrimitive = domain === 'isoline' ? 'line' : 'triangle_cw'
  return { inputPoints, outputPoints, domain, partitioning: 'integer', outputPrimitive }
}

function emitHull(w: Writer, linkage: Linkage | undefined): void {
  const { r, plan } = w
  const patch = linkage?.patch ?? ownPatch(r)
  w.line('hs_decls')
  declareShared(w)
  w.line(`dcl_input_control_point_count ${patch.inputPoints}`)
  w.line(`dcl_output_control_point_count ${patch.outputPoints}`)
  for (const line of tessellatorDeclarations(patch)) w.line(line)
  // Without one, control points pass through.
  const needsPoints = linkage !== undefined && patch.inputPoints !== patch.outputPoints
  const phases = [
    ...(needsPoints || r.chance(0.8) ? (['control_point'] as const) : []),
    ...times(r.below(3), () => 'fork' as const),
    ...times(r.below(2), () => 'join' as const),
  ] as readonly ('control_point' | 'fork' | 'join')[]
  if (linkage !== undefined) for (const line of factorPhase(r, patch, PATCH_OUTPUTS)) w.line(line)
  const kinds = phases.length === 0 ? (['fork'] as const) : phases
  kinds.forEach((kind, n) => {
    // Subroutines stand behind the last phase, and use its registers.
    w.mayCall = n === kinds.length - 1
    w.line(`hs_${kind}_phase`)
    const isLinked = linkage !== undefined
    const entry = kind === 'control_point' ? controlPointEntry(r, patch, isLinked) : patchEntry(r, patch, kind)
    emitEntry(w, entry, Math.ceil(plan.statements / 2))
  })
  emitBodies(w)
}

/** Hints with UAVs that begin at another register. */
function movedUavs(hints: Readonly<Record<string, SlotHint>>, first: number): Record<string, SlotHint> {
  const moved = (name: string): string => (name.startsWith('u') ? `u${Number(name.slice(1)) + first}` : name)
  return Object.fromEntries(Object.entries(hints).map(([name, hint]) => [moved(name), hint]))
}

/** The shader of a seed. */
export function randomStageProgram(
  seed: number,
  options: RandomOptions & { stage: GraphicsStage },
  linkage?: Linkage,
): RandomProgram {
  const own = planOf(seed, options)
  // The stages of a draw share UAVs: one shader of a draw has those of its own.
  const writes = own.writes && (linkage === undefined || linkage.firstUav !== undefined)
  const uavs = writes ? own.uavs : new Set<number>()
  const plan: Plan = { ...own, writes, uavs, total: STAGE_INVOCATIONS, count: STAGE_INVOCATIONS }
  const w = new Writer(plan, { firstUav: linkage?.firstUav ?? 0, isLinked: linkage !== undefined })
  const { stage } = options
  const isNew = plan.model.startsWith('5')
  w.inputs = []
  w.line(`${PREFIX[stage]}_${plan.model}`)
  if (stage === 'hull') emitHull(w, linkage)
  else {
    declareShared(w)
    const entry =
      stage === 'vertex'
        ? vertexEntry(w.r, linkage)
        : stage === 'pixel'
          ? pixelEntry(w.r, isNew, linkage)
          : stage === 'geometry'
            ? geometryEntry(w, isNew, linkage)
            : domainEntry(w.r, linkage)
    emitEntry(w, entry, plan.statements)
    emitBodies(w)
  }
  const text = `${w.lines.join('\n')}\n`
  const { threads, groups, total, numbers, classInstances } = plan
  // The order in which records are appended shows.
  const u5 = { elements: Math.max(1, (total * w.appends) >> 1) }
  const hints = movedUavs({ ...hintsOf(plan, w.appends), u5 }, w.firstUav)
  return { text, program: assembled(text), threads, groups, total, numbers, hints, classInstances }
}

/** Pixel shaders have most of their own: three of seven. */
const stageOf = (seed: number): GraphicsStage => GRAPHICS_STAGES[Math.min(seed % 7, 4)]!

/** What the shader of a seed holds: stages in turn, every model that has the stage. */
export function stageOptionsOf(seed: number, stage = stageOf(seed)): RandomOptions & { stage: GraphicsStage } {
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
    calls: at(7, 5),
    interfaces: model === '5_0' && at(8, 16),
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
