/** Why a reader stopped: what it was to read, and where. */
export interface ByteFault {
  readonly reason: 'range' | 'unterminated-string' | 'effort' | 'cycle' | 'depth' | 'value'
  readonly byteOffset: number
  readonly byteLength: number
  /** What stands there, in a few words, for the message. */
  readonly what: string
}

/**
 * How many bytes a reader gives out: so many for each byte that it was given, and a fixed number. Real chunks share
 * strings and arrays and stay near 1; the bound keeps a chunk whose offsets all point at the same large array from
 * costing time out of proportion.
 */
const EFFORT_PER_BYTE = 16
const EFFORT_FLOOR = 4 << 20

/**
 * Little-endian reads that never throw. The first read outside the bytes (or beyond the effort allowed) is kept as
 * `fault`, that read and every later one gives zeros; whoever decodes looks at `fault` at the end, or where a loop
 * would be long.
 */
export class ByteReader {
  readonly bytes: Uint8Array
  fault: ByteFault | undefined
  readonly #view: DataView
  readonly #strings = new Map<number, string>()
  #effort: number

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#effort = bytes.length * EFFORT_PER_BYTE + EFFORT_FLOOR
  }

  /** Keeps the first fault; later ones are its consequences. */
  fail(reason: ByteFault['reason'], byteOffset: number, byteLength: number, what: string): void {
    this.fault ??= { reason, byteOffset, byteLength, what }
  }

  /** True when `byteLength` bytes at `byteOffset` exist and the effort for them is granted. */
  claim(byteOffset: number, byteLength: number, what: string): boolean {
    if (this.fault !== undefined) return false
    if (byteOffset < 0 || byteLength < 0 || byteOffset + byteLength > this.bytes.length) {
      this.fail('range', byteOffset, byteLength, what)
      return false
    }
    this.#effort -= byteLength
    if (this.#effort >= 0) return true
    this.fail('effort', byteOffset, byteLength, what)
    return false
  }

  u8(byteOffset: number, what: string): number {
    return this.claim(byteOffset, 1, what) ? this.#view.getUint8(byteOffset) : 0
  }

  u16(byteOffset: number, what: string): number {
    return this.claim(byteOffset, 2, what) ? this.#view.getUint16(byteOffset, true) : 0
  }

  u32(byteOffset: number, what: string): number {
    return this.claim(byteOffset, 4, what) ? this.#view.getUint32(byteOffset, true) : 0
  }

  /** `count` consecutive dwords. */
  dwords(byteOffset: number, count: number, what: string): number[] {
    if (!this.claim(byteOffset, count * 4, what)) return []
    const values: number[] = []
    for (let i = 0; i < count; i++) values.push(this.#view.getUint32(byteOffset + i * 4, true))
    return values
  }

  /** A copy of the bytes, so that a model does not keep the whole file alive or change with it. */
  slice(byteOffset: number, byteLength: number, what: string): Uint8Array {
    return this.claim(byteOffset, byteLength, what)
      ? this.bytes.slice(byteOffset, byteOffset + byteLength)
      : new Uint8Array(0)
  }

  /** A zero-terminated string, one code unit a byte (Latin-1): any byte survives the way back. */
  text(byteOffset: number, what: string): string {
    const known = this.#strings.get(byteOffset)
    // A known string costs as well: whoever prints the model writes it out again.
    if (known !== undefined) return this.claim(byteOffset, known.length, what) ? known : ''
    if (!this.claim(byteOffset, 1, what)) return ''
    const end = this.bytes.indexOf(0, byteOffset)
    if (end < 0) {
      this.fail('unterminated-string', byteOffset, this.bytes.length - byteOffset, what)
      return ''
    }
    if (!this.claim(byteOffset, end - byteOffset, what)) return ''
    const text = latin1(this.bytes.subarray(byteOffset, end))
    this.#strings.set(byteOffset, text)
    return text
  }
}

const SLICE = 8192

/** Bytes as text, one code unit a byte. */
export function latin1(bytes: Uint8Array): string {
  if (bytes.length <= SLICE) return String.fromCharCode.apply(null, bytes as unknown as number[])
  let text = ''
  for (let i = 0; i < bytes.length; i += SLICE) text += latin1(bytes.subarray(i, i + SLICE))
  return text
}

/** The low byte of each code unit: the inverse of `latin1`. */
export function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/** Little-endian writes at any place of a growing buffer. Bytes that are never written are `fill`. */
export class ByteWriter {
  readonly #fill: number
  #bytes: Uint8Array
  #view: DataView
  #length = 0

  constructor(fill = 0, capacity = 256) {
    this.#fill = fill
    this.#bytes = new Uint8Array(capacity).fill(fill)
    this.#view = new DataView(this.#bytes.buffer)
  }

  get length(): number {
    return this.#length
  }

  /** Makes the result at least `byteLength` long. */
  reserve(byteLength: number): void {
    if (byteLength > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(byteLength, this.#bytes.length * 2)).fill(this.#fill)
      grown.set(this.#bytes)
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    this.#length = Math.max(this.#length, byteLength)
  }

  u8(byteOffset: number, value: number): void {
    this.reserve(byteOffset + 1)
    this.#view.setUint8(byteOffset, value)
  }

  u16(byteOffset: number, value: number): void {
    this.reserve(byteOffset + 2)
    this.#view.setUint16(byteOffset, value, true)
  }

  u32(byteOffset: number, value: number): void {
    this.reserve(byteOffset + 4)
    this.#view.setUint32(byteOffset, value, true)
  }

  dwords(byteOffset: number, values: readonly number[]): void {
    this.reserve(byteOffset + values.length * 4)
    for (let i = 0; i < values.length; i++) this.#view.setUint32(byteOffset + i * 4, values[i]!, true)
  }

  set(byteOffset: number, bytes: Uint8Array): void {
    this.reserve(byteOffset + bytes.length)
    this.#bytes.set(bytes, byteOffset)
  }

  /** The text and its terminating zero. */
  text(byteOffset: number, text: string): void {
    this.set(byteOffset, latin1Bytes(text))
    this.u8(byteOffset + text.length, 0)
  }

  /** The bytes so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}

/** True when both hold the same bytes. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** `byteOffset` rounded up to a multiple of `alignment` (a power of two). */
export function alignUp(byteOffset: number, alignment: number): number {
  return (byteOffset + alignment - 1) & -alignment
}
