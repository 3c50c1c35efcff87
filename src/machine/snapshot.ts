/** Contents of what a dispatch may write, kept and put back: by executions that go back, and by runs that are compared. */
import type { ResolvedBindings } from './bindings.ts'
import type { Storage } from './memory.ts'
import type { Counter, Uav } from './view.ts'

/** Words of a page: 4 KiB. */
const PAGE_WORDS = 1024

/**
 * The bytes of all resources that are bound as UAVs, and the hidden counters, at one time. Plain data: storages in the
 * order in which the bindings name them, pages in order. A page that a later copy has in common with the one before it is
 * shared, so that copies taken often cost what changed between them; so is one that repeats the page in front of it.
 */
export interface Contents {
  readonly storages: readonly (readonly Uint32Array[])[]
  readonly counters: readonly number[]
}

/** Views of the distinct storages, one each, in the order of the bindings. */
function writable(bindings: ResolvedBindings): Uav[] {
  const found = new Map<Storage, Uav>()
  for (const view of bindings.u.values()) if (!found.has(view.storage)) found.set(view.storage, view)
  return [...found.values()]
}

const storagesOf = (bindings: ResolvedBindings): Storage[] => writable(bindings).map((view) => view.storage)

function countersOf(bindings: ResolvedBindings): Counter[] {
  const found: Counter[] = []
  for (const view of bindings.u.values()) {
    if (view.shape === 'structured' && view.counter !== undefined) found.push(view.counter)
  }
  return found
}

function isSame(words: Uint32Array, first: number, page: Uint32Array): boolean {
  for (let i = 0; i < page.length; i++) if (words[first + i] !== page[i]) return false
  return true
}

function pagesOf({ words }: Storage, before: readonly Uint32Array[] | undefined): Uint32Array[] {
  const pages: Uint32Array[] = []
  for (let first = 0; first < words.length; first += PAGE_WORDS) {
    const known = before?.[pages.length]
    const last = pages.at(-1)
    if (known !== undefined && isSame(words, first, known)) pages.push(known)
    // Large resources are mostly cleared: pages that repeat are kept once.
    else if (last !== undefined && first + last.length <= words.length && isSame(words, first, last)) pages.push(last)
    else pages.push(words.slice(first, first + PAGE_WORDS))
  }
  return pages
}

/** Pages of storages, in their order. */
export type StoragePages = Contents['storages']

/** What storages hold now. Pages that are as in `before`, of the same storages, are shared with it. */
export function savePages(storages: readonly Storage[], before?: StoragePages): StoragePages {
  return storages.map((storage, i) => pagesOf(storage, before?.[i]))
}

/** Puts the pages of storages back. */
export function restorePages(storages: readonly Storage[], saved: StoragePages): void {
  for (const [i, storage] of storages.entries()) {
    for (const [p, page] of saved[i]!.entries()) storage.words.set(page, p * PAGE_WORDS)
  }
}

/** What the UAVs of the bindings hold now. Pages that are as in `before`, contents of the same bindings, are shared with it. */
export function saveContents(bindings: ResolvedBindings, before?: Contents): Contents {
  return {
    storages: savePages(storagesOf(bindings), before?.storages),
    counters: countersOf(bindings).map(({ words, index }) => words[index]!),
  }
}

/** Whether contents have as many storages and counters, of the same sizes, as the bindings. */
export function fitsContents(bindings: ResolvedBindings, contents: Contents): boolean {
  const views = writable(bindings)
  return (
    contents.counters.length === countersOf(bindings).length &&
    contents.storages.length === views.length &&
    views.every(({ storage }, i) => contents.storages[i]!.length === Math.ceil(storage.words.length / PAGE_WORDS))
  )
}

/** Puts contents back; they must be of the same bindings. */
export function restoreContents(bindings: ResolvedBindings, contents: Contents): void {
  restorePages(storagesOf(bindings), contents.storages)
  for (const [i, { words, index }] of countersOf(bindings).entries()) words[index] = contents.counters[i]!
}

/** A dword of a resource that differs from what was kept. */
export interface ContentsDifference {
  readonly resource: Uav['resource']
  readonly byteOffset: number
  readonly kept: number
  readonly now: number
}

/** The first dword in which the resources differ from contents of the same bindings. */
export function firstDifference(bindings: ResolvedBindings, contents: Contents): ContentsDifference | undefined {
  for (const [i, { storage, resource }] of writable(bindings).entries()) {
    for (const [p, page] of contents.storages[i]!.entries()) {
      for (const [w, kept] of page.entries()) {
        const at = p * PAGE_WORDS + w
        const now = storage.words[at]!
        if (now !== kept) return { resource, byteOffset: at * 4, kept, now }
      }
    }
  }
  return undefined
}

/** Whether hidden counters differ from contents of the same bindings. */
export function countersDiffer(bindings: ResolvedBindings, contents: Contents): boolean {
  return countersOf(bindings).some(({ words, index }, i) => words[index] !== contents.counters[i])
}

/** Bytes that contents take beside pages that they share with `before`, or with the page in front. */
export function contentsByteLength(contents: Contents, before?: Contents): number {
  return contents.storages.reduce((sum, pages, i) => {
    const known = before?.storages[i]
    return (
      sum + pages.reduce((n, page, p) => (page === known?.[p] || page === pages[p - 1] ? n : n + page.byteLength), 0)
    )
  }, 0)
}

/** Bytes that saving or putting back contents goes over, however many of them are shared. */
export const contentsExtent = ({ storages }: Contents): number =>
  storages.reduce((sum, pages) => sum + pages.length * PAGE_WORDS * 4, 0)
