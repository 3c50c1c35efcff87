import type { RecordingSource, TimeLine } from '../debug/index.ts'
import type { Declarations } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import type { Program } from '../program/index.ts'
import type { SourceMap, SourceVariable } from '../source/index.ts'

/** What a session is about: a dispatch with its program, its source and its time line. */
export interface DebuggedRun {
  readonly name: string
  readonly program: Program
  readonly declarations: Declarations
  readonly map: SourceMap
  /** The listing as a source of its own, whatever else there is. */
  readonly listingMap: SourceMap
  readonly source: RecordingSource
  readonly timeLine: TimeLine
  /** Registers that the program declares, whatever the source says. */
  readonly registers: (statement: number) => readonly SourceVariable[]
  /** What expressions compute with: the operations of instructions, as the shader runs with. */
  readonly operations: ValueOps<number>
  /** Text of a statement, as the listing has it. */
  readonly listing: (statement: number) => string | undefined
  /** Names of what is bound, by slot: `u0` is `Result`. */
  readonly slotNames: ReadonlyMap<string, string>
}
