import type { QuadMemory as QuadMemoryOps, QuadProgram } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import type { VertexArray } from '../../geometry.ts'
import { type PrimitiveTable, storeRow } from '../../raster/index.ts'
import { parameterWord } from '../input-program.ts'
import { PARAMETER, QUAD_MEMORY } from '../quads.ts'
import { type WantedProgram, wantedProgram } from './wanted-programs.ts'

/** What compiled code does with jobs, the small triangles that `triangle-jobs.ts` collects. */

/** What is done with jobs. */
export interface JobCode {
  /** The programs that the code is made of, for triangles of such vertices. */
  programs(vertices: Pick<VertexArray, 'registerCount'>): readonly JobProgram[]
  /** Runs the jobs that wait, so many, whose boxes have so many quads. */
  run(count: number, quads: number): void
  /** Jobs leave quads, for which there must be room. */
  readonly findsQuads: boolean
  /** The quads that jobs leave are the only ones, and tested. */
  readonly testsQuads: boolean
  /** Pixels without helpers are left instead of quads; undefined where that is never done. */
  readonly packing?: Packing | undefined
}

/** Taking it answers whether there is code. */
export type JobProgram = WantedProgram<boolean>

export interface Packing {
  /** Whether it is done from now on, for which there must be code. */
  isOn: boolean
  readonly program: JobProgram
  /** What the last run has left: groups of four pixels, and pixels that are no repetitions. */
  groups: number
  pixels: number
}

/** Off, with nothing done. */
export const newPacking = (program: JobProgram): Packing => ({ isOn: false, groups: 0, pixels: 0, program })

/** For triangles that are tested row by row, whatever their size. */
export const NO_CODE: JobCode = {
  findsQuads: false,
  testsQuads: false,
  programs: () => [wantedProgram(() => false)],
  run() {},
}

/** Fills the rows of the table of primitives of those triangles of jobs that have quads. */
export function rowProgram({ attributes, stride, precision }: PrimitiveTable, vertexBytes: number): QuadProgram {
  const rowBytes = stride * 8
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
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
