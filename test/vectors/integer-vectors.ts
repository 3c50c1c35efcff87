import { binaryTable, INT_MAX, INT_MIN, MINUS_1, TRUE, table, unaryTable, type VectorTable } from './vector.ts'

const TWINS: readonly VectorTable[] = [
  table(
    'imul',
    [[INT_MIN, INT_MIN], [0x40000000, 0], '22.12.6: 2^62'],
    [[INT_MIN, MINUS_1], [0, 0x80000000], '22.12.6: 2^31'],
    [[INT_MIN, INT_MAX], [0xc0000000, 0x80000000], '22.12.6: -2^62 + 2^31'],
    [[INT_MAX, INT_MAX], [0x3fffffff, 1], '22.12.6: 2^62 - 2^32 + 1'],
    [[INT_MAX, INT_MIN], [0xc0000000, 0x80000000], '22.12.6'],
    [[MINUS_1, MINUS_1], [0, 1], '22.12.6'],
    [[MINUS_1, 1], [0xffffffff, 0xffffffff], '22.12.6: the high word carries the sign'],
    [[0, INT_MIN], [0, 0], '22.12.6'],
    [[0x10000, 0x10000], [1, 0], '22.12.6: 2^32'],
    [[5, 0], [0, 0], '22.12.6'],
  ),
  table(
    'umul',
    [[INT_MIN, INT_MIN], [0x40000000, 0], '22.12.13: 2^62'],
    [[MINUS_1, MINUS_1], [0xfffffffe, 1], '22.12.13: (2^32 - 1)^2'],
    [[MINUS_1, 1], [0, 0xffffffff], '22.12.13: unsigned'],
    [[INT_MIN, 2], [1, 0], '22.12.13: 2^32'],
    [[0, MINUS_1], [0, 0], '22.12.13'],
    [[0x10000, 0xffff0000], [0xffff, 0], '22.12.13: 2^48 - 2^32'],
    [[1, 0], [0, 0], '22.12.13'],
  ),
  table(
    'udiv',
    [[7, 2], [3, 1], '22.12.9'],
    [[0, 5], [0, 0], '22.12.9'],
    [[MINUS_1, 2], [INT_MAX, 1], '22.12.9: unsigned'],
    [[MINUS_1, 1], [MINUS_1, 0], '22.12.9'],
    [[INT_MIN, MINUS_1], [0, INT_MIN], '22.12.9: unsigned'],
    [[MINUS_1, INT_MIN], [1, INT_MAX], '22.12.9: unsigned'],
    [[MINUS_1, MINUS_1], [1, 0], '22.12.9'],
    [[0xfffffffe, MINUS_1], [0, 0xfffffffe], '22.12.9: one less than the divisor'],
    [[5, 0], [0xffffffff, 0xffffffff], '22.12.9: by zero'],
    [[0, 0], [0xffffffff, 0xffffffff], '22.12.9: by zero'],
  ),
  table(
    'uaddc',
    [[1, 2], [3, 0], '22.12.8'],
    [[MINUS_1, 1], [0, 1], '22.12.8: carry'],
    [[MINUS_1, MINUS_1], [0xfffffffe, 1], '22.12.8: carry'],
    [[MINUS_1, 0], [MINUS_1, 0], '22.12.8: no carry'],
    [[0, MINUS_1], [MINUS_1, 0], '22.12.8: no carry'],
    [[INT_MIN, INT_MIN], [0, 1], '22.12.8: carry'],
    [[INT_MAX, 1], [INT_MIN, 0], '22.12.8: signed overflow is no carry'],
    [[0, 0], [0, 0], '22.12.8'],
  ),
  table(
    'usubb',
    [[3, 2], [1, 0], '22.12.14'],
    [[2, 3], [MINUS_1, 1], '22.12.14: borrow'],
    [[0, MINUS_1], [1, 1], '22.12.14: borrow'],
    [[0, 0], [0, 0], '22.12.14'],
    [[MINUS_1, MINUS_1], [0, 0], '22.12.14'],
    [[INT_MIN, 1], [INT_MAX, 0], '22.12.14: signed overflow is no borrow'],
    [[INT_MAX, INT_MIN], [MINUS_1, 1], '22.12.14: borrow'],
  ),
]

/** Signed and unsigned order of two words. */
const ORDERS: readonly (readonly [number, number, signed: -1 | 0 | 1, unsigned: -1 | 0 | 1])[] = [
  [0, 0, 0, 0],
  [1, 2, -1, -1],
  [2, 1, 1, 1],
  [MINUS_1, 0, -1, 1],
  [0, MINUS_1, 1, -1],
  [INT_MIN, INT_MAX, -1, 1],
  [INT_MAX, INT_MIN, 1, -1],
  [INT_MIN, MINUS_1, -1, -1],
  [MINUS_1, INT_MIN, 1, 1],
  [MINUS_1, MINUS_1, 0, 0],
  [INT_MIN, INT_MIN, 0, 0],
  [INT_MAX, INT_MAX, 0, 0],
  [INT_MIN, 0, -1, 1],
  [0, INT_MIN, 1, -1],
  [0x7fc00000, 0x7fc00000, 0, 0],
]

const signed = (mnemonic: string, section: string, f: (order: -1 | 0 | 1) => boolean): VectorTable =>
  binaryTable(mnemonic, section, ...ORDERS.map(([a, b, s]) => [a, b, f(s) ? TRUE : 0] as const))

const unsigned = (mnemonic: string, section: string, f: (order: -1 | 0 | 1) => boolean): VectorTable =>
  binaryTable(mnemonic, section, ...ORDERS.map(([a, b, , u]) => [a, b, f(u) ? TRUE : 0] as const))

const multiplyAdd = (mnemonic: string, section: string): VectorTable =>
  table(
    mnemonic,
    [[3, 5, 7], [22], section],
    [[INT_MIN, INT_MIN, INT_MIN], [INT_MIN], `${section}: the low word of 2^62 is 0`],
    [[MINUS_1, MINUS_1, MINUS_1], [0], `${section}: 1 - 1`],
    [[INT_MAX, INT_MAX, INT_MAX], [INT_MIN], `${section}: the low word is 1`],
    [[0x10001, 0x10001, 0], [0x00020001], `${section}: 2^32 is lost`],
    [[0, MINUS_1, 5], [5], section],
    [[7, 0, MINUS_1], [MINUS_1], section],
    [[0x12345678, 0x9abcdef0, 1], [0x242d2081], `${section}: low word of 0xb00ea4e242d2080, plus 1`],
  )

export const INTEGER_VECTORS: readonly VectorTable[] = [
  binaryTable(
    'iadd',
    '22.12.1',
    [1, 2, 3],
    [INT_MAX, 1, INT_MIN, 'wraps'],
    [INT_MIN, INT_MIN, 0, 'wraps'],
    [MINUS_1, MINUS_1, 0xfffffffe],
    [0, INT_MAX, INT_MAX],
    [INT_MIN, MINUS_1, INT_MAX, 'wraps'],
    [5, 0, 5],
  ),
  multiplyAdd('imad', '22.12.3'),
  multiplyAdd('umad', '22.12.10'),
  binaryTable('imax', '22.12.4', ...ORDERS.map(([a, b, s]) => [a, b, s > 0 ? a : b] as const)),
  binaryTable('imin', '22.12.5', ...ORDERS.map(([a, b, s]) => [a, b, s < 0 ? a : b] as const)),
  binaryTable('umax', '22.12.11', ...ORDERS.map(([a, b, , u]) => [a, b, u > 0 ? a : b] as const)),
  binaryTable('umin', '22.12.12', ...ORDERS.map(([a, b, , u]) => [a, b, u < 0 ? a : b] as const)),
  unaryTable(
    'ineg',
    '22.12.7',
    [0, 0],
    [1, MINUS_1],
    [MINUS_1, 1],
    [INT_MIN, INT_MIN, 'has no positive'],
    [INT_MAX, 0x80000001],
  ),
  ...TWINS,
  table(
    'msad',
    [[0x01020304, 0x04030201, 10], [18], '22.12.15: 3 + 1 + 1 + 3'],
    [[0x00ff00ff, 0xffffffff, 5], [5], '22.12.15: zero bytes of src0 are masked, equal bytes add 0'],
    [[0, MINUS_1, 7], [7], '22.12.15: all masked'],
    [[MINUS_1, 0, 0], [1020], '22.12.15: 4 * 255'],
    [[0xff01ff01, 0x00ff00ff, 1], [1019], '22.12.15: 255 + 254 + 255 + 254, differences either way, plus 1'],
    [[MINUS_1, 0, MINUS_1], [MINUS_1], '22.12.15: saturates'],
    [[MINUS_1, 0, 0xfffffc03], [MINUS_1], '22.12.15: 2^32 - 1021 + 1020 just fits'],
    [[MINUS_1, 0, 0xfffffc04], [MINUS_1], '22.12.15: saturates by one'],
    [[0x80000000, 0x7f000000, INT_MIN], [0x80000001], '22.12.15: bytes are unsigned'],
    [[INT_MAX, INT_MIN, 0], [766], '22.12.15: |127 - 128| + 3 * 255'],
  ),
  signed('ieq', '22.6.4', (s) => s === 0),
  signed('ige', '22.6.3', (s) => s >= 0),
  signed('ilt', '22.6.5', (s) => s < 0),
  signed('ine', '22.6.6', (s) => s !== 0),
  unsigned('ult', '22.6.10', (u) => u < 0),
  unsigned('uge', '22.6.9', (u) => u >= 0),
]
