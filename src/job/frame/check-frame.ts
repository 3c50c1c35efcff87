/** What resources must hold after a frame: reading it, comparing it, recording it, and an image of what differs. */
import { type Diagnostic, DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import type { Format } from '../../isa/formats/index.ts'
import { type Subresource, subresource } from '../../machine/index.ts'
import type { Image, JobHost } from '../host.ts'
import type { CheckReport, Difference, GreatestDifference } from '../run/check.ts'
import { type Comparison, compareGroups, type GroupBounds, groupStates } from '../run/compare.ts'
import { fillBuffer, fillSubresource, fillTexture, generate } from '../run/contents.ts'
import { type Located, locateInStructure, locateTexel, storageOfBytes } from '../run/locate.ts'
import { textureToImage } from '../values/image.ts'
import { SCALAR_BYTES, type ScalarType } from '../values/scalars.ts'
import { shownFormat } from '../values/texels.ts'
import type { FrameCheck, FrameContents } from './model.ts'
import { type Preparation, type PreparedFrameResource, report } from './preparation.ts'
import { contentsContext, resolveFrameContents } from './prepare-resources.ts'

export interface PreparedFrameCheck {
  readonly check: FrameCheck
  readonly of: PreparedFrameResource
  /** The part of the resource that is compared. */
  readonly byteOffset: number
  readonly byteLength: number
  readonly want?: Uint8Array
  /** File to write where the contents are not as expected. */
  readonly record?: { readonly file: string; readonly kind: 'file' | 'png' }
}

/** The mip and slice that a check or output is of; all of the resource where neither is named. */
function partOf(
  of: PreparedFrameResource,
  check: FrameCheck,
): Pick<Subresource, 'byteOffset' | 'byteLength'> | undefined {
  const { resource } = of
  if (resource.kind === 'buffer' || (check.mip === undefined && check.slice === undefined)) {
    return { byteOffset: 0, byteLength: resource.byteLength }
  }
  return subresource(resource, check.mip ?? 0, check.slice ?? 0)
}

/** The bytes of expected contents; undefined after complaints. */
function* expectedBytes(
  p: Preparation,
  of: PreparedFrameResource,
  check: FrameCheck,
  contents: FrameContents,
  byteLength: number,
): Generator<void, Uint8Array | undefined> {
  const { resource } = of
  const context = contentsContext(p, of.name, of.shape, resource.kind === 'buffer' ? resource.stride : undefined)
  const extent = resource.kind === 'texture' ? resource : { width: 0, height: 0 }
  const resolved = yield* resolveFrameContents(context, contents, extent, byteLength)
  if (resolved === undefined) return undefined
  if (resolved.kind === 'bytes') return resolved.bytes
  if (resolved.kind === 'generator') return generate(resolved.generator, byteLength)
  // Texels and images are stored the way the resource's own contents are.
  const before = p.out.errorCount
  const storage = storageOfBytes(new Uint8Array(resource.byteLength))
  if (resource.kind === 'buffer') fillBuffer(context, resolved, { ...resource, storage }, undefined)
  else if (check.mip === undefined && check.slice === undefined) {
    fillTexture(context, resolved, { ...resource, storage }, check.path)
  } else fillSubresource(context, resolved, { ...resource, storage }, check.mip ?? 0, check.slice ?? 0, check.path)
  const part = partOf(of, check)
  if (p.out.errorCount > before || part === undefined) return undefined
  return storage.bytes.subarray(part.byteOffset, part.byteOffset + part.byteLength)
}

function groupBytes(of: PreparedFrameResource, check: FrameCheck): number {
  if (of.resource.kind === 'texture') return of.resource.format.blockByteLength
  return check.compare === 'f64' ? SCALAR_BYTES.f64 : SCALAR_BYTES.u32
}

function checkBounds(p: Preparation, of: PreparedFrameResource, check: FrameCheck): void {
  const size = check.compare === 'exact' ? 1 : SCALAR_BYTES[check.compare]
  const group = groupBytes(of, check)
  if (of.resource.kind === 'texture' && group % size !== 0) {
    const { name } = of.resource.format
    report(
      p.out,
      'job-out-of-range',
      `${check.path}.compare`,
      `texels of ${name} have ${group} bytes, which are no values of ${size}`,
    )
  }
  for (const bound of ['abs', 'rel'] as const) {
    const count = check[bound].length
    if (count === 1 || of.resource.kind === 'buffer' || count * size === group) continue
    const message = `${count} bounds are given; texels of ${of.resource.format.name} have ${group / size} values of ${check.compare}`
    report(p.out, 'job-out-of-range', `${check.path}.${bound}`, message)
  }
}

function* prepareOne(
  p: Preparation,
  check: FrameCheck,
  isRecording: boolean,
): Generator<void, PreparedFrameCheck | undefined> {
  const of = p.resources.get(check.resource.name)
  if (of === undefined) return undefined
  const part = partOf(of, check)
  if (part === undefined) {
    return report(
      p.out,
      'job-out-of-range',
      check.path,
      `mip ${check.mip ?? 0} of slice ${check.slice ?? 0} is checked; ${of.name} has no such part`,
    )
  }
  checkBounds(p, of, check)
  const base = { check, of, byteOffset: part.byteOffset, byteLength: part.byteLength }
  const { expected } = check
  if (expected === undefined) {
    p.out.push(
      diagnostic('job-nothing-to-compare', `the check of ${of.name} has no expected contents`, {
        kind: 'path',
        path: check.path,
      }),
    )
    return base
  }
  const isFile = expected.kind === 'file' || expected.kind === 'png'
  const record = isFile ? { record: { file: expected.file, kind: expected.kind } } : {}
  // That a file to be recorded is missing, or of another length, is no error.
  const attempt = isRecording && isFile ? { ...p, out: new DiagnosticCollector() } : p
  const want = yield* expectedBytes(attempt, of, check, expected, part.byteLength)
  if (want !== undefined && want.length !== part.byteLength) {
    report(attempt.out, 'job-size', check.path, `${want.length} bytes are expected; ${of.name} has ${part.byteLength}`)
  }
  const isFit = want !== undefined && want.length === part.byteLength
  return { ...base, ...(isFit ? { want } : {}), ...(isRecording ? record : {}) }
}

/** Reads what is expected, before anything runs. Each check is a part. */
export function* prepareFrameChecks(p: Preparation, isRecording: boolean): Generator<void, PreparedFrameCheck[]> {
  const prepared: PreparedFrameCheck[] = []
  for (const check of p.frame.checks) {
    yield
    const made = yield* prepareOne(p, check, isRecording)
    if (made !== undefined) prepared.push(made)
  }
  return prepared
}

function gotBytes(c: PreparedFrameCheck): Uint8Array {
  return c.of.resource.storage.bytes.subarray(c.byteOffset, c.byteOffset + c.byteLength)
}

function boundsOf(c: PreparedFrameCheck): GroupBounds {
  const { compare, abs, rel, exactWords, stride } = c.check
  return { compare, abs, rel, exactWords, stride, groupBytes: groupBytes(c.of, c.check) }
}

const VALUE_TYPES: Readonly<Record<FrameCheck['compare'], ScalarType>> = {
  exact: 'u32',
  u8: 'u8',
  u16: 'u16',
  f16: 'f16',
  f32: 'f32',
  f64: 'f64',
}

/** A byte of what is compared, as people find it. */
function locator(c: PreparedFrameCheck): (at: number) => Located {
  const { resource, shape } = c.of
  const type = VALUE_TYPES[c.check.compare]
  if (resource.kind === 'texture') {
    const format = shownFormat(resource.format)
    return (at) => locateTexel(resource, format, c.byteOffset + at, type)
  }
  const stride = resource.stride ?? c.check.stride
  return (at) => locateInStructure(shape, stride, c.byteOffset + at, type)
}

const MAX_SHOWN = 8

function describe(c: PreparedFrameCheck, compared: Comparison) {
  const { resource } = c.of
  const whole = resource.storage.bytes.slice()
  whole.set(c.want!, c.byteOffset)
  const [got, want] = [storageOfBytes(resource.storage.bytes), storageOfBytes(whole)]
  const at = locator(c)
  const difference = (offset: number): Difference => {
    const place = at(offset)
    return { where: place.where, type: place.type, got: place.text(got), expected: place.text(want) }
  }
  const first = compared.first.slice(0, MAX_SHOWN).map(difference)
  const greatest = compared.greatest
    .filter((g) => g.by !== 'ulps')
    .map((g): GreatestDifference => ({ by: g.by, difference: g.difference, ...difference(g.at) }))
  return { first, more: compared.different - first.length, greatest }
}

function howText(check: FrameCheck): string {
  const bounds = (['abs', 'rel'] as const)
    .filter((b) => check[b].some((v) => v > 0))
    .map((b) => `${b} ${check[b].join('/')}`)
  const outliers = check.outliers > 0 ? [`${Number((check.outliers * 100).toPrecision(6))}% outliers`] : []
  const exact = check.exactWords.length > 0 ? [`words ${check.exactWords.join(', ')} exact`] : []
  return [check.compare, ...bounds, ...exact, ...outliers].join(', ')
}

/** Compares what a resource holds now with what was expected; nothing where nothing is expected. */
export function frameCheckReport(c: PreparedFrameCheck): CheckReport | undefined {
  if (c.want === undefined) return undefined
  const compared = compareGroups(gotBytes(c), c.want, boundsOf(c))
  const allowed = Math.floor(c.check.outliers * compared.total)
  const passed = compared.different <= allowed
  const { first, more, greatest } = describe(c, compared)
  return {
    slot: c.of.name,
    label: c.of.name,
    how: howText(c.check),
    passed,
    total: compared.total,
    different: compared.different,
    allowed,
    unit: c.of.resource.kind === 'texture' ? 'texels' : 'words',
    ...(passed ? { first: [], more: 0 } : { first, more }),
    ...(greatest.length === 0 ? {} : { greatest }),
  }
}

/** Bits of a component from which images have 16: what 8 hold is shown as it is. */
function imageBits(format: Format): 8 | 16 {
  return format.components.some((c) => c.bitCount > 8) ? 16 : 8
}

/** An image of a mip and slice; a sentence where there can be none. */
export function imageOf(of: PreparedFrameResource, mip: number, slice: number, bits?: 8 | 16): Image | string {
  const { resource } = of
  if (resource.kind === 'buffer') return `${of.name} is a buffer; images are made of textures`
  if (resource.sampleCount > 1) return `${of.name} has ${resource.sampleCount} samples; resolve it first`
  return textureToImage(resource, shownFormat(resource.format), mip, slice, bits ?? imageBits(resource.format))
}

/** Colors of a difference image: wrong, and different within the bounds. */
const WRONG = [255, 0, 0, 255]
const DIFFERENT = [255, 200, 0, 255]

/** What was drawn, dark and without color; on it in red what is wrong, in yellow what differs within the bounds. */
function differenceImage(c: PreparedFrameCheck): Image | string {
  const image = imageOf(c.of, c.check.mip ?? 0, c.check.slice ?? 0, 8)
  if (typeof image === 'string' || c.want === undefined) return image
  const states = groupStates(gotBytes(c), c.want, boundsOf(c))
  const pixels = new Uint8Array(image.pixels.length)
  for (let i = 0; i < pixels.length / 4; i++) {
    const [r, g, b] = image.pixels.subarray(i * 4, i * 4 + 3)
    const gray = Math.round((r! + g! + b!) / 9)
    const state = states[i] ?? 0
    pixels.set(state === 2 ? WRONG : state === 1 ? DIFFERENT : [gray, gray, gray, 255], i * 4)
  }
  return { width: image.width, height: image.height, pixels }
}

/** Where the difference image of a check goes: its own field, or beside the expected file; undefined for neither. */
function differencePath(check: FrameCheck): string | undefined {
  if (check.difference !== undefined) return check.difference
  const { expected } = check
  if (expected?.kind !== 'file' && expected?.kind !== 'png') return undefined
  return `${expected.file.replace(/\.\w+$/, '')}.difference.png`
}

/** Writes the difference image of a failed check; gives its file, or what went wrong. */
function writeDifference(c: PreparedFrameCheck, host: JobHost, found: Diagnostic[]): string | undefined {
  const file = differencePath(c.check)
  const image = file === undefined ? '' : differenceImage(c)
  if (file === undefined || typeof image === 'string' || host.encodePng === undefined) return undefined
  const failure = host.writeFile(file, host.encodePng(image))
  if (failure === undefined) return file
  const message = `cannot write the difference image ${file}: ${failure.reason}`
  found.push(diagnostic('job-file', message, { kind: 'path', path: c.check.path }, failure.notes ?? [], 'warning'))
  return undefined
}

function recordedBytes(c: PreparedFrameCheck, host: JobHost): Uint8Array | string {
  if (c.record?.kind !== 'png') return gotBytes(c)
  const image = imageOf(c.of, c.check.mip ?? 0, c.check.slice ?? 0)
  if (typeof image === 'string') return image
  return host.encodePng?.(image) ?? 'this host writes no PNG images'
}

/** Writes what a resource holds to the file of its check. */
function record(c: PreparedFrameCheck, host: JobHost, found: Diagnostic[]): CheckReport | undefined {
  const { file } = c.record!
  const bytes = recordedBytes(c, host)
  const failure = typeof bytes === 'string' ? { reason: bytes } : host.writeFile(file, bytes)
  if (failure !== undefined || typeof bytes === 'string') {
    const message = `cannot write ${file}: ${failure?.reason}`
    found.push(diagnostic('job-file', message, { kind: 'path', path: c.check.path }, failure?.notes))
    return undefined
  }
  return {
    ...{ slot: c.of.name, label: c.of.name, how: howText(c.check), passed: true },
    ...{ total: bytes.length, different: 0, allowed: 0, unit: 'bytes', first: [], more: 0, recorded: file },
  }
}

interface CheckOptions {
  /** The frame ran to its end. */
  readonly hasEnded: boolean
  /** Files that are missing or not as expected are written. */
  readonly update: boolean
}

/** Compares one resource; of a frame that has ended a failed check leaves a difference image. */
function runCheck(
  c: PreparedFrameCheck,
  host: JobHost,
  { hasEnded, update }: CheckOptions,
  found: Diagnostic[],
): CheckReport | undefined {
  const report = frameCheckReport(c)
  if (update && hasEnded && c.record !== undefined && report?.passed !== true) return record(c, host, found) ?? report
  if (report === undefined) return undefined
  const difference = report.passed || !hasEnded ? undefined : writeDifference(c, host, found)
  return difference === undefined ? report : { ...report, differenceImage: difference }
}

/** Compares everything. Each check is a part. */
export function* runFrameChecks(
  checks: readonly PreparedFrameCheck[],
  host: JobHost,
  options: CheckOptions,
): Generator<void, { readonly checks: CheckReport[]; readonly diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const reports: CheckReport[] = []
  for (const check of checks) {
    yield
    const report = runCheck(check, host, options, diagnostics)
    if (report !== undefined) reports.push(report)
  }
  return { checks: reports, diagnostics }
}
