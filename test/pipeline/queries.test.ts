import { describe, expect, it } from 'vitest'
import { at, draw, passVertices, type Scene, viewportOf, wordsBuffer } from '../support/draw-text.ts'

// Pipeline statistics and counts of samples (functional specification 20.4), and draws through several stages.

const full = (z = 0.5): number[][] => [at(-8, -8, 4, 4, z), at(24, -8, 4, 4, z), at(-8, 24, 4, 4, z)]
const statisticsOf = (scene: Scene) => draw(scene).result.statistics

/** A geometry shader that passes triangles on, `instances` times. */
const passGeometry = (registers: number, instances = 1): string => {
  const n = Array.from({ length: registers }, (_, i) => i)
  const emit = (v: number): string =>
    [...n.map((i) => `mov o${i}.xyzw, v[${v}][${i}].xyzw`), 'emit_stream m0'].join('\n')
  return [
    'gs_5_0',
    'dcl_input_siv v[3][0].xyzw, position',
    ...n.slice(1).map((i) => `dcl_input v[3][${i}].xyzw`),
    'dcl_inputprimitive triangle',
    `dcl_gsinstances ${instances}`,
    'dcl_stream m0',
    'dcl_outputtopology trianglestrip',
    ...n.map((i) => (i === 0 ? 'dcl_output_siv o0.xyzw, position' : `dcl_output o${i}.xyzw`)),
    'dcl_maxout 3',
    emit(0),
    emit(1),
    emit(2),
    'ret\n',
  ].join('\n')
}

describe('vertices and primitives', () => {
  it('an indexed strip of four instances with equal indices: 6 vertices and 4 primitives', () => {
    const indices = wordsBuffer(8, new Uint32Array(8))
    const indexBuffer = { storage: indices.storage, byteLength: 32, format: 'R32_UINT', offset: 0 } as const
    const vertices = [[0, 0, 0, 1]]
    const strip = statisticsOf({
      vertices,
      state: { topology: 'TRIANGLESTRIP' },
      call: { indexCount: 6 },
      resources: { indexBuffer },
    })
    expect(strip).toMatchObject({ iaVertices: 6, iaPrimitives: 4 })
    expect(strip.vsInvocations).toBeGreaterThanOrEqual(1)
    expect(strip.vsInvocations).toBeLessThanOrEqual(12)
    const list = statisticsOf({ vertices, call: { vertexCount: 12 } })
    expect(list).toMatchObject({ iaVertices: 12, iaPrimitives: 4, vsInvocations: 12 })
  })

  it('vertices of incomplete primitives are counted, cut indices are not', () => {
    const indices = wordsBuffer(8, Uint32Array.of(0, 1, 2, 0xffffffff, 3, 4, 0, 0))
    const indexBuffer = { storage: indices.storage, byteLength: 32, format: 'R32_UINT', offset: 0 } as const
    const vertices = Array.from({ length: 5 }, () => [0, 0, 0, 1])
    const found = statisticsOf({
      vertices,
      state: { topology: 'TRIANGLESTRIP' },
      call: { indexCount: 6 },
      resources: { indexBuffer },
    })
    expect(found).toMatchObject({ iaVertices: 5, iaPrimitives: 1, vsInvocations: 5 })
    expect(statisticsOf({ vertices, call: { vertexCount: 5, instanceCount: 3 } })).toMatchObject({
      iaVertices: 15,
      iaPrimitives: 3,
    })
  })

  it('a vertex shader that writes memory runs for every vertex', () => {
    const indices = wordsBuffer(8, new Uint32Array(8))
    const indexBuffer = { storage: indices.storage, byteLength: 32, format: 'R32_UINT', offset: 0 } as const
    const vs = passVertices(1)
      .replace('mov o0', 'atomic_iadd u1, l(0), l(1)\nmov o0')
      .replace('dcl_input v0', 'dcl_uav_raw u1\ndcl_input v0')
    const scene: Scene = { vertices: [[0, 0, 0, 1]], call: { indexCount: 6 }, resources: { indexBuffer } }
    expect(statisticsOf({ ...scene, vs }).vsInvocations).toBe(6)
  })

  it('geometry shaders: primitives times instances in, complete primitives out', () => {
    expect(statisticsOf({ vertices: [...full(), ...full()], gs: passGeometry(1, 3) })).toMatchObject({
      iaPrimitives: 2,
      gsInvocations: 6,
      gsPrimitives: 6,
      cInvocations: 6,
      cPrimitives: 6,
      psInvocations: 96,
    })
    const two = passGeometry(1).replace(/emit_stream m0\nret/, 'ret')
    expect(statisticsOf({ vertices: full(), gs: two })).toMatchObject({
      gsInvocations: 1,
      gsPrimitives: 0,
      cInvocations: 0,
    })
  })

  it('the clipper: what reaches it and what leaves it', () => {
    expect(statisticsOf({ vertices: full(2) })).toMatchObject({ cInvocations: 1, cPrimitives: 0, psInvocations: 0 })
    // Culled by facing after the clipper.
    const [a, b, c] = full() as [number[], number[], number[]]
    expect(statisticsOf({ vertices: [a, c, b] })).toMatchObject({ cInvocations: 1, cPrimitives: 1, psInvocations: 0 })
  })
})

describe('pixels and samples', () => {
  it('helpers are no invocations; killed early is not invoked', () => {
    const one = [at(0.25, 0.25, 4, 4), at(0.9, 0.25, 4, 4), at(0.25, 0.9, 4, 4)]
    expect(statisticsOf({ vertices: one }).psInvocations).toBe(1)
    const hidden = draw({ vertices: full(0.5), depth: 'D32_FLOAT', depthValue: 0.25 })
    expect([hidden.result.statistics.psInvocations, hidden.result.samplesPassed]).toEqual([0, 0])
  })

  it('with depth outputs all that are covered run, and those that pass are counted', () => {
    const ps =
      'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.x, position\ndcl_output o0.xyzw\ndcl_output oDepth\ndcl_temps 1\nmul r0.x, v0.x, l(0.25)\nmov oDepth, r0.x\nmov o0.xyzw, l(0,0,0,0)\nret\n'
    const drawn = draw({ vertices: full(), depth: 'D32_FLOAT', depthValue: 0.5, ps })
    // Depths 1/8, 3/8, 5/8, 7/8 by column.
    expect([drawn.result.statistics.psInvocations, drawn.result.samplesPassed]).toEqual([16, 8])
  })

  it('samples that pass are counted by sample, without targets too', () => {
    expect(draw({ vertices: full(), sampleCount: 8 }).result.samplesPassed).toBe(128)
    expect(draw({ vertices: full(), targets: [], depth: 'D32_FLOAT', sampleCount: 2 }).result.samplesPassed).toBe(32)
    const masked = draw({ vertices: full(), sampleCount: 4, state: { sampleMask: 0b0110 } })
    expect(masked.result.samplesPassed).toBe(32)
  })
})

describe('geometry shaders before the rasterizer', () => {
  it('vertices that clipping makes do not take the place of those that were emitted', () => {
    // A strip whose second triangle shares two vertices with the first; both are cut by the near plane.
    const z = (x: number): number => (x - 1) / 8
    const p = (x: number, y: number): number[] => [...at(x, y, 8, 8, z(x)), x, y, 0, 0]
    const strip = [p(-4, -4), p(12, -4), p(-4, 12), p(12, 12)]
    const ps = 'ps_5_0\ndcl_input_ps linear_noperspective v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n'
    const gs = [
      'gs_5_0',
      'dcl_input_siv v[4][0].xyzw, position\ndcl_input v[4][1].xyzw',
      'dcl_inputprimitive lineadj\ndcl_stream m0\ndcl_outputtopology trianglestrip',
      'dcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 4',
      ...[0, 1, 2, 3].map((v) => `mov o0.xyzw, v[${v}][0].xyzw\nmov o1.xyzw, v[${v}][1].xyzw\nemit_stream m0`),
      'ret\n',
    ].join('\n')
    const rasterizer = { cullMode: 'NONE' } as const
    const made = draw({ vertices: strip, width: 8, height: 8, gs, ps, state: { topology: 'LINELIST_ADJ', rasterizer } })
    for (let y = 0; y < 8; y++) {
      for (let x = 0; x < 8; x++) {
        const want = x + 0.5 >= 1 ? [x + 0.5, y + 0.5] : [0, 0]
        expect([made.value(x, y, 0), made.value(x, y, 1)], `(${x}, ${y})`).toEqual(want)
      }
    }
  })

  it('a primitive identifier that the geometry shader does not write reads 0', () => {
    const ps =
      'ps_5_0\ndcl_input_ps_sgv constant v1.x, primitive_id\ndcl_output o0.xyzw\niadd o0.xyzw, v1.xxxx, l(5,5,5,5)\nret\n'
    const vertices = [...full().map((p) => p.map((n) => n)), ...full()]
    const scene: Scene = { vertices, ps, targets: ['R32G32B32A32_UINT'] }
    expect(draw(scene).word(0, 0)).toBe(6)
    expect(draw({ ...scene, gs: passGeometry(1) }).word(0, 0)).toBe(5)
  })
})

describe('conservative rasterization in draws', () => {
  const inner =
    'ps_5_0\ndcl_input vInnerCoverage.x\ndcl_output o0.xyzw\niadd o0.xyzw, vInnerCoverage.xxxx, l(1,1,1,1)\nret\n'
  const coverage = 'ps_5_0\ndcl_input vCoverage.x\ndcl_output o0.xyzw\nmov o0.xyzw, vCoverage.xxxx\nret\n'
  const scene = (vertices: number[][], ps: string, more: Partial<Scene> = {}): Scene => ({
    vertices,
    ps,
    targets: ['R32G32B32A32_UINT'],
    state: { rasterizer: { conservativeRaster: 'ON', cullMode: 'NONE' } },
    ...more,
  })

  it('covers each pixel that is touched, with all its samples; inner ones lie inside as a whole', () => {
    // From (0.75, 0.75) to (3.25, 0.75) and (0.75, 3.25): touches all but the corner pixels beyond the slant.
    const triangle = [at(0.75, 0.75, 4, 4), at(3.25, 0.75, 4, 4), at(0.75, 3.25, 4, 4)]
    const drawn = draw(scene(triangle, inner))
    // The slant is x + y = 4, on the corner of pixels (1, 1) and (2, 2), (3, 1) and (1, 3): those are touched by the growth.
    expect(drawn.mask()).toBe(0b0011_0111_1111_1111)
    expect(drawn.word(1, 1)).toBe(1)
    const large = [at(-4, -4, 4, 4), at(20, -4, 4, 4), at(-4, 20, 4, 4)]
    expect(draw(scene(large, inner)).word(1, 1)).toBe(2)
    const samples = draw(scene(triangle, coverage, { sampleCount: 4 }))
    expect(samples.word(3, 0, 0, 0, 3)).toBe(15)
    const masked = draw(
      scene(triangle, coverage, { sampleCount: 4, state: { sampleMask: 3, rasterizer: { conservativeRaster: 'ON' } } }),
    )
    expect(masked.word(3, 0)).toBe(3)
  })

  it('nothing is inner without it, also where a draw before had it', () => {
    const large = [at(-4, -4, 4, 4), at(20, -4, 4, 4), at(-4, 20, 4, 4)]
    expect(draw(scene(large, inner)).word(1, 1)).toBe(2)
    const plain = { rasterizer: { cullMode: 'NONE' } } as const
    expect(draw(scene(large, inner, { state: plain })).word(1, 1)).toBe(1)
  })

  it('draws a triangle of no area where its line is, back facing and with its first vertex', () => {
    const line = [
      [...at(0.5, 0.5, 4, 4), 7, 0, 0, 0],
      [...at(3.5, 3.5, 4, 4), 8, 0, 0, 0],
      [...at(2.5, 2.5, 4, 4), 9, 0, 0, 0],
    ]
    const ps = 'ps_5_0\ndcl_input_ps linear v1.x\ndcl_output o0.xyzw\nftou o0.xyzw, v1.xxxx\nret\n'
    const drawn = draw(scene(line, ps))
    // The diagonal, and the pixels that share its corners: the growth of half a step touches them.
    expect(drawn.mask()).toBe(0b1100_1110_0111_0011)
    expect(drawn.word(2, 2)).toBe(7)
    expect(
      draw(scene(line, ps, { state: { rasterizer: { conservativeRaster: 'ON', cullMode: 'BACK' } } })).mask(),
    ).toBe(0)
  })
})

describe('a draw of one triangle', () => {
  it('stops in its midst when its time is up', () => {
    const size = 512
    const vertices = [at(-8, -8, size, size), at(3 * size, -8, size, size), at(-8, 3 * size, size, size)]
    const ps =
      'ps_5_0\ndcl_output o0.xyzw\ndcl_temps 1\nmov r0.x, l(0)\nloop\n  uge r0.y, r0.x, l(100)\n  breakc_nz r0.y\n  iadd r0.x, r0.x, l(1)\nendloop\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n'
    const { result } = draw({ vertices, width: size, height: size, ps, options: { maxMilliseconds: 1 } })
    expect(result.stopped).toBe('time')
    expect(result.statistics.psInvocations).toBeLessThan(size * size)
  })

  it('and one of few triangles, large and without a pixel shader, between two of them', () => {
    const size = 4096
    const triangle = [at(-8, -8, size, size), at(3 * size, -8, size, size), at(-8, 3 * size, size, size)]
    const vertices = Array.from({ length: 20 }, () => triangle).flat()
    const resources = { viewports: [viewportOf(size, size)] }
    const { result } = draw({ vertices, ps: null, targets: [], resources, options: { maxMilliseconds: 1 } })
    expect(result.stopped).toBe('time')
    expect(result.samplesPassed).toBeLessThan(20 * size * size)
  })
})
