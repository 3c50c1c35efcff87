/** The worker that runs and checks. */
import { type CallPort, serveCalls } from '../model/calls.ts'
import type { EngineCalls } from '../model/run.ts'
import { contentsOf, imageOf, rowsOf } from './outputs.ts'
import { check, run, template } from './run.ts'

const CALLS = {
  template,
  run,
  check,
  rows: rowsOf,
  image: ({ id, mip, slice, pixels }) => imageOf(id, mip, slice, pixels),
  contents: ({ id, asPng }) => contentsOf(id, asPng),
} satisfies EngineCalls

serveCalls(globalThis as unknown as CallPort, CALLS)
