/**
 * HLSL's operators and intrinsics as instructions: which row's meaning each of them has, by the type of its operands. What
 * takes several instructions stands in `hlsl-intrinsics.ts`. Expressions of the debugger are computed with these.
 */
import type { Semantics } from './row.ts'
import type { ValueOps } from './semantics/value-ops.ts'
import { rowOfMnemonic } from './table.ts'

/** Types that instructions distinguish: bool counts as uint. */
export type ArithmeticType = 'float' | 'double' | 'int' | 'uint'

/** A row, and which of its results is meant. */
type Chosen = string | readonly [mnemonic: string, result: number]

type ByType = Readonly<Partial<Record<ArithmeticType, Chosen>>>

const integers = (chosen: Chosen): ByType => ({ int: chosen, uint: chosen })
const floats = (mnemonic: string): ByType => ({ float: mnemonic })

/** Rows of operations that are one instruction. */
const OPERATION_ROWS = {
  add: { float: 'add', double: 'dadd', ...integers('iadd') },
  multiply: { float: 'mul', double: 'dmul', ...integers(['imul', 1]) },
  divide: { float: 'div', double: 'ddiv', uint: ['udiv', 0] },
  remainder: { uint: ['udiv', 1] },
  less: { float: 'lt', double: 'dlt', int: 'ilt', uint: 'ult' },
  greaterEqual: { float: 'ge', double: 'dge', int: 'ige', uint: 'uge' },
  equal: { float: 'eq', double: 'deq', ...integers('ieq') },
  notEqual: { float: 'ne', double: 'dne', ...integers('ine') },
  min: { float: 'min', double: 'dmin', int: 'imin', uint: 'umin' },
  max: { float: 'max', double: 'dmax', int: 'imax', uint: 'umax' },
  and: integers('and'),
  or: integers('or'),
  xor: integers('xor'),
  not: integers('not'),
  shiftLeft: integers('ishl'),
  shiftRight: { int: 'ishr', uint: 'ushr' },
  mad: { float: 'mad', double: 'dfma', int: 'imad', uint: 'umad' },
  exp2: floats('exp'),
  log2: floats('log'),
  frac: floats('frc'),
  round: floats('round_ne'),
  floor: floats('round_ni'),
  ceil: floats('round_pi'),
  trunc: floats('round_z'),
  sqrt: floats('sqrt'),
  rsqrt: floats('rsq'),
  rcp: { float: 'rcp', double: 'drcp' },
  sin: { float: ['sincos', 0] },
  cos: { float: ['sincos', 1] },
  countbits: integers('countbits'),
  reversebits: integers('bfrev'),
  f32tof16: floats('f32tof16'),
  f16tof32: integers('f16tof32'),
  floatToInt: floats('ftoi'),
  floatToUint: floats('ftou'),
  intToFloat: { int: 'itof', uint: 'utof' },
  floatToDouble: floats('ftod'),
  doubleToFloat: { double: 'dtof' },
  doubleToInt: { double: 'dtoi' },
  doubleToUint: { double: 'dtou' },
  intToDouble: { int: 'itod', uint: 'utod' },
  select: { ...integers('movc'), float: 'movc' },
} as const satisfies Readonly<Record<string, ByType>>

export type HlslOperation = keyof typeof OPERATION_ROWS

const meanings = new Map<string, { readonly semantics: Semantics; readonly result: number } | undefined>()

function meaningOf(name: HlslOperation, type: ArithmeticType) {
  const key = `${name} ${type}`
  if (meanings.has(key)) return meanings.get(key)
  const chosen: Chosen | undefined = (OPERATION_ROWS[name] as ByType)[type]
  const [mnemonic, result] = typeof chosen === 'string' ? [chosen, 0] : (chosen ?? ['', 0])
  const traits = rowOfMnemonic(mnemonic)?.traits
  const found = traits?.kind === 'alu' ? { semantics: traits.semantics, result } : undefined
  meanings.set(key, found)
  return found
}

/** Whether an operation is one instruction for a type. */
export const hasHlslOperation = (name: HlslOperation, type: ArithmeticType): boolean =>
  meaningOf(name, type) !== undefined

/** The result of an operation: one word, two of a double. Words of doubles are given low word first. */
export function hlslOperation<V>(
  o: ValueOps<V>,
  name: HlslOperation,
  type: ArithmeticType,
  words: readonly V[],
): readonly V[] {
  const meaning = meaningOf(name, type)
  if (meaning === undefined) throw new Error(`no instruction for ${name} of ${type}`)
  const results = meaning.semantics(o, words)
  return results.length === 2 && meaning.result === 0 && givesDouble(name, type) ? results : [results[meaning.result]!]
}

const TO_DOUBLE: ReadonlySet<HlslOperation> = new Set(['floatToDouble', 'intToDouble'])
const OF_DOUBLES: ReadonlySet<HlslOperation> = new Set([
  ...(['add', 'multiply', 'divide', 'min', 'max', 'mad', 'rcp'] as const),
])

/** Whether the result is a double: two words. */
function givesDouble(name: HlslOperation, type: ArithmeticType): boolean {
  return TO_DOUBLE.has(name) || (type === 'double' && OF_DOUBLES.has(name))
}
