import { expect, it } from 'vitest'
import { corpusFile } from '../../../test/support/corpus.ts'
import { numberOps } from '../../engine/reference/index.ts'
import { readShader } from '../../shader/index.ts'
import {
  type ExpressionContext,
  evaluateCondition,
  evaluateExpression,
  parseExpression,
  sourceOf,
  type ValueState,
  valueText,
} from '../index.ts'

const bits = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0]!

/**
 * 4 lanes. Lane n has r3 = (n, 10n, 100n, NaN), vThreadID = (n, 0, 0), x0[i] = i, r0.x = bits of the integer n - 2; cb0[4].x
 * is the integer 640; lights (t1) has the float `element` at byte 4, zMin (g0) 7.
 */
const state: ValueState = {
  lanes: () => [0, 1, 2, 3],
  readRegister(lane, file, indices, component) {
    switch (`${file} ${indices.join(' ')}`) {
      case 'temp 0':
        return component === 0 ? lane - 2 : bits(0)
      case 'temp 3':
        return bits([lane, 10 * lane, 100 * lane, Number.NaN][component]!)
      case 'thread-id ':
        return component === 0 ? lane : 0
      case 'constant-buffer 0 4':
        return component === 0 ? 640 : 480
    }
    if (file === 'indexable-temp') return bits(indices[1]!)
    return undefined
  },
  readMemory(file, _indices, address) {
    if (file === 'tgsm') return 7
    if (address.kind === 'structured') return address.byteOffset === 4 ? bits(address.element) : bits(-1)
    return address.kind === 'texel' ? bits(address.coordinates[0]! + 0.5) : undefined
  },
}

const map = sourceOf(readShader(corpusFile('cs/real_light_cull.zi').bytes).value!).value
/** Line 29 computes z, which lives in no register before it. */
const statement = map.statementsOf(0, 29)[0]!

const context: ExpressionContext = { map, state, operations: numberOps({ denormals: 'flush' }), statement, lane: 2 }

function evaluate(text: string, at: Partial<ExpressionContext> = {}): string {
  const { value: expression, diagnostics } = parseExpression(text)
  if (expression === undefined) return `${diagnostics[0]!.code} ${(diagnostics[0]!.place as { column: number }).column}`
  const found = evaluateExpression(expression, { ...context, ...at })
  if (found.value !== undefined) return valueText(found.value, expression.format)
  const [d] = found.diagnostics
  return `${d!.code} ${(d!.place as { column: number }).column}`
}

it.each([
  // Registers, by the words of the listing.
  ['r3.xy', '(2.0, 20.0)'],
  ['r3.w', 'NaN'],
  ['vThreadID.x', '2'],
  ['x0[5].x', '5.0'],
  ['x0[vThreadID.x + 1].y', '3.0'],
  ['cb0[4].xy,d', '(640, 480)'],
  ['r0.x,d', '0'],
  // Variables of the source: constants, shared memory, buffers, system values.
  ['size', '(640, 480)'],
  ['size.y / 7', '68'],
  ['zMin', '7'],
  ['g0', '7'],
  ['lights[12].pos.y', '12.0'],
  ['t1[12].pos.y', '12.0'],
  ['lights[r3.x].pos', '(-1.0, 2.0, -1.0)'],
  ['t', '(2, 0, 0)'],
  ['depth[uint2(3, 4)]', '3.5'],
  // HLSL's precedence: * before +, + before <<, << before <, comparisons before &&.
  ['2 + 3 * 4', '14'],
  ['1 << 2 + 1', '8'],
  ['1 << 2 < 5 && true', 'true'],
  ['-7 / 2', '-3'],
  ['-7 % 3', '-1'],
  ['7 % -3', '1'],
  ['7u / 0u,x', '0xffffffff'],
  ['-5.5 % 2.0', '-1.5'],
  ['1 - 2u', '4294967295'],
  ['0.5 - 1u', '-0.5'],
  ['~0u >> 28', '15'],
  ['~0 >> 28', '-1'],
  ['true ? 1.5 : 2', '1.5'],
  ['!(3 > 2)', 'false'],
  // Direct3D's rules come with the rows: NaN in min and max, flushed denormals, clamped conversions.
  ['min(r3.w, 3.0)', '3.0'],
  ['r3.w == r3.w', 'false'],
  ['r3.w != r3.w', 'true'],
  ['asfloat(1u) + 0.0', '0.0'],
  ['(int)3e10', '2147483647'],
  ['(uint)-1.5', '0'],
  ['int(-1.9)', '-1'],
  ['1 << 33', '2'],
  // Intrinsics.
  ['dot(r3.xy, float2(1, 2))', '42.0'],
  ['length(float2(3, 4))', '5.0'],
  ['cross(float3(1, 0, 0), float3(0, 1, 0))', '(0.0, 0.0, 1.0)'],
  ['lerp(float2(0, 10), float2(1, 20), 0.5)', '(0.5, 15.0)'],
  ['clamp(7, 0, 5)', '5'],
  ['saturate(-2.0)', '0.0'],
  ['abs(-3)', '3'],
  ['sign(-2.5)', '-1'],
  ['asuint(1.0),x', '0x3f800000'],
  ['f32tof16(1.0),x', '0x00003c00'],
  ['mul(float2x2(1, 2, 3, 4), float2(1, 1))', '(3.0, 7.0)'],
  ['float2x2(1, 2, 3, 4)._m10_m01', '(3.0, 2.0)'],
  ['float2x2(1, 2, 3, 4)[1]', '(3.0, 4.0)'],
  ['any(float2(0, 1)) && !all(float2(0, 1))', 'true'],
  ['isnan(r3.w)', 'true'],
  ['smoothstep(0.0, 2.0, 1.0)', '0.5'],
  ['1.5L * 2', '3.0'],
  // Lanes.
  ['r3.x@3', '3.0'],
  ['t.x@0', '0'],
  ['(r3.x + 1)@1', '2.0'],
  ['r3.x@(t.x - 1)', '1.0'],
  ['max(r3.y@*)', '30.0'],
  ['min(r3.x@*)', '0.0'],
  ['sum(t.x@*)', '6'],
  ['count(r3.x@* > 1.0)', '2'],
  ['any(r3.x@* == 3.0)', 'true'],
  ['all(r3.x@* < r3.x)', 'false'],
  ['max(r3.x@* - r3.x)', '1.0'],
  // Formats.
  ['1.0,x', '0x3f800000'],
  ['-1,u', '4294967295'],
  ['5,b', '0b00000000000000000000000000000101'],
  ['1065353216,f', '1.0'],
  ['0xc0003c00u,h', '1.0 -2.0'],
  ['float3(1, 0.5, 0),c', '#ff8000'],
])('%s is %s', (text, expected) => {
  expect(evaluate(text)).toBe(expected)
})

it.each([
  ['r3.q', 'source-type 1'],
  ['1 +', 'source-syntax 4'],
  ['f(1', 'source-syntax 4'],
  ['#', 'source-syntax 1'],
  ['nothing', 'source-name 1'],
  ['1 + nothing(2)', 'source-name 5'],
  ['z', 'not available'],
  ['1.0 + z', 'source-unavailable 7'],
  ['r99', 'source-unavailable 1'],
  ['r3.x@9', 'source-lanes 6'],
  ['r3.x@*', 'source-lanes 1'],
  ['lights', 'StructuredBuffer<Light>'],
  ['lights + 1', 'source-type 1'],
  ['lights[0].tint', 'source-name 1'],
  ['r3.xy + r3.xyz', 'source-type 1'],
  ['r3.x & 1', 'source-type 1'],
  ['dot(1)', 'source-type 1'],
  ['float3(1, 2)', 'source-type 1'],
  ['planes[4]', 'source-type 1'],
  ['99999999999', 'source-syntax 1'],
  [`${'('.repeat(500)}1${')'.repeat(500)}`, 'source-syntax 33'],
  [`1${'+1'.repeat(5000)}`, 'source-syntax 1'],
])('%s: %s', (text, expected) => {
  expect(evaluate(text)).toBe(expected)
})

it('does not compute the right side of && where the left decides', () => {
  expect(evaluate('false && z > 1.0')).toBe('false')
  expect(evaluate('true || z > 1.0')).toBe('true')
})

it('takes words of memory and of constants as signed, whoever reads them as unsigned', () => {
  const unsigned: ValueState = {
    ...state,
    readRegister: () => 0xffff_fffe,
    readMemory: () => 0x8000_0001,
  }
  expect(evaluate('asint(cb0[4].x) == -2', { state: unsigned })).toBe('true')
  expect(evaluate('asint(cb0[4].x) < 0', { state: unsigned })).toBe('true')
  expect(evaluate('asint(t1[3].pos.y) == -2147483647', { state: unsigned })).toBe('true')
  expect(evaluate('asuint(cb0[4].x) == 4294967294', { state: unsigned })).toBe('true')
})

it('keeps denormals where the operations do', () => {
  const operations = numberOps({ denormals: 'keep' })
  expect(evaluate('asuint(asfloat(1u) + 0.0)', { operations })).toBe('1')
  expect(evaluate('asuint(asfloat(1u) + 0.0)')).toBe('0')
})

it('looks for variables of other lanes where those stand', () => {
  // Line 31 reads shared memory: z was used up in line 30.
  const there = map.statementsOf(0, 31)[0]!
  const other: ValueState = { ...state, statementOf: (lane) => (lane === 3 ? undefined : there) }
  expect(evaluate('z@1', { state: other })).toBe('not available')
  expect(evaluate('t.x@3', { state: other })).toBe('source-unavailable 5')
  expect(evaluate('count(t.x@* < 9)', { state: other })).toBe('3')
})

it('answers conditions', () => {
  const condition = (text: string) => evaluateCondition(parseExpression(text).value!, context).value
  expect(condition('t.x == 2')).toBe(true)
  expect(condition('r3.x - 2')).toBe(false)
  expect(condition('z > 0')).toBe(undefined)
})
