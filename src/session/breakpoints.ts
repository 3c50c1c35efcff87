/** Breakpoints as people set them, and what a time line stops for. */
import type { HitFilter, LaneView, MemoryRange, StopCondition, ThreadFilter } from '../debug/index.ts'
import { CODES } from '../diagnostic/index.ts'
import type { RegisterPlace } from '../engine/index.ts'

/** What all breakpoints may have. */
export interface BreakpointFilter {
  /** An expression: the stop is for the lanes for which it is not 0. */
  readonly condition?: string | undefined
  /** `5`, `== 5`, `>= 5`, `% 5`. */
  readonly hitCondition?: string | undefined
  /** Prints this, with `{expression}`s in it, and goes on. */
  readonly logMessage?: string | undefined
  readonly where?: ThreadFilter | undefined
  /** It is deleted when it has been hit. */
  readonly isTemporary?: boolean | undefined
}

export type DataAccess = 'read' | 'write' | 'change' | 'any'

/** What a breakpoint stands at. */
export type BreakpointPlace =
  /** `stage`: of a draw, whose statements they are. */
  | { readonly kind: 'statements'; readonly statements: readonly number[]; readonly stage?: string | undefined }
  | { readonly kind: 'memory'; readonly range: MemoryRange; readonly access: DataAccess }
  | {
      readonly kind: 'register'
      readonly place: RegisterPlace
      /** Components as 4 bits; default that of the place. */
      readonly mask?: number
      readonly access: 'write' | 'change'
      readonly stage?: string | undefined
    }
  | { readonly kind: 'filter'; readonly filter: ExceptionFilterName; readonly codes?: readonly string[] }

/** A breakpoint that has been set. */
export interface Breakpoint extends BreakpointFilter {
  readonly id: number
  /** As people wrote it: `blur.hlsl:12`, `u0+0x30`. */
  readonly label: string
  /** Breakpoints of one set are replaced together. */
  readonly set: string
  readonly place: BreakpointPlace
  /** It is kept, and stops nothing. */
  readonly isDisabled?: boolean | undefined
}

/** What can stop a run beside places: the detectors of the checker, and events of the run. */
export const EXCEPTION_FILTERS = {
  races: { label: 'Races', prefixes: ['check-race', 'check-unordered', 'check-coherence'] },
  bounds: {
    label: 'Accesses out of bounds',
    prefixes: ['check-bounds', 'check-misaligned', 'check-unbound', 'check-format', 'check-invalid-call'],
  },
  undefined: { label: 'Undefined values', prefixes: ['check-uninitialized'] },
  barriers: { label: 'Barriers that a part of a group reaches', prefixes: ['check-barrier'] },
  counters: { label: 'Misuse of counters', prefixes: ['check-counter'] },
  stages: {
    label: 'What stages of a draw leave or ask for and may not',
    prefixes: [
      ...['check-output', 'check-input', 'check-nan-position', 'check-depth-promise', 'check-max-vertex-count'],
      ...['check-sample-index', 'check-derivative', 'check-stream', 'pipeline-'],
    ],
  },
  nan: { label: 'NaN where it is produced', prefixes: [] },
  infinity: { label: 'Infinity where it is produced', prefixes: [] },
  divergence: { label: 'Lanes of a wave part', prefixes: [] },
  barrier: { label: 'Every barrier that is passed', prefixes: [] },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly prefixes: readonly string[] }>>

export type ExceptionFilterName = keyof typeof EXCEPTION_FILTERS

export const isExceptionFilter = (name: string): name is ExceptionFilterName => Object.hasOwn(EXCEPTION_FILTERS, name)

/** Codes of the findings that a filter stops for. */
export function codesOf(filter: ExceptionFilterName): readonly string[] {
  const { prefixes } = EXCEPTION_FILTERS[filter]
  return Object.keys(CODES).filter((code) => prefixes.some((p) => code.startsWith(p)))
}

const IN_BRACES = /\{([^{}]+)\}/g

/** A log message with its expressions replaced. */
export const printMessage = (message: string, textOf: (expression: string) => string): string =>
  message.replace(IN_BRACES, (_, expression: string) => textOf(expression))

/** The expressions of a log message: `r0 is {r0.x}`. */
export const expressionsInMessage = (message = ''): readonly string[] =>
  [...message.matchAll(IN_BRACES)].map((m) => m[1]!)

/** Which times of a hit condition count; a text says what is wrong with it. */
export function parseHitCondition(text: string | undefined): HitFilter | undefined | string {
  if (text === undefined || text.trim() === '') return undefined
  const m = /^\s*(==?|>=|>|%)?\s*(\d+)\s*$/.exec(text)
  const count = Number(m?.[2])
  if (m === null || !Number.isSafeInteger(count) || count < 1) {
    return `${JSON.stringify(text)} is no hit condition: write 5, >= 5 or % 5`
  }
  switch (m[1]) {
    case '>=':
      return { kind: 'from', count }
    case '>':
      return { kind: 'from', count: count + 1 }
    case '%':
      return { kind: 'every', count }
    default:
      return { kind: 'equal', count }
  }
}

/** Codes in a condition of a filter: `code == check-race`, or codes with blanks or commas between. */
export function codesInCondition(text: string | undefined): readonly string[] | undefined {
  const codes = text?.match(/(?:check|pipeline)-[a-z-]+/g)
  return codes === null ? undefined : codes
}

function conditionOfFilter(
  filter: ExceptionFilterName,
  codes: readonly string[] | undefined,
  base: Omit<Extract<StopCondition, { kind: 'finding' }>, 'kind' | 'codes'>,
): StopCondition {
  switch (filter) {
    case 'nan':
    case 'infinity':
      return { kind: 'number', number: filter, ...base }
    case 'divergence':
      return { kind: 'divergence', ...base }
    case 'barrier':
      return { kind: 'barrier', at: 'release', ...base }
    default:
      return { kind: 'finding', codes: codes ?? codesOf(filter), ...base }
  }
}

/** What the time line stops for; `when` answers the breakpoint's condition. */
export function stopConditionOf(b: Breakpoint, when: ((lane: LaneView) => boolean) | undefined): StopCondition {
  const hits = parseHitCondition(b.hitCondition)
  const base = {
    id: b.id,
    ...(b.where && { where: b.where }),
    ...(when && { when }),
    ...(typeof hits === 'object' ? { hits } : {}),
  }
  switch (b.place.kind) {
    case 'statements':
      return { kind: 'statement', statements: b.place.statements, stage: b.place.stage, ...base }
    case 'memory':
      return { kind: 'memory', ranges: [b.place.range], access: b.place.access, ...base }
    case 'register':
      return { ...b.place, ...base }
    case 'filter':
      return conditionOfFilter(b.place.filter, b.place.codes, base)
  }
}
