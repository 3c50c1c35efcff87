import type { DrawSource, DrawTimeLine, RecordingSource, TimeLine } from '../debug/index.ts'
import type { Declarations } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'
import type { Buffer, Texture } from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import type { SourceMap, SourceVariable } from '../source/index.ts'

/** A shader that is debugged, and its source. */
export interface DebuggedProgram {
  /** Of a draw: `vertex`, `pixel` and so on. */
  readonly stage?: string | undefined
  readonly program: Program
  readonly declarations: Declarations
  readonly map: SourceMap
  /** The listing as a source of its own, whatever else there is. */
  readonly listingMap: SourceMap
  /** Registers that the program declares, whatever the source says. */
  readonly registers: (statement: number) => readonly SourceVariable[]
  /** What expressions compute with: the operations of instructions, as the shader runs with. */
  readonly operations: ValueOps<number>
  /** Text of a statement, as the listing has it. */
  readonly listing: (statement: number) => string | undefined
  /** Names of what is bound, by slot: `u0` is `Result`. */
  readonly slotNames: ReadonlyMap<string, string>
  /** Semantics of an input or output register: `v1` is `TEXCOORD0`. */
  readonly semanticOf: (register: string, statement: number) => string | undefined
}

/** What a session looks at: a dispatch, or the stage of a draw that the present moment is in. */
export interface DebuggedRun extends DebuggedProgram {
  readonly name: string
  readonly source: RecordingSource
  readonly timeLine: TimeLine
  readonly draw?: DebuggedDraw | undefined
}

/** A draw under the debugger. */
export interface DebuggedDraw {
  readonly line: DrawTimeLine
  /** What is drawn, for the history of a pixel. */
  readonly source: DrawSource
}

/** A dispatch or a draw, with the shaders that run in it. */
export interface Subject {
  readonly name: string
  /** Of a draw, in the order of its stages. */
  readonly programs: readonly DebuggedProgram[]
  readonly timeLine: TimeLine
  readonly draw?: DebuggedDraw | undefined
}

/** A command of a frame. */
export interface FrameStep {
  readonly kind: string
  /** The pipeline of a draw or dispatch, the resource of another command. */
  readonly of: string
  /** A draw or a dispatch: it can be debugged. */
  readonly isOpen: boolean
}

/** The frame that a session is about. */
export interface DebuggedFrame {
  readonly steps: readonly FrameStep[]
  /** The command that is debugged. */
  readonly current: number
  /** What the command is given, by its name: each opening has resources of its own. */
  readonly resources: ReadonlyMap<string, Buffer | Texture>
}

/** The run of a subject at the present moment. */
export function runOf({ name, programs, timeLine, draw }: Subject): () => DebuggedRun {
  const runs = programs.map((program): DebuggedRun => {
    return {
      ...program,
      name,
      timeLine,
      draw,
      get source() {
        return timeLine.source
      },
    }
  })
  return () => (draw && runs.find((r) => r.stage === draw.line.batch.stage)) ?? runs[0]!
}
