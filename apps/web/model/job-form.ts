/** A run description as a form has it: resources with their contents, changed field by field. */
import { descriptionText } from '../../../src/job/text/index.ts'

type Fields = Record<string, unknown>
const isFields = (x: unknown): x is Fields => typeof x === 'object' && x !== null && !Array.isArray(x)

/** How contents are given: generators with their arguments, values, files. */
export const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  zero: [],
  'fill-u32': ['value'],
  'lcg-u32': ['seed'],
  'lcg-f32': ['seed', 'lo', 'hi'],
  'ramp-u32': ['start', 'step'],
  'ramp-f32': ['start', 'step'],
  words: ['data'],
  floats: ['data'],
  texels: ['data'],
  structures: ['data'],
  png: ['path'],
  file: ['path'],
}

const DEFAULTS: Readonly<Record<string, unknown>> = {
  value: 0,
  seed: 1,
  lo: 0,
  hi: 1,
  start: 0,
  step: 1,
  data: [0],
  path: '',
}

/** Contents that stand beside the other fields of a resource instead of in `init`. */
const SHORT_FORMS = ['words', 'floats', 'texels', 'values', 'structures', 'hex', 'file', 'png']
/** Fields of a resource that have inputs of their own. */
const SIZE_FIELDS = [
  'kind',
  'format',
  'width',
  'height',
  'depth',
  'mipLevels',
  'arraySize',
  'stride',
  'size',
  'filter',
  'address',
]

/** One field of a resource: a text that is JSON, or plain words. */
export interface FormField {
  readonly name: string
  readonly value: unknown
}

export interface FormResource {
  /** Where it stands in the description: a number, or a name. */
  readonly key: string
  readonly title: string
  readonly comment: string
  readonly fields: readonly FormField[]
  /** Constants by name; their own inputs. */
  readonly constants: readonly FormField[] | undefined
  /** A name of GENERATORS, or another that the form leaves alone. */
  readonly contents: string | undefined
  readonly arguments: readonly FormField[]
}

interface JobForm {
  /** Groups of the only dispatch; of frames absent. */
  readonly dispatch: readonly unknown[] | undefined
  readonly resources: readonly FormResource[]
}

function contentsOf(resource: Fields): Pick<FormResource, 'contents' | 'arguments' | 'constants'> {
  const values = resource.values
  if (isFields(values)) {
    const constants = Object.entries(values).map(([name, value]) => ({ name, value }))
    return { contents: undefined, arguments: [], constants }
  }
  const { init } = resource
  if (isFields(init)) {
    const kind = String(init.kind)
    const names = GENERATORS[kind] ?? Object.keys(init).filter((n) => n !== 'kind')
    return {
      contents: kind,
      arguments: names.map((name) => ({ name, value: init[name] ?? DEFAULTS[name] })),
      constants: undefined,
    }
  }
  const short = SHORT_FORMS.find((name) => name in resource)
  if (short !== undefined) {
    const name = short === 'png' || short === 'file' ? 'path' : 'data'
    return { contents: short, arguments: [{ name, value: resource[short] }], constants: undefined }
  }
  const hasContents = resource.kind !== 'sampler' && resource.same === undefined
  return { contents: hasContents ? 'zero' : undefined, arguments: [], constants: undefined }
}

function formResource(key: string, resource: Fields): FormResource {
  const slot = typeof resource.slot === 'string' ? resource.slot : key
  const comment = typeof resource.comment === 'string' ? resource.comment : ''
  const fields = SIZE_FIELDS.filter((name) => name in resource).map((name) => ({ name, value: resource[name] }))
  return { key, title: slot, comment, fields, ...contentsOf(resource) }
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

const resourcesOf = (job: Fields): readonly (readonly [string, Fields])[] =>
  Object.entries(isFields(job.resources) || Array.isArray(job.resources) ? job.resources : {}).filter(
    (entry): entry is [string, Fields] => isFields(entry[1]),
  )

/** The form of a description; undefined where the text is no JSON object. */
export function jobForm(text: string): JobForm | undefined {
  const job = parsed(text)
  if (job === undefined) return undefined
  const dispatch = Array.isArray(job.dispatch) && job.dispatch.length === 3 ? (job.dispatch as unknown[]) : undefined
  return { dispatch, resources: resourcesOf(job).map(([key, r]) => formResource(key, r)) }
}

/** What people typed: JSON where it is some, lists without brackets too, else words. */
export function typedValue(text: string): unknown {
  const trimmed = text.trim()
  for (const candidate of [trimmed, `[${trimmed}]`]) {
    try {
      return JSON.parse(candidate)
    } catch {
      // Not JSON in this form.
    }
  }
  return trimmed
}

/** How a value stands in an input. */
export const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

type Edit =
  | { readonly kind: 'dispatch'; readonly axis: number; readonly value: unknown }
  | {
      readonly kind: 'field' | 'constant' | 'argument'
      readonly key: string
      readonly name: string
      readonly value: unknown
    }
  | { readonly kind: 'contents'; readonly key: string; readonly value: string }

function withoutContents(resource: Fields): Fields {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => name !== 'init' && !SHORT_FORMS.includes(name)))
}

function editedResource(resource: Fields, edit: Exclude<Edit, { kind: 'dispatch' }>): Fields {
  switch (edit.kind) {
    case 'field':
      return { ...resource, [edit.name]: edit.value }
    case 'constant':
      return { ...resource, values: { ...(resource.values as Fields), [edit.name]: edit.value } }
    case 'contents': {
      const names = GENERATORS[edit.value] ?? []
      const init = Object.fromEntries([['kind', edit.value], ...names.map((n) => [n, DEFAULTS[n]])])
      return { ...withoutContents(resource), ...(edit.value === 'zero' ? {} : { init }) }
    }
    case 'argument': {
      const { contents, arguments: all } = contentsOf(resource)
      const init = Object.fromEntries([
        ['kind', contents],
        ...all.map((a) => [a.name, a.name === edit.name ? edit.value : a.value]),
      ])
      return { ...withoutContents(resource), init }
    }
  }
}

/** The description after an edit of the form; the same text where it is no JSON. */
export function editJob(text: string, edit: Edit): string {
  const job = parsed(text)
  if (job === undefined) return text
  if (edit.kind === 'dispatch') {
    const dispatch = (job.dispatch as unknown[]).map((n, axis) => (axis === edit.axis ? edit.value : n))
    return descriptionText({ ...job, dispatch })
  }
  const entries = Object.entries(job.resources as Fields).map(([key, r]) =>
    key === edit.key && isFields(r) ? ([key, editedResource(r, edit)] as const) : ([key, r] as const),
  )
  const resources = Array.isArray(job.resources) ? entries.map(([, r]) => r) : Object.fromEntries(entries)
  return descriptionText({ ...job, resources })
}
