import { describe, expect, it } from 'vitest'
import {
  assemble,
  cbv,
  Device,
  type DeviceTexture,
  dsv,
  rtv,
  ShaderError,
  srv,
  uav,
  valueOrThrow,
} from '../../src/index.ts'
import { amount } from '../support/amount.ts'
import { signatureText } from '../support/signature-text.ts'

// Draws of a device: the public face, with counts that come from buffers and commands between draws.

const POSITION_IN = 'POSITION                 0   xyzw        0     NONE   float   xyzw'
const POSITION_OUT = 'SV_Position              0   xyzw        0      POS   float   xyzw'
const COLOR = (used: string) => `COLOR                    0   xyzw        1     NONE   float   ${used}`
const TARGET = 'SV_Target                0   xyzw        0   TARGET   float   xyzw'

type ShaderOptions = NonNullable<Parameters<Device['createShader']>[1]>

const device = new Device({ engine: 'reference' })
const shader = (
  inputs: readonly string[],
  outputs: readonly string[],
  body: readonly string[],
  options: ShaderOptions = {},
) =>
  device.createShader(
    valueOrThrow(
      assemble([...signatureText('Input', inputs), ...signatureText('Output', outputs), ...body, ''].join('\n')),
    ),
    options,
  )

const VERTEX = shader(
  [POSITION_IN, COLOR('xyzw')],
  [POSITION_OUT, COLOR('xyzw')],
  [
    'vs_5_0',
    'dcl_globalFlags refactoringAllowed',
    'dcl_input v0.xyzw',
    'dcl_input v1.xyzw',
    'dcl_output_siv o0.xyzw, position',
    'dcl_output o1.xyzw',
    'mov o0.xyzw, v0.xyzw',
    'mov o1.xyzw, v1.xyzw',
    'ret ',
  ],
)
const PIXEL = shader(
  [POSITION_OUT.replace(/xyzw$/, '    '), COLOR('xyzw')],
  [TARGET],
  [
    'ps_5_0',
    'dcl_globalFlags refactoringAllowed',
    'dcl_input_ps linear v1.xyzw',
    'dcl_output o0.xyzw',
    'mov o0.xyzw, v1.xyzw',
    'ret ',
  ],
)

const LAYOUT = [
  { semanticName: 'position', format: 'R32G32_FLOAT' },
  { semanticName: 'Color', format: 'R8G8B8A8_UNORM' },
] as const
const STRIDE = 12
const points = (blend = {}) =>
  device.createPipeline({
    vertex: VERTEX,
    pixel: PIXEL,
    inputLayout: LAYOUT,
    topology: 'POINTLIST',
    depthStencil: { depthEnable: false },
    blend: { renderTarget: [blend] },
  })

/** Points at the centers of the pixels 0, 1, 2, ... of a row of 8, with red i + 1. */
function pointBuffer(count: number) {
  const words = new Uint32Array(count * 3)
  const floats = new Float32Array(words.buffer)
  for (let i = 0; i < count; i++) {
    floats[i * 3] = (2 * i + 1) / 8 - 1
    words[i * 3 + 2] = (i + 1) | 0xff000000
  }
  return device.createBuffer({ data: words })
}

const row = (width = 8) => device.createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width, height: 1 })
/** Red of each texel. */
const reds = (t: DeviceTexture, mip = 0): number[] => Array.from(t.read('u8', mip)).filter((_, i) => i % 4 === 0)

describe('counts of a draw', () => {
  const vertexBuffers = [{ buffer: pointBuffer(8), stride: STRIDE }]

  it('are given, with start values', async () => {
    const picture = row()
    await device.draw(points(), { vertexBuffers, renderTargets: [rtv(picture)] }, { vertexCount: 3, startVertex: 2 })
    expect(reds(picture)).toEqual([0, 0, 3, 4, 5, 0, 0, 0])
  })

  it('of indexed draws, with a base below 0', async () => {
    const picture = row()
    const indexBuffer = {
      buffer: device.createBuffer({ data: Uint16Array.of(9, 5, 2, 7) }),
      format: 'R16_UINT',
    } as const
    const result = await device.draw(
      points(),
      { vertexBuffers, indexBuffer, renderTargets: [rtv(picture)] },
      { indexCount: 3, startIndex: 1, baseVertex: -1 },
    )
    expect(reds(picture)).toEqual([0, 2, 0, 0, 5, 0, 7, 0])
    expect(result.statistics).toMatchObject({ iaVertices: 3, iaPrimitives: 3, psInvocations: 3 })
    expect([result.samplesPassed, result.diagnostics, result.stopped]).toEqual([3, [], undefined])
  })

  it('stand in a buffer', async () => {
    const picture = row()
    const indirect = device.createBuffer({ data: Uint32Array.of(77, 2, 1, 6, 0, 2, 1, 1, 0xffffffff, 0) })
    const indexBuffer = { buffer: device.createBuffer({ data: Uint32Array.of(8, 1, 5) }), format: 'R32_UINT' } as const
    const resources = { vertexBuffers, indexBuffer, renderTargets: [rtv(picture)] }
    await device.draw(points(), resources, { indirect, byteOffset: 4, indexed: false })
    expect(reds(picture)).toEqual([0, 0, 0, 0, 0, 0, 7, 8])
    await device.draw(points(), resources, { indirect, byteOffset: 20, indexed: true })
    expect(reds(picture)).toEqual([1, 0, 0, 0, 5, 0, 7, 8])
    await expect(device.draw(points(), resources, { indirect, byteOffset: 28, indexed: true })).rejects.toThrow(
      ShaderError,
    )
    await expect(device.draw(points(), resources, { indirect, byteOffset: -4, indexed: false })).rejects.toThrow(
      ShaderError,
    )
  })

  it('are what stream output left, appended to draw after draw', async () => {
    const entry = { stream: 0, startComponent: 0, outputSlot: 0 }
    const record = device.createPipeline({
      vertex: VERTEX,
      inputLayout: LAYOUT,
      topology: 'POINTLIST',
      depthStencil: { depthEnable: false },
      streamOutput: {
        declaration: [
          { ...entry, semanticName: 'sv_position', semanticIndex: 0, componentCount: 4 },
          { ...entry, semanticName: 'COLOR', semanticIndex: 0, componentCount: 4 },
        ],
      },
    })
    const out = device.createBuffer({ byteLength: 32 * 5 + 16 })
    const play = device.createPipeline({
      vertex: VERTEX,
      pixel: PIXEL,
      inputLayout: [
        { semanticName: 'POSITION', format: 'R32G32B32A32_FLOAT' },
        { semanticName: 'COLOR', format: 'R32G32B32A32_FLOAT' },
      ],
      topology: 'POINTLIST',
      depthStencil: { depthEnable: false },
    })
    const drawn = async (): Promise<number[]> => {
      const picture = row()
      await device.draw(play, { vertexBuffers: [{ buffer: out, stride: 32 }], renderTargets: [rtv(picture)] }, 'auto')
      return reds(picture)
    }
    expect(await drawn()).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    const into = (offset: number | 'APPEND') => ({ vertexBuffers, streamOutputBuffers: [{ buffer: out, offset }] })
    const first = await device.draw(record, into(0), { vertexCount: 2, startVertex: 1 })
    expect(first.streamOutput[0]).toEqual({ primitivesWritten: 2, primitivesStorageNeeded: 2 })
    expect(await drawn()).toEqual([0, 2, 3, 0, 0, 0, 0, 0])
    await device.draw(record, into('APPEND'), { vertexCount: 2, startVertex: 4 })
    expect(await drawn()).toEqual([0, 2, 3, 0, 5, 6, 0, 0])
    // One more fits; the half of a vertex that is left over counts for nothing.
    const last = await device.draw(record, into('APPEND'), { vertexCount: 2, startVertex: 6 })
    expect(last.streamOutput[0]).toEqual({ primitivesWritten: 1, primitivesStorageNeeded: 2 })
    expect(await drawn()).toEqual([0, 2, 3, 0, 5, 6, 7, 0])
    await device.draw(record, into(64), { vertexCount: 1, startVertex: 0 })
    // The filled size is 96 now: what stands behind is not drawn.
    expect(await drawn()).toEqual([1, 2, 3, 0, 0, 0, 0, 0])
  })
})

describe('draws that are not awaited', () => {
  it('run one after the other, in the order of their calls, each with what the one before left', async () => {
    const size = amount(64, 128)
    const instanceCount = 16
    const corners = new Float32Array([-1, 3, 3, -1, -1, -1])
    const triangle = (color: number) => {
      const words = new Uint32Array(9)
      const floats = new Float32Array(words.buffer)
      for (let i = 0; i < 3; i++) {
        floats.set(corners.subarray(i * 2, i * 2 + 2), i * 3)
        words[i * 3 + 2] = color
      }
      return { buffer: device.createBuffer({ data: words }), stride: STRIDE }
    }
    const pipeline = device.createPipeline({
      vertex: VERTEX,
      pixel: PIXEL,
      inputLayout: LAYOUT,
      topology: 'TRIANGLELIST',
      rasterizer: { cullMode: 'NONE' },
      depthStencil: { depthEnable: false },
      blend: { renderTarget: [{ blendEnable: true, srcBlend: 'ONE', destBlend: 'SRC_ALPHA' }] },
    })
    const picture = device.createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: size, height: size })
    // Each instance makes d red + alpha * d: the order shows. Each draw is longer than what runs at once.
    const colors = [
      [10, 255],
      [255, 230],
      [51, 242],
    ] as const
    const draws = colors.map(([red, alpha]) =>
      device.draw(
        pipeline,
        { vertexBuffers: [triangle((red | (alpha << 24)) >>> 0)], renderTargets: [rtv(picture)] },
        { vertexCount: 3, instanceCount },
      ),
    )
    for (const { statistics } of await Promise.all(draws))
      expect(statistics.psInvocations).toBe(instanceCount * size * size)
    const steps = colors.flatMap((color) => new Array<typeof color>(instanceCount).fill(color))
    const expected = steps.reduce((d, [red, alpha]) => red / 255 + (alpha / 255) * d, 0)
    const values = picture.read('f32')
    expect(values.length).toBe(size * size)
    expect(values.every((v) => Math.abs(v - expected) < 1e-5)).toBe(true)
  })

  it('have what was bound when they were called, whatever is bound in its place while they wait', async () => {
    const writes = shader(
      [POSITION_OUT.replace(/xyzw$/, '    '), COLOR('    ')],
      [TARGET],
      [
        'ps_5_0',
        'dcl_globalFlags refactoringAllowed',
        'dcl_constantbuffer CB0[1], immediateIndexed',
        'dcl_uav_raw u1',
        'dcl_output o0.xyzw',
        'store_raw u1.x, l(0), cb0[0].x',
        'mov o0.xyzw, l(1,1,1,1)',
        'ret ',
      ],
    )
    const pipeline = device.createPipeline({
      vertex: VERTEX,
      pixel: writes,
      inputLayout: LAYOUT,
      topology: 'POINTLIST',
      depthStencil: { depthEnable: false },
    })
    const [first, other] = [0, 1].map(() => device.createBuffer({ byteLength: 16 }))
    const pixel = { b0: cbv(Uint32Array.of(7, 0, 0, 0)) }
    const unorderedAccess = { u1: uav(first!, { raw: true }) }
    const vertexBuffers = [{ buffer: pointBuffer(1), stride: STRIDE }]
    const renderTargets = [rtv(row())]
    const before = device.draw(points(), { vertexBuffers, renderTargets }, { vertexCount: 1 })
    const waiting = device.draw(pipeline, { vertexBuffers, pixel, unorderedAccess, renderTargets }, { vertexCount: 1 })
    pixel.b0 = cbv(Uint32Array.of(9, 0, 0, 0))
    unorderedAccess.u1 = uav(other!, { raw: true })
    await Promise.all([before, waiting])
    expect([first!.read('u32')[0], other!.read('u32')[0]]).toEqual([7, 0])
  })
})

describe('commands between draws', () => {
  it('clear, resolve, copy and fill mips', async () => {
    const several = device.createTexture({
      dimension: 'texture2d',
      format: 'R8G8B8A8_UNORM',
      width: 8,
      height: 1,
      sampleCount: 4,
    })
    device.clear(rtv(several), [0, 0, 1, 1])
    await device.draw(
      points(),
      { vertexBuffers: [{ buffer: pointBuffer(8), stride: STRIDE }], renderTargets: [rtv(several)] },
      { vertexCount: 8 },
    )
    const one = device.createTexture({
      dimension: 'texture2d',
      format: 'R8G8B8A8_UNORM',
      width: 8,
      height: 1,
      mipLevels: 4,
    })
    device.resolve(one, several)
    device.generateMips(srv(one))
    const copied = device.createTexture({
      dimension: 'texture2d',
      format: 'R8G8B8A8_UNORM',
      width: 8,
      height: 1,
      mipLevels: 4,
    })
    device.copy(copied, one)
    // Means of two are rounded half up: 1.5 is 2, and the next mip is of rounded ones: (2 + 4) / 2, (6 + 8) / 2.
    const mips = [[1, 2, 3, 4, 5, 6, 7, 8], [2, 4, 6, 8], [3, 7], [5]]
    for (const [mip, values] of mips.entries()) expect(reds(copied, mip)).toEqual(values)
    const depth = device.createTexture({ dimension: 'texture2d', format: 'D24_UNORM_S8_UINT', width: 1, height: 1 })
    device.clearDepthStencil(dsv(depth), { depth: 0.5, stencil: 0x1ff })
    expect(depth.read('u32')[0]).toBe(0xff800000)
    device.clearDepthStencil(dsv(depth), { stencil: 3 })
    expect(depth.read('u32')[0]).toBe(0x03800000)
    expect(() => device.resolve(several, one)).toThrow(ShaderError)
    expect(() => device.copy(copied, several)).toThrow(ShaderError)
  })
})

describe('a draw', () => {
  it('is refused with everything that is wrong with it', async () => {
    const viewports = [{ width: 70000, height: 1 }]
    const run = device.draw(points(), { viewports, stencilReference: -1 }, { vertexCount: -1 })
    const error = await run.then(
      () => undefined,
      (e: unknown) => e,
    )
    expect(error).toBeInstanceOf(ShaderError)
    const places = (error as ShaderError).diagnostics.filter((d) => d.severity === 'error').map((d) => d.place)
    expect(places).toEqual(
      ['vertexCount', 'viewports[0].width', 'viewports[0]', 'stencilReference'].map((path) => ({ kind: 'path', path })),
    )
  })

  it('ends where it is when it is canceled, or its time is up', async () => {
    const long = { vertexCount: 8, instanceCount: 4_000_000 }
    const resources = { vertexBuffers: [{ buffer: pointBuffer(8), stride: STRIDE }], renderTargets: [rtv(row())] }
    const late = await device.draw(points(), resources, long, { maxMilliseconds: 5 })
    expect(late.stopped).toBe('time')
    expect(late.statistics.vsInvocations).toBeLessThan(8 * 4_000_000)
    const controller = new AbortController()
    const canceled = device.draw(points(), resources, long, { signal: controller.signal })
    controller.abort()
    expect((await canceled).stopped).toBe('canceled')
    // The device goes on.
    const picture = row()
    await device.draw(points(), { ...resources, renderTargets: [rtv(picture)] }, { vertexCount: 1 })
    expect(reds(picture)[0]).toBe(1)
  })
})

describe('class instances', () => {
  /** Calls function 0 or 1 through its interface, which writes the register. */
  const calls = (register: string, first: string, second: string): string[] => [
    'fcall fp0[0][0]',
    'ret ',
    'label fb0',
    `mov ${register}, ${first}`,
    'ret ',
    'label fb1',
    `mov ${register}, ${second}`,
    'ret ',
  ]
  const INTERFACE = [
    'dcl_function_body fb0',
    'dcl_function_body fb1',
    'dcl_function_table ft0 = {fb0}',
    'dcl_function_table ft1 = {fb1}',
    'dcl_interface fp0[1][1] = {ft0, ft1}',
  ]
  const vertex = (options: ShaderOptions) =>
    shader(
      [POSITION_IN, COLOR('xyzw')],
      [POSITION_OUT, COLOR('xyzw')],
      [
        'vs_5_0',
        'dcl_globalFlags refactoringAllowed',
        'dcl_input v0.xyzw',
        'dcl_input v1.xyzw',
        'dcl_output_siv o0.xyzw, position',
        'dcl_output o1.xyzw',
        ...INTERFACE,
        'mov o0.xyzw, v0.xyzw',
        ...calls('o1.xyzw', 'v1.xyzw', 'l(0.2, 0.2, 0.2, 0.2)'),
      ],
      options,
    )
  const pixel = (options: ShaderOptions) =>
    shader(
      [POSITION_OUT.replace(/xyzw$/, '    '), COLOR('xyzw')],
      [TARGET],
      [
        'ps_5_0',
        'dcl_globalFlags refactoringAllowed',
        'dcl_input_ps linear v1.xyzw',
        'dcl_output o0.xyzw',
        ...INTERFACE,
        ...calls('o0.xyzw', 'v1.xyzw', 'v1.wwww'),
      ],
      options,
    )

  it('are those of each shader of a pipeline', async () => {
    const instance = (table: number): ShaderOptions => ({ classInstances: { fp0: { table } } })
    const red = async (v: number, p: number): Promise<number> => {
      const pipeline = device.createPipeline({
        vertex: vertex(instance(v)),
        pixel: pixel(instance(p)),
        inputLayout: LAYOUT,
        topology: 'POINTLIST',
        depthStencil: { depthEnable: false },
      })
      const picture = row()
      const vertexBuffers = [{ buffer: pointBuffer(8), stride: STRIDE }]
      const { diagnostics } = await device.draw(
        pipeline,
        { vertexBuffers, renderTargets: [rtv(picture)] },
        { vertexCount: 2 },
      )
      expect(diagnostics).toEqual([])
      return reds(picture)[1]!
    }
    expect([await red(0, 0), await red(1, 0), await red(0, 1), await red(1, 1)]).toEqual([2, 51, 255, 51])
  })

  it('that a shader does not take are refused by the draw', async () => {
    const pipeline = device.createPipeline({
      vertex: vertex({ classInstances: { fp0: { table: 1 } } }),
      pixel: pixel({ classInstances: { fp3: { table: 1 } } }),
      inputLayout: LAYOUT,
      topology: 'POINTLIST',
      depthStencil: { depthEnable: false },
    })
    await expect(device.draw(pipeline, { renderTargets: [rtv(row())] }, { vertexCount: 1 })).rejects.toThrow(
      /pixel shader: fp3 is not an interface pointer/,
    )
  })
})
