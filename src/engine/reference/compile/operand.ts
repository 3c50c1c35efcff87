import { FILE, registerFile } from '../../../isa/index.ts'
import { slotKey } from '../../../machine/index.ts'
import { COMPONENTS_1, componentAt, modifiedWord, type Operand, type OperandIndex } from '../../../program/index.ts'
import { findRange, hasRanges } from '../../declarations.ts'
import { blockOf, type RegisterBlock, slotOf } from '../../register-layout.ts'
import { report, undefinedWord } from '../run/report.ts'
import type { Wave } from '../run/state.ts'
import { constantColumn, uniformColumn } from './columns.ts'
import type { Value } from './graph.ts'
import { refuse, type Statement, siteOf } from './statement.ts'

/** An index: a number, plus a column when a register is added to it (modulo 2^32). */
export interface Index {
  readonly base: number
  readonly column: number | undefined
}

/** The index of an operand; undefined after a complaint. */
export function indexOf(s: Statement, operand: number, index: OperandIndex | undefined): Index | undefined {
  switch (index?.kind) {
    case 'immediate':
      return { base: index.value, column: undefined }
    case 'relative':
    case 'relative-plus': {
      const column = leafColumn(s, operand, index.register, 0)
      const base = index.kind === 'relative' ? 0 : index.offset
      return column === undefined ? undefined : { base, column }
    }
    case undefined:
      refuse(s, operand, 'the operand lacks an index')
      return undefined
    default:
      refuse(s, operand, 'the operand has a 64-bit index, which Direct3D does not execute')
      return undefined
  }
}

/** The column of a register operand that serves as an index. */
function leafColumn(s: Statement, operand: number, o: Operand, position: number): number | undefined {
  const value = registerValue(s, operand, o, position)
  if (value === undefined) return undefined
  return s.recorder.evaluate([value]).columns[0]
}

/** Words of an immediate operand by component. */
export function immediateWord(o: Operand, position: number): number {
  const { values } = o
  if (o.type === FILE.immediate32) return (o.components === COMPONENTS_1 ? values[0] : values[position]) ?? 0
  // A 64-bit immediate of one component is one double: its two words serve every pair.
  return (values.length === 2 ? values[position & 1] : values[position]) ?? 0
}

function tempValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const { columns } = s.context
  const index = o.indices[0]
  if (index?.kind !== 'immediate' || index.value >= columns.tempCount) {
    const name = index?.kind === 'immediate' ? `r${index.value}` : 'r[]'
    refuse(s, operand, `${name} is not declared: dcl_temps says ${columns.tempCount}`)
    return undefined
  }
  return s.recorder.column(columns.temps + (index.value * 4 + component) * columns.width)
}

/** A gather into a scratch column, made once for equal operands of a statement. */
function gather(s: Statement, key: string, make: (scratch: number) => void): Value {
  const known = s.gathered.get(key)
  if (known !== undefined) return known
  const scratch = s.recorder.scratch()
  make(scratch)
  const value = s.recorder.column(scratch)
  s.gathered.set(key, value)
  return value
}

function indexableTempValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const { columns } = s.context
  const register = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = columns.indexableTemps.get(register)
  if (declared === undefined) {
    refuse(s, operand, `x${register} is not declared`)
    return undefined
  }
  const index = indexOf(s, operand, o.indices[1])
  if (index === undefined) return undefined
  const { first, count } = declared
  const { width } = columns
  const { base, column } = index
  if (column === undefined && base < count) return s.recorder.column(first + (base * 4 + component) * width)
  const site = siteOf(s, operand, 'load', 'indexable-temp')
  return gather(s, `x${register} ${base} ${column} ${component}`, (scratch) => {
    s.before.push((w) => {
      const { I, lanes, activeCount } = w
      for (let k = 0; k < activeCount; k++) {
        const l = lanes[k]!
        const element = (base + (column === undefined ? 0 : I[column + l]!)) >>> 0
        if (element < count) I[scratch + l] = I[first + (element * 4 + component) * width + l]!
        else {
          I[scratch + l] = undefinedWord(w)
          report(w, site, l, { reason: 'indexable-temp-bounds', address: element, limit: count, defined: false })
        }
      }
    })
  })
}

/** Words of immediate constant buffers, shared by all statements that read one. */
const IMMEDIATE_WORDS = new WeakMap<ArrayLike<number>, Int32Array>()

function immediateWords(constants: ArrayLike<number>): Int32Array {
  let words = IMMEDIATE_WORDS.get(constants)
  if (words === undefined) {
    words = Int32Array.from(constants)
    IMMEDIATE_WORDS.set(constants, words)
  }
  return words
}

function immediateConstantValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const { immediateConstants } = s.context.declarations
  const index = indexOf(s, operand, o.indices[0])
  if (index === undefined) return undefined
  const { base, column } = index
  const count = immediateConstants.length >> 2
  if (column === undefined && base < count) {
    return s.recorder.ops.constant(immediateConstants[base * 4 + component]!)
  }
  const words = immediateWords(immediateConstants)
  const site = siteOf(s, operand, 'load', 'immediate-constant-buffer')
  return gather(s, `icb ${base} ${column} ${component}`, (scratch) => {
    s.before.push((w) => {
      const { I, lanes, activeCount } = w
      for (let k = 0; k < activeCount; k++) {
        const l = lanes[k]!
        const element = (base + (column === undefined ? 0 : I[column + l]!)) >>> 0
        I[scratch + l] = element < count ? words[element * 4 + component]! : 0
        if (element >= count)
          report(w, site, l, { reason: 'immediate-constant-bounds', address: element, limit: count, defined: true })
      }
    })
  })
}

/** Register, space and constant of a constant buffer operand: `cb#[n]`, or `CB#[register][n]` of Shader Model 5.1. */
function constantBufferValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const { declarations, columns } = s.context
  const ranged = hasRanges(declarations.program)
  const slot = indexOf(s, operand, o.indices[ranged ? 1 : 0])
  const constant = indexOf(s, operand, o.indices[ranged ? 2 : 1])
  if (slot === undefined || constant === undefined) return undefined
  const id = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = findRange(declarations.constantBuffers, id)
  if (declared === undefined && (ranged || slot.column === undefined)) {
    refuse(s, operand, `the constant buffer ${id} is not declared`)
    return undefined
  }
  const space = ranged ? declared!.space : 0
  const [first, last] = ranged ? [declared!.first, declared!.last] : [0, Number.POSITIVE_INFINITY]
  const isInside = (register: number): boolean => register >= first && register <= last
  if (slot.column === undefined && constant.column === undefined && isInside(slot.base)) {
    const key = slotKey(slot.base, space)
    return s.recorder.column(
      uniformColumn(columns, { kind: 'constant-buffer', slot: key, constant: constant.base, component }),
    )
  }
  const site = siteOf(s, operand, 'load', 'constant-buffer')
  const key = `cb ${id} ${slot.base} ${slot.column} ${space} ${constant.base} ${constant.column} ${component}`
  return gather(s, key, (scratch) => {
    s.before.push((w) => {
      const { I, lanes, activeCount, dispatch } = w
      for (let k = 0; k < activeCount; k++) {
        const l = lanes[k]!
        const register = (slot.base + (slot.column === undefined ? 0 : I[slot.column + l]!)) >>> 0
        const element = (constant.base + (constant.column === undefined ? 0 : I[constant.column + l]!)) >>> 0
        const bound = isInside(register) ? dispatch.cbvs.get(slotKey(register, space)) : undefined
        const word = element * 4 + component
        I[scratch + l] = bound !== undefined && word < bound.wordCount ? bound.words[bound.first + word]! : 0
        if (!isInside(register))
          report(w, site, l, { reason: 'range-bounds', address: register, limit: last, defined: false })
        else if (bound === undefined)
          report(w, site, l, { reason: 'unbound', address: register, limit: 0, defined: true })
        else if (element * 4 >= bound.wordCount) {
          report(w, site, l, {
            reason: 'constant-buffer-bounds',
            address: element,
            limit: Math.ceil(bound.wordCount / 4),
            defined: true,
          })
        }
      }
    })
  })
}

function thisValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const index = indexOf(s, operand, o.indices[0])
  if (index === undefined) return undefined
  const { base, column } = index
  if (column === undefined) {
    return s.recorder.column(uniformColumn(s.context.columns, { kind: 'this', index: base, component }))
  }
  const site = siteOf(s, operand, 'load', 'other')
  return gather(s, `this ${base} ${column} ${component}`, (scratch) => {
    s.before.push((w) => {
      const { I, lanes, activeCount } = w
      const { thisWords } = w.dispatch
      for (let k = 0; k < activeCount; k++) {
        const l = lanes[k]!
        const element = (base + I[column + l]!) >>> 0
        const inside = element * 4 < thisWords.length
        I[scratch + l] = inside ? thisWords[element * 4 + component]! : undefinedWord(w)
        if (!inside)
          report(w, site, l, { reason: 'this-bounds', address: element, limit: thisWords.length >> 2, defined: false })
      }
    })
  })
}

/** The clock of the reference engine is the number of statements that the wave has executed. */
function cycleCounterValue(s: Statement, component: number): Value {
  return gather(s, `clock ${component}`, (scratch) => {
    s.before.push((w) => {
      const count = component === 0 ? w.steps | 0 : component === 1 ? Math.floor(w.steps / 2 ** 32) : 0
      for (let l = 0; l < w.laneCount; l++) w.I[scratch + l] = count
    })
  })
}

/** Vertex and register that an operand names. */
export interface RegisterPlace {
  readonly vertex: Index
  readonly register: Index
}

const ZERO: Index = { base: 0, column: undefined }

export function placeOf(s: Statement, operand: number, o: Operand, block: RegisterBlock): RegisterPlace | undefined {
  const { indices } = o
  const expected = (block.byVertex ? 1 : 0) + (registerFile(o.type)!.indices[1] > 0 ? 1 : 0)
  if (indices.length !== expected) {
    refuse(s, operand, `the register has ${indices.length} indices; its declaration has ${expected}`)
    return undefined
  }
  const vertex = block.byVertex ? indexOf(s, operand, indices[0]) : ZERO
  const register = expected > (block.byVertex ? 1 : 0) ? indexOf(s, operand, indices[expected - 1]) : ZERO
  return vertex === undefined || register === undefined ? undefined : { vertex, register }
}

export const nameOf = (o: Operand): string => registerFile(o.type)?.prefix ?? `register file ${o.type}`

/** Index of a lane, modulo 2^32. */
export const indexIn = (w: Wave, index: Index, lane: number): number =>
  (index.base + (index.column === undefined ? 0 : w.I[index.column + lane]!)) >>> 0

/** The word of an input register; undefined after a refusal. */
function inputValue(s: Statement, operand: number, o: Operand, component: number): Value | undefined {
  const { columns, declarations } = s.context
  const block = blockOf(columns.layout.inputs, o.type)
  if (block === undefined) {
    refuse(s, operand, `${nameOf(o)} cannot be read: the ${declarations.stage.kind} shader does not declare it`)
    return undefined
  }
  const place = placeOf(s, operand, o, block)
  if (place === undefined) return undefined
  const { vertex, register } = place
  const { width } = columns
  if (vertex.column === undefined && register.column === undefined) {
    const slot = slotOf(block, vertex.base, register.base, component)
    if (slot >= 0) return s.recorder.column(columns.inputs + slot * width)
    refuse(s, operand, `${nameOf(o)}${register.base} is not declared`)
    return undefined
  }
  const site = siteOf(s, operand, 'load', 'other')
  const key = `in ${o.type} ${vertex.base} ${vertex.column} ${register.base} ${register.column} ${component}`
  const known = s.gathered.get(key)
  if (known !== undefined) return known
  const scratch = s.recorder.scratch()
  s.before.push((w) => {
    for (let k = 0; k < w.activeCount; k++) {
      const l = w.lanes[k]!
      const v = indexIn(w, vertex, l)
      const r = indexIn(w, register, l)
      const slot = slotOf(block, v, r, component)
      w.I[scratch + l] = slot < 0 ? undefinedWord(w) : w.I[columns.inputs + slot * width + l]!
      if (slot < 0) reportOutside(w, site, block, l, v, r)
    }
  })
  const value = s.recorder.column(scratch)
  s.gathered.set(key, value)
  return value
}

/** Reports an index of an input register that its declaration does not have. */
export function reportOutside(
  w: Wave,
  site: Parameters<typeof report>[1],
  block: RegisterBlock,
  lane: number,
  vertex: number,
  register: number,
): void {
  const outside = vertex >= block.vertexCount
  const limit = outside ? block.vertexCount : block.firstRegister + block.registerCount
  report(w, site, lane, { reason: 'register-bounds', address: outside ? vertex : register, limit, defined: false })
}

/** The word of a register or immediate operand at a position of its swizzle, without modifiers. */
function registerValue(s: Statement, operand: number, o: Operand, position: number): Value | undefined {
  const { columns } = s.context
  const component = componentAt(o, position)
  const input = (first: number, components: number): Value =>
    component < components
      ? s.recorder.column(first + component * columns.width)
      : s.recorder.column(constantColumn(columns, 0))
  switch (o.type) {
    case FILE.temp:
      return tempValue(s, operand, o, component)
    case FILE['indexable-temp']:
      return indexableTempValue(s, operand, o, component)
    case FILE.immediate32:
    case FILE.immediate64:
      return s.recorder.ops.constant(immediateWord(o, position))
    case FILE['constant-buffer']:
      return constantBufferValue(s, operand, o, component)
    case FILE['immediate-constant-buffer']:
      return immediateConstantValue(s, operand, o, component)
    case FILE['thread-id']:
      return input(columns.threadId, 3)
    case FILE['thread-group-id']:
      return input(columns.groupId, 3)
    case FILE['thread-id-in-group']:
      return input(columns.threadIdInGroup, 3)
    case FILE['thread-id-in-group-flattened']:
      return input(columns.flattened, 1)
    case FILE['this-pointer']:
      return thisValue(s, operand, o, component)
    case FILE['cycle-counter']:
      return cycleCounterValue(s, component)
    case FILE.null:
      // A source that may be left out (the LOD clamp of `_cl`, 22.4.15) then says nothing, as 0 does.
      if (s.row.operands[operand]?.nullable === true && o === s.instruction.operands[operand]) {
        return s.recorder.ops.constant(0)
      }
      refuse(s, operand, 'null has no value here')
      return undefined
    default:
      return inputValue(s, operand, o, component)
  }
}

/** Source operand `operand` at a position of its swizzle, modifiers applied as its slot's type asks. */
export function sourceValue(s: Statement, operand: number, position: number): Value | undefined {
  const o = s.instruction.operands[operand]!
  const value = registerValue(s, operand, o, position)
  if (value === undefined) return value
  return modifiedWord(s.recorder.ops, s.row.operands[operand]!.type, o.modifier, position, value)
}
