import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import { POISON_WORD, type RenderTargetView, targetOffset } from '../../machine/index.ts'
import type { BlendState, Precision, TargetBlend } from '../state.ts'
import { type BlendRegisters, clampElement, createBlend, flushElement, LOGIC } from './blend-numbers.ts'
import { type StoreProgram, storeProgram } from './blend-program.ts'
import type { ClampRange } from './blend-words.ts'
import {
  type ComponentCode,
  componentCode,
  createElement,
  type ElementReader,
  elementReader,
  elementWriter,
  fieldsOf,
  lowBits,
  nearestComponentCode,
} from './element.ts'
import { blendsInCodes, codeSums } from './fast-blend.ts'
import { codeOfSum, fastComponentCode, fastUnorm } from './fast-codes.ts'

/** Colors into render targets (functional specification 17): blending, logic operations, write masks and conversion. */

/** Quads that are written, by columns; pixel i of quad n is number 4 * n + i. */
export interface MergedQuads {
  readonly count: number
  /** By quad: its first pixel, and the slice. */
  readonly x: Int32Array
  readonly y: Int32Array
  readonly slices: Int32Array
  /** By pixel: samples that it writes, as bits. */
  readonly masks: Int32Array
}

/** What the shader left for a target, by columns: component c of pixel i is `words[first + c * stride + i]`. */
export interface MergedColors {
  readonly words: Int32Array
  readonly first: number
  /** The same of o1, for dual source blending; -1 where the shader does not write it. */
  readonly first1: number
  readonly stride: number
}

export interface ColorMerge {
  /** Writes quads to a target in their order. An unbound target, and places outside it, take nothing. */
  write(target: number, quads: MergedQuads, colors: MergedColors): void
  /** What a compiler needs to do the same for pixels inside of the target; undefined where there is nothing to write, or numbers alone do it. */
  compilable(target: number): CompilableStore | undefined
}

export interface CompilableStore {
  readonly view: RenderTargetView
  readonly program: StoreProgram
  /** Words of the blend factor, clamped to the range. */
  readonly blendFactor: Int32Array
}

export interface ColorMergeOptions {
  /**
   * How float16, float11 and float10 targets round. Default 'toward-zero', which functional specification 3.2.2 demands;
   * some hardware rounds to nearest even.
   */
  readonly smallFloats?: 'toward-zero' | 'nearest-even'
  /** Default 'exact'. */
  readonly precision?: Precision
  /** Targets that get POISON_WORD in place of a result that Direct3D leaves undefined. */
  readonly poisoned?: readonly number[]
}

/** Range that a target clamps to (17.5). Formats of 16 bits and less that are floats are blended as float32. */
function clampRangeOf(format: Format): ClampRange {
  const first = format.components.find((c) => c.encoding !== 'typeless')?.encoding
  if (first === 'snorm') return 'snorm'
  return first === 'unorm' || first === 'unorm-srgb' ? 'unorm' : 'none'
}

/** The description that counts for a target: entry 0 for all unless blending is independent (17.3). */
export function targetBlend(blend: BlendState, target: number): TargetBlend {
  return blend.renderTarget[blend.independentBlendEnable ? target : 0]!
}

const DUAL_SOURCE: ReadonlySet<string> = new Set(['SRC1_COLOR', 'INV_SRC1_COLOR', 'SRC1_ALPHA', 'INV_SRC1_ALPHA'])

/** Whether a target reads o1 beside o0 (17.6). */
export function isDualSource(b: TargetBlend): boolean {
  const { srcBlend, destBlend, srcBlendAlpha, destBlendAlpha } = b
  return b.blendEnable && [srcBlend, destBlend, srcBlendAlpha, destBlendAlpha].some((f) => DUAL_SOURCE.has(f))
}

/** Stores one sample of one target: its byte, and the registers with source and source1 set. */
type Store = (byteOffset: number, x: BlendRegisters) => void

/** Logic operations work on the low bits of the source; nothing is clamped. */
function logicStore(view: RenderTargetView, b: TargetBlend): Store {
  const read = elementReader(view.format, view.storage)
  const write = elementWriter(view.format, view.storage, b.renderTargetWriteMask, lowBits)
  const op = LOGIC[b.logicOp]
  return (byteOffset, { source, destination, result }) => {
    read(byteOffset, destination)
    for (let c = 0; c < 4; c++) result.words[c] = op(source.words[c]!, destination.words[c]!)
    write(byteOffset, result)
  }
}

/** Reads elements as blending with the precision `fast` does. */
function fastReader(format: Format, read: ElementReader): ElementReader {
  const fields = fieldsOf(format).filter(({ source, bitCount }) => source.encoding === 'unorm' && bitCount <= 16)
  return (byteOffset, into) => {
    read(byteOffset, into)
    for (const { component, bitCount } of fields) into.floats[component] = fastUnorm(into.floats[component]!, bitCount)
  }
}

/** How a component gets its code. */
function codesOf({ smallFloats, precision }: ColorMergeOptions): (component: FormatComponent) => ComponentCode {
  const codeOf = smallFloats === 'nearest-even' ? nearestComponentCode : componentCode
  return precision === 'fast' ? (c) => fastComponentCode(c) ?? codeOf(c) : codeOf
}

function blendStore(view: RenderTargetView, b: TargetBlend, o: ColorMergeOptions): Store {
  const { format, storage } = view
  const isFast = o.precision === 'fast'
  const inCodes = isFast ? fieldsOf(format).filter((f) => blendsInCodes(f, b)) : []
  const usual = codesOf(o)
  const summed = new Set(inCodes.map((f) => f.source))
  const codes = (c: FormatComponent): ComponentCode => (summed.has(c) ? codeOfSum(c) : usual(c))
  const write = elementWriter(format, storage, b.renderTargetWriteMask, isFast ? codes : usual)
  const exactly = elementReader(format, storage)
  const read = isFast ? fastReader(format, exactly) : exactly
  const present = fieldsOf(format).reduce((mask, f) => mask | (1 << f.component), 0)
  const blend = createBlend(b, clampRangeOf(format), present & b.renderTargetWriteMask)
  const sumCodes = codeSums(b, inCodes)
  return (byteOffset, x) => {
    read(byteOffset, x.destination)
    blend(x)
    sumCodes(x)
    write(byteOffset, x.result)
  }
}

function storeOf(view: RenderTargetView, b: TargetBlend, o: ColorMergeOptions): Store {
  const { format, storage } = view
  if (b.logicOpEnable && format.capabilities.logicOp !== 'none') return logicStore(view, b)
  if (b.blendEnable && format.capabilities.blend !== 'none') return blendStore(view, b, o)
  const write = elementWriter(format, storage, b.renderTargetWriteMask, codesOf(o))
  return (byteOffset, x) => write(byteOffset, x.source)
}

/** Stores a pattern that shows, bits of every component as they are. */
function poisonStore({ format, storage }: RenderTargetView, b: TargetBlend): Store {
  const write = elementWriter(format, storage, b.renderTargetWriteMask, lowBits)
  return (byteOffset, { result }) => {
    result.words.fill(POISON_WORD)
    write(byteOffset, result)
  }
}

/** The program of what `storeOf` does. */
function programOf(view: RenderTargetView, blend: TargetBlend, o: ColorMergeOptions): StoreProgram | undefined {
  const { capabilities } = view.format
  if ((blend.logicOpEnable && capabilities.logicOp !== 'none') || o.smallFloats === 'nearest-even') return undefined
  const blends = blend.blendEnable && capabilities.blend !== 'none'
  const precision = o.precision ?? 'exact'
  return storeProgram(view, { blend, blends, range: clampRangeOf(view.format), precision })
}

interface Target {
  readonly program: StoreProgram | undefined
  readonly view: RenderTargetView
  readonly registers: BlendRegisters
  readonly store: Store
}

function registersOf(view: RenderTargetView, blendFactor: readonly number[]): BlendRegisters {
  const factor = createElement()
  factor.floats.set(blendFactor.slice(0, 4))
  flushElement(factor)
  clampElement(factor, clampRangeOf(view.format))
  return {
    source: createElement(),
    source1: createElement(),
    destination: createElement(),
    blendFactor: factor,
    result: createElement(),
  }
}

function setWords(to: Int32Array, { words, stride }: MergedColors, at: number): void {
  to[0] = words[at]!
  to[1] = words[at + stride]!
  to[2] = words[at + 2 * stride]!
  to[3] = words[at + 3 * stride]!
}

const isOutside = (v: RenderTargetView, x: number, y: number, slice: number): boolean =>
  x < 0 || x >= v.width || y < 0 || y >= v.height || slice >= v.arraySize

function writePixels(target: Target, p: MergedQuads, colors: MergedColors): void {
  const { view, registers, store } = target
  const { sampleCount, bytesPerTexel } = view
  const { source, source1 } = registers
  const covered = 2 ** sampleCount - 1
  source1.words.fill(0)
  for (let i = 0; i < p.count * 4; i++) {
    const mask = p.masks[i]! & covered
    if (mask === 0) continue
    const x = p.x[i >> 2]! + (i & 1)
    const y = p.y[i >> 2]! + ((i >> 1) & 1)
    const slice = p.slices[i >> 2]!
    if (isOutside(view, x, y, slice)) continue
    setWords(source.words, colors, colors.first + i)
    if (colors.first1 >= 0) setWords(source1.words, colors, colors.first1 + i)
    const byteOffset = targetOffset(view, x, y, slice, 0)
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      store(byteOffset + (31 - Math.clz32(rest & -rest)) * bytesPerTexel, registers)
    }
  }
}

/**
 * The color part of the output merger for a draw. Where state and format do not fit (blending into integers, logic
 * operations on others) the state has no effect; `checkOutputMerger` refuses them before.
 */
export function createColorMerge(
  targets: readonly (RenderTargetView | undefined)[],
  blend: BlendState,
  blendFactor: readonly [number, number, number, number],
  options: ColorMergeOptions = {},
): ColorMerge {
  const made = targets.map((view, i): Target | undefined => {
    const b = targetBlend(blend, i)
    if (view === undefined || (b.renderTargetWriteMask & 15) === 0) return undefined
    const registers = registersOf(view, blendFactor)
    return { view, registers, store: storeOf(view, b, options), program: programOf(view, b, options) }
  })
  for (const i of options.poisoned ?? []) {
    const t = made[i]
    if (t !== undefined) made[i] = { ...t, store: poisonStore(t.view, targetBlend(blend, i)), program: undefined }
  }
  return {
    write(target, quads, colors) {
      const t = made[target]
      if (t !== undefined) writePixels(t, quads, colors)
    },
    compilable(target) {
      const t = made[target]
      if (t?.program === undefined) return undefined
      return { view: t.view, program: t.program, blendFactor: t.registers.blendFactor.words }
    },
  }
}
