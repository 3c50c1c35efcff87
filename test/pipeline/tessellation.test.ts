import { describe, expect, it } from 'vitest'
import { draw, float, type Scene, wordsBuffer } from '../support/draw-text.ts'

// Patches from their control points to what comes out, in whole draws.

const lines = (...l: readonly string[]): string => `${l.join('\n')}\n`

interface Hull {
  readonly inputs: number
  readonly outputs: number
  readonly domain: 'isoline' | 'quad' | 'tri'
  readonly primitive: 'point' | 'line' | 'triangle_cw'
  readonly phases: readonly string[]
}

const hullShader = ({ inputs, outputs, domain, primitive, phases }: Hull): string =>
  lines(
    'hs_5_0',
    'hs_decls',
    `dcl_input_control_point_count ${inputs}`,
    `dcl_output_control_point_count ${outputs}`,
    `dcl_tessellator_domain domain_${domain}`,
    'dcl_tessellator_partitioning partitioning_integer',
    `dcl_tessellator_output_primitive output_${primitive}`,
    ...phases,
  )

const domainShader = (points: number, domain: string, ...body: readonly string[]): string =>
  lines('ds_5_0', `dcl_input_control_point_count ${points}`, `dcl_tessellator_domain domain_${domain}`, ...body, 'ret')

/** Factors of an isoline patch: `density` lines of `detail` segments. */
const lineFactors = (density: number, detail: number): string =>
  lines(
    'hs_fork_phase',
    'dcl_output_siv o0.x, finalLineDensityTessFactor',
    'dcl_output_siv o1.x, finalLineDetailTessFactor',
    `mov o0.x, l(${density}.0)`,
    `mov o1.x, l(${detail}.0)`,
    'ret',
  ).trimEnd()

const NO_TESTS = { depthEnable: false } as const

/** Draws into a stream output buffer of `entries`; the floats that were written, by vertex. */
function streamed(scene: Scene, entries: readonly (readonly [name: string, index: number, components: number])[]) {
  const buffer = wordsBuffer(4096)
  const streamOutput = {
    declaration: entries.map(([semanticName, semanticIndex, componentCount]) => ({
      stream: 0,
      semanticName,
      semanticIndex,
      startComponent: 0,
      componentCount,
      outputSlot: 0,
    })),
    rasterizedStream: null,
  }
  const target = { storage: buffer.storage, byteLength: buffer.byteLength, filled: 0 }
  const drawn = draw({
    ps: null,
    ...scene,
    state: { depthStencil: NO_TESTS, ...scene.state, streamOutput },
    resources: { ...scene.resources, streamOutputBuffers: [target] },
  })
  const size = entries.reduce((n, e) => n + e[2], 0)
  const vertices = Array.from({ length: target.filled / 4 / size }, (_, v) =>
    Array.from({ length: size }, (_, c) => float(buffer.storage.words[v * size + c]!)),
  )
  return { vertices, drawn }
}

describe('phases of a hull shader', () => {
  it('instances of a join phase read what instances of a fork phase wrote, by index, and control points of both kinds', () => {
    const { vertices, drawn } = streamed(
      {
        vertices: [10, 20, 30].map((x) => [x, 0, 0, 0]),
        hs: hullShader({
          inputs: 3,
          outputs: 3,
          domain: 'isoline',
          primitive: 'point',
          phases: [
            'hs_control_point_phase\ndcl_input vOutputControlPointID\ndcl_input v[3][0].xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, vOutputControlPointID\nadd o0.xyzw, v[vOutputControlPointID][0].xyzw, r0.xxxx\nret',
            lineFactors(1, 1),
            // Fork instance i writes o[2 + i].x = vocp[i].x * 2, the points 10, 21, 32.
            'hs_fork_phase\ndcl_hs_fork_phase_instance_count 3\ndcl_input vForkInstanceID\ndcl_input vocp[3][0].x\ndcl_output o2.x\ndcl_output o3.x\ndcl_output o4.x\ndcl_temps 1\ndcl_indexrange o2.x 3\nmov r0.x, vForkInstanceID\nadd o[r0.x + 2].x, vocp[r0.x][0].x, vocp[r0.x][0].x\nret',
            // Join instance i writes o[2 + i].y = vpc[2 + (i + 1) % 3].x + vicp[i].x.
            'hs_join_phase\ndcl_hs_join_phase_instance_count 3\ndcl_input vJoinInstanceID\ndcl_input vicp[3][0].x\ndcl_input vpc[2].x\ndcl_input vpc[3].x\ndcl_input vpc[4].x\ndcl_output o2.y\ndcl_output o3.y\ndcl_output o4.y\ndcl_temps 2\ndcl_indexrange vpc[2].x 3\ndcl_indexrange o2.y 3\nmov r0.x, vJoinInstanceID\niadd r0.y, r0.x, l(1)\nudiv null, r0.y, r0.y, l(3)\nmov r1.x, vpc[r0.y + 2].x\nadd o[r0.x + 2].y, r1.x, vicp[r0.x][0].x\nret',
          ],
        }),
        ds: domainShader(
          3,
          'isoline',
          'dcl_input vpc[2].xy\ndcl_input vpc[3].xy\ndcl_input vpc[4].xy\ndcl_output o0.xyzw\ndcl_output o1.xy\nmov o0.xy, vpc[2].xyxx\nmov o0.zw, vpc[3].xxxy\nmov o1.xy, vpc[4].xyxx',
        ),
        state: { topology: '3_CONTROL_POINT_PATCHLIST' },
      },
      [
        ['R', 0, 4],
        ['R', 1, 2],
      ],
    )
    expect(drawn.codes).toEqual([])
    expect(vertices[0]).toEqual([20, 42 + 10, 42, 64 + 20, 64, 20 + 30])
  })
})

/** A hull shader that passes `points` control points on, with factors of isolines. */
const passThrough = (points: number, primitive: 'point' | 'line', density: number, detail: number): string =>
  hullShader({
    inputs: points,
    outputs: points,
    domain: 'isoline',
    primitive,
    phases: [lineFactors(density, detail)],
  })

describe('patches', () => {
  it('more than the hull shader runs at once keep their own control points and constants', () => {
    const count = 150
    const constant = 'hs_fork_phase\ndcl_input vicp[1][0].x\ndcl_output o2.x\nadd o2.x, vicp[0][0].x, l(0.5)\nret'
    const { vertices, drawn } = streamed(
      {
        vertices: Array.from({ length: count }, (_, n) => [n * 2, 0, 0, 0]),
        hs: hullShader({
          ...{ inputs: 1, outputs: 1, domain: 'isoline', primitive: 'point' },
          phases: [lineFactors(1, 2), constant],
        }),
        ds: domainShader(
          1,
          'isoline',
          'dcl_input vDomain.xy\ndcl_input vPrim\ndcl_input vicp[1][0].xyzw\ndcl_input vpc[2].x\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, vPrim\nmov o0.x, r0.x\nmov o0.y, vDomain.x\nmov o0.z, vicp[0][0].x\nmov o0.w, vpc[2].x',
        ),
        state: { topology: '1_CONTROL_POINT_PATCHLIST' },
      },
      [['R', 0, 4]],
    )
    expect(drawn.codes).toEqual([])
    const expected = Array.from({ length: count * 3 }, (_, i) => {
      const patch = Math.floor(i / 3)
      return [patch, (i % 3) / 2, patch * 2, patch * 2 + 0.5]
    })
    expect(vertices).toEqual(expected)
  })

  it('without a control point phase reach the domain shader as the vertex shader left them', () => {
    const { vertices, drawn } = streamed(
      {
        vertices: [1, 2, 3, 4, 5].map((x) => [x, x * 10, 0, 0]),
        hs: passThrough(2, 'point', 1, 1),
        ds: domainShader(
          2,
          'isoline',
          'dcl_input vDomain.xy\ndcl_input vPrim\ndcl_input vicp[2][0].xyzw\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, vPrim\nmov o0.x, r0.x\nmov o0.y, vDomain.x\nmov o0.z, vicp[0][0].y\nmov o0.w, vicp[1][0].x',
        ),
        state: { topology: '2_CONTROL_POINT_PATCHLIST' },
        call: { vertexCount: 5, instanceCount: 2 },
      },
      [['R', 0, 4]],
    )
    expect(drawn.codes).toEqual([])
    const patches = [
      [0, 0, 10, 2],
      [0, 1, 10, 2],
      [1, 0, 30, 4],
      [1, 1, 30, 4],
    ]
    // The fifth vertex makes no patch, and every instance begins again with patch 0.
    expect(vertices).toEqual([...patches, ...patches])
    expect(drawn.result.statistics).toMatchObject({ hsInvocations: 4, dsInvocations: 8, iaPrimitives: 4 })
  })

  it('of isolines give density lines of detail segments, lines of equal V one after the other', () => {
    const { vertices, drawn } = streamed(
      {
        vertices: [[0, 0, 0, 0]],
        hs: passThrough(1, 'line', 2, 3),
        ds: domainShader(1, 'isoline', 'dcl_input vDomain.xy\ndcl_output o0.xy\nmov o0.xy, vDomain.xyxx'),
        state: { topology: '1_CONTROL_POINT_PATCHLIST' },
      },
      [['R', 0, 2]],
    )
    const third = [0, 21845 / 65536, 43691 / 65536, 1]
    const ends = [0, 0.5].flatMap((v) => [0, 1, 2].flatMap((i) => [third[i], third[i + 1]].map((u) => [u, v])))
    expect(vertices).toEqual(ends)
    expect(drawn.result.statistics.dsInvocations).toBe(8)
    expect(drawn.result.streamOutput[0]).toEqual({ primitivesWritten: 6, primitivesStorageNeeded: 6 })
  })

  it('of more or fewer points than the hull shader declares are taken as the topology has them', () => {
    const run = (points: number) =>
      streamed(
        {
          vertices: [1, 2, 3, 4, 5, 6].map((x) => [x, 0, 0, 0]),
          hs: hullShader({
            inputs: 2,
            outputs: 1,
            domain: 'isoline',
            primitive: 'point',
            phases: [
              'hs_control_point_phase\ndcl_input v[2][0].xyzw\ndcl_output o0.xyzw\nmov o0.x, v[0][0].x\nmov o0.y, v[1][0].x\nmov o0.zw, l(0,0,0,0)\nret',
              lineFactors(1, 1),
            ],
          }),
          ds: domainShader(1, 'isoline', 'dcl_input vicp[1][0].xy\ndcl_output o0.xy\nmov o0.xy, vicp[0][0].xyxx'),
          state: { topology: `${points}_CONTROL_POINT_PATCHLIST` },
        },
        [['R', 0, 2]],
      )
    const twice = <T>(list: readonly T[]): T[] => list.flatMap((x) => [x, x])
    expect(run(3).vertices).toEqual(
      twice([
        [1, 2],
        [4, 5],
      ]),
    )
    expect(run(1).vertices).toEqual(twice([1, 2, 3, 4, 5, 6].map((x) => [x, 0])))
    expect(run(3).drawn.codes).toEqual(['pipeline-undefined'])
  })

  it('with factors above what the hull shader declares are tessellated all the same, with a word', () => {
    const ds = domainShader(1, 'isoline', 'dcl_input vDomain.xy\ndcl_output o0.xy\nmov o0.xy, vDomain.xyxx')
    const run = (declared: string) =>
      streamed(
        {
          vertices: [
            [0, 0, 0, 0],
            [0, 0, 0, 0],
          ],
          hs: passThrough(1, 'point', 1, 7).replace('hs_fork', `dcl_hs_max_tessfactor l(${declared})\nhs_fork`),
          ds,
          state: { topology: '1_CONTROL_POINT_PATCHLIST' },
          call: { vertexCount: 2, instanceCount: 2 },
        },
        [['R', 0, 2]],
      )
    const above = run('6.5')
    expect(above.vertices.length).toBe(4 * 8)
    expect(above.drawn.codes).toEqual(['pipeline-undefined'])
    expect(above.drawn.result.diagnostics[0]!.message).toMatch(
      /^patch 0 of instance 0 has the tessellation factor 7;.*6\.5/,
    )
    expect(run('7.0').drawn.codes).toEqual([])
  })

  it('go to a geometry shader as they are, and to stream output', () => {
    const vertices = [1, 2, 3, 4, 5, 6, 7].map((x) => [x, 0, 0, 0])
    const state = { topology: '3_CONTROL_POINT_PATCHLIST' } as const
    expect(streamed({ vertices, state, call: { vertexCount: 7 } }, [['SV', 1, 1]]).vertices).toEqual(
      [1, 2, 3, 4, 5, 6].map((x) => [x]),
    )
    const gs = lines(
      'gs_5_0',
      'dcl_input v[3][0].xyzw',
      'dcl_input vPrim',
      'dcl_temps 1',
      'dcl_inputprimitive patch3',
      'dcl_stream m0',
      'dcl_outputtopology pointlist',
      'dcl_output o0.xyzw',
      'dcl_maxout 1',
      'utof r0.x, vPrim',
      'mov o0.x, r0.x',
      'mov o0.y, v[0][0].x',
      'mov o0.z, v[1][0].x',
      'mov o0.w, v[2][0].x',
      'emit_stream m0',
      'ret',
    )
    const out = streamed({ vertices, state, gs, call: { vertexCount: 7 } }, [['R', 0, 4]])
    expect(out.vertices).toEqual([
      [0, 1, 2, 3],
      [1, 4, 5, 6],
    ])
  })
})

describe('triangles and quads of the tessellator', () => {
  const factors = (names: readonly string[], value: number): string =>
    lines(
      'hs_fork_phase',
      `dcl_hs_fork_phase_instance_count ${names.length}`,
      'dcl_input vForkInstanceID',
      ...names.map((n, i) => `dcl_output_siv o${i}.x, ${n}`),
      'dcl_temps 1',
      `dcl_indexrange o0.x ${names.length}`,
      'mov r0.x, vForkInstanceID',
      `mov o[r0.x].x, l(${value}.0)`,
      'ret',
    ).trimEnd()
  const QUAD = [
    'finalQuadUeq0EdgeTessFactor',
    'finalQuadVeq0EdgeTessFactor',
    'finalQuadUeq1EdgeTessFactor',
    'finalQuadVeq1EdgeTessFactor',
    'finalQuadUInsideTessFactor',
    'finalQuadVInsideTessFactor',
  ]
  const TRI = [
    'finalTriUeq0EdgeTessFactor',
    'finalTriVeq0EdgeTessFactor',
    'finalTriWeq0EdgeTessFactor',
    'finalTriInsideTessFactor',
  ]

  it.each([
    ['quad', QUAD, 5, (5 + 1) ** 2, 2 * 5 * 5],
    ['tri', TRI, 5, 3 * 3 * 3, 6 * 2 * 3 + 1],
    ['tri', TRI, 4, 1 + 3 * 2 * 3, 6 * 4],
  ] as const)(
    '%s: a geometry shader gets each, with the number of the patch',
    (domain, names, factor, points, count) => {
      const coordinates = domain === 'quad' ? 'xy' : 'xyz'
      const ds = domainShader(
        1,
        domain,
        `dcl_input vDomain.${coordinates}\ndcl_input vicp[1][0].x\ndcl_output o0.xyzw\nmov o0.xyz, vDomain.${domain === 'quad' ? 'xyxx' : 'xyzx'}\nmov o0.w, vicp[0][0].x`,
      )
      const hs = (primitive: 'point' | 'triangle_cw') =>
        hullShader({ inputs: 1, outputs: 1, domain, primitive, phases: [factors(names, factor)] })
      const vertices = [
        [7, 0, 0, 0],
        [8, 0, 0, 0],
        [9, 0, 0, 0],
      ]
      const state = { topology: '1_CONTROL_POINT_PATCHLIST' } as const
      const gs = (kind: 'point' | 'triangle', size: number) =>
        lines(
          'gs_5_0',
          `dcl_input v[${size}][0].xyzw`,
          'dcl_input vPrim',
          'dcl_temps 1',
          `dcl_inputprimitive ${kind}`,
          'dcl_stream m0',
          'dcl_outputtopology pointlist',
          'dcl_output o0.xyzw',
          `dcl_maxout ${size}`,
          'utof r0.x, vPrim',
          ...Array.from(
            { length: size },
            (_, v) => `add o0.w, v[${v}][0].w, r0.x\nmov o0.xyz, v[${v}][0].xyzx\nemit_stream m0`,
          ),
          'ret',
        )
      const triangles = streamed({ vertices, state, ds, hs: hs('triangle_cw'), gs: gs('triangle', 3) }, [['R', 0, 4]])
      expect(triangles.drawn.codes).toEqual([])
      expect(triangles.vertices.length).toBe(3 * 3 * count)
      expect(triangles.vertices.map((v) => v[3])).toEqual([7, 9, 11].flatMap((n) => new Array(3 * count).fill(n)))
      const { statistics } = triangles.drawn.result
      expect(statistics).toMatchObject({ dsInvocations: 3 * points, gsInvocations: 3 * count, hsInvocations: 3 })
      // Clockwise with U to the right and V down, and the whole domain once.
      let area = 0
      for (let t = 0; t < count * 3; t += 3) {
        const [a, b, c] = triangles.vertices.slice(t, t + 3) as [number[], number[], number[]]
        const twice = (b[0]! - a[0]!) * (c[1]! - a[1]!) - (c[0]! - a[0]!) * (b[1]! - a[1]!)
        expect(twice).toBeGreaterThan(0)
        area += twice
      }
      expect(area).toBe(domain === 'quad' ? 2 : 1)
      const asPoints = streamed({ vertices, state, ds, hs: hs('point'), gs: gs('point', 1) }, [['R', 0, 4]])
      expect(asPoints.vertices.length).toBe(3 * points)
      expect(new Set(asPoints.vertices.map((v) => v.join())).size).toBe(3 * points)
      expect(asPoints.drawn.result.statistics.gsInvocations).toBe(3 * points)
    },
  )
})
