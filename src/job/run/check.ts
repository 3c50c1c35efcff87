import { DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import { counterValue, printSlot, type Slot } from '../../machine/index.ts'
import type { JobHost } from '../host.ts'
import type { Contents, ContentsCheck, CounterCheck, JobCheck, ListsCheck } from '../model.ts'
import { bySlot } from '../parse/parse-slot.ts'
import { SCALAR_BYTES, type ScalarType } from '../values/scalars.ts'
import { type Comparison, compareBytes, type Greatest } from './compare.ts'
import { contentsLength, fillBuffer, fillTexture, generate, resolveContents } from './contents.ts'
import { listWords } from './lists.ts'
import { bitsText, locate, storageOfBytes } from './locate.ts'
import type { PreparedResource } from './resources.ts'

/** A check with the bytes it expects and the resources it looks at. */
export type PreparedCheck =
  | {
      readonly kind: 'contents'
      readonly check: ContentsCheck
      readonly resource: PreparedResource
      readonly want?: Uint8Array
      readonly byteOffset: number
      /** File to write where the contents are not as expected. */
      readonly record?: string
    }
  | {
      readonly kind: 'lists'
      readonly check: ListsCheck
      readonly heads: PreparedResource
      readonly nodes: PreparedResource
      readonly want?: Uint8Array
      readonly record?: string
    }
  | { readonly kind: 'counter'; readonly check: CounterCheck; readonly resource: PreparedResource }

/** One element that differs. */
export interface Difference {
  readonly where: string
  readonly type: string
  readonly got: string
  readonly expected: string
}

/** The value that is furthest off by one measure: `abs`, `rel`, or `ulps`. */
export interface GreatestDifference extends Difference {
  readonly by: Greatest['by']
  readonly difference: number
}

/** What comparing one slot with what was expected gave. */
export interface CheckReport {
  readonly slot: string
  /** The slot with its HLSL name. */
  readonly label: string
  /** `exact`, `f32, abs 0.001, rel 0.0001`. */
  readonly how: string
  readonly passed: boolean
  /** Values compared, those that differ by more than is allowed, and how many may. */
  readonly total: number
  readonly different: number
  readonly allowed: number
  /** What is counted: `words`, `float32 values`, `bytes`. */
  readonly unit: string
  /** The first differences. */
  readonly first: readonly Difference[]
  /** How many of the different values are not among `first`. */
  readonly more: number
  /** The values furthest off, of comparisons of numbers that failed. */
  readonly greatest?: readonly GreatestDifference[]
  /** The file that what the slot holds was written to, where expected contents are recorded. */
  readonly recorded?: string
  /** The file with the image of what differs. */
  readonly differenceImage?: string
  /** Why nothing could be compared. */
  readonly problem?: string
}

const MAX_SHOWN = 8

/** Contents of a slot, nothing for a sampler. */
export function bytesOf(r: PreparedResource): Uint8Array {
  return r.resource?.storage.bytes ?? new Uint8Array()
}

/** Format of the elements of a typed view. */
function elementFormat(r: PreparedResource) {
  return r.bound.kind !== 'sampler' && r.bound.kind !== 'cbv' && r.bound.shape === 'typed' ? r.bound.format : undefined
}

function structureStride(r: PreparedResource): number | undefined {
  return r.bound.kind !== 'sampler' && r.bound.kind !== 'cbv' && r.bound.shape === 'structured'
    ? r.bound.stride
    : undefined
}

interface Expectation {
  readonly host: JobHost
  readonly out: DiagnosticCollector
}

/** The bytes of expected contents, `byteLength` of them where that is given; undefined after a complaint. */
function expectedBytes(
  e: Expectation,
  contents: Contents,
  r: PreparedResource,
  byteLength: number,
): Uint8Array | undefined {
  const names = { shape: r.shape, stride: structureStride(r), isShaderKnown: true, name: r.label }
  const context = { host: e.host, out: e.out, ...names }
  const before = e.out.errorCount
  const resolved = resolveContents(context, contents)
  if (resolved === undefined || e.out.errorCount > before) return undefined
  if (resolved.kind === 'bytes') return resolved.bytes
  if (resolved.kind === 'generator') return generate(resolved.generator, byteLength)
  // Texels and images are stored the way the resource's own contents are.
  const { resource } = r
  if (resource === undefined) return undefined
  const storage = storageOfBytes(new Uint8Array(resource.byteLength))
  if (resource.kind === 'texture') {
    fillTexture(context, resolved, { ...resource, storage }, r.path)
    const shown = contentsLength(resolved, resource.format) ?? resource.mips[0]!.byteLength
    return e.out.errorCount > before ? undefined : storage.bytes.subarray(0, shown)
  }
  fillBuffer(context, resolved, { ...resource, storage }, elementFormat(r))
  const length = contentsLength(resolved, elementFormat(r)) ?? resource.byteLength
  return e.out.errorCount > before ? undefined : storage.bytes.subarray(0, length)
}

function nothingToCompare(out: DiagnosticCollector, check: JobCheck): void {
  const message = `the check of ${printSlot(check.slot)} has no expected contents`
  out.push(diagnostic('job-nothing-to-compare', message, { kind: 'path', path: check.path }))
}

function prepareContents(e: Expectation, check: ContentsCheck, r: PreparedResource): PreparedCheck {
  const bytes = bytesOf(r)
  const byteOffset = check.byteOffset ?? 0
  const rest = Math.max(0, bytes.length - byteOffset)
  const checkedLength = check.byteLength ?? rest
  const at = { kind: 'path', path: check.path } as const
  const bad = (message: string, notes: string[] = []): void =>
    void e.out.push(diagnostic('job-size', message, at, notes))
  const unit = check.compare === 'exact' || check.compare === 'u8' ? 1 : SCALAR_BYTES[check.compare]
  if (byteOffset + checkedLength > bytes.length) {
    bad(`bytes ${byteOffset} to ${byteOffset + checkedLength} are checked; ${r.label} has ${bytes.length}`)
  } else if (byteOffset % unit !== 0) bad(`values of ${unit} bytes cannot start at byte ${byteOffset}`)
  const want = check.expected === undefined ? undefined : expectedBytes(e, check.expected, r, checkedLength)
  if (want === undefined) return { kind: 'contents', check, resource: r, byteOffset }
  const isPart = check.byteOffset !== undefined || check.byteLength !== undefined
  const length = check.byteLength ?? (isPart ? want.length : bytes.length)
  if (want.length !== length || byteOffset + length > bytes.length) {
    const what = isPart ? `the part checked has ${length}` : `${r.label} has ${bytes.length}`
    bad(
      `${want.length} bytes are expected; ${what}`,
      isPart ? [] : ['a byteOffset (0 too) compares as many bytes as are given'],
    )
  }
  return { kind: 'contents', check, resource: r, want, byteOffset }
}

function hasCounter(r: PreparedResource): boolean {
  return r.bound.kind === 'uav' && r.bound.shape === 'structured' && r.bound.counter !== undefined
}

function checkCounter(e: Expectation, check: JobCheck, r: PreparedResource): void {
  if (check.counter === undefined || hasCounter(r)) return
  const message = `a counter of ${check.counter} is expected of ${r.label}, which has none`
  e.out.push(
    diagnostic('job-slot', message, { kind: 'path', path: `${check.path}.counter` }, ['give the resource a counter']),
  )
}

function prepareExpected(
  e: Expectation,
  check: ContentsCheck | ListsCheck,
  r: PreparedResource,
  nodes: PreparedResource,
): PreparedCheck {
  if (check.kind === 'contents') return prepareContents(e, check, r)
  const want = check.expected === undefined ? undefined : expectedBytes(e, check.expected, r, 0)
  return { kind: 'lists', check, heads: r, nodes, ...(want === undefined ? {} : { want }) }
}

/** As prepareExpected, of a check whose file is written: that it is missing, or of another length, is no error. */
function prepareRecorded(
  e: Expectation,
  check: ContentsCheck | ListsCheck,
  r: PreparedResource,
  nodes: PreparedResource,
): PreparedCheck {
  const attempt = { host: e.host, out: new DiagnosticCollector() }
  const { expected, ...rest } = check
  const read = prepareExpected(attempt, check, r, nodes)
  const prepared = attempt.out.errorCount === 0 ? read : prepareExpected(e, rest, r, nodes)
  return prepared.kind === 'counter' || expected?.kind !== 'file' ? prepared : { ...prepared, record: expected.file }
}

/** Reads what checks expect and holds it against the resources. Complaints go to `out`. */
export function prepareChecks(
  checks: readonly JobCheck[],
  resources: readonly PreparedResource[],
  host: JobHost,
  out: DiagnosticCollector,
  isRecording = false,
): PreparedCheck[] {
  const e = { host, out }
  const resourceOf = bySlot(resources)
  return checks.flatMap((check): PreparedCheck[] => {
    const r = resourceOf(check.kind === 'lists' ? check.heads : check.slot)
    if (r === undefined) return []
    const counted = check.kind === 'lists' ? resourceOf(check.nodes) : r
    if (counted === undefined) return []
    checkCounter(e, check, counted)
    if (check.kind === 'counter') return [{ kind: 'counter', check, resource: r }]
    if (check.expected === undefined && check.counter === undefined) nothingToCompare(out, check)
    if (isRecording && check.expected?.kind === 'file') return [prepareRecorded(e, check, r, counted)]
    return [prepareExpected(e, check, r, counted)]
  })
}

function howText(check: ContentsCheck): string {
  const bounds = (['abs', 'rel', 'ulps'] as const).filter((b) => check[b] > 0).map((b) => `${b} ${check[b]}`)
  const outliers = check.outliers > 0 ? [`${check.outliers * 100}% outliers`] : []
  return [check.compare, ...bounds, ...outliers].join(', ')
}

const UNITS: Readonly<Record<ContentsCheck['compare'], string>> = {
  exact: 'words',
  u8: 'bytes',
  f16: 'float16 values',
  f32: 'float32 values',
  f64: 'float64 values',
}

function wordType(compare: ContentsCheck['compare']): ScalarType | undefined {
  return compare === 'exact' || compare === 'u8' ? undefined : compare
}

type ContentsPair = Extract<PreparedCheck, { kind: 'contents' }>

/** Describes the value at an offset of what is compared: its element, what is there and what should be. */
function describer(p: ContentsPair): (at: number) => Difference {
  const got = bytesOf(p.resource)
  const whole = got.slice()
  whole.set(p.want!, p.byteOffset)
  const [gotStorage, wantStorage] = [storageOfBytes(got), storageOfBytes(whole)]
  return (at) => {
    const place = locate(p.resource, p.byteOffset + at, wordType(p.check.compare))
    let [g, w] = [place.text(gotStorage), place.text(wantStorage)]
    if (g === w) {
      const word = p.byteOffset + at - ((p.byteOffset + at) % 4)
      g += ` (${bitsText(gotStorage, word, 4)})`
      w += ` (${bitsText(wantStorage, word, 4)})`
    }
    return { where: place.where, type: place.type, got: g, expected: w }
  }
}

/** The first differences as elements (words of one texel or value together), how many there are besides, and the greatest. */
function describeDifferences(
  p: ContentsPair,
  compared: Comparison,
): Pick<CheckReport, 'first' | 'more'> & { greatest?: GreatestDifference[] } {
  const describe = describer(p)
  const found = new Map<string, Difference>()
  let covered = 0
  for (const at of compared.first) {
    const difference = describe(at)
    if (found.size >= MAX_SHOWN && !found.has(difference.where)) break
    if (!found.has(difference.where)) found.set(difference.where, difference)
    covered++
  }
  const greatest = compared.greatest.map(({ by, difference, at }) => ({ by, difference, ...describe(at) }))
  const more = compared.different - covered
  return { first: [...found.values()], more, ...(greatest.length === 0 ? {} : { greatest }) }
}

function counterReport(label: string, slot: Slot, r: PreparedResource, expected: number): CheckReport {
  const bound = r.bound
  const value =
    bound.kind === 'uav' && bound.shape === 'structured' && bound.counter !== undefined
      ? counterValue(bound.counter)
      : 0
  const passed = value === expected
  const first = passed ? [] : [{ where: 'counter', type: 'u32', got: String(value), expected: String(expected) }]
  return {
    slot: printSlot(slot),
    label,
    how: 'counter',
    passed,
    total: 1,
    different: passed ? 0 : 1,
    allowed: 0,
    unit: 'counter',
    first,
    more: 0,
  }
}

function contentsReports(p: ContentsPair): CheckReport[] {
  const { check, resource, want, byteOffset } = p
  const reports: CheckReport[] = []
  if (want !== undefined) {
    const got = bytesOf(resource).subarray(byteOffset, byteOffset + want.length)
    const compared = compareBytes(got, want, check)
    const allowed = Math.floor(check.outliers * compared.total)
    const passed = compared.different <= allowed
    reports.push({
      slot: printSlot(check.slot),
      label: resource.label,
      how: howText(check),
      passed,
      total: compared.total,
      different: compared.different,
      allowed,
      unit: UNITS[check.compare],
      ...(passed ? { first: [], more: 0 } : describeDifferences(p, compared)),
    })
  }
  if (check.counter !== undefined) reports.push(counterReport(resource.label, check.slot, resource, check.counter))
  return reports
}

function listsReports(p: Extract<PreparedCheck, { kind: 'lists' }>): CheckReport[] {
  const { check, heads, nodes, want } = p
  const reports: CheckReport[] = []
  const base = { slot: printSlot(check.slot), label: heads.label, how: 'lists', allowed: 0, unit: 'lists' }
  if (want !== undefined) {
    const lists = listWords(bytesOf(heads), bytesOf(nodes), check.stride)
    const payload = check.stride / 4 - 1
    if (typeof lists === 'string') {
      reports.push({ ...base, passed: false, total: 0, different: 0, first: [], more: 0, problem: lists })
    } else {
      const first: Difference[] = []
      const expected = splitLists(want, lists.length, payload)
      let different = 0
      lists.forEach((list, i) => {
        const other = expected[i]
        if (other !== undefined && list.length === other.length && list.every((w, k) => w === other[k])) return
        different++
        if (first.length < MAX_SHOWN) {
          first.push({
            where: `list of head ${i}`,
            type: '',
            got: listText(list, payload),
            expected: other === undefined ? 'nothing' : listText(other, payload),
          })
        }
      })
      reports.push({
        ...base,
        passed: different === 0,
        total: lists.length,
        different,
        first,
        more: different - first.length,
      })
    }
  }
  if (check.counter !== undefined) reports.push(counterReport(nodes.label, check.nodes, nodes, check.counter))
  return reports
}

/** Expected lists, one after the other: a length, then that many payloads. Fewer where the file ends early. */
function splitLists(want: Uint8Array, count: number, payload: number): Uint32Array[] {
  const words = new Uint32Array(storageOfBytes(want).buffer, 0, Math.floor(want.length / 4))
  const lists: Uint32Array[] = []
  for (let at = 0; lists.length < count && at < words.length; ) {
    const end = at + 1 + words[at]! * payload
    lists.push(words.slice(at + 1, end))
    at = end
  }
  return lists
}

function listText(list: Uint32Array, payload: number): string {
  const nodes = list.length / payload
  const shown = Array.from(list.subarray(0, payload), (w) => `0x${w.toString(16)}`).join(' ')
  return `${nodes} ${nodes === 1 ? 'node' : 'nodes'}${nodes > 0 ? `, first ${shown}` : ''}`
}

/** What one check finds. */
export function reportsOf(p: PreparedCheck): CheckReport[] {
  switch (p.kind) {
    case 'contents':
      return contentsReports(p)
    case 'lists':
      return listsReports(p)
    case 'counter':
      return [counterReport(p.resource.label, p.check.slot, p.resource, p.check.counter)]
  }
}

/** Compares what the resources hold now with what was expected. */
export function runChecks(checks: readonly PreparedCheck[]): CheckReport[] {
  return checks.flatMap(reportsOf)
}
