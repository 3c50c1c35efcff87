import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  createBuffer,
  createTexture,
  dsv,
  rtv,
  subresource,
  type Texture,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { bits, draw, type Scene, viewportOf } from '../support/draw-text.ts'

// Draws into mips, slices, faces, depth slices and buffers: what the view shows is drawn to, and nothing else.

/** One triangle over everything in each instance; instance i goes to slice i and has depth i / 8. */
const TO_SLICES = [
  'vs_5_0',
  'dcl_input_sgv v0.x, vertex_id',
  'dcl_input_sgv v1.x, instance_id',
  'dcl_output_siv o0.xyzw, position',
  'dcl_output_siv o1.x, rendertarget_array_index',
  'dcl_temps 1',
  'and r0.x, v0.x, l(1)',
  'ushr r0.y, v0.x, l(1)',
  'utof r0.xy, r0.xyxx',
  'mad o0.xy, r0.xyxx, l(4.0,-4.0,0.0,0.0), l(-1.0,1.0,0.0,0.0)',
  'utof r0.z, v1.x',
  'mul o0.z, r0.z, l(0.125)',
  'mov o0.w, l(1.0)',
  'mov o1.x, v1.x',
  'ret',
  '',
].join('\n')

/** Slice number + 1 as an integer, in all components. */
const SLICE_NUMBER =
  'ps_5_0\ndcl_input_ps_siv constant v1.x, rendertarget_array_index\ndcl_output o0.xyzw\niadd o0.xyzw, v1.xxxx, l(1,1,1,1)\nret\n'

const texture = (o: TextureOptions): Texture => valueOrThrow(createTexture(o))

/** Words of a subresource. */
function words(t: Texture, mip: number, slice: number): number[] {
  const s = subresource(t, mip, slice)!
  const count = (s.width * s.height * s.depth * t.sampleCount * t.format.blockByteLength) / 4
  return Array.from(t.storage.words.subarray(s.byteOffset / 4, s.byteOffset / 4 + count))
}

function drawTo(
  t: Texture,
  o: NonNullable<Parameters<typeof rtv>[1]>,
  instanceCount: number,
  more: Partial<Scene> = {},
) {
  const target = valueOrThrow(rtv(t, o))
  return draw({
    vs: TO_SLICES,
    ps: SLICE_NUMBER,
    call: { vertexCount: 3, instanceCount },
    width: target.width,
    height: target.height,
    ...more,
    state: { depthStencil: { depthEnable: false }, ...more.state },
    resources: { renderTargets: [target], ...more.resources },
  })
}

const filled = (n: number, count: number): number[] => new Array<number>(count).fill(n)

describe('slices', () => {
  it.each([
    ['an array', { dimension: 'texture2d', width: 8, height: 4, arraySize: 5, mipLevels: 3 }, 5],
    ['a cube', { dimension: 'texturecube', width: 8, mipLevels: 3 }, 6],
    ['an array of cubes', { dimension: 'texturecube', width: 8, arraySize: 12, mipLevels: 3 }, 12],
    ['an array of rows', { dimension: 'texture1d', width: 8, arraySize: 5, mipLevels: 3 }, 5],
  ] as const)('of %s: those of the view, by number, and the first for numbers beyond', (_, o, sliceCount) => {
    const t = texture({ ...o, format: 'R32_UINT' } as TextureOptions)
    // Three of the slices of mip 1, from the second on; instances 0 to 4.
    const drawn = drawTo(t, { mipSlice: 1, firstArraySlice: 1, arraySize: 3 }, 5)
    expect(drawn.codes).toEqual([])
    for (let slice = 0; slice < sliceCount; slice++) {
      for (let mip = 0; mip < 3; mip++) {
        const s = subresource(t, mip, slice)!
        // Instances 3 and 4 lie beyond the view: its first slice got them last, and the shader saw their numbers.
        const number = mip === 1 && slice >= 1 && slice <= 3 ? [0, 5, 2, 3][slice]! : 0
        expect(words(t, mip, slice), `mip ${mip} of slice ${slice}`).toEqual(filled(number, s.width * s.height))
      }
    }
  })

  it('of a volume are its depth slices', () => {
    const t = texture({ dimension: 'texture3d', format: 'R32_SINT', width: 4, height: 4, depth: 8, mipLevels: 2 })
    drawTo(t, { mipSlice: 1, firstArraySlice: 1, arraySize: 2 }, 2)
    expect(words(t, 0, 0)).toEqual(filled(0, 4 * 4 * 8))
    expect(words(t, 1, 0)).toEqual([...filled(0, 4), ...filled(1, 4), ...filled(2, 4), ...filled(0, 4)])
  })

  it('of several samples have all of them, with a depth buffer of as many slices', () => {
    const size = { width: 4, height: 2, arraySize: 3, sampleCount: 4 } as const
    const t = texture({ dimension: 'texture2d', format: 'R32_UINT', ...size })
    const depth = texture({ dimension: 'texture2d', format: 'D32_FLOAT', ...size })
    depth.storage.words.fill(bits(0.2))
    const drawn = drawTo(t, {}, 3, {
      state: { depthStencil: { depthEnable: true, depthFunc: 'LESS' }, sampleMask: 0b1011 },
      resources: { renderTargets: [valueOrThrow(rtv(t))], depthStencil: valueOrThrow(dsv(depth)) },
    })
    // Depths are 0, 1/8 and 1/4: the last fails.
    const samples = (n: number): number[] => Array.from({ length: 8 }, () => [n, n, 0, n]).flat()
    expect([0, 1, 2].map((slice) => words(t, 0, slice))).toEqual([samples(1), samples(2), samples(0)])
    const depths = (z: number) => Array.from({ length: 8 }, () => [z, z, 0.2, z].map(bits)).flat()
    expect([0, 1, 2].map((slice) => words(depth, 0, slice).map((w) => w | 0))).toEqual([
      depths(0),
      depths(0.125),
      depths(0.2),
    ])
    expect(drawn.result.samplesPassed).toBe(2 * 8 * 3)
  })

  it('are as many as every target has', () => {
    const [a, b] = [4, 2].map((arraySize) =>
      texture({ dimension: 'texture2d', format: 'R32_UINT', width: 2, height: 2, arraySize }),
    ) as [Texture, Texture]
    const ps = SLICE_NUMBER.replace('ret', 'iadd o1.xyzw, v1.xxxx, l(11,11,11,11)\nret').replace(
      'dcl_output o0.xyzw',
      'dcl_output o0.xyzw\ndcl_output o1.xyzw',
    )
    drawTo(a, {}, 3, { ps, resources: { renderTargets: [valueOrThrow(rtv(a)), valueOrThrow(rtv(b))] } })
    // Slice 2 is beyond what both have: both take it in their first.
    expect([0, 1, 2, 3].map((s) => words(a, 0, s)[0])).toEqual([3, 2, 0, 0])
    expect([0, 1].map((s) => words(b, 0, s)[0])).toEqual([13, 12])
  })
})

describe('integers', () => {
  it.each([
    ['R8G8B8A8_UINT', [0, 255, 256, 0xffffffff], 0xffffff00],
    ['R8G8B8A8_SINT', [-128, 127, -129, 500].map((n) => n >>> 0), 0x7f807f80],
    ['R10G10B10A2_UINT', [1023, 1024, 5, 4], (3 << 30) | (5 << 20) | (1023 << 10) | 1023],
    ['R16G16_UINT', [65536, 7, 0, 0], 0x0007ffff],
    ['R16G16_SINT', [-32769, 32768, 0, 0].map((n) => n >>> 0), 0x7fff8000],
    ['R32_SINT', [0x80000000, 0, 0, 0], 0x80000000],
  ] as const)('in %s are clamped to its range', (format, values, word) => {
    const t = texture({ dimension: 'texture2d', format, width: 1, height: 1 })
    const ps = `ps_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(${values.map((v) => `0x${(v >>> 0).toString(16)}`).join()})\nret\n`
    drawTo(t, {}, 1, { ps })
    expect(t.storage.words[0]! >>> 0).toBe(word >>> 0)
  })
})

it('a buffer is a row of elements', () => {
  const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
  const target = valueOrThrow(rtv(buffer, { format: 'R32_UINT', firstElement: 3, elementCount: 6 }))
  draw({
    vs: TO_SLICES,
    ps: SLICE_NUMBER,
    call: { vertexCount: 3 },
    state: { depthStencil: { depthEnable: false }, rasterizer: { scissorEnable: true } },
    resources: {
      renderTargets: [target],
      viewports: [viewportOf(16, 1)],
      scissors: [{ left: 1, top: 0, right: 100, bottom: 1 }],
    },
  })
  expect(Array.from(buffer.storage.words)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
})
