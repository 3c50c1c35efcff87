import { appendAll } from '../../diagnostic/index.ts'
import {
  type ClassInstance,
  type ClassType,
  type InterfaceData,
  type InterfaceSlots,
  NO_SLOT,
} from '../../dxbc/index.ts'

const RULE = '// +----------+---------+---------------------------------------'

function slot(value: number): string {
  return value === NO_SLOT ? '-' : String(value)
}

function typeRow(type: ClassType, id: number): string {
  const columns = [
    type.name.padEnd(30),
    String(id).padStart(4),
    String(type.constantBufferStride).padStart(9),
    String(type.textureCount).padStart(7),
    String(type.samplerCount).padStart(7),
  ]
  return `// ${columns.join(' ')}`
}

function instanceRow(instance: ClassInstance): string {
  const name = instance.elementCount > 1 ? `${instance.name}[${instance.elementCount}]` : instance.name
  const columns = [
    name.padEnd(27),
    String(instance.typeId).padStart(4),
    slot(instance.constantBuffer).padStart(2),
    slot(instance.constantBufferOffset).padStart(9),
    slot(instance.texture).padStart(7),
    slot(instance.sampler).padStart(7),
  ]
  return `// ${columns.join(' ')}`
}

function slotRows(run: InterfaceSlots, first: number): string[] {
  const last = first + run.slotCount - 1
  const range = run.slotCount > 1 ? `${first}-${last}` : String(first)
  const ids = (numbers: readonly number[]) => numbers.map((n) => String(n).padEnd(5)).join('')
  return [
    `// | Type ID  |   ${range.padEnd(5)} |${ids(run.entries.map((entry) => entry.typeId))}`,
    `// | Table ID |         |${ids(run.entries.map((entry) => entry.tableId))}`,
    RULE,
  ]
}

/** Class types, class instances and interface slots, with the `//` in front. */
export function linkageLines(data: InterfaceData): string[] {
  const lines = [
    '//',
    '// Available Class Types:',
    '//',
    '// Name                             ID CB Stride Texture Sampler',
    '// ------------------------------ ---- --------- ------- -------',
    ...data.types.map(typeRow),
    '//',
  ]
  if (data.instances.length > 0) {
    appendAll(lines, [
      '// Available Class Instances:',
      '//',
      '// Name                        Type CB CB Offset Texture Sampler',
      '// --------------------------- ---- -- --------- ------- -------',
      ...data.instances.map(instanceRow),
      '//',
    ])
  }
  lines.push(`// Interface slots, ${data.slotCount} total:`, '//', '//             Slots', RULE)
  let first = 0
  for (const run of data.slots) {
    appendAll(lines, slotRows(run, first))
    first += run.slotCount
  }
  return lines
}
