import { registerName, type WaveSite, type WriteEvent } from '../../engine/index.ts'
import {
  type ComponentType,
  type InstructionRow,
  type Pair,
  rowOfOpcode,
  type Semantics,
  type ValueOps,
} from '../../isa/index.ts'
import { type Evaluation, evaluationsOf, type Instruction, type Operand, type WordRead } from '../../program/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { siteOf } from '../report/finding.ts'

/** A primitive operation worth checking, a division or a conversion, with the source operand that it reads directly. */
interface Hazard {
  readonly kind: 'float-divisor' | 'integer-divisor' | 'to-signed' | 'to-unsigned'
  /** Place of the word, or of the low word of a double, among those that an evaluation takes. */
  readonly source: number
}

/** A word in a trace of an instruction's meaning: the source that it is, or something computed. */
type Traced = number
const COMPUTED: Traced = -1

/** Runs a meaning over places of its sources and writes down what is divided by or converted. */
function tracingOps(found: Hazard[]): ValueOps<Traced> {
  const note = (kind: Hazard['kind'], source: Traced): Traced => {
    if (source >= 0) found.push({ kind, source })
    return COMPUTED
  }
  const pair: Pair<Traced> = [COMPUTED, COMPUTED]
  const computed = (): Traced => COMPUTED
  const computedPair = (): Pair<Traced> => pair
  // Both words of a double that is a source are named by its low one.
  const noteDouble = (kind: Hazard['kind'], a: Pair<Traced>): Traced => note(kind, a[0])
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
    f64Div: (_, b) => [noteDouble('float-divisor', b), COMPUTED],
    f64Fma: computedPair,
    f64Equal: computed,
    f64Less: computed,
    f64LessEqual: computed,
    f64ToF32: computed,
    f32ToF64: computedPair,
    f64ToI32: (a) => noteDouble('to-signed', a),
    f64ToU32: (a) => noteDouble('to-unsigned', a),
    i32ToF64: computedPair,
    u32ToF64: computedPair,
  }
}

/** A value that an instruction reads: of which operand, at which component (the low one of a double). */
interface Read {
  readonly operand: number
  readonly position: number
  readonly type: ComponentType
}

interface NumberPlan {
  readonly instruction: Instruction
  readonly row: InstructionRow
  /** Each component of the result has operands of its own. */
  readonly isComponentwise: boolean
  readonly hazards: readonly { readonly kind: Hazard['kind']; readonly reads: readonly Read[] }[]
  /** What is read as floats, where the result is a float. */
  readonly floats: readonly Read[]
}

const isFloatType = (type: ComponentType): boolean => type === 'f32' || type === 'f16' || type === 'f64'

/** What a meaning divides and converts straight from its sources, by their places in the list that it takes. */
function hazardsOf(row: InstructionRow, semantics: Semantics, e: Evaluation): Hazard[] {
  const found: Hazard[] = []
  semantics(
    tracingOps(found),
    // Both words of a double are the place of its low one.
    e.sources.map(({ operand, position }, i) => (row.operands[operand]!.type === 'f64' ? i - (position & 1) : i)),
  )
  return found
}

function planOf(i: Instruction): NumberPlan | undefined {
  const row = rowOfOpcode(i.opcode)
  if (row === undefined || row.traits.kind !== 'alu') return undefined
  const { lanes, semantics } = row.traits
  const evaluations = evaluationsOf(i, row)
  const [first] = evaluations
  if (first === undefined) return undefined
  const readOf = ({ operand, position }: WordRead): Read => ({ operand, position, type: row.operands[operand]!.type })
  const isFloat = row.operands.some((s) => s.role === 'dest' && (s.type === 'f32' || s.type === 'f64'))
  const reads = evaluations.flatMap((e) => e.sources.map(readOf))
  // A double is read once, at its low word.
  const floats = reads
    .filter((r) => isFloatType(r.type) && !(r.type === 'f64' && (r.position & 1) === 1))
    .sort((a, b) => a.operand - b.operand || a.position - b.position)
  const hazards = hazardsOf(row, semantics, first).map(({ kind, source }) => ({
    kind,
    reads: evaluations.map((e) => readOf(e.sources[source]!)),
  }))
  return hazards.length === 0 && !(isFloat && floats.length > 0)
    ? undefined
    : { instruction: i, row, isComponentwise: lanes === 'componentwise', hazards, floats: isFloat ? floats : [] }
}

const WORDS = new Int32Array(2)
const F32 = new Float32Array(WORDS.buffer)
const F64 = new Float64Array(WORDS.buffer)

function floatOf(bits: number): number {
  WORDS[0] = bits
  return F32[0]!
}

function doubleOf(low: number, high: number): number {
  WORDS[0] = low
  WORDS[1] = high
  return F64[0]!
}

/** A finite float16 is passed as 0: only whether it is finite matters. */
function halfOf(bits: number): number {
  if ((bits & 0x7c00) !== 0x7c00) return 0
  return (bits & 0x3ff) === 0 ? Number.POSITIVE_INFINITY : Number.NaN
}

/** The value of a read for a lane; integers unsigned, denormal floats as the zeros that arithmetic takes them for. */
function readValue(read: Read, wave: WaveSite, lane: number): number {
  const bits = wave.registers.source(read.operand, read.position, lane)
  switch (read.type) {
    case 'f32':
      return (bits & 0x7f800000) === 0 ? 0 : floatOf(bits)
    case 'f64':
      return doubleOf(bits, wave.registers.source(read.operand, read.position + 1, lane))
    case 'f16':
      return halfOf(bits)
    default:
      return bits >>> 0
  }
}

function isHazardous(kind: Hazard['kind'], value: number): boolean {
  const whole = Math.trunc(value)
  switch (kind) {
    case 'integer-divisor':
    case 'float-divisor':
      return value === 0
    case 'to-signed':
      return !(whole >= -2147483648 && whole <= 2147483647)
    case 'to-unsigned':
      return !(whole >= 0 && whole <= 4294967295)
  }
}

const HAZARD_CODE = {
  'float-divisor': 'check-division-by-zero',
  'integer-divisor': 'check-division-by-zero',
  'to-signed': 'check-conversion-range',
  'to-unsigned': 'check-conversion-range',
} as const

function hazardMessage(kind: Hazard['kind'], value: number): string {
  switch (kind) {
    case 'integer-divisor':
      return 'an integer is divided by zero'
    case 'float-divisor':
      return 'a float is divided by zero'
    case 'to-signed':
      return `${value} is outside the range of a signed integer`
    case 'to-unsigned':
      return `${value} is outside the range of an unsigned integer`
  }
}

/** What is kept between the `instruction` event and the `write` event of one statement. */
interface Before {
  statement: number
  /** By lane: bits of the positions at which a float was divided by zero, which explains an infinity. */
  readonly divided: Uint8Array
  readonly operands: (readonly number[])[]
}

/** What a write left in a component, for a row of its lanes. */
function wordOf({ wave, file, register, elements }: WriteEvent, o: Operand, component: number, row: number): number {
  const { registers, lanes } = wave
  const lane = lanes[row]!
  switch (file) {
    case 'temp':
      return registers.temp(register, component, lane)
    case 'indexable-temp':
      return registers.indexableTemp(register, elements[row]!, component, lane)
    case 'output':
      return registers.output(o.type, register, component, lane)
  }
}

/** Results that a write left: of each component, or of each pair of a double, with its first component. */
function* results(
  event: WriteEvent,
  o: Operand,
  isDouble: boolean,
  row: number,
): Generator<readonly [component: number, value: number]> {
  const { mask } = event
  for (let c = 0; c < 4; c += isDouble ? 2 : 1) {
    if (!isDouble && ((mask >> c) & 1) === 1) yield [c, floatOf(wordOf(event, o, c, row))]
    else if (isDouble && ((mask >> c) & 3) === 3) {
      yield [c, doubleOf(wordOf(event, o, c, row), wordOf(event, o, c + 1, row))]
    }
  }
}

const LETTERS = 'xyzw'

/**
 * First NaN and infinity produced, conversions out of range, division by zero, of floats and doubles. What an instruction
 * divides and converts is read off its meaning, run once over the names of its operands.
 */
export function detectNumbers(context: CheckContext): Detector {
  const { sink, declarations } = context
  const plans = declarations.program.statements.map((s) => (s.kind === 'instruction' ? planOf(s) : undefined))
  const before: Before = { statement: -1, divided: new Uint8Array(64), operands: [] }

  /** Bits of the positions at which a float is divided by zero. */
  const checkHazards = (p: NumberPlan, wave: WaveSite, lane: number): number => {
    let divided = 0
    for (const { kind, reads } of p.hazards) {
      for (const read of reads) {
        const value = readValue(read, wave, lane)
        if (!isHazardous(kind, value)) continue
        if (kind === 'float-divisor') divided |= 1 << read.position
        const code = HAZARD_CODE[kind]
        if (sink.known(code, wave.statement, -1, -1)) continue
        const message = hazardMessage(kind, value)
        sink.add({ code, severity: 'warning', message, site: siteOf(wave, lane, 'other'), notes: [] })
      }
    }
    return divided
  }

  const onInstruction = (wave: WaveSite): void => {
    const p = plans[wave.statement]
    before.statement = -1
    if (p === undefined) return
    before.statement = wave.statement
    for (let k = 0; k < wave.activeCount; k++) {
      const lane = wave.lanes[k]!
      before.divided[lane] = checkHazards(p, wave, lane)
      before.operands[lane] = p.floats.map((read) => readValue(read, wave, lane))
    }
  }

  const reportBirth = (event: WriteEvent, o: Operand, row: number, component: number, value: number): void => {
    const { wave } = event
    const lane = wave.lanes[row]!
    const element = event.file === 'indexable-temp' ? `[${event.elements[row]}]` : ''
    const code = Number.isNaN(value) ? 'check-nan-produced' : 'check-infinity-produced'
    if (sink.known(code, wave.statement, -1, -1)) return
    sink.add({
      code,
      severity: 'warning',
      message: `${registerName(declarations, o)}${element}.${LETTERS[component]} becomes ${value}`,
      site: siteOf(wave, lane, 'other'),
      notes: [`operands: ${before.operands[lane]!.join(', ')}`],
    })
  }

  /** Whether a result that is not finite has operands that do not explain it. */
  const isNew = (p: NumberPlan, lane: number, component: number, value: number): boolean => {
    const values = before.operands[lane]!.filter((_, n) => !p.isComponentwise || p.floats[n]!.position === component)
    if (Number.isNaN(value)) return !values.some(Number.isNaN)
    const divided = p.isComponentwise ? (before.divided[lane]! >> component) & 1 : before.divided[lane]
    return divided === 0 && values.every(Number.isFinite)
  }

  const onWrite = (event: WriteEvent): void => {
    const { wave } = event
    // Outputs that a register chooses, and those without a number, are not looked at.
    if (before.statement !== wave.statement || event.register < 0) return
    const p = plans[wave.statement]!
    const { type } = p.row.operands[event.operand]!
    const o = p.instruction.operands[event.operand]!
    if ((type !== 'f32' && type !== 'f64') || p.floats.length === 0) return
    for (let k = 0; k < wave.activeCount; k++) {
      const lane = wave.lanes[k]!
      // What is written past an array goes nowhere.
      if (event.elements[k]! < 0) continue
      for (const [component, value] of results(event, o, type === 'f64', k)) {
        if (Number.isFinite(value)) continue
        if (isNew(p, lane, component, value)) reportBirth(event, o, k, component, value)
      }
    }
  }

  return { observer: { instruction: onInstruction, write: onWrite } }
}
