import { FILE } from '../../isa/index.ts'
import { componentAt, type Operand, type OperandIndex, writeMask } from '../../program/index.ts'
import type { RegisterRange } from '../declarations.ts'
import { hasRanges, threadCountOf, threadsOf } from '../declarations.ts'
import { always, indexCheck, MAX_CONSTANTS, type ReportDetails, type Value, viewProperty } from '../ir/index.ts'
import type { Node } from './blocks.ts'
import { isKnown, outsideOf, rangeOf, reportOutside } from './register-ranges.ts'
import { isOutputFile, outputVariable, outputWriter, readInput } from './stage-registers.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Operands as values and as places to write; every file that translates instructions reads through this. */

const immediate = (index: OperandIndex | undefined): number | undefined =>
  index?.kind === 'immediate' ? index.value : undefined

/** The number that an index stands for. */
export function indexValue(t: Translation, index: OperandIndex): Value {
  const o = t.builder
  switch (index.kind) {
    case 'immediate':
      return o.constant(index.value)
    case 'relative':
      return readWord(t, index.register, 0)
    case 'relative-plus':
      return o.i32Add(readWord(t, index.register, 0), o.constant(index.offset))
    case 'immediate64':
      return o.constant(index.low)
    case 'relative-plus64':
      return o.i32Add(readWord(t, index.register, 0), o.constant(index.low))
    default:
      return index satisfies never
  }
}

/** The index of an operand that is its register. */
export function registerIndex(t: Translation, operand: Operand): Value | undefined {
  const index = operand.indices[hasRanges(t.declarations.program) ? 1 : 0]
  return index === undefined ? undefined : indexValue(t, index)
}

/** Leaves a finding where an index into x# lies past its declaration. */
function reportPrivate(t: Translation, operand: Operand, index: Value, details: ReportDetails): void {
  const register = immediate(operand.indices[0])
  const declared = t.indexableTemps.find((x) => x.register === register)
  if (declared === undefined) throw new Unsupported(`x${register} is not declared`, 0)
  const o = t.builder
  t.report(operand, indexCheck(o, 'indexable-temp-bounds', false, index, o.constant(declared.count)), details)
}

/** Private loads of indices that are computed; constants go through variables. */
function readPrivate(t: Translation, register: number, index: Value, component: number): Value {
  const array = t.privateArrays.findIndex((p) => p.register === register)
  if (array < 0) throw new Unsupported(`x${register} is not declared`, 0)
  const results = [t.builder.result(0)]
  t.builder.push({ kind: 'private-load', array, index, component, results })
  return results[0]!
}

/** The variable of a register component; undefined where the register is not declared. */
function variableOf(t: Translation, operand: Operand, component: number): number | undefined {
  if (isOutputFile(t, operand.type)) return outputVariable(t, operand, component)
  if (operand.type === FILE.temp) {
    const register = immediate(operand.indices[0])
    return register === undefined || register >= t.declarations.tempCount ? undefined : register * 4 + component
  }
  const register = immediate(operand.indices[0])
  const element = immediate(operand.indices[1])
  const base = register === undefined ? undefined : t.promoted.get(register)
  if (base === undefined || element === undefined) return undefined
  const count = t.indexableTemps.find((x) => x.register === register)!.count
  return element < count ? (base + element) * 4 + component : undefined
}

/** Leaves a finding where the index of the lanes `among` lies past the bound size of a constant buffer, or nothing is bound. */
function reportConstants(
  t: Translation,
  operand: Operand,
  binding: number,
  index: Value,
  component: number,
  among: Value,
): void {
  const o = t.builder
  const limit = viewProperty(o, binding, 'elementCount')
  const unbound = { binding, address: t.bindings.uses[binding]!.slot }
  const check = indexCheck(o, 'constant-buffer-bounds', true, index, limit)
  t.report(operand, { ...check, bad: o.and(check.bad, among) }, { component, unbound })
}

/** A word of one constant buffer. */
function constantOfBuffer(t: Translation, binding: number, index: Value, component: number): Value {
  t.bindings.need(binding, index.op === 'constant' ? index.imm + 1 : undefined)
  if (index.op === 'constant' && index.imm >= MAX_CONSTANTS) return t.builder.constant(0)
  return t.builder.make('constantBuffer', [index], binding * 4 + component)
}

/** `cb#[n]`, `CB#[register][n]` of Shader Model 5.1, and `cb[r0.x][n]` with a register from a this pointer (22.7.20). */
function readConstantBuffer(t: Translation, operand: Operand, component: number): Value {
  const register = registerIndex(t, operand)
  const index = indexValue(t, operand.indices[operand.indices.length - 1]!)
  const range = rangeOf(t, operand, 'b')
  if (register === undefined) throw new Unsupported('the constant buffer has no register', 0)
  if (!isKnown(register, range)) return readComputedBuffer(t, operand, register, range, index, component)
  const binding = t.bindings.register('b', register.imm, range)
  // Constants that are named by number are 0 past the bound size (7.5), and no diagnostic is reported.
  const isComputed = operand.indices.some((i) => i.kind !== 'immediate')
  if (isComputed) reportConstants(t, operand, binding, index, component, always(t.builder))
  return constantOfBuffer(t, binding, index, component)
}

/** The constant of the buffer that a computed register names, among those that are bound; all others read 0. */
function readComputedBuffer(
  t: Translation,
  operand: Operand,
  register: Value,
  range: RegisterRange,
  index: Value,
  component: number,
): Value {
  const o = t.builder
  reportOutside(t, operand, register, range, { component })
  let [word, nowhere] = [o.constant(0), always(o)]
  for (const slot of t.boundRegisters('b', range)) {
    const isChosen = o.i32Equal(register, o.constant(slot))
    const binding = t.bindings.register('b', slot, range)
    reportConstants(t, operand, binding, index, component, isChosen)
    word = o.select(isChosen, constantOfBuffer(t, binding, index, component), word)
    nowhere = o.and(nowhere, o.not(isChosen))
  }
  const outside = outsideOf(t, register, range)
  const bad = outside === undefined ? nowhere : o.and(nowhere, o.not(outside))
  t.report(operand, { reason: 'unbound', defined: true, bad, address: register, limit: o.constant(0) }, { component })
  return word
}

/** this[#]: constant buffer, offset, texture and sampler of a class instance. */
function readThis(t: Translation, operand: Operand, component: number): Value {
  const o = t.builder
  const [first] = operand.indices
  const index = indexValue(t, first!)
  if (first!.kind !== 'immediate') {
    const count = o.constant(t.classes.pointerCount)
    t.report(operand, indexCheck(o, 'this-bounds', false, index, count), { component })
  }
  let word = o.constant(0)
  for (const [pointer, i] of t.classes.instances) {
    const words = [i.constantBuffer ?? 0, i.constantOffset ?? 0, i.texture ?? 0, i.sampler ?? 0]
    word = o.select(o.i32Equal(index, o.constant(pointer)), o.constant(words[component]!), word)
  }
  return word
}

function readImmediateConstants(t: Translation, operand: Operand, component: number): Value {
  const o = t.builder
  const words = t.declarations.immediateConstants
  const index = indexValue(t, operand.indices[0]!)
  const count = o.constant(words.length >> 2)
  t.report(operand, indexCheck(o, 'immediate-constant-bounds', true, index, count), { component })
  if (index.op !== 'constant') return o.make('immediateConstant', [index], component)
  return o.constant(index.imm * 4 + component < words.length ? words[index.imm * 4 + component]! : 0)
}

function readLiteral(t: Translation, operand: Operand, component: number): Value {
  const { values } = operand
  const wide = operand.type === FILE.immediate64
  // A 64-bit immediate of one component is one double: its two words serve every pair.
  const at = values.length === 1 ? 0 : wide && values.length === 2 ? component & 1 : component
  return t.builder.constant(values[at] ?? 0)
}

function threadNumber(t: Translation, component: number): Value {
  const o = t.builder
  const size = threadsOf(t.declarations)[component] ?? 1
  if (component > 2) return o.constant(0)
  const inGroup = threadInGroup(t, component)
  return o.i32Add(o.i32Mul(o.make('groupId', [], component), o.constant(size)), inGroup)
}

function threadInGroup(t: Translation, component: number): Value {
  if (component > 2 || threadsOf(t.declarations)[component] === 1) return t.builder.constant(0)
  return t.builder.make('threadInGroup', [], component)
}

/** The word of a register component, before modifiers. */
function readRegister(t: Translation, operand: Operand, component: number): Value {
  const o = t.builder
  switch (operand.type) {
    case FILE.temp:
    case FILE['indexable-temp']: {
      const variable = variableOf(t, operand, component)
      if (variable !== undefined) return t.variables[variable]!
      const register = immediate(operand.indices[0])
      if (operand.type === FILE.temp || register === undefined) throw new Unsupported('r# is not declared', 0)
      const index = indexValue(t, operand.indices[1]!)
      reportPrivate(t, operand, index, { component })
      return t.promoted.has(register) ? o.constant(0) : readPrivate(t, register, index, component)
    }
    case FILE.immediate32:
    case FILE.immediate64:
      return readLiteral(t, operand, component)
    case FILE['constant-buffer']:
      return readConstantBuffer(t, operand, component)
    case FILE['this-pointer']:
      return readThis(t, operand, component)
    case FILE['immediate-constant-buffer']:
      return readImmediateConstants(t, operand, component)
    case FILE['thread-id']:
      return threadNumber(t, component)
    case FILE['thread-group-id']:
      return component > 2 ? o.constant(0) : o.make('groupId', [], component)
    case FILE['thread-id-in-group']:
      return threadInGroup(t, component)
    case FILE['thread-id-in-group-flattened']:
      return threadCountOf(t.declarations) === 1 ? o.constant(0) : o.make('threadInGroup', [], 3)
    case FILE.null:
      // A source that may be left out (the LOD clamp of `_cl`, 22.4.15) then says nothing, as 0 does.
      return o.constant(0)
    default:
      return readInput(t, operand, component, indexValue)
  }
}

/** The word of a source at a place of its swizzle, before modifiers. */
export function readWord(t: Translation, operand: Operand, place: number): Value {
  // Literals are written in the order in which they are read.
  if (operand.type === FILE.immediate32 || operand.type === FILE.immediate64) return readLiteral(t, operand, place)
  return readRegister(t, operand, componentAt(operand, place))
}

/** What assigns one component of a destination; its index is read now, before any result is written. */
export function writerOf(t: Translation, operand: Operand, component: number): (value: Value) => void {
  const variable = variableOf(t, operand, component)
  if (variable !== undefined) {
    return (value) => {
      t.variables[variable] = value
    }
  }
  const toMemory = outputWriter(t, operand, component, indexValue)
  if (toMemory !== undefined) return toMemory
  const register = immediate(operand.indices[0])
  if (operand.type !== FILE['indexable-temp'] || register === undefined) {
    throw new Unsupported('the destination is not declared', 0)
  }
  const array = t.privateArrays.findIndex((p) => p.register === register)
  const index = indexValue(t, operand.indices[1]!)
  reportPrivate(t, operand, index, { access: 'store' })
  if (array < 0) return () => {}
  return (value) => t.builder.push({ kind: 'private-store', array, index, component, value })
}

function addDynamicArrays(o: Operand, found: number[]): void {
  if (o.type === FILE['indexable-temp'] && immediate(o.indices[1]) === undefined) {
    const register = immediate(o.indices[0])
    if (register !== undefined) found.push(register)
  }
  for (let n = 0; n < o.indices.length; n++) {
    const index = o.indices[n]!
    if ('register' in index) addDynamicArrays(index.register, found)
  }
}

/** What the registers of operands are used for, found before translation. */
export const registerOf = {
  /** x# registers with an index that is computed, in an operand or in its indices. */
  dynamicArrays(operand: Operand): number[] {
    const found: number[] = []
    addDynamicArrays(operand, found)
    return found
  },

  /** Variables that an instruction writes. */
  assigned(t: Translation, node: Extract<Node, { kind: 'op' }>): number[] {
    const found: number[] = []
    node.row.operands.forEach((slot, n) => {
      if (slot.role !== 'dest') return
      const operand = node.instruction.operands[n]
      if (operand === undefined || operand.type === FILE.null) return
      const mask = writeMask(operand)
      for (let c = 0; c < 4; c++) {
        const variable = (mask >> c) & 1 ? variableOf(t, operand, c) : undefined
        if (variable !== undefined) found.push(variable)
      }
    })
    return found
  },
}
