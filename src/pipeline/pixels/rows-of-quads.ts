import type { QuadKernel, QuadMemory as QuadMemoryWords } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { heldPlanes, loadPlanes, PRIMITIVE_KIND, ROW_WORD, type RowWords } from '../raster/index.ts'
import {
  type InputProgramOptions,
  interpolatedAttributes,
  parameterWord,
  type QuadColumns,
  type QuadPixels,
  type QuadWords,
  quadPixels,
  quadWords,
} from './input-program.ts'
import { PARAMETER, type QuadMemory } from './quads.ts'

/** Loops in which a wide triangle and a row of its quads stay the same: what they alone decide is found before them. */

/** What is loaded of a primitive, for a round of a loop. */
export type OfPrimitive<V> = Pick<QuadWords<V>, 'row' | 'choose' | 'planes'>

/** The words of a row that are loaded before a loop, and others from where a round has them. */
function heldRow<V>(
  { row }: QuadWords<V>,
  { precision, slots }: Pick<InputProgramOptions, 'precision' | 'slots'>,
): (others: RowWords<V>) => RowWords<V> {
  if (precision === 'fast') {
    const attributes = slots.flatMap(({ input, attribute }) => (input.kind === 'attribute' ? [attribute] : []))
    return heldPlanes(row, attributes)
  }
  loadPlanes(row, interpolatedAttributes(slots))
  const flat = row.word(ROW_WORD.isFlat)
  return (others) => ({ ...others, word: (n) => (n === ROW_WORD.isFlat ? flat : others.word(n)) })
}

/**
 * Emits loops over pixels of one wide triangle, by `loop`, with what its attributes are made of loaded before them: one where w is 1, and one
 * in perspective, since nothing behind a choice inside of a loop is computed before it.
 */
export function holdingPlanes<V>(
  quad: QuadWords<V>,
  options: Pick<InputProgramOptions, 'precision' | 'slots'>,
  loop: (ofPrimitive: () => OfPrimitive<V>, isFlat: boolean) => readonly V[],
): readonly V[] {
  const held = heldRow(quad, options)
  const flat = held(quad.row).word(ROW_WORD.isFlat)
  const planes = options.precision === 'exact' ? { planes: quad.row } : {}
  const side = (isFlat: boolean) => (): readonly V[] =>
    loop(() => {
      const primitive = quad.loadedOnce()
      const choose: QuadWords<V>['choose'] = (condition, taken, otherwise) => {
        if (condition !== flat) return primitive.choose(condition, taken, otherwise)
        return isFlat ? taken() : otherwise()
      }
      return { ...planes, row: held(primitive.row), choose }
    }, isFlat)
  return quad.choose(flat, side(true), side(false))
}

interface QuadPlaces {
  readonly columns: QuadColumns
  /** Bytes of a row of the table. */
  readonly rowLength: number
}

/**
 * Goes over the quads of a call of `runQuads` in their order: `take` takes one. Those one behind the other that are of a wide triangle and of one row of
 * quads go through a loop instead, emitted by `overRow`, which is given the first of them and what emits the loop around a round.
 */
export function eachQuad<V>(
  o: ValueOps<V>,
  m: QuadMemoryWords<V>,
  { columns, rowLength }: QuadPlaces,
  take: (quad: QuadWords<V>) => void,
  overRow: (first: QuadWords<V>, loop: (round: (quad: QuadPixels<V>) => void) => readonly V[]) => readonly V[],
): void {
  const count = parameterWord(o, m, PARAMETER.quads)
  const c = (n: number): V => o.constant(n)
  const ofQuad = (column: number, quad: V): V => m.load(o.i32Add(o.shiftLeft(quad, c(2)), c(column)), 1)[0]!
  const row = (n: V): readonly V[] => {
    const first = quadWords(o, m, columns, rowLength, n)
    const primitive = ofQuad(columns.primitives, n)
    // Behind the last quad the columns have words of no meaning.
    const isOfRow = (quad: V): V => {
      const isSame = o.i32Equal(ofQuad(columns.primitives, quad), primitive)
      return o.and(o.i32Less(quad, count), o.and(isSame, o.i32Equal(ofQuad(columns.y, quad), first.firstY)))
    }
    const loop = (round: (quad: QuadPixels<V>) => void): readonly V[] =>
      m.repeat(
        [n],
        ([quad]) => isOfRow(quad!),
        ([quad]) => {
          round(quadPixels(o, m, quad!, ofQuad(columns.x, quad!), first.firstY))
          return [o.i32Add(quad!, c(1))]
        },
      )
    const alone = (): readonly V[] => {
      take(first)
      return [o.i32Add(n, c(1))]
    }
    const isWide = o.i32Equal(first.row.word(ROW_WORD.kind), c(PRIMITIVE_KIND.wide))
    return first.choose(isWide, () => overRow(first, loop), alone)
  }
  m.repeat(
    [c(0)],
    ([n]) => o.i32Less(n!, count),
    ([n]) => row(n!),
  )
}

/** Runs a program that goes over quads itself. */
export function runQuads(kernel: QuadKernel, { parameters, start }: QuadMemory, count: number): void {
  parameters[PARAMETER.quads] = count
  kernel.run(1, start)
}
