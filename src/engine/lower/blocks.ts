import { appendAll, type Diagnostic, DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import { controlOf, type InstructionRow, rowOfOpcode, TEST } from '../../isa/index.ts'
import type { Instruction, Operand, Program } from '../../program/index.ts'
import { flowFaults } from '../flow-diagnostic.ts'

/** The flow control of a program as nested nodes, for `translate.ts`. */

/** A test of one component: of being not zero, or of being zero. */
export interface Test {
  readonly operand: Operand
  readonly nonZero: boolean
}

export interface SwitchCase {
  readonly values: readonly number[]
  readonly isDefault: boolean
  readonly body: readonly Node[]
}

/** Flow control as it nests. */
export type Node =
  | {
      readonly kind: 'op'
      readonly statement: number
      readonly instruction: Instruction
      readonly row: InstructionRow
    }
  | {
      readonly kind: 'if'
      readonly statement: number
      readonly test: Test
      readonly taken: readonly Node[]
      readonly otherwise: readonly Node[]
    }
  | { readonly kind: 'loop'; readonly statement: number; readonly body: readonly Node[] }
  | {
      readonly kind: 'switch'
      readonly statement: number
      readonly selector: Operand
      readonly cases: readonly SwitchCase[]
    }
  | {
      readonly kind: 'break' | 'continue' | 'ret' | 'discard'
      readonly statement: number
      readonly test: Test | undefined
    }
  | { readonly kind: 'call'; readonly statement: number; readonly label: string; readonly test: Test | undefined }
  | { readonly kind: 'fcall'; readonly statement: number; readonly instruction: Instruction }

export interface Structure {
  readonly main: readonly Node[]
  /** By register file number and index of the label: `10:3`. */
  readonly subroutines: ReadonlyMap<string, readonly Node[]>
}

const labelKey = (operand: Operand): string => {
  const index = operand.indices[0]
  return `${operand.type}:${index?.kind === 'immediate' ? index.value : 0}`
}

/** Direct3D allows 64 levels of flow control; anything deeper is refused before it can overflow a stack. */
const MAX_DEPTH = 256

/** Nodes under construction. */
interface Open {
  readonly kind: 'body' | 'if' | 'loop' | 'switch'
  readonly statement: number
  readonly test: Test | undefined
  readonly selector: Operand | undefined
  nodes: Node[]
  taken: Node[] | undefined
  readonly cases: { values: number[]; isDefault: boolean; body: Node[] }[]
}

const open = (kind: Open['kind'], statement: number, test?: Test, selector?: Operand): Open => ({
  kind,
  statement,
  test,
  selector,
  nodes: [],
  taken: undefined,
  cases: [],
})

class Structurer {
  readonly diagnostics = new DiagnosticCollector()
  readonly subroutines = new Map<string, Node[]>()
  readonly main: Node[] = []
  #stack: Open[] = [open('body', 0)]

  #fail(message: string, statement: number): void {
    this.diagnostics.push(diagnostic('engine-flow', message, { kind: 'statement', index: statement }))
  }

  get #top(): Open {
    return this.#stack[this.#stack.length - 1]!
  }

  #add(node: Node): void {
    const top = this.#top
    if (top.kind === 'switch') {
      const last = top.cases[top.cases.length - 1]
      last?.body.push(node)
    } else top.nodes.push(node)
  }

  #open(o: Open): void {
    if (this.#stack.length > MAX_DEPTH) this.#fail(`flow control nests more than ${MAX_DEPTH} deep`, o.statement)
    else this.#stack.push(o)
  }

  #close(kind: Open['kind']): Open | undefined {
    return this.#top.kind === kind ? this.#stack.pop() : undefined
  }

  #caseOf(value: number | undefined): void {
    const top = this.#top
    if (top.kind !== 'switch') return
    const last = top.cases[top.cases.length - 1]
    const target = last !== undefined && last.body.length === 0 ? last : { values: [], isDefault: false, body: [] }
    if (target !== last) top.cases.push(target)
    if (value === undefined) target.isDefault = true
    else target.values.push(value)
  }

  #label(operand: Operand, statement: number): void {
    this.#finishBody()
    const nodes: Node[] = []
    const key = labelKey(operand)
    this.subroutines.set(key, nodes)
    this.#stack = [{ ...open('body', statement), nodes }]
  }

  #finishBody(): void {
    const bottom = this.#stack[0]!
    if (this.subroutines.size === 0 && this.main.length === 0) appendAll(this.main, bottom.nodes)
  }

  #flow(i: Instruction, row: InstructionRow, statement: number): void {
    if (row.traits.kind !== 'flow') return
    const { action, conditional } = row.traits
    const test: Test | undefined = conditional
      ? { operand: i.operands[0]!, nonZero: controlOf(i.controls, TEST) === 1 }
      : undefined
    switch (action) {
      case 'if':
        this.#open(open('if', statement, test))
        return
      case 'else': {
        if (this.#top.kind !== 'if' || this.#top.taken !== undefined) return
        this.#top.taken = this.#top.nodes
        this.#top.nodes = []
        return
      }
      case 'endif': {
        const o = this.#close('if')
        if (o === undefined) return
        const taken = o.taken ?? o.nodes
        const otherwise = o.taken === undefined ? [] : o.nodes
        this.#add({ kind: 'if', statement: o.statement, test: o.test!, taken, otherwise })
        return
      }
      case 'loop':
        this.#open(open('loop', statement))
        return
      case 'endloop': {
        const o = this.#close('loop')
        o === undefined ? undefined : this.#add({ kind: 'loop', statement: o.statement, body: o.nodes })
        return
      }
      case 'switch':
        this.#open(open('switch', statement, undefined, i.operands[0]!))
        return
      case 'case':
        this.#caseOf(i.operands[0]!.values[0] ?? 0)
        return
      case 'default':
        this.#caseOf(undefined)
        return
      case 'endswitch': {
        const o = this.#close('switch')
        if (o === undefined) return
        this.#add({ kind: 'switch', statement: o.statement, selector: o.selector!, cases: o.cases })
        return
      }
      case 'break':
        this.#add({ kind: 'break', statement, test })
        return
      case 'continue':
        this.#add({ kind: 'continue', statement, test })
        return
      case 'ret':
        this.#add({ kind: 'ret', statement, test })
        return
      case 'call':
        this.#add({ kind: 'call', statement, label: labelKey(i.operands[conditional ? 1 : 0]!), test })
        return
      case 'label':
        this.#label(i.operands[0]!, statement)
        return
      case 'fcall':
        this.#add({ kind: 'fcall', statement, instruction: i })
        return
      case 'discard':
        this.#add({ kind: 'discard', statement, test })
        return
      default:
        action satisfies never
        return
    }
  }

  statement(program: Program, at: number): void {
    const s = program.statements[at]!
    if (s.kind !== 'instruction') return
    const row = rowOfOpcode(s.opcode)!
    const { kind } = row.traits
    if (kind === 'declaration' || kind === 'custom-data' || kind === 'nop') return
    if (kind === 'flow') this.#flow(s, row, at)
    else this.#add({ kind: 'op', statement: at, instruction: s, row })
  }

  finish(): void {
    this.#finishBody()
  }
}

/** The nested form of the flow control of the statements `first` to `end` of a program; where blocks do not nest, diagnostics and no nodes. */
export function structureOf(
  program: Program,
  first = 0,
  end = program.statements.length,
): { readonly value: Structure; readonly diagnostics: readonly Diagnostic[] } {
  const faults = flowFaults(program, first, end)
  if (faults.length > 0) return { value: { main: [], subroutines: new Map() }, diagnostics: faults }
  const s = new Structurer()
  for (let at = first; at < end; at++) s.statement(program, at)
  s.finish()
  return { value: { main: s.main, subroutines: s.subroutines }, diagnostics: s.diagnostics.finish() }
}

/** Runs `visit` on a node list and everything in it. */
export function walk(nodes: readonly Node[], visit: (node: Node) => void): void {
  for (const node of nodes) {
    visit(node)
    if (node.kind === 'if') {
      walk(node.taken, visit)
      walk(node.otherwise, visit)
    } else if (node.kind === 'loop') walk(node.body, visit)
    else if (node.kind === 'switch') for (const c of node.cases) walk(c.body, visit)
  }
}
