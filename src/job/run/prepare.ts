import {
  countLeading,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
} from '../../diagnostic/index.ts'
import {
  type ClassInstances,
  type Declarations,
  type DispatchOptions,
  type Engine,
  type GroupCounts,
  type LoadedShader,
  matchResolvedBindings,
  resolveClassInstances,
  threadsOf,
} from '../../engine/index.ts'
import {
  type Bindings,
  checkDispatch,
  DEFAULT_SCHEDULE,
  printSlot,
  type ResolvedBindings,
  resolveBindings,
  type Slot,
} from '../../machine/index.ts'
import type { JobHost } from '../host.ts'
import type { Job } from '../model.ts'
import { sameSlot } from '../parse/parse-slot.ts'
import { type PreparedCheck, prepareChecks } from './check.ts'
import { resolveClasses } from './classes.ts'
import { labelOf, type PreparedResource, prepareResources } from './resources.ts'
import { type LoadedJobShader, loadShader } from './shader.ts'

export type { PreparedResource } from './resources.ts'

/** A job with everything loaded, made, filled and checked: what is left is to run it. */
export interface PreparedJob {
  readonly job: Job
  readonly shader: LoadedJobShader
  readonly loaded: LoadedShader
  readonly resources: readonly PreparedResource[]
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly checks: readonly PreparedCheck[]
  readonly options: DispatchOptions
}

interface Preparation {
  readonly job: Job
  readonly host: JobHost
  readonly engine: Engine
  readonly out: DiagnosticCollector
}

function reportAt(p: Preparation, path: string, d: Diagnostic): void {
  p.out.push({ ...d, place: { kind: 'path', path } })
}

interface SlotRange {
  readonly first: number
  readonly last: number
  readonly space: number
}

/** Whether a slot lies in one of many ranges: those of a space by their start, with the furthest end up to there. */
function rangeTest(ranges: readonly SlotRange[]): (slot: Slot) => boolean {
  const spaces = new Map<number, { first: number; furthest: number }[]>()
  for (const r of [...ranges].sort((a, b) => a.first - b.first)) {
    const list = spaces.get(r.space) ?? []
    spaces.set(r.space, list)
    list.push({ first: r.first, furthest: Math.max(r.last, list.at(-1)?.furthest ?? -1) })
  }
  return ({ space, index }) => {
    const list = spaces.get(space) ?? []
    const last = list[countLeading(list, (r) => r.first <= index) - 1]
    return last !== undefined && last.furthest >= index
  }
}

/** Whether a declaration covers a slot. */
function declarationTest(d: Declarations): (slot: Slot) => boolean {
  const covers = {
    t: rangeTest(d.resources),
    u: rangeTest(d.uavs),
    b: rangeTest(d.constantBuffers),
    s: rangeTest(d.samplers),
  }
  return (slot) => covers[slot.register](slot)
}

/** Resources that the shader never sees. Class instances reach slots that no declaration names, so they are not checked. */
function warnUndeclared(p: Preparation, d: Declarations, resources: readonly PreparedResource[]): void {
  if (d.interfaces.length > 0) return
  const { dispatch } = p.job
  const declares = declarationTest(d)
  for (const r of resources) {
    if (declares(r.slot) || (dispatch.kind === 'indirect' && sameSlot(dispatch.slot, r.slot))) continue
    const message = `${printSlot(r.slot)} is bound, and the shader declares nothing there`
    p.out.push(diagnostic('job-undeclared-resource', message, { kind: 'path', path: r.path }))
  }
  for (const slot of p.job.unbound) {
    if (declares(slot)) continue
    const message = `${printSlot(slot)} is to stay unbound, and the shader declares nothing there`
    p.out.push(diagnostic('job-undeclared-resource', message, { kind: 'path', path: '$.unbound' }))
  }
}

/** What matching says of a slot, at the place that describes the slot; an omission is an error unless `unbound` allows it. */
function reportMatched(
  p: Preparation,
  shader: LoadedJobShader,
  resources: ReadonlyMap<string, PreparedResource>,
  described: ReadonlySet<string>,
  d: Diagnostic,
): void {
  const slotName = d.place?.kind === 'path' ? d.place.path : ''
  const resource = resources.get(slotName)
  if (resource !== undefined) {
    const message = d.message.startsWith(`${slotName}:`)
      ? `${resource.label}${d.message.slice(slotName.length)}`
      : d.message
    reportAt(p, resource.path, { ...d, message })
    return
  }
  if (d.code !== 'machine-binding-missing') {
    p.out.push(d)
    return
  }
  // A resource with errors of its own is described, and has been complained of.
  if (described.has(slotName)) return
  const slot = resourceSlot(slotName)
  const label = slot === undefined ? slotName : labelOf(shader.reflection, slot)
  const message = `${label} is declared by the shader and has no resource`
  const note = `to run with nothing bound there, list "${slotName}" in "unbound" (--unbound ${slotName})`
  p.out.push(diagnostic('job-missing-resource', message, { kind: 'path', path: '$.resources' }, [note]))
}

function resourceSlot(name: string): Slot | undefined {
  const m = /^([tubs])(\d+)(?:,space(\d+))?$/.exec(name)
  return m === null ? undefined : { register: m[1] as Slot['register'], index: Number(m[2]), space: Number(m[3] ?? 0) }
}

function bind(
  p: Preparation,
  shader: LoadedJobShader,
  d: Declarations,
  resources: readonly PreparedResource[],
): ResolvedBindings | undefined {
  const bindings: Bindings = Object.fromEntries(resources.map((r) => [printSlot(r.slot), r.bound]))
  const resolved = resolveBindings(bindings)
  const byName = new Map(resources.map((r) => [printSlot(r.slot), r]))
  const described = new Set([...p.job.unbound, ...p.job.resources.map((r) => r.slot)].map(printSlot))
  for (const found of resolved.diagnostics) reportMatched(p, shader, byName, described, found)
  if (resolved.value === undefined) return undefined
  for (const found of matchResolvedBindings(d, resolved.value)) reportMatched(p, shader, byName, described, found)
  warnUndeclared(p, d, resources)
  return resolved.value
}

/** Group counts as they are given, or as the buffer of an indirect dispatch holds them before it starts. */
function groupCounts(p: Preparation, resources: readonly PreparedResource[], maxZ: number | undefined): GroupCounts {
  const { dispatch } = p.job
  let groups: GroupCounts = [0, 0, 0]
  if (dispatch.kind === 'groups') groups = dispatch.groups
  else {
    const source = resources.find((r) => sameSlot(r.slot, dispatch.slot))?.resource
    const at = dispatch.byteOffset
    if (source === undefined) return groups
    if (source.kind !== 'buffer' || at % 4 !== 0 || at + 12 > source.byteLength) {
      const has = source.kind === 'buffer' ? `a buffer of ${source.byteLength} bytes` : 'a texture'
      const message = `three group counts of 12 bytes are read at byte ${at}, a multiple of 4, of ${printSlot(dispatch.slot)}; it is ${has}`
      p.out.push(diagnostic('engine-indirect', message, { kind: 'path', path: dispatch.path }))
      return groups
    }
    const words = source.storage.words.subarray(at / 4, at / 4 + 3)
    groups = [words[0]!, words[1]!, words[2]!]
  }
  for (const d of checkDispatch(groups, maxZ))
    reportAt(p, dispatch.path, { ...d, message: d.message.replace(/\.$/, '') })
  return groups
}

function checkGroup(p: Preparation, d: Declarations): void {
  const { group } = p.job
  if (group === undefined || group.every((n, i) => n === threadsOf(d)[i])) return
  const message = `the description says groups of ${group.join(' x ')} threads, the shader declares ${threadsOf(d).join(' x ')}`
  p.out.push(diagnostic('job-out-of-range', message, { kind: 'path', path: '$.group' }, [], 'warning'))
}

function dispatchOptions(job: Job, classInstances: ClassInstances): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread } = job.options
  return {
    classInstances,
    schedule: schedule && { ...DEFAULT_SCHEDULE, ...schedule },
    undefinedPolicy,
    maxInstructionsPerThread,
  }
}

function load(p: Preparation, shader: LoadedJobShader): LoadedShader | undefined {
  const outcome = p.engine.load(shader.program, { ...p.job.options.load, listing: shader.listing })
  p.out.pushAll(outcome.diagnostics)
  return outcome.ok ? outcome.value : undefined
}

/**
 * Loads the shader, makes and fills the resources, holds them against what the shader declares, and reads what is
 * expected. Nothing runs. With errors there is no value.
 */
export function prepareJob(
  job: Job,
  host: JobHost,
  engine: Engine,
  options: { readonly isRecording?: boolean } = {},
): Outcome<PreparedJob> {
  const p: Preparation = { job, host, engine, out: new DiagnosticCollector() }
  const source = loadShader(job.shader, host)
  p.out.pushAll(source.diagnostics)
  const shader = source.value
  const loaded = shader === undefined ? undefined : load(p, shader)
  const context = { host, out: p.out, reflection: shader?.reflection, memory: engine.memory }
  // Even without a shader its resources are looked at, so that one run shows all that is wrong.
  const resources = prepareResources(context, job.resources)
  if (shader === undefined || loaded === undefined) return failure(p.out.finish())
  const { declarations } = loaded
  checkGroup(p, declarations)
  const bindings = bind(p, shader, declarations, resources)
  const groups = groupCounts(p, resources, declarations.program.major < 5 ? 1 : undefined)
  const classInstances = resolveClasses(job.classInstances, shader, p.out)
  for (const d of resolveClassInstances(declarations, classInstances).diagnostics) reportAt(p, '$.classInstances', d)
  const checks = prepareChecks(job.checks, resources, host, p.out, options.isRecording)
  if (bindings === undefined || p.out.errorCount > 0) return failure(p.out.finish())
  const dispatch = dispatchOptions(job, classInstances)
  return outcomeOf({ job, shader, loaded, resources, bindings, groups, checks, options: dispatch }, p.out.finish())
}

/** Remembers the contents of every resource that a shader can write; calling the result puts them back. */
export function snapshotResources(resources: readonly PreparedResource[]): () => void {
  const written = new Set(
    resources.flatMap((r) => (r.bound.kind === 'uav' && r.resource !== undefined ? [r.resource] : [])),
  )
  const kept = [...written].map((r) => ({ bytes: r.storage.bytes, copy: r.storage.bytes.slice() }))
  return () => {
    for (const k of kept) k.bytes.set(k.copy)
  }
}
