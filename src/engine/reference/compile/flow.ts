import { diagnostic } from '../../../diagnostic/index.ts'
import type { FlowAction } from '../../../isa/index.ts'
import { waveSite } from '../run/site.ts'
import { type Frame, pushFrame, setMask, type Wave, YIELDED } from '../run/state.ts'
import type { CodeEntry, Structure } from './blocks.ts'
import { compileCall, compileInterfaceCall, compileReturn } from './call.ts'
import { checkBudget, compileTest, joinLanes, TAKEN, topFrame } from './condition.ts'
import { sourceValue } from './operand.ts'
import { compileDiscard } from './quads.ts'
import { type Op, runSteps, type Statement, sequence } from './statement.ts'

/** Blocks: if, loop and switch with what divides, leaves and ends them. */

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
    const frame = topFrame(w)
    joinLanes(frame, w.low, w.high)
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
    const frame = topFrame(w)
    w.depth--
    setMask(w, w.low | frame.joinLow | frame.otherLow, w.high | frame.joinHigh | frame.otherHigh)
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

const openLoop: Op = (w) => {
  pushFrame(w)
}

function compileEndLoop(entry: CodeEntry, loopStatement: number): Op {
  const { link, escapeTo } = entry
  return (w) => {
    const frame = topFrame(w)
    setMask(w, w.low | frame.otherLow, w.high | frame.otherHigh)
    frame.otherLow = 0
    frame.otherHigh = 0
    if (w.activeCount !== 0) {
      w.pc = link + 1
      if (w.steps > w.sliceEnd) {
        w.statement = loopStatement
        checkBudget(w)
        w.status = YIELDED
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
    joinLanes(topFrame(w, target), low, high)
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
    const frame = topFrame(w, target)
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
    const frame = topFrame(w)
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
    case 'discard':
      return compileDiscard(s, entry, conditional)
    case 'label': {
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
