/** The part of JSON Schema that the project's schemas use; a keyword that is not known here throws. */
interface Schema {
  readonly [keyword: string]: unknown
}

const ANNOTATIONS = new Set(['$schema', 'title', 'description', 'examples', '$defs'])

function typeFits(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    default:
      throw new Error(`no type ${String(type)}`)
  }
}

type Check = (operand: never, value: never, schema: Schema, fits: (s: Schema, v: unknown) => boolean) => boolean

const isObject = (v: unknown): v is Record<string, unknown> => typeFits('object', v)

const CHECKS: Readonly<Record<string, Check>> = {
  type: (type: unknown, value: unknown) => typeFits(type, value),
  const: (wanted: unknown, value: unknown) => wanted === value,
  enum: (words: unknown[], value: unknown) => words.includes(value),
  minimum: (least: number, value: unknown) => typeof value !== 'number' || value >= least,
  maximum: (most: number, value: unknown) => typeof value !== 'number' || value <= most,
  multipleOf: (unit: number, value: unknown) => typeof value !== 'number' || value % unit === 0,
  pattern: (pattern: string, value: unknown) => typeof value !== 'string' || new RegExp(pattern).test(value),
  minItems: (least: number, value: unknown) => !Array.isArray(value) || value.length >= least,
  maxItems: (most: number, value: unknown) => !Array.isArray(value) || value.length <= most,
  items: (item: Schema, value: unknown, _, fits) => !Array.isArray(value) || value.every((v) => fits(item, v)),
  required: (names: string[], value: unknown) => !isObject(value) || names.every((n) => n in value),
  oneOf: (all: Schema[], value: unknown, _, fits) => all.filter((s) => fits(s, value)).length === 1,
  anyOf: (all: Schema[], value: unknown, _, fits) => all.some((s) => fits(s, value)),
  properties: (properties: Record<string, Schema>, value: unknown, _, fits) =>
    !isObject(value) || Object.entries(properties).every(([name, s]) => !(name in value) || fits(s, value[name])),
  additionalProperties: (rest: false | Schema, value: unknown, schema, fits) => {
    const known = Object.keys((schema.properties ?? {}) as object)
    if (!isObject(value)) return true
    return Object.entries(value).every(([name, v]) => known.includes(name) || (rest !== false && fits(rest, v)))
  },
}

/** Whether a value fits a schema; `root` holds the definitions that `$ref` names. */
export function fitsSchema(root: Schema, value: unknown): boolean {
  const definitions = (root.$defs ?? {}) as Record<string, Schema>
  const fits = (schema: Schema, v: unknown): boolean =>
    Object.entries(schema).every(([keyword, operand]) => {
      if (ANNOTATIONS.has(keyword)) return true
      if (keyword === '$ref') return fits(definitions[(operand as string).replace('#/$defs/', '')]!, v)
      const check = CHECKS[keyword]
      if (check === undefined) throw new Error(`no keyword ${keyword}`)
      return check(operand as never, v as never, schema, fits)
    })
  return fits(root, value)
}
