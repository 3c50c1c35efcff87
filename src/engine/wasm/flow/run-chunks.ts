import { appendAll } from '../../../diagnostic/index.ts'
import type { Value } from '../../ir/index.ts'
import { COSTS } from './costs.ts'

/**
 * Cuts a run of operations of lanes into chunks, and puts the chunks in an order in which a processor finds work to do: what only prepares operands
 * of the longest chains stands by itself and comes first, and chains that do not need each other advance in turns. A host orders the
 * operations of a block as it likes, so that the order of chunks, each in a block, is the only one that is sure to last.
 */

/** Cycles after which each value can be ready. */
function readyTimes(values: readonly Value[]): ReadonlyMap<Value, number> {
  const ready = new Map<Value, number>()
  for (const v of values) {
    const begin = v.args.reduce((t, a) => Math.max(t, ready.get(a) ?? 0), 0)
    ready.set(v, begin + COSTS.latency[v.op])
  }
  return ready
}

/** The longest chain of values of which each waits for the one before. */
function longestChain(values: readonly Value[]): readonly Value[] {
  const ready = readyTimes(values)
  const latest = (some: readonly Value[]): Value | undefined => {
    let found: Value | undefined
    for (const v of some) if (found === undefined || (ready.get(v) ?? 0) > (ready.get(found) ?? 0)) found = v
    return found !== undefined && ready.has(found) ? found : undefined
  }
  const chain: Value[] = []
  for (let v = latest(values); v !== undefined; v = latest(v.args)) chain.push(v)
  return chain.reverse()
}

/** How many of some values are alive behind each of them. */
function aliveBehind(values: readonly Value[]): number[] {
  const places = new Map<Value, number>()
  const last: number[] = []
  for (let n = 0; n < values.length; n++) {
    const v = values[n]!
    for (let i = 0; i < v.args.length; i++) {
      const from = places.get(v.args[i]!)
      if (from !== undefined) last[from] = n
    }
    places.set(v, n)
    last.push(n)
  }
  const changes = new Int32Array(values.length)
  last.forEach((end, n) => {
    changes[n]!++
    changes[end]!--
  })
  let alive = 0
  return values.map((_, n) => {
    alive += changes[n]!
    return alive
  })
}

type Chunk = readonly Value[]

/** Operations of values, flushes aside: where speculation holds, they are none. */
const operations = (values: Chunk): number => values.filter((v) => v.op !== 'flushDenormal').length

/** Values in their order as chunks that end where few are alive, about `size` operations apart. */
function cut(values: Chunk, size: number): Chunk[] {
  const alive = aliveBehind(values)
  const chunks: Chunk[] = []
  let from = 0
  for (let left = operations(values); left > size * 1.5; left -= operations(chunks.at(-1)!)) {
    let best: number | undefined
    for (let [n, count] = [from, 0]; count < size * 1.5; n++) {
      if (values[n]!.op !== 'flushDenormal') count++
      if (count > size / 2 && (best === undefined || alive[n]! <= alive[best]!)) best = n
    }
    chunks.push(values.slice(from, best! + 1))
    from = best! + 1
  }
  return values.length === from ? chunks : [...chunks, values.slice(from)]
}

/** The values among `places` that a value needs and that are not placed yet, in the order of the run. */
function neededBy(v: Value, places: ReadonlyMap<Value, number>, placed: ReadonlySet<Value>): Value[] {
  const needed = new Set<Value>()
  const stack = [...v.args]
  for (let x = stack.pop(); x !== undefined; x = stack.pop()) {
    if (needed.has(x) || placed.has(x) || !places.has(x)) continue
    needed.add(x)
    appendAll(stack, x.args)
  }
  return [...needed].sort((a, b) => places.get(a)! - places.get(b)!)
}

/** Chunks of the longest chain and, before each value of it, of what else that value needs. */
function cutByChains(values: Chunk, size: number): Chunk[] {
  const places = new Map(values.map((v, n) => [v, n]))
  const placed = new Set<Value>()
  const chunks: Chunk[] = []
  let chain: Value[] = []
  const endChain = (): void => {
    appendAll(chunks, cut(chain, size))
    chain = []
  }
  const place = (v: Value): void => {
    const before = neededBy(v, places, placed)
    for (const x of [...before, v]) placed.add(x)
    if (operations(before) < size / 2) appendAll(chain, before)
    else {
      const open = new Set(chain)
      if (before.some((x) => x.args.some((a) => open.has(a)))) endChain()
      appendAll(chunks, operations(before) > size * 1.5 ? cutByChains(before, size) : [before])
    }
    chain.push(v)
  }
  for (const v of longestChain(values)) place(v)
  // What is left is needed behind the run alone: the last of it need all others.
  for (const v of values.toReversed()) if (!placed.has(v)) place(v)
  endChain()
  return chunks
}

interface Dependences {
  /** By chunk, how many others it needs. */
  readonly missing: number[]
  /** By chunk, which others need it. */
  readonly needing: readonly number[][]
  /** By chunk, cycles after which what it needs can be ready. */
  readonly begins: readonly number[]
}

function dependencesOf(values: Chunk, chunks: readonly Chunk[]): Dependences {
  const ready = readyTimes(values)
  const owner = new Map<Value, number>()
  chunks.forEach((chunk, n) => {
    for (const v of chunk) owner.set(v, n)
  })
  const needing: number[][] = chunks.map(() => [])
  const begins: number[] = []
  const missing = chunks.map((chunk, n) => {
    const others = new Set<number>()
    let begin = 0
    for (const v of chunk) {
      for (let i = 0; i < v.args.length; i++) {
        const other = owner.get(v.args[i]!)
        if (other === undefined || other === n) continue
        others.add(other)
        begin = Math.max(begin, ready.get(v.args[i]!)!)
      }
    }
    for (const other of others) needing[other]!.push(n)
    begins.push(begin)
    return others.size
  })
  return { missing, needing, begins }
}

/** Chunks in an order in which those that can begin earlier come first. */
function inTurns(values: Chunk, chunks: readonly Chunk[]): Chunk[] {
  const { missing, needing, begins } = dependencesOf(values, chunks)
  const able = [...chunks.keys()].filter((n) => missing[n] === 0)
  const ordered: Chunk[] = []
  while (able.length > 0) {
    let first = 0
    for (let i = 1; i < able.length; i++) {
      const earlier = begins[able[i]!]! - begins[able[first]!]!
      if (earlier < 0 || (earlier === 0 && able[i]! < able[first]!)) first = i
    }
    const [next] = able.splice(first, 1)
    ordered.push(chunks[next!]!)
    for (const n of needing[next!]!) if (--missing[n]! === 0) able.push(n)
  }
  if (ordered.length < chunks.length) throw new Error('Chunks of a run need each other')
  return ordered
}

interface KnownChunks {
  readonly values: Chunk
  readonly size: number
  readonly chunks: readonly Chunk[]
}

/** The last chunks of runs, by their first values: code with and without flushes is made of the same runs. */
const KNOWN = new WeakMap<Value, KnownChunks>()

/** The chunks of a run, of about `size` operations each, in an order in which they can be computed. */
export function runChunks(values: Chunk, size: number): readonly Chunk[] {
  const [first] = values
  const known = first === undefined ? undefined : KNOWN.get(first)
  const isKnown = known?.size === size && known.values.length === values.length
  if (isKnown && known.values.every((v, n) => v === values[n])) return known.chunks
  const chunks = inTurns(values, cutByChains(values, size))
  if (first !== undefined) KNOWN.set(first, { values, size, chunks })
  return chunks
}
