/** Vertices and primitives between the stages of the pipeline, as flat arrays. */

import type { VertexMemory } from './vertex-memory.ts'

/** Words of the output registers of vertices: word `(vertex * registerCount + register) * 4 + component`, as bits. */
export interface VertexArray {
  readonly registerCount: number
  count: number
  words: Int32Array
  /** Where the words of many vertices lie. */
  readonly vertexMemory: VertexMemory | undefined
}

/** Floats over words, where they have been needed: arrays of words go from draw to draw. */
const FLOATS = new WeakMap<Int32Array, Float32Array>()

/** The same memory as floats. */
export function floatsOf(words: Int32Array): Float32Array {
  const known = FLOATS.get(words)
  if (known !== undefined) return known
  const made = new Float32Array(words.buffer, words.byteOffset, words.length)
  FLOATS.set(words, made)
  return made
}

/** Room for `count` more vertices; the words are kept. */
export function growVertices(a: VertexArray, count: number): void {
  const wanted = (a.count + count) * a.registerCount * 4
  if (wanted <= a.words.length) return
  const length = Math.max(wanted, a.words.length * 2)
  const words = a.vertexMemory?.take(length) ?? new Int32Array(length)
  words.set(a.words)
  a.words = words
}

const NO_WORDS = new Int32Array(0)

export function newVertexArray(registerCount: number, capacity = 0, vertexMemory?: VertexMemory): VertexArray {
  const words = capacity === 0 ? NO_WORDS : new Int32Array(capacity * registerCount * 4)
  return { registerCount, count: 0, words, vertexMemory }
}

/** Primitives of one kind, by numbers of vertices in an array of vertices. */
export interface PrimitiveArray {
  readonly verticesPerPrimitive: number
  count: number
  /** Vertices of primitive i from element `i * verticesPerPrimitive` on, leading vertex first. */
  vertices: Int32Array
  /** Primitive identifiers (8.17). */
  ids: Int32Array
  /** The instances that they are of. */
  instances: Int32Array
}

export function newPrimitiveArray(verticesPerPrimitive: number, capacity = 0): PrimitiveArray {
  return {
    verticesPerPrimitive,
    count: 0,
    vertices: new Int32Array(capacity * verticesPerPrimitive),
    ids: new Int32Array(capacity),
    instances: new Int32Array(capacity),
  }
}

/** Room for `count` more primitives; those that there are stay. */
export function growPrimitives(a: PrimitiveArray, count: number): void {
  const wanted = a.count + count
  if (wanted <= a.ids.length) return
  const capacity = Math.max(wanted, a.ids.length * 2)
  const { vertices, ids, instances } = a
  a.vertices = new Int32Array(capacity * a.verticesPerPrimitive)
  a.vertices.set(vertices)
  a.ids = new Int32Array(capacity)
  a.ids.set(ids)
  a.instances = new Int32Array(capacity)
  a.instances.set(instances)
}

/** Where the rasterizer finds what it reads of a vertex: registers of the last stage before it (section 2.5 of 4.4.4). */
export interface RasterizerInputs {
  /** Register of the position, or -1 where the stage writes none. */
  readonly position: number
  /** Register and component of each clip and cull distance, as register * 4 + component. */
  readonly clipDistances: readonly number[]
  readonly cullDistances: readonly number[]
  /** register * 4 + component, or -1. */
  readonly viewportIndex: number
  readonly renderTargetIndex: number
}
