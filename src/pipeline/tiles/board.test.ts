import { describe, expect, test } from 'vitest'
import { BOARD_WORDS, Board } from './board.ts'
import { CHUNK_WORDS, type ChunkWords, chunksOf } from './chunk.ts'

// Two threads are two boards over the same words.

const SLOTS = 3

function threads(): { readonly boards: readonly [Board, Board]; readonly chunks: readonly ChunkWords[] } {
  const words = new Int32Array(new SharedArrayBuffer(BOARD_WORDS * 4))
  const boards = [new Board(words, SLOTS), new Board(words, SLOTS)] as const
  boards[0].clear()
  return { boards, chunks: chunksOf(new SharedArrayBuffer(SLOTS * CHUNK_WORDS * 4), { chunks: 0, slotCount: SLOTS }) }
}

/** Publishes a chunk that has these tiles, and answers its words. */
function publish(board: Board, chunks: readonly ChunkWords[], tiles: readonly number[]): ChunkWords {
  const slot = board.claimSlot()
  const chunk = chunks[slot]!
  chunk.tiles.set(tiles)
  board.publish(slot, chunk, tiles.length, 0)
  return chunk
}

describe('tiles of chunks', () => {
  test('are taken in their order, each once, also those that a thread has claimed before', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const chunk = publish(a, chunks, [4, 40, 41, 900])
    expect(b.claimTile(1, 40)).toBe(true)
    expect(a.claimTile(1, 40)).toBe(false)
    expect(a.take(1, chunk)).toBe(4)
    expect(b.claimTile(1, 4)).toBe(false)
    expect(b.take(1, chunk)).toBe(41)
    expect(a.claimTile(1, 900)).toBe(true)
    expect([a.take(1, chunk), b.take(1, chunk)]).toEqual([-1, -1])
  })

  test('name the chunk that had them before', () => {
    const { boards, chunks } = threads()
    publish(boards[0], chunks, [1, 2])
    publish(boards[0], chunks, [2])
    const third = publish(boards[0], chunks, [1, 2, 3])
    expect([...third.before.subarray(1, 4)]).toEqual([1, 2, 0])
  })

  test('keep their chunk in its slot until each is done and its place in the list has been looked at', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const chunk = publish(a, chunks, [7, 8])
    expect([b.claimTile(1, 7), b.claimTile(1, 8)]).toEqual([true, true])
    b.setTileDone(7, 1)
    b.setTileDone(8, 1)
    // Another thread may be about to look: what it finds must be of this chunk.
    expect([a.isInSlot(1), a.isDone]).toEqual([true, false])
    expect(a.take(1, chunk)).toBe(-1)
    expect([a.isInSlot(1), a.isDone]).toEqual([false, true])
  })

  test('of a chunk whose slot has another are neither taken nor there', () => {
    const {
      boards: [a],
      chunks,
    } = threads()
    const chunk = publish(a, chunks, [5])
    expect(a.take(1, chunk)).toBe(5)
    a.setTileDone(5, 1)
    const other = publish(a, chunks, [5])
    expect(other).toBe(chunk)
    expect([a.isInSlot(1), a.isInSlot(2)]).toEqual([false, true])
    expect(a.take(1, other)).toBe(-1)
    expect(a.take(2, other)).toBe(5)
  })
})
