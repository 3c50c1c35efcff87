import {
  DENORMAL,
  double,
  INFINITY,
  INT_MAX,
  INT_MIN,
  LARGEST,
  LARGEST_DENORMAL,
  MINUS_1,
  MINUS_DENORMAL,
  MINUS_INFINITY,
  MINUS_ZERO,
  NAN,
  ONE,
  PAYLOAD_NAN,
  type Result,
  SIGNALING_NAN,
  SMALLEST_NORMAL,
  TRUE,
  table,
  type VectorTable,
} from './vector.ts'

type Words = readonly [number, number]

const P0: Words = [0, 0]
const M0: Words = [0, 0x80000000]
const I: Words = [0, 0x7ff00000]
const MI: Words = [0, 0xfff00000]
/** The NaN of arithmetic, one that is signaling, one with a sign and a payload. */
const N: Words = [0, 0x7ff80000]
const SN: Words = [1, 0x7ff00000]
const PN: Words = [0x12345678, 0xfff80001]
const ONE_D: Words = [0, 0x3ff00000]
const M1: Words = [0, 0xbff00000]
const TWO_D: Words = [0, 0x40000000]
const M3: Words = [0, 0xc0080000]
const P5: Words = [0, 0x40140000]
/** 2^-1074, 2^-1022 and the double below it, the largest double. */
const DEN: Words = [1, 0]
const MDEN: Words = [1, 0x80000000]
const MIN: Words = [0, 0x00100000]
const DENMAX: Words = [0xffffffff, 0x000fffff]
const MAX: Words = [0xffffffff, 0x7fefffff]

type Outcome = Words | 'nan'
const words = (r: Outcome): readonly Result[] => (r === 'nan' ? ['any', 'nan-high'] : r)

const binary = (
  mnemonic: string,
  section: string,
  ...rows: readonly (readonly [Words, Words, Outcome, string?])[]
): VectorTable =>
  table(mnemonic, ...rows.map(([a, b, r, why]) => [[...a, ...b], words(r), `${section}: ${why ?? 'table'}`] as const))

const square = (
  mnemonic: string,
  section: string,
  classes: readonly Words[],
  results: readonly (readonly Words[])[],
): VectorTable =>
  binary(mnemonic, section, ...classes.flatMap((a, i) => classes.map((b, j) => [a, b, results[i]![j]!] as const)))

const join = (a: VectorTable, b: VectorTable): VectorTable => ({ ...a, vectors: [...a.vectors, ...b.vectors] })

const ADD = join(
  square(
    'dadd',
    '22.14.1',
    [MI, M3, M0, P0, P5, I, N],
    [
      [MI, MI, MI, MI, MI, N, N],
      [MI, double(-6), M3, M3, TWO_D, I, N],
      [MI, M3, M0, P0, P5, I, N],
      [MI, M3, P0, P0, P5, I, N],
      [MI, TWO_D, P5, P5, double(10), I, N],
      [N, I, I, I, I, I, N],
      [N, N, N, N, N, N, N],
    ],
  ),
  binary(
    'dadd',
    '3.1.4',
    [DEN, DEN, [2, 0], 'denormals are kept'],
    [MIN, MDEN, DENMAX, 'a denormal result is kept'],
    [ONE_D, [0, 0x3ca00000], ONE_D, '1 + 2^-53 ties to even'],
    [[1, 0x3ff00000], [0, 0x3ca00000], [2, 0x3ff00000], 'a tie above an odd double goes up'],
    [MAX, MAX, I, 'overflow'],
    [ONE_D, M1, P0, 'x - x is +0'],
    [SN, ONE_D, N, 'signaling NaN is NaN'],
    [PN, ONE_D, N, 'NaN with a payload is NaN'],
  ),
)

const MUL = join(
  square(
    'dmul',
    '22.14.4',
    [MI, M3, M1, M0, P0, ONE_D, P5, I, N],
    [
      [I, I, I, N, N, MI, MI, MI, N],
      [I, double(9), double(3), P0, M0, M3, double(-15), MI, N],
      [I, double(3), ONE_D, P0, M0, M1, double(-5), MI, N],
      [N, P0, P0, P0, M0, M0, M0, N, N],
      [N, M0, M0, M0, P0, P0, P0, N, N],
      [MI, M3, M1, M0, P0, ONE_D, P5, I, N],
      [MI, double(-15), double(-5), M0, P0, P5, double(25), I, N],
      [MI, MI, MI, N, N, I, I, I, N],
      [N, N, N, N, N, N, N, N, N],
    ],
  ),
  binary(
    'dmul',
    '3.1.4',
    [MIN, [0, 0x3fe00000], [0, 0x00080000], '2^-1023 is kept'],
    [DEN, [0, 0x3fe00000], P0, '2^-1075 ties to even'],
    [MDEN, [0, 0x3fe00000], M0, '-2^-1075 ties to even'],
    [DEN, TWO_D, [2, 0], 'a denormal source is kept'],
    [TWO_D, DEN, [2, 0], 'a denormal source is kept'],
    [MAX, TWO_D, I, 'overflow'],
    [[1, 0x3ff00000], [1, 0x3ff00000], [2, 0x3ff00000], '1 + 2^-51 + 2^-104 rounds down'],
  ),
)

const DIV = join(
  square(
    'ddiv',
    '22.14.6',
    [MI, M3, M1, M0, P0, ONE_D, P5, I, N],
    [
      [N, I, I, I, MI, MI, MI, N, N],
      [P0, ONE_D, double(3), I, MI, M3, [0x33333333, 0xbfe33333], M0, N],
      [P0, [0x55555555, 0x3fd55555], ONE_D, I, MI, M1, [0x9999999a, 0xbfc99999], M0, N],
      [P0, P0, P0, N, N, M0, M0, M0, N],
      [M0, M0, M0, N, N, P0, P0, P0, N],
      [M0, [0x55555555, 0xbfd55555], M1, MI, I, ONE_D, [0x9999999a, 0x3fc99999], P0, N],
      [M0, [0xaaaaaaab, 0xbffaaaaa], double(-5), MI, I, P5, ONE_D, P0, N],
      [N, MI, MI, MI, I, I, I, N, N],
      [N, N, N, N, N, N, N, N, N],
    ],
  ),
  binary(
    'ddiv',
    '3.1.4',
    [DEN, DEN, ONE_D, 'denormals are numbers here, whatever the table of 22.14.6 has of float32'],
    [MIN, TWO_D, [0, 0x00080000], 'a denormal quotient is kept'],
    [MAX, [0, 0x3fe00000], I, 'overflow'],
    [ONE_D, DEN, I, '2^1074 overflows'],
  ),
)

/** Minimum and maximum of two doubles: 22.14.2, 22.14.3, 3.1.3.1 (NaN), 3.1.3.2 (zeros by sign), 3.1.4 (denormals kept). */
const EXTREMES: readonly (readonly [Words, Words, min: Outcome, max: Outcome])[] = [
  [M3, P5, M3, P5],
  [P5, M3, M3, P5],
  [MI, I, MI, I],
  [I, MI, MI, I],
  [P5, N, P5, P5],
  [N, P5, P5, P5],
  [N, MI, MI, MI],
  [I, PN, I, I],
  [SN, M0, M0, M0],
  [N, PN, 'nan', 'nan'],
  [P0, M0, M0, P0],
  [M0, P0, M0, P0],
  [M0, M0, M0, M0],
  [P0, P0, P0, P0],
  [DEN, MDEN, MDEN, DEN],
  [DEN, P0, P0, DEN],
  [MDEN, M0, MDEN, M0],
  [MIN, DENMAX, DENMAX, MIN],
  [[1, 0x3ff00000], ONE_D, ONE_D, [1, 0x3ff00000]],
  [M1, [1, 0xbff00000], [1, 0xbff00000], M1],
]

const FMA = table(
  'dfma',
  [[...TWO_D, ...double(3), ...P5], [...double(11)], '22.14.7'],
  [[1, 0x3ff00000, 1, 0x3ff00000, 2, 0xbff00000], [0, 0x39700000], '22.14.7: fused: (1+2^-52)^2 - (1+2^-51) is 2^-104'],
  [[...MAX, ...TWO_D, 0xffffffff, 0xffefffff], [...MAX], '22.14.7: fused: the product inside does not overflow'],
  [[...MAX, ...TWO_D, ...MI], [...MI], '22.14.7: fused: finite - INF'],
  [[...DEN, 0, 0x3fe00000, ...DEN], [2, 0], '22.14.7: fused: 1.5 units tie to 2'],
  [[...DEN, ...DEN, ...ONE_D], [...ONE_D], '22.14.7: far below half a unit'],
  [[...DEN, ...MDEN, ...P0], [...M0], '22.14.7: a product too small has its own sign'],
  [[...MDEN, ...MDEN, ...M0], [...P0], '22.14.7: a product too small has its own sign'],
  [[...I, ...P0, ...ONE_D], [...N], '22.14.7: INF * 0'],
  [[...M0, ...MI, ...N], [...N], '22.14.7'],
  [[...I, ...ONE_D, ...MI], [...N], '22.14.7: INF - INF'],
  [[...MI, ...ONE_D, ...I], [...N], '22.14.7: -INF + INF'],
  [[...ONE_D, ...MI, ...P5], [...MI], '22.14.7'],
  [[...ONE_D, ...I, ...P5], [...I], '22.14.7'],
  [[...ONE_D, ...ONE_D, ...I], [...I], '22.14.7'],
  [[...N, ...P0, ...P0], [...N], '3.1.3.1'],
  [[...ONE_D, ...PN, ...P0], [...N], '3.1.3.1'],
  [[...ONE_D, ...M1, ...ONE_D], [...P0], 'x - x is +0'],
  [[...M0, ...ONE_D, ...M0], [...M0], '-0 + -0'],
  [[...P0, ...M1, ...P0], [...P0], '-0 + +0'],
  [[...M0, ...ONE_D, ...P0], [...P0], '-0 + +0'],
  [[...ONE_D, ...M0, ...DEN], [...DEN], '22.14.7: denormals kept'],
  [[...ONE_D, ...P0, ...P0], [...P0], '22.14.7'],
  [[...ONE_D, ...DEN, ...MDEN], [...P0], '22.14.7'],
)

const RCP = table(
  'drcp',
  [[...MI], [...M0], '22.14.5'],
  [[...I], [...P0], '22.14.5'],
  [[...M0], [...MI], '22.14.5'],
  [[...P0], [...I], '22.14.5'],
  [[...N], [...N], '22.14.5'],
  [[...TWO_D], [0, 0x3fe00000], '22.14.5: exact where representable'],
  [[...M3], [0x55555555, 0xbfd55555], '22.14.5: to nearest'],
  [[0, 0x7fe00000], [0, 0x00080000], '22.14.5: 2^-1023, a denormal is kept'],
  [[...DEN], [...I], '22.14.5: 2^1074 overflows'],
  [[0, 0x00080000], [0, 0x7fe00000], '22.14.5: the denormal 2^-1023 gives 2^1023'],
)

const RELATIONS: readonly (readonly [Words, Words, -1 | 0 | 1 | 'nan'])[] = [
  [ONE_D, TWO_D, -1],
  [TWO_D, ONE_D, 1],
  [ONE_D, ONE_D, 0],
  [M3, P5, -1],
  [[1, 0x3ff00000], ONE_D, 1],
  [P0, M0, 0],
  [M0, P0, 0],
  [DEN, P0, 1],
  [P0, DEN, -1],
  [MDEN, DEN, -1],
  [DENMAX, MIN, -1],
  [MI, I, -1],
  [I, MI, 1],
  [I, I, 0],
  [MI, MI, 0],
  [I, MAX, 1],
  [N, ONE_D, 'nan'],
  [ONE_D, N, 'nan'],
  [N, N, 'nan'],
  [SN, I, 'nan'],
  [MI, PN, 'nan'],
]

const comparison = (mnemonic: string, section: string, truth: (r: -1 | 0 | 1 | 'nan') => boolean): VectorTable =>
  table(
    mnemonic,
    ...RELATIONS.map(([a, b, r]) => [[...a, ...b], [truth(r) ? TRUE : 0], `${section}: ${String(r)}`] as const),
  )

const toWord = (
  mnemonic: string,
  section: string,
  ...rows: readonly (readonly [Words, number, string?])[]
): VectorTable => table(mnemonic, ...rows.map(([a, r, why]) => [[...a], [r], `${section}: ${why ?? ''}`] as const))

const fromWord = (
  mnemonic: string,
  section: string,
  ...rows: readonly (readonly [number, Words, string?])[]
): VectorTable => table(mnemonic, ...rows.map(([a, r, why]) => [[a], [...r], `${section}: ${why ?? ''}`] as const))

const CONVERSIONS: readonly VectorTable[] = [
  toWord(
    'dtof',
    '22.17.1',
    [P0, 0],
    [M0, MINUS_ZERO],
    [ONE_D, ONE],
    [[0x10000000, 0x3ff00000], ONE, '1 + 2^-24 ties to even'],
    [[0x10000001, 0x3ff00000], 0x3f800001, 'just above the tie'],
    [[0x30000000, 0x3ff00000], 0x3f800002, '1 + 3 * 2^-24 ties to even'],
    [[0xe0000000, 0x47efffff], LARGEST, 'the largest float'],
    [[0xefffffff, 0x47efffff], LARGEST, 'just below the tie under 2^128'],
    [[0xf0000000, 0x47efffff], INFINITY, 'the tie under 2^128 goes to INF'],
    [MAX, INFINITY],
    [I, INFINITY],
    [MI, MINUS_INFINITY],
    [N, NAN],
    [SN, NAN],
    [PN, NAN],
    [[0, 0x38100000], SMALLEST_NORMAL, '2^-126'],
    [[0, 0x38000000], 0, '2^-127: a float32 denormal is flushed'],
    [[0, 0xb8000000], MINUS_ZERO, 'flushed, sign kept'],
    [[0xffffffff, 0x380fffff], SMALLEST_NORMAL, 'just below 2^-126 rounds up to it'],
    [DEN, 0],
    [MDEN, MINUS_ZERO],
  ),
  fromWord(
    'ftod',
    '22.17.2',
    [0, P0],
    [MINUS_ZERO, M0],
    [ONE, ONE_D],
    [LARGEST, [0xe0000000, 0x47efffff]],
    [SMALLEST_NORMAL, [0, 0x38100000]],
    [DENORMAL, P0, 'a float32 denormal is flushed'],
    [LARGEST_DENORMAL, P0, 'flushed'],
    [MINUS_DENORMAL, M0, 'flushed, sign kept'],
    [INFINITY, I],
    [MINUS_INFINITY, MI],
    [NAN, N],
    [SIGNALING_NAN, N],
    [PAYLOAD_NAN, N],
  ),
  toWord(
    'dtoi',
    '22.17.3',
    [P0, 0],
    [M0, 0],
    [DEN, 0],
    [[0x9999999a, 0x3ffe6666], 1, '1.9 towards zero'],
    [[0x9999999a, 0xbffe6666], MINUS_1, '-1.9 towards zero'],
    [[0xffc00000, 0x41dfffff], INT_MAX, '2^31 - 1'],
    [[0xffdfffff, 0x41dfffff], INT_MAX, 'below 2^31'],
    [[0, 0x41e00000], INT_MAX, '2^31 is clamped'],
    [[0, 0xc1e00000], INT_MIN, '-2^31'],
    [[0x00080000, 0xc1e00000], INT_MIN, '-2^31 - 0.25 towards zero'],
    [[0x00200000, 0xc1e00000], INT_MIN, '-2^31 - 1 is clamped'],
    [MAX, INT_MAX],
    [I, INT_MAX],
    [MI, INT_MIN],
    [N, 0],
    [PN, 0],
  ),
  toWord(
    'dtou',
    '22.17.4',
    [P0, 0],
    [M0, 0],
    [DEN, 0],
    [M1, 0, 'clamped'],
    [[0x9999999a, 0x3ffe6666], 1, '1.9 towards zero'],
    [[0xffe00000, 0x41efffff], MINUS_1, '2^32 - 1'],
    [[0xfff00000, 0x41efffff], MINUS_1, '2^32 - 0.5 towards zero'],
    [[0, 0x41f00000], MINUS_1, '2^32 is clamped'],
    [[0, 0x41e00000], INT_MIN, '2^31'],
    [[0xffc00000, 0x41efffff], 0xfffffffe, '2^32 - 2'],
    [MAX, MINUS_1],
    [I, MINUS_1],
    [MI, 0],
    [N, 0],
    [PN, 0],
  ),
  fromWord(
    'itod',
    '22.17.5',
    [0, P0],
    [1, ONE_D],
    [MINUS_1, M1],
    [INT_MIN, [0, 0xc1e00000]],
    [INT_MAX, [0xffc00000, 0x41dfffff]],
  ),
  fromWord(
    'utod',
    '22.17.6',
    [0, P0],
    [1, ONE_D],
    [MINUS_1, [0xffe00000, 0x41efffff]],
    [INT_MIN, [0, 0x41e00000]],
    [INT_MAX, [0xffc00000, 0x41dfffff]],
  ),
]

export const DOUBLE_VECTORS: readonly VectorTable[] = [
  ADD,
  MUL,
  DIV,
  FMA,
  RCP,
  binary('dmin', '22.14.3', ...EXTREMES.map(([a, b, min]) => [a, b, min] as const)),
  binary('dmax', '22.14.2', ...EXTREMES.map(([a, b, , max]) => [a, b, max] as const)),
  comparison('deq', '22.15.1', (r) => r === 0),
  comparison('dge', '22.15.2', (r) => r === 0 || r === 1),
  comparison('dlt', '22.15.3', (r) => r === -1),
  comparison('dne', '22.15.4', (r) => r !== 0),
  ...CONVERSIONS,
]
