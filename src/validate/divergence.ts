import { appendAll } from '../diagnostic/index.ts'
import { FILE } from '../isa/index.ts'
import { closedBy, type Operand, openedBy, writeMask } from '../program/index.ts'
import type { ProgramContext, Site } from './context.ts'
import { flowAction, isConditional } from './flow-tree.ts'
import { componentsRead, immediateIndex, positionsRead } from './operand.ts'

/** Register components (register * 4 + component) that surely come from the thread's own number. */
type Varying = Set<number>

interface Scope {
  readonly kind: 'if' | 'loop' | 'switch'
  /** The condition differs between the threads of a group. */
  divergent: boolean
  readonly before: Varying
  /** State at the end of the then-branch of an if. */
  thenEnd: Varying | undefined
  /** Components that are written between the block's ends. */
  readonly written: ReadonlySet<number>
}

/** Components of the thread's number that are the same in the whole group because the group is one thread wide there. */
function varyingIdMask(context: ProgramContext, operand: Operand): number {
  const group = context.threadGroup ?? [0, 0, 0]
  switch (operand.type) {
    case FILE['thread-id-in-group']:
    case FILE['thread-id']:
      return group.reduce<number>((mask, size, i) => (size > 1 ? mask | (1 << i) : mask), 0)
    case FILE['thread-id-in-group-flattened']:
      return group[0] * group[1] * group[2] > 1 ? 1 : 0
    default:
      return 0
  }
}

function keysOf(operand: Operand, mask: number): readonly number[] {
  const register = immediateIndex(operand, 0)
  if (operand.type !== FILE.temp || register === undefined) return []
  return [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => register * 4 + c)
}

/** Whether an operand, read in `positions`, surely varies in one of the components. */
function readsVarying(context: ProgramContext, operand: Operand, positions: number, varying: Varying): boolean {
  const read = componentsRead(operand, positions)
  const ids = varyingIdMask(context, operand)
  if (ids !== 0 && (operand.components === 2 ? (read & ids) !== 0 : true)) return read !== 0
  return keysOf(operand, read).some((k) => varying.has(k))
}

/** Source slots, as one component of the result sees them. */
function resultVaries(context: ProgramContext, site: Site, component: number, varying: Varying): boolean {
  const { row, instruction } = site
  if (row.traits.kind !== 'alu' || row.traits.lanes !== 'componentwise') return false
  return row.operands.some((slot, i) => {
    const operand = instruction.operands[i]
    if (operand === undefined || (slot.role !== 'source' && slot.role !== 'condition')) return false
    return readsVarying(context, operand, 1 << component, varying)
  })
}

function writtenBy(site: Site): readonly number[] {
  return site.row.operands.flatMap((slot, i) => {
    const operand = site.instruction.operands[i]
    return slot.role === 'dest' && operand !== undefined ? keysOf(operand, writeMask(operand)) : []
  })
}

function execute(context: ProgramContext, site: Site, varying: Varying): void {
  const keys = writtenBy(site)
  const now = keys.filter((k) => resultVaries(context, site, k & 3, varying))
  for (const k of keys) varying.delete(k)
  for (const k of now) varying.add(k)
}

/** What is written inside each block, by the statement that opens it. A counter that steps from itself is left out. */
function writtenInBlocks(sites: readonly Site[]): ReadonlyMap<Site, ReadonlySet<number>> {
  const result = new Map<Site, Set<number>>()
  const open: Site[] = []
  for (const site of sites) {
    const action = flowAction(site)
    if (openedBy(action) !== undefined) {
      open.push(site)
      result.set(site, new Set())
    } else if (closedBy(action) !== undefined) open.pop()
    if (open.length > MAX_DEPTH) return result
    for (const key of writtenBy(site)) {
      if (stepsFromItself(site, key)) continue
      for (const block of open) result.get(block)?.add(key)
    }
  }
  return result
}

function stepsFromItself(site: Site, key: number): boolean {
  if (site.row.traits.kind !== 'alu' || site.row.traits.lanes !== 'componentwise') return false
  // A choice may take the other value in every thread.
  if (site.row.operands.some((slot) => slot.role === 'condition')) return false
  return site.row.operands.some((slot, i) => {
    const operand = site.instruction.operands[i]
    if (slot.role !== 'source' || operand === undefined) return false
    return keysOf(operand, componentsRead(operand, 1 << (key & 3))).includes(key)
  })
}

function conditionVaries(context: ProgramContext, site: Site, varying: Varying): boolean {
  return site.row.operands.some((slot, i) => {
    const operand = site.instruction.operands[i]
    if (operand === undefined || (slot.role !== 'condition' && slot.role !== 'source')) return false
    return readsVarying(context, operand, positionsRead(site.row, slot, site.instruction), varying)
  })
}

const without = (state: Varying, written: ReadonlySet<number>): Varying =>
  new Set([...state].filter((k) => !written.has(k)))

function open(
  site: Site,
  kind: Scope['kind'],
  scopes: Scope[],
  state: Varying,
  context: ProgramContext,
  written: ReadonlySet<number>,
): Varying {
  const divergent = kind !== 'loop' && conditionVaries(context, site, state)
  scopes.push({ kind, divergent, before: state, thenEnd: undefined, written })
  return kind === 'loop' ? without(state, written) : new Set(state)
}

function close(scope: Scope, state: Varying): Varying {
  if (scope.kind !== 'if') return without(scope.before, scope.written)
  const other = scope.thenEnd ?? scope.before
  return new Set([...state].filter((k) => other.has(k)))
}

/** Deeper nesting is another rule's finding. */
const MAX_DEPTH = 64
/** Statements times registers of real programs are few; damaged ones are not worth the time. */
const MAX_WORK = 4_000_000

/**
 * Statements that wait for all threads of the group inside a block that some threads of it do not run: conditions are
 * followed from the thread's number through arithmetic to the branch, and dropped at everything that could make them
 * uniform again as far as the program's structure goes (memory, joins, loops that write them otherwise).
 */
export function divergentSyncs(context: ProgramContext, isThreadSync: (site: Site) => boolean): readonly Site[] {
  if (context.stage !== 'compute' || !context.sites.some(isThreadSync)) return []
  const temps = context.phases[0]?.tempCount ?? 0
  if (context.sites.length * Math.max(1, temps) > MAX_WORK) return []
  const found: Site[] = []
  const pending = new Map<Scope, Site[]>()
  const written = writtenInBlocks(context.sites)
  const scopes: Scope[] = []
  let state: Varying = new Set()
  for (const site of context.sites) {
    if (scopes.length > MAX_DEPTH) return []
    const action = flowAction(site)
    const kind = openedBy(action)
    const scope = scopes[scopes.length - 1]
    if (action === 'label') {
      state = new Set()
      scopes.length = 0
    } else if (kind !== undefined) {
      state = open(site, kind, scopes, state, context, written.get(site) ?? new Set())
    } else if (scope !== undefined && closedBy(action) === scope.kind) {
      scopes.pop()
      if (scope.divergent) appendAll(found, pending.get(scope) ?? [])
      state = close(scope, state)
    } else if (action === 'else' && scope?.kind === 'if') {
      scope.thenEnd = state
      state = new Set(scope.before)
    } else if (action === 'case' || action === 'default') {
      if (scope !== undefined) state = without(scope.before, scope.written)
    } else if (action === 'break' || action === 'continue') {
      leaveLoop(site, scopes, state, context)
    } else if (isThreadSync(site)) {
      if (scopes.some((s) => s.kind !== 'loop' && s.divergent)) found.push(site)
      else for (const s of scopes) if (s.kind === 'loop') pending.set(s, [...(pending.get(s) ?? []), site])
    } else execute(context, site, state)
  }
  return [...new Set(found)].sort((a, b) => a.index - b.index)
}

/** A loop that some threads leave earlier than others is divergent: what waits in it waits for threads that are gone. */
function leaveLoop(site: Site, scopes: readonly Scope[], state: Varying, context: ProgramContext): void {
  const target = scopes.findLastIndex((s) => s.kind === 'loop' || (s.kind === 'switch' && flowAction(site) === 'break'))
  const loop = scopes[target]
  if (loop?.kind !== 'loop') return
  const inside = scopes.slice(target + 1).some((s) => s.divergent)
  if (inside || (isConditional(site) && conditionVaries(context, site, state))) loop.divergent = true
}
