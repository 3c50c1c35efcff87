import { type Diagnostic, DiagnosticCollector, failure, outcomeOf, present } from '../../diagnostic/index.ts'
import { parseSlot } from '../../machine/index.ts'
import type { Job, JobOptions, JobResource, OutputRequest, PrintRequest } from '../model.ts'
import { type Fields, fieldsOf, isObject } from './fields.ts'
import { readJson } from './json.ts'
import { checkSlots, MAX_THREADS, type ParsedJob, parseOrder, parsePrint } from './parse.ts'
import { parseResource } from './parse-resource.ts'
import { slotOfText } from './parse-slot.ts'
import { suggestion } from './suggest.ts'

/** The flags of `heddle run SHADER`. */
export interface QuickFlags {
  readonly shader: string
  readonly entry?: string
  readonly profile?: string
  readonly dispatch?: string
  readonly srv: readonly string[]
  readonly uav: readonly string[]
  readonly cbv: readonly string[]
  readonly sampler: readonly string[]
  readonly unbound: readonly string[]
}

/** Flags that hold for descriptions and quick runs alike; what is absent is as the description says. */
export interface OverrideFlags {
  readonly engine?: string
  readonly threads?: string
  readonly waveWidth?: string
  readonly order?: string
  readonly groupsInFlight?: string
  readonly policy?: string
  readonly fma?: string
  readonly maxInstructions?: string
  readonly print: readonly string[]
  readonly out: readonly string[]
}

/** Fields with the path of a flag, for complaints. */
function flagFields(flag: string, value: Record<string, unknown>, out: DiagnosticCollector): Fields {
  return fieldsOf(value, flag, out)!
}

/** A number, or the text as it is, for the field readers to judge. */
function numberOrText(text: string): unknown {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** A resource as a description has it, before it is read; `count` stands for the size of typed buffers. */
interface RawResource extends Record<string, unknown> {
  count?: unknown
  size?: unknown
  format?: unknown
  view?: Record<string, unknown>
  init?: unknown
}

/** Splits `slot=rest`; undefined, after a complaint, without a sign of equality. */
function splitFlag(
  flag: string,
  text: string,
  form: string,
  out: DiagnosticCollector,
): [string, string, Fields] | undefined {
  const at = text.indexOf('=')
  const slot = at < 0 ? text : text.slice(0, at)
  const f = flagFields(`${flag} ${slot}`, {}, out)
  if (at > 0) return [slot, text.slice(at + 1), f]
  f.report('job-wrong-type', '', `${form} is expected; "${text}" was given`)
  return undefined
}

const FLAG_KEYS: Readonly<Record<string, string>> = { mips: 'mipLevels', array: 'arraySize', samples: 'sampleCount' }
const VIEW_KEYS = [
  'firstElement',
  'elementCount',
  'mostDetailedMip',
  'mipSlice',
  'firstArraySlice',
  'viewFormat',
] as const
const PLAIN_KEYS = ['counter', 'mips', 'array', 'samples', 'minLod'] as const
const IMAGE_KINDS = /\.png$/i

/** `lcg-f32:1:-1:1`, `fill-u32:7`, `ramp-u32`, `zero`, `words:1:2`, or a file. */
function initOfText(text: string): Record<string, unknown> {
  const [kind = '', ...args] = text.split(':')
  const values = args.map(numberOrText)
  const named = (names: readonly string[]): Record<string, unknown> => {
    const extra = values.slice(names.length)
    const pairs = names.map((name, i) => [name, values[i]] as const).filter(([, v]) => v !== undefined)
    return {
      kind,
      ...Object.fromEntries(pairs),
      ...(extra.length > 0 ? { [`argument ${names.length + 1}`]: extra[0] } : {}),
    }
  }
  switch (kind) {
    case 'zero':
      return named([])
    case 'fill-u32':
      return named(['value'])
    case 'lcg-u32':
      return named(['seed'])
    case 'lcg-f32':
      return named(['seed', 'lo', 'hi'])
    case 'ramp-u32':
    case 'ramp-f32':
      return named(['start', 'step'])
    case 'words':
    case 'floats':
      return { kind, data: args.map((a) => (/^0x/i.test(a) ? a : numberOrText(a))) }
    default:
      return { kind: IMAGE_KINDS.test(text) ? 'png' : 'file', path: text }
  }
}

/** Extents `90x50` by the names of a kind. */
function extents(f: Fields, text: string, names: readonly string[]): Record<string, unknown> {
  const parts = text.split('x').map(numberOrText)
  if (parts.length > names.length) {
    f.report('job-out-of-range', '', `${names.join(' x ')} is expected; "${text}" was given`)
  }
  return Object.fromEntries(names.map((name, i) => [name, parts[i]] as const).filter(([, v]) => v !== undefined))
}

/** What stands behind the kind: `16x256` of structures, `R32_UINT:256` of elements, `R8G8B8A8_UNORM:90x50` of texels. */
function sizeOfText(f: Fields, kind: string, args: readonly string[]): Record<string, unknown> {
  const [first = '', second] = args
  if (args.length > 2) f.report('job-out-of-range', '', `"${args[2]}" has no meaning here`)
  if (kind === 'raw') return first === '' ? {} : { size: numberOrText(first) }
  if (kind === 'structured') {
    const [stride, count] = first.split('x').map(numberOrText)
    const isCounted = typeof stride === 'number' && typeof count === 'number'
    return { stride, ...(count === undefined ? {} : { size: isCounted ? stride * count : count }) }
  }
  const format = numberOrText(first)
  if (kind === 'typed') return { format, ...(second === undefined ? {} : { count: numberOrText(second) }) }
  const names = kind.startsWith('texture3d') ? ['width', 'height', 'depth'] : ['width', 'height']
  return { format, ...(second === undefined ? {} : extents(f, second, names)) }
}

/** Bytes of typed elements need the format's size, which is looked up where the machine is known. */
function typedSize(resource: RawResource, bytesOfFormat: (name: string) => number | undefined): void {
  const { count } = resource
  delete resource.count
  if (typeof count !== 'number') return
  resource.size = count * (bytesOfFormat(String(resource.format)) ?? 4)
}

function keyValue(f: Fields, resource: RawResource, text: string): void {
  const at = text.indexOf('=')
  const [key, value] = at < 0 ? [text, 'true'] : [text.slice(0, at), text.slice(at + 1)]
  const known = [...PLAIN_KEYS, ...VIEW_KEYS] as readonly string[]
  if (!known.includes(key)) {
    f.report('job-unknown-field', key, `there is no option "${key}" here`, [
      ...suggestion(key, known),
      `known here: ${known.join(', ')}`,
    ])
    return
  }
  const given = at < 0 && key === 'counter' ? 0 : numberOrText(value)
  if ((VIEW_KEYS as readonly string[]).includes(key)) {
    resource.view = { ...resource.view, [key === 'viewFormat' ? 'format' : key]: given }
  } else resource[FLAG_KEYS[key] ?? key] = given
}

/** `u0=structured:16x256,counter=0@lcg-u32:1`, or `t0=image.png`. */
function viewOfFlag(
  flag: string,
  text: string,
  bytesOfFormat: (name: string) => number | undefined,
  out: DiagnosticCollector,
): JobResource | undefined {
  const split = splitFlag(flag, text, 'slot=kind:size, as in u0=structured:16x256,', out)
  if (split === undefined) return undefined
  const [slot, rest, f] = split
  const before = out.errorCount
  const at = rest.indexOf('@')
  const [shape = '', ...options] = (at < 0 ? rest : rest.slice(0, at)).split(',')
  const resource: RawResource = { slot }
  if (at < 0 && IMAGE_KINDS.test(rest)) {
    Object.assign(resource, { kind: 'texture2d', format: 'R8G8B8A8_UNORM', init: { kind: 'png', path: rest } })
  } else {
    const [kind = '', ...args] = shape.split(':')
    Object.assign(resource, { kind }, sizeOfText(f, kind.toLowerCase(), args))
    for (const option of options) keyValue(f, resource, option)
    typedSize(resource, bytesOfFormat)
    if (at >= 0) resource.init = initOfText(rest.slice(at + 1))
  }
  if (out.errorCount > before) return undefined
  return parseResource(flagFields(f.path, resource, out))
}

/** `b0=1,2.5,0x10`, `b0={"count": 3}` or `b0=@file.bin`. */
function constantsOfFlag(text: string, out: DiagnosticCollector): JobResource | undefined {
  const split = splitFlag('--cbv', text, 'slot=values, as in b0=16,0.5 or b0={"count": 16},', out)
  if (split === undefined) return undefined
  const [slotText, rest, f] = split
  if (rest.startsWith('{')) {
    const json = readJson(rest)
    if (!isObject(json.value)) {
      for (const d of json.diagnostics) out.push({ ...d, message: `${f.path}: ${d.message}` })
      return undefined
    }
    return parseResource(flagFields(f.path, { slot: slotText, kind: 'cbuffer', values: json.value }, out))
  }
  if (rest.startsWith('@')) {
    const init = initOfText(rest.slice(1))
    return parseResource(flagFields(f.path, { slot: slotText, kind: 'cbuffer', init }, out))
  }
  const slot = slotOfText(f, '', slotText, 'b', 'a constant buffer')
  if (slot === undefined) return undefined
  const texts = rest.split(',').map((t) => t.trim())
  return { kind: 'cbuffer', slot, path: f.path, contents: { kind: 'guess', texts, path: f.path }, view: {} }
}

/** `s0=MIN_MAG_MIP_LINEAR:WRAP,maxAnisotropy=4,borderColor=1/0/0/1`. */
function samplerOfFlag(text: string, out: DiagnosticCollector): JobResource | undefined {
  const split = splitFlag('--sampler', text, 'slot=filter:address, as in s0=MIN_MAG_MIP_LINEAR:WRAP,', out)
  if (split === undefined) return undefined
  const [slot, rest, f] = split
  const sampler: Record<string, unknown> = { slot, kind: 'sampler' }
  for (const [i, part] of rest.split(',').entries()) {
    const at = part.indexOf('=')
    if (at >= 0) {
      const value = part.slice(at + 1)
      sampler[part.slice(0, at)] = value.includes('/') ? value.split('/').map(numberOrText) : numberOrText(value)
    } else if (i === 0) {
      const [filter, address] = part.split(':')
      Object.assign(sampler, present({ filter: filter || undefined, address }))
    } else f.report('job-wrong-type', '', `name=value is expected; "${part}" was given`)
  }
  return parseResource(flagFields(f.path, sampler, out))
}

/** `u0=file.png`. */
function outputOfFlag(text: string, out: DiagnosticCollector): OutputRequest[] {
  const split = splitFlag('--out', text, 'slot=file, as in u0=result.bin,', out)
  if (split === undefined) return []
  const [slotText, file, f] = split
  const slot = slotOfText(f, '', slotText, 'tu', 'what is written')
  return slot === undefined ? [] : [{ slot, path: f.path, file, mip: 0, slice: 0 }]
}

function wholeFlag(
  flag: string,
  text: string | undefined,
  least: number,
  most: number,
  out: DiagnosticCollector,
): number | undefined {
  if (text === undefined) return undefined
  return flagFields('', { [flag]: numberOrText(text) }, out).whole(flag, least, most)
}

function orderOfFlag(text: string | undefined, out: DiagnosticCollector) {
  if (text === undefined) return undefined
  const seed = /^(?:random|seed):(\d+)$/i.exec(text)
  return parseOrder(flagFields('', { '--order': seed === null ? text : { seed: Number(seed[1]) } }, out), '--order')
}

const WIDTHS = ['1', '4', '8', '16', '32', '64'] as const

/** Options with those of the flags in place of the description's. */
export function overrideOptions(options: JobOptions, flags: OverrideFlags, out: DiagnosticCollector): JobOptions {
  const f = flagFields(
    '',
    present({ '--wave-width': flags.waveWidth, '--policy': flags.policy, '--fma': flags.fma }),
    out,
  )
  const waveWidth = f.word('--wave-width', WIDTHS)
  const schedule = present({
    waveWidth: waveWidth === undefined ? undefined : (Number(waveWidth) as 1 | 4 | 8 | 16 | 32 | 64),
    order: orderOfFlag(flags.order, out),
    groupsInFlight: wholeFlag('--groups-in-flight', flags.groupsInFlight, 1, 65536, out),
  })
  const given = present({
    engine: flags.engine,
    threads: wholeFlag('--threads', flags.threads, 1, MAX_THREADS, out),
    undefinedPolicy: f.word('--policy', ['report', 'poison', 'trap']),
    maxInstructionsPerThread: wholeFlag('--max-instructions', flags.maxInstructions, 1, Number.MAX_SAFE_INTEGER, out),
  })
  const merged = Object.keys(schedule).length === 0 ? {} : { schedule: { ...options.schedule, ...schedule } }
  const fma = f.word('--fma', ['never', 'always', 'allow'])
  const load = fma === undefined ? options.load : { ...options.load, fma }
  return { ...options, ...given, ...merged, load }
}

/** What is wrong with flags, where there is no job that they could change. */
export function checkFlags(flags: OverrideFlags): Diagnostic[] {
  const diagnostics = new DiagnosticCollector()
  overrideOptions({ load: {} }, flags, diagnostics)
  return diagnostics.finish()
}

/** A job with what the flags add and change. Prints and outputs of the flags come behind those of the description. */
export function overrideJob(job: Job, flags: OverrideFlags): ParsedJob {
  const diagnostics = new DiagnosticCollector()
  const options = overrideOptions(job.options, flags, diagnostics)
  const f = flagFields('--print', {}, diagnostics)
  const print = flags.print.flatMap((text): PrintRequest[] => {
    const request = parsePrint(f, '', text)
    return request === undefined ? [] : [{ ...request, path: `--print ${text}` }]
  })
  const outputs = flags.out.flatMap((text) => outputOfFlag(text, diagnostics))
  const value = { ...job, options, print: [...job.print, ...print], outputs: [...job.outputs, ...outputs] }
  if (diagnostics.errorCount === 0) checkSlots({ ...job, print, outputs }, diagnostics)
  const found = diagnostics.finish()
  return diagnostics.errorCount > 0 ? failure(found) : outcomeOf(value, found)
}

function dispatchOfFlag(text: string | undefined, out: DiagnosticCollector): Job['dispatch'] {
  const path = '--dispatch'
  const f = flagFields('', {}, out)
  const counts = (text ?? '').split(/[,x]/).map((t) => (t.trim() === '' ? Number.NaN : Number(t)))
  const wrong = text === undefined || counts.length > 3 || counts.some((n) => !Number.isInteger(n) || n < 0)
  if (wrong)
    f.report(
      'job-wrong-type',
      path,
      `one to three group counts are expected, as in 4,1,1; ${text === undefined ? 'none was' : `"${text}" was`} given`,
    )
  return { kind: 'groups', groups: [counts[0] ?? 1, counts[1] ?? 1, counts[2] ?? 1], path }
}

/** The job of a quick run. `bytesOfFormat` gives the bytes of an element of a DXGI format. */
export function jobOfFlags(flags: QuickFlags, bytesOfFormat: (name: string) => number | undefined): ParsedJob {
  const diagnostics = new DiagnosticCollector()
  const some = (list: readonly string[], make: (text: string) => JobResource | undefined): JobResource[] =>
    list.flatMap((text) => make(text) ?? [])
  const f = flagFields('', {}, diagnostics)
  const names = flagFields('', { '--entry': flags.entry, '--profile': flags.profile }, diagnostics)
  const job: Job = {
    name: flags.shader,
    shader: {
      file: flags.shader,
      entry: names.identifier('--entry') ?? 'main',
      profile: names.identifier('--profile') ?? 'cs_5_0',
      path: '',
    },
    dispatch: dispatchOfFlag(flags.dispatch, diagnostics),
    resources: [
      ...some(flags.srv, (t) => viewOfFlag('--srv', t, bytesOfFormat, diagnostics)),
      ...some(flags.uav, (t) => viewOfFlag('--uav', t, bytesOfFormat, diagnostics)),
      ...some(flags.cbv, (t) => constantsOfFlag(t, diagnostics)),
      ...some(flags.sampler, (t) => samplerOfFlag(t, diagnostics)),
    ],
    unbound: flags.unbound.flatMap((t) => slotOfText(f, '--unbound', t, 'tubs', 'a slot') ?? parseSlot(t) ?? []),
    classInstances: [],
    checks: [],
    print: [],
    outputs: [],
    options: { load: {} },
    work: { reset: false },
  }
  if (diagnostics.errorCount === 0) checkSlots(job, diagnostics)
  const found = diagnostics.finish()
  return diagnostics.errorCount > 0 ? failure(found) : outcomeOf(job, found)
}
