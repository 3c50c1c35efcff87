/** Types of HLSL values: how their bytes lie, and what their words mean. */

export type ScalarType =
  | 'float'
  | 'double'
  | 'int'
  | 'uint'
  | 'bool'
  | 'min16float'
  | 'min10float'
  | 'min16int'
  | 'min12int'
  | 'min16uint'

export type SourceType =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType; readonly byteLength: number }
  | { readonly kind: 'vector'; readonly scalar: ScalarType; readonly count: number; readonly byteLength: number }
  | {
      readonly kind: 'matrix'
      readonly scalar: ScalarType
      readonly rows: number
      readonly columns: number
      readonly isRowMajor: boolean
      /** Bytes from one row to the next, of column major ones from one column to the next. */
      readonly stride: number
      readonly byteLength: number
    }
  | {
      readonly kind: 'array'
      readonly element: SourceType
      /** 0: the number is not known, as of a buffer's elements. */
      readonly count: number
      readonly stride: number
      readonly byteLength: number
    }
  | {
      readonly kind: 'structure'
      readonly name: string
      readonly members: readonly SourceMember[]
      readonly byteLength: number
    }
  /** What has no bytes of its own: textures, samplers, buffers (with their elements), streams, interfaces. */
  | {
      readonly kind: 'object'
      readonly name: string
      readonly element?: SourceType
      /** Bytes from one element to the next. */
      readonly stride?: number
      readonly byteLength: 0
    }
  /** The debug data does not describe it. */
  | { readonly kind: 'unknown'; readonly byteLength: number }

export interface SourceMember {
  readonly name: string
  readonly type: SourceType
  readonly byteOffset: number
}

export const WORD_BYTES = 4

/** Bytes of a scalar in registers and constant buffers, where minimum precision takes a word of 32 bits. */
export const scalarBytes = (scalar: ScalarType): number => (scalar === 'double' ? 8 : WORD_BYTES)

export const scalarType = (scalar: ScalarType): SourceType => ({
  kind: 'scalar',
  scalar,
  byteLength: scalarBytes(scalar),
})

export const vectorType = (scalar: ScalarType, count: number): SourceType =>
  count === 1 ? scalarType(scalar) : { kind: 'vector', scalar, count, byteLength: count * scalarBytes(scalar) }

export const UNKNOWN_TYPE: SourceType = { kind: 'unknown', byteLength: 4 }

/** Arrays of arrays deeper than this are not written out. */
const MAX_DEPTH = 8

/** `float3`, `row_major float3x4`, `Light[4][2]`. */
export function sourceTypeText(type: SourceType, depth = 0): string {
  switch (type.kind) {
    case 'scalar':
      return type.scalar
    case 'vector':
      return `${type.scalar}${type.count}`
    case 'matrix':
      return `${type.isRowMajor ? 'row_major ' : ''}${type.scalar}${type.rows}x${type.columns}`
    case 'array': {
      let counts = ''
      let inner: SourceType = type
      for (let i = depth; inner.kind === 'array' && i < MAX_DEPTH; i++) {
        counts += `[${inner.count === 0 ? '' : inner.count}]`
        inner = inner.element
      }
      return inner.kind === 'array' ? `array${counts}` : sourceTypeText(inner, depth + 1) + counts
    }
    case 'structure':
    case 'object':
      return type.name
    case 'unknown':
      return 'unknown'
  }
}
