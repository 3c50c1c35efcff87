/**
 * A second input assembler, for tests: the pseudocode of the functional specification (8.4 and 8.6) taken literally, with
 * addresses that advance from vertex to vertex, and formats decoded from their names by BigInt arithmetic.
 */

export interface ModelElement {
  readonly format: string
  readonly slot: number
  readonly byteOffset: number
  readonly perInstance: boolean
  readonly stepRate: number
}

export interface ModelSlot {
  readonly bytes: Uint8Array
  readonly offset: number
  readonly stride: number
}

export interface ModelDraw {
  readonly topology: string
  readonly elements: readonly ModelElement[]
  readonly slots: readonly (ModelSlot | undefined)[]
  /** Of vertices or, with `indices`, of indices. */
  readonly count: number
  readonly instanceCount: number
  /** StartVertexLocation or BaseVertexLocation. */
  readonly base: number
  readonly startInstance: number
  readonly indices?: {
    readonly bytes: Uint8Array | undefined
    readonly offset: number
    readonly start: number
    readonly wide: boolean
  }
  readonly cutOnLists: boolean
}

export interface ModelVertex {
  readonly vertexId: number
  readonly instanceId: number
  /** Four words of each element. */
  readonly words: readonly (readonly number[])[]
}

export interface ModelPrimitive {
  readonly primitiveId: number
  readonly vertices: readonly ModelVertex[]
}

const wrap = (n: bigint): bigint => BigInt.asUintN(32, n)
const F32 = new Float32Array(1)
const BITS = new Uint32Array(F32.buffer)
const bitsOf = (x: number): number => {
  F32[0] = x
  return BITS[0]!
}

/** A float of `exponentBits` and `fractionBits`, with or without a sign. */
function smallFloat(code: number, exponentBits: number, fractionBits: number, signed: boolean): number {
  const sign = signed && code >> (exponentBits + fractionBits) ? -1 : 1
  const exponent = (code >> fractionBits) & (2 ** exponentBits - 1)
  const fraction = (code & (2 ** fractionBits - 1)) / 2 ** fractionBits
  const bias = 2 ** (exponentBits - 1) - 1
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias)
}

function component(code: bigint, bits: number, type: string): number {
  const signed = Number(BigInt.asIntN(bits, code))
  if (bits === 32 || type === 'UINT') return Number(code)
  if (type === 'SINT') return signed >>> 0
  if (type === 'UNORM') return bitsOf(Number(code) / (2 ** bits - 1))
  if (type === 'SNORM') return bitsOf(Math.max(-1, signed / (2 ** (bits - 1) - 1)))
  return bitsOf(bits === 16 ? smallFloat(Number(code), 5, 10, true) : smallFloat(Number(code), 5, bits - 5, false))
}

/** Words of an element: what the name lists first is in the lowest bits. */
export function decodeElement(format: string, bytes: Uint8Array): number[] {
  const [, layout, type] = /^([A-Z0-9]+)_(FLOAT|U?S?INT|UNORM|SNORM)$/.exec(format) as unknown as [
    string,
    string,
    string,
  ]
  let rest = bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n)
  const one = type.endsWith('INT') ? 1 : bitsOf(1)
  const words = [0, 0, 0, one]
  for (const [, name, size] of layout.matchAll(/([RGBAX])(\d+)/g)) {
    const bits = Number(size)
    const at = 'RGBA'.indexOf(name!)
    if (at >= 0) words[at] = component(BigInt.asUintN(bits, rest), bits, type)
    rest >>= BigInt(bits)
  }
  return words
}

export const sizeOf = (format: string): number =>
  [...format.matchAll(/[RGBAX](\d+)/g)].reduce((bits, m) => bits + Number(m[1]), 0) / 8

/** Bytes at an address where all of them are inside of what is bound. */
function bytesAt(s: ModelSlot, address: bigint, size: number): Uint8Array | undefined {
  const at = Number(address)
  return at >= s.offset && at + size <= s.bytes.length ? s.bytes.slice(at, at + size) : undefined
}

function fetchAt(e: ModelElement, s: ModelSlot | undefined, address: bigint): number[] {
  if (s === undefined) return [0, 0, 0, 0]
  return decodeElement(e.format, bytesAt(s, address, sizeOf(e.format)) ?? new Uint8Array(sizeOf(e.format)))
}

const PATCH = /^(\d+)_CONTROL/
const LISTS: Readonly<Record<string, number>> = {
  POINTLIST: 1,
  LINELIST: 2,
  TRIANGLELIST: 3,
  LINELIST_ADJ: 4,
  TRIANGLELIST_ADJ: 6,
}

/** Corners and adjacent vertices of triangle `i` of a strip with adjacency: corners are every other vertex. */
function stripTriangle(i: number, isLast: boolean): number[] {
  const [a, b, c] = [2 * i, 2 * i + 2, 2 * i + 4]
  const across = new Map([
    [a + b, i === 0 ? 1 : a - 2],
    [b + c, isLast ? c + 1 : c + 2],
    [c + a, a + 3],
  ])
  const corners = i % 2 === 0 ? [a, b, c] : [a, c, b]
  return corners.flatMap((corner, n) => [corner, across.get(corner + corners[(n + 1) % 3]!)!])
}

/** Numbers of the vertices of each primitive that `n` vertices complete. */
export function primitivesOf(topology: string, n: number): number[][] {
  const size = LISTS[topology] ?? (PATCH.test(topology) ? Number.parseInt(topology, 10) : undefined)
  const primitives: number[][] = []
  if (size !== undefined) {
    for (let v = 0; v + size <= n; v += size) primitives.push(Array.from({ length: size }, (_, k) => v + k))
    return primitives
  }
  for (let i = 0; ; i++) {
    const at = topology === 'LINESTRIP' ? [i, i + 1] : topology === 'LINESTRIP_ADJ' ? [i, i + 1, i + 2, i + 3] : []
    if (topology === 'TRIANGLESTRIP') at.push(i, ...(i % 2 === 0 ? [i + 1, i + 2] : [i + 2, i + 1]))
    if (topology === 'TRIANGLESTRIP_ADJ') at.push(...stripTriangle(i, 2 * (i + 1) + 5 >= n))
    if (Math.max(...at) >= n) return primitives
    primitives.push(at)
  }
}

/** Primitives of all instances, in order. */
export function modelDraw(d: ModelDraw): ModelPrimitive[] {
  const made: ModelPrimitive[] = []
  const isList = LISTS[d.topology] !== undefined || PATCH.test(d.topology)
  const start = (e: ModelElement): bigint => {
    const s = d.slots[e.slot]
    const first = e.perInstance ? d.startInstance : d.indices === undefined ? d.base : 0
    return wrap(BigInt(s?.offset ?? 0) + BigInt(s?.stride ?? 0) * BigInt(first) + BigInt(e.byteOffset))
  }
  const strideOf = (e: ModelElement): bigint => BigInt(d.slots[e.slot]?.stride ?? 0)
  const addresses = d.elements.map(start)
  const counters = d.elements.map((e) => e.stepRate)
  for (let instance = 0; instance < d.instanceCount; instance++) {
    let run: ModelVertex[] = []
    let primitiveId = 0
    const complete = (): void => {
      for (const corners of primitivesOf(d.topology, run.length)) {
        made.push({ primitiveId: primitiveId++, vertices: corners.map((c) => run[c]!) })
      }
      run = []
    }
    for (let n = 0; n < d.count; n++) {
      const index = d.indices === undefined ? n : indexAt(d.indices, n)
      if (index === 'cut' && (d.cutOnLists || !isList)) {
        complete()
        continue
      }
      const id = index === 'cut' ? (d.indices!.wide ? 0xffffffff : 0xffff) : index
      const words = d.elements.map((e, k) => {
        const moved = d.indices !== undefined && !e.perInstance ? strideOf(e) * BigInt(d.base + id) : 0n
        return fetchAt(e, d.slots[e.slot], wrap(addresses[k]! + moved))
      })
      run.push({ vertexId: id, instanceId: instance, words })
      d.elements.forEach((e, k) => {
        if (!e.perInstance && d.indices === undefined) addresses[k] = wrap(addresses[k]! + strideOf(e))
      })
    }
    complete()
    d.elements.forEach((e, k) => {
      if (!e.perInstance) addresses[k] = start(e)
      else if (counters[k] === 1) {
        addresses[k] = wrap(addresses[k]! + strideOf(e))
        counters[k] = e.stepRate
      } else if (counters[k]! > 1) counters[k]!--
    })
  }
  return made
}

function indexAt(indices: NonNullable<ModelDraw['indices']>, n: number): number | 'cut' {
  const { bytes, offset, start, wide } = indices
  if (bytes === undefined) return 0
  const size = wide ? 4 : 2
  const found = bytesAt({ bytes, offset, stride: 0 }, wrap(BigInt(offset) + BigInt(size) * BigInt(start + n)), size)
  if (found === undefined) return 0
  const index = [...found].reduceRight((value, b) => value * 256 + b, 0)
  return index === (wide ? 0xffffffff : 0xffff) ? 'cut' : index
}
