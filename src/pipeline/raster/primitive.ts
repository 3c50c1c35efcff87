import type { Viewport } from '../state.ts'

/** A primitive on the screen, ready for coverage and interpolation. */
export interface ScreenPrimitive {
  readonly kind: 'point' | 'line' | 'triangle'
  /** Vertices in the array of vertices; the last repeats where the kind has fewer than three. */
  readonly vertices: readonly [number, number, number]
  /** The vertex that constant attributes come from: the leading one of the primitive before clipping. */
  readonly leading: number
  /** Snapped positions in 1/256 pixel. */
  readonly x: readonly [number, number, number]
  readonly y: readonly [number, number, number]
  /** Positions before snapping, in pixels; lines with a width are built from them. */
  readonly unsnapped: readonly [number, number, number, number, number, number]
  /** Depth after viewport and bias, float32. */
  readonly z: readonly [number, number, number]
  /** Clip-space w, float32. */
  readonly w: readonly [number, number, number]
  /** Twice the signed area in (1/256 pixel)^2; positive where clockwise on the screen. 0 for lines and points. */
  readonly area2: number
  readonly isFrontFacing: boolean
  readonly viewport: Viewport
  /** As the shader wrote them. */
  readonly viewportIndex: number
  readonly renderTargetIndex: number
  readonly primitiveId: number
  /** The instance of the draw that it is of. */
  readonly instance: number
  /** Clip distances that cut this primitive: register * 4 + component. */
  readonly clipDistances: readonly number[]
  /** Triangles: bit i is set where the edge from vertex i to the next is an edge of the primitive before clipping. */
  readonly originalEdges: number
  /** Of draws that several threads run: the place among the draw's primitives. */
  readonly sequence?: number
}

/** A primitive that can be filled again. */
type RefilledPrimitive = {
  -readonly [K in keyof ScreenPrimitive]: ScreenPrimitive[K] extends readonly number[]
    ? K extends 'clipDistances'
      ? ScreenPrimitive[K]
      : number[] & ScreenPrimitive[K]
    : ScreenPrimitive[K]
}

export const EMPTY_VIEWPORT: Viewport = { topLeftX: 0, topLeftY: 0, width: 0, height: 0, minDepth: 0, maxDepth: 0 }

export const newRefilledPrimitive = (): RefilledPrimitive => ({
  kind: 'point',
  vertices: [0, 0, 0],
  leading: 0,
  x: [0, 0, 0],
  y: [0, 0, 0],
  unsnapped: [0, 0, 0, 0, 0, 0],
  z: [0, 0, 0],
  w: [0, 0, 0],
  area2: 0,
  isFrontFacing: true,
  viewport: EMPTY_VIEWPORT,
  viewportIndex: 0,
  renderTargetIndex: 0,
  primitiveId: 0,
  instance: 0,
  clipDistances: [],
  originalEdges: 0,
})

/** Pixels from left and top up to, not including, right and bottom. */
export interface PixelRect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export function intersect(a: PixelRect, b: PixelRect): PixelRect {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

export const isEmpty = (r: PixelRect): boolean => r.left >= r.right || r.top >= r.bottom

/**
 * Receives the quads that a primitive touches, row by row and from left to right: even pixel coordinates, and the covered
 * samples of the four pixels (0,0) (1,0) (0,1) (1,1) as bits. The array is reused.
 */
export type QuadSink = (x: number, y: number, masks: Uint32Array) => void

/** Receives `count` quads beside each other of which all pixels have the same covered samples. */
export type RunSink = (x: number, y: number, count: number, mask: number) => void
