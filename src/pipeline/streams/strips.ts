import type { OutputTopology } from '../../engine/index.ts'
import { growPrimitives, newPrimitiveArray, type PrimitiveArray } from '../geometry.ts'

/** Points, line strips and triangle strips of geometry shader invocations as single primitives (13.4). */

/** Vertices of one primitive of each topology. */
const SIZES: Readonly<Record<OutputTopology, 1 | 2 | 3>> = { pointlist: 1, linestrip: 2, trianglestrip: 3 }

export class StripAssembler {
  /** The primitives that are complete, leading vertex first; whoever takes them sets their count back. */
  readonly primitives: PrimitiveArray
  readonly #size: 1 | 2 | 3
  /** Vertices of the strip so far, and the last two of them. */
  #count = 0
  #first = 0
  #second = 0

  constructor(topology: OutputTopology) {
    this.#size = SIZES[topology]
    this.primitives = newPrimitiveArray(this.#size, 256)
  }

  /** A vertex was emitted by the invocation of a primitive; `vertex` is its number in the caller's array. */
  vertex(vertex: number, primitiveId: number, instance: number): void {
    const size = this.#size
    const index = this.#count++ - (size - 1)
    if (index >= 0) this.#complete(index, vertex, primitiveId, instance)
    this.#first = this.#second
    this.#second = vertex
  }

  /** Primitive `index` of the strip ends with a vertex. Triangle i leads with vertex i; odd ones swap the other two. */
  #complete(index: number, vertex: number, primitiveId: number, instance: number): void {
    const p = this.primitives
    if (p.count === p.ids.length) growPrimitives(p, 1)
    const at = p.count * this.#size
    const { vertices } = p
    if (this.#size === 1) vertices[at] = vertex
    else if (this.#size === 2) {
      vertices[at] = this.#second
      vertices[at + 1] = vertex
    } else {
      const odd = index & 1
      vertices[at] = this.#first
      vertices[at + 1 + odd] = this.#second
      vertices[at + 2 - odd] = vertex
    }
    p.instances[p.count] = instance
    p.ids[p.count++] = primitiveId
  }

  /** The strip ends; an incomplete one is dropped. Points have no strips. */
  cut(): void {
    this.#count = 0
  }
}
