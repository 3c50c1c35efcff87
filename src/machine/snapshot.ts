/** Contents of what a dispatch may write, kept and put back: by executions that go back, and by runs that are compared. */
import type { ResolvedBindings } from './bindings.ts'
import type { Storage } from './memory.ts'
import type { Counter, Uav } from './view.ts'

/** Words of a page: 4 KiB. */
export const PAGE_WORDS = 1024
/** Pages of a group: 1 MiB. */
export const GROUP_PAGES = 256

/** Up to 256 pages in a row. Those that a copy leaves out are undefined: nothing has written them. */
export type PageGroup = readonly (Uint32Array | undefined)[]

/**
 * The bytes of all resources that are bound as UAVs, and the hidden counters, at one time. Plain data: storages in the
 * order in which the bindings name them, groups of pages in order. A page that a later copy has in common with the one before it is
 * shared, so that copies taken often cost what changed between them, and so is a group of such pages; so is one that repeats the page in front of it.
 */
export interface Contents {
  readonly storages: readonly (readonly PageGroup[])[]
  /** Words of each storage. */
  readonly lengths: readonly number[]
  readonly counters: readonly number[]
}

/** Views of the distinct storages, one each, in the order of the bindings. */
function writable(bindings: ResolvedBindings): Uav[] {
  const found = new Map<Storage, Uav>()
  for (const view of bindings.u.values()) if (!found.has(view.storage)) found.set(view.storage, view)
  return [...found.values()]
}

export const storagesOf = (bindings: ResolvedBindings): Storage[] => writable(bindings).map((view) => view.storage)

export function countersOf(bindings: ResolvedBindings): Counter[] {
  const found: Counter[] = []
  for (const view of bindings.u.values()) {
    if (view.shape === 'structured' && view.counter !== undefined) found.push(view.counter)
  }
  return found
}

/** Whether words are those of a page. */
export function isSamePage(words: Uint32Array, first: number, page: Uint32Array): boolean {
  for (let i = 0; i < page.length; i++) if (words[first + i] !== page[i]) return false
  return true
}

/** Groups in a storage. */
const groupCount = ({ words }: Storage): number => Math.ceil(words.length / PAGE_WORDS / GROUP_PAGES)

function groupOf({ words }: Storage, group: number, before: PageGroup | undefined): PageGroup {
  const pages: Uint32Array[] = []
  const start = group * GROUP_PAGES * PAGE_WORDS
  const end = Math.min(words.length, start + GROUP_PAGES * PAGE_WORDS)
  let isShared = before !== undefined
  for (let first = start; first < end; first += PAGE_WORDS) {
    const known = before?.[pages.length]
    const last = pages.at(-1)
    if (known !== undefined && isSamePage(words, first, known)) pages.push(known)
    else {
      isShared = false
      // Large resources are mostly cleared: pages that repeat are kept once.
      const repeats = last !== undefined && first + last.length <= words.length && isSamePage(words, first, last)
      pages.push(repeats ? last : words.slice(first, first + PAGE_WORDS))
    }
  }
  return isShared ? before! : pages
}

/** Pages of storages, in their order. */
export type StoragePages = Contents['storages']

/** What storages hold now. Pages that are as in `before`, of the same storages, are shared with it. */
export function savePages(storages: readonly Storage[], before?: StoragePages): StoragePages {
  return storages.map((storage, i) =>
    Array.from({ length: groupCount(storage) }, (_, group) => groupOf(storage, group, before?.[i]?.[group])),
  )
}

/** Puts the pages of storages back. */
export function restorePages(storages: readonly Storage[], saved: StoragePages): void {
  for (const [i, storage] of storages.entries()) {
    for (const [g, group] of saved[i]!.entries()) {
      for (const [p, page] of group.entries()) {
        if (page !== undefined) storage.words.set(page, (g * GROUP_PAGES + p) * PAGE_WORDS)
      }
    }
  }
}

/** What the UAVs of the bindings hold now. Pages that are as in `before`, contents of the same bindings, are shared with it. */
export function saveContents(bindings: ResolvedBindings, before?: Contents): Contents {
  const storages = storagesOf(bindings)
  return {
    storages: savePages(storages, before?.storages),
    lengths: storages.map(({ words }) => words.length),
    counters: countersOf(bindings).map(({ words, index }) => words[index]!),
  }
}

/** Whether contents have as many storages and counters, of the same sizes, as the bindings. */
export function fitsContents(bindings: ResolvedBindings, contents: Contents): boolean {
  const storages = storagesOf(bindings)
  return (
    contents.counters.length === countersOf(bindings).length &&
    contents.lengths.length === storages.length &&
    storages.every(({ words }, i) => contents.lengths[i] === words.length)
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
    for (const [p, page] of contents.storages[i]!.flat().entries()) {
      for (const [w, kept] of (page ?? []).entries()) {
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

/** A place in a list of pages. */
const REFERENCE_BYTES = 8

function groupByteLength(group: PageGroup, known: PageGroup | undefined): number {
  if (group === known) return 0
  const own = group.reduce(
    (n, page, p) => (page === undefined || page === known?.[p] || page === group[p - 1] ? n : n + page.byteLength),
    0,
  )
  return own + (known === undefined ? 0 : group.length * REFERENCE_BYTES)
}

/** Bytes that contents take beside pages that they share with `before`, or with the page in front. */
export function contentsByteLength(contents: Contents, before?: Contents): number {
  return contents.storages.reduce(
    (sum, groups, i) => groups.reduce((n, group, g) => n + groupByteLength(group, before?.storages[i]?.[g]), sum),
    0,
  )
}

/** Bytes that saving or putting back contents goes over, however many of them are shared. */
export const contentsExtent = ({ storages }: Contents): number =>
  storages.reduce((sum, groups) => groups.reduce((n, group) => n + extentOf(group), sum), 0)

const extentOf = (group: PageGroup): number =>
  group.reduce((n, page) => (page === undefined ? n : n + page.byteLength), 0)
