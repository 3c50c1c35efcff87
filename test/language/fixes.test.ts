import { describe, expect, it } from 'vitest'
import { allFindings, applyEdits, codeActions, fixesOf, openDocument } from '../../src/language/index.ts'
import { everyNth } from '../support/amount.ts'
import { corpusFiles } from '../support/corpus.ts'
import { expectFixesRemoveFindings, numbersFrom } from '../support/language-sweeps.ts'
import { PROGRAM_EXAMPLES } from '../support/validation-examples.ts'

const ps = (...lines: string[]): string => ['ps_5_0', 'dcl_output o0.xyzw', 'dcl_temps 2', ...lines, 'ret'].join('\n')
const SET = ['mov r0.xyzw, l(0,0,0,0)', 'mov r1.xyzw, l(0,0,0,0)']

/** A listing for each code of the assembler that offers a fix, and more for codes of rules with fixes of several kinds. */
const LISTINGS: readonly (readonly [code: string, text: string, title: string])[] = [
  ['asm-mnemonic', ps('mvo o0.xyzw, l(0,0,0,0)'), 'write mov'],
  ['asm-mnemonic', 'ps_5_0\nreturn', 'write ret'],
  ['asm-mnemonic', ps(...SET, 'if r0.x', 'mov o0.xyzw, r1.xyzw', 'endif'), 'write if_z'],
  ['asm-register', ps(...SET, 'mov o0.xyzw, q1.xyzw'), 'write r1'],
  ['asm-components', ps('mov o0.zyx, l(0,0,0,0)'), 'write xyz'],
  ['asm-components', ps('mov o0.rgba, l(0,0,0,0)'), 'write xyzw'],
  ['asm-components', ps(...SET, 'mov o0.xyzw, r0.bgra'), 'write zyxw'],
  ['asm-components', ps(...SET, 'mov o0.xyzw, r0.xyzwx'), 'write xyzw'],
  ['asm-integer-literal', ps(...SET, 'mul o0.xyzw, r0.xyzw, l(2,2.0,2.0,2.0)'), 'write 2.0'],
  ['asm-unknown-keyword', 'ps_5_0\ndcl_resource_texture2d (flaot,float,float,float) t0\nret', 'write float'],
  ['asm-unknown-keyword', 'ps_5_0\ndcl_globalFlags refactoringAlowed\nret', 'write refactoringAllowed'],
  ['asm-directive', '.lossless 1\n.chekcsum 00000000000000000000000000000000\nps_5_0\nret', 'write .checksum'],
  ['asm-profile', 'mov o0.xyzw, l(0,0,0,0)\nret', 'begin with ps_5_0'],
  ['validate-undeclared-temp', ps(...SET, 'mov o0.xyzw, r5.xyzw'), 'raise dcl_temps to 6'],
  ['validate-undeclared-temp', 'ps_5_0\nmov r0.x, l(0)\nret', 'add dcl_temps 1'],
  ['validate-undeclared-register', ps('mov o0.xyzw, v3.xyzw'), 'add dcl_input_ps linear v3.xyzw'],
  ['validate-undeclared-register', 'vs_5_0\nmov o2.xy, l(0,0,0,0)\nret', 'add dcl_output o2.xy'],
  ['validate-undeclared-binding', ps('mov o0.xyzw, cb2[7].xyzw'), 'add dcl_constantbuffer CB2[8], immediateIndexed'],
  ['validate-precise', 'ps_5_0\nnop [precise]\nret', 'remove [precise]'],
  ['validate-feature-flag', ps(...SET, 'dadd r0.xy, r0.xyxy, r1.xyxy'), 'set enableDoublePrecisionFloatOps'],
  [
    'validate-feature-flag',
    ['ps_5_0', 'dcl_globalFlags refactoringAllowed', 'dcl_temps 2', ...SET, 'dadd r0.xy, r0.xyxy, r1.xyxy', 'ret'].join(
      '\n',
    ),
    'set enableDoublePrecisionFloatOps',
  ],
  [
    'validate-duplicate-declaration',
    'ps_5_0\ndcl_temps 1\ndcl_temps 1\nmov r0.x, l(0)\nret',
    'remove this declaration',
  ],
  [
    'validate-duplicate-register',
    'ps_5_0\ndcl_output o0.xy\ndcl_output o0.xy\nmov o0.xy, l(0,0,0,0)\nret',
    'remove this declaration',
  ],
  ['validate-missing-ret', 'ps_5_0\ndcl_output o0.x\nmov o0.x, l(0)', 'add ret'],
]

/** Codes that offer a fix in the program that breaks their rule: a fix that is lost is missed here. */
const FIXED_RULES = [
  'validate-duplicate-binding',
  'validate-duplicate-declaration',
  'validate-feature-flag',
  'validate-missing-ret',
  'validate-undeclared-binding',
  'validate-undeclared-temp',
]

/** Examples about the number of declarations are longer than what people write. */
const LONG = 4000

const offeredFor = (text: string): readonly string[] => {
  const d = openDocument(text)
  return allFindings(d).flatMap((f) => (fixesOf(d, f).length > 0 ? [f.code] : []))
}

describe('a quick fix takes its finding away and brings no error', () => {
  it.each(LISTINGS)('%s: %j', (code, text, title) => {
    const d = openDocument(text)
    const found = allFindings(d).filter((f) => f.code === code)
    expect(found.flatMap((f) => fixesOf(d, f)).map((a) => a.title)).toContain(title)
    expect(expectFixesRemoveFindings(text)).toBeGreaterThan(0)
  })

  it('for every rule whose finding offers one', () => {
    const fixed = Object.entries(PROGRAM_EXAMPLES).filter(([code, { breaks }]) => {
      if (breaks.length > LONG) return false
      expectFixesRemoveFindings(breaks)
      return offeredFor(breaks).includes(code)
    })
    expect(fixed.map(([code]) => code).sort()).toEqual(FIXED_RULES)
  })

  it('in listings of the corpus that lack a line, or have it twice', { timeout: 600_000 }, () => {
    let fixes = 0
    for (const [i, { listing, synthetic }] of everyNth(corpusFiles(), 41).entries()) {
      if (synthetic) continue
      const next = numbersFrom(i)
      const lines = listing.split('\n')
      const first = lines.findIndex((l) => /^[a-z]s_\d/.test(l))
      const at = first + next(Math.max(1, lines.length - first))
      fixes += expectFixesRemoveFindings(lines.filter((_, k) => k !== at).join('\n'))
      fixes += expectFixesRemoveFindings(lines.flatMap((l, k) => (k === at ? [l, l] : [l])).join('\n'))
    }
    expect(fixes).toBeGreaterThan(0)
  })

  it('and what has no effect can go', () => {
    const text = ps('mov r1.x, l(1.0)', 'mov o0.xyzw, l(0,0,0,0)')
    const d = openDocument(text)
    const gray = allFindings(d).filter((f) => f.isUnnecessary)
    expect(gray.map((f) => f.code)).toEqual(['language-unused-result'])
    const [action] = codeActions(d, gray[0]!.range, (k) => k === 'quickfix')
    expect(allFindings(openDocument(applyEdits(text, action!.edits))).map((f) => f.code)).toEqual([])
  })
})

/** What stands at the other places of the findings of a text. */
const related = (text: string): readonly (readonly [string, string])[] => {
  const d = openDocument(text)
  return allFindings(d).flatMap(({ related }) =>
    related.map(({ range, message }) => [d.text.slice(range.start, range.end), message] as const),
  )
}

describe('a finding leads to the other place that it speaks of', () => {
  it.each([
    [
      'ps_5_0\ndcl_sampler s0, mode_default\ndcl_sampler s0, mode_comparison\nret',
      'dcl_sampler s0, mode_default',
      'it is declared here first',
    ],
    [
      'ps_5_0\ndcl_output o0.xy\ndcl_output o0.yz\nmov o0.xyz, l(0,0,0,0)\nret',
      'dcl_output o0.xy',
      'it is declared here first',
    ],
    ['ps_5_0\ndcl_temps 1\nloop\nif_nz l(1)\nendloop\nret', 'if_nz l(1)', 'the if is opened here'],
    [ps('mov o0.xyzw, r4.xyzw'), 'dcl_temps 2', 'the registers are declared here'],
    [
      'ps_5_0\ndcl_constantbuffer CB0[2], immediateIndexed\ndcl_output o0.x\nmov o0.x, cb0[9].x\nret',
      'dcl_constantbuffer CB0[2], immediateIndexed',
      'it is declared here',
    ],
    [
      'ps_5_0\ndcl_input_ps linear v0.x\ndcl_output o0.xy\nmov o0.xy, v0.xyxx\nret',
      'dcl_input_ps linear v0.x',
      'it is declared here',
    ],
  ])('%j', (text, place, message) => {
    expect(related(text)).toContainEqual([place, message])
  })
})

describe('signatures in the comments of a listing', () => {
  const withTables = (input: string): string =>
    `// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
${input}
//
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Target                0   xyzw        0   TARGET   float   xyzw
//
ps_5_0
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
mov o0.xyzw, v1.xyxy
ret
`
  const codes = (text: string): readonly string[] => allFindings(openDocument(text)).map((f) => f.code)

  it('are held against the declarations while someone types', () => {
    const row = '// TEXCOORD                 0   xy          1     NONE   float   xy  '
    expect(codes(withTables(row))).toEqual([])
    expect(codes(withTables(row.replace(' 1 ', ' 2 ')))).toEqual(['validate-signature-register'])
    const text = withTables('// TEXCOORD                 zero')
    const [broken] = allFindings(openDocument(text)).filter((f) => f.code === 'asm-header')
    expect(text.slice(broken!.range.start, broken!.range.end)).toBe('// TEXCOORD                 zero')
  })

  it('are sound in every listing of the corpus', () => {
    for (const { listing, synthetic } of everyNth(corpusFiles(), 13)) {
      if (!synthetic) expect(codes(listing).filter((c) => c.includes('signature') || c === 'asm-header')).toEqual([])
    }
  })
})

/** Statements that are grayed, as they are written. */
const grayed = (text: string): readonly string[] => {
  const d = openDocument(text)
  return allFindings(d).flatMap(({ range, isUnnecessary }) =>
    isUnnecessary ? [d.text.slice(range.start, range.end)] : [],
  )
}

describe('what has no effect', () => {
  it('is a chain of statements as a whole', () => {
    expect(grayed(ps('mov r0.x, l(1.0)', 'mov r1.x, r0.x', 'add r0.y, r1.x, r1.x', 'mov o0.xyzw, l(0,0,0,0)'))).toEqual(
      ['mov r0.x, l(1.0)', 'mov r1.x, r0.x', 'add r0.y, r1.x, r1.x'],
    )
  })

  it('is known across calls: what a subroutine reads, leaves and overwrites', () => {
    const calling = (call: string): string => `ps_5_0
dcl_output o0.xy
dcl_temps 4
mov r0.x, l(1.0)
mov r1.x, l(2.0)
mov r2.x, l(3.0)
mov r3.x, l(4.0)
${call}
mov o0.xy, r1.xxxx
ret
label l0
add r1.x, r0.x, r0.x
mov r3.y, r2.y
mov r2.x, l(5.0)
ret`
    // r0 is read by the subroutine, r1 it overwrites, of r2 and r3 nothing comes out.
    const inBody = ['mov r3.y, r2.y', 'mov r2.x, l(5.0)']
    const inMain = ['mov r2.x, l(3.0)', 'mov r3.x, l(4.0)']
    expect(grayed(calling('call l0'))).toEqual(['mov r1.x, l(2.0)', ...inMain, ...inBody])
    expect(grayed(calling('callc_nz r3.x, l0'))).toEqual(['mov r2.x, l(3.0)', ...inBody])
  })

  it('is not a declaration that an index range needs', () => {
    const lines = ['dcl_input_ps linear v1.xy', 'dcl_input_ps linear v2.xy', 'dcl_indexRange v1.xy 2']
    const text = ['ps_5_0', ...lines, 'dcl_output o0.xy', 'mov o0.xy, l(0,0,0,0)', 'ret'].join('\n')
    expect(grayed(text)).toEqual([])
  })
})
