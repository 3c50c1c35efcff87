import type { EffectItem, Value } from '../../ir/index.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { assertInside } from './assertions.ts'
import { fixedOffset, isDwordwise, isUniformSite, type Site, siteOf, staticOffset } from './bounds-check-site.ts'
import type { Emitter } from './emitter.ts'
import type { Mask } from './kernel-layout.ts'
import { type PartAddresses, partAddresses, quietAddresses, reportAddresses } from './lane-address.ts'
import { pushAllActive, pushAnyActive, rarely } from './mask.ts'
import { addressPattern, firstAddress, lowestLane, waveCheck } from './pattern-address.ts'
import { scalarAddresses } from './scalar-address.ts'
import { transposeInto } from './transpose.ts'
import { pushWord, putWord, storeParts } from './vector-pairing.ts'

/**
 * Stores to raw and structured memory. Lanes that are out of bounds or inactive write to a dump page in the wave's scratch
 * memory.
 */

type Store = Extract<EffectItem, { kind: 'store' }>

/** Bytes that a store of a word writes, as instructions: of a lane, and of a scalar. */
function storeOf({ bytes }: Store): { readonly lane: number; readonly scalar: number; readonly align: number } {
  if (bytes === 1) return { lane: SIMD.store8Lane, scalar: OP.i32Store8, align: 0 }
  if (bytes === 2) return { lane: SIMD.store16Lane, scalar: OP.i32Store16, align: 1 }
  return { lane: SIMD.store32Lane, scalar: OP.i32Store, align: 2 }
}

/** A lane of a vector as the instructions that store a part of it count. */
const partOfLane = ({ bytes }: Store, l: number): number => (l * 4) / (bytes ?? 4)

/** Stores part `i` of values to the addresses that `lane` pushes, in lane order. */
function storeLanes(e: Emitter, item: Store, values: readonly number[], lane: (l: number) => number): void {
  const { f } = e
  const { lane: opcode, align } = storeOf(item)
  if (values.length === 4) {
    const rows = [0, 1, 2, 3].map(() => f.temp(V128))
    transposeInto(e, values, rows)
    rows.forEach((row, l) => {
      const offset = lane(l)
      f.get(row).simdMemory(SIMD.store, 2, offset)
    })
    f.release(V128, ...rows)
    return
  }
  if (values.length === 2) {
    storeLanePairs(e, values, lane)
    return
  }
  for (let l = 0; l < 4; l++) {
    values.forEach((v, c) => {
      const offset = lane(l)
      f.get(v).laneMemory(opcode, partOfLane(item, l), align, offset + c * 4)
    })
  }
}

/** Two dwords of each lane in one store: lanes 0 and 1 beside each other, then 2 and 3. */
function storeLanePairs(e: Emitter, [a, b]: readonly number[], lane: (l: number) => number): void {
  const { f } = e
  const pairs = f.temp(V128)
  for (const half of [0, 2] as const) {
    f.get(a!)
      .get(b!)
      .shuffle(half, half + 4, half + 1, half + 5)
      .set(pairs)
    for (const l of [0, 1]) {
      const offset = lane(half + l)
      f.get(pairs).laneMemory(SIMD.store64Lane, l, 2, offset)
    }
  }
  f.release(V128, pairs)
}

/** Values that are stored lane by lane or by rows go through memory where the host packs pairs. */
function putValues(e: Emitter, values: readonly Value[]): void {
  if (e.settings.pairs) values.forEach((v, c) => void putWord(e, c, (i) => e.vector(v, i)))
}

/** Values of part `i`, which putValues had. */
function valueLocals(e: Emitter, values: readonly Value[], i: number): number[] {
  return values.map((v, c) => {
    const local = e.f.temp(V128)
    if (e.settings.pairs) pushWord(e, c, i)
    else e.vector(v, i)
    e.f.set(local)
    return local
  })
}

/** Lanes write one after the other. */
const isRow = ({ bytes }: Store, part: Int32Array): boolean =>
  bytes === undefined && [1, 2, 3].every((l) => part[l]! - part[l - 1]! === 4)

/** Lanes 0 and 1 write one after the other, and lanes 2 and 3. */
const areTwoRows = ({ bytes }: Store, part: Int32Array, step = 4): boolean =>
  bytes === undefined && part[1]! - part[0]! === step && part[3]! - part[2]! === step

/** Two dwords of each lane, by rows of two lanes: two vectors, put together. */
function storeNeighbors(e: Emitter, address: number, part: Int32Array, [a, b]: readonly number[]): void {
  const { f } = e
  f.get(address).get(a!).get(b!).shuffle(0, 4, 1, 5).simdMemory(SIMD.store, 2, part[0]!)
  f.get(address).get(a!).get(b!).shuffle(2, 6, 3, 7).simdMemory(SIMD.store, 2, part[2]!)
}

/** A dword of each lane, by rows of two lanes. */
function storeTwoPairs(e: Emitter, address: number, part: Int32Array, value: number): void {
  const { f } = e
  f.get(address).get(value).laneMemory(SIMD.store64Lane, 0, 2, part[0]!)
  f.get(address).get(value).laneMemory(SIMD.store64Lane, 1, 2, part[2]!)
}

function patternStore(e: Emitter, item: Store, site: Site, pattern: Int32Array): void {
  const { f } = e
  assertInside(e, site)
  const address = firstAddress(e, site.address)
  const deltas = lowestLane(e, address, pattern, staticOffset(site.address))
  const parts = Array.from({ length: e.width }, (_, i) => deltas.subarray(i * 4, i * 4 + 4))
  if (item.values.length === 1 && parts.every((part) => isRow(item, part))) {
    const starts = parts.map((part) => part[0]!)
    storeParts(e, address, starts, (i) => e.vector(item.values[0]!, i))
    f.release(I32, address)
    return
  }
  putValues(e, item.values)
  parts.forEach((part, i) => {
    const locals = valueLocals(e, item.values, i)
    if (item.values.length === 1 && isRow(item, part))
      f.get(address).get(locals[0]!).simdMemory(SIMD.store, 2, part[0]!)
    else if (item.values.length === 2 && areTwoRows(item, part, 8)) storeNeighbors(e, address, part, locals)
    else if (item.values.length === 1 && areTwoRows(item, part)) storeTwoPairs(e, address, part, locals[0]!)
    else {
      storeLanes(e, item, locals, (l) => {
        f.get(address)
        return part[l]!
      })
    }
    f.release(V128, ...locals)
  })
  f.release(I32, address)
}

/** Sends what must not be written to the dump page. */
function divert(e: Emitter, addresses: number, mask: Mask, i: number): void {
  const { f } = e
  f.get(addresses).get(e.dumpSplat)
  f.get(addresses)
  e.pushConstant(0)
  f.simd(SIMD.i32Ne)
  if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)
  f.simd(SIMD.bitselect).set(addresses)
}

/** Stores dwords that have addresses of their own: lanes one after the other, where what they write overlaps. */
function storeDwords(e: Emitter, values: readonly number[], addressesOf: (c: number) => number): void {
  const { f } = e
  const addresses = values.map((_, c) => addressesOf(c))
  for (let l = 0; l < 4; l++) {
    values.forEach((v, c) => {
      f.get(addresses[c]!).lane(SIMD.i32Extract, l).get(v).laneMemory(SIMD.store32Lane, l, 2)
    })
  }
  f.release(V128, ...addresses)
}

/** Stores lane by lane. */
function scatterStore(e: Emitter, item: Store, site: Site, mask: Mask): void {
  const isDwords = isDwordwise(e, site) && site.components.length > 1
  const scatter = (values: readonly number[], addresses: PartAddresses): void => {
    storeLanes(e, item, values, (l) => {
      addresses.push(l)
      return 0
    })
    addresses.done()
  }
  putValues(e, item.values)
  const addresses = isDwords ? undefined : partAddresses(e, site, (local, i) => divert(e, local, mask, i))
  for (let i = 0; i < e.width; i++) {
    const locals = valueLocals(e, item.values, i)
    if (addresses !== undefined) scatter(locals, addresses(i))
    else {
      // Dwords are in bounds one by one.
      reportAddresses(e, site, i)
      storeDwords(e, locals, (c) => {
        const dword = quietAddresses(e, site, i, c)
        divert(e, dword, mask, i)
        return dword
      })
    }
    e.f.release(V128, ...locals)
  }
}

export function emitStore(e: Emitter, item: Store, running: Mask): void {
  const { f } = e
  const { space } = item.address
  const mask = space.kind === 'batch' && space.everyLane ? 'full' : running
  const site = siteOf(
    item,
    item.values.map((_, c) => c),
  )
  const uniformValues = item.values.every((v) => !e.isVarying(v))
  if (isUniformSite(e, item.address) && uniformValues) {
    uniformStore(e, item, site, mask)
    return
  }
  const pattern = addressPattern(e, item.address)
  const check = pattern === undefined ? 'never' : waveCheck(e, site)
  if (pattern === undefined || check === 'never' || pattern.every((p) => p === 0)) {
    scatterStore(e, item, site, mask)
    return
  }
  const fast = (): void => e.scope(() => patternStore(e, item, site, pattern))
  const conditions: (() => void)[] = []
  if (check !== undefined) conditions.push(check)
  if (mask !== 'full') conditions.push(() => pushAllActive(e, mask))
  if (conditions.length === 0) {
    fast()
    return
  }
  conditions.forEach((push, n) => {
    push()
    if (n > 0) f.op(OP.i32And)
  })
  f.if(fast, () => rarely(e, () => scatterStore(e, item, site, mask)))
}

/**
 * The double of which a store writes both words, in memory that programs of quads read alone: they do not look at the bits of a NaN.
 */
function wholeDouble({ address, values }: Store, c: number): Value | undefined {
  const [low, high] = [values[c], values[c + 1]]
  if (address.space.kind !== 'batch' || low?.op !== 'f64Low' || high?.op !== 'f64High') return undefined
  return low.args[0] === high.args[0] ? low.args[0] : undefined
}

/** One store for all lanes: they write the same. */
function uniformStore(e: Emitter, item: Store, site: Site, mask: Mask): void {
  const { f } = e
  const { scalar, align } = storeOf(item)
  const write = (): void => {
    const addresses = scalarAddresses(e, site, () => f.get(e.dump))
    const halves = new Set<number>()
    item.values.forEach((v, c) => {
      if (halves.has(c)) return
      f.get(addresses[c]!)
      const double = wholeDouble(item, c)
      if (double !== undefined) {
        halves.add(c + 1)
        e.scalarD(double)
        f.memory(OP.f64Store, 2, c * 4 + fixedOffset(e, site))
        return
      }
      e.scalarI(v)
      f.memory(scalar, align, c * 4 + fixedOffset(e, site))
    })
    f.release(I32, ...new Set(addresses))
  }
  if (mask === 'full') write()
  else {
    pushAnyActive(e, mask)
    f.if(() => e.scope(write))
  }
}
