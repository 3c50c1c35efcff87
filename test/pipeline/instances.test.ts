import { describe, expect, it } from 'vitest'
import { checkScene, foundInDraw } from '../support/check-scene.ts'
import { draw, float, wordsBuffer } from '../support/draw-text.ts'

// Instances of few vertices are shaded together; nothing may show it.

/** Passes the position on, and the instance in o1.x. */
const VERTEX =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_input_sgv v1.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xxxx\nret\n'

describe('instances', () => {
  it('of five vertices are strips of their own, in their order, with their numbers', () => {
    const instanceCount = 100
    const out = wordsBuffer(instanceCount * 9 * 2)
    const entry = (semanticName: string, semanticIndex: number) => ({
      ...{ stream: 0, semanticName, semanticIndex, startComponent: 0, componentCount: 1, outputSlot: 0 },
    })
    const { result } = draw({
      vertices: [0, 1, 2, 3, 4].map((x) => [x, 0, 0, 1]),
      vs: VERTEX,
      ps: null,
      call: { vertexCount: 5, instanceCount, startInstance: 9 },
      state: {
        topology: 'TRIANGLESTRIP',
        streamOutput: { declaration: [entry('SV', 1), entry('R', 1)], rasterizedStream: null },
      },
      resources: { streamOutputBuffers: [{ storage: out.storage, byteLength: out.byteLength, filled: 0 }] },
    })
    const expected = Array.from({ length: instanceCount }, (_, i) =>
      [0, 1, 2, 1, 3, 2, 2, 3, 4].map((x) => [x, i]),
    ).flat()
    const { words } = out.storage
    const written = Array.from({ length: words.length / 2 }, (_, i) => [float(words[i * 2]!), words[i * 2 + 1]!])
    expect(written).toEqual(expected)
    expect(result.statistics).toMatchObject({ iaVertices: 500, iaPrimitives: 300, vsInvocations: 500 })
  })

  it('are named by what is found in them', async () => {
    const corners = [
      [-1, 1, 0, 1],
      [3, 1, 0, 1],
      [-1, -3, 0, 1],
    ]
    const ps =
      'ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input_ps constant v1.x\ndcl_output o0.xyzw\ndcl_temps 2\nieq r0.x, v1.x, l(3)\nif_nz r0.x\nmov o0.xyzw, r1.xyzw\nelse\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nendif\nret\n'
    const call = { vertexCount: 3, instanceCount: 6 }
    const report = await checkScene({ vertices: corners, vs: VERTEX, ps, call })
    expect(foundInDraw(report)).toEqual(['pixel: check-uninitialized-temp'])
    expect(report.findings[0]!.site.invocation).toBe('pixel (0, 0) of primitive 0 of instance 3')
  })
})
