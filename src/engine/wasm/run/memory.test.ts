import { expect, it } from 'vitest'
import { WasmMemory } from './memory.ts'

// Another thread makes the memory grow at any time: what was found in it before is still found.

it('owns on another thread what it was before it grew', () => {
  const own = WasmMemory.create()!
  const { byteOffset } = own.allocate(1 << 16)!
  const others = WasmMemory.within(own.memory, byteOffset, byteOffset + (1 << 16))
  const before = others.current()
  own.memory.grow(1)
  expect(others.memory.buffer).not.toBe(before)
  expect([others.owns(before), others.owns(others.memory.buffer)]).toEqual([true, true])
  expect(others.owns(new SharedArrayBuffer(8))).toBe(false)
})
