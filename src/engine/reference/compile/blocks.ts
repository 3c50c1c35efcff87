import type { Diagnostic } from '../../../diagnostic/index.ts'
import { FILE, type FlowAction, type InstructionRow, rowOfOpcode } from '../../../isa/index.ts'
import type { Instruction, Program } from '../../../program/index.ts'
import { flowFaults } from '../../flow-diagnostic.ts'

/**
 * The blocks of a program: which statements open, divide and close them, and where a wave goes on when none of its lanes
 * is active. Code is the executable statements in order, with one more at the end of each function that ends it.
 */
export interface CodeEntry {
  /** Index in `Program.statements`; for the end of a function, of the statement before it. */
  readonly statement: number
  /** Absent for the end of a function. */
  readonly instruction?: Instruction
  readonly row?: InstructionRow
  /** Opened by this entry: where its else or end stands. For `else`: its endif. For `case` and `default`: the next label
   * of the switch, or its end. For `endloop`: its loop. */
  link: number
  /** Where to go when no lane is active after this entry: the next entry at which lanes may join. */
  escapeTo: number
  /** Blocks open around this entry, inside its function. */
  readonly depth: number
  /** For `break`: frames from the top to the block that is left; for `continue`: to the loop. */
  target: number
  /** For `switch`: entry of each case by value, and of the default (-1 for none) and the end. */
  cases?: SwitchTable
}
interface SwitchTable {
  readonly cases: Map<number, number>
  default: number
  end: number
}

export interface Structure {
  readonly code: readonly CodeEntry[]
  /** Entry after each label, by labelKey. */
  readonly labels: ReadonlyMap<string, number>
}

/** A label `label#`, or a function body `fb#`. */
export function labelKey(file: number, number: number): string {
  return `${file === FILE['function-body'] ? 'fb' : 'label'}${number}`
}

interface OpenBlock {
  readonly kind: 'if' | 'loop' | 'switch'
  readonly opener: number
  /** Entries whose way out is the next boundary of this block. */
  waiting: number[]
  /** Entry that links to the next boundary: `if`, `else`, `case`. */
  last: number
  readonly table?: SwitchTable
}

interface Builder {
  readonly program: Program
  readonly code: CodeEntry[]
  readonly labels: Map<string, number>
  readonly blocks: OpenBlock[]
  /** Entries at function level that go to the function's end. */
  functionWaiting: number[]
}

function addEntry(b: Builder, statement: number, instruction?: Instruction, row?: InstructionRow): number {
  const base = { statement, link: -1, escapeTo: -1, depth: b.blocks.length, target: 0 }
  if (instruction !== undefined && row !== undefined) {
    b.code.push({ ...base, instruction, row })
  } else b.code.push(base)
  return b.code.length - 1
}

/** Says that with no lane active after entry `at` the wave goes on at the innermost block's next boundary. */
function awaitBoundary(b: Builder, at: number): void {
  const block = b.blocks.at(-1)
  if (block === undefined) b.functionWaiting.push(at)
  else block.waiting.push(at)
}

function reachBoundary(b: Builder, block: OpenBlock, at: number): void {
  for (const i of block.waiting) b.code[i]!.escapeTo = at
  block.waiting = []
}

function openBlock(b: Builder, kind: OpenBlock['kind'], at: number): void {
  const block: OpenBlock = { kind, opener: at, waiting: [], last: at }
  if (kind !== 'switch') {
    b.blocks.push(block)
    return
  }
  const table: SwitchTable = { cases: new Map(), default: -1, end: -1 }
  b.code[at]!.cases = table
  b.blocks.push({ ...block, table })
}

/** The innermost block; undefined where it is of another kind, which has been reported. */
function innermost(b: Builder, kind: OpenBlock['kind']): OpenBlock | undefined {
  const block = b.blocks.at(-1)
  return block?.kind === kind ? block : undefined
}

function elseBranch(b: Builder, at: number): void {
  const block = innermost(b, 'if')
  if (block === undefined) return
  b.code[block.last]!.link = at
  reachBoundary(b, block, at)
  block.last = at
}

function caseLabel(b: Builder, at: number, value: number | undefined): void {
  const block = innermost(b, 'switch')
  if (block === undefined) return
  const table = block.table!
  if (value === undefined) {
    table.default = at
  } else {
    // Of equal case values the first counts.
    if (!table.cases.has(value | 0)) table.cases.set(value | 0, at)
  }
  b.code[block.last]!.link = at
  reachBoundary(b, block, at)
  block.last = at
  block.waiting.push(at)
}

function closeBlock(b: Builder, kind: OpenBlock['kind'], at: number): void {
  const block = innermost(b, kind)
  if (block === undefined) return
  b.code[block.last]!.link = at
  reachBoundary(b, block, at)
  b.blocks.pop()
  if (kind === 'loop') b.code[at]!.link = block.opener
  if (block.table !== undefined) block.table.end = at
  awaitBoundary(b, at)
}

function leave(b: Builder, at: number, action: 'break' | 'continue'): void {
  const open = b.blocks
  for (let i = open.length - 1; i >= 0; i--) {
    const { kind } = open[i]!
    if (kind === 'loop' || (kind === 'switch' && action === 'break')) {
      b.code[at]!.target = open.length - i
      return
    }
  }
}

function endFunction(b: Builder, statement: number): void {
  b.blocks.length = 0
  const end = addEntry(b, statement)
  for (const i of b.functionWaiting) b.code[i]!.escapeTo = end
  b.functionWaiting = []
}

function addLabel(b: Builder, instruction: Instruction, statement: number): void {
  endFunction(b, Math.max(0, statement - 1))
  const o = instruction.operands[0]
  const index = o?.indices[0]
  const key = labelKey(o?.type ?? 0, index?.kind === 'immediate' ? index.value : -1)
  b.labels.set(key, b.code.length)
}

function addFlow(b: Builder, action: FlowAction, at: number): void {
  const { instruction } = b.code[at]!
  switch (action) {
    case 'if':
    case 'loop':
    case 'switch':
      openBlock(b, action, at)
      break
    case 'else':
      elseBranch(b, at)
      break
    case 'endif':
      closeBlock(b, 'if', at)
      break
    case 'endloop':
      closeBlock(b, 'loop', at)
      break
    case 'endswitch':
      closeBlock(b, 'switch', at)
      break
    case 'case':
      caseLabel(b, at, instruction!.operands[0]?.values[0] ?? 0)
      break
    case 'default':
      caseLabel(b, at, undefined)
      break
    case 'break':
    case 'continue':
      leave(b, at, action)
      awaitBoundary(b, at)
      break
    default:
      awaitBoundary(b, at)
      break
  }
}

/** The depth of an entry counts the blocks around it: dividers and ends stand in the block they belong to. */
function addStatement(b: Builder, instruction: Instruction, row: InstructionRow, statement: number): void {
  const { traits } = row
  if (traits.kind === 'flow' && traits.action === 'label') {
    addLabel(b, instruction, statement)
    return
  }
  const at = addEntry(b, statement, instruction, row)
  if (traits.kind === 'flow') addFlow(b, traits.action, at)
  // An emit past the declared maximum ends its lanes.
  else if (traits.kind === 'stream') awaitBoundary(b, at)
}

/** The structure of the statements `first` to `end` of a program; where blocks do not nest, diagnostics and no structure. */
export function findStructure(
  program: Program,
  first = 0,
  end = program.statements.length,
): { readonly structure: Structure; readonly diagnostics: readonly Diagnostic[] } {
  const faults = flowFaults(program, first, end)
  if (faults.length > 0) return { structure: { code: [], labels: new Map() }, diagnostics: faults }
  const b: Builder = {
    program,
    code: [],
    labels: new Map(),
    blocks: [],
    functionWaiting: [],
  }
  for (let i = first; i < end; i++) {
    const s = program.statements[i]!
    if (s.kind !== 'instruction') continue
    const row = rowOfOpcode(s.opcode)
    if (row === undefined || row.traits.kind === 'declaration' || row.traits.kind === 'custom-data') continue
    addStatement(b, s, row, i)
  }
  endFunction(b, Math.max(first, end - 1))
  return { structure: { code: b.code, labels: b.labels }, diagnostics: [] }
}
