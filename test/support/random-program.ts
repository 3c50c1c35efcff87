import {
  type ComponentType,
  CUSTOM_DATA,
  controlOf,
  DIMENSION,
  FILE,
  type FlowAction,
  INSTRUCTIONS,
  type InstructionRow,
  type OperandSlot,
  SATURATE,
  SYNC,
  TEST,
  withControl,
} from '../../src/isa/index.ts'
import { seedState, xorshift32 } from '../../src/machine/index.ts'
import {
  COMPONENTS_0,
  COMPONENTS_1,
  COMPONENTS_4,
  type Instruction,
  type Operand,
  type OperandIndex,
  type Program,
  SELECT_MASK,
  SELECT_ONE,
  SELECT_SWIZZLE,
  type Statement,
} from '../../src/program/index.ts'

/**
 * Random compute programs for comparing engines: every value instruction with random operands, modifiers, swizzles and
 * literals; nested divergent flow; private arrays; loads in and out of bounds; shared memory with barriers; atomics
 * whose order does not show. Free of races: a thread stores only to its own places.
 */

const TEMPS = 6
const ARRAY = 4
export const INPUT_BYTES = 1024
export const CONSTANTS = 4
/** Bytes of output a thread owns. */
export const OWN_BYTES = 64
export const ATOMIC_WORDS = 16

export class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seedState(seed)
  }
  next(): number {
    this.#state = xorshift32(this.#state)
    return this.#state
  }
  below(n: number): number {
    return Math.floor((this.next() / 2 ** 32) * n)
  }
  chance(p: number): boolean {
    return this.next() / 2 ** 32 < p
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

/** Words on which mistakes show: zeros, denormals, bounds of normals and integers, infinities, NaNs with payloads. */
export const SPECIALS: readonly number[] = [
  0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
  0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fc12345, 0xffffffff, 0x7fffffff, 2, 3, 4,
  31, 32, 33, 0x3f000000, 0x40000000, 0x3fc00000, 0x4b000000, 0x4b800001, 0x4f000000, 0x5f000000, 0x1f000000,
  0x3effffff, 0x3f7fffff, 0x34000000, 0x01000000, 0x2f800000, 0xcf000001, 0x42fe0000, 0xc2fc0001, 0x3ff00000,
]

export function specialWord(r: Random): number {
  const kind = r.below(5)
  if (kind < 2) return r.pick(SPECIALS)
  if (kind === 2) return r.next()
  if (kind === 3) return r.below(64)
  // A float of moderate size.
  return ((r.below(2) << 31) | ((112 + r.below(30)) << 23) | r.below(1 << 23)) >>> 0
}

const immediateIndex = (value: number): OperandIndex => ({ kind: 'immediate', value })

function operand(type: number, fields: Partial<Operand>): Operand {
  return {
    type,
    components: COMPONENTS_4,
    mode: SELECT_SWIZZLE,
    selection: 0xe4,
    indices: [],
    modifier: 0,
    minPrecision: 0,
    nonUniform: false,
    values: [],
    ...fields,
  }
}

const select = (type: number, indices: readonly OperandIndex[], component: number): Operand =>
  operand(type, { mode: SELECT_ONE, selection: component, indices })
const masked = (type: number, indices: readonly OperandIndex[], mask: number): Operand =>
  operand(type, { mode: SELECT_MASK, selection: mask, indices })
const literal = (...values: number[]): Operand =>
  operand(FILE.immediate32, {
    components: values.length === 1 ? COMPONENTS_1 : COMPONENTS_4,
    mode: SELECT_MASK,
    selection: 0,
    values,
  })
const nothing = (): Operand => operand(FILE.null, { components: COMPONENTS_0, mode: SELECT_MASK, selection: 0 })

const rowWhere = (test: (row: InstructionRow) => boolean): InstructionRow => INSTRUCTIONS.find(test)!
const flowRow = (action: FlowAction, conditional: boolean): InstructionRow =>
  rowWhere((x) => x.traits.kind === 'flow' && x.traits.action === action && x.traits.conditional === conditional)
const declarationRow = (declares: string): InstructionRow =>
  rowWhere((x) => x.traits.kind === 'declaration' && x.traits.declares === declares)
const accessRow = (kind: 'load' | 'store', addressing: string): InstructionRow =>
  rowWhere(
    (x) =>
      x.traits.kind === kind && x.traits.addressing === addressing && !('feedback' in x.traits && x.traits.feedback),
  )

/** Rows with a meaning of their own that compute shaders can run. */
export const VALUE_ROWS: readonly InstructionRow[] = INSTRUCTIONS.filter(
  (row) => row.traits.kind === 'alu' && row.traits.semantics !== undefined && row.stages.includes('compute'),
)

/** What a random program may hold. */
export interface RandomOptions {
  readonly statements: number
  /** Only these rows, where given. */
  readonly rows?: readonly InstructionRow[]
  readonly flow: boolean
  readonly memory: boolean
  readonly barriers: boolean
}

export interface RandomProgram {
  readonly program: Program
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
  /** Threads of all groups. */
  readonly total: number
}

const SHAPES: readonly (readonly [number, number, number])[] = [
  [64, 1, 1],
  [8, 8, 1],
  [32, 1, 1],
  [1, 1, 1],
  [5, 3, 2],
  [17, 1, 1],
  [4, 4, 4],
  [16, 2, 1],
  [3, 1, 1],
  [128, 1, 1],
]

class Generator {
  readonly r: Random
  readonly options: RandomOptions
  readonly out: Statement[] = []
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
  #left: number
  #loops = 0

  constructor(seed: number, options: RandomOptions) {
    this.r = new Random(seed)
    this.options = options
    this.#left = options.statements
    this.threads = this.r.pick(SHAPES)
    this.groups = this.r.pick([
      [1, 1, 1],
      [2, 1, 1],
      [2, 2, 1],
      [1, 1, 3],
    ] as const)
  }

  #push(row: InstructionRow, operands: readonly Operand[], controls = 0, parameters: readonly number[] = []): void {
    const i: Instruction = { kind: 'instruction', opcode: row.opcode, controls, extended: [], operands, parameters }
    this.out.push(i)
  }

  // Registers: r0 to r5 are anything; r6.x counts loops, r7 holds addresses and flat numbers.
  readonly #scratch = TEMPS
  readonly #flat = TEMPS + 1

  declare(): void {
    const [x, y, z] = this.threads
    const name = (file: number, ...indices: number[]): Operand =>
      operand(file, { components: COMPONENTS_0, mode: SELECT_MASK, selection: 0, indices: indices.map(immediateIndex) })
    const icb = Array.from({ length: CONSTANTS * 4 }, () => specialWord(this.r))
    this.out.push({ kind: 'custom-data', dataClass: CUSTOM_DATA.immediateConstantBuffer, dwords: icb })
    const cb = operand(FILE['constant-buffer'], { indices: [immediateIndex(0), immediateIndex(CONSTANTS)] })
    this.#push(declarationRow('constant-buffer'), [cb], 1 << 11)
    this.#push(declarationRow('resource-raw'), [name(FILE.resource, 0)])
    this.#push(declarationRow('resource-structured'), [name(FILE.resource, 1)], 0, [16])
    this.#push(declarationRow('uav-raw'), [name(FILE.uav, 0)])
    this.#push(declarationRow('uav-raw'), [name(FILE.uav, 1)])
    for (const file of ['thread-id', 'thread-group-id', 'thread-id-in-group'] as const) {
      this.#push(declarationRow('input'), [masked(FILE[file], [], 7)])
    }
    const flat = operand(FILE['thread-id-in-group-flattened'], { components: COMPONENTS_1, mode: 0, selection: 0 })
    this.#push(declarationRow('input'), [flat])
    this.#push(declarationRow('temps'), [], 0, [TEMPS + 2])
    this.#push(declarationRow('indexable-temp'), [], 0, [0, ARRAY, 4])
    this.#push(declarationRow('tgsm-structured'), [name(FILE.tgsm, 0)], 0, [16, x * y * z])
    this.#push(declarationRow('tgsm-raw'), [name(FILE.tgsm, 1)], 0, [ATOMIC_WORDS * 4])
    this.#push(declarationRow('thread-group'), [], 0, [x, y, z])
  }

  #temp(register: number, mask: number): Operand {
    return masked(FILE.temp, [immediateIndex(register)], mask)
  }
  #one(register: number, component: number): Operand {
    return select(FILE.temp, [immediateIndex(register)], component)
  }

  #op(mnemonicOf: (row: InstructionRow) => boolean, operands: readonly Operand[], controls = 0): void {
    this.#push(rowWhere(mnemonicOf), operands, controls)
  }
  #integer(name: string, operands: readonly Operand[]): void {
    this.#op((row) => row.mnemonic === name, operands)
  }

  /** A flat number of the thread in the whole dispatch into r7.x, and the number in its group into r7.y. */
  prologue(): void {
    const [x, y, z] = this.threads
    const count = x * y * z
    const flat = operand(FILE['thread-id-in-group-flattened'], { components: COMPONENTS_1, mode: 0, selection: 0 })
    const group = (c: number): Operand => select(FILE['thread-group-id'], [], c)
    const to = (c: number): Operand => this.#temp(this.#flat, 1 << c)
    const from = (c: number): Operand => this.#one(this.#flat, c)
    this.#integer('imad', [to(0), group(2), literal(this.groups[1]), group(1)])
    this.#integer('imad', [to(0), from(0), literal(this.groups[0]), group(0)])
    this.#integer('imad', [to(0), from(0), literal(count), flat])
    this.#integer('mov', [to(1), flat])
    for (let register = 0; register < TEMPS; register++) this.#load(register)
  }

  /** Mostly input words, so that values are not the same everywhere. */
  #load(register: number): void {
    const { r } = this
    const address = this.#one(this.#flat, 2)
    this.#integer('imad', [
      this.#temp(this.#flat, 4),
      this.#one(this.#flat, 0),
      literal(4 * (1 + r.below(7))),
      literal(4 * r.below(INPUT_BYTES / 4)),
    ])
    this.#integer('and', [this.#temp(this.#flat, 4), address, literal(INPUT_BYTES - 1)])
    const resource = operand(FILE.resource, { selection: r.below(256), indices: [immediateIndex(0)] })
    this.#push(accessRow('load', 'raw'), [this.#temp(register, 15), address, resource])
  }

  #sourceRegister(): { type: number; indices: readonly OperandIndex[] } {
    const { r } = this
    const kind = r.below(16)
    const relative = (): OperandIndex => {
      const register = this.#one(r.below(TEMPS), r.below(4))
      // The value is anything: mostly out of bounds, so half the time it is cut to the range first.
      if (r.chance(0.6)) {
        this.#integer('and', [this.#temp(this.#scratch, 8), register, literal(3)])
        return { kind: 'relative', register: this.#one(this.#scratch, 3) }
      }
      return r.chance(0.5) ? { kind: 'relative-plus', offset: r.below(4), register } : { kind: 'relative', register }
    }
    if (kind === 0) return { type: FILE['thread-id'], indices: [] }
    if (kind === 1) return { type: FILE['thread-id-in-group'], indices: [] }
    if (kind === 2 || kind === 3) {
      const index = r.chance(0.5) ? immediateIndex(r.below(CONSTANTS + 1)) : relative()
      return { type: FILE['constant-buffer'], indices: [immediateIndex(0), index] }
    }
    if (kind === 4) return { type: FILE['immediate-constant-buffer'], indices: [relative()] }
    if (kind === 5) return { type: FILE['indexable-temp'], indices: [immediateIndex(0), relative()] }
    return { type: FILE.temp, indices: [immediateIndex(r.below(TEMPS))] }
  }

  #modifier(slot: OperandSlot): number {
    if (slot.modifiers === 'none' || this.r.chance(0.6)) return 0
    return slot.modifiers === 'neg' ? 1 : 1 + this.r.below(3)
  }

  #source(slot: OperandSlot): Operand {
    const { r } = this
    const isDouble = slot.type === 'f64'
    if (r.chance(0.15)) return literal(...[0, 1, 2, 3].map(() => specialWord(r)))
    const { type, indices } = this.#sourceRegister()
    const selection = isDouble ? r.pick([0xe4, 0x44, 0x4e, 0xee]) : r.below(256)
    return operand(type, { selection, indices, modifier: this.#modifier(slot) })
  }

  #destination(slot: OperandSlot, mask: number): Operand {
    if (slot.nullable && this.r.chance(0.25)) return nothing()
    if (this.r.chance(0.08)) {
      const index: OperandIndex = this.r.chance(0.5)
        ? immediateIndex(this.r.below(ARRAY))
        : { kind: 'relative', register: this.#one(this.r.below(TEMPS), this.r.below(4)) }
      return masked(FILE['indexable-temp'], [immediateIndex(0), index], mask)
    }
    return this.#temp(this.r.below(TEMPS), mask)
  }

  #mask(type: ComponentType, lanes: string): number {
    if (type === 'f64') return this.r.pick([3, 12, 15])
    return lanes === 'pairs' ? this.r.pick([1, 2, 4, 8, 3, 5, 9, 6, 10, 12]) : 1 + this.r.below(15)
  }

  #value(): void {
    const { r } = this
    const row = r.pick(this.options.rows ?? VALUE_ROWS)
    if (row.traits.kind !== 'alu') return
    const { lanes } = row.traits
    const operands = row.operands.map((slot) =>
      slot.role === 'dest' ? this.#destination(slot, this.#mask(slot.type, lanes)) : this.#source(slot),
    )
    const saturates = row.controls.includes(SATURATE) && r.chance(0.2)
    this.#push(row, operands, saturates ? withControl(0, SATURATE, 1) : 0)
  }

  /** A load of anywhere: in bounds, past the end, misaligned; raw, structured or shared. */
  #memory(): void {
    const { r } = this
    const address = this.#one(r.below(TEMPS), r.below(4))
    const cut = (mask: number): Operand => {
      this.#integer('and', [this.#temp(this.#scratch, 4), address, literal(mask)])
      return this.#one(this.#scratch, 2)
    }
    const where = r.chance(0.6) ? cut(r.pick([INPUT_BYTES * 2 - 1, INPUT_BYTES - 4, 60])) : address
    const dest = this.#temp(r.below(TEMPS), 1 + r.below(15))
    if (r.chance(0.5)) {
      const resource = operand(FILE.resource, { selection: r.below(256), indices: [immediateIndex(0)] })
      this.#push(accessRow('load', 'raw'), [dest, where, resource])
      return
    }
    const resource = operand(FILE.resource, { selection: r.below(256), indices: [immediateIndex(1)] })
    const offset = r.chance(0.7) ? literal(r.pick([0, 4, 8, 12, 16, 3])) : this.#one(r.below(TEMPS), r.below(4))
    const index = r.chance(0.6) ? cut(127) : where
    this.#push(accessRow('load', 'structured'), [dest, index, offset, resource])
  }

  /** An atomic whose order does not show, on shared memory or a UAV. */
  #atomic(): void {
    const { r } = this
    const operation = r.pick(['iadd', 'and', 'or', 'xor', 'imax', 'imin', 'umax', 'umin'] as const)
    const row = rowWhere(
      (x) => x.traits.kind === 'atomic' && x.traits.operation === operation && !x.traits.returnsOriginal,
    )
    const shared = r.chance(0.5)
    const memory = operand(shared ? FILE.tgsm : FILE.uav, {
      components: COMPONENTS_0,
      mode: 0,
      selection: 0,
      indices: [immediateIndex(1)],
    })
    // One operation a place, since two different ones do not commute; each place is a word of its own.
    const place = ['iadd', 'and', 'or', 'xor', 'imax', 'imin', 'umax', 'umin'].indexOf(operation) * 8
    this.#integer('and', [this.#temp(this.#scratch, 4), this.#one(r.below(TEMPS), r.below(4)), literal(4)])
    this.#integer('iadd', [this.#temp(this.#scratch, 4), this.#one(this.#scratch, 2), literal(place)])
    this.#push(row, [memory, this.#one(this.#scratch, 2), this.#one(r.below(TEMPS), r.below(4))])
  }

  /** Stores to the thread's own bytes of u0. */
  #store(offset: number, register: number): void {
    const count = this.r.below(4) + 1
    this.#integer('imad', [this.#temp(this.#flat, 8), this.#one(this.#flat, 0), literal(OWN_BYTES), literal(offset)])
    const memory = masked(FILE.uav, [immediateIndex(0)], 2 ** count - 1)
    const value = operand(FILE.temp, { selection: this.r.below(256), indices: [immediateIndex(register)] })
    this.#push(accessRow('store', 'raw'), [memory, this.#one(this.#flat, 3), value])
  }

  #test(): { readonly operand: Operand; readonly controls: number } {
    const { r } = this
    // Comparisons make masks that differ by thread; anything else is nearly always true.
    const comparison = r.pick(
      VALUE_ROWS.filter(
        (x) =>
          x.operands.length === 3 &&
          x.operands[0]!.type === 'bits' &&
          x.operands[1]!.type !== 'bits' &&
          x.operands[1]!.type !== 'f64' &&
          x.traits.kind === 'alu' &&
          x.traits.lanes === 'componentwise',
      ),
    )
    const slots = comparison.operands
    this.#push(comparison, [this.#temp(this.#scratch, 2), this.#source(slots[1]!), this.#source(slots[2]!)])
    return { operand: this.#one(this.#scratch, 1), controls: r.chance(0.5) ? withControl(0, TEST, 1) : 0 }
  }

  #block(depth: number, inLoop: boolean): void {
    const count = 1 + this.r.below(5)
    for (let i = 0; i < count && this.#left > 0; i++) this.#statement(depth, inLoop)
  }

  #if(depth: number, inLoop: boolean): void {
    const { operand: tested, controls } = this.#test()
    this.#push(flowRow('if', true), [tested], controls)
    this.#block(depth + 1, inLoop)
    if (this.r.chance(0.5)) {
      this.#push(flowRow('else', false), [])
      this.#block(depth + 1, inLoop)
    }
    this.#push(flowRow('endif', false), [])
  }

  /** A loop of at most a few turns by a counter of its own in x0[3], with other exits for some threads. */
  #loop(depth: number): void {
    const counter = (mask: boolean): Operand => {
      const index = [immediateIndex(0), immediateIndex(ARRAY + this.#loops)]
      return mask ? masked(FILE['indexable-temp'], index, 1) : select(FILE['indexable-temp'], index, 0)
    }
    void counter
    const register = this.#loopRegister()
    const to = this.#temp(register, 1)
    const from = this.#one(register, 0)
    this.#integer('mov', [to, literal(0)])
    this.#push(flowRow('loop', false), [])
    this.#integer('iadd', [to, from, literal(1)])
    this.#integer('ult', [this.#temp(this.#scratch, 2), literal(1 + this.r.below(4)), from])
    this.#push(flowRow('break', true), [this.#one(this.#scratch, 1)], withControl(0, TEST, 1))
    this.#block(depth + 1, true)
    if (this.r.chance(0.5)) {
      const { operand: tested, controls } = this.#test()
      this.#push(flowRow(this.r.chance(0.5) ? 'break' : 'continue', true), [tested], controls)
    }
    this.#block(depth + 1, true)
    this.#push(flowRow('endloop', false), [])
    this.#loops--
  }

  /** A register for the counter of a loop, one for each level of nesting. */
  #loopRegister(): number {
    return TEMPS + 2 + this.#loops++
  }

  #switch(depth: number, inLoop: boolean): void {
    const { r } = this
    this.#integer('and', [this.#temp(this.#scratch, 2), this.#one(r.below(TEMPS), r.below(4)), literal(3)])
    this.#push(flowRow('switch', false), [this.#one(this.#scratch, 1)])
    const cases = 1 + r.below(3)
    for (let c = 0; c < cases; c++) {
      this.#push(flowRow('case', false), [literal(c)])
      if (r.chance(0.2) && c + 1 < cases) continue
      this.#block(depth + 1, inLoop)
      if (r.chance(0.3)) {
        const { operand: tested, controls } = this.#test()
        this.#push(flowRow('break', true), [tested], controls)
        this.#block(depth + 1, inLoop)
      }
      this.#push(flowRow('break', false), [])
    }
    if (r.chance(0.6)) {
      this.#push(flowRow('default', false), [])
      this.#block(depth + 1, inLoop)
      this.#push(flowRow('break', false), [])
    }
    this.#push(flowRow('endswitch', false), [])
  }

  #statement(depth: number, inLoop: boolean): void {
    const { r, options } = this
    this.#left--
    const kind = r.below(20)
    if (options.flow && depth < 4 && kind < 5) {
      if (kind < 3) this.#if(depth, inLoop)
      else if (kind === 3 && depth < 3) this.#loop(depth)
      else this.#switch(depth, inLoop)
    } else if (options.flow && kind === 5 && r.chance(0.15) && !options.barriers) {
      const { operand: tested, controls } = this.#test()
      this.#push(flowRow('ret', true), [tested], controls)
    } else if (options.flow && kind === 5 && inLoop && r.chance(0.5)) {
      const { operand: tested, controls } = this.#test()
      this.#push(flowRow('break', true), [tested], controls)
    } else if (options.memory && kind === 6) this.#memory()
    else if (options.memory && kind === 7) this.#atomic()
    else if (options.memory && kind === 8) this.#store(16 * r.below(OWN_BYTES / 16), r.below(TEMPS))
    else this.#value()
  }

  /** Own words to shared memory, a barrier, a neighbour's words, a barrier. */
  #exchange(): void {
    const { r } = this
    const count = this.threads[0] * this.threads[1] * this.threads[2]
    const sync = rowWhere((x) => x.traits.kind === 'sync')
    const barrier = (): void => this.#push(sync, [], withControl(0, SYNC, 3))
    const memory = masked(FILE.tgsm, [immediateIndex(0)], 15)
    const value = operand(FILE.temp, { selection: 0xe4, indices: [immediateIndex(r.below(TEMPS))] })
    this.#push(accessRow('store', 'structured'), [memory, this.#one(this.#flat, 1), literal(0), value])
    barrier()
    this.#integer('xor', [this.#temp(this.#scratch, 4), this.#one(this.#flat, 1), literal(r.pick([1, 3, 5, 8, 64]))])
    const from = operand(FILE.tgsm, { selection: r.below(256), indices: [immediateIndex(0)] })
    const offset = literal(r.pick([0, 0, 4, 12]))
    this.#push(accessRow('load', 'structured'), [
      this.#temp(r.below(TEMPS), 1 + r.below(15)),
      this.#one(this.#scratch, 2),
      offset,
      from,
    ])
    if (r.chance(0.5)) {
      const word = operand(FILE.tgsm, { selection: 0xe4, indices: [immediateIndex(1)] })
      this.#push(accessRow('load', 'raw'), [this.#temp(r.below(TEMPS), 3), literal(4 * r.below(ATOMIC_WORDS)), word])
    }
    void count
    barrier()
  }

  /** A loop that all threads run alike, around barriers. */
  #uniformLoop(): void {
    const register = this.#loopRegister()
    const to = this.#temp(register, 1)
    const from = this.#one(register, 0)
    this.#integer('mov', [to, literal(0)])
    this.#push(flowRow('loop', false), [])
    this.#integer('ult', [this.#temp(this.#scratch, 2), literal(this.r.below(3)), from])
    this.#push(flowRow('break', true), [this.#one(this.#scratch, 1)], withControl(0, TEST, 1))
    this.#block(1, false)
    this.#exchange()
    this.#block(1, false)
    this.#integer('iadd', [to, from, literal(1)])
    this.#push(flowRow('endloop', false), [])
    this.#loops--
  }

  body(): void {
    while (this.#left > 0) {
      if (this.options.barriers && this.r.chance(0.15)) {
        this.#left -= 4
        if (this.r.chance(0.4)) this.#uniformLoop()
        else this.#exchange()
      } else this.#statement(0, false)
    }
  }

  epilogue(): void {
    for (let i = 0; i < OWN_BYTES / 16; i++) this.#store(16 * i, i)
    this.#push(flowRow('ret', false), [])
  }
}

/** The program of a seed; the same seed and options give the same program. */
export function randomProgram(seed: number, options: RandomOptions): RandomProgram {
  const g = new Generator(seed, options)
  g.declare()
  g.prologue()
  g.body()
  g.epilogue()
  // Counters of nested loops take registers after the declared ones: as many as any program nests.
  const temps = declarationRow('temps').opcode
  const statements = g.out.map((s) =>
    s.kind === 'instruction' && s.opcode === temps ? { ...s, parameters: [TEMPS + 2 + 8] } : s,
  )
  const program: Program = {
    stageNumber: 5,
    major: 5,
    minor: 0,
    versionSpare: 0,
    statements,
    trailing: new Uint8Array(0),
  }
  const total = g.threads.reduce((n, x) => n * x, 1) * g.groups.reduce((n, x) => n * x, 1)
  return { program, threads: g.threads, groups: g.groups, total }
}

export { controlOf, DIMENSION }
