import { describe, expect, it } from 'vitest'
import { commandParts } from './children.ts'

describe('files are named in commands of bounded length', () => {
  it('each once, in their order', () => {
    const files = Array.from({ length: 1000 }, (_, i) => `shaders/${'x'.repeat(i % 90)}${i}.dxbc`)
    const parts = commandParts(files, 500)
    expect(parts.flat()).toEqual(files)
    for (const part of parts) expect(part.map((f) => `"${f}" `).join('').length).toBeLessThanOrEqual(500)
    // No part takes less than half of the room where the next name would still have fitted.
    expect(parts.length).toBeLessThan(files.join('   ').length / 250)
  })

  it('a name that is too long stands alone', () => {
    expect(commandParts(['a', 'long name', 'b'], 8)).toEqual([['a'], ['long name'], ['b']])
    expect(commandParts([], 8)).toEqual([])
  })
})
