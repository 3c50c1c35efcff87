/**
 * A number that an instruction cannot hold is a fault of the compiler: encoded anyway it would become another number, and
 * a bounds check with another number lets threads reach other memory.
 */
function refuse(value: number, least: number, past: number): never {
  throw new RangeError(`the compiler made the constant ${value}, which is no integer from ${least} to ${past - 1}`)
}

/** A word, given as a signed or as an unsigned number. */
const isWord = (value: number): boolean => (value | 0) === value || value >>> 0 === value

/** Bytes of a WebAssembly module under construction. Numbers that do not fit what they are written as are refused. */
export class ByteWriter {
  #bytes = new Uint8Array(4096)
  #length = 0
  readonly #view: DataView

  constructor() {
    this.#view = new DataView(new ArrayBuffer(8))
  }

  get length(): number {
    return this.#length
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }

  byte(...values: number[]): this {
    for (let i = 0; i < values.length; i++) this.put(values[i]!)
    return this
  }

  /** One byte, which most are: lists of arguments take longer than the rest. */
  put(value: number): this {
    if ((value & 0xff) !== value) refuse(value, 0, 256)
    if (this.#length === this.#bytes.length) this.#reserve(1)
    this.#bytes[this.#length++] = value
    return this
  }

  append(bytes: Uint8Array): this {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  /** A count, an index or an offset of 32 bits. */
  unsigned(value: number): this {
    if (value >>> 0 !== value) refuse(value, 0, 2 ** 32)
    let v = value
    while (v >= 0x80) {
      this.put((v & 0x7f) | 0x80)
      v >>>= 7
    }
    this.put(v)
    return this
  }

  /** A word as a constant, which may be given as a signed or as an unsigned number. */
  signed(value: number): this {
    if (!isWord(value)) refuse(value, -(2 ** 31), 2 ** 32)
    let v = value | 0
    for (;;) {
      const low = v & 0x7f
      v >>= 7
      if ((v === 0 && (low & 0x40) === 0) || (v === -1 && (low & 0x40) !== 0)) {
        this.put(low)
        return this
      }
      this.put(low | 0x80)
    }
  }

  /** The same in five bytes whatever its value, to be written over later. */
  wide(value: number): this {
    if (!isWord(value)) refuse(value, -(2 ** 31), 2 ** 32)
    for (let i = 0; i < 4; i++) this.put(((value >>> (7 * i)) & 0x7f) | 0x80)
    // The last byte holds four bits of the word, and its sign above them.
    return this.byte((value >> 28) & 0x7f)
  }

  word(bits: number): this {
    if (!isWord(bits)) refuse(bits, -(2 ** 31), 2 ** 32)
    this.put(bits & 0xff).put((bits >>> 8) & 0xff)
    return this.put((bits >>> 16) & 0xff).put(bits >>> 24)
  }

  double(value: number): this {
    this.#view.setFloat64(0, value, true)
    for (let i = 0; i < 8; i++) this.byte(this.#view.getUint8(i))
    return this
  }

  name(text: string): this {
    this.unsigned(text.length)
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i))
    return this
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }
}

export const I32 = 0x7f
export const I64 = 0x7e
export const F32 = 0x7d
export const F64 = 0x7c
export const V128 = 0x7b
export type ValueType = typeof I32 | typeof I64 | typeof F32 | typeof F64 | typeof V128

export interface Signature {
  readonly params: readonly ValueType[]
  readonly results: readonly ValueType[]
}

export interface FunctionBody {
  readonly signature: Signature
  /** Types of the locals after the parameters. */
  readonly locals: readonly ValueType[]
  readonly code: Uint8Array
  readonly exported: string | undefined
}

interface FunctionImport {
  readonly name: string
  readonly signature: Signature
}

/** Pages of 64 KiB that the memory of a module can grow to: all that 32 bits address. */
export const MAX_PAGES = 65536

function section(out: ByteWriter, id: number, content: ByteWriter): void {
  out.byte(id).unsigned(content.length).append(content.bytes())
}

/** Runs of one type, as the format stores locals. */
function localRuns(types: readonly ValueType[]): [number, ValueType][] {
  const runs: [number, ValueType][] = []
  for (let n = 0; n < types.length; ) {
    const type = types[n]!
    let end = n + 1
    while (end < types.length && types[end] === type) end++
    runs.push([end - n, type])
    n = end
  }
  return runs
}

/** A module that imports `env.memory` and functions of `env`. Imported functions come first in the index space. */
export function assembleModule(
  imports: readonly FunctionImport[],
  functions: readonly FunctionBody[],
  sharedMemory: boolean,
): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter().byte(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
  const signatures = [...imports.map((i) => i.signature), ...functions.map((f) => f.signature)]
  const types = new ByteWriter().unsigned(signatures.length)
  for (const s of signatures) {
    types.byte(0x60).unsigned(s.params.length)
    types.byte(...s.params).unsigned(s.results.length)
    types.byte(...s.results)
  }
  section(out, 1, types)
  const imported = new ByteWriter().unsigned(imports.length + 1)
  imported.name('env').name('memory').byte(2)
  if (sharedMemory) imported.byte(3).unsigned(1).unsigned(MAX_PAGES)
  else imported.byte(1).unsigned(1).unsigned(MAX_PAGES)
  imports.forEach((f, i) => {
    imported.name('env').name(f.name).byte(0).unsigned(i)
  })
  section(out, 2, imported)
  const declared = new ByteWriter().unsigned(functions.length)
  functions.forEach((_, i) => {
    declared.unsigned(imports.length + i)
  })
  section(out, 3, declared)
  const exported = functions.flatMap((f, i) => (f.exported === undefined ? [] : [[f.exported, i] as const]))
  const exportsOut = new ByteWriter().unsigned(exported.length)
  for (const [name, i] of exported)
    exportsOut
      .name(name)
      .byte(0)
      .unsigned(imports.length + i)
  section(out, 7, exportsOut)
  const code = new ByteWriter().unsigned(functions.length)
  for (const f of functions) {
    const body = new ByteWriter()
    const runs = localRuns(f.locals)
    body.unsigned(runs.length)
    for (const [count, type] of runs) body.unsigned(count).byte(type)
    body.append(f.code)
    code.unsigned(body.length).append(body.bytes())
  }
  section(out, 10, code)
  return out.bytes()
}
