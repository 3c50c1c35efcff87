import { appendAll } from '../../../diagnostic/index.ts'
import type { Structure, Trace } from '../flow/dead-vectors.ts'
import type { HostFunction } from './host-functions.ts'
import { OP, SIMD } from './opcodes.ts'
import { ByteWriter, F32, F64, I32, I64, V128, type ValueType } from './writer.ts'

/**
 * Assembles the code of one function, with locals, blocks and a trace of who reads which local; `emit` and `flow`
 * write with it.
 */

/** An open wasm block, to branch to. */
export interface Target {
  readonly depth: number
}

/** A structure that is being emitted, and the trace that it stands in. */
interface Opened {
  readonly structure: Structure
  readonly outer: Trace
}

const EMPTY_TYPE = 0x40

/**
 * A host keeps a value for each local at every branch, and one more for each loop that a branch leaves. Shaders that fxc
 * makes have up to 200000; V8 ends the process at 16 million, and takes seconds and gigabytes before.
 */
const MAX_BRANCH_VALUES = 8_000_000
const MAX_CODE_BYTES = 2_000_000

/** Thrown where a function passes what hosts compile. */
export class FunctionTooLarge extends Error {}

/** Emits the body of one function: instructions, locals that can be given back, and structured blocks. */
export class FunctionAssembler {
  readonly code = new ByteWriter()
  readonly locals: ValueType[] = []
  /** Functions of the host that are called, by index. */
  readonly imports: HostFunction[] = []
  readonly #parameterCount: number
  readonly #free = new Map<ValueType, number[]>()
  #depth = 0
  /** Loops around and at each depth. */
  readonly #loopCounts: number[] = [0]
  #branches = 0
  /** What happens to vectors, for deadVectors, where it is traced. */
  readonly trace: Trace = []
  #trace = this.trace
  readonly #opened: Opened[] = []
  readonly #loops: (Structure | undefined)[] = []

  readonly #isTraced: boolean

  constructor(parameterCount: number, isTraced = true) {
    this.#parameterCount = parameterCount
    this.#isTraced = isTraced
  }

  local(type: ValueType): number {
    this.locals.push(type)
    return this.#parameterCount + this.locals.length - 1
  }

  /** A local for a moment; `release` gives it back. */
  temp(type: ValueType): number {
    return this.#free.get(type)?.pop() ?? this.local(type)
  }
  release(type: ValueType, ...locals: number[]): void {
    const list = this.#free.get(type)
    if (list === undefined) this.#free.set(type, [...locals])
    else appendAll(list, locals)
  }

  #touch(local: number, kind: 'get' | 'set'): void {
    if (this.locals[local - this.#parameterCount] === V128) this.#trace.push({ kind, local })
  }

  op(opcode: number): this {
    this.code.put(opcode)
    return this
  }
  simd(opcode: number): this {
    this.code.put(0xfd).unsigned(opcode)
    return this
  }
  bulk(opcode: number): this {
    this.code.put(0xfc).unsigned(opcode)
    return this
  }
  get(local: number): this {
    if (this.#isTraced) this.#touch(local, 'get')
    this.code.put(OP.localGet).unsigned(local)
    return this
  }
  set(local: number): this {
    if (this.#isTraced) this.#touch(local, 'set')
    this.code.put(OP.localSet).unsigned(local)
    return this
  }
  tee(local: number): this {
    if (this.#isTraced) this.#touch(local, 'set')
    this.code.put(OP.localTee).unsigned(local)
    return this
  }
  i32(value: number): this {
    this.code.put(OP.i32Const).signed(value)
    return this
  }
  /** A constant in five bytes whatever its value, to be written over later. */
  i32Wide(value: number): this {
    this.code.put(OP.i32Const).wide(value)
    return this
  }
  f32Bits(bits: number): this {
    this.code.put(OP.f32Const).word(bits)
    return this
  }
  f64(value: number): this {
    this.code.put(OP.f64Const).double(value)
    return this
  }
  v128(words: readonly number[]): this {
    this.simd(SIMD.const)
    for (const w of words) this.code.word(w)
    return this
  }
  /** A memory instruction; `align` is the exponent of the alignment that may be assumed. */
  memory(opcode: number, align: number, offset = 0): this {
    this.code.put(opcode).unsigned(align).unsigned(offset)
    return this
  }
  simdMemory(opcode: number, align: number, offset = 0): this {
    this.simd(opcode)
    this.code.unsigned(align).unsigned(offset)
    return this
  }
  atomic(opcode: number, offset = 0): this {
    this.code.put(0xfe).unsigned(opcode).unsigned(2).unsigned(offset)
    return this
  }
  lane(opcode: number, lane: number): this {
    this.simd(opcode)
    this.code.put(lane)
    return this
  }
  laneMemory(opcode: number, lane: number, align: number, offset = 0): this {
    this.simdMemory(opcode, align, offset)
    this.code.put(lane)
    return this
  }
  /** A shuffle of 32-bit lanes: 0 to 3 of the first operand, 4 to 7 of the second. */
  shuffle(a: number, b: number, c: number, d: number): this {
    this.simd(SIMD.shuffle)
    for (let i = 0; i < 4; i++) this.code.put(a * 4 + i)
    for (let i = 0; i < 4; i++) this.code.put(b * 4 + i)
    for (let i = 0; i < 4; i++) this.code.put(c * 4 + i)
    for (let i = 0; i < 4; i++) this.code.put(d * 4 + i)
    return this
  }
  /** The lower 16 bits of the first operand's 32-bit lanes and the upper ones of the second's. */
  blendHalves(): this {
    this.simd(SIMD.shuffle)
    for (let i = 0; i < 16; i++) this.code.byte((i & 2) === 0 ? i : 16 + i)
    return this
  }
  /** Calls a function of the host, which the module imports then: the first that is called has the index 0. */
  call(name: HostFunction): this {
    let index = this.imports.indexOf(name)
    if (index < 0) index = this.imports.push(name) - 1
    this.code.put(OP.call).unsigned(index)
    return this
  }

  /** Counts what a branch to a depth, or an opened block, costs the host's compiler. */
  #countBranch(depth: number): void {
    const left = this.#loopCounts[this.#depth]! - this.#loopCounts[depth]!
    this.#branches += 1 + left
    if (this.#branches * this.locals.length > MAX_BRANCH_VALUES)
      throw new FunctionTooLarge(`${MAX_BRANCH_VALUES} values of locals at branches`)
    if (this.code.length > MAX_CODE_BYTES) throw new FunctionTooLarge(`${MAX_CODE_BYTES} bytes of code`)
  }

  /** Opens a structure: what is emitted up to `end` is in it, and in the other arm of an if from `else` on. */
  begin(kind: Structure['kind']): Target {
    const structure: Structure = { kind, arms: [], iterationEnds: [] }
    this.#trace.push(structure)
    this.#opened.push({ structure, outer: this.#trace })
    this.code.put(OP[kind]).put(EMPTY_TYPE)
    this.#countBranch(this.#depth)
    this.#depth++
    this.#loopCounts[this.#depth] = this.#loopCounts[this.#depth - 1]! + (kind === 'loop' ? 1 : 0)
    this.#loops[this.#depth] = kind === 'loop' ? structure : undefined
    this.#beginArm(structure)
    return { depth: this.#depth }
  }
  #beginArm({ arms }: Structure): void {
    this.#trace = []
    arms.push({ trace: this.#trace, end: 0 })
  }
  else(): void {
    const { structure } = this.#opened.at(-1)!
    structure.arms.at(-1)!.end = this.code.length
    this.code.put(OP.else)
    this.#beginArm(structure)
  }
  end(): void {
    const { structure, outer } = this.#opened.pop()!
    structure.arms.at(-1)!.end = this.code.length
    this.#trace = outer
    this.#depth--
    this.code.put(OP.end)
  }
  /** `br` to the target leaves the block. */
  block(body: (end: Target) => void): void {
    body(this.begin('block'))
    this.end()
  }
  /** `br` to the target starts the next iteration. */
  loop(body: (again: Target) => void): void {
    body(this.begin('loop'))
    this.end()
  }
  /** Takes the condition from the stack. */
  if(taken: () => void, otherwise?: () => void): void {
    this.begin('if')
    taken()
    if (otherwise !== undefined) {
      this.else()
      otherwise()
    }
    this.end()
  }
  br(target: Target): this {
    this.#countBranch(target.depth)
    this.#loops[target.depth]?.iterationEnds.push(this.code.length)
    this.code.put(OP.br).unsigned(this.#depth - target.depth)
    return this
  }
  /** Takes a number from the stack and branches to the target of that number. */
  brTable(targets: readonly Target[]): this {
    for (const target of targets) this.#countBranch(target.depth)
    const last = targets.length - 1
    this.code.put(OP.brTable).unsigned(last)
    for (const target of targets) this.code.unsigned(this.#depth - target.depth)
    return this
  }
  brIf(target: Target): this {
    this.#countBranch(target.depth)
    this.#loops[target.depth]?.iterationEnds.push(this.code.length)
    this.code.put(OP.brIf).unsigned(this.#depth - target.depth)
    return this
  }
}

export { F32, F64, I32, I64, V128, type ValueType }
