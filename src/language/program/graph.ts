/** The control flow of a document's program across calls: which statements may come before a statement. */
import { FILE, rowOfOpcode } from '../../isa/index.ts'
import { type BasicBlock, controlFlow, type FlowFunction, isNumbered, type Statement } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'

/** Blocks of all functions by number, and the ways back through them. */
export interface FlowGraph {
  readonly functions: readonly FlowFunction[]
  readonly blocks: readonly BasicBlock[]
  /** Block of each statement; undefined for those that do not execute. */
  readonly blockOf: ReadonlyMap<number, number>
  readonly predecessors: readonly (readonly number[])[]
  /** The blocks in which a function that a statement calls ends; empty where it calls none. */
  readonly calleeEnds: ReadonlyMap<number, readonly number[]>
  /** Statements that call the function that begins at a block. */
  readonly callers: ReadonlyMap<number, readonly number[]>
  /** Whether control may go past a statement that calls without the call: a condition, or an unknown body. */
  readonly mayPass: (statement: number) => boolean
}

/** The functions that a statement may call: a label by name, of an interface any body. */
function calleesOf(statement: Statement, functions: readonly FlowFunction[]): readonly FlowFunction[] {
  if (statement.kind !== 'instruction') return []
  const traits = rowOfOpcode(statement.opcode)?.traits
  if (traits?.kind !== 'flow') return []
  if (traits.action === 'fcall') return functions.filter((f) => f.name.startsWith('fb'))
  if (traits.action !== 'call') return []
  const index = statement.operands.find((o) => o.type === FILE.label)?.indices[0]
  return functions.filter((f) => index?.kind === 'immediate' && f.name === `label${index.value}`)
}

/** Conditional calls; calls through interfaces may go to bodies that are not in the program. */
function mayPass(statement: Statement): boolean {
  const traits = statement.kind === 'instruction' ? rowOfOpcode(statement.opcode)?.traits : undefined
  return traits?.kind !== 'flow' || traits.action === 'fcall' || traits.conditional
}

const NOTHING: FlowGraph = {
  functions: [],
  blocks: [],
  blockOf: new Map(),
  predecessors: [],
  calleeEnds: new Map(),
  callers: new Map(),
  mayPass: () => true,
}

/** Whether control leaves a block by a jump, not for the block behind it. */
const endsInJump = ({ edges, number }: BasicBlock): boolean =>
  edges.length !== 1 || edges[0]!.when !== 'always' || edges[0]!.to !== number + 1

/** The blocks with the messages (printf) in them, which no block of the program has: they only show what is there. */
function withMessages(blocks: readonly BasicBlock[], statements: readonly Statement[]): readonly BasicBlock[] {
  const messages = statements.flatMap((s, at) => (s.kind === 'custom-data' && isNumbered(s) ? [at] : []))
  if (messages.length === 0) return blocks
  const blockOf = new Map(blocks.flatMap((b, i) => b.statements.map((s) => [s, i] as const)))
  const added = blocks.map((b) => [...b.statements])
  for (const at of messages) {
    let before = at - 1
    while (before >= 0 && !blockOf.has(before)) before--
    let behind = at + 1
    while (behind < statements.length && !blockOf.has(behind)) behind++
    const last = blockOf.get(before)
    const isJump = last !== undefined && blocks[last]!.statements.at(-1) === before && endsInJump(blocks[last]!)
    const block = last === undefined || isJump ? blockOf.get(behind) : last
    if (block === undefined) continue
    added[block]!.push(at)
  }
  return blocks.map((b, i) => ({ ...b, statements: added[i]!.sort((x, y) => x - y) }))
}

export const flowGraph = perDocument(({ program, statements }: ShaderDocument): FlowGraph => {
  if (program === undefined) return NOTHING
  const { functions } = controlFlow(program)
  const blocks = withMessages(
    functions.flatMap((f) => f.blocks),
    statements,
  )
  const blockOf = new Map<number, number>()
  const predecessors: number[][] = blocks.map(() => [])
  for (const block of blocks) {
    for (const s of block.statements) blockOf.set(s, block.number)
    for (const { to } of block.edges) if (typeof to === 'number') predecessors[to]!.push(block.number)
  }
  const calleeEnds = new Map<number, readonly number[]>()
  const callers = new Map<number, number[]>()
  for (const s of blockOf.keys()) {
    for (const callee of calleesOf(statements[s]!, functions)) {
      const ends = callee.blocks.filter((b) => b.edges.some((e) => e.to === 'return')).map((b) => b.number)
      calleeEnds.set(s, [...(calleeEnds.get(s) ?? []), ...ends])
      const first = callee.blocks[0]!.number
      callers.set(first, [...(callers.get(first) ?? []), s])
    }
  }
  return { functions, blocks, blockOf, predecessors, calleeEnds, callers, mayPass: (s) => mayPass(statements[s]!) }
})
