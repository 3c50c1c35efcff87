import { expect, it } from 'vitest'
import { Random } from '../../test/support/random/random.ts'
import { parseProgram } from '../asm/index.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import { matchBindings } from '../engine/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import {
  type Contents,
  contentsByteLength,
  createBuffer,
  createUav,
  type ResolvedBindings,
  type Storage,
  WrittenPages,
} from './index.ts'

const PAGE_BYTES = 4096

/** Bindings of one raw buffer full of noise, and its storage. */
function noisy(byteLength: number): { bindings: ResolvedBindings; storage: Storage } {
  const buffer = valueOrThrow(createBuffer({ byteLength }))
  for (let i = 0; i < byteLength / 4; i++) buffer.storage.words[i] = Math.imul(i + 1, 2654435761)
  const text = 'cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nret\n'
  const { declarations } = valueOrThrow(createReferenceEngine({}).load(valueOrThrow(parseProgram(text))))
  const view = valueOrThrow(createUav(buffer, { raw: true }))
  return { bindings: valueOrThrow(matchBindings(declarations, { u0: view })), storage: buffer.storage }
}

it('puts back what was there at each save, whatever was written since, and in any order', () => {
  const random = new Random(7)
  const { bindings, storage } = noisy(600 * PAGE_BYTES)
  const pages = new WrittenPages(bindings)
  const copy = (): Uint8Array => storage.bytes.slice()
  const saved: { contents: Contents; bytes: Uint8Array }[] = [{ contents: pages.save(), bytes: copy() }]
  for (let step = 0; step < 300; step++) {
    const way = random.below(10)
    if (way < 6) {
      // Most writes come to few pages: those of two groups.
      const page = random.chance(0.8) ? 250 + random.below(12) : random.below(600)
      const byteOffset = page * PAGE_BYTES + random.below(PAGE_BYTES - 16)
      const byteLength = 1 + random.below(16)
      pages.willWrite(storage, byteOffset, byteLength)
      for (let i = 0; i < byteLength; i++) storage.bytes[byteOffset + i] = random.below(256)
    } else if (way < 8 && saved.length < 12) {
      saved.push({ contents: pages.save(), bytes: copy() })
    } else {
      const { contents, bytes } = random.pick(saved)
      pages.restore(contents)
      expect(Buffer.compare(storage.bytes, bytes)).toBe(0)
    }
  }
})

it('keeps a write across the border of two pages', () => {
  const { bindings, storage } = noisy(4 * PAGE_BYTES)
  const pages = new WrittenPages(bindings)
  const begin = pages.save()
  const before = storage.bytes.slice()
  pages.willWrite(storage, PAGE_BYTES - 4, 12)
  storage.bytes.fill(1, PAGE_BYTES - 4, PAGE_BYTES + 8)
  pages.restore(begin)
  expect(Buffer.compare(storage.bytes, before)).toBe(0)
})

it('takes bytes for what was written alone, and shares what did not change', () => {
  const { bindings, storage } = noisy(600 * PAGE_BYTES)
  const pages = new WrittenPages(bindings)
  const first = pages.save()
  expect(contentsByteLength(first)).toBe(0)
  expect(pages.originalByteLength).toBe(0)
  pages.willWrite(storage, 8, 4)
  storage.words[2] = 1
  const second = pages.save()
  expect(contentsByteLength(second, first)).toBeLessThan(2 * PAGE_BYTES)
  expect(pages.originalByteLength).toBe(PAGE_BYTES)
  expect(pages.save()).toEqual(second)
  expect(contentsByteLength(pages.save(), second)).toBe(0)
  // Written with what was there already: the page is that of the contents before.
  pages.willWrite(storage, 8, 4)
  const third = pages.save()
  expect(third.storages[0]![0]![0]).toBe(second.storages[0]![0]![0])
})
