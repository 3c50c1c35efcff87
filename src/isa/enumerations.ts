/**
 * Values of token bit fields and the words the listing has for them, at their numbers. `undefined` is a number without
 * a word; what the listing then prints is `unknown` of the enumeration (corpus: synthetic/resource_dcls, ps_input_dcls,
 * gs_enums, hs_enums).
 */
export interface Enumeration {
  readonly words: readonly (string | undefined)[]
  readonly unknown: string
}

const enumeration = (words: readonly (string | undefined)[], unknown: string): Enumeration => ({ words, unknown })

/** The listing's word for a value. */
export function wordOf(e: Enumeration, value: number): string {
  return e.words[value] ?? e.unknown
}

/** The value of a word, or undefined. */
export function valueOfWord(e: Enumeration, word: string): number | undefined {
  const i = e.words.indexOf(word)
  return i < 0 ? undefined : i
}

/** Dimensions of resources (dcl_resource). */
export const RESOURCE_DIMENSION = enumeration(
  [
    undefined,
    'buffer',
    'texture1d',
    'texture2d',
    'texture2dms',
    'texture3d',
    'texturecube',
    'texture1darray',
    'texture2darray',
    'texture2dmsarray',
    'texturecubearray',
    'raw_buffer',
    'structured_buffer',
  ],
  '<unknown dimension>',
)

/** Numbers of resource dimensions that code tests for. */
export const DIMENSION_NUMBER = {
  buffer: 1,
  texture1d: 2,
  texture2d: 3,
  texture2dms: 4,
  texture3d: 5,
  texturecube: 6,
  texture1darray: 7,
  texture2darray: 8,
  texture2dmsarray: 9,
  texturecubearray: 10,
  rawBuffer: 11,
  structuredBuffer: 12,
} as const

/** What a resource returns in each component. */
export const RETURN_TYPE = enumeration(
  [undefined, 'unorm', 'snorm', 'sint', 'uint', 'float', 'mixed', 'double', '<continued>', '<unused>'],
  '<unknown resource return type>',
)

/** How inputs of pixel shaders are interpolated (dcl_input_ps). */
export const INTERPOLATION_MODE = enumeration(
  [
    'undefined',
    'constant',
    'linear',
    'linear centroid',
    'linear noperspective',
    'linear noperspective centroid',
    'linear sample',
    'linear noperspective sample',
  ],
  '???',
)

/** System values of declarations (dcl_input_siv and the like). */
export const SYSTEM_VALUE = enumeration(
  [
    'undefined',
    'position',
    'clip_distance',
    'cull_distance',
    'rendertarget_array_index',
    'viewport_array_index',
    'vertex_id',
    'primitive_id',
    'instance_id',
    'is_front_face',
    'sampleIndex',
    'finalQuadUeq0EdgeTessFactor',
    'finalQuadVeq0EdgeTessFactor',
    'finalQuadUeq1EdgeTessFactor',
    'finalQuadVeq1EdgeTessFactor',
    'finalQuadUInsideTessFactor',
    'finalQuadVInsideTessFactor',
    'finalTriUeq0EdgeTessFactor',
    'finalTriVeq0EdgeTessFactor',
    'finalTriWeq0EdgeTessFactor',
    'finalTriInsideTessFactor',
    'finalLineDetailTessFactor',
    'finalLineDensityTessFactor',
  ],
  '',
)

/** System values that the hardware generates for the stage that reads them; the others it interprets. */
export const GENERATED_SYSTEM_VALUES: readonly string[] = [
  'vertex_id',
  'primitive_id',
  'instance_id',
  'is_front_face',
  'sampleIndex',
]

/** `mode_mono` is the last; a number beyond prints nothing, comma included. */
export const SAMPLER_MODE_WORD = enumeration(['mode_default', 'mode_comparison', 'mode_mono'], '')

const PATCHES = Array.from({ length: 32 }, (_, i) => `patch${i + 1}`)

/** Primitives that a geometry shader reads (dcl_inputPrimitive). */
export const INPUT_PRIMITIVE_WORD = enumeration(
  ['undefined', 'point', 'line', 'triangle', undefined, undefined, 'lineadj', 'triangleadj', ...PATCHES],
  '???',
)

/** fxc has words only for what a geometry shader can write (corpus: synthetic/gs_enums). */
export const OUTPUT_TOPOLOGY_WORD = enumeration(
  ['undefined', 'pointlist', undefined, 'linestrip', undefined, 'trianglestrip'],
  '???',
)

/** Domains of dcl_tessellator_domain. */
export const TESS_DOMAIN_WORD = enumeration([undefined, 'domain_isoline', 'domain_tri', 'domain_quad'], '???')

/** Partitionings of dcl_tessellator_partitioning. */
export const TESS_PARTITIONING_WORD = enumeration(
  [
    undefined,
    'partitioning_integer',
    'partitioning_pow2',
    'partitioning_fractional_odd',
    'partitioning_fractional_even',
  ],
  '???',
)

/** Primitives of dcl_tessellator_output_primitive. */
export const TESS_OUTPUT_PRIMITIVE_WORD = enumeration(
  [undefined, 'output_point', 'output_line', 'output_triangle_cw', 'output_triangle_ccw'],
  '',
)

/** Minimum precisions of operands. */
export const MIN_PRECISION_WORD = enumeration([undefined, 'min16f', 'min2_8f', undefined, 'min16i', 'min16u'], 'def32')

/** A global flag: its bit in the GLOBAL_FLAGS control, in the order in which the listing prints them. */
export interface GlobalFlag {
  readonly word: string
  readonly bit: number
}

/** Flags of dcl_globalFlags, in the order in which listings print them. */
export const GLOBAL_FLAG_LIST: readonly GlobalFlag[] = [
  { word: 'refactoringAllowed', bit: 0 },
  { word: 'enableDoublePrecisionFloatOps', bit: 1 },
  { word: 'enableRawAndStructuredBuffers', bit: 3 },
  { word: 'forceEarlyDepthStencil', bit: 2 },
  { word: 'skipOptimization', bit: 4 },
  { word: 'enableMinimumPrecision', bit: 5 },
  { word: 'enable11_1DoubleExtensions', bit: 6 },
  { word: 'enable11_1ShaderExtensions', bit: 7 },
  { word: 'allResourcesBound', bit: 8 },
]

/** Classes of custom data (bits 11 to 31 of the opcode token). */
export const CUSTOM_DATA = {
  comment: 0,
  debugInfo: 1,
  opaque: 2,
  immediateConstantBuffer: 3,
  shaderMessage: 4,
  clipPlaneConstantMappings: 5,
} as const
