/** One assertion for thousands of cases: tests of the output merger collect what differs. */

export type Check = (found: unknown, wanted: unknown, what: string | (() => string)) => void

/** Cases that differ, the first ten. */
export function differences(): { readonly check: Check; readonly list: string[] } {
  const list: string[] = []
  return {
    list,
    check(found, wanted, what) {
      if (Object.is(found, wanted) || list.length >= 10) return
      list.push(`${typeof what === 'string' ? what : what()}: ${found} instead of ${wanted}`)
    },
  }
}
