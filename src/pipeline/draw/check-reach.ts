/** How far a draw reads its vertex and index buffers, where its arguments say it (functional specification 8.19.2). */
import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { BoundVertexBuffer, DrawCall, LayoutElement } from '../input/index.ts'
import type { Pipeline } from './description.ts'
import type { DrawResources } from './resources.ts'

function short(path: string, what: string, end: number, byteLength: number): Diagnostic {
  const text = `${what} read up to byte ${end}, and the buffer has ${byteLength}; what is not there reads 0`
  return diagnostic('pipeline-buffer-short', text, { kind: 'path', path })
}

/** The byte behind the last that an element is read from, for so many steps. */
const endOf = (e: LayoutElement, b: BoundVertexBuffer, last: number): number =>
  b.offset + e.byteOffset + last * b.stride + e.format.blockByteLength

/** The last vertex that a draw without indices fetches, or the last element of instance data. */
function lastOf(e: LayoutElement, call: DrawCall, instances: number): number | undefined {
  if (e.perInstance) {
    const steps = e.stepRate === 0 ? 0 : Math.floor((instances - 1) / e.stepRate)
    return (call.startInstance ?? 0) + steps
  }
  return 'vertexCount' in call ? (call.startVertex ?? 0) + call.vertexCount - 1 : undefined
}

/** Hints where a draw reads behind the end of a buffer. Vertices of indexed draws are not known before the indices are read. */
export function checkReach(p: Pipeline, r: DrawResources, call: DrawCall): Diagnostic[] {
  const instances = call.instanceCount ?? 1
  const count = 'vertexCount' in call ? call.vertexCount : call.indexCount
  const found: Diagnostic[] = []
  if (count === 0 || instances === 0) return found
  const reached = new Set<number>()
  for (const e of p.inputLayout.elements) {
    const b = r.vertexBuffers[e.slot]
    const last = lastOf(e, call, instances)
    if (b === undefined || last === undefined || e.registers.length === 0 || reached.has(e.slot)) continue
    const end = endOf(e, b, last)
    if (end <= b.byteLength) continue
    reached.add(e.slot)
    const what = `elements 0 to ${last} of slot ${e.slot} (${e.semanticName}${e.semanticIndex})`
    found.push(short(`vertexBuffers[${e.slot}]`, what, end, b.byteLength))
  }
  const { indexBuffer } = r
  if (indexBuffer === undefined || 'vertexCount' in call) return found
  const size = indexBuffer.format === 'R16_UINT' ? 2 : 4
  const end = indexBuffer.offset + ((call.startIndex ?? 0) + count) * size
  if (end > indexBuffer.byteLength) found.push(short('indexBuffer', 'indices', end, indexBuffer.byteLength))
  return found
}
