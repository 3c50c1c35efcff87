import fc from 'fast-check'
import { expect, it } from 'vitest'
import { corpusFile } from '../../../test/support/corpus.ts'
import { numberOps } from '../../engine/reference/index.ts'
import { readShader } from '../../shader/index.ts'
import {
  evaluateCondition,
  evaluateExpression,
  FUNCTION_NAMES,
  parseExpression,
  sourceOf,
  valueText,
} from '../index.ts'

const map = sourceOf(readShader(corpusFile('cs/real_light_cull.zi').bytes).value!).value
const statements = map.statementsOf(0, 35)

const context = (word: number) => ({
  map,
  operations: numberOps({ denormals: 'flush' as const }),
  statement: statements[word & 1] ?? 0,
  lane: word & 3,
  state: {
    lanes: () => [0, 1, 2, 3],
    readRegister: (lane: number) => (lane === 3 ? undefined : word ^ lane),
    readMemory: () => word,
  },
})

const WORDS = [
  ...['r0', 'x0', 'cb0', 'v', 'v0', 'o1', 'icb', 'vThreadID', 'g3', 't1', 't0', 'u0', 's0', '$r1', 'CB0', 'T1'],
  ...[
    'L',
    'l',
    'n',
    'in_',
    'planes',
    'lights',
    'depth',
    'counts',
    'invProj',
    'size',
    'pos',
    'xy',
    'xyzw',
    '_m01',
    '_11',
  ],
  ...[
    'float3',
    'int',
    '(int)',
    '(float2)',
    'bool4',
    'float4x4',
    'double2',
    'true',
    'false',
    ...FUNCTION_NAMES,
    'count',
    'sum',
  ],
  ...[
    '1',
    '0',
    '2u',
    '1.5',
    '3.0L',
    '0x10',
    '1e9',
    '.',
    '[',
    ']',
    '(',
    ')',
    ',',
    '@',
    '*',
    '@*',
    '?',
    ':',
    ',x',
    ',c',
    ',h',
  ],
  ...['+', '-', '/', '%', '<<', '>>', '<', '>=', '==', '!=', '&', '|', '^', '&&', '||', '!', '~'],
]

function answer(text: string, word: number): boolean {
  const { value: expression, diagnostics } = parseExpression(text)
  if (expression === undefined) return diagnostics.length === 1
  const found = evaluateExpression(expression, context(word))
  const condition = evaluateCondition(expression, context(word))
  const places = [...found.diagnostics, ...condition.diagnostics].map((d) => d.place)
  if (places.some((p) => p?.kind !== 'text' || p.column > text.length + 1)) return false
  return found.value === undefined
    ? found.diagnostics.length === 1
    : valueText(found.value, expression.format).length > 0
}

it('gives a value or one finding with its column for whatever words', () => {
  const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 14 })
  fc.assert(
    fc.property(words, fc.boolean(), fc.integer(), (list, spaced, word) => {
      expect(answer(list.join(spaced ? ' ' : ''), word)).toBe(true)
    }),
    { numRuns: 4000 },
  )
})

it('gives values for expressions that are built from the grammar', () => {
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        '1',
        '2.5',
        '3u',
        '-7',
        'true',
        '1.5L',
        'l',
        'n',
        'size',
        'L.pos',
        'lights[1].color',
        'r0.xy',
        'planes[1]',
        'invProj',
      ),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom('+', '-', '*', '/', '%', '<', '==', '&&', '&', '<<'),
          tie('expression'),
        )
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom(...FUNCTION_NAMES), tie('expression')).map(([f, a]) => `${f}(${a})`),
      fc
        .tuple(fc.constantFrom(...FUNCTION_NAMES), tie('expression'), tie('expression'))
        .map(([f, a, b]) => `${f}(${a}, ${b})`),
      fc
        .tuple(fc.constantFrom('float', 'int', 'uint', 'bool', 'double', 'float2'), tie('expression'))
        .map(([t, a]) => `((${t})${a})`),
      tie('expression').map((a) => `max(${a}@*)`),
      tie('expression').map((a) => `-${a}`),
      tie('expression').map((a) => `(${a}).x`),
    ),
  }))
  fc.assert(
    fc.property(expression, fc.integer(), (text, word) => {
      expect(answer(text, word)).toBe(true)
    }),
    { numRuns: 3000 },
  )
})
