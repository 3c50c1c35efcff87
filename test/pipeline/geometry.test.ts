import { describe, expect, it } from 'vitest'
import type { StreamOutputEntry } from '../../src/pipeline/index.ts'
import { at, draw, float, type Scene, wordsBuffer } from '../support/draw-text.ts'
import { primitivesOf } from '../support/input-model.ts'

// Geometry shaders in whole draws: every kind of primitive in, up to four streams out.

const entry = (stream: number, semanticIndex: number, componentCount: number): StreamOutputEntry => ({
  stream,
  semanticName: 'R',
  semanticIndex,
  startComponent: 0,
  componentCount,
  outputSlot: stream,
})

/** Draws with a buffer for each of four slots; the floats that each got. */
function streamed(scene: Scene, declaration: readonly StreamOutputEntry[], rasterizedStream: number | null) {
  const buffers = [0, 1, 2, 3].map(() => wordsBuffer(4096))
  const targets = buffers.map((b) => ({ storage: b.storage, byteLength: b.byteLength, filled: 0 }))
  const drawn = draw({
    ...scene,
    state: { depthStencil: { depthEnable: false }, ...scene.state, streamOutput: { declaration, rasterizedStream } },
    resources: { ...scene.resources, streamOutputBuffers: targets },
  })
  const floats = buffers.map((b, i) =>
    Array.from({ length: targets[i]!.filled / 4 }, (_, word) => float(b.storage.words[word]!)),
  )
  return { drawn, floats }
}

/** Emits every vertex of its primitive as a point with the number of the primitive. */
const eachVertex = (kind: string, size: number): string =>
  [
    'gs_5_0',
    `dcl_input v[${size}][0].xyzw`,
    'dcl_input vPrim',
    'dcl_temps 1',
    `dcl_inputprimitive ${kind}`,
    'dcl_stream m0',
    'dcl_outputtopology pointlist',
    'dcl_output o0.xy',
    `dcl_maxout ${size}`,
    'utof r0.x, vPrim',
    ...Array.from({ length: size }, (_, v) => `mov o0.x, v[${v}][0].x\nmov o0.y, r0.x\nemit_stream m0`),
    'ret',
    '',
  ].join('\n')

describe('primitives that a geometry shader gets', () => {
  it.each([
    ['POINTLIST', 'point', 1],
    ['LINELIST', 'line', 2],
    ['LINESTRIP', 'line', 2],
    ['TRIANGLELIST', 'triangle', 3],
    ['TRIANGLESTRIP', 'triangle', 3],
    ['LINELIST_ADJ', 'lineadj', 4],
    ['LINESTRIP_ADJ', 'lineadj', 4],
    ['TRIANGLELIST_ADJ', 'triangleadj', 6],
    ['TRIANGLESTRIP_ADJ', 'triangleadj', 6],
    ['5_CONTROL_POINT_PATCHLIST', 'patch5', 5],
  ] as const)(
    'of %s are those of the figures, numbered anew in each instance and on through cuts',
    (topology, kind, size) => {
      const gs = eachVertex(kind, size)
      for (const runs of [[0], [size], [size + 1], [13], [14], [12, 7], [1, 9, 2, 8]]) {
        // Runs of vertices 0, 1, 2, ... with a cut after each.
        const indices = runs.flatMap((count, r) => [
          ...Array.from({ length: count }, (_, i) => runs.slice(0, r).reduce((a, b) => a + b, 0) + i),
          0xffffffff,
        ])
        const vertices = Array.from({ length: 24 }, (_, i) => [i, 0, 0, 1])
        const indexBuffer = wordsBuffer(0, Uint32Array.from(indices))
        const { floats } = streamed(
          {
            vertices,
            gs,
            ps: null,
            call: { indexCount: indices.length, instanceCount: 2 },
            state: { topology },
            resources: {
              indexBuffer: {
                storage: indexBuffer.storage,
                byteLength: indices.length * 4,
                format: 'R32_UINT',
                offset: 0,
              },
            },
          },
          [entry(0, 0, 2)],
          null,
        )
        let first = 0
        let id = 0
        const expected: number[] = []
        for (const count of runs) {
          for (const primitive of primitivesOf(topology, count)) {
            for (const v of primitive) expected.push(first + v, id)
            id++
          }
          first += count
        }
        expect(floats[0], `${topology}, runs of ${runs}`).toEqual([...expected, ...expected])
      }
    },
  )
})

describe('a geometry shader that does not declare adjacent vertices', () => {
  it.each([
    ['LINELIST_ADJ', 'line', 2, [1, 2]],
    ['LINESTRIP_ADJ', 'line', 2, [1, 2]],
    ['TRIANGLELIST_ADJ', 'triangle', 3, [0, 2, 4]],
    ['TRIANGLESTRIP_ADJ', 'triangle', 3, [0, 2, 4]],
  ] as const)('gets the others of %s', (topology, kind, size, kept) => {
    const vertices = Array.from({ length: 13 }, (_, i) => [i, 0, 0, 1])
    const { floats, drawn } = streamed(
      { vertices, gs: eachVertex(kind, size), ps: null, state: { topology } },
      [entry(0, 0, 2)],
      null,
    )
    const expected = primitivesOf(topology, 13).flatMap((p, id) => kept.flatMap((k) => [p[k]!, id]))
    expect([floats[0], drawn.codes]).toEqual([expected, []])
  })
})

describe('four streams of points', () => {
  const outputs = [0, 1, 2, 3].map(
    (s) => `dcl_stream m${s}\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xy`,
  )
  const emit = (stream: number, x: string, y: string): string =>
    `mov o0.xyzw, v[0][0].xyzw\nmov o1.x, ${x}\nmov o1.y, ${y}\nemit_stream m${stream}`
  // Point p, instance i: stream s gets (s, p + 10 i), and stream 3 besides (33, 34).
  const gs = [
    'gs_5_0',
    'dcl_input_siv v[1][0].xyzw, position',
    'dcl_input vPrim',
    'dcl_input vGSInstanceID',
    'dcl_temps 1',
    'dcl_inputprimitive point',
    'dcl_gsinstances 2',
    ...outputs,
    'dcl_maxout 5',
    'utof r0.x, vPrim',
    'utof r0.y, vGSInstanceID',
    'mad r0.z, r0.y, l(10.0), r0.x',
    ...[0, 1, 2, 3].map((s) => emit(s, `l(${s}.0)`, 'r0.z')),
    emit(3, 'l(33.0)', 'l(34.0)'),
    'ret',
    '',
  ].join('\n')
  const ps = 'ps_5_0\ndcl_input_ps linear v1.xy\ndcl_output o0.xyzw\nadd o0.x, v1.x, l(1.0)\nmov o0.yzw, v1.yyyy\nret\n'
  const run = (rasterizedStream: number | null) =>
    streamed(
      { vertices: [at(0.5, 0.5, 4, 4), at(1.5, 0.5, 4, 4)], gs, ps, state: { topology: 'POINTLIST' } },
      [0, 1, 2, 3].map((s) => entry(s, 1, 2)),
      rasterizedStream,
    )

  it('go to their buffers in the order of primitives and instances', () => {
    const { floats, drawn } = run(null)
    const order = [0, 10, 1, 11]
    for (const s of [0, 1, 2]) expect(floats[s]).toEqual(order.flatMap((n) => [s, n]))
    expect(floats[3]).toEqual(order.flatMap((n) => [3, n, 33, 34]))
    const written = (n: number) => ({ primitivesWritten: n, primitivesStorageNeeded: n })
    expect(drawn.result.streamOutput).toEqual([written(4), written(4), written(4), written(8)])
    expect(drawn.result.statistics).toMatchObject({ gsInvocations: 4, gsPrimitives: 20, cInvocations: 0 })
    expect(drawn.mask()).toBe(0)
  })

  it.each([0, 1, 2])('of them stream %i alone reaches the rasterizer', (stream) => {
    const { drawn } = run(stream)
    // The second instance is drawn over the first.
    expect([0, 1].map((x) => [drawn.value(x, 0, 0), drawn.value(x, 0, 1)])).toEqual([
      [stream + 1, 10],
      [stream + 1, 11],
    ])
    expect(drawn.mask()).toBe(0b11)
    expect(drawn.result.statistics.cInvocations).toBe(4)
  })

  it('the last of a stream is on top', () => {
    const { drawn } = run(3)
    expect([drawn.value(0, 0, 0), drawn.value(0, 0, 1)]).toEqual([34, 34])
    expect(drawn.result.statistics.cInvocations).toBe(8)
  })
})
