import {
  coordinateCount,
  FILE,
  type InstructionRow,
  type OperandSlot,
  type RegisterFile,
  registerFile,
  type Traits,
} from '../isa/index.ts'
import {
  COMPONENTS_1,
  COMPONENTS_4,
  componentAt,
  type Instruction,
  type Operand,
  type OperandIndex,
  SELECT_ONE,
  SELECT_SWIZZLE,
  writeMask,
} from '../program/index.ts'

const MASK_TEXTS: readonly string[] = Array.from({ length: 16 }, (_, mask) =>
  [...'xyzw'].filter((_, i) => (mask >> i) & 1).join(''),
)

/** `xyz` for 7. */
export const maskText = (mask: number): string => MASK_TEXTS[mask & 15]!

/** How many bits are set in a 4-bit mask. */
export const countBits = (mask: number): number => maskText(mask).length

/** The name of a register in a message: `t3`, `cb0[12]`, `vThreadID`. Not the listing's text. */
export function registerText(operand: Operand): string {
  const file = registerFile(operand.type)
  const prefix = file?.prefix ?? `register file ${operand.type}`
  const [first, ...rest] = operand.indices
  if (first === undefined) return prefix
  const head = first.kind === 'immediate' ? `${prefix}${first.value}` : `${prefix}[...]`
  return head + rest.map((i) => (i.kind === 'immediate' ? `[${i.value}]` : '[...]')).join('')
}

/** The value of index `i` where it is a plain number. */
export function immediateIndex(operand: Operand, i: number): number | undefined {
  const index = operand.indices[i]
  return index?.kind === 'immediate' ? index.value : undefined
}

export function isRelative(index: OperandIndex | undefined): boolean {
  return index !== undefined && index.kind !== 'immediate' && index.kind !== 'immediate64'
}

/** The register inside a relative index. */
export function indexRegister(index: OperandIndex): Operand | undefined {
  return index.kind === 'immediate' || index.kind === 'immediate64' ? undefined : index.register
}

export function isImmediate(operand: Operand): boolean {
  return operand.type === FILE.immediate32 || operand.type === FILE.immediate64
}

export function fileOf(operand: Operand): RegisterFile | undefined {
  return registerFile(operand.type)
}

/** Register components that a source names in the places of `positions` (both 4-bit masks). */
export function componentsRead(operand: Operand, positions: number): number {
  if (positions === 0 || isImmediate(operand)) return 0
  if (operand.components === COMPONENTS_1) return 1
  if (operand.components !== COMPONENTS_4) return 0
  if (operand.mode === SELECT_ONE) return 1 << (operand.selection & 3)
  if (operand.mode !== SELECT_SWIZZLE) return positions
  let mask = 0
  for (let i = 0; i < 4; i++) if ((positions >> i) & 1) mask |= 1 << componentAt(operand, i)
  return mask
}

/** The four bits below `count`. */
const lowMask = (count: number): number => (1 << count) - 1

/** Write mask of the destinations together; null writes nothing. */
export function destinationMask(row: InstructionRow, instruction: Instruction): number {
  let mask = 0
  for (let i = 0; i < row.operands.length; i++) {
    const { role } = row.operands[i]!
    const operand = instruction.operands[i]
    if (operand === undefined || operand.type === FILE.null) continue
    if (role === 'dest' || role === 'memory') mask |= writeMask(operand)
  }
  return mask
}

/** Kinds of instruction whose sources are read in the places of the write mask. */
function readsAsMasked(traits: Traits): boolean {
  return traits.kind === 'derivative' || traits.kind === 'eval' || traits.kind === 'store'
}

/**
 * The places (4-bit mask) of a source operand that are read for certain; fewer than are really read where that depends
 * on more than the instruction. `dimension` is that of the resource, for addresses.
 */
export function positionsRead(
  row: InstructionRow,
  slot: OperandSlot,
  instruction: Instruction,
  dimension?: number,
): number {
  if (slot.role === 'address' && slot.components === undefined) {
    // A level of detail has nothing to do with the array slice, so that queries take fewer coordinates.
    const count = dimension === undefined || row.traits.kind === 'query' ? undefined : coordinateCount(dimension)
    return count === undefined ? 1 : lowMask(count)
  }
  if (slot.components !== undefined) return lowMask(slot.components)
  if (slot.role !== 'source' && slot.role !== 'condition') return 0
  const { traits } = row
  const mask = destinationMask(row, instruction)
  if (traits.kind === 'alu' && traits.lanes === 'componentwise') return mask
  if (traits.kind === 'alu' && traits.lanes === 'pairs') {
    return slot.type === 'f64' && row.operands[0]?.type === 'f64' ? mask : 0
  }
  return readsAsMasked(traits) ? mask : 0
}
