/**
 * One primitive operation over all lanes of a wave. `I` and `F` are the wave's columns as integers and as float32 over the
 * same bytes; `d`, `a`, `b`, `c` are the first elements of the destination and source columns, `n` the lanes. Lanes that
 * are not active are computed too, since every operation is total, and not written back.
 */
export type Kernel = (I: Int32Array, F: Float32Array, d: number, a: number, b: number, c: number, n: number) => void

const NAN_BITS = 0x7fc00000
const fround = Math.fround
/** Smallest normal float32: below it in magnitude stand denormals and zeros, which a product with 0 makes zeros. */
const SMALLEST = 2 ** -126

/** Number to lane functions of operations that are too rare to have a loop of their own. */
export function lanes1(f: (a: number) => number): Kernel {
  return (I, _F, d, a, _b, _c, n) => {
    for (let i = 0; i < n; i++) I[d + i] = f(I[a + i]!)
  }
}

export function lanes2(f: (a: number, b: number) => number): Kernel {
  return (I, _F, d, a, b, _c, n) => {
    for (let i = 0; i < n; i++) I[d + i] = f(I[a + i]!, I[b + i]!)
  }
}

export function lanes3(f: (a: number, b: number, c: number) => number): Kernel {
  return (I, _F, d, a, b, c, n) => {
    for (let i = 0; i < n; i++) I[d + i] = f(I[a + i]!, I[b + i]!, I[c + i]!)
  }
}

/** Kernels by the name of the operation in ValueOps. */
export const KERNELS = {
  flushDenormal(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) {
      const x = F[a + i]!
      // The bits are moved as integers: a NaN keeps its payload.
      I[d + i] = x < SMALLEST && x > -SMALLEST ? I[a + i]! & 0x80000000 : I[a + i]!
    }
  },
  select(I, _F, d, a, b, c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i] !== 0 ? I[b + i]! : I[c + i]!
  },
  f32Add(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = F[a + i]! + F[b + i]!
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Sub(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = F[a + i]! - F[b + i]!
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Mul(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = F[a + i]! * F[b + i]!
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Div(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = F[a + i]! / F[b + i]!
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Mad(I, F, d, a, b, c, n) {
    for (let i = 0; i < n; i++) {
      const r = fround(F[a + i]! * F[b + i]!) + F[c + i]!
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Sqrt(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = Math.sqrt(F[a + i]!)
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Floor(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = Math.floor(F[a + i]!)
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Ceil(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = Math.ceil(F[a + i]!)
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Trunc(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) {
      const r = Math.trunc(F[a + i]!)
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Equal(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = F[a + i] === F[b + i] ? -1 : 0
  },
  f32Less(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = F[a + i]! < F[b + i]! ? -1 : 0
  },
  f32LessEqual(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = F[a + i]! <= F[b + i]! ? -1 : 0
  },
  i32Add(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = (I[a + i]! + I[b + i]!) | 0
  },
  i32Sub(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = (I[a + i]! - I[b + i]!) | 0
  },
  i32Mul(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = Math.imul(I[a + i]!, I[b + i]!)
  },
  i32Equal(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i] === I[b + i] ? -1 : 0
  },
  i32Less(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! < I[b + i]! ? -1 : 0
  },
  u32Less(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! >>> 0 < I[b + i]! >>> 0 ? -1 : 0
  },
  and(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! & I[b + i]!
  },
  or(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! | I[b + i]!
  },
  xor(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! ^ I[b + i]!
  },
  not(I, _F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = ~I[a + i]!
  },
  shiftLeft(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! << I[b + i]!
  },
  shiftRightLogical(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! >>> I[b + i]!
  },
  shiftRightArithmetic(I, _F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]! >> I[b + i]!
  },
  i32ToF32(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) F[d + i] = I[a + i]!
  },
  u32ToF32(I, F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) F[d + i] = I[a + i]! >>> 0
  },
  copy(I, _F, d, a, _b, _c, n) {
    for (let i = 0; i < n; i++) I[d + i] = I[a + i]!
  },
} satisfies Readonly<Record<string, Kernel>>

/**
 * Arithmetic that flushes denormals of its operands and of its result: what the recorder makes of an operation between
 * flushes. Names as in KERNELS.
 */
export const FLUSHING_KERNELS = {
  f32Add(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x *= 0
      if (y < SMALLEST && y > -SMALLEST) y *= 0
      let r = fround(x + y)
      if (r < SMALLEST && r > -SMALLEST) r *= 0
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Sub(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x *= 0
      if (y < SMALLEST && y > -SMALLEST) y *= 0
      let r = fround(x - y)
      if (r < SMALLEST && r > -SMALLEST) r *= 0
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Mul(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x *= 0
      if (y < SMALLEST && y > -SMALLEST) y *= 0
      let r = fround(x * y)
      if (r < SMALLEST && r > -SMALLEST) r *= 0
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Div(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x *= 0
      if (y < SMALLEST && y > -SMALLEST) y *= 0
      let r = fround(x / y)
      if (r < SMALLEST && r > -SMALLEST) r *= 0
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
  f32Mad(I, F, d, a, b, c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      let z = F[c + i]!
      if (x < SMALLEST && x > -SMALLEST) x *= 0
      if (y < SMALLEST && y > -SMALLEST) y *= 0
      if (z < SMALLEST && z > -SMALLEST) z *= 0
      let r = fround(fround(x * y) + z)
      if (r < SMALLEST && r > -SMALLEST) r *= 0
      F[d + i] = r
      if (Number.isNaN(r)) I[d + i] = NAN_BITS
    }
  },
} satisfies Readonly<Record<string, Kernel>>

/** Comparisons that flush their operands. */
export const FLUSHING_COMPARISONS = {
  f32Equal(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x = 0
      if (y < SMALLEST && y > -SMALLEST) y = 0
      I[d + i] = x === y ? -1 : 0
    }
  },
  f32Less(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x = 0
      if (y < SMALLEST && y > -SMALLEST) y = 0
      I[d + i] = x < y ? -1 : 0
    }
  },
  f32LessEqual(I, F, d, a, b, _c, n) {
    for (let i = 0; i < n; i++) {
      let x = F[a + i]!
      let y = F[b + i]!
      if (x < SMALLEST && x > -SMALLEST) x = 0
      if (y < SMALLEST && y > -SMALLEST) y = 0
      I[d + i] = x <= y ? -1 : 0
    }
  },
} satisfies Readonly<Record<string, Kernel>>
