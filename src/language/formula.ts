/** Formulas of pure instructions: their meanings over texts. */
import { type InstructionRow, PRIMITIVES, type Primitive, type ValueOps } from '../isa/index.ts'

/** Texts beyond this are no help to a reader. */
const MAX_FORMULA = 160
const TOO_LONG = '...'

/** Primitives that are written between their operands. */
const INFIX: Readonly<Partial<Record<Primitive, string>>> = {
  f32Add: '+',
  f32Sub: '-',
  f32Mul: '*',
  f32Div: '/',
  f32Equal: '==',
  f32Less: '<',
  f32LessEqual: '<=',
  i32Add: '+',
  i32Sub: '-',
  i32Mul: '*',
  u32Div: '/',
  u32Rem: '%',
  i32Equal: '==',
  i32Less: '<',
  u32Less: '<',
  and: '&',
  or: '|',
  xor: '^',
  shiftLeft: '<<',
  shiftRightLogical: '>>',
  shiftRightArithmetic: '>>',
  f64Add: '+',
  f64Mul: '*',
  f64Div: '/',
  f64Equal: '==',
  f64Less: '<',
  f64LessEqual: '<=',
}

const CALLED: Readonly<Partial<Record<Primitive, string>>> = {
  f32Sqrt: 'sqrt',
  f32RoundNearestEven: 'round_even',
  f32Floor: 'floor',
  f32Ceil: 'ceil',
  f32Trunc: 'trunc',
  i32MulHigh: 'high32',
  u32MulHigh: 'high32',
  countBits: 'count_bits',
  countLeadingZeros: 'leading_zeros',
  countTrailingZeros: 'trailing_zeros',
}

function primitiveText(name: Primitive, texts: readonly string[]): string {
  if (texts.some((t) => t === TOO_LONG)) return TOO_LONG
  if (name === 'flushDenormal') return texts[0]!
  const [a, b, c] = texts
  const infix = INFIX[name]
  const text =
    infix !== undefined
      ? `(${a} ${infix} ${b})`
      : name === 'f32Mad' || name === 'f64Fma'
        ? `(${a} * ${b} + ${c})`
        : name === 'select'
          ? `(${a} ? ${b} : ${c})`
          : name === 'not'
            ? `~${a}`
            : `${CALLED[name] ?? name}(${texts.join(', ')})`
  return text.length > MAX_FORMULA ? TOO_LONG : text
}

function constantText(bits: number): string {
  const float = new Float32Array(new Uint32Array([bits]).buffer)[0]!
  if (bits < 1024) return String(bits)
  const isFloat = Number.isFinite(float) && String(float).length < 8 && bits >>> 23 !== 0
  return isFloat ? String(float) : `0x${bits.toString(16)}`
}

/** A pair's text is that of its double, in both words. */
function asText(x: string | readonly [string, string]): string {
  if (typeof x === 'string') return x
  // The words of a constant are texts of their own, which make no number.
  return x[0] === x[1] ? x[0] : TOO_LONG
}

/** The primitives as text: a meaning over these is the formula of an instruction. */
const TEXT_OPS = {
  ...Object.fromEntries(
    Object.entries(PRIMITIVES).map(([name, row]) => [
      name,
      (...operands: readonly (string | readonly [string, string])[]) => {
        const text = primitiveText(name as Primitive, operands.map(asText))
        return row.result === 'f64' ? [text, text] : text
      },
    ]),
  ),
  constant: constantText,
} as unknown as ValueOps<string>

/** Texts of the sources as a meaning takes them. */
function sourceTexts(row: InstructionRow): readonly string[] {
  const traits = row.traits
  return row.operands
    .filter((slot) => slot.role !== 'dest')
    .flatMap((slot) => {
      if (traits.kind === 'alu' && traits.lanes === 'pairs' && slot.type === 'f64') return [slot.name, slot.name]
      const count = traits.kind === 'alu' && traits.lanes === 'reduce' ? (slot.components ?? 4) : 1
      return count === 1 ? [slot.name] : [...'xyzw'.slice(0, count)].map((c) => `${slot.name}.${c}`)
    })
}

const outer = (text: string): string => {
  if (!text.startsWith('(')) return text
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++
    if (text[i] === ')') depth--
    if (depth === 0) return i === text.length - 1 ? text.slice(1, -1) : text
  }
  return text
}

/** What an instruction computes, as formulas: `dest = src0 * src1 + src2`; none where they are long or there are none. */
export function formulasOf(row: InstructionRow): readonly string[] {
  if (row.traits.kind !== 'alu') return []
  const results = row.traits.semantics(TEXT_OPS, sourceTexts(row))
  const dests = row.operands.filter((slot) => slot.role === 'dest')
  const formulas = dests.map((slot, i) => `${slot.name} = ${outer(results[i] ?? TOO_LONG)}`)
  return formulas.some((f) => f.includes(TOO_LONG)) ? [] : formulas
}
