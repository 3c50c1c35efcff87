/**
 * The input assembler (functional specification 8): indices, vertex data, and primitives from vertices.
 *
 * Invariants: identifiers leave out the base and start values; addresses are computed modulo 2^32; an element is fetched as
 * a whole or not at all; every primitive begins with its leading vertex. It depends on no shader stage but the inputs that the
 * vertex shader declares.
 */
export { type AssembledPrimitives, assemblePrimitives, withoutAdjacency } from './assemble.ts'
export { type ArgumentBuffer, drawAutoVertexCount, readIndirectArguments } from './draw-arguments.ts'
export { type BoundVertexBuffer, fetchInstances, fetchVertices, type VertexFetch } from './fetch.ts'
export { FetchCode } from './fetch-code.ts'
export { createInputLayout, type InputLayout, type LayoutElement, MAX_VERTEX_STRIDE } from './layout.ts'
export {
  type BoundIndexBuffer,
  countingFrom0,
  type DrawCall,
  mayHaveCuts,
  readPart,
  readSequence,
  type VertexSequence,
} from './sequence.ts'
export { type Topology, topologyOf } from './topology.ts'
