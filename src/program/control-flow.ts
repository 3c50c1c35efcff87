/** The basic blocks of a program and the edges between them, for `heddle cfg` and other readers of control flow. */
import { type Diagnostic, DiagnosticCollector, diagnostic } from '../diagnostic/index.ts'
import { FILE, type FlowAction, rowOfOpcode, type Traits } from '../isa/index.ts'
import { blockFaults } from './blocks.ts'
import { withNamedPlaces } from './instruction-numbers.ts'
import type { Instruction, Program } from './model.ts'

/** When an edge is taken: the outcome of the test at the end of the block, the value of a switch, or always. */
export type FlowCondition = 'always' | 'true' | 'false' | 'default' | { readonly case: number }

/** Where an edge leads that leaves the function: a return, or the end of a discarded pixel. */
type FlowExit = 'return' | 'discard'

export interface FlowEdge {
  readonly when: FlowCondition
  /** Number of a block, or how the function ends. */
  readonly to: number | FlowExit
  /** It leads back to the start of a loop. */
  readonly isBack: boolean
}

/** Statements that run one after the other: entered at the first alone, left at the last alone. */
export interface BasicBlock {
  readonly number: number
  /** Indices into `Program.statements`, ascending. */
  readonly statements: readonly number[]
  readonly edges: readonly FlowEdge[]
  /** Subroutines that statements of the block call, by name. */
  readonly calls: readonly string[]
  /** No path from the start of the function leads here. */
  readonly isUnreachable: boolean
}

/** The main program, a phase of a hull shader, or a subroutine. */
export interface FlowFunction {
  /** `main`, `control point phase`, `fork phase 1`, `label3`, `fb2`. */
  readonly name: string
  readonly blocks: readonly BasicBlock[]
}

export interface ControlFlow {
  readonly functions: readonly FlowFunction[]
  /** Where blocks do not nest; edges there are as far as they can be known. */
  readonly diagnostics: readonly Diagnostic[]
}

/** An executable statement. */
interface Step {
  readonly statement: number
  readonly instruction: Instruction
  readonly traits: Traits
}

/** An edge between steps of a function, by their position in it. */
interface StepEdge {
  readonly when: FlowCondition
  readonly to: number | FlowExit
}

interface OpenFlow {
  readonly kind: 'if' | 'loop' | 'switch'
  readonly at: number
  /** Steps that go to what follows the block, once that is known. */
  readonly leaving: { readonly at: number; readonly when: FlowCondition }[]
  /** The innermost loop here, and the innermost block that break leaves: this block or one around it. */
  loop: OpenFlow | undefined
  breakable: OpenFlow | undefined
  hasElse: boolean
  hasDefault: boolean
}

interface FunctionSteps {
  readonly name: string
  readonly steps: Step[]
}

function nameOf(instruction: Instruction): string {
  const label = instruction.operands.find((o) => o.type === FILE.label || o.type === FILE['function-body'])
  const index = label?.indices[0]
  const number = index?.kind === 'immediate' ? index.value : 0
  return `${label?.type === FILE['function-body'] ? 'fb' : 'label'}${number}`
}

const PHASE_NAMES = { 'control-point': 'control point phase', fork: 'fork phase', join: 'join phase' } as const

/** The functions of a program with their executable statements. */
function functionsOf(program: Program): FunctionSteps[] {
  const functions: FunctionSteps[] = [{ name: 'main', steps: [] }]
  const counts = { 'control-point': 0, fork: 0, join: 0 }
  program.statements.forEach((instruction, statement) => {
    if (instruction.kind !== 'instruction') return
    const traits = rowOfOpcode(instruction.opcode)?.traits
    if (traits === undefined || traits.kind === 'declaration' || traits.kind === 'custom-data') return
    if (traits.kind === 'phase') {
      if (traits.phase === 'declarations') return
      const count = counts[traits.phase]++
      const number = traits.phase === 'control-point' ? '' : ` ${count}`
      functions.push({ name: `${PHASE_NAMES[traits.phase]}${number}`, steps: [] })
      return
    }
    if (traits.kind === 'flow' && traits.action === 'label') functions.push({ name: nameOf(instruction), steps: [] })
    functions.at(-1)!.steps.push({ statement, instruction, traits })
  })
  return functions.filter((f) => f.steps.length > 0)
}

/** The edges of a function's steps while they are found. */
interface Finding {
  readonly steps: readonly Step[]
  readonly edges: StepEdge[][]
  readonly open: OpenFlow[]
}

function link(f: Finding, at: number, when: FlowCondition, to: number | FlowExit): void {
  f.edges[at]!.push({ when, to: typeof to === 'number' && to >= f.steps.length ? 'return' : to })
}

/** The innermost block where it is of a kind. */
function innermost(f: Finding, kind: OpenFlow['kind'], _at: number): OpenFlow | undefined {
  const block = f.open.at(-1)
  if (block?.kind === kind) return block
  return undefined
}

function openBlock(f: Finding, kind: OpenFlow['kind'], at: number): void {
  const outer = f.open.at(-1)
  const block: OpenFlow = {
    kind,
    at,
    leaving: [],
    loop: outer?.loop,
    breakable: outer?.breakable,
    hasElse: false,
    hasDefault: false,
  }
  if (kind === 'loop') block.loop = block
  if (kind !== 'if') block.breakable = block
  f.open.push(block)
  if (kind !== 'switch') link(f, at, kind === 'if' ? 'true' : 'always', at + 1)
}

function elseBranch(f: Finding, at: number): void {
  const block = innermost(f, 'if', at)
  if (block === undefined) return
  block.hasElse = true
  link(f, block.at, 'false', at + 1)
  block.leaving.push({ at, when: 'always' })
}

function caseLabel(f: Finding, action: 'case' | 'default', at: number): void {
  link(f, at, 'always', at + 1)
  const block = innermost(f, 'switch', at)
  if (block === undefined) return
  if (action === 'default') block.hasDefault = true
  const value = (f.steps[at]!.instruction.operands[0]?.values[0] ?? 0) | 0
  link(f, block.at, action === 'default' ? 'default' : { case: value }, at)
}

function closeBlock(f: Finding, kind: OpenFlow['kind'], at: number): void {
  const block = innermost(f, kind, at)
  link(f, at, 'always', kind === 'loop' && block !== undefined ? block.at : at + 1)
  if (block === undefined) return
  f.open.pop()
  if (kind === 'if' && !block.hasElse) link(f, block.at, 'false', at)
  if (kind === 'switch' && !block.hasDefault) link(f, block.at, 'default', at)
  for (const { at: from, when } of block.leaving) link(f, from, when, kind === 'loop' ? at + 1 : at)
}

function leave(f: Finding, action: 'break' | 'continue', conditional: boolean, at: number): void {
  const target = action === 'break' ? f.open.at(-1)?.breakable : f.open.at(-1)?.loop
  if (target === undefined) {
    link(f, at, 'always', at + 1)
    return
  }
  const when = conditional ? 'true' : 'always'
  if (action === 'break') target.leaving.push({ at, when })
  else link(f, at, when, target.at)
  if (conditional) link(f, at, 'false', at + 1)
}

function addEdges(f: Finding, action: FlowAction, conditional: boolean, at: number): void {
  switch (action) {
    case 'if':
    case 'loop':
    case 'switch':
      openBlock(f, action, at)
      break
    case 'else':
      elseBranch(f, at)
      break
    case 'case':
    case 'default':
      caseLabel(f, action, at)
      break
    case 'endif':
      closeBlock(f, 'if', at)
      break
    case 'endloop':
      closeBlock(f, 'loop', at)
      break
    case 'endswitch':
      closeBlock(f, 'switch', at)
      break
    case 'break':
    case 'continue':
      leave(f, action, conditional, at)
      break
    case 'ret':
    case 'discard':
      link(f, at, conditional ? 'true' : 'always', action === 'ret' ? 'return' : 'discard')
      if (conditional) link(f, at, 'false', at + 1)
      break
    case 'call':
    case 'fcall':
    case 'label':
      link(f, at, 'always', at + 1)
      break
  }
}

/** The edges of each step of a function. */
function edgesOf(steps: readonly Step[]): readonly (readonly StepEdge[])[] {
  const f: Finding = { steps, edges: steps.map(() => []), open: [] }
  steps.forEach(({ traits }, at) => {
    if (traits.kind === 'flow') addEdges(f, traits.action, traits.conditional, at)
    else link(f, at, 'always', at + 1)
  })
  for (const block of f.open) {
    for (const { at, when } of block.leaving) link(f, at, when, 'return')
  }
  return f.edges
}

/** Positions of steps at which a block begins. */
function leadersOf(edges: readonly (readonly StepEdge[])[]): number[] {
  const leaders = new Set([0])
  edges.forEach((list, at) => {
    const only = list.length === 1 ? list[0] : undefined
    if (only !== undefined && only.when === 'always' && only.to === at + 1) return
    if (at + 1 < edges.length) leaders.add(at + 1)
    for (const { to } of list) if (typeof to === 'number') leaders.add(to)
  })
  return [...leaders].sort((a, b) => a - b)
}

function reachableFrom(first: number, leaving: (block: number) => readonly FlowEdge[]): ReadonlySet<number> {
  const reached = new Set([first])
  const due = [first]
  for (let block = due.pop(); block !== undefined; block = due.pop()) {
    for (const { to } of leaving(block)) {
      if (typeof to !== 'number' || reached.has(to)) continue
      reached.add(to)
      due.push(to)
    }
  }
  return reached
}

function blocksOf({ steps }: FunctionSteps, firstNumber: number): BasicBlock[] {
  const edges = edgesOf(steps)
  const leaders = leadersOf(edges)
  const numberOf = new Map(leaders.map((at, i) => [at, firstNumber + i]))
  const blockEdges = leaders.map((at, i): FlowEdge[] => {
    const last = (leaders[i + 1] ?? steps.length) - 1
    return edges[last]!.map(({ when, to }) =>
      typeof to === 'number' ? { when, to: numberOf.get(to)!, isBack: to <= at } : { when, to, isBack: false },
    )
  })
  const reached = reachableFrom(firstNumber, (block) => blockEdges[block - firstNumber]!)
  return leaders.map((at, i) => {
    const own = steps.slice(at, leaders[i + 1] ?? steps.length)
    const calling = own.filter((s) => s.traits.kind === 'flow' && s.traits.action === 'call')
    return {
      number: firstNumber + i,
      statements: own.map((s) => s.statement),
      edges: blockEdges[i]!,
      calls: calling.map((s) => nameOf(s.instruction)),
      isUnreachable: !reached.has(firstNumber + i),
    }
  })
}

/** The control flow of a program: a graph of basic blocks for each of its functions. Linear in the statements. */
export function controlFlow(program: Program): ControlFlow {
  const out = new DiagnosticCollector()
  let count = 0
  const functions = functionsOf(program).map((f): FlowFunction => {
    const own = f.steps.map(({ statement, instruction, traits }) => {
      return { statement, instruction, action: traits.kind === 'flow' ? traits.action : undefined }
    })
    for (const { statement, message } of blockFaults(own)) {
      out.push(diagnostic('program-flow', message, { kind: 'statement', index: statement }))
    }
    const blocks = blocksOf(f, count)
    count += blocks.length
    return { name: f.name, blocks }
  })
  return { functions, diagnostics: withNamedPlaces(out.finish(), program) }
}
