/** Words of a chunk at the most: 1 MiB. */
const CHUNK_WORDS = 1 << 18

/** A place in a list: words of a chunk, and where in it. */
export interface WordPlace {
  words: Int32Array
  offset: number
}

/** A list of entries of some words each that only grows, in pieces, so that growing copies nothing. */
export class WordList {
  readonly #chunks: Int32Array[] = []
  readonly #size: number
  readonly #perChunk: number
  /** One object for all results: callers read it before they request the next. */
  readonly #place: WordPlace = { words: new Int32Array(0), offset: 0 }
  #count = 0

  constructor(size: number) {
    this.#size = size
    this.#perChunk = Math.floor(CHUNK_WORDS / size)
  }

  get byteLength(): number {
    return this.#chunks.length * this.#perChunk * this.#size * 4
  }

  /** Adds an entry; answers its number. */
  add(): number {
    const entry = this.#count++
    if (entry === this.#chunks.length * this.#perChunk) this.#chunks.push(new Int32Array(this.#perChunk * this.#size))
    return entry
  }

  placeOf(entry: number): WordPlace {
    const chunk = Math.floor(entry / this.#perChunk)
    this.#place.words = this.#chunks[chunk]!
    this.#place.offset = (entry - chunk * this.#perChunk) * this.#size
    return this.#place
  }
}
