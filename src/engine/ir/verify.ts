import { atomicOperation } from '../../isa/index.ts'
import type { BindingUse } from './bindings.ts'
import { OPS } from './ops.ts'
import type { Lowered } from './program.ts'
import {
  type EffectItem,
  type IfMerge,
  type Item,
  type Label,
  operandsOf,
  type Region,
  resultsOf,
  type Value,
} from './value.ts'
import { propertyOf } from './view-properties.ts'

/**
 * Whether a program keeps the rules of the intermediate language (docs/ir.md). Tests and differential runs verify after
 * each pass (`pass-check.ts`); production does not.
 */

/** What has to be true of values and items; each has a broken program in verify.test.ts. */
export type Rule =
  | 'single-definition'
  | 'visibility'
  | 'region'
  | 'operand-types'
  | 'input-range'
  | 'label'
  | 'merge-arity'
  | 'merge-input'
  | 'results'
  | 'unreachable'
  | 'fallthrough'
  | 'binding'
  | 'private-array'
  | 'atomic-operands'

interface Violation {
  readonly rule: Rule
  readonly message: string
}

type Program = Pick<Lowered, 'root'> &
  Partial<Pick<Lowered, 'privateArrays'>> & { readonly bindings?: { readonly uses: readonly BindingUse[] } }

/** Numbers of results that each kind of item may have. */
const RESULT_COUNTS: { readonly [K in Item['kind']]: (item: Extract<Item, { kind: K }>) => readonly number[] } = {
  load: (item) => [item.components.length],
  atomic: () => [0, 1],
  counter: () => [1],
  'private-load': () => [1],
  texel: () => [0, 1, 4],
  filter: () => [4, 5],
  value: () => [0],
  store: () => [0],
  'private-store': () => [0],
  stop: () => [0],
  report: () => [0],
  if: () => [0],
  block: () => [0],
  loop: () => [0],
  break: () => [0],
  barrier: () => [0],
}

/** Numbers that the immediate of an input may be below. */
const INPUT_LIMITS = { threadInGroup: 4, groupId: 3, immediateConstant: 4 } as const

class Verifier {
  readonly violations: Violation[] = []
  readonly #program: Program
  readonly #defined = new Set<Value>()
  /** Values that can be read here, by the regions around, the innermost last. */
  readonly #visible: Set<Value>[] = []
  readonly #enclosing: Label[] = []
  readonly #labels = new Set<Label>()

  constructor(program: Program) {
    this.#program = program
  }

  #fail(rule: Rule, message: string): void {
    this.violations.push({ rule, message })
  }

  #read(v: Value, by: string, rule: 'visibility' | 'merge-input' = 'visibility'): void {
    if (this.#visible.some((values) => values.has(v))) return
    this.#fail(rule, `${by} reads ${describe(v)}, which is not visible there`)
  }

  #define(v: Value, region: Region): void {
    if (this.#defined.has(v)) this.#fail('single-definition', `${describe(v)} is defined twice`)
    this.#defined.add(v)
    if (v.region !== region) this.#fail('region', `${describe(v)} names another region than the one it stands in`)
    this.#visible.at(-1)!.add(v)
  }

  #merge(v: Value, region: Region): void {
    if (v.op !== 'phi') this.#fail('merge-arity', `${describe(v)} is defined by a merge and is none`)
    this.#define(v, region)
  }

  /** Verifies a region; answers whether its flow ends in it. `atEnd` reads what is read behind its last item. */
  region(region: Region, atEnd: (ended: boolean, made: ReadonlySet<Value>) => void = () => {}): boolean {
    const made = new Set<Value>()
    this.#visible.push(made)
    const ended = this.#items(region)
    atEnd(ended, made)
    this.#visible.pop()
    return ended
  }

  #items(region: Region): boolean {
    let ended = false
    for (const item of region.items) {
      if (ended) {
        this.#fail('unreachable', `${item.kind} stands behind the end of its region's flow`)
        return true
      }
      ended = this.#item(item, region)
    }
    return ended
  }

  #inner(inner: Region, outer: Region, loopBody: boolean): void {
    const isChild = inner.parent === outer && inner.depth === outer.depth + 1
    if (!isChild || inner.loopBody !== loopBody)
      this.#fail('region', 'a region has another parent or loop than the item around it')
  }

  #item(item: Item, region: Region): boolean {
    switch (item.kind) {
      case 'value':
        this.#value(item.value, region)
        return false
      case 'if':
        return this.#if(item, region)
      case 'block':
      case 'loop':
        return this.#labeled(item, region)
      case 'break':
        this.#break(item)
        return true
      case 'barrier':
        return false
      default:
        this.#effect(item, region)
        return false
    }
  }

  #value(v: Value, region: Region): void {
    const { operands, result } = OPS[v.op]
    for (const a of v.args) this.#read(a, describe(v))
    const isFitting = operands.length === v.args.length && operands.every((t, i) => (t === 'f64') === v.args[i]!.double)
    if (!isFitting || v.double !== (result === 'f64')) {
      const types = v.args.map((a) => (a.double ? 'f64' : 'word')).join(', ')
      this.#fail('operand-types', `${describe(v)} takes ${operands.join(', ') || 'nothing'}, and is given ${types}`)
    }
    if (v.op === 'phi' || v.op === 'result') this.#fail('results', `${describe(v)} belongs to an item`)
    const limit = v.op in INPUT_LIMITS ? INPUT_LIMITS[v.op as keyof typeof INPUT_LIMITS] : undefined
    if (limit !== undefined && v.imm >= limit)
      this.#fail('input-range', `${describe(v)}: ${v.imm} is not below ${limit}`)
    if (v.op === 'constantBuffer') this.#binding(v.imm >> 2, ['b'], describe(v))
    if (v.op === 'descriptor') this.#binding(propertyOf(v.imm).binding, ['t', 'u', 'b'], describe(v))
    this.#define(v, region)
  }

  #if(item: Extract<Item, { kind: 'if' }>, region: Region): boolean {
    this.#read(item.condition, 'an if')
    this.#inner(item.taken, region, false)
    this.#inner(item.otherwise, region, false)
    const reached: ReadonlySet<Value>[] = []
    const side = (inner: Region, pick: (p: IfMerge) => Value): void => {
      this.region(inner, (ended, made) => {
        if (ended) return
        for (const p of item.phis) this.#read(pick(p), `a merge ${describe(p.value)}`, 'merge-input')
        reached.push(made)
      })
    }
    side(item.taken, (p) => p.taken)
    side(item.otherwise, (p) => p.otherwise)
    for (const p of item.phis) this.#merge(p.value, region)
    // Where one side ends its flow, only the other comes to what follows.
    if (reached.length === 1) for (const v of reached[0]!) this.#visible.at(-1)!.add(v)
    return reached.length === 0
  }

  #labeled(item: Extract<Item, { kind: 'block' | 'loop' }>, region: Region): boolean {
    const { label, body } = item
    if (this.#labels.has(label)) this.#fail('label', `label ${label.id} is that of two items`)
    this.#labels.add(label)
    if (label.loop !== (item.kind === 'loop')) this.#fail('label', `label ${label.id} is none of a ${item.kind}`)
    this.#inner(body, region, item.kind === 'loop')
    this.#enclosing.push(label)
    const before = this.#reached.size
    if (item.kind === 'loop') this.#loopBody(item)
    else this.#blockBody(item)
    this.#enclosing.pop()
    const isReached = this.#reached.delete(label) || (item.kind === 'block' && item.fallthroughArgs !== undefined)
    for (const p of label.phis) this.#merge(p, region)
    return !isReached && before <= this.#reached.size
  }

  /** Labels that a break goes to. */
  readonly #reached = new Set<Label>()

  #loopBody({ body, headerPhis }: Extract<Item, { kind: 'loop' }>): void {
    for (const h of headerPhis) this.#read(h.init, `the start of a loop's ${describe(h.value)}`, 'merge-input')
    this.#visible.push(new Set())
    for (const h of headerPhis) this.#merge(h.value, body)
    this.region(body, () => {
      for (const h of headerPhis) this.#read(h.next, `the next ${describe(h.value)}`, 'merge-input')
    })
    this.#visible.pop()
  }

  #blockBody({ body, label, fallthroughArgs }: Extract<Item, { kind: 'block' }>): void {
    this.region(body, (ended) => {
      if (ended !== (fallthroughArgs === undefined)) {
        this.#fail(
          'fallthrough',
          `block ${label.id} ${ended ? 'ends before its end and' : 'is left at its end, but not'} with arguments`,
        )
      }
      if (fallthroughArgs !== undefined) this.#arguments(label, fallthroughArgs)
    })
  }

  #arguments(label: Label, args: readonly Value[]): void {
    for (const v of args) this.#read(v, `a jump to label ${label.id}`, 'merge-input')
    if (args.length !== label.phis.length) {
      this.#fail('merge-arity', `${args.length} arguments for the ${label.phis.length} merges of label ${label.id}`)
    }
  }

  #break({ label, args }: Extract<Item, { kind: 'break' }>): void {
    if (!this.#enclosing.includes(label)) this.#fail('label', `a break to label ${label.id} stands outside of its item`)
    this.#reached.add(label)
    this.#arguments(label, args)
  }

  #effect(item: EffectItem, region: Region): void {
    for (const v of operandsOf(item)) {
      this.#read(v, item.kind)
      if (v.double) this.#fail('operand-types', `${item.kind} reads the double ${describe(v)}`)
    }
    const results = resultsOf(item)
    const counts = (RESULT_COUNTS[item.kind] as (item: EffectItem) => readonly number[])(item)
    if (!counts.includes(results.length)) this.#fail('results', `${item.kind} has ${results.length} results`)
    results.forEach((r, i) => {
      if (r.op !== 'result' || r.imm !== i) this.#fail('results', `${describe(r)} is not result ${i} of ${item.kind}`)
      this.#define(r, region)
    })
    this.#places(item)
  }

  /** Bindings and private arrays that an item names. */
  #places(item: EffectItem): void {
    if (item.kind === 'load' || item.kind === 'store' || item.kind === 'atomic') {
      const { space } = item.address
      if (space.kind === 'buffer') this.#binding(space.binding, space.writable ? ['u'] : ['t'], item.kind)
      if (space.kind === 'mip-table') this.#binding(space.binding, ['t', 'u'], item.kind)
      if (item.kind === 'atomic' && atomicOperation(item.operation).compares !== (item.compare !== undefined)) {
        this.#fail(
          'atomic-operands',
          `${item.operation} ${item.compare === undefined ? 'lacks' : 'has'} a value to compare with`,
        )
      }
    } else if (item.kind === 'counter') this.#binding(item.binding, ['u'], item.kind)
    else if (item.kind === 'texel') {
      this.#binding(item.request.binding, item.request.writable ? ['u'] : ['t'], item.kind)
      if (item.request.sampler !== undefined) this.#binding(item.request.sampler, ['s'], item.kind)
    } else if (item.kind === 'private-load' || item.kind === 'private-store') {
      const arrays = this.#program.privateArrays
      if (arrays !== undefined && arrays[item.array] === undefined) {
        this.#fail('private-array', `${item.kind} of array ${item.array}: there are ${arrays.length}`)
      }
      if (item.component > 3) this.#fail('private-array', `${item.kind} of component ${item.component}`)
    }
  }

  #binding(number: number, registers: readonly BindingUse['register'][], by: string): void {
    const { bindings } = this.#program
    if (bindings === undefined) return
    const use = bindings.uses[number]
    if (use !== undefined && registers.includes(use.register)) return
    const found = use === undefined ? 'not in the table' : `a ${use.register}#`
    this.#fail('binding', `${by} names binding ${number}, which is ${found} instead of a ${registers.join('# or ')}#`)
  }
}

const describe = (v: Value): string => `${v.op} (value ${v.id})`

/** The rules that a program breaks. */
export function verify(program: Program): readonly Violation[] {
  const verifier = new Verifier(program)
  verifier.region(program.root)
  return verifier.violations
}

/** Throws where a program breaks a rule; `after` names the pass that made it. */
export function verifyOrThrow(program: Program, after: string): void {
  const found = verify(program)
  if (found.length === 0) return
  const text = found.slice(0, 5).map((v) => `${v.rule}: ${v.message}`)
  throw new Error(`after ${after}, the intermediate code breaks its rules: ${text.join('; ')}`)
}
