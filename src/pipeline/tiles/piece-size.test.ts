import { afterEach, expect, it, vi } from 'vitest'
import { MOST_QUADS, PieceSize } from './piece-size.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The sizes of pieces whose quads take so many milliseconds each. */
function sizes(millisecondsOfQuad: number, count: number): number[] {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const piece = new PieceSize()
  return Array.from({ length: count }, () => {
    piece.begin()
    now += piece.quads * millisecondsOfQuad
    piece.end(false)
    return piece.quads
  })
}

it('has as many quads as there may be where these take little time', () => {
  expect(sizes(0.0001, 4).at(-1)).toBe(MOST_QUADS)
})

it('has as many as take between 8 and 16 milliseconds, and stays there', () => {
  for (const each of [0.004, 0.01, 0.03]) {
    const [quads, next] = sizes(each, 8).slice(-2) as [number, number]
    expect(quads * each).toBeGreaterThanOrEqual(8 - each)
    expect(quads * each).toBeLessThanOrEqual(16)
    expect(next).toBe(quads)
  }
})

it('has some at the least, however long they take', () => {
  expect(sizes(50, 4).at(-1)).toBe(128)
})

it('has more again when they take less', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const piece = new PieceSize()
  piece.begin()
  now += 1000
  piece.end(false)
  const few = piece.quads
  piece.begin()
  now += 1
  piece.end(false)
  expect(piece.quads).toBe(few * 2)
})

it('stays as it is behind a short piece that ended for a program', () => {
  const piece = new PieceSize()
  const { quads } = piece
  piece.begin()
  piece.end(true)
  expect(piece.quads).toBe(quads)
})
