/** Checks what callers give to public functions: every maker of the machine, the device and its dispatches use it. */
import type { DiagnosticCode } from './codes/index.ts'
import { type Diagnostic, diagnostic } from './diagnostic.ts'

/** What an argument may be: undefined where the value fits, and otherwise what is expected, in words. */
export type Expectation = (value: unknown) => string | undefined

/** For what is checked elsewhere. */
export const anything: Expectation = () => undefined
export const aBoolean: Expectation = (v) => (typeof v === 'boolean' ? undefined : 'true or false')
export const aNumber: Expectation = (v) => (typeof v === 'number' ? undefined : 'a number')
export const aText: Expectation = (v) => (typeof v === 'string' ? undefined : 'a text')
export const aFunction: Expectation = (v) => (typeof v === 'function' ? undefined : 'a function')
export const anObject: Expectation = (v) => (isRecord(v) ? undefined : 'an object')

/** One of a few words. */
export function oneOf(...words: readonly string[]): Expectation {
  return (v) => (typeof v === 'string' && words.includes(v) ? undefined : `one of ${words.join(', ')}`)
}

/** A number in a range; NaN is in none. */
export function numberFrom(least: number, most: number): Expectation {
  return (v) => (typeof v === 'number' && v >= least && v <= most ? undefined : `a number from ${least} to ${most}`)
}

/** A whole number in a range. */
export function wholeFrom(least: number, most: number): Expectation {
  const fits = (v: unknown): boolean => Number.isInteger(v) && (v as number) >= least && (v as number) <= most
  return (v) => (fits(v) ? undefined : `a whole number from ${least} to ${most}`)
}

const TAGS: ReadonlySet<string> = new Set(['[object ArrayBuffer]', '[object SharedArrayBuffer]'])

/** Bytes: a buffer of JavaScript or a view of one. Lists of numbers are none, since their type is not known. */
export const bytesExpected: Expectation = (v) => {
  // By tag and not by instance: buffers of other realms are buffers too.
  if (ArrayBuffer.isView(v) || TAGS.has(Object.prototype.toString.call(v))) return undefined
  return 'an ArrayBuffer, a SharedArrayBuffer or a typed array'
}

/** Whether a value is an object with named fields: no list, no function, not null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_CHARACTERS = 60

/** A value as messages show it: short, whatever it is. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MAX_CHARACTERS))
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value))
    return value.length <= 4 && value.every((v) => typeof v === 'number') ? `[${value}]` : 'a list'
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return name === 'Object' ? 'an object' : `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
}

/**
 * Checks the named arguments of a call: nothing but the fields that it has, each as expected where it is given. `what`
 * names the call in messages, `code` is what its findings have; `required` fields must be given.
 */
export function checkArguments(
  code: DiagnosticCode,
  what: string,
  given: unknown,
  fields: Readonly<Record<string, Expectation>>,
  required: readonly string[] = [],
): Diagnostic[] {
  if (!isRecord(given)) return [diagnostic(code, `${what} takes an object of options; ${showValue(given)} was given`)]
  const found: Diagnostic[] = []
  for (const name of Object.keys(given)) {
    const value = given[name]
    const isField = Object.hasOwn(fields, name)
    const expected = isField && value !== undefined ? fields[name]!(value) : undefined
    if (isField && expected === undefined) continue
    const place = { kind: 'path', path: name } as const
    if (!isField) {
      const notes = [`it has ${Object.keys(fields).join(', ')}`]
      found.push(diagnostic(code, `${what} has no option ${JSON.stringify(name)}`, place, notes))
      continue
    }
    found.push(diagnostic(code, `${what}: ${name} is ${showValue(value)}; it must be ${expected}`, place))
  }
  for (const name of required) {
    if (given[name] !== undefined) continue
    const text = `${what}: ${name} is missing; it must be ${fields[name]!(undefined)}`
    found.push(diagnostic(code, text, { kind: 'path', path: name }))
  }
  return found
}

/** What readers of shaders say of callers without types: undefined where the argument is what the call takes. */
export function argumentFault(call: string, takes: string, given: unknown, fits: boolean): Diagnostic | undefined {
  return fits ? undefined : diagnostic('argument-type', `${call} takes ${takes}; ${showValue(given)} was given`)
}

/** Whether a value is a Uint8Array: by tag and not by instance, since arrays of other realms are arrays too. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]'
}

/** The same of calls that take the bytes of a shader. */
export function bytesFault(call: string, given: unknown): Diagnostic | undefined {
  return argumentFault(call, 'bytes as a Uint8Array', given, isBytes(given))
}

/** Drops members that are undefined, so that they count as absent. */
export function present<T extends object>(o: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined)) as never
}
