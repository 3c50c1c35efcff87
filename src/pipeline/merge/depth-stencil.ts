import { type DepthStencilView, targetOffset } from '../../machine/index.ts'
import type { ComparisonFunc, DepthStencilState, StencilFace, StencilOp } from '../state.ts'
import type { DepthStencilTestState } from './depth-stencil-program.ts'

/** The depth and stencil tests of a draw, sample by sample, with their writes: what the draw loop calls early or late. */

/** One sample of one pixel: `z` is float32 and clamped; `reference` replaces the draw's stencil reference where given. */
export type SampleTest = (
  x: number,
  y: number,
  slice: number,
  sample: number,
  z: number,
  frontFacing: boolean,
  reference?: number,
) => boolean

export interface DepthStencilTest {
  /** Tests, and writes what stencil operations and depth write ask for. True where the sample passes. */
  readonly test: SampleTest
  /** The same answer, and no write. */
  readonly testOnly: SampleTest
  /** Whether `test` can write. */
  readonly writes: boolean
  /** Every sample passes, and nothing is written: depth need not be known. */
  readonly passesAll: boolean
  /** What the tests depend on; undefined where every sample passes. */
  readonly state: DepthStencilTestState | undefined
  /** Depth is all that is tested, of pixels with one sample. */
  readonly alone: DepthAlone | undefined
}

/** A depth test without stencil: how the new depth must compare with the stored one, both as the format has them. */
export interface DepthAlone {
  readonly view: DepthStencilView
  readonly bitCount: 16 | 24 | 32
  readonly whenLess: boolean
  readonly whenEqual: boolean
  readonly whenGreater: boolean
  /** Where one of them is NaN. */
  readonly whenUnordered: boolean
  readonly writes: boolean
}

/** Depth clamped to the range of the viewport, as it reaches the output merger (17.10); NaN becomes `min`. */
export function clampDepth(z: number, min: number, max: number): number {
  const low = z > min ? z : min
  return low < max ? low : max
}

/** A float32 depth as an n-bit UNORM code (17.11): exact, since a double holds the product of both. */
export function depthToCode(z: number, bitCount: 16 | 24): number {
  const greatest = 2 ** bitCount - 1
  return z > 0 ? (z < 1 ? Math.floor(z * greatest + 0.5) : greatest) : 0
}

type Comparison = (a: number, b: number) => boolean

const COMPARISONS: Readonly<Record<ComparisonFunc, Comparison>> = {
  NEVER: () => false,
  LESS: (a, b) => a < b,
  EQUAL: (a, b) => a === b,
  LESS_EQUAL: (a, b) => a <= b,
  GREATER: (a, b) => a > b,
  NOT_EQUAL: (a, b) => a !== b,
  GREATER_EQUAL: (a, b) => a >= b,
  ALWAYS: () => true,
}

const STENCIL_OPS: Readonly<Record<StencilOp, (reference: number, stored: number) => number>> = {
  KEEP: (_, stored) => stored,
  ZERO: () => 0,
  REPLACE: (reference) => reference,
  INCR_SAT: (_, stored) => Math.min(stored + 1, 255),
  DECR_SAT: (_, stored) => Math.max(stored - 1, 0),
  INVERT: (_, stored) => stored ^ 255,
  INCR: (_, stored) => (stored + 1) & 255,
  DECR: (_, stored) => (stored - 1) & 255,
}

/** How the depth of a format is compared and stored: as the numbers that lie in memory. */
interface DepthPlane {
  /** float32 to what is compared. */
  convert(z: number): number
  load(byteOffset: number): number
  store(byteOffset: number, value: number): void
}

const D24_MASK = 0xffffff

/** Bits of the depth; every format of a depth-stencil view has some. */
function depthBits({ format }: Pick<DepthStencilView, 'format'>): 16 | 24 | 32 {
  const bitCount = format.components.find((c) => c.name === 'd')?.bitCount
  return bitCount === 16 || bitCount === 24 ? bitCount : 32
}

/** The depth bits of a view's elements. */
export function depthPlane(view: Pick<DepthStencilView, 'format' | 'storage'>): DepthPlane {
  const bitCount = depthBits(view)
  const { halves, words } = view.storage
  if (bitCount === 16) {
    return {
      convert(z) {
        return depthToCode(z, 16)
      },
      load(o) {
        return halves[o >>> 1]!
      },
      store(o, code) {
        halves[o >>> 1] = code
      },
    }
  }
  if (bitCount === 24) {
    return {
      convert(z) {
        return depthToCode(z, 24)
      },
      load(o) {
        return words[o >>> 2]! & D24_MASK
      },
      store(o, code) {
        words[o >>> 2] = (words[o >>> 2]! & ~D24_MASK) | code
      },
    }
  }
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length)
  return {
    convert(z) {
      return z
    },
    load(o) {
      return floats[o >>> 2]!
    },
    store(o, z) {
      floats[o >>> 2] = z
    },
  }
}

/** Bytes from the start of an element to its stencil; undefined where the format has none. */
export function stencilByte({ format }: DepthStencilView): number | undefined {
  const bitOffset = format.components.find((c) => c.name === 's')?.bitOffset
  return bitOffset === undefined ? undefined : bitOffset / 8
}

interface Face {
  readonly passes: Comparison
  readonly fail: (reference: number, stored: number) => number
  readonly depthFail: (reference: number, stored: number) => number
  readonly pass: (reference: number, stored: number) => number
}

function faceOf(face: StencilFace): Face {
  return {
    passes: COMPARISONS[face.stencilFunc],
    fail: STENCIL_OPS[face.stencilFailOp],
    depthFail: STENCIL_OPS[face.stencilDepthFailOp],
    pass: STENCIL_OPS[face.stencilPassOp],
  }
}

/** Where targets differ in size a draw covers what they have in common: outside the depth buffer every test fails. */
function isOutside(v: DepthStencilView, x: number, y: number, slice: number, sample: number): boolean {
  return !(x >= 0 && x < v.width && y >= 0 && y < v.height && slice < v.arraySize && sample < v.sampleCount)
}

/** Depth alone: DepthEnable false, or no view, passes everything and writes nothing (17.9, 17.11). */
function depthTest(view: DepthStencilView, state: DepthStencilState, write: boolean): SampleTest {
  const { convert, load, store } = depthPlane(view)
  const passes = COMPARISONS[state.depthFunc]
  return (x, y, slice, sample, z) => {
    if (isOutside(view, x, y, slice, sample)) return false
    const byteOffset = targetOffset(view, x, y, slice, sample)
    const value = convert(z)
    if (!passes(value, load(byteOffset))) return false
    if (write) store(byteOffset, value)
    return true
  }
}

function depthAlone(view: DepthStencilView, state: DepthStencilState, writes: boolean): DepthAlone | undefined {
  if (view.sampleCount !== 1) return undefined
  const passes = COMPARISONS[state.depthFunc]
  return {
    view,
    bitCount: depthBits(view),
    whenLess: passes(0, 1),
    whenEqual: passes(0, 0),
    whenGreater: passes(1, 0),
    whenUnordered: passes(0, Number.NaN),
    writes,
  }
}

interface StencilWrites {
  readonly depth: boolean
  readonly stencil: boolean
}

/** Stencil, then depth, then the writes of both, stencil first (section 17; a disabled depth test passes). */
function stencilTest(
  view: DepthStencilView,
  state: DepthStencilState,
  reference: number,
  at: number,
  writes: StencilWrites,
): SampleTest {
  const { convert, load, store } = depthPlane(view)
  const { bytes } = view.storage
  const front = faceOf(state.frontFace)
  const back = faceOf(state.backFace)
  const readMask = state.stencilReadMask & 255
  const writeMask = writes.stencil ? state.stencilWriteMask & 255 : 0
  const passes = state.depthEnable ? COMPARISONS[state.depthFunc] : COMPARISONS.ALWAYS
  return (x, y, slice, sample, z, frontFacing, override) => {
    if (isOutside(view, x, y, slice, sample)) return false
    const byteOffset = targetOffset(view, x, y, slice, sample)
    const face = frontFacing ? front : back
    const ref = (override ?? reference) & 255
    const stored = bytes[byteOffset + at]!
    const value = convert(z)
    const stencilPass = face.passes(ref & readMask, stored & readMask)
    const depthPass = stencilPass && passes(value, load(byteOffset))
    const op = depthPass ? face.pass : stencilPass ? face.depthFail : face.fail
    if (writeMask !== 0) {
      bytes[byteOffset + at] = (stored & ~writeMask) | (op(ref, stored) & writeMask)
    }
    if (depthPass && writes.depth) store(byteOffset, value)
    return depthPass
  }
}

const PASSES: SampleTest = () => true

/**
 * The tests of a draw. Without a view, or a plane that is tested, that test passes (17.11, 17.12); the read-only flags of
 * the view forbid writes (17.13).
 */
export function createDepthStencilTest(
  view: DepthStencilView | undefined,
  state: DepthStencilState,
  reference: number,
): DepthStencilTest {
  const none: DepthStencilTest = {
    test: PASSES,
    testOnly: PASSES,
    writes: false,
    passesAll: true,
    alone: undefined,
    state: undefined,
  }
  if (view === undefined) return none
  const depth = state.depthEnable && state.depthWriteMask === 'ALL' && !view.readOnlyDepth
  const at = stencilByte(view)
  if (state.stencilEnable && at !== undefined) {
    const stencil = (state.stencilWriteMask & 255) !== 0 && !view.readOnlyStencil
    return {
      test: stencilTest(view, state, reference, at, { depth, stencil }),
      testOnly: stencilTest(view, state, reference, at, { depth: false, stencil: false }),
      writes: depth || stencil,
      passesAll: false,
      alone: undefined,
      state: {
        view,
        depthStencil: state,
        reference,
        writesDepth: depth,
        testsStencil: true,
        writesStencil: stencil,
      },
    }
  }
  if (!state.depthEnable) return none
  return {
    test: depthTest(view, state, depth),
    testOnly: depthTest(view, state, false),
    writes: depth,
    passesAll: false,
    alone: depthAlone(view, state, depth),
    state: { view, depthStencil: state, reference, writesDepth: depth, testsStencil: false, writesStencil: false },
  }
}
