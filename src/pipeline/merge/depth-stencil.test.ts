import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import { acceptedCodes, floatOf, roundHalfUp, wordOf } from '../../../test/support/exact-formats.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import { createTexture, type DepthStencilView, dsv } from '../../machine/index.ts'
import { type ComparisonFunc, DEFAULT_DEPTH_STENCIL, type DepthStencilState, type StencilOp } from '../state.ts'
import {
  clampDepth,
  clampDepthWord,
  createDepthStencilTest,
  depthPassesWord,
  depthToCode,
  stencilMergeWord,
  stencilPassesWord,
  stencilResultWord,
  unormCodeWord,
} from './index.ts'

const OPS = numberOps({ denormals: 'flush' })
const FUNCS: readonly ComparisonFunc[] = [
  'NEVER',
  'LESS',
  'EQUAL',
  'LESS_EQUAL',
  'GREATER',
  'NOT_EQUAL',
  'GREATER_EQUAL',
  'ALWAYS',
]
const STENCIL_OPS: readonly StencilOp[] = ['KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR']
const FORMATS = ['D16_UNORM', 'D24_UNORM_S8_UINT', 'D32_FLOAT', 'D32_FLOAT_S8X24_UINT'] as const

/** By the D3D11_COMPARISON_FUNC number less 1: bit 0 passes less, bit 1 equal, bit 2 greater. */
const expected = (func: ComparisonFunc, a: number, b: number): boolean => {
  if (Number.isNaN(a) || Number.isNaN(b)) return func === 'NOT_EQUAL' || func === 'ALWAYS'
  return (FUNCS.indexOf(func) & (a < b ? 1 : a === b ? 2 : 4)) !== 0
}

const viewOf = (format: string, flags: object = {}): DepthStencilView =>
  valueOrThrow(dsv(valueOrThrow(createTexture({ dimension: 'texture2d', format, width: 2, height: 2 })), flags))

/** Depth code (or float32 word) and stencil of pixel (1, 1), by the documented layout. */
function stored(view: DepthStencilView): [depth: number, stencil: number] {
  const { halves, words } = view.storage
  switch (view.format.name) {
    case 'D16_UNORM':
      return [halves[3]!, 0]
    case 'D24_UNORM_S8_UINT':
      return [words[3]! & 0xffffff, words[3]! >>> 24]
    case 'D32_FLOAT':
      return [words[3]!, 0]
    default:
      return [words[6]!, words[7]! & 255]
  }
}
function setStored(view: DepthStencilView, depth: number, stencil: number): void {
  const { halves, words } = view.storage
  if (view.format.name === 'D16_UNORM') halves[3] = depth
  else if (view.format.name === 'D24_UNORM_S8_UINT') words[3] = depth | (stencil << 24)
  else if (view.format.name === 'D32_FLOAT') words[3] = depth
  else {
    words[6] = depth
    words[7] = stencil | 0xabcdef00
  }
}
const codeOf = (view: DepthStencilView, z: number): number => {
  const bits = view.format.name === 'D16_UNORM' ? 16 : 24
  return view.format.name.startsWith('D32') ? wordOf(z) >>> 0 : roundHalfUp(z, 2 ** bits - 1)
}
const depthOf = (view: DepthStencilView, code: number): number =>
  view.format.name.startsWith('D32') ? floatOf(code) : code

const DEPTHS = [0, 2 ** -149, 2 ** -26, 2 ** -17, 0.25, 0.5 - 2 ** -25, 0.5, 0.5 + 2 ** -24, 1 - 2 ** -24, 1]

describe('the depth test', () => {
  test.each(FORMATS)('of %s: every function between near values, and the stored value after it', (format) => {
    const view = viewOf(format)
    const { check, list } = differences()
    for (const depthFunc of FUNCS) {
      const { test: pass, testOnly } = createDepthStencilTest(view, { ...DEFAULT_DEPTH_STENCIL, depthFunc }, 0)
      for (const old of DEPTHS) {
        for (const z of DEPTHS) {
          const [before, after] = [codeOf(view, old), codeOf(view, z)]
          setStored(view, before, 0x5a)
          const wanted = expected(depthFunc, depthOf(view, after), depthOf(view, before))
          const what = `${z} ${depthFunc} ${old}`
          check(testOnly(1, 1, 0, 0, z, true), wanted, what)
          check(stored(view)[0], before, what)
          check(pass(1, 1, 0, 0, z, true), wanted, what)
          check(stored(view)[0], wanted ? after : before, what)
          check(stored(view)[1], format.includes('S8') ? 0x5a : 0, what)
        }
      }
    }
    expect(list).toEqual([])
  })

  test('writes nothing with DepthWriteMask ZERO, a read-only view or DepthEnable false, and passes without a view', () => {
    const z = 0.25
    const outcomes: [DepthStencilView, Partial<DepthStencilState>, boolean, boolean][] = [
      [viewOf('D32_FLOAT'), {}, true, true],
      [viewOf('D32_FLOAT'), { depthWriteMask: 'ZERO' }, true, false],
      [viewOf('D32_FLOAT', { readOnlyDepth: true }), {}, true, false],
      [viewOf('D32_FLOAT'), { depthEnable: false, depthFunc: 'NEVER' }, true, false],
      [viewOf('D32_FLOAT'), { depthFunc: 'NEVER' }, false, false],
    ]
    for (const [view, state, passes, written] of outcomes) {
      setStored(view, wordOf(0.5), 0)
      const t = createDepthStencilTest(view, { ...DEFAULT_DEPTH_STENCIL, ...state }, 0)
      expect([t.test(1, 1, 0, 0, z, true), stored(view)[0]]).toEqual([passes, wordOf(written ? z : 0.5)])
    }
    const none = createDepthStencilTest(undefined, { ...DEFAULT_DEPTH_STENCIL, depthFunc: 'NEVER' }, 0)
    expect([none.test(0, 0, 0, 0, z, true), none.writes]).toEqual([true, false])
  })

  test('reads any bits of a float depth buffer: NaN fails but for NOT_EQUAL and ALWAYS', () => {
    const view = viewOf('D32_FLOAT')
    for (const depthFunc of FUNCS) {
      const t = createDepthStencilTest(view, { ...DEFAULT_DEPTH_STENCIL, depthFunc }, 0)
      setStored(view, 0x7fc12345, 0)
      expect(t.test(1, 1, 0, 0, 0.5, true), depthFunc).toBe(expected(depthFunc, 0.5, NaN))
    }
  })

  test('trap 10: depth is clamped to the viewport at the output merger, NaN to MinDepth', () => {
    const cases: [number, number][] = [
      [NaN, 0.25],
      [-Infinity, 0.25],
      [Infinity, 0.75],
      [0.5, 0.5],
      [-0, 0.25],
    ]
    for (const [z, clamped] of cases) {
      expect(clampDepth(z, 0.25, 0.75)).toBe(clamped)
      const word = clampDepthWord(OPS, wordOf(z), wordOf(0.25), wordOf(0.75))
      expect(floatOf(word)).toBe(clamped)
    }
    expect(Object.is(clampDepth(-0, 0, 1), 0)).toBe(true)
  })

  test('trap 7: D24 codes are rounded in double precision; float32 is off by one for a quarter of them, and overflows', () => {
    const { fround } = Math
    const inFloat32 = (z: number): number => Math.floor(fround(fround(z * 0xffffff) + 0.5))
    expect([inFloat32(1), depthToCode(1, 24)]).toEqual([2 ** 24, 2 ** 24 - 1])
    const { check, list } = differences()
    let wrong = 0
    const samples = 4096
    for (let i = 0; i < samples; i++) {
      const z = fround((i * 4093 + 0.37) / 2 ** 24)
      const code = depthToCode(z, 24)
      check(code, roundHalfUp(z, 2 ** 24 - 1), `${z}`)
      if (inFloat32(z) !== code) wrong++
    }
    expect(list).toEqual([])
    expect(wrong / samples).toBeGreaterThan(0.1)
  })

  test('every D16 code, and D24 codes all over the range, come back from the float32 that stands for them', () => {
    const { check, list } = differences()
    for (let code = 0; code < 65536; code++) check(depthToCode(Math.fround(code / 65535), 16), code, 'D16')
    for (let code = 0; code <= 0xffffff; code += 1021) check(depthToCode(Math.fround(code / 0xffffff), 24), code, 'D24')
    expect(list).toEqual([])
  })

  test('the operations on words agree with the numbers', () => {
    for (const z of DEPTHS) {
      for (const bits of [16, 24] as const) expect(unormCodeWord(OPS, wordOf(z), bits)).toBe(depthToCode(z, bits))
      for (const old of [...DEPTHS, NaN]) {
        for (const func of FUNCS) {
          const floats = depthPassesWord(OPS, func, true, wordOf(z), wordOf(old)) !== 0
          expect(floats).toBe(expected(func, z, old))
          if (Number.isNaN(old)) continue
          const codes = [depthToCode(z, 24), depthToCode(old, 24)] as const
          expect(depthPassesWord(OPS, func, false, ...codes) !== 0).toBe(expected(func, ...codes))
        }
      }
    }
    expect(acceptedCodes({ name: 'd', bitOffset: 0, bitCount: 24, encoding: 'unorm' }, wordOf(0.5))).toEqual([
      depthToCode(0.5, 24),
    ])
  })
})

/** D3D11_STENCIL_OP in words of arithmetic. */
function stencilAfter(op: StencilOp, ref: number, old: number): number {
  if (op === 'KEEP') return old
  if (op === 'ZERO') return 0
  if (op === 'REPLACE') return ref
  if (op === 'INVERT') return 255 - old
  const next = op.startsWith('INCR') ? old + 1 : old - 1
  return op.endsWith('SAT') ? Math.max(0, Math.min(255, next)) : (next + 256) % 256
}
/** Bits of `a` where the mask has ones, else those of `b`, bit by bit. */
const mixBits = (mask: number, a: number, b: number): number =>
  Array.from({ length: 8 }, (_, i) => (((((mask >> i) & 1) === 1 ? a : b) >> i) % 2) << i).reduce((x, y) => x + y)

const KEEP = {
  stencilFailOp: 'KEEP',
  stencilDepthFailOp: 'KEEP',
  stencilPassOp: 'KEEP',
  stencilFunc: 'ALWAYS',
} as const
const VALUES = [0, 1, 0x0f, 0x55, 0x7f, 0x80, 0xaa, 0xfe, 0xff]

describe.each(['D24_UNORM_S8_UINT', 'D32_FLOAT_S8X24_UINT'] as const)('the stencil test of %s', (format) => {
  const plain = viewOf(format)
  const run = (
    state: Partial<DepthStencilState>,
    ref: number,
    old: number,
    front = true,
    override?: number,
    flags: object = {},
  ): [boolean, number] => {
    const view = Object.keys(flags).length === 0 ? plain : viewOf(format, flags)
    setStored(view, codeOf(view, 0.5), old)
    const full = { ...DEFAULT_DEPTH_STENCIL, stencilEnable: true, depthFunc: 'LESS', ...state } as const
    const pass = createDepthStencilTest(view, full, ref).test(1, 1, 0, 0, 0.25, front, override)
    return [pass, stored(view)[1]]
  }

  test('has eight operations for each of its three outcomes', () => {
    const { check, list } = differences()
    for (const op of STENCIL_OPS) {
      for (const old of VALUES) {
        for (const ref of VALUES) {
          const after = stencilAfter(op, ref, old)
          const fail = { ...KEEP, stencilFunc: 'NEVER', stencilFailOp: op } as const
          const what = `${op} ${ref} ${old}`
          check(`${run({ frontFace: fail }, ref, old)}`, `false,${after}`, what)
          const depthFail = { ...KEEP, stencilDepthFailOp: op }
          check(`${run({ frontFace: depthFail, depthFunc: 'GREATER' }, ref, old)}`, `false,${after}`, what)
          check(`${run({ frontFace: { ...KEEP, stencilPassOp: op } }, ref, old)}`, `true,${after}`, what)
          check(stencilResultWord(OPS, op, ref, old), after, what)
        }
      }
    }
    expect(list).toEqual([])
  })

  test('compares masked values by eight functions, and writes masked bits', () => {
    const { check, list } = differences()
    for (const mask of [0, 1, 0xf0, 0xff]) {
      for (const func of FUNCS) {
        for (const old of VALUES) {
          for (const ref of VALUES) {
            const passes = expected(func, mixBits(mask, ref, 0), mixBits(mask, old, 0))
            const face = { ...KEEP, stencilFunc: func, stencilPassOp: 'INVERT', stencilFailOp: 'REPLACE' } as const
            const after = mixBits(~mask & 255, passes ? 255 - old : ref, old)
            const state = { frontFace: face, stencilReadMask: mask, stencilWriteMask: ~mask & 255 }
            const what = `${func} ${mask} ${ref} ${old}`
            check(`${run(state, ref, old)}`, `${passes},${after}`, what)
            check(stencilPassesWord(OPS, func, mask, ref, old) !== 0, passes, what)
            check(stencilMergeWord(OPS, ~mask & 255, old, passes ? 255 - old : ref), after, what)
          }
        }
      }
    }
    expect(list).toEqual([])
  })

  test('takes the face of the primitive, and the reference of the shader where it writes one', () => {
    const backFace = { ...KEEP, stencilPassOp: 'REPLACE' } as const
    expect(run({ backFace }, 7, 3, true)).toEqual([true, 3])
    expect(run({ backFace }, 7, 3, false)).toEqual([true, 7])
    expect(run({ backFace }, 7, 3, false, 0x1c9)).toEqual([true, 0xc9])
    const frontFace = { ...KEEP, stencilFunc: 'EQUAL' } as const
    expect(run({ frontFace }, 7, 3, true, 3)).toEqual([true, 3])
  })

  test('passes the depth test where depth is disabled, and writes nothing to a read-only stencil', () => {
    const frontFace = { ...KEEP, stencilPassOp: 'ZERO', stencilDepthFailOp: 'INVERT' } as const
    expect(run({ frontFace, depthEnable: false, depthFunc: 'NEVER' }, 0, 9)).toEqual([true, 0])
    expect(run({ frontFace }, 0, 9, true, undefined, { readOnlyStencil: true })).toEqual([true, 9])
    const face = { ...frontFace, stencilFunc: 'NEVER' } as const
    expect(run({ frontFace: face }, 0, 9, true, undefined, { readOnlyStencil: true })[0]).toBe(false)
  })

  test('leaves the depth alone where it fails, and unused bits always', () => {
    const view = viewOf(format)
    setStored(view, codeOf(view, 0.5), 1)
    const state: DepthStencilState = {
      ...DEFAULT_DEPTH_STENCIL,
      stencilEnable: true,
      frontFace: { ...KEEP, stencilFunc: 'NEVER', stencilFailOp: 'INCR' },
    }
    const t = createDepthStencilTest(view, state, 0)
    expect([t.test(1, 1, 0, 0, 0.25, true), t.testOnly(1, 1, 0, 0, 0.25, true), t.writes]).toEqual([false, false, true])
    expect(stored(view)).toEqual([codeOf(view, 0.5), 2])
    if (format === 'D32_FLOAT_S8X24_UINT') expect(view.storage.words[7]! >>> 8).toBe(0xabcdef)
  })
})

test.each(FORMATS)('samples outside a view of %s fail and write nothing', (format) => {
  const view = viewOf(format)
  const stencil = { ...KEEP, stencilPassOp: 'INVERT', stencilFailOp: 'INVERT' } as const
  for (const state of [DEFAULT_DEPTH_STENCIL, { ...DEFAULT_DEPTH_STENCIL, stencilEnable: true, frontFace: stencil }]) {
    const { test: pass, testOnly } = createDepthStencilTest(view, { ...state, depthFunc: 'ALWAYS' }, 0)
    for (const place of [
      [2, 0, 0, 0],
      [0, 2, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 1],
      [-1, 1, 0, 0],
    ] as const) {
      const [x, y, slice, sample] = place
      expect(pass(x, y, slice, sample, 1, true)).toBe(false)
      expect(testOnly(x, y, slice, sample, 1, true)).toBe(false)
    }
  }
  expect(view.storage.bytes.every((b) => b === 0)).toBe(true)
})

test('a stencil test without a stencil plane passes', () => {
  const view = viewOf('D16_UNORM')
  setStored(view, 0xffff, 0)
  const state: DepthStencilState = {
    ...DEFAULT_DEPTH_STENCIL,
    stencilEnable: true,
    frontFace: { ...KEEP, stencilFunc: 'NEVER' },
  }
  expect(createDepthStencilTest(view, state, 0).test(1, 1, 0, 0, 0.25, true)).toBe(true)
})
