import type { ShaderOperations } from '../element-kernels.ts'
import { type Builder, type Lowered, OPS, type Op, type Value } from '../ir/index.ts'
import { entryLayout } from '../register-layout.ts'

/**
 * Pixel shaders that are operations one after the other, as data and back to values: a program of quads can have them between
 * interpolation and store, where longer ones gain more from code for several quads at once.
 */

const MAX_OPERATIONS = 96
/** Longer programs are not looked at. */
const MAX_ITEMS = 512

/** Operations that need more than their operands, and those that are not the same in every code. */
const REFUSED: ReadonlySet<Op> = new Set<Op>([
  'phi',
  'result',
  'descriptor',
  'constantBuffer',
  'immediateConstant',
  'anyLane',
  'quadSigns',
  'f32Mad',
  'f64Fma',
])

/** Operations of which a pixel reads the words of others of its quad. */
const OF_QUADS: ReadonlySet<string> = new Set<Op>(['quadSwizzle', 'packQuads', 'unpackQuads'])

const isPlain = ({ op }: Value): boolean => op === 'input' || (OPS[op].variesBy === 'operands' && !REFUSED.has(op))

/** The words that a program stores at its end, by slot; undefined where it does anything but compute them. */
function storedWords({ builder, root }: Lowered): Value[] | undefined {
  if (root.items.length > MAX_ITEMS) return undefined
  const columnBytes = builder.options.threads[0] * 4
  const stored: Value[] = []
  for (const item of root.items) {
    if (item.kind === 'value') continue
    if (item.kind !== 'store' || item.address.space.kind !== 'batch' || item.values.length !== 1) return undefined
    const { part, byteOffset, everyLane } = item.address.space
    const slot = byteOffset / columnBytes
    if (part !== 'outputs' || !everyLane || !Number.isInteger(slot) || stored[slot] !== undefined) return undefined
    stored[slot] = item.values[0]!
  }
  return stored
}

/** A pixel shader as operations; undefined where it is more than that, discards pixels or is long. */
export function shaderOperations(lowered: Lowered): ShaderOperations | undefined {
  const { inputs, outputs } = entryLayout(lowered.declarations.entries[0]!)
  const stored = storedWords(lowered)
  if (stored === undefined || lowered.declarations.hasDiscard) return undefined
  const operations: [string, readonly number[], number][] = []
  const numbers = new Map<Value, number>()
  const add = (v: Value): number | undefined => {
    const known = numbers.get(v)
    if (known !== undefined) return known
    if (!isPlain(v) || (v.op === 'input' && v.imm >= inputs.slotCount)) return undefined
    const operands: number[] = []
    for (const a of v.args) {
      const n = add(a)
      if (n === undefined) return undefined
      operands.push(n)
    }
    if (operations.length === MAX_OPERATIONS) return undefined
    numbers.set(v, operations.length)
    return operations.push([v.op, operands, v.imm]) - 1
  }
  const words: number[] = []
  for (let slot = 0; slot < outputs.slotCount; slot++) {
    const word = stored[slot]
    const n = word && add(word)
    if (n === undefined) return undefined
    words.push(n)
  }
  const unflushed = words.map((n) => {
    const [op, operands] = operations[n]!
    return op === 'flushDenormal' ? operands[0]! : n
  })
  const constants = words.map((n) => (operations[n]![0] === 'constant' ? operations[n]![2] : null))
  return {
    operations,
    outputs: words,
    unflushed,
    constants,
    comparesPixels: operations.some(([op]) => OF_QUADS.has(op)),
  }
}

/** The outputs by slot of a shader whose inputs are values. */
export function shaderOutputs(
  o: Builder,
  { operations, outputs }: Pick<ShaderOperations, 'operations' | 'outputs'>,
  inputOf: (slot: number) => Value,
): readonly Value[] {
  const values: Value[] = []
  for (const [op, operands, choice] of operations) {
    values.push(
      op === 'input'
        ? inputOf(choice)
        : o.make(
            op as Op,
            operands.map((n) => values[n]!),
            choice,
          ),
    )
  }
  return outputs.map((n) => values[n]!)
}
