import { describe, expect, test } from 'vitest'
import {
  appendAll,
  collectDiagnostics,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  largest,
  MAX_DIAGNOSTICS,
} from './index.ts'

const error = (n: number): Diagnostic => diagnostic('program-tokens', `fault ${n}`)
const warning = (n: number): Diagnostic => diagnostic('dxbc-chunk-unusual', `doubt ${n}`, undefined, [], 'warning')
const many = (n: number, make: (i: number) => Diagnostic): Diagnostic[] => Array.from({ length: n }, (_, i) => make(i))

describe('a collector of findings', () => {
  test('keeps what is below the limit as it came', () => {
    const found = [...many(MAX_DIAGNOSTICS, error), ...many(MAX_DIAGNOSTICS, warning)]
    expect(collectDiagnostics(found)).toEqual(found)
  })

  test('keeps the first of a million and says how many it left out', () => {
    const c = new DiagnosticCollector()
    for (let i = 0; i < 1_000_000; i++) c.push(error(i))
    const found = c.finish()
    expect(found.slice(0, -1)).toEqual(many(MAX_DIAGNOSTICS, error))
    expect(found.at(-1)).toMatchObject({
      code: 'diagnostics-more',
      severity: 'error',
      message: 'and 999000 more errors',
    })
    expect(c.errorCount).toBe(1_000_000)
  })

  test('makes no more findings than it keeps, and counts the others alike', () => {
    const [pushed, made] = [new DiagnosticCollector(), new DiagnosticCollector()]
    let count = 0
    for (let i = 0; i < MAX_DIAGNOSTICS + 50; i++) {
      pushed.push(error(i))
      made.pushMade('error', () => {
        count++
        return error(i)
      })
    }
    expect(count).toBe(MAX_DIAGNOSTICS)
    expect(made.finish()).toEqual(pushed.finish())
    expect(made.errorCount).toBe(pushed.errorCount)
  })

  test('loses no error in a flood of warnings', () => {
    const found = collectDiagnostics(many(MAX_DIAGNOSTICS + 1, warning), [error(0)])
    expect(found.filter((d) => d.severity === 'error')).toEqual([error(0)])
    expect(found.at(-1)).toMatchObject({ severity: 'warning', message: 'and 1 more warning' })
  })

  test('keeps what an inner collector left out', () => {
    const inner = collectDiagnostics(many(MAX_DIAGNOSTICS + 5, error))
    const found = collectDiagnostics([error(-1)], inner)
    expect(found.slice(-2).map((d) => d.message)).toEqual(['and 5 more errors', 'and 1 more error'])
  })
})

describe('lists as long as the input', () => {
  test('are appended and searched without the stack', () => {
    const numbers = Array.from({ length: 1_000_000 }, (_, i) => i)
    const list: number[] = []
    appendAll(list, numbers)
    expect(list.length).toBe(1_000_000)
    expect(largest(0, numbers)).toBe(999_999)
    expect(largest(7, [])).toBe(7)
  })
})
