import { expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import { findChunk } from '../dxbc/index.ts'
import { readShader } from '../shader/index.ts'
import { childrenOf, type SourceValue, type SourceVariable, sourceOf, type WordPlace, wordsOf } from './index.ts'

const SHADERS = corpusFiles().flatMap((file) => {
  const shader = readShader(file.bytes).value
  const chunk = shader === undefined ? undefined : findChunk(shader.container, 'SPDB', 'SDBG')
  return shader === undefined || chunk === undefined ? [] : [{ name: file.name, shader, fourcc: chunk.fourcc }]
})

/** The scalars of a value with their places; long arrays are cut. */
function leaves(value: SourceValue): readonly (readonly [string, readonly (WordPlace | undefined)[]])[] {
  return value.type.kind === 'scalar'
    ? [[value.path, wordsOf(value)]]
    : childrenOf(value, 0, value.type.kind === 'object' ? 0 : 64).flatMap(leaves)
}

it('finds every shader of the corpus with debug data', () => {
  const count = (fourcc: string): number => SHADERS.filter((s) => s.fourcc === fourcc).length
  expect([count('SPDB'), count('SDBG')]).toEqual([20, 7])
})

it.each(SHADERS)('$name: lines lie in the text, and every variable is in one place', ({ shader, fourcc }) => {
  const { value: map, diagnostics } = sourceOf(shader)
  expect(diagnostics).toEqual([])
  expect(map.origin).toBe(fourcc === 'SPDB' ? 'spdb' : 'sdbg')
  const texts = map.files.map((f) => f.text?.split('\n'))
  let lineCount = 0
  let placed = 0
  const check = (v: SourceVariable): void => {
    const pieces = v.home.kind === 'pieces' ? v.home.pieces : []
    for (const p of pieces) {
      const overlapping = pieces.filter(
        (q) => q.byteOffset < p.byteOffset + p.byteLength && p.byteOffset < q.byteOffset + q.byteLength,
      )
      expect(overlapping, v.name).toEqual([p])
    }
    for (const [, places] of leaves(v)) placed += places.some((p) => p !== undefined) ? 1 : 0
  }
  shader.program.statements.forEach((_, at) => {
    const stack = map.inlineStack(at)
    const lines = map.linesOf(at)
    expect(stack.length > 0).toBe(lines !== undefined)
    if (lines === undefined) return
    lineCount++
    for (const range of [lines.statement, lines.expression ?? lines.statement, ...stack.map((f) => f.range)]) {
      const text = texts[range.file]
      expect(map.files[range.file]).toBeDefined()
      if (text === undefined) continue
      expect(range.line).toBeGreaterThanOrEqual(1)
      expect(range.endLine).toBeLessThanOrEqual(text.length)
      expect(range.column).toBeLessThanOrEqual(text[range.line - 1]!.length + 1)
    }
    expect(map.statementsOf(lines.statement.file, lines.statement.line)).toContain(at)
    const variables = map.variablesAt(at)
    for (const v of variables) {
      check(v)
      if (v.frame !== undefined) expect(v.frame).toBeLessThan(stack.length)
    }
  })
  expect(lineCount).toBeGreaterThan(0)
  expect(placed).toBeGreaterThan(0)
})
