/**
 * A second reader of program databases, for tests alone: it shares nothing with the one in `src`, works on whole lists
 * instead of lookups, and trusts its input.
 */

interface Range {
  readonly file: number
  readonly at: number
  readonly size: number
  readonly from: number
  readonly to: number
  readonly gaps: readonly (readonly [number, number])[]
  readonly offsets: readonly number[]
}

export interface SecondLocal {
  /** 0 the procedure, then inline sites in order. */
  readonly scope: number
  readonly name: string
  readonly type: number
  readonly isParameter: boolean
  readonly ranges: Range[]
}

export interface SecondPdb {
  readonly locals: readonly SecondLocal[]
  /** First byte of the code of each scope, and its rows as [first byte, end, line behind the body's]. */
  readonly scopes: readonly { readonly start: number; readonly rows: readonly (readonly [number, number, number])[] }[]
  /** Statement rows by position: file number in the table of checksums, line, first column, last column. */
  readonly lines: ReadonlyMap<number, readonly [file: number, line: number, column: number, endColumn: number]>
  /** The scalars of a type: path and byte offset. */
  readonly leaves: (type: number) => readonly (readonly [string, number])[]
}

function streamsOf(bytes: Uint8Array): Uint8Array[] {
  const u32 = (at: number): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)
  const size = u32(32)
  const join = (blocks: readonly number[], length: number): Uint8Array =>
    Uint8Array.from(blocks.flatMap((b) => [...bytes.subarray(b * size, (b + 1) * size)])).subarray(0, length)
  const words = (part: Uint8Array): number[] => Array.from(new Uint32Array(part.slice(0, part.length & ~3).buffer))
  const blockCount = (length: number): number => Math.ceil(length / size)
  const map = Array.from({ length: blockCount(u32(44)) }, (_, i) => u32(u32(52) * size + 4 * i))
  const [count, ...rest] = words(join(map, u32(44)))
  let at = count!
  return rest.slice(0, count).map((length) => {
    const blocks = rest.slice(at, at + blockCount(length))
    at += blocks.length
    return join(blocks, length)
  })
}

class Cursor {
  readonly bytes: Uint8Array
  at: number
  readonly end: number
  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }
  byte(): number {
    return this.bytes[this.at++]!
  }
  two(): number {
    return this.byte() + this.byte() * 256
  }
  four(): number {
    return this.two() + this.two() * 65536
  }
  text(): string {
    let text = ''
    for (let c = this.byte(); c !== 0; c = this.byte()) text += String.fromCharCode(c)
    return text
  }
  /** A number that is its own size where it is small. */
  numeric(): number {
    const n = this.two()
    return n < 0x8000 ? n : n === 0x8004 || n === 0x8003 ? this.four() : this.two()
  }
  get more(): boolean {
    return this.at < this.end
  }
}

/** Records of u16 length, u16 kind, body. */
function records(bytes: Uint8Array, from: number, end: number): [kind: number, body: Cursor][] {
  const found: [number, Cursor][] = []
  for (let at = from; at < end; ) {
    const c = new Cursor(bytes, at)
    const length = c.two()
    found.push([c.two(), new Cursor(bytes, at + 4, at + 2 + length)])
    at += 2 + length
  }
  return found
}

const BASIC: Readonly<Record<number, number>> = { 64: 4, 65: 8, 98: 4, 116: 4, 117: 4 }

function typesOf(tpi: Uint8Array): SecondPdb['leaves'] {
  const header = new Cursor(tpi, 4)
  const [headerSize, first] = [header.four(), header.four()]
  const types = records(tpi, headerSize, tpi.length)
  const fresh = (c: Cursor): Cursor => new Cursor(c.bytes, c.at, c.end)
  const sizeOf = (index: number): number => {
    if (index < first) return BASIC[index] ?? 0
    const [kind, body] = types[index - first]!
    const c = fresh(body)
    if (kind === 0x1518) return sizeOf(c.four())
    if (kind === 0x151b) return sizeOf(c.four()) * c.four()
    if (kind === 0x1517) return 4
    c.at += { 5404: 17, 5398: 12, 5381: 16, 5380: 16 }[kind] ?? 0
    return c.numeric()
  }
  const within = (list: readonly (readonly [string, number])[], name: string, by: number) =>
    list.map(([path, at]) => [name + path, at + by] as const)
  const leaves = (index: number): readonly (readonly [string, number])[] => {
    if (index < first) return BASIC[index] === undefined ? [] : [['', 0]]
    const [kind, body] = types[index - first]!
    const c = fresh(body)
    switch (kind) {
      case 0x1518:
        return leaves(c.four())
      case 0x151b: {
        const [element, count] = [c.four(), c.four()]
        return Array.from({ length: count }, (_, i) => [`.${'xyzw'[i]}`, i * sizeOf(element)] as const)
      }
      case 0x151c: {
        const [, rows, columns, stride] = [c.four(), c.four(), c.four(), c.four()]
        const byRow = (c.byte() & 1) === 1
        return Array.from({ length: rows * columns }, (_, i) => {
          const [r, k] = [Math.floor(i / columns), i % columns]
          return [`._m${r}${k}`, byRow ? r * stride + 4 * k : k * stride + 4 * r] as const
        })
      }
      case 0x1516: {
        const [element, , stride] = [c.four(), c.four(), c.four()]
        const count = Math.ceil(c.numeric() / stride)
        return Array.from({ length: count }, (_, i) => within(leaves(element), `[${i}]`, i * stride)).flat()
      }
      case 0x1504:
      case 0x1505: {
        c.at += 4
        const fields = c.four()
        return fields === 0 ? [] : leaves(fields)
      }
      case 0x1203: {
        const found: (readonly [string, number])[] = []
        while (c.more) {
          const leaf = c.two()
          if (leaf !== 0x150d && leaf !== 0x1400 && leaf !== 0x151a) break
          c.at += 2
          const type = c.four()
          const at = c.numeric()
          found.push(...within(leaves(type), leaf === 0x150d ? `.${c.text()}` : '', at))
          while (c.more && c.bytes[c.at]! >= 0xf0) c.at++
        }
        return found
      }
      case 0x1517:
        c.at += 4
        return c.two() >= 0x21e ? [['', 0]] : []
      default:
        return []
    }
  }
  return leaves
}

/** Rows of an inline site's statements. */
function rowsOf(c: Cursor, base: number): (readonly [number, number, number])[] {
  const number = (): number => {
    const b = c.byte()
    if (b < 0x80) return b
    if (b < 0xc0) return (b - 0x80) * 256 + c.byte()
    return (b - 0xc0) * 2 ** 24 + c.byte() * 65536 + c.byte() * 256 + c.byte()
  }
  const signed = (n: number): number => (n % 2 === 1 ? -(n - 1) / 2 : n / 2)
  const starts: { from: number; to?: number; line: number }[] = []
  let [code, line] = [base, 0]
  while (c.more) {
    const op = number()
    if (op === 0) break
    const operand = number()
    if (op === 8 && operand === 0) break
    if (op === 6) line += signed(operand)
    if (op === 4) {
      starts.at(-1)!.to = starts.at(-1)!.from + operand
      code += operand
    }
    if (op === 12) {
      code += number()
      starts.push({ from: code, to: code + operand, line })
    }
    if (op === 3 || op === 11) {
      code += op === 3 ? operand : operand % 16
      if (op === 11) line += signed(Math.floor(operand / 16))
      starts.push({ from: code, line })
    }
  }
  return starts.map((s, i) => [s.from, s.to ?? starts[i + 1]?.from ?? s.from + 1, s.line] as const)
}

function rangeOf(c: Cursor): Range {
  const [file, bits, at, size, from] = [c.two(), c.two(), c.two(), c.two(), c.four()]
  c.two()
  const to = from + c.two()
  const dimensions = bits % 4
  const gaps: [number, number][] = []
  while (c.end - c.at > 4 * dimensions) {
    const start = from + c.two()
    gaps.push([start, start + c.two()])
  }
  return { file, at, size, from, to, gaps, offsets: Array.from({ length: dimensions }, () => c.four() | 0) }
}

/** Reads the one module that fxc writes. */
export function readSecondPdb(bytes: Uint8Array): SecondPdb {
  const streams = streamsOf(bytes)
  const dbi = new Cursor(streams[3]!, 64 + 34)
  const module = streams[dbi.two()]!
  const [symbolBytes, oldLines] = [dbi.four(), dbi.four()]
  const locals: SecondLocal[] = []
  const scopes: { start: number; rows: (readonly [number, number, number])[] }[] = []
  const open: number[] = []
  for (const [kind, c] of records(module, 4, symbolBytes)) {
    if (kind === 0x1110) {
      c.at += 28
      open.push(scopes.length)
      scopes.push({ start: c.four(), rows: [] })
    } else if (kind === 0x114d) {
      c.at += 12
      const rows = rowsOf(c, scopes[0]!.start)
      open.push(scopes.length)
      scopes.push({ start: Math.min(...rows.map(([from]) => from)), rows })
    } else if (kind === 0x114e || kind === 6) open.pop()
    else if (kind === 0x113e) {
      const [type, flags] = [c.four(), c.two()]
      locals.push({ scope: open.at(-1)!, name: c.text(), type, isParameter: (flags & 1) === 1, ranges: [] })
    } else if (kind === 0x1150) locals.at(-1)!.ranges.push(rangeOf(c))
  }
  const lines = new Map<number, readonly [number, number, number, number]>()
  for (let at = symbolBytes + oldLines; at + 8 <= module.length; ) {
    const c = new Cursor(module, at)
    const [kind, size] = [c.four(), c.four()]
    if (kind === 0xf2) {
      const base = c.four()
      c.at += 8
      while (c.at < at + 8 + size) {
        const [file, count] = [c.four(), c.four()]
        c.at += 4
        const rows = Array.from({ length: count }, () => [c.four(), c.four()] as const)
        for (const [offset, word] of rows) {
          const columns = [c.two(), c.two()] as const
          if (word >= 2 ** 31) lines.set(base + offset, [file, word % 2 ** 24, ...columns])
        }
      }
    }
    at += 8 + Math.ceil(size / 4) * 4
    if (size === 0 && kind === 0) break
  }
  return { locals, scopes, lines, leaves: typesOf(streams[2]!) }
}
