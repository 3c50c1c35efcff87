import type { QuadMemory } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import {
  attributeWord,
  CONSTANT,
  centerWord,
  constantWord,
  type FastPlaceWords,
  fastConstantWord,
  fastLinearWord,
  fastPerspectiveWord,
  fastPlaceWords,
  fastWWord,
  inverseWWords,
  linearWords,
  PERSPECTIVE,
  type PlaceWords,
  placeDepth,
  placeOfPlane,
  placeWords,
  ROW_WORD,
  type RowWords,
  sameBit,
  thinDepthWord,
  wWords,
} from '../raster/index.ts'
import type { Precision } from '../state.ts'
import { centroidWithoutCoverage } from './attributes.ts'
import type { PixelInput, Place } from './link-inputs.ts'
import { QUAD_MEMORY, SHADED_COLUMNS, type ShadedColumns } from './quads.ts'

/** Input registers of pixel shaders as a program of quads: what `inputs.ts` does with numbers. */

/** An input, the word that the first lane has of it, and its number among the attributes. */
export interface InputSlot {
  readonly input: PixelInput
  readonly first: number
  readonly attribute: number
}

export interface InputProgramOptions {
  readonly slots: readonly InputSlot[]
  /** First words of registers that have a file of their own; -1 where the shader does not read them. */
  readonly coverage: number
  readonly primitiveId: number
  /** First word of what says which lanes are helpers. */
  readonly helpers: number
  /** Bytes of a row of the table. */
  readonly rowLength: number
  readonly precision: Precision
  /** x and y of each sample in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  readonly sampleMask: number
  /** Bits of ROW_WORD.same: a loop for primitives of which these attributes are the same, and no others. */
  readonly same: number
}

export interface QuadWords<V> {
  readonly row: RowWords<V>
  /** The same, loaded anew: for a round of a loop, since there are more than a processor has registers for. */
  readonly loadedOnce: () => Pick<QuadWords<V>, 'row' | 'choose'>
  /** The quad's first pixel. */
  readonly firstX: V
  readonly firstY: V
  readonly x: V
  readonly y: V
  readonly laneBytes: V
  /** Samples that the primitive covers, and those that results go to. */
  readonly coverage: () => V
  readonly masks: () => V
  /** The sample that it runs for; 0 at pixel frequency. */
  readonly sample: () => V
  /** As that of the memory: what of the row is loaded in a side is not there behind it. */
  readonly choose: QuadMemory<V>['choose']
  /** Loaded before a loop over pixels of a wide triangle, of which all samples are covered: what of a row of pixels is the same is found once. */
  readonly planes?: RowWords<V>
  /** How far the center is from vertex 0 in a `fast` row, where a loop has it. */
  readonly fromVertex?: FastPlaceWords<V>
}

const isInterpolated = ({ input }: InputSlot): boolean => input.kind === 'attribute' && input.mode !== CONSTANT

/** Numbers of the attributes that are not constant. */
export const interpolatedAttributes = (slots: readonly InputSlot[]): readonly number[] =>
  slots.filter(isInterpolated).map(({ attribute }) => attribute)

/** Loads, each once, by a number: what is loaded in a side of a choice is not there behind it. */
function loadsOnce<V>(
  m: QuadMemory<V>,
  load: (n: number) => readonly V[],
): Pick<QuadWords<V>, 'choose'> & { readonly words: (n: number) => readonly V[] } {
  const loaded: Map<number, readonly V[]>[] = [new Map()]
  const scoped = (body: () => readonly V[]) => (): readonly V[] => {
    loaded.push(new Map())
    const words = body()
    loaded.pop()
    return words
  }
  return {
    words: (n) => {
      const known = loaded.map((scope) => scope.get(n)).find((words) => words !== undefined)
      if (known !== undefined) return known
      const words = load(n)
      loaded.at(-1)!.set(n, words)
      return words
    },
    choose: (condition, taken, otherwise) => m.choose(condition, scoped(taken), scoped(otherwise)),
  }
}

/** Columns that quads lie in. */
export interface QuadColumns {
  readonly primitives: number
  readonly x: number
  readonly y: number
}

/** What belongs to the pixels of a quad, without its primitive. */
export type QuadPixels<V> = Omit<QuadWords<V>, 'row' | 'loadedOnce' | 'choose' | 'planes' | 'fromVertex'>

export function quadPixels<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  quad: V,
  firstX: V,
  firstY: V,
  { coverage, masks, samples }: ShadedColumns = SHADED_COLUMNS,
): QuadPixels<V> {
  const laneBytes = laneBytesOf(o, m, quad)
  const ofLane = (column: number): V => m.load(o.i32Add(laneBytes, o.constant(column)), 1)[0]!
  return {
    firstX,
    firstY,
    x: o.i32Add(firstX, m.column),
    y: o.i32Add(firstY, m.row),
    laneBytes,
    coverage: () => ofLane(coverage),
    masks: () => ofLane(masks),
    sample: () => {
      if (samples === undefined) return o.constant(0)
      const sample = m.load(o.i32Add(o.shiftLeft(quad, o.constant(2)), o.constant(samples)), 1)[0]!
      return o.select(o.i32Less(sample, o.constant(0)), o.constant(0), sample)
    },
  }
}

/** The words of a quad, that which runs where none is given, and of its primitive. */
export function quadWords<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  columns: QuadColumns | ShadedColumns,
  rowLength: number,
  quad = m.quad,
): QuadWords<V> {
  const quadBytes = o.shiftLeft(quad, o.constant(2))
  const ofQuad = (column: number): V => m.load(o.i32Add(quadBytes, o.constant(column)), 1)[0]!
  const rowAt = o.i32Mul(ofQuad(columns.primitives), o.constant(rowLength))
  const ofRow = (n: number, count: number): readonly V[] =>
    m.load(o.i32Add(rowAt, o.constant(QUAD_MEMORY.table + n * 4)), count)
  const word = (n: number): V => ofRow(n, 1)[0]!
  /** Four words beside each other are one load. */
  const loadedOnce = (): Pick<QuadWords<V>, 'row' | 'choose'> => {
    const { words, choose } = loadsOnce(m, (n) => ofRow(n * 4, 4))
    const float = (n: number): V => words(n >> 2)[n & 3]!
    return { row: { word, float, double: (n) => [float(n * 2), float(n * 2 + 1)] }, choose }
  }
  const shaded = 'coverage' in columns ? columns : SHADED_COLUMNS
  return { ...loadedOnce(), loadedOnce, ...quadPixels(o, m, quad, ofQuad(columns.x), ofQuad(columns.y), shaded) }
}

export const parameterWord = <V>(o: ValueOps<V>, m: QuadMemory<V>, n: number): V =>
  m.load(o.constant(QUAD_MEMORY.parameters + n * 4), 1)[0]!

/** Offsets of the centroid from the center, in 1/256 pixel. */
function centroidOffsets<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  coverage: V,
  { offsets, sampleMask }: InputProgramOptions,
): readonly V[] {
  const count = offsets.length / 2
  const without = centroidWithoutCoverage(sampleMask, count)
  const isAll = o.i32Equal(coverage, o.constant(2 ** count - 1))
  const isNone = o.i32Equal(coverage, o.constant(0))
  const at = o.i32Add(o.shiftLeft(o.countTrailingZeros(coverage), o.constant(3)), o.constant(QUAD_MEMORY.offsets))
  return m.load(at, 2).map((first, axis) => {
    const otherwise = o.constant(without < 0 ? 0 : offsets[without * 2 + axis]! >>> 0)
    return o.select(isAll, o.constant(0), o.select(isNone, otherwise, first))
  })
}

/** The words of the inputs of the quad that runs; `store` takes each with the word that the first lane of a batch has of it. */
export function inputWords<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  options: InputProgramOptions,
  {
    row,
    x,
    y,
    choose,
    coverage: covered,
    masks,
    sample: sampleIndex,
    planes,
    fromVertex,
  }: Pick<QuadWords<V>, 'row' | 'x' | 'y' | 'choose' | 'coverage' | 'masks' | 'sample' | 'planes' | 'fromVertex'>,
  store: (first: number, word: V) => void,
): void {
  const { slots, precision, coverage, primitiveId, helpers, same } = options
  const center = (): readonly [V, V] => [centerWord(o, x), centerWord(o, y)]
  /** How far a place is from the center. */
  const offsetOf = (place: Place): readonly [V, V] | undefined => {
    if (place === 'center') return undefined
    const at = (): V => o.i32Add(o.shiftLeft(sampleIndex(), o.constant(3)), o.constant(QUAD_MEMORY.offsets))
    const moved = place === 'sample' ? m.load(at(), 2) : centroidOffsets(o, m, covered(), options)
    return [moved[0]!, moved[1]!]
  }
  const position = (place: Place): readonly V[] => {
    const moved = offsetOf(place)
    return moved === undefined ? center() : center().map((c, axis) => o.i32Add(c, moved[axis]!))
  }
  const depthOf = (place: Place): V => {
    const [at, moved] = [placeOf(place), offsetOf(place)]
    if (planes !== undefined) return placeDepth(o, planes, center(), moved)
    const [depth] = choose(
      row.word(ROW_WORD.isThin),
      () => [thinDepthWord(o, row, at)],
      () => [placeDepth(o, row, center(), moved)],
    )
    return depth!
  }
  const places = new Map<Place, PlaceWords<V> & { readonly q: Pair<V> }>()
  const placeOf = (place: Place): PlaceWords<V> & { readonly q: Pair<V> } => {
    const known = places.get(place)
    if (known !== undefined) return known
    const [px, py] = position(place) as [V, V]
    const at = planes === undefined ? placeWords(o, row, px, py) : placeOfPlane(o, planes, px, py)
    const made = { ...at, q: inverseWWords(o, planes ?? row, at) }
    places.set(place, made)
    return made
  }
  const fastPlaces = new Map<Place, FastPlaceWords<V>>()
  const fastPlaceOf = (place: Place): FastPlaceWords<V> => {
    const known = fastPlaces.get(place)
    if (known !== undefined) return known
    const atCenter = place === 'center' ? fromVertex : undefined
    const made = atCenter ?? fastPlaceWords(o, row, position(place) as [V, V])
    fastPlaces.set(place, made)
    return made
  }
  const exactInPerspective = (place: Place, numbers: readonly number[]): readonly V[] => {
    const at = placeOf(place)
    const values = numbers.map((n) => linearWords(o, planes ?? row, n, at))
    // A product with 1 is the other factor, without what a division of doubles takes.
    return choose(
      row.word(ROW_WORD.isFlat),
      () => values.map((v) => o.f64ToF32(v)),
      () => {
        const w = wWords(o, at.q)
        return values.map((v) => o.f64ToF32(o.f64Mul(v, w)))
      },
    )
  }
  const fastInPerspective = (place: Place, numbers: readonly number[]): readonly V[] => {
    const at = fastPlaceOf(place)
    return choose(
      row.word(ROW_WORD.isFlat),
      () => numbers.map((n) => fastLinearWord(o, row, n, at)),
      () => {
        const w = fastWWord(o, row, at)
        return numbers.map((n) => fastPerspectiveWord(o, row, n, at, w))
      },
    )
  }
  /** Attributes in perspective, by number. */
  const inPerspective = (attributes: readonly InputSlot[]): ReadonlyMap<number, V> => {
    const words = new Map<number, V>()
    for (const place of ['center', 'centroid', 'sample'] as const) {
      const numbers = attributes.flatMap(({ input: i, attribute }) =>
        i.kind === 'attribute' && i.at === place && i.mode === PERSPECTIVE ? [attribute] : [],
      )
      if (numbers.length === 0) continue
      const found = precision === 'fast' ? fastInPerspective(place, numbers) : exactInPerspective(place, numbers)
      numbers.forEach((n, i) => void words.set(n, found[i]!))
    }
    return words
  }
  const wordOf = ({ input, attribute }: InputSlot): V => {
    switch (input.kind) {
      case 'attribute': {
        const isFast = precision === 'fast'
        if (input.mode === CONSTANT) return isFast ? fastConstantWord(row, attribute) : constantWord(row, attribute)
        if (isFast) return fastLinearWord(o, row, attribute, fastPlaceOf(input.at))
        return o.f64ToF32(linearWords(o, planes ?? row, attribute, placeOf(input.at)))
      }
      case 'position': {
        if (input.component === 3 && precision === 'fast') return fastWWord(o, row, fastPlaceOf(input.at))
        if (input.component === 2) return depthOf(input.at)
        const at = placeOf(input.at)
        if (input.component === 3) return o.f64ToF32(wWords(o, at.q))
        // Below 2^24: exact.
        return o.f32Mul(o.i32ToF32(input.component === 0 ? at.x : at.y), o.constant(ONE_SUBPIXEL))
      }
      case 'sample-index':
        return sampleIndex()
      case 'front-face':
        return row.word(ROW_WORD.isFrontFacing)
      case 'primitive-id':
        return row.word(ROW_WORD.primitiveId)
      case 'render-target':
        return row.word(ROW_WORD.renderTargetIndex)
      case 'viewport':
        return row.word(ROW_WORD.viewportIndex)
      case 'zero':
        return o.constant(0)
    }
  }
  const interpolated = slots.filter(isInterpolated)
  const valuesOf = (attributes: readonly InputSlot[]): readonly V[] => {
    const perspective = inPerspective(attributes)
    return attributes.map((slot) => perspective.get(slot.attribute) ?? wordOf(slot))
  }
  /** Whatever of them is the same everywhere. */
  const anyWords = (): readonly V[] => {
    const values = valuesOf(interpolated)
    if (precision === 'fast' || values.length === 0) return values
    const isAny = o.not(o.i32Equal(row.word(ROW_WORD.same), o.constant(0)))
    const chosen = (): V[] => interpolated.map(({ attribute }, i) => attributeWord(o, row, attribute, values[i]!))
    return choose(isAny, chosen, () => values)
  }
  const isSame = ({ attribute }: InputSlot): boolean => (same & sameBit(attribute)) !== 0
  /** Those of the bits that are given are the same, and no others. */
  const withSame = (): readonly V[] => {
    const values = valuesOf(interpolated.filter((slot) => !isSame(slot)))
    const constantOf = precision === 'fast' ? fastConstantWord<V> : constantWord<V>
    let n = 0
    return interpolated.map((slot) => (isSame(slot) ? constantOf(row, slot.attribute) : values[n++]!))
  }
  const hasLoop = planes === undefined && interpolated.some(isSame)
  if (hasLoop)
    for (const { input } of interpolated)
      if ('at' in input) precision === 'fast' ? fastPlaceOf(input.at) : placeOf(input.at)
  const words = hasLoop ? choose(o.i32Equal(row.word(ROW_WORD.same), o.constant(same)), withSame, anyWords) : anyWords()
  interpolated.forEach(({ first }, i) => void store(first, words[i]!))
  for (const slot of slots) if (!isInterpolated(slot)) store(slot.first, wordOf(slot))
  if (coverage >= 0) store(coverage, covered())
  if (primitiveId >= 0) store(primitiveId, row.word(ROW_WORD.primitiveId))
  store(helpers, o.i32Equal(masks(), o.constant(0)))
}

/** 1/256 as a float32. */
const ONE_SUBPIXEL = 0x3b800000
