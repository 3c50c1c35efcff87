import { type AccessAddress, constantOf, type EffectItem, isAlwaysValid, type Op, type Value } from '../../ir/index.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { F32 } from '../encode/writer.ts'
import { assertInside } from './assertions.ts'
import {
  fixedOffset,
  isAligned,
  isDwordwise,
  isUniformSite,
  pushBase,
  type Site,
  siteOf,
  staticOffset,
} from './bounds-check-site.ts'
import type { Emitter } from './emitter.ts'
import { extracted, type PartAddresses, partAddresses, quietAddresses, reportAddresses } from './lane-address.ts'
import { rarely } from './mask.ts'
import { addressPattern, firstAddress, lowestLane, waveCheck } from './pattern-address.ts'
import { scalarAddresses } from './scalar-address.ts'
import { transposeInto } from './transpose.ts'
import { loadSplat, passThroughMemory } from './vector-pairing.ts'

/** Loads of raw and structured memory. Lanes that are out of bounds read the zero page at address 0. */

type Load = Extract<EffectItem, { kind: 'load' }>

/** The double of two results that nothing else reads, in memory that programs of quads read alone. */
function wholeDouble(e: Emitter, item: Load, n: number): Value | undefined {
  const [low, high] = [item.results[n], item.results[n + 1]]
  if (low === undefined || high === undefined || item.address.space.kind !== 'batch') return undefined
  if (item.components[n + 1] !== item.components[n]! + 1) return undefined
  const [uses, more] = [e.uses.of(low), e.uses.of(high)]
  const pack = uses[0]?.user
  if (uses.length !== 1 || more.length !== 1 || pack?.op !== 'f64Pack') return undefined
  return pack.args[0] === low && pack.args[1] === high ? pack : undefined
}

/** Loads a double for all lanes into the locals that it has. */
function uniformDouble(e: Emitter, v: Value, address: number, offset: number): void {
  const { f } = e
  f.get(address)
  if (e.uses.of(v).some((u) => u.user === undefined || !e.isVarying(u.user))) {
    f.memory(OP.f64Load, 2, offset).set(e.scalarLocal(v))
    return
  }
  f.simdMemory(SIMD.load64Splat, 2, offset)
  const [first, ...rest] = e.vectorLocals(v)
  f.set(first!)
  for (const local of rest) f.get(first!).set(local)
}

/** Operations whose operands are vectors where their results are. */
const VECTORS_ALONE: ReadonlySet<Op> = new Set<Op>(['f32Add', 'f32Sub', 'f32Mul', 'f32Div'])
const DOUBLES_ALONE: ReadonlySet<Op> = new Set<Op>(['f64Add', 'f64Mul', 'f64Div'])

/** Whether all that uses a value are such operations with a result for each lane. */
function isVectorAlone(e: Emitter, v: Value, ops: ReadonlySet<Op>): boolean {
  const uses = e.uses.of(v)
  return uses.length > 0 && uses.every(({ user }) => user !== undefined && ops.has(user.op) && e.isVarying(user))
}

/**
 * Four words beside each other for all lanes, as one vector that is taken apart: a load of one word for all lanes takes two instructions
 * and an address. False where none of them is wanted so.
 */
function uniformVector(e: Emitter, item: Load, address: number, offset: number): boolean {
  const { f } = e
  const {
    results,
    components,
    address: { space },
  } = item
  if (space.kind !== 'batch' || space.readableWords !== 4 || components.length < 2 || e.settings.pairs) return false
  const doubles = results.map((_, n) => wholeDouble(e, item, n))
  const isWanted = results.map((r, n) => {
    const double = doubles[n]
    return double === undefined ? isVectorAlone(e, r, VECTORS_ALONE) : isVectorAlone(e, double, DOUBLES_ALONE)
  })
  if (!isWanted.includes(true)) return false
  const all = f.temp(V128)
  f.get(address).simdMemory(SIMD.load, 2, offset).set(all)
  results.forEach((r, n) => {
    const [double, at] = [doubles[n], components[n]!]
    if (n > 0 && doubles[n - 1] !== undefined) return
    if (!isWanted[n]) {
      if (double !== undefined) uniformDouble(e, double, address, offset + at * 4)
      else if (e.uses.of(r).length > 0) uniformWord(e, r, address, offset + at * 4)
      return
    }
    const locals = double === undefined ? [e.newSplat(r)] : e.vectorLocals(double)
    f.get(all).get(all)
    if (double === undefined) f.shuffle(at, at, at, at)
    else f.shuffle(at, at + 1, at, at + 1)
    f.set(locals[0]!)
    for (const local of locals.slice(1)) f.get(locals[0]!).set(local)
  })
  f.release(V128, all)
  return true
}

function uniformWord(e: Emitter, r: Value, address: number, offset: number): void {
  const { f } = e
  f.get(address)
  f.memory(e.scalarType(r) === F32 ? OP.f32Load : OP.i32Load, 2, offset).set(e.scalarLocal(r))
  e.splatEarly(r)
}

function uniformLoad(e: Emitter, item: Load, site: Site): void {
  const { f } = e
  const addresses = scalarAddresses(e, site, () => f.i32(0))
  if (uniformVector(e, item, addresses[0]!, fixedOffset(e, site))) {
    f.release(I32, ...new Set(addresses))
    return
  }
  const halves = new Set<Value>()
  item.results.forEach((r, n) => {
    const offset = item.components[n]! * 4 + fixedOffset(e, site)
    if (halves.has(r) || e.uses.of(r).length === 0) return
    const double = wholeDouble(e, item, n)
    if (double !== undefined) {
      halves.add(item.results[n + 1]!)
      uniformDouble(e, double, addresses[n]!, offset)
      return
    }
    if (e.isVarying(r)) {
      f.get(addresses[n]!)
      loadSplat(e, offset)
      const [first, ...rest] = e.vectorLocals(r)
      f.set(first!)
      for (const local of rest) f.get(first!).set(local)
      return
    }
    uniformWord(e, r, addresses[n]!, offset)
  })
  f.release(I32, ...new Set(addresses))
}

/** Loads two dwords from each of four addresses, and takes them apart. */
function loadPairs(e: Emitter, offset: number, targets: readonly number[], lane: (l: number) => number): void {
  const { f } = e
  const [low, high] = [0, 2].map((l) => {
    const row = f.temp(V128)
    const from = lane(l)
    f.simdMemory(SIMD.load64Zero, 2, from + offset).set(row)
    const next = lane(l + 1)
    f.get(row)
      .laneMemory(SIMD.load64Lane, 1, 2, next + offset)
      .set(row)
    return row
  }) as [number, number]
  f.get(low).get(high).shuffle(0, 2, 4, 6).set(targets[0]!)
  f.get(low).get(high).shuffle(1, 3, 5, 7).set(targets[1]!)
  f.release(V128, low, high)
}

/** Loads part `i` from addresses that `lane` pushes with an immediate offset, into the results' locals. */
function loadLanes(
  e: Emitter,
  components: readonly number[],
  targets: readonly number[],
  lane: (l: number) => number,
): void {
  const { f } = e
  const first = components[0]!
  const isNarrow = components[components.length - 1]! - first < 4
  if (isNeighbors(components) && !e.settings.pairs) {
    loadPairs(e, first * 4, targets, lane)
    return
  }
  if (components.length >= 2 && isNarrow) {
    const rows = [0, 1, 2, 3].map((l) => {
      const row = f.temp(V128)
      const offset = lane(l)
      f.simdMemory(SIMD.load, 2, offset + first * 4).set(row)
      return row
    })
    const wanted = [0, 1, 2, 3].map((c) => targets[components.indexOf(c + first)])
    transposeInto(e, rows, wanted)
    f.release(V128, ...rows)
    return
  }
  components.forEach((c, n) => {
    let offset = lane(0)
    f.simdMemory(SIMD.load32Zero, 2, offset + c * 4)
    const partial = f.temp(V128)
    f.set(partial)
    for (let l = 1; l < 4; l++) {
      // The host packs what ends in a lane set from a scalar, but not a load of a lane.
      if (e.settings.pairs && l === 3) {
        f.get(partial)
        offset = lane(l)
        f.memory(OP.i32Load, 2, offset + c * 4).lane(SIMD.i32Replace, l)
      } else {
        offset = lane(l)
        f.get(partial).laneMemory(SIMD.load32Lane, l, 2, offset + c * 4)
      }
      f.set(partial)
    }
    f.get(partial).set(targets[n]!)
    f.release(V128, partial)
  })
}

/** Loads by a static pattern from one scalar address. */
function patternLoad(e: Emitter, item: Load, site: Site, pattern: Int32Array): void {
  const { f } = e
  assertInside(e, site)
  const address = firstAddress(e, site.address)
  const deltas = lowestLane(e, address, pattern, staticOffset(site.address))
  for (let i = 0; i < e.width; i++) {
    const part = deltas.subarray(i * 4, i * 4 + 4)
    const targets = item.results.map((r) => e.vectorLocals(r)[i]!)
    const steps = [part[1]! - part[0]!, part[2]! - part[1]!, part[3]! - part[2]!]
    if (steps.every((s) => s === 0)) {
      item.components.forEach((c, n) => {
        f.get(address)
        loadSplat(e, part[0]! + c * 4)
        f.set(targets[n]!)
      })
    } else if (steps.every((s) => s === 4)) {
      item.components.forEach((c, n) => {
        f.get(address)
          .simdMemory(SIMD.load, 2, part[0]! + c * 4)
          .set(targets[n]!)
      })
    } else if (steps[0] === 8 && steps[2] === 8 && isNeighbors(item.components)) {
      const first = item.components[0]! * 4
      loadNeighbors(e, address, [part[0]! + first, part[2]! + first], targets)
    } else if (steps[0] === 4 && steps[2] === 4 && item.components.length === 1) {
      const c = item.components[0]! * 4
      loadTwoPairs(e, address, [part[0]! + c, part[2]! + c], targets[0]!)
    } else {
      loadLanes(e, item.components, targets, (l) => {
        f.get(address)
        return part[l]!
      })
    }
  }
  f.release(I32, address)
}

const isNeighbors = (components: readonly number[]): boolean =>
  components.length === 2 && components[1] === components[0]! + 1

/** A dword of each lane, those of lanes 0 and 1 beside each other, and those of 2 and 3. */
function loadTwoPairs(e: Emitter, address: number, [first, second]: readonly [number, number], target: number): void {
  const { f } = e
  const low = f.temp(V128)
  f.get(address).simdMemory(SIMD.load64Zero, 2, first).set(low)
  f.get(address).get(low).laneMemory(SIMD.load64Lane, 1, 2, second).set(target)
  f.release(V128, low)
}

/** Two dwords of each of four lanes, those of lanes 0 and 1 beside each other, and those of 2 and 3: two vectors, taken apart. */
function loadNeighbors(
  e: Emitter,
  address: number,
  offsets: readonly [number, number],
  targets: readonly number[],
): void {
  const { f } = e
  const rows = offsets.map((offset) => {
    const row = f.temp(V128)
    f.get(address).simdMemory(SIMD.load, 2, offset).set(row)
    return row
  })
  const [low, high] = rows as [number, number]
  f.get(low).get(high).shuffle(0, 2, 4, 6).set(targets[0]!)
  f.get(low).get(high).shuffle(1, 3, 5, 7).set(targets[1]!)
  f.release(V128, ...rows)
}

/** Loads by addresses in vectors. */
function gatherLoad(e: Emitter, item: Load, site: Site): void {
  // One dword that is loaded may stand before others that are only named: each has bounds of its own.
  if (!isDwordwise(e, site) || site.dwords.length === 1) {
    const all = item.components.map((_, n) => n)
    const addresses = partAddresses(e, site)
    for (let i = 0; i < e.width; i++) gatherPart(e, item, i, all, addresses(i), item.components)
    return
  }
  // Dwords are in bounds one by one.
  for (let i = 0; i < e.width; i++) {
    reportAddresses(e, site, i)
    item.components.forEach((c, n) => {
      gatherPart(e, item, i, [n], extracted(e, quietAddresses(e, site, i, c)), [0])
    })
  }
}

/** Loads dwords from addresses into the results `which`. */
function gatherPart(
  e: Emitter,
  item: Load,
  i: number,
  which: readonly number[],
  addresses: PartAddresses,
  dwords: readonly number[],
): void {
  const targets = which.map((n) => e.vectorLocals(item.results[n]!)[i]!)
  loadLanes(e, dwords, targets, (l) => {
    addresses.push(l)
    return 0
  })
  addresses.done()
}

/** All lanes of a raw access with several components are in bounds: the usual case of a computed address. */
function rawGather(e: Emitter, item: Load, site: Site): void {
  const { f } = e
  if (!isDwordwise(e, site) || site.components.length === 1) {
    gatherLoad(e, item, site)
    return
  }
  // Nothing is recorded here: the slow way looks at each dword.
  const addresses = Array.from({ length: e.width }, (_, i) => quietAddresses(e, site, i))
  addresses.forEach((a, i) => {
    f.get(a)
    e.pushConstant(0)
    f.simd(SIMD.i32Ne)
    if (i > 0) f.simd(SIMD.and)
    if (isAligned(e, site.address)) return
    e.vector(site.address.offset, i)
    e.pushConstant(3)
    f.simd(SIMD.and)
    e.pushConstant(0)
    f.simd(SIMD.i32Eq).simd(SIMD.and)
  })
  f.simd(SIMD.i32AllTrue)
  f.if(
    () =>
      e.scope(() => {
        addresses.forEach((a, i) => {
          const targets = item.results.map((r) => e.vectorLocals(r)[i]!)
          loadLanes(e, item.components, targets, (l) => {
            f.get(a).lane(SIMD.i32Extract, l)
            return 0
          })
        })
      }),
    () =>
      e.scope(() => {
        gatherLoad(e, item, site)
        joinByMemory(e, item)
      }),
  )
  f.release(V128, ...addresses)
}

/** Where slow code joins the quick, what it loaded comes out of memory once more, so that packing may end there. */
function joinByMemory(e: Emitter, item: Load): void {
  if (!e.settings.pairs) return
  const words = item.results.map((r) => e.vectorLocals(r))
  passThroughMemory(e, words)
}

/** Words of a table at an address that is the same in each quad, which a vector is: one address and no gathering. */
function quadLoad(e: Emitter, item: Load, site: Site): void {
  const { f } = e
  const { address } = item
  const at = f.temp(I32)
  const isUnpacked = address.index?.op === 'unpackQuads' && constantOf(address.offset) !== undefined
  for (const i of e.parts) {
    if (isUnpacked) {
      // The word of the quad as it is packed, without a vector for its lanes.
      e.vector(address.index!.args[0]!, 0)
      f.lane(SIMD.i32Extract, i).i32(address.stride).op(OP.i32Mul)
      pushBase(e, address)
      f.op(OP.i32Add).set(at)
    } else {
      const addresses = quietAddresses(e, site, i)
      f.get(addresses).lane(SIMD.i32Extract, 0).set(at)
      f.release(V128, addresses)
    }
    const offset = isUnpacked ? constantOf(address.offset)! : 0
    item.components.forEach((c, n) => {
      f.get(at)
      loadSplat(e, c * 4 + offset)
      f.set(e.vectorLocals(item.results[n]!)[i]!)
    })
  }
  f.release(I32, at)
}

/** Whether the lanes of each quad read the same dwords, all of them in bounds. */
export function isQuadSite(e: Emitter, address: AccessAddress): boolean {
  const { space, offset, index } = address
  if (space.kind !== 'mip-table' || !isAlwaysValid(address)) return false
  return [offset, index].every((v) => v === undefined || e.uniformity.isSameInQuads(v))
}

/** A load whose result is unused: only its bounds are checked. */
function probe(e: Emitter, site: Site): void {
  if (isUniformSite(e, site.address)) {
    e.f.release(I32, ...new Set(scalarAddresses(e, site, () => e.f.i32(0))))
    return
  }
  for (let i = 0; i < e.width; i++) reportAddresses(e, site, i)
}

export function emitLoad(e: Emitter, item: Load): void {
  const { f } = e
  const site = siteOf(item, item.components, item.dwords)
  if (item.components.length === 0) {
    probe(e, site)
    return
  }
  if (isUniformSite(e, item.address)) {
    uniformLoad(e, item, site)
    return
  }
  if (isQuadSite(e, item.address)) {
    quadLoad(e, item, site)
    return
  }
  const pattern = addressPattern(e, item.address)
  const check = pattern === undefined ? 'never' : waveCheck(e, site)
  if (pattern === undefined || check === 'never') {
    rawGather(e, item, site)
    return
  }
  for (const r of item.results) e.vectorLocals(r)
  if (check === undefined) {
    patternLoad(e, item, site, pattern)
    return
  }
  check()
  f.if(
    () => e.scope(() => patternLoad(e, item, site, pattern)),
    () =>
      rarely(e, () => {
        rawGather(e, item, site)
        joinByMemory(e, item)
      }),
  )
}
