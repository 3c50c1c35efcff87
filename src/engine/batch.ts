import type { Declarations } from './declarations.ts'

/**
 * Invocations of a graphics stage: what the pipeline hands to an engine and what it gets back. Words of registers lie by
 * slot (register-layout.ts), all invocations of a slot together: slot s of invocation i is `words[s * capacity + i]`.
 */
export interface Batch {
  /** Index in `Declarations.entries`. */
  readonly entry: number
  /** Invocations that run; a multiple of 4 for pixels. */
  count: number
  /** Invocations that the arrays have room for. */
  readonly capacity: number
  readonly inputs: Int32Array
  readonly outputs: Int32Array
  /**
   * Pixel shaders: words of the engine's memory behind those of the registers, by invocation. All ones where a lane is a helper; and
   * after a run all ones where what a pixel leaves is kept, 0 where it was discarded or is a helper.
   */
  readonly helperWords?: Int32Array | undefined
  readonly keptWords?: Int32Array | undefined
  /** Outputs begin as the batch holds them, where an invocation goes on with what others wrote (hull shader phases). */
  readonly keepsOutputs?: boolean | undefined
  /** Pixel shaders: quads of lanes (0,0) (1,0) (0,1) (1,1). */
  readonly quads?: QuadBatch | undefined
  /** Geometry shaders: receives what is emitted, in the order of the invocations. */
  readonly streams?: StreamSink | undefined
  /** What people call invocation `i`: `vertex 12 of instance 3`. */
  describe(invocation: number): string
  /** Where an invocation stands in the order of the draw, compared number by number; given where several threads run the shader. */
  orderOf?(invocation: number): readonly number[]
}

/** Columns of an execution's own memory that a batch may be made of: the engine then reads and fills them in place. Inputs are 0 at first. */
export type BatchColumns = Pick<Batch, 'capacity' | 'inputs' | 'outputs' | 'helperWords' | 'keptWords'>

/** Invocations of a batch of the stages before pixels. */
export const BATCH_SIZE = 512

/**
 * Invocations that a batch has room for. A call of compiled code costs as much as some hundred pixels; the columns of a
 * thousand with their inputs and outputs still fit a cache of the second level. Where shaders write memory it is fewer, so that
 * a draw that is stopped has not run far ahead of what is merged.
 */
export const batchCapacity = ({ stage, uavs }: Declarations): number => {
  if (uavs.length > 0) return 256
  return stage.kind === 'pixel' ? 1024 : BATCH_SIZE
}

/** A pixel of a primitive. */
export interface PixelPlace {
  readonly x: number
  readonly y: number
  /** -1 at pixel frequency. */
  readonly sample: number
  readonly primitiveId: number
  readonly instance: number
  /** Of draws that several threads run: the place of its primitive among the draw's; 0 for others. */
  readonly sequence: number
}

/** What pixel shader invocations have beside registers. */
export interface QuadBatch {
  /** `helperWords` has been filled and `keptWords` will be read, in place of `helpers` and `discarded`. */
  isInPlace?: boolean
  /** 1 where a lane runs for its neighbors' derivatives only: its stores and atomics do nothing (16.8, 22.5.1). */
  readonly helpers: Uint8Array
  /** Set to 1 by the engine where a lane executed discard. */
  readonly discarded: Uint8Array
  /** What the rasterizer register answers: samples of the target, 0 where nothing is bound (22.4.21, 22.4.22). */
  readonly sampleCount: number
  /** Position of a sample relative to the pixel's center, in pixels; [0, 0] where there is no such sample. */
  samplePosition(index: number): readonly [x: number, y: number]
  readonly attributes: PullModel
  /** Where an invocation is, and the primitive that it is of; known where a rasterizer made the batch. */
  place?(invocation: number): PixelPlace
  /** Pixel, and sample of invocations at sample frequency: those that rasterizer ordered views order among themselves. */
  pixelOf(invocation: number): string
  /**
   * The rasterizer's depth that a conservative depth output promises not to pass: at the sample, or at the centroid of
   * the covered samples (functional specification 16.9.3.2).
   */
  depth(invocation: number): number
}

/**
 * Attributes at other places than the declared one (functional specification 16.5). Results are float32 bits; constant
 * attributes are the same everywhere.
 */
export interface PullModel {
  /** At an offset from the center in sixteenths of a pixel, -8 to 7 each. */
  snapped(invocation: number, register: number, component: number, u: number, v: number): number
  /** At a sample; an index that does not exist gives the center. */
  sample(invocation: number, register: number, component: number, index: number): number
  centroid(invocation: number, register: number, component: number): number
}

/** Receives what one geometry shader invocation emitted, invocations in ascending order. */
export interface StreamSink {
  /** A vertex: words of the output registers by slot of the entry's output layout. The array is reused. */
  vertex(invocation: number, stream: number, words: Int32Array): void
  /** The strip of a stream ends; each invocation's end is one for every stream and is not signaled. */
  cut(invocation: number, stream: number): void
  /**
   * All of several invocations at once, in place of the calls above: from engines that have them in their memory so. The
   * words are there until the next invocations run.
   */
  emitted?(vertices: EmittedVertices): void
}

/** Vertices that invocations emitted: each a word of its stream (EMITTED_STREAM_BITS), then its output registers by slot. */
export interface EmittedVertices {
  readonly words: Int32Array
  /** The first of the invocations in the batch, and how many there are. */
  readonly firstInvocation: number
  readonly invocationCount: number
  /** The element that says how many vertices the first of them emitted; those of the others follow. */
  readonly counts: number
  /** The first vertex of the first invocation; words from invocation to invocation, and from vertex to vertex. */
  readonly first: number
  readonly invocationStride: number
  readonly vertexStride: number
  /** The stream of all of them, where the shader emits to no other. */
  readonly onlyStream: number | undefined
}

/** Bits of the stream in the first word of an emitted vertex; of those above some are set where its strip ends before it. */
export const EMITTED_STREAM_BITS = 8
