import {
  DiagnosticCollector,
  type DiagnosticSink,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  present,
  valueOrThrow,
} from '../../diagnostic/index.ts'
import type { LoadOptions } from '../../engine/index.ts'
import {
  MAX_GROUPS_PER_DIMENSION,
  MAX_RESOURCE_BYTE_LENGTH,
  printSlot,
  type ScheduleOrder,
  type Slot,
  UNDEFINED_POLICIES,
  WAVE_WIDTHS,
  type WaveWidth,
} from '../../machine/index.ts'
import type {
  Job,
  JobClassInstance,
  JobDispatch,
  JobOptions,
  OutputRequest,
  PrintRequest,
  ShaderSource,
} from '../model.ts'
import { type Fields, fieldsOf, isObject, memberPath, show } from './fields.ts'
import { readJson } from './json.ts'
import { parseCheck } from './parse-check.ts'
import { parseResource } from './parse-resource.ts'
import { bySlot, slotField, slotOfText } from './parse-slot.ts'
import { suggestion } from './suggest.ts'

const PRINT_TYPES = ['f32', 'u32', 'i32', 'hex', 'f16', 'u16', 'i16', 'u8', 'i8', 'f64'] as const
export const MAX_THREADS = 256
const DEFAULT_PROFILE = 'cs_5_0'

/** A shader in a field: a file, or an object that says more; `classes` where its class instances stand there too. */
export function shaderField(f: Fields, name: string, profile: string, classes = false): ShaderSource {
  const path = memberPath(f.path, name)
  const base = { entry: 'main', profile, path }
  if (typeof f.raw(name) === 'string') return { ...base, file: f.text(name)! }
  const o = f.require(name, f.object(name))
  if (o === undefined) return base
  const source = present({ file: o.text('file'), assembly: o.text('assembly') })
  if (o.has('file') === o.has('assembly')) {
    o.report('job-missing-field', 'file', 'either a file or assembly text is expected')
  }
  const compile = { entry: o.identifier('entry') ?? 'main', profile: o.identifier('profile') ?? profile }
  const instances = classes ? { classInstances: parseClassInstances(o.object('classInstances')) } : {}
  o.done()
  return { path, ...source, ...compile, ...instances }
}

/** Three whole numbers. */
export function triple(
  f: Fields,
  name: string,
  least: number,
  most: number,
): readonly [number, number, number] | undefined {
  const list = f.list(name)
  if (list === undefined) return undefined
  if (list.length !== 3) {
    f.report('job-wrong-type', name, `three numbers are expected, for x, y and z; ${list.length} were given`)
    return undefined
  }
  const wrong = list.findIndex((n) => !Number.isInteger(n) || (n as number) < least || (n as number) > most)
  if (wrong < 0) return list as unknown as readonly [number, number, number]
  const given = show(list[wrong])
  f.report(
    'job-out-of-range',
    `${name}[${wrong}]`,
    `a whole number from ${least} to ${most} is expected; ${given} was given`,
  )
  return undefined
}

function parseDispatch(f: Fields): JobDispatch {
  const path = memberPath(f.path, 'dispatch')
  const given = f.raw('dispatch')
  if (!isObject(given)) {
    const groups = f.require('dispatch', triple(f, 'dispatch', 0, MAX_GROUPS_PER_DIMENSION))
    return { kind: 'groups', groups: groups ?? [0, 0, 0], path }
  }
  const o = f.object('dispatch')
  const slot = o?.require('indirect', slotField(o, 'indirect', 'tu', 'a buffer of arguments'))
  const byteOffset = o?.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) ?? 0
  o?.done()
  if (slot === undefined) return { kind: 'groups', groups: [0, 0, 0], path }
  return { kind: 'indirect', slot, byteOffset, path }
}

export function parseOrder(f: Fields, name: string): ScheduleOrder | undefined {
  const given = f.raw(name)
  if (typeof given !== 'object' || given === null) return f.word(name, ['forward', 'reverse'] as const)
  const o = f.object(name)
  const seed = o?.require('seed', o.whole('seed', 0, 0xffffffff))
  o?.done()
  return seed === undefined ? undefined : { seed }
}

function parseSchedule(f: Fields | undefined): JobOptions['schedule'] {
  if (f === undefined) return undefined
  const waveWidth = f.whole('waveWidth', 1, 64)
  if (waveWidth !== undefined && !(WAVE_WIDTHS as readonly number[]).includes(waveWidth)) {
    f.report('job-out-of-range', 'waveWidth', `one of ${WAVE_WIDTHS.join(', ')} is expected; ${waveWidth} was given`)
  }
  const schedule = present({
    waveWidth: waveWidth as WaveWidth | undefined,
    order: parseOrder(f, 'order'),
    groupsInFlight: f.whole('groupsInFlight', 1, 65536),
  })
  f.done()
  return schedule
}

export function parseOptions(f: Fields): JobOptions {
  const load: LoadOptions = present({
    denormals: f.word('denormals', ['flush', 'keep']),
    fma: f.word('fma', ['never', 'always', 'allow']),
    minPrecision: f.word('minPrecision', ['full', 'round']),
  })
  const options = present({
    engine: f.text('engine'),
    threads: f.whole('threads', 1, MAX_THREADS),
    schedule: parseSchedule(f.object('schedule')),
    undefinedPolicy: f.word('policy', UNDEFINED_POLICIES),
    maxInstructionsPerThread: f.whole('maxInstructions', 1, Number.MAX_SAFE_INTEGER),
  })
  return { ...options, load }
}

const PLACES = ['constantBuffer', 'constantOffset', 'texture', 'sampler'] as const

function parseClassInstance(f: Fields, pointer: string): JobClassInstance | undefined {
  if (typeof f.raw(pointer) === 'string') return { kind: 'named', name: f.text(pointer)!, places: {} }
  const o = f.object(pointer)
  if (o === undefined) return undefined
  const places = present(Object.fromEntries(PLACES.map((name) => [name, o.whole(name, 0, 0xffff)])))
  const name = o.text('class')
  const table = o.whole('table', 0, 0xffff)
  o.done()
  if (name !== undefined) return { kind: 'named', name, places }
  if (table === undefined) {
    o.report('job-missing-field', 'table', 'the function table (ft#) or the class of the instance is expected')
    return undefined
  }
  return { kind: 'places', instance: { table, ...places } }
}

function parseClassInstances(f: Fields | undefined): Job['classInstances'] {
  return (f?.names() ?? []).flatMap((pointer) => {
    const is = parseClassInstance(f!, pointer)
    return is === undefined ? [] : [{ pointer, path: memberPath(f!.path, pointer), is }]
  })
}

/** `u0`, `u0:5`, `u0:0-15`, `u0:0-15:f32`: elements to show and how to read them. */
export function parsePrint(f: Fields, name: string, text: string): PrintRequest | undefined {
  const m = /^([^:]+?)(?::(\d+)(?:(?:-|\.\.)(\d+))?)?(?::([a-z]\w*))?$/i.exec(text.trim())
  if (m === null) {
    const form = 'a slot, elements and a type are expected: u0, u0:5, u0:0-15, u0:0-15:f32'
    f.report('job-out-of-range', name, `${form}; "${text}" was given`)
    return undefined
  }
  const slot = slotOfText(f, name, m[1]!, 'tub', 'what is printed')
  const as = PRINT_TYPES.find((t) => t === m[4]?.toLowerCase())
  if (m[4] !== undefined && as === undefined) {
    const message = `one of ${PRINT_TYPES.join(', ')} is expected; "${m[4]}" was given`
    f.report('job-out-of-range', name, message, suggestion(m[4], PRINT_TYPES))
  }
  const first = m[2] === undefined ? undefined : Number(m[2])
  const last = m[3] === undefined ? first : Number(m[3])
  if (first !== undefined && last! < first) {
    f.report('job-out-of-range', name, `the elements ${first} to ${last} are none`)
    return undefined
  }
  return slot === undefined ? undefined : { slot, path: memberPath(f.path, name), ...present({ first, last, as }) }
}

function parsePrints(f: Fields): PrintRequest[] {
  return (f.list('print') ?? []).flatMap((item, i) => {
    if (typeof item === 'string') return parsePrint(f, `print[${i}]`, item) ?? []
    f.report('job-wrong-type', `print[${i}]`, `a text such as "u0:0-15" is expected; ${show(item)} was given`)
    return []
  })
}

function parseOutput(f: Fields): OutputRequest[] {
  const slot = f.require('slot', slotField(f, 'slot', 'tu', 'what is written'))
  const file = f.require('path', f.text('path'))
  const [mip, slice] = [f.whole('mip', 0, 31) ?? 0, f.whole('slice', 0, 0xffff) ?? 0]
  f.done()
  return slot === undefined || file === undefined ? [] : [{ slot, path: f.path, file, mip, slice }]
}

function parseUnbound(f: Fields): Slot[] {
  return (f.list('unbound') ?? []).flatMap((item, i) => {
    if (typeof item === 'string') return slotOfText(f, `unbound[${i}]`, item, 'tubs', 'a slot') ?? []
    f.report('job-wrong-type', `unbound[${i}]`, `a slot is expected; ${show(item)} was given`)
    return []
  })
}

/** Slots are described once, and only described slots are spoken of. */
export function checkSlots(job: Job, out: DiagnosticSink): void {
  const { resources } = job
  const names = resources.map((r) => printSlot(r.slot))
  const first = bySlot(resources)
  const report = (path: string, message: string, notes: readonly string[] = []): void =>
    void out.push(diagnostic('job-slot', message, { kind: 'path', path }, notes))
  resources.forEach((r, i) => {
    const other = first(r.slot)!
    if (other !== r) report(r.path, `${names[i]} is described already, by ${other.path}`)
  })
  const known = (slot: Slot, path: string): void => {
    if (first(slot) !== undefined) return
    report(path, `no resource has the slot ${printSlot(slot)}`, suggestion(printSlot(slot), names))
  }
  for (const r of resources) if (r.kind === 'same') known(r.of, `${r.path}.of`)
  for (const c of job.checks) {
    if (c.kind === 'lists') known(c.nodes, `${c.path}.nodes`)
    known(c.kind === 'lists' ? c.heads : c.slot, `${c.path}.${c.kind === 'lists' ? 'heads' : 'slot'}`)
  }
  for (const o of job.outputs) known(o.slot, o.path)
  for (const p of job.print) known(p.slot, p.path)
  if (job.dispatch.kind === 'indirect') known(job.dispatch.slot, `${job.dispatch.path}.indirect`)
}

/** Fields for people and for timing that no run needs. */
const NOTES = ['$schema', 'comment', 'flops_per_unit', 'flops_or_bytes'] as const

/** What parsing a description of one dispatch gives. */
export type ParsedJob = Outcome<Job>

/** The version of the format that this reads; a description without one is of version 1. */
const FORMAT_VERSION = 1
const FRAME_VERSION = 2

function checkVersion(f: Fields): void {
  const version = f.whole('version', 1, 0xffff) ?? FORMAT_VERSION
  if (version === FORMAT_VERSION) return
  const isFrame = version === FRAME_VERSION
  const message = isFrame
    ? 'this is a description of version 2, a frame of draws and dispatches: heddle run takes it'
    : `this is a description of version ${version}; this Heddle reads versions ${FORMAT_VERSION} and ${FRAME_VERSION}`
  f.report('job-out-of-range', 'version', message)
}

/** A run description from parsed JSON. Every wrong field is a diagnostic with its JSON path; with errors there is no value. */
export function parseJob(value: unknown): ParsedJob {
  const diagnostics = new DiagnosticCollector()
  const f = fieldsOf(value, '$', diagnostics)
  if (f === undefined) return failure(diagnostics.finish())
  f.ignore(...NOTES)
  checkVersion(f)
  if (f.has('check') && f.has('expect')) {
    f.report('job-unknown-field', 'check', 'check is the older name of expect; give one of them')
  }
  const work = present({
    elements: f.number('elements'),
    element: f.text('element'),
    bytes: f.number('bytes'),
    flops: f.number('flops'),
  })
  const job: Job = {
    name: f.text('name') ?? 'job',
    shader: shaderField(f, 'shader', DEFAULT_PROFILE),
    dispatch: parseDispatch(f),
    ...present({ group: triple(f, 'group', 1, 1024) }),
    resources: f.objects('resources').flatMap((r) => parseResource(r) ?? []),
    unbound: parseUnbound(f),
    classInstances: parseClassInstances(f.object('classInstances')),
    checks: [...f.objects('check'), ...f.objects('expect')].flatMap((c) => parseCheck(c) ?? []),
    print: parsePrints(f),
    outputs: f.objects('output').flatMap(parseOutput),
    options: parseOptions(f),
    work: { ...work, reset: f.flag('reset') ?? false },
  }
  f.done()
  if (diagnostics.errorCount === 0) checkSlots(job, diagnostics)
  const found = diagnostics.finish()
  return diagnostics.errorCount > 0 ? failure(found) : outcomeOf(job, found)
}

/** As `parseJob`, from text. */
export function parseJobText(text: string): ParsedJob {
  const json = readJson(text)
  return json.diagnostics.length > 0 ? failure(json.diagnostics) : parseJob(json.value)
}

/** As `parseJob`; throws ShaderError on any error. */
export function parseJobOrThrow(value: unknown): Job {
  return valueOrThrow(parseJob(value))
}

/** As `parseJobText`; throws ShaderError on any error. */
export function parseJobTextOrThrow(text: string): Job {
  return valueOrThrow(parseJobText(text))
}
