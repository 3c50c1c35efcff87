import type { BlendFactor, BlendOp, LogicOp, TargetBlend } from '../state.ts'
import type { ClampRange } from './blend-words.ts'
import type { Element } from './element.ts'

/**
 * Blending with numbers, made once for a target and its state: bit for bit what `blend-words.ts` says. Fixed-point targets
 * leave out the flush of denormals: inputs and results lie in [-1, 1], and a denormal is nowhere near half a code.
 */

/** What one blend reads and writes; reused from pixel to pixel. */
export interface BlendRegisters {
  readonly source: Element
  readonly source1: Element
  readonly destination: Element
  readonly blendFactor: Element
  readonly result: Element
}

const { fround } = Math
const LEAST_NORMAL = 2 ** -126
const NAN = 0x7fc00000

/** A denormal becomes zero of its sign; NaN stays. */
const flush = (v: number): number => (Math.abs(v) < LEAST_NORMAL ? v * 0 : v)

/** The number of two where one is NaN; -0 below 0. */
const least = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b))
const greatest = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b))

/** Clamps in place; NaN becomes 0 where there is a range. */
export function clampElement({ floats }: Element, range: ClampRange): void {
  if (range === 'none') return
  const low = range === 'unorm' ? 0 : -1
  for (let c = 0; c < 4; c++) {
    const v = floats[c]!
    floats[c] = v > low ? (v < 1 ? v : 1) : v <= low ? low : 0
  }
}

type Factor = (x: BlendRegisters, c: number) => number

export const FACTORS: Readonly<Record<BlendFactor, Factor>> = {
  ZERO: () => 0,
  ONE: () => 1,
  SRC_COLOR: (x, c) => x.source.floats[c]!,
  INV_SRC_COLOR: (x, c) => fround(1 - x.source.floats[c]!),
  SRC_ALPHA: (x) => x.source.floats[3]!,
  INV_SRC_ALPHA: (x) => fround(1 - x.source.floats[3]!),
  DEST_ALPHA: (x) => x.destination.floats[3]!,
  INV_DEST_ALPHA: (x) => fround(1 - x.destination.floats[3]!),
  DEST_COLOR: (x, c) => x.destination.floats[c]!,
  INV_DEST_COLOR: (x, c) => fround(1 - x.destination.floats[c]!),
  SRC_ALPHA_SAT: (x, c) => (c === 3 ? 1 : least(fround(1 - x.destination.floats[3]!), x.source.floats[3]!)),
  BLEND_FACTOR: (x, c) => x.blendFactor.floats[c]!,
  INV_BLEND_FACTOR: (x, c) => fround(1 - x.blendFactor.floats[c]!),
  SRC1_COLOR: (x, c) => x.source1.floats[c]!,
  INV_SRC1_COLOR: (x, c) => fround(1 - x.source1.floats[c]!),
  SRC1_ALPHA: (x) => x.source1.floats[3]!,
  INV_SRC1_ALPHA: (x) => fround(1 - x.source1.floats[3]!),
}

/** One component of the result, rounded to float32. */
type Combine = (x: BlendRegisters, c: number) => number

function fixedPoint(op: BlendOp, sf: Factor, df: Factor): Combine {
  switch (op) {
    case 'ADD':
      return (x, c) => fround(x.source.floats[c]! * sf(x, c)) + fround(x.destination.floats[c]! * df(x, c))
    case 'SUBTRACT':
      return (x, c) => fround(x.source.floats[c]! * sf(x, c)) - fround(x.destination.floats[c]! * df(x, c))
    case 'REV_SUBTRACT':
      return (x, c) => fround(x.destination.floats[c]! * df(x, c)) - fround(x.source.floats[c]! * sf(x, c))
    case 'MIN':
      return (x, c) => Math.min(x.source.floats[c]!, x.destination.floats[c]!)
    case 'MAX':
      return (x, c) => Math.max(x.source.floats[c]!, x.destination.floats[c]!)
  }
}

function floatingPoint(op: BlendOp, sf: Factor, df: Factor): Combine {
  const source: Combine = (x, c) => flush(fround(x.source.floats[c]! * sf(x, c)))
  const destination: Combine = (x, c) => flush(fround(x.destination.floats[c]! * df(x, c)))
  switch (op) {
    case 'ADD':
      return (x, c) => flush(fround(source(x, c) + destination(x, c)))
    case 'SUBTRACT':
      return (x, c) => flush(fround(source(x, c) - destination(x, c)))
    case 'REV_SUBTRACT':
      return (x, c) => flush(fround(destination(x, c) - source(x, c)))
    case 'MIN':
      return (x, c) => least(x.source.floats[c]!, x.destination.floats[c]!)
    case 'MAX':
      return (x, c) => greatest(x.source.floats[c]!, x.destination.floats[c]!)
  }
}

/** Denormals of an element become zeros, in place. */
export function flushElement({ floats }: Element): void {
  for (let c = 0; c < 4; c++) floats[c] = flush(floats[c]!)
}

/** A NaN is the quiet one. */
function setResult({ floats, words }: Element, c: number, value: number): void {
  if (Number.isNaN(value)) words[c] = NAN
  else floats[c] = value
}

/**
 * Blends the registers into `result`, the `components` (bit 0 red) alone. Source and source1 come as the shader wrote them,
 * the blend factor clamped.
 */
export function createBlend(blend: TargetBlend, range: ClampRange, components = 15): (x: BlendRegisters) => void {
  const make = range === 'none' ? floatingPoint : fixedPoint
  const color = make(blend.blendOp, FACTORS[blend.srcBlend], FACTORS[blend.destBlend])
  const alpha = make(blend.blendOpAlpha, FACTORS[blend.srcBlendAlpha], FACTORS[blend.destBlendAlpha])
  const written = [0, 1, 2].filter((c) => (components & (1 << c)) !== 0)
  const hasAlpha = (components & 8) !== 0
  if (range !== 'none') {
    return (x) => {
      clampElement(x.source, range)
      clampElement(x.source1, range)
      const { floats } = x.result
      for (let i = 0; i < written.length; i++) floats[written[i]!] = color(x, written[i]!)
      if (hasAlpha) floats[3] = alpha(x, 3)
      // The conversion to the format clamps.
    }
  }
  return (x) => {
    flushElement(x.source)
    flushElement(x.source1)
    flushElement(x.destination)
    for (let i = 0; i < written.length; i++) setResult(x.result, written[i]!, color(x, written[i]!))
    if (hasAlpha) setResult(x.result, 3, alpha(x, 3))
  }
}

/** Logic operations on words (17.7); the caller cuts the result to the bits of the component. */
export const LOGIC: Readonly<Record<LogicOp, (s: number, d: number) => number>> = {
  CLEAR: () => 0,
  SET: () => -1,
  COPY: (s) => s,
  COPY_INVERTED: (s) => ~s,
  NOOP: (_, d) => d,
  INVERT: (_, d) => ~d,
  AND: (s, d) => s & d,
  NAND: (s, d) => ~(s & d),
  OR: (s, d) => s | d,
  NOR: (s, d) => ~(s | d),
  XOR: (s, d) => s ^ d,
  EQUIV: (s, d) => ~(s ^ d),
  AND_REVERSE: (s, d) => s & ~d,
  AND_INVERTED: (s, d) => ~s & d,
  OR_REVERSE: (s, d) => s | ~d,
  OR_INVERTED: (s, d) => ~s | d,
}
