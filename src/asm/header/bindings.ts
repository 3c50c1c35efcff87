import type { ReflectedBinding, ResourceDefinition } from '../../dxbc/index.ts'

interface KindText {
  readonly type: string
  /** Register letter, and in capitals the letter of the range ID of Shader Model 5.1. */
  readonly register: string
  /** Replaces the dimension. */
  readonly dimension?: string
  /** Replaces the format `mixed`. */
  readonly mixed?: string
}

/** By D3D_SHADER_INPUT_TYPE. */
const KINDS: readonly KindText[] = [
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
const UNKNOWN_KIND: KindText = { type: 'unknown', register: '' }
const TBUFFER = 1
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

export function bindingKindText(binding: ReflectedBinding): KindText {
  return KINDS[binding.kind] ?? UNKNOWN_KIND
}

/** `float4`, `struct`, `NA`: the column Format. */
export function bindingFormat(binding: ReflectedBinding): string {
  const kind = bindingKindText(binding)
  if (binding.kind === TBUFFER || binding.returnType === 0) return 'NA'
  if (binding.returnType === MIXED && kind.mixed !== undefined) return kind.mixed
  const components = ((binding.flags >>> 2) & 3) + 1
  return `${FORMATS[binding.returnType] ?? 'unknown'}${components > 1 ? components : ''}`
}

/** `2d`, `2dMS4`, `r/w+cnt`: the column Dim. */
export function bindingDimension(binding: ReflectedBinding): string {
  const kind = bindingKindText(binding)
  if (kind.dimension !== undefined) return kind.dimension
  const samples = MULTISAMPLED.has(binding.dimension) && binding.sampleCount > 0 ? binding.sampleCount : ''
  return `${DIMENSIONS[binding.dimension] ?? 'unknown'}${samples}`
}

/** The columns that every model prints: name, type, format, dimension. */
function description(binding: ReflectedBinding): string {
  const comparison = binding.kind === 3 && (binding.flags & COMPARISON_SAMPLER) !== 0 ? '_c' : ''
  const type = `${bindingKindText(binding).type}${comparison}`
  const format = bindingFormat(binding).padStart(7)
  return `// ${binding.name.padEnd(30)} ${type.padStart(10)} ${format} ${bindingDimension(binding).padStart(11)}`
}

function row(binding: ReflectedBinding, spaces: boolean): string {
  const { register } = bindingKindText(binding)
  const slot = `${register}${binding.bindPoint}`
  if (!spaces) return `${description(binding)} ${slot.padStart(14)} ${String(binding.bindCount).padStart(6)} `
  const id = `${register.toUpperCase()}${binding.id ?? 0}`.padStart(7)
  const space = binding.space === undefined || binding.space === 0 ? '' : `,space${binding.space}`
  const count = binding.bindCount === 0 ? 'unbounded' : String(binding.bindCount)
  return `${description(binding)} ${id} ${`${slot}${space}`.padStart(14)} ${count.padStart(6)} `
}

/** The section `Resource Bindings`, empty when there are none. */
export function bindingLines(rdef: ResourceDefinition): string[] {
  if (rdef.bindings.length === 0) return []
  const spaces = rdef.majorVersion > 5 || (rdef.majorVersion === 5 && rdef.minorVersion >= 1)
  const id = spaces ? '      ID' : ''
  const idRule = spaces ? '------- ' : ''
  return [
    '// Resource Bindings:',
    '//',
    `// Name                                 Type  Format         Dim${id}      HLSL Bind  Count`,
    `// ------------------------------ ---------- ------- ----------- ${idRule}-------------- ------`,
    ...rdef.bindings.map((binding) => row(binding, spaces)),
    '//',
    '//',
  ]
}
