import { describe, expect, it, vi } from 'vitest'
import { Unsupported } from '../../lower/index.ts'
import { Baseline, currentCode, enoughFor } from './baseline.ts'

interface Code {
  readonly name: string
  readonly baseline: Baseline<Code> | undefined
}

const OPTIMIZED: Code = { name: 'optimized', baseline: undefined }
/** Baseline code whose optimized code is made in `count` parts. */
function codeOf(enoughMs: number, optimize: () => Code, count = 1, isAtOnce = true): Code {
  function* parts(): Generator<void, Code> {
    for (let n = 1; n < count; n++) yield
    return optimize()
  }
  return { name: 'baseline', baseline: new Baseline(enoughMs, parts(), isAtOnce) }
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

  it('goes on while optimized code is made in parts, by calls of their own', () => {
    const code = codeOf(5, () => OPTIMIZED, 3, false)
    const { baseline } = code
    expect(baseline!.makeCode()).toBe(false)
    baseline!.ranMs = 6
    expect(currentCode(code)).toBe(code)
    const made = [1, 2, 3, 4].map(() => [baseline!.makeCode(), currentCode(code).name])
    expect(made).toEqual([
      [true, 'baseline'],
      [true, 'baseline'],
      [true, 'optimized'],
      [false, 'optimized'],
    ])
  })

  it('has optimized code made where it is wanted, however little has run', () => {
    const { baseline } = codeOf(Number.POSITIVE_INFINITY, () => OPTIMIZED, 1, false)
    expect(baseline!.makeCode()).toBe(false)
    baseline!.want()
    expect([baseline!.isOver, baseline!.makeCode(), baseline!.isOver]).toEqual([false, true, true])
  })

  it('takes what is left where much is to come', () => {
    const code = codeOf(0, () => OPTIMIZED, 3, false)
    expect(currentCode(code, true)).toBe(OPTIMIZED)
    expect(code.baseline!.makeCode()).toBe(false)
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
