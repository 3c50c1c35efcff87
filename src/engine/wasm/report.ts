import type { Site } from './access.ts'
import { FunctionAssembler, I32, V128 } from './assembler.ts'
import { type Emitter, PARAMETERS, RECORD, RECORD_WORDS } from './emitter.ts'
import { ATOMIC, OP, SIMD } from './opcodes.ts'
import type { FunctionBody } from './writer.ts'

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

/** Parameters of the function that records lanes, in order. */
const P = { record: 0, bad: 1, index: 2, offset: 3, thread: 4, groupX: 5, groupY: 6, groupZ: 7, dump: 8 } as const

/**
 * The function that records lanes: out of line, so that code that is nearly never run takes no registers from the rest.
 * `dump` is scratch memory through which a lane's word is taken from a vector.
 */
export function reportFunction(): FunctionBody {
  const f = new FunctionAssembler(Object.keys(P).length)
  const lane = f.local(I32)
  const word = (vector: number): void => {
    f.get(P.dump).get(vector).simdMemory(SIMD.store, 4)
    f.get(lane).i32(2).op(OP.i32Shl).get(P.dump).op(OP.i32Add).memory(OP.i32Load, 2)
  }
  const words: readonly [keyof typeof RECORD, () => void][] = [
    ['index', () => word(P.index)],
    ['offset', () => word(P.offset)],
    ['thread', () => void f.get(P.thread).get(lane).op(OP.i32Add)],
    ['groupX', () => void f.get(P.groupX)],
    ['groupY', () => void f.get(P.groupY)],
    ['groupZ', () => void f.get(P.groupZ)],
  ]
  f.get(P.bad).simd(SIMD.i32Bitmask).op(OP.i32Ctz).set(lane)
  f.get(P.record).get(P.bad).simd(SIMD.i32Bitmask).op(OP.i32Popcnt)
  f.atomic(ATOMIC.add, RECORD.count * 4).op(OP.i32Eqz)
  f.if(() => {
    for (const [name, push] of words) {
      f.get(P.record)
      push()
      f.memory(OP.i32Store, 2, RECORD[name] * 4)
    }
  })
  f.op(OP.end)
  const params = [I32, V128, V128, V128, I32, I32, I32, I32, I32] as const
  return { signature: { params, results: [] }, locals: f.locals, code: f.code.bytes(), exported: undefined }
}

/** Lanes of part `i`: `bad` is a v128 local of those whose access is not what it should be. */
export function reportLanes(e: Emitter, site: Site, statement: number, i: number, bad: number): void {
  const { f } = e
  const at = e.reportOffset + recordOf(e, site, statement) * RECORD_WORDS * 4
  f.get(bad).simd(SIMD.anyTrue)
  f.if(() =>
    e.scope(() => {
      f.get(PARAMETERS.descriptor).i32(at).op(OP.i32Add).get(bad)
      if (site.address.index === undefined) e.pushConstant(0)
      else e.vector(site.address.index, i)
      e.vector(site.address.offset, i)
      f.get(e.firstThread)
        .i32(i * 4)
        .op(OP.i32Add)
      for (const axis of e.group) f.get(axis)
      f.get(e.dump).call(e.reportFunction)
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
