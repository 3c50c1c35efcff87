import { afterEach, describe, expect, it } from 'vitest'
import { drawParts } from '../../src/pipeline/index.ts'
import { draw, float, type Scene, wordsBuffer } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Long lists are taken apart; nothing may show it: not the vertices that are shaded, nor identifiers, nor the order.

const before = drawParts.elements
afterEach(() => {
  drawParts.elements = before
})

/** Passes on the position, and in o1 the numbers of the vertex and the instance. */
const VERTEX =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_input_sgv v1.x, vertex_id\ndcl_input_sgv v2.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.x, v1.x\nmov o1.y, v2.x\nmov o1.zw, l(0,0,0,0)\nret\n'
/** Points of a primitive: its first vertex, and the primitive's number in o1.x. */
const GEOMETRY =
  'gs_5_0\ndcl_input v[3][0].xyzw\ndcl_input vPrim\ndcl_inputprimitive triangle\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 1\nmov o0.xyzw, v[2][0].xyzw\nmov o1.xyzw, vPrim.xxxx\nemit_stream m0\nret\n'
const VERTICES = 500

const entry = (semanticName: string, semanticIndex: number, componentCount: number) => ({
  ...{ stream: 0, semanticName, semanticIndex, startComponent: 0, componentCount, outputSlot: 0 },
})

/** Draws to a stream: words of 3 a vertex (x of the position, two of o1), and the statistics. */
function streamed(indices: Uint16Array | undefined, instanceCount: number, gs?: string) {
  const count = indices?.length ?? VERTICES
  const out = wordsBuffer(count * instanceCount * 3)
  const index = indices && wordsBuffer(Math.ceil(count / 2), new Uint32Array(indices.slice().buffer))
  const scene: Scene = {
    vertices: Array.from({ length: VERTICES }, (_, i) => [i, 0, 0, 1]),
    vs: VERTEX,
    ...(gs === undefined ? {} : { gs }),
    ps: null,
    call: indices === undefined ? { vertexCount: count, instanceCount } : { indexCount: count, instanceCount },
    state: {
      topology: 'TRIANGLELIST',
      depthStencil: { depthEnable: false },
      streamOutput: { declaration: [entry('SV', 1, 1), entry('R', 1, 2)], rasterizedStream: null },
    },
    resources: {
      streamOutputBuffers: [{ storage: out.storage, byteLength: out.byteLength, filled: 0 }],
      indexBuffer: index && { storage: index.storage, byteLength: count * 2, format: 'R16_UINT', offset: 0 },
    },
  }
  const { result } = draw(scene)
  const { words } = out.storage
  const vertices = Array.from({ length: words.length / 3 }, (_, i) => [
    float(words[i * 3]!),
    words[i * 3 + 1]!,
    words[i * 3 + 2]!,
  ])
  return { vertices, statistics: result.statistics }
}

/** Indices as those of a mesh: near those before, some far away. */
function meshIndices(count: number): Uint16Array {
  const random = new Random(7)
  return Uint16Array.from({ length: count }, (_, i) => (Math.floor(i / 8) + random.below(40)) % VERTICES)
}

/** Vertices that are shaded where results are reused among 256 indices. */
function shadedCount(indices: Uint16Array): number {
  let count = 0
  for (let at = 0; at < indices.length; at += 256) count += new Set(indices.subarray(at, at + 256)).size
  return count
}

describe('parts of a list', () => {
  it('with indices shade what the whole shades, for each instance', () => {
    drawParts.elements = 1
    const indices = meshIndices(768 * 3 + 302)
    const { vertices, statistics } = streamed(indices, 2)
    const whole = indices.slice(0, 768 * 3 + 300)
    const expected = [0, 1].flatMap((instance) => [...whole].map((i) => [i, i, instance]))
    expect(vertices.slice(0, expected.length)).toEqual(expected)
    expect(statistics).toMatchObject({
      iaVertices: indices.length * 2,
      iaPrimitives: whole.length * (2 / 3),
      vsInvocations: shadedCount(indices) * 2,
    })
  })

  it('without indices go on with the numbers of vertices', () => {
    drawParts.elements = 7
    const { vertices, statistics } = streamed(undefined, 2)
    const expected = [0, 1].flatMap((instance) => Array.from({ length: 498 }, (_, i) => [i, i, instance]))
    expect(vertices.slice(0, expected.length)).toEqual(expected)
    expect(statistics).toMatchObject({ iaVertices: 1000, iaPrimitives: 332, vsInvocations: 1000 })
  })

  it('go on with the numbers of primitives', () => {
    drawParts.elements = 1
    const { vertices } = streamed(meshIndices(768 * 2), 1, GEOMETRY)
    expect(vertices.slice(0, 512).map((v) => v[1])).toEqual(Array.from({ length: 512 }, (_, i) => i))
  })

  it('are not made where a cut is among the indices: primitives begin anew behind it', () => {
    drawParts.elements = 1
    const indices = meshIndices(768 * 2)
    indices[1000] = 0xffff
    const { vertices, statistics } = streamed(indices, 1)
    const expected = [...indices.subarray(0, 999), ...indices.subarray(1001, 1001 + 534)].map((i) => [i, i, 0])
    expect(vertices.slice(0, expected.length)).toEqual(expected)
    expect(statistics).toMatchObject({ iaVertices: 1535, iaPrimitives: 333 + 178 })
  })
})
