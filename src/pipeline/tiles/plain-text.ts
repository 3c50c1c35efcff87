/** Plain data as text, and back: numbers that JSON has no words for too. Typed arrays become arrays. */

interface SpecialNumber {
  readonly number: string
}

const isSpecial = (value: unknown): value is SpecialNumber =>
  typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'string'

/** What the text of a special number contains, and hardly any other text. */
const SPECIAL_TEXT = '{"number":"'

const isPlainNumber = (v: number): boolean => Number.isFinite(v) && !Object.is(v, -0)

/** The value where JSON has words for all of it, or one that says the same. */
function jsonOf(value: unknown): unknown {
  if (typeof value === 'number') {
    if (isPlainNumber(value)) return value
    return { number: Object.is(value, -0) ? '-0' : String(value) }
  }
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return jsonOf(Array.from(value as Int32Array))
  if (Array.isArray(value)) return jsonOfArray(value)
  return jsonOfObject(value as Readonly<Record<string, unknown>>)
}

function jsonOfArray(value: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined
  for (let i = 0; i < value.length; i++) {
    const made = jsonOf(value[i])
    if (made === value[i]) continue
    copy ??= value.slice()
    copy[i] = made
  }
  return copy ?? value
}

function jsonOfObject(value: Readonly<Record<string, unknown>>): object {
  let copy: Record<string, unknown> | undefined
  for (const key in value) {
    const made = jsonOf(value[key])
    if (made === value[key]) continue
    copy ??= { ...value }
    copy[key] = made
  }
  return copy ?? value
}

/** A function that looks at each value would make this several times slower: few values need it. */
export const printPlain = (value: unknown): string => JSON.stringify(jsonOf(value))

export const parsePlain = (text: string): unknown =>
  text.includes(SPECIAL_TEXT)
    ? JSON.parse(text, (_, v: unknown) => (isSpecial(v) ? Number(v.number) : v))
    : JSON.parse(text)
