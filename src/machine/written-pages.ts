/** Contents of storages by the pages that a run has written: what is bound and never written is copied nowhere. */
import type { ResolvedBindings } from './bindings.ts'
import type { Storage } from './memory.ts'
import {
  type Contents,
  countersOf,
  GROUP_PAGES,
  isSamePage,
  PAGE_WORDS,
  type PageGroup,
  storagesOf,
} from './snapshot.ts'

const PAGE_BYTES = PAGE_WORDS * 4

/** States of a page. */
const UNWRITTEN = 0
const KNOWN = 1
const CHANGED = 2

/** The pages of one storage. */
export class PagesOfStorage {
  readonly #words: Uint32Array
  readonly #states: Uint8Array
  /** Pages as they were before the first write to them. */
  readonly #originals = new Map<number, Uint32Array>()
  /** Pages that have been written, as they were when contents were saved or put back last. */
  readonly #latest = new Map<number, Uint32Array>()
  /** Pages that may have been written since. */
  #changed: number[] = []
  #groups: readonly PageGroup[]

  constructor({ words }: Storage) {
    this.#words = words
    const pages = Math.ceil(words.length / PAGE_WORDS)
    this.#states = new Uint8Array(pages)
    this.#groups = Array.from({ length: Math.ceil(pages / GROUP_PAGES) }, () => NO_PAGES)
  }

  get originalByteLength(): number {
    return this.#originals.size * PAGE_BYTES
  }

  willWrite(byteOffset: number, byteLength: number): void {
    const last = Math.min(this.#states.length - 1, Math.floor((byteOffset + byteLength - 1) / PAGE_BYTES))
    for (let page = Math.floor(byteOffset / PAGE_BYTES); page <= last; page++) {
      if (this.#states[page] !== CHANGED) this.#change(page)
    }
  }

  #change(page: number): void {
    if (this.#states[page] === UNWRITTEN) {
      const original = this.#copyOf(page)
      this.#originals.set(page, original)
      this.#latest.set(page, original)
    }
    this.#states[page] = CHANGED
    this.#changed.push(page)
  }

  #copyOf(page: number): Uint32Array {
    return this.#words.slice(page * PAGE_WORDS, (page + 1) * PAGE_WORDS)
  }

  save(): readonly PageGroup[] {
    if (this.#changed.length === 0) return this.#groups
    const groups = [...this.#groups]
    for (const page of this.#changed) {
      const [group, place] = [Math.floor(page / GROUP_PAGES), page % GROUP_PAGES]
      const latest = this.#latest.get(page)!
      const copy = isSamePage(this.#words, page * PAGE_WORDS, latest) ? latest : this.#copyOf(page)
      this.#latest.set(page, copy)
      this.#states[page] = KNOWN
      // The groups of the contents before stay as they are.
      if (groups[group] === this.#groups[group]) groups[group] = [...groups[group]!]
      ;(groups[group] as (Uint32Array | undefined)[])[place] = copy
    }
    this.#changed = []
    this.#groups = groups
    return groups
  }

  restore(groups: readonly PageGroup[]): void {
    for (const page of this.#changed) this.#put(page, groups)
    this.#changed = []
    for (const [g, group] of groups.entries()) {
      if (group === this.#groups[g]) continue
      const end = Math.min(this.#states.length, (g + 1) * GROUP_PAGES)
      for (let page = g * GROUP_PAGES; page < end; page++) if (this.#states[page] !== UNWRITTEN) this.#put(page, groups)
    }
    this.#groups = groups
  }

  #put(page: number, groups: readonly PageGroup[]): void {
    const kept = groups[Math.floor(page / GROUP_PAGES)]?.[page % GROUP_PAGES] ?? this.#originals.get(page)!
    if (this.#states[page] === CHANGED || this.#latest.get(page) !== kept) {
      this.#words.set(kept, page * PAGE_WORDS)
      this.#latest.set(page, kept)
    }
    this.#states[page] = KNOWN
  }
}

const NO_PAGES: PageGroup = []

/**
 * The storages that bindings can write, from now on. Whoever writes to them says so first; contents that are saved have the pages
 * that have been written, and can be put back here alone.
 */
export class WrittenPages {
  readonly #bindings: ResolvedBindings
  readonly #storages: ReadonlyMap<Storage, PagesOfStorage>

  constructor(bindings: ResolvedBindings) {
    this.#bindings = bindings
    this.#storages = new Map(storagesOf(bindings).map((storage) => [storage, new PagesOfStorage(storage)]))
  }

  /** Bytes of pages as they were before they were written. */
  get originalByteLength(): number {
    return [...this.#storages.values()].reduce((n, pages) => n + pages.originalByteLength, 0)
  }

  /** To be called before bytes of a storage are written. */
  willWrite(storage: Storage, byteOffset: number, byteLength: number): void {
    this.#storages.get(storage)?.willWrite(byteOffset, byteLength)
  }

  /** The pages of a storage that the bindings can write: many writes to it ask once. */
  of(storage: Storage): PagesOfStorage | undefined {
    return this.#storages.get(storage)
  }

  save(): Contents {
    return {
      storages: [...this.#storages.values()].map((pages) => pages.save()),
      lengths: [...this.#storages.keys()].map(({ words }) => words.length),
      counters: countersOf(this.#bindings).map(({ words, index }) => words[index]!),
    }
  }

  restore({ storages, counters }: Contents): void {
    for (const [i, pages] of [...this.#storages.values()].entries()) pages.restore(storages[i]!)
    for (const [i, { words, index }] of countersOf(this.#bindings).entries()) words[index] = counters[i]!
  }
}
