import { appendAll } from '../../diagnostic/index.ts'
import type { Instruction, Operand } from '../../program/index.ts'
import type { ClassBinding } from '../class-instances.ts'
import type { Declarations, IndexableTempDeclaration, RegisterRange } from '../declarations.ts'
import {
  always,
  BindingTable,
  type BindingUse,
  type BoundRegisters,
  Builder,
  type BuilderOptions,
  type Check,
  type IfMerge,
  type Label,
  type LoopPhi,
  type NeighborRead,
  type ReportDetails,
  Reports,
  rangeName,
  type Value,
} from '../ir/index.ts'
import { type Parts, runPartsAtOnce } from '../next-task.ts'
import { accessTo } from './access.ts'
import { arraysOfEntry, indexedArrays } from './arrays.ts'
import { AssignedVariables } from './assigned-variables.ts'
import type { Node, Structure, SwitchCase, Test } from './blocks.ts'
import { caseTests, inOnePart, noParts, type Side, type Target } from './flow.ts'
import { bodiesOf, reportInterface } from './interfaces.ts'
import { fallThrough, hasBreak, hasContinue, hasReturn } from './nested-flow.ts'
import { indexValue, readWord } from './operand.ts'
import { emitOperation } from './operation.ts'
import { registerText } from './register-text.ts'
import { anyStoresInQuad } from './stage-effects.ts'
import { firstEffects, firstOutputs, stageRegisters, storeOutputs } from './stage-registers.ts'
import type { Specialization, StageRegisters, Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Translates the nested flow of a program to regions and merges; engines call `translate`. */

/** Nodes behind which a host may do other things. */
const NODES_OF_A_PART = 8

const NO_CLASSES: ClassBinding = { instances: new Map(), pointerCount: 0 }

/** Calls may nest this deep (functional specification 7.12); a call beyond is skipped. */
const MAX_CALL_DEPTH = 32
/** Instructions after inlining; a program of calls in calls could otherwise grow without bounds. */
const MAX_INLINED = 200_000

/** Builds values from nested nodes: a store of current values of variables, merged where flow joins. */
export class Translator implements Translation {
  readonly declarations: Declarations
  readonly builder: Builder
  readonly bindings: BindingTable
  readonly structure: Structure
  /** What interface pointers point to. */
  readonly classes: ClassBinding
  readonly stage: StageRegisters | undefined
  /** Current values of temp components (r#, then x# that are only indexed by constants), at register * 4 + component. */
  variables: Value[]
  /** Register number of x#'s first element among the variables; absent for arrays in memory. */
  readonly promoted = new Map<number, number>()
  readonly indexableTemps: readonly IndexableTempDeclaration[]
  readonly privateArrays: readonly { readonly register: number; readonly count: number }[]
  /** The instruction being translated. */
  instruction: Instruction | undefined
  #statement = 0
  /** Bindings of the operands whose registers are computed, in the arm being translated. */
  readonly candidates = new Map<Operand, number>()
  /** Arms that choices of registers have made. */
  arms = 0
  readonly neighborReads: NeighborRead[] = []
  /** Findings of the current instruction. */
  readonly reported = new Reports()
  readonly #bound: BoundRegisters
  /** The current flow has ended: what follows in the region cannot be reached. */
  ended = false
  #breakTarget: Target | undefined
  #continueTarget: Target | undefined
  #returnTarget: Target | undefined
  /** Where quads continue whose four pixels have all been discarded, and geometry shaders that emit more than they declare. */
  #programTarget: Target | undefined
  #labels = 0
  #depth = 0
  #inlined = 0
  /** Statements that are executed at least, from the start of the iteration of the loop around it. */
  #cost = 0
  readonly #assigned: AssignedVariables

  constructor(
    declarations: Declarations,
    structure: Structure,
    options: BuilderOptions,
    specialization: Specialization,
  ) {
    this.declarations = declarations
    this.classes = specialization.classes ?? NO_CLASSES
    this.#bound = specialization.bound ?? new Map()
    this.structure = structure
    this.builder = new Builder(options)
    this.bindings = new BindingTable(declarations)
    const zero = this.builder.constant(0)
    this.indexableTemps = arraysOfEntry(declarations, specialization.entry ?? 0)
    this.privateArrays = indexedArrays(structure, this.indexableTemps)
    let registers = declarations.tempCount
    for (const x of this.indexableTemps) {
      if (this.privateArrays.some((p) => p.register === x.register)) continue
      this.promoted.set(x.register, registers)
      registers += x.count
    }
    this.variables = new Array<Value>(registers * 4).fill(zero)
    this.stage = stageRegisters(declarations, structure, specialization.entry ?? 0, registers * 4)
    this.#assigned = new AssignedVariables(this, structure)
  }

  #label(loop: boolean, wholeQuads: boolean): Label {
    return { id: this.#labels++, loop, phis: [], ...(wholeQuads ? { wholeQuads } : {}) }
  }

  /** All ones where a test holds. */
  #condition(test: Test): Value {
    const o = this.builder
    const word = readWord(this, test.operand, 0)
    const zero = o.i32Equal(word, o.constant(0))
    return test.nonZero ? o.not(zero) : zero
  }

  /** Nodes one behind the other; a host may do other things behind some of them. */
  *run(nodes: readonly Node[]): Parts {
    for (const node of nodes) {
      if (this.ended) return
      yield* this.#node(node)
      if (this.#inlined % NODES_OF_A_PART === 0) yield
    }
  }

  /** What is translated from here on is of a statement. */
  #begin(statement: number): void {
    const s = this.declarations.program.statements[statement]
    this.#statement = statement
    this.builder.statement = statement
    this.instruction = s?.kind === 'instruction' ? s : undefined
    this.reported.clear()
  }

  *#node(node: Node): Parts {
    if (++this.#inlined > MAX_INLINED) {
      throw new Unsupported('the program is too long with its calls expanded', node.statement)
    }
    this.#cost++
    this.#begin(node.statement)
    switch (node.kind) {
      case 'op':
        emitOperation(this, node)
        return
      case 'if':
        yield* this.#ifInParts(
          this.#condition(node.test),
          () => this.run(node.taken),
          () => this.run(node.otherwise),
        )
        return
      case 'loop':
        yield* this.#loop(node)
        return
      case 'switch':
        yield* this.#switch(readWord(this, node.selector, 0), node.cases)
        return
      case 'break':
        this.#leave(this.#breakTarget, node.test)
        return
      case 'continue':
        this.#leave(this.#continueTarget, node.test)
        return
      case 'ret':
        this.#leave(this.#returnTarget, node.test)
        return
      case 'discard':
        this.#discard(node.test)
        return
      case 'call':
        yield* this.#call(node.label, node.test, node.statement)
        return
      case 'fcall':
        yield* this.#interfaceCall(node.instruction, node.statement)
        return
      default:
        node satisfies never
        return
    }
  }

  /** Registers of a range that something is bound to, smallest first. */
  boundRegisters(register: BindingUse['register'], range: RegisterRange): readonly number[] {
    this.bindings.compute(register, range)
    return this.#bound.get(rangeName({ ...range, register })) ?? []
  }

  /** Leaves a finding about an operand of the current instruction. */
  report(operand: Operand | undefined, check: Check, details: ReportDetails = {}): void {
    const operands = this.instruction?.operands ?? []
    const at = operand === undefined ? 0 : operands.findIndex((x) => isPartOf(operand, x))
    const access = details.access ?? (operand === undefined ? 'other' : accessTo(this.instruction, operand))
    const register = operand === undefined ? '' : registerText(operand)
    const subject = { statement: this.#statement, operand: Math.max(0, at), access, register }
    this.reported.add(this.builder, subject, check, details)
  }

  /** Runs one of two bodies; an instruction may be translated several times under tests that it does not have itself. */
  choose(condition: Value, taken: () => void, otherwise: () => void): void {
    this.#if(condition, taken, otherwise)
  }

  #if(condition: Value, taken: () => void, otherwise: () => void): void {
    runPartsAtOnce(this.#ifInParts(condition, inOnePart(taken), inOnePart(otherwise)))
  }

  *#side(body: () => Parts, before: readonly Value[], cost: number): Generator<void, Side> {
    this.variables = before.slice()
    this.ended = false
    this.#cost = cost
    const region = yield* this.builder.insideInParts(false, body)
    return { region, after: this.ended ? undefined : this.variables, cost: this.#cost }
  }

  *#ifInParts(condition: Value, taken: () => Parts, otherwise: () => Parts): Parts {
    if (condition.op === 'constant') {
      yield* condition.imm !== 0 ? taken() : otherwise()
      return
    }
    const o = this.builder
    const before = this.variables
    const costBefore = this.#cost
    const a = yield* this.#side(taken, before, costBefore)
    if (a.after === undefined) {
      // What follows is the other side alone, so it needs no region of its own.
      this.variables = before
      this.ended = false
      this.#cost = costBefore
      o.push({ kind: 'if', condition, taken: a.region, otherwise: o.inside(false, () => {}), phis: [] })
      yield* otherwise()
      return
    }
    const b = yield* this.#side(otherwise, before, costBefore)
    this.ended = false
    this.#cost = b.after === undefined ? a.cost : Math.min(a.cost, b.cost)
    const phis: IfMerge[] = []
    this.variables = a.after
    if (b.after !== undefined) {
      for (let i = 0; i < a.after.length; i++) {
        const [x, y] = [a.after[i]!, b.after[i]!]
        if (x === y) continue
        const value = o.phi()
        phis.push({ value, taken: x, otherwise: y })
        this.variables[i] = value
      }
    }
    o.push({ kind: 'if', condition, taken: a.region, otherwise: b.region, phis })
  }

  #leave(target: Target | undefined, test: Test | undefined): void {
    if (target === undefined) throw new Unsupported('a jump has no target', 0)
    const jump = (): void => {
      const args = target.variables.map((v) => this.variables[v]!)
      this.builder.push({ kind: 'break', label: target.label, args })
      target.reached = true
      this.ended = true
    }
    if (test === undefined) jump()
    else this.#if(this.#condition(test), jump, () => {})
  }

  leaveProgram(): void {
    this.#leave(this.#programTarget, undefined)
  }

  /** Pixels that are discarded run on as helpers, and a quad of them ends (22.5.1). */
  #discard(test: Test | undefined): void {
    const o = this.builder
    const stores = this.stage?.effects?.stores
    if (stores === undefined || this.declarations.stage.kind !== 'pixel') {
      throw new Unsupported('discard needs a pixel shader', this.#statement)
    }
    const condition = test === undefined ? always(o) : this.#condition(test)
    this.variables[stores] = o.and(this.variables[stores]!, o.not(condition))
    this.#if(
      anyStoresInQuad(this, this.variables[stores]!),
      () => {},
      () => this.#leave(this.#programTarget, undefined),
    )
  }

  #target(loop: boolean, variables: readonly number[], wholeQuads = false): Target {
    return { label: this.#label(loop, wholeQuads), variables, reached: false }
  }

  /** After a block or loop: its merged variables become current. */
  #join(target: Target): void {
    for (const v of target.variables) {
      const value = this.builder.phi()
      target.label.phis.push(value)
      this.variables[v] = value
    }
  }

  /** A body that can be left for its end; `use` makes the target known to what is inside. */
  *#block(assigned: ReadonlySet<number>, use: (target: Target) => Parts, wholeQuads = false): Parts {
    const target = this.#target(false, [...assigned], wholeQuads)
    const body = yield* this.builder.insideInParts(false, () => use(target))
    const fallthroughArgs = this.ended ? undefined : target.variables.map((v) => this.variables[v]!)
    this.ended = fallthroughArgs === undefined && !target.reached
    this.#join(target)
    this.builder.push({ kind: 'block', label: target.label, body, fallthroughArgs })
  }

  *#loop({ body: nodes, statement }: Extract<Node, { kind: 'loop' }>): Parts {
    const o = this.builder
    const assigned = [...this.#assigned.in(nodes)]
    const target = this.#target(true, assigned)
    let headerPhis: readonly LoopPhi[] = []
    const [breakTarget, continueTarget] = [this.#breakTarget, this.#continueTarget]
    this.#breakTarget = target
    const initial = assigned.map((v) => this.variables[v]!)
    const before = this.#cost
    const inBody = function* (this: Translator): Parts {
      const values = assigned.map(() => o.phi())
      assigned.forEach((v, i) => {
        this.variables[v] = values[i]!
      })
      yield* this.#loopBody(nodes, new Set(assigned))
      headerPhis = values.map((value, i) => ({
        value,
        init: initial[i]!,
        next: this.ended ? value : this.variables[assigned[i]!]!,
      }))
    }
    const body = yield* o.insideInParts(true, () => inBody.call(this))
    this.#breakTarget = breakTarget
    this.#continueTarget = continueTarget
    this.ended = !target.reached
    this.#join(target)
    // The end of the loop is a statement too. A loop that is left at once costs nothing: each iteration is counted as it begins.
    const cost = this.#cost - before + 1
    this.#cost = before
    o.push({ kind: 'loop', label: target.label, headerPhis, body, cost, statement })
  }

  /** A body with a continue is a block in the loop: its end is where the next iteration begins. */
  *#loopBody(nodes: readonly Node[], assigned: ReadonlySet<number>): Parts {
    if (!hasContinue(nodes)) {
      yield* this.run(nodes)
      return
    }
    yield* this.#block(assigned, (target) => {
      this.#continueTarget = target
      return this.run(nodes)
    })
  }

  /**
   * A switch is a block with a chain of ifs. Shader Model 4 lets a case with code fall into the next (5.0 does not,
   * 22.7.18): the chain then runs the next case's code as well.
   */
  *#switch(selector: Value, cases: readonly SwitchCase[]): Parts {
    const assigned = new Set(cases.flatMap((c) => [...this.#assigned.in(c.body)]))
    const bodies = cases.map((_, i) => fallThrough(cases, i))
    const breakTarget = this.#breakTarget
    const tests = caseTests(this.builder, selector, cases)
    const hasDefault = cases.some((c) => c.isDefault)
    const chain = (i: number): Parts => {
      if (i >= cases.length) return noParts()
      // With a default one of the cases is chosen: it is the last where it is none before.
      if (i === cases.length - 1 && hasDefault) return this.run(bodies[i]!)
      return this.#ifInParts(
        tests[i]!,
        () => this.run(bodies[i]!),
        () => chain(i + 1),
      )
    }
    if (bodies.every((body) => !hasBreak(body))) yield* chain(0)
    else {
      yield* this.#block(assigned, (target) => {
        this.#breakTarget = target
        return chain(0)
      })
    }
    this.#breakTarget = breakTarget
  }

  *#call(label: string, test: Test | undefined, statement: number): Parts {
    const body = this.structure.subroutines.get(label)
    if (body === undefined) throw new Unsupported('a call names a label that does not exist', statement)
    const inline = (): Parts => this.#inline(body, statement)
    yield* test === undefined ? inline() : this.#ifInParts(this.#condition(test), inline, noParts)
  }

  *#inline(body: readonly Node[], statement: number): Parts {
    if (this.#isTooDeep(statement)) return
    const [returnTarget, breakTarget, continueTarget] = [this.#returnTarget, this.#breakTarget, this.#continueTarget]
    this.#breakTarget = undefined
    this.#continueTarget = undefined
    this.#depth++
    yield* this.#body(body)
    this.#depth--
    this.#returnTarget = returnTarget
    this.#breakTarget = breakTarget
    this.#continueTarget = continueTarget
  }

  /** A call that nests too deep is skipped (22.7.10), and reported. */
  #isTooDeep(statement: number): boolean {
    if (this.#depth < MAX_CALL_DEPTH) return false
    const limit = this.builder.constant(MAX_CALL_DEPTH)
    const check = { reason: 'call-depth', defined: true, bad: always(this.builder), address: limit, limit } as const
    this.#begin(statement)
    const label = this.instruction!.operands.at(-1)!
    this.report(label, check, { access: 'other' })
    return true
  }

  /** fcall: the body of the class instance that the pointer and the index choose; a pointer to nothing calls nothing. */
  *#interfaceCall(instruction: Instruction, statement: number): Parts {
    const o = this.builder
    const operand = instruction.operands[0]!
    const first = operand.indices[0]
    if (first?.kind !== 'immediate' || operand.indices[1] === undefined) {
      throw new Unsupported('the interface pointer of a call has no number', statement)
    }
    const index = indexValue(this, operand.indices[1])
    if (this.#isTooDeep(statement)) return
    const choices = new Map<string, Value>()
    for (const [pointer, label] of bodiesOf(this.declarations, this.classes, instruction)) {
      const isThis = o.i32Equal(index, o.constant(pointer - first.value))
      const others = choices.get(label)
      choices.set(label, others === undefined ? isThis : o.or(others, isThis))
    }
    const bodies = [...choices].map(([label, chosen]) => ({ label, chosen }))
    const chosen = [...choices.values()]
    reportInterface(this, operand, first.value, index, chosen)
    const chain = (n: number): Parts => {
      const body = bodies[n]
      if (body === undefined) return noParts()
      return this.#ifInParts(
        body.chosen,
        () => this.#call(body.label, undefined, statement),
        () => chain(n + 1),
      )
    }
    yield* chain(0)
  }

  /** A subroutine or the program: a block that returns leave, without the block where the only return is the last. */
  *#body(nodes: readonly Node[]): Parts {
    const last = nodes[nodes.length - 1]
    const tail = last?.kind === 'ret' && last.test === undefined ? nodes.slice(0, -1) : nodes
    if (!hasReturn(tail)) {
      yield* this.run(tail)
      return
    }
    yield* this.#block(this.#assigned.in(nodes), (target) => {
      this.#returnTarget = target
      return this.run(tail)
    })
  }

  *main(): Parts {
    const { stage } = this
    if (stage === undefined) {
      yield* this.#body(this.structure.main)
      return
    }
    appendAll(this.variables, firstOutputs(this, stage))
    appendAll(this.variables, firstEffects(this, stage))
    const { main } = this.structure
    const { hasDiscard } = this.declarations
    if (hasDiscard || this.declarations.stage.kind === 'geometry') {
      yield* this.#block(
        this.#assigned.in(main),
        (target) => {
          this.#programTarget = target
          return this.#body(main)
        },
        hasDiscard,
      )
    } else yield* this.#body(main)
    storeOutputs(this, stage)
  }
}

/** Whether an operand is another one or stands in its indices. */
const isPartOf = (operand: Operand, whole: Operand): boolean =>
  operand === whole || whole.indices.some((index) => 'register' in index && isPartOf(operand, index.register))
