import type { WaveSite, WriteEvent } from '../engine/index.ts'
import { type InstructionRow, type Pair, rowOfOpcode, type ValueOps } from '../isa/index.ts'
import { type Instruction, writeMask } from '../program/index.ts'
import type { CheckContext, Detector } from './context.ts'
import type { Site } from './finding.ts'

/** Something in an instruction's meaning that wants looking at, with the operand that feeds it straight. */
type Hazard =
  | { readonly kind: 'float-divisor' | 'integer-divisor'; readonly operand: number }
  | { readonly kind: 'to-signed' | 'to-unsigned'; readonly operand: number }

/** A word in a trace of an instruction's meaning: the source that it is, or something computed. */
type Traced = number
const COMPUTED: Traced = -1

/** Runs a meaning over operand numbers and writes down what is divided by or converted. */
function tracingOps(found: Hazard[]): ValueOps<Traced> {
  const note = (kind: Hazard['kind'], operand: Traced): Traced => {
    if (operand >= 0) found.push({ kind, operand })
    return COMPUTED
  }
  const pair: Pair<Traced> = [COMPUTED, COMPUTED]
  const computed = (): Traced => COMPUTED
  const computedPair = (): Pair<Traced> => pair
  return {
    constant: computed,
    select: computed,
    // A flush leaves a number the number that it is, as far as zeros and ranges go.
    flushDenormal: (a) => a,
    f32Add: computed,
    f32Sub: computed,
    f32Mul: computed,
    f32Div: (_, b) => note('float-divisor', b),
    f32Sqrt: computed,
    f32Mad: computed,
    f32RoundNearestEven: computed,
    f32Floor: computed,
    f32Ceil: computed,
    f32Trunc: computed,
    f32Equal: computed,
    f32Less: computed,
    f32LessEqual: computed,
    i32Add: computed,
    i32Sub: computed,
    i32Mul: computed,
    i32MulHigh: computed,
    u32MulHigh: computed,
    u32Div: (_, b) => note('integer-divisor', b),
    u32Rem: computed,
    i32Equal: computed,
    i32Less: computed,
    u32Less: computed,
    and: computed,
    or: computed,
    xor: computed,
    not: computed,
    shiftLeft: computed,
    shiftRightLogical: computed,
    shiftRightArithmetic: computed,
    countBits: computed,
    countLeadingZeros: computed,
    countTrailingZeros: computed,
    f32ToI32: (a) => note('to-signed', a),
    f32ToU32: (a) => note('to-unsigned', a),
    i32ToF32: computed,
    u32ToF32: computed,
    f64Add: computedPair,
    f64Mul: computedPair,
    f64Div: computedPair,
    f64Fma: computedPair,
    f64Equal: computed,
    f64Less: computed,
    f64LessEqual: computed,
    f64ToF32: computed,
    f32ToF64: computedPair,
    f64ToI32: computed,
    f64ToU32: computed,
    i32ToF64: computedPair,
    u32ToF64: computedPair,
  }
}

interface NumberPlan {
  readonly instruction: Instruction
  readonly row: InstructionRow
  readonly hazards: readonly Hazard[]
  /** Operands that are read as floats. */
  readonly floatSources: readonly number[]
  /** Positions of the sources that are read. */
  readonly positions: (operand: number) => readonly number[]
}

function planOf(i: Instruction): NumberPlan | undefined {
  const row = rowOfOpcode(i.opcode)
  if (row === undefined || row.traits.kind !== 'alu' || row.traits.lanes === 'pairs') return undefined
  const { lanes, semantics } = row.traits
  const sources = row.operands.flatMap((s, k) => (s.role === 'dest' ? [] : [k]))
  const hazards: Hazard[] = []
  if (lanes === 'componentwise') semantics(tracingOps(hazards), sources)
  const isFloat = row.operands.some((s) => s.role === 'dest' && s.type === 'f32')
  const dest = i.operands[row.operands.findIndex((s, k) => s.role === 'dest' && i.operands[k]!.components !== 0)]
  const mask = dest === undefined ? 0 : writeMask(dest)
  const masked = [0, 1, 2, 3].filter((c) => (mask >> c) & 1)
  return {
    instruction: i,
    row,
    hazards,
    floatSources: isFloat
      ? sources.filter((k) => row.operands[k]!.type === 'f32' || row.operands[k]!.type === 'f16')
      : [],
    positions: (operand) =>
      lanes === 'componentwise' ? masked : [0, 1, 2, 3].slice(0, row.operands[operand]!.components ?? 1),
  }
}

const F32 = new Float32Array(1)
const I32 = new Int32Array(F32.buffer)
function floatOf(bits: number): number {
  I32[0] = bits
  return F32[0]!
}
const isFiniteWord = (bits: number): boolean => (bits & 0x7f800000) !== 0x7f800000
/** The bits of an operand as a float; a half that is not finite is one that is not finite either. */
const floatWord = (bits: number, isHalf: boolean): number =>
  isHalf ? ((bits & 0x7c00) === 0x7c00 ? 0x7fc00000 : 0) : bits
const isNanWord = (bits: number): boolean => !isFiniteWord(bits) && (bits & 0x007fffff) !== 0

/** Whether a hazard strikes for a value. */
function strikes(kind: Hazard['kind'], bits: number): boolean {
  switch (kind) {
    case 'integer-divisor':
      return bits === 0
    case 'float-divisor':
      // Denormals count as zero: they are flushed before the division.
      return (bits & 0x7f800000) === 0
    case 'to-signed': {
      const v = Math.trunc(floatOf(bits))
      return !(v >= -2147483648 && v <= 2147483647)
    }
    case 'to-unsigned': {
      const v = Math.trunc(floatOf(bits))
      return !(v >= 0 && v <= 4294967295)
    }
  }
}

const HAZARD_CODE = {
  'float-divisor': 'check-division-by-zero',
  'integer-divisor': 'check-division-by-zero',
  'to-signed': 'check-conversion-range',
  'to-unsigned': 'check-conversion-range',
} as const

function hazardMessage(kind: Hazard['kind'], bits: number): string {
  switch (kind) {
    case 'integer-divisor':
      return 'an integer is divided by zero'
    case 'float-divisor':
      return 'a float is divided by zero'
    case 'to-signed':
      return `${floatOf(bits)} is outside the range of a signed integer`
    case 'to-unsigned':
      return `${floatOf(bits)} is outside the range of an unsigned integer`
  }
}

/** What is kept between the `instruction` event and the `write` event of one statement. */
interface Before {
  statement: number
  /** By lane: an operand was not finite, or a division by zero was told: a result that is not finite is no news. */
  readonly old: Uint8Array
  /** By lane: the operands as text, made when needed. */
  readonly operands: number[][]
}

const LETTERS = 'xyzw'

/**
 * First NaN and infinity born, conversions out of range, division by zero. What an instruction divides and converts is
 * read off its meaning, run once over the names of its operands.
 */
export function detectNumbers(context: CheckContext): Detector {
  const { sink, declarations } = context
  const plans = declarations.program.statements.map((s) => (s.kind === 'instruction' ? planOf(s) : undefined))
  const before: Before = { statement: -1, old: new Uint8Array(64), operands: [] }

  const siteOf = (wave: WaveSite, lane: number): Site => ({
    statement: wave.statement,
    group: [wave.groupX, wave.groupY, wave.groupZ],
    thread: wave.firstThread + lane,
    access: 'other',
  })

  const checkHazards = (p: NumberPlan, wave: WaveSite, lane: number): boolean => {
    let told = false
    for (const h of p.hazards) {
      for (const position of p.positions(h.operand)) {
        const bits = wave.registers.source(h.operand, position, lane)
        if (!strikes(h.kind, bits)) continue
        told ||= h.kind === 'float-divisor'
        const code = HAZARD_CODE[h.kind]
        if (sink.known(code, wave.statement, -1, -1)) continue
        sink.add({
          code,
          severity: 'warning',
          message: hazardMessage(h.kind, bits),
          site: siteOf(wave, lane),
          notes: [],
        })
      }
    }
    return told
  }

  const onInstruction = (wave: WaveSite): void => {
    const p = plans[wave.statement]
    before.statement = -1
    if (p === undefined || (p.hazards.length === 0 && p.floatSources.length === 0)) return
    before.statement = wave.statement
    for (let k = 0; k < wave.activeCount; k++) {
      const lane = wave.lanes[k]!
      const told = checkHazards(p, wave, lane)
      const words: number[] = []
      for (const o of p.floatSources) {
        const isHalf = p.row.operands[o]!.type === 'f16'
        for (const c of p.positions(o)) words.push(floatWord(wave.registers.source(o, c, lane), isHalf))
      }
      before.old[lane] = told || words.some((w) => !isFiniteWord(w)) ? 1 : 0
      before.operands[lane] = words
    }
  }

  const onWrite = (event: WriteEvent): void => {
    const { wave, mask, register } = event
    if (before.statement !== wave.statement || event.file !== 'temp') return
    const p = plans[wave.statement]!
    if (p.row.operands[event.operand]!.type !== 'f32' || p.floatSources.length === 0) return
    for (let k = 0; k < wave.activeCount; k++) {
      const lane = wave.lanes[k]!
      if (before.old[lane] === 1) continue
      for (let c = 0; c < 4; c++) {
        if (((mask >> c) & 1) === 0) continue
        const bits = wave.registers.temp(register, c, lane)
        if (isFiniteWord(bits)) continue
        const isNan = isNanWord(bits)
        const code = isNan ? 'check-nan-born' : 'check-infinity-born'
        if (sink.known(code, wave.statement, -1, -1)) continue
        const operands = (before.operands[lane] ?? []).map((w) => String(floatOf(w))).join(', ')
        sink.add({
          code,
          severity: 'warning',
          message: `r${register}.${LETTERS[c]} becomes ${isNan ? 'NaN' : `${floatOf(bits)}`}`,
          site: siteOf(wave, lane),
          notes: [`operands: ${operands}`],
        })
      }
    }
  }

  return { observer: { instruction: onInstruction, write: onWrite } }
}
