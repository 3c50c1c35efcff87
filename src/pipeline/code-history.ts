import type { ElementKernels, QuadKernel } from '../engine/index.ts'
import { compileThresholds } from './compile-thresholds.ts'

/**
 * What the draws of a pipeline have had up to now: whether code of the fixed function pays, which takes milliseconds to make, depends on
 * all of them. Of a draw itself some are needed.
 */
export interface CodeHistory {
  /** Small triangles. */
  triangles: number
  /** Triangles that could have been set up by code. */
  setUp: number
  /** Vertices that could have been copied by code. */
  vertices: number
  /** Vertices are copied by code of these kernels: by what is copied, with the size of the columns that the code is for. */
  copies: { readonly kernels: ElementKernels; readonly known: WeakMap<object, CopyCode> } | undefined
}

export interface CopyCode {
  readonly size: number
  readonly kernel: QuadKernel | undefined
  /** Of fetches: what they depend on of the buffers. */
  readonly shape: readonly number[] | undefined
}

export const newCodeHistory = (): CodeHistory => ({
  triangles: 0,
  setUp: 0,
  vertices: 0,
  copies: undefined,
})

const HISTORIES = new WeakMap<object, CodeHistory>()

/** The history of a pipeline, by an object that is its own. */
export function codeHistoryOf(pipeline: object): CodeHistory {
  let history = HISTORIES.get(pipeline)
  if (history === undefined) {
    history = newCodeHistory()
    HISTORIES.set(pipeline, history)
  }
  return history
}

/** Triangles or vertices of a draw from which code that there is pays. */
const FEW_FOR_CODE = 4

/** Whether code pays for a draw of which so many have come, where it does from `many` of all draws on. */
export const isWorthCode = (ofDraw: number, ofAll: number, many: number): boolean =>
  ofAll >= many && ofDraw >= Math.min(many, FEW_FOR_CODE)

/** Triangles of a draw from which code pays for them by their quads. */
const FEW_LARGE = 4

/**
 * Whether code pays for small triangles, of which a draw has had so many with so many quads in their boxes: where these are many, quads that
 * were found without it would need code of their own soon.
 */
export function isWorthTriangles(ofDraw: number, quads: number, history: CodeHistory): boolean {
  const { triangles, triangleQuads } = compileThresholds
  if (isWorthCode(ofDraw, history.triangles, triangles)) return true
  return ofDraw >= FEW_LARGE && quads >= triangleQuads
}
