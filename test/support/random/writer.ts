import {
  ATOMIC_OPERATIONS,
  type AtomicOperation,
  atomicOperation,
  type InstructionRow,
  type OperandSlot,
} from '../../../src/isa/index.ts'
import type { Plan } from './plan.ts'
import { Random, wordOf } from './random.ts'

/**
 * The text of a random program as it grows, with the operands that its statements share. Registers: r0 to r5 hold
 * values that go to the outputs; the others have one use each, so that dropping a statement leaves the rest sound.
 */
export const VALUES = 6
/** .x condition, .y switch and limits, .z load addresses, .w indices. */
export const SCRATCH = 'r6'
/** .x number of the thread in the dispatch, .y in its group, .z scratch of loads, .w first byte of its own output. */
export const SELF = 'r7'
/** Addresses of stores, atomics and texels. */
export const PLACE = 'r8'
/** Fragments of float code: three registers of their own. */
export const FRAGMENT = 9
/** Counters of loops in the main program by nesting, then two for each subroutine. */
const LOOPS = 12
export const MAX_DEPTH = 4
export const SUBROUTINES = 3
export const BODIES = 6
export const TEMPS = LOOPS + MAX_DEPTH + 1 + 2 * (SUBROUTINES + BODIES)

/** Elements of x0, constants of b0 and of the immediate constant buffer. */
export const ARRAY = 4
export const CONSTANTS = 4
/** Bytes of t0, and of output that a thread owns in u0. */
export const INPUT_BYTES = 1024
export const OWN_BYTES = 64
/** Operations of atomics that commute. Two different ones do not, so each has 16 dwords of its own. */
export const ORDERLESS_OPERATIONS = (Object.keys(ATOMIC_OPERATIONS) as AtomicOperation[]).filter(
  (operation) => atomicOperation(operation).commutative,
)
/** Dwords of u1, g1 and of the other places that all threads share. */
export const SHARED_WORDS = 16 * ORDERLESS_OPERATIONS.length
/** Bytes of g2 that a thread owns. */
export const OWN_SHARED_BYTES = 8

const LETTERS = 'xyzw'

/** Where statements stand: what may be used there. */
export interface Place {
  readonly depth: number
  /** Loops around this place in the same body. */
  readonly loops: number
  readonly breaks: boolean
  readonly continues: boolean
  /** A `ret` may stand here. */
  readonly returns: boolean
  /** Runs once in each thread at most: not in a loop, not in a subroutine. */
  readonly once: boolean
  /** All lanes that have not returned come here together, so that a quad is whole. */
  readonly together: boolean
  /** Register of the first loop counter. */
  readonly counters: number
  /** First subroutine that may be called from here: they call those after them alone. */
  readonly callable: number
}

export const MAIN: Place = {
  depth: 0,
  loops: 0,
  breaks: false,
  continues: false,
  returns: true,
  once: true,
  together: true,
  counters: LOOPS,
  callable: 0,
}

/** The place of a subroutine's or a method's body, by its number among all of them. */
export function placeOfBody(n: number, callable: number): Place {
  return { ...MAIN, depth: 2, once: false, together: false, counters: LOOPS + MAX_DEPTH + 1 + 2 * n, callable }
}

/** Of a register without components there is none to choose; of the others those that are declared. */
function swizzled(name: string, letters: string, swizzle: string): string {
  if (letters === '') return name
  return `${name}.${[...swizzle].map((c) => (letters.includes(c) ? c : letters[0])).join('')}`
}

/** An input or output register of a graphics stage, by a name that may compute its indices before. */
export interface StageRegister {
  readonly name: (w: Writer) => string
  /** Components that are declared. */
  readonly letters: string
}

export class Writer {
  readonly r: Random
  readonly plan: Plan
  readonly lines: string[] = []
  /** Statements that may still come. */
  left: number
  /** Records that each thread may append to u5. */
  appends = 0
  /** Registers of the entry of a graphics shader that is written; undefined in compute shaders. */
  inputs: readonly StageRegister[] | undefined
  /** Those without components, as oDepth is, have no letters. */
  outputs: readonly StageRegister[] = []
  /** Streams of a geometry shader. */
  streams = 0
  /** The input that is the position of the output o0 in the end. */
  position: string | undefined

  /** First UAV: in a draw with render targets those come first. */
  readonly firstUav: number

  /** Rows of value instructions and atomics that were picked. */
  readonly picked = new Set<InstructionRow>()
  /** Subroutines may be called from here. */
  mayCall = true
  /** The shader is one of a draw, whose pixels are to be seen. */
  readonly isLinked: boolean

  constructor(plan: Plan, { firstUav = 0, isLinked = false } = {}) {
    this.plan = plan
    this.firstUav = firstUav
    this.isLinked = isLinked
    this.left = plan.statements
    // The plan took its numbers from the seed; statements go on from another place.
    this.r = new Random(plan.seed ^ 0x2545f491)
  }

  line(text: string): void {
    this.lines.push(text)
  }

  #register(register: 't' | 'u' | 's', n: number): number {
    return register === 'u' ? this.firstUav + n : n
  }

  get hasRanges(): boolean {
    return this.plan.model === '5_1'
  }

  /** A resource, UAV or sampler as instructions name it. */
  slot(register: 't' | 'u' | 's', n: number): string {
    if (!this.hasRanges || !this.plan.dynamicRanges || !this.r.chance(0.3)) return this.fixedSlot(register, n)
    this.line(`and ${SCRATCH}.w, ${this.one()}, l(${this.r.pick([0, 1, 3])})`)
    const at = this.#register(register, n)
    return `${register.toUpperCase()}${at}[${SCRATCH}.w + ${at}]`
  }

  /** The same, never by a computed register. */
  fixedSlot(register: 't' | 'u' | 's', n: number): string {
    const at = this.#register(register, n)
    return this.hasRanges ? `${register.toUpperCase()}${at}[${at}]` : `${register}${at}`
  }

  /** Its declaration: a range of `count` registers. */
  declared(register: 't' | 'u' | 's', n: number, count = 1): string {
    const at = this.#register(register, n)
    if (!this.hasRanges) return `${register}${at}`
    return `${register.toUpperCase()}${at}[${at}:${at + count - 1}]`
  }

  constants(n: number, index: string): string {
    return this.hasRanges ? `CB${n}[${n}][${index}]` : `cb${n}[${index}]`
  }

  value(): string {
    return `r${this.r.below(VALUES)}`
  }

  /** One component of a value register. */
  one(): string {
    return `${this.value()}.${LETTERS[this.r.below(4)]}`
  }

  swizzle(): string {
    return Array.from({ length: 4 }, () => LETTERS[this.r.below(4)]).join('')
  }

  /** A write mask of at least one component. */
  mask(bits = 1 + this.r.below(15)): string {
    return [...LETTERS].filter((_, i) => (bits >> i) & 1).join('')
  }

  word(): string {
    return `0x${wordOf(this.r, this.plan.numbers).toString(16).padStart(8, '0')}`
  }

  literal(): string {
    return this.r.chance(0.3)
      ? `l(${this.word()})`
      : `l(${this.word()}, ${this.word()}, ${this.word()}, ${this.word()})`
  }

  /** A computed index: cut to 0 to 3 by an `and` before, or of any value. */
  relative(): string {
    if (this.r.chance(0.6)) {
      this.line(`and ${SCRATCH}.w, ${this.one()}, l(3)`)
      return `${SCRATCH}.w`
    }
    return this.r.chance(0.5) ? `${this.one()} + ${this.r.below(4)}` : this.one()
  }

  /** A register that only some stages have. */
  #input(pick: 0 | 1): StageRegister {
    const { r, inputs } = this
    if (inputs !== undefined) return r.pick(inputs)
    const name = pick === 0 ? 'vThreadID' : r.chance(0.5) ? 'vThreadIDInGroup' : 'vThreadGroupID'
    return { name: () => name, letters: 'xyz' }
  }

  /** An input of the stage, of any of its components. */
  input(): string {
    const { name, letters } = this.#input(0)
    return swizzled(name(this), letters, this.swizzle())
  }

  #operand(): StageRegister {
    const pick = this.r.below(16)
    if (pick === 0 || pick === 1) return this.#input(pick)
    return { name: () => this.#common(pick), letters: LETTERS }
  }

  /** A register that all stages have. */
  #common(pick: number): string {
    const { r } = this
    switch (pick) {
      case 2:
      case 3:
        return this.constants(0, r.chance(0.5) ? String(r.below(CONSTANTS + 1)) : this.relative())
      case 4:
        return `icb[${this.relative()}]`
      case 5:
        return `x0[${r.chance(0.3) ? r.below(ARRAY) : this.relative()}]`
      case 6:
        return this.constants(1, String(r.below(3)))
      default:
        return this.value()
    }
  }

  #modified(slot: OperandSlot, text: string): string {
    if (slot.modifiers === 'none' || this.r.chance(0.6)) return text
    if (slot.modifiers === 'neg') return `-${text}`
    return this.r.pick([`-${text}`, `|${text}|`, `-|${text}|`])
  }

  /** Minimum precision of an operand, now and then: at 32 bits it must change nothing. */
  #precision(text: string): string {
    if (this.plan.model.startsWith('4') || !this.r.chance(0.03)) return text
    const word = this.r.pick(['min16f', 'min16i', 'min16u', 'min2_8f'])
    return text.includes('|') ? text : `${text} {${word}}`
  }

  source(slot: OperandSlot): string {
    const { r } = this
    const isDouble = slot.type === 'f64'
    if (isDouble && r.chance(0.1)) return `d(${this.word()}, ${this.word()}, ${this.word()}, ${this.word()})`
    if (r.chance(0.15)) return this.#modified(slot, this.literal())
    const { name, letters } = this.#operand()
    const register = name(this)
    const swizzle = isDouble
      ? r.pick(['xyzw', 'xyxy', 'zwxy', 'zwzw'])
      : r.chance(0.15)
        ? LETTERS[r.below(4)]!
        : this.swizzle()
    // One word makes no double.
    const text = isDouble && letters === '' ? `${this.value()}.${swizzle}` : swizzled(register, letters, swizzle)
    return this.#precision(this.#modified(slot, text))
  }

  destination(slot: OperandSlot, mask: string): string {
    if (slot.nullable && this.r.chance(0.25)) return 'null'
    if (this.r.chance(0.08)) {
      const index = this.r.chance(0.5) ? String(this.r.below(ARRAY)) : this.relative()
      return `x0[${index}].${mask}`
    }
    if (this.outputs.length > 0 && this.r.chance(0.15)) {
      const { name, letters } = this.r.pick(this.outputs)
      const declared = [...mask].filter((c) => letters.includes(c)).join('')
      if (declared.length === mask.length) return `${name(this)}.${mask}`
    }
    return this.#precision(`${this.value()}.${mask}`)
  }
}
