/** The worker that reads, lists and assembles. */
import { type CallPort, serveCalls } from '../model/calls.ts'
import { READER_CALLS } from './read.ts'

serveCalls(globalThis as unknown as CallPort, READER_CALLS)
