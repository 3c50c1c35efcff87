import { type Pair, type ValueOps, wordsOf } from '../../../isa/index.ts'
import { KERNELS, type Kernel, lanes1, lanes2, lanes3 } from './column-loops.ts'
import { type Columns, scratchColumn } from './columns.ts'
import { directTargets, type Emission, emit, fuseFlushes, type Reads, readsOf, type Step, stageMoves } from './emit.ts'
import {
  apply,
  constant,
  type DoubleNode,
  type Graph,
  leaf,
  type RecorderOptions,
  type Value,
  type WordNode,
} from './graph.ts'

/**
 * Runs the meaning of an instruction once, when the program is loaded, and writes down its primitive operations as steps
 * over columns. A dispatch then only walks the steps: what an instruction means is still said in one place, its row.
 */

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
  /** Begins a statement: what was recorded for the one before is forgotten. */
  begin(): void
  readonly ops: ValueOps<Value>
  column(column: number): Value
  /** Columns of values, computed by steps that go to scratch; for handlers that read them lane by lane. */
  evaluate(values: readonly Value[]): { readonly steps: readonly Step[]; readonly columns: readonly number[] }
  /** Steps that leave each value in its column. */
  assign(targets: readonly { readonly value: Value; readonly column: number }[]): Recording
  /** A scratch column of this statement that the caller fills. */
  scratch(): number
}

/** Kernels of one engine configuration. */
export function kernelsFor({ numbers, fused }: RecorderOptions): Readonly<Record<WordNode, Kernel>> {
  return {
    ...KERNELS,
    ...(fused ? { f32Mad: lanes3(numbers.f32Mad) } : {}),
    f32RoundNearestEven: lanes1(numbers.f32RoundNearestEven),
    countBits: lanes1(numbers.countBits),
    countLeadingZeros: lanes1(numbers.countLeadingZeros),
    countTrailingZeros: lanes1(numbers.countTrailingZeros),
    f32ToI32: lanes1(numbers.f32ToI32),
    f32ToU32: lanes1(numbers.f32ToU32),
    i32MulHigh: lanes2(numbers.i32MulHigh),
    u32MulHigh: lanes2(numbers.u32MulHigh),
    u32Div: lanes2(numbers.u32Div),
    u32Rem: lanes2(numbers.u32Rem),
  }
}

function pair(v: Value): Pair<Value> {
  return [v, { node: v.node, part: 1 }]
}

/** The operations of ValueOps, recording. */
function recordingOps(g: Graph): ValueOps<Value> {
  const op1 = (name: DoubleNode | WordNode) => (a: Value) => apply(g, name, [a])
  const op2 = (name: DoubleNode | WordNode) => (a: Value, b: Value) => apply(g, name, [a, b])
  const pairs = (name: DoubleNode | WordNode) => (a: Pair<Value>, b: Pair<Value>) =>
    apply(g, name, [a[0], a[1], b[0], b[1]])
  const fromPair = (name: DoubleNode | WordNode) => (a: Pair<Value>) => apply(g, name, wordsOf(a))
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
    f64Fma: (a, b, c) => pair(apply(g, 'f64Fma', [a, b, c].flatMap(wordsOf))),
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

const NOT_DIRECT: ReadonlyMap<number, number> = new Map()

/**
 * A recorder for one statement after the other. Code that runs refers to the statement that it was made for, so a recorder
 * of its own with all that was recorded would live as long as the code.
 */
export function createRecorder(
  columns: Columns,
  options: RecorderOptions,
  kernels: Readonly<Record<WordNode, Kernel>>,
): Recorder {
  const g: Graph = { nodes: [], known: new Map(), options }
  let own = 0
  const emission = (reads: Reads, direct: ReadonlyMap<number, number>): Emission => {
    return { g, columns, kernels, firstScratch: own, reads, direct }
  }
  return {
    columns,
    ops: recordingOps(g),
    begin() {
      g.nodes = []
      g.known.clear()
      own = 0
    },
    column: (column) => leaf(g, column, { column }),
    scratch: () => scratchColumn(columns, own++),
    evaluate(values) {
      fuseFlushes(g, values, options.fused)
      const { steps, place, nextScratch } = emit(emission(readsOf(g, values), NOT_DIRECT))
      own = nextScratch
      return { steps, columns: values.map(place) }
    },
    assign(targets) {
      const staged = stageMoves(g, targets)
      const values = staged.map((t) => t.value)
      fuseFlushes(g, values, options.fused)
      const reads = readsOf(g, values)
      const masked = emit(emission(reads, NOT_DIRECT))
      const copies = staged.flatMap((t) => [masked.place(t.value), t.column])
      const direct = emit(emission(reads, directTargets(g, staged, reads)))
      const rest = staged
        .filter((t) => direct.place(t.value) !== t.column)
        .map((t): Step => ({ kernel: KERNELS.copy, d: t.column, a: direct.place(t.value), b: 0, c: 0 }))
      return { direct: [...direct.steps, ...rest], masked: masked.steps, copies }
    },
  }
}
