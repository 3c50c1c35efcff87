import { type Diagnostic, type DiagnosticCode, diagnostic } from '../diagnostic/index.ts'
import { type Program, type StatementText, withNamedPlaces } from '../program/index.ts'
import type { UndefinedReason } from './observer.ts'
import { signedText, type TexelAxis, texelText } from './texel-axes.ts'

/** One undefined or dropped operation of one thread. */
export interface Finding {
  readonly reason: UndefinedReason
  /** Direct3D says what happens (a load of 0, a store that is dropped), so nothing is undefined. */
  readonly defined: boolean
  /** Index in `Program.statements`. */
  readonly statement: number
  readonly operand: number
  /** How the register is written: `u0`, `g1`, `x2`. */
  readonly register: string
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  /** The offending address in the unit of the reason. */
  readonly address: number
  /** What the address was compared with: bytes, elements, registers. */
  readonly limit: number
  /** An access outside a texture: all its coordinates with their extents. */
  readonly texel?: readonly TexelAxis[] | undefined
  readonly group: readonly [number, number, number]
  readonly thread: readonly [number, number, number]
  /** What people call the invocation of a graphics stage: `vertex 12 of instance 3`. */
  readonly invocation?: string | undefined
}

/** What findings are folded by. */
type FindingKind = Pick<Finding, 'reason' | 'defined' | 'statement' | 'operand'>

interface Folded {
  readonly first: Finding
  count: number
}

/** Findings of a dispatch at one time, as plain data. */
export interface FindingsState {
  readonly folded: readonly { readonly first: Finding; readonly count: number }[]
  readonly undefinedCount: number
}

/** Findings of one dispatch, identical ones (reason, statement, operand) folded into one. Shared by the engines. */
export interface Findings {
  /** Adds a finding, as often as it was met. */
  add(finding: Finding, count?: number): void
  /** Counts a finding that adds nothing but its number; false where it is to be added with all that it says. */
  counts(finding: FindingKind): boolean
  /** Undefined operations met, folded or not; those that Direct3D defines do not count. */
  readonly undefinedCount: number
  /** One diagnostic a folded finding, in the order of their first occurrence, at most `maxDiagnostics`. */
  diagnostics(program: Program, textOf?: StatementText): readonly Diagnostic[]
  save(): FindingsState
  restore(state: FindingsState): void
}

const CODES: Readonly<Record<UndefinedReason, DiagnosticCode>> = {
  'out-of-bounds': 'engine-out-of-bounds',
  'structure-offset': 'engine-structure-offset',
  'tgsm-bounds': 'engine-tgsm-bounds',
  misaligned: 'engine-misaligned',
  'indexable-temp-bounds': 'engine-indexable-temp-bounds',
  'register-bounds': 'engine-register-bounds',
  'divergent-derivative': 'engine-divergent-derivative',
  'max-vertex-count': 'engine-max-vertex-count',
  'sample-index': 'engine-sample-index',
  'constant-buffer-bounds': 'engine-constant-buffer-bounds',
  'immediate-constant-bounds': 'engine-immediate-constant-bounds',
  unbound: 'engine-unbound',
  'range-bounds': 'engine-range-bounds',
  subresource: 'engine-subresource',
  interface: 'engine-interface',
  'call-depth': 'engine-call-depth',
  'this-bounds': 'engine-this-bounds',
  format: 'engine-format',
  'no-counter': 'engine-no-counter',
  'divergent-barrier': 'engine-divergent-barrier',
}

const VERBS: Readonly<Record<Finding['access'], string>> = {
  load: 'a load from',
  store: 'a store to',
  atomic: 'an atomic on',
  other: 'an access to',
}

function describe(f: Finding): string {
  const what = `${VERBS[f.access]} ${f.register}`
  if (f.texel !== undefined) return `${what} ${texelText(f.texel)}`
  const address = signedText(f.address, f.limit)
  switch (f.reason) {
    case 'out-of-bounds':
      return `${what} at ${address} lies outside the view, which ends at ${f.limit}`
    case 'structure-offset':
      return `${what} reaches byte ${address} of a structure of ${f.limit} bytes`
    case 'tgsm-bounds':
      return `${what} at byte ${address} lies outside its ${f.limit} bytes`
    case 'misaligned':
      return `${what} at byte ${address}, which is not a multiple of 4`
    case 'indexable-temp-bounds':
    case 'constant-buffer-bounds':
    case 'immediate-constant-bounds':
      return `${what} with index ${address}, of ${f.limit}`
    case 'register-bounds':
      return `${what} with index ${f.address}; registers up to ${f.limit - 1} are declared`
    case 'divergent-derivative':
      return `a derivative of a value that ${f.address} of 4 pixels computed`
    case 'max-vertex-count':
      return `the shader emits more than the ${f.limit} vertices that it declares; it ends there`
    case 'sample-index':
      return `${what} at sample ${f.address}, of ${f.limit}`
    case 'unbound':
      return `${what}, where nothing is bound`
    case 'range-bounds':
      return `${what} names register ${f.address}, outside the range declared`
    case 'subresource':
      return `${what} names mip, sample or slice ${address}, of ${f.limit}`
    case 'interface':
      return `a call through ${f.register}, pointer ${f.address}, which has no usable class instance`
    case 'call-depth':
      return `a call nests deeper than ${f.limit} and is skipped`
    case 'this-bounds':
      return `this[${address}] is read, of ${f.limit}`
    case 'format':
      return `${what}, whose format does not have the operation`
    case 'no-counter':
      return `${what}, whose view has no counter`
    case 'divergent-barrier':
      return `a barrier is reached by ${f.address} of ${f.limit} threads of a wave`
  }
}

function render(folded: Folded): Diagnostic {
  const { first, count } = folded
  const place = { kind: 'statement', index: first.statement, operand: first.operand } as const
  const others = count === 1 ? '' : `, and ${count - 1} more like it`
  const notes = [
    `first by ${first.invocation ?? `thread (${first.thread.join(', ')}) of group (${first.group.join(', ')})`}${others}`,
  ]
  if (first.defined) notes.push('Direct3D defines the outcome: loads give 0, stores are dropped')
  return diagnostic(CODES[first.reason], describe(first), place, notes, first.defined ? 'hint' : 'warning')
}

const isSameKind = (a: FindingKind, b: FindingKind): boolean =>
  a.operand === b.operand && a.reason === b.reason && a.defined === b.defined

/** Keeps the first `maxDiagnostics` different findings and counts the rest. */
class FoldedFindings implements Findings {
  readonly #most: number
  readonly #folded: Folded[] = []
  readonly #byStatement: (Folded[] | undefined)[] = []
  undefinedCount = 0

  constructor(maxDiagnostics: number) {
    this.#most = maxDiagnostics
  }

  #keep(f: Folded): void {
    this.#folded.push(f)
    const { statement } = f.first
    const others = this.#byStatement[statement]
    if (others === undefined) this.#byStatement[statement] = [f]
    else others.push(f)
  }

  #count(kind: FindingKind, times: number): boolean {
    const known = this.#byStatement[kind.statement]?.find((f) => isSameKind(f.first, kind))
    if (known === undefined && this.#folded.length < this.#most) return false
    if (known !== undefined) known.count += times
    if (!kind.defined) this.undefinedCount += times
    return true
  }

  counts(kind: FindingKind): boolean {
    return this.#count(kind, 1)
  }

  add(finding: Finding, times = 1): void {
    if (this.#count(finding, times)) return
    this.#keep({ first: finding, count: times })
    if (!finding.defined) this.undefinedCount += times
  }

  diagnostics(program: Program, textOf?: StatementText): readonly Diagnostic[] {
    if (this.#folded.length === 0) return NOTHING_FOUND
    return withNamedPlaces(this.#folded.map(render), program, textOf)
  }

  save(): FindingsState {
    return { folded: this.#folded.map((f) => ({ ...f })), undefinedCount: this.undefinedCount }
  }

  restore(state: FindingsState): void {
    this.#folded.length = 0
    this.#byStatement.length = 0
    for (const f of state.folded) this.#keep({ ...f })
    this.undefinedCount = state.undefinedCount
  }
}

const NOTHING_FOUND: readonly Diagnostic[] = []

/** Findings that are folded as they come: the first `maxDiagnostics` different ones are kept. */
export const createFindings = (maxDiagnostics: number): Findings => new FoldedFindings(maxDiagnostics)
