import { report } from '../run/report.ts'
import { ENDED, type Frame, pushFrame, setMask, type Wave, YIELDED } from '../run/state.ts'
import { type CodeEntry, labelKey } from './blocks.ts'
import { checkBudget, compileTest, joinLanes, type Lanes, TAKEN, topFrame } from './condition.ts'
import { indexOf } from './operand.ts'
import { type Op, refuse, type Statement, sequence, siteOf } from './statement.ts'

/** Subroutines: call, callc, fcall through interface pointers, and ret. */

/** Calls may nest this deep (functional specification 22.7.10). */
const MAX_CALL_DEPTH = 32

/** Statements beyond its slice after which a wave yields at a call: calls that double do much without any loop. */
const CALL_SLACK = 65536

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
  if (w.steps > w.sliceEnd + CALL_SLACK) w.status = YIELDED
  return frame
}

export function compileCall(s: Statement, conditional: boolean, labels: ReadonlyMap<string, number>): Op {
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
        const l = w.lanes[k]!
        // Lanes for which the condition does not hold call nothing.
        const calls = ((l < 32 ? low >>> l : high >>> (l - 32)) & 1) === 1
        if (calls)
          report(w, site, l, { reason: 'call-depth', address: w.callDepth, limit: MAX_CALL_DEPTH, defined: true })
      }
      return
    }
    w.statement = s.index
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
  const frame = topFrame(w)
  joinLanes(frame, w.low, w.high)
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

export function compileReturn(s: Statement, entry: CodeEntry, conditional: boolean): Op {
  if (entry.depth === 0 && !conditional) return endFunction
  const test = compileTest(s, conditional)
  const { depth, escapeTo } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    if (w.callDepth === 0) {
      w.endedLow |= low
      w.endedHigh |= high
    } else joinLanes(topFrame(w, depth + 1), low, high)
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
 * the call site the body (functional specification 22.7.19). Lanes with different bodies run one body after the other, in the order of the
 * first pointer that leads to each: atomics in them show the order.
 */
export function compileInterfaceCall(s: Statement, labels: ReadonlyMap<string, number>): Op {
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
  const bodyAt = (w: Wave, at: number): number | undefined => {
    const instance = at < end ? w.dispatch.instances.get(at) : undefined
    return instance === undefined ? undefined : tables.get(instance.table)
  }
  const firstPointerTo = (w: Wave, pc: number): number => {
    let first = end
    for (const at of w.dispatch.instances.keys()) {
      if (at >= pointer && at < first && bodyAt(w, at) === pc) first = at
    }
    return first
  }
  const bodyFor = (w: Wave, lane: number): number | undefined => {
    const at = pointer + ((index.base + (index.column === undefined ? 0 : w.I[index.column + lane]!)) >>> 0)
    const pc = bodyAt(w, at)
    if (pc === undefined) report(w, site, lane, { reason: 'interface', address: at, limit: end, defined: false })
    return pc
  }
  return (w) => {
    before(w)
    if (w.callDepth >= MAX_CALL_DEPTH) {
      for (let k = 0; k < w.activeCount; k++) {
        report(w, site, w.lanes[k]!, {
          reason: 'call-depth',
          address: w.callDepth,
          limit: MAX_CALL_DEPTH,
          defined: true,
        })
      }
      return
    }
    w.statement = s.index
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
    const inOrder = [...groups]
    if (inOrder.length > 1) inOrder.sort(([a], [b]) => firstPointerTo(w, a) - firstPointerTo(w, b))
    const [first, ...rest] = inOrder
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
