/** What debug data says about a program, as far as a listing shows it. */
export interface DebugInfo {
  /** What a position is: an offset in bytes from the start of the code chunk, or a number of an instruction from 0. */
  readonly positions: 'byte-offsets' | 'instructions'
  /** The instructions that have a source line, by position, ascending. */
  readonly lines: readonly SourceLine[]
  /** Where variables begin to live in registers, in the order of the debug data (SPDB alone). */
  readonly locations: readonly VariableLocation[]
  /** What instructions give to variables (SDBG alone). */
  readonly values: readonly ValueNote[]
  /** The texts of the files that lines are of, as far as the debug data holds them. */
  readonly sources?: readonly SourceFile[]
  /** Names of shared memory (SPDB alone). */
  readonly groupshared?: readonly GroupsharedVariable[]
  /** Position of the first instruction that the debug data mentions. */
  readonly entry?: number
}

/** A file of HLSL. */
export interface SourceFile {
  readonly file: string
  readonly text: string
}

/** A groupshared variable: a register g# of its own. */
export interface GroupsharedVariable {
  readonly register: number
  readonly name: string
}

/** A line of HLSL that an instruction came from. */
export interface SourceLine {
  readonly position: number
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** Where a variable of the HLSL is, and from which instruction on. */
export interface VariableLocation {
  /** The instruction from which on the variable is there: it was set by the one before. */
  readonly position: number
  /** The variable is there when the program starts. */
  readonly atEntry: boolean
  /** Path of a scalar: `o.pos.x`, `ip[0].t[1].y`, `tbn._m10`. */
  readonly name: string
  /** The debug data puts the scalar outside the variable's type; the name goes as far as it was inside. */
  readonly overrunsType: boolean
  /** Number of the register file, as an operand type. */
  readonly registerFile: number
  /** Indices in the order of an operand; none where the register has no number. */
  readonly indices: readonly number[]
  /** 0 to 3; absent for whole arrays (x#) and for registers that have no components. */
  readonly component?: number
}

/** What an instruction gives to scalars of one variable, with what the compiler knew of the values. */
export interface ValueNote {
  readonly position: number
  readonly variable: string
  /** The register that chooses the element of an array. */
  readonly index?: { readonly register: number; readonly component: number }
  readonly scalars: readonly ScalarNote[]
}

/** What debug data says of one component of a value. */
export interface ScalarNote {
  /** Scalars from the start of the variable. */
  readonly offset: number
  readonly isNanPossible: boolean
  readonly isInfinityPossible: boolean
  /** Absent where the compiler knew no bounds, or the value may be NaN. */
  readonly range?: ScalarRange
}

/** Which values a component has, as debug data says. */
export interface ScalarRange {
  /** How the bounds are meant; an unsigned variable may have signed bounds. */
  readonly type: 'float' | 'int' | 'uint'
  readonly least: number
  readonly most: number
}
