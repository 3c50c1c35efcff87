import { describe, expect, test } from 'vitest'
import type { VertexArray } from '../geometry.ts'
import type { SetupCode } from '../pixels/index.ts'
import { JOB, JOB_WORDS, type PixelRect, type TriangleSource } from '../raster/index.ts'
import { CHUNK_WORDS, type ChunkWords, chunksOf, MAX_VERTEX_WORDS, tileGrid } from './chunk.ts'
import { ChunkSink } from './chunk-sink.ts'
import { ChunkWriter } from './chunk-writer.ts'

const WIDTH = 12
const grid = tileGrid(64, 64, 2)
const BOUNDS: PixelRect = { left: 0, top: 0, right: 64, bottom: 64 }

/** Vertices of three registers, each with its number in all words. */
function verticesOf(count: number): VertexArray {
  const words = Int32Array.from({ length: count * WIDTH }, (_, i) => Math.floor(i / WIDTH))
  return { registerCount: WIDTH / 4, count, words, vertexMemory: undefined }
}

const chunks = (slotCount: number): readonly ChunkWords[] =>
  chunksOf(new SharedArrayBuffer(slotCount * CHUNK_WORDS * 4), { chunks: 0, slotCount })

describe('vertices of a chunk', () => {
  const array = verticesOf(10_000)

  test('those that a range lacks go behind the ones before it, and numbers stay', () => {
    const writer = new ChunkWriter(grid, [], true)
    const [chunk] = chunks(1)
    writer.open(chunk!)
    // 100 to 199 are 0 to 99 of the chunk; 150 to 299 need 200 to 299 more.
    expect(writer.copyVertices(array, 100, 200)).toBe(-100)
    expect(writer.copyVertices(array, 150, 300)).toBe(-100)
    expect(writer.copyVertices(array, 120, 180)).toBe(-100)
    expect([0, 99, 199].map((n) => chunk!.vertices[n * WIDTH])).toEqual([100, 199, 299])
    expect(chunk!.vertices[200 * WIDTH]).toBe(0)
    // What lies before the range is copied as one of its own.
    expect(writer.copyVertices(array, 50, 60)).toBe(150)
    expect(chunk!.vertices[200 * WIDTH]).toBe(50)
  })

  test('after other vertices of the same numbers they are copied again', () => {
    const writer = new ChunkWriter(grid, [], true)
    const [chunk] = chunks(1)
    writer.open(chunk!)
    expect(writer.copyVertices(array, 0, 10)).toBe(0)
    writer.forgetVertices()
    expect(writer.copyVertices(array, 0, 10)).toBe(10)
  })

  test('what does not fit is not copied', () => {
    const most = MAX_VERTEX_WORDS / WIDTH
    const writer = new ChunkWriter(grid, [], true)
    const [chunk] = chunks(1)
    writer.open(chunk!)
    expect(writer.copyVertices(array, 0, most + 1)).toBeUndefined()
    expect(writer.copyVertices(array, 1, most + 1)).toBe(-1)
    expect(writer.copyVertices(array, 1, most + 2)).toBeUndefined()
  })
})

describe('triangles that code sets up', () => {
  /** Writes a record for each triangle, with the number of its first vertex, and its box in the first tile. */
  function newSetup(boxes: Int32Array): Pick<SetupCode, 'isReadyFor' | 'run' | 'count' | 'boxes' | 'pixelCount'> {
    const made = {
      ...{ count: 0, boxes, pixelCount: 0, isReadyFor: () => true },
      run(_source: TriangleSource, from: number, to: number): number {
        made.count = to - from
        return to
      },
    }
    return made
  }

  test('go on in another chunk where their vertices do not fit what is left of one', () => {
    const places = chunks(3)
    const writer = new ChunkWriter(grid, [], true)
    let slot = 0
    writer.open(places[0]!)
    const counts: number[] = []
    const change = (): void => {
      counts.push(writer.primitiveCount)
      writer.close()
      writer.open(places[++slot]!)
    }
    // One pixel each.
    const boxes = new Int32Array(512 * JOB_WORDS).map((_, i) =>
      i % JOB_WORDS === JOB.right || i % JOB_WORDS === JOB.bottom ? 1 : 0,
    )
    const setup = newSetup(boxes) as unknown as SetupCode
    const count = 5000
    const vertices = Int32Array.from({ length: count * 3 }, (_, i) => i)
    const array = verticesOf(count * 3)
    const sink = new ChunkSink(array, setup, writer, { ensure: () => undefined, change }, () => false)
    const source = { vertices } as unknown as TriangleSource
    for (let at = 0; at < count; ) {
      const next = sink.setUp(source, at, count, BOUNDS)
      // Code takes them all but a few at the end, which are not worth a call.
      expect(next).toBeGreaterThan(at)
      at = count - next < 16 ? count : next
    }
    // 98304 words are 8192 vertices, those of 2730 triangles; 512 triangles are a call.
    expect(counts).toEqual([2560])
  })
})
