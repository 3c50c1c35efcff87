import { codecOf, type Storage, storageOver } from '../../machine/index.ts'
import type { InputLayout, LayoutElement } from './layout.ts'

/** Vertex data as words of input registers (functional specification 8.4.1, 8.19, 8.20). */

export interface BoundVertexBuffer {
  readonly storage: Storage
  readonly byteLength: number
  readonly stride: number
  /** Bytes from the start of the buffer; nothing before it is read. */
  readonly offset: number
}

/** Which vertex of which instance is fetched. */
export interface VertexFetch {
  /** Number of the vertex with its base added, modulo 2^32. */
  readonly vertex: number
  /** Number of the instance without StartInstanceLocation. */
  readonly instance: number
  readonly startInstance: number
}

/** Bytes of one element, copied so that elements at any address decode alike. */
const ELEMENT: Storage = storageOver({ buffer: new ArrayBuffer(16), byteOffset: 0 }, 16)
const WORDS = new Uint32Array(4)
const ZERO = new Uint32Array(4)

/** Number of the element in its buffer: by vertex, or by instance and step rate. */
function elementNumber(e: LayoutElement, at: VertexFetch): number {
  if (!e.perInstance) return at.vertex
  const steps = e.stepRate === 0 ? 0 : Math.floor(at.instance / e.stepRate)
  return (at.startInstance + steps) >>> 0
}

/** Four words of an element. Nothing bound reads 0 everywhere; out of bounds reads 0, with the format's defaults (8.19.2, 8.20). */
function readElement(e: LayoutElement, b: BoundVertexBuffer | undefined, at: VertexFetch): Uint32Array {
  if (b === undefined) return ZERO
  const size = e.format.blockByteLength
  const address = (b.offset + e.byteOffset + Math.imul(b.stride, elementNumber(e, at))) >>> 0
  if (address >= b.offset && address + size <= b.byteLength) {
    ELEMENT.bytes.set(b.storage.bytes.subarray(address, address + size))
  } else ELEMENT.bytes.fill(0)
  codecOf(e.format).decode(ELEMENT, 0, 0, WORDS, 0)
  return WORDS
}

/** Writes the words of all registers that the layout feeds: register r at `out[at + 4 * r]`. */
export function fetchVertex(
  layout: InputLayout,
  buffers: readonly (BoundVertexBuffer | undefined)[],
  at: VertexFetch,
  out: Int32Array,
  outAt: number,
): void {
  for (const e of layout.elements) {
    if (e.registers.length === 0) continue
    const words = readElement(e, buffers[e.slot], at)
    for (const { register, mask } of e.registers) {
      for (let c = 0; c < 4; c++) if ((mask & (1 << c)) !== 0) out[outAt + register * 4 + c] = words[c]!
    }
  }
}
