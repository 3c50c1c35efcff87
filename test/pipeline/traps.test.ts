import { describe, expect, it } from 'vitest'
import { createUav } from '../../src/machine/index.ts'
import { coverPoint, sampleOffsets, snap } from '../../src/pipeline/raster/index.ts'
import { tessellate } from '../../src/pipeline/tessellator/index.ts'
import { at, bits, draw, float, leftOf, type Scene, wordsBuffer } from '../support/draw-text.ts'

/**
 * Ten places where implementations of the pipeline often go wrong, each as one test of a whole draw. What they expect is
 * written down from the functional specification; the suites beside this one go through each of them at length.
 */

const full = (z = 0.5): number[][] => [at(-8, -8, 4, 4, z), at(24, -8, 4, 4, z), at(-8, 24, 4, 4, z)]

/** Vertices whose second register names them: 0, 1, 2 and so on. */
const numbered = (count: number): number[][] => Array.from({ length: count }, (_, i) => [0, 0, 0, 1, i, 0, 0, 0])

/** What a stream output buffer of one float a vertex holds after a draw. */
function streamed(scene: Scene, count: number): number[] {
  const out = wordsBuffer(64)
  const streamOutput = {
    declaration: [
      { stream: 0, semanticName: 'R', semanticIndex: 1, startComponent: 0, componentCount: 1, outputSlot: 0 },
    ],
    rasterizedStream: null,
  }
  const { storage, byteLength } = out
  draw({
    ...scene,
    ps: null,
    state: { ...scene.state, streamOutput },
    resources: { ...scene.resources, streamOutputBuffers: [{ storage, byteLength, filled: 0 }] },
  })
  return Array.from(storage.words.subarray(0, count), float)
}

describe('the ten traps', () => {
  it('1: odd triangles of a strip are (i, i + 2, i + 1) with the leading vertex i; adjacency of strips', () => {
    expect(streamed({ vertices: numbered(6), state: { topology: 'TRIANGLESTRIP' } }, 12)).toEqual([
      0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4,
    ])
    const gs = (n: number): string => {
      const primitive = n === 6 ? 'triangleadj' : 'triangle'
      const emits = Array.from({ length: n }, (_, i) => `mov o1.x, v[${i}][1].x\nemit_stream m0`).join('\n')
      return `gs_5_0\ndcl_input v[${n}][1].x\ndcl_inputprimitive ${primitive}\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o1.x\ndcl_maxout ${n}\n${emits}\nret\n`
    }
    expect(streamed({ vertices: numbered(5), gs: gs(3), state: { topology: 'TRIANGLESTRIP' } }, 9)).toEqual([
      0, 1, 2, 1, 3, 2, 2, 3, 4,
    ])
    // 10 and 11 vertices give the same: a dangling one takes no part.
    for (const count of [10, 11]) {
      const scene: Scene = { vertices: numbered(count), gs: gs(6), state: { topology: 'TRIANGLESTRIP_ADJ' } }
      expect(streamed(scene, 19)).toEqual([0, 1, 2, 6, 4, 3, 2, 5, 6, 8, 4, 0, 4, 2, 6, 9, 8, 7, 0])
    }
    expect(streamed({ vertices: numbered(6), gs: gs(6), state: { topology: 'TRIANGLESTRIP_ADJ' } }, 6)).toEqual([
      0, 1, 2, 5, 4, 3,
    ])
    // The flat color of each triangle of a strip is that of its leading vertex.
    const corners = [at(0, 0, 4, 4), at(0, 4, 4, 4), at(4, 0, 4, 4), at(4, 4, 4, 4)]
    const flat = draw({
      vertices: corners.map((p, i) => [...p, i + 1, 0, 0, 0]),
      ps: 'ps_5_0\ndcl_input_ps constant v1.x\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xxxx\nret\n',
      state: { topology: 'TRIANGLESTRIP', rasterizer: { cullMode: 'NONE' } },
    })
    expect([flat.value(0, 0), flat.value(3, 3)]).toEqual([1, 2])
  })

  it('2: identifiers leave the bases out; outside of a buffer is (0, 0, 0, 1), an unbound slot (0, 0, 0, 0)', () => {
    const vs =
      'vs_5_0\ndcl_input_sgv v0.x, vertex_id\ndcl_input_sgv v1.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.x\ndcl_temps 1\nimad r0.x, v1.x, l(100), v0.x\nutof o1.x, r0.x\nmov o0.xyzw, l(0,0,0,1.0)\nret\n'
    const points = { topology: 'POINTLIST', inputLayout: [] } as const
    const call = { vertexCount: 3, instanceCount: 2, startVertex: 5, startInstance: 7 }
    expect(streamed({ vs, state: points, call }, 6)).toEqual([0, 1, 2, 100, 101, 102])
    const indices = wordsBuffer(4, Uint32Array.of(9, 4, 6, 0))
    const indexBuffer = { storage: indices.storage, byteLength: 16, format: 'R32_UINT', offset: 0 } as const
    const indexed = { indexCount: 3, instanceCount: 2, startIndex: 0, baseVertex: 50, startInstance: 7 }
    expect(streamed({ vs, state: points, call: indexed, resources: { indexBuffer } }, 6)).toEqual([
      9, 4, 6, 109, 104, 106,
    ])

    const read = (resources: Scene['resources'] & object): number[] =>
      [0, 1, 2, 3].map((component) => {
        const body = `mov o1.x, v1.${'xyzw'[component]}`
        return streamed(
          {
            vs: `vs_5_0\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.x\nmov o0.xyzw, l(0,0,0,1.0)\n${body}\nret\n`,
            state: {
              topology: 'POINTLIST',
              inputLayout: [{ semanticName: 'R', semanticIndex: 1, format: 'R32G32B32_FLOAT' }],
            },
            call: { vertexCount: 1, startVertex: 1000 },
            resources,
          },
          1,
        )[0]!
      })
    const data = wordsBuffer(4, new Uint32Array(4).fill(bits(3)))
    expect(read({ vertexBuffers: [{ storage: data.storage, byteLength: 16, stride: 12, offset: 0 }] })).toEqual([
      0, 0, 0, 1,
    ])
    expect(read({ vertexBuffers: [] })).toEqual([0, 0, 0, 0])
  })

  it('3: SV_Position is the center even at sample frequency, and its w is not 1/w', () => {
    const drawn = draw({
      vertices: [at(-8, -8, 4, 4, 0.5, 4), at(24, -8, 4, 4, 0.5, 4), at(-8, 24, 4, 4, 0.5, 4)],
      sampleCount: 4,
      ps: 'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.xyw, position\ndcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_output o0.xyzw\nmov o0.xyw, v0.xyxw\nmov o0.z, v1.x\nret\n',
    })
    for (let s = 0; s < 4; s++) {
      expect([drawn.value(2, 1, 0, 0, s), drawn.value(2, 1, 1, 0, s), drawn.value(2, 1, 3, 0, s)]).toEqual([
        2.5, 1.5, 4,
      ])
      expect(drawn.word(2, 1, 2, 0, s)).toBe(s)
    }
  })

  it('4: the centroid is the center of a covered pixel, else the first covered sample; SV_Coverage is the whole mask', () => {
    // Columns 0 and the left part of 1: samples 0 and 2 there.
    const left = leftOf(1.5)
    const drawn = draw({
      vertices: left,
      sampleCount: 4,
      ps: 'ps_5_0\ndcl_input_ps_siv linear_noperspective_centroid v0.xy, position\ndcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_input vCoverage.x\ndcl_output o0.xyzw\nmov o0.xy, v0.xyxx\nmov o0.z, vCoverage.x\nmov o0.w, v1.x\nret\n',
    })
    expect([drawn.value(0, 0, 0, 0, 3), drawn.value(0, 0, 1, 0, 3), drawn.word(0, 0, 2, 0, 3)]).toEqual([0.5, 0.5, 15])
    for (const s of [0, 2]) {
      expect([drawn.value(1, 0, 0, 0, s), drawn.value(1, 0, 1, 0, s)]).toEqual([1.5 - 2 / 16, 0.5 - 6 / 16])
      expect([drawn.word(1, 0, 2, 0, s), drawn.word(1, 0, 3, 0, s)]).toEqual([0b0101, s])
    }
  })

  it('5: top-left rule on positions snapped half to even, points up-left, diamonds', () => {
    // A corner at 1/512 pixel right of a center snaps back to it, at 3/512 to 2/256: the tie goes to the even.
    const cover = (x: number): number =>
      draw({ vertices: [at(x, 0, 4, 4), at(4, 0, 4, 4), at(x, 8, 4, 4)] }).mask() & 0xf
    expect([snap(1.5 + 1 / 512), snap(1.5 + 3 / 512)]).toEqual([384, 386])
    expect([cover(1.5), cover(1.5 + 1 / 512), cover(1.5 + 3 / 512)]).toEqual([0b1110, 0b1110, 0b1100])
    // Top edges own the samples on them, bottom edges do not.
    const rows = [
      at(0, 1.5, 4, 4),
      at(4, 1.5, 4, 4),
      at(0, 2.5, 4, 4),
      at(0, 2.5, 4, 4),
      at(4, 1.5, 4, 4),
      at(4, 2.5, 4, 4),
    ]
    expect(draw({ vertices: rows }).mask()).toBe(0x00f0)
    const points: number[] = []
    coverPoint(512, 512, sampleOffsets(1), { left: 0, top: 0, right: 4, bottom: 4 }, (x, y, m) => {
      for (let i = 0; i < 4; i++) if (m[i] !== 0) points.push(x + (i & 1), y + (i >> 1))
    })
    expect(points).toEqual([1, 1])
    const line: Scene = {
      vertices: [
        [-1, -0.55, 0, 1],
        [1, 0.55, 0, 1],
      ],
      state: { topology: 'LINELIST' },
    }
    expect(draw(line).mask()).toBe(0x03c0)
    expect(draw({ ...line, state: { topology: 'LINELIST', rasterizer: { multisampleEnable: true } } }).mask()).toBe(
      0x17e8,
    )
  })

  it('6: the tessellator: an inside factor of 1 is even, odd keeps a frame, density is V and detail U', () => {
    const points = (...args: Parameters<typeof tessellate>): string[] => {
      const t = tessellate(...args)
      return Array.from({ length: t.pointCount }, (_, i) => `${t.points[i * 2]},${t.points[i * 2 + 1]}`).sort()
    }
    // Outside 2 and inside 1, integer: the middle exists.
    expect(points('quad', 'integer', 'triangle_cw', Float32Array.of(2, 2, 2, 2, 1, 1))).toContain('32768,32768')
    // Odd, outside 3 and inside 1: the inside is 1 + 2^-16, so that a ring of four points exists.
    const odd = points('quad', 'fractional_odd', 'triangle_cw', Float32Array.of(3, 3, 3, 3, 1, 1))
    expect(odd.length).toBe(12 + 4)
    // Isolines: first detail, then density; lines lie at v = 0 and 1/2, never at 1.
    const lines = points('isoline', 'integer', 'line', Float32Array.of(3, 2))
    expect(lines).toEqual(
      ['0,0', '21845,0', '43691,0', '65536,0', '0,32768', '21845,32768', '43691,32768', '65536,32768'].sort(),
    )
  })

  it('7: D24 and UNORM are computed wider than float32; FLOAT16 is rounded toward zero', () => {
    const depth = (z: number): number =>
      draw({
        vertices: full(z),
        ps: null,
        depth: 'D24_UNORM_S8_UINT',
        state: { depthStencil: { depthFunc: 'ALWAYS' } },
      }).depthWord(0, 0)
    expect(depth(1) & 0xffffff).toBe(0xffffff)
    // 0.7 as float32 is 11744051 / 2^24 exactly: times 2^24 - 1 that is 11744050.3, and one half more rounds down to it.
    expect(depth(Math.fround(0.7)) & 0xffffff).toBe(11744050)
    const half = draw({
      vertices: full(),
      targets: ['R16G16B16A16_FLOAT'],
      ps: 'ps_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(1.0009,70000.0,-1.0009,65519.0)\nret\n',
    })
    expect([half.word(0, 0) >>> 0, half.word(0, 0, 1) >>> 0]).toEqual([0x7bff3c00, 0x7bffbc00])
    const data = wordsBuffer(4, Uint32Array.of(126 | (85 << 8)))
    const unorm = (component: number): number =>
      streamed(
        {
          vs: `vs_5_0\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.x\nmov o0.xyzw, l(0,0,0,1.0)\nmov o1.x, v1.${'xy'[component]}\nret\n`,
          state: {
            topology: 'POINTLIST',
            inputLayout: [{ semanticName: 'R', semanticIndex: 1, format: 'R8G8_UNORM' }],
          },
          call: { vertexCount: 1 },
          resources: { vertexBuffers: [{ storage: data.storage, byteLength: 16, stride: 2, offset: 0 }] },
        },
        1,
      )[0]!
    expect([unorm(0), unorm(1)]).toEqual([Math.fround(126 / 255), Math.fround(85 / 255)])
  })

  it('8: NaN and clamps of blending, factor ZERO on floats, COPY truncates where a plain store clamps', () => {
    const write = (format: string, value: string, blend: object): ReturnType<typeof draw> =>
      draw({
        vertices: full(),
        targets: [format],
        ps: `ps_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(${[value, value, value, value].join()})\nret\n`,
        state: { blend: { renderTarget: [blend] } },
      })
    const zero = { blendEnable: true, srcBlend: 'ZERO', destBlend: 'ONE' }
    expect(write('R32G32B32A32_FLOAT', '0x7fc00000', zero).value(0, 0)).toBeNaN()
    expect(write('R8G8B8A8_UNORM', '0x7fc00000', zero).word(0, 0) & 0xff).toBe(0)
    // The source is clamped before the factor: 4 * 1/4 is 1 and not more than 1/4.
    const quarter = draw({
      vertices: full(),
      targets: ['R8G8B8A8_UNORM'],
      ps: 'ps_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(4.0,4.0,4.0,4.0)\nret\n',
      state: { blend: { renderTarget: [{ blendEnable: true, srcBlend: 'BLEND_FACTOR', destBlend: 'ZERO' }] } },
      resources: { blendFactor: [0.25, 0.25, 0.25, 0.25] },
    })
    expect(quarter.word(0, 0) & 0xff).toBe(Math.floor(0.25 * 255 + 0.5))
    expect(write('R8G8B8A8_UINT', '0x100', {}).word(0, 0) >>> 0).toBe(0xffffffff)
    expect(write('R8G8B8A8_UINT', '0x101', { logicOpEnable: true, logicOp: 'COPY' }).word(0, 0) >>> 0).toBe(0x01010101)
  })

  it('9: forced early tests write depth before discard; without them UAVs and oDepth run though depth fails', () => {
    const ps = (flags: string, body: string): string =>
      `ps_5_0\n${flags}\ndcl_output o0.xyzw\n${body}\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n`
    const early = 'dcl_globalFlags refactoringAllowed | forceEarlyDepthStencil'
    const discarded = draw({ vertices: full(0.25), depth: 'D32_FLOAT', ps: ps(early, 'discard_nz l(1)') })
    expect([discarded.mask(), discarded.depthWord(0, 0)]).toEqual([0, bits(0.25)])
    const count = (flags: string): number => {
      const buffer = wordsBuffer(4)
      draw({
        vertices: full(0.5),
        depth: 'D32_FLOAT',
        depthValue: 0.25,
        ps: ps(`${flags}\ndcl_uav_raw u1`, 'atomic_iadd u1, l(0), l(1)'),
        resources: { unorderedAccess: { u1: createUav(buffer, { raw: true }) } },
      })
      return buffer.storage.words[0]!
    }
    expect([count(''), count(early)]).toEqual([16, 0])
    const nearer = draw({
      vertices: full(0.5),
      depth: 'D32_FLOAT',
      depthValue: 0.25,
      ps: ps('dcl_output oDepth', 'mov oDepth, l(0.125)'),
    })
    expect([nearer.mask(), nearer.depthWord(0, 0)]).toEqual([0xffff, bits(0.125)])
  })

  it('10: depth is clamped at the output merger alone; the bias of a triangle goes by its largest z', () => {
    const drawn = draw({
      vertices: full(1.5),
      depth: 'D32_FLOAT',
      ps: 'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.z, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.zzzz\nret\n',
      state: { rasterizer: { depthClipEnable: false }, depthStencil: { depthFunc: 'ALWAYS' } },
    })
    expect([drawn.value(0, 0), drawn.depthWord(0, 0)]).toEqual([1.5, bits(1)])
    const bias = { rasterizer: { depthBias: 1 } } as const
    expect(draw({ vertices: full(1 / 64), depth: 'D32_FLOAT', ps: null, state: bias }).depthWord(0, 0)).toBe(0x3c800001)
  })
})
