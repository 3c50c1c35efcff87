import type {} from 'vitest'
import { renderReport } from './report/render.ts'
import { isClean, type Report } from './report/report.ts'

/** What vitest (and Jest) take from a matcher. */
interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'findings' in value && 'stats' in value
}

/**
 * Matchers for `expect.extend(checkMatchers)`:
 * `expect(await check(device, shader, bindings, groups)).toBeClean()` fails with the rendered report when there is an
 * error or a warning, when nothing ran, or when a budget cut the check short. Hints do not count.
 */
export const checkMatchers = {
  toBeClean(received: unknown): MatcherResult {
    if (!isReport(received)) {
      return { pass: false, message: () => 'toBeClean() takes the report that check() gives; await it first' }
    }
    const pass = isClean(received)
    return {
      pass,
      message: () =>
        pass ? 'the shader is clean, and findings were expected' : renderReport(received, { quietHints: true }),
    }
  },
}

declare global {
  // The interface that the assertions of vitest 4 and 5 are both made from; their own have other parameters in each.
  namespace Chai {
    interface Assertion {
      /** No errors and no warnings in a report of `check`, and all of the dispatch was checked. */
      toBeClean(): void
    }
  }
}
