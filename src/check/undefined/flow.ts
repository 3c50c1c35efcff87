import type { GroupSite, UndefinedEvent } from '../../engine/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { boundsCode, boundsFinding } from '../detectors/bounds.ts'
import { onMemory } from './flow-memory.ts'
import { onInstruction } from './flow-registers.ts'
import { type Flow, type FlowOptions, origin, resetGroup, type WaveShadow } from './flow-state.ts'
import { layoutOf, plansOf } from './plan.ts'

/** A load that Direct3D answers with 0 is told when the 0 matters; everything else at once. */
function onUndefined(f: Flow, event: UndefinedEvent): void {
  if (
    event.defined &&
    event.reason === 'out-of-bounds' &&
    event.access === 'load' &&
    f.waiting.has(event.wave.statement)
  ) {
    return
  }
  const code = boundsCode(event, f.context)
  if (code === undefined) return
  const { statement } = event.wave
  const waits = event.defined && event.access === 'load' && f.plans[statement]?.traits.kind === 'load'
  if (waits) {
    const key = `bounds ${statement} ${code}`
    if (f.originNumbers.has(key)) return
    const finding = boundsFinding(event, f.context)!
    f.waiting.set(
      statement,
      origin(f, key, () => ({ kind: 'bounds', finding })),
    )
    return
  }
  if (f.context.sink.known(code, statement, -1, event.register)) return
  f.context.sink.add(boundsFinding(event, f.context)!)
}

/** Loads of 0 that nothing ever used are worth a hint. */
function finish(f: Flow): void {
  for (const o of f.origins) {
    if (o.kind !== 'bounds' || o.usedAt >= 0) continue
    const notes = [...o.finding.notes, 'the result was not used in this run']
    f.context.sink.add({ ...o.finding, severity: 'hint', notes })
  }
}

function byteLength(f: Flow): number {
  let total = 0
  for (const g of [...f.groups.values(), ...f.idle]) {
    for (const w of g.waves) {
      if (w !== undefined) total += w.masks.byteLength + (w.bits?.byteLength ?? 0) + (w.origins?.byteLength ?? 0)
    }
    for (const t of g.tgsm.values()) total += t.bits.byteLength + t.origins.byteLength
  }
  for (const map of f.contents.values()) total += map.byteLength
  return total
}

const EMPTY_WAVE: WaveShadow = { masks: new Int32Array(0), bits: undefined, origins: undefined }

/**
 * Follows undefined values, bit by bit, from where they were read first to where they matter: stored to a UAV, branched
 * on, used as an address, an index or a texture coordinate. Values that are undefined only in inactive lanes or in
 * unselected operands never matter. Zeros that Direct3D gives for loads out of bounds are followed in the same way.
 */
export function detectUndefinedValues(options: FlowOptions): (context: CheckContext) => Detector {
  return (context) => {
    const layout = layoutOf(context.declarations)
    const f: Flow = {
      context,
      options,
      layout,
      plans: plansOf(context.declarations, layout),
      groups: new Map(),
      idle: [],
      origins: [],
      originNumbers: new Map(),
      contents: new Map(),
      waiting: new Map(),
      quiet: !options.uninitialised && !options.uavContents,
      group: -1,
      wave: -1,
      shadow: EMPTY_WAVE,
      groupShadow: { waves: [], tgsm: new Map() },
      active: new Int32Array(2),
    }
    return {
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
        memory: (event) => onMemory(f, event),
        ...(options.bounds ? { undefined: (event: UndefinedEvent) => onUndefined(f, event) } : {}),
      },
      finish: () => finish(f),
      byteLength: () => byteLength(f),
    }
  }
}
