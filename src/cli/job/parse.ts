import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../../diagnostic/index.ts'
import type { ClassInstance } from '../../engine/index.ts'
import {
  DEFAULT_SCHEDULE,
  MAX_GROUPS_PER_DIMENSION,
  MAX_RESOURCE_BYTE_LENGTH,
  parseSlot,
  type Schedule,
  type TextureDimension,
  UNDEFINED_POLICIES,
  WAVE_WIDTHS,
  type WaveWidth,
} from '../../machine/index.ts'
import { type Fields, readFields, suggestion } from './fields.ts'
import type { Expected, Init, Job, JobCheck, JobOptions, JobResource, JobView } from './model.ts'

const U32_MAX = 0xffffffff
const isU32 = (n: number): boolean => Number.isInteger(n) && n >= 0 && n <= U32_MAX

/** Drops fields that are undefined, so that they count as absent. */
function present<T extends object>(o: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined)) as never
}

const INIT_KINDS = [
  'zero',
  'fill-u32',
  'lcg-u32',
  'lcg-f32',
  'u32',
  'i32',
  'f32',
  'f64',
  'u8',
  'file',
  'image',
] as const

function valuesFit(kind: 'u32' | 'i32' | 'f32' | 'f64' | 'u8'): [(n: number) => boolean, string] {
  switch (kind) {
    case 'u32':
      return [isU32, 'whole numbers from 0 to 4294967295']
    case 'i32':
      return [(n) => Number.isInteger(n) && n >= -0x80000000 && n <= 0x7fffffff, 'whole numbers of 32 bits']
    case 'u8':
      return [(n) => Number.isInteger(n) && n >= 0 && n <= 255, 'whole numbers from 0 to 255']
    case 'f32':
    case 'f64':
      return [() => true, 'numbers']
  }
}

function parseInit(f: Fields | undefined): Init {
  const kind = f?.require('kind', f.word('kind', INIT_KINDS)) ?? 'zero'
  if (f === undefined) return { kind: 'zero' }
  let init: Init = { kind: 'zero' }
  switch (kind) {
    case 'zero':
      break
    case 'fill-u32':
      init = { kind, value: f.require('value', f.integer('value', 0, U32_MAX)) ?? 0 }
      break
    case 'lcg-u32':
      init = { kind, seed: f.require('seed', f.integer('seed', 0, U32_MAX)) ?? 0 }
      break
    case 'lcg-f32': {
      const seed = f.require('seed', f.integer('seed', 0, U32_MAX)) ?? 0
      init = { kind, seed, lo: f.require('lo', f.number('lo')) ?? 0, hi: f.require('hi', f.number('hi')) ?? 0 }
      break
    }
    case 'file':
      init = {
        kind,
        file: f.require('file', f.string('file')) ?? '',
        byteOffset: f.integer('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0,
      }
      break
    case 'image':
      init = { kind, file: f.require('file', f.string('file')) ?? '' }
      break
    default: {
      const [fits, what] = valuesFit(kind)
      init = { kind, values: f.require('values', f.numbers('values', fits, what)) ?? [] }
    }
  }
  f.done()
  return init
}

const COUNT_FIELDS = [
  'firstElement',
  'elementCount',
  'mostDetailedMip',
  'mipLevels',
  'mipSlice',
  'firstArraySlice',
  'arraySize',
] as const

type CompleteView = JobView & { readonly stride?: number; readonly raw?: boolean }

function parseView(f: Fields | undefined): CompleteView {
  if (f === undefined) return {}
  const counts = Object.fromEntries(COUNT_FIELDS.map((name) => [name, f.integer(name, 0, MAX_RESOURCE_BYTE_LENGTH)]))
  const view = present({
    ...counts,
    format: f.string('format'),
    dimension: f.string('dimension'),
    stride: f.integer('stride', 4, 2048),
    raw: f.boolean('raw'),
  })
  f.done()
  return view as CompleteView
}

function bufferBase(f: Fields, slot: string) {
  const size = f.integer('size', 1, MAX_RESOURCE_BYTE_LENGTH)
  const init = parseInit(f.object('init'))
  if (size === undefined && !f.has('size') && init.kind !== 'file' && !('values' in init)) {
    f.complain('size', 'the field is missing: the initial contents do not say how many bytes there are')
  }
  return { slot, init, view: parseView(f.object('view')), ...(size === undefined ? {} : { size }) }
}

function parseStructured(f: Fields, slot: string): JobResource {
  const base = bufferBase(f, slot)
  const stride = f.require('stride', f.integer('stride', 4, 2048)) ?? 4
  const counter = f.integer('counter', -1, U32_MAX)
  const append = f.boolean('append') ?? false
  return { ...base, kind: 'structured', stride, append, ...(counter === undefined ? {} : { counter }) }
}

const TEXTURE_KINDS: Readonly<Record<string, { dimension: TextureDimension; sampleCount?: number }>> = {
  texture1d: { dimension: 'texture1d' },
  texture2d: { dimension: 'texture2d' },
  texture2dms: { dimension: 'texture2d' },
  texture3d: { dimension: 'texture3d' },
  texturecube: { dimension: 'texturecube' },
}

function parseTexture(f: Fields, slot: string, dimension: TextureDimension): JobResource {
  const init = parseInit(f.object('init'))
  const extent = (name: string): number | undefined => f.integer(name, 1, 16384)
  const width = extent('width')
  if (init.kind !== 'image') f.require('width', width)
  const shape = present({
    width,
    height: extent('height'),
    depth: extent('depth'),
    arraySize: extent('arraySize'),
    mipLevels: f.integer('mipLevels', 0, 15),
    sampleCount: f.integer('sampleCount', 1, 16),
  })
  const format = f.require('format', f.string('format')) ?? ''
  return { slot, kind: 'texture', dimension, format, init, view: parseView(f.object('view')), ...shape }
}

/** Words of a constant buffer: 32-bit values, negative ones as two's complement; `floats` is the other way to say it. */
function parseConstants(f: Fields, slot: string): JobResource {
  f.ignore('fields')
  const fits = (n: number): boolean => Number.isInteger(n) && n >= -0x80000000 && n <= U32_MAX
  const words = f.numbers('words', fits, 'whole numbers of 32 bits')
  const floats = f.numbers('floats')
  if (words === undefined && floats === undefined && !f.has('words') && !f.has('floats')) {
    f.complain('words', 'the field is missing')
  }
  const bits = floats === undefined ? (words ?? []) : Array.from(new Uint32Array(Float32Array.from(floats).buffer))
  const range = present({
    byteOffset: f.integer('byteOffset', 0, 65536),
    byteLength: f.integer('byteLength', 0, 65536),
  })
  return { slot, kind: 'cbuffer', words: bits, ...range }
}

function parseSampler(f: Fields, slot: string): JobResource {
  const border = f.numbers('borderColor')
  const options = present({
    filter: f.string('filter'),
    address: f.string('address'),
    addressU: f.string('addressU'),
    addressV: f.string('addressV'),
    addressW: f.string('addressW'),
    comparison: f.string('comparison'),
    mipLodBias: f.number('mipLodBias'),
    minLod: f.number('minLod'),
    maxLod: f.number('maxLod'),
    maxAnisotropy: f.integer('maxAnisotropy', 0, 16),
    borderColor: border,
  })
  return { slot, kind: 'sampler', options }
}

const RESOURCE_KINDS = [
  'structured',
  'raw',
  'typed',
  'cbuffer',
  'sampler',
  'same',
  ...Object.keys(TEXTURE_KINDS),
] as const

function parseResource(f: Fields): JobResource | undefined {
  const slot = f.require('slot', f.string('slot')) ?? ''
  if (slot !== '' && parseSlot(slot) === undefined) {
    f.complain('slot', `${JSON.stringify(slot)} is not a slot; write t0, u0, b0, s0, or t0,space1`)
  }
  const kind = f.require('kind', f.word('kind', RESOURCE_KINDS))
  if (kind === undefined) return undefined
  const resource = parseKind(f, slot, kind)
  f.done()
  return resource
}

function parseKind(f: Fields, slot: string, kind: string): JobResource {
  switch (kind) {
    case 'structured':
      return parseStructured(f, slot)
    case 'raw':
      return { ...bufferBase(f, slot), kind }
    case 'typed':
      return { ...bufferBase(f, slot), kind, format: f.require('format', f.string('format')) ?? '' }
    case 'cbuffer':
      return parseConstants(f, slot)
    case 'sampler':
      return parseSampler(f, slot)
    case 'same':
      return { slot, kind, of: f.require('of', f.string('of')) ?? '', view: parseView(f.object('view')) }
    default:
      return parseTexture(f, slot, TEXTURE_KINDS[kind]!.dimension)
  }
}

const VALUE_TYPES = ['u32', 'i32', 'f32', 'u8', 'f64'] as const

function parseExpected(f: Fields): Expected {
  const file = f.string('file')
  if (file !== undefined) return { kind: 'file', file }
  const type = f.word('type', VALUE_TYPES) ?? 'u32'
  const [fits, what] = valuesFit(type)
  const values = f.numbers('values', fits, what)
  if (values === undefined && !f.has('values')) f.complain('file', 'the field is missing: name a file or give values')
  return { kind: 'values', values: values ?? [], type }
}

function parseCheck(f: Fields): JobCheck | undefined {
  const slot = f.require('slot', f.string('slot')) ?? ''
  const compare = f.require('compare', f.word('compare', ['exact', 'f32', 'u8', 'lists', 'counter'] as const))
  f.ignore('part')
  if (compare === undefined) return undefined
  let check: JobCheck
  if (compare === 'counter') {
    check = { compare, slot, value: f.require('value', f.integer('value', 0, U32_MAX)) ?? 0 }
  } else if (compare === 'lists') {
    const counter = f.integer('counter', 0, U32_MAX)
    check = {
      compare,
      slot,
      heads: f.require('heads', f.string('heads')) ?? '',
      nodes: f.require('nodes', f.string('nodes')) ?? '',
      stride: f.require('stride', f.integer('stride', 12, 2048)) ?? 12,
      expected: parseExpected(f),
      ...(counter === undefined ? {} : { counter }),
    }
  } else {
    check = {
      compare,
      slot,
      expected: parseExpected(f),
      abs: f.number('abs') ?? 0,
      rel: f.number('rel') ?? 0,
      outliers: f.number('outliers') ?? 0,
    }
  }
  f.done()
  return check
}

function parseSchedule(f: Fields): Schedule {
  const width = f.integer('waveWidth', 1, 64)
  if (width !== undefined && !(WAVE_WIDTHS as readonly number[]).includes(width)) {
    f.complain('waveWidth', `one of ${WAVE_WIDTHS.join(', ')} is expected, ${width} was given`)
  }
  const given = f.raw('order')
  const seed = given !== null && typeof given === 'object' ? f.object('order')?.integer('seed', 0, U32_MAX) : undefined
  const order =
    seed === undefined ? (given === undefined ? undefined : f.word('order', ['forward', 'reverse'] as const)) : { seed }
  const schedule: Schedule = {
    waveWidth: (width ?? DEFAULT_SCHEDULE.waveWidth) as WaveWidth,
    order: order ?? DEFAULT_SCHEDULE.order,
    groupsInFlight: f.integer('groupsInFlight', 1, 65536) ?? DEFAULT_SCHEDULE.groupsInFlight,
  }
  f.done()
  return schedule
}

function parseOptions(f: Fields): JobOptions {
  const schedule = f.object('schedule')
  return present({
    schedule: schedule === undefined ? undefined : parseSchedule(schedule),
    undefinedPolicy: f.word('undefinedPolicy', UNDEFINED_POLICIES),
    maxInstructionsPerThread: f.integer('maxInstructionsPerThread', 1, Number.MAX_SAFE_INTEGER),
    denormals: f.word('denormals', ['flush', 'keep'] as const),
    fma: f.word('fma', ['never', 'always'] as const),
    minPrecision: f.word('minPrecision', ['full', 'round'] as const),
  })
}

function parseClassInstances(f: Fields | undefined): Record<string, ClassInstance> {
  const instances: Record<string, ClassInstance> = {}
  for (const name of f?.names() ?? []) {
    const one = f!.object(name)
    if (one === undefined) continue
    const count = (field: string): number | undefined => one.integer(field, 0, 0xffff)
    const places = present({
      constantBuffer: count('constantBuffer'),
      constantOffset: count('constantOffset'),
      texture: count('texture'),
      sampler: count('sampler'),
    })
    instances[name] = { table: one.require('table', count('table')) ?? 0, ...places }
    one.done()
  }
  return instances
}

function parseDispatch(f: Fields): Pick<Job, 'dispatch' | 'indirect'> {
  const indirect = f.object('dispatchIndirect')
  if (indirect !== undefined) {
    const slot = indirect.require('slot', indirect.string('slot')) ?? ''
    const byteOffset = indirect.integer('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0
    indirect.done()
    return { dispatch: [0, 0, 0], indirect: { slot, byteOffset } }
  }
  const what = `group counts from 0 to ${MAX_GROUPS_PER_DIMENSION}`
  const fits = (n: number): boolean => Number.isInteger(n) && n >= 0 && n <= MAX_GROUPS_PER_DIMENSION
  const counts = f.require('dispatch', f.numbers('dispatch', fits, what))
  if (counts !== undefined && counts.length !== 3)
    f.complain('dispatch', `three group counts are expected, ${counts.length} were given`)
  const [x = 1, y = 1, z = 1] = counts ?? []
  return { dispatch: [x, y, z] }
}

/** A check may only speak of slots that hold something. */
function checkSlots(f: Fields, job: Job): void {
  const slots = job.resources.map((r) => r.slot)
  slots.forEach((slot, i) => {
    if (slots.indexOf(slot) !== i) f.complain(`resources[${i}].slot`, `the slot ${slot} is given twice`)
  })
  job.checks.forEach((c, i) => {
    const named = c.compare === 'lists' ? [c.heads, c.nodes] : [c.slot]
    for (const slot of named) {
      if (!slots.includes(slot)) {
        f.complain(`check[${i}]`, `the slot ${slot} has no resource`, suggestion(slot, slots))
      }
    }
  })
}

/** A run description from parsed JSON; every wrong field is a diagnostic with its JSON path. */
export function parseJob(value: unknown): Outcome<Job> {
  const diagnostics: Diagnostic[] = []
  const f = readFields(value, '$', diagnostics)
  if (f === undefined) return { diagnostics }
  f.ignore('$schema', 'group', 'flops_per_unit', 'flops_or_bytes', 'comment')
  const shader = f.string('shader')
  const work = present({
    elements: f.number('elements'),
    element: f.string('element'),
    bytes: f.number('bytes'),
    flops: f.number('flops'),
  })
  const job: Job = {
    name: f.string('name') ?? 'job',
    ...(shader === undefined ? {} : { shader }),
    ...parseDispatch(f),
    reset: f.boolean('reset') ?? false,
    resources: f.objects('resources').flatMap((r) => parseResource(r) ?? []),
    classInstances: parseClassInstances(f.object('classInstances')),
    checks: f.objects('check').flatMap((c) => parseCheck(c) ?? []),
    options: parseOptions(f),
    ...work,
  }
  f.done()
  if (!hasErrors(diagnostics)) checkSlots(f, job)
  return hasErrors(diagnostics) ? { diagnostics } : { value: job, diagnostics }
}

/** As `parseJob`, from text. */
export function parseJobText(text: string): Outcome<Job> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (e) {
    const reason = e instanceof Error ? e.message : String(e)
    return { diagnostics: [diagnostic('job-json', `the run description is not JSON: ${reason}`)] }
  }
  return parseJob(value)
}
