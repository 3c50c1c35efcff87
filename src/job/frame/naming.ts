/** Names of fields in the two notations: Direct3D's own, and the same in camelCase. */

/** The name of a field, given in camelCase, as a notation has it. */
export type Naming = (name: string) => string

export const CAMEL_CASE: Naming = (name) => name

/** Direct3D's names that do not begin as the camelCase ones with a capital. */
const SPECIAL: Readonly<Record<string, string>> = {
  mipLodBias: 'MipLODBias',
  minLod: 'MinLOD',
  maxLod: 'MaxLOD',
  comparison: 'ComparisonFunc',
}

export const PASCAL_CASE: Naming = (name) => SPECIAL[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`
