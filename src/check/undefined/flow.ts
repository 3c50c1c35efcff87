import type { GroupSite, MemoryEvent, UndefinedEvent, UndefinedReason } from '../../engine/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { type BoundsAccess, boundsCode, boundsFinding } from '../detectors/bounds.ts'
import { type StructureWatch, structureWatch } from '../detectors/tgsm-structures.ts'
import { type Finding, invocationOf } from '../report/finding.ts'
import { onMemory } from './flow-memory.ts'
import { onInstruction, onOutside } from './flow-registers.ts'
import { type Flow, type FlowOptions, LANES, newLaneWords, resetGroup, type WaveShadow } from './flow-state.ts'
import { noOrigins, type OriginName, type OriginSet, undefinedRead, union } from './origins.ts'
import { plannedProgram } from './plan.ts'

/** Loads from memory that give something that may not matter, a 0 or an undefined result, and do nothing else. */
const ONLY_RESULT: ReadonlySet<UndefinedReason> = new Set([
  'out-of-bounds',
  'structure-offset',
  'tgsm-bounds',
  'misaligned',
  'unbound',
  'subresource',
])

/** The same of registers that are read past their end: constants, arrays and inputs. */
const ONLY_VALUE: ReadonlySet<UndefinedReason> = new Set([
  'indexable-temp-bounds',
  'constant-buffer-bounds',
  'immediate-constant-bounds',
  'register-bounds',
  'unbound',
])

const MEMORY: ReadonlySet<UndefinedEvent['space']> = new Set(['uav', 'srv', 'tgsm', 'counter'])

/** What the engine found, in data that stay as they are. */
function accessOf(event: UndefinedEvent): BoundsAccess {
  const { reason, access, space, register, lane, address, limit, texel, defined, wave } = event
  const { statement, groupX, groupY, groupZ, firstThread } = wave
  const site = { statement, groupX, groupY, groupZ, firstThread }
  const invocation = invocationOf(wave, lane)
  return { reason, access, space, register, lane, address, limit, texel, defined, wave: site, invocation }
}

/** A load from memory by the current statement whose result counts where it matters. */
function waitForUse(f: Flow, name: OriginName, lane: number, isWhole: boolean, describer: () => () => Finding): void {
  f.quiet = false
  if (f.outStep !== f.origins.step) {
    f.outStep = f.origins.step
    f.out.fill(undefined)
    f.outWhole.fill(0)
  }
  if (isWhole) f.outWhole[lane] = 1
  // A load may be misaligned and out of bounds as well.
  f.out[lane] = union(f.out[lane], undefinedRead(f.origins, name, lane, describer))
}

/** A load whose result alone is concerned is reported when the result matters; everything else at once. */
function onUndefined(f: Flow, event: UndefinedEvent): void {
  const code = boundsCode(event, f.context)
  if (code === undefined) return
  const { wave, register, lane } = event
  // What a helper pixel reads shows in derivatives at most, and it stores nothing.
  if (wave.batch?.quads?.helpers[wave.firstThread + lane] === 1) return
  const { statement } = wave
  const isLoadOfZero = event.access === 'load' && event.reason === 'out-of-bounds' && event.defined
  if (isLoadOfZero && f.options.hasZeroBorder(event.space, register)) return
  const p = f.plans[statement]
  const isMemory = MEMORY.has(event.space)
  const waits =
    event.access === 'load' &&
    (isMemory
      ? p?.traits.kind === 'load' && ONLY_RESULT.has(event.reason)
      : p?.followed.has(event.operand) === true && ONLY_VALUE.has(event.reason))
  if (p === undefined || !waits) {
    if (f.context.sink.known(code, statement, -1, register)) return
    f.context.sink.add(boundsFinding(accessOf(event), f.context)!)
    return
  }
  const name = { kind: 'bounds', code, statement, register } as const
  const describer = (): (() => Finding) => {
    const access = accessOf(event)
    return () => boundsFinding(access, f.context)!
  }
  if (isMemory) {
    const isWhole = event.reason === 'misaligned' || event.reason === 'structure-offset'
    waitForUse(f, name, lane, isWhole, describer)
    return
  }
  f.quiet = false
  onOutside(f, p, wave, lane, event.operand, undefinedRead(f.origins, name, lane, describer))
}

/** Loads that leave their structure in TGSM: what they give is not what the shader meant. */
function watchLoads(f: Flow, watch: StructureWatch, event: MemoryEvent): void {
  if (event.access !== 'load') return
  const { statement, lanes } = event.wave
  const name = { kind: 'bounds', code: 'check-bounds-tgsm-structure', statement, register: event.register } as const
  watch(event, (row, describe) => waitForUse(f, name, lanes[row]!, true, () => describe))
}

/** Loads out of bounds whose results nothing ever used are worth a hint. */
function finish(f: Flow): void {
  for (const o of f.origins.all) {
    if (o.kind !== 'bounds' || o.uses.size > 0) continue
    const finding = o.first.describe()
    const notes = [...finding.notes, 'nothing that this run leaves or decides depends on the result']
    f.context.sink.add({ ...finding, severity: 'hint', notes })
  }
}

function byteLength(f: Flow): number {
  let total = 0
  for (const g of [...f.groups.values(), ...f.idle]) {
    for (const w of g.waves) {
      if (w !== undefined) total += w.masks.byteLength + (w.bits?.byteLength ?? 0) + 8 * (w.origins?.length ?? 0)
    }
    for (const t of g.tgsm.values()) total += t.bits.byteLength + 8 * t.origins.length
  }
  for (const map of f.contents.values()) total += map.byteLength
  return total
}

const MAX_LANES = 2 * LANES
const EMPTY_WAVE: WaveShadow = { masks: new Int32Array(0), bits: undefined, origins: undefined }

/** What is remembered, and the detector that keeps it. */
interface UndefinedFlow {
  readonly flow: Flow
  readonly detector: Detector
}

/** The detector with what it remembers, for those who show what is undefined at a moment. */
export function undefinedFlow(options: FlowOptions, context: CheckContext): UndefinedFlow {
  const { layout, plans } = plannedProgram(context.declarations)
  const f: Flow = {
    context,
    options,
    layout,
    plans,
    groups: new Map(),
    idle: [],
    origins: noOrigins(),
    contents: new Map(),
    out: new Array<OriginSet | undefined>(MAX_LANES).fill(undefined),
    outWhole: new Uint8Array(MAX_LANES),
    outStep: -1,
    outside: new Map(),
    replaced: new Map(),
    seen: newLaneWords(),
    supposed: newLaneWords(),
    quiet: !options.uninitialized && !options.uavContents,
    group: -1,
    wave: -1,
    shadow: EMPTY_WAVE,
    groupShadow: { waves: [], tgsm: new Map() },
    active: new Int32Array(2),
  }
  const watch = options.bounds ? structureWatch(context) : undefined
  const detector: Detector = {
    observer: {
      groupBegin(site: GroupSite) {
        const shadow = f.idle.pop() ?? { waves: [], tgsm: new Map() }
        resetGroup(f, shadow)
        f.groups.set(site.group, shadow)
        f.group = -1
      },
      groupEnd(site: GroupSite) {
        const shadow = f.groups.get(site.group)
        if (shadow !== undefined) f.idle.push(shadow)
        f.groups.delete(site.group)
        f.group = -1
      },
      instruction: (wave) => onInstruction(f, wave),
      memory(event) {
        if (watch !== undefined) watchLoads(f, watch, event)
        onMemory(f, event)
      },
      ...(options.bounds ? { undefined: (event: UndefinedEvent) => onUndefined(f, event) } : {}),
    },
    finish: () => finish(f),
    byteLength: () => byteLength(f),
  }
  return { flow: f, detector }
}

/**
 * Follows undefined values, bit by bit, from where they were read first to where they matter: stored to a UAV, branched
 * on, used as an address, an index or a texture coordinate. Values that are undefined only in inactive lanes or in
 * unselected operands never matter. What reads of memory and registers out of bounds give, zeros too, is followed in the
 * same way.
 */
export const detectUndefinedValues =
  (options: FlowOptions) =>
  (context: CheckContext): Detector =>
    undefinedFlow(options, context).detector
