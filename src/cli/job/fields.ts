import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'

/**
 * Reads fields of parsed JSON with a complaint at the field's path for whatever is missing or wrong. A reader is of one
 * object; `done` complains of fields that nobody asked for.
 */
export interface Fields {
  readonly path: string
  has(name: string): boolean
  string(name: string): string | undefined
  /** One of some words; matches in any case. */
  word<T extends string>(name: string, words: readonly T[]): T | undefined
  /** A whole number in a range, ends included. */
  integer(name: string, least: number, most: number): number | undefined
  number(name: string): number | undefined
  boolean(name: string): boolean | undefined
  /** Numbers that `fits` accepts. */
  numbers(name: string, fits?: (n: number) => boolean, what?: string): number[] | undefined
  object(name: string): Fields | undefined
  /** One reader for each item of an array of objects. */
  objects(name: string): Fields[]
  /** The raw value; counts as asked for. */
  raw(name: string): unknown
  /** Fields that are only for people. */
  ignore(...names: string[]): void
  require<T>(name: string, value: T | undefined): T | undefined
  complain(name: string, message: string, notes?: readonly string[]): void
  done(): void
  names(): string[]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Edits from one word to another, to suggest a near one. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + same))
    }
    row = next
  }
  return row[b.length]!
}

/** "Did you mean": the nearest known word, when it is near. */
export function suggestion(word: string, known: Iterable<string>): string[] {
  let best: string | undefined
  let least = 3
  for (const k of known) {
    const d = editDistance(word.toLowerCase(), k.toLowerCase())
    if (d < least) {
      least = d
      best = k
    }
  }
  return best === undefined ? [] : [`did you mean ${best}?`]
}

/** A reader of `value`; undefined, after a complaint, when it is no object. */
export function readFields(value: unknown, path: string, out: Diagnostic[]): Fields | undefined {
  if (!isObject(value)) {
    out.push(diagnostic('job-field', `an object is expected, ${show(value)} was given`, { kind: 'path', path }))
    return undefined
  }
  const asked = new Set<string>()
  const at = (name: string): string => `${path}.${name}`
  const complain = (name: string, message: string, notes: readonly string[] = []): void => {
    out.push(diagnostic('job-field', message, { kind: 'path', path: name === '' ? path : at(name) }, notes))
  }
  const take = (name: string): unknown => {
    asked.add(name)
    return value[name]
  }
  /** The value when it passes; undefined when absent or, after a complaint, wrong. */
  const typed = <T>(name: string, fits: (v: unknown) => v is T, what: string): T | undefined => {
    const v = take(name)
    if (v === undefined) return undefined
    if (fits(v)) return v
    complain(name, `${what} is expected, ${show(v)} was given`)
    return undefined
  }
  const isNumber = (v: unknown): v is number => typeof v === 'number' && Number.isFinite(v)
  return {
    path,
    has: (name) => value[name] !== undefined,
    string: (name) => typed(name, (v): v is string => typeof v === 'string', 'a string'),
    word(name, words) {
      const given = typed(name, (v): v is string => typeof v === 'string', `one of ${words.join(', ')}`)
      if (given === undefined) return undefined
      const word = words.find((w) => w.toLowerCase() === given.toLowerCase())
      if (word === undefined) {
        complain(name, `one of ${words.join(', ')} is expected, ${show(given)} was given`, suggestion(given, words))
      }
      return word
    },
    integer: (name, least, most) =>
      typed(
        name,
        (v): v is number => isNumber(v) && Number.isInteger(v) && v >= least && v <= most,
        `a whole number from ${least} to ${most}`,
      ),
    number: (name) => typed(name, isNumber, 'a number'),
    boolean: (name) => typed(name, (v): v is boolean => typeof v === 'boolean', 'true or false'),
    numbers(name, fits = () => true, what = 'numbers') {
      const list = typed(name, (v): v is unknown[] => Array.isArray(v), `an array of ${what}`)
      if (list === undefined) return undefined
      const wrong = list.findIndex((v) => !isNumber(v) || !fits(v))
      if (wrong < 0) return list as number[]
      complain(`${name}[${wrong}]`, `${what} are expected, ${show(list[wrong])} was given`)
      return undefined
    },
    object(name) {
      const v = take(name)
      return v === undefined ? undefined : readFields(v, at(name), out)
    },
    objects(name) {
      const list = typed(name, (v): v is unknown[] => Array.isArray(v), 'an array')
      return (list ?? []).flatMap((v, i) => readFields(v, `${at(name)}[${i}]`, out) ?? [])
    },
    raw: take,
    ignore: (...names) => names.forEach((n) => asked.add(n)),
    require(name, v) {
      if (v === undefined && value[name] === undefined) complain(name, 'the field is missing')
      return v
    },
    complain,
    done() {
      for (const name of Object.keys(value)) {
        if (!asked.has(name)) complain(name, `the field ${name} is not known here`, suggestion(name, asked))
      }
    },
    names: () => Object.keys(value),
  }
}
