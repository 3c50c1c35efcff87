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

/** Which vertices of which instance are fetched. */
export interface VertexFetch {
  /** Numbers of the vertices with their base added, modulo 2^32. */
  readonly vertices: Uint32Array
  /** How many of them. */
  readonly count: number
  /** Number of the instance without StartInstanceLocation. */
  readonly instance: number
  readonly startInstance: number
  /** The invocation that the first of them is; 0 where it is left out. */
  readonly firstInvocation?: number
}

/**
 * Where the words of input registers go: component c of register r of the vertex i is element `first[r * 4 + c] + i`.
 * Components whose `first` is negative are not read.
 */
interface RegisterColumns {
  readonly words: Int32Array
  readonly first: Int32Array
}

/** Bytes of one element, copied so that elements at any address decode alike. */
const ELEMENT: Storage = storageOver({ buffer: new ArrayBuffer(16), byteOffset: 0 }, 16)
const WORDS = new Uint32Array(4)
/** A buffer of which nothing is there. */
const NOTHING = { storage: ELEMENT, offset: 0, byteLength: 0 }

/** Number of an element that all vertices of an instance share. */
function instanceElement({ stepRate }: LayoutElement, startInstance: number, instance: number): number {
  const steps = stepRate === 0 ? 0 : Math.floor(instance / stepRate)
  return (startInstance + steps) >>> 0
}

/** Whether a format's components are words as they stand. */
export const isOfWords = (e: LayoutElement): boolean =>
  e.format.components.every((c, i) => c.bitCount === 32 && c.name === 'rgba'[i])

/** Decodes an element into WORDS; out of bounds reads 0, with the format's defaults (8.19.2, 8.20). */
function readElement(
  e: LayoutElement,
  b: Pick<BoundVertexBuffer, 'offset' | 'byteLength' | 'storage'>,
  address: number,
): void {
  const size = e.format.blockByteLength
  const isInside = address >= b.offset && address + size <= b.byteLength
  for (let i = 0; i < size; i++) ELEMENT.bytes[i] = isInside ? b.storage.bytes[address + i]! : 0
  codecOf(e.format).decode(ELEMENT, 0, 0, WORDS, 0)
}

/** Writes WORDS to the registers that an element feeds, of vertex `i`. */
function writeElement(e: LayoutElement, { words, first }: RegisterColumns, i: number): void {
  for (const { register, mask } of e.registers) {
    for (let c = 0; c < 4; c++) {
      const column = first[register * 4 + c]!
      if ((mask & (1 << c)) !== 0 && column >= 0) words[column + i] = WORDS[c]!
    }
  }
}

/** Writes the same words for all vertices. */
function fillElement(e: LayoutElement, { words, first }: RegisterColumns, count: number, lane: number): void {
  for (const { register, mask } of e.registers) {
    for (let c = 0; c < 4; c++) {
      const column = first[register * 4 + c]!
      if ((mask & (1 << c)) !== 0 && column >= 0) words.fill(WORDS[c]!, column + lane, column + lane + count)
    }
  }
}

/** Elements at which those of vertices begin among words; -1 where one is not there. */
let PLACES = new Int32Array(256)

function reservePlaces(count: number): void {
  if (PLACES.length < count) PLACES = new Int32Array(count)
}

/** Fills PLACES for elements that lie at whole words; true where all are there. */
function findPlaces(e: LayoutElement, b: BoundVertexBuffer, at: VertexFetch): boolean {
  reservePlaces(at.count)
  const start = b.offset + e.byteOffset
  const last = b.byteLength - e.format.blockByteLength
  const { stride, offset } = b
  const { vertices } = at
  let missing = 0
  for (let i = 0; i < at.count; i++) {
    const address = (start + Math.imul(stride, vertices[i]!)) >>> 0
    const place = address >= offset && address <= last ? address >>> 2 : -1
    PLACES[i] = place
    missing |= place
  }
  return missing >= 0
}

/** What vertices have of an element that is not there: zeros, and the defaults of components that the format does not have. */
export function missingWords(e: LayoutElement): number[] {
  readElement(e, NOTHING, 2 ** 32)
  return [...WORDS]
}

/** Invocations from `lane` on. */
interface FilledLanes {
  readonly lane: number
  readonly count: number
}

/** Copies elements of words that lie at PLACES, column by column. */
function copyPlaces(
  e: LayoutElement,
  { from, componentCount }: { readonly from: Uint32Array; readonly componentCount: number },
  allThere: boolean,
  { words, first }: RegisterColumns,
  { lane, count }: FilledLanes,
): void {
  // What an element has that is not there: zeros, and the defaults of components that the format does not have.
  readElement(e, NOTHING, 2 ** 32)
  for (const { register, mask } of e.registers) {
    for (let c = 0; c < 4; c++) {
      const column = first[register * 4 + c]!
      if ((mask & (1 << c)) === 0 || column < 0) continue
      const missing = WORDS[c]!
      const to = column + lane
      if (c >= componentCount) words.fill(missing, to, to + count)
      else if (allThere) for (let i = 0; i < count; i++) words[to + i] = from[PLACES[i]! + c]!
      else for (let i = 0; i < count; i++) words[to + i] = PLACES[i]! < 0 ? missing : from[PLACES[i]! + c]!
    }
  }
}

/** Whether elements can be copied as they lie. */
const isCopied = (e: LayoutElement, b: BoundVertexBuffer): boolean =>
  ((b.offset | e.byteOffset | b.stride) & 3) === 0 && isOfWords(e)

/** Writes the words of all registers that the layout feeds. Nothing bound reads 0 everywhere. */
export function fetchVertices(
  layout: InputLayout,
  buffers: readonly (BoundVertexBuffer | undefined)[],
  at: VertexFetch,
  into: RegisterColumns,
): void {
  const lane = at.firstInvocation ?? 0
  for (const e of layout.elements) {
    if (e.registers.length === 0) continue
    const b = buffers[e.slot]
    if (b === undefined) {
      WORDS.fill(0)
      fillElement(e, into, at.count, lane)
      continue
    }
    const start = b.offset + e.byteOffset
    if (e.perInstance) {
      readElement(e, b, (start + Math.imul(b.stride, instanceElement(e, at.startInstance, at.instance))) >>> 0)
      fillElement(e, into, at.count, lane)
    } else if (isCopied(e, b)) {
      const from = { from: b.storage.words, componentCount: e.format.components.length }
      copyPlaces(e, from, findPlaces(e, b, at), into, { lane, count: at.count })
    } else {
      for (let i = 0; i < at.count; i++) {
        readElement(e, b, (start + Math.imul(b.stride, at.vertices[i]!)) >>> 0)
        writeElement(e, into, lane + i)
      }
    }
  }
}

/** Vertices of several instances, one instance behind the other: those of each instance are the same. */
interface InstancedFetch extends Omit<VertexFetch, 'count' | 'firstInvocation'>, FilledLanes {
  /** Vertices of an instance, and the one of the first instance that the first invocation is. */
  readonly perInstance: number
  readonly firstVertex: number
}

/** Words of decoded elements, four each. */
let DECODED = new Uint32Array(1024)

/** Decodes the element at an address as number `n` of DECODED. */
function decodeElement(e: LayoutElement, b: BoundVertexBuffer, address: number, n: number): void {
  if (DECODED.length < n * 4 + 4) {
    const grown = new Uint32Array(DECODED.length * 2)
    grown.set(DECODED)
    DECODED = grown
  }
  readElement(e, b, address)
  for (let i = 0; i < 4; i++) DECODED[n * 4 + i] = WORDS[i]!
}

/** Fills PLACES with those of an element of each instance; true where all are there. */
function findInstances(e: LayoutElement, b: BoundVertexBuffer, at: InstancedFetch): boolean {
  const { perInstance, count } = at
  const copied = isCopied(e, b)
  const last = b.byteLength - e.format.blockByteLength
  let missing = 0
  let vertex = at.firstVertex
  for (let i = 0, n = 0; i < count; n++) {
    const element = instanceElement(e, at.startInstance, at.instance + n)
    const address = (b.offset + e.byteOffset + Math.imul(b.stride, element)) >>> 0
    if (!copied) decodeElement(e, b, address, n)
    const place = !copied ? n * 4 : address >= b.offset && address <= last ? address >>> 2 : -1
    missing |= place
    const end = Math.min(count, i + perInstance - vertex)
    while (i < end) PLACES[i++] = place
    vertex = 0
  }
  return missing >= 0
}

/** Fills PLACES with those of an element of each vertex, for one instance after the other; true where all are there. */
function findRepeated(e: LayoutElement, b: BoundVertexBuffer, at: InstancedFetch): boolean {
  const { perInstance, firstVertex, count, vertices } = at
  if (isCopied(e, b)) findPlaces(e, b, { ...at, count: perInstance })
  else {
    for (let v = 0; v < perInstance; v++) {
      decodeElement(e, b, (b.offset + e.byteOffset + Math.imul(b.stride, vertices[v]!)) >>> 0, v)
      PLACES[v] = v * 4
    }
  }
  const places = PLACES.slice(0, perInstance)
  let missing = 0
  for (let i = 0, v = firstVertex; i < count; i++, v++) {
    if (v === perInstance) v = 0
    const place = places[v]!
    PLACES[i] = place
    missing |= place
  }
  return missing >= 0
}

/** As `fetchVertices`, of several instances with few vertices each: element by element. */
export function fetchInstances(
  layout: InputLayout,
  buffers: readonly (BoundVertexBuffer | undefined)[],
  at: InstancedFetch,
  into: RegisterColumns,
): void {
  reservePlaces(Math.max(at.count, at.perInstance))
  for (const e of layout.elements) {
    if (e.registers.length === 0) continue
    const b = buffers[e.slot]
    if (b === undefined) {
      WORDS.fill(0)
      fillElement(e, into, at.count, at.lane)
      continue
    }
    const allThere = e.perInstance ? findInstances(e, b, at) : findRepeated(e, b, at)
    const copied = isCopied(e, b)
    const from = copied ? b.storage.words : DECODED
    copyPlaces(e, { from, componentCount: copied ? e.format.components.length : 4 }, allThere, into, at)
  }
}
