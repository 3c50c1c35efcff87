import { describe, expect, test } from 'vitest'
import { canCast, FORMATS, findFormat, formatNamed, similarFormats } from './index.ts'

describe('the format table', () => {
  test('numbers and names are unique and numbers ascend', () => {
    expect(new Set(FORMATS.map((f) => f.name)).size).toBe(FORMATS.length)
    const numbers = FORMATS.map((f) => f.number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('holds every DXGI number from 1 to 99 but R1_UNORM, and B4G4R4A4', () => {
    const expected = Array.from({ length: 99 }, (_, i) => i + 1).filter((n) => n !== 66)
    expect(FORMATS.map((f) => f.number)).toEqual([...expected, 115])
  })

  test.each([
    [2, 'R32G32B32A32_FLOAT', 128],
    [24, 'R10G10B10A2_UNORM', 32],
    [28, 'R8G8B8A8_UNORM', 32],
    [41, 'R32_FLOAT', 32],
    [45, 'D24_UNORM_S8_UINT', 32],
    [61, 'R8_UNORM', 8],
    [67, 'R9G9B9E5_SHAREDEXP', 32],
    [71, 'BC1_UNORM', 4],
    [80, 'BC4_UNORM', 4],
    [87, 'B8G8R8A8_UNORM', 32],
    [98, 'BC7_UNORM', 8],
    [115, 'B4G4R4A4_UNORM', 16],
  ])('%i is %s of %i bits', (number, name, bits) => {
    expect(findFormat(number)?.name).toBe(name)
    expect(findFormat(`DXGI_FORMAT_${name}`)?.number).toBe(number)
    expect(findFormat(name.toLowerCase())?.bitsPerElement).toBe(bits)
  })

  test('a linear element is whole bytes, and its components tile it', () => {
    for (const f of FORMATS.filter((x) => x.layout === 'linear')) {
      expect(f.bitsPerElement % 8, f.name).toBe(0)
      let bit = 0
      for (const c of f.components) {
        expect(c.bitOffset, f.name).toBe(bit)
        bit += c.bitCount
      }
      expect(bit, f.name).toBe(f.bitsPerElement)
    }
  })

  test('formats of one family have the same bits', () => {
    for (const f of FORMATS) expect(findFormat(f.family)?.bitsPerElement, f.name).toBe(f.bitsPerElement)
  })

  test('parts of depth-stencil formats are seen through their own views', () => {
    const depth = formatNamed('R24_UNORM_X8_TYPELESS')
    const stencil = formatNamed('X24_TYPELESS_G8_UINT')
    expect(depth.components[0]).toEqual({ name: 'r', bitOffset: 0, bitCount: 24, encoding: 'unorm' })
    expect(stencil.components[1]).toEqual({ name: 'g', bitOffset: 24, bitCount: 8, encoding: 'uint' })
    expect([depth.result, stencil.result, formatNamed('D24_UNORM_S8_UINT').result]).toEqual(['float', 'uint', 'none'])
  })

  test('SRGB formats keep A linear', () => {
    const { components } = formatNamed('B8G8R8A8_UNORM_SRGB')
    expect(components.map((c) => `${c.name} ${c.encoding}`)).toEqual([
      'b unorm-srgb',
      'g unorm-srgb',
      'r unorm-srgb',
      'a unorm',
    ])
  })

  test('atomics: all on R32_UINT and R32_SINT, the exchange on R32_FLOAT, none elsewhere', () => {
    const able = FORMATS.filter((f) => f.capabilities.typedUavAtomic !== 'none')
    expect(able.map((f) => [f.name, f.capabilities.typedUavAtomic])).toEqual([
      ['R32_FLOAT', 'exchange'],
      ['R32_UINT', 'all'],
      ['R32_SINT', 'all'],
    ])
    const loadable = FORMATS.filter((f) => f.capabilities.typedUavLoad === 'required').map((f) => f.name)
    expect(loadable).toEqual(['R32_FLOAT', 'R32_UINT', 'R32_SINT'])
  })

  test('render targets: 27 can blend without an option, UINT alone have logic operations, four formats hold depth', () => {
    const having = (ability: 'renderTarget' | 'blend' | 'logicOp' | 'depthStencil' | 'resolve' | 'generateMips') =>
      FORMATS.filter((f) => f.capabilities[ability] !== 'none')
    const required = having('blend').filter((f) => f.capabilities.blend === 'required')
    expect(required).toHaveLength(27)
    expect(having('blend').map((f) => f.result)).toEqual(having('blend').map(() => 'float'))
    expect(having('renderTarget').filter((f) => f.result === 'float')).toEqual(having('blend'))
    expect(having('logicOp')).toEqual(having('renderTarget').filter((f) => f.result === 'uint'))
    expect(having('depthStencil').map((f) => f.name)).toEqual([
      'D32_FLOAT_S8X24_UINT',
      'D32_FLOAT',
      'D24_UNORM_S8_UINT',
      'D16_UNORM',
    ])
    expect(having('resolve')).toHaveLength(30)
    expect(having('resolve')).toEqual(having('blend'))
    expect(having('generateMips')).toEqual(having('blend'))
  })

  test('casts stay in the family, but for R32 UAVs on six 32-bit families', () => {
    const typeless = formatNamed('R8G8B8A8_TYPELESS')
    expect(canCast(typeless, formatNamed('R8G8B8A8_SNORM'), false)).toBe(true)
    expect(canCast(typeless, formatNamed('R32_UINT'), false)).toBe(false)
    expect(canCast(typeless, formatNamed('R32_UINT'), true)).toBe(true)
    expect(canCast(formatNamed('R8G8B8A8_UNORM'), formatNamed('R32_UINT'), true)).toBe(false)
    expect(canCast(formatNamed('R24G8_TYPELESS'), formatNamed('R32_UINT'), true)).toBe(false)
    expect(canCast(formatNamed('R8G8_B8G8_UNORM'), formatNamed('R8G8_UNORM'), false)).toBe(false)
  })

  test('unknown names have neighbors', () => {
    expect(findFormat('RGBA8')).toBeUndefined()
    expect(similarFormats('R8G8B8A8_UNROM')[0]).toBe('R8G8B8A8_UNORM')
    expect(similarFormats('zzz')).toEqual([])
    // Names of other interfaces.
    expect(similarFormats('RGBA32F')).toEqual(['R32G32B32A32_FLOAT'])
    expect(similarFormats('rgba8')).toEqual(['R8G8B8A8_UNORM'])
    expect(similarFormats('RG16_SNORM')).toEqual(['R16G16_SNORM'])
    expect(similarFormats('R32UI')).toEqual(['R32_UINT'])
  })
})
