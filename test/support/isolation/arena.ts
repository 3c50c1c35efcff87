import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import {
  type Buffer,
  createBuffer,
  createTexture,
  type Memory,
  type Texture,
  type TextureOptions,
} from '../../../src/machine/index.ts'

/**
 * Memory for the isolation trials (scripts/isolation.ts): resources that lie one after the other with canaries before,
 * between and after them, all filled with words that differ from place to place.
 */

type Entry =
  | { readonly kind: 'buffer'; readonly byteLength: number }
  | { readonly kind: 'texture'; readonly options: Omit<TextureOptions, 'memory'> }
  | { readonly kind: 'gap'; readonly byteLength: number }

export interface Layout {
  readonly entries: readonly Entry[]
  /** Bytes at both ends of an entry that are restored and compared after each program. */
  readonly windowBytes: number
}

const buffer = (byteLength: number): Entry => ({ kind: 'buffer', byteLength })
const gap = (byteLength: number): Entry => ({ kind: 'gap', byteLength })
const texture = (options: Omit<TextureOptions, 'memory'>): Entry => ({ kind: 'texture', options })

const TEXTURES: readonly Entry[] = [
  texture({ dimension: 'texture2d', format: 'R32_UINT', width: 7, height: 5, mipLevels: 3, arraySize: 2 }),
  texture({ dimension: 'texture2d', format: 'R8G8B8A8_UINT', width: 16, height: 9 }),
  texture({ dimension: 'texture1d', format: 'R16_UINT', width: 33, mipLevels: 2 }),
  texture({ dimension: 'texture3d', format: 'R32_UINT', width: 5, height: 4, depth: 3, mipLevels: 2 }),
  texture({ dimension: 'texture2d', format: 'R8_UINT', width: 3, height: 3 }),
  texture({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 3, sampleCount: 4 }),
  texture({ dimension: 'texture2d', format: 'R32G32B32A32_UINT', width: 4, height: 4, arraySize: 3 }),
]

/** Sizes that are no multiple of 16, 4 or of a page among those that are. */
const SIZES = [4, 16, 20, 48, 64, 100, 103, 256, 1000, 4096, 4100, 16384, 65540]

const withGaps = (entries: readonly Entry[], byteLength: number): Entry[] => [
  gap(byteLength),
  ...entries.flatMap((entry) => [entry, gap(byteLength)]),
]

/** About a megabyte, all of it compared after each program. */
export const SMALL_LAYOUT: Layout = {
  entries: withGaps([...SIZES.map(buffer), ...TEXTURES, buffer(262144), buffer(2048), buffer(16)], 16384),
  windowBytes: Number.POSITIVE_INFINITY,
}

/** More than 2 GiB: small resources on both sides of the largest buffer there is, 2^31 bytes and more apart. */
export const BIG_LAYOUT: Layout = {
  entries: [
    ...withGaps(SIZES.map(buffer), 4096),
    buffer(2 ** 31 - 16),
    ...withGaps([...TEXTURES, ...SIZES.map(buffer)], 4096),
    gap(2 ** 28),
    ...withGaps([buffer(64), buffer(4096), buffer(16)], 4096),
  ],
  windowBytes: 16384,
}

interface Range {
  readonly byteOffset: number
  readonly byteLength: number
}

/** The word of a place that no program has written: not 0, and another one nearly everywhere. */
const wordAt = (index: number): number => (Math.imul(index, 0x9e3779b1) | 1) >>> 0

export class Arena {
  readonly buffers: Buffer[] = []
  readonly textures: Texture[] = []
  /** What every program stores its results to. */
  readonly out: Buffer
  readonly memory: Memory
  readonly #start: number
  readonly #end: number
  readonly #storage: () => ArrayBufferLike
  readonly #windows: readonly Range[]
  /** Contents of the windows before any program. */
  readonly #pristine: Uint8Array[]

  constructor(memory: Memory, layout: Layout, outBytes: number) {
    this.memory = memory
    const entries: readonly Entry[] = [...layout.entries, buffer(outBytes), gap(4096)]
    const ranges: Range[] = []
    let storage: ArrayBufferLike | undefined
    for (const entry of entries) {
      const made =
        entry.kind === 'texture'
          ? valueOrThrow(createTexture({ ...entry.options, memory }))
          : valueOrThrow(createBuffer({ byteLength: entry.byteLength, memory }))
      if (made.kind === 'texture') this.textures.push(made)
      else if (entry.kind === 'buffer') this.buffers.push(made)
      storage = made.storage.buffer
      ranges.push({ byteOffset: made.storage.byteOffset, byteLength: made.storage.byteLength })
    }
    this.out = this.buffers.pop()!
    const last = ranges[ranges.length - 1]!
    this.#start = ranges[0]!.byteOffset
    this.#end = last.byteOffset + last.byteLength
    const buffered = storage!
    this.#storage = () => buffered
    const words = new Uint32Array(buffered, this.#start, (this.#end - this.#start) >>> 2)
    for (let i = 0; i < words.length; i++) words[i] = wordAt(i)
    this.#windows = joined(ranges, layout.windowBytes)
    this.#pristine = this.#windows.map((w) => this.#bytes(w).slice())
  }

  get byteLength(): number {
    return this.#end - this.#start
  }

  #bytes({ byteOffset, byteLength }: Range): Uint8Array {
    return new Uint8Array(this.#storage(), byteOffset, byteLength)
  }

  /** Puts back what the windows held at first. */
  restore(): void {
    this.#windows.forEach((w, n) => void this.#bytes(w).set(this.#pristine[n]!))
  }

  /** The first place, as bytes from the arena's start, where the windows of two arenas differ. */
  difference(other: Arena): number | undefined {
    for (const w of this.#windows) {
      const [mine, theirs] = [
        this.#bytes(w),
        other.#bytes({ ...w, byteOffset: w.byteOffset - this.#start + other.#start }),
      ]
      const at = firstDifference(mine, theirs)
      if (at !== undefined) return w.byteOffset - this.#start + at
    }
    return undefined
  }

  /** The first place that has changed and that lies in none of the given ranges of its memory. */
  firstForeign(writable: readonly Range[]): number | undefined {
    const sorted = writable.toSorted((a, b) => a.byteOffset - b.byteOffset)
    for (const [n, w] of this.#windows.entries()) {
      const end = w.byteOffset + w.byteLength
      let at = w.byteOffset
      for (const r of [...sorted, { byteOffset: end, byteLength: 0 }]) {
        const to = Math.min(r.byteOffset, end)
        if (to > at) {
          const now = this.#bytes({ byteOffset: at, byteLength: to - at })
          const found = firstDifference(now, this.#pristine[n]!.subarray(at - w.byteOffset, to - w.byteOffset))
          if (found !== undefined) return at + found - this.#start
        }
        at = Math.max(at, r.byteOffset + r.byteLength)
      }
    }
    return undefined
  }

  /** The first place anywhere, windows or not, where two arenas differ: what no program's windows have shown. */
  differenceAnywhere(other: Arena): number | undefined {
    const step = 2 ** 24
    for (let at = 0; at < this.byteLength; at += step) {
      const byteLength = Math.min(step, this.byteLength - at)
      const found = firstDifference(
        this.#bytes({ byteOffset: this.#start + at, byteLength }),
        other.#bytes({ byteOffset: other.#start + at, byteLength }),
      )
      if (found !== undefined) return at + found
    }
    return undefined
  }

  /** Where storage lies from the arena's start. */
  offsetOf(storage: { readonly byteOffset: number }): number {
    return storage.byteOffset - this.#start
  }
}

/** Ranges cut to both ends, in order, and those that only alignment keeps apart made one. */
function joined(ranges: readonly Range[], windowBytes: number): Range[] {
  const found: Range[] = []
  const add = (from: number, to: number): void => {
    const last = found[found.length - 1]
    if (last !== undefined && from - (last.byteOffset + last.byteLength) < 64) {
      found[found.length - 1] = { byteOffset: last.byteOffset, byteLength: to - last.byteOffset }
    } else found.push({ byteOffset: from, byteLength: to - from })
  }
  for (const { byteOffset, byteLength } of ranges) {
    const end = byteOffset + byteLength
    if (byteLength <= 2 * windowBytes) add(byteOffset, end)
    else {
      add(byteOffset, byteOffset + windowBytes)
      add(end - windowBytes, end)
    }
  }
  return found
}

function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  if (hostBuffer(a).equals(hostBuffer(b))) return undefined
  return a.findIndex((byte, i) => byte !== b[i])
}

/** The bytes without a copy, with a comparison that the host does as a whole. */
const hostBuffer = (bytes: Uint8Array) => globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
