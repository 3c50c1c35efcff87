/** Requests to the debugger's worker and its answers: a moment of a run as plain data. */
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import type { Table } from '../../../src/job/index.ts'
import type { GridCell } from '../../../src/session/index.ts'
import type { CallContext } from './calls.ts'
import type { NamedFile } from './run.ts'

export type Triple = readonly [number, number, number]

/** A variable, register or watch, with its parts. */
export interface DebugValue {
  readonly name: string
  readonly value: string
  readonly type: string
  readonly parts: readonly DebugValue[]
  /** How many parts there are beyond those. */
  readonly more: number
}

export interface DebugScope {
  readonly name: string
  readonly values: readonly DebugValue[]
}

/** A place in the program that threads of the group stand at. */
interface DebugPlace {
  readonly statement: number
  readonly place: string
  readonly text: string
}

export interface DebugGrid {
  readonly group: Triple
  readonly size: Triple
  /** By vThreadIDInGroupFlattened. */
  readonly cells: readonly GridCell[]
  readonly places: readonly DebugPlace[]
  /** Values of the expression that colors the grid, by thread. */
  readonly values: readonly string[] | undefined
}

/** Everything that is shown of a moment. */
export interface DebugMoment {
  readonly clock: number
  readonly end: number | undefined
  readonly reason: string
  /** What stopped it, where, and what was printed on the way. */
  readonly lines: readonly string[]
  /** The statement that the focus executes next. */
  readonly statement: number | undefined
  /** Of a draw: whose shader it is a statement of. */
  readonly stage: string | undefined
  /** Where that is in the source: a place in `sources`, and a line from 1. */
  readonly source: { readonly file: number; readonly line: number } | undefined
  readonly focus: { readonly group: Triple; readonly thread: number; readonly position: Triple }
  readonly grid: DebugGrid | undefined
  readonly scopes: readonly DebugScope[]
  readonly watches: readonly { readonly text: string; readonly value: string; readonly isWrong: boolean }[]
  readonly breakpoints: readonly {
    readonly id: number
    readonly label: string
    readonly statement: number | undefined
  }[]
  /** Groups that are in flight. */
  readonly groups: readonly Triple[]
}

/** What stays the same in a session. */
export interface DebugOpened {
  readonly name: string
  readonly diagnostics: readonly Diagnostic[]
  readonly spaces: readonly string[]
  /** Absent where there is no session. */
  readonly moment: DebugMoment | undefined
  /** HLSL files that debug data hold, with their texts. Of a draw, those of its first stage. */
  readonly sources: readonly { readonly name: string; readonly text: string }[]
}

/** A finding on the time line. */
export interface DebugFinding {
  readonly code: string
  readonly message: string
  readonly clock: number
  readonly other: number | undefined
  readonly thread: number
  readonly group: Triple
}

export interface DebugTimes {
  readonly end: number
  readonly findings: readonly DebugFinding[]
  /** Moments at which groups passed barriers. */
  readonly barriers: readonly number[]
  /** False where the search was ended before it was done. */
  readonly isWhole: boolean
}

/** A word of memory, with who wrote it last before the moment. */
export interface MemoryWord {
  readonly byteOffset: number
  readonly bits: number
  /** Why it has no value of the run's own: `never written` and `undefined` in shared memory, in a resource that what was bound is there. */
  readonly unwritten: string | undefined
  /** Its bits mean nothing. */
  readonly isUndefined: boolean
  readonly writer:
    | { readonly clock: number; readonly thread: number; readonly group: Triple; readonly place: string }
    | undefined
}

export interface MemoryPage {
  readonly space: string
  readonly label: string
  readonly byteLength: number
  readonly words: readonly MemoryWord[]
}

/** How the focus moves. */
export interface DebugMove {
  readonly kind: 'step' | 'continue'
  readonly direction: 'forward' | 'backward'
  readonly unit: 'line' | 'statement' | 'wave' | 'group' | 'any'
  readonly depth: 'in' | 'over' | 'out'
}

interface ConsoleAnswer {
  readonly lines: readonly string[]
  readonly isWrong: boolean
  readonly moment: DebugMoment
}

/** What decides which moment is shown, beside where it is. */
export interface DebugView {
  readonly watches: readonly string[]
  /** What colors the grid; empty for the place of each thread. */
  readonly gridExpression: string
}

export type DebugCalls = {
  readonly open: (
    argument: { readonly job: string; readonly files: readonly NamedFile[] } & DebugView,
    context: CallContext,
  ) => Promise<DebugOpened>
  readonly move: (argument: DebugMove & DebugView, context: CallContext) => Promise<DebugMoment>
  readonly goTo: (argument: { readonly clock: number } & DebugView, context: CallContext) => Promise<DebugMoment>
  readonly focus: (
    argument: { readonly thread: number; readonly group: Triple } & DebugView,
    context: CallContext,
  ) => Promise<DebugMoment>
  readonly show: (argument: DebugView, context: CallContext) => Promise<DebugMoment>
  readonly toggle: (
    argument: { readonly statement: number; readonly label: string } & DebugView,
    context: CallContext,
  ) => Promise<DebugMoment>
  readonly times: (argument: object, context: CallContext) => Promise<DebugTimes>
  readonly memory: (
    argument: { readonly space: string; readonly byteOffset: number; readonly wordCount: number },
    context: CallContext,
  ) => Promise<MemoryPage | undefined>
  readonly history: (
    argument: { readonly space: string; readonly byteOffset: number },
    context: CallContext,
  ) => Promise<Table>
  readonly command: (argument: { readonly line: string } & DebugView, context: CallContext) => Promise<ConsoleAnswer>
}
