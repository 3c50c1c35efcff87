import { DIMENSION_NUMBER, FILE } from '../../isa/index.ts'
import type { Instruction, Operand } from '../../program/index.ts'
import type { RegisterRange, ResourceDeclaration } from '../declarations.ts'
import { type BindingUse, EVERY_REGISTER, type Value } from '../ir/index.ts'
import { registerIndex } from './operand.ts'
import { isKnown, rangeOf, reportOutside } from './register-ranges.ts'
import type { Translation } from './translation.ts'
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

function choiceOf(t: Translation, instruction: Instruction, operand: Operand): Choice | undefined {
  const file = REGISTERS[operand.type]
  const register = file === undefined ? undefined : registerIndex(t, operand)
  if (file === undefined || register === undefined) return undefined
  const range = rangeOf(t, operand, file)
  if (operand.indices.every((i) => i.kind === 'immediate') && isKnown(register, range)) return undefined
  return { operand, file, register, range: file === 's' ? range : withDimension(range, instruction) }
}

/** The arms of a choice: `hit` for each register that something is bound to, `miss` for all others. */
function chain(
  t: Translation,
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
function withUnbound(t: Translation, choices: readonly Choice[], emit: () => void): void {
  for (const { operand, file, range } of choices) t.candidates.set(operand, t.bindings.nothing(file, range))
  emit()
  for (const { operand } of choices) t.candidates.delete(operand)
}

function choose(t: Translation, choices: readonly Choice[], emit: () => void): void {
  const [choice, ...others] = choices
  if (choice === undefined) {
    emit()
    return
  }
  const { operand, file, register, range } = choice
  const hit = (slot: number): void => {
    t.candidates.set(operand, t.bindings.register(file, slot, range))
    choose(t, others, emit)
    t.candidates.delete(operand)
  }
  const miss = (): void => {
    reportOutside(t, resourceOf(t, operand), register, range)
    // A texture that is not bound is not sampled, so its sampler does not matter.
    withUnbound(t, file === 's' ? [choice] : choices, emit)
  }
  const isAbsentTexture =
    file === 't' && others.some((c) => c.file === 's') && isKnown(register, range) && !isBound(t, choice)
  if (isAbsentTexture) withUnbound(t, choices, emit)
  else if (isKnown(register, range)) hit(register.imm)
  else chain(t, register, t.boundRegisters(file, range), hit, miss)
}

/** Whether something is bound to a register that is known. */
const isBound = (t: Translation, { file, register, range }: Choice): boolean =>
  t.boundRegisters(file, range).includes(register.imm)

/** Findings about a sampler name the resource that it samples. */
function resourceOf(t: Translation, operand: Operand): Operand {
  if (operand.type !== FILE.sampler) return operand
  return t.instruction?.operands.find((x) => x.type === FILE.resource) ?? operand
}

/** A texture whose register is no choice, and nothing is bound to it. */
function isAbsent(t: Translation, instruction: Instruction, choices: readonly Choice[]): boolean {
  const operand = instruction.operands.find((x) => x.type === FILE.resource)
  if (operand === undefined || choices.some((c) => c.operand === operand)) return false
  const register = registerIndex(t, operand)
  const bound = t.boundRegisters('t', rangeOf(t, operand, 't'))
  return register?.op === 'constant' && !bound.includes(register.imm)
}

/** Emits an instruction once for each choice of the registers that it computes. */
export function forEachCandidate(t: Translation, instruction: Instruction, emit: () => void): void {
  const choices: Choice[] = []
  for (let n = 0; n < instruction.operands.length; n++) {
    const choice = choiceOf(t, instruction, instruction.operands[n]!)
    if (choice !== undefined) choices.push(choice)
  }
  if (choices.length === 0) {
    emit()
    return
  }
  // Which bindings matter is looked up before they have been found, when no arm of a texture has come to its sampler yet.
  for (const c of choices) if (!isKnown(c.register, c.range)) t.boundRegisters(c.file, c.range)
  const samplers = choices.filter((c) => c.file === 's')
  const others = choices.filter((c) => c.file !== 's')
  // What is not bound is not sampled, so its sampler does not matter.
  if (samplers.length > 0 && isAbsent(t, instruction, others)) withUnbound(t, samplers, emit)
  else choose(t, [...others, ...samplers], emit)
}
