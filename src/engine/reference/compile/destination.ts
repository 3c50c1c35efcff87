import { FILE } from '../../../isa/index.ts'
import { type Operand, writeMask } from '../../../program/index.ts'
import { roundToPrecision } from '../../precision.ts'
import { report } from '../run/report.ts'
import { waveSite } from '../run/site.ts'
import type { Wave } from '../run/state.ts'
import type { Value } from './graph.ts'
import { type Index, indexOf } from './operand.ts'
import type { Recording } from './recorder.ts'
import { outputTarget } from './stage-registers.ts'
import { type Op, refuse, runSteps, type Statement, sequence, siteOf } from './statement.ts'

/** Values for the components of one destination operand; components that the mask leaves out are undefined. */
export interface Result {
  readonly operand: number
  readonly values: readonly (Value | undefined)[]
}

/** Components of a destination's write mask, ascending. */
export function maskedComponents(o: Operand): number[] {
  const mask = writeMask(o)
  return [0, 1, 2, 3].filter((c) => (mask & (1 << c)) !== 0)
}

export const isNull = (o: Operand): boolean => o.type === FILE.null

interface Scatter {
  readonly operand: number
  readonly register: number
  readonly first: number
  readonly count: number
  readonly index: Index
  /** Scratch column and component of each value. */
  readonly parts: readonly { readonly scratch: number; readonly component: number }[]
  readonly reason: 'indexable-temp-bounds' | 'register-bounds'
}

interface Targets {
  readonly targets: { value: Value; column: number }[]
  readonly scatters: Scatter[]
}

function temp(s: Statement, operand: number, o: Operand): number | undefined {
  const { columns } = s.context
  const index = o.indices[0]
  if (index?.kind === 'immediate' && index.value < columns.tempCount) {
    return columns.temps + index.value * 4 * columns.width
  }
  const name = index?.kind === 'immediate' ? `r${index.value}` : 'r[]'
  refuse(s, operand, `${name} is not declared: dcl_temps says ${columns.tempCount}`)
  return undefined
}

/**
 * Whether an operand before this one is written where an index says, perhaps to the same register: scatters happen after
 * all direct writes, and of two results for one register the second stays.
 */
const followsScatter = (out: Targets, register: number): boolean => out.scatters.some((s) => s.register === register)

/** In place of the number of an x#: output registers. */
const OUTPUTS = -1

function addIndexable(s: Statement, out: Targets, r: Result, o: Operand, rounded: (v: Value) => Value): void {
  const { columns } = s.context
  const register = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = columns.indexableTemps.get(register)
  const index = indexOf(s, r.operand, o.indices[1])
  if (index === undefined) return
  if (declared === undefined) {
    refuse(s, r.operand, `x${register} is not declared`)
    return
  }
  const { first, count } = declared
  const direct = index.column === undefined && index.base < count && !followsScatter(out, register)
  const kept = direct ? index : keepIndex(s, index)
  const parts: { scratch: number; component: number }[] = []
  r.values.forEach((value, component) => {
    if (value === undefined) return
    const column = direct ? first + (index.base * 4 + component) * columns.width : s.recorder.scratch()
    out.targets.push({ value: rounded(value), column })
    parts.push({ scratch: column, component })
  })
  if (!direct) {
    const reason = 'indexable-temp-bounds'
    out.scatters.push({ operand: r.operand, register, first, count, index: kept, parts, reason })
  }
}

/** Output registers of graphics stages. */
function addOutput(s: Statement, out: Targets, r: Result, o: Operand, rounded: (v: Value) => Value): void {
  const target = outputTarget(s, r.operand, o)
  if (target === undefined) return
  const isLate = followsScatter(out, OUTPUTS)
  if (target.kind === 'column' && !isLate) {
    r.values.forEach((value, component) => {
      if (value === undefined) return
      out.targets.push({ value: rounded(value), column: target.column + component * s.context.columns.width })
    })
    return
  }
  const place =
    target.kind === 'column' ? { first: target.column, count: 1, index: { base: 0, column: undefined } } : target
  const index = keepIndex(s, place.index)
  const parts: { scratch: number; component: number }[] = []
  r.values.forEach((value, component) => {
    if (value === undefined) return
    const column = s.recorder.scratch()
    out.targets.push({ value: rounded(value), column })
    parts.push({ scratch: column, component })
  })
  const { first, count } = place
  out.scatters.push({ operand: r.operand, register: OUTPUTS, first, count, index, parts, reason: 'register-bounds' })
}

/** With two destinations the first may overwrite the register that indexes the second: the index is copied before. */
function keepIndex(s: Statement, index: Index): Index {
  const { column } = index
  if (column === undefined || s.row.operands.filter((o) => o.role === 'dest').length < 2) return index
  const copy = s.recorder.scratch()
  s.before.push((w) => w.I.copyWithin(copy, column, column + w.laneCount))
  return { base: index.base, column: copy }
}

function addResult(s: Statement, out: Targets, r: Result): void {
  const o = s.instruction.operands[r.operand]!
  const round = s.context.options.minPrecision === 'round' && o.minPrecision !== 0
  const rounded = (v: Value): Value => (round ? roundToPrecision(s.recorder.ops, o.minPrecision, v) : v)
  if (isNull(o)) return
  if (o.type === FILE['indexable-temp']) {
    addIndexable(s, out, r, o, rounded)
  } else if (o.type === FILE.temp) {
    const first = temp(s, r.operand, o)
    if (first === undefined) return
    r.values.forEach((value, component) => {
      if (value !== undefined)
        out.targets.push({ value: rounded(value), column: first + component * s.context.columns.width })
    })
  } else addOutput(s, out, r, o, rounded)
}

function scatterOp(s: Statement, scatter: Scatter): Op {
  const { first, count, index, parts, reason } = scatter
  const { width } = s.context.columns
  const { base, column } = index
  const site = siteOf(s, scatter.operand, 'store', 'indexable-temp')
  return (w) => {
    const { I, lanes, activeCount } = w
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const element = (base + (column === undefined ? 0 : I[column + l]!)) >>> 0
      if (element >= count) report(w, site, l, { reason, address: element, limit: count, defined: false })
      else for (const p of parts) I[first + (element * 4 + p.component) * width + l] = I[p.scratch + l]!
    }
  }
}

/** Steps and masked copies of a recording as one op. */
function recordingOp(r: Recording): Op {
  const { direct, masked, copies } = r
  return (w) => {
    if (w.full) {
      runSteps(w, direct)
      return
    }
    runSteps(w, masked)
    const { I, lanes, activeCount } = w
    for (let i = 0; i < copies.length; i += 2) {
      const from = copies[i]!
      const to = copies[i + 1]!
      for (let k = 0; k < activeCount; k++) {
        const l = lanes[k]!
        I[to + l] = I[from + l]!
      }
    }
  }
}

/** Where the words of a destination lie: a column of component 0, or four columns for each of `count` elements. */
interface WrittenPlace {
  readonly first: number
  /** Undefined for a register that is named without a computed index. */
  readonly indexed: { readonly index: Index; readonly count: number } | undefined
}

function writtenPlace(s: Statement, operand: number, o: Operand): WrittenPlace | undefined {
  const { columns } = s.context
  if (o.type === FILE.temp) {
    const index = o.indices[0]
    const register = index?.kind === 'immediate' ? index.value : 0
    return { first: columns.temps + register * 4 * columns.width, indexed: undefined }
  }
  if (o.type === FILE['indexable-temp']) {
    const x = columns.indexableTemps.get(o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1)
    const index = indexOf(s, operand, o.indices[1])
    return x === undefined || index === undefined ? undefined : { first: x.first, indexed: { index, count: x.count } }
  }
  const target = outputTarget(s, operand, o)
  if (target === undefined) return undefined
  if (target.kind === 'column') return { first: target.column, indexed: undefined }
  return { first: target.first, indexed: { index: target.index, count: target.count } }
}

/** Ops around a write that keep what it replaces and then show the observer both; only where it has a method for writes. */
function watchWrite(s: Statement, r: Result): { readonly keep: Op; readonly show: Op } | undefined {
  const o = s.instruction.operands[r.operand]!
  if (!s.context.showsWrites || isNull(o)) return undefined
  const place = writtenPlace(s, r.operand, o)
  if (place === undefined) return undefined
  const file = o.type === FILE.temp ? 'temp' : o.type === FILE['indexable-temp'] ? 'indexable-temp' : 'output'
  const register = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const { width } = s.context.columns
  const elements = new Int32Array(width)
  const before = new Int32Array(4 * width)
  const written = [0, 1, 2, 3].filter((c) => r.values[c] !== undefined)
  const mask = written.reduce((m, c) => m | (1 << c), 0)
  const { operand } = r
  const keep: Op = (w) => {
    if (w.dispatch.observer?.write === undefined) return
    fillElements(w, elements, place)
    for (let k = 0; k < w.activeCount; k++) {
      const at = place.first + elements[k]! * 4 * width + w.lanes[k]!
      for (const c of written) before[k * 4 + c] = elements[k]! < 0 ? 0 : w.I[at + c * width]!
    }
  }
  const show: Op = (w) =>
    w.dispatch.observer?.write?.({ wave: waveSite(w), operand, file, register, elements, mask, before })
  return { keep, show }
}

/** The element that each active lane writes, before the write, which may change the register that chooses it. */
function fillElements(w: Wave, elements: Int32Array, { indexed }: WrittenPlace): void {
  for (let k = 0; k < w.activeCount; k++) {
    if (indexed === undefined) elements[k] = 0
    else {
      const { base, column } = indexed.index
      const element = (base + (column === undefined ? 0 : w.I[column + w.lanes[k]!]!)) >>> 0
      elements[k] = element < indexed.count ? element : -1
    }
  }
}

/** The op that computes results and writes them to the registers of their operands for the active lanes. */
export function writeResults(s: Statement, results: readonly Result[]): Op {
  const out: Targets = { targets: [], scatters: [] }
  for (const r of results) addResult(s, out, r)
  const watched = results.flatMap((r) => watchWrite(s, r) ?? [])
  // Where two destinations name one register the later operand's result stays.
  const last = new Map(out.targets.map((t) => [t.column, t]))
  const recording = s.recorder.assign([...last.values()])
  return sequence([
    ...watched.map((x) => x.keep),
    ...(out.targets.length === 0 ? [] : [recordingOp(recording)]),
    ...out.scatters.map((x) => scatterOp(s, x)),
    ...watched.map((x) => x.show),
  ])
}
