import { appendAll, largest } from '../../../diagnostic/index.ts'
import { rowOfOpcode } from '../../../isa/index.ts'
import type { ResolvedBindings, Srv, Uav } from '../../../machine/index.ts'
import type { Program } from '../../../program/index.ts'
import { threadComponent } from '../../analysis/index.ts'
import type { GroupCounts, LoadedShader } from '../../contract.ts'
import { threadsOf } from '../../declarations.ts'
import type { Finding, Findings } from '../../findings.ts'
import type { BindingUse, EffectItem, TexelValues } from '../../ir/index.ts'
import { registerName } from '../../register-name.ts'
import { outsideByte, texelAxes } from '../../texel-axes.ts'
import { RECORD, RECORD_HEADER, RECORD_WORDS, type ReportSite } from '../emit/kernel-layout.ts'
import type { CompiledKernel } from './compiled-kernel.ts'

/**
 * What the records of a dispatch say. A record counts the findings of one place and holds the first lanes that were
 * concerned; what Direct3D makes of the first of them is reported for all.
 */
interface RecordContext {
  readonly shader: LoadedShader
  readonly kernel: CompiledKernel
  readonly uses: readonly BindingUse[]
  readonly views: readonly (Srv | Uav | undefined)[]
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  /** What people call an invocation of a batch; absent where groups of threads run. */
  readonly describe?: ((invocation: number) => string) | undefined
}

/** A finding of one thread and how often it occurred, with what orders it among those of other places and workers. */
export interface Found {
  readonly group: number
  /** Among those of its group. */
  readonly order: number
  /** Flattened number of the thread in its group. */
  readonly thread: number
  readonly finding: Finding
  count: number
}

/** Whether a statement is an atomic that returns a word: an undefined one where it is out of bounds (22.17). */
export function returnsWord(program: Program, statement: number): boolean {
  const s = program.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'atomic' && traits.returnsOriginal
}

/** Number of a group in the order in which they run. */
function groupNumber([x, y]: GroupCounts, [gx, gy, gz]: readonly [number, number, number]): number {
  return (gz * y + gy) * x + gx
}

/** The record of one place. */
class FoundRecord {
  readonly #words: Int32Array

  constructor(words: Int32Array, n: number) {
    this.#words = words.subarray((n + 1) * RECORD_WORDS, (n + 2) * RECORD_WORDS)
  }

  word(name: keyof typeof RECORD, more = 0): number {
    return this.#words[RECORD[name] + more]! >>> 0
  }
  get count(): number {
    return this.word('count') + this.word('count', 1) * 2 ** 32
  }
  /** The first lane, counted from the record's thread on. */
  get lane(): number {
    const bits = this.word('lanes')
    return 31 - Math.clz32(bits & -bits)
  }
  ofLane(name: 'index' | 'offset' | keyof TexelValues): number {
    return this.word(name, this.lane & 3)
  }
}

type FindingDetails = Pick<Finding, 'reason' | 'defined' | 'address' | 'limit' | 'texel'>
type RecordResult = FindingDetails & { readonly count: number }

const UNBOUND = { reason: 'unbound', defined: true, limit: 0 } as const

type Access = Extract<ReportSite['item'], { readonly address: unknown }>

/** What is wrong with an access; undefined where another record has it. */
function checkAccess(
  c: RecordContext,
  item: Access,
  what: ReportSite['what'],
  r: FoundRecord,
): RecordResult | undefined {
  const { space, stride, index } = item.address
  const { count } = r
  const view = space.kind === 'buffer' ? c.views[space.binding] : undefined
  const raw = r.ofLane('offset')
  const offset = raw - (raw & 3)
  const dwords = item.kind === 'load' ? item.dwords : item.kind === 'store' ? item.values.map((_, n) => n) : [0]
  if (space.kind === 'buffer' && view === undefined) {
    if (what === 'misaligned') return undefined
    if (index !== undefined) return { ...UNBOUND, address: r.ofLane('index'), count }
    // Every dword is out of bounds, and is one finding together with the others.
    return { ...UNBOUND, address: raw, count: count / dwords.length }
  }
  if (what === 'misaligned') return { reason: 'misaligned', defined: false, address: raw, limit: 4, count }
  if (what === 'offset') {
    const last = offset + 4 * largest(0, dwords) + 3
    return { reason: 'structure-offset', defined: false, address: last, limit: stride, count }
  }
  const defined = !returnsWord(c.shader.declarations.program, item.statement)
  if (index !== undefined && view !== undefined && 'elementCount' in view) {
    return { reason: 'out-of-bounds', defined, address: r.ofLane('index'), limit: view.elementCount, count }
  }
  const limit =
    space.kind === 'tgsm' ? space.byteLength : view !== undefined && 'byteLength' in view ? view.byteLength : 0
  const structure = index === undefined ? 0 : r.ofLane('index')
  const start = offset + structure * stride
  const dword = dwords.find((d) => start + 4 * d + 4 > limit) ?? 0
  if (space.kind === 'tgsm') {
    const address = outsideByte(structure, stride, offset + 4 * dword, limit)
    return { reason: 'tgsm-bounds', defined: false, address, limit, count }
  }
  return { reason: 'out-of-bounds', defined, address: start + 4 * dword, limit, count }
}

/** The texel that the first lane named. */
function texelOf(c: RecordContext, item: ReportSite['item'], named: TexelValues, r: FoundRecord): Finding['texel'] {
  const space = 'address' in item ? item.address.space : undefined
  const view = space?.kind === 'buffer' ? c.views[space.binding] : undefined
  if (view?.shape !== 'texture') return undefined
  const of = (name: keyof TexelValues): number | undefined => (named[name] === undefined ? undefined : r.ofLane(name))
  return texelAxes(view, { x: of('x') ?? 0, y: of('y') ?? 0, z: of('z') ?? 0, mip: of('mip'), sample: of('sample') })
}

function checkRecord(c: RecordContext, site: ReportSite, r: FoundRecord): RecordResult | undefined {
  const { item, what } = site
  const { count } = r
  if (typeof what === 'object') {
    const { reason, defined } = what
    const unbound = item.kind === 'report' ? item.unbound : undefined
    if (unbound !== undefined && !isBound(c, unbound.binding)) return { ...UNBOUND, address: unbound.address, count }
    const texel = what.texel === undefined ? undefined : texelOf(c, item, what.texel, r)
    return { reason, defined, address: r.ofLane('offset'), limit: r.ofLane('index'), texel, count }
  }
  if (item.kind === 'barrier') {
    return { reason: 'divergent-barrier', defined: false, address: r.ofLane('offset'), limit: r.ofLane('index'), count }
  }
  if (item.kind === 'counter') {
    if (!isBound(c, item.binding)) return { ...UNBOUND, address: 0, count }
    return { reason: 'no-counter', defined: false, address: 0, limit: 0, count }
  }
  return 'address' in item ? checkAccess(c, item, what, r) : undefined
}

function isBound(c: RecordContext, binding: number): boolean {
  const use = c.uses[binding]!
  return use.register === 'b' ? c.bindings.b.has(use.key) : c.views[binding] !== undefined
}

/** What a finding is about: an instruction that is the reportable's, and how its memory is accessed. */
interface Reportable {
  readonly statement: number
  readonly operand: number | undefined
  readonly access: Finding['access']
}

/** Where a finding was made first. */
interface FirstPlace {
  readonly firstThread: number
  readonly group: readonly [number, number, number]
  readonly lane: number
  readonly order: number
}

function reportableOf(item: ReportSite['item']): Reportable {
  const { statement } = item
  switch (item.kind) {
    case 'report':
      return { statement, operand: item.operand, access: item.access }
    case 'load':
    case 'store':
      return { statement, operand: undefined, access: item.kind }
    case 'barrier':
      return { statement, operand: 0, access: 'other' }
    case 'atomic':
    case 'counter':
      return { statement, operand: undefined, access: 'atomic' }
    default:
      return item satisfies never
  }
}

function found(
  shader: LoadedShader,
  groups: GroupCounts,
  reportable: Reportable,
  details: FindingDetails,
  place: FirstPlace,
  count: number,
  describe?: (invocation: number) => string,
): Found {
  const { declarations } = shader
  const statement = declarations.program.statements[reportable.statement]
  const instruction = statement?.kind === 'instruction' ? statement : undefined
  const row = instruction === undefined ? undefined : rowOfOpcode(instruction.opcode)
  const memory = row?.operands.findIndex((slot) => slot.role === 'resource' || slot.role === 'memory') ?? 0
  const operand = reportable.operand ?? memory
  const named = instruction?.operands[operand]
  const register = named === undefined ? 'the barrier' : registerName(declarations, named)
  const flat = place.firstThread + place.lane
  const component = (axis: number): number => threadComponent(threadsOf(declarations), flat, axis)
  const thread = [component(0), component(1), component(2)] as const
  const { group, order } = place
  const { access } = reportable
  const invocation = describe?.(flat)
  const finding = { ...details, statement: reportable.statement, operand, register, access, group, thread, invocation }
  return { group: groupNumber(groups, group), order, thread: flat, finding, count }
}

/** A finding that a call to the host made. */
export function foundBy(
  shader: LoadedShader,
  groups: GroupCounts,
  { statement, request }: Extract<EffectItem, { kind: 'texel' }>,
  details: FindingDetails,
  place: FirstPlace,
  describe?: (invocation: number) => string,
): Found {
  const { operation } = request
  const access = operation === 'load' || operation === 'store' || operation === 'atomic' ? operation : 'other'
  return found(shader, groups, { statement, operand: undefined, access }, details, place, 1, describe)
}

function foundAt(c: RecordContext, site: ReportSite, r: FoundRecord): Found | undefined {
  const result = checkRecord(c, site, r)
  if (result === undefined) return undefined
  const { count, ...details } = result
  const group = [r.word('groupX'), r.word('groupY'), r.word('groupZ')] as const
  const place = { firstThread: r.word('thread'), group, lane: r.lane, order: r.word('order') }
  return found(c.shader, c.groups, reportableOf(site.item), details, place, count, c.describe)
}

/** Words of a worker's records, after their header: first the one that is never read. */
export function recordsIn(memory: ArrayBufferLike, scratch: number, kernel: CompiledKernel): Int32Array {
  const at = scratch + kernel.reportOffset + RECORD_HEADER
  return new Int32Array(memory, at, (1 + kernel.sites.length) * RECORD_WORDS)
}

/** Empties a worker's records. */
export function clearRecords(memory: ArrayBufferLike, scratch: number, kernel: CompiledKernel): void {
  const words = RECORD_HEADER / 4 + (1 + kernel.sites.length) * RECORD_WORDS
  new Int32Array(memory, scratch + kernel.reportOffset, words).fill(0)
}

/**
 * Orders the findings of lanes that run a statement together by lane, as they are reported: code looks for one reason after the other, in
 * all lanes. `all` is in the order of the code.
 */
function byLane<T>(all: readonly T[], isTogether: (a: T, b: T) => boolean, compareLanes: (a: T, b: T) => number): T[] {
  const sorted: T[] = []
  for (let first = 0; first < all.length; ) {
    let end = first + 1
    while (end < all.length && isTogether(all[first]!, all[end]!)) end++
    appendAll(sorted, all.slice(first, end).sort(compareLanes))
    first = end
  }
  return sorted
}

/** What all workers recorded, in the order in which one thread would have recorded it. */
function allFound(c: RecordContext, workers: readonly Int32Array[], details: readonly Found[]): Found[] {
  const all = [...details]
  for (const words of workers) {
    c.kernel.sites.forEach((site, n) => {
      const record = new FoundRecord(words, n)
      const made = record.count === 0 ? undefined : foundAt(c, site, record)
      if (made !== undefined) all.push(made)
    })
  }
  // Quads of pixels come in the order of the draw, however many of them a wave has.
  const isPixel = c.shader.declarations.stage.kind === 'pixel'
  const lanes = isPixel ? 4 : c.kernel.lanes
  const quadOrWave = (f: Found): number => Math.floor(f.thread / lanes)
  all.sort((a, b) => (isPixel ? quadOrWave(a) - quadOrWave(b) : a.group - b.group) || a.order - b.order)
  return byLane(
    all,
    (a, b) => a.group === b.group && a.finding.statement === b.finding.statement && quadOrWave(a) === quadOrWave(b),
    (a, b) => a.thread - b.thread,
  )
}

/**
 * Adds what was found. After a trap that is what came before the first undefined operation, and this one thread's: other
 * workers may have gone on to other findings.
 */
export function addFindings(
  c: RecordContext,
  workers: readonly Int32Array[],
  details: readonly Found[],
  traps: boolean,
  findings: Findings,
): void {
  for (const { finding, count } of allFound(c, workers, details)) {
    const isLast = traps && !finding.defined
    findings.add(finding, isLast ? 1 : count)
    if (isLast) return
  }
}

/** What a thread found at one place of code that several threads run, as plain data. */
export interface SharedFinding {
  /** Index in `CompiledKernel.sites`. */
  readonly site: number
  count: number
  /** The words of the record of the first, with where it stands in the draw and what people call it. */
  words: readonly number[]
  order: readonly number[]
  invocation: string
}

/** Compares two places in the order of a draw. */
export function compareOrder(a: readonly number[], b: readonly number[]): number {
  const n = a.findIndex((x, i) => x !== b[i])
  return n < 0 ? 0 : a[n]! - b[n]!
}

/** Adds what threads found in the entries of a shader, in the order of the draw: each place of the code counts once, and names its first invocation. */
export function addSharedFindings(
  entries: readonly { readonly context: RecordContext; readonly found: readonly SharedFinding[] }[],
  findings: Findings,
): void {
  const all = entries.flatMap(({ context, found }) => foldedBySite(found).map((f) => ({ context, ...f })))
  // The last number tells pixels of a quad apart, which run together.
  const quad = (f: SharedFinding): readonly number[] => f.order.slice(0, -1)
  const statement = (f: (typeof all)[number]): number => f.context.kernel.sites[f.site]!.item.statement
  all.sort((a, b) => compareOrder(quad(a), quad(b)) || a.words[RECORD.order]! - b.words[RECORD.order]!)
  const sorted = byLane(
    all,
    (a, b) => compareOrder(quad(a), quad(b)) === 0 && statement(a) === statement(b),
    (a, b) => compareOrder(a.order, b.order),
  )
  for (const { context: c, site, words, count, invocation } of sorted) {
    const record = Int32Array.from(words)
    record[RECORD.count] = count
    record[RECORD.count + 1] = Math.floor(count / 2 ** 32)
    const made = foundAt({ ...c, describe: () => invocation }, c.kernel.sites[site]!, new FoundRecord(record, -1))
    if (made !== undefined) findings.add(made.finding, made.count)
  }
}

/** By place of the code the first of what threads found there, with the count of all. */
function foldedBySite(found: readonly SharedFinding[]): readonly SharedFinding[] {
  const bySite = new Map<number, SharedFinding>()
  for (const f of found) {
    const known = bySite.get(f.site)
    if (known === undefined) bySite.set(f.site, { ...f })
    else {
      const first = compareOrder(f.order, known.order) < 0 ? f : known
      bySite.set(f.site, { ...first, count: known.count + f.count })
    }
  }
  return [...bySite.values()]
}
