import type { Format } from '../../isa/formats/index.ts'
import { type RenderTargetView, targetOffset } from '../../machine/index.ts'
import type { BlendState, TargetBlend } from '../state.ts'
import { type BlendRegisters, clampElement, createBlend, flushElement, LOGIC } from './blend-numbers.ts'
import type { ClampRange } from './blend-words.ts'
import {
  componentCode,
  createElement,
  type ElementWriter,
  elementReader,
  elementWriter,
  fieldsOf,
  lowBits,
  nearestComponentCode,
} from './element.ts'

/** Colors into render targets (functional specification 17): blending, logic operations, write masks and conversion. */

export interface ColorMerge {
  /**
   * Writes what the shader left in o#`target` (`words[at .. at + 3]`) to one sample; `words1` at `at1` is o1 for dual source
   * blending. An unbound target, or a place outside it, takes nothing.
   */
  write(
    target: number,
    x: number,
    y: number,
    slice: number,
    sample: number,
    words: Int32Array,
    at: number,
    words1?: Int32Array,
    at1?: number,
  ): void
}

export interface ColorMergeOptions {
  /**
   * How float16, float11 and float10 targets round. Default 'toward-zero', which functional specification 3.2.2 demands;
   * some hardware rounds to nearest even.
   */
  readonly smallFloats?: 'toward-zero' | 'nearest-even'
}

/** Range that a target clamps to (17.5). Formats of 16 bits and less that are floats are blended as float32. */
export function clampRangeOf(format: Format): ClampRange {
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

function blendStore(view: RenderTargetView, b: TargetBlend, write: ElementWriter): Store {
  const read = elementReader(view.format, view.storage)
  const present = fieldsOf(view.format).reduce((mask, f) => mask | (1 << f.component), 0)
  const blend = createBlend(b, clampRangeOf(view.format), present & b.renderTargetWriteMask)
  return (byteOffset, x) => {
    read(byteOffset, x.destination)
    blend(x)
    write(byteOffset, x.result)
  }
}

function storeOf(view: RenderTargetView, b: TargetBlend, { smallFloats }: ColorMergeOptions): Store {
  const { format, storage } = view
  if (b.logicOpEnable && format.capabilities.logicOp !== 'none') return logicStore(view, b)
  const codeOf = smallFloats === 'nearest-even' ? nearestComponentCode : componentCode
  const write = elementWriter(format, storage, b.renderTargetWriteMask, codeOf)
  if (b.blendEnable && format.capabilities.blend !== 'none') return blendStore(view, b, write)
  return (byteOffset, x) => write(byteOffset, x.source)
}

interface Target {
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

function setWords(to: Int32Array, words: Int32Array, at: number): void {
  to[0] = words[at]!
  to[1] = words[at + 1]!
  to[2] = words[at + 2]!
  to[3] = words[at + 3]!
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
    return { view, registers: registersOf(view, blendFactor), store: storeOf(view, b, options) }
  })
  return {
    write(target, x, y, slice, sample, words, at, words1, at1 = 0) {
      const t = made[target]
      if (t === undefined) return
      const { view, registers } = t
      const inside = x >= 0 && x < view.width && y >= 0 && y < view.height
      if (!inside || slice >= view.arraySize || sample >= view.sampleCount) return
      setWords(registers.source.words, words, at)
      if (words1 !== undefined) setWords(registers.source1.words, words1, at1)
      t.store(targetOffset(view, x, y, slice, sample), registers)
    },
  }
}
