import { describe, expect, test } from 'vitest'
import { MAX_TILES, tileGrid } from './chunk.ts'

describe('tiles of a draw', () => {
  const sizes = [1, 3, 4, 33, 64, 256, 1000, 1920, 4096, 16384]
  const grids = sizes.flatMap((width) =>
    sizes.flatMap((height) => [2, 4, 16, 64].map((threads) => ({ width, height, threads }))),
  )

  test('they have every pixel, are as many as threads need where there are pixels, and as few as a board holds', () => {
    for (const { width, height, threads } of grids) {
      for (const primitives of ['few', 'many'] as const) {
        const { widthShift, heightShift, columns, rows } = tileGrid(width, height, threads, 1, primitives)
        expect(columns * 2 ** widthShift).toBeGreaterThanOrEqual(width)
        expect(rows * 2 ** heightShift).toBeGreaterThanOrEqual(height)
        expect(columns * rows).toBeLessThanOrEqual(MAX_TILES)
        const isSmallest = widthShift === 2 && heightShift === 2
        const wanted = threads * (primitives === 'many' ? 8 : 16)
        if (!isSmallest) expect(columns * rows).toBeGreaterThanOrEqual(Math.min(MAX_TILES / 2, wanted))
      }
    }
  })

  test('with several samples a pixel they are lower, so that 512 KB of targets are in one', () => {
    const heights = [1, 2, 4, 8, 16].map((samples) => 2 ** tileGrid(1024, 1024, 2, samples).heightShift)
    // A row of 1024 pixels has 8 KB a sample.
    expect(heights).toEqual([32, 32, 16, 8, 8])
  })

  test('for two threads they are bands, for many they are divided across', () => {
    const { columns, rows, heightShift } = tileGrid(1920, 1080, 2)
    expect({ columns, rows, heightShift }).toEqual({ columns: 1, rows: 34, heightShift: 5 })
    expect(tileGrid(1920, 1080, 8).columns).toBe(4)
    expect(tileGrid(1920, 1080, 2, 1, 'many').heightShift).toBe(6)
  })
})
