import type { Pair, ValueOps } from '../../isa/index.ts'
import { type Columns, constantColumn, scratchColumn } from './columns.ts'
import { FLUSHING_COMPARISONS, FLUSHING_KERNELS, KERNELS, type Kernel, lanes1, lanes2, lanes3 } from './kernels.ts'

/**
 * Runs the meaning of an instruction once, when the program is loaded, and writes down its primitive operations as steps
 * over columns. A dispatch then only walks the steps: what an instruction means is still said in one place, its row.
 */

/** A word of every lane: a result of a node, a column that exists, or a constant. */
export interface Value {
  readonly node: number
  /** 1 for the high word of an operation on doubles. */
  readonly part: 0 | 1
}

interface Node {
  op: string
  ins: Value[]
  /** Set for leaves. */
  readonly column?: number
  readonly bits?: number
  flushing: boolean
  /** No float32 denormal can be in it. */
  readonly flushed: boolean
}

/** One kernel call. */
export interface Step {
  readonly kernel: Kernel
  readonly d: number
  readonly a: number
  readonly b: number
  readonly c: number
}

/** Steps, then copies of columns (source, destination) for lanes that are active. */
export interface Recording {
  /** For waves whose lanes are all active: results go straight to their registers. */
  readonly direct: readonly Step[]
  /** For others: results go to scratch columns. */
  readonly masked: readonly Step[]
  /** Pairs of columns, source and destination, in a row. */
  readonly copies: readonly number[]
}

export interface Recorder {
  readonly columns: Columns
  readonly ops: ValueOps<Value>
  column(column: number): Value
  /** Columns of values, computed by steps that go to scratch; for handlers that read them lane by lane. */
  evaluate(values: readonly Value[]): { readonly steps: readonly Step[]; readonly columns: readonly number[] }
  /** Steps that leave each value in its column. */
  assign(targets: readonly { readonly value: Value; readonly column: number }[]): Recording
  /** A scratch column of this statement that the caller fills. */
  scratch(): number
}

const COPY: Kernel = KERNELS.copy!

export interface RecorderOptions {
  /** Exact operations on single words: constants are folded with them, rare operations run on them. */
  readonly numbers: ValueOps<number>
  readonly flush: boolean
  readonly fused: boolean
}

type UnaryOp =
  | 'f32RoundNearestEven'
  | 'countBits'
  | 'countLeadingZeros'
  | 'countTrailingZeros'
  | 'f32ToI32'
  | 'f32ToU32'

const NUMERIC_UNARY: readonly UnaryOp[] = [
  'f32RoundNearestEven',
  'countBits',
  'countLeadingZeros',
  'countTrailingZeros',
  'f32ToI32',
  'f32ToU32',
]
const NUMERIC_BINARY = ['i32MulHigh', 'u32MulHigh', 'u32Div', 'u32Rem'] as const

/** Operations whose result is never a denormal, whatever they are given. */
const NEVER_DENORMAL = new Set([
  'flushDenormal',
  'f32Equal',
  'f32Less',
  'f32LessEqual',
  'i32ToF32',
  'u32ToF32',
  'f32Sqrt',
])

function isDenormal(bits: number): boolean {
  return (bits & 0x7f800000) === 0 && (bits & 0x007fffff) !== 0
}

/** Kernels of one engine configuration. */
export function kernelsFor(options: RecorderOptions): Readonly<Record<string, Kernel>> {
  const { numbers } = options
  const kernels: Record<string, Kernel> = { ...KERNELS }
  for (const op of NUMERIC_UNARY) kernels[op] = lanes1(numbers[op])
  for (const op of NUMERIC_BINARY) kernels[op] = lanes2(numbers[op])
  if (options.fused) kernels.f32Mad = lanes3(numbers.f32Mad)
  return kernels
}

/** The graph of one statement. */
interface Graph {
  readonly nodes: Node[]
  readonly known: Map<string, Value>
  readonly options: RecorderOptions
}

function leaf(g: Graph, key: string, node: Partial<Node>): Value {
  const known = g.known.get(key)
  if (known !== undefined) return known
  g.nodes.push({ op: 'leaf', ins: [], flushing: false, flushed: false, ...node })
  const value: Value = { node: g.nodes.length - 1, part: 0 }
  g.known.set(key, value)
  return value
}

function constant(g: Graph, bits: number): Value {
  return leaf(g, `k${bits | 0}`, { bits: bits | 0, flushed: !isDenormal(bits) })
}

function apply(g: Graph, op: string, ins: readonly Value[]): Value {
  const key = `${op}(${ins.map((v) => `${v.node}.${v.part}`).join(',')})`
  const known = g.known.get(key)
  if (known !== undefined) return known
  const folded = fold(g, op, ins)
  if (folded !== undefined) return folded
  const flushed = NEVER_DENORMAL.has(op) || (op === 'select' && ins.slice(1).every((v) => g.nodes[v.node]!.flushed))
  g.nodes.push({ op, ins: [...ins], flushing: false, flushed })
  const value: Value = { node: g.nodes.length - 1, part: 0 }
  g.known.set(key, value)
  return value
}

/** The constant that an operation on constants gives; operations on doubles are left to run. */
function fold(g: Graph, op: string, ins: readonly Value[]): Value | undefined {
  const bits = ins.map((v) => g.nodes[v.node]!.bits)
  if (op.startsWith('f64') || op.endsWith('F64') || bits.some((b) => b === undefined)) return undefined
  const f = g.options.numbers[op as keyof ValueOps<number>] as (...words: number[]) => number
  return constant(g, f(...(bits as number[])))
}

function pair(v: Value): Pair<Value> {
  return [v, { node: v.node, part: 1 }]
}

/** The operations of ValueOps, recording. */
function recordingOps(g: Graph): ValueOps<Value> {
  const op1 = (name: string) => (a: Value) => apply(g, name, [a])
  const op2 = (name: string) => (a: Value, b: Value) => apply(g, name, [a, b])
  const pairs = (name: string) => (a: Pair<Value>, b: Pair<Value>) => apply(g, name, [...a, ...b])
  const fromPair = (name: string) => (a: Pair<Value>) => apply(g, name, [...a])
  const flush = (a: Value): Value => {
    const node = g.nodes[a.node]!
    return node.flushed ? a : apply(g, 'flushDenormal', [a])
  }
  return {
    constant: (bits) => constant(g, bits),
    select: (condition, a, b) => apply(g, 'select', [condition, a, b]),
    flushDenormal: g.options.flush ? flush : (a) => a,
    f32Add: op2('f32Add'),
    f32Sub: op2('f32Sub'),
    f32Mul: op2('f32Mul'),
    f32Div: op2('f32Div'),
    f32Sqrt: op1('f32Sqrt'),
    f32Mad: (a, b, c) => apply(g, 'f32Mad', [a, b, c]),
    f32RoundNearestEven: op1('f32RoundNearestEven'),
    f32Floor: op1('f32Floor'),
    f32Ceil: op1('f32Ceil'),
    f32Trunc: op1('f32Trunc'),
    f32Equal: op2('f32Equal'),
    f32Less: op2('f32Less'),
    f32LessEqual: op2('f32LessEqual'),
    i32Add: op2('i32Add'),
    i32Sub: op2('i32Sub'),
    i32Mul: op2('i32Mul'),
    i32MulHigh: op2('i32MulHigh'),
    u32MulHigh: op2('u32MulHigh'),
    u32Div: op2('u32Div'),
    u32Rem: op2('u32Rem'),
    i32Equal: op2('i32Equal'),
    i32Less: op2('i32Less'),
    u32Less: op2('u32Less'),
    and: op2('and'),
    or: op2('or'),
    xor: op2('xor'),
    not: op1('not'),
    shiftLeft: op2('shiftLeft'),
    shiftRightLogical: op2('shiftRightLogical'),
    shiftRightArithmetic: op2('shiftRightArithmetic'),
    countBits: op1('countBits'),
    countLeadingZeros: op1('countLeadingZeros'),
    countTrailingZeros: op1('countTrailingZeros'),
    f32ToI32: op1('f32ToI32'),
    f32ToU32: op1('f32ToU32'),
    i32ToF32: op1('i32ToF32'),
    u32ToF32: op1('u32ToF32'),
    f64Add: (a, b) => pair(pairs('f64Add')(a, b)),
    f64Mul: (a, b) => pair(pairs('f64Mul')(a, b)),
    f64Div: (a, b) => pair(pairs('f64Div')(a, b)),
    f64Fma: (a, b, c) => pair(apply(g, 'f64Fma', [...a, ...b, ...c])),
    f64Equal: pairs('f64Equal'),
    f64Less: pairs('f64Less'),
    f64LessEqual: pairs('f64LessEqual'),
    f64ToF32: fromPair('f64ToF32'),
    f32ToF64: (a) => pair(apply(g, 'f32ToF64', [a])),
    f64ToI32: fromPair('f64ToI32'),
    f64ToU32: fromPair('f64ToU32'),
    i32ToF64: (a) => pair(apply(g, 'i32ToF64', [a])),
    u32ToF64: (a) => pair(apply(g, 'u32ToF64', [a])),
  }
}

/** How often each node is read by nodes that are needed, outputs included. */
function countUses(g: Graph, outputs: readonly Value[]): Int32Array {
  const uses = new Int32Array(g.nodes.length)
  for (const v of outputs) uses[v.node]!++
  for (let i = g.nodes.length - 1; i >= 0; i--) {
    if (uses[i] !== 0) for (const v of g.nodes[i]!.ins) uses[v.node]!++
  }
  return uses
}

/**
 * Operations between flushes become one kernel that flushes: where every operand is flushed and the result only goes
 * into a flush, nothing else can see the difference.
 */
function fuseFlushes(g: Graph, outputs: readonly Value[], fused: boolean): void {
  const uses = countUses(g, outputs)
  const isFlush = (v: Value): boolean => g.nodes[v.node]!.op === 'flushDenormal'
  const strip = (v: Value): Value => (isFlush(v) ? g.nodes[v.node]!.ins[0]! : v)
  for (const node of g.nodes) {
    const flushedIns = (n: Node): boolean => n.ins.every((v) => g.nodes[v.node]!.flushed)
    if (node.op === 'flushDenormal' && !node.flushing) {
      const inner = g.nodes[node.ins[0]!.node]!
      const fits = FLUSHING_KERNELS[inner.op] !== undefined && !(fused && inner.op === 'f32Mad')
      if (!fits || uses[node.ins[0]!.node] !== 1 || !flushedIns(inner)) continue
      node.op = inner.op
      node.ins = inner.ins.map(strip)
      node.flushing = true
    } else if (FLUSHING_COMPARISONS[node.op] !== undefined && node.ins.some(isFlush) && flushedIns(node)) {
      node.ins = node.ins.map(strip)
      node.flushing = true
    }
  }
}

/** A kernel for an operation on doubles, which has more columns than a step names. */
function doubleKernel(numbers: ValueOps<number>, node: Node, ins: readonly number[], outs: readonly number[]): Kernel {
  const f = numbers[node.op as keyof ValueOps<number>] as (...args: unknown[]) => number | Pair<number>
  const takesPairs = node.op.startsWith('f64')
  const [low, high] = outs
  return (I, _F, _d, _a, _b, _c, n) => {
    for (let i = 0; i < n; i++) {
      const args: unknown[] = []
      for (let k = 0; k < ins.length; k += takesPairs ? 2 : 1) {
        args.push(takesPairs ? [I[ins[k]! + i]!, I[ins[k + 1]! + i]!] : I[ins[k]! + i]!)
      }
      const r = f(...args)
      if (typeof r === 'number') I[low! + i] = r
      else {
        I[low! + i] = r[0]
        I[high! + i] = r[1]
      }
    }
  }
}

function isDoubleOperation(op: string): boolean {
  return op.startsWith('f64') || op.endsWith('F64')
}

/** Where the values of nodes lie while steps run; scratch columns come free after the last read. */
interface Placement {
  readonly place: (v: Value) => number
  readonly steps: Step[]
  /** First scratch column that is still free. */
  readonly nextScratch: number
}

interface Emission {
  readonly g: Graph
  readonly columns: Columns
  readonly kernels: Readonly<Record<string, Kernel>>
  /** First scratch column that the statement has not taken for itself. */
  readonly firstScratch: number
  readonly outputs: readonly Value[]
  /** Columns for values (by node and part) that go straight to a register. */
  readonly direct: ReadonlyMap<string, number>
}

const keyOf = (v: Value): string => `${v.node}.${v.part}`

/** The node after which a value is read no more; outputs live to the end. */
function lastReads(g: Graph, uses: Int32Array, outputs: readonly Value[]): Int32Array {
  const last = new Int32Array(g.nodes.length).fill(-1)
  g.nodes.forEach((node, i) => {
    if (uses[i] !== 0) for (const v of node.ins) last[v.node] = i
  })
  for (const v of outputs) last[v.node] = g.nodes.length
  return last
}

function emit(e: Emission): Placement {
  const { g, columns } = e
  const uses = countUses(g, e.outputs)
  const last = lastReads(g, uses, e.outputs)
  const home = new Map<string, number>()
  const free: number[] = []
  const freeAfter = new Map<number, number[]>()
  let taken = e.firstScratch
  const steps: Step[] = []
  const place = (v: Value): number => {
    const node = g.nodes[v.node]!
    if (node.bits !== undefined) return constantColumn(columns, node.bits)
    return node.column ?? home.get(keyOf(v))!
  }
  const settle = (node: number, part: 0 | 1): number => {
    const value: Value = { node, part }
    const direct = e.direct.get(keyOf(value))
    const index = direct === undefined ? (free.pop() ?? taken++) : -1
    const column = direct ?? scratchColumn(columns, index)
    home.set(keyOf(value), column)
    if (index >= 0 && last[node]! < g.nodes.length) {
      const due = Math.max(last[node]!, node)
      freeAfter.set(due, [...(freeAfter.get(due) ?? []), index])
    }
    return column
  }
  g.nodes.forEach((node, i) => {
    if (uses[i] === 0 || node.op === 'leaf') return
    const ins = node.ins.map(place)
    if (isDoubleOperation(node.op)) {
      // Both words are settled before the sources are given up: the kernel writes lane by lane, so they may not overlap.
      const outs = [settle(i, 0), settle(i, 1)]
      steps.push({ kernel: doubleKernel(g.options.numbers, node, ins, outs), d: 0, a: 0, b: 0, c: 0 })
    } else {
      const table = node.flushing ? { ...FLUSHING_COMPARISONS, ...FLUSHING_KERNELS } : e.kernels
      steps.push({ kernel: table[node.op]!, d: settle(i, 0), a: ins[0]!, b: ins[1] ?? 0, c: ins[2] ?? 0 })
    }
    for (const index of freeAfter.get(i) ?? []) free.push(index)
  })
  return { place, steps, nextScratch: taken }
}

interface Target {
  readonly value: Value
  readonly column: number
}

/**
 * Targets that an operation may write straight to: each once, and only where no later step and no copy reads what the
 * register held before.
 */
function directTargets(g: Graph, targets: readonly Target[]): Map<string, number> {
  const uses = countUses(
    g,
    targets.map((t) => t.value),
  )
  const lastLeafRead = new Map<number, number>()
  g.nodes.forEach((node, i) => {
    if (uses[i] === 0) return
    for (const v of node.ins) {
      const column = g.nodes[v.node]!.column
      if (column !== undefined) lastLeafRead.set(column, i)
    }
  })
  for (const t of targets) {
    const column = g.nodes[t.value.node]!.column
    if (column !== undefined) lastLeafRead.set(column, g.nodes.length)
  }
  const direct = new Map<string, number>()
  for (const t of targets) {
    const node = g.nodes[t.value.node]!
    const once = targets.filter((o) => keyOf(o.value) === keyOf(t.value)).length === 1
    const readLater = (lastLeafRead.get(t.column) ?? -1) > t.value.node
    if (node.op !== 'leaf' && once && !readLater) direct.set(keyOf(t.value), t.column)
  }
  return direct
}

/** Plain moves between registers that are also written go through a copy, so that the order of moves does not matter. */
function stageMoves(g: Graph, targets: readonly Target[]): Target[] {
  const written = new Set(targets.map((t) => t.column))
  return targets.map((t) => {
    const source = g.nodes[t.value.node]!.column
    if (source === undefined || source === t.column || !written.has(source)) return t
    return { value: apply(g, 'copy', [t.value]), column: t.column }
  })
}

/** A recorder for one statement. */
export function createRecorder(
  columns: Columns,
  options: RecorderOptions,
  kernels: Readonly<Record<string, Kernel>>,
): Recorder {
  const g: Graph = { nodes: [], known: new Map(), options }
  let own = 0
  const emission = (outputs: readonly Value[], direct: ReadonlyMap<string, number>): Emission => {
    return { g, columns, kernels, firstScratch: own, outputs, direct }
  }
  return {
    columns,
    ops: recordingOps(g),
    column: (column) => leaf(g, `c${column}`, { column }),
    scratch: () => scratchColumn(columns, own++),
    evaluate(values) {
      fuseFlushes(g, values, options.fused)
      const { steps, place, nextScratch } = emit(emission(values, new Map()))
      own = nextScratch
      return { steps, columns: values.map(place) }
    },
    assign(targets) {
      const staged = stageMoves(g, targets)
      const values = staged.map((t) => t.value)
      fuseFlushes(g, values, options.fused)
      const masked = emit(emission(values, new Map()))
      const copies = staged.flatMap((t) => [masked.place(t.value), t.column])
      const targetsDirect = directTargets(g, staged)
      const direct = emit(emission(values, targetsDirect))
      const rest = staged
        .filter((t) => direct.place(t.value) !== t.column)
        .map((t): Step => ({ kernel: COPY, d: t.column, a: direct.place(t.value), b: 0, c: 0 }))
      return { direct: [...direct.steps, ...rest], masked: masked.steps, copies }
    },
  }
}
