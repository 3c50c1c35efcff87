import { describe, expect, it } from 'vitest'
import { parseProgram } from '../../src/asm/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Batch, type BatchExecution, blockOf, type Stop, slotOf } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { FILE } from '../../src/isa/index.ts'
import { type Bindings, createBuffer, createUav, resolveBindings } from '../../src/machine/index.ts'
import { batchOf, quadsOf } from '../support/batches.ts'
import { bits, float } from '../support/draw-text.ts'

// Stages of draws on the reference engine, without a pipeline around them: batches in, registers out.

function begin(text: string, bindings: Bindings = {}, waveWidth: 4 | 8 | 32 = 8): BatchExecution {
  const engine = createReferenceEngine({})
  const shader = valueOrThrow(engine.load(valueOrThrow(parseProgram(text))))
  const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 } as const
  const bound = valueOrThrow(resolveBindings(bindings))
  return valueOrThrow(engine.begin(shader, bound, { kind: 'batches' }, { schedule })) as BatchExecution
}

const FOREVER = { time: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }

function run(e: BatchExecution, b: Batch): Stop | undefined {
  e.start(b)
  return e.run(FOREVER)?.stopped
}

function setInput(
  e: BatchExecution,
  b: Batch,
  i: number,
  word: number,
  at: [register: number, component: number],
  vertex = 0,
  file: number = FILE.input,
): void {
  const block = blockOf(e.layouts[b.entry]!.inputs, file)!
  b.inputs[slotOf(block, vertex, at[0], at[1]) * b.capacity + i] = word
}

function output(
  e: BatchExecution,
  b: Batch,
  i: number,
  register: number,
  component: number,
  file: number = FILE.output,
): number {
  const block = blockOf(e.layouts[b.entry]!.outputs, file)!
  return b.outputs[slotOf(block, 0, register, component) * b.capacity + i]!
}

describe('a vertex shader', () => {
  it('reads its inputs and leaves its outputs; what it does not write is 0', () => {
    const e = begin(
      'vs_5_0\ndcl_input v0.xy\ndcl_input_sgv v1.x, vertex_id\ndcl_output o0.xyz\ndcl_output o1.x\ndcl_temps 1\nmul o0.xy, v0.yxxx, l(2.0,3.0,0,0)\nmov o1.x, v1.x\nret\n',
    )
    const b = batchOf(e, 21)
    for (let i = 0; i < 21; i++) {
      setInput(e, b, i, bits(i + 1), [0, 0])
      setInput(e, b, i, bits(-i), [0, 1])
      setInput(e, b, i, i * 7, [1, 0])
    }
    expect(run(e, b)).toBeUndefined()
    for (let i = 0; i < 21; i++) {
      expect(float(output(e, b, i, 0, 0))).toBe(-i * 2)
      expect(float(output(e, b, i, 0, 1))).toBe((i + 1) * 3)
      expect(output(e, b, i, 0, 2)).toBe(0)
      expect(output(e, b, i, 1, 0)).toBe(i * 7)
    }
  })

  it('indexes inputs and outputs at run time, and reports what lies outside', () => {
    const e = begin(
      'vs_5_0\ndcl_input v0.x\ndcl_input v1.xyzw\ndcl_input v2.xyzw\ndcl_output o3.x\ndcl_output o4.x\ndcl_temps 1\ndcl_indexrange v1.xyzw 2\ndcl_indexrange o3.x 2\nmov r0.x, v0.x\nmov o[r0.x + 3].x, v[r0.x + 1].z\nret\n',
    )
    const b = batchOf(e, 3)
    for (let i = 0; i < 3; i++) {
      setInput(e, b, i, i, [0, 0])
      setInput(e, b, i, 100 + i, [1, 2])
      setInput(e, b, i, 200 + i, [2, 2])
    }
    run(e, b)
    expect([output(e, b, 0, 3, 0), output(e, b, 0, 4, 0)]).toEqual([100, 0])
    expect([output(e, b, 1, 3, 0), output(e, b, 1, 4, 0)]).toEqual([0, 201])
    const { diagnostics } = e.finish()
    expect(diagnostics.map((d) => d.code)).toEqual(['engine-register-bounds', 'engine-register-bounds'])
    expect(diagnostics[0]!.notes[0]).toBe('first by invocation 2')
  })

  it('stores to memory in the order of the vertices, whatever the width of a wave', () => {
    const text =
      'vs_5_0\ndcl_uav_raw u1\ndcl_input_sgv v0.x, vertex_id\ndcl_output o0.x\ndcl_temps 1\nimm_atomic_iadd r0.x, u1, l(0), l(1)\nmov o0.x, r0.x\nimm_atomic_exch r0.x, u1, l(4), v0.x\nret\n'
    for (const width of [4, 8, 32] as const) {
      const buffer = valueOrThrow(createBuffer({ byteLength: 16 }))
      const e = begin(text, { u1: createUav(buffer, { raw: true }) }, width)
      const b = batchOf(e, 13)
      for (let i = 0; i < 13; i++) setInput(e, b, i, i * 3, [0, 0])
      run(e, b)
      expect(Array.from({ length: 13 }, (_, i) => output(e, b, i, 0, 0))).toEqual(
        Array.from({ length: 13 }, (_, i) => i),
      )
      expect(new Uint32Array(buffer.storage.buffer, buffer.storage.byteOffset, 2)[1]).toBe(36)
    }
  })
})

describe('a pixel shader', () => {
  it('takes fine differences by row and column, coarse ones of the upper row and the left column', () => {
    const e = begin(
      'ps_5_0\ndcl_input_ps linear v0.x\ndcl_output o0.xyzw\ndcl_temps 1\nmul r0.x, v0.x, v0.x\nderiv_rtx_fine o0.x, r0.x\nderiv_rty_fine o0.y, r0.x\nderiv_rtx_coarse o0.z, r0.x\nderiv_rty_coarse o0.w, r0.x\nret\n',
    )
    const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
    const values = [1, 2, 4, 8]
    values.forEach((v, i) => {
      setInput(e, b, i, bits(v), [0, 0])
    })
    run(e, b)
    const got = (i: number): number[] => [0, 1, 2, 3].map((c) => float(output(e, b, i, 0, c)))
    // Squares 1 4 / 16 64: rows differ by 3 and 48, columns by 15 and 60.
    expect([got(0), got(1), got(2), got(3)]).toEqual([
      [3, 15, 3, 15],
      [3, 60, 3, 15],
      [48, 15, 3, 15],
      [48, 60, 3, 15],
    ])
  })

  it('does nothing to memory in helpers and after discard, where atomics return 0', () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
    const e = begin(
      'ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u1\ndcl_input_ps constant v0.x\ndcl_output o0.xy\ndcl_temps 2\nieq r0.x, v0.x, l(1)\nimm_atomic_iadd r1.x, u1, l(0), l(1)\ndiscard_nz r0.x\nimm_atomic_iadd r1.y, u1, l(4), l(10)\nmov o0.xy, r1.xyxx\nret\n',
      { u1: createUav(buffer, { raw: true }) },
    )
    const quads = quadsOf(8, [3])
    const b = batchOf(e, 8, 0, { quads })
    for (let i = 0; i < 8; i++) setInput(e, b, i, i, [0, 0])
    run(e, b)
    const words = new Uint32Array(buffer.storage.buffer, buffer.storage.byteOffset, 2)
    expect([...words]).toEqual([7, 60])
    expect([...quads.discarded]).toEqual([0, 1, 0, 0, 0, 0, 0, 0])
    expect([output(e, b, 3, 0, 0), output(e, b, 3, 0, 1)]).toEqual([0, 0])
    expect(output(e, b, 1, 0, 1)).toBe(0)
  })

  it('reports derivatives of computed values in divergent flow, and of inputs never', () => {
    const e = begin(
      'ps_5_0\ndcl_input_ps linear v0.xy\ndcl_output o0.xy\ndcl_temps 1\nadd r0.y, v0.x, l(1.0)\nlt r0.x, v0.x, l(2.5)\nif_nz r0.x\nderiv_rtx o0.x, v0.x\nderiv_rtx o0.y, r0.y\nendif\nret\n',
    )
    const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
    ;[1, 2, 3, 4].forEach((v, i) => {
      setInput(e, b, i, bits(v), [0, 0])
    })
    run(e, b)
    expect(e.finish().diagnostics.map((d) => [d.code, d.place])).toMatchObject([
      ['engine-divergent-derivative', { index: 7 }],
    ])
  })

  it('takes differences with lanes that do not execute them from their own registers, whatever index names these', () => {
    const e = begin(
      'ps_5_0\ndcl_input_ps linear v0.x\ndcl_input_ps linear v1.x\ndcl_output o0.xyz\ndcl_temps 2\ndcl_indexableTemp x0[2], 4\ndcl_indexrange v0.x 2\nftou r0.x, v0.x\nand r0.yz, r0.xxxx, l(0,1,2,0)\nmov x0[0].x, l(5.0)\nmov x0[1].x, v1.x\nmov o0.xyz, l(0,0,0,0)\nif_z r0.y\n  deriv_rtx o0.x, v[r0.y].x\n  deriv_rty_fine o0.y, -x0[r0.y].x\n  deriv_rtx o0.z, |v[r0.z].x|\nendif\nret\n',
    )
    const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
    ;[0, 1, 2, 3].forEach((v, i) => {
      setInput(e, b, i, bits(v), [0, 0])
      setInput(e, b, i, bits(100 * (v + 1)), [1, 0])
    })
    // Twice: what an earlier batch left must not show.
    run(e, b)
    run(e, b)
    const got = (i: number): number[] => [0, 1, 2].map((c) => float(output(e, b, i, 0, c)))
    // Lanes 0 and 2 execute. Of v[r0.y] lane 0 has v0 = 0 and lane 1 v1 = 200; of x0[r0.y] lanes 0 and 2 both have 5.
    // Index 2 lies outside, in lanes 2 and 3: 0, and only lane 2 says so.
    expect([got(0), got(1), got(2), got(3)]).toEqual([
      [200, 0, 1],
      [0, 0, 0],
      [400 - 2, 0, 0],
      [0, 0, 0],
    ])
    const outside = e.finish().diagnostics.filter((d) => d.code === 'engine-register-bounds')
    // Once in each of the two runs.
    expect(outside.map((d) => d.notes[0])).toEqual(['first by invocation 2, and 1 more like it'])
  })

  it('evaluates attributes where it asks, and asks the rasterizer about samples', () => {
    const e = begin(
      'ps_5_0\ndcl_input_ps linear v2.xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_temps 1\neval_snapped o0.x, v2.yyyy, l(7,-8,0,0)\neval_sample_index o0.y, v2.xxxx, l(3)\neval_centroid o0.z, v2.wwww\neval_sample_index o0.w, v2.xxxx, l(9)\nsampleinfo_uint o1.x, rasterizer.x\nsamplepos o1.yz, rasterizer.xxyx, l(2)\nret\n',
    )
    const b = batchOf(e, 4, 0, { quads: quadsOf(4) })
    run(e, b)
    expect([0, 1, 2].map((c) => float(output(e, b, 1, 0, c)))).toEqual([1216.5, 1203, 1235])
    expect(output(e, b, 1, 1, 0)).toBe(4)
    expect([1, 2].map((c) => float(output(e, b, 1, 1, c)))).toEqual([2 / 16, -2 / 16])
    expect(e.finish().diagnostics.map((d) => d.code)).toEqual(['engine-sample-index'])
  })
})

describe('a geometry shader', () => {
  it('emits vertices to its streams in order and ends where it emits too many', () => {
    const e = begin(
      'gs_5_0\ndcl_input v[2][0].x\ndcl_input vPrim\ndcl_temps 1\ndcl_inputprimitive line\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o0.x\ndcl_stream m1\ndcl_outputtopology pointlist\ndcl_output o1.x\ndcl_maxout 3\nmov o0.x, v[0][0].x\nmov o1.x, v[1][0].x\nemit_stream m0\nif_nz vPrim\n  emit_then_cut_stream m1\nendif\nmov o0.x, l(9.0)\nemit_stream m0\nemit_stream m0\nemit_stream m1\nret\n',
    )
    const log: (readonly [number, string, number, number])[] = []
    const streams = {
      vertex: (i: number, stream: number, words: Int32Array) =>
        void log.push([i, 'vertex', stream, float(words[stream * 4]!)]),
      cut: (i: number, stream: number) => void log.push([i, 'cut', stream, 0]),
    }
    const b = batchOf(e, 2, 0, { streams })
    for (let i = 0; i < 2; i++) {
      setInput(e, b, i, bits(i + 1), [0, 0], 0)
      setInput(e, b, i, bits(i + 11), [0, 0], 1)
      setInput(e, b, i, i, [0, 0], 0, FILE['input-primitive-id'])
    }
    run(e, b)
    expect(log).toEqual([
      [0, 'vertex', 0, 1],
      [0, 'vertex', 0, 9],
      [0, 'vertex', 0, 9],
      [1, 'vertex', 0, 2],
      [1, 'vertex', 1, 12],
      [1, 'cut', 1, 0],
      [1, 'vertex', 0, 9],
    ])
    // Each invocation ends at another statement.
    const code = 'engine-max-vertex-count'
    expect(e.finish().diagnostics.map((d) => d.code)).toEqual([code, code])
  })
})

describe('a hull shader', () => {
  it('runs each phase with registers of its own', () => {
    const e = begin(
      'hs_5_0\nhs_decls\ndcl_input_control_point_count 2\ndcl_output_control_point_count 2\ndcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\nhs_control_point_phase\ndcl_input vOutputControlPointID\ndcl_input v[2][0].x\ndcl_output o0.x\ndcl_temps 1\niadd r0.x, -vOutputControlPointID, l(1)\nmov o0.x, v[r0.x][0].x\nret\nhs_fork_phase\ndcl_hs_fork_phase_instance_count 2\ndcl_input vForkInstanceID\ndcl_input vocp[2][0].x\ndcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_temps 2\ndcl_indexrange o0.x 2\nmov r1.x, vForkInstanceID\nmov o[r1.x].x, vocp[r1.x][0].x\nret\n',
    )
    const points = batchOf(e, 2, 0)
    for (let i = 0; i < 2; i++) {
      setInput(e, points, i, bits(5), [0, 0], 0)
      setInput(e, points, i, bits(6), [0, 0], 1)
      setInput(e, points, i, i, [0, 0], 0, FILE['output-control-point-id'])
    }
    run(e, points)
    expect([0, 1].map((i) => float(output(e, points, i, 0, 0)))).toEqual([6, 5])
    const fork = batchOf(e, 2, 1)
    for (let i = 0; i < 2; i++) {
      for (let v = 0; v < 2; v++) setInput(e, fork, i, bits(30 + v), [0, 0], v, FILE['output-control-point'])
      setInput(e, fork, i, i, [0, 0], 0, FILE['fork-instance-id'])
    }
    run(e, fork)
    expect([0, 1].map((i) => [float(output(e, fork, i, 0, 0)), float(output(e, fork, i, 1, 0))])).toEqual([
      [30, 0],
      [0, 31],
    ])
  })
})

describe('a domain shader', () => {
  it('reads the point, control points and patch constants', () => {
    const e = begin(
      'ds_5_0\ndcl_input_control_point_count 2\ndcl_tessellator_domain domain_quad\ndcl_input vDomain.xy\ndcl_input vPrim\ndcl_input vicp[2][1].y\ndcl_input vpc3.w\ndcl_output o0.xyzw\nmov o0.xy, vDomain.xyxx\nmov o0.z, vicp[1][1].y\nmov o0.w, vpc3.w\nret\n',
    )
    const b = batchOf(e, 1)
    setInput(e, b, 0, bits(0.25), [0, 0], 0, FILE['domain-point'])
    setInput(e, b, 0, bits(0.5), [0, 1], 0, FILE['domain-point'])
    setInput(e, b, 0, bits(7), [1, 1], 1, FILE['input-control-point'])
    setInput(e, b, 0, bits(8), [3, 3], 0, FILE['patch-constant'])
    run(e, b)
    expect([0, 1, 2, 3].map((c) => float(output(e, b, 0, 0, c)))).toEqual([0.25, 0.5, 7, 8])
  })
})
