import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer } from '../../src/machine/index.ts'
import { newPrimitiveArray, newVertexArray, type VertexArray } from '../../src/pipeline/geometry.ts'
import type { SignatureRegister } from '../../src/pipeline/shader.ts'
import type { StreamOutputEntry, StreamOutputState } from '../../src/pipeline/state.ts'
import {
  createStreamOutput,
  type StreamBuffer,
  type StreamOutput,
  type StreamOutputLayout,
  StripAssembler,
  streamOutputLayout,
} from '../../src/pipeline/streams/index.ts'
import { Random } from '../support/random/random.ts'

/** Primitives of a sequence of emits (numbers) and cuts. */
function stripsOf(
  topology: 'pointlist' | 'linestrip' | 'trianglestrip',
  events: readonly (number | 'cut')[],
): number[][] {
  const strip = new StripAssembler(topology)
  for (const e of events) {
    if (e === 'cut') strip.cut()
    else strip.vertex(e, 7, 3)
  }
  const { count, verticesPerPrimitive: size, vertices, ids, instances } = strip.primitives
  expect([...ids.subarray(0, count)]).toEqual(new Array(count).fill(7))
  expect([...instances.subarray(0, count)]).toEqual(new Array(count).fill(3))
  return Array.from({ length: count }, (_, i) => [...vertices.subarray(i * size, (i + 1) * size)])
}

describe('strips of geometry shaders', () => {
  it('are triangles with their leading vertex in front, odd ones with the others exchanged', () => {
    expect(stripsOf('trianglestrip', [0, 1, 2, 3, 4])).toEqual([
      [0, 1, 2],
      [1, 3, 2],
      [2, 3, 4],
    ])
  })

  it('end at a cut, which drops what is incomplete and begins again with an even triangle', () => {
    expect(stripsOf('trianglestrip', [0, 1, 2, 'cut', 3, 4])).toEqual([[0, 1, 2]])
    expect(stripsOf('trianglestrip', [0, 1, 2, 3, 'cut', 4, 5, 6])).toEqual([
      [0, 1, 2],
      [1, 3, 2],
      [4, 5, 6],
    ])
    expect(stripsOf('trianglestrip', [0, 1, 2, 'cut', 3, 4, 5])).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ])
    expect(stripsOf('linestrip', [0, 'cut', 1, 2, 3, 'cut', 'cut', 4])).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  it('of points are points, whatever is cut', () => {
    expect(stripsOf('pointlist', [5, 'cut', 6, 7, 'cut'])).toEqual([[5], [6], [7]])
  })

  it('have n - 1 lines and n - 2 triangles between cuts', () => {
    const random = new Random(3)
    for (let n = 0; n < 100; n++) {
      const events = Array.from({ length: random.below(20) }, (_, k) => (random.chance(0.2) ? 'cut' : k))
      const runs = events
        .join()
        .split('cut')
        .map((run) => run.split(',').filter((x) => x !== '').length)
      const count = (least: number): number => runs.reduce((sum, run) => sum + Math.max(0, run - least), 0)
      expect(stripsOf('linestrip', events).length).toBe(count(1))
      expect(stripsOf('trianglestrip', events).length).toBe(count(2))
    }
  })
})

const output = (semanticName: string, register: number, mask = 15, stream = 0): SignatureRegister => ({
  semanticName,
  semanticIndex: 0,
  register,
  mask,
  stream,
  systemValue: 0,
})
const entry = (
  semanticName: string | null,
  outputSlot: number,
  components: readonly [start: number, count: number],
  stream = 0,
): StreamOutputEntry => ({
  stream,
  semanticName,
  semanticIndex: 0,
  startComponent: components[0],
  componentCount: components[1],
  outputSlot,
})
const state = (declaration: readonly StreamOutputEntry[], strides: readonly number[] = []): StreamOutputState => ({
  declaration,
  strides,
  rasterizedStream: 0,
})
const layoutOf = (
  declaration: readonly StreamOutputEntry[],
  outputs: readonly SignatureRegister[],
  strides: readonly number[] = [],
): StreamOutputLayout => valueOrThrow(streamOutputLayout(state(declaration, strides), outputs))

/** A buffer of words that are all 0xee. */
function buffer(byteLength: number, filled = 0): StreamBuffer {
  const made = valueOrThrow(createBuffer({ data: new Uint8Array(byteLength).fill(0xee) }))
  return { storage: made.storage, byteLength, filled }
}
const EMPTY = 0xeeeeeeee
const wordsOf = (b: StreamBuffer): number[] => [...b.storage.words.subarray(0, b.byteLength >> 2)]

/** Vertices whose word in register r, component c is vertex * 100 + r * 10 + c. */
function vertices(count: number, registerCount: number): VertexArray {
  const made = newVertexArray(registerCount, count)
  made.count = count
  for (let v = 0; v < count; v++) {
    for (let r = 0; r < registerCount; r++) {
      for (let c = 0; c < 4; c++) made.words[(v * registerCount + r) * 4 + c] = v * 100 + r * 10 + c
    }
  }
  return made
}

/** Writes one primitive. */
function writeOne(so: StreamOutput, stream: number, from: VertexArray, primitive: readonly number[]): void {
  const vertices = Int32Array.from(primitive)
  const one = {
    verticesPerPrimitive: primitive.length,
    count: 1,
    vertices,
    ids: new Int32Array(1),
    instances: new Int32Array(1),
  }
  so.write(stream, from, one, 0, 1)
}

describe('stream output', () => {
  it('writes the entries one after the other; gaps and padding keep what the buffer has', () => {
    const layout = layoutOf(
      [entry('A', 0, [2, 1]), entry(null, 0, [0, 1]), entry('B', 0, [0, 2])],
      [output('A', 0), output('B', 1)],
      [20],
    )
    const target = buffer(48)
    writeOne(createStreamOutput(layout, [target]), 0, vertices(2, 2), [1, 0])
    expect(wordsOf(target)).toEqual([102, EMPTY, 110, 111, EMPTY, 2, EMPTY, 10, 11, EMPTY, EMPTY, EMPTY])
    expect(target.filled).toBe(40)
  })

  it('counts components from the first of an element, and leaves bits as they are', () => {
    const layout = layoutOf([entry('B', 0, [0, 2])], [output('A', 0, 0b0011), output('B', 0, 0b1100)])
    const target = buffer(8)
    const one = newVertexArray(1, 1)
    one.words.set([1, 2, 0x7f800001, -1])
    writeOne(createStreamOutput(layout, [target]), 0, one, [0])
    expect(wordsOf(target)).toEqual([0x7f800001, 0xffffffff])
  })

  it('splits a stream between buffers', () => {
    const layout = layoutOf(
      [entry('A', 2, [0, 1]), entry('B', 0, [3, 1]), entry('A', 2, [1, 1])],
      [output('A', 0), output('B', 1)],
    )
    const targets = [buffer(8), undefined, buffer(16)]
    writeOne(createStreamOutput(layout, targets), 0, vertices(2, 2), [0, 1])
    expect(wordsOf(targets[0]!)).toEqual([13, 113])
    expect(wordsOf(targets[2]!)).toEqual([0, 1, 100, 101])
  })

  it('writes whole primitives only: k = 1, 2, 3, ... points into 10 places', () => {
    // A geometry shader that emits vPrim + 1 points for each of n primitives: n (n + 1) / 2 in all.
    for (let n = 1; n <= 8; n++) {
      const target = buffer(10 * 16)
      const so = createStreamOutput(layoutOf([entry('A', 0, [0, 4])], [output('A', 0)]), [target])
      const all = vertices(1, 1)
      const points = (n * (n + 1)) / 2
      for (let p = 0; p < points; p++) writeOne(so, 0, all, [0])
      expect(so.statistics[0]).toEqual({ primitivesWritten: Math.min(10, points), primitivesStorageNeeded: points })
      expect(target.filled).toBe(16 * Math.min(10, points))
    }
    const target = buffer(10 * 16)
    const so = createStreamOutput(layoutOf([entry('A', 0, [0, 4])], [output('A', 0)]), [target])
    for (let t = 0; t < 5; t++) writeOne(so, 0, vertices(3, 1), [0, 1, 2])
    expect(so.statistics[0]).toEqual({ primitivesWritten: 3, primitivesStorageNeeded: 5 })
    expect(wordsOf(target).slice(36)).toEqual([EMPTY, EMPTY, EMPTY, EMPTY])
  })

  it('needs room for the stride of each vertex, the padding of the last one too', () => {
    const layout = layoutOf([entry('A', 0, [0, 1])], [output('A', 0)], [12])
    const written = (byteLength: number): number => {
      const so = createStreamOutput(layout, [buffer(byteLength)])
      writeOne(so, 0, vertices(2, 1), [0, 1])
      return so.statistics[0]!.primitivesWritten
    }
    expect([written(24), written(20)]).toEqual([1, 0])
  })

  it('ends for all buffers of a stream when one is full, for the rest of the draw; other streams go on', () => {
    const outputs = [output('A', 0), output('B', 1), output('C', 0, 15, 1)]
    const layout = layoutOf([entry('A', 0, [0, 1]), entry('B', 1, [0, 1]), entry('C', 3, [0, 1], 1)], outputs)
    const targets = [buffer(40), buffer(20), undefined, buffer(40)]
    const so = createStreamOutput(layout, targets)
    const all = vertices(3, 2)
    writeOne(so, 0, all, [0, 1, 2])
    // Three more do not fit into the 8 bytes that the second buffer has left; two would, but it is over.
    writeOne(so, 0, all, [0, 1, 2])
    writeOne(so, 0, all, [0, 1])
    writeOne(so, 1, all, [2])
    expect(so.statistics.map((s) => [s.primitivesWritten, s.primitivesStorageNeeded])).toEqual([
      [1, 3],
      [1, 1],
      [0, 0],
      [0, 0],
    ])
    expect(targets.map((t) => t?.filled)).toEqual([12, 12, undefined, 4])
    // The next draw appends where this one ended, and what fits is written again.
    const next = createStreamOutput(layout, targets)
    writeOne(next, 0, all, [1, 2])
    expect(next.statistics[0]).toEqual({ primitivesWritten: 1, primitivesStorageNeeded: 1 })
    expect(targets[1]!.filled).toBe(20)
    expect(wordsOf(targets[1]!)).toEqual([10, 110, 210, 110, 210])
  })

  it('treats a slot without a buffer as full, and ignores a buffer that no entry uses', () => {
    const layout = layoutOf([entry('A', 0, [0, 1]), entry('A', 1, [1, 1])], [output('A', 0)])
    const bound = buffer(64)
    const so = createStreamOutput(layout, [bound, undefined, buffer(4, 4)])
    writeOne(so, 0, vertices(1, 1), [0])
    expect(so.statistics[0]).toEqual({ primitivesWritten: 0, primitivesStorageNeeded: 1 })
    expect([bound.filled, ...wordsOf(bound).slice(0, 2)]).toEqual([0, EMPTY, EMPTY])
    const unused = buffer(4, 4)
    const other = createStreamOutput(layout, [bound, buffer(64), unused])
    writeOne(other, 0, vertices(1, 1), [0])
    expect(other.statistics[0]!.primitivesWritten).toBe(1)
    expect(unused.filled).toBe(4)
    // Beyond its end nothing fits.
    const beyond = createStreamOutput(layout, [buffer(64, 128), buffer(64)])
    writeOne(beyond, 0, vertices(1, 1), [0])
    expect(beyond.statistics[0]!.primitivesWritten).toBe(0)
  })

  it('counts nothing for a stream without entries', () => {
    const so = createStreamOutput(layoutOf([entry('A', 0, [0, 1])], [output('A', 0)]), [buffer(64)])
    writeOne(so, 2, vertices(1, 1), [0])
    expect(so.statistics[2]).toEqual({ primitivesWritten: 0, primitivesStorageNeeded: 0 })
  })

  it('takes whole patches, and gives 0 for outputs that the code never declares', () => {
    const layout = layoutOf([entry('A', 0, [0, 1]), entry('B', 0, [0, 1])], [output('A', 0), output('B', 7)])
    const target = buffer(8 * 4)
    writeOne(createStreamOutput(layout, [target]), 0, vertices(4, 1), [3, 2, 1, 0])
    expect(wordsOf(target)).toEqual([300, 0, 200, 0, 100, 0, 0, 0])
  })
})

describe('stream output declarations', () => {
  const OUTPUTS = Array.from({ length: 32 }, (_, r) => ({ ...output('A', r), semanticIndex: r }))
  const of = (n: number, slot: number): StreamOutputEntry => ({ ...entry('A', slot, [0, 4]), semanticIndex: n })

  it('compare names without regard to case, and look in their stream only', () => {
    expect(streamOutputLayout(state([entry('texcoord', 0, [0, 1])]), [output('TEXCOORD', 0)]).value).toBeDefined()
    expect(streamOutputLayout(state([entry('A', 0, [0, 1], 1)]), [output('A', 0)]).value).toBeUndefined()
    const two = [output('A', 0), output('A', 5, 15, 1)]
    expect(layoutOf([entry('A', 0, [0, 1], 1)], two).slots[0]!.copies).toEqual([{ word: 20, byteOffset: 0 }])
  })

  it('take 128 components of a stream and 512 bytes of a buffer', () => {
    const all = Array.from({ length: 32 }, (_, n) => of(n, 0))
    expect(layoutOf(all, OUTPUTS).slots[0]!.stride).toBe(512)
    const found = streamOutputLayout(state([...all, entry(null, 1, [0, 1])]), OUTPUTS).diagnostics
    expect(found.map((d) => d.place)).toEqual([{ kind: 'path', path: 'streamOutput.declaration[32].componentCount' }])
    // Gaps count: 127 components and a gap of 2.
    expect(streamOutputLayout(state([entry(null, 0, [0, 127]), entry(null, 1, [0, 2])]), []).value).toBeUndefined()
    expect(streamOutputLayout(state([entry(null, 0, [0, 127]), entry(null, 1, [0, 1])]), []).value).toBeDefined()
  })

  it('refuse what Direct3D refuses, and name the field', () => {
    const good = entry('A', 0, [0, 4])
    const wrong: [StreamOutputEntry, string][] = [
      [{ ...good, outputSlot: 4 }, 'outputSlot'],
      [{ ...good, stream: 4 }, 'stream'],
      [{ ...good, stream: 1 }, 'semanticName'],
      [{ ...good, semanticName: 'B' }, 'semanticName'],
      [{ ...good, semanticName: '' }, 'semanticName'],
      [{ ...good, startComponent: 1 }, 'componentCount'],
      [{ ...good, startComponent: -1 }, 'startComponent'],
      [{ ...good, componentCount: 0 }, 'componentCount'],
      [{ ...good, componentCount: 5 }, 'componentCount'],
      [{ ...good, componentCount: Number.NaN }, 'componentCount'],
      [{ ...entry(null, 0, [0, 4]), componentCount: 1e9 }, 'componentCount'],
    ]
    for (const [e, field] of wrong) {
      const { value, diagnostics } = streamOutputLayout(state([e]), [output('A', 0)])
      expect(value).toBeUndefined()
      expect(diagnostics.map((d) => d.place)).toEqual([{ kind: 'path', path: `streamOutput.declaration[0].${field}` }])
    }
  })

  it('put a component in one place, and a buffer to one stream', () => {
    const outputs = [output('A', 0), output('A', 0, 15, 1)]
    const twice = streamOutputLayout(state([entry('A', 0, [0, 2]), entry('A', 1, [1, 1])]), outputs)
    expect(twice.diagnostics.map((d) => d.place)).toEqual([
      { kind: 'path', path: 'streamOutput.declaration[1].startComponent' },
    ])
    const mixed = streamOutputLayout(state([entry('A', 0, [0, 1]), entry('A', 0, [0, 1], 1)]), outputs)
    expect(mixed.diagnostics.map((d) => d.place)).toEqual([
      { kind: 'path', path: 'streamOutput.declaration[1].stream' },
    ])
    expect(streamOutputLayout(state([entry('A', 0, [0, 1]), entry('A', 1, [0, 1], 1)]), outputs).value).toBeDefined()
  })

  it('have strides that hold the entries, in whole words, up to 2048 bytes', () => {
    const stride = (n: number): boolean =>
      streamOutputLayout(state([entry('A', 0, [0, 3])], [n]), [output('A', 0)]).value !== undefined
    expect([12, 16, 2048].map(stride)).toEqual([true, true, true])
    expect([8, 0, -4, 14, 2052, Number.NaN, 12.5].map(stride)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it('name a stream for the rasterizer, or none', () => {
    const rasterized = (rasterizedStream: number | null): boolean =>
      streamOutputLayout({ ...state([]), rasterizedStream }, []).value !== undefined
    expect([0, 3, null].map(rasterized)).toEqual([true, true, true])
    expect([4, -1, 0.5].map(rasterized)).toEqual([false, false, false])
  })
})

/** What stream output leaves, worked out for each buffer from the number of primitives that all buffers of its stream hold. */
describe('stream output and a model of it', () => {
  it('leave the same on random declarations, buffers and primitives of one size', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const r = new Random(seed)
      const size = 1 + r.below(3)
      const streamOfSlot = Array.from({ length: 4 }, () => r.below(3))
      const free = new Set(Array.from({ length: 12 }, (_, n) => n))
      const outputs = [0, 1, 2].flatMap((stream) =>
        [0, 1, 2].map((k) => ({ ...output('A', k, 15, stream), semanticIndex: k })),
      )
      const declaration = Array.from({ length: 1 + r.below(6) }, (): StreamOutputEntry => {
        const outputSlot = r.below(4)
        const word = r.pick([...free])
        free.delete(word)
        const isGap = r.chance(0.3)
        return {
          stream: streamOfSlot[outputSlot]!,
          semanticName: isGap ? null : 'A',
          semanticIndex: isGap ? 0 : word >> 2,
          startComponent: isGap ? 0 : word & 3,
          componentCount: 1,
          outputSlot,
        }
      })
      const used = (slot: number) => declaration.filter((e) => e.outputSlot === slot)
      const strides = [0, 1, 2, 3].map((slot) => used(slot).length * 4 + 4 * r.below(3))
      const targets = [0, 1, 2, 3].map(() => (r.chance(0.15) ? undefined : buffer(4 + r.below(200), 4 * r.below(6))))
      const starts = targets.map((t) => t?.filled ?? 0)
      const so = createStreamOutput(layoutOf(declaration, outputs, strides), targets)
      const all = vertices(30, 3)
      const needed = [0, 0, 0]
      const primitives: number[][][] = [[], [], []]
      for (let n = r.below(20); n > 0; n--) {
        const stream = r.below(3)
        const count = 1 + r.below(4)
        const made = Array.from({ length: count }, () => Array.from({ length: size }, () => r.below(30)))
        // Those before and behind are not written.
        const array = newPrimitiveArray(size, count + 2)
        array.vertices.set(made.flat(), size)
        so.write(stream, all, array, 1, 1 + count)
        primitives[stream]!.push(...made)
        needed[stream]! += count
      }
      for (let stream = 0; stream < 3; stream++) {
        const slots = [0, 1, 2, 3].filter((slot) => used(slot).length > 0 && streamOfSlot[slot] === stream)
        const room = slots.map((slot) => {
          const t = targets[slot]
          return t === undefined ? 0 : Math.max(0, Math.floor((t.byteLength - starts[slot]!) / (strides[slot]! * size)))
        })
        const written = Math.min(primitives[stream]!.length, ...room)
        const expected = slots.length === 0 ? [0, 0] : [written, needed[stream]]
        const { primitivesWritten, primitivesStorageNeeded } = so.statistics[stream]!
        expect([seed, primitivesWritten, primitivesStorageNeeded]).toEqual([seed, ...expected])
        for (const slot of slots) {
          const t = targets[slot]
          if (t === undefined) continue
          const model = new Array<number>(t.byteLength >> 2).fill(EMPTY)
          primitives[stream]!.slice(0, written)
            .flat()
            .forEach((v, n) => {
              used(slot).forEach((e, k) => {
                if (e.semanticName === null) return
                model[(starts[slot]! + n * strides[slot]!) / 4 + k] = v * 100 + e.semanticIndex * 10 + e.startComponent
              })
            })
          expect([seed, slot, wordsOf(t)]).toEqual([seed, slot, model])
          expect(t.filled).toBe(starts[slot]! + written * size * strides[slot]!)
        }
      }
    }
  })
})
