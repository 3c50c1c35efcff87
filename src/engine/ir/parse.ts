import { ATOMIC_OPERATIONS, type AtomicOperation } from '../../isa/index.ts'
import type { UndefinedReason } from '../observer.ts'
import { Builder, type BuilderOptions } from './builder.ts'
import { OPS } from './ops.ts'
import type {
  AccessAddress,
  Check,
  EffectItem,
  FilterTaps,
  IfMerge,
  Item,
  Label,
  LoopPhi,
  MemorySpace,
  Op,
  Region,
  TexelValues,
  Value,
} from './value.ts'

/**
 * Reads the text of `print.ts` into values and regions, for unit tests of passes and of the verifier. Nothing is checked
 * but the form of the text: programs that break every rule of the language can be written.
 */

export interface ParseOptions extends Partial<BuilderOptions> {
  /** Values are made by the builder, which folds and simplifies them and shares equal ones; else they stay as written. */
  readonly simplify?: boolean
}

type Open = { readonly line: string; readonly rest: string[] }

/** Words of a line: names, numbers and the punctuation that stands for itself. */
const wordsOf = (text: string): string[] => text.match(/\{".*\}|[[\]()]|[^\s,[\]()]+/g) ?? []

class Parser {
  readonly builder: Builder
  readonly #simplify: boolean
  readonly values = new Map<string, Value>()
  readonly #labels = new Map<string, Label>()
  readonly #lines: string[]
  #at = 0

  constructor(text: string, { simplify = false, ...options }: ParseOptions) {
    this.builder = new Builder({ threads: [64, 1, 1], keepDenormals: false, fused: false, ...options })
    this.#simplify = simplify
    this.#lines = text
      .split('\n')
      .map((line) => line.replace(/;.*/, '').trim())
      .filter((line) => line !== '')
  }

  #fail(what: string): never {
    throw new Error(`line ${this.#at} of the intermediate code: ${what}: ${this.#lines[this.#at - 1]}`)
  }

  #value(name: string): Value {
    if (/^0x/.test(name)) return this.builder.constant(Number(name))
    return this.values.get(name) ?? this.#fail(`there is no value ${name}`)
  }

  /** The end of a region or of the text was reached: its line. */
  region(): string | undefined {
    for (; this.#at < this.#lines.length; ) {
      const line = this.#lines[this.#at++]!
      if (line.startsWith('}')) return line
      this.#line(line)
    }
    return undefined
  }

  #line(line: string): void {
    const statement = Number(/@(\d+)/.exec(line)?.[1] ?? 0)
    const words = wordsOf(line.replace(/@\d+/, ''))
    this.builder.statement = statement
    if (words[0] === 'if') this.#if(words[1]!)
    else if (words[0] === 'block') this.#block(words[1]!)
    else if (words[0] === 'loop') this.#loop(words[1]!, Number(words[3]), statement)
    else if (words[0] === 'break') {
      const args = words.slice(2).map((w) => this.#value(w))
      this.builder.push({ kind: 'break', label: this.#label(words[1]!), args })
    } else if (words[0] === 'barrier') this.builder.push({ kind: 'barrier', statement })
    else this.#definition(words, statement)
  }

  #label(name: string, loop = false): Label {
    const label = this.#labels.get(name) ?? { id: this.#labels.size, loop, phis: [] }
    this.#labels.set(name, label)
    return label
  }

  #end(): string {
    return this.region() ?? this.#fail('a region does not end')
  }

  #if(condition: string): void {
    const value = this.#value(condition)
    let otherwise = this.builder.root
    const taken = this.builder.inside(false, () => {
      if (this.#end() !== '} else {') this.#fail('the else of an if is missing')
    })
    otherwise = this.builder.inside(false, () => void this.#end())
    const phis: IfMerge[] = []
    for (let match = this.#phiLine(); match !== undefined; match = this.#phiLine()) {
      const [name, a, b] = match
      const merged = this.builder.phi()
      this.values.set(name, merged)
      phis.push({ value: merged, taken: this.#value(a), otherwise: this.#value(b) })
    }
    this.builder.push({ kind: 'if', condition: value, taken, otherwise, phis })
  }

  #phiLine(): [name: string, a: string, b: string] | undefined {
    const words = wordsOf(this.#lines[this.#at] ?? '')
    if (words[2] !== 'phi') return undefined
    this.#at++
    return [words[0]!, words[3]!, words[4]!]
  }

  #block(name: string): void {
    const label = this.#label(name)
    let fallthroughArgs: Value[] | undefined
    const body = this.builder.inside(false, () => {
      const words = wordsOf(this.#end())
      if (words[1] === 'fallthrough') fallthroughArgs = words.slice(2).map((w) => this.#value(w))
    })
    this.#merges(label)
    this.builder.push({ kind: 'block', label, body, fallthroughArgs })
  }

  #loop(name: string, cost: number, statement: number): void {
    const label = this.#label(name, true)
    const headerPhis: LoopPhi[] = []
    const body = this.builder.inside(true, () => {
      const heads: (readonly [value: Value, init: Value, next: string])[] = []
      for (let match = this.#phiLine(); match !== undefined; match = this.#phiLine()) {
        const [head, init, next] = match
        const value = this.builder.phi()
        this.values.set(head, value)
        heads.push([value, this.#value(init), next])
      }
      this.#end()
      for (const [value, init, next] of heads) headerPhis.push({ value, init, next: this.#value(next) })
    })
    this.#merges(label)
    this.builder.push({ kind: 'loop', label, headerPhis, body, cost, statement })
  }

  #merges(label: Label): void {
    const words = wordsOf(this.#lines[this.#at] ?? '')
    if (words.at(-1) !== 'merge') return
    this.#at++
    for (const name of words.slice(0, -2)) {
      const phi = this.builder.phi()
      this.values.set(name, phi)
      label.phis.push(phi)
    }
  }

  #definition(words: readonly string[], statement: number): void {
    const equals = words.indexOf('=')
    const names = words.slice(0, Math.max(equals, 0))
    const [kind, ...rest] = words.slice(equals + 1)
    const [op, imm] = kind!.split('.') as [string, string | undefined]
    if (Object.hasOwn(OPS, op)) {
      const args = rest.map((w) => this.#value(w))
      const make = this.#simplify ? this.builder.make.bind(this.builder) : this.builder.place.bind(this.builder)
      this.values.set(names[0]!, make(op as Op, args, Number(imm ?? 0)))
      return
    }
    const results = names.map((name, i) => {
      const value = this.builder.result(i)
      this.values.set(name, value)
      return value
    })
    this.builder.push(this.#effect({ line: kind!, rest: [...rest] }, results, statement))
  }

  #filter(rest: string[], statement: number, results: Value[]): Item {
    const codes = /^codes(8|16)$/.exec(rest[0] ?? '')
    if (codes !== null) rest.shift()
    const codeBits = codes === null ? undefined : (Number(codes[1]) as 8 | 16)
    const operands = rest.map((w) => this.#value(w))
    const tapsOf = (list: readonly Value[]): FilterTaps => ({
      taps: list.slice(0, -2),
      u: list.at(-2)!,
      v: list.at(-1)!,
    })
    // Rows of two mips: two addresses and two weights each, and the weight of the second. Of codes there is one address.
    const count = codes === null ? 4 : 3
    const hasBoth = operands.length === 2 * count + 1
    const far = hasBoth ? { ...tapsOf(operands.slice(count, -1)), fraction: operands.at(-1)! } : undefined
    const near = tapsOf(hasBoth ? operands.slice(0, count) : operands)
    return { kind: 'filter', statement, ...near, far, codeBits, results }
  }

  #effect({ line, rest }: Open, results: Value[], statement: number): Item {
    const number = (): number => Number(rest.shift())
    const value = (): Value => this.#value(rest.shift()!)
    const values = (): Value[] => rest.map((w) => this.#value(w))
    const digits = (): number[] => [...rest.shift()!].map(Number)
    switch (line as EffectItem['kind']) {
      case 'load': {
        const address = this.#address(rest)
        const components = digits()
        rest.shift()
        return { kind: 'load', statement, address, components, dwords: digits(), results }
      }
      case 'store': {
        const address = this.#address(rest)
        const bytes = rest[0] === 'bytes' ? (Number(rest.splice(0, 2)[1]) as 1 | 2) : undefined
        return { kind: 'store', statement, address, bytes, values: values() }
      }
      case 'atomic': {
        const operation = rest.shift() as AtomicOperation
        if (!Object.hasOwn(ATOMIC_OPERATIONS, operation)) this.#fail(`there is no atomic operation ${operation}`)
        const address = this.#address(rest)
        const operand = value()
        const compare = rest.shift() === 'compare' ? value() : undefined
        return { kind: 'atomic', statement, address, operation, compare, value: operand, results }
      }
      case 'counter': {
        const direction = rest.shift() as 'alloc' | 'consume'
        return { kind: 'counter', statement, direction, binding: number(), results }
      }
      case 'private-load':
        return { kind: 'private-load', array: number(), index: value(), component: number(), results }
      case 'private-store':
        return { kind: 'private-store', array: number(), index: value(), component: number(), value: value() }
      case 'texel': {
        const request = JSON.parse(rest.shift()!) as Extract<EffectItem, { kind: 'texel' }>['request']
        return { kind: 'texel', statement, request, args: values(), results }
      }
      case 'filter':
        return this.#filter(rest, statement, results)
      case 'stop':
        return { kind: 'stop', statement }
      case 'report': {
        const details = JSON.parse(rest.shift()!) as { access: 'load'; weight: number }
        const check = this.#check(rest)
        return { kind: 'report', statement, operand: undefined, unbound: undefined, ...details, check }
      }
      default:
        return this.#fail(`there is no item ${line}`)
    }
  }

  #space(rest: string[]): MemorySpace {
    const kind = rest.shift()
    const number = (): number => Number(rest.shift())
    if (kind === 'srv' || kind === 'uav') return { kind: 'buffer', writable: kind === 'uav', binding: number() }
    if (kind === 'mip-table') return { kind, binding: number() }
    if (kind === 'srgb-table') return { kind }
    if (kind === 'batch') {
      const part = rest.shift() === 'inputs' ? 'inputs' : 'outputs'
      return { kind, part, byteOffset: number(), everyLane: number() === 1 }
    }
    if (kind !== 'tgsm') return this.#fail(`there is no memory ${kind}`)
    return { kind, byteOffset: number(), byteLength: number(), stride: number(), count: number() }
  }

  #address(rest: string[]): AccessAddress {
    rest.shift()
    const space = this.#space(rest)
    const value = (): Value => this.#value(rest.splice(0, 2)[1]!)
    const index = rest[0] === 'index' ? value() : undefined
    const offset = value()
    const stride = Number(rest.splice(0, 2)[1])
    const valid = rest[0] === 'valid' ? value() : undefined
    const checks: Check[] = []
    while (rest[0] === '(') checks.push(this.#check(rest))
    rest.shift()
    return {
      ...{ space, index, offset, stride },
      ...(valid === undefined ? {} : { valid }),
      ...(checks.length === 0 ? {} : { checks }),
    }
  }

  #check(rest: string[]): Check {
    const words = rest.splice(0, rest.indexOf(')') + 1).slice(1, -1)
    const of = (name: string): Value => this.#value(words[words.indexOf(name) + 1]!)
    const check = {
      reason: words[0] as UndefinedReason,
      defined: words[1] === 'defined',
      bad: of('bad'),
      address: of('address'),
      limit: of('limit'),
    }
    const at = words.indexOf('texel')
    if (at < 0) return check
    const texel: Record<string, Value> = {}
    for (let n = at + 1; n < words.length; n += 2) texel[words[n]!] = this.#value(words[n + 1]!)
    return { ...check, texel: texel as TexelValues }
  }
}

/** A program that was read: the builder whose root it is, and its values by the names in the text. */
interface ParsedRegion {
  readonly builder: Builder
  readonly root: Region
  readonly values: ReadonlyMap<string, Value>
}

/** The program of a text; throws where the text has not the form of one. */
export function parseRegion(text: string, options: ParseOptions = {}): ParsedRegion {
  const parser = new Parser(text, options)
  if (parser.region() !== undefined) throw new Error('a region of the intermediate code ends twice')
  return { builder: parser.builder, root: parser.builder.root, values: parser.values }
}
