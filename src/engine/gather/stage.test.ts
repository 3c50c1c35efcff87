import { describe, expect, it } from 'vitest'
import { parseProgram } from '../../asm/index.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { FILE } from '../../isa/index.ts'
import { blockOf, layoutOf, slotOf } from '../register-layout.ts'
import { gatherDeclarations } from './declarations.ts'

const declarationsOf = (text: string) => valueOrThrow(gatherDeclarations(valueOrThrow(parseProgram(text))))

const HULL = `hs_5_0
hs_decls
dcl_input_control_point_count 4
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_fractional_even
dcl_tessellator_output_primitive output_triangle_ccw
dcl_hs_max_tessfactor l(15.000000)
hs_control_point_phase
dcl_input v[4][1].xyz
dcl_output o1.xyz
ret
hs_fork_phase
dcl_hs_fork_phase_instance_count 3
dcl_input vForkInstanceID
dcl_output_siv o0.x, finalTriUeq0EdgeTessFactor
dcl_output_siv o1.x, finalTriVeq0EdgeTessFactor
dcl_output_siv o2.x, finalTriWeq0EdgeTessFactor
dcl_indexrange o0.x 3
ret
hs_join_phase
dcl_input vpc0.x
dcl_output_siv o3.x, finalTriInsideTessFactor
ret
`

describe('declarations of a stage', () => {
  it('has the phases of a hull shader apart, each with its registers', () => {
    const { stage, entries } = declarationsOf(HULL)
    expect(stage).toEqual({
      kind: 'hull',
      inputControlPointCount: 4,
      outputControlPointCount: 3,
      domain: 'triangle',
      partitioning: 'fractional_even',
      outputPrimitive: 'triangle_ccw',
      maxTessFactor: 15,
    })
    expect(entries.map((e) => [e.kind, e.instanceCount, e.inputs.length, e.outputs.length])).toEqual([
      ['control-point', 1, 1, 1],
      ['fork', 3, 1, 3],
      ['join', 1, 1, 1],
    ])
    expect(entries[0]!.inputs[0]).toMatchObject({ file: FILE.input, register: 1, vertexCount: 4, mask: 7 })
    expect(entries[1]!.indexRanges).toEqual([{ file: FILE.output, first: 0, count: 3 }])
    expect(entries[1]!.outputs.map((d) => d.systemValue)).toEqual([17, 18, 19])
  })

  it('reads what geometry shaders say of primitives and streams', () => {
    const { stage, entries } = declarationsOf(`gs_5_0
dcl_input v[6][0].xyzw
dcl_inputprimitive triangleadj
dcl_gsinstances 4
dcl_stream m0
dcl_outputtopology trianglestrip
dcl_output_siv o0.xyzw, position
dcl_stream m2
dcl_outputtopology trianglestrip
dcl_output o1.x
dcl_maxout 9
ret
`)
    expect(stage).toEqual({
      kind: 'geometry',
      input: { kind: 'triangle_adj', vertexCount: 6 },
      streams: [
        { stream: 0, topology: 'trianglestrip' },
        { stream: 2, topology: 'trianglestrip' },
      ],
      maxVertexCount: 9,
      instanceCount: 4,
    })
    expect(entries[0]!.outputs.map((d) => [d.stream, d.register])).toEqual([
      [0, 0],
      [2, 1],
    ])
  })

  it('sees per-sample shading in a declared sample index or sample-mode input alone', () => {
    const pixel = (line: string) =>
      declarationsOf(`ps_5_0\ndcl_globalFlags forceEarlyDepthStencil\n${line}\nret\n`).stage
    const early = { kind: 'pixel', forceEarlyDepthStencil: true }
    expect(pixel('dcl_input_ps linear v1.xy')).toEqual({ ...early, sampleFrequency: false })
    expect(pixel('dcl_input_ps linear sample v1.xy')).toEqual({ ...early, sampleFrequency: true })
    expect(pixel('dcl_input_ps_sgv constant v1.x, sampleIndex')).toEqual({ ...early, sampleFrequency: true })
  })

  it('refuses registers that would only take memory', () => {
    const found = gatherDeclarations(valueOrThrow(parseProgram('vs_5_0\ndcl_input v4000000000.x\nret\n')))
    expect(found.diagnostics.map((d) => d.code)).toEqual(['engine-declaration'])
  })

  it('lays registers out densely, by vertex, register and component', () => {
    const layout = layoutOf(declarationsOf(HULL).entries[0]!.inputs)
    const block = blockOf(layout, FILE.input)!
    expect(layout.slotCount).toBe(16)
    expect(slotOf(block, 3, 1, 2)).toBe(14)
    expect(slotOf(block, 4, 1, 0)).toBe(-1)
    expect(slotOf(block, 0, 0, 0)).toBe(-1)
  })
})
