/** Two lists of lines aligned: what was removed, what was added, and the lines around. Used by `heddle diff`. */
import { diffArrays } from 'diff'

export interface Line {
  /** Lines are equal where their keys are. */
  readonly key: string
  readonly text: string
  /** The text where another line has the same text and another key. */
  readonly exactText?: string
  /** Where the line comes from: the number of its instruction, or of a declaration its index in the program's statements. */
  readonly number?: number
}

export interface AlignedLine {
  readonly change: 'same' | 'removed' | 'added'
  readonly text: string
  /** Numbers of the instruction in the first and in the second shader; of declarations those of the statement. */
  readonly first?: number
  readonly second?: number
}

/** Changed lines that stand near each other, with the lines around them. */
export type Hunk = readonly AlignedLine[]

/** Aligning takes a time that grows with length times differences; after this it is given up. */
const MAX_MILLISECONDS = 10_000

function alignedLine(change: AlignedLine['change'], first: Line | undefined, second: Line | undefined): AlignedLine {
  return {
    change,
    text: (first ?? second)?.text ?? '',
    ...(first?.number === undefined ? {} : { first: first.number }),
    ...(second?.number === undefined ? {} : { second: second.number }),
  }
}

/** Lines that look alike and differ are printed exactly. */
function withExactTexts(lines: readonly Line[], others: readonly Line[]): readonly Line[] {
  const texts = new Set(others.map((l) => l.text))
  const isShown = (l: Line): boolean => l.exactText !== undefined && texts.has(l.text)
  return lines.map((l) => (isShown(l) ? { ...l, text: l.exactText! } : l))
}

/** All lines of both lists in one order; `isAligned` is false where they are too different to be aligned in time. */
function alignAll(first: readonly Line[], second: readonly Line[]): { lines: AlignedLine[]; isAligned: boolean } {
  const changes = diffArrays([...first], [...second], {
    comparator: (a, b) => a.key === b.key,
    timeout: MAX_MILLISECONDS,
  })
  if (changes === undefined) {
    const removed = first.map((l) => alignedLine('removed', l, undefined))
    const added = second.map((l) => alignedLine('added', undefined, l))
    return { lines: [...removed, ...added], isAligned: false }
  }
  let [at, to] = [0, 0]
  const lines: AlignedLine[] = []
  for (const [i, { added, removed, value }] of changes.entries()) {
    const next = changes[i + 1]?.value ?? []
    const last = changes[i - 1]?.value ?? []
    if (removed) {
      for (const l of withExactTexts(value, next)) lines.push(alignedLine('removed', l, undefined))
      at += value.length
    } else if (added) {
      for (const l of withExactTexts(value, last)) lines.push(alignedLine('added', undefined, l))
      to += value.length
    } else for (let k = 0; k < value.length; k++) lines.push(alignedLine('same', first[at++], second[to++]))
  }
  return { lines, isAligned: true }
}

/** The changed lines, each with up to `context` lines around it; neighbors share a hunk. */
export function align(
  first: readonly Line[],
  second: readonly Line[],
  context: number,
): { readonly hunks: readonly Hunk[]; readonly isAligned: boolean } {
  const { lines, isAligned } = alignAll(first, second)
  const hunks: AlignedLine[][] = []
  let end = -1
  lines.forEach((line, i) => {
    if (line.change === 'same') return
    const start = Math.max(i - context, end + 1)
    if (hunks.length === 0 || start > end + 1) hunks.push([])
    const stop = Math.min(lines.length - 1, i + context)
    for (let k = Math.max(start, end + 1); k <= stop; k++) hunks.at(-1)!.push(lines[k]!)
    end = Math.max(end, stop)
  })
  return { hunks, isAligned }
}
