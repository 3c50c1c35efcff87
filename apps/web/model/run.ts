/** Requests to the engine's worker and its answers: runs, checks and their results, as plain data. */
import type { Report } from '../../../src/check/index.ts'
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import type { CheckReport, Table } from '../../../src/job/index.ts'
import type { CallContext } from './calls.ts'

/** A file that a run description may name: a shader that is open, an image, bytes. */
export interface NamedFile {
  readonly name: string
  /** Undefined for a shader that is open and has errors: it cannot be run. */
  readonly bytes: Uint8Array | undefined
}

export interface RunRequest {
  /** A run description, as text. */
  readonly job: string
  readonly files: readonly NamedFile[]
  readonly engine?: 'wasm' | 'reference'
}

/** Something that a run left: a resource, by slot or by name. */
export interface RunOutput {
  readonly id: number
  readonly label: string
  /** `structured, 2000 of 16 bytes`. */
  readonly what: string
  readonly isTexture: boolean
  readonly elementCount: number
  /** The run writes it; others are inputs. */
  readonly isWritten: boolean
}

export interface RunAnswer {
  readonly name: string
  readonly engine: string
  readonly diagnostics: readonly Diagnostic[]
  /** `40 x 32 x 1 groups of 8 x 8 x 1 threads, 14 ms`; absent where nothing ran. */
  readonly summary: string | undefined
  readonly outputs: readonly RunOutput[]
  readonly checks: readonly CheckReport[]
}

/** Texels as numbers, for an image with values under the cursor. */
export interface TexelImage {
  readonly width: number
  readonly height: number
  /** Letters of the components: `rgba`, `r`, `d`. */
  readonly components: string
  /** Integers and floats are shown by their range, fractions from 0 to 1. */
  readonly isFraction: boolean
  readonly values: Float64Array
}

/** Which elements of an output, and how their words are read. */
export interface RowRequest {
  readonly id: number
  readonly first: number
  readonly count: number
  readonly as?: 'f32' | 'u32' | 'i32' | 'hex' | undefined
}

/** How the bytes of a buffer are taken for pixels, one after the other in rows. */
export interface BufferPixels {
  readonly kind: PixelKind
  readonly width: number
}

/** One float, four floats, one unsigned integer, or four bytes as fractions of 255. */
export type PixelKind = 'f32' | 'f32x4' | 'u32' | 'rgba8'

export interface CheckRequest extends RunRequest {
  /** As in a file of suppressions. */
  readonly suppressions: string
}

export interface CheckAnswer {
  readonly report: Report
  /** The report as text, for a file. */
  readonly text: string
  /** The paragraph of each code that was found. */
  readonly explanations: Readonly<Record<string, string>>
}

export type EngineCalls = {
  readonly template: (argument: { readonly shaders: readonly NamedFile[] }) => TemplateAnswer
  readonly run: (argument: RunRequest, context: CallContext) => Promise<RunAnswer>
  readonly rows: (argument: RowRequest) => Table | undefined
  readonly image: (argument: {
    readonly id: number
    readonly mip: number
    readonly slice: number
    /** Of a buffer: what its bytes are as pixels. */
    readonly pixels?: BufferPixels
  }) => TexelImage | string
  readonly contents: (argument: { readonly id: number; readonly asPng: boolean }) => Uint8Array | string
  readonly check: (argument: CheckRequest, context: CallContext) => Promise<CheckAnswer>
}

export interface TemplateAnswer {
  /** The description, as text; absent where the shaders give none. */
  readonly job: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}
