import { describe, expect, it, vi } from 'vitest'
import { Unsupported } from '../../lower/index.ts'
import { Baseline, currentCode, enoughFor } from './baseline.ts'

interface Code {
  readonly name: string
  readonly baseline: Baseline<Code> | undefined
}

const OPTIMIZED: Code = { name: 'optimized', baseline: undefined }
/** Baseline code whose optimized code is made in `count` parts. */
function codeOf(enoughMs: number, optimize: () => Code, count = 1, restMs = 0): Code {
  function* parts(): Generator<void, Code> {
    for (let n = 1; n < count; n++) yield
    return optimize()
  }
  return { name: 'baseline', baseline: new Baseline(enoughMs, parts(), restMs) }
}

describe('baseline code', () => {
  it('goes on until it has run longer than optimized code takes to make, which is made once', () => {
    const optimize = vi.fn(() => OPTIMIZED)
    const code = codeOf(5, optimize)
    code.baseline!.ranMs += 5
    expect(currentCode(code)).toBe(code)
    expect(optimize).not.toHaveBeenCalled()
    code.baseline!.ranMs += 0.01
    expect(currentCode(code)).toBe(OPTIMIZED)
    expect(currentCode(code)).toBe(OPTIMIZED)
    expect(optimize).toHaveBeenCalledTimes(1)
  })

  it('goes on while parts of optimized code are made, one at a time, or all where much is to come', () => {
    const code = codeOf(0, () => OPTIMIZED, 3, 1e-9)
    code.baseline!.ranMs = 1
    expect([1, 2, 3, 4].map(() => currentCode(code).name)).toEqual(['baseline', 'baseline', 'optimized', 'optimized'])
    const other = codeOf(0, () => OPTIMIZED, 3, Number.POSITIVE_INFINITY)
    other.baseline!.ranMs = 1
    expect([1, 2, 3].map(() => currentCode(other).name)).toEqual(['baseline', 'baseline', 'baseline'])
    expect(currentCode(other, true).name).toBe('optimized')
  })

  it('ends at once where much is to come', () => {
    expect(
      currentCode(
        codeOf(Number.POSITIVE_INFINITY, () => OPTIMIZED),
        true,
      ),
    ).toBe(OPTIMIZED)
  })

  it('stays where the host takes no optimized code, which is not asked for again', () => {
    const refuse = vi.fn((): Code => {
      throw new Unsupported('too many locals', 3)
    })
    const code = codeOf(1, refuse)
    code.baseline!.ranMs = 2
    expect(currentCode(code)).toBe(code)
    expect(currentCode(code, true)).toBe(code)
    expect(refuse).toHaveBeenCalledTimes(1)
  })

  it('hides no fault of the compiler', () => {
    const code = codeOf(0, () => {
      throw new Error('no such value')
    })
    expect(() => currentCode(code, true)).toThrow('no such value')
    expect(() => currentCode(code, true)).toThrow('no such value')
  })

  it('runs longer for longer programs', () => {
    expect(enoughFor(0)).toBeGreaterThan(0)
    expect(enoughFor(2000)).toBeGreaterThan(enoughFor(1000))
  })
})
