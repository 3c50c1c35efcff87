/** The worker that debugs. */
import { type CallPort, serveCalls } from '../model/calls.ts'
import { DEBUG_CALLS } from './debugger.ts'

serveCalls(globalThis as unknown as CallPort, DEBUG_CALLS)
