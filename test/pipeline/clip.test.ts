import { describe, expect, it } from 'vitest'
import { newVertexArray } from '../../src/pipeline/geometry.ts'
import { clipPlanes, clipTriangle } from '../../src/pipeline/raster/clip.ts'
import { NOPERSPECTIVE, PERSPECTIVE, VertexWords } from '../../src/pipeline/raster/index.ts'
import { at, draw, viewportOf } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Vertices that clipping makes (functional specification 15.4, 16.4).

describe('clipping', () => {
  it('gives triangles that share an edge the same new vertices, bit for bit, whichever way each goes along it', () => {
    const random = new Random(31)
    const planes = clipPlanes(viewportOf(64, 64), true)
    let compared = 0
    for (let n = 0; n < 400; n++) {
      const scale = (): number => (random.below(2001) - 1000) * 2 ** (random.below(24) - 16)
      const corner = (tag: number): number[] => [scale(), scale(), scale() / 64, scale(), tag, scale(), 0, 0]
      // The second register's first word is 0 along the shared edge and nowhere else.
      const [a, b, c, d] = [corner(0), corner(0), corner(1), corner(1)]
      const made = (order: readonly number[][]): string[] => {
        const array = newVertexArray(2, 3)
        array.count = 3
        const vertices = new VertexWords(array)
        vertices.floats.set(order.flat())
        const modes = new Uint8Array(8).fill(PERSPECTIVE, 4, 5).fill(NOPERSPECTIVE, 5, 6)
        const polygon = clipTriangle({ vertices, position: 0, modes }, [0, 1, 2], planes)
        return polygon.vertices
          .filter((v) => vertices.float(v, 4) === 0)
          .map((v) => [0, 1, 2, 3, 5].map((w) => vertices.bits(v, w)).join())
          .sort()
      }
      const first = made([a, b, c])
      const second = made([b, a, d])
      if (first.length === 2 && second.length === 2) {
        compared++
        expect(second, JSON.stringify([a, b, c, d])).toEqual(first)
      }
    }
    expect(compared).toBeGreaterThan(40)
  })

  it('keeps what is linear on the screen linear there, and what is linear in space linear there', () => {
    // z and w differ at each vertex; the near plane cuts the first one off.
    const corner = (x: number, y: number, z: number, w: number): number[] => [...at(x, y, 8, 8, z, w), x, 3 * w, 0, 0]
    const vertices = [corner(-8, -8, -0.5, 1), corner(40, -8, 0.6, 3), corner(-8, 40, 0.7, 5)]
    const ps = (mode: string): string =>
      `ps_5_0\ndcl_input_ps ${mode} v1.xyzw\ndcl_input_ps_siv linear_noperspective v0.w, position\ndcl_output o0.xyzw\nmov o0.xy, v1.xyxx\nmov o0.zw, v0.wwww\nret\n`
    const [screen, space] = ['linear_noperspective', 'linear'].map((mode) =>
      draw({ vertices, width: 8, height: 8, ps: ps(mode) }),
    )
    expect(screen!.result.statistics.cPrimitives).toBe(2)
    for (const [x, y] of [
      [7, 7],
      [7, 2],
      [3, 6],
    ] as const) {
      expect(Math.abs(screen!.value(x, y, 0) - (x + 0.5)), `${x}, ${y}`).toBeLessThan(1 / 256)
      // Three times w in space is three times the interpolated w.
      expect(space!.value(x, y, 1) / space!.value(x, y, 3)).toBeCloseTo(3, 4)
    }
  })

  it('goes on with what is linear on the screen behind the viewer', () => {
    // The last corner lies behind the viewer: seen are the pixels beyond the edge of the others, on the far side of it.
    const corner = (x: number, y: number, w: number): number[] => [...at(x, y, 8, 8, 0.5, w), x, y, 7, 0]
    const ps = 'ps_5_0\ndcl_input_ps linear_noperspective v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n'
    const corners = [corner(-20, 10, 1), corner(30, 12, 3), corner(4, 30, -2)]
    for (const turn of [0, 1, 2]) {
      const vertices = [0, 1, 2].map((i) => corners[(i + turn) % 3]!)
      const state = { rasterizer: { cullMode: 'NONE', depthClipEnable: false } } as const
      const made = draw({ vertices, width: 8, height: 8, ps, state })
      for (let y = 0; y < 8; y++) {
        for (let x = 0; x < 8; x++) {
          expect(Math.abs(made.value(x, y, 0) - (x + 0.5)), `x ${x}, ${y}`).toBeLessThan(1 / 64)
          expect(Math.abs(made.value(x, y, 1) - (y + 0.5)), `y ${x}, ${y}`).toBeLessThan(1 / 64)
          expect(made.value(x, y, 2)).toBeCloseTo(7, 3)
        }
      }
    }
  })
})
