import { V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'

/**
 * Code that a host can pack: V8's revectorization turns two v128 operations of the same kind into one of 256 bits. It starts
 * at two neighboring stores and follows their operands up to loads, splats and constants; one operation on the way that it
 * cannot pack, and nothing of that tree is. So where lanes part or come together, values go through scratch memory: the
 * stores are where it may start, the loads where it may end.
 */

/** Words that exchange memory holds: the values of a store and the addresses of lanes. */
export const EXCHANGE_WORDS = 5
/** The word for addresses. */
export const ADDRESS_WORD = 4

export const exchangeAt = (e: Emitter, word: number, i: number): number =>
  e.settings.exchangeOffset + (word * e.width + i) * 16

/** Stores all parts at an address, one right after the other: what stands between two stores keeps them apart. */
export function storeParts(e: Emitter, address: number, offsets: readonly number[], push: (i: number) => void): void {
  const { f } = e
  if (!e.settings.pairs) {
    offsets.forEach((offset, i) => {
      f.get(address)
      push(i)
      f.simdMemory(SIMD.store, 2, offset)
    })
    return
  }
  const parts = offsets.map((_, i) => {
    const local = f.temp(V128)
    push(i)
    f.set(local)
    return local
  })
  parts.forEach((local, i) => void f.get(address).get(local).simdMemory(SIMD.store, 2, offsets[i]!))
  f.release(V128, ...parts)
}

/** Stores all parts of a word in exchange memory. */
export function putWord(e: Emitter, word: number, push: (i: number) => void): void {
  const offsets = Array.from({ length: e.width }, (_, i) => exchangeAt(e, word, i))
  storeParts(e, e.scratch, offsets, push)
}

/** Pushes part `i` of a word. */
export function pushWord(e: Emitter, word: number, i: number): void {
  e.f.get(e.scratch).simdMemory(SIMD.load, 4, exchangeAt(e, word, i))
}

/** Sends locals of all parts through memory, so that what made them need not be packed. */
export function passThroughMemory(e: Emitter, words: readonly (readonly number[])[]): void {
  words.forEach((locals, w) => {
    const word = w % EXCHANGE_WORDS
    putWord(e, word, (i) => void e.f.get(locals[i]!))
    locals.forEach((local, i) => {
      pushWord(e, word, i)
      e.f.set(local)
    })
  })
}

/**
 * The vector on the stack as it is, by an operation, so that a merge does not share it with another value. V8 13.6 moves a
 * vector that it spilled and that two merges take, one packed and one not, with 128 bits for both: the upper half is lost.
 */
export function ownVector(e: Emitter): void {
  if (!e.settings.pairs) return
  e.pushConstant(0)
  e.f.simd(SIMD.or)
}

/**
 * The vector on the stack as it is, by an operation that packing stops at: a lane set to itself joins two vectors made one
 * by one, where what made them would keep all that depends on them from being packed.
 */
export function endPacking(e: Emitter): void {
  const { f } = e
  const t = f.temp(V128)
  f.tee(t).get(t).lane(SIMD.f32Extract, 0).lane(SIMD.f32Replace, 0)
  f.release(V128, t)
}

/**
 * Pushes a vector of the word at the address on the stack, in all lanes. Where V8 13.6 packs two such loads, what is computed of them is
 * wrong (found by random frames that sample with derivatives; a small module alone is right): there it is a load of a scalar.
 */
export function loadSplat(e: Emitter, offset: number): void {
  const { f } = e
  if (e.settings.packsPairs) f.memory(OP.i32Load, 2, offset).simd(SIMD.i32Splat)
  else f.simdMemory(SIMD.load32Splat, 2, offset)
}
