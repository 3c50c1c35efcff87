import type { WaveSite } from '../../engine/index.ts'
import { controlOf, TEST } from '../../isa/index.ts'
import { modifiedWord, outputWords } from '../../program/index.ts'
import { type Bits, definedBits, UNDEFINED_BITS_OPS, undefinedWord } from './bits.ts'
import {
  bitsOf,
  computedMask,
  define,
  enterWave,
  type Flow,
  isUndefinedAt,
  LANES,
  type LaneWords,
  lowestLane,
  originOfWord,
  outsideKey,
  outsideOf,
  place,
  rawValue,
  setWord,
  undefinedBitsOf,
  useInOutput,
  wordState,
} from './flow-state.ts'
import { type OriginSet, union, use } from './origins.ts'
import type { AddressUse, RegisterEvaluation, StatementPlan } from './plan.ts'

/** How undefined values go from register to register, and where they decide something. */

type Source = RegisterEvaluation['sources'][number]

/** A source's word: that of its register; -1 where it is always defined; below that where it lies outside of its register. */
function wordKey(f: Flow, s: Source, wave: WaveSite, lane: number): number {
  return outsideOf(f, lane, s.operand) === undefined ? place(f, s.from, wave, lane) : -2 - s.operand * 4 - s.position
}

const operandOfKey = (key: number): number => (-2 - key) >> 2

const isUndefinedKey = (f: Flow, key: number, lane: number): boolean => key < -1 || isUndefinedAt(f.shadow, key, lane)

const originOfKey = (f: Flow, key: number, wave: WaveSite, lane: number): OriginSet =>
  key < -1 ? outsideOf(f, lane, operandOfKey(key))! : originOfWord(f, key, wave, lane)

function wordBits(f: Flow, p: StatementPlan, s: Source, wave: WaveSite, lane: number, seen: LaneWords): Bits {
  const at = wordKey(f, s, wave, lane)
  if (at === -1) return definedBits(wave.registers.source(s.operand, s.position, lane))
  const o = p.instruction.operands[s.operand]!
  // The same register word is the same object.
  let n = 0
  while (n < seen.count && seen.keys[n] !== at) n++
  if (n === seen.count) {
    seen.keys[n] = at
    seen.words[n] =
      at < -1 ? undefinedWord(0, -1) : undefinedWord(rawValue(f, at, wave, lane), undefinedBitsOf(f, at, lane))
    seen.count++
  }
  const word = seen.words[n]!
  return modifiedWord(UNDEFINED_BITS_OPS, p.row.operands[s.operand]!.type, o.modifier, s.position, word)
}

/** What an evaluation gives, as the statement writes it: one word for each of its outputs. */
function outcome(p: StatementPlan, e: RegisterEvaluation, words: readonly Bits[]): readonly Bits[] {
  const results = p.semantics!(UNDEFINED_BITS_OPS, words)
  return e.isPlain ? results : outputWords(UNDEFINED_BITS_OPS, p.row, e, results)
}

/** The words of an evaluation's sources; `seen` holds those that are known already. */
function sourceWords(
  f: Flow,
  p: StatementPlan,
  e: RegisterEvaluation,
  wave: WaveSite,
  lane: number,
  seen: LaneWords,
): Bits[] {
  return e.sources.map((s) => wordBits(f, p, s, wave, lane, seen))
}

/** The undefined words among an evaluation's sources, each once. */
function causesOf(f: Flow, e: RegisterEvaluation, wave: WaveSite, lane: number): number[] {
  const found: number[] = []
  for (const s of e.sources) {
    const key = wordKey(f, s, wave, lane)
    if (isUndefinedKey(f, key, lane) && !found.includes(key)) found.push(key)
  }
  return found
}

/** The words of the lane as they would be if all but those of one key were defined. */
function suppose({ seen, supposed }: Flow, cause: number): LaneWords {
  supposed.count = seen.count
  for (let n = 0; n < seen.count; n++) {
    const word = seen.words[n]!
    supposed.keys[n] = seen.keys[n]!
    supposed.words[n] = seen.keys[n] === cause ? word : definedBits(word.value)
  }
  return supposed
}

/**
 * What each undefined output depends on: the sources that make it undefined by themselves, the others being defined;
 * all of them where none does. So the operand that a selection leaves is not held against its result.
 */
function originsOfOutputs(f: Flow, p: StatementPlan, e: RegisterEvaluation, wave: WaveSite, lane: number): OriginSet[] {
  const causes = causesOf(f, e, wave, lane)
  const sets = causes.map((key) => originOfKey(f, key, wave, lane))
  if (sets.length === 1) return e.outputs.map(() => sets[0]!)
  const everything = sets.reduce<OriginSet>((a, b) => union(a, b), [])
  const alone = causes.map((cause) => {
    return outcome(p, e, sourceWords(f, p, e, wave, lane, suppose(f, cause)))
  })
  return e.outputs.map((_, n) => {
    const to = sets.filter((_, c) => alone[c]![n]!.undefinedBits !== 0)
    return to.length === 0 ? everything : to.reduce((a, b) => union(a, b))
  })
}

/** Results of a pure instruction for one lane that reads something undefined. */
function evaluateLane(f: Flow, p: StatementPlan, wave: WaveSite, lane: number): void {
  const { seen } = f
  seen.count = 0
  const results: { at: number; undefinedBits: number; origins: OriginSet | undefined }[] = []
  for (const e of p.evaluations) {
    const out = outcome(p, e, sourceWords(f, p, e, wave, lane, seen))
    let any = 0
    for (let n = 0; n < e.outputs.length; n++) any |= out[n]!.undefinedBits
    const origins = any === 0 ? undefined : originsOfOutputs(f, p, e, wave, lane)
    for (let n = 0; n < e.outputs.length; n++) {
      const { to, operand } = e.outputs[n]!
      const { undefinedBits } = out[n]!
      const at = place(f, to, wave, lane)
      if (at >= 0) results.push({ at, undefinedBits, origins: origins?.[n] })
      else if (undefinedBits !== 0) useInOutput(f, p.instruction.operands[operand]!, wave, lane, origins![n]!)
    }
  }
  if (p.followed.size > 0) {
    f.replaced.set(
      lane,
      results.map(({ at }) => wordState(f, at, lane)),
    )
  }
  for (const r of results) setWord(f, r.at, lane, r.undefinedBits, r.origins)
}

/**
 * A lane of the current statement turns out to read a source register past its end: what the statement gives is worked
 * out again. The engine reports it before anything is written, so all other sources still have their values.
 */
export function onOutside(
  f: Flow,
  p: StatementPlan,
  wave: WaveSite,
  lane: number,
  operand: number,
  to: OriginSet,
): void {
  enterWave(f, wave)
  f.outside.set(outsideKey(lane, operand), to)
  if (p.semantics === undefined) return
  for (const { at, undefinedBits, origins } of f.replaced.get(lane) ?? []) setWord(f, at, lane, undefinedBits, origins)
  evaluateLane(f, p, wave, lane)
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
    let from: OriginSet | undefined
    for (const word of p.reads) {
      if (isUndefinedAt(f.shadow, word + offset, lane)) from = union(from, originOfWord(f, word + offset, wave, lane))
    }
    if (from === undefined) continue
    for (const word of p.writes) setWord(f, word + offset, lane, -1, from)
  }
}

const USE_TEXTS: Readonly<Record<AddressUse, string>> = {
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
    for (let rest = lanes; rest !== 0; rest &= rest - 1) {
      const lane = lowestLane(rest) + half * LANES
      use(f.context, originOfWord(f, place(f, from, wave, lane), wave, lane), wave, lane, 'other', USE_TEXTS[how])
    }
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
    use(f.context, originOfWord(f, at, wave, lane), wave, lane, 'other', 'decides a branch')
  }
}

export function onInstruction(f: Flow, wave: WaveSite): void {
  f.origins.step++
  if (f.quiet) return
  if (f.outside.size > 0) f.outside.clear()
  if (f.replaced.size > 0) f.replaced.clear()
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
