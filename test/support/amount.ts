import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The run is of the slow suites. */
    isThorough: boolean
  }
}

/** How much a sweep does: a part of it in the quick suites, all of it in the slow ones, which run its file too. */
export const amount = (quick: number, all: number): number => (inject('isThorough') ? all : quick)

/** A part of what a sweep goes through: each `step`th in the quick suites, all in the slow ones. */
export const everyNth = <T>(list: readonly T[], step: number): readonly T[] =>
  inject('isThorough') ? list : list.filter((_, i) => i % step === 0)
