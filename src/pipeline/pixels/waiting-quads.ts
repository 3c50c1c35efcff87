import type { CopiedSamples } from './copy-program.ts'
import { QUAD_MEMORY, type ShadedQuads } from './quads.ts'

/** How quads come to where they wait for their shader: copied from those that were found, or at once. */

/** Lanes of the quad from `lane` on that are no helpers. */
export function lanesIn(masks: ArrayLike<number>, lane: number): number {
  let count = 0
  for (let i = lane; i < lane + 4; i++) if (masks[i] !== 0) count++
  return count
}

/** Columns that a quad takes with it, as words of the memory: to its place among the shaded ones, so many of a quad. */
interface CopiedColumn {
  readonly source: number
  readonly target: number
  readonly size: number
}

function copiedColumns(masks: number): readonly CopiedColumn[] {
  const { found: f, shaded: s } = QUAD_MEMORY
  const column = (source: number, target: number, size: number) => ({ source: source / 4, target: target / 4, size })
  return [
    column(f.primitives, s.primitives, 1),
    column(f.x, s.x, 1),
    column(f.y, s.y, 1),
    column(masks, s.masks, 4),
    column(f.masks, s.coverage, 4),
  ]
}
const COVERED = copiedColumns(QUAD_MEMORY.found.masks)
const PASSED = copiedColumns(QUAD_MEMORY.found.passed)

/** Words from which the host's own copy is faster than a loop. */
const MANY_WORDS = 48

function copyWords(words: Int32Array, from: number, to: number, count: number): void {
  if (count >= MANY_WORDS) words.copyWithin(to, from, from + count)
  else for (let i = 0; i < count; i++) words[to + i] = words[from + i]!
}

/** Copies the words of `count` quads among those of a memory, with all their samples or with those that passed the tests. */
export function copyQuads(words: Int32Array, from: number, to: number, count: number, samples: CopiedSamples): void {
  const columns = samples === 'passed' ? PASSED : COVERED
  for (let c = 0; c < columns.length; c++) {
    const { source, target, size } = columns[c]!
    copyWords(words, source + from * size, target + to * size, count * size)
  }
}

/** Writes quad `to` with the samples of its four pixels. */
export function writeQuad(
  { primitives, x, y, masks: into }: Pick<ShadedQuads, 'primitives' | 'x' | 'y' | 'masks'>,
  to: number,
  row: number,
  firstX: number,
  firstY: number,
  masks: Uint32Array,
): void {
  primitives[to] = row
  x[to] = firstX
  y[to] = firstY
  const lane = to * 4
  into[lane] = masks[0]!
  into[lane + 1] = masks[1]!
  into[lane + 2] = masks[2]!
  into[lane + 3] = masks[3]!
}

/** Writes `count` quads beside each other from quad `to` on, of which all pixels have the same covered samples. */
export function writeRun(
  { primitives, x, y, masks, coverage }: ShadedQuads,
  to: number,
  count: number,
  row: number,
  firstX: number,
  firstY: number,
  mask: number,
): void {
  primitives.fill(row, to, to + count)
  y.fill(firstY, to, to + count)
  masks.fill(mask, to * 4, (to + count) * 4)
  coverage.fill(mask, to * 4, (to + count) * 4)
  for (let n = 0; n < count; n++) x[to + n] = firstX + n * 2
}
