import { newPrimitiveArray, type PrimitiveArray } from '../geometry.ts'
import {
  type AssembledPrimitives,
  assemblePrimitives,
  type BoundIndexBuffer,
  type DrawCall,
  mayHaveCuts,
  readSequence,
  type Topology,
  type VertexSequence,
  withoutAdjacency,
} from '../input/index.ts'
import { createPool } from '../pool.ts'
import type { PrimitiveConsumer } from './consumer.ts'
import type { GeometryDeclarations } from './geometry-stage.ts'
import { MAX_PATCHES } from './hull-stage.ts'
import { REUSE_WINDOW, type VertexPlan } from './vertex-plan.ts'

/**
 * Long draws part by part: the vertices of a part are shaded and its primitives passed on before the next part is looked at, so that
 * what stages hand to each other stays small.
 */

/** About how many elements a part has; tests want less. */
export const drawParts = { elements: 6144 }

/** Elements of a part at the most. */
export const MOST_PART_ELEMENTS = drawParts.elements + REUSE_WINDOW * 32

/** Primitives between two places where a draw yields to the host. */
const PRIMITIVES_BETWEEN = 512
/** Primitives after which the stages of a draw take turns, where their order shows. */
const PRIMITIVES_PER_SLICE = 64

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

/** Elements of a draw: indices, or vertices. */
export const elementCount = (call: DrawCall): number => ('vertexCount' in call ? call.vertexCount : call.indexCount)

/**
 * Elements of a part, whole primitives, batches of patches and windows of reuse, so that the same vertices are shaded as without parts; 0
 * where a draw is not taken apart.
 */
export function partLength(
  { topology, cutOnLists }: { readonly topology: Topology; readonly cutOnLists: boolean },
  call: DrawCall,
  b: BoundIndexBuffer | undefined,
  elements = drawParts.elements,
): number {
  if (topology.isStrip) return 0
  const { vertexCount, kind } = topology
  // Parts of patches end where batches of the hull shader do, on any number of threads.
  const size = kind === 'patch' && elements >= vertexCount * MAX_PATCHES ? vertexCount * MAX_PATCHES : vertexCount
  // Without indices every vertex is another one.
  const window = 'vertexCount' in call ? 1 : REUSE_WINDOW
  const least = (window / greatestDivisor(window, size)) * size
  const length = Math.ceil(elements / least) * least
  return elementCount(call) <= length || (cutOnLists && mayHaveCuts(call, b)) ? 0 : length
}

/** The primitives of a part. Adjacent vertices are there for geometry shaders that take them alone. */
export function primitivesOf(
  topology: Topology,
  geometry: GeometryDeclarations | undefined,
  sequence: VertexSequence,
): AssembledPrimitives {
  const all = assemblePrimitives(topology, sequence)
  return readsAdjacency(geometry) ? all : withoutAdjacency(topology, all)
}

/** Whether a geometry shader takes adjacent vertices; patches have none. */
function readsAdjacency(geometry: GeometryDeclarations | undefined): boolean {
  const stage = geometry?.stage
  return stage?.kind === 'geometry' && (stage.input.kind === 'line_adj' || stage.input.kind === 'triangle_adj')
}

/** The SV_VertexIDs of a primitive or patch of a draw, as its first stage takes them; undefined where the draw has no such. */
export function verticesOfPrimitive(
  { topology, cutOnLists }: { readonly topology: Topology; readonly cutOnLists: boolean },
  geometry: GeometryDeclarations | undefined,
  call: DrawCall,
  indexBuffer: BoundIndexBuffer | undefined,
  primitive: number,
): readonly number[] | undefined {
  const sequence = readSequence(call, indexBuffer, { cutActs: topology.isStrip || cutOnLists })
  const { vertices, verticesPerPrimitive: size, count } = primitivesOf(topology, geometry, sequence)
  if (primitive < 0 || primitive >= count) return undefined
  return Array.from({ length: size }, (_, k) => sequence.ids[vertices[primitive * size + k]!]!)
}

/** Which primitives are passed on. */
interface PassedPrimitives {
  readonly plan: VertexPlan
  readonly primitives: AssembledPrimitives
  /** Identifier of the first of them. */
  readonly firstPrimitive: number
  readonly firstInstance: number
  readonly instanceCount: number
  /** A shader that takes them writes memory. */
  readonly hasEffects: boolean
}

/** Arrays that primitives are passed on in; those of more vertices are made anew. */
const MOST_POOLED = 6
const ARRAYS = createPool(() => newPrimitiveArray(MOST_POOLED, PRIMITIVES_BETWEEN))

/** Passes on the primitives of instances whose vertices have been shaded together. */
export function* passPrimitives(to: PrimitiveConsumer, given: PassedPrimitives): Generator<void, void> {
  const { verticesPerPrimitive: size, count } = given.primitives
  const atOnce = given.hasEffects ? PRIMITIVES_PER_SLICE : PRIMITIVES_BETWEEN
  if (size > MOST_POOLED) {
    yield* passPrimitivesIn(newPrimitiveArray(size, Math.min(count * given.instanceCount, atOnce)), to, given, atOnce)
    return
  }
  const arrays = ARRAYS.acquire()
  yield* passPrimitivesIn({ ...arrays, verticesPerPrimitive: size }, to, given, atOnce)
  ARRAYS.release(arrays)
}

function* passPrimitivesIn(
  part: PrimitiveArray,
  to: PrimitiveConsumer,
  given: PassedPrimitives,
  atOnce: number,
): Generator<void, void> {
  const { primitives, firstPrimitive, firstInstance, instanceCount, hasEffects } = given
  const { count: perInstance } = primitives
  let [instance, next] = [0, 0]
  for (let left = perInstance * instanceCount; left > 0; left -= part.count) {
    part.count = Math.min(atOnce, left)
    for (let done = 0; done < part.count; ) {
      const count = Math.min(part.count - done, perInstance - next)
      for (let i = 0; i < count; i++) {
        part.ids[done + i] = firstPrimitive + next + i
        part.instances[done + i] = firstInstance + instance
      }
      fillVertices(part, done, count, given, next, instance)
      done += count
      next += count
      if (next < perInstance) continue
      next = 0
      instance++
    }
    yield* to.add(part, 0, part.count)
    if (hasEffects) yield* to.flush()
    yield
  }
}

/** Writes the vertices of `count` primitives of an instance, from `next` on. */
function fillVertices(
  { vertices: into, verticesPerPrimitive: size }: PrimitiveArray,
  done: number,
  count: number,
  { plan, primitives }: PassedPrimitives,
  next: number,
  instance: number,
): void {
  const { numbers } = plan
  const { vertices: places, isCounted } = primitives
  const base = instance * plan.count
  const [at, from, end] = [done * size, next * size, (next + count) * size]
  if (isCounted && base === 0) into.set(new Int32Array(numbers.buffer, numbers.byteOffset + from * 4, end - from), at)
  else for (let k = from; k < end; k++) into[at + k - from] = base + numbers[places[k]!]!
}
