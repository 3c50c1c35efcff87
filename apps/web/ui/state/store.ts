/** What is open and shown. One object that actions change in place; components get one change event for each microtask turn. */
import type { Diagnostic } from '../../../../src/diagnostic/index.ts'
import type { Table } from '../../../../src/job/index.ts'
import type { DebugFinding, DebugMoment, DebugOpened, DebugTimes, MemoryPage } from '../../model/debug.ts'
import type { BufferPixels, CheckAnswer, NamedFile, RunAnswer, RunOutput, TexelImage } from '../../model/run.ts'
import type { Inspection } from '../../model/shader.ts'

export const VIEWS = ['listing', 'inspect', 'run', 'check', 'step'] as const
export type ViewName = (typeof VIEWS)[number]

/** A shader that is open. */
export interface OpenFile {
  readonly id: number
  name: string
  /** The container that was opened: what everything but the code comes from after an edit. */
  base: Uint8Array | undefined
  /** The text as it was opened. */
  original: string
  text: string
  /** The container of the text; absent where it does not assemble. */
  bytes: Uint8Array | undefined
  inspection: Inspection | undefined
  diagnostics: readonly Diagnostic[]
  lines: readonly number[]
  isReading: boolean
  /** What is run together: shaders of one run description. */
  project: Project
}

/** A run description with the files that belong to it. */
export interface Project {
  readonly id: number
  job: string | undefined
  diagnostics: readonly Diagnostic[]
  contents: NamedFile[]
  /** Suppressions, as in a file of them. */
  suppressions: string
  /** What is said of an example; undefined of the user's own. */
  about?: string
}

/** Work in a worker, which the user can stop. */
export interface Work {
  readonly what: string
  done: number
  total: number | undefined
}

interface RunState {
  work: Work | undefined
  answer: RunAnswer | undefined
  failure: string | undefined
  /** Which outputs are open, with what is shown of them. */
  readonly shown: Map<number, ShownOutput>
}

export interface ShownOutput {
  readonly output: RunOutput
  image: TexelImage | string | undefined
  table: Table | undefined
  first: number
  as: 'f32' | 'u32' | 'i32' | 'hex' | undefined
  /** Of a buffer that is shown as a picture. */
  pixels: BufferPixels | undefined
}

interface CheckState {
  work: Work | undefined
  answer: CheckAnswer | undefined
  failure: string | undefined
  /** The text that was checked: marks are of it alone. */
  of: string | undefined
  selected: number | undefined
  /** Codes that are explained. */
  readonly explained: Set<string>
}

interface DebugState {
  work: Work | undefined
  /** Beside the work: what looks for findings and barriers, which steps end. */
  search: Work | undefined
  failure: string | undefined
  opened: DebugOpened | undefined
  moment: DebugMoment | undefined
  before: DebugMoment | undefined
  times: DebugTimes | undefined
  finding: DebugFinding | undefined
  watches: string[]
  gridExpression: string
  memory: MemoryPage | undefined
  space: string
  byteOffset: number
  history: { readonly byteOffset: number; readonly table: Table } | undefined
  console: { readonly text: string; readonly isWrong: boolean }[]
}

/** A line of the listing that is marked, and why. */
export interface LineMark {
  readonly line: number
  readonly kind: 'selected' | 'finding' | 'other' | 'next'
}

const emptyRun = (): RunState => ({ work: undefined, answer: undefined, failure: undefined, shown: new Map() })
const emptyCheck = (): CheckState => ({
  work: undefined,
  answer: undefined,
  failure: undefined,
  of: undefined,
  selected: undefined,
  explained: new Set(),
})
export const emptyDebug = (): DebugState => ({
  work: undefined,
  search: undefined,
  failure: undefined,
  opened: undefined,
  moment: undefined,
  before: undefined,
  times: undefined,
  finding: undefined,
  watches: [],
  gridExpression: '',
  memory: undefined,
  space: '',
  byteOffset: 0,
  history: undefined,
  console: [],
})

class Store extends EventTarget {
  files: OpenFile[] = []
  activeId = 0
  view: ViewName = 'inspect'
  /** Where the listing is a view of its own: the view before it, whose lines it marks. */
  listingOf: ViewName = 'inspect'
  /** Lines that a row of a table chose. */
  selectedLines: readonly number[] = []
  selectedKey = ''
  openChunk: number | undefined
  run = emptyRun()
  check = emptyCheck()
  debug = emptyDebug()
  /** What is said to everybody, and aloud. */
  message = ''
  error = ''
  dialog: 'help' | 'share' | 'open' | 'examples' | undefined
  share: { readonly link: string } | undefined
  /** Where the debugger begins, by a link. */
  linked: { readonly clock: number; readonly thread: number } | undefined
  isPlain = false
  hasEditor = false
  #isScheduled = false

  get active(): OpenFile | undefined {
    return this.files.find((f) => f.id === this.activeId) ?? this.files[0]
  }

  get project(): Project | undefined {
    return this.active?.project
  }

  show(view: ViewName): void {
    if (view === 'listing' && this.view !== 'listing') this.listingOf = this.view
    this.view = view
    this.changed()
  }

  /** Results belong to a project: another one begins without. */
  forgetResults(): void {
    this.run = emptyRun()
    this.check = emptyCheck()
    this.debug = emptyDebug()
  }

  changed(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.dispatchEvent(new Event('change'))
    })
  }
}

export const store = new Store()

/** Says something to people who see the page and to those who hear it. */
export function say(message: string): void {
  store.message = message
  store.error = ''
  store.changed()
}

/** Says that something went wrong; it stays until the next message. */
export function sayError(message: string): void {
  store.error = message
  store.message = ''
  store.changed()
}
