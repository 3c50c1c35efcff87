/** Columns that a list or an object may fill on a line of its own. */
const WIDTH = 110

/** Named parts of a description whose members have a line each. */
const LISTED: ReadonlySet<string> = new Set(['resources', 'shaders', 'pipelines', 'bind'])

/** JSON on one line, with spaces where people put them. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, v]) => `${JSON.stringify(name)}: ${inLine(v)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Whether a value has a line for each of its parts: lists of objects, parts that are named, and objects that are too wide. */
function hasLines(key: string, value: unknown, indent: string): boolean {
  if (Array.isArray(value)) return value.some((v) => typeof v === 'object')
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return false
  return indent === '' || LISTED.has(key) || indent.length + inLine(value).length > WIDTH
}

function textOf(key: string, value: unknown, indent: string): string {
  if (!hasLines(key, value, indent)) return inLine(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((v) => inner + textOf('', v, inner)).join(',\n')}\n${indent}]`
  const members = Object.entries(value as object).map(([name, v]) => {
    return `${inner}${JSON.stringify(name)}: ${textOf(name, v, inner)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

/** A run description as JSON: each resource, shader and command on a line of its own where it fits. */
export function descriptionText(description: object): string {
  return textOf('', description, '')
}
