/** The lanes of a group as a grid of cells: its shape, letters and colors, and where keys lead. */
import type { GridCell, LaneStatus } from '../../../src/session/index.ts'
import type { DebugGrid } from './debug.ts'

/** Wider rows would not fit a page: groups of one row are folded. */
const MAX_COLUMNS = 16
/** Number of colors; statements that share a color differ by letter. */
const COLOR_COUNT = 8
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Columns of a grid, by the threads of a group in x, y, z. */
export function columnsOf([x, y, z]: DebugGrid['size']): number {
  return y * z === 1 || x > MAX_COLUMNS ? Math.min(x, MAX_COLUMNS) : x
}

/** The cell that a key leads to from a cell; the same where there is none. */
export function cellAfterKey(key: string, at: number, columns: number, count: number): number {
  const row = Math.floor(at / columns)
  const moved: Readonly<Record<string, number>> = {
    ArrowLeft: at % columns === 0 ? at : at - 1,
    ArrowRight: at % columns === columns - 1 ? at : at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    Home: row * columns,
    End: row * columns + columns - 1,
    PageUp: at % columns,
    PageDown: Math.floor((count - 1) / columns) * columns + (at % columns),
  }
  const to = Object.hasOwn(moved, key) ? moved[key]! : at
  if (to < 0) return at
  // The last row may be shorter than the others.
  return to < count ? to : key === 'End' ? count - 1 : key === 'PageDown' && to - columns >= 0 ? to - columns : at
}

/** What all cells with one letter have in common. */
export interface GridKey {
  readonly letter: string
  /** From 0; ended threads have none. */
  readonly color: number | undefined
  readonly text: string
  readonly count: number
}

export interface ShownGrid {
  readonly columns: number
  /** For each cell its place in `keys`. */
  readonly keyOf: readonly number[]
  readonly keys: readonly GridKey[]
}

const STATUS_WORDS: Readonly<Record<LaneStatus, string>> = {
  active: 'at',
  barrier: 'waits at barrier,',
  idle: 'waits for other lanes at',
  ended: 'ended',
}

function placeKey({ status, statement }: GridCell): string {
  return status === 'ended' ? status : `${status} ${statement}`
}

function placeText(cell: GridCell, grid: DebugGrid): string {
  if (cell.status === 'ended') return STATUS_WORDS.ended
  const place = grid.places.find((p) => p.statement === cell.statement)
  return `${STATUS_WORDS[cell.status]} ${place?.place ?? `statement ${cell.statement}`}`
}

/** Cells that are equal get one letter and one color: by place and status, or by the value of an expression. */
export function shownGrid(grid: DebugGrid): ShownGrid {
  const { cells, values } = grid
  const names = cells.map((cell, i) => values?.[i] ?? placeKey(cell))
  const distinct = [...new Set(names)]
  const numbers = new Map(distinct.map((name, i) => [name, i]))
  const keyOf = names.map((name) => numbers.get(name)!)
  let nextColor = 0
  const keys = distinct.map((name, i): GridKey => {
    const own = cells.filter((_, c) => keyOf[c] === i)
    const isEnded = values === undefined && own[0]!.status === 'ended'
    const text = values === undefined ? placeText(own[0]!, grid) : name
    const color = isEnded ? undefined : nextColor++
    const letter = isEnded ? '·' : (LETTERS[color!] ?? '#')
    return { letter, color: color === undefined ? undefined : color % COLOR_COUNT, text, count: own.length }
  })
  return { columns: columnsOf(grid.size), keyOf, keys }
}
