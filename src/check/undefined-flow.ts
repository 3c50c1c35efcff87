import type { DiagnosticCode } from '../diagnostic/index.ts'
import type { GroupSite, MemoryEvent, UndefinedEvent, WaveSite } from '../engine/index.ts'
import { applyModifier, atomicResult, controlOf, saturate, TEST } from '../isa/index.ts'
import { boundsCode, boundsFinding, registerText } from './bounds.ts'
import type { CheckContext, Detector } from './context.ts'
import type { Finding, Site } from './finding.ts'
import { memoryPlace } from './memory-place.ts'
import { type Bits, definedBits, UNDEFINED_BITS_OPS, undefinedWord } from './undefined-bits.ts'
import {
  type AddressUse,
  type Evaluation,
  layoutOf,
  plansOf,
  type StatementPlan,
  type WordLayout,
  type WordReference,
} from './undefined-plan.ts'
import { type ContentMap, isWritten, makeContentMap, markWritten } from './written-bytes.ts'

/** What is followed. */
export interface FlowOptions {
  /** Accesses out of bounds; loads that Direct3D answers with 0 count where the 0 matters. */
  readonly bounds: boolean
  /** Registers and TGSM that nothing wrote. */
  readonly uninitialised: boolean
  /** Contents of UAVs that this dispatch did not write. */
  readonly uavContents: boolean
}

type OriginKind = 'temp' | 'indexable-temp' | 'tgsm' | 'uav' | 'bounds'

/** Where an undefined value was read first. */
interface Origin {
  readonly kind: OriginKind
  readonly finding: Finding
  /** Statement of the use that was reported; -1 while there was none. */
  usedAt: number
}

/** Undefined lanes of the registers of one wave: a bit a lane, a word a component, one half for each 32 lanes. */
interface WaveShadow {
  readonly masks: Int32Array
  /** Undefined bits by word and lane, valid where the mask says that there are any; made when first needed. */
  bits: Int32Array | undefined
  /** Number of the origin by word; 0 where the register itself was never written. */
  origins: Int32Array | undefined
}

/** TGSM of a group: undefined bits of each dword, and where they come from. */
interface TgsmShadow {
  readonly bits: Int32Array
  readonly origins: Int32Array
  /** Dwords with an undefined bit. */
  undefinedCount: number
}

interface GroupShadow {
  readonly waves: (WaveShadow | undefined)[]
  readonly tgsm: Map<number, TgsmShadow>
}

interface Flow {
  readonly context: CheckContext
  readonly options: FlowOptions
  readonly layout: WordLayout
  readonly plans: readonly (StatementPlan | undefined)[]
  readonly groups: Map<number, GroupShadow>
  readonly idle: GroupShadow[]
  readonly origins: Origin[]
  readonly originNumbers: Map<string, number>
  readonly contents: Map<object, ContentMap>
  /** Bounds findings that wait for a use of the loaded 0, by statement. */
  readonly waiting: Map<number, number>
  /** Nothing undefined has come up: nothing needs following. */
  quiet: boolean
  /** The current wave, so that it is looked up once in a row. */
  group: number
  wave: number
  shadow: WaveShadow
  groupShadow: GroupShadow
  /** Active lanes of the current statement. */
  readonly active: Int32Array
}

const LANES = 32
const CODE_OF: Readonly<Record<Exclude<OriginKind, 'bounds'>, DiagnosticCode>> = {
  temp: 'check-uninitialised-temp',
  'indexable-temp': 'check-uninitialised-indexable-temp',
  tgsm: 'check-uninitialised-tgsm',
  uav: 'check-uninitialised-uav',
}

function makeWaveShadow(f: Flow, wave: WaveSite): WaveShadow {
  const halves = wave.laneCount > LANES ? 2 : 1
  const masks = new Int32Array(Math.max(1, f.layout.wordCount) * halves)
  if (f.options.uninitialised) masks.fill(-1)
  return { masks, bits: undefined, origins: undefined }
}

function resetGroup(f: Flow, g: GroupShadow): void {
  for (const w of g.waves) {
    w?.masks.fill(f.options.uninitialised ? -1 : 0)
    w?.bits?.fill(-1)
    w?.origins?.fill(0)
  }
  for (const t of g.tgsm.values()) {
    t.bits.fill(f.options.uninitialised ? -1 : 0)
    t.origins.fill(0)
    t.undefinedCount = f.options.uninitialised ? t.bits.length : 0
  }
}

function enterWave(f: Flow, wave: WaveSite): void {
  if (f.group !== wave.group || f.wave !== wave.wave) {
    f.group = wave.group
    f.wave = wave.wave
    f.groupShadow = f.groups.get(wave.group)!
    f.shadow = f.groupShadow.waves[wave.wave] ??= makeWaveShadow(f, wave)
  }
  const { lanes, activeCount, laneCount } = wave
  const { active } = f
  if (activeCount === laneCount) {
    active[0] = laneCount >= LANES ? -1 : (1 << laneCount) - 1
    active[1] = laneCount <= LANES ? 0 : laneCount === 64 ? -1 : (1 << (laneCount - LANES)) - 1
    return
  }
  let low = 0
  let high = 0
  for (let k = 0; k < activeCount; k++) {
    const l = lanes[k]!
    if (l < LANES) low |= 1 << l
    else high |= 1 << (l - LANES)
  }
  active[0] = low
  active[1] = high
}

const bitsOf = (s: WaveShadow): Int32Array => (s.bits ??= new Int32Array(s.masks.length * LANES).fill(-1))
const originsOf = (s: WaveShadow): Int32Array => (s.origins ??= new Int32Array(s.masks.length))

/** The word of a reference for a lane, in its half of the masks; -1 where it is always defined. */
function place(f: Flow, from: WordReference, wave: WaveSite, lane: number): number {
  const offset = lane < LANES ? 0 : f.layout.wordCount
  const { computed } = from
  if (computed === undefined) return from.word < 0 ? -1 : from.word + offset
  const index = computed.operand.indices[1]
  if (index === undefined || !('register' in index)) return -1
  const { register } = index
  const base = 'offset' in index ? index.offset : 0
  const element = (base + indexRegister(f, register, wave, lane)) >>> 0
  return element < computed.count ? from.word + element * 4 + computed.component + offset : -1
}

/** The value of a register that serves as an index. */
function indexRegister(
  f: Flow,
  o: StatementPlan['instruction']['operands'][number],
  wave: WaveSite,
  lane: number,
): number {
  const first = o.indices[0]
  const component = o.mode === 2 ? o.selection & 3 : 0
  if (first?.kind !== 'immediate') return -1
  const second = o.indices[1]
  if (second === undefined) return wave.registers.temp(first.value, component, lane)
  if (second.kind === 'immediate') return wave.registers.indexableTemp(first.value, second.value, component, lane)
  return f.layout.indexable.has(first.value) ? -1 : 0
}

const isUndefinedAt = (s: WaveShadow, at: number, lane: number): boolean =>
  at >= 0 && ((s.masks[at]! >>> (lane & 31)) & 1) !== 0

function siteOf(wave: WaveSite, lane: number, access: Site['access'], deed?: string): Site {
  return {
    statement: wave.statement,
    group: [wave.groupX, wave.groupY, wave.groupZ],
    thread: wave.firstThread + lane,
    access,
    ...(deed === undefined ? {} : { deed }),
  }
}

/** A new origin, or the one that is known by its key. */
function origin(f: Flow, key: string, make: () => { kind: OriginKind; finding: Finding }): number {
  const known = f.originNumbers.get(key)
  if (known !== undefined) return known
  f.quiet = false
  f.origins.push({ ...make(), usedAt: -1 })
  f.originNumbers.set(key, f.origins.length)
  return f.origins.length
}

const LETTERS = 'xyzw'

/** The register that a word belongs to, as the listing names it. */
function wordText(layout: WordLayout, word: number): { text: string; register: number; isTemp: boolean } {
  if (word < layout.tempCount * 4) {
    return { text: `r${word >> 2}.${LETTERS[word & 3]}`, register: word >> 2, isTemp: true }
  }
  for (const [register, x] of layout.indexable) {
    const inside = word - x.first
    if (inside >= 0 && inside < x.count * 4) {
      return { text: `x${register}[${inside >> 2}].${LETTERS[inside & 3]}`, register, isTemp: false }
    }
  }
  return { text: '?', register: -1, isTemp: true }
}

/** The origin of an undefined word: what it was copied from, or the register itself, first read here. */
function originOfWord(f: Flow, at: number, wave: WaveSite, lane: number): number {
  const known = f.shadow.origins?.[at] ?? 0
  if (known !== 0) return known
  const { text, register, isTemp } = wordText(f.layout, at % Math.max(1, f.layout.wordCount))
  const kind = isTemp ? 'temp' : 'indexable-temp'
  return origin(f, `${kind} ${wave.statement} ${register}`, () => ({
    kind,
    finding: {
      code: CODE_OF[kind],
      severity: 'error',
      message: `${text} is read before anything wrote it`,
      site: siteOf(wave, lane, 'other', `reads ${text}`),
      memory: { space: isTemp ? 'other' : 'indexable-temp', register },
      notes: [],
    },
  }))
}

/** An undefined value matters here. The first use of each origin is told, the others are counted. */
function use(f: Flow, number: number, wave: WaveSite, lane: number, access: Site['access'], deed: string): void {
  const o = f.origins[number - 1]!
  const { sink } = f.context
  const { finding } = o
  const register = finding.memory?.register ?? -1
  if (o.usedAt >= 0) {
    sink.known(finding.code, finding.site.statement, o.usedAt, register)
    return
  }
  o.usedAt = wave.statement
  const message = `${finding.message}, and the ${o.kind === 'bounds' ? 'result' : 'value'} ${deed}`
  sink.add({ ...finding, message, other: siteOf(wave, lane, access, deed) })
}

const lowestLane = (mask: number): number => 31 - Math.clz32(mask & -mask)

/** Undefined lanes of computed references, as a mask of one half. */
function computedMask(f: Flow, references: readonly WordReference[], wave: WaveSite, half: number): number {
  let mask = 0
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    if (lane >> 5 !== half) continue
    for (const from of references) {
      if (isUndefinedAt(f.shadow, place(f, from, wave, lane), lane)) mask |= 1 << (lane & 31)
    }
  }
  return mask
}

/** Words of destinations become defined for the active lanes. */
function define(f: Flow, p: StatementPlan, wave: WaveSite, half: number, lanes: number): void {
  const { masks } = f.shadow
  const offset = half * f.layout.wordCount
  const { writes } = p
  for (let i = 0; i < writes.length; i++) masks[writes[i]! + offset]! &= ~lanes
  if (p.computedWrites.length === 0) return
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    if (lane >> 5 !== half || ((lanes >>> (lane & 31)) & 1) === 0) continue
    for (const to of p.computedWrites) {
      const at = place(f, to, wave, lane)
      if (at >= 0) masks[at]! &= ~(1 << (lane & 31))
    }
  }
}

/** Words of one lane while its results are worked out; the same register word is the same object. */
type LaneWords = Map<number, Bits>

function wordBits(
  f: Flow,
  p: StatementPlan,
  s: Evaluation['sources'][number],
  wave: WaveSite,
  lane: number,
  seen: LaneWords,
): Bits {
  const at = place(f, s.from, wave, lane)
  if (at < 0) return definedBits(wave.registers.source(s.operand, s.position, lane))
  const o = p.instruction.operands[s.operand]!
  let word = seen.get(at)
  if (word === undefined) {
    const undefinedBits = isUndefinedAt(f.shadow, at, lane) ? bitsOf(f.shadow)[at * LANES + (lane & 31)]! : 0
    word = undefinedWord(rawValue(f, at, wave, lane), undefinedBits)
    seen.set(at, word)
  }
  const { type } = p.row.operands[s.operand]!
  if (o.modifier === 0 || (type === 'f64' && (s.position & 1) === 0)) return word
  return applyModifier(UNDEFINED_BITS_OPS, type, o.modifier, word)
}

function rawValue(f: Flow, at: number, wave: WaveSite, lane: number): number {
  const { layout } = f
  const word = at % layout.wordCount
  if (word < layout.tempCount * 4) return wave.registers.temp(word >> 2, word & 3, lane)
  for (const [register, x] of layout.indexable) {
    const inside = word - x.first
    if (inside >= 0 && inside < x.count * 4)
      return wave.registers.indexableTemp(register, inside >> 2, inside & 3, lane)
  }
  return 0
}

/** Results of a pure instruction for one lane that reads something undefined. */
function evaluateLane(f: Flow, p: StatementPlan, wave: WaveSite, lane: number): void {
  const seen: LaneWords = new Map()
  const results: { at: number; undefinedBits: number; origin: number }[] = []
  for (const e of p.evaluations) {
    const words = e.sources.map((s) => wordBits(f, p, s, wave, lane, seen))
    const out = p.semantics!(UNDEFINED_BITS_OPS, words)
    const cause = e.sources.find((_, i) => words[i]!.undefinedBits !== 0)
    for (const o of e.outputs) {
      const { type } = p.row.operands[o.operand]!
      const bits =
        o.saturated.length === 0
          ? out[o.result]!
          : saturate(
              UNDEFINED_BITS_OPS,
              type,
              o.saturated.map((r) => out[r]!),
            )[o.saturated.indexOf(o.result)]!
      const at = place(f, o.to, wave, lane)
      if (at < 0) continue
      const from =
        bits.undefinedBits === 0 || cause === undefined
          ? 0
          : originOfWord(f, place(f, cause.from, wave, lane), wave, lane)
      results.push({ at, undefinedBits: bits.undefinedBits, origin: from })
    }
  }
  for (const r of results) setWord(f, r.at, lane, r.undefinedBits, r.origin)
}

function setWord(f: Flow, at: number, lane: number, undefinedBits: number, from: number): void {
  const bit = 1 << (lane & 31)
  const { masks } = f.shadow
  if (undefinedBits === 0) {
    masks[at]! &= ~bit
    return
  }
  masks[at]! |= bit
  bitsOf(f.shadow)[at * LANES + (lane & 31)] = undefinedBits
  originsOf(f.shadow)[at] = from
}

function flowThroughAlu(f: Flow, p: StatementPlan, wave: WaveSite, half: number, undefinedLanes: number): void {
  for (let rest = undefinedLanes; rest !== 0; rest &= rest - 1)
    evaluateLane(f, p, wave, lowestLane(rest) + half * LANES)
  const others = f.active[half]! & ~undefinedLanes
  if (others !== 0) define(f, p, wave, half, others)
}

/** A comparison sample with an undefined reference value: every component of its result is undefined. */
function flowThroughSample(f: Flow, p: StatementPlan, wave: WaveSite, half: number, undefinedLanes: number): void {
  define(f, p, wave, half, f.active[half]!)
  const offset = half * f.layout.wordCount
  for (let rest = undefinedLanes; rest !== 0; rest &= rest - 1) {
    const lane = lowestLane(rest) + half * LANES
    const cause = [...p.reads].find((word) => isUndefinedAt(f.shadow, word + offset, lane))
    if (cause === undefined) continue
    const from = originOfWord(f, cause + offset, wave, lane)
    for (const word of p.writes) setWord(f, word + offset, lane, -1, from)
  }
}

const DEEDS: Readonly<Record<AddressUse, string>> = {
  address: 'is used as an address',
  index: 'is used as an index',
  coordinate: 'is used as a texture coordinate',
}

function checkAddresses(f: Flow, p: StatementPlan, wave: WaveSite, half: number): void {
  const offset = half * f.layout.wordCount
  const { masks } = f.shadow
  let any = 0
  for (let i = 0; i < p.addressWords.length; i++) any |= masks[p.addressWords[i]! + offset]!
  if ((any & f.active[half]!) === 0 && !p.hasComputedAddress) return
  for (const { from, use: how } of p.addresses) {
    const undefinedLanes =
      from.computed === undefined ? masks[from.word + offset]! : computedMask(f, [from], wave, half)
    const lanes = undefinedLanes & f.active[half]!
    if (lanes === 0) continue
    const lane = lowestLane(lanes) + half * LANES
    use(f, originOfWord(f, place(f, from, wave, lane), wave, lane), wave, lane, 'other', DEEDS[how])
  }
}

/** A condition that depends on undefined bits; one with a defined bit that is set holds in any case. */
function checkTest(f: Flow, p: StatementPlan, wave: WaveSite, half: number): void {
  const tested = p.tested!
  const lanes =
    (tested.computed === undefined
      ? f.shadow.masks[tested.word + half * f.layout.wordCount]!
      : computedMask(f, [tested], wave, half)) & f.active[half]!
  const isTest = p.row.controls.includes(TEST) && controlOf(p.instruction.controls, TEST) >= 0
  for (let rest = lanes; rest !== 0; rest &= rest - 1) {
    const lane = lowestLane(rest) + half * LANES
    const at = place(f, tested, wave, lane)
    const undefinedBits = bitsOf(f.shadow)[at * LANES + (lane & 31)]!
    if (isTest && (rawValue(f, at, wave, lane) & ~undefinedBits) !== 0) continue
    use(f, originOfWord(f, at, wave, lane), wave, lane, 'other', 'decides a branch')
    return
  }
}

function onInstruction(f: Flow, wave: WaveSite): void {
  if (f.quiet) return
  const p = f.plans[wave.statement]
  if (p === undefined) return
  enterWave(f, wave)
  const { masks } = f.shadow
  const { reads } = p
  for (let half = 0; half < 2; half++) {
    const active = f.active[half]!
    if (active === 0) continue
    const offset = half * f.layout.wordCount
    if (p.addresses.length > 0) checkAddresses(f, p, wave, half)
    if (p.tested !== undefined) checkTest(f, p, wave, half)
    let lanes = 0
    for (let i = 0; i < reads.length; i++) lanes |= masks[reads[i]! + offset]!
    if (p.computedReads.length > 0) lanes |= computedMask(f, p.computedReads, wave, half)
    lanes &= active
    if (lanes === 0) {
      if (p.writes.length > 0 || p.computedWrites.length > 0) define(f, p, wave, half, active)
    } else if (p.semantics !== undefined) flowThroughAlu(f, p, wave, half, lanes)
    else flowThroughSample(f, p, wave, half, lanes)
  }
}

function tgsmShadow(f: Flow, register: number): TgsmShadow {
  const { tgsm } = f.groupShadow
  let shadow = tgsm.get(register)
  if (shadow === undefined) {
    const declared = f.context.declarations.tgsm.find((t) => t.register === register)
    const count = (declared?.byteLength ?? 0) >> 2
    const bits = new Int32Array(count)
    if (f.options.uninitialised) bits.fill(-1)
    shadow = { bits, origins: new Int32Array(count), undefinedCount: f.options.uninitialised ? count : 0 }
    tgsm.set(register, shadow)
  }
  return shadow
}

function tgsmOrigin(f: Flow, event: MemoryEvent, t: TgsmShadow, byteOffset: number, lane: number): number {
  const known = t.origins[byteOffset >> 2]!
  if (known !== 0) return known
  const { wave } = event
  const name = registerText('tgsm', event.register)
  return origin(f, `tgsm ${wave.statement} ${event.register}`, () => ({
    kind: 'tgsm',
    finding: {
      code: 'check-uninitialised-tgsm',
      severity: 'error',
      message: `${name} is read at byte ${byteOffset} before any thread of the group wrote it`,
      site: siteOf(wave, lane, event.access),
      memory: memoryPlace(event, byteOffset),
      notes: ['TGSM has no initial value: it holds what another group, or another shader, left there'],
    },
  }))
}

function uavOrigin(f: Flow, event: MemoryEvent, byteOffset: number, lane: number): number {
  const { wave } = event
  return origin(f, `uav ${wave.statement} ${event.register}`, () => ({
    kind: 'uav',
    finding: {
      code: 'check-uninitialised-uav',
      severity: 'warning',
      message: `${registerText('uav', event.register)} is read where this dispatch wrote nothing`,
      site: siteOf(wave, lane, event.access),
      memory: memoryPlace(event, byteOffset),
      notes: [],
    },
  }))
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

/** What a load's entry brings: the number of its origin and its undefined bits; 0 where all is defined. */
function loadedOrigin(f: Flow, event: MemoryEvent, t: TgsmShadow | undefined, row: number, entry: number): number {
  const byteOffset = event.byteOffsets[row * event.width + entry]!
  const lane = event.wave.lanes[row]!
  if (byteOffset < 0) return f.waiting.get(event.wave.statement) ?? 0
  if (t !== undefined) return t.bits[byteOffset >> 2] === 0 ? 0 : tgsmOrigin(f, event, t, byteOffset, lane)
  const contents = contentsOf(f, event, row)
  if (contents === undefined || isWritten(contents, byteOffset, event.byteLength)) return 0
  return uavOrigin(f, event, byteOffset, lane)
}

function onLoad(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const t = event.space === 'tgsm' ? tgsmShadow(f, event.register) : undefined
  const mayBeOut = f.waiting.has(wave.statement)
  if (!mayBeOut && (t === undefined ? !f.options.uavContents || event.space !== 'uav' : t.undefinedCount === 0)) return
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    for (let c = 0; c < p.loaded.length; c++) {
      // Typed accesses have one entry for all components.
      const entry = width === 1 ? 0 : c
      const from = loadedOrigin(f, event, t, k, entry)
      if (from === 0) continue
      const byteOffset = event.byteOffsets[k * width + entry]!
      const at = place(f, p.loaded[c]!, wave, lane)
      if (at >= 0) setWord(f, at, lane, t !== undefined && byteOffset >= 0 ? t.bits[byteOffset >> 2]! : -1, from)
    }
  }
}

function setTgsm(t: TgsmShadow, byteOffset: number, undefinedBits: number, from: number): void {
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

/** Whether any of the words that a store takes is undefined in any active lane, or may be. */
function mayStoreUndefined(f: Flow, p: StatementPlan, count: number): boolean {
  const { masks } = f.shadow
  const [low, high] = [f.active[0]!, f.active[1]!]
  for (let i = 0; i < count; i++) {
    const { word, computed } = p.stored[i]!
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
    if (byteOffset >= 0 && t.bits[byteOffset >> 2] !== 0) setTgsm(t, byteOffset, 0, 0)
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
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    const contents = contentsOf(f, event, k)
    const kept = isTyped ? keptPositions(event, k) : 15
    for (let i = 0; i < count; i++) {
      const byteOffset = event.byteOffsets[k * width + (isTyped ? 0 : i)]!
      if (byteOffset < 0 || ((kept >> i) & 1) === 0) continue
      const at = place(f, p.stored[i]!, wave, lane)
      const isUndefined = isUndefinedAt(f.shadow, at, lane)
      if (t !== undefined) {
        if (isUndefined) {
          setTgsm(t, byteOffset, bitsOf(f.shadow)[at * LANES + (lane & 31)]!, originOfWord(f, at, wave, lane))
        } else if (t.bits[byteOffset >> 2] !== 0) setTgsm(t, byteOffset, 0, 0)
        continue
      }
      if (isUndefined) {
        use(
          f,
          originOfWord(f, at, wave, lane),
          wave,
          lane,
          'store',
          `is stored to ${registerText(event.space, event.register)}`,
        )
      }
      if (contents !== undefined) markWritten(contents, byteOffset, event.byteLength)
    }
  }
}

/** Undefined bits of an atomic's operand for a lane. */
function operandBits(f: Flow, p: StatementPlan, n: number, wave: WaveSite, lane: number): Bits {
  const from = p.stored[n]
  if (from === undefined) return definedBits(0)
  const operand = p.row.operands.flatMap((s, i) => (s.role === 'source' ? [i] : []))[n]!
  const at = place(f, from, wave, lane)
  const value = wave.registers.source(operand, 0, lane)
  return isUndefinedAt(f.shadow, at, lane)
    ? undefinedWord(value, bitsOf(f.shadow)[at * LANES + (lane & 31)]!)
    : definedBits(value)
}

/** Whether a value that an atomic or store takes has an undefined bit for a lane. */
function storesUndefined(f: Flow, p: StatementPlan, wave: WaveSite, lane: number): boolean {
  for (const from of p.stored) if (isUndefinedAt(f.shadow, place(f, from, wave, lane), lane)) return true
  return false
}

function onTgsmAtomic(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  const t = tgsmShadow(f, event.register)
  if (p.traits.kind !== 'atomic') return
  const { operation } = p.traits
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    const byteOffset = event.byteOffsets[k * width]!
    if (byteOffset < 0) continue
    const before = t.bits[byteOffset >> 2]!
    if (before === 0 && !storesUndefined(f, p, wave, lane)) continue
    const first = operandBits(f, p, 0, wave, lane)
    const second = operandBits(f, p, 1, wave, lane)
    const original = undefinedWord(event.originals[k]!, before)
    const isPair = p.stored.length > 1
    const after = atomicResult(UNDEFINED_BITS_OPS, operation, original, isPair ? second : first, first)
    const blame = before !== 0 ? -1 : first.undefinedBits !== 0 ? 0 : 1
    const from =
      blame < 0
        ? tgsmOrigin(f, event, t, byteOffset, lane)
        : originOfWord(f, place(f, p.stored[blame]!, wave, lane), wave, lane)
    setTgsm(t, byteOffset, after.undefinedBits, after.undefinedBits === 0 ? 0 : from)
    if (before === 0) continue
    for (const to of p.loaded) {
      const at = place(f, to, wave, lane)
      if (at >= 0) setWord(f, at, lane, before, from)
    }
  }
}

function onUavAtomic(f: Flow, p: StatementPlan, event: MemoryEvent): void {
  const { wave, width } = event
  for (let k = 0; k < wave.activeCount; k++) {
    const lane = wave.lanes[k]!
    const byteOffset = event.byteOffsets[k * width]!
    if (byteOffset < 0) continue
    for (const from of p.stored) {
      const at = place(f, from, wave, lane)
      if (!isUndefinedAt(f.shadow, at, lane)) continue
      const name = registerText(event.space, event.register)
      use(f, originOfWord(f, at, wave, lane), wave, lane, 'atomic', `is used in an atomic on ${name}`)
    }
    const contents = contentsOf(f, event, k)
    if (contents === undefined) continue
    if (!isWritten(contents, byteOffset, event.byteLength)) {
      const from = uavOrigin(f, event, byteOffset, lane)
      for (const to of p.loaded) setWord(f, place(f, to, wave, lane), lane, -1, from)
    }
    markWritten(contents, byteOffset, event.byteLength)
  }
}

function onMemory(f: Flow, event: MemoryEvent): void {
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
