/**
 * What a program declares of its stage: inputs and outputs, and what hull, domain and geometry shaders say of patches and
 * primitives. Engines, the pipeline and linkage checks read it.
 */

/** Numbers of system values in declarations and signatures (functional specification 22.3.32). */
export const SYSTEM_VALUE_NUMBER = {
  none: 0,
  position: 1,
  clipDistance: 2,
  cullDistance: 3,
  renderTargetArrayIndex: 4,
  viewportArrayIndex: 5,
  vertexId: 6,
  primitiveId: 7,
  instanceId: 8,
  isFrontFace: 9,
  sampleIndex: 10,
  quadEdgeU0: 11,
  quadEdgeV0: 12,
  quadEdgeU1: 13,
  quadEdgeV1: 14,
  quadInsideU: 15,
  quadInsideV: 16,
  triangleEdgeU: 17,
  triangleEdgeV: 18,
  triangleEdgeW: 19,
  triangleInside: 20,
  lineDetail: 21,
  lineDensity: 22,
} as const

/** Interpolation modes of pixel shader inputs (22.3.10). */
export const INTERPOLATION_NUMBER = {
  undefined: 0,
  constant: 1,
  linear: 2,
  linearCentroid: 3,
  linearNoperspective: 4,
  linearNoperspectiveCentroid: 5,
  linearSample: 6,
  linearNoperspectiveSample: 7,
} as const

/** One declaration of an input or output register; a register can have several, for different components. */
export interface IoDeclaration {
  /** Register file: `FILE.input`, `FILE.output`, `FILE['output-depth']` and so on. */
  readonly file: number
  /** 0 where the file has one register. */
  readonly register: number
  /** Vertices or control points of the first index; 0 where the register has one index. */
  readonly vertexCount: number
  /** Components, 4 bits. */
  readonly mask: number
  /** A number of SYSTEM_VALUE_NUMBER. */
  readonly systemValue: number
  /** A number of INTERPOLATION_NUMBER; `undefined` (0) outside pixel shader inputs. */
  readonly interpolation: number
  /** Stream that a geometry shader's output belongs to. */
  readonly stream: number
  /** Index of the declaration in `Program.statements`. */
  readonly statement: number
}

/** A range of registers that instructions index at run time (dcl_indexrange). */
export interface IndexRange {
  readonly file: number
  readonly first: number
  readonly count: number
}

/** A piece of a program with inputs and outputs of its own: a phase of a hull shader, or the whole of another shader. */
export interface EntryDeclaration {
  readonly kind: 'main' | 'control-point' | 'fork' | 'join'
  /** Instances of a fork or join phase, else 1. */
  readonly instanceCount: number
  /** Statements of the entry: first, and one past the last. */
  readonly first: number
  readonly end: number
  readonly inputs: readonly IoDeclaration[]
  readonly outputs: readonly IoDeclaration[]
  readonly indexRanges: readonly IndexRange[]
}

/** The shape of a patch. */
export type TessellatorDomain = 'isoline' | 'triangle' | 'quad'

/** How tessellation factors are rounded (functional specification 11.7). */
export type TessellatorPartitioning = 'integer' | 'pow2' | 'fractional_odd' | 'fractional_even'

/** What the tessellator makes of a patch. */
export type TessellatorOutputPrimitive = 'point' | 'line' | 'triangle_cw' | 'triangle_ccw'

/** Primitive that a geometry shader reads; `patch` has its number of control points in `vertexCount`. */
export interface InputPrimitive {
  readonly kind: 'point' | 'line' | 'triangle' | 'line_adj' | 'triangle_adj' | 'patch'
  readonly vertexCount: number
}

/** What a geometry shader puts out. */
export type OutputTopology = 'pointlist' | 'linestrip' | 'trianglestrip'

/** One output stream of a geometry shader. */
export interface StreamDeclaration {
  readonly stream: number
  readonly topology: OutputTopology
}

/** The stage of a program, with what only this stage declares. */
export type StageDeclaration =
  | { readonly kind: 'compute'; readonly threads: readonly [number, number, number]; readonly threadCount: number }
  | { readonly kind: 'vertex' }
  | {
      readonly kind: 'hull'
      readonly inputControlPointCount: number
      readonly outputControlPointCount: number
      readonly domain: TessellatorDomain
      readonly partitioning: TessellatorPartitioning
      readonly outputPrimitive: TessellatorOutputPrimitive
      /** dcl_hs_max_tessfactor, a float; undefined where it is not declared. */
      readonly maxTessFactor: number | undefined
    }
  | { readonly kind: 'domain'; readonly domain: TessellatorDomain; readonly controlPointCount: number }
  | {
      readonly kind: 'geometry'
      readonly input: InputPrimitive
      readonly streams: readonly StreamDeclaration[]
      readonly maxVertexCount: number
      readonly instanceCount: number
    }
  | { readonly kind: 'pixel'; readonly forceEarlyDepthStencil: boolean; readonly sampleFrequency: boolean }
