import { DIMENSION_NUMBER, FILE } from '../../isa/index.ts'
import type { Instruction, Operand } from '../../program/index.ts'
import { type Declarations, hasRanges, type RegisterRange, type ResourceDeclaration } from '../declarations.ts'
import { type BindingUse, EVERY_REGISTER, type ReportDetails, type Value } from '../ir/index.ts'
import { indexValue } from './operand.ts'
import type { Translator } from './translate.ts'
import { Unsupported } from './unsupported.ts'

/**
 * Registers that are computed: `T0[r0.x + 4]` of Shader Model 5.1, and `t[r0.z]` of interfaces. An instruction on one
 * becomes a chain of ifs over the registers of its range that something is bound to, the same instruction in each arm on
 * a register that is known: what code is made of (format, stride, sampler state) holds arm by arm. The end of the chain
 * is for registers that nothing is bound to and for those outside of the range, which Direct3D leaves undefined.
 */

/** The files whose registers are chosen for whole instructions, by the letter of their bindings. */
const REGISTERS: Readonly<Record<number, BindingUse['register']>> = {
  [FILE.resource]: 't',
  [FILE.uav]: 'u',
  [FILE.sampler]: 's',
}

/** Arms that a program may have; beyond, its code would be larger than it is worth. */
const MAX_ARMS = 2048
/** Registers that are tried one after the other; more are halved first. */
const MAX_TRIED = 8

/** An operand whose register is not simply one that is declared. */
interface Choice {
  readonly operand: Operand
  readonly file: BindingUse['register']
  readonly register: Value
  /** The declared range, or what stands for it where any register may be named. */
  readonly range: RegisterRange
}

export function rangesOf(d: Declarations, file: BindingUse['register']): readonly RegisterRange[] {
  switch (file) {
    case 't':
      return d.resources
    case 'u':
      return d.uavs
    case 'b':
      return d.constantBuffers
    case 's':
      return d.samplers
    default:
      return file satisfies never
  }
}

/** The range that an operand names. A register that Shader Model 5.0 computes comes from a this pointer: any may be meant. */
export function rangeOf(t: Translator, operand: Operand, file: BindingUse['register']): RegisterRange {
  const id = operand.indices[0]
  if (id?.kind !== 'immediate') return EVERY_REGISTER
  const range = rangesOf(t.declarations, file).find((r) => r.id === id.value)
  if (range === undefined) throw new Unsupported(`register ${id.value} of file ${operand.type} is not declared`, 0)
  return range
}

/** The index of an operand that is its register. */
export function registerIndex(t: Translator, operand: Operand): Value | undefined {
  const index = operand.indices[hasRanges(t.declarations.program) ? 1 : 0]
  return index === undefined ? undefined : indexValue(t, index)
}

/** An interface's texture has no declaration: the instruction says of what kind it is (22.7.20). */
function withDimension(range: RegisterRange, instruction: Instruction): RegisterRange {
  if (range !== EVERY_REGISTER) return range
  const extended = instruction.extended.find((e) => e.kind === 'resource-dimension')
  const dimension = extended?.kind === 'resource-dimension' ? extended.dimension : DIMENSION_NUMBER.texture2d
  const declared: ResourceDeclaration = {
    ...range,
    shape: 'typed',
    dimension,
    returnTypes: 0,
    stride: 0,
    sampleCount: 0,
  }
  return declared
}

function choiceOf(t: Translator, instruction: Instruction, operand: Operand): Choice | undefined {
  const file = REGISTERS[operand.type]
  const register = file === undefined ? undefined : registerIndex(t, operand)
  if (file === undefined || register === undefined) return undefined
  const range = rangeOf(t, operand, file)
  if (operand.indices.every((i) => i.kind === 'immediate') && isKnown(register, range)) return undefined
  return { operand, file, register, range: file === 's' ? range : withDimension(range, instruction) }
}

/** A register whose number is a constant that the range holds. */
export const isKnown = (register: Value, range: RegisterRange): boolean =>
  register.op === 'constant' && register.imm >= range.first && register.imm <= range.last

/** All ones where a register is none of the range; undefined where that cannot be. */
export function outsideOf(t: Translator, register: Value, range: RegisterRange): Value | undefined {
  const o = t.builder
  const below = range.first > 0 ? o.u32Less(register, o.constant(range.first)) : undefined
  const above = range.last < 0xffffffff ? o.u32Less(o.constant(range.last), register) : undefined
  return below !== undefined && above !== undefined ? o.or(below, above) : (below ?? above)
}

/** Leaves a finding where a register is outside of its range. */
export function reportOutside(
  t: Translator,
  operand: Operand,
  register: Value,
  range: RegisterRange,
  details: ReportDetails = {},
): void {
  const bad = outsideOf(t, register, range)
  if (bad === undefined || (bad.op === 'constant' && bad.imm === 0)) return
  const limit = t.builder.constant(range.last)
  t.report(operand, { reason: 'range-bounds', defined: false, bad, address: register, limit }, details)
}

/** The arms of a choice: `hit` for each register that something is bound to, `miss` for all others. */
function chain(
  t: Translator,
  register: Value,
  bound: readonly number[],
  hit: (slot: number) => void,
  miss: () => void,
): void {
  const o = t.builder
  const [slot] = bound
  if (slot === undefined) {
    miss()
    return
  }
  if (++t.arms > MAX_ARMS) throw new Unsupported('registers are computed among too many that are bound', 0)
  if (bound.length > MAX_TRIED) {
    const middle = bound.length >> 1
    t.choose(
      o.u32Less(register, o.constant(bound[middle]!)),
      () => chain(t, register, bound.slice(0, middle), hit, miss),
      () => chain(t, register, bound.slice(middle), hit, miss),
    )
    return
  }
  t.choose(
    o.i32Equal(register, o.constant(slot)),
    () => hit(slot),
    () => chain(t, register, bound.slice(1), hit, miss),
  )
}

/** Where no binding is meant, an instruction runs on one that nothing is ever bound to. */
function chooseNothing(t: Translator, choices: readonly Choice[], emit: () => void): void {
  for (const { operand, file, range } of choices) t.chosen.set(operand, t.bindings.nothing(file, range))
  emit()
  for (const { operand } of choices) t.chosen.delete(operand)
}

function choose(t: Translator, choices: readonly Choice[], emit: () => void): void {
  const [choice, ...others] = choices
  if (choice === undefined) {
    emit()
    return
  }
  const { operand, file, register, range } = choice
  const hit = (slot: number): void => {
    t.chosen.set(operand, t.bindings.register(file, slot, range))
    choose(t, others, emit)
    t.chosen.delete(operand)
  }
  const miss = (): void => {
    reportOutside(t, resourceOf(t, operand), register, range)
    // A texture that is not there is not sampled, so that nobody asks for its sampler.
    chooseNothing(t, file === 's' ? [choice] : choices, emit)
  }
  if (isKnown(register, range)) hit(register.imm)
  else chain(t, register, t.boundRegisters(file, range), hit, miss)
}

/** Findings about a sampler are told of the resource that it samples. */
function resourceOf(t: Translator, operand: Operand): Operand {
  if (operand.type !== FILE.sampler) return operand
  return t.instruction?.operands.find((x) => x.type === FILE.resource) ?? operand
}

/** A texture whose register is no choice, and nothing is bound to it. */
function isAbsent(t: Translator, instruction: Instruction, choices: readonly Choice[]): boolean {
  const operand = instruction.operands.find((x) => x.type === FILE.resource)
  if (operand === undefined || choices.some((c) => c.operand === operand)) return false
  const register = registerIndex(t, operand)
  const bound = t.boundRegisters('t', rangeOf(t, operand, 't'))
  return register?.op === 'constant' && !bound.includes(register.imm)
}

/** Emits an instruction once for each choice of the registers that it computes. */
export function withRegisters(t: Translator, instruction: Instruction, emit: () => void): void {
  const found = instruction.operands.map((operand) => choiceOf(t, instruction, operand))
  const choices = found.filter((c) => c !== undefined)
  // Whose bindings matter is asked before they are known, when no arm of a texture has come to its sampler yet.
  for (const c of choices) if (!isKnown(c.register, c.range)) t.boundRegisters(c.file, c.range)
  const samplers = choices.filter((c) => c.file === 's')
  const others = choices.filter((c) => c.file !== 's')
  // What is not there is not sampled, so that nobody asks for its sampler.
  if (samplers.length > 0 && isAbsent(t, instruction, others)) chooseNothing(t, samplers, emit)
  else choose(t, [...others, ...samplers], emit)
}
