import type { TexelValues, Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import {
  PARAMETERS,
  RECORD,
  RECORD_HEADER,
  RECORD_WORDS,
  type Reportable,
  type ReportSite,
  STOPPED,
} from '../emit/kernel-layout.ts'
import { I32 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'

/**
 * Records of what goes wrong. The code that leaves them stands behind a test that is nearly never true: plain stores and
 * no calls, which would cost every path of the function registers (blackscholes lost a third). A record counts lanes and
 * describes the first wave that was concerned; each worker has its own, so counts are exact. What Direct3D says about each
 * is worked out after the dispatch (findings.ts).
 */

/** Byte offset in scratch memory of the record of a site; sites of one item and reason are one, as often as it is emitted. */
function recordOffset(e: Emitter, site: ReportSite): number {
  let n = e.sites.findIndex((s) => s.item === site.item && s.what === site.what)
  if (n < 0) n = e.sites.push(site) - 1
  return e.settings.reportOffset + RECORD_HEADER + (n + 1) * RECORD_WORDS * 4
}

/** What a record holds of lanes: pushes of their bits, of the number of the first lane's thread, and of how many findings. */
interface Lanes {
  readonly bits: () => void
  readonly thread: () => void
  readonly count: () => void
  /** Pushes four lanes' words of a value. */
  readonly words: (v: Value) => void
  /** Pushes what is reported without a value: a limit and an address. */
  readonly reported?: readonly [limit: () => void, address: () => void]
}

/** What is reported of an address: for accesses the index of the structure and the byte offset, else a limit and the address. */
interface ReportedAddress {
  readonly index: Value | undefined
  readonly offset: Value
}

/** Coordinates of a texel, where a check names one. */
const texelValues = ({ what }: ReportSite): [keyof TexelValues, Value][] =>
  typeof what !== 'object' || what.texel === undefined
    ? []
    : (Object.entries(what.texel) as [keyof TexelValues, Value | undefined][]).flatMap(([name, v]) =>
        v === undefined ? [] : [[name, v]],
      )

function reportedAddressOf({ item, what }: ReportSite): ReportedAddress | undefined {
  if (typeof what === 'object') return { index: what.limit, offset: what.address }
  return 'address' in item ? item.address : undefined
}

/** A trap ends the dispatch where a finding is undefined; what nothing is bound to is not. */
function leaveTrapped(e: Emitter, { item, what }: ReportSite): void {
  if (!e.settings.traps) return
  const leave = (): void => e.leave(STOPPED.trap, item.statement)
  if (typeof what === 'object' || what === 'barrier') {
    if (what === 'barrier' || !what.defined) leave()
    return
  }
  const binding = item.kind === 'counter' ? item.binding : 'address' in item ? bindingOf(item) : undefined
  if (what === 'bounds' && binding !== undefined && !e.settings.returnsWord(item.statement)) return
  if (binding === undefined) {
    leave()
    return
  }
  e.pushDescriptor(binding, 'base')
  e.f.if(leave)
}

const bindingOf = ({ address: { space } }: Extract<Reportable, { address: object }>): number | undefined =>
  space.kind === 'buffer' ? space.binding : undefined

/** Stores what is reported of the first lanes that are concerned, to the address in a local. */
function storeFirst(e: Emitter, site: ReportSite, lanes: Lanes, record: number): void {
  const { f } = e
  const word = (name: keyof typeof RECORD, push: () => void): void => {
    f.get(record)
    push()
    f.memory(OP.i32Store, 2, RECORD[name] * 4)
  }
  const vector = (name: 'index' | 'offset' | keyof TexelValues, v: Value): void => {
    f.get(record)
    lanes.words(v)
    f.simdMemory(SIMD.store, 2, RECORD[name] * 4)
  }
  word('order', () => void f.get(PARAMETERS.scratch).memory(OP.i32Load, 2, e.settings.reportOffset))
  word('lanes', lanes.bits)
  word('thread', lanes.thread)
  word('groupX', () => void f.get(e.group[0]!))
  word('groupY', () => void f.get(e.group[1]!))
  word('groupZ', () => void f.get(e.group[2]!))
  const reported = reportedAddressOf(site)
  if (reported?.index !== undefined) vector('index', reported.index)
  if (reported !== undefined) vector('offset', reported.offset)
  for (const [name, v] of texelValues(site)) vector(name, v)
  if (lanes.reported === undefined) return
  word('index', lanes.reported[0])
  word('offset', lanes.reported[1])
}

/**
 * The record of some lanes, by stores alone: what is not the first finding of its place goes to a record that is never
 * read. A branch would cost the code around, which stands behind one already, registers (blackscholes). `any` pushes
 * whether there are such lanes.
 */
function leaveRecord(e: Emitter, site: ReportSite, lanes: Lanes, any: () => void): void {
  const { f } = e
  const at = recordOffset(e, site)
  const base = (): typeof f => f.get(PARAMETERS.scratch)
  const [isFirst, record] = [f.temp(I32), f.temp(I32)]
  base()
    .memory(OP.i64Load, 3, at + RECORD.count * 4)
    .op(OP.i64Eqz)
  any()
  f.op(OP.i32And).set(isFirst)
  base()
  base()
    .memory(OP.i32Load, 2, e.settings.reportOffset)
    .get(isFirst)
    .op(OP.i32Add)
    .memory(OP.i32Store, 2, e.settings.reportOffset)
  base().i32(at).op(OP.i32Add)
  base()
    .i32(e.settings.reportOffset + RECORD_HEADER)
    .op(OP.i32Add)
  f.get(isFirst).op(OP.select).set(record)
  storeFirst(e, site, lanes, record)
  base()
  base().memory(OP.i64Load, 3, at + RECORD.count * 4)
  lanes.count()
  f.op(OP.i64ExtendI32U)
    .op(OP.i64Add)
    .memory(OP.i64Store, 3, at + RECORD.count * 4)
  f.release(I32, isFirst, record)
}

/** Lanes of part `i`: `bad` is a v128 local of those to be reported of; `count` pushes the number of findings if not theirs. */
export function reportLanes(e: Emitter, site: ReportSite, i: number, bad: number, count?: () => void): void {
  const { f, fastPath } = e
  if (fastPath !== undefined) {
    f.get(bad).simd(SIMD.anyTrue).brIf(fastPath.failed)
    return
  }
  const lanes: Lanes = {
    bits: () => void f.get(bad).simd(SIMD.i32Bitmask),
    thread: () =>
      void f
        .get(e.firstThread)
        .i32(i * 4)
        .op(OP.i32Add),
    count: count ?? (() => void f.get(bad).simd(SIMD.i32Bitmask).op(OP.i32Popcnt)),
    words: (v) => e.vector(v, i),
  }
  const any = (): void => void f.get(bad).simd(SIMD.anyTrue)
  if (e.rare && !e.settings.traps) {
    leaveRecord(e, site, lanes, any)
    return
  }
  any()
  f.if(() =>
    e.scope(() => {
      leaveRecord(e, site, lanes, () => void f.i32(1))
      leaveTrapped(e, site)
    }),
  )
}

/** All active lanes of a wave alike, once or as often as `weight` pushes. Takes the condition from the stack. */
export function reportWave(e: Emitter, site: ReportSite, weight?: () => void): void {
  const { f, active, fastPath } = e
  if (fastPath !== undefined) {
    f.brIf(fastPath.failed)
    return
  }
  const bits = (): void => {
    if (active === 'full') f.i32(2 ** e.uniformity.lanes - 1)
    else
      active.forEach((m, i) => {
        f.get(m).simd(SIMD.i32Bitmask)
        if (i > 0)
          f.i32(i * 4)
            .op(OP.i32Shl)
            .op(OP.i32Or)
      })
  }
  f.if(() =>
    e.scope(() => {
      const lanes: Lanes = {
        bits,
        thread: () => void f.get(e.firstThread),
        count: () => {
          bits()
          f.op(OP.i32Popcnt)
          if (weight === undefined) return
          weight()
          f.op(OP.i32Mul)
        },
        words: (v) => {
          // What is wrong is so for the whole wave, though what is reported of it may differ by lane.
          e.vector(v, 0)
        },
      }
      leaveRecord(e, site, lanes, () => void f.i32(1))
      leaveTrapped(e, site)
    }),
  )
}

/** A barrier at which locals say how many lanes of the wave arrived, and how many it has; reported of its first thread. */
export function reportBarrier(
  e: Emitter,
  item: Extract<Reportable, { kind: 'barrier' }>,
  arrived: number,
  lanes: number,
): void {
  const { f } = e
  const site: ReportSite = { item, what: 'barrier' }
  const reported: Lanes = {
    bits: () => void f.i32(1),
    thread: () => void f.get(e.firstThread),
    count: () => void f.i32(1),
    words: () => {},
    reported: [() => void f.get(lanes), () => void f.get(arrived)],
  }
  leaveRecord(e, site, reported, () => void f.i32(1))
  leaveTrapped(e, site)
}
