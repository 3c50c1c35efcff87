import { describe, expect, test } from 'vitest'
import { UNORM_RECIPROCALS } from '../../isa/index.ts'
import { Uniformity, VARYING, WAVE } from '../analysis/uniformity.ts'
import { Builder } from '../ir/builder.ts'
import { foldConstants } from '../ir/fold.ts'

const builder = (keepDenormals = false): Builder => new Builder({ threads: [64, 1, 1], keepDenormals, fused: false })

const FLOAT = new Float32Array(1)
const BITS = new Uint32Array(FLOAT.buffer)
const floatOf = (bits: number): number => {
  BITS[0] = bits
  return FLOAT[0]!
}

describe('texel formats', () => {
  test('two products give the correctly rounded quotient of every UNORM code', () => {
    const f = Math.fround
    for (const [bitCount, [high, low]] of Object.entries(UNORM_RECIPROCALS)) {
      const most = 2 ** Number(bitCount) - 1
      for (let code = 0; code <= most; code++) {
        const got = f(f(code * floatOf(high)) + f(code * floatOf(low)))
        if (got !== f(code / most)) expect(`${bitCount} bits: ${code}`).toBe('right')
      }
    }
  })
})

describe('values', () => {
  test('equal operations are one value, constants fold', () => {
    const o = builder()
    const x = o.make('threadInGroup', [], 3)
    expect(o.i32Add(x, o.constant(4))).toBe(o.i32Add(o.constant(4), x))
    expect(o.i32Mul(o.constant(6), o.constant(7)).imm).toBe(42)
    expect(o.u32Div(x, o.constant(8)).op).toBe('shiftRightLogical')
  })

  test('a rotation by bfi needs no masks, since the bits are known to be zero', () => {
    const o = builder()
    const x = o.make('constantBuffer', [o.constant(0)], 0)
    const low = o.shiftRightLogical(x, o.constant(19))
    expect(o.and(low, o.constant(0x1fff))).toBe(low)
    expect(o.and(low, o.constant(0xffffe000)).imm).toBe(0)
  })

  test('flushes go where nothing denormal can be, and stay where it can', () => {
    const o = builder()
    const x = o.make('constantBuffer', [o.constant(0)], 0)
    const converted = o.u32ToF32(x)
    expect(o.flushDenormal(converted)).toBe(converted)
    const flushed = o.flushDenormal(x)
    expect(flushed.op).toBe('flushDenormal')
    expect(o.flushDenormal(o.xor(flushed, o.constant(0x80000000))).op).toBe('xor')
    expect(o.flushDenormal(o.f32Mul(flushed, converted)).op).toBe('flushDenormal')
    expect(builder(true).flushDenormal(x)).toBe(x)
  })

  test('absolute values of flushed values need no flush, other bits of them do', () => {
    const o = builder()
    const x = o.make('constantBuffer', [o.constant(0)], 0)
    const flushed = o.flushDenormal(x)
    expect(o.flushDenormal(o.and(flushed, o.constant(0x7fffffff))).op).toBe('and')
    // Bits that may be set are not bits that are: the exponent can be cleared.
    expect(o.flushDenormal(o.and(flushed, o.shiftRightLogical(x, o.constant(1)))).op).toBe('flushDenormal')
  })

  test('comparisons with a normal constant need no flush, with zero they do', () => {
    const o = builder()
    const flushed = o.flushDenormal(o.make('constantBuffer', [o.constant(0)], 0))
    expect(o.f32Less(flushed, o.constant(0x40800000)).args[0]).toBe(flushed.args[0])
    expect(o.f32Less(flushed, o.constant(0)).args[0]).toBe(flushed)
  })

  test('adding zero is not dropped: it changes the sign of -0', () => {
    const o = builder(true)
    const x = o.make('constantBuffer', [o.constant(0)], 0)
    expect(o.f32Add(x, o.constant(0)).op).toBe('f32Add')
    expect(foldConstants('f32Add', [0x80000000, 0])).toBe(0)
  })

  test('what does not depend on a loop is computed before it', () => {
    const o = builder()
    const x = o.make('threadInGroup', [], 3)
    o.inside(true, () => {
      const head = o.phi()
      expect(o.i32Add(x, o.constant(5)).region).toBe(o.root)
      expect(o.i32Add(head, o.constant(5)).region).not.toBe(o.root)
    })
  })
})

describe('uniformity', () => {
  test('thread numbers are a first lane and a pattern; rows of a group are the same for a wave', () => {
    const threads = [16, 16, 1] as const
    const o = new Builder({ threads, keepDenormals: false, fused: false })
    const x = o.make('threadInGroup', [], 0)
    const y = o.make('threadInGroup', [], 1)
    const address = o.i32Add(o.shiftLeft(x, o.constant(2)), o.i32Mul(y, o.constant(64)))
    const u = new Uniformity(o, o.root, threads, 8)
    expect(u.level(y)).toBe(WAVE)
    expect(u.level(address)).toBe(VARYING)
    expect([...u.of(address).pattern!]).toEqual([0, 4, 8, 12, 16, 20, 24, 28])
  })

  test('numbers whose pattern differs from wave to wave have none', () => {
    const threads = [5, 3, 1] as const
    const o = new Builder({ threads, keepDenormals: false, fused: false })
    const x = o.make('threadInGroup', [], 0)
    expect(new Uniformity(o, o.root, threads, 4).of(x).pattern).toBeUndefined()
  })
})
