import { registerName, type UndefinedEvent, type WaveSite } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { componentAt, type Operand } from '../../program/index.ts'
import type { CheckContext } from '../context.ts'
import { siteOf } from '../report/finding.ts'
import type { Bits } from './bits.ts'
import { CODE_OF, type OriginSet, type Origins, undefinedRead, use } from './origins.ts'
import type { StatementPlan, WordLayout, WordReference } from './plan.ts'
import type { ContentMap } from './written-bytes.ts'

/** What is remembered of undefined values while a dispatch runs: registers by wave, TGSM by group. */

/** What is followed. */
export interface FlowOptions {
  /** Accesses out of bounds; loads that Direct3D answers with 0 count where the 0 matters. */
  readonly bounds: boolean
  /** Registers and TGSM that nothing wrote. */
  readonly uninitialized: boolean
  /** Contents of UAVs that this dispatch did not write. */
  readonly uavContents: boolean
  /** Whether a register's loads out of bounds are meant to give 0. */
  readonly hasZeroBorder: (space: UndefinedEvent['space'], register: number) => boolean
}

/** Undefined lanes of the registers of one wave: a bit a lane, a word a component, one half for each 32 lanes. */
export interface WaveShadow {
  readonly masks: Int32Array
  /** Undefined bits by word and lane, valid where the mask says that there are any; made when first needed. */
  bits: Int32Array | undefined
  /** What the bits depend on, by word and lane; absent where the register itself was never written. */
  origins: (OriginSet | undefined)[] | undefined
}

/** TGSM of a group: undefined bits of each dword, and where they come from. */
export interface TgsmShadow {
  readonly bits: Int32Array
  readonly origins: (OriginSet | undefined)[]
  /** Dwords with an undefined bit. */
  undefinedCount: number
}

/** What is known of a word of one lane. */
interface WordState {
  readonly at: number
  readonly undefinedBits: number
  /** Absent where the register itself was never written. */
  readonly origins: OriginSet | undefined
}

interface GroupShadow {
  readonly waves: (WaveShadow | undefined)[]
  readonly tgsm: Map<number, TgsmShadow>
}

/** Words of one lane while its results are worked out, with their keys; used again for each lane. */
export interface LaneWords {
  readonly keys: number[]
  readonly words: Bits[]
  count: number
}

export const newLaneWords = (): LaneWords => ({ keys: [], words: [], count: 0 })

export interface Flow {
  readonly context: CheckContext
  readonly options: FlowOptions
  readonly layout: WordLayout
  readonly plans: readonly (StatementPlan | undefined)[]
  readonly groups: Map<number, GroupShadow>
  readonly idle: GroupShadow[]
  readonly origins: Origins
  readonly contents: Map<object, ContentMap>
  /** By lane: the load of the current statement that is out of bounds, where `outStep` is the current step. */
  readonly out: (OriginSet | undefined)[]
  /** By lane: 1 where all that it loads is undefined, dwords inside the bounds too. */
  readonly outWhole: Uint8Array
  outStep: number
  /** Registers that lanes read past their end in the current statement, by `outsideKey`. */
  readonly outside: Map<number, OriginSet>
  /** By lane: what the destinations of the current statement were before its results went there. */
  readonly replaced: Map<number, readonly WordState[]>
  /** The words of the lane that is worked out, and the same under the assumption that only one is undefined. */
  readonly seen: LaneWords
  readonly supposed: LaneWords
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

export const LANES = 32
function makeWaveShadow(f: Flow, wave: WaveSite): WaveShadow {
  const halves = wave.laneCount > LANES ? 2 : 1
  const masks = new Int32Array(Math.max(1, f.layout.wordCount) * halves)
  if (f.options.uninitialized) masks.fill(-1)
  return { masks, bits: undefined, origins: undefined }
}

export function resetGroup(f: Flow, g: GroupShadow): void {
  for (const w of g.waves) {
    w?.masks.fill(f.options.uninitialized ? -1 : 0)
    w?.bits?.fill(-1)
    w?.origins?.fill(undefined)
  }
  for (const t of g.tgsm.values()) {
    t.bits.fill(f.options.uninitialized ? -1 : 0)
    t.origins.fill(undefined)
    t.undefinedCount = f.options.uninitialized ? t.bits.length : 0
  }
}

export function enterWave(f: Flow, wave: WaveSite): void {
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

export const bitsOf = (s: WaveShadow): Int32Array => (s.bits ??= new Int32Array(s.masks.length * LANES).fill(-1))
const originsOf = (s: WaveShadow): (OriginSet | undefined)[] =>
  (s.origins ??= new Array<OriginSet | undefined>(s.masks.length * LANES).fill(undefined))

/** The word of a reference for a lane, in its half of the masks; -1 where it is always defined. */
export function place(f: Flow, from: WordReference, wave: WaveSite, lane: number): number {
  const offset = lane < LANES ? 0 : f.layout.wordCount
  const { computed } = from
  if (computed === undefined) return from.word < 0 ? -1 : from.word + offset
  const element = elementOf(computed.operand, wave, lane)
  return element < computed.count ? from.word + element * 4 + computed.component + offset : -1
}

/** The element of x# that an operand names for a lane. */
function elementOf(o: Operand, wave: WaveSite, lane: number): number {
  const index = o.indices[1]
  if (index?.kind === 'immediate') return index.value
  if (index === undefined || !('register' in index)) return Number.POSITIVE_INFINITY
  const base = 'offset' in index ? index.offset : 0
  return (base + indexRegister(index.register, wave, lane)) >>> 0
}

/** The value of a register that serves as an index. */
function indexRegister(o: Operand, wave: WaveSite, lane: number): number {
  const first = o.indices[0]
  const component = componentAt(o, 0)
  if (first?.kind !== 'immediate') return -1
  return o.indices.length === 1
    ? wave.registers.temp(first.value, component, lane)
    : wave.registers.indexableTemp(first.value, elementOf(o, wave, lane), component, lane)
}

/** More operands than any instruction has. */
const MAX_OPERANDS = 16
export const outsideKey = (lane: number, operand: number): number => lane * MAX_OPERANDS + operand

/** What a lane gets from a source register of the current statement that it reads past its end; undefined inside. */
export const outsideOf = (f: Flow, lane: number, operand: number): OriginSet | undefined =>
  f.outside.size === 0 ? undefined : f.outside.get(outsideKey(lane, operand))

export const isUndefinedAt = (s: WaveShadow, at: number, lane: number): boolean =>
  at >= 0 && ((s.masks[at]! >>> (lane & 31)) & 1) !== 0

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

/** What an undefined word depends on: what it was computed from, or the register itself, first read here. */
export function originOfWord(f: Flow, at: number, wave: WaveSite, lane: number): OriginSet {
  const known = f.shadow.origins?.[at * LANES + (lane & 31)]
  if (known !== undefined) return known
  const { text, register, isTemp } = wordText(f.layout, at % Math.max(1, f.layout.wordCount))
  const kind = isTemp ? 'temp' : 'indexable-temp'
  const { statement } = wave
  f.quiet = false
  return undefinedRead(f.origins, { kind, code: CODE_OF[kind], statement, register }, lane, () => {
    const site = siteOf(wave, lane, 'other', `reads ${text}`)
    return () => ({
      code: CODE_OF[kind],
      severity: 'error',
      message: `${text} is read before anything wrote it`,
      site,
      memory: { space: isTemp ? 'other' : 'indexable-temp', register },
      notes: [],
    })
  })
}

export const lowestLane = (mask: number): number => 31 - Math.clz32(mask & -mask)

/** Undefined lanes of computed references, as a mask of one half. */
export function computedMask(f: Flow, references: readonly WordReference[], wave: WaveSite, half: number): number {
  let mask = 0
  const { lanes: active, activeCount } = wave
  for (let k = 0; k < activeCount; k++) {
    const lane = active[k]!
    if (lane >> 5 !== half) continue
    for (const from of references) {
      if (isUndefinedAt(f.shadow, place(f, from, wave, lane), lane)) mask |= 1 << (lane & 31)
    }
  }
  return mask
}

/** Words of destinations become defined for the active lanes. */
export function define(f: Flow, p: StatementPlan, wave: WaveSite, half: number, lanes: number): void {
  const { masks } = f.shadow
  const offset = half * f.layout.wordCount
  const { writes } = p
  for (let i = 0; i < writes.length; i++) masks[writes[i]! + offset]! &= ~lanes
  if (p.computedWrites.length === 0) return
  const { lanes: active, activeCount } = wave
  for (let k = 0; k < activeCount; k++) {
    const lane = active[k]!
    if (lane >> 5 !== half || ((lanes >>> (lane & 31)) & 1) === 0) continue
    for (const to of p.computedWrites) {
      const at = place(f, to, wave, lane)
      if (at >= 0) masks[at]! &= ~(1 << (lane & 31))
    }
  }
}

export const undefinedBitsOf = (f: Flow, at: number, lane: number): number =>
  isUndefinedAt(f.shadow, at, lane) ? bitsOf(f.shadow)[at * LANES + (lane & 31)]! : 0

export function wordState(f: Flow, at: number, lane: number): WordState {
  const origins = f.shadow.origins?.[at * LANES + (lane & 31)]
  return { at, undefinedBits: undefinedBitsOf(f, at, lane), origins }
}

export function setWord(f: Flow, at: number, lane: number, undefinedBits: number, from: OriginSet | undefined): void {
  const bit = 1 << (lane & 31)
  const { masks } = f.shadow
  if (undefinedBits === 0) {
    masks[at]! &= ~bit
    return
  }
  masks[at]! |= bit
  bitsOf(f.shadow)[at * LANES + (lane & 31)] = undefinedBits
  originsOf(f.shadow)[at * LANES + (lane & 31)] = from
}

/** An undefined value that is written to an output of a stage; in helper pixels it goes nowhere. */
export function useInOutput(f: Flow, to: Operand, wave: WaveSite, lane: number, origins: OriginSet): void {
  const { batch } = wave
  const isRegister = to.type === FILE.temp || to.type === FILE['indexable-temp'] || to.type === FILE.null
  if (isRegister || batch === undefined || batch.quads?.helpers[wave.firstThread + lane] === 1) return
  use(f.context, origins, wave, lane, 'other', `is written to ${registerName(f.context.declarations, to)}`)
}

export function rawValue(f: Flow, at: number, wave: WaveSite, lane: number): number {
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
