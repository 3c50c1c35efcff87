import {
  bindingDimension,
  bindingFormat,
  bindingKindText,
  bindingType,
  type ReflectedBinding,
  type ResourceDefinition,
} from '../../dxbc/index.ts'

/** The columns that every model prints: name, type, format, dimension. */
function description(binding: ReflectedBinding): string {
  const format = bindingFormat(binding).padStart(7)
  return `// ${binding.name.padEnd(30)} ${bindingType(binding).padStart(10)} ${format} ${bindingDimension(binding).padStart(11)}`
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
