/** Reaching definitions: the writes whose value a read may see, and the reads that may see what a statement writes. */
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { flowGraph } from './graph.ts'
import { componentsRead, componentsWritten } from './reads.ts'
import { type RegisterUse, registerUses, usesByKey } from './uses.ts'

/** The writes that reach a place, and whether there is a way to it without any. */
interface Reaching {
  readonly writes: readonly RegisterUse[]
  readonly mayBeUnwritten: boolean
}

/** The writes of a register, by statement. */
const writesByKey = perDocument((d: ShaderDocument) => {
  const byKey = new Map<string, Map<number, RegisterUse[]>>()
  for (const use of registerUses(d)) {
    if (componentsWritten(use) === 0) continue
    const writes = byKey.get(use.key) ?? new Map<number, RegisterUse[]>()
    byKey.set(use.key, writes)
    writes.set(use.statement, [...(writes.get(use.statement) ?? []), use])
  }
  return byKey
})

/** Elements of an array: a write to one leaves the others as they were. */
const isPartial = (use: RegisterUse): boolean => use.written.file.name === 'indexable-temp'

interface Search {
  readonly due: { readonly block: number; readonly before: number }[]
  readonly visited: Set<number>
  readonly found: Set<RegisterUse>
  isUnwritten: boolean
}

/** Goes back from a place in a block to the write there, or to what comes before the block. */
function searchBlock(d: ShaderDocument, s: Search, block: number, before: number, key: string, bit: number): void {
  const graph = flowGraph(d)
  const writes = writesByKey(d).get(key)
  const { statements } = graph.blocks[block]!
  for (let i = before - 1; i >= 0; i--) {
    const at = statements[i]!
    const here = writes?.get(at)?.filter((w) => componentsWritten(w) & bit) ?? []
    for (const use of here) s.found.add(use)
    if (here.some((w) => !isPartial(w))) return
    for (const end of graph.calleeEnds.get(at) ?? []) visit(d, s, end)
  }
  const before_ = graph.predecessors[block]!
  for (const b of before_) visit(d, s, b)
  for (const caller of graph.callers.get(block) ?? []) {
    const from = graph.blockOf.get(caller)!
    if (s.visited.has(-1 - caller)) continue
    s.visited.add(-1 - caller)
    s.due.push({ block: from, before: graph.blocks[from]!.statements.indexOf(caller) })
  }
  if (before_.length === 0 && !graph.callers.has(block)) s.isUnwritten = true
}

function visit(d: ShaderDocument, s: Search, block: number): void {
  if (s.visited.has(block)) return
  s.visited.add(block)
  s.due.push({ block, before: flowGraph(d).blocks[block]!.statements.length })
}

/** The writes of a component of a register that may be seen before a statement. */
function reachingOne(d: ShaderDocument, statement: number, key: string, bit: number, found: Set<RegisterUse>): boolean {
  const graph = flowGraph(d)
  const block = graph.blockOf.get(statement)
  if (block === undefined) return false
  const s: Search = { due: [], visited: new Set(), found, isUnwritten: false }
  s.due.push({ block, before: graph.blocks[block]!.statements.indexOf(statement) })
  for (let next = s.due.pop(); next !== undefined; next = s.due.pop()) {
    searchBlock(d, s, next.block, next.before, key, bit)
  }
  return s.isUnwritten
}

/** The writes that components of a register may have their values from before a statement, in the order of the text. */
function reachingWrites(d: ShaderDocument, statement: number, key: string, mask: number): Reaching {
  const found = new Set<RegisterUse>()
  let mayBeUnwritten = false
  for (let c = 0; c < 4; c++) {
    if (((mask >> c) & 1) === 0) continue
    if (reachingOne(d, statement, key, 1 << c, found)) mayBeUnwritten = true
  }
  return { writes: [...found].sort((a, b) => a.statement - b.statement), mayBeUnwritten }
}

/** The writes that a use reads from. */
export function writesSeenBy(d: ShaderDocument, use: RegisterUse): Reaching {
  return reachingWrites(d, use.statement, use.key, componentsRead(d, use))
}

/** The reads that may see what a use writes. */
export function readsOf(d: ShaderDocument, write: RegisterUse): readonly RegisterUse[] {
  const mask = componentsWritten(write)
  return (usesByKey(d).get(write.key) ?? []).filter((use) => {
    const common = componentsRead(d, use) & mask
    return common !== 0 && reachingWrites(d, use.statement, use.key, common).writes.includes(write)
  })
}
