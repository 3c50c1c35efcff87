import { FILE, INSTRUCTIONS } from '../../isa/index.ts'
import { type BlockKind, blockFaults, closedBy, openedBy } from '../../program/index.ts'
import { alsoAt, type Phase, type ProgramContext, place, type Site } from '../context.ts'
import { flowAction, isConditional, type OpenBlock, walkBlocks } from '../flow-tree.ts'
import { immediateIndex } from '../operand.ts'
import { programRule, type Report, type Rule } from '../rule.ts'

const MAX_NESTING = 64
const MAX_CALL_DEPTH = 32

function eachFlow(context: ProgramContext, visit: (site: Site, stack: readonly OpenBlock[]) => void): void {
  for (const phase of context.phases) walkBlocks(phase.sites, visit)
}

const top = (stack: readonly OpenBlock[]): OpenBlock | undefined => stack[stack.length - 1]

const sentence = (message: string): string => `${message[0]!.toUpperCase()}${message.slice(1)}.`

function checkPairs(phase: Phase, report: Report): void {
  const steps = phase.sites.map((site) => {
    return { statement: site.index, instruction: site.instruction, action: flowAction(site) }
  })
  const faults = blockFaults(steps)
  if (faults.length === 0) return
  const sites = new Map(phase.sites.map((site) => [site.index, site]))
  for (const { kind, statement, message, other } of faults) {
    if (kind !== 'pairing') continue
    const details = other === undefined ? {} : alsoAt(sites.get(other.statement)!, other.message)
    report(sentence(message), place(sites.get(statement)!), [], details)
  }
}

/** Cases of a switch: where they stand, and whether code runs from one into the next. */
function checkSwitch(site: Site, block: OpenBlock, report: Report): void {
  const action = flowAction(site)
  if (action === 'case' || action === 'default') {
    block.entered = true
    if (action === 'default') {
      if (block.defaultSeen) report('This switch has a default already.', place(site))
      block.defaultSeen = true
      return
    }
    const value = site.instruction.operands[0]?.values[0]
    if (value === undefined) return
    if (block.cases?.has(value)) report(`This switch has a case ${value | 0} already.`, place(site))
    block.cases?.add(value)
  } else if (action !== 'endswitch' && !block.entered) {
    report('Code of a switch stands before its first case.', place(site))
    block.entered = true
  }
}

interface Frame {
  readonly kind: BlockKind
  /** A then-branch came to its end. */
  thenAlive: boolean
  hasElse: boolean
  /** A break leaves this loop or switch. */
  broken: boolean
  /** A switch: some code stands since its last case. */
  ran: boolean
}

/** Whether execution can come to the statement behind a block that ends. */
function aliveBehind(frame: Frame, alive: boolean): boolean {
  if (frame.kind === 'if') return frame.hasElse ? alive || frame.thenAlive : true
  return frame.kind === 'loop' ? frame.broken : frame.broken || alive
}

function markBroken(frames: readonly Frame[]): void {
  const target = frames.findLast((f) => f.kind !== 'if')
  if (target !== undefined) target.broken = true
}

/** Reports cases that the code of the case before surely runs into. */
function checkFallThrough(phase: Phase, report: Report): void {
  const frames: Frame[] = []
  let alive = true
  for (const site of phase.sites) {
    const action = flowAction(site)
    const frame = frames[frames.length - 1]
    const opened = openedBy(action)
    if (frame?.kind === 'switch' && (action === 'case' || action === 'default')) {
      if (frame.ran && alive) report('The code of the case before runs on into this one.', place(site))
      frame.ran = false
      alive = true
      continue
    }
    if (frame?.kind === 'switch') frame.ran = true
    if (opened !== undefined) {
      frames.push({ kind: opened, thenAlive: false, hasElse: false, broken: false, ran: false })
    } else if (frame !== undefined && closedBy(action) === frame.kind) {
      frames.pop()
      alive = aliveBehind(frame, alive)
    } else if (action === 'else' && frame?.kind === 'if') {
      frame.thenAlive = alive
      frame.hasElse = true
      alive = true
    } else if (action === 'break' || action === 'continue' || action === 'ret') {
      if (action === 'break') markBroken(frames)
      if (!isConditional(site)) alive = false
    } else if (action === 'label') alive = true
  }
}

/** The instruction that ends a program. */
const RETURN = INSTRUCTIONS.find(({ traits }) => {
  return traits.kind === 'flow' && traits.action === 'ret' && !traits.conditional
})!.mnemonic

/** The last instruction of a part of the program must leave it. */
function checkEnd(phase: Phase, report: Report): void {
  if (phase.kind === 'declarations') return
  const parts: Site[][] = [[]]
  for (const site of phase.sites) {
    if (flowAction(site) === 'label') parts.push([])
    parts[parts.length - 1]!.push(site)
  }
  for (const part of parts) {
    const last = part[part.length - 1]
    if (last === undefined || (flowAction(last) === 'ret' && !isConditional(last))) continue
    const fixes = [{ kind: 'append', text: RETURN } as const]
    report('The program runs on past its last instruction: a ret must stand there.', place(last), [], { fixes })
  }
}

interface Body {
  readonly site: Site | undefined
  readonly calls: readonly { readonly site: Site; readonly label: number }[]
}

const MAIN = -1

function labelOf(site: Site): number | undefined {
  const operand = site.instruction.operands.find((o) => o.type === FILE.label)
  return operand === undefined ? undefined : immediateIndex(operand, 0)
}

/** The main program (MAIN) and every subroutine by its label, with what they call. */
function bodiesOf(context: ProgramContext): Map<number, Body> {
  const bodies = new Map<number, { site: Site | undefined; calls: { site: Site; label: number }[] }>()
  let current: { site: Site | undefined; calls: { site: Site; label: number }[] } = { site: undefined, calls: [] }
  bodies.set(MAIN, current)
  for (const site of context.sites) {
    const action = flowAction(site)
    if (action !== 'label' && action !== 'call') continue
    const label = labelOf(site)
    if (action === 'label') {
      current = { site, calls: [] }
      if (label !== undefined && !bodies.has(label)) bodies.set(label, current)
    } else if (label !== undefined) current.calls.push({ site, label })
  }
  return bodies
}

/**
 * Depth of calls below each body, found without recursion: a body is done when all that it calls are. What is left
 * over calls itself.
 */
function callDepths(bodies: ReadonlyMap<number, Body>): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  const callers = new Map<number, number[]>()
  const waiting = new Map<number, number>()
  for (const [label, body] of bodies) {
    const callees = new Set(body.calls.map((c) => c.label).filter((l) => bodies.has(l)))
    waiting.set(label, callees.size)
    for (const callee of callees) {
      const list = callers.get(callee)
      if (list === undefined) callers.set(callee, [label])
      else list.push(label)
    }
  }
  const ready = [...waiting].filter(([, count]) => count === 0).map(([label]) => label)
  for (let label = ready.pop(); label !== undefined; label = ready.pop()) {
    const callees = bodies.get(label)?.calls ?? []
    depths.set(
      label,
      callees.reduce((most, c) => Math.max(most, 1 + (depths.get(c.label) ?? 0)), 0),
    )
    for (const caller of callers.get(label) ?? []) {
      const left = (waiting.get(caller) ?? 0) - 1
      waiting.set(caller, left)
      if (left === 0) ready.push(caller)
    }
  }
  return depths
}

export const FLOW_RULES: readonly Rule[] = [
  programRule('validate-block-pairing', ({ phases }, report) => {
    for (const phase of phases) checkPairs(phase, report)
  }),
  programRule('validate-block-nesting', (context, report) => {
    eachFlow(context, (site, stack) => {
      const opens = ['if', 'loop', 'switch'].includes(flowAction(site) ?? '')
      if (opens && stack.length === MAX_NESTING) report(`Blocks nest more than ${MAX_NESTING} deep.`, place(site))
    })
  }),
  programRule('validate-break', (context, report) => {
    eachFlow(context, (site, stack) => {
      const action = flowAction(site)
      if (action === 'break' && top(stack)?.inBreakable !== true) {
        report(`${site.row.mnemonic} stands in no loop and no switch.`, place(site))
      } else if (action === 'continue' && top(stack)?.inLoop !== true) {
        report(`${site.row.mnemonic} stands in no loop.`, place(site))
      }
    })
  }),
  programRule('validate-case', (context, report) => {
    eachFlow(context, (site, stack) => {
      const action = flowAction(site)
      const block = top(stack)
      if (block?.kind === 'switch') checkSwitch(site, block, report)
      else if (action === 'case' || action === 'default') report(`${action} stands outside a switch.`, place(site))
    })
  }),
  programRule('validate-case-fall-through', ({ phases }, report) => {
    for (const phase of phases) checkFallThrough(phase, report)
  }),
  programRule('validate-missing-ret', (context, report) => {
    if (context.damaged) return
    for (const phase of context.phases) checkEnd(phase, report)
  }),
  programRule('validate-label', (context, report) => {
    const labels = new Map<string, Site>()
    const bodies = bodiesOf(context)
    for (const site of context.sites) {
      const action = flowAction(site)
      const operand = site.instruction.operands[0]
      if (action === 'label' && operand !== undefined) {
        const key = `${operand.type}:${immediateIndex(operand, 0)}`
        const first = labels.get(key)
        if (first === undefined) labels.set(key, site)
        else report('This label is there already.', place(site), [], alsoAt(first, 'it is here first'))
      } else if (action === 'call') {
        const label = labelOf(site)
        if (label !== undefined && !bodies.has(label)) report(`There is no label l${label}.`, place(site))
      }
    }
  }),
  programRule('validate-recursion', (context, report) => {
    const bodies = bodiesOf(context)
    const depths = callDepths(bodies)
    for (const [label, body] of bodies) {
      if (depths.has(label)) continue
      const back = body.calls.find((c) => bodies.has(c.label) && !depths.has(c.label))
      if (back !== undefined && label !== MAIN)
        report('A subroutine calls itself, at last through others.', place(back.site))
    }
  }),
  programRule('validate-call-depth', (context, report) => {
    const bodies = bodiesOf(context)
    const depth = callDepths(bodies).get(MAIN) ?? 0
    const first = bodies.get(MAIN)?.calls[0]
    if (depth <= MAX_CALL_DEPTH || first === undefined) return
    report(`Calls go ${depth} deep; the return address stack has ${MAX_CALL_DEPTH} entries.`, place(first.site))
  }),
]
