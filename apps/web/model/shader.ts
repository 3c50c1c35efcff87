/** What the page shows of a shader: made in a worker, plain data. */
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import type { Reflection } from '../../../src/dxbc/index.ts'
import type { DecodedLink } from './link.ts'

/** A part of a container. */
export interface Chunk {
  readonly fourcc: string
  readonly data: Uint8Array
}

/** What the tables show. */
export interface Inspection {
  /** `cs_5_0`; absent where there is no program. */
  readonly profile: string | undefined
  readonly stage: string | undefined
  readonly threadGroup: readonly [number, number, number] | undefined
  readonly byteLength: number
  /** The checksum that is stored, and whether it is right. */
  readonly checksum: string
  readonly isSigned: boolean
  readonly features: readonly string[]
  readonly chunks: readonly Chunk[]
  readonly reflection: Reflection
  /** Counts of the code, by name, those that are not 0. */
  readonly statistics: readonly (readonly [name: string, count: number])[]
  /** What the validator says. */
  readonly findings: readonly Diagnostic[]
}

/** A container as text with its tables. */
export interface ReadShader {
  /** Absent where there is no program to list. */
  readonly text: string | undefined
  readonly diagnostics: readonly Diagnostic[]
  readonly inspection: Inspection | undefined
  /** The line of each statement in the text, from 1. */
  readonly lines: readonly number[]
}

/** A text as a container. */
export interface AssembledShader {
  /** Absent with errors. */
  readonly bytes: Uint8Array | undefined
  /** Errors and warnings with places in the text, of assembler and validator. */
  readonly diagnostics: readonly Diagnostic[]
  readonly inspection: Inspection | undefined
  readonly lines: readonly number[]
}

/** What the reader's worker answers. */
export type ReaderCalls = {
  readonly read: (argument: { readonly bytes: Uint8Array }) => ReadShader
  readonly assemble: (argument: { readonly text: string; readonly base?: Uint8Array | undefined }) => AssembledShader
  readonly openLink: (argument: { readonly fragment: string }) => Promise<DecodedLink>
}
