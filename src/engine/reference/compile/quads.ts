import { controlOf, SATURATE, saturate } from '../../../isa/index.ts'
import { componentAt } from '../../../program/index.ts'
import { blockOf, isPlainInput, slotOf } from '../../register-layout.ts'
import { report, undefinedWord } from '../run/report.ts'
import { setMask, type Wave } from '../run/state.ts'
import type { CodeEntry } from './blocks.ts'
import { compileTest, TAKEN } from './condition.ts'
import { maskedComponents, writeResults } from './destination.ts'
import type { Value } from './graph.ts'
import { complete, evaluateColumns, operandOf, resultColumns } from './memory.ts'
import { indexIn, indexOf, reportOutside, sourceValue } from './operand.ts'
import { type Op, refuse, type Statement, sequence, siteOf } from './statement.ts'

/**
 * What pixel shaders have beyond other stages: quads of four lanes with derivatives between them, helper lanes whose
 * stores do nothing, discard, and attributes evaluated at chosen places. Lanes of a quad: 0 and 1 the upper row, 2 and 3
 * the lower; x grows with bit 0, y with bit 1.
 */

const isActive = (w: Wave, lane: number): boolean => ((lane < 32 ? w.low >>> lane : w.high >>> (lane - 32)) & 1) === 1

/** Lanes of a lane's quad that are active. */
function activeInQuad(w: Wave, lane: number): number {
  const first = lane & ~3
  let count = 0
  for (let i = 0; i < 4; i++) if (isActive(w, first + i)) count++
  return count
}

/** Reports lanes whose neighbors did not execute the statement: their registers hold older values (16.8). */
export function reportDivergence(s: Statement, operand: number): Op {
  if (isPlainInput(s.instruction.operands[operand]!)) return () => {}
  const site = siteOf(s, operand, 'other', 'other')
  return (w) => {
    if (w.full) return
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const count = activeInQuad(w, l)
      if (count < 4) report(w, site, l, { reason: 'divergent-derivative', address: count, limit: 4, defined: false })
    }
  }
}

/**
 * Whole statements that take differences in a quad: registers with computed indices are read for all four lanes, as those
 * without are (16.8), whichever of them execute the statement.
 */
export function completeInQuads(s: Statement, evaluated: readonly Op[], rest: readonly Op[]): Op {
  if (s.before.length === 0) return complete(s, evaluated, rest)
  const gather = sequence(s.before)
  const others: Op = (w) => {
    const { low, high } = w
    const [restLow, restHigh] = [wholeQuads(low) & ~low, wholeQuads(high) & ~high]
    if ((restLow | restHigh) !== 0) {
      setMask(w, restLow, restHigh)
      w.quiet = true
      gather(w)
      w.quiet = false
      setMask(w, low, high)
    }
    gather(w)
  }
  return sequence([others, ...evaluated, ...rest])
}

/** First and second lane of a difference, from the lane's own: coarse takes the upper row and the left column. */
function differenceLanes(
  axis: 'x' | 'y',
  precision: 'any' | 'coarse' | 'fine',
): (lane: number) => readonly [number, number] {
  const bit = axis === 'x' ? 1 : 2
  // The reference rasterizer's deriv_rtx is the fine one (win32 reference, deriv_rtx).
  if (precision !== 'coarse') return (lane) => [lane & ~bit, lane | bit]
  return (lane) => [lane & ~3, (lane & ~3) | bit]
}

/** deriv_rtx and its kind: the difference of two neighbors' values, as `add` computes it. */
export function compileDerivative(s: Statement, axis: 'x' | 'y', precision: 'any' | 'coarse' | 'fine'): Op {
  const dest = s.instruction.operands[0]!
  const components = maskedComponents(dest)
  const evaluated = evaluateColumns(
    s,
    components.map((c) => sourceValue(s, 1, c)),
  )
  if (evaluated === undefined) return () => {}
  const { ops } = s.recorder
  const lanesOf = differenceLanes(axis, precision)
  const pairs = components.map(() => [s.recorder.scratch(), s.recorder.scratch()] as const)
  const values: (Value | undefined)[] = [undefined, undefined, undefined, undefined]
  const saturates = controlOf(s.instruction.controls, SATURATE) !== 0
  components.forEach((c, i) => {
    const [first, second] = pairs[i]!.map((column) => ops.flushDenormal(s.recorder.column(column)))
    const difference = ops.flushDenormal(ops.f32Sub(second!, first!))
    values[c] = saturates ? saturate(ops, 'f32', [difference])[0] : difference
  })
  const gather: Op = (w) => {
    const { I } = w
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const [first, second] = lanesOf(l)
      for (let i = 0; i < pairs.length; i++) {
        const from = evaluated.columns[i]!
        I[pairs[i]![0] + l] = I[from + first]!
        I[pairs[i]![1] + l] = I[from + second]!
      }
    }
  }
  const write = writeResults(s, [{ operand: 0, values }])
  return completeInQuads(s, evaluated.compute, [reportDivergence(s, 1), gather, write])
}

/** Ends pixels (22.5.1): they run on as helpers, and a quad without a living pixel stops. */
export function compileDiscard(s: Statement, entry: CodeEntry, conditional: boolean): Op {
  const test = compileTest(s, conditional)
  const { escapeTo } = entry
  return (w) => {
    test(w, TAKEN)
    const { low, high } = TAKEN
    if ((low | high) === 0) return
    w.storeLow &= ~low
    w.storeHigh &= ~high
    markDiscarded(w, low, 0)
    markDiscarded(w, high, 32)
    setMask(w, w.low & wholeQuads(w.storeLow), w.high & wholeQuads(w.storeHigh))
    if (w.activeCount === 0) w.pc = escapeTo
  }
}

function markDiscarded(w: Wave, bits: number, first: number): void {
  const { discarded } = w.group.batch!.quads!
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    discarded[w.firstThread + first + 31 - Math.clz32(rest & -rest)] = 1
  }
}

/** All four bits of each quad that has one set. */
function wholeQuads(bits: number): number {
  const any = (bits | (bits >>> 1) | (bits >>> 2) | (bits >>> 3)) & 0x11111111
  return any | (any << 1) | (any << 2) | (any << 3)
}

const SIXTEENTHS = (bits: number): number => (bits << 28) >> 28

/** eval_snapped, eval_sample_index and eval_centroid: an attribute at a place that the shader chooses (16.5). */
export function compileEval(s: Statement, at: 'snapped' | 'sample' | 'centroid'): Op {
  const input = s.instruction.operands[1]!
  const block = blockOf(s.context.columns.layout.inputs, input.type)
  if (block === undefined) {
    refuse(s, 1, 'the attribute is not declared')
    return () => {}
  }
  // dcl_indexrange lets a register choose the attribute here too (22.4.23).
  const chosen = indexOf(s, 1, input.indices[0])
  const place = operandOf(s, 'address')
  const count = at === 'snapped' ? 2 : at === 'sample' ? 1 : 0
  const evaluated = evaluateColumns(
    s,
    Array.from({ length: count }, (_, c) => sourceValue(s, place, c)),
  )
  const { columns, result } = resultColumns(s, 0)
  if (evaluated === undefined || chosen === undefined) return () => {}
  const components = maskedComponents(s.instruction.operands[0]!).map((c) => componentAt(input, c))
  const site = siteOf(s, 1, 'other', 'other')
  const rows: Op = (w) => {
    const { attributes, sampleCount } = w.group.batch!.quads!
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const invocation = w.firstThread + l
      const [first, second] = evaluated.columns.map((column) => w.I[column + l]!)
      const register = indexIn(w, chosen, l)
      if (slotOf(block, 0, register, 0) < 0) {
        reportOutside(w, site, block, l, 0, register)
        for (const column of columns) w.I[column + l] = undefinedWord(w)
        continue
      }
      if (at === 'sample' && first! >>> 0 >= sampleCount)
        report(w, site, l, { reason: 'sample-index', address: first! >>> 0, limit: sampleCount, defined: false })
      for (let i = 0; i < columns.length; i++) {
        const c = components[i]!
        w.I[columns[i]! + l] =
          at === 'snapped'
            ? attributes.snapped(invocation, register, c, SIXTEENTHS(first!), SIXTEENTHS(second!))
            : at === 'sample'
              ? attributes.sample(invocation, register, c, first! >>> 0)
              : attributes.centroid(invocation, register, c)
      }
    }
  }
  const { ops } = s.recorder
  const saturates = controlOf(s.instruction.controls, SATURATE) !== 0
  const values = result.values.map((v) => (v === undefined || !saturates ? v : saturate(ops, 'f32', [v])[0]))
  return complete(s, evaluated.compute, [rows, writeResults(s, [{ operand: 0, values }])])
}
