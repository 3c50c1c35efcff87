/** JSON that people read: lists and objects that fit a line stand in one. */

const WIDTH = 110

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, v]) => `${JSON.stringify(name)}: ${oneLine(v)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** A value as JSON, indented by two spaces. */
export function jsonText(value: unknown, indent = ''): string {
  const short = oneLine(value)
  if (indent !== '' && indent.length + short.length <= WIDTH) return short
  const deeper = `${indent}  `
  if (Array.isArray(value) && value.length > 0)
    return `[\n${value.map((v) => deeper + jsonText(v, deeper)).join(',\n')}\n${indent}]`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return short
  const fields = Object.entries(value).map(([name, v]) => `${deeper}${JSON.stringify(name)}: ${jsonText(v, deeper)}`)
  return `{\n${fields.join(',\n')}\n${indent}}`
}
