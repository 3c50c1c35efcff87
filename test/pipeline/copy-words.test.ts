import { expect, it } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { copyWords } from '../../src/pipeline/copy-words.ts'

// Words are copied by code where they lie in the memory of the engine, and as arrays do it elsewhere.

const kernels = createWasmEngineWith({ threads: 1 }).elementKernels!
const COUNT = 300

const numbered = (words: Int32Array): Int32Array => {
  for (let n = 0; n < words.length; n++) words[n] = n * 7 + 1
  return words
}

function ownWords(): Int32Array {
  const { buffer, byteOffset } = kernels.allocate(COUNT * 4)!
  return numbered(new Int32Array(buffer, byteOffset, COUNT))
}

it('copies between arrays of the memory, and no word beside them', () => {
  const [from, to] = [ownWords(), ownWords()]
  to.fill(-1)
  expect(kernels.copy(to, 10, from, 20, 50)).toBe(true)
  const expected = Array.from({ length: COUNT }, (_, n) => (n >= 10 && n < 40 ? (n + 10) * 7 + 1 : -1))
  expect([...to]).toEqual(expected)
  expect(kernels.copy(to, 0, from, 5, 5)).toBe(true)
  expect([...to]).toEqual(expected)
})

it.each([
  [3, 0],
  [0, 3],
])('copies words to %i from %i in one array as if they were read before', (at, first) => {
  const words = ownWords()
  const before = [...words]
  expect(kernels.copy(words, at, words, first, first + 100)).toBe(true)
  expect([...words]).toEqual(before.map((word, n) => (n >= at && n < at + 100 ? before[n - at + first]! : word)))
})

it('copies nothing beyond the end of an array', () => {
  const [from, to] = [ownWords(), ownWords()]
  const before = [...to]
  expect(kernels.copy(to, 0, from, COUNT - 5, COUNT + 1)).toBe(false)
  expect(kernels.copy(to, COUNT - 5, from, 0, 6)).toBe(false)
  expect([...to]).toEqual(before)
  // As far as there are words, as arrays do it.
  copyWords(kernels, to, 0, from.fill(9), COUNT - 5, COUNT + 1)
  expect([...to]).toEqual(before.map((word, n) => (n < 5 ? 9 : word)))
})

it('leaves other arrays to themselves', () => {
  const [own, other] = [ownWords(), numbered(new Int32Array(COUNT))]
  expect(kernels.copy(other, 0, own, 0, COUNT)).toBe(false)
  expect(kernels.copy(own, 0, other, 0, COUNT)).toBe(false)
  for (const known of [kernels, undefined]) {
    const to = new Int32Array(4)
    copyWords(known, to, 1, other, 2, 4)
    expect([...to]).toEqual([0, 15, 22, 0])
  }
})
