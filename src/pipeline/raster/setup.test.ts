import { expect, it } from 'vitest'
import { floatsOf, newVertexArray } from '../geometry.ts'
import { DEFAULT_RASTERIZER } from '../state.ts'
import { VertexWords } from './clip.ts'
import { NO_DEPTH_BUFFER } from './depth-bias.ts'
import { PrimitiveSetup, type PrimitiveSink } from './setup.ts'

/** A setup of one triangle in clip space, of a target of 16 x 16 pixels, and what runs it. */
function setupOf(corners: readonly (readonly [x: number, y: number, z: number])[], sink: PrimitiveSink): () => void {
  const array = newVertexArray(1, 3)
  array.count = 3
  floatsOf(array.words).set(corners.flatMap((c) => [...c, 1]))
  const setup = new PrimitiveSetup(
    {
      rasterizer: { ...DEFAULT_RASTERIZER, cullMode: 'NONE' },
      viewports: [{ topLeftX: 0, topLeftY: 0, width: 16, height: 16, minDepth: 0, maxDepth: 1 }],
      biasUnit: NO_DEPTH_BUFFER,
      inputs: { position: 0, clipDistances: [], cullDistances: [], viewportIndex: -1, renderTargetIndex: -1 },
      clip: { vertices: new VertexWords(array), position: 0, modes: new Uint8Array(4) },
      centersOnly: false,
      counts: { clipperInvocations: 0, clipperPrimitives: 0 },
    },
    sink,
  )
  return () => setup.add(Int32Array.of(0, 1, 2), 0, 3, 0, 0)
}

it('keeps a primitive while its sink has another one set up', () => {
  const others: number[] = []
  const other = setupOf(
    [
      [0, 0, 0],
      [0, -1, 0],
      [1, 0, 0],
    ],
    (p) => void others.push(...p.x),
  )
  const runs = setupOf(
    [
      [-1, 1, 0.25],
      [0.5, 1, 0.5],
      [-1, -0.5, 0.75],
    ],
    (p) => {
      other()
      // In 1/256 pixel: 8 pixels are 1 in clip space, whose y goes up.
      expect([...p.x]).toEqual([0, 12 * 256, 0])
      expect([...p.y]).toEqual([0, 0, 12 * 256])
      expect([...p.depths()]).toEqual([0.25, 0.5, 0.75])
    },
  )
  runs()
  expect(others).toEqual([8 * 256, 8 * 256, 16 * 256])
})
