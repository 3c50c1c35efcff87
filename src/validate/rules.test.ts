import { describe, expect, test } from 'vitest'
import { everyNth } from '../../test/support/amount.ts'
import { CONTAINER_EXAMPLES } from '../../test/support/validation-containers.ts'
import { PROGRAM_EXAMPLES } from '../../test/support/validation-examples.ts'
import { assemble } from '../asm/index.ts'
import { parseProgram } from '../asm/parse/index.ts'
import { CODES, valueOrThrow } from '../diagnostic/index.ts'
import { decodeProgram, encodeProgram, type Instruction, type Program } from '../program/index.ts'
import { type ProgramContext, programContext } from './context.ts'
import { type Report, RULES, validate, validateIncrementally } from './index.ts'

const codesOf = (input: Uint8Array | Program): readonly string[] => [...new Set(validate(input).map((d) => d.code))]
const parse = (text: string): Program => valueOrThrow(parseProgram(text, { exact: true }))

describe('every program rule fires on its example alone, and is silent on its counter-example', () => {
  test.each(Object.entries(PROGRAM_EXAMPLES))('%s', (code, example) => {
    expect(codesOf(parse(example.breaks))).toEqual([code])
    expect(codesOf(parse(example.holds))).toEqual([])
  })
})

describe('every container rule fires on its example alone, and is silent on its counter-example', () => {
  test.each(Object.entries(CONTAINER_EXAMPLES))('%s', (code, example) => {
    expect(codesOf(example.breaks())).toEqual([code])
    expect(codesOf(example.holds())).toEqual([])
  })
})

describe('the list of rules', () => {
  test('has each code of the room once, with an example', () => {
    const codes = RULES.map((r) => r.code)
    const registered = Object.keys(CODES).filter((c) => c.startsWith('validate-'))
    expect([...codes].sort()).toEqual(registered.sort())
    const examples = [...Object.keys(PROGRAM_EXAMPLES), ...Object.keys(CONTAINER_EXAMPLES)]
    expect(examples.sort()).toEqual([...codes].sort())
  })

  test.each(RULES)('$code names its source and explains itself', (rule) => {
    expect(rule.source).toMatch(/\S/)
    expect(rule.explanation.length).toBeGreaterThan(90)
  })

  test('finds the same in tokens as in text', () => {
    for (const { breaks } of everyNth(Object.values(PROGRAM_EXAMPLES), 4)) {
      const program = parse(breaks)
      const again = decodeProgram(encodeProgram(program)).value
      expect(again === undefined ? undefined : codesOf(again)).toEqual(codesOf(program))
    }
  })
})

describe('rules about single instructions', () => {
  const rules = RULES.filter((r) => r.scope === 'program' && r.isPerInstruction)

  /** The statements that each of those rules finds something in, by its code. */
  function faults(context: ProgramContext): readonly string[] {
    return rules.flatMap((rule) => {
      const faulty = new Set<number>()
      const report: Report = (_, place) => {
        if (place?.kind === 'statement') faulty.add(place.index)
      }
      if (rule.scope === 'program') rule.check({ ...context, faulty }, report)
      return [...faulty].map((index) => `${rule.code} ${index}`)
    })
  }

  test.each(Object.entries(PROGRAM_EXAMPLES))(
    'find in it what they find in the program: %s',
    (_, { breaks, holds }) => {
      for (const text of [breaks, holds]) {
        const context = programContext(parse(text))
        const alone = context.sites.flatMap((site) => faults({ ...context, sites: [site] }))
        expect(alone.sort()).toEqual([...faults(context)].sort())
      }
    },
  )

  test('check again only what changed, and what had findings', () => {
    const lines = 'ps_5_0\ndcl_output o0.x\ndcl_temps 1\nmov r0.x, l(1)\nmov r4.x, r0.x\nmov o0.x, r0.x\nret'
    const statements = parse(lines).statements
    const program = { ...parse(lines), statements }
    const first = validateIncrementally(program)
    expect(first.findings).toEqual(validate(program))
    expect(statements.map((s) => first.valid.has(s as Instruction))).toEqual([true, true, true, false, true, true])
    const more = { ...program, statements: statements.with(1, parse('ps_5_0\ndcl_temps 5').statements[0]!) }
    expect(validateIncrementally(more, first).findings).toEqual(validate(more))
    expect(validateIncrementally(more, first).findings).toEqual([])
    const twice = { ...program, statements: statements.toSpliced(3, 1, statements[3]!, statements[4]!) }
    expect(validateIncrementally(twice, first).findings).toEqual(validate(twice))
  })
})

describe('advice', () => {
  const notesOf = (text: string, code: string): readonly string[] =>
    validate(parse(text)).find((d) => d.code === code)?.notes ?? []

  test('lists what can stand where a register file cannot', () => {
    // A pixel shader writes r#, x#, o#, its depth, coverage and stencil outputs; mul may not drop its result.
    const text = 'ps_5_0\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_temps 1\nmul t0.x, l(1), l(1)\nret'
    expect(notesOf(text, 'validate-operand-file')).toEqual([
      'it can be r#, o#, x#, oDepth, oMask, oDepthGE, oDepthLE, oStencilRef',
    ])
    const compute = notesOf(text.replace('ps_5_0', 'cs_5_0'), 'validate-operand-file')
    expect(compute).toEqual(['it can be r#, x#'])
  })

  test('is given once for all registers that a signature lacks', () => {
    const text = 'vs_5_0\ndcl_input v0.xy\ndcl_input v1.x\ndcl_output o0.x\nadd o0.x, v0.x, v1.x\nret\n'
    const found = validate(valueOrThrow(assemble(text))).filter((d) => d.code === 'validate-signature-register')
    expect(found.map((d) => d.message)).toEqual([
      'v0.xy, v1.x are declared; the input signature does not have them.',
      'o0.x is declared; the output signature does not have it.',
    ])
    expect(found[0]!.notes.join('\n')).toContain('// Input signature:')
  })
})

describe('findings', () => {
  test('name the statement and the operand', () => {
    const found = validate(parse('ps_5_0\ndcl_temps 1\nmov r0.x, l(0)\nmov r0.x, r1.x\nret'))
    expect(found.map((d) => d.place)).toContainEqual({ kind: 'statement', index: 2, instruction: 1, operand: 1 })
  })

  test('come in the order of the statements', () => {
    const found = validate(parse('ps_5_0\ndcl_temps 1\nmov r2.x, l(0)\nmov r1.x, l(0)\ndcl_temps 1\nret'))
    const places = found.map((d) => (d.place?.kind === 'statement' ? d.place.index : -1))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places.length).toBeGreaterThan(2)
  })

  test('of one rule end before they become too many', () => {
    const lines = Array.from({ length: 500 }, (_, i) => `mov r0.x, v${i}.x`).join('\n')
    const found = validate(parse(`ps_5_0\ndcl_temps 1\n${lines}\nret`))
    expect(found.length).toBe(64)
    expect(found.at(-1)?.notes.at(-1)).toBe('further findings of this rule are left out')
  })

  test('of bytes that are no container are those of reading them', () => {
    expect(codesOf(new Uint8Array([1, 2, 3]))).toEqual(['dxbc-magic'])
    expect(codesOf(new Uint8Array())).toEqual(['dxbc-magic'])
  })
})

const COMPUTE = 'cs_5_0\ndcl_input vThreadIDInGroupFlattened\ndcl_input vThreadIDInGroup.xyz\ndcl_temps 2\n'

describe('threads that wait in divergent flow control', () => {
  const syncs = (body: string, group = '64, 1, 1'): readonly string[] =>
    codesOf(parse(`${COMPUTE}dcl_thread_group ${group}\n${body}\nret`))
  const DIVERGENT = ['validate-divergent-sync']

  test('follow the thread number through arithmetic and temporaries', () => {
    const body = 'mov r0.x, vThreadIDInGroup.x\niadd r1.y, r0.x, l(3)\nult r1.x, r1.y, l(9)'
    expect(syncs(`${body}\nif_nz r1.x\nsync_g_t\nendif`)).toEqual(DIVERGENT)
    expect(syncs(`${body}\nif_nz r1.x\nelse\nsync_g_t\nendif`)).toEqual(DIVERGENT)
    expect(syncs(`${body}\nif_nz r1.x\nendif\nsync_g_t`)).toEqual([])
  })

  test('are the whole group where the group is one thread wide', () => {
    const body = 'ult r0.x, vThreadIDInGroup.y, l(9)\nif_nz r0.x\nsync_g_t\nendif'
    expect(syncs(body)).toEqual([])
    expect(syncs(body, '8, 8, 1')).toEqual(DIVERGENT)
  })

  test('are not looked for where a register was overwritten, loaded or joined', () => {
    const ends = 'if_nz r0.x\nsync_g_t\nendif'
    expect(syncs(`mov r0.x, vThreadIDInGroup.x\nmov r0.x, l(1)\n${ends}`)).toEqual([])
    const joined = 'mov r0.x, l(1)\nif_nz r0.x\nmov r0.x, vThreadIDInGroup.x\nelse\nmov r0.x, l(2)\nendif'
    expect(syncs(`${joined}\n${ends}`)).toEqual([])
  })

  test('wait in a loop that some threads leave', () => {
    const step = 'uge r0.y, r0.x, l(256)\nbreakc_nz r0.y\nsync_g_t\niadd r0.x, r0.x, l(64)\nendloop'
    expect(syncs(`mov r0.x, vThreadIDInGroup.x\nloop\n${step}`)).toEqual(DIVERGENT)
    expect(syncs(`mov r0.x, l(0)\nloop\n${step}`)).toEqual([])
  })

  test('may fence without waiting', () => {
    expect(syncs('if_nz vThreadIDInGroup.x\nsync_g\nendif')).toEqual([])
  })
})

describe('what is not declared', () => {
  const findings = (text: string) => validate(parse(text)).map((d) => [d.message, ...d.notes])

  test('is one finding a cause, which says what to write', () => {
    const text = [
      'ps_5_0',
      'dcl_output o0.xyzw',
      'dcl_temps 1',
      'sample_indexable(texture3d)(uint,uint,uint,uint) r2.xyzw, v3.xyzx, t1.xyzw, s0',
      'ld_structured_indexable(structured_buffer, stride=20)(mixed,mixed,mixed,mixed) r0.x, r2.x, l(4), t2.xxxx',
      'ld_uav_typed r1.xyzw, r2.xyxx, u1.xyzw',
      'mul r0.xyzw, r2.xyzw, cb1[7].xyzw',
      'mul o0.xyzw, r0.xyzw, cb1[3].xyzw',
      'sample_c_lz r0.x, v3.xyxx, t0.xxxx, s1, l(0.5)',
      'mov o1.x, v3.w',
      'ret',
    ].join('\n')
    expect(findings(text).sort()).toEqual(
      [
        ['r2 is used; dcl_temps declares 1 register.', 'raise dcl_temps to 3', 'used 4 times more'],
        ['v3 is used and not declared.', "add 'dcl_input_ps linear v3.xyzw'", 'used 2 times more'],
        ['o1 is used and not declared.', "add 'dcl_output o1.x'"],
        ['t0 is used and no such resource is declared.', "add 'dcl_resource_texture2d (float,float,float,float) t0'"],
        ['t1 is used and no such resource is declared.', "add 'dcl_resource_texture3d (uint,uint,uint,uint) t1'"],
        ['t2 is used and no such resource is declared.', "add 'dcl_resource_structured t2, 20'"],
        ['u1 is used and no such UAV is declared.', "add 'dcl_uav_typed_texture2d (float,float,float,float) u1'"],
        ['s0 is used and no such sampler is declared.', "add 'dcl_sampler s0, mode_default'"],
        ['s1 is used and no such sampler is declared.', "add 'dcl_sampler s1, mode_comparison'"],
        [
          'cb1[7] is used and no such constant buffer is declared.',
          "add 'dcl_constantbuffer CB1[8], immediateIndexed'",
          'used 1 time more',
        ],
      ].sort(),
    )
  })

  test('is right when what is advised is added', () => {
    const body = 'mov r1.x, cb0[r0.x + 0].x\nmov r0.x, v2.y\nmov r0.y, r1.x\nret'
    const lines = ['ps_5_0', ...body.split('\n')]
    const advice = validate(parse(lines.join('\n')))
      .flatMap((d) => d.notes)
      .flatMap((note) => /^add '(.*)'$/.exec(note)?.[1] ?? [])
    expect(advice).toHaveLength(3)
    expect(codesOf(parse(['ps_5_0', ...advice, body].join('\n')))).toEqual([])
  })
})

describe('what fxc makes of unusual sources gives no finding', () => {
  const PIXEL =
    'ps_5_0\ndcl_sampler s0, mode_comparison\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_temps 2\n'
  const WRITTEN = 'mov r1.xyzw, l(0,0,0,0)\n'

  test('GatherCmpGreen', () => {
    expect(codesOf(parse(`${PIXEL}${WRITTEN}gather4_c r0.xyzw, r1.xyxx, t0.xyzw, s0.y, r1.z\nret`))).toEqual([])
  })

  test('a geometry shader that only writes UAVs declares no output topology', () => {
    const head = 'gs_5_0\ndcl_uav_structured u0, 4\ndcl_inputprimitive point\n'
    expect(codesOf(parse(`${head}dcl_maxout 1\natomic_iadd u0, l(0, 0, 0, 0), l(1)\nret`))).toEqual([])
    const output = 'dcl_output o0.xyzw\ndcl_maxout 1\nmov o0.xyzw, l(0,0,0,0)\nemit\nret'
    expect(codesOf(parse(`${head}${output}`))).toContain('validate-stage-declaration')
  })

  test('an extended operand token that names no modifier', () => {
    const program = parse(`${PIXEL}${WRITTEN}mov r0.x, r1.x\nret`)
    const withTokens = (tokens: readonly number[]) => ({
      ...program,
      statements: program.statements.map((s) =>
        s.kind === 'instruction'
          ? { ...s, operands: s.operands.map((o) => ({ ...o, extra: { tokens, spare: 0 } })) }
          : s,
      ),
    })
    expect(codesOf(withTokens([1]))).toEqual([])
    expect(codesOf(withTokens([0x80000001, 1]))).toContain('validate-spare-bits')
  })

  test('the room of texel offsets that a feedback sample does not have can hold anything', () => {
    const sample = 'sample_l_s r0.xyzw, r1.x, r1.xyxx, t0.xyzw, s0, l(0)'
    const plain = PIXEL.replace('mode_comparison', 'mode_default')
    expect(codesOf(parse(`${plain}${WRITTEN}${sample}{raw precision=0} {token parameters=0x2000}\nret`))).toEqual([])
    const two = codesOf(parse(`${plain}${WRITTEN}${sample}{raw precision=0} {token parameters=0x2000:1}\nret`))
    expect(two).toEqual(['validate-parameter-count'])
  })
})
