import {
  DENORMAL,
  double,
  INFINITY,
  INT_MAX,
  INT_MIN,
  MINUS_1,
  MINUS_INFINITY,
  MINUS_ZERO,
  NAN,
  ONE,
  PAYLOAD_NAN,
  SIGNALING_NAN,
  TWO,
  table,
  unaryTable,
  type VectorTable,
} from './vector.ts'

const A = [0x11111111, 0x3ff00000] as const
const B = [0x22222222, 0xfff80000] as const
const P0 = [0, 0] as const
const M0 = [0, 0x80000000] as const
const PI = [0, 0x7ff00000] as const
const MI = [0, 0xfff00000] as const

export const MOVE_VECTORS: readonly VectorTable[] = [
  unaryTable(
    'mov',
    '22.9.1: bits stay',
    [0, 0],
    [DENORMAL, DENORMAL],
    [MINUS_ZERO, MINUS_ZERO],
    [SIGNALING_NAN, SIGNALING_NAN],
    [PAYLOAD_NAN, PAYLOAD_NAN],
    [NAN, NAN],
    [INFINITY, INFINITY],
    [MINUS_INFINITY, MINUS_INFINITY],
    [MINUS_1, MINUS_1],
    [0xdeadbeef, 0xdeadbeef],
  ),
  table(
    'movc',
    [[MINUS_1, ONE, TWO], [ONE], '22.9.2: all bits'],
    [[0, ONE, TWO], [TWO], '22.9.2: no bit'],
    [[1, DENORMAL, TWO], [DENORMAL], '22.9.2: any bit; denormals stay'],
    [[INT_MIN, SIGNALING_NAN, TWO], [SIGNALING_NAN], '22.9.2: -0.0 has a bit set; NaN bits stay'],
    [[0, TWO, PAYLOAD_NAN], [PAYLOAD_NAN], '22.9.2: NaN bits stay'],
    [[DENORMAL, INT_MIN, 0], [INT_MIN], '22.9.2: a denormal condition has a bit set'],
    [[0x00010000, 0, MINUS_1], [0], '22.9.2: any bit'],
  ),
  table(
    'swapc',
    [[MINUS_1, ONE, TWO], [TWO, ONE], '22.9.3: exchanged'],
    [[0, ONE, TWO], [ONE, TWO], '22.9.3: kept'],
    [[INT_MIN, DENORMAL, SIGNALING_NAN], [SIGNALING_NAN, DENORMAL], '22.9.3: any bit; bits stay'],
    [[0, PAYLOAD_NAN, DENORMAL], [PAYLOAD_NAN, DENORMAL], '22.9.3: bits stay'],
    [[2, 0, MINUS_1], [MINUS_1, 0], '22.9.3: any bit'],
    [[0, MINUS_1, 0], [MINUS_1, 0], '22.9.3: kept'],
  ),
  table(
    'dmov',
    [[...A], [...A], '22.16.1'],
    [[1, 0], [1, 0], '22.16.1: denormals stay'],
    [[1, 0x7ff00000], [1, 0x7ff00000], '22.16.1: NaN bits stay'],
    [[...double(-0)], [0, 0x80000000], '22.16.1'],
    [[0, 0], [0, 0], '22.16.1'],
    [[0, 0x7ff00000], [0, 0x7ff00000], '22.16.1'],
    [[0, 0xfff00000], [0, 0xfff00000], '22.16.1'],
  ),
  table(
    'dmovc',
    [[MINUS_1, ...A, ...B], [...A], '22.16.2'],
    [[0, ...A, ...B], [...B], '22.16.2'],
    [[1, ...B, ...A], [...B], '22.16.2: any bit; NaN bits stay'],
    [[INT_MIN, 1, 0, ...A], [1, 0], '22.16.2: -0.0 has a bit set; denormals stay'],
    [[0, ...A, 1, 0x80000000], [1, 0x80000000], '22.16.2: denormals stay'],
    [[MINUS_1, ...P0, ...M0], [...P0], '22.16.2'],
    [[0, ...P0, ...M0], [...M0], '22.16.2'],
    [[MINUS_1, ...M0, ...P0], [...M0], '22.16.2'],
    [[0, ...M0, ...P0], [...P0], '22.16.2'],
    [[INT_MAX, ...PI, ...MI], [...PI], '22.16.2'],
    [[0, ...PI, ...MI], [...MI], '22.16.2'],
    [[INT_MAX, ...MI, ...PI], [...MI], '22.16.2'],
    [[0, ...MI, ...PI], [...PI], '22.16.2'],
  ),
]
