import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import type { TargetView } from '../../../machine/index.ts'
import { laneBytesOf } from '../../lane-bytes.ts'
import { type CoveredQuad, coverWords, JOB_WORDS, type PrimitiveTable } from '../../raster/index.ts'
import { parameterWord } from '../input-program.ts'
import { LineReads } from '../line-reads.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from '../quads.ts'
import { type JobCode, newPacking, rowProgram } from './job-code.ts'
import { beginPacked, endPacked, groupsIn, packQuad } from './packed-pixels.ts'
import { wantedProgram } from './wanted-programs.ts'

/** Small triangles that are covered by a program, and tested later or not at all. */

/** What a program leaves of a quad, behind what there is so far; answers where the next goes. */
type LeaveQuad<V> = (quad: CoveredQuad<V>, empty: V, row: V, at: V) => V

/** Words of the quads of which a sample is covered. */
function leaveQuads<V>(o: ValueOps<V>, m: QuadMemoryOps<V>): LeaveQuad<V> {
  const { found } = QUAD_MEMORY
  const c = (n: number): V => o.constant(n)
  return ({ x, y, masks }, empty, row, n) => {
    // What no sample of is covered is written over by the next.
    const ofQuad = (column: number, word: V): void => m.store(o.i32Add(o.shiftLeft(n, c(2)), c(column)), [word])
    m.store(o.i32Add(laneBytesOf(o, m, n), c(found.masks)), [masks])
    ofQuad(found.primitives, row)
    ofQuad(found.x, x)
    ofQuad(found.y, y)
    return o.i32Add(o.i32Add(n, c(1)), o.i32Equal(empty, c(15)))
  }
}

function coverProgram(offsets: Int32Array): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const leave = leaveQuads(o, m)
    const first = parameterWord(o, m, PARAMETER.found)
    const [end] = coverJobs(o, m, [first], (job, row, [at]) => {
      return [coverWords(o, m, job, offsets, at!, (quad, n, empty) => leave(quad, empty, row, n))]
    })
    m.store(o.constant(QUAD_MEMORY.parameters + PARAMETER.found * 4), [end!])
  }
  return { key: JSON.stringify(['cover', [...offsets]]), meaning }
}

/** Covers jobs one after the other; `cover` answers what is carried on, first of all where the next quad goes. Answers the last of it. */
function coverJobs<V>(
  o: ValueOps<V>,
  m: QuadMemoryOps<V>,
  carried: readonly V[],
  cover: (job: V, row: V, carried: readonly V[]) => readonly V[],
): readonly V[] {
  const c = (n: number): V => o.constant(n)
  const count = parameterWord(o, m, PARAMETER.jobs)
  const ends = m.repeat(
    [c(0), parameterWord(o, m, PARAMETER.firstRow), ...carried],
    ([job]) => o.i32Less(job!, count),
    ([job, row, ...before]) => {
      const at = o.i32Add(o.i32Mul(job!, c(JOB_WORDS * 4)), c(QUAD_MEMORY.jobs))
      m.store(o.i32Add(o.shiftLeft(row!, c(2)), c(QUAD_MEMORY.rowJobs)), [at])
      const next = cover(at, row!, before)
      // Triangles without quads have no row: all ones are -1.
      const nextRow = o.i32Add(o.i32Add(row!, c(1)), o.i32Equal(before[0]!, next[0]!))
      return [o.i32Add(job!, c(1)), nextRow, ...next]
    },
  )
  m.store(c(QUAD_MEMORY.parameters + PARAMETER.rows * 4), [ends[1]!])
  return ends.slice(2)
}

/** Leaves the covered pixels of triangles without helpers, of one sample a pixel. */
function packProgram(offsets: Int32Array): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const c = (n: number): V => o.constant(n)
    const [end, pixels] = coverJobs(o, m, [c(0), c(0)], (job, row, [first, sum]) => {
      beginPacked(o, m, first!, row)
      const last = coverWords(o, m, job, offsets, first!, ({ x, y }, at, empty) =>
        packQuad(o, m, { x, y, bits: o.xor(empty, c(15)) }, at, row),
      )
      return [endPacked(o, m, last), o.i32Add(sum!, o.i32Sub(last, first!))]
    })
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.packed * 4), [end!, pixels!])
  }
  return { key: JSON.stringify(['pack', [...offsets]]), meaning }
}

/** Finds the quads of triangles, behind those that there are, and fills the rows of the triangles that have any. */
export function quadFinder(
  memory: QuadMemory,
  table: PrimitiveTable,
  offsets: Int32Array,
  views: readonly TargetView[],
): JobCode {
  const { kernels, parameters, found, start } = memory
  const reads = views.map((view) => new LineReads(memory, view))
  let cover: QuadKernel | undefined
  let pack: QuadKernel | undefined
  let rows: QuadKernel | undefined
  const ofPixels = (): QuadProgram => packProgram(offsets)
  const packing = newPacking(wantedProgram(() => (pack = kernels?.quadKernelFor(ofPixels())) !== undefined, ofPixels))
  return {
    findsQuads: true,
    testsQuads: false,
    packing: offsets.length === 2 ? packing : undefined,
    programs({ registerCount }) {
      const ofQuads = (): QuadProgram => coverProgram(offsets)
      const ofRows = (): QuadProgram => rowProgram(table, registerCount * 16)
      return [
        wantedProgram(() => (cover = kernels?.quadKernelFor(ofQuads())) !== undefined, ofQuads),
        wantedProgram(() => (rows = kernels?.quadKernelFor(ofRows())) !== undefined, ofRows),
      ]
    },
    run(count) {
      for (const target of reads) target.run(count)
      parameters[PARAMETER.jobs] = count
      parameters[PARAMETER.found] = found.count
      parameters[PARAMETER.firstRow] = table.count
      if (packing.isOn) {
        pack!.run(1, start)
        packing.groups = groupsIn(parameters[PARAMETER.packed]!)
        packing.pixels = parameters[PARAMETER.packed + 1]! / 4
      } else {
        cover!.run(1, start)
        found.count = parameters[PARAMETER.found]!
      }
      table.count = parameters[PARAMETER.rows]!
      rows!.run(1, start)
    },
  }
}
