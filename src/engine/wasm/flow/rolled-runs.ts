import { OPS, type Op, type Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import { PARAMETERS } from '../emit/kernel-layout.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { runChunks } from './run-chunks.ts'
import { emitCheck } from './speculation.ts'

/**
 * Long runs of operations of lanes outside of loops, as a loop over the vectors of the wave, so that their code is there once: what they
 * read and what is read of them goes through scratch memory.
 */

/** Operations of lanes from which a run is emitted so. */
export const MIN_ROLLED = 256
/** Words of a wave that a run may read and leave. */
export const RUN_WORDS = 64

/** Operations whose result for one vector needs others, or the number of the vector. */
const OF_ALL_VECTORS: ReadonlySet<Op> = new Set<Op>(['packQuads', 'unpackQuads', 'threadInGroup', 'input'])

/** Whether a value is computed for one vector from values of that vector, or for the wave from values of the wave. */
export function isOfOneVector(e: Emitter, v: Value): boolean {
  if (OF_ALL_VECTORS.has(v.op) || OPS[v.op].isOfWave) return false
  if (v.double) return false
  const isVarying = e.isVarying(v)
  for (let i = 0; i < v.args.length; i++) {
    const a = v.args[i]!
    if (a.double || (!isVarying && e.isVarying(a))) return false
  }
  return !isVarying || !e.isPacked(v)
}

/** Whether a value is read by more than `inside`. */
function isUsedOutside(e: Emitter, v: Value, inside: Pick<ReadonlySet<Value>, 'has'>): boolean {
  if (e.settings.mustHold.has(v)) return true
  const uses = e.uses.of(v)
  for (let n = 0; n < uses.length; n++) {
    const { user } = uses[n]!
    if (user === undefined || !inside.has(user)) return true
  }
  return false
}

/** Makes a value available, and folds it into the minima where it is checked. */
export function define(e: Emitter, v: Value): void {
  e.define(v, v.region)
  emitCheck(e, v)
}

interface Words {
  /** Values of lanes from outside that the run reads. */
  readonly read: readonly Value[]
  /** Values of the run that are read outside. */
  readonly made: readonly Value[]
}

/**
 * Adds the values from outside that a value reads, through those that are emitted where they are used; false where one of these is not of
 * one vector.
 */
function findRead(e: Emitter, v: Value, inside: ReadonlySet<Value>, read: Set<Value>): boolean {
  for (let i = 0; i < v.args.length; i++) {
    const a = v.args[i]!
    if (inside.has(a) || a.op === 'constant' || !e.isVarying(a)) continue
    if (e.hasVector(a)) {
      if (e.isPacked(a)) return false
      read.add(a)
    } else if (!isOfOneVector(e, a) || !findRead(e, a, inside, read)) return false
  }
  return true
}

/** What a run reads and leaves; undefined where it cannot be emitted for any vector. */
function wordsOf(e: Emitter, lanes: readonly Value[]): Words | undefined {
  const inside = new Set(lanes)
  const read = new Set<Value>()
  if (!lanes.every((v) => findRead(e, v, inside, read))) return undefined
  const made = lanes.filter((v) => isUsedOutside(e, v, inside))
  return read.size + made.length <= RUN_WORDS ? { read: [...read], made } : undefined
}

/** The last chunk of a run that reads a value; undefined where something else does, too. */
function lastReader(e: Emitter, v: Value, chunkOf: ReadonlyMap<Value, number>): number | undefined {
  if (isUsedOutside(e, v, chunkOf)) return undefined
  const uses = e.uses.of(v)
  let last = chunkOf.get(v)!
  for (let n = 0; n < uses.length; n++) last = Math.max(last, chunkOf.get(uses[n]!.user!)!)
  return last
}

/** Emits the chunks of a run in their order; locals of values that nothing reads after a chunk go to those after it. */
export function emitChunks(
  e: Emitter,
  chunks: readonly (readonly Value[])[],
  emit: (chunk: readonly Value[], outputs: readonly Value[]) => void,
): void {
  const chunkOf = new Map<Value, number>()
  for (let n = 0; n < chunks.length; n++) for (const v of chunks[n]!) chunkOf.set(v, n)
  const ended: Value[][] = chunks.map(() => [])
  for (let n = 0; n < chunks.length; n++) {
    const outputs: Value[] = []
    for (const v of chunks[n]!) {
      const last = lastReader(e, v, chunkOf)
      if (last !== n) outputs.push(v)
      if (last === undefined) continue
      e.vectors.limit(v, last === n ? 'part' : 'run')
      ended[last]!.push(v)
    }
    e.hold(outputs)
    emit(chunks[n]!, outputs)
    e.vectors.end(ended[n]!)
  }
}

/** One chunk for any vector, behind a branch that is always taken, which the host does not know. */
function emitRolledChunk(e: Emitter, chunk: readonly Value[], outputs: readonly Value[]): void {
  const { f } = e
  for (const v of outputs) {
    e.pushConstant(0)
    f.set(e.vectorLocals(v)[0]!)
  }
  e.again(outputs)
  f.block((end) => {
    f.get(e.scratch).op(OP.i32Eqz).brIf(end)
    e.scope(() => {
      for (const v of chunk) define(e, v)
    })
  })
}

/** Emits the values of lanes of a run as a loop; false where that cannot be. Vectors without a lane that runs are computed as the others are. */
export function emitRolledRun(e: Emitter, lanes: readonly Value[], size: number): boolean {
  const { f } = e
  const words = wordsOf(e, lanes)
  if (words === undefined) return false
  const { read, made } = words
  const offset = (word: number, i = 0): number => e.settings.runOffset + (word * e.width + i) * 16
  for (const [word, v] of read.entries()) {
    for (const [i, local] of e.vectors.read(v).entries()) {
      f.get(PARAMETERS.scratch).get(local).simdMemory(SIMD.store, 4, offset(word, i))
    }
  }
  e.hold(made)
  const own = new Map(read.map((v) => [v, f.temp(V128)]))
  const [at, left] = [f.local(I32), f.local(I32)]
  f.get(PARAMETERS.scratch).set(at).i32(e.width).set(left)
  f.loop((again) => {
    for (const [word, local] of [...own.values()].entries()) {
      f.get(at).simdMemory(SIMD.load, 4, offset(word)).set(local)
    }
    e.forAnyVector(own, () => {
      emitChunks(e, runChunks(lanes, size), (chunk, outputs) => emitRolledChunk(e, chunk, outputs))
      for (const [n, v] of made.entries()) {
        f.get(at)
        e.vector(v, 0)
        f.simdMemory(SIMD.store, 4, offset(read.length + n))
      }
    })
    f.get(at).i32(16).op(OP.i32Add).set(at)
    f.get(left).i32(1).op(OP.i32Sub).tee(left).brIf(again)
  })
  for (const [n, v] of made.entries()) {
    for (const [i, local] of e.vectorLocals(v).entries()) {
      f.get(PARAMETERS.scratch)
        .simdMemory(SIMD.load, 4, offset(read.length + n, i))
        .set(local)
    }
  }
  return true
}
