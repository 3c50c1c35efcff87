import {
  boundedExtreme,
  boundedFlush,
  boundedProduct,
  boundedSum,
  exactly,
  type FloatBounds,
  negated,
  UNBOUNDED,
} from '../../isa/index.ts'
import type { ShaderOperations } from '../element-kernels.ts'
import { floatOf, type Op } from '../ir/index.ts'

const SIGN = 0x80000000

/** An operation with the bounds of its operands, and the bits of one that is a constant. */
interface Bounded {
  readonly operands: readonly FloatBounds[]
  readonly constants: readonly (number | undefined)[]
}

/** What is known of a result that is computed with the same operation from operands in two ways. */
function boundsOfResult(op: Op, { operands, constants }: Bounded): FloatBounds {
  const [a = UNBOUNDED, b = UNBOUNDED] = operands
  switch (op) {
    case 'f32Add':
      return boundedSum(a, b, 2)
    case 'f32Sub':
      return boundedSum(a, negated(b), 2)
    case 'f32Mul':
      return boundedProduct(a, b, 2)
    case 'f32Max':
    case 'f32PseudoMax':
      return boundedExtreme(a, b, true)
    case 'f32Min':
    case 'f32PseudoMin':
      return boundedExtreme(a, b, false)
    case 'flushDenormal':
      return boundedFlush(a)
    case 'xor':
      if (constants[1] === SIGN) return negated(a)
      return constants[0] === SIGN ? negated(b) : UNBOUNDED
    default:
      return UNBOUNDED
  }
}

/**
 * What is known of the outputs of a shader by slot, from its inputs by slot, where a second run of the same operations has inputs that
 * differ a little: operations whose result may jump have no bounds. An output that is an input has the same object.
 */
export function outputBounds(
  { operations, outputs }: ShaderOperations,
  inputOf: (slot: number) => FloatBounds,
): (slot: number) => FloatBounds {
  const known = new Map<number, FloatBounds>()
  const boundsOf = (n: number): FloatBounds => {
    const found = known.get(n)
    if (found !== undefined) return found
    const [op, operands, choice] = operations[n]!
    const made =
      op === 'input'
        ? inputOf(choice)
        : op === 'constant'
          ? exactly(floatOf(choice))
          : boundsOfResult(op as Op, {
              operands: operands.map(boundsOf),
              constants: operands.map((a) => (operations[a]![0] === 'constant' ? operations[a]![2] : undefined)),
            })
    known.set(n, made)
    return made
  }
  return (slot) => {
    const n = outputs[slot]
    return n === undefined ? UNBOUNDED : boundsOf(n)
  }
}
