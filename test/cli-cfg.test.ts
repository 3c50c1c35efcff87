import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { controlFlow, decodeProgram } from '../src/program/index.ts'
import { heddle } from './support/cli.ts'
import { CORPUS_FOLDER, codeChunk, corpusFiles } from './support/corpus.ts'

const shader = (name: string): string => join(CORPUS_FOLDER, `${name}.dxbc`)

describe('heddle cfg', () => {
  it('prints a graph with a box for each block', async () => {
    const { status, stdout, stderr } = await heddle('cfg', shader('cs/flow_if'))
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^digraph "flow_if\.dxbc" \{\n[\s\S]*\n\}\n$/)
    expect(stdout).toContain('3: if_nz r2.x\\l"]')
    expect(stdout).toContain('    b0 -> b1 [label="true"]\n    b0 -> b2 [label="false"]\n')
  })

  it('prints JSON with the texts of statements', async () => {
    const { stdout } = await heddle('cfg', '--json', shader('cs/flow_if'))
    const [{ functions }] = JSON.parse(stdout)
    expect([functions[0].name, functions[0].blocks[0].number]).toEqual(['main', 0])
    expect(functions[0].blocks[0].statements.at(-1)).toEqual({
      index: 10,
      instruction: 3,
      text: 'if_nz r2.x',
    })
  })

  it('holds each executable statement of the corpus once, with edges to blocks that are there', () => {
    for (const { name, bytes, synthetic } of corpusFiles()) {
      const program = synthetic ? undefined : decodeProgram(codeChunk(bytes)).value
      if (program === undefined) continue
      const { functions, diagnostics } = controlFlow(program)
      expect([name, diagnostics]).toEqual([name, []])
      const all = functions.flatMap((f) => f.blocks)
      const statements = all.flatMap((b) => b.statements)
      expect(new Set(statements).size, name).toBe(statements.length)
      for (const f of functions) {
        const own = new Set(f.blocks.map((b) => b.number))
        for (const { to } of f.blocks.flatMap((b) => b.edges)) expect(typeof to === 'string' || own.has(to)).toBe(true)
      }
    }
  })
})
