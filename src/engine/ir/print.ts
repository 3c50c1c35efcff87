import { constantOf } from './facts.ts'
import {
  type AccessAddress,
  type Check,
  type EffectItem,
  type Item,
  type MemorySpace,
  operandsOf,
  type Region,
  type TexelValues,
  type Value,
} from './value.ts'

/**
 * Intermediate code as text, for tests and for people who debug passes; `parse.ts` reads it. docs/ir.md has the language.
 * Values are numbered in the order of the text, so that two equal programs have one text. Constants stand where they are used.
 */

class Printer {
  readonly #names = new Map<Value, string>()
  readonly #labels = new Map<object, string>()
  readonly lines: string[] = []

  /** Values are named where they are defined; one that is used before, as a loop's next value may be, at its first use. */
  name = (v: Value): string => {
    const constant = constantOf(v)
    if (constant !== undefined) return `0x${constant.toString(16)}`
    let name = this.#names.get(v)
    if (name === undefined) {
      name = `v${this.#names.size}`
      this.#names.set(v, name)
    }
    return name
  }

  #label(label: object): string {
    let name = this.#labels.get(label)
    if (name === undefined) {
      name = `L${this.#labels.size}`
      this.#labels.set(label, name)
    }
    return name
  }

  #list(values: readonly Value[]): string {
    return values.map(this.name).join(', ')
  }

  region(region: Region, indent: string): void {
    for (const item of region.items) this.#item(item, indent)
  }

  #space(space: MemorySpace): string {
    if (space.kind === 'buffer') return `${space.writable ? 'uav' : 'srv'} ${space.binding}`
    if (space.kind === 'tgsm')
      return `tgsm ${[space.byteOffset, space.byteLength, space.stride, space.count].join(' ')}`
    if (space.kind === 'batch') return `batch ${[space.part, space.byteOffset, space.everyLane ? 1 : 0].join(' ')}`
    return space.kind === 'mip-table' ? `mip-table ${space.binding}` : space.kind
  }

  #address(a: AccessAddress): string {
    const index = a.index === undefined ? '' : `index ${this.name(a.index)} `
    const valid = a.valid === undefined ? '' : ` valid ${this.name(a.valid)}`
    const checks = a.checks === undefined ? '' : a.checks.map((c) => ` ${this.#check(c)}`).join('')
    return `[${this.#space(a.space)}, ${index}offset ${this.name(a.offset)} stride ${a.stride}${valid}${checks}]`
  }

  #check({ reason, defined, bad, address, limit, texel }: Check): string {
    const places = texel === undefined ? '' : this.#texel(texel)
    const rule = defined ? 'defined' : 'undefined'
    return `(${reason} ${rule} bad ${this.name(bad)} address ${this.name(address)} limit ${this.name(limit)}${places})`
  }

  #texel(texel: TexelValues): string {
    const present = Object.entries(texel).filter((e): e is [string, Value] => e[1] !== undefined)
    return ` texel${present.map(([name, v]) => ` ${name} ${this.name(v)}`).join('')}`
  }

  #effect(item: EffectItem): string {
    switch (item.kind) {
      case 'load':
        return `load ${this.#address(item.address)} ${item.components.join('')} of ${item.dwords.join('')}`
      case 'store': {
        const bytes = item.bytes === undefined ? '' : `bytes ${item.bytes} `
        return `store ${this.#address(item.address)} ${bytes}${this.#list(item.values)}`
      }
      case 'atomic': {
        const compare = item.compare === undefined ? '' : ` compare ${this.name(item.compare)}`
        return `atomic ${item.operation} ${this.#address(item.address)} ${this.name(item.value)}${compare}`
      }
      case 'counter':
        return `counter ${item.direction} ${item.binding}`
      case 'private-load':
        return `private-load ${item.array} ${this.name(item.index)} ${item.component}`
      case 'private-store':
        return `private-store ${item.array} ${this.name(item.index)} ${item.component} ${this.name(item.value)}`
      case 'texel':
        return `texel ${JSON.stringify(item.request)} ${this.#list(item.args)}`
      case 'filter':
        return `filter ${item.codeBits === undefined ? '' : `codes${item.codeBits} `}${this.#list(operandsOf(item))}`
      case 'stop':
        return 'stop'
      case 'report': {
        const { operand, access, weight, unbound } = item
        return `report ${JSON.stringify({ operand, access, weight, unbound })} ${this.#check(item.check)}`
      }
      default:
        return item satisfies never
    }
  }

  #item(item: Item, indent: string): void {
    const line = (text: string): void => void this.lines.push(indent + text)
    switch (item.kind) {
      case 'value': {
        const { value } = item
        if (value.op === 'constant') return
        const imm = value.args.length === 0 || value.imm !== 0 ? `.${value.imm}` : ''
        const args = value.args.length === 0 ? '' : ` ${this.#list(value.args)}`
        line(`${this.name(value)} = ${value.op}${imm}${args}`)
        return
      }
      case 'if': {
        line(`if ${this.name(item.condition)} {`)
        this.region(item.taken, `${indent}  `)
        line('} else {')
        this.region(item.otherwise, `${indent}  `)
        line('}')
        for (const p of item.phis) line(`${this.name(p.value)} = phi ${this.#list([p.taken, p.otherwise])}`)
        return
      }
      case 'block':
        line(`block ${this.#label(item.label)} {`)
        this.region(item.body, `${indent}  `)
        line(item.fallthroughArgs === undefined ? '}' : `} fallthrough ${this.#list(item.fallthroughArgs)}`.trimEnd())
        this.#merges(item.label.phis, line)
        return
      case 'loop':
        line(`loop ${this.#label(item.label)} cost ${item.cost} @${item.statement} {`)
        for (const h of item.headerPhis) line(`  ${this.name(h.value)} = phi ${this.#list([h.init, h.next])}`)
        this.region(item.body, `${indent}  `)
        line('}')
        this.#merges(item.label.phis, line)
        return
      case 'break':
        line(`break ${this.#label(item.label)} ${this.#list(item.args)}`.trimEnd())
        return
      case 'barrier':
        line(`barrier @${item.statement}`)
        return
      default: {
        const results = 'results' in item && item.results.length > 0 ? `${this.#list(item.results)} = ` : ''
        const statement = 'statement' in item ? ` @${item.statement}` : ''
        line(results + this.#effect(item).trimEnd() + statement)
      }
    }
  }

  #merges(phis: readonly Value[], line: (text: string) => void): void {
    if (phis.length > 0) line(`${this.#list(phis)} = merge`)
  }
}

/** The text of a region with everything in it. */
export function printRegion(root: Region): string {
  const printer = new Printer()
  printer.region(root, '')
  return printer.lines.map((line) => `${line}\n`).join('')
}
