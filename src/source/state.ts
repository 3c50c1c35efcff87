import type { RegisterFileName } from '../isa/index.ts'
import type { MemoryAddress, MemoryFile, WordPlace } from './model.ts'

/**
 * A moment of a run, as expressions and trees of values read it. Lanes have numbers that the reader chooses: threads of
 * the group (vThreadIDInGroupFlattened), invocations of a batch. Words are 32 bits, signed or not.
 */
export interface ValueState {
  /** The lanes that exist at this moment, ascending: those `@*` stands for. */
  lanes(): readonly number[]
  /**
   * The statement that a lane executes next; undefined where it has ended. Variables of other lanes (`x@17`) are looked up
   * there; where the reader leaves it out, at the statement of the expression.
   */
  statementOf?(lane: number): number | undefined
  /** A component of a register; `indices` are those of an operand. Undefined: there is no such register. */
  readRegister(lane: number, file: RegisterFileName, indices: readonly number[], component: number): number | undefined
  /** Why the word at a place has no value of its own, in a word or two; undefined where it has one, or where that was not followed. */
  noValue?(lane: number, place: WordPlace): string | undefined
  /** A word of a bound view or of shared memory; undefined outside of it, or where nothing is bound. */
  readMemory(file: MemoryFile, indices: readonly number[], address: MemoryAddress): number | undefined
}

/** The word at a place for a lane, signed: equal bits are equal numbers. */
export function readPlace(state: ValueState, lane: number, place: WordPlace): number | undefined {
  const word = wordAt(state, lane, place)
  return word === undefined ? undefined : word | 0
}

function wordAt(state: ValueState, lane: number, place: WordPlace): number | undefined {
  switch (place.kind) {
    case 'literal':
      return place.bits
    case 'register':
      return state.readRegister(lane, place.file, place.indices, place.component)
    case 'memory':
      return state.readMemory(place.file, place.indices, place.address)
  }
}
