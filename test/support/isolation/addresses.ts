import type { Random } from '../random/random.ts'

/** Addresses of isolation trials: sums of thread numbers times constants, aimed at the edges of what is accessed. */

/** Threads of a group, and where in a dispatch a thread may stand. */
export interface Shape {
  readonly threads: readonly [number, number, number]
  readonly groups: readonly [number, number, number]
}

/** What addresses are aimed at. */
export interface Target {
  /** The first address that is past the end. */
  readonly limit: number
  /** Bytes or elements that lie together: a structure, a row; steps of lanes are often multiples of it. */
  readonly step: number
  /** Distances to other resources, in the unit of the address. */
  readonly distances: readonly number[]
}

const STEPS = [0, 1, 2, 3, 4, 4, 4, 8, 8, 12, 16, 16, 20, 32, 64, 100, 256, 2048, 4096, 65536]
/** Around the powers at which sums of a few lanes pass 2^31 and 2^32, and steps that wrap to small ones. */
const GREAT_STEPS = [
  0xfffffc, 0x1000000, 0x1000004, 0x8000000, 0x10000000, 0x20000000, 0x3ffffffc, 0x40000000, 0x7ffffff4, 0x7ffffff8,
  0x7ffffffc, 0x80000000, 0x80000004, 0x8000000c, 0xc0000000, 0xfffffff0, 0xfffffff4, 0xfffffff8, 0xfffffffc,
]
const GREAT_PLACES = [
  0x7fffffec, 0x7ffffff0, 0x7ffffffc, 0x80000000, 0x80000004, 0xfffffff0, 0xfffffff4, 0xfffffff8, 0xfffffffc,
]
const SHIFTS = [0, 1, 2, 2, 3, 4, 4, 5, 11, 12, 20, 24, 27, 28, 29, 30, 31]
const COORDINATES = ['vThreadIDInGroup.x', 'vThreadIDInGroup.y', 'vThreadIDInGroup.z'] as const

/** Numbers of constant buffer 0 that a program may use instead of literals. */
export const CONSTANT_WORDS = 32

/** Lines of a program under construction, with its temporaries and constants. */
export class AddressWriter {
  readonly r: Random
  readonly shape: Shape
  readonly lines: string[] = []
  readonly constants: number[] = []
  /** Register that counts the turns of the loop around, if there is one. */
  counter: string | undefined
  #temps: number
  readonly #firstTemp: number

  constructor(r: Random, shape: Shape, firstTemp: number) {
    this.r = r
    this.shape = shape
    this.#temps = firstTemp * 4
    this.#firstTemp = firstTemp
  }

  line(text: string): void {
    this.lines.push(text)
  }

  /** Registers that are in use. */
  get tempCount(): number {
    return Math.max(this.#firstTemp, Math.ceil(this.#temps / 4))
  }

  /** A component that nothing else uses. */
  temp(): string {
    const n = this.#temps++
    return `r${n >> 2}.${'xyzw'[n & 3]}`
  }

  /** A number as a literal, or as a constant that only the dispatch knows. */
  number(value: number): string {
    if (this.r.chance(0.7) || this.constants.length >= CONSTANT_WORDS) return `l(${value >>> 0})`
    const n = this.constants.push(value >>> 0) - 1
    return `cb0[${n >> 2}].${'xyzw'[n & 3]}`
  }

  #op(mnemonic: string, ...operands: string[]): string {
    const to = this.temp()
    const twoResults = mnemonic === 'imul' || mnemonic === 'umul'
    this.line(`${mnemonic} ${twoResults ? 'null, ' : ''}${to}, ${operands.join(', ')}`)
    return to
  }

  #step(target: Target): number {
    const kind = this.r.below(10)
    if (kind < 5) return this.r.pick(STEPS)
    if (kind < 7) return this.r.pick(GREAT_STEPS)
    if (kind < 8) return target.step * (1 + this.r.below(4))
    return kind < 9 ? (target.limit - 4 * this.r.below(5)) >>> 0 : this.r.next()
  }

  /** A place that an address is to reach in some lane. */
  #place(target: Target): number {
    const kind = this.r.below(12)
    const { limit, distances } = target
    if (kind < 6) return (limit + this.r.pick([-20, -17, -16, -12, -8, -5, -4, -3, -2, -1, 0, 0, 1, 2, 4, 8, 16])) >>> 0
    if (kind < 7) return this.r.below(Math.min(limit, 64) + 1)
    if (kind < 9) return this.r.pick(GREAT_PLACES)
    if (kind < 11 && distances.length > 0) return (this.r.pick(distances) + 4 * this.r.below(4)) >>> 0
    return this.r.next()
  }

  /** A coordinate times a step, and what it is in a given thread. */
  #term(target: Target, thread: readonly number[]): { readonly text: string; readonly value: number } {
    const axis = this.r.pick([0, 0, 0, 1, 1, 2])
    const coordinate = COORDINATES[axis]!
    const n = thread[axis]!
    if (this.r.chance(0.3)) {
      const count = this.r.pick(SHIFTS)
      return { text: this.#op('ishl', coordinate, `l(${count})`), value: n << count }
    }
    const step = this.#step(target)
    return { text: this.#op('imul', coordinate, this.number(step)), value: Math.imul(n, step) }
  }

  /**
   * Lanes that lie as far apart as 32 bits let them, the lowest of them (as signed numbers) near the start: what is known
   * of the distances before the dispatch must not wrap.
   */
  #spread(target: Target): string {
    const { r, shape } = this
    const steps = COORDINATES.map((_, axis) => (shape.threads[axis]! > 1 ? r.pick(GREAT_STEPS) : 0))
    if (r.chance(0.4)) steps[0] = 0x80000000
    if (r.chance(0.4)) steps[1] = r.pick([0x7ffffff0, 0x7ffffff4, 0x7ffffff8, 0x7ffffffc])
    const [x, y, z] = shape.threads
    const lanes = Array.from({ length: Math.min(16, x * y * z) }, (_, n) => [
      n % x,
      Math.floor(n / x) % y,
      Math.floor(n / (x * y)),
    ])
    const values = lanes.map((lane) => lane.reduce((sum, n, axis) => (sum + Math.imul(n, steps[axis]!)) | 0, 0))
    const place = r.chance(0.7) ? 4 * r.below(Math.min(target.limit, 64) / 4 + 1) : this.#place(target)
    let sum: string | undefined
    for (const [axis, step] of steps.entries()) {
      if (step === 0) continue
      const term = this.#op('imul', COORDINATES[axis]!, `l(${step})`)
      sum = sum === undefined ? term : this.#op('iadd', sum, term)
    }
    return this.#op('iadd', sum ?? 'vThreadIDInGroup.x', this.number((place - Math.min(...values)) >>> 0))
  }

  /** A sum of terms that reaches a chosen place in a chosen thread. */
  #aimed(target: Target): string {
    const thread = this.shape.threads.map((n) => this.r.below(n))
    let { text: sum, value } = this.#term(target, thread)
    for (let n = this.r.below(3); n > 0; n--) {
      const term = this.#term(target, thread)
      sum = this.#op('iadd', sum, term.text)
      value = (value + term.value) | 0
    }
    if (this.r.chance(0.15)) {
      sum = this.#op('imad', 'vThreadGroupID.x', this.number(this.#step(target)), sum)
    }
    if (this.counter !== undefined && this.r.chance(0.6)) {
      sum = this.#op('imad', this.counter, this.number(this.#step(target)), sum)
    }
    return this.#op('iadd', sum, this.number((this.#place(target) - value) >>> 0))
  }

  #leaf(target: Target): string {
    const kind = this.r.below(8)
    if (kind < 3) return this.r.pick(COORDINATES)
    if (kind < 4) return 'vThreadIDInGroupFlattened'
    if (kind < 5) return this.r.pick(['vThreadID.x', 'vThreadGroupID.x'])
    if (kind < 6 && this.counter !== undefined) return this.counter
    return this.number(this.r.chance(0.5) ? this.#place(target) : this.#step(target))
  }

  /** Operations that leave less possible: the compiler draws conclusions from them. */
  #narrowed(value: string, target: Target): string {
    const { limit } = target
    const kind = this.r.below(9)
    if (kind === 0) {
      // Often as many bits as the limit has, or one less: what may be is just inside then, or just not.
      const bits = this.r.chance(0.7) ? 32 - Math.clz32(limit) - this.r.below(2) : this.r.below(32)
      const mask = Math.max(0, 2 ** bits - 1)
      return this.#op('and', value, `l(${target.step % 4 === 0 && this.r.chance(0.7) ? (mask & ~3) >>> 0 : mask})`)
    }
    if (kind === 1) return this.#op('and', value, `l(${this.r.next()})`)
    if (kind === 2) return this.#op('ushr', value, `l(${this.r.below(32)})`)
    if (kind === 3) return this.#op('ishr', value, `l(${this.r.below(32)})`)
    if (kind === 4) return this.#op('umin', value, this.number((limit + this.r.below(12) - 8) >>> 0))
    if (kind === 5) return this.#op('umax', value, this.number(this.#place(target)))
    if (kind === 6) {
      const to = this.temp()
      const past = Math.max(1, limit + this.r.below(9) - 4)
      this.line(`udiv null, ${to}, ${value}, ${this.number(past)}`)
      return to
    }
    if (kind === 7) return this.#op('xor', value, this.number(this.r.chance(0.5) ? 0xffffffff : this.#step(target)))
    const low = this.#op('and', value, `l(${this.r.pick([3, 4, 12, 28, 60])})`)
    return this.#op('or', low, `l(${((2 ** (2 + this.r.below(29)) - 4) & ~63) >>> 0})`)
  }

  /** A thread's number or its complement, of which only low bits are left: whether it is in bounds may be known beforehand. */
  masked(target: Target): string {
    const { limit } = target
    const bits = Math.max(0, 32 - Math.clz32(limit) - this.r.below(2))
    const whole = target.step % 4 === 0 && this.r.chance(0.8)
    const mask = 2 ** bits - 1
    const complement = this.#op('xor', 'vThreadIDInGroupFlattened', `l(${this.r.chance(0.7) ? 0xffffffff : 0})`)
    return this.#op('and', complement, `l(${whole ? (mask & ~3) >>> 0 : mask})`)
  }

  /** An address as an operand of one component. */
  address(target: Target): string {
    const kind = this.r.below(12)
    if (kind < 2) return this.#spread(target)
    if (kind < 7) return this.#aimed(target)
    if (kind < 8) return this.number(this.#place(target))
    if (kind < 9) return this.masked(target)
    if (kind < 10) return this.#narrowed(this.#aimed(target), target)
    let value = this.#leaf(target)
    for (let n = 1 + this.r.below(3); n > 0; n--) {
      const mnemonic = this.r.pick(['iadd', 'iadd', 'imul', 'xor', 'or', 'ishl'])
      value = this.#op(mnemonic, value, mnemonic === 'ishl' ? `l(${this.r.pick(SHIFTS)})` : this.#leaf(target))
      if (this.r.chance(0.3)) value = this.#narrowed(value, target)
    }
    return value
  }

  /** Several addresses in one register, as an operand. */
  vector(components: readonly string[]): string {
    this.#temps = (this.#temps + 3) & ~3
    const register = `r${this.#temps >> 2}`
    this.#temps += 4
    components.forEach((c, n) => void this.line(`mov ${register}.${'xyzw'[n]}, ${c}`))
    return `${register}.xyzw`
  }
}
