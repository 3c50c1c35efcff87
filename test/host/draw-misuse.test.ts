import { describe, expect, it } from 'vitest'
import { assemble, Device, ShaderError, valueOrThrow } from '../../src/index.ts'

/** What callers without types give to draws and their commands: one ShaderError each, and nothing runs. */

const device = new Device({ engine: 'reference' })
const vertex = device.createShader(
  valueOrThrow(assemble('vs_5_0\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, l(0,0,0,1.0)\nret\n')),
)
const pipeline = device.createPipeline({ vertex, topology: 'POINTLIST' })
// biome-ignore lint/suspicious/noExplicitAny: what these callers give has no type
const given = (value: unknown): any => value

async function errorOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (e) {
    return e
  }
  return 'it ran'
}

/** What the one error says. */
async function refusal(run: () => unknown): Promise<string> {
  const error = await errorOf(run)
  expect(error).toBeInstanceOf(ShaderError)
  return (error as ShaderError).message
}

const base = { vertex, topology: 'POINTLIST' }

describe('createPipeline', () => {
  it.each([
    [undefined, 'an object of shaders and state'],
    [{}, 'vertex'],
    [{ vertex: 1, topology: 'POINTLIST' }, 'vertex is 1'],
    [{ vertex }, 'topology'],
    [{ ...base, pixel: {} }, 'pixel'],
    [{ ...base, inputLayout: 1 }, 'inputLayout is 1'],
    [{ ...base, inputLayout: [1] }, 'entry 0'],
    [{ ...base, streamOutput: 1 }, 'streamOutput is 1'],
    [{ ...base, streamOutput: { declaration: 1 } }, 'declaration'],
    [{ ...base, streamOutput: { declaration: [], strides: 4 } }, 'strides'],
    [{ ...base, rasterizer: null }, 'rasterizer'],
    [{ ...base, blend: { renderTarget: [null] } }, 'renderTarget[0]'],
  ])('refuses %j', async (options, text) => {
    expect(await refusal(() => device.createPipeline(given(options)))).toContain(text)
  })
})

describe('draw', () => {
  it.each([
    [undefined, 'a pipeline that createPipeline made'],
    [{}, 'a pipeline that createPipeline made'],
  ])('refuses the pipeline %j', async (made, text) => {
    expect(await refusal(() => device.draw(given(made), {}, { vertexCount: 1 }))).toContain(text)
  })

  it.each([
    [undefined, 'an object'],
    [{ renderTargets: [1] }, 'entry 0'],
    [{ renderTargets: [null, {}] }, 'entry 1'],
    [{ renderTargets: 1 }, 'a list of render target views'],
    [{ depthStencil: 1 }, 'dsv()'],
    [{ vertexBuffers: [1] }, 'entry 0'],
    [{ vertexBuffers: [{}] }, 'createBuffer'],
    [{ indexBuffer: 1 }, 'indexBuffer is 1'],
    [{ streamOutputBuffers: [{ buffer: 1 }] }, 'createBuffer'],
    [{ viewports: 1 }, 'viewports is 1'],
    [{ viewports: [1] }, 'entry 0'],
    [{ scissors: [null] }, 'a list of rectangles'],
    [{ blendFactor: 1 }, 'four numbers'],
    [{ stencilReference: 'x' }, 'a number'],
    [{ vertex: 1 }, 'vertex is 1'],
    [{ textures: [] }, 'no option "textures"'],
  ])('refuses the resources %j', async (resources, text) => {
    expect(await refusal(() => device.draw(pipeline, given(resources), { vertexCount: 1 }))).toContain(text)
  })

  it.each([
    [undefined, "or 'auto'"],
    [{}, "or 'auto'"],
    [3, "or 'auto'"],
    ['manual', "or 'auto'"],
    [{ indirect: 1, indexed: false }, 'indirect is 1'],
    [{ vertexCount: 1, indexes: 2 }, 'no option "indexes"'],
    [{ vertexCount: 1, baseVertex: 2 }, 'no option "baseVertex"'],
    [{ vertexCount: 1.5 }, 'vertexCount is 1.5'],
  ])('refuses the counts %j', async (call, text) => {
    expect(await refusal(() => device.draw(pipeline, {}, given(call)))).toContain(text)
  })

  it('refuses options that are none', async () => {
    expect(await refusal(() => device.draw(pipeline, {}, { vertexCount: 1 }, given(1)))).toContain('options')
    const negative = { maxMilliseconds: -1 }
    expect(await refusal(() => device.draw(pipeline, {}, { vertexCount: 1 }, negative))).toContain('maxMilliseconds')
  })
})

describe('commands', () => {
  const zero = [0, 0, 0, 0] as const
  it.each([
    ['clear', () => device.clear(given(1), zero)],
    ['clear', () => device.clear(given(undefined), zero)],
    ['clear', () => device.clear(given({}), zero)],
    ['clearDepthStencil', () => device.clearDepthStencil(given({}), {})],
    ['clearDepthStencil', () => device.clearDepthStencil(given(undefined), given(undefined))],
    ['resolve', () => device.resolve(given(1), given(2))],
    ['copy', () => device.copy(given(1), given({ kind: 'buffer' }))],
    ['generateMips', () => device.generateMips(given(1))],
  ])('%s refuses what is no view and no resource', async (command, run) => {
    expect(await refusal(run)).toContain(`${command}: `)
  })

  it('and draws end with the device', async () => {
    const other = new Device({ engine: 'reference' })
    const own = other.createPipeline({ vertex: other.createShader(vertex.program), topology: 'POINTLIST' })
    other.dispose()
    expect(await refusal(() => other.draw(own, {}, { vertexCount: 1 }))).toContain('the device was disposed')
    expect(await refusal(() => other.createPipeline({ vertex, topology: 'POINTLIST' }))).toContain('was disposed')
  })
})
