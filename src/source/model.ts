import type { RegisterFileName } from '../isa/index.ts'
import type { SourceType } from './type.ts'

/** A part of a source file. Lines and columns count from 1, both ends inclusive. */
export interface SourceRange {
  /** Index in `SourceMap.files`. */
  readonly file: number
  readonly line: number
  /** 0 where the debug data has no columns. */
  readonly column: number
  readonly endLine: number
  /** Last column; 0 where the debug data has no columns. */
  readonly endColumn: number
}

/** A file of HLSL, or the listing that stands in for it. */
export interface SourceFileOfMap {
  /** As the compiler was given it. */
  readonly name: string
  /** Absent where the debug data holds no text of this name (`#line` names a file of its own). */
  readonly text?: string
  /** MD5 of the file's bytes, 32 hex digits, where the debug data has it. */
  readonly md5?: string
}

/** What one statement was made from, innermost function. */
export interface StatementLines {
  /** The HLSL statement. */
  readonly statement: SourceRange
  /** The expression in it, where the debug data has columns. */
  readonly expression?: SourceRange
}

/** A function of the source that a statement belongs to. */
export interface SourceFrame {
  readonly functionName: string
  /** Where the frame is: the innermost at its statement, those outside at the call. */
  readonly range: SourceRange
  /** Distinguishes copies of an inlined function: the same number for all statements of one copy; 0 for the entry. */
  readonly site: number
}

/** Where 32 bits of a value are. */
export type WordPlace =
  /** `indices` are those of an operand of the program: `r3`, `x0[2]`, `v[1][0]`, `cb0[3]` (5.1: `CB0[0][3]`), none for vThreadID. */
  | {
      readonly kind: 'register'
      readonly file: RegisterFileName
      readonly indices: readonly number[]
      readonly component: number
    }
  | {
      readonly kind: 'memory'
      readonly file: MemoryFile
      /** As those of an operand: g0, u1; in 5.1 the range identifier and the register. */
      readonly indices: readonly number[]
      readonly address: MemoryAddress
    }
  /** A constant that the compiler put into the code. */
  | { readonly kind: 'literal'; readonly bits: number }

export type MemoryFile = 'resource' | 'uav' | 'tgsm'

/** Where 32 bits are in a resource or in groupshared memory. */
export type MemoryAddress =
  /** From the start of the view, or of the g#. */
  | { readonly kind: 'bytes'; readonly byteOffset: number }
  | { readonly kind: 'structured'; readonly element: number; readonly byteOffset: number }
  /** Coordinates as `ld` takes them (array index behind x and y; the mip level last where the resource has mips). */
  | { readonly kind: 'texel'; readonly coordinates: readonly number[]; readonly component: number }

/** Bytes of a variable that lie in consecutive words of one place. */
export interface Piece {
  /** From the start of the variable. */
  readonly byteOffset: number
  readonly byteLength: number
  /** Of the first word; those behind follow by component (x#: by component and element). */
  readonly place: WordPlace
}

/** Where the words of a variable are at one statement. */
export type ValueHome =
  /** Words without a piece are not available there. Pieces ascend by their bytes and do not overlap. */
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[] }
  /** Constants of 16 bytes: the last index is the constant's number. */
  | {
      readonly kind: 'constants'
      readonly file: RegisterFileName
      readonly indices: readonly number[]
      readonly byteOffset: number
    }
  | {
      readonly kind: 'memory'
      readonly file: MemoryFile
      readonly indices: readonly number[]
      readonly shape: MemoryAddress['kind']
      /** Bytes from one element to the next, of a typed buffer 16; 0 where the shape is bytes. */
      readonly stride: number
      readonly byteOffset: number
    }

/** A value of the source: a variable, or a part of one. */
export interface SourceValue {
  /** `color`, `[3]`, `x`, `_m01`. */
  readonly name: string
  /** The expression that names it: `light[3].color.x`. */
  readonly path: string
  readonly type: SourceType
  /** From the start of its variable. */
  readonly byteOffset: number
  readonly home: ValueHome
}

/** What a variable is to its function. */
export type VariableKind =
  | 'parameter'
  | 'local'
  | 'return'
  | 'static'
  | 'groupshared'
  | 'constant'
  | 'resource'
  | 'sampler'
  | 'register'

/** A variable of the source as it is at one statement. */
export interface SourceVariable extends SourceValue {
  readonly kind: VariableKind
  /** Index in `inlineStack`, 0 the innermost; absent for what belongs to no function. */
  readonly frame?: number
  /** The constant buffer that it is a member of. */
  readonly buffer?: string
  /** Of `resource` and `sampler`: the operand that names it. */
  readonly binding?: { readonly file: RegisterFileName; readonly indices: readonly number[] }
}

/** A function of the source. */
export interface SourceFunction {
  readonly name: string
  /** Where its body begins; absent where the debug data does not say. */
  readonly file?: number
  readonly line?: number
  readonly isEntry: boolean
}

/** What the source says of a program. Statements are indices in `Program.statements`. */
export interface SourceMap {
  /** Where it comes from; `listing`: there is no debug data, the listing stands for the source. */
  readonly origin: 'spdb' | 'sdbg' | 'listing'
  readonly files: readonly SourceFileOfMap[]
  readonly functions: readonly SourceFunction[]
  readonly compiler?: string
  /** What the compiler was given, where the debug data says it: `hlslFlags`, `hlslTarget`, `hlslEntry`, `hlslDefines`. */
  readonly settings: ReadonlyMap<string, string>
  /** Of a declaration, or where the debug data has none: undefined. */
  linesOf(statement: number): StatementLines | undefined
  /** The statements that a line was made into, in any frame, ascending. */
  statementsOf(file: number, line: number): readonly number[]
  /** Lines of a file with statements, ascending. */
  linesWithStatements(file: number): readonly number[]
  /** The functions that a statement is in, innermost first; empty where `linesOf` is undefined. */
  inlineStack(statement: number): readonly SourceFrame[]
  /**
   * Every variable that the functions around a statement have, and the globals, with where each word is before the
   * statement is executed. A word that is nowhere has another value or none: it is not available there.
   */
  variablesAt(statement: number): readonly SourceVariable[]
}
