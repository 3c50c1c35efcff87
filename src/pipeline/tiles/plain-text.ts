/** Plain data as text, and back: numbers that JSON has no words for too. Typed arrays become arrays. */

interface SpecialNumber {
  readonly number: string
}

const isSpecial = (value: unknown): value is SpecialNumber =>
  typeof value === 'object' && value !== null && 'number' in value && typeof value.number === 'string'

export const printPlain = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => {
    if (typeof v === 'number' && (!Number.isFinite(v) || Object.is(v, -0))) {
      return { number: Object.is(v, -0) ? '-0' : String(v) }
    }
    return ArrayBuffer.isView(v) ? Array.from(v as Int32Array) : v
  })

export const parsePlain = (text: string): unknown =>
  JSON.parse(text, (_, v: unknown) => (isSpecial(v) ? Number(v.number) : v))
