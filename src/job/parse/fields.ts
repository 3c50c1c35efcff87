import { type DiagnosticCode, type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import { suggestion } from './suggest.ts'

/**
 * Reads the fields of one object of parsed JSON, with a diagnostic at the field's path for whatever is missing or wrong.
 * Readers give undefined for what is absent and for what is wrong; `done` reports fields that were never read.
 */
export interface Fields {
  readonly path: string
  has(name: string): boolean
  text(name: string): string | undefined
  /** A text of letters, digits and underscores: names that go into a command line. */
  identifier(name: string): string | undefined
  /** One of some words, in any case; with a prefix or without, where there is one. */
  word<T extends string>(name: string, words: readonly T[], prefix?: string): T | undefined
  /** A whole number in a range, ends included. */
  whole(name: string, least: number, most: number): number | undefined
  number(name: string): number | undefined
  flag(name: string): boolean | undefined
  object(name: string): Fields | undefined
  /** One reader for each item of an array of objects. */
  objects(name: string): Fields[]
  /** An array, its items unread. */
  list(name: string): readonly unknown[] | undefined
  /** An array as fields `name[0]`, `name[1]` and so on of one reader, for items of several types. */
  entries(name: string): Fields | undefined
  /** The value as it is; the field counts as read. */
  raw(name: string): unknown
  /** Fields that are for people or for other tools. */
  ignore(...names: string[]): void
  /** Complains when the field is absent. */
  require<T>(name: string, value: T | undefined): T | undefined
  report(code: DiagnosticCode, name: string, message: string, notes?: readonly string[]): void
  names(): string[]
  done(): void
}

/** A JSON path one member, or one `member[index]`, further: `$.a.b`, `$.a[3]`, `$.a["x y"]`. Flags have no path before them. */
export function memberPath(path: string, name: string): string {
  if (path === '') return name
  return /^[A-Za-z_$][\w$]*(?:\[\d+\])*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`
}

/** Whether at most one of the fields is given. Complains of the second and takes all as read otherwise. */
export function atMostOne(f: Fields, what: string, names: readonly string[]): boolean {
  const given = names.filter((name) => f.has(name))
  if (given.length <= 1) return true
  f.report('job-out-of-range', given[1]!, `${what} are given once; ${given.join(' and ')} were given`)
  f.ignore(...given)
  return false
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_SHOWN = 60
/** Of more words than these only near ones are named. */
const MAX_LISTED = 20

/** A JSON value in a message, cut short. */
export function show(value: unknown): string {
  if (Array.isArray(value) && value.length > 8) return `an array of ${value.length}`
  const text = JSON.stringify(value) ?? String(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}...` : text
}

const isNumber = (v: unknown): v is number => typeof v === 'number' && Number.isFinite(v)
const isText = (v: unknown): v is string => typeof v === 'string'
const isFlag = (v: unknown): v is boolean => typeof v === 'boolean'
const isList = (v: unknown): v is unknown[] => Array.isArray(v)

function quote(words: readonly string[]): string {
  return words.map((w) => `"${w}"`).join(', ')
}

/** Values that depend on the rules of one field; the rest of `Fields` is bookkeeping. */
function readers(
  take: (name: string) => unknown,
  report: Fields['report'],
): Pick<Fields, 'text' | 'identifier' | 'word' | 'whole' | 'number' | 'flag' | 'list'> {
  const typed = <T>(name: string, fits: (v: unknown) => v is T, what: string): T | undefined => {
    const v = take(name)
    if (v === undefined) return undefined
    if (fits(v)) return v
    report('job-wrong-type', name, `${what} is expected; ${show(v)} was given`)
    return undefined
  }
  return {
    text: (name) => typed(name, isText, 'a text'),
    identifier(name) {
      const given = typed(name, isText, 'a name')
      if (given === undefined || /^\w+$/.test(given)) return given
      report('job-out-of-range', name, `letters, digits and underscores are expected; ${show(given)} was given`)
      return undefined
    },
    number: (name) => typed(name, isNumber, 'a number'),
    flag: (name) => typed(name, isFlag, 'true or false'),
    list: (name) => typed(name, isList, 'an array'),
    word(name, words, prefix = '') {
      const given = typed(name, isText, `one of ${quote(words)}`)
      const bare = given?.toLowerCase().replace(prefix.toLowerCase(), '')
      const word = words.find((w) => w.toLowerCase() === bare)
      if (given !== undefined && word === undefined) {
        const near = suggestion(given, words)
        // A list of dozens is read only where no word is near.
        const choice = words.length > MAX_LISTED && near.length > 0 ? 'a known word' : `one of ${quote(words)}`
        report('job-out-of-range', name, `${choice} is expected; ${show(given)} was given`, near)
      }
      return word
    },
    whole(name, least, most) {
      const n = typed(name, isNumber, `a whole number from ${least} to ${most}`)
      if (n === undefined || (Number.isInteger(n) && n >= least && n <= most)) return n
      report('job-out-of-range', name, `a whole number from ${least} to ${most} is expected; ${n} was given`)
      return undefined
    },
  }
}

/** A reader of `value`; undefined, after a complaint, where it is no object. */
export function fieldsOf(value: unknown, path: string, out: DiagnosticSink): Fields | undefined {
  if (!isObject(value)) {
    out.push(diagnostic('job-wrong-type', `an object is expected; ${show(value)} was given`, { kind: 'path', path }))
    return undefined
  }
  const requested = new Set<string>()
  const report: Fields['report'] = (code, name, message, notes = []) => {
    const place = { kind: 'path', path: name === '' ? path : memberPath(path, name) } as const
    out.push(diagnostic(code, message, place, notes))
  }
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  const take = (name: string): unknown => {
    requested.add(name)
    return own(name)
  }
  const read = readers(take, report)
  return {
    path,
    ...read,
    report,
    raw: take,
    has: (name) => own(name) !== undefined,
    names: () => Object.keys(value),
    ignore(...names) {
      for (const name of names) requested.add(name)
    },
    object(name) {
      const v = take(name)
      return v === undefined ? undefined : fieldsOf(v, memberPath(path, name), out)
    },
    objects: (name) =>
      (read.list(name) ?? []).flatMap((v, i) => fieldsOf(v, `${memberPath(path, name)}[${i}]`, out) ?? []),
    entries(name) {
      const list = read.list(name)
      const named = list?.map((v, i) => [`${name}[${i}]`, v] as const)
      return named === undefined ? undefined : fieldsOf(Object.fromEntries(named), path, out)
    },
    require(name, v) {
      requested.add(name)
      if (own(name) === undefined) report('job-missing-field', name, 'the field is missing')
      return v
    },
    done() {
      for (const name of Object.keys(value)) {
        if (requested.has(name)) continue
        const notes = suggestion(name, requested)
        const known =
          notes.length > 0 ? notes : [`known here: ${[...requested].filter((n) => n !== '$schema').join(', ')}`]
        report('job-unknown-field', name, `there is no field ${show(name)} here`, known)
      }
    },
  }
}
