import type { OutputTopology } from '../../engine/index.ts'

/** Points, line strips and triangle strips of one geometry shader invocation as single primitives (13.4). */

export interface StripAssembler {
  /** A vertex was emitted; `vertex` is its number in the caller's array. */
  vertex(vertex: number): void
  /** The strip ends; an incomplete one is dropped. Points ignore it. */
  cut(): void
}

/** Calls `primitive` with the vertices of each complete primitive, leading vertex first. */
export function createStripAssembler(
  topology: OutputTopology,
  primitive: (vertices: readonly number[]) => void,
): StripAssembler {
  let strip: number[] = []
  let count = 0
  const keep = topology === 'linestrip' ? 1 : 2
  return {
    vertex(vertex) {
      if (topology === 'pointlist') {
        primitive([vertex])
        return
      }
      if (strip.length === keep) {
        const [a, b] = strip as [number, number]
        if (topology === 'linestrip') primitive([a, vertex])
        // Triangle i of a strip leads with vertex i; odd ones swap the other two.
        else if ((count & 1) === 0) primitive([a, b, vertex])
        else primitive([a, vertex, b])
        count++
        strip.shift()
      }
      strip.push(vertex)
    },
    cut() {
      strip = []
      count = 0
    },
  }
}
