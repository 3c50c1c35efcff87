import type { MemoryEvent, WaveSite } from '../../engine/index.ts'
import { atomicResult } from '../../isa/index.ts'
import { registerText } from '../detectors/bounds.ts'
import { siteOf } from '../report/finding.ts'
import { memoryPlace } from '../report/memory-place.ts'
import { type Bits, definedBits, UNDEFINED_BITS_OPS, undefinedWord } from './bits.ts'
import {
  enterWave,
  type Flow,
  originOfWord,
  outsideOf,
  place,
  setWord,
  type TgsmShadow,
  undefinedBitsOf,
  useInOutput,
} from './flow-state.ts'
import { type OriginSet, undefinedRead, union, use } from './origins.ts'
import type { StatementPlan } from './plan.ts'
import { type ContentMap, isWritten, makeContentMap, markWritten } from './written-bytes.ts'

/** How undefined values go to memory and come from it. */

function tgsmShadow(f: Flow, register: number): TgsmShadow {
  const { tgsm } = f.groupShadow
  let shadow = tgsm.get(register)
  if (shadow === undefined) {
    const declared = f.context.declarations.tgsm.find((t) => t.register === register)
    const count = (declared?.byteLength ?? 0) >> 2
    const bits = new Int32Array(count)
    if (f.options.uninitialized) bits.fill(-1)
    shadow = {
      bits,
      origins: new Array<OriginSet | undefined>(count).fill(undefined),
      undefinedCount: f.options.uninitialized ? count : 0,
    }
    tgsm.set(register, shadow)
  }
  return shadow
}

function tgsmOrigin(f: Flow, event: MemoryEvent, t: TgsmShadow, byteOffset: number, lane: number): OriginSet {
  const known = t.origins[byteOffset >> 2]
  if (known !== undefined) return known
  const { wave, register } = event
  const code = 'check-uninitialized-tgsm'
  return undefinedRead(f.origins, { kind: 'tgsm', code, statement: wave.statement, register }, lane, () => {
    const site = siteOf(wave, lane, event.access)
    const memory = memoryPlace(event, byteOffset)
    return () => ({
      code,
      severity: 'error',
      message: `${registerText('tgsm', register, f.context.declarations)} is read at byte ${byteOffset} before any thread of the group wrote it`,
      site,
      memory,
      notes: ['TGSM has no initial value: it holds what another group, or another shader, left there'],
    })
  })
}

function uavOrigin(f: Flow, event: MemoryEvent, byteOffset: number, lane: number): OriginSet {
  const { wave, register } = event
  const code = 'check-uninitialized-uav'
  return undefinedRead(f.origins, { kind: 'uav', code, statement: wave.statement, register }, lane, () => {
    const site = siteOf(wave, lane, event.access)
    const memory = memoryPlace(event, byteOffset)
    return () => ({
      code,
      severity: 'warning',
      message: `${registerText('uav', register, f.context.declarations)} is read where this dispatch wrote nothing`,
      site,
      memory,
      notes: [],
    })
  })
}

/** The storage whose contents are watched, for a row of a UAV access. */
function contentsOf(f: Flow, event: MemoryEvent, row: number): ContentMap | undefined {
  if (!f.options.uavContents || event.space !== 'uav') return undefined
  const view = event.views === undefined ? event.view : event.views[row]
  if (view === undefined || view.kind === 'cbv') return undefined
  let map = f.contents.get(view.resource)
  if (map === undefined) f.contents.set(view.resource, (map = makeContentMap()))
  return map
}

/** Whether an entry of the current load is out of bounds or, with all others of its lane, undefined. */
const isOut = (f: Flow, lane: number, byteOffset: number): boolean =>
  f.outStep === f.origins.step && f.out[lane] !== undefined && (byteOffset < 0 || f.outWhole[lane] === 1)

/** What a load's entry depends on; undefined where all of it is defined. */
function loadedOrigin(
  f: Flow,
  event: MemoryEvent,
  t: TgsmShadow | undefined,
  row: number,
  entry: number,
): OriginSet | undefined {
  const byteOffset = event.byteOffsets[row * event.width + entry]!
  const lane = event.wave.lanes[row]!
  if (isOut(f, lane, byteOffset)) return f.out[lane]
  if (byteOffset < 0) return undefined
  if (t !== undefined) return t.bits[byteOffset >> 2] === 0 ? undefined : tgsmOrigin(f, event, t, byteOffset, lane)
  const contents = contentsOf(f, event, row)
  if (contents === undefined || isWritten(contents, byteOffset, event.byteLength)) return undefined
  return uavOrigin(f, event, byteOffset, lane)
}

function onLoad(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const t = event.space === 'tgsm' ? tgsmShadow(f, event.register) : undefined
  const mayBeOut = f.outStep === f.origins.step
  if (!mayBeOut && (t === undefined ? !f.options.uavContents || event.space !== 'uav' : t.undefinedCount === 0)) return
  const { lanes, activeCount } = wave
  const to = p.instruction.operands[p.row.operands.findIndex((s) => s.role === 'dest')]
  for (let k = 0; k < activeCount; k++) {
    const lane = lanes[k]!
    for (let c = 0; c < p.loaded.length; c++) {
      // Typed accesses have one entry for all components.
      const entry = width === 1 ? 0 : c
      const from = loadedOrigin(f, event, t, k, entry)
      if (from === undefined) continue
      const byteOffset = event.byteOffsets[k * width + entry]!
      const at = place(f, p.loaded[c]!, wave, lane)
      if (at < 0) {
        if (to !== undefined) useInOutput(f, to, wave, lane, from)
        continue
      }
      const isWhole = t === undefined || isOut(f, lane, byteOffset)
      setWord(f, at, lane, isWhole ? -1 : t.bits[byteOffset >> 2]!, from)
    }
  }
}

function setTgsm(t: TgsmShadow, byteOffset: number, undefinedBits: number, from: OriginSet | undefined): void {
  const at = byteOffset >> 2
  if (t.bits[at] !== 0) t.undefinedCount--
  if (undefinedBits !== 0) t.undefinedCount++
  t.bits[at] = undefinedBits
  t.origins[at] = from
}

/** Positions of a typed value that the view's format keeps. */
function keptPositions(event: MemoryEvent, row: number): number {
  const view = event.views === undefined ? event.view : event.views[row]
  if (view === undefined || !('format' in view)) return 15
  let kept = 0
  for (const c of view.format.components) kept |= 1 << Math.max(0, 'rgba'.indexOf(c.name))
  return kept
}

/** Undefined bits of the n-th word that a statement stores, for a lane. */
function storedBits(f: Flow, p: StatementPlan, n: number, wave: WaveSite, lane: number): number {
  const { from, operand } = p.stored[n]!
  if (outsideOf(f, lane, operand) !== undefined) return -1
  const at = place(f, from, wave, lane)
  return undefinedBitsOf(f, at, lane)
}

/** What the n-th word that a statement stores depends on, where it is undefined. */
function storedOrigin(f: Flow, p: StatementPlan, n: number, wave: WaveSite, lane: number): OriginSet {
  const { from, operand } = p.stored[n]!
  return outsideOf(f, lane, operand) ?? originOfWord(f, place(f, from, wave, lane), wave, lane)
}

/** Whether any of the words that a store takes is undefined in any active lane, or may be. */
function mayStoreUndefined(f: Flow, p: StatementPlan, count: number): boolean {
  if (f.outside.size > 0) return true
  const { masks } = f.shadow
  const [low, high] = [f.active[0]!, f.active[1]!]
  for (let i = 0; i < count; i++) {
    const { word, computed } = p.stored[i]!.from
    if (computed !== undefined) return true
    if (word < 0) continue
    if ((masks[word]! & low) !== 0 || (high !== 0 && (masks[word + f.layout.wordCount]! & high) !== 0)) return true
  }
  return false
}

/** A store of defined values alone: memory that was undefined becomes defined. */
function storeDefined(event: MemoryEvent, t: TgsmShadow | undefined): void {
  if (t === undefined || t.undefinedCount === 0) return
  const end = event.wave.activeCount * event.width
  for (let i = 0; i < end; i++) {
    const byteOffset = event.byteOffsets[i]!
    if (byteOffset >= 0 && t.bits[byteOffset >> 2] !== 0) setTgsm(t, byteOffset, 0, undefined)
  }
}

function onStore(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const t = event.space === 'tgsm' ? tgsmShadow(f, event.register) : undefined
  const isTyped = event.valuesPerRow > width
  const count = isTyped ? 4 : width
  if (!f.options.uavContents && !mayStoreUndefined(f, p, count)) {
    storeDefined(event, t)
    return
  }
  const { lanes, activeCount } = wave
  for (let k = 0; k < activeCount; k++) {
    const lane = lanes[k]!
    const contents = contentsOf(f, event, k)
    const kept = isTyped ? keptPositions(event, k) : 15
    for (let i = 0; i < count; i++) {
      const byteOffset = event.byteOffsets[k * width + (isTyped ? 0 : i)]!
      if (byteOffset < 0 || ((kept >> i) & 1) === 0) continue
      const undefinedBits = storedBits(f, p, i, wave, lane)
      if (t !== undefined) {
        if (undefinedBits !== 0) setTgsm(t, byteOffset, undefinedBits, storedOrigin(f, p, i, wave, lane))
        else if (t.bits[byteOffset >> 2] !== 0) setTgsm(t, byteOffset, 0, undefined)
        continue
      }
      if (undefinedBits !== 0) {
        const action = `is stored to ${registerText(event.space, event.register, f.context.declarations)}`
        use(f.context, storedOrigin(f, p, i, wave, lane), wave, lane, 'store', action)
      }
      if (contents !== undefined) markWritten(contents, byteOffset, event.byteLength)
    }
  }
}

/** Undefined bits of an atomic's operand for a lane. */
function operandBits(f: Flow, p: StatementPlan, n: number, wave: WaveSite, lane: number): Bits {
  const stored = p.stored[n]
  if (stored === undefined) return definedBits(0)
  return undefinedWord(wave.registers.source(stored.operand, 0, lane), storedBits(f, p, n, wave, lane))
}

/** Whether a value that an atomic or store takes has an undefined bit for a lane. */
function storesUndefined(f: Flow, p: StatementPlan, wave: WaveSite, lane: number): boolean {
  return p.stored.some((_, n) => storedBits(f, p, n, wave, lane) !== 0)
}

function onTgsmAtomic(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const t = tgsmShadow(f, event.register)
  if (p.traits.kind !== 'atomic') return
  const { operation } = p.traits
  const { lanes, activeCount } = wave
  for (let k = 0; k < activeCount; k++) {
    const lane = lanes[k]!
    const byteOffset = event.byteOffsets[k * width]!
    if (byteOffset < 0) continue
    const before = t.bits[byteOffset >> 2]!
    if (before === 0 && !storesUndefined(f, p, wave, lane)) continue
    const first = operandBits(f, p, 0, wave, lane)
    const second = operandBits(f, p, 1, wave, lane)
    const original = undefinedWord(event.originals[k]!, before)
    const isPair = p.stored.length > 1
    const after = atomicResult(UNDEFINED_BITS_OPS, operation, original, isPair ? second : first, first)
    const old = before === 0 ? undefined : tgsmOrigin(f, event, t, byteOffset, lane)
    const from = [first, second].reduce<OriginSet | undefined>((set, word, n) => {
      if (word.undefinedBits === 0) return set
      return union(set, storedOrigin(f, p, n, wave, lane))
    }, old)
    setTgsm(t, byteOffset, after.undefinedBits, after.undefinedBits === 0 ? undefined : from)
    if (old === undefined) continue
    for (const to of p.loaded) {
      const at = place(f, to, wave, lane)
      if (at >= 0) setWord(f, at, lane, before, old)
    }
  }
}

function onUavAtomic(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const { lanes, activeCount } = wave
  for (let k = 0; k < activeCount; k++) {
    const lane = lanes[k]!
    const byteOffset = event.byteOffsets[k * width]!
    if (byteOffset < 0) continue
    for (let n = 0; n < p.stored.length; n++) {
      if (storedBits(f, p, n, wave, lane) === 0) continue
      const name = registerText(event.space, event.register, f.context.declarations)
      use(f.context, storedOrigin(f, p, n, wave, lane), wave, lane, 'atomic', `is used in an atomic on ${name}`)
    }
    const contents = contentsOf(f, event, k)
    if (contents === undefined) continue
    if (!isWritten(contents, byteOffset, event.byteLength)) {
      const from = uavOrigin(f, event, byteOffset, lane)
      for (const to of p.loaded) {
        const at = place(f, to, wave, lane)
        if (at >= 0) setWord(f, at, lane, -1, from)
      }
    }
    markWritten(contents, byteOffset, event.byteLength)
  }
}

export function onMemory(f: Flow, event: MemoryEvent): void {
  if (f.quiet) return
  const { space, access, wave } = event
  if (space !== 'tgsm' && space !== 'uav' && space !== 'srv') return
  const p = f.plans[wave.statement]
  if (p === undefined) return
  enterWave(f, wave)
  if (access === 'load') onLoad(f, p, event)
  else if (access === 'store') onStore(f, p, event)
  else if (space === 'tgsm') onTgsmAtomic(f, p, event)
  else onUavAtomic(f, p, event)
}
