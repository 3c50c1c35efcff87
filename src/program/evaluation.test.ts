/** Which words the evaluations of an instruction take and write, by the examples of the functional specification. */
import { describe, expect, it } from 'vitest'
import { programOf } from '../../test/support/run-text.ts'
import { rowOfOpcode } from '../isa/index.ts'
import { evaluationsOf } from './evaluation.ts'

/** Reads and writes of the one instruction, as `operand.position` and `operand.component`. */
function words(line: string): string[] {
  const program = programOf(`cs_5_0\ndcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps
dcl_temps 4
dcl_thread_group 1, 1, 1
${line}
ret
`)
  const instruction = program.statements.find(
    (s) => s.kind === 'instruction' && rowOfOpcode(s.opcode)?.traits.kind === 'alu',
  )
  if (instruction?.kind !== 'instruction') throw new Error('no pure instruction')
  return evaluationsOf(instruction, rowOfOpcode(instruction.opcode)!).map((e) => {
    const from = e.sources.map((s) => `${s.operand}.${s.position}`).join(' ')
    const to = e.outputs.map(
      (o) => `${o.operand}.${o.component}=${o.result}${o.saturated.length > 0 ? ` of ${o.saturated}` : ''}`,
    )
    return `${from} -> ${to.join(' ')}`
  })
}

describe('evaluations', () => {
  it('of a component-wise instruction: one for each component of the mask', () => {
    expect(words('add r0.xz, r1.xyzw, r2.xyzw')).toEqual(['1.0 2.0 -> 0.0=0', '1.2 2.2 -> 0.2=0'])
  })

  it('with two results, each with a mask of its own, one of them dropped', () => {
    expect(words('udiv r0.x, r1.y, r2.xyzw, r3.xyzw')).toEqual(['2.0 3.0 -> 0.0=0', '2.1 3.1 -> 1.1=1'])
    expect(words('udiv null, r1.y, r2.xyzw, r3.xyzw')).toEqual(['2.1 3.1 -> 1.1=1'])
  })

  it('of a reduction: all that the slots name, whatever the mask', () => {
    expect(words('dp3_sat r0.yw, r1.xyzw, r2.xyzw')).toEqual(['1.0 1.1 1.2 2.0 2.1 2.2 -> 0.1=0 of 0 0.3=0 of 0'])
  })

  it('of doubles: pairs of the mask, both words saturated together', () => {
    expect(words('dadd r0.zw, r1.xyzw, r2.xyzw')).toEqual(['1.2 1.3 2.2 2.3 -> 0.2=0 0.3=1'])
    expect(words('dadd_sat r0.xy, r1.xyzw, r2.xyzw')).toEqual(['1.0 1.1 2.0 2.1 -> 0.0=0 of 0,1 0.1=1 of 0,1'])
  })

  it('of doubles to words: the first goes to the first component of the mask, the second to the next', () => {
    expect(words('dtof r0.yw, r1.xyzw')).toEqual(['1.0 1.1 -> 0.1=0', '1.2 1.3 -> 0.3=0'])
    expect(words('deq r0.z, r1.xyzw, r2.xyzw')).toEqual(['1.0 1.1 2.0 2.1 -> 0.2=0'])
  })

  it('of words to doubles: words in order, to the pairs of the mask', () => {
    expect(words('ftod r0.zw, r1.xyzw')).toEqual(['1.1 -> 0.2=0 0.3=1'])
  })
})
