import { address, dest, instruction, named, SM50, src } from '../build-row.ts'
import { PRECISE, SYNC } from '../controls.ts'
import type { InstructionRow, OperandSlot } from '../row.ts'
import { type AtomicOperation, atomicOperation } from '../semantics/atomic.ts'
import { loadFeedback } from './resource.ts'

const D = dest('dest', 'bits')
const WHEREVER = named('srcMemory', 'resource', ['resource', 'uav', 'tgsm'])
const UAV = named('dest', 'memory', ['uav'])
const UAV_OR_TGSM = named('dest', 'memory', ['uav', 'tgsm'])
const INDEX = address('address', 'u32', { purpose: 'structure-index', components: 1 })
const BYTE_OFFSET = address('byteOffset', 'u32', { purpose: 'byte-offset', components: 1 })
const VALUE = src('src0', 'bits', { modifiers: 'neg-abs', castsPrecision: false })

const LD_UAV_TYPED = instruction({
  mnemonic: 'ld_uav_typed',
  opcode: 163,
  traits: { kind: 'load', addressing: 'typed', multisample: false, feedback: false },
  since: SM50,
  operands: [D, address('srcAddress', 'u32', { purpose: 'coordinates' }), named('srcUav', 'resource', ['uav'])],
  controls: [PRECISE],
  summary: 'Reads one element of a typed UAV; out of bounds reads 0.',
  spec: '22.4.8',
})

const LD_RAW = instruction({
  mnemonic: 'ld_raw',
  opcode: 165,
  traits: { kind: 'load', addressing: 'raw', multisample: false, feedback: false },
  since: SM50,
  downlevel: 'all',
  operands: [D, BYTE_OFFSET, WHEREVER],
  controls: [PRECISE],
  summary: 'Reads 1 to 4 dwords at a byte offset of a raw buffer or of TGSM.',
  spec: '22.4.10',
})

const LD_STRUCTURED = instruction({
  mnemonic: 'ld_structured',
  opcode: 167,
  traits: { kind: 'load', addressing: 'structured', multisample: false, feedback: false },
  since: SM50,
  downlevel: 'all',
  operands: [D, INDEX, BYTE_OFFSET, WHEREVER],
  controls: [PRECISE],
  summary: 'Reads 1 to 4 dwords at a byte offset in one structure of a structured buffer or of TGSM.',
  spec: '22.4.12',
})

const ACCESS_ROWS: readonly InstructionRow[] = [
  LD_UAV_TYPED,
  instruction({
    mnemonic: 'store_uav_typed',
    opcode: 164,
    traits: { kind: 'store', addressing: 'typed' },
    since: SM50,
    operands: [UAV, address('address', 'u32', { purpose: 'coordinates' }), VALUE],
    controls: [PRECISE],
    literals: 'auto',
    summary: 'Writes one element of a typed UAV with format conversion; out of bounds writes nothing.',
    spec: '22.4.9',
  }),
  LD_RAW,
  instruction({
    mnemonic: 'store_raw',
    opcode: 166,
    traits: { kind: 'store', addressing: 'raw' },
    since: SM50,
    downlevel: 'compute',
    operands: [UAV_OR_TGSM, BYTE_OFFSET, VALUE],
    controls: [PRECISE],
    literals: 'auto',
    summary: 'Writes 1 to 4 dwords at a byte offset of a raw UAV or of TGSM.',
    spec: '22.4.11',
  }),
  LD_STRUCTURED,
  instruction({
    mnemonic: 'store_structured',
    opcode: 168,
    traits: { kind: 'store', addressing: 'structured' },
    since: SM50,
    downlevel: 'compute',
    operands: [UAV_OR_TGSM, INDEX, BYTE_OFFSET, VALUE],
    controls: [PRECISE],
    literals: 'auto',
    summary: 'Writes 1 to 4 dwords at a byte offset in one structure of a structured UAV or of TGSM.',
    spec: '22.4.13',
  }),
  loadFeedback(LD_UAV_TYPED, 'ld_uav_typed_s', 225, 'LD_UAV_TYPED_FEEDBACK'),
  loadFeedback(LD_RAW, 'ld_raw_s', 226, 'LD_RAW_FEEDBACK'),
  loadFeedback(LD_STRUCTURED, 'ld_structured_s', 227, 'LD_STRUCTURED_FEEDBACK'),
]

function atomic(mnemonic: string, opcode: number, operation: AtomicOperation, spec: string): InstructionRow {
  const returnsOriginal = mnemonic.startsWith('imm_')
  const { compares, summary } = atomicOperation(operation)
  const values: readonly OperandSlot[] = compares
    ? [src('src0', 'bits', { components: 1 }), src('src1', 'bits', { components: 1 })]
    : [src('src0', 'bits', { components: 1 })]
  const memory = named(returnsOriginal ? 'dest1' : 'dest', 'memory', ['uav', 'tgsm'])
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'atomic', operation, returnsOriginal },
    since: SM50,
    operands: [
      ...(returnsOriginal ? [dest('dest0', 'bits', { components: 1 })] : []),
      memory,
      address('address', 'u32', { purpose: 'coordinates' }),
      ...values,
    ],
    controls: [PRECISE],
    summary: `Atomic ${summary} on one dword of a UAV or of TGSM${returnsOriginal ? '; returns the value before' : ''}.`,
    spec,
  })
}

function counter(
  mnemonic: string,
  opcode: number,
  direction: 'alloc' | 'consume',
  spec: string,
  summary: string,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'counter', direction },
    since: SM50,
    operands: [dest('dest', 'u32', { components: 1 }), named('destUav', 'memory', ['uav'])],
    summary,
    spec,
  })
}

const ATOMIC_ROWS: readonly InstructionRow[] = [
  atomic('atomic_and', 169, 'and', '22.17.8'),
  atomic('atomic_or', 170, 'or', '22.17.9'),
  atomic('atomic_xor', 171, 'xor', '22.17.10'),
  atomic('atomic_cmp_store', 172, 'compare-exchange', '22.17.11'),
  atomic('atomic_iadd', 173, 'add', '22.17.12'),
  atomic('atomic_imax', 174, 'signed-max', '22.17.13'),
  atomic('atomic_imin', 175, 'signed-min', '22.17.14'),
  atomic('atomic_umax', 176, 'unsigned-max', '22.17.15'),
  atomic('atomic_umin', 177, 'unsigned-min', '22.17.16'),
  counter(
    'imm_atomic_alloc',
    178,
    'alloc',
    '22.17.17',
    'Increments the hidden counter of a UAV; returns the value before.',
  ),
  counter(
    'imm_atomic_consume',
    179,
    'consume',
    '22.17.18',
    'Decrements the hidden counter of a UAV; returns the value after.',
  ),
  atomic('imm_atomic_iadd', 180, 'add', '22.17.24'),
  atomic('imm_atomic_and', 181, 'and', '22.17.19'),
  atomic('imm_atomic_or', 182, 'or', '22.17.20'),
  atomic('imm_atomic_xor', 183, 'xor', '22.17.21'),
  atomic('imm_atomic_exch', 184, 'exchange', '22.17.22'),
  atomic('imm_atomic_cmp_exch', 185, 'compare-exchange', '22.17.23'),
  atomic('imm_atomic_imax', 186, 'signed-max', '22.17.25'),
  atomic('imm_atomic_imin', 187, 'signed-min', '22.17.26'),
  atomic('imm_atomic_umax', 188, 'unsigned-max', '22.17.27'),
  atomic('imm_atomic_umin', 189, 'unsigned-min', '22.17.28'),
]

const SYNC_ROW = instruction({
  mnemonic: 'sync',
  opcode: 190,
  traits: { kind: 'sync' },
  since: SM50,
  downlevel: 'compute',
  controls: [SYNC],
  summary: 'Orders memory accesses, of UAVs or TGSM, and with _t waits for all threads of the group.',
  spec: '22.17.7',
})

export const MEMORY_ROWS: readonly InstructionRow[] = [...ACCESS_ROWS, ...ATOMIC_ROWS, SYNC_ROW]
