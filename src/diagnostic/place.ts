/** A place in a file of bytes. `byteOffset` counts from the start of the whole container unless `chunk` names one. */
export interface BytePlace {
  readonly kind: 'bytes'
  /** FourCC of the chunk that `byteOffset` counts from (its data, after the 8-byte chunk header). */
  readonly chunk?: string
  readonly byteOffset: number
  readonly byteLength?: number
}

/** A place in a text. Lines and columns count from 1, columns in UTF-16 code units. */
export interface TextPlace {
  readonly kind: 'text'
  readonly line: number
  readonly column: number
  /** Code units to underline, at least 1. */
  readonly length: number
  /** The line itself, so that a caret can be drawn without the source at hand. */
  readonly sourceLine: string
}

/** A place in a program. */
export interface StatementPlace {
  readonly kind: 'statement'
  /** Index in `Program.statements`. */
  readonly index: number
  /** Number of the instruction as `heddle dis --numbers` and fxc /Ni print it; absent for declarations. */
  readonly instruction?: number
  /** The operand that is meant, counted from 0 in token order. */
  readonly operand?: number
  /** The statement as the listing prints it. */
  readonly listing?: string
}

/** A place in a structured description (a job file): a JSON path such as `$.resources[2].stride`, or a slot such as `u0`. */
export interface PathPlace {
  readonly kind: 'path'
  readonly path: string
}

/** Where a finding is: in a file's bytes, in a text, in a program, or at a path of a description. */
export type Place = BytePlace | TextPlace | StatementPlace | PathPlace
