import { afterEach, describe, expect, test, vi } from 'vitest'
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

  test('are taken from both ends, until these meet', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    for (const [serial, count] of [1, 2, 3, 4, 7].entries()) {
      const tiles = Array.from({ length: count }, (_, n) => n * 3)
      const chunk = publish(a, chunks, tiles)
      const taken: number[][] = [[], []]
      for (let turn = serial; ; turn++) {
        const fromEnd = turn % 3 === 0
        const tile = (fromEnd ? b : a).take(serial + 1, chunk, fromEnd)
        if (tile < 0) break
        taken[fromEnd ? 1 : 0]!.push(tile)
      }
      expect([...taken[0]!, ...taken[1]!.reverse()]).toEqual(tiles)
      for (const tile of tiles) {
        expect(a.isInSlot(serial + 1)).toBe(true)
        a.setTileDone(tile, serial + 1)
      }
      // The thread that comes from the other side has found nothing left, whichever looked last.
      expect([a.take(serial + 1, chunk), b.take(serial + 1, chunk, true)]).toEqual([-1, -1])
      expect([a.isDone, a.isInSlot(serial + 1)]).toEqual([true, false])
    }
  })

  test('are of their own chunk, however many others have come since it began', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const slow = publish(a, chunks, [7])
    const slot = chunks.indexOf(slow)
    expect(a.take(1, slow)).toBe(7)
    for (let n = 2; n <= 300; n++) {
      const chunk = publish(b, chunks, [8])
      expect(b.take(n, chunk)).toBe(8)
      expect([b.slotOf(1), b.isInSlot(1)]).toEqual([slot, true])
      b.setTileDone(8, n)
    }
    expect(a.isDone).toBe(false)
    a.setTileDone(7, 1)
    expect([a.isDone, a.isInSlot(1)]).toEqual([true, false])
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

describe('a thread that is interrupted', () => {
  const OPERATIONS = ['load', 'store', 'add', 'sub', 'or', 'exchange', 'compareExchange'] as const

  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** Runs `act` with `other` as a whole before its atomic operation of that number; false where it has fewer. */
  function interrupted(act: () => void, operation: number, other: () => void): boolean {
    let left = operation
    for (const name of OPERATIONS) {
      const original = Atomics[name] as unknown as (...given: number[]) => number
      vi.spyOn(Atomics, name).mockImplementation(((...given: number[]) => {
        if (left-- === 0) other()
        return original(...given)
      }) as never)
    }
    act()
    vi.restoreAllMocks()
    return left < 0
  }

  /** Runs a scenario, made anew each time, with an interruption before each of its operations. */
  function atEachOperation(
    scenario: () => { readonly act: () => void; readonly other: () => void; readonly check: (at: number) => void },
  ): void {
    let isReached = true
    for (let at = 0; isReached; at++) {
      const { act, other, check } = scenario()
      isReached = interrupted(act, at, other)
      if (!isReached) {
        expect(at).toBeGreaterThan(3)
        other()
      }
      check(at)
    }
  }

  /** A slot whose chunk has one tile, taken and not done; what publishes the next chunk there, with three; and how that must go on. */
  function replacing() {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const chunk = publish(a, chunks, [5])
    expect(a.take(1, chunk)).toBe(5)
    const replace = (): void => {
      a.setTileDone(5, 1)
      expect(publish(a, chunks, [5, 6, 7])).toBe(chunk)
    }
    const check = (at: number): void => {
      const taken = [a.take(2, chunk), b.take(2, chunk), a.take(2, chunk), b.take(2, chunk)]
      expect([at, ...taken]).toEqual([at, 5, 6, 7, -1])
      for (const tile of [5, 6, 7]) {
        expect([at, tile, a.isDone, b.isInSlot(2)]).toEqual([at, tile, false, true])
        a.setTileDone(tile, 2)
      }
      expect([at, a.isDone, b.isInSlot(2)]).toEqual([at, true, false])
    }
    return { b, chunk, replace, check }
  }

  test('finds nothing in a chunk whose slot another thread fills anew meanwhile', () => {
    atEachOperation(() => {
      const { b, chunk, replace, check } = replacing()
      return { act: () => expect(b.take(1, chunk)).toBe(-1), other: replace, check }
    })
  })

  test('finds each tile once, whatever another takes from the other side meanwhile', () => {
    for (const [count, others] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [5, 2],
    ] as const) {
      atEachOperation(() => {
        const {
          boards: [a, b],
          chunks,
        } = threads()
        const tiles = Array.from({ length: count }, (_, n) => n)
        const chunk = publish(a, chunks, tiles)
        const found: number[] = []
        const take = (board: Board, fromEnd: boolean): void => {
          const tile = board.take(1, chunk, fromEnd)
          if (tile >= 0) found.push(tile)
        }
        return {
          act: () => take(a, false),
          other: () => {
            for (let n = 0; n < others; n++) take(b, true)
          },
          check: (at) => {
            for (let n = 0; n <= count; n++) take(n % 2 === 0 ? a : b, n % 2 === 1)
            expect([at, ...found.sort()]).toEqual([at, ...tiles])
            for (const tile of tiles) {
              expect([at, b.isInSlot(1), a.isDone]).toEqual([at, true, false])
              b.setTileDone(tile, 1)
            }
            expect([at, b.isInSlot(1), a.isDone, a.hasFreeSlot(SLOTS - 1)]).toEqual([at, false, true, true])
          },
        }
      })
    }
  })

  test('leaves nothing half published that another thread takes for a tile of the chunk before', () => {
    atEachOperation(() => {
      const { b, chunk, replace, check } = replacing()
      return { act: replace, other: () => expect(b.take(1, chunk)).toBe(-1), check }
    })
  })

  test('no longer finds a chunk in its slot once its tiles are done, whatever comes there', () => {
    const answers: boolean[] = []
    atEachOperation(() => {
      const { b, replace, check } = replacing()
      return { act: replace, other: () => void answers.push(b.isInSlot(1)), check }
    })
    const isThere = answers.lastIndexOf(true)
    expect(isThere).toBeGreaterThan(0)
    expect(answers.indexOf(false)).toBe(isThere + 1)
  })

  test('that looks whether a chunk is in its slot is not told of another that comes there meanwhile', () => {
    const answers: boolean[] = []
    atEachOperation(() => {
      const { b, replace, check } = replacing()
      return { act: () => void answers.push(b.isInSlot(1)), other: replace, check }
    })
    // It was there until the first look at what is left of it.
    expect(answers.at(-1)).toBe(true)
    expect(answers.slice(0, -2)).not.toContain(true)
  })
})

describe('threads that wait', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  /** What another thread does while this one sleeps, and how often a thread was woken. */
  function whileAsleep(act: () => void) {
    const sleeps = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
      act()
      return 'ok'
    })
    return { sleeps, wakes: vi.spyOn(Atomics, 'notify') }
  }

  test('do not sleep where what they wait for came after they looked', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const { sleeps, wakes } = whileAsleep(() => undefined)
    const { signal, changes } = a
    publish(b, chunks, [5])
    a.awaitSignal(signal)
    a.awaitChange(changes)
    const later = a.changes
    b.setTileDone(5, 1)
    a.awaitChange(later)
    expect(sleeps).not.toHaveBeenCalled()
    // No thread slept, so that none is woken.
    expect(wakes).not.toHaveBeenCalled()
  })

  test('are woken by chunks, slots, turns, the end, a stop and a thread that is lost', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    const claimed = b.claimSlot()
    const events = [
      () => void publish(b, chunks, [5]),
      () => b.releaseSlot(claimed),
      () => b.signalTurn(),
      () => b.end(),
      () => b.setLostThread(),
      () => b.stop(),
    ]
    for (const act of events) {
      for (const wait of [() => a.awaitSignal(a.signal), () => a.awaitChange(a.changes)]) {
        const { signal, changes } = a
        const { sleeps, wakes } = whileAsleep(act)
        wait()
        expect(sleeps).toHaveBeenCalledTimes(1)
        const isNew = a.signal !== signal && a.changes !== changes
        // That a thread is lost is told once.
        expect([isNew, wakes.mock.calls.length > 0]).toEqual([isNew, isNew])
        vi.restoreAllMocks()
      }
    }
    expect([a.isEnded, a.isStopped, a.hasLostThread]).toEqual([true, true, true])
  })

  test('for changes are woken by tiles that are done, those for signals are not', () => {
    const {
      boards: [a, b],
      chunks,
    } = threads()
    publish(b, chunks, [5, 6])
    const { wakes } = whileAsleep(() => b.setTileDone(5, 1))
    a.awaitChange(a.changes)
    expect(wakes).toHaveBeenCalledTimes(1)
    vi.restoreAllMocks()
    const other = whileAsleep(() => b.setTileDone(6, 1))
    a.awaitSignal(a.signal)
    expect(other.wakes).not.toHaveBeenCalled()
  })

  test('do not begin while they are held', () => {
    const {
      boards: [a, b],
    } = threads()
    a.hold()
    const { wakes } = whileAsleep(() => undefined)
    expect(b.awaitBegin()).toBe(false)
    vi.restoreAllMocks()
    whileAsleep(() => a.letGo())
    expect(b.awaitBegin()).toBe(true)
    expect(b.awaitBegin()).toBe(true)
    expect(wakes).not.toHaveBeenCalled()
  })
})
