import { largest } from '../../diagnostic/index.ts'
import { type MemoryEvent, type RegisterAccess, signedText } from '../../engine/index.ts'
import { FILE, type InstructionRow, rowOfOpcode } from '../../isa/index.ts'
import { componentAt, type Instruction, MODIFIER_NONE, type Operand, writeMask } from '../../program/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import type { Finding } from '../report/finding.ts'
import { siteOf } from '../report/finding.ts'
import { memoryPlace } from '../report/memory-place.ts'

/**
 * Byte offsets past the structure in thread group shared memory. Inside the register's bounds Direct3D defines them (the
 * access lands in another structure, 22.4.12 and 22.4.13), and no shader means them: an index of an inner array is wrong.
 */

interface StructureAccess {
  readonly stride: number
  /** Bytes from the byte offset to the end of the access. */
  readonly reach: number
  readonly operand: number
  readonly position: number
  /** The register where it is one, unmodified. */
  readonly plain: { readonly register: number; readonly component: number } | undefined
  /** The offset where it is a literal. */
  readonly literal: number | undefined
}

function memoryOperand(row: InstructionRow, i: Instruction): Operand | undefined {
  const at = row.operands.findIndex((s) => s.role === 'memory' || s.role === 'resource')
  return at < 0 ? undefined : i.operands[at]
}

/** Bytes that an access covers: loads name dwords by swizzle, stores take as many as the mask has, atomics one. */
function reachOf(row: InstructionRow, i: Instruction, memory: Operand): number {
  if (row.traits.kind === 'atomic') return 4
  if (row.traits.kind === 'store') return 4 * (32 - Math.clz32(writeMask(memory)))
  const mask = writeMask(i.operands[0]!)
  const dwords = [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => componentAt(memory, c))
  return 4 * (largest(0, dwords) + 1)
}

function accessOf(context: CheckContext, i: Instruction): StructureAccess | undefined {
  const row = rowOfOpcode(i.opcode)
  const { traits } = row ?? {}
  if (row === undefined || traits === undefined) return undefined
  if (traits.kind !== 'load' && traits.kind !== 'store' && traits.kind !== 'atomic') return undefined
  const memory = memoryOperand(row, i)
  const index = memory?.indices[0]
  if (memory?.type !== FILE.tgsm || index?.kind !== 'immediate') return undefined
  const declared = context.declarations.tgsm.find((t) => t.register === index.value)
  if (declared === undefined || declared.shape !== 'structured') return undefined
  const addresses = row.operands.flatMap((s, k) => (s.role === 'address' ? [k] : []))
  // Atomics have index and byte offset in one operand, loads and stores in two.
  const operand = traits.kind === 'atomic' ? addresses[0]! : addresses[1]!
  const position = traits.kind === 'atomic' ? 1 : 0
  const byteOffset = i.operands[operand]!
  const literal =
    byteOffset.type === FILE.immediate32 ? (byteOffset.values[position] ?? byteOffset.values[0] ?? 0) >>> 0 : undefined
  const plain = plainRegister(byteOffset, position)
  const access = { stride: declared.stride, reach: reachOf(row, i, memory), operand, plain, position, literal }
  // A literal that fits always fits.
  return literal !== undefined && literal + access.reach <= declared.stride ? undefined : access
}

/** The temporary register that holds the byte offset as it is; most do. */
function plainRegister(o: Operand, position: number): { register: number; component: number } | undefined {
  const index = o.indices[0]
  if (o.type !== FILE.temp || o.modifier !== MODIFIER_NONE || index?.kind !== 'immediate') return undefined
  return { register: index.value, component: componentAt(o, position) }
}

function offsetOf(a: StructureAccess, registers: RegisterAccess, lane: number): number {
  if (a.literal !== undefined) return a.literal
  const { plain } = a
  if (plain !== undefined) return registers.temp(plain.register, plain.component, lane) >>> 0
  return registers.source(a.operand, a.position, lane) >>> 0
}

/** Calls back for each row of an access that leaves its structure: with the row, and the finding of it. */
export type StructureWatch = (event: MemoryEvent, found: (row: number, describe: () => Finding) => void) => void

/** What watches accesses to structured TGSM; undefined where a program has none that could leave a structure. */
export function structureWatch(context: CheckContext): StructureWatch | undefined {
  const accesses = context.declarations.program.statements.map((s) =>
    s.kind === 'instruction' ? accessOf(context, s) : undefined,
  )
  if (!accesses.some((a) => a !== undefined)) return undefined
  return (event, found) => {
    if (event.space !== 'tgsm') return
    const a = accesses[event.wave.statement]
    if (a === undefined) return
    const { width, byteOffsets, wave } = event
    const { lanes, activeCount, registers } = wave
    for (let k = 0; k < activeCount; k++) {
      const byteOffset = byteOffsets[k * width]!
      const end = offsetOf(a, registers, lanes[k]!) + a.reach
      // Past the register's end it is an access out of bounds, which the bounds detector reports.
      if (end <= a.stride || byteOffset < 0) continue
      const { register, access } = event
      const site = siteOf(wave, lanes[k]!, access)
      const memory = memoryPlace(event, byteOffset)
      found(k, () => ({
        code: 'check-bounds-tgsm-structure',
        severity: 'warning',
        message: `an access to g${register} reaches byte ${signedText(end - 1, a.stride)} of a structure of ${a.stride} bytes`,
        site,
        memory,
        notes: ['Direct3D: the access lands in another structure of the register'],
      }))
    }
  }
}

/** Stores and atomics that leave their structure; loads are reported where their result matters (undefined-flow.ts). */
export function detectTgsmStructures(context: CheckContext): Detector {
  const { sink } = context
  const watch = structureWatch(context)
  if (watch === undefined) return { observer: {} }
  return {
    observer: {
      memory(event) {
        if (event.access === 'load') return
        watch(event, (_, describe) => {
          if (sink.known('check-bounds-tgsm-structure', event.wave.statement, -1, event.register)) return
          sink.add(describe())
        })
      },
    },
  }
}
