/** How blocks of flow control nest, and every way in which they do not, in one wording; engines, validator and `heddle cfg` use it. */
import { FILE, type FlowAction, rowOfOpcode } from '../isa/index.ts'
import type { Instruction, Program } from './model.ts'

/** What a block of structured flow control is opened by. */
export type BlockKind = 'if' | 'loop' | 'switch'

/** What an action is to blocks: it opens one, closes one, or neither. */
const BLOCK_ROLES: Readonly<Record<FlowAction, { readonly opens?: BlockKind; readonly closes?: BlockKind }>> = {
  if: { opens: 'if' },
  else: {},
  endif: { closes: 'if' },
  loop: { opens: 'loop' },
  endloop: { closes: 'loop' },
  switch: { opens: 'switch' },
  case: {},
  default: {},
  endswitch: { closes: 'switch' },
  break: {},
  continue: {},
  ret: {},
  call: {},
  label: {},
  fcall: {},
  discard: {},
}

export const openedBy = (action: FlowAction | undefined): BlockKind | undefined =>
  action === undefined ? undefined : BLOCK_ROLES[action].opens
export const closedBy = (action: FlowAction | undefined): BlockKind | undefined =>
  action === undefined ? undefined : BLOCK_ROLES[action].closes

/** An executable statement, as far as blocks are concerned. */
interface FlowStep {
  /** Index in `Program.statements`. */
  readonly statement: number
  readonly instruction: Instruction
  /** Undefined for what is no flow control. */
  readonly action: FlowAction | undefined
}

/** What does not nest. `pairing`: opens, closes and else; `leave`: break and continue; `case`: labels of switches. */
interface BlockFault {
  readonly kind: 'pairing' | 'leave' | 'case' | 'label'
  readonly statement: number
  /** Without a capital and a full stop. */
  readonly message: string
  /** The statement that it does not fit to, and what that does. */
  readonly other?: { readonly statement: number; readonly message: string }
}

interface Open {
  readonly kind: BlockKind
  readonly statement: number
  hasElse: boolean
  hasDefault: boolean
  /** A switch: a case or default was seen, or code before the first was reported. */
  isEntered: boolean
}

const ENDS = { if: 'endif', loop: 'endloop', switch: 'endswitch' } as const satisfies Record<BlockKind, FlowAction>
const withArticle = (kind: BlockKind): string => `${kind === 'if' ? 'an' : 'a'} ${kind}`

const openedHere = ({ kind, statement }: Open): BlockFault['other'] => {
  return { statement, message: `the ${kind} is opened here` }
}

/** The executable statements of a part of a program. */
export function flowSteps(program: Program, first = 0, end = program.statements.length): FlowStep[] {
  const steps: FlowStep[] = []
  for (let statement = first; statement < end; statement++) {
    const instruction = program.statements[statement]!
    const traits = instruction.kind === 'instruction' ? rowOfOpcode(instruction.opcode)?.traits : undefined
    if (instruction.kind !== 'instruction' || traits === undefined) continue
    if (['declaration', 'custom-data', 'phase', 'nop'].includes(traits.kind)) continue
    steps.push({ statement, instruction, action: traits.kind === 'flow' ? traits.action : undefined })
  }
  return steps
}

class Nesting {
  readonly faults: BlockFault[] = []
  readonly #open: Open[] = []
  readonly #labels = new Set<string>()
  /** Open loops, and open loops and switches: looking through all open blocks would take too long where they nest deep. */
  #loops = 0
  #breakables = 0

  #count({ kind }: Open, by: 1 | -1): void {
    if (kind === 'loop') this.#loops += by
    if (kind !== 'if') this.#breakables += by
  }

  #fault(kind: BlockFault['kind'], statement: number, message: string, other?: BlockFault['other']): void {
    this.faults.push({ kind, statement, message, ...(other === undefined ? {} : { other }) })
  }

  #close(closed: BlockKind, statement: number): void {
    const innermost = this.#open.at(-1)
    if (innermost?.kind === closed) {
      this.#open.pop()
      this.#count(innermost, -1)
      return
    }
    const found = innermost === undefined ? 'no block is open' : `${withArticle(innermost.kind)} is`
    const message = `${ENDS[closed]} closes ${withArticle(closed)}, and ${found}`
    this.#fault('pairing', statement, message, innermost === undefined ? undefined : openedHere(innermost))
  }

  #else(statement: number): void {
    const innermost = this.#open.at(-1)
    if (innermost?.kind !== 'if') this.#fault('pairing', statement, 'else stands outside an if')
    else if (innermost.hasElse) {
      this.#fault('pairing', statement, 'this if has an else already', openedHere(innermost))
    } else innermost.hasElse = true
  }

  #case(action: 'case' | 'default', statement: number): void {
    const innermost = this.#open.at(-1)
    if (innermost?.kind !== 'switch') {
      this.#fault('case', statement, `${action} stands outside a switch`)
      return
    }
    innermost.isEntered = true
    if (action === 'case') return
    if (innermost.hasDefault) this.#fault('case', statement, 'this switch has a default already')
    innermost.hasDefault = true
  }

  #label({ instruction, statement }: FlowStep): void {
    const innermost = this.#open.at(-1)
    if (innermost !== undefined) {
      const message = `a label stands inside ${withArticle(innermost.kind)}`
      this.#fault('pairing', statement, message, openedHere(innermost))
    }
    const o = instruction.operands[0]
    const index = o?.indices[0]
    const name = `${o?.type === FILE['function-body'] ? 'fb' : 'label'}${index?.kind === 'immediate' ? index.value : 0}`
    if (this.#labels.has(name)) this.#fault('label', statement, `${name} is there already`)
    this.#labels.add(name)
  }

  step(step: FlowStep): void {
    const { action, statement } = step
    const opened = openedBy(action)
    const closed = closedBy(action)
    const innermost = this.#open.at(-1)
    const isLabel = action === 'case' || action === 'default' || closed === 'switch'
    if (innermost?.kind === 'switch' && !innermost.isEntered && !isLabel) {
      this.#fault('case', statement, 'code of a switch stands before its first case')
      innermost.isEntered = true
    }
    if (opened !== undefined) {
      const block: Open = { kind: opened, statement, hasElse: false, hasDefault: false, isEntered: false }
      this.#open.push(block)
      this.#count(block, 1)
    } else if (closed !== undefined) this.#close(closed, statement)
    else if (action === 'else') this.#else(statement)
    else if (action === 'case' || action === 'default') this.#case(action, statement)
    else if (action === 'label') this.#label(step)
    else if (action === 'break' && this.#breakables === 0) {
      this.#fault('leave', statement, 'break stands outside of every loop and switch')
    } else if (action === 'continue' && this.#loops === 0) {
      this.#fault('leave', statement, 'continue stands outside of every loop')
    }
  }

  finish(): readonly BlockFault[] {
    for (const { kind, statement } of this.#open) {
      this.#fault('pairing', statement, `this ${kind} has no ${ENDS[kind]}`)
    }
    return this.faults
  }
}

/** Where the blocks of some statements do not nest, in the order in which it shows. */
export function blockFaults(steps: readonly FlowStep[]): readonly BlockFault[] {
  const nesting = new Nesting()
  for (const step of steps) nesting.step(step)
  return nesting.finish()
}
