/** NaNs and infinities: where they come from, by the rules of IEEE 754 that section 3.1 takes over. */

import { describe } from 'vitest'
import { type Pair, pairs } from './pair.ts'

const INFINITY = 'l(0x7f800000)'
const numbers = (faulty: string, silent: string | readonly string[], finds: readonly string[]): Pair => ({
  faulty: `${faulty}\nstore_raw u0.x, r7.x, r2.x`,
  silent: [silent].flat().map((s) => `${s}\nstore_raw u0.x, r7.x, r2.x`),
  finds,
  options: { detectors: ['numbers'] },
})

describe('a NaN is reported where it is made of numbers and infinities', () => {
  pairs({
    'zero times infinity': numbers(
      `mov r0.xy, l(0, 0x7f800000, 0, 0)\nmul r2.x, r0.x, r0.y //@nan`,
      `mov r0.xy, l(1.0, 0x7f800000, 0, 0)\nmul r2.x, r0.x, r0.y`,
      ['check-nan-produced nan x16'],
    ),
    'infinity minus infinity': numbers(
      `mov r0.x, ${INFINITY}\nadd r2.x, r0.x, -r0.x //@nan`,
      [`mov r0.x, ${INFINITY}\nadd r2.x, r0.x, r0.x`, `mov r0.x, ${INFINITY}\nadd r2.x, r0.x, l(-1.0)`],
      ['check-nan-produced nan x16'],
    ),
    'zero divided by zero': numbers(
      'mov r0.xy, l(0, 0, 0, 0)\ndiv r2.x, r0.x, r0.y //@nan',
      'mov r0.xy, l(0, 2.0, 0, 0)\ndiv r2.x, r0.x, r0.y',
      ['check-division-by-zero nan x16', 'check-nan-produced nan x16'],
    ),
    'infinity divided by infinity': numbers(
      `mov r0.x, ${INFINITY}\ndiv r2.x, r0.x, -r0.x //@nan`,
      `mov r0.xy, l(0x7f800000, 2.0, 0, 0)\ndiv r2.x, r0.x, r0.y`,
      ['check-nan-produced nan x16'],
    ),
    'zero times the logarithm of zero: pow(0, 0)': numbers(
      'mov r0.x, l(0)\nlog r1.x, r0.x //@log\nmul r1.x, r1.x, r0.x //@nan\nexp r2.x, r1.x',
      'mov r0.x, l(0)\nmax r1.x, r0.x, l(0.0001)\nlog r1.x, r1.x\nmul r1.x, r1.x, r0.x\nexp r2.x, r1.x',
      ['check-infinity-produced log x16', 'check-nan-produced nan x16'],
    ),
    'a vector of length 0 is normalized': numbers(
      'mov r0.xyz, l(0, 0, 0, 0)\ndp3 r1.x, r0.xyzx, r0.xyzx\nrsq r1.x, r1.x //@rsq\nmul r2.x, r0.x, r1.x //@nan',
      'mov r0.xyz, l(0, 0, 0, 0)\ndp3 r1.x, r0.xyzx, r0.xyzx\nmax r1.x, r1.x, l(0.000001)\nrsq r1.x, r1.x\nmul r2.x, r0.x, r1.x',
      ['check-infinity-produced rsq x16', 'check-nan-produced nan x16'],
    ),
    'the root of a negative number': numbers(
      'mov r0.x, l(-4.0)\nsqrt r2.x, r0.x //@nan',
      'mov r0.x, l(-4.0)\nsqrt r2.x, |r0.x|',
      ['check-nan-produced nan x16'],
    ),
    'a product inside mad': numbers(
      'mov r0.xyz, l(0, 0x7f800000, 1.0, 0)\nmad r2.x, r0.x, r0.y, r0.z //@nan',
      'mov r0.xyz, l(2.0, 0x7f800000, 1.0, 0)\nmad r2.x, r0.x, r0.y, r0.z',
      ['check-nan-produced nan x16'],
    ),
    'a sum inside mad': numbers(
      'mov r0.xyz, l(1.0, 0x7f800000, 0xff800000, 0)\nmad r2.x, r0.x, r0.y, r0.z //@nan',
      'mov r0.xyz, l(-1.0, 0x7f800000, 0xff800000, 0)\nmad r2.x, r0.x, r0.y, r0.z',
      ['check-nan-produced nan x16'],
    ),
    'a sum inside a dot product': numbers(
      'mov r0.xy, l(0x7f800000, 1.0, 0, 0)\nmov r1.xy, l(1.0, 0xff800000, 0, 0)\ndp2 r2.x, r0.xyxx, r1.xyxx //@nan',
      'mov r0.xy, l(0x7f800000, 1.0, 0, 0)\nmov r1.xy, l(1.0, 0x7f800000, 0, 0)\ndp2 r2.x, r0.xyxx, r1.xyxx',
      ['check-nan-produced nan x16'],
    ),
    'the fraction of an infinity': numbers(
      `mov r0.x, ${INFINITY}\nfrc r2.x, r0.x //@nan`,
      'mov r0.x, l(2.5)\nfrc r2.x, r0.x',
      ['check-nan-produced nan x16'],
    ),
    'infinities that come from memory': numbers(
      `store_raw u1.x, r7.x, ${INFINITY}\nld_raw r0.x, r7.x, u1.xxxx\nadd r0.y, r0.x, l(1.0)\nadd r2.x, r0.x, -r0.y //@nan`,
      `store_raw u1.x, r7.x, ${INFINITY}\nld_raw r0.x, r7.x, u1.xxxx\nadd r0.y, r0.x, l(1.0)\nmax r2.x, r0.x, r0.y`,
      ['check-nan-produced nan x16'],
    ),
    'a NaN that comes from memory is no news, nor what is computed from it': numbers(
      'mov r0.x, l(-1.0)\nrsq r0.y, r0.x //@nan\nmul r0.z, r0.y, l(2.0)\nadd r2.x, r0.z, r0.y',
      'mov r0.y, l(0x7fc00000)\nmul r0.z, r0.y, l(2.0)\nadd r2.x, r0.z, r0.y',
      ['check-nan-produced nan x16'],
    ),
    'a result that goes straight to an array in registers': {
      ...numbers(
        'mov r0.xy, l(0, 0x7f800000, 0, 0)\nand r1.x, vThreadIDInGroupFlattened.x, l(1)\nmul x0[r1.x + 0].x, r0.x, r0.y //@nan\nmov r2.x, x0[r1.x + 0].x',
        'mov r0.xy, l(1.0, 0x7f800000, 0, 0)\nand r1.x, vThreadIDInGroupFlattened.x, l(1)\nmul x0[r1.x + 0].x, r0.x, r0.y\nmov r2.x, x0[r1.x + 0].x',
        ['check-nan-produced nan x16'],
      ),
      declarations: 'dcl_indexableTemp x0[2], 4',
    },
    'one lane of many': numbers(
      'utof r0.x, vThreadIDInGroupFlattened.x\nadd r0.x, r0.x, l(-5.0)\nlog r0.y, |r0.x| //@log\nmul r2.x, r0.y, r0.x //@nan',
      'utof r0.x, vThreadIDInGroupFlattened.x\nadd r0.x, r0.x, l(-5.5)\nlog r0.y, |r0.x|\nmul r2.x, r0.y, r0.x',
      ['check-infinity-produced log x1', 'check-nan-produced nan x1'],
    ),
  })
})
