import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createTexture, createUav, dsv, rtv, srv } from '../../src/machine/index.ts'
import { createPipeline, type DrawCall } from '../../src/pipeline/index.ts'
import {
  at,
  draw,
  passVertices,
  prepare,
  refusal,
  type Scene,
  shaderOf,
  viewportOf,
  wordsBuffer,
} from '../support/draw-text.ts'

// What pipelines and draws are refused for, each rule with what breaks it and what just does not.

const full = (z = 0.5): number[][] => [at(-8, -8, 4, 4, z), at(24, -8, 4, 4, z), at(-8, 24, 4, 4, z)]
const base: Scene = { vertices: full() }
const off = { depthEnable: false } as const

interface Found {
  readonly codes: readonly string[]
  readonly places: readonly (string | undefined)[]
  readonly text: string
}

function refused(scene: Scene): Found {
  const found = refusal(scene)
  return {
    codes: found.map((d) => d.code),
    places: found.map((d) => (d.place?.kind === 'path' ? d.place.path : undefined)),
    text: found.map((d) => d.message).join('\n'),
  }
}

/** Fields given by callers without types. */
const state = (s: object): Scene => ({ ...base, state: s as Scene['state'] & object })

describe('values of the state', () => {
  it.each<[string, object, string | undefined]>([
    ['an unknown field', { rasterizr: {} }, 'rasterizr'],
    ['a fill mode', { rasterizer: { fillMode: 'POINT' } }, 'rasterizer.fillMode'],
    ['a fill mode that is', { rasterizer: { fillMode: 'WIREFRAME' } }, undefined],
    ['a cull mode', { rasterizer: { cullMode: 'back' } }, 'rasterizer.cullMode'],
    ['an unknown rasterizer field', { rasterizer: { culling: 'BACK' } }, 'rasterizer.culling'],
    ['a depth bias with a fraction', { rasterizer: { depthBias: 0.5 } }, 'rasterizer.depthBias'],
    ['the least depth bias', { rasterizer: { depthBias: -(2 ** 31) } }, undefined],
    ['a clamp that is no number', { rasterizer: { depthBiasClamp: Number.NaN } }, 'rasterizer.depthBiasClamp'],
    [
      'a forced count of 2',
      { rasterizer: { forcedSampleCount: 2 }, depthStencil: off },
      'rasterizer.forcedSampleCount',
    ],
    ['a forced count of 8', { rasterizer: { forcedSampleCount: 8 }, depthStencil: off }, undefined],
    ['a comparison', { depthStencil: { depthFunc: 'LEQUAL' } }, 'depthStencil.depthFunc'],
    ['a comparison that is', { depthStencil: { depthFunc: 'LESS_EQUAL' } }, undefined],
    ['a stencil mask of 9 bits', { depthStencil: { stencilReadMask: 256 } }, 'depthStencil.stencilReadMask'],
    ['a stencil mask of 8 bits', { depthStencil: { stencilReadMask: 255 } }, undefined],
    [
      'a stencil operation',
      { depthStencil: { backFace: { stencilPassOp: 'INC' } } },
      'depthStencil.backFace.stencilPassOp',
    ],
    ['a blend factor', { blend: { renderTarget: [{ srcBlend: 'SRC' }] } }, 'blend.renderTarget[0].srcBlend'],
    [
      'a color factor for alpha',
      { blend: { renderTarget: [{}, { destBlendAlpha: 'SRC_COLOR' }] } },
      'blend.renderTarget[1].destBlendAlpha',
    ],
    ['an alpha factor for alpha', { blend: { renderTarget: [{ destBlendAlpha: 'SRC_ALPHA' }] } }, undefined],
    [
      'a write mask of 5 bits',
      { blend: { renderTarget: [{ renderTargetWriteMask: 16 }] } },
      'blend.renderTarget[0].renderTargetWriteMask',
    ],
    ['nine targets', { blend: { renderTarget: Array(9).fill({}) } }, 'blend.renderTarget'],
    ['eight targets', { blend: { renderTarget: Array(8).fill({}) } }, undefined],
    ['a sample mask of 33 bits', { sampleMask: 2 ** 32 }, 'sampleMask'],
    ['a sample mask of 32 bits', { sampleMask: 2 ** 32 - 1 }, undefined],
    ['33 control points', { topology: '33_CONTROL_POINT_PATCHLIST' }, 'topology'],
  ])('%s', (_name, given, place) => {
    const found = refused(state(given))
    expect(found.places).toEqual(place === undefined ? [] : [place])
  })
})

const ps = (declares: string, body: string): string =>
  `ps_5_0\n${declares}\ndcl_output o0.xyzw\ndcl_temps 1\n${body}\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n`

describe('a forced sample count', () => {
  const forced = { rasterizer: { forcedSampleCount: 4 }, depthStencil: off } as const
  it('goes with no test, no depth output and no shading by sample', () => {
    expect(refused({ ...base, state: forced }).codes).toEqual([])
    const tested = refused({ ...base, state: { rasterizer: forced.rasterizer } })
    expect(tested).toMatchObject({ codes: ['pipeline-state'], places: ['depthStencil'] })
    expect(tested.text).toContain('set depthEnable to false')
    expect(refused({ ...base, state: forced, ps: ps('dcl_output oDepth', 'mov oDepth, l(0.5)') }).places).toEqual([
      'pixel',
    ])
    expect(
      refused({ ...base, state: forced, ps: ps('dcl_input_ps_sgv constant v1.x, sampleIndex', '') }).places,
    ).toEqual(['pixel'])
  })

  it('goes with single-sampled targets and no depth buffer; a count of 1 with any target', () => {
    expect(refused({ ...base, state: forced, sampleCount: 4 })).toMatchObject({
      codes: ['pipeline-view'],
      places: ['renderTargets[0]'],
    })
    const one = { ...forced, rasterizer: { forcedSampleCount: 1 } }
    expect(refused({ ...base, state: one, sampleCount: 4 }).codes).toEqual([])
    expect(refused({ ...base, state: one, depth: 'D32_FLOAT' }).places).toEqual(['depthStencil'])
  })
})

describe('conservative rasterization', () => {
  const on = { conservativeRaster: 'ON' } as const
  it('draws solid triangles; lines and points are drawn without it, with a word', () => {
    expect(refused({ ...base, state: { rasterizer: { ...on, fillMode: 'WIREFRAME' } } }).codes).toEqual([
      'pipeline-state',
    ])
    expect(refused({ ...base, state: { rasterizer: on } }).codes).toEqual([])
    const lines = draw({ ...base, state: { rasterizer: on, topology: 'LINELIST' } })
    expect(lines.codes).toContain('pipeline-undefined')
  })

  it('gives a shader one of both kinds of coverage', () => {
    const read = 'or r0.x, vCoverage.x, vInnerCoverage.x'
    const both = ps('dcl_input vCoverage.x\ndcl_input vInnerCoverage.x', read)
    expect(refused({ ...base, ps: both }).places).toEqual(['pixel'])
    expect(refused({ ...base, ps: ps('dcl_input vInnerCoverage.x', 'mov r0.x, vInnerCoverage.x') }).codes).toEqual([])
  })
})

describe('stages', () => {
  const hull = (points: number, domain = 'quad', output = 'triangle_cw'): string =>
    `hs_5_0\nhs_decls\ndcl_input_control_point_count ${points}\ndcl_output_control_point_count ${points}\ndcl_tessellator_domain domain_${domain}\ndcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_${output}\n`
  const domainShader = (points: number, domain = 'quad'): string =>
    `ds_5_0\ndcl_input_control_point_count ${points}\ndcl_tessellator_domain domain_${domain}\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n`
  const patches = { topology: '4_CONTROL_POINT_PATCHLIST' } as const
  const vertices = [0, 1, 2, 3].map(() => [0, 0, 0, 1])

  it('stand in their own slots', () => {
    const vertex = shaderOf(passVertices(1))
    const made = createPipeline({ vertex, pixel: vertex, topology: 'TRIANGLELIST' })
    expect(made.diagnostics.map((d) => [d.code, d.place])).toContainEqual([
      'pipeline-stage',
      { kind: 'path', path: 'pixel' },
    ])
    expect(made.diagnostics[0]!.message).toContain('a vertex shader; the slot takes a pixel shader')
  })

  it('of tessellation come in pairs, with patches', () => {
    const both: Scene = { vertices, hs: hull(4), ds: domainShader(4), state: patches }
    expect(refused(both).codes).toEqual([])
    expect(refused({ vertices, hs: hull(4), state: patches }).text).toContain('a hull shader needs a domain shader')
    expect(refused({ vertices, ds: domainShader(4), state: patches }).text).toContain(
      'a domain shader needs a hull shader',
    )
    expect(refused({ ...both, state: { topology: 'TRIANGLELIST' } }).codes).toEqual(['pipeline-stage'])
    expect(refused({ vertices, state: patches }).text).toContain('patches cannot be rasterized')
    const isOff = { ...patches, depthStencil: { depthEnable: false } }
    expect(refused({ vertices, ps: null, state: isOff }).codes).toEqual([])
    expect(refused({ vertices, ps: null, state: patches }).text).toContain('patches cannot be rasterized')
  })

  it('of tessellation agree on the domain, the points and what comes out', () => {
    const scene = (hs: string, ds: string): Found => refused({ vertices, hs, ds, state: patches })
    expect(scene(hull(4), domainShader(4, 'tri')).text).toContain("domain is quad, the domain shader's triangle")
    expect(scene(hull(4), domainShader(3)).text).toContain('writes 4 control points, the domain shader reads 3')
    expect(scene(hull(4, 'quad', 'line'), domainShader(4)).text).toContain('output primitive line')
    expect(scene(hull(4, 'isoline', 'triangle_cw'), domainShader(4, 'isoline')).codes).toEqual(['pipeline-linkage'])
    expect(scene(hull(4, 'isoline', 'line'), domainShader(4, 'isoline')).codes).toEqual([])
    expect(scene(hull(4, 'quad', 'point'), domainShader(4)).codes).toEqual([])
    // Without a control point phase as many go out as come in, or none.
    const puts = (count: number): string =>
      hull(4).replace('dcl_output_control_point_count 4', `dcl_output_control_point_count ${count}`)
    expect(scene(puts(3), domainShader(3)).text).toContain('its 4 control points pass through; it declares 3')
    expect(scene(puts(0), domainShader(4)).codes).toEqual([])
  })

  it('a hull shader of another patch size runs, with a word', () => {
    const drawn = draw({ vertices, hs: hull(3), ds: domainShader(3), state: patches })
    expect(drawn.codes).toContain('pipeline-undefined')
  })

  it('patch constants that the domain shader reads and no phase writes are named on both sides', () => {
    const reads = domainShader(4).replace('dcl_output_siv', 'dcl_input vpc3.xy\ndcl_output_siv')
    const { pipeline } = prepare({ vertices, hs: hull(4), ds: reads, state: patches })
    const found = pipeline.diagnostics.find((d) => d.code === 'pipeline-linkage-missing')!
    expect(found.message).toBe('the domain shader reads vpc3.xy, and the hull shader has no output o3; it reads 0')
  })

  it('a geometry shader reads the primitives that there are', () => {
    const gs = (kind: string, n: number): string =>
      `gs_5_0\ndcl_input_siv v[${n}][0].xyzw, position\ndcl_inputprimitive ${kind}\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_maxout 1\nmov o0.xyzw, v[0][0].xyzw\nemit_stream m0\nret\n`
    expect(refused({ ...base, gs: gs('triangle', 3) }).codes).toEqual([])
    const found = refused({ ...base, gs: gs('line', 2) })
    expect([found.codes, found.text]).toEqual([
      ['pipeline-linkage'],
      'the geometry shader reads primitives of kind line, and gets triangle',
    ])
    expect(refused({ ...base, gs: gs('triangleadj', 6) }).codes).toEqual(['pipeline-linkage'])
    expect(refused({ ...base, gs: gs('triangleadj', 6), state: { topology: 'TRIANGLELIST_ADJ' } }).codes).toEqual([])
  })

  it('a pixel input that the stage before does not write reads 0 and names both sides', () => {
    const reads =
      'ps_5_0\ndcl_input_ps linear v1.xz\ndcl_output o0.xyzw\nadd o0.xyzw, v1.xxxz, l(1.0,1.0,1.0,2.0)\nret\n'
    const drawn = draw({ ...base, ps: reads })
    expect([drawn.value(0, 0, 0), drawn.value(0, 0, 3)]).toEqual([1, 2])
    const { pipeline } = prepare({ ...base, ps: reads })
    expect(pipeline.diagnostics.map((d) => d.message)).toEqual([
      'the pixel shader reads v1.xz, which the vertex shader does not write; it reads 0',
    ])
  })

  it('names that differ are hinted at; the value arrives by register', () => {
    const other = shaderOf('ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n')
    const pixel = { ...other, inputSignature: other.inputSignature.map((s) => ({ ...s, semanticName: 'COLOR' })) }
    const made = createPipeline({
      vertex: shaderOf(passVertices(2)),
      pixel,
      topology: 'TRIANGLELIST',
      inputLayout: [0, 1].map((semanticIndex) => ({ semanticName: 'R', semanticIndex, format: 'R32G32B32A32_FLOAT' })),
    })
    expect(made.diagnostics.map((d) => [d.code, d.severity])).toEqual([['pipeline-linkage-name', 'warning']])
    expect(made.diagnostics[0]!.message).toContain('COLOR1 in the pixel shader and R1 in the vertex shader')
  })

  it('a last stage without a position draws nothing, with a word', () => {
    const drawn = draw({ ...base, vs: 'vs_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(0,0,0,1.0)\nret\n' })
    expect([drawn.mask(), drawn.codes]).toEqual([0, ['pipeline-undefined']])
  })
})

const texture = (format: string, more = {}) =>
  valueOrThrow(createTexture({ dimension: 'texture2d', width: 4, height: 4, format, ...more }))
const view = (format: string, more = {}) => valueOrThrow(rtv(texture(format, more)))

describe('targets', () => {
  it('have one number of samples', () => {
    const targets = [view('R8G8B8A8_UNORM', { sampleCount: 4 })]
    const depth = valueOrThrow(dsv(texture('D32_FLOAT')))
    expect(refused({ ...base, resources: { renderTargets: targets } }).codes).toEqual([])
    expect(refused({ ...base, resources: { renderTargets: targets, depthStencil: depth } }).codes).toEqual([
      'pipeline-view',
    ])
  })

  it('of integers are not blended into', () => {
    const blend = { renderTarget: [{ blendEnable: true }] }
    const found = refused({ ...base, targets: ['R8G8B8A8_UINT'], state: { blend } })
    expect([found.codes, found.text.includes('R8G8B8A8_UINT')]).toEqual([['pipeline-state'], true])
    expect(refused({ ...base, targets: ['R8G8B8A8_UNORM'], state: { blend } }).codes).toEqual([])
  })

  it('are at most eight', () => {
    const targets = (n: number) => Array.from({ length: n }, () => view('R8_UNORM'))
    expect(refused({ ...base, resources: { renderTargets: targets(8) } }).codes).toEqual([])
    expect(refused({ ...base, resources: { renderTargets: targets(9) } }).codes).toEqual(['pipeline-draw'])
  })
})

describe('viewports and scissors', () => {
  it.each<[string, object[], boolean]>([
    ['at the edge of the range', [{ topLeftX: 32766, width: 1 }], true],
    ['beyond the range', [{ topLeftX: 32767, width: 1 }], false],
    ['of a negative width', [{ width: -1 }], false],
    ['with a depth above 1', [{ maxDepth: 1.5 }], false],
    ['with depths out of order', [{ minDepth: 0.75, maxDepth: 0.5 }], false],
    ['with equal depths', [{ minDepth: 0.5, maxDepth: 0.5 }], true],
    ['of NaN', [{ topLeftY: Number.NaN }], false],
    ['16 of them', Array(16).fill({}), true],
    ['17 of them', Array(17).fill({}), false],
  ])('%s', (_name, list, fits) => {
    const viewports = list.map((v) => viewportOf(4, 4, v))
    const found = refused({ ...base, resources: { viewports } })
    expect(new Set(found.codes)).toEqual(new Set(fits ? [] : ['pipeline-draw']))
  })

  it('rectangles are whole numbers', () => {
    const rect = { left: 0, top: 0, right: 4, bottom: 4 }
    expect(refused({ ...base, resources: { scissors: [rect] } }).codes).toEqual([])
    expect(refused({ ...base, resources: { scissors: [{ ...rect, left: 0.5 }] } }).places).toEqual(['scissors[0].left'])
  })
})

describe('buffers', () => {
  const buffer = wordsBuffer(64)
  const { storage, byteLength } = buffer
  const vertexBuffers = (more: object) => [{ storage, byteLength, stride: 16, offset: 0, ...more }]

  it('of vertices have a stride of at most 2048', () => {
    expect(refused({ ...base, resources: { vertexBuffers: vertexBuffers({ stride: 2048 }) } }).codes).toEqual([])
    expect(refused({ ...base, resources: { vertexBuffers: vertexBuffers({ stride: 2052 }) } }).places).toEqual([
      'vertexBuffers[0].stride',
    ])
  })

  it('of indices begin at a multiple of their size', () => {
    const at = (format: 'R16_UINT' | 'R32_UINT', offset: number): readonly string[] =>
      refused({ ...base, call: { indexCount: 3 }, resources: { indexBuffer: { storage, byteLength, format, offset } } })
        .codes
    expect([at('R16_UINT', 2), at('R16_UINT', 1), at('R32_UINT', 4), at('R32_UINT', 2)]).toEqual([
      [],
      ['pipeline-draw'],
      [],
      ['pipeline-draw'],
    ])
  })

  it('that are not bound are named, and read 0', () => {
    const drawn = draw({ ...base, resources: { vertexBuffers: [] } })
    expect([drawn.mask(), drawn.codes]).toEqual([0, ['machine-binding-missing']])
    expect(draw({ ...base, call: { indexCount: 3 } }).codes).toEqual(['machine-binding-missing'])
  })

  it('that are shorter than the draw are hinted at, and read 0 behind their end', () => {
    const codes = (call: DrawCall, resources: Scene['resources'] & object = {}): readonly string[] =>
      draw({ ...base, call, resources }).codes
    expect(codes({ vertexCount: 3 })).toEqual([])
    expect(codes({ vertexCount: 2, startVertex: 1, instanceCount: 7 })).toEqual([])
    expect(codes({ vertexCount: 4 })).toEqual(['pipeline-buffer-short'])
    expect(codes({ vertexCount: 3, startVertex: 1 })).toEqual(['pipeline-buffer-short'])
    expect(codes({ vertexCount: 4, instanceCount: 0 })).toEqual([])
    const indexBuffer = { storage, byteLength: 6, format: 'R16_UINT', offset: 0 } as const
    expect(codes({ indexCount: 3 }, { indexBuffer })).toEqual([])
    expect(codes({ indexCount: 2, startIndex: 2 }, { indexBuffer })).toEqual(['pipeline-buffer-short'])
    const [found] = draw({ ...base, call: { indexCount: 4 }, resources: { indexBuffer } }).result.diagnostics
    expect([found?.severity, found?.place]).toEqual(['hint', { kind: 'path', path: 'indexBuffer' }])
  })

  const streamOutput = {
    declaration: [0, 1].map((outputSlot) => ({
      stream: 0,
      semanticName: 'SV',
      semanticIndex: 1,
      startComponent: outputSlot,
      componentCount: 1,
      outputSlot,
    })),
    rasterizedStream: null,
  }
  it('of stream output begin at whole words, and are different ones', () => {
    const run = (a: number, b = wordsBuffer(64)): Found =>
      refused({
        ...base,
        state: { streamOutput },
        resources: {
          streamOutputBuffers: [
            { storage, byteLength, filled: a },
            { storage: b.storage, byteLength: 256, filled: 0 },
          ],
        },
      })
    expect(run(4).codes).toEqual([])
    expect(run(2).places).toEqual(['streamOutputBuffers[0].offset'])
    expect(run(0, buffer).codes).toEqual(['pipeline-hazard'])
  })
})

describe('UAVs', () => {
  const text = (slot: number): string => ps(`dcl_uav_raw u${slot}`, `atomic_iadd u${slot}, l(0), l(1)`)
  const uav = createUav(wordsBuffer(4), { raw: true })

  it('are numbered on from the render targets', () => {
    expect(refused({ ...base, ps: text(1), resources: { unorderedAccess: { u1: uav } } }).codes).toEqual([])
    const found = refused({ ...base, ps: text(0), resources: { unorderedAccess: { u0: uav } } })
    expect(found.codes).toEqual(['pipeline-view'])
    expect(found.text).toBe('u0 is the slot of render target 0; 1 are bound, so UAVs begin at u1')
    expect(
      refused({
        ...base,
        targets: [],
        ps: text(0).replace('dcl_output o0.xyzw\n', '').replace('mov o0.xyzw, l(1.0,1.0,1.0,1.0)\n', ''),
        resources: { unorderedAccess: { u0: uav } },
      }).codes,
    ).toEqual([])
  })

  it('are one set for all stages', () => {
    const found = refused({ ...base, ps: text(1), resources: { bindings: { pixel: { u1: uav } } } })
    expect(found.codes).toContain('pipeline-draw')
    const vs = `vs_5_0\ndcl_uav_raw u1\ndcl_uav_raw u2\n${passVertices(1).split('\n').slice(1, 3).join('\n')}\natomic_iadd u1, l(0), l(1)\natomic_iadd u2, l(0), l(1)\nmov o0.xyzw, v0.xyzw\nret\n`
    const [one, two] = [wordsBuffer(4), wordsBuffer(4)]
    const drawn = draw({
      ...base,
      vs,
      ps: text(1),
      resources: { unorderedAccess: { u1: createUav(one, { raw: true }), u2: createUav(two, { raw: true }) } },
    })
    expect([one.storage.words[0], two.storage.words[0], drawn.codes]).toEqual([19, 3, []])
  })

  it('that are declared and not bound are named', () => {
    expect(draw({ ...base, ps: text(1) }).codes).toContain('machine-binding-missing')
  })
})

describe('one resource to read and to write', () => {
  const color = texture('R32G32B32A32_FLOAT', { mipLevels: 2, arraySize: 2 })
  const target = (mipSlice: number, firstArraySlice: number) =>
    valueOrThrow(rtv(color, { dimension: 'texture2darray', mipSlice, firstArraySlice, arraySize: 1 }))
  const reads =
    'ps_5_0\ndcl_resource_texture2darray (float,float,float,float) t0\ndcl_output o0.xyzw\nld o0.xyzw, l(0,0,0,0), t0.xyzw\nret\n'
  const t0 = srv(color, {
    mostDetailedMip: 1,
    mipLevels: 1,
    firstArraySlice: 1,
    arraySize: 1,
    dimension: 'texture2darray',
  })
  const codes = (renderTargets: ReturnType<typeof target>[], more: object = {}): readonly string[] =>
    refused({
      ...base,
      ps: reads,
      width: 2,
      height: 2,
      resources: { renderTargets, bindings: { pixel: { t0 } }, ...more },
    }).codes

  it('is refused by subresource', () => {
    expect(codes([target(0, 1)])).toEqual([])
    expect(codes([target(1, 0)])).toEqual([])
    expect(codes([target(1, 1)])).toEqual(['pipeline-hazard'])
  })

  it('is none where the shader declares no such slot', () => {
    const bindings = (slot: string) => ({ bindings: { pixel: { t0: srv(texture('R32_FLOAT')), [slot]: t0 } } })
    expect(codes([target(1, 1)], bindings('t1'))).not.toContain('pipeline-hazard')
    expect(codes([target(1, 1)], bindings('t0'))).toEqual(['pipeline-hazard'])
  })

  it('says which two', () => {
    const found = refused({
      ...base,
      ps: reads,
      resources: { renderTargets: [target(1, 1)], bindings: { pixel: { t0 } } },
    })
    expect(found.text).toBe(
      't0 of the pixel shader and render target 0 are the same resource: a draw cannot read what it writes.',
    )
  })

  it('a depth buffer may be read where its view is read-only', () => {
    const depth = texture('R32_TYPELESS')
    const scene = (readOnlyDepth: boolean): Scene => ({
      ...base,
      ps: reads.replace('texture2darray', 'texture2d'),
      resources: {
        renderTargets: [view('R32G32B32A32_FLOAT')],
        depthStencil: valueOrThrow(dsv(depth, { format: 'D32_FLOAT', readOnlyDepth })),
        bindings: { pixel: { t0: srv(depth, { format: 'R32_FLOAT' }) } },
      },
    })
    expect(refused(scene(false)).codes).toEqual(['pipeline-hazard'])
    expect(refused(scene(true)).codes).toEqual([])
  })

  it('buffers of vertices, indices and stream output and UAVs are looked at too', () => {
    const buffer = wordsBuffer(64)
    const { storage, byteLength } = buffer
    const u1 = createUav(buffer, { raw: true })
    const text = ps('dcl_uav_raw u1', 'atomic_iadd u1, l(0), l(1)')
    const bound = (resources: Scene['resources'] & object): readonly string[] =>
      refused({ ...base, ps: text, resources: { unorderedAccess: { u1 }, ...resources } }).codes
    expect(bound({})).toEqual([])
    expect(bound({ vertexBuffers: [{ storage, byteLength, stride: 16, offset: 0 }] })).toEqual(['pipeline-hazard'])
    expect(bound({ indexBuffer: { storage, byteLength, offset: 0, format: 'R32_UINT' } })).toEqual(['pipeline-hazard'])
    expect(bound({ streamOutputBuffers: [{ storage, byteLength, filled: 0 }] })).toEqual(['pipeline-hazard'])
    expect(bound({ unorderedAccess: { u1, u2: createUav(buffer, { raw: true }) } })).toEqual(['pipeline-hazard'])
    const halves = [0, 32].map((firstElement) => createUav(buffer, { raw: true, firstElement, elementCount: 32 }))
    expect(bound({ unorderedAccess: { u1: halves[0]!, u2: halves[1]! } })).toEqual([])
  })
})

describe('arguments of a draw', () => {
  it('are whole numbers, and no more vertices than the budget has', () => {
    expect(refused({ ...base, call: { vertexCount: -1 } }).codes).toEqual(['pipeline-draw'])
    expect(refused({ ...base, call: { vertexCount: 1.5 } }).codes).toEqual(['pipeline-draw'])
    expect(refused({ ...base, call: { vertexCount: 2 ** 32 - 1, instanceCount: 2 ** 32 - 1 } }).codes).toEqual([
      'pipeline-budget',
    ])
    expect(refused({ ...base, call: { vertexCount: 100 }, options: { maxVertices: 100 } }).codes).toEqual([])
    expect(refused({ ...base, call: { vertexCount: 101 }, options: { maxVertices: 100 } }).codes).toEqual([
      'pipeline-budget',
    ])
  })
})
