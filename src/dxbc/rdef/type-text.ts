import { type ReflectedBinding, type ReflectedType, TYPE_CLASS } from './model.ts'

/** The HLSL names of the basic types (D3D_SHADER_VARIABLE_TYPE). */
const BASIC_TYPES = new Map<number, string>([
  [0, 'void'],
  [1, 'bool'],
  [2, 'int'],
  [3, 'float'],
  [4, 'string'],
  [19, 'uint'],
  [20, 'uint8'],
  [39, 'double'],
  [52, 'min8float'],
  [53, 'min10float'],
  [54, 'min16float'],
  [55, 'min12int'],
  [56, 'min16int'],
  [57, 'min16uint'],
])

/** A type without its array size, as HLSL text: `float4`, `row_major float3x4`, `struct Light`, `interface IWave`. */
export function typeText(type: ReflectedType): string {
  const base = BASIC_TYPES.get(type.base) ?? type.name ?? 'void'
  switch (type.class) {
    case TYPE_CLASS.vector:
      return `${base}${type.columns}`
    case TYPE_CLASS.matrixRows:
      return `row_major ${base}${type.rows}x${type.columns}`
    case TYPE_CLASS.matrixColumns:
      return `${base}${type.rows}x${type.columns}`
    case TYPE_CLASS.struct:
      // Shader Model 4 does not keep the names of structures (cs/cb_types.sm40).
      return type.name === undefined ? 'struct' : `struct ${type.name}`
    case TYPE_CLASS.interfaceClass:
    case TYPE_CLASS.interfacePointer:
      return `interface ${type.name ?? ''}`
    default:
      return base
  }
}

/** What the columns of fxc's table of bindings say for a D3D_SHADER_INPUT_TYPE. */
interface BindingKindText {
  readonly type: string
  /** Letter of the register; in capitals that of the range ID of Shader Model 5.1. */
  readonly register: string
  /** Replaces the dimension. */
  readonly dimension?: string
  /** Replaces the format `mixed`. */
  readonly mixed?: string
}

const KINDS: readonly BindingKindText[] = [
  { type: 'cbuffer', register: 'cb' },
  { type: 'tbuffer', register: 't', dimension: 'NA' },
  { type: 'texture', register: 't' },
  { type: 'sampler', register: 's' },
  { type: 'UAV', register: 'u' },
  { type: 'texture', register: 't', dimension: 'r/o', mixed: 'struct' },
  { type: 'UAV', register: 'u', dimension: 'r/w', mixed: 'struct' },
  { type: 'texture', register: 't', dimension: 'r/o', mixed: 'byte' },
  { type: 'UAV', register: 'u', dimension: 'r/w', mixed: 'byte' },
  { type: 'UAV', register: 'u', dimension: 'append', mixed: 'struct' },
  { type: 'UAV', register: 'u', dimension: 'consume', mixed: 'struct' },
  { type: 'UAV', register: 'u', dimension: 'r/w+cnt', mixed: 'struct' },
]
const UNKNOWN_KIND: BindingKindText = { type: 'unknown', register: '' }
const TBUFFER = 1
const SAMPLER = 3
const COMPARISON_SAMPLER = 2

/** By D3D_RESOURCE_RETURN_TYPE. */
const FORMATS = ['NA', 'unorm', 'snorm', 'sint', 'uint', 'float', 'mixed', 'double', '<continued>'] as const
const MIXED = 6
/** By D3D_SRV_DIMENSION. */
const DIMENSIONS = [
  'NA',
  'buf',
  '1d',
  '1darray',
  '2d',
  '2darray',
  '2dMS',
  '2darrayMS',
  '3d',
  'cube',
  'cubearray',
] as const
const MULTISAMPLED: ReadonlySet<number> = new Set([6, 7])

export function bindingKindText(binding: ReflectedBinding): BindingKindText {
  return KINDS[binding.kind] ?? UNKNOWN_KIND
}

/** `texture`, `sampler_c`: fxc's column Type. */
export function bindingType(binding: ReflectedBinding): string {
  const comparison = binding.kind === SAMPLER && (binding.flags & COMPARISON_SAMPLER) !== 0
  return comparison ? 'sampler_c' : bindingKindText(binding).type
}

/** `float4`, `struct`, `NA`: fxc's column Format. */
export function bindingFormat(binding: ReflectedBinding): string {
  const kind = bindingKindText(binding)
  if (binding.kind === TBUFFER || binding.returnType === 0) return 'NA'
  if (binding.returnType === MIXED && kind.mixed !== undefined) return kind.mixed
  const components = ((binding.flags >>> 2) & 3) + 1
  return `${FORMATS[binding.returnType] ?? 'unknown'}${components > 1 ? components : ''}`
}

/** `2d`, `2dMS4`, `r/w+cnt`: fxc's column Dim. */
export function bindingDimension(binding: ReflectedBinding): string {
  const kind = bindingKindText(binding)
  if (kind.dimension !== undefined) return kind.dimension
  const samples = MULTISAMPLED.has(binding.dimension) && binding.sampleCount > 0 ? binding.sampleCount : ''
  return `${DIMENSIONS[binding.dimension] ?? 'unknown'}${samples}`
}
