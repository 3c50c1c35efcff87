import { afterEach, expect, it, vi } from 'vitest'
import type { QuadProgram } from '../../../engine/index.ts'
import { WantedPrograms, wantedProgram } from './wanted-programs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const programOf = (key: string): QuadProgram => ({ key, meaning: () => undefined })

/** Kernels whose programs have so many parts, each of which takes as many milliseconds by the clock of the test. */
function kernelsOf(parts: number, milliseconds: number) {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const made = new Set<string>()
  return {
    get programCount() {
      return made.size
    },
    has: ({ key }: QuadProgram): boolean => made.has(key),
    *compileInParts({ key }: QuadProgram): Generator<void, void> {
      if (made.has(key)) return
      for (let n = 1; n < parts; n++) {
        now += milliseconds
        yield
      }
      now += milliseconds
      made.add(key)
    },
  }
}

/** What was taken after each call, up to the one that makes nothing. */
function calls(wanted: WantedPrograms, taken: readonly string[]): string[] {
  const after: string[] = []
  while (wanted.makeNext()) after.push(taken.join())
  after.push(taken.join())
  return after
}

it('makes programs in parts of some milliseconds, and takes each at its end', () => {
  const wanted = new WantedPrograms(kernelsOf(4, 5))
  const taken: string[] = []
  const names = ['a', 'b']
  wanted.want(
    names.map((name) =>
      wantedProgram(
        () => taken.push(name),
        () => programOf(name),
      ),
    ),
  )
  // Two parts of 5 milliseconds in each call, up to the last, which finds nothing more.
  expect(calls(wanted, taken)).toEqual(['', 'a', 'a', 'a,b', 'a,b'])
  expect(wanted.areAny).toBe(false)
})

it('takes those that need nothing compiled together', () => {
  const kernels = kernelsOf(1, 1)
  const wanted = new WantedPrograms(kernels)
  const taken: string[] = []
  wanted.want(['a', 'b', 'c'].map((name) => wantedProgram(() => taken.push(name))))
  wanted.want([
    wantedProgram(
      () => taken.push('d'),
      () => undefined,
    ),
  ])
  expect(calls(wanted, taken)).toEqual(['a,b,c,d'])
})

it('takes at once what there is, and wants what there is not', () => {
  const kernels = kernelsOf(1, 1)
  const wanted = new WantedPrograms(kernels)
  const taken: string[] = []
  const want = (name: string): void => wanted.wantUnlessMade(programOf(name), () => taken.push(name))
  want('a')
  expect([taken, wanted.areAny]).toEqual([[], true])
  expect(wanted.makeNext()).toBe(true)
  want('a')
  expect([taken, wanted.areAny]).toEqual([['a', 'a'], false])
})

it('takes all without code where there is no engine for it', () => {
  const wanted = new WantedPrograms(undefined)
  const taken: string[] = []
  wanted.want([
    wantedProgram(
      () => taken.push('a'),
      () => programOf('a'),
    ),
  ])
  expect(calls(wanted, taken)).toEqual(['a'])
})
