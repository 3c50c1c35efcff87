import { describe, expect, it } from 'vitest'
import type { DebugGrid } from './debug.ts'
import { cellAfterKey, columnsOf, shownGrid } from './grid.ts'

const grid = (values?: readonly string[]): DebugGrid => ({
  group: [0, 0, 0],
  size: [4, 1, 1],
  cells: [
    { thread: 0, status: 'active', statement: 7, isHelper: false },
    { thread: 1, status: 'active', statement: 7, isHelper: false },
    { thread: 2, status: 'barrier', statement: 7, isHelper: false },
    { thread: 3, status: 'ended', statement: 9, isHelper: false },
  ],
  places: [{ statement: 7, place: 'instruction 3', text: 'sync' }],
  values,
})

describe('the grid of lanes', () => {
  it('has the shape of the group, and folds long rows', () => {
    expect(columnsOf([8, 8, 1])).toBe(8)
    expect(columnsOf([64, 1, 1])).toBe(16)
    expect(columnsOf([7, 1, 1])).toBe(7)
    expect(columnsOf([1024, 1, 1])).toBe(16)
    expect(columnsOf([64, 2, 1])).toBe(16)
  })

  it('gives threads at one place and in one state one letter', () => {
    const { keys, keyOf } = shownGrid(grid())
    expect(keyOf).toEqual([0, 0, 1, 2])
    expect(keys).toEqual([
      { letter: 'A', color: 0, text: 'at instruction 3', count: 2 },
      { letter: 'B', color: 1, text: 'waits at barrier, instruction 3', count: 1 },
      { letter: '·', color: undefined, text: 'ended', count: 1 },
    ])
  })

  it('gives equal values of an expression one letter', () => {
    const { keys, keyOf } = shownGrid(grid(['1', '2', '1', '1']))
    expect(keyOf).toEqual([0, 1, 0, 0])
    expect(keys.map((k) => [k.letter, k.text, k.count])).toEqual([
      ['A', '1', 3],
      ['B', '2', 1],
    ])
  })

  // 10 cells in rows of 4: the last row has two.
  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 3, 3],
    ['ArrowLeft', 4, 4],
    ['ArrowDown', 1, 5],
    ['ArrowDown', 6, 6],
    ['ArrowUp', 2, 2],
    ['ArrowUp', 9, 5],
    ['Home', 6, 4],
    ['End', 4, 7],
    ['End', 8, 9],
    ['PageUp', 9, 1],
    ['PageDown', 1, 9],
    ['PageDown', 3, 7],
    ['a', 5, 5],
  ])('%s leads from %i to %i', (key, from, to) => {
    expect(cellAfterKey(key, from, 4, 10)).toBe(to)
  })
})
