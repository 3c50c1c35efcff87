import type { Value } from '../lower/value.ts'
import type { Site } from './access.ts'
import { I32, V128 } from './assembler.ts'
import { type Emitter, PARAMETERS, RECORD, RECORD_WORDS } from './emitter.ts'
import { ATOMIC, OP, SIMD } from './opcodes.ts'

/**
 * Records of accesses that are out of bounds or misaligned: the code that leaves them stands behind a test that is nearly
 * never true. What Direct3D says about each is worked out from the record after the dispatch (findings.ts).
 */

/** The number of a site's record; the accesses of one statement share one. */
function recordOf(e: Emitter, site: Site, statement: number): number {
  const known = e.sites.findIndex((s) => s.statement === statement)
  if (known >= 0) return known
  return e.sites.push({ statement, address: site.address, last: site.last }) - 1
}

/** Stores the words of a record when it is the first, given its lanes' count and the first lane's number as locals. */
function store(
  e: Emitter,
  record: number,
  count: () => void,
  words: readonly [keyof typeof RECORD, () => void][],
): void {
  const { f } = e
  const at = e.reportOffset + record * RECORD_WORDS * 4
  f.get(PARAMETERS.descriptor)
  count()
  f.atomic(ATOMIC.add, at + RECORD.count * 4).op(OP.i32Eqz)
  f.if(() => {
    for (const [name, push] of words) {
      f.get(PARAMETERS.descriptor)
      push()
      f.memory(OP.i32Store, 2, at + RECORD[name] * 4)
    }
  })
}

const groupWords = (e: Emitter): [keyof typeof RECORD, () => void][] => [
  ['groupX', () => void e.f.get(e.group[0]!)],
  ['groupY', () => void e.f.get(e.group[1]!)],
  ['groupZ', () => void e.f.get(e.group[2]!)],
]

/** Lanes of part `i`: `bad` is a v128 local of those whose access is not what it should be. */
export function reportLanes(e: Emitter, site: Site, statement: number, i: number, bad: number): void {
  const { f } = e
  const record = recordOf(e, site, statement)
  const lane = f.temp(I32)
  /** The first lane's word of a value, by way of memory. */
  const word = (v: Value | undefined) => (): void => {
    if (v === undefined) {
      f.i32(0)
      return
    }
    const t = f.temp(V128)
    e.vector(v, i)
    f.set(t)
    f.get(e.dump).get(t).simdMemory(SIMD.store, 4)
    f.get(lane).i32(2).op(OP.i32Shl).get(e.dump).op(OP.i32Add).memory(OP.i32Load, 2)
    f.release(V128, t)
  }
  f.get(bad).simd(SIMD.anyTrue)
  f.if(() =>
    e.scope(() => {
      f.get(bad).simd(SIMD.i32Bitmask).op(OP.i32Ctz).set(lane)
      store(e, record, () => f.get(bad).simd(SIMD.i32Bitmask).op(OP.i32Popcnt), [
        ['index', word(site.address.index)],
        ['offset', word(site.address.offset)],
        [
          'thread',
          () =>
            f
              .get(e.firstThread)
              .i32(i * 4)
              .op(OP.i32Add)
              .get(lane)
              .op(OP.i32Add),
        ],
        ...groupWords(e),
      ])
    }),
  )
  f.release(I32, lane)
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
  f.if(() =>
    e.scope(() => {
      store(e, record, count, [
        ['index', () => (index === undefined ? void f.i32(0) : e.scalarI(index))],
        ['offset', () => e.scalarI(offset)],
        ['thread', () => void f.get(e.firstThread)],
        ...groupWords(e),
      ])
    }),
  )
}
