import type { ValueOps } from '../../isa/index.ts'
import type { DepthStencilView } from '../../machine/index.ts'
import type { DepthStencilState, StencilFace } from '../state.ts'
import { stateText } from '../state-text.ts'
import {
  clampDepthWord,
  depthPassesWord,
  stencilMergeWord,
  stencilPassesWord,
  stencilResultWord,
} from './depth-stencil-words.ts'
import { unormCodeWord } from './element-words.ts'

/** The tests of a sample over the words that lie in a depth buffer, for compilers: what `depth-stencil.ts` does with numbers. */

/** What the tests of a draw depend on. */
export interface DepthStencilTestState {
  readonly view: DepthStencilView
  readonly depthStencil: DepthStencilState
  readonly testsStencil: boolean
  readonly writesDepth: boolean
  readonly writesStencil: boolean
  readonly reference: number
}

/** What of it programs depend on, as JSON for their keys: views aside, and the reference, which they read. */
export const testStateText = ({
  depthStencil,
  testsStencil,
  writesDepth,
  writesStencil,
}: DepthStencilTestState): string => `[${stateText(depthStencil)},${testsStencil},${writesDepth},${writesStencil}]`

/** What is known of a sample. */
export interface TestedSample<V> {
  /** float32, as interpolated; and the range of the viewport. */
  readonly depth: V
  readonly minDepth: V
  readonly maxDepth: V
  /** All ones or 0. */
  readonly isFrontFacing: V
  readonly isCovered: V
  readonly reference: V
  /** The words of the view's element. */
  readonly element: readonly V[]
}

/** Comparisons whose passing samples leave a depth that makes no failing one pass; equal ones leave what is there. */
const MONOTONE: ReadonlySet<string> = new Set([
  'NEVER',
  'LESS',
  'EQUAL',
  'LESS_EQUAL',
  'GREATER',
  'GREATER_EQUAL',
  'ALWAYS',
])

/**
 * Whether a sample that fails fails for good, whatever the draw writes meanwhile, and changes nothing: stored depth moves one way
 * alone, and a stencil value that fails is changed by none.
 */
export function failsForGood({
  depthStencil,
  testsStencil,
  writesDepth,
  writesStencil,
}: DepthStencilTestState): boolean {
  const { depthFunc, depthEnable, frontFace, backFace } = depthStencil
  const isDepthKept = !depthEnable || !writesDepth || MONOTONE.has(depthFunc)
  if (!testsStencil || !writesStencil) return isDepthKept
  const keeps = (face: StencilFace): boolean => face.stencilFailOp === 'KEEP' && face.stencilDepthFailOp === 'KEEP'
  return isDepthKept && keeps(frontFace) && keeps(backFace) && frontFace.stencilFunc === backFace.stencilFunc
}

const D24_MASK = 0xffffff

/** Whether elements are whole words: formats of 24 and 32 bits of depth. */
export const hasDepthStencilWords = ({ format }: DepthStencilView): boolean => format.blockByteLength % 4 === 0

const hasFloats = ({ format }: DepthStencilView): boolean =>
  format.components.some((c) => c.name === 'd' && c.encoding === 'float')

/** What is compared of an interpolated depth: float32, or a code. A larger depth has none that is less. */
export function comparedDepth<V>(
  o: ValueOps<V>,
  view: DepthStencilView,
  { depth, minDepth, maxDepth }: Pick<TestedSample<V>, 'depth' | 'minDepth' | 'maxDepth'>,
): V {
  const z = clampDepthWord(o, depth, minDepth, maxDepth)
  return hasFloats(view) ? z : unormCodeWord(o, z, 24)
}

/**
 * The depth that an element of one word has, compared as an integer, 0 where it has a sign or where its stencil fails whatever the face:
 * as long as `failsForGood`, nothing passes later that is not nearer.
 */
export function passableDepth<V>(
  o: ValueOps<V>,
  { view, depthStencil, testsStencil }: DepthStencilTestState,
  reference: V,
  element: V,
): V {
  const isFloat = hasFloats(view)
  const value = isFloat ? element : o.and(element, o.constant(D24_MASK))
  const depth = isFloat ? o.select(o.i32Less(value, o.constant(0)), o.constant(0), value) : value
  const { frontFace, backFace, stencilReadMask } = depthStencil
  if (!testsStencil || frontFace.stencilFunc !== backFace.stencilFunc) return depth
  const stored = o.and(o.shiftRightLogical(element, o.constant(stencilPlace(view).shift)), o.constant(0xff))
  const readMask = o.constant(stencilReadMask & 0xff)
  return o.and(depth, stencilPassesWord(o, frontFace.stencilFunc, readMask, reference, stored))
}

/** Which samples pass, the words that the element gets where it is written, and which samples are. */
export function depthStencilElement<V>(
  o: ValueOps<V>,
  state: DepthStencilTestState,
  sample: TestedSample<V>,
): { readonly passes: V; readonly element: readonly V[]; readonly writes: V } {
  const { view, depthStencil, testsStencil, writesDepth, writesStencil } = state
  const isFloat = hasFloats(view)
  const [first] = sample.element as readonly [V]
  const value = comparedDepth(o, view, sample)
  const stored = isFloat ? first : o.and(first, o.constant(D24_MASK))
  const { depthFunc, depthEnable } = depthStencil
  const isNearer = depthEnable ? depthPassesWord(o, depthFunc, isFloat, value, stored) : o.constant(0xffffffff)
  const stencil = testsStencil ? testStencil(o, state, sample, isNearer) : undefined
  const passes = o.and(sample.isCovered, stencil === undefined ? isNearer : o.and(stencil.passes, isNearer))
  // Where stencil is written too, depth is in fewer samples.
  const written = writesStencil && stencil !== undefined ? o.select(passes, value, stored) : value
  const depth = writesDepth ? written : stored
  const kept = isFloat ? depth : o.or(depth, o.and(first, o.constant(~D24_MASK >>> 0)))
  const element = [kept, ...sample.element.slice(1)]
  if (stencil === undefined || !writesStencil) return { passes, element, writes: passes }
  const { word, shift } = stencilPlace(view)
  const others = o.and(element[word]!, o.constant(~(0xff << shift) >>> 0))
  element[word] = o.or(others, o.shiftLeft(stencil.result, o.constant(shift)))
  return { passes, element, writes: sample.isCovered }
}

function stencilPlace({ format }: DepthStencilView): { readonly word: number; readonly shift: number } {
  const bitOffset = format.components.find((c) => c.name === 's')!.bitOffset
  return { word: bitOffset >>> 5, shift: bitOffset & 31 }
}

/** Whether the stencil passes, and the value that it becomes. */
function testStencil<V>(
  o: ValueOps<V>,
  { view, depthStencil }: DepthStencilTestState,
  { reference, element, isFrontFacing }: TestedSample<V>,
  isNearer: V,
): { readonly passes: V; readonly result: V } {
  const { word, shift } = stencilPlace(view)
  const stored = o.and(o.shiftRightLogical(element[word]!, o.constant(shift)), o.constant(0xff))
  const readMask = o.constant(depthStencil.stencilReadMask & 0xff)
  const ofFace = (face: StencilFace): { readonly passes: V; readonly result: V } => {
    const passes = stencilPassesWord(o, face.stencilFunc, readMask, reference, stored)
    const become = (op: StencilFace['stencilFailOp']): V => stencilResultWord(o, op, reference, stored)
    const whenPassed = o.select(isNearer, become(face.stencilPassOp), become(face.stencilDepthFailOp))
    return { passes, result: o.select(passes, whenPassed, become(face.stencilFailOp)) }
  }
  const front = ofFace(depthStencil.frontFace)
  const isSame = JSON.stringify(depthStencil.frontFace) === JSON.stringify(depthStencil.backFace)
  const back = isSame ? front : ofFace(depthStencil.backFace)
  const passes = isSame ? front.passes : o.select(isFrontFacing, front.passes, back.passes)
  const result = isSame ? front.result : o.select(isFrontFacing, front.result, back.result)
  const writeMask = o.constant(depthStencil.stencilWriteMask & 0xff)
  return { passes, result: stencilMergeWord(o, writeMask, stored, result) }
}
