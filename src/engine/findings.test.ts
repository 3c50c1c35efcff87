import { describe, expect, it } from 'vitest'
import { createFindings, type Finding } from './findings.ts'

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
    const [first, second] = findings.diagnostics((n) => `line ${n}`)
    expect(first?.message).toBe('a store to g1 at byte 64 lies outside its 60 bytes')
    expect(first?.place).toEqual({ kind: 'statement', index: 4, operand: 1, listing: 'line 4' })
    expect(first?.notes).toEqual(['first by thread (3, 2, 0) of group (1, 0, 0), and 1 more like it'])
    expect(second?.notes).toEqual(['first by thread (3, 2, 0) of group (1, 0, 0)'])
    expect(findings.undefinedCount).toBe(3)
  })

  it('keep no more than asked for, and count on', () => {
    const findings = createFindings(1)
    findings.add(FINDING)
    findings.add({ ...FINDING, statement: 5 })
    findings.add(FINDING)
    expect(findings.diagnostics()).toHaveLength(1)
    expect(findings.diagnostics()[0]?.notes[0]).toContain('and 1 more')
    expect(findings.undefinedCount).toBe(3)
  })

  it('tell what Direct3D defines from what it does not', () => {
    const findings = createFindings(10)
    findings.add({ ...FINDING, reason: 'out-of-bounds', register: 'u0', defined: true })
    findings.add({ ...FINDING, reason: 'out-of-bounds', register: 'u0', defined: false })
    expect(findings.diagnostics().map((d) => d.severity)).toEqual(['hint', 'warning'])
    expect(findings.undefinedCount).toBe(1)
  })
})
