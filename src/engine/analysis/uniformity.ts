import { largest } from '../../diagnostic/index.ts'
import {
  type Builder,
  constantOf,
  FILTER_NEEDS_EXACT,
  type Item,
  type Label,
  OPS,
  type Op,
  type Region,
  resultsOf,
  someItem,
  type Value,
} from '../ir/index.ts'
import { SameInQuads } from './same-in-quads.ts'

/**
 * The widest scope across which a value is uniform, and how it differs by lane; emission keeps uniform values in
 * scalars.
 */

/** How far a value is the same: for all threads of the dispatch, of a group, of a wave, or not at all. */
export const DISPATCH = 0
export const GROUP = 1
export const WAVE = 2
export const VARYING = 3
export type Level = typeof DISPATCH | typeof GROUP | typeof WAVE | typeof VARYING

export interface Shape {
  readonly level: Level
  /**
   * Of a varying value that is its first lane's value plus a number that is the same in every wave: those numbers, by
   * lane, as signed 32-bit words; the first is 0.
   */
  readonly pattern: Int32Array | undefined
}

const LEVELS: readonly Level[] = [DISPATCH, GROUP, WAVE, VARYING]
const SHAPES: readonly Shape[] = LEVELS.map((level) => ({ level, pattern: undefined }))
const shapeOf = (level: Level): Shape => SHAPES[level]!
const SAME = shapeOf(DISPATCH)
const VARIES = shapeOf(VARYING)

const maxLevel = (levels: readonly Level[]): Level => largest(DISPATCH, levels) as Level

/** x, y, z of a thread in its group, or its flattened number (component 3). */
export function threadComponent(threads: readonly [number, number, number], flat: number, component: number): number {
  const x = threads[0]
  const y = threads[1]
  if (component === 0) return flat % x
  if (component === 1) return Math.floor(flat / x) % y
  return component === 2 ? Math.floor(flat / (x * y)) : flat
}

/** Patterns that were found: finding one goes over all threads of a group, and programs have few kinds of groups. */
const PATTERNS = new Map<string, Shape>()
const MAX_PATTERNS = 256

/** The pattern of a thread number over the lanes, if every wave has the same. */
function threadPattern(threads: readonly [number, number, number], lanes: number, component: number): Shape {
  const key = `${threads.join()} ${lanes} ${component}`
  let found = PATTERNS.get(key)
  if (found === undefined) {
    found = findPattern(threads, lanes, component)
    if (PATTERNS.size >= MAX_PATTERNS) PATTERNS.clear()
    PATTERNS.set(key, found)
  }
  return found
}

function findPattern(threads: readonly [number, number, number], lanes: number, component: number): Shape {
  const count = threads[0] * threads[1] * threads[2]
  const pattern = new Int32Array(lanes)
  for (let first = 0; first < count; first += lanes) {
    const base = threadComponent(threads, first, component)
    for (let l = 0; l < lanes && first + l < count; l++) {
      const difference = threadComponent(threads, first + l, component) - base
      if (first === 0) pattern[l] = difference
      else if (pattern[l] !== difference) return VARIES
    }
    // Lanes past the group's end continue the sequence: nothing reads them, and a regular pattern is cheap.
    if (first === 0 && count < lanes) for (let l = count; l < lanes; l++) pattern[l] = count === 1 ? 0 : l * pattern[1]!
  }
  return withPattern(pattern, WAVE)
}

function withPattern(pattern: Int32Array, uniform: Level): Shape {
  return pattern.every((p) => p === 0) ? shapeOf(uniform) : { level: VARYING, pattern }
}

function samePattern(a: Int32Array, b: Int32Array): boolean {
  return a.every((p, i) => p === b[i])
}

/** Operations of two operands whose results follow the patterns of these. */
const KEEPS_PATTERN: ReadonlySet<Op> = new Set<Op>(['i32Add', 'i32Sub', 'or', 'i32Mul', 'shiftLeft'])

/** Levels and patterns of all values for waves of a given number of lanes. */
export class Uniformity {
  /** By the number of the value. */
  readonly #shapes: (Shape | undefined)[] = []
  /** Labels that some lanes of a wave reach while others go on. */
  readonly #divergent = new Set<Label>()
  readonly #builder: Builder
  readonly #threads: readonly [number, number, number]
  readonly lanes: number
  /** The pattern of what is the same in all lanes. */
  readonly #zeros: Int32Array
  #changed = false
  /** There are words of quads that are packed. */
  packsQuads = false
  readonly #sameInQuads = new SameInQuads((v) => this.level(v) < VARYING)

  constructor(builder: Builder, root: Region, threads: readonly [number, number, number], lanes: number) {
    this.#builder = builder
    this.#threads = threads
    this.lanes = lanes
    this.#zeros = new Int32Array(lanes)
    // Where nothing leaves a region or repeats it, what a value depends on stands before it.
    const isRepeated = someItem(root.items, (item) => item.kind === 'loop' || item.kind === 'block')
    do {
      this.#changed = false
      this.#region(root, [])
    } while (isRepeated && this.#changed)
  }

  of(v: Value): Shape {
    return this.#shapes[v.id] ?? SAME
  }
  level(v: Value): Level {
    return this.of(v).level
  }
  /** Whether the lanes of each quad have one word, and so one address of memory. */
  isSameInQuads(v: Value): boolean {
    return this.#sameInQuads.has(v)
  }
  /** What a merge of an if that the whole wave takes is chosen from; undefined of other values. */
  mergedOf(v: Value): readonly Value[] | undefined {
    return this.#sameInQuads.mergedOf(v)
  }
  isDivergent(label: Label): boolean {
    return this.#divergent.has(label)
  }

  #set(v: Value, shape: Shape): void {
    const old = this.#shapes[v.id]
    const merged = old === undefined ? shape : weaker(old, shape)
    if (old !== undefined && old.level === merged.level && old.pattern === merged.pattern) return
    this.#shapes[v.id] = merged
    // Values are found before they are read. Merges at heads of loops are found twice in a pass, so that a change by the body shows.
    if (old !== undefined) this.#changed = true
  }

  #value(v: Value): Shape {
    const { variesBy, isOfWave } = OPS[v.op]
    if (v.op === 'packQuads') this.packsQuads = true
    switch (variesBy) {
      case 'group':
        return shapeOf(GROUP)
      case 'thread':
        return threadPattern(this.#threads, this.lanes, v.imm)
      case 'invocation':
        return VARIES
      case 'operands': {
        let level: Level = DISPATCH
        for (let i = 0; i < v.args.length; i++) {
          const ofOperand = this.level(v.args[i]!)
          if (ofOperand > level) level = ofOperand
        }
        if (level < VARYING) return shapeOf(level)
        return isOfWave ? shapeOf(WAVE) : this.#affine(v)
      }
      default:
        return variesBy satisfies never
    }
  }

  #patternOf(v: Value): Int32Array | undefined {
    const shape = this.of(v)
    return shape.level < VARYING ? this.#zeros : shape.pattern
  }

  #affine(v: Value): Shape {
    // Most operations keep no pattern: this runs for every value of a program several times.
    if (!KEEPS_PATTERN.has(v.op)) return VARIES
    const a = v.args[0]
    const b = v.args[1]
    if (a === undefined || b === undefined) return VARIES
    const pa = this.#patternOf(a)
    const pb = this.#patternOf(b)
    if (pa === undefined || pb === undefined) return VARIES
    const combine = (f: (x: number, y: number) => number): Shape =>
      withPattern(
        pa.map((x, i) => f(x, pb[i]!)),
        WAVE,
      )
    switch (v.op) {
      case 'i32Add':
        return combine((x, y) => x + y)
      case 'i32Sub':
        return combine((x, y) => x - y)
      case 'or': {
        // Bits that do not meet add up, in every lane alike.
        const disjoint = (this.#builder.facts(a).maybe & this.#builder.facts(b).maybe) === 0
        return disjoint ? combine((x, y) => x + y) : VARIES
      }
      case 'i32Mul': {
        const factor = constantOf(b)
        return factor === undefined ? VARIES : combine((x) => Math.imul(x, factor))
      }
      case 'shiftLeft': {
        const count = constantOf(b)
        return count === undefined ? VARIES : combine((x) => x << (count & 31))
      }
      default:
        return VARIES
    }
  }

  /** A merge of values that come in by `control`. */
  #merge(values: readonly Value[], control: Level): Shape {
    let level = control
    for (let n = 0; n < values.length; n++) {
      const ofValue = this.level(values[n]!)
      if (ofValue > level) level = ofValue
    }
    if (level < VARYING) return shapeOf(level)
    const first = control < VARYING ? this.of(values[0]!).pattern : undefined
    if (first === undefined) return VARIES
    const isSame = (v: Value): boolean => {
      const { pattern } = this.of(v)
      return pattern !== undefined && samePattern(first, pattern)
    }
    return values.every(isSame) ? { level, pattern: first } : VARIES
  }

  readonly #labelInputs = new Map<Label, { args: (readonly Value[])[]; control: Level }>()

  #inputsOf(label: Label): { args: (readonly Value[])[]; control: Level } {
    let inputs = this.#labelInputs.get(label)
    if (inputs === undefined) {
      inputs = { args: [], control: DISPATCH }
      this.#labelInputs.set(label, inputs)
    }
    return inputs
  }

  /** `around` is what encloses the region: conditions of ifs and labels, from the outside in. */
  #region(region: Region, around: readonly (Value | Label)[]): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) this.#item(items[n]!, around)
  }

  #item(item: Item, around: readonly (Value | Label)[]): void {
    switch (item.kind) {
      case 'value':
        // What was found to vary in every way stays so.
        if (this.#shapes[item.value.id] !== VARIES) this.#set(item.value, this.#value(item.value))
        return
      case 'if': {
        const inside = around.concat(item.condition)
        this.#region(item.taken, inside)
        this.#region(item.otherwise, inside)
        const control = this.level(item.condition)
        for (const p of item.phis) this.#set(p.value, this.#merge([p.taken, p.otherwise], control))
        if (control < VARYING) this.#sameInQuads.merges(item.phis)
        else this.#sameInQuads.diverges(item.phis)
        return
      }
      case 'block': {
        this.#labelInputs.delete(item.label)
        this.#region(item.body, around.concat(item.label))
        if (item.fallthroughArgs !== undefined) this.#inputsOf(item.label).args.push(item.fallthroughArgs)
        this.#labelPhis(item.label)
        return
      }
      case 'loop': {
        this.#labelInputs.delete(item.label)
        for (const h of item.headerPhis) this.#set(h.value, this.of(h.init))
        this.#region(item.body, around.concat(item.label))
        for (const h of item.headerPhis) this.#set(h.value, this.#merge([h.init, h.next], DISPATCH))
        this.#labelPhis(item.label)
        return
      }
      case 'break':
        this.#break(item.label, item.args, around)
        return
      case 'barrier':
      case 'store':
      case 'private-store':
      case 'stop':
      case 'report':
        return
      default: {
        for (const r of resultsOf(item)) this.#set(r, this.#result(item, r))
      }
    }
  }

  #labelPhis(label: Label): void {
    const { args, control } = this.#inputsOf(label)
    const how = this.#divergent.has(label) ? VARYING : control
    label.phis.forEach((p, i) => {
      const values = args.map((a) => a[i]!)
      if (values.length > 0) this.#set(p, this.#merge(values, how))
    })
  }

  #break(label: Label, args: readonly Value[], around: readonly (Value | Label)[]): void {
    const inside = around.slice(around.indexOf(label) + 1)
    const controls = inside.map((x) => ('phis' in x ? (this.#divergent.has(x) ? VARYING : DISPATCH) : this.level(x)))
    const control = maxLevel(controls as Level[])
    const inputs = this.#inputsOf(label)
    inputs.args.push(args)
    inputs.control = maxLevel([inputs.control, control])
    if (control === VARYING && !this.#divergent.has(label)) {
      this.#divergent.add(label)
      this.#changed = true
    }
  }

  #result(item: Item, result: Value): Shape {
    if (item.kind === 'load') {
      this.#sameInQuads.loads(item)
      const { address } = item
      const { index, offset, valid } = address
      let level = this.level(offset)
      if (index !== undefined && this.level(index) > level) level = this.level(index)
      if (valid !== undefined && this.level(valid) > level) level = this.level(valid)
      if (level === VARYING) return VARIES
      // Memory that is written changes between the waves of a group.
      const { space } = address
      const isReadOnly = space.kind !== 'tgsm' && (space.kind !== 'buffer' || !space.writable)
      return shapeOf(isReadOnly ? level : WAVE)
    }
    if (item.kind === 'texel' && item.request.operation === 'resinfo')
      return shapeOf(maxLevel(item.args.map((a) => this.level(a))))
    // Whether a filter has to be exact is decided for the whole wave.
    if (item.kind === 'filter' && result.imm === FILTER_NEEDS_EXACT) return shapeOf(WAVE)
    return VARIES
  }
}

function weaker(a: Shape, b: Shape): Shape {
  if (a.level < VARYING && b.level < VARYING) return a.level >= b.level ? a : b
  if (a.level < VARYING || b.level < VARYING) {
    // From uniform to a pattern, or the other way: the pattern of a uniform value is zeros, so they differ.
    const varying = a.level === VARYING ? a : b
    return varying.pattern === undefined || a.level === VARYING ? VARIES : varying
  }
  if (a.pattern === undefined || b.pattern === undefined) return VARIES
  return samePattern(a.pattern, b.pattern) ? a : VARIES
}
