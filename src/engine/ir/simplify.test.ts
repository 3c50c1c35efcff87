import { describe, expect, it } from 'vitest'
import { normal, textOf } from '../../../test/support/ir-program.ts'
import { parseRegion } from './parse.ts'

/** What the builder makes of operations as it meets them: text in, text out. `x` and `y` are words of which nothing is known. */

const INPUTS = 'v0 = immediateConstant 0x0\nv1 = immediateConstant.1 0x0\n'

const made = (lines: string): string => {
  const stored = `${INPUTS}${lines}\nstore [uav 0, offset 0x0 stride 0] out`
  const text = textOf(parseRegion(stored.replaceAll(/\bx\b/g, 'v0').replaceAll(/\by\b/g, 'v1'), { simplify: true }))
  // What is stored is found at the end of the text, after every value that was made on the way.
  return text.slice(INPUTS.length)
}

/** The last value alone: its operation and what is stored. */
const result = (lines: string): string => /\] (.*) @0\n$/.exec(made(lines))![1]!
const operation = (lines: string): string => {
  const text = made(lines)
  const stored = result(lines)
  return new RegExp(`^${stored} = (.*)$`, 'm').exec(text)?.[1] ?? stored
}

const CASES: readonly (readonly [name: string, lines: string, want: string])[] = [
  // Folding.
  ['6 * 7', 'out = i32Mul 0x6 0x7', '0x2a'],
  ['1.5 + 2.25 as floats', 'out = f32Add 0x3fc00000 0x40100000', '0x40700000'],
  ['a division by 0', 'out = u32Div 0x6 0x0', '0xffffffff'],
  ['a shift by 33, which is one by 1', 'out = shiftLeft 0x3 0x21', '0x6'],
  // Identities of integers.
  ['x + 0', 'out = i32Add x 0x0', 'v0'],
  ['(x + 3) + 4', 'a = i32Add x 0x3\nout = i32Add a 0x4', 'i32Add v0, 0x7'],
  ['x - x', 'out = i32Sub x x', '0x0'],
  ['x - 5', 'out = i32Sub x 0x5', 'i32Add v0, 0xfffffffb'],
  ['x * 8', 'out = i32Mul x 0x8', 'shiftLeft v0, 0x3'],
  ['x / 16', 'out = u32Div x 0x10', 'shiftRightLogical v0, 0x4'],
  ['x % 16', 'out = u32Rem x 0x10', 'and v0, 0xf'],
  ['x & x', 'out = and x x', 'v0'],
  ['x ^ x', 'out = xor x x', '0x0'],
  ['not not x', 'a = not x\nout = not a', 'v0'],
  ['a bound of masked bits', 'a = and x 0x7\nout = u32Less a 0x8', '0xffffffff'],
  ['bits that are masked already', 'a = shiftRightLogical x 0x1c\nout = and a 0xf', 'shiftRightLogical v0, 0x1c'],
  // Choices.
  ['a choice of one value', 'out = select x y y', 'v1'],
  ['a choice by a constant', 'out = select 0x0 x y', 'v1'],
  ['a choice of the smaller integer', 'a = i32Less x y\nout = select a x y', 'i32Min v0, v1'],
  ['a choice of the larger float', 'a = f32Less x y\nout = select a y x', 'f32PseudoMax v0, v1'],
  [
    'a clamp of what is clamped',
    'a = f32PseudoMax 0x0 x\nb = f32PseudoMin 0x3f800000 a\nl = f32Less 0x0 b\nm = f32PseudoMin 0x3f800000 b\nout = select l m 0x0',
    'f32PseudoMin 0x3f800000, v2',
  ],
  [
    'a float between 0 and 1 beside infinity',
    'a = f32PseudoMax 0x0 x\nb = f32PseudoMin 0x3f800000 a\nout = f32Equal b 0x7f800000',
    '0x0',
  ],
  [
    'a float between 0 and 1 beside 1',
    'a = f32PseudoMax 0x0 x\nb = f32PseudoMin 0x3f800000 a\nout = f32Equal b 0x3f800000',
    'f32Equal v3, 0x3f800000',
  ],
  [
    'a float of at least 0 beside infinity',
    'a = f32PseudoMax 0x0 x\nout = f32Equal a 0x7f800000',
    'f32Equal v2, 0x7f800000',
  ],
  ['the size of a float of at least 0', 'a = f32PseudoMax 0x0 x\nout = and a 0x7fffffff', 'f32PseudoMax 0x0, v0'],
  ['the size of a float of at least -0', 'a = f32PseudoMax 0x80000000 x\nout = and a 0x7fffffff', 'and v2, 0x7fffffff'],
  ['the size of a float that NaN may be', 'a = f32PseudoMax x 0x0\nout = and a 0x7fffffff', 'and v2, 0x7fffffff'],
  [
    'a float of at most 1 that may be below 0',
    'a = f32PseudoMin 0x3f800000 x\nout = f32Equal a 0x7f800000',
    'f32Equal v2, 0x7f800000',
  ],
  [
    'a number that is not at least 2 is below it',
    'n = f32PseudoMax 0x0 x\na = f32LessEqual 0x40000000 n\nb = f32Less n 0x40000000\nc = select b x 0x5\nout = select a y c',
    'select v3, v1, v0',
  ],
  [
    'what may be NaN is neither',
    'a = f32LessEqual 0x40000000 x\nb = f32Less x 0x40000000\nc = select b x 0x5\nout = select a y c',
    'select v2, v1, v4',
  ],
  ['a comparison as a mask', 'a = i32Less x y\nout = select a 0xffffffff 0x0', 'i32Less v0, v1'],
  // Floats: what changes the sign of a zero or the payload of a NaN stays.
  ['x + 0.0', 'out = f32Add x 0x0', 'f32Add v0, 0x0'],
  ['x * 1.0', 'out = f32Mul x 0x3f800000', 'f32Mul v0, 0x3f800000'],
  ['x + (-y)', 'a = xor y 0x80000000\nout = f32Add x a', 'f32Sub v0, v1'],
  ['x - (-y)', 'a = xor y 0x80000000\nout = f32Sub x a', 'f32Add v0, v1'],
  ['x + y * (-x)', 'a = xor x 0x80000000\nb = f32Mul y a\nout = f32Add x b', 'f32Sub v0, v4'],
  ['(-y) * x + y', 'a = xor y 0x80000000\nb = f32Mul a x\nout = f32Add b y', 'f32Sub v1, v4'],
  [
    'x - flush(y * (-x))',
    'a = xor x 0x80000000\nb = f32Mul y a\nc = flushDenormal b\nout = f32Sub x c',
    'f32Add v0, v6',
  ],
  ['y * (-x) alone', 'a = xor x 0x80000000\nout = f32Mul y a', 'f32Mul v1, v2'],
  [
    'a flushed operand beside a normal constant',
    'a = flushDenormal x\nout = f32Less a 0x3f800000',
    'f32Less v0, 0x3f800000',
  ],
  ['a flushed operand beside a denormal', 'a = flushDenormal x\nout = f32Less a 0x1', 'f32Less v2, 0x1'],
  [
    'max of semantics/float',
    'e = f32Equal x y\nb = and x y\nl = f32Less x y\nn = f32Equal x x\nm = select n x y\np = select l y m\nout = select e b p',
    'f32Max v0, v1',
  ],
  // Doubles.
  ['the low half of a pair', 'a = f64Pack x y\nout = f64Low a', 'v0'],
]

describe('the builder simplifies', () => {
  it.each(CASES)('%s', (_, lines, want) => expect(operation(lines)).toBe(want))

  it('equal operations to one, in either order of operands that may be exchanged', () => {
    const text = made('a = i32Add x y\nb = i32Add y x\nout = i32Sub a b')
    expect(text).toContain('i32Add v0, v1')
    expect(text).toMatch(/\] 0x0 @0/)
  })

  it('puts what does not depend on a loop before it', () => {
    const text = normal(`
      v0 = threadInGroup.0
      loop L0 cost 1 @0 {
        v1 = phi 0x0, v3
        v2 = i32Mul v0, 0x5
        v3 = i32Add v1, v2
        break L0
      }
    `)
    const want = normal(`
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x5
      loop L0 cost 1 @0 {
        v2 = phi 0x0, v3
        v3 = i32Add v2, v1
        break L0
      }
    `)
    expect(textOf(parseRegion(text, { simplify: true }))).toBe(want)
  })

  it('keeps what an if decides inside of it', () => {
    const text = normal(`
      v0 = threadInGroup.0
      if v0 {
        v1 = i32Mul v0, 0x5
        store [uav 0, offset v1 stride 0] v1 @0
      } else {
      }
    `)
    expect(textOf(parseRegion(text, { simplify: true }))).toBe(text)
  })
})
