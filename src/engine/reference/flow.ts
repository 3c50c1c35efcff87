import { diagnostic } from '../../diagnostic/index.ts'
import { controlOf, type FlowAction, TEST } from '../../isa/index.ts'
import { indexOf, sourceValue } from './operand.ts'
import { report } from './report.ts'
import { waveSite } from './site.ts'
import { ENDED, type Frame, GIVES_WAY, type Halt, pushFrame, setMask, settleSteps, type Wave } from './state.ts'
import { type Op, refuse, runSteps, type Statement, sequence, siteOf } from './statement.ts'
import { type CodeEntry, labelKey, type Structure } from './structure.ts'

/** Calls may nest this deep (functional specification 22.7.10). */
const MAX_CALL_DEPTH = 32

/** Lanes for which a condition holds, in two words; filled by a Test. */
interface Lanes {
  low: number
  high: number
}
type Test = (w: Wave, out: Lanes) => void

const TAKEN: Lanes = { low: 0, high: 0 }

const everyLane: Test = (w, out) => {
  out.low = w.low
  out.high = w.high
}

/** The test of a conditional statement: any bit set, or none, of the one component of operand 0. */
function compileTest(s: Statement, conditional: boolean): Test {
  if (!conditional) return everyLane
  const value = sourceValue(s, 0, 0)
  if (value === undefined) return everyLane
  const { steps, columns } = s.recorder.evaluate([value])
  const column = columns[0]!
  const before = sequence([...s.before, (w) => runSteps(w, steps)])
  const nonZero = controlOf(s.instruction.controls, TEST) === 1
  const observed = s.context.observed
  return (w, out) => {
    before(w)
    const { I, lanes, activeCount } = w
    let low = 0
    let high = 0
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      if ((I[column + l] !== 0) === nonZero) {
        if (l < 32) low |= 1 << l
        else high |= 1 << (l - 32)
      }
    }
    out.low = low
    out.high = high
    if (observed) branchEvent(w, low, high)
  }
}

function branchEvent(w: Wave, low: number, high: number): void {
  const observer = w.dispatch.observer
  if (observer?.branch === undefined) return
  const { taken } = w.observed!
  for (let k = 0; k < w.activeCount; k++) {
    const l = w.lanes[k]!
    taken[k] = ((l < 32 ? low >>> l : high >>> (l - 32)) & 1) as 0 | 1
  }
  observer.branch({ wave: waveSite(w), taken })
}

function top(w: Wave, below = 1): Frame {
  return w.frames[w.depth - below]!
}

/** Adds lanes to those that wait for a block's end. */
function join(frame: Frame, low: number, high: number): void {
  frame.joinLow |= low
  frame.joinHigh |= high
}

function compileIf(s: Statement, entry: CodeEntry): Op {
  const test = compileTest(s, true)
  const { link } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    const frame = pushFrame(w)
    frame.otherLow = w.low & ~low
    frame.otherHigh = w.high & ~high
    setMask(w, low, high)
    if (w.activeCount === 0) w.pc = link
  }
}

function compileElse(entry: CodeEntry): Op {
  const { link } = entry
  return (w) => {
    const frame = top(w)
    join(frame, w.low, w.high)
    setMask(w, frame.otherLow, frame.otherHigh)
    frame.otherLow = 0
    frame.otherHigh = 0
    if (w.activeCount === 0) w.pc = link
  }
}

/** Ends if and switch: all lanes that did not leave go on. */
function compileEnd(entry: CodeEntry): Op {
  const { escapeTo } = entry
  return (w) => {
    const frame = top(w)
    w.depth--
    setMask(w, w.low | frame.joinLow | frame.otherLow, w.high | frame.joinHigh | frame.otherHigh)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

const openLoop: Op = (w) => {
  pushFrame(w)
}

/**
 * Ends the dispatch when a thread has executed too much; the wave's statement then names the loop. A wave's own count is
 * at least that of each of its lanes, so lanes are only counted when it is exceeded.
 */
function checkBudget(w: Wave): void {
  if (w.steps <= w.dispatch.maxInstructionsPerThread) return
  settleSteps(w)
  for (let k = 0; k < w.activeCount; k++) {
    if (w.laneSteps[w.lanes[k]!]! > w.dispatch.maxInstructionsPerThread) {
      const halt: Halt = { halt: 'budget', statement: w.statement }
      throw halt
    }
  }
}

function compileEndLoop(entry: CodeEntry, loopStatement: number): Op {
  const { link, escapeTo } = entry
  return (w) => {
    const frame = top(w)
    setMask(w, w.low | frame.otherLow, w.high | frame.otherHigh)
    frame.otherLow = 0
    frame.otherHigh = 0
    if (w.activeCount !== 0) {
      w.pc = link + 1
      if (w.steps > w.sliceEnd) {
        w.statement = loopStatement
        checkBudget(w)
        w.status = GIVES_WAY
      }
      return
    }
    w.depth--
    setMask(w, frame.joinLow, frame.joinHigh)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

function compileBreak(s: Statement, entry: CodeEntry, conditional: boolean): Op {
  const test = compileTest(s, conditional)
  const { target, escapeTo } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    join(top(w, target), low, high)
    setMask(w, w.low & ~low, w.high & ~high)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

function compileContinue(s: Statement, entry: CodeEntry, conditional: boolean): Op {
  const test = compileTest(s, conditional)
  const { target, escapeTo } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    const frame = top(w, target)
    frame.otherLow |= low
    frame.otherHigh |= high
    setMask(w, w.low & ~low, w.high & ~high)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

function compileSwitch(s: Statement, entry: CodeEntry, code: readonly CodeEntry[]): Op {
  const value = sourceValue(s, 0, 0)
  if (value === undefined) return () => {}
  const { steps, columns } = s.recorder.evaluate([value])
  const column = columns[0]!
  const before = sequence([...s.before, (w) => runSteps(w, steps)])
  const table = entry.cases!
  const first = entry.link
  return (w) => {
    before(w)
    const frame = pushFrame(w)
    const { I, lanes, activeCount } = w
    const otherwise = table.default >= 0 ? table.default : table.end
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      frame.targets[l] = table.cases.get(I[column + l]!) ?? otherwise
    }
    if (s.context.observed) switchEvent(w, frame, code)
    // All wait; each label lets its own lanes in, the end all that are left.
    frame.otherLow = w.low
    frame.otherHigh = w.high
    setMask(w, 0, 0)
    w.pc = first
  }
}

function switchEvent(w: Wave, frame: Frame, code: readonly CodeEntry[]): void {
  const observer = w.dispatch.observer
  if (observer?.branch === undefined) return
  const { taken } = w.observed!
  for (let k = 0; k < w.activeCount; k++) taken[k] = code[frame.targets[w.lanes[k]!]!]!.statement
  observer.branch({ wave: waveSite(w), taken })
}

/** A label of a switch: lanes fall through from above, and those that wait for this label join them. */
function compileCase(entry: CodeEntry, at: number): Op {
  const { escapeTo } = entry
  return (w) => {
    const frame = top(w)
    let low = 0
    let high = 0
    for (let bits = frame.otherLow; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits
      if (frame.targets[31 - Math.clz32(bit)] === at) low |= bit
    }
    for (let bits = frame.otherHigh; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits
      if (frame.targets[63 - Math.clz32(bit)] === at) high |= bit
    }
    frame.otherLow &= ~low
    frame.otherHigh &= ~high
    setMask(w, w.low | low, w.high | high)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

/** Enters a subroutine with some lanes; the others wait in the frame. */
function enter(w: Wave, pc: number, low: number, high: number, returnTo: number): Frame {
  const frame = pushFrame(w)
  frame.joinLow = w.low & ~low
  frame.joinHigh = w.high & ~high
  frame.returnTo = returnTo
  frame.pending = []
  w.callDepth++
  setMask(w, low, high)
  w.pc = pc
  return frame
}

function compileCall(s: Statement, conditional: boolean, labels: ReadonlyMap<string, number>): Op {
  const test = compileTest(s, conditional)
  const operand = s.row.operands.findIndex((o) => o.role === 'label')
  const o = s.instruction.operands[operand]!
  const index = o.indices[0]
  const key = labelKey(o.type, index?.kind === 'immediate' ? index.value : -1)
  const pc = labels.get(key)
  if (pc === undefined) refuse(s, operand, `${key} does not stand in the program`)
  const site = siteOf(s, operand, 'other', 'other')
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    if ((low | high) === 0) return
    if (w.callDepth >= MAX_CALL_DEPTH) {
      for (let k = 0; k < w.activeCount; k++) {
        report(w, site, 'call-depth', w.lanes[k]!, w.callDepth, MAX_CALL_DEPTH, true)
      }
      return
    }
    checkBudget(w)
    enter(w, pc!, low, high, w.pc)
  }
}

/** Leaves a function with the lanes that are active; those that returned before join them in the caller. */
export function endFunction(w: Wave): void {
  if (w.callDepth === 0) {
    w.endedLow |= w.low
    w.endedHigh |= w.high
    setMask(w, 0, 0)
    w.status = ENDED
    return
  }
  const frame = top(w)
  join(frame, w.low, w.high)
  const next = frame.pending.pop()
  if (next !== undefined) {
    setMask(w, next.low, next.high)
    w.pc = next.pc
    return
  }
  w.depth--
  w.callDepth--
  setMask(w, frame.joinLow, frame.joinHigh)
  w.pc = frame.returnTo
}

function compileReturn(s: Statement, entry: CodeEntry, conditional: boolean): Op {
  if (entry.depth === 0 && !conditional) return endFunction
  const test = compileTest(s, conditional)
  const { depth, escapeTo } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    if (w.callDepth === 0) {
      w.endedLow |= low
      w.endedHigh |= high
    } else join(top(w, depth + 1), low, high)
    setMask(w, w.low & ~low, w.high & ~high)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

/** Function bodies by interface pointer number: what a table has at the call site. */
function bodyOf(
  s: Statement,
  table: number,
  callSite: number,
  labels: ReadonlyMap<string, number>,
): number | undefined {
  const body = s.context.declarations.functionTables.find((t) => t.table === table)?.bodies[callSite]
  return body === undefined ? undefined : labels.get(`fb${body}`)
}

/**
 * fcall fp#[index][callSite]: the number of the pointer and the index together choose the class instance, its table and
 * the call site the body (functional specification 22.7.19). Lanes with different bodies run one body after the other.
 */
function compileInterfaceCall(s: Statement, labels: ReadonlyMap<string, number>): Op {
  const o = s.instruction.operands[0]!
  const pointer = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = s.context.declarations.interfaces.find(
    (i) => pointer >= i.interface && pointer < i.interface + Math.max(1, i.arrayLength),
  )
  if (declared === undefined) refuse(s, 0, `fp${pointer} is not declared`)
  const index = indexOf(s, 0, o.indices[1])
  if (index === undefined || declared === undefined) return () => {}
  const before = sequence(s.before)
  const callSite = s.instruction.parameters[0] ?? 0
  const tables = new Map(declared.tables.map((t) => [t, bodyOf(s, t, callSite, labels)] as const))
  const site = siteOf(s, 0, 'other', 'other')
  const end = declared.interface + Math.max(1, declared.arrayLength)
  const bodyFor = (w: Wave, lane: number): number | undefined => {
    const at = pointer + ((index.base + (index.column === undefined ? 0 : w.I[index.column + lane]!)) >>> 0)
    const instance = at < end ? w.dispatch.instances.get(at) : undefined
    const pc = instance === undefined ? undefined : tables.get(instance.table)
    if (pc === undefined) report(w, site, 'interface', lane, at, end, false)
    return pc
  }
  return (w) => {
    before(w)
    if (w.callDepth >= MAX_CALL_DEPTH) {
      for (let k = 0; k < w.activeCount; k++) {
        report(w, site, 'call-depth', w.lanes[k]!, w.callDepth, MAX_CALL_DEPTH, true)
      }
      return
    }
    checkBudget(w)
    const groups = new Map<number, Lanes>()
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const pc = bodyFor(w, l)
      if (pc === undefined) continue
      const lanes = groups.get(pc) ?? { low: 0, high: 0 }
      if (l < 32) lanes.low |= 1 << l
      else lanes.high |= 1 << (l - 32)
      groups.set(pc, lanes)
    }
    const [first, ...rest] = groups
    if (first === undefined) return
    let { low, high } = first[1]
    const returnTo = w.pc
    for (const [, lanes] of rest) {
      low |= lanes.low
      high |= lanes.high
    }
    const frame = enter(w, first[0], low, high, returnTo)
    frame.pending = rest.map(([pc, lanes]) => ({ pc, low: lanes.low, high: lanes.high })).reverse()
    setMask(w, first[1].low, first[1].high)
  }
}

/** A flow-control statement at position `at` of the code. */
export function compileFlow(
  s: Statement,
  action: FlowAction,
  conditional: boolean,
  structure: Structure,
  at: number,
): Op {
  const entry = structure.code[at]!
  switch (action) {
    case 'if':
      return compileIf(s, entry)
    case 'else':
      return compileElse(entry)
    case 'endif':
    case 'endswitch':
      return compileEnd(entry)
    case 'loop':
      return openLoop
    case 'endloop':
      return compileEndLoop(entry, structure.code[entry.link]?.statement ?? entry.statement)
    case 'switch':
      return compileSwitch(s, entry, structure.code)
    case 'case':
    case 'default':
      return compileCase(entry, at)
    case 'break':
      return compileBreak(s, entry, conditional)
    case 'continue':
      return compileContinue(s, entry, conditional)
    case 'ret':
      return compileReturn(s, entry, conditional)
    case 'call':
      return compileCall(s, conditional, structure.labels)
    case 'fcall':
      return compileInterfaceCall(s, structure.labels)
    case 'label':
    case 'discard': {
      s.context.diagnostics.push(
        diagnostic('engine-instruction', `${s.row.mnemonic} cannot be executed here`, {
          kind: 'statement',
          index: s.index,
        }),
      )
      return () => {}
    }
  }
}
