import { describe, expect, it } from 'vitest'
import { assemble, Device, dsv, rtv, ShaderError, valueOrThrow } from '../../src/index.ts'
import { everyNth } from '../support/amount.ts'
import { signatureText } from '../support/signature-text.ts'

/**
 * Every field of a pipeline, of what a draw is given and of its counts, replaced by values of all kinds: the draw runs, or one
 * ShaderError refuses it. A field that is undefined counts as one that is not there.
 */

const device = new Device({ engine: 'reference' })
const shader = (inputs: readonly string[], outputs: readonly string[], body: readonly string[]) =>
  device.createShader(
    valueOrThrow(
      assemble([...signatureText('Input', inputs), ...signatureText('Output', outputs), ...body, 'ret', ''].join('\n')),
    ),
  )
const vertex = shader(
  ['POSITION                 0   xyzw        0     NONE   float   xyzw'],
  ['SV_Position              0   xyzw        0      POS   float   xyzw'],
  ['vs_5_0', 'dcl_input v0.xyzw', 'dcl_output_siv o0.xyzw, position', 'mov o0.xyzw, v0.xyzw'],
)
const pixel = shader(
  [],
  ['SV_Target                0   xyzw        0   TARGET   float   xyzw'],
  ['ps_5_0', 'dcl_output o0.xyzw', 'mov o0.xyzw, l(1.0,1.0,1.0,1.0)'],
)

const face = {
  ...{ stencilFailOp: 'KEEP', stencilDepthFailOp: 'KEEP', stencilPassOp: 'INCR', stencilFunc: 'ALWAYS' },
}
const target = {
  ...{ blendEnable: true, logicOpEnable: false, srcBlend: 'ONE', destBlend: 'BLEND_FACTOR', blendOp: 'ADD' },
  ...{ srcBlendAlpha: 'ONE', destBlendAlpha: 'ZERO', blendOpAlpha: 'ADD', logicOp: 'NOOP', renderTargetWriteMask: 15 },
}
const entry = { stream: 0, semanticIndex: 0, startComponent: 0, componentCount: 4, outputSlot: 0 }

const pipelineOf = () => ({
  vertex,
  pixel,
  topology: 'TRIANGLELIST',
  inputLayout: [
    {
      ...{ semanticName: 'POSITION', semanticIndex: 0, format: 'R32G32B32A32_FLOAT', inputSlot: 0 },
      ...{ alignedByteOffset: 0, inputSlotClass: 'PER_VERTEX_DATA', instanceDataStepRate: 0 },
    },
  ],
  rasterizer: {
    ...{ fillMode: 'SOLID', cullMode: 'NONE', frontCounterClockwise: false, depthClipEnable: true },
    ...{ depthBias: 1, depthBiasClamp: 0, slopeScaledDepthBias: 0, scissorEnable: true, multisampleEnable: false },
    ...{ antialiasedLineEnable: false, forcedSampleCount: 0, conservativeRaster: 'OFF' },
  },
  depthStencil: {
    ...{ depthEnable: true, depthWriteMask: 'ALL', depthFunc: 'LESS', stencilEnable: true },
    ...{ stencilReadMask: 255, stencilWriteMask: 255, frontFace: { ...face }, backFace: { ...face } },
  },
  blend: { alphaToCoverageEnable: false, independentBlendEnable: false, renderTarget: [{ ...target }] },
  sampleMask: 0xffffffff,
  streamOutput: {
    declaration: [
      { ...entry, semanticName: 'SV_Position' },
      { ...entry, semanticName: null },
    ],
    strides: [32],
    rasterizedStream: 0,
  },
  cutOnLists: true,
  precision: 'exact',
})

const size = { dimension: 'texture2d', width: 2, height: 2 } as const
const color = device.createTexture({ ...size, format: 'R8G8B8A8_UNORM' })
const depth = device.createTexture({ ...size, format: 'D24_UNORM_S8_UINT' })
const corners = device.createBuffer({ data: Float32Array.of(-1, 1, 0.5, 1, 3, 1, 0.5, 1, -1, -3, 0.5, 1) })
const indices = device.createBuffer({ data: Uint32Array.of(0, 1, 2, 0) })
const stream = device.createBuffer({ byteLength: 256 })

const resourcesOf = () => ({
  vertex: {},
  pixel: {},
  unorderedAccess: {},
  vertexBuffers: [{ buffer: corners, stride: 16, offset: 0 }],
  indexBuffer: { buffer: indices, format: 'R32_UINT', offset: 0 },
  streamOutputBuffers: [{ buffer: stream, offset: 0 }],
  renderTargets: [rtv(color)],
  depthStencil: dsv(depth),
  viewports: [{ topLeftX: 0, topLeftY: 0, width: 2, height: 2, minDepth: 0, maxDepth: 1 }],
  scissors: [{ left: 0, top: 0, right: 1, bottom: 2 }],
  blendFactor: [1, 1, 1, 1],
  stencilReference: 0,
})
const callsOf = () => [
  { indexCount: 3, instanceCount: 1, startIndex: 0, baseVertex: 0, startInstance: 0 },
  { vertexCount: 3, instanceCount: 1, startVertex: 0, startInstance: 0 },
  { indirect: indices, byteOffset: 0, indexed: false },
]
const partsOf = () => ({ pipeline: pipelineOf(), resources: resourcesOf(), calls: callsOf() })

// biome-ignore lint/suspicious/noExplicitAny: what these callers give has no type
type Any = any

/** What is made by the device is replaced as a whole. */
const isMade = (o: Any): boolean => 'storage' in o || 'loaded' in o || 'diagnostics' in o

function pathsOf(o: Any, at: readonly string[] = []): (readonly string[])[] {
  if (typeof o !== 'object' || o === null || isMade(o)) return []
  return Object.keys(o).flatMap((key) => [[...at, key], ...pathsOf(o[key], [...at, key])])
}

const ABSENT = Symbol('absent')
const VALUES = [undefined, ABSENT, null, -1, 1.5, Number.NaN, 2 ** 32, 'x', {}, [], true, Symbol('s'), 3n]

/** What a draw left, or what it was refused with; anything else that is thrown fails the test. */
async function outcomeOf(path: readonly string[], value: unknown): Promise<string> {
  const parts: Any = partsOf()
  const holder = path.slice(0, -1).reduce((o, key) => o[key], parts)
  if (value === ABSENT) delete holder[path.at(-1)!]
  else holder[path.at(-1)!] = value
  device.clear(rtv(color), [0, 0, 0, 0])
  device.clearDepthStencil(dsv(depth), { depth: 1, stencil: 0 })
  try {
    const made = device.createPipeline(parts.pipeline)
    const call = parts.calls[path[0] === 'calls' ? Number(path[1]) : 0]
    const { statistics } = await device.draw(made, parts.resources, call, { maxMilliseconds: 2000 })
    return JSON.stringify([[...color.read('u32')], [...depth.read('u32')], statistics])
  } catch (e) {
    expect(e, `${path.join('.')} = ${String(value)}`).toBeInstanceOf(ShaderError)
    return 'refused'
  }
}

const PATHS = pathsOf(partsOf()).filter((path) => path.length > 1)

describe('a draw with one wrong field', () => {
  it('runs, or is refused with one ShaderError', async () => {
    for (const path of everyNth(PATHS, 6)) {
      const isListed = /^\d+$/.test(path.at(-1)!)
      for (const value of VALUES) if (value !== ABSENT || !isListed) await outcomeOf(path, value)
    }
  })

  it('takes undefined for what is not there', async () => {
    for (const path of everyNth(PATHS, 2)) {
      if (/^\d+$/.test(path.at(-1)!)) continue
      expect(await outcomeOf(path, undefined), path.join('.')).toBe(await outcomeOf(path, ABSENT))
    }
  })
})

describe('stencil faces', () => {
  it('have the defaults of Direct3D for what they leave out: they keep what is stored, and always pass', async () => {
    const drawn = {
      ...pipelineOf(),
      streamOutput: undefined,
      depthStencil: { stencilEnable: true, frontFace: { stencilPassOp: 'INCR' } },
    }
    device.clearDepthStencil(dsv(depth), { depth: 1, stencil: 4 })
    await device.draw(device.createPipeline(drawn as Any), resourcesOf() as Any, { vertexCount: 3 })
    // The scissor leaves the right column out.
    expect(Array.from(depth.read('u32'), (w) => w >>> 24)).toEqual([5, 4, 5, 4])
  })
})
