/** Lines and requests made at random: errors, never exceptions, and always an answer. */
import { expect, it } from 'vitest'
import { memoryAdapterHost } from '../apps/dap/index.ts'
import { amount } from './support/amount.ts'
import { FUZZED, fuzzCommands, fuzzRequests } from './support/debugger-fuzz.ts'
import { sessionOf } from './support/sessions.ts'

it.each(FUZZED)('lines of the console of $name', async ({ job, files }) => {
  const session = await sessionOf(job, files)
  expect(await fuzzCommands(session, 2026, amount(150, 1500))).toBeUndefined()
  session.timeLine.dispose()
})

it.each(FUZZED)('requests to the debug adapter of $name', async ({ job, files }) => {
  const launch = { job, files, stopOnEntry: true }
  expect(await fuzzRequests(memoryAdapterHost(), launch, 2026, amount(150, 1500))).toBeUndefined()
})
