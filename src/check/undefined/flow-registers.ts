import type { WaveSite } from '../../engine/index.ts'
import { applyModifier, controlOf, saturate, TEST } from '../../isa/index.ts'
import { type Bits, definedBits, UNDEFINED_BITS_OPS, undefinedWord } from './bits.ts'
import {
  bitsOf,
  computedMask,
  define,
  enterWave,
  type Flow,
  isUndefinedAt,
  LANES,
  lowestLane,
  originOfWord,
  place,
  rawValue,
  setWord,
  use,
} from './flow-state.ts'
import type { AddressUse, Evaluation, StatementPlan } from './plan.ts'

/** How undefined values go from register to register, and where they decide something. */

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

export function onInstruction(f: Flow, wave: WaveSite): void {
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
