import type { ValueOps } from './value-ops.ts'

/** Bit operations (functional specification 22.11). Shift counts, widths and offsets are their low 5 bits. */

export function and<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.and(a, b)
}

export function or<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.or(a, b)
}

export function xor<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.xor(a, b)
}

export function not<V>(o: ValueOps<V>, a: V): V {
  return o.not(a)
}

export function ishl<V>(o: ValueOps<V>, a: V, count: V): V {
  return o.shiftLeft(a, count)
}

export function ishr<V>(o: ValueOps<V>, a: V, count: V): V {
  return o.shiftRightArithmetic(a, count)
}

export function ushr<V>(o: ValueOps<V>, a: V, count: V): V {
  return o.shiftRightLogical(a, count)
}

export function countbits<V>(o: ValueOps<V>, a: V): V {
  return o.countBits(a)
}

/** Counted from bit 31 downwards, unlike the HLSL intrinsic, for which fxc adds a subtraction (22.11.5). */
export function firstbitHi<V>(o: ValueOps<V>, a: V): V {
  return o.select(a, o.countLeadingZeros(a), o.constant(0xffffffff))
}

export function firstbitLo<V>(o: ValueOps<V>, a: V): V {
  return o.select(a, o.countTrailingZeros(a), o.constant(0xffffffff))
}

/** The first bit unlike the sign bit, from bit 31 downwards; 0 and -1 have none. */
export function firstbitShi<V>(o: ValueOps<V>, a: V): V {
  return firstbitHi(o, o.xor(a, o.shiftRightArithmetic(a, o.constant(31))))
}

/** The low `width` bits set; none for width 0, and width has 5 bits, so never all 32. */
function lowBits<V>(o: ValueOps<V>, width: V): V {
  return o.i32Sub(o.shiftLeft(o.constant(1), width), o.constant(1))
}

/**
 * 22.11.11 has three cases. All are this one: where the field passes bit 31 the mask cuts nothing off, and width
 * 0 has an empty mask.
 */
export function ubfe<V>(o: ValueOps<V>, width: V, offset: V, a: V): V {
  return o.and(o.shiftRightLogical(a, offset), lowBits(o, width))
}

/** A field that passes bit 31 is cut off there and takes its sign from bit 31; width 0 gives 0 (22.11.6). */
export function ibfe<V>(o: ValueOps<V>, width: V, offset: V, a: V): V {
  const five = o.constant(31)
  const bits = o.constant(32)
  const w = o.and(width, five)
  const shift = o.and(offset, five)
  const end = o.i32Add(w, shift)
  const inside = o.i32Less(end, bits)
  const top = o.shiftLeft(a, o.and(inside, o.i32Sub(bits, end)))
  const field = o.shiftRightArithmetic(top, o.select(inside, o.i32Sub(bits, w), shift))
  return o.select(w, field, o.constant(0))
}

/** Bits of the field that pass bit 31 are lost (22.11.2). */
export function bfi<V>(o: ValueOps<V>, width: V, offset: V, field: V, base: V): V {
  const mask = o.shiftLeft(lowBits(o, width), offset)
  return o.or(o.and(o.shiftLeft(field, offset), mask), o.and(base, o.not(mask)))
}

/** Neighboring bits, pairs, nibbles, bytes and halves change places. */
export function bfrev<V>(o: ValueOps<V>, a: V): V {
  const exchange = (v: V, mask: number, distance: number): V => {
    const count = o.constant(distance)
    const low = o.constant(mask)
    return o.or(o.and(o.shiftRightLogical(v, count), low), o.shiftLeft(o.and(v, low), count))
  }
  let v = exchange(a, 0x55555555, 1)
  v = exchange(v, 0x33333333, 2)
  v = exchange(v, 0x0f0f0f0f, 4)
  v = exchange(v, 0x00ff00ff, 8)
  return o.or(o.shiftRightLogical(v, o.constant(16)), o.shiftLeft(v, o.constant(16)))
}
