import { createPool, type Pool } from '../pool.ts'
import type { Interpolator } from '../raster/index.ts'

/** Quads of pixels that wait for their shader, by columns: lane 4 * n + i is pixel i of quad n. */

export interface PixelLanes {
  count: number
  /** Lanes that there is room for, of whole quads. */
  readonly capacity: number
  /** Lanes of them that are no helpers. */
  invocations: number
  /** By quad: the primitive that it belongs to. */
  readonly interpolators: Interpolator[]
  readonly x: Int32Array
  readonly y: Int32Array
  readonly slices: Int32Array
  /** The sample that a lane runs for; -1 at pixel frequency. */
  readonly samples: Int32Array
  /** Samples that a lane's results go to. Where there is none the lane is a helper. */
  readonly masks: Uint32Array
  readonly helpers: Uint8Array
  /** Samples of the pixel that its primitive covers: neither tests nor the sample of the lane take from them (16.3.2). */
  readonly coverage: Uint32Array
  /** 1 where the primitive covers the pixel's whole square. */
  readonly inner: Uint8Array
  /** What o0.a is multiplied by: the coverage of antialiased lines. */
  readonly alphas: Float32Array
  /** 1 where the shader discarded the pixel. */
  readonly discarded: Uint8Array
  /** Samples of the targets that a lane writes. */
  readonly written: Uint32Array
}

const POOLS = new Map<number, Pool<PixelLanes>>()

function poolOf(capacity: number): Pool<PixelLanes> {
  const known = POOLS.get(capacity)
  if (known !== undefined) return known
  const pool = createPool(() => newPixelLanes(capacity))
  POOLS.set(capacity, pool)
  return pool
}

/** Empty lanes, until they are given back. What a lane holds counts from when it is added. */
export const takePixelLanes = (capacity: number): PixelLanes => poolOf(capacity).take()

export function givePixelLanes(lanes: PixelLanes): void {
  lanes.count = 0
  lanes.invocations = 0
  // Primitives refer to all of their draw.
  lanes.interpolators.length = 0
  poolOf(lanes.capacity).give(lanes)
}

function newPixelLanes(capacity: number): PixelLanes {
  return {
    count: 0,
    capacity,
    invocations: 0,
    interpolators: [],
    x: new Int32Array(capacity),
    y: new Int32Array(capacity),
    slices: new Int32Array(capacity),
    samples: new Int32Array(capacity),
    masks: new Uint32Array(capacity),
    helpers: new Uint8Array(capacity),
    coverage: new Uint32Array(capacity),
    inner: new Uint8Array(capacity),
    alphas: new Float32Array(capacity),
    discarded: new Uint8Array(capacity),
    written: new Uint32Array(capacity),
  }
}

/** A pixel of a primitive, for names in reports. */
export interface PixelPlace {
  readonly x: number
  readonly y: number
  /** -1 at pixel frequency. */
  readonly sample: number
  readonly primitiveId: number
  readonly instance: number
}

export function placeOf(lanes: PixelLanes, lane: number): PixelPlace {
  const { primitiveId, instance } = lanes.interpolators[lane >> 2]!.primitive
  return { x: lanes.x[lane]!, y: lanes.y[lane]!, sample: lanes.samples[lane]!, primitiveId, instance }
}

/** The lowest sample of a mask that is not empty. */
export const lowestSample = (mask: number): number => 31 - Math.clz32(mask & -mask)
