import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../diagnostic/index.ts'
import { encodeProgram } from '../../program/index.ts'
import { parseProgram } from './index.ts'

const tokens = (text: string): readonly number[] => {
  const { value, diagnostics } = parseProgram(text)
  if (value === undefined) throw new Error(diagnostics.map((d) => d.message).join('\n'))
  const bytes = encodeProgram(value)
  return [...new Uint32Array(bytes.buffer, 8)]
}
const errors = (text: string): readonly Diagnostic[] =>
  parseProgram(text).diagnostics.filter((d) => d.severity === 'error')

/** `line:column+length message`, and the notes behind it. */
function shown(text: string): readonly string[] {
  return errors(text).map((d) => {
    const at = d.place?.kind === 'text' ? `${d.place.line}:${d.place.column}+${d.place.length} ` : ''
    return [`${at}${d.message}`, ...d.notes].join(' | ')
  })
}

describe('tokens', () => {
  it('are those of the token format', () => {
    // mul: opcode 56, length 7; r0.xy: temp, 4 components, mask; v1.x select; literal of one component.
    expect(tokens('ps_5_0\nmul r0.xy, v1.x, l(2.0)')).toEqual([
      0x07000038, 0x00100032, 0, 0x0010100a, 1, 0x00004001, 0x40000000,
    ])
    expect(tokens('ps_5_0\nadd_sat r1.x, -|r2.y|, cb0[r3.x + 5].xyzw')).toEqual([
      0x0b002000, 0x00100012, 1, 0x8010001a, 0x000000c1, 2, 0x06208e46, 0, 5, 0x0010000a, 3,
    ])
  })

  it('of samples carry offset, dimension and return types in this order', () => {
    const text =
      'ps_5_0\nsample_aoffimmi_indexable(-1,7,0)(texture2d)(float,float,float,float) r0.xyzw, v0.xyxx, t0.xyzw, s0'
    expect(tokens(text).slice(0, 4)).toEqual([0x8c000045, 0x8000fe01, 0x800000c2, 0x00155543])
  })
})

describe('page spellings', () => {
  it.each([
    ['ld2dms r0.xyzw, r1.xyzw, t0.xyzw, l(0)', 'ldms r0.xyzw, r1.xyzw, t0.xyzw, l(0)', 'ps_4_1'],
    ['emitThenCut', 'emit_then_cut ', 'gs_4_0'],
    ['dcl_constantBuffer cb0[4], dynamicIndexed', 'dcl_constantbuffer CB0[4], dynamicIndexed', 'ps_4_0'],
    ['dcl_resource t3, buffer, UNORM', 'dcl_resource_buffer (unorm,unorm,unorm,unorm) t3', 'ps_4_0'],
    [
      'dcl_resource t3, Texture2DMS[4], (float, float, sint, uint)',
      'dcl_resource_texture2dms(4) (float,float,sint,uint) t3',
      'ps_4_1',
    ],
    ['dcl_uav_typed_glc u1, Texture3D, SINT', 'dcl_uav_typed_texture3d_glc (sint,sint,sint,sint) u1', 'cs_5_0'],
    ['dcl_indexRange v2.xyzw, v5.xyzw', 'dcl_indexrange v2.xyzw 4', 'ps_4_0'],
    ['dcl_input v0.x, linearCentroid', 'dcl_input_ps linear centroid v0.x', 'ps_4_0'],
    ['dcl_input vGSInstanceID, 4', 'dcl_gsinstances 4', 'gs_5_0'],
    ['dcl_input_sv v0.w, clipDistance', 'dcl_input_siv v0.w, clip_distance', 'gs_4_0'],
    ['dcl_input_sv v0.x, vertexID', 'dcl_input_sgv v0.x, vertex_id', 'vs_4_0'],
    ['dcl_input_sv v0, position', 'dcl_input_ps_siv linear noperspective v0.xyzw, position', 'ps_4_0'],
    ['dcl_output_sv o0.xyzw, position', 'dcl_output_siv o0.xyzw, position', 'vs_4_0'],
    ['add r0, r1_abs, -v0', 'add r0.xyzw, |r1.xyzw|, -v0.xyzw', 'ps_4_0'],
    ['mul r0.x, r1.x, 2.0f', 'mul r0.x, r1.x, l(2.0)', 'ps_4_0'],
    ['mul r0.xyzw, r1.xyzw, (1.f, -2.0, 3.5, 0x0)', 'mul r0.xyzw, r1.xyzw, l(1.0,-2.0,3.5,0)', 'ps_4_0'],
    ['imul NULL, r0.x, r1.x, r2.x', 'imul null, r0.x, r1.x, r2.x', 'ps_4_0'],
    ['mov r0.xyz, R1.xy', 'mov r0.xyz, r1.xyyy', 'ps_4_0'],
    ['mov r0.x, x0[5 + r1.x].x', 'mov r0.x, x0[r1.x + 5].x', 'ps_4_0'],
    ['resinfo_rcpFloat r0.xyzw, l(0), t0.xyzw', 'resinfo_rcpfloat r0.xyzw, l(0), t0.xyzw', 'ps_4_0'],
  ])('%s', (page, fxc, profile) => {
    expect(tokens(`${profile}\n${page}`)).toEqual(tokens(`${profile}\n${fxc}`))
  })
})

describe('errors', () => {
  it('say where, what was expected, and what may have been meant', () => {
    expect(shown('ps_5_0\nmull r0.x, r1.x, r2.x')).toEqual(["2:1+4 'mull' is not an instruction | did you mean 'mul'?"])
    expect(shown('ps_5_0\nmul r0.x r1.x, r2.x')).toEqual([
      "2:10+2 expected ',' between the operands of mul, found 'r1'",
    ])
    expect(shown('ps_5_0\nmul r0.x, r1.x')).toEqual(['2:15+1 mul takes 3 operands (dest, src0, src1); found 2'])
    expect(shown('ps_5_0\nret r0.x')).toEqual(["2:5+2 expected the end of the line, found 'r0'"])
    expect(shown('ps_5_0\n  mov r0.yx, r1.x')).toEqual([
      '2:10+2 a write mask names components in the order xyzw, each once',
    ])
    expect(shown('ps_5_0\nmov r0.x, vThreadld.x')).toEqual([
      "2:11+9 'vThreadld' is not a register | did you mean 'vThreadID'?",
    ])
    expect(shown('ps_5_0\nif r0.x')).toEqual(["2:1+2 if tests for zero or for not zero | write 'if_nz' or 'if_z'"])
    expect(shown('ps_5_0\ndcl_globalFlags refactoringAlowed')).toEqual([
      "2:17+17 expected a global flag, found 'refactoringAlowed' | did you mean 'refactoringAllowed'?",
    ])
    expect(shown('ps_5_0\ndcl_sampler s0, mode_defualt')[0]).toContain("did you mean 'mode_default'?")
    expect(shown('ps_5_0\nmov r0.x, l(1.0, 2.0)')).toEqual(['2:12+10 a literal has one component or four, not 2'])
    expect(shown('ps_5_0\nmov r0.x, l(4294967296)')).toEqual([
      "2:13+10 expected an integer of at most 32 bits, found '4294967296'",
    ])
    expect(shown('ps_5_1\ndcl_sampler s0, mode_default, space=0')[0]).toContain('declares ranges of bindings')
    expect(shown('mov r0.x, r1.x')).toEqual([
      '1:1+3 an instruction before the profile | a program starts with its profile, such as ps_5_0',
    ])
    expect(shown('')).toEqual(['the text holds no program: there is no profile such as ps_5_0'])
    expect(shown('ps_5_0\nps_5_0')).toEqual(['2:1+6 a program has one profile'])
  })

  it('are all reported, up to a limit', () => {
    expect(shown('ps_5_0\nfoo\nmov r0.x, r1.x\nbar\nmov\n')).toEqual(
      [
        "2:1+3 'foo' is not an instruction",
        "4:1+3 'bar' is not an instruction",
        '5:4+1 mov takes 2 operands (dest, src0); found 0',
      ].map((line) => expect.stringContaining(line)),
    )
    const many = parseProgram(`ps_5_0\n${'foo\n'.repeat(1000)}`).diagnostics
    expect(many.length).toBe(101)
    expect(many[100]!.message).toBe('parsing stopped after 100 errors')
  })

  it('do not come from deep or long text in more than linear time', () => {
    const started = performance.now()
    for (const piece of ['r[r0.x + ', '-', '|', '{min16f}', '0', '_', '"', 'a<', '[', '(']) {
      parseProgram(`ps_5_0\nmov r0.x, ${piece.repeat(300_000)}`)
    }
    expect(performance.now() - started).toBeLessThan(5000)
    expect(errors(`ps_5_0\nmov r0.x, ${'r[r0.x + '.repeat(20)}`).length).toBe(1)
    expect(shown(`ps_5_0\nmov r0.x, ${'r['.repeat(20)}`)[0]).toContain('nest more than 8 deep')
  })
})

describe('warnings', () => {
  const codes = (line: string): readonly string[] => parseProgram(`ps_5_0\n${line}`).diagnostics.map((d) => d.code)

  it('name literals whose six decimals may have lost bits', () => {
    expect(codes('add r0.x, r0.x, l(0.333333)')).toEqual(['asm-literal-inexact'])
    expect(codes('add r0.x, r0.x, l(0.500000)')).toEqual(['asm-literal-ambiguous'])
    expect(codes('add r0.x, r0.x, l(-0.000000)')).toEqual(['asm-literal-inexact'])
    expect(codes('add r0.x, r0.x, l(1.#QNAN0)')).toEqual(['asm-literal-inexact'])
    expect(codes('mov r0.x, l(0.000000)')).toEqual(['asm-literal-inexact'])
    expect(codes('dadd r0.xy, r0.xyxy, d(0.333333l, 5000000000.500000l)')).toEqual(['asm-literal-inexact'])
  })

  it('say nothing of numbers that are exact', () => {
    expect(codes('add r0.x, r0.x, l(16.500000)')).toEqual([])
    expect(codes('add r0.x, r0.x, l(1.#INF00)')).toEqual([])
    expect(codes('add r0.x, r0.x, l(0.33333334)')).toEqual([])
    expect(codes('add r0.x, r0.x, l(0.5)')).toEqual([])
    expect(codes('mov r0.x, l(0)')).toEqual([])
    expect(codes('iadd r0.x, r0.x, l(5)')).toEqual([])
  })

  it('report an integer where a float is read', () => {
    expect(codes('add r0.x, r0.x, l(2)')).toEqual(['asm-integer-literal'])
  })
})

describe('spellings of older compilers and of the specification', () => {
  const same = (spelling: string, listing: string, profile = 'ps_5_0'): void => {
    const text = (line: string): string => `${profile}\n${line}\nret`
    expect(tokens(text(spelling)), spelling).toEqual(tokens(text(listing)))
  }

  it('texel offsets have no word in front', () => {
    same(
      'sample_l(0,-1,7) r9.x, r5.zwzz, t3.xyzw, s0, l(0.000000)',
      'sample_l_aoffimmi(0,-1,7) r9.x, r5.zwzz, t3.xyzw, s0, l(0.000000)',
    )
    same(
      'ld_indexable(-8,0,0)(texture2d)(float,float,float,float) r0.xyzw, r1.xyzw, t3.xyzw',
      'ld_aoffimmi_indexable(-8,0,0)(texture2d)(float,float,float,float) r0.xyzw, r1.xyzw, t3.xyzw',
    )
    expect(parseProgram('ps_5_0\nresinfo(0,0,0) r0.xyzw, l(0), t0.xyzw').value).toBeUndefined()
  })

  it('generated inputs of pixel shaders are constant without saying so', () => {
    same('dcl_input_ps_sgv v0.x, primitive_id', 'dcl_input_ps_sgv constant v0.x, primitive_id', 'ps_4_0')
    same('dcl_input_ps_sgv v5.y, is_front_face', 'dcl_input_ps_sgv constant v5.y, is_front_face')
  })

  it('discard tests for not zero', () => same('discard l(-1)', 'discard_nz l(-1)', 'ps_4_0'))

  it('labels are l#', () => {
    same('label l2', 'label label2')
    same('callc_nz r0.x, l2', 'callc_nz r0.x, label2')
    expect(parseProgram('ps_5_0\nmov r0.x, l2').diagnostics.map((d) => d.code)).toEqual(['asm-register'])
    expect(parseProgram('ps_5_0\nmov r0.x, d').diagnostics.map((d) => d.code)).toEqual(['asm-register'])
  })

  it('input control points are vcp', () => same('mov r0.x, vcp[1][2].x', 'mov r0.x, vicp[1][2].x', 'hs_5_0'))
})

describe('comments', () => {
  const PLAIN = tokens('ps_4_0\nmov r0.x, r1.x\nret')

  it('run to the end of the line, or from /* to */ over lines', () => {
    expect(tokens('ps_4_0 // a\nmov r0.x, r1.x ; b\n; c\nret')).toEqual(PLAIN)
    expect(tokens('/* a\r\nret\r\n*/ ps_4_0\n/**/mov r0.x, /* r2.x */ r1.x\nret /* b')).toEqual(PLAIN)
  })

  it('begin in no other comment and in no quotes', () => {
    expect(tokens('// a /* b\nps_4_0\nmov r0.x, r1.x\nret // */')).toEqual(PLAIN)
    const message = (text: string): readonly number[] => tokens(`cs_5_0\nerrorf "${text}"\nret`)
    expect(message('/*ab*/').length).toBe(message('12ab34').length)
    expect(message('/*ab*/')).not.toEqual(message('      '))
  })

  it('leave places as they are', () => {
    expect(shown('ps_5_0\n/* if\n */ if r0.x')[0]).toMatch(/^3:5\+2 /)
  })
})
