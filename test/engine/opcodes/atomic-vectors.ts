import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { createBuffer, createCbv, createUav } from '../../../src/machine/index.ts'
import type { OpcodeVector } from '../../support/opcode-vector.ts'
import { contents, PLACES, type Place } from './places.ts'

/** Atomics (22.17.8 to 22.17.28): memory before, operand, memory after, for every kind of memory; and the counters. */

const MIN = 0x80000000
const MAX = 0x7fffffff
const ONES = 0xffffffff
/** A signaling NaN and a denormal: an atomic moves bits and converts nothing. */
const SIGNALING = 0x7f800001
const DENORMAL = 0x00000001

type Row = readonly [before: number, operand: number, after: number]

const BITWISE_AND: readonly Row[] = [
  [ONES, 0x0f0f0f0f, 0x0f0f0f0f],
  [MIN, MAX, 0],
  [MIN, ONES, MIN],
  [0, ONES, 0],
]
const BITWISE_OR: readonly Row[] = [
  [MIN, MAX, ONES],
  [0, 0, 0],
  [0x0f0f0f0f, 0xf0f0f0f0, ONES],
  [MIN, DENORMAL, 0x80000001],
]
const BITWISE_XOR: readonly Row[] = [
  [ONES, ONES, 0],
  [MIN, ONES, MAX],
  [0, 0xdeadbeef, 0xdeadbeef],
  [MAX, MIN, ONES],
]
/** Insensitive to sign; wraps (22.17.12). */
const ADD: readonly Row[] = [
  [ONES, 1, 0],
  [MAX, 1, MIN],
  [MIN, MIN, 0],
  [MIN, ONES, MAX],
  [5, 0, 5],
  [0, ONES, ONES],
]
const SIGNED_MAX: readonly Row[] = [
  [MIN, MAX, MAX],
  [MAX, MIN, MAX],
  [ONES, 0, 0],
  [0, ONES, 0],
  [MIN, ONES, ONES],
  [MIN, MIN, MIN],
]
const SIGNED_MIN: readonly Row[] = [
  [MIN, MAX, MIN],
  [MAX, MIN, MIN],
  [ONES, 0, ONES],
  [0, ONES, ONES],
  [ONES, MIN, MIN],
  [MAX, MAX, MAX],
]
const UNSIGNED_MAX: readonly Row[] = [
  [MIN, MAX, MIN],
  [MAX, MIN, MIN],
  [ONES, 0, ONES],
  [0, ONES, ONES],
  [MIN, ONES, ONES],
  [0, 0, 0],
]
const UNSIGNED_MIN: readonly Row[] = [
  [MIN, MAX, MAX],
  [MAX, MIN, MAX],
  [ONES, 0, 0],
  [0, ONES, 0],
  [ONES, MIN, MIN],
  [ONES, ONES, ONES],
]
const EXCHANGE: readonly Row[] = [
  [0, ONES, ONES],
  [ONES, SIGNALING, SIGNALING],
  [SIGNALING, DENORMAL, DENORMAL],
  [MIN, 0, 0],
]

const OPERATIONS: readonly (readonly [name: string, rows: readonly Row[]])[] = [
  ['and', BITWISE_AND],
  ['or', BITWISE_OR],
  ['xor', BITWISE_XOR],
  ['iadd', ADD],
  ['imax', SIGNED_MAX],
  ['imin', SIGNED_MIN],
  ['umax', UNSIGNED_MAX],
  ['umin', UNSIGNED_MIN],
]

/** before, compared with, stored where equal, after (22.17.11, 22.17.23): bits are compared, so -0.0 is not 0. */
const COMPARES: readonly (readonly [before: number, compare: number, value: number, after: number])[] = [
  [0, 0, ONES, ONES],
  [0, 1, ONES, 0],
  [0, MIN, ONES, 0],
  [MIN, MIN, MAX, MAX],
  [ONES, ONES, 0, 0],
  [SIGNALING, SIGNALING, DENORMAL, DENORMAL],
  [SIGNALING, 0x7fc00001, 5, SIGNALING],
]

const AXES = 'xyzw'

interface Case {
  readonly mnemonic: string
  readonly place: Place
  readonly before: number
  readonly operands: readonly number[]
  readonly after: number
  readonly returns: boolean
}

/**
 * Values come from constants. Returning forms take the address as it stands and return to .z; silent ones take it turned
 * round by a swizzle.
 */
function vectorOf(c: Case): OpcodeVector {
  const { place, returns } = c
  const values = c.operands.map((_, i) => `cb0[0].${AXES[i]}`).join(', ')
  const address = returns ? `l(${place.address.join(', ')})` : 'r2.wzyx'
  const turned = `mov r2.xyzw, l(${[...place.address].reverse().join(', ')})`
  const words = contents(place, c.after)
  return {
    mnemonic: c.mnemonic,
    reason: `${c.operands.map((n) => n.toString(16))} on ${c.before.toString(16)} in a ${place.name}`,
    declares: `dcl_constantbuffer CB0[1], immediateIndexed\n${place.declares}`,
    bind: () => {
      const made = place.bind(contents(place, c.before))
      const constants = new Uint32Array(4)
      constants.set(c.operands)
      return { bindings: { ...made.bindings, b0: createCbv(constants) }, memory: made.memory }
    },
    body: [
      place.copyIn ?? '',
      turned,
      `${c.mnemonic} ${returns ? 'r1.z, ' : ''}${place.register}, ${address}, ${values}`,
      place.copyOut ?? '',
    ].join('\n'),
    result: [7, 7, returns ? c.before : 7, 7],
    memory: Array.from(words),
  }
}

function casesOf(place: Place): Case[] {
  const plain = OPERATIONS.flatMap(([name, rows]) =>
    rows.flatMap(([before, operand, after]): Case[] => [
      { mnemonic: `atomic_${name}`, place, before, operands: [operand], after, returns: false },
      { mnemonic: `imm_atomic_${name}`, place, before, operands: [operand], after, returns: true },
    ]),
  )
  const exchange = EXCHANGE.map(
    ([before, operand, after]): Case => ({
      mnemonic: 'imm_atomic_exch',
      place,
      before,
      operands: [operand],
      after,
      returns: true,
    }),
  )
  const compare = COMPARES.flatMap(([before, first, second, after]): Case[] => [
    { mnemonic: 'atomic_cmp_store', place, before, operands: [first, second], after, returns: false },
    { mnemonic: 'imm_atomic_cmp_exch', place, before, operands: [first, second], after, returns: true },
  ])
  return [...plain, ...exchange, ...compare]
}

/** The returned value goes to each place a destination can be. */
const DESTINATIONS: readonly OpcodeVector[] = OPERATIONS.map(([name]) => `imm_atomic_${name}`)
  .concat('imm_atomic_exch')
  .map((mnemonic): OpcodeVector => {
    const place = PLACES.find((p) => p.name === 'raw buffer')!
    const made = (): ReturnType<Place['bind']> => place.bind(contents(place, 0x55))
    return {
      mnemonic,
      reason: 'a destination may be an indexable temp, or the register that gives the address and the value',
      declares: `dcl_indexableTemp x0[2], 4\n${place.declares}`,
      bind: made,
      body: `mov r1.x, l(20)\n${mnemonic} r1.x, u0, r1.x, r1.x\nmov r2.x, l(1)
${mnemonic} x0[r2.x + 0].y, u0, l(0), l(0)\nmov r1.y, x0[1].y`,
      result: [0x55, 1000, 7, 7],
    }
  })

const NO_DESTINATION: readonly OpcodeVector[] = [
  {
    mnemonic: 'imm_atomic_iadd',
    reason: 'without a destination (null) the memory changes all the same',
    declares: 'dcl_uav_raw u0',
    bind: () => PLACES.find((p) => p.name === 'raw buffer')!.bind(Uint32Array.of(5, 6)),
    body: 'imm_atomic_iadd null, u0, l(4), l(10)',
    result: [7, 7, 7, 7],
    memory: [5, 16],
  },
]

/** A structured UAV with a hidden counter; the program adds to it twice and copies it nowhere: the next value shows it. */
function counter(mnemonic: string, reason: string, initialCount: number, body: string, result: number[]): OpcodeVector {
  return {
    mnemonic,
    reason,
    declares: 'dcl_uav_structured_opc u0, 4',
    bind: () => {
      const buffer = valueOrThrow(createBuffer({ byteLength: 16, stride: 4 }))
      return { bindings: { u0: createUav(buffer, { counter: 'counter', initialCount }) }, memory: buffer.storage }
    },
    body,
    result,
    memory: [0, 0, 0, 0],
  }
}

const TWICE = (mnemonic: string): string => `${mnemonic} r1.w, u0\n${mnemonic} r1.x, u0`
const COUNTERS: readonly OpcodeVector[] = [
  counter('imm_atomic_alloc', 'returns the count before (22.17.17)', 0, TWICE('imm_atomic_alloc'), [1, 7, 7, 0]),
  counter('imm_atomic_alloc', 'knows no end of the buffer', 4, TWICE('imm_atomic_alloc'), [5, 7, 7, 4]),
  counter('imm_atomic_alloc', 'wraps', ONES, TWICE('imm_atomic_alloc'), [0, 7, 7, ONES]),
  counter('imm_atomic_alloc', 'is unsigned', MAX, TWICE('imm_atomic_alloc'), [MIN, 7, 7, MAX]),
  counter('imm_atomic_consume', 'returns the count after (22.17.18)', 2, TWICE('imm_atomic_consume'), [0, 7, 7, 1]),
  counter('imm_atomic_consume', 'wraps', 0, TWICE('imm_atomic_consume'), [0xfffffffe, 7, 7, ONES]),
  counter('imm_atomic_consume', 'is unsigned', MIN, TWICE('imm_atomic_consume'), [0x7ffffffe, 7, 7, MAX]),
  {
    mnemonic: 'imm_atomic_alloc',
    reason: 'of a view without a counter is undefined: 0, and nothing happens (5.3.10)',
    declares: 'dcl_uav_structured u0, 4',
    bind: () => ({ bindings: { u0: createUav(valueOrThrow(createBuffer({ byteLength: 16, stride: 4 }))) } }),
    body: TWICE('imm_atomic_alloc'),
    result: [0, 7, 7, 0],
    codes: ['engine-no-counter', 'engine-no-counter'],
  },
]

/** Shader Model 5.1 names the range and the register in it. */
const RANGES: readonly OpcodeVector[] = [
  {
    mnemonic: 'imm_atomic_umax',
    reason: 'on the second register of a range of cs_5_1',
    model: 'cs_5_1',
    declares: 'dcl_uav_raw U2[4:5], space=1',
    bind: () => {
      const [first, second] = [Uint32Array.of(1, 2), Uint32Array.of(3, 4)].map((data) =>
        valueOrThrow(createBuffer({ data })),
      )
      const views = [first!, second!].map((b) => createUav(b, { raw: true }))
      return { bindings: { 'u4,space1': views }, memory: second!.storage }
    },
    body: 'mov r2.x, l(1)\nimm_atomic_umax r1.y, U2[r2.x + 4], l(4), l(0xfffffffe)',
    result: [7, 4, 7, 7],
    memory: [3, 0xfffffffe],
  },
]

export const ATOMIC_VECTORS: readonly OpcodeVector[] = [
  ...PLACES.flatMap(casesOf).map(vectorOf),
  ...DESTINATIONS,
  ...NO_DESTINATION,
  ...COUNTERS,
  ...RANGES,
]
