import type { Pair, ValueOps } from './value-ops.ts'

/** Double arithmetic, comparisons and conversions (functional specification 22.14 to 22.17): IEEE, denormals kept. */

export function dadd<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): Pair<V> {
  return o.f64Add(a, b)
}

export function dmul<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): Pair<V> {
  return o.f64Mul(a, b)
}

export function ddiv<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): Pair<V> {
  return o.f64Div(a, b)
}

export function dfma<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>, c: Pair<V>): Pair<V> {
  return o.f64Fma(a, b, c)
}

export function drcp<V>(o: ValueOps<V>, a: Pair<V>): Pair<V> {
  return o.f64Div([o.constant(0), o.constant(0x3ff00000)], a)
}

export function selectPair<V>(o: ValueOps<V>, condition: V, a: Pair<V>, b: Pair<V>): Pair<V> {
  return [o.select(condition, a[0], b[0]), o.select(condition, a[1], b[1])]
}

/** A number wins over NaN, +0 over -0, as for float32 max. */
export function dmax<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): Pair<V> {
  const takeSecond = o.or(o.f64Less(a, b), o.not(o.f64Equal(a, a)))
  const chosen = selectPair(o, takeSecond, b, a)
  return [chosen[0], o.select(o.f64Equal(a, b), o.and(a[1], b[1]), chosen[1])]
}

/** A number wins over NaN, -0 over +0. */
export function dmin<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): Pair<V> {
  const takeSecond = o.or(o.f64Less(b, a), o.not(o.f64Equal(a, a)))
  const chosen = selectPair(o, takeSecond, b, a)
  return [chosen[0], o.select(o.f64Equal(a, b), o.or(a[1], b[1]), chosen[1])]
}

export function deq<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): V {
  return o.f64Equal(a, b)
}

export function dne<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): V {
  return o.not(o.f64Equal(a, b))
}

export function dlt<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): V {
  return o.f64Less(a, b)
}

export function dge<V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>): V {
  return o.f64LessEqual(b, a)
}

/** 22.17.1 leaves denormal results open but requires them as everywhere in float32, which is flushed. */
export function dtof<V>(o: ValueOps<V>, a: Pair<V>): V {
  return o.flushDenormal(o.f64ToF32(a))
}

/** Denormal sources flushed, as in dtof. */
export function ftod<V>(o: ValueOps<V>, a: V): Pair<V> {
  return o.f32ToF64(o.flushDenormal(a))
}

export function dtoi<V>(o: ValueOps<V>, a: Pair<V>): V {
  return o.f64ToI32(a)
}

export function dtou<V>(o: ValueOps<V>, a: Pair<V>): V {
  return o.f64ToU32(a)
}

export function itod<V>(o: ValueOps<V>, a: V): Pair<V> {
  return o.i32ToF64(a)
}

export function utod<V>(o: ValueOps<V>, a: V): Pair<V> {
  return o.u32ToF64(a)
}
