import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../diagnostic/index.ts'
import {
  createBuffer,
  createTexture,
  dsv,
  type RenderTargetView,
  rtv,
  type TextureOptions,
} from '../../machine/index.ts'
import { type BlendState, DEFAULT_BLEND, DEFAULT_TARGET_BLEND, type TargetBlend } from '../state.ts'
import { checkOutputMerger } from './index.ts'

const texture = (o: Partial<TextureOptions> & { format: string }) =>
  valueOrThrow(createTexture({ dimension: 'texture2d', width: 4, height: 4, ...o }))
const target = (format: string, o: Partial<TextureOptions> = {}): RenderTargetView =>
  valueOrThrow(rtv(texture({ ...o, format })))
const depth = (o: Partial<TextureOptions> = {}) => valueOrThrow(dsv(texture({ ...o, format: 'D32_FLOAT' })))
const blendOf = (first: Partial<TargetBlend>, o: Partial<BlendState> = {}): BlendState => ({
  ...DEFAULT_BLEND,
  renderTarget: DEFAULT_BLEND.renderTarget.map((b, i) => (i === 0 ? { ...b, ...first } : b)),
  ...o,
})
const check = (...args: Parameters<typeof checkOutputMerger>): string[] => checkOutputMerger(...args).map((d) => d.code)
const color = target('R8G8B8A8_UNORM')
const wide = texture({ format: 'R8_UNORM', arraySize: 4 })

describe('targets of a draw', () => {
  test('that agree are fine, with holes and without depth', () => {
    expect(check([], undefined, DEFAULT_BLEND)).toEqual([])
    expect(check([color, undefined, target('R32_UINT')], depth(), DEFAULT_BLEND)).toEqual([])
    const slices = [0, 1].map((firstArraySlice) => valueOrThrow(rtv(wide, { firstArraySlice, arraySize: 1 })))
    expect(check(slices, undefined, DEFAULT_BLEND)).toEqual([])
  })

  test('have one number of samples; sizes that differ are reported', () => {
    expect(check([color, target('R8_UNORM', { sampleCount: 2 })], undefined, DEFAULT_BLEND)).toEqual(['pipeline-view'])
    expect(check([color], depth({ sampleCount: 4 }), DEFAULT_BLEND)).toEqual(['pipeline-view'])
    expect(check([color], depth({ width: 8 }), DEFAULT_BLEND)).toEqual(['pipeline-undefined'])
    expect(check([color], depth({ arraySize: 2 }), DEFAULT_BLEND)).toEqual(['pipeline-undefined'])
  })

  test('are not drawn to twice', () => {
    expect(check([color, color], undefined, DEFAULT_BLEND)).toEqual(['pipeline-hazard'])
    const [a, b] = [0, 1].map((firstArraySlice) => valueOrThrow(rtv(wide, { firstArraySlice, arraySize: 2 })))
    expect(check([a, b], undefined, DEFAULT_BLEND)).toEqual(['pipeline-hazard'])
    const bytes = valueOrThrow(createBuffer({ byteLength: 64 }))
    const part = (firstElement: number) =>
      valueOrThrow(rtv(bytes, { format: 'R32_UINT', firstElement, elementCount: 4 }))
    expect(check([part(0), part(4)], undefined, DEFAULT_BLEND)).toEqual([])
    expect(check([part(0), part(3)], undefined, DEFAULT_BLEND)).toEqual(['pipeline-hazard'])
  })
})

describe('blend state', () => {
  const uint = target('R8_UINT')
  test.each<[string, Parameters<typeof checkOutputMerger>, string[]]>([
    ['blending into integers', [[uint], undefined, blendOf({ blendEnable: true })], ['pipeline-state']],
    [
      'blending into another target alone',
      [[undefined, uint], undefined, blendOf({ blendEnable: true }, { independentBlendEnable: true })],
      [],
    ],
    ['logic operations on floats', [[color], undefined, blendOf({ logicOpEnable: true })], ['pipeline-state']],
    ['logic operations on UINT', [[uint], undefined, blendOf({ logicOpEnable: true })], []],
    [
      'independent logic operations',
      [[uint], undefined, blendOf({ logicOpEnable: true }, { independentBlendEnable: true })],
      ['pipeline-state'],
    ],
    ['both at once', [[], undefined, blendOf({ logicOpEnable: true, blendEnable: true })], ['pipeline-state']],
    ['dual source with one target', [[color], undefined, blendOf({ blendEnable: true, destBlend: 'SRC1_COLOR' })], []],
    [
      'dual source with two',
      [[color, target('R8_UNORM')], undefined, blendOf({ blendEnable: true, destBlend: 'SRC1_COLOR' })],
      ['pipeline-view'],
    ],
    [
      'dual source with MIN',
      [[color], undefined, blendOf({ blendEnable: true, srcBlendAlpha: 'INV_SRC1_ALPHA', blendOpAlpha: 'MIN' })],
      ['pipeline-state'],
    ],
    [
      'dual source factors that are off',
      [[color], undefined, blendOf({ destBlend: 'SRC1_COLOR', blendOp: 'MAX' })],
      [],
    ],
  ])('%s', (_, args, wanted) => {
    expect(check(...args)).toEqual(wanted)
  })

  test('names the target and the format', () => {
    const [found] = checkOutputMerger(
      [undefined, uint],
      undefined,
      blendOf({ ...DEFAULT_TARGET_BLEND, blendEnable: true }),
    )
    expect(found?.message).toContain('render target 1 is R8_UINT')
  })
})
