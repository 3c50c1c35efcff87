import { rowOfOpcode } from '../../isa/index.ts'
import type { Statement } from '../../program/index.ts'
import type { Declarations } from '../declarations.ts'

/** About how long compiled shaders take, from their instructions alone: for the choice whether other threads gain by a part of a draw. */

/** Nanoseconds for an invocation, on Zen 4. */
const OPERATION_NS = 0.3
const SAMPLE_NS = 6
const MEMORY_NS = 3
/** Assumed iterations of a loop, and the limit of their product for nested loops: the instructions alone do not say how often a loop runs. */
const ITERATIONS = 8
const MOST_ITERATIONS = 512

const TIMES = new WeakMap<Declarations, number>()

const traitsOf = (s: Statement) => (s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined)

function nanosecondsOf(s: Statement): number {
  const kind = traitsOf(s)?.kind
  switch (kind) {
    case undefined:
    case 'declaration':
    case 'custom-data':
      return 0
    case 'sample':
    case 'gather':
      return SAMPLE_NS
    case 'load':
    case 'store':
    case 'atomic':
      return MEMORY_NS
    default:
      return OPERATION_NS
  }
}

function sumOf(statements: readonly Statement[]): number {
  let depth = 0
  let sum = 0
  for (const s of statements) {
    const traits = traitsOf(s)
    const action = traits?.kind === 'flow' ? traits.action : undefined
    if (action === 'endloop') depth--
    sum += nanosecondsOf(s) * Math.min(MOST_ITERATIONS, ITERATIONS ** depth)
    if (action === 'loop') depth++
  }
  return sum
}

/** Nanoseconds, above 0, that an invocation of the shader takes one thread more or less: off by a factor of three where loops are long or short. */
export function invocationNanoseconds(d: Declarations): number {
  const known = TIMES.get(d)
  if (known !== undefined) return known
  const found = sumOf(d.program.statements)
  TIMES.set(d, found)
  return found
}
