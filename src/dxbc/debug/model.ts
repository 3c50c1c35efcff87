/** What debug data says about a program, as far as a listing shows it. Byte offsets count from the start of the code chunk. */
export interface DebugInfo {
  /** By byte offset, ascending: the instructions that have a source line. */
  readonly lines: readonly SourceLine[]
  /** Where variables begin to live in registers, in the order of the debug data. */
  readonly locations: readonly VariableLocation[]
  /** What the compiler knew of the values that instructions give to variables (SDBG alone). */
  readonly values: readonly ValueNote[]
  /** Offset of the first instruction that the debug data speaks of; absent where it names no locations at entry. */
  readonly entryOffset?: number
}

export interface SourceLine {
  readonly byteOffset: number
  readonly file: string
  /** From 1. */
  readonly line: number
}

export interface VariableLocation {
  /** Offset of the instruction from which on the variable is there: it was set by the one before. */
  readonly byteOffset: number
  /** The variable lives there when the program starts. */
  readonly atEntry: boolean
  /** Path of a scalar: `o.pos.x`, `ip[0].t[1].y`, `tbn._m10`. */
  readonly name: string
  /** Number of the register file, as an operand type. */
  readonly registerFile: number
  /** Indices in the order of an operand; none where the register has no number. */
  readonly indices: readonly number[]
  /** 0 to 3. */
  readonly component: number
}

/** Possible values of scalars of a variable, as old fxc notes them: `w<0:NaN:Inf,1>`. */
export interface ValueNote {
  /** Number of the instruction, counted as the listing counts. */
  readonly instruction: number
  readonly text: string
}
