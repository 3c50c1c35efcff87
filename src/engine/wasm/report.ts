import type { Value } from '../lower/value.ts'
import { type Emitter, PARAMETERS, RECORD, RECORD_WORDS } from './emitter.ts'
import { OP, SIMD } from './opcodes.ts'
import type { Site } from './site.ts'

/**
 * Records of accesses that are out of bounds or misaligned: the code that leaves them stands behind a test that is nearly
 * never true. Plain stores and no calls: either costs every path of the function registers (blackscholes lost a third).
 * So the last wave wins, and counts may miss some when several workers meet. What Direct3D says about each is worked out
 * from the record after the dispatch (findings.ts).
 */

/** The number of a site's record; the accesses of one statement share one. */
function recordOf(e: Emitter, site: Site, statement: number): number {
  const known = e.sites.findIndex((s) => s.statement === statement)
  if (known >= 0) return known
  return e.sites.push({ statement, address: site.address, last: site.last }) - 1
}

const groupWords = (e: Emitter): [keyof typeof RECORD, () => void][] => [
  ['groupX', () => void e.f.get(e.group[0]!)],
  ['groupY', () => void e.f.get(e.group[1]!)],
  ['groupZ', () => void e.f.get(e.group[2]!)],
]

/**
 * The stores of a record without a branch, where the code around is behind one already: what no lane of `bad` concerns
 * stays as it is.
 */
function storeBlended(e: Emitter, site: Site, i: number, bad: number, at: number): void {
  const { f } = e
  const base = (): void => void f.get(PARAMETERS.descriptor)
  const word = (name: keyof typeof RECORD, push: () => void): void => {
    base()
    push()
    base()
    f.memory(OP.i32Load, 2, at + RECORD[name] * 4)
    f.get(bad).simd(SIMD.anyTrue).op(OP.select)
    f.memory(OP.i32Store, 2, at + RECORD[name] * 4)
  }
  const lanes = (name: keyof typeof RECORD, v: Value): void => {
    base()
    e.vector(v, i)
    base()
    f.simdMemory(SIMD.load, 2, at + RECORD[name] * 4)
    f.get(bad).simd(SIMD.bitselect)
    f.simdMemory(SIMD.store, 2, at + RECORD[name] * 4)
  }
  base()
  base()
  f.memory(OP.i32Load, 2, at + RECORD.count * 4).get(bad)
  f.simd(SIMD.i32Bitmask)
    .op(OP.i32Popcnt)
    .op(OP.i32Add)
    .memory(OP.i32Store, 2, at + RECORD.count * 4)
  word('lanes', () => void f.get(bad).simd(SIMD.i32Bitmask))
  word(
    'thread',
    () =>
      void f
        .get(e.firstThread)
        .i32(i * 4)
        .op(OP.i32Add),
  )
  for (const [name, push] of groupWords(e)) word(name, push)
  if (site.address.index !== undefined) lanes('index', site.address.index)
  lanes('offset', site.address.offset)
}

/** Lanes of part `i`: `bad` is a v128 local of those whose access is not what it should be. */
export function reportLanes(e: Emitter, site: Site, statement: number, i: number, bad: number): void {
  const { f } = e
  const at = e.reportOffset + recordOf(e, site, statement) * RECORD_WORDS * 4
  if (e.rare) {
    storeBlended(e, site, i, bad, at)
    return
  }
  f.get(bad).simd(SIMD.anyTrue)
  f.if(() =>
    e.scope(() => {
      const word = (name: keyof typeof RECORD, push: () => void): void => {
        f.get(PARAMETERS.descriptor)
        push()
        f.memory(OP.i32Store, 2, at + RECORD[name] * 4)
      }
      const lanes = (name: keyof typeof RECORD, push: () => void): void => {
        f.get(PARAMETERS.descriptor)
        push()
        f.simdMemory(SIMD.store, 2, at + RECORD[name] * 4)
      }
      word('count', () => {
        f.get(PARAMETERS.descriptor)
          .memory(OP.i32Load, 2, at + RECORD.count * 4)
          .get(bad)
        f.simd(SIMD.i32Bitmask).op(OP.i32Popcnt).op(OP.i32Add)
      })
      word('lanes', () => void f.get(bad).simd(SIMD.i32Bitmask))
      word(
        'thread',
        () =>
          void f
            .get(e.firstThread)
            .i32(i * 4)
            .op(OP.i32Add),
      )
      for (const [name, push] of groupWords(e)) word(name, push)
      const { index, offset } = site.address
      if (index !== undefined) lanes('index', () => e.vector(index, i))
      lanes('offset', () => e.vector(offset, i))
    }),
  )
}

/** All active lanes of a wave alike; takes the condition from the stack. */
export function reportWave(e: Emitter, site: Site, statement: number): void {
  const { f, active } = e
  if (active === 'none') {
    f.op(OP.drop)
    return
  }
  const record = recordOf(e, site, statement)
  const count = (): void => {
    if (active === 'full') {
      f.i32(e.uniformity.lanes)
      return
    }
    active.forEach((m, i) => {
      f.get(m).simd(SIMD.i32Bitmask).op(OP.i32Popcnt)
      if (i > 0) f.op(OP.i32Add)
    })
  }
  const { index, offset } = site.address
  const at = e.reportOffset + record * RECORD_WORDS * 4
  f.if(() =>
    e.scope(() => {
      const word = (name: keyof typeof RECORD, push: () => void): void => {
        f.get(PARAMETERS.descriptor)
        push()
        f.memory(OP.i32Store, 2, at + RECORD[name] * 4)
      }
      word('count', () => {
        f.get(PARAMETERS.descriptor).memory(OP.i32Load, 2, at + RECORD.count * 4)
        count()
        f.op(OP.i32Add)
      })
      word('lanes', () => void f.i32(1))
      word('thread', () => void f.get(e.firstThread))
      for (const [name, push] of groupWords(e)) word(name, push)
      if (index !== undefined) word('index', () => e.scalarI(index))
      word('offset', () => e.scalarI(offset))
    }),
  )
}
