import { describe, expect, it } from 'vitest'
import { parseProgram } from '../asm/index.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import { createFindings, type Finding } from './findings.ts'

/** Statements 0 to 2 are declarations: statement 4 is instruction 1. */
const PROGRAM = valueOrThrow(
  parseProgram('cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nnop\nnop\nret'),
)

const FINDING: Finding = {
  reason: 'tgsm-bounds',
  defined: false,
  statement: 4,
  operand: 1,
  register: 'g1',
  access: 'store',
  address: 64,
  limit: 60,
  group: [1, 0, 0],
  thread: [3, 2, 0],
}

describe('findings', () => {
  it('fold what one statement does over and over, and keep the first', () => {
    const findings = createFindings(10)
    findings.add(FINDING)
    findings.add({ ...FINDING, address: 68, thread: [4, 2, 0] })
    findings.add({ ...FINDING, statement: 5 })
    const [first, second] = findings.diagnostics(PROGRAM, (n) => `line ${n}`)
    expect(first?.message).toBe('a store to g1 at byte 64 lies outside its 60 bytes')
    expect(first?.place).toEqual({ kind: 'statement', index: 4, instruction: 1, operand: 1, listing: 'line 4' })
    expect(first?.notes).toEqual(['first by thread (3, 2, 0) of group (1, 0, 0), and 1 more like it'])
    expect(second?.notes).toEqual(['first by thread (3, 2, 0) of group (1, 0, 0)'])
    expect(findings.undefinedCount).toBe(3)
  })

  it('keep no more than asked for, and count on', () => {
    const findings = createFindings(1)
    findings.add(FINDING)
    findings.add({ ...FINDING, statement: 5 })
    findings.add(FINDING)
    expect(findings.diagnostics(PROGRAM)).toHaveLength(1)
    expect(findings.diagnostics(PROGRAM)[0]?.notes[0]).toContain('and 1 more')
    expect(findings.undefinedCount).toBe(3)
  })

  it('tell what Direct3D defines from what it does not', () => {
    const findings = createFindings(10)
    findings.add({ ...FINDING, reason: 'out-of-bounds', register: 'u0', defined: true })
    findings.add({ ...FINDING, reason: 'out-of-bounds', register: 'u0', defined: false })
    expect(findings.diagnostics(PROGRAM).map((d) => d.severity)).toEqual(['hint', 'warning'])
    expect(findings.undefinedCount).toBe(1)
  })
})
