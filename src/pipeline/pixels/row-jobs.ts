import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type PrimitiveTable, storeRow } from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'

/** Rows of the table of primitives as a program: of the triangles of jobs that have quads. */

export function rowProgram({ attributes, stride, precision }: PrimitiveTable, vertexBytes: number): QuadProgram {
  const rowBytes = stride * 8
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n >>> 0)
    const parameter = (n: number): V => parameterWord(o, m, n)
    const end = parameter(PARAMETER.rows)
    const [minDepth, maxDepth] = [parameter(PARAMETER.minDepth), parameter(PARAMETER.maxDepth)]
    m.repeat(
      [parameter(PARAMETER.firstRow)],
      ([row]) => o.i32Less(row!, end),
      ([row]) => {
        const job = m.load(o.i32Add(o.shiftLeft(row!, c(2)), c(QUAD_MEMORY.rowJobs)), 1)[0]!
        const [record, vertices] = m.load(job, 2) as [V, V]
        const at = o.i32Add(o.i32Mul(row!, c(rowBytes)), c(QUAD_MEMORY.table))
        storeRow(o, m, { record, vertices, row: at, vertexBytes, attributes, precision, minDepth, maxDepth })
        return [o.i32Add(row!, c(1))]
      },
    )
  }
  const ofAttributes = attributes.map(({ word, mode }) => [word, mode])
  return {
    key: JSON.stringify(['rows', ofAttributes, rowBytes, vertexBytes, precision]),
    keepsDenormals: true,
    meaning,
  }
}
