import { describe, expect, test } from 'vitest'
import { irProgram } from '../../../../test/support/ir-program.ts'
import type { Value } from '../../ir/index.ts'
import { runChunks } from './run-chunks.ts'

/** The chunks of a program's values as their names. */
function chunksOf(lines: readonly string[], size: number): string[][] {
  const { values } = irProgram(lines.join('\n'))
  const names = new Map([...values].map(([name, v]) => [v, name]))
  return runChunks([...values.values()], size).map((chunk) => chunk.map((v: Value) => names.get(v)!))
}

/** `count` operations after each other, each of the one before: `name`0 and on. */
const chain = (name: string, first: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${name}${n} = f32Add ${n === 0 ? first : `${name}${n - 1}`} 0x3f800000`)

/** A product of two of the last of other chains. */
const joined = (name: string, a: string, b: string): string => `${name} = f32Mul ${a} ${b}`

describe('chunks of a run', () => {
  test('have each value once, behind what it is made of', () => {
    for (const size of [3, 12]) {
      const lines = [
        ...chain('a', '0x0', 40),
        ...chain('b', 'a3', 30),
        joined('j', 'a39', 'b29'),
        ...chain('c', 'j', 20),
      ]
      const chunks = chunksOf(lines, size)
      const order = chunks.flat()
      expect([...order].sort()).toEqual(lines.map((l) => l.split(' ')[0]).sort())
      for (const line of lines) {
        const [made, , , ...args] = line.split(' ')
        for (const a of args.filter((x) => !x.startsWith('0x')))
          expect(order.indexOf(a)).toBeLessThan(order.indexOf(made!))
      }
      for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(size * 2)
    }
  })

  test('chains that do not need each other advance in turns', () => {
    const lines = [...chain('a', '0x0', 24), ...chain('b', '0x1', 24), joined('j', 'a23', 'b23')]
    const first = chunksOf(lines, 8).map((chunk) => chunk[0]!.slice(0, 1))
    // The last chunk of the longest chain has what joins both.
    expect(first.join('')).toMatch(/^(ab|ba)+[ab]?j?$/)
  })

  test('what prepares operands of the longest chain comes before it and stands by itself', () => {
    const lines = [
      ...chain('e', '0x0', 6),
      ...chain('f', '0x1', 6),
      joined('d', '0x2', '0x3'),
      ...chain('c', 'd', 12),
      joined('g', 'c11', 'e5'),
      ...chain('h', 'g', 12),
      joined('i', 'h11', 'f5'),
    ]
    const chunks = chunksOf(lines, 12)
    expect(chunks).toContainEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5'])
    expect(chunks).toContainEqual(['f0', 'f1', 'f2', 'f3', 'f4', 'f5'])
    const order = chunks.flat()
    expect(order.indexOf('f5')).toBeLessThan(order.indexOf('g'))
  })

  test('flushes do not count', () => {
    const lines = ['a0 = flushDenormal 0x1']
    for (let n = 0; n < 14; n++) lines.push(`b${n} = f32Add a${n} 0x3f800000`, `a${n + 1} = flushDenormal b${n}`)
    expect(chunksOf(lines, 12)).toHaveLength(1)
  })
})
