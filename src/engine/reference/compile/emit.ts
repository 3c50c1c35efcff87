import { type Pair, PRIMITIVES, type ValueOps } from '../../../isa/index.ts'
import { FLUSHING_COMPARISONS, FLUSHING_KERNELS, type Kernel } from './column-loops.ts'
import { type Columns, constantColumn, scratchColumn } from './columns.ts'
import { apply, type DoubleNode, type Graph, isDoubleNode, type Node, type Value, type WordNode } from './graph.ts'

/** From the graph of a statement to steps over columns: flushes fused, dead operations left out, columns used again. */

/** One kernel call. */
export interface Step {
  readonly kernel: Kernel
  readonly d: number
  readonly a: number
  readonly b: number
  readonly c: number
}

/** How often each node is read by nodes that are needed, outputs included. */
function countUses(g: Graph, outputs: readonly Value[]): number[] {
  // Plain arrays: graphs are small, and typed ones take longer to make than to fill.
  const uses = new Array<number>(g.nodes.length).fill(0)
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
export function fuseFlushes(g: Graph, outputs: readonly Value[], fused: boolean): void {
  const uses = countUses(g, outputs)
  const isFlush = (v: Value): boolean => g.nodes[v.node]!.op === 'flushDenormal'
  const strip = (v: Value): Value => (isFlush(v) ? g.nodes[v.node]!.ins[0]! : v)
  const flushedIns = (n: Node): boolean => n.ins.every((v) => g.nodes[v.node]!.flushed)
  for (const node of g.nodes) {
    if (node.op === 'flushDenormal' && !node.flushing) {
      const inner = g.nodes[node.ins[0]!.node]!
      const fits = inner.op in FLUSHING_KERNELS && !(fused && inner.op === 'f32Mad')
      if (!fits || uses[node.ins[0]!.node] !== 1 || !flushedIns(inner)) continue
      node.op = inner.op
      node.ins = inner.ins.map(strip)
      node.flushing = true
    } else if (node.op in FLUSHING_COMPARISONS && node.ins.some(isFlush) && flushedIns(node)) {
      node.ins = node.ins.map(strip)
      node.flushing = true
    }
  }
}

/** A kernel for an operation on doubles, which has more columns than a step names. */
function doubleKernel(
  numbers: ValueOps<number>,
  op: DoubleNode,
  ins: readonly number[],
  outs: readonly number[],
): Kernel {
  const f = numbers[op] as (...args: unknown[]) => number | Pair<number>
  const takesPairs = PRIMITIVES[op].operands[0] === 'f64'
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

/** Where the values of nodes lie while steps run; scratch columns come free after the last read. */
interface Placement {
  readonly place: (v: Value) => number
  readonly steps: Step[]
  /** First scratch column that is still free. */
  readonly nextScratch: number
}

const FLUSHING: { readonly [K in WordNode]?: Kernel } = { ...FLUSHING_COMPARISONS, ...FLUSHING_KERNELS }

export interface Emission {
  readonly g: Graph
  readonly columns: Columns
  readonly kernels: Readonly<Record<WordNode, Kernel>>
  /** First scratch column that the statement has not taken for itself. */
  readonly firstScratch: number
  readonly reads: Reads
  /** Columns for values (by `keyOf`) that go straight to a register. */
  readonly direct: ReadonlyMap<number, number>
}

/** Numbers the words of nodes. */
const keyOf = (v: Value): number => v.node * 2 + v.part

/** Who reads the nodes of a graph that is complete. */
export interface Reads {
  /** How often each node is read. */
  readonly uses: readonly number[]
  /** The node after which each is read no more; outputs live to the end. */
  readonly last: readonly number[]
}

export function readsOf(g: Graph, outputs: readonly Value[]): Reads {
  const uses = countUses(g, outputs)
  const last = new Array<number>(g.nodes.length).fill(-1)
  g.nodes.forEach((node, i) => {
    if (uses[i] !== 0) for (const v of node.ins) last[v.node] = i
  })
  for (const v of outputs) last[v.node] = g.nodes.length
  return { uses, last }
}

export function emit(e: Emission): Placement {
  const { g, columns } = e
  const { uses, last } = e.reads
  const home = new Array<number>(g.nodes.length * 2).fill(0)
  const free: number[] = []
  /** Scratch columns by the node after which they are free. */
  const freeAfter: (number[] | undefined)[] = []
  let taken = e.firstScratch
  const steps: Step[] = []
  const place = (v: Value): number => {
    const node = g.nodes[v.node]!
    if (node.bits !== undefined) return constantColumn(columns, node.bits)
    return node.column ?? home[keyOf(v)]!
  }
  const settle = (node: number, part: 0 | 1): number => {
    const key = keyOf({ node, part })
    const direct = e.direct.get(key)
    const index = direct === undefined ? (free.pop() ?? taken++) : -1
    const column = direct ?? scratchColumn(columns, index)
    home[key] = column
    if (index >= 0 && last[node]! < g.nodes.length) {
      const due = Math.max(last[node]!, node)
      const indices = freeAfter[due]
      if (indices === undefined) freeAfter[due] = [index]
      else indices.push(index)
    }
    return column
  }
  g.nodes.forEach((node, i) => {
    if (uses[i] === 0 || node.op === 'leaf') return
    const ins = node.ins.map(place)
    if (isDoubleNode(node.op)) {
      // Both words are settled before the sources are given up: the kernel writes lane by lane, so they may not overlap.
      const outs = [settle(i, 0), settle(i, 1)]
      steps.push({ kernel: doubleKernel(g.options.numbers, node.op, ins, outs), d: 0, a: 0, b: 0, c: 0 })
    } else {
      const table = node.flushing ? FLUSHING : e.kernels
      steps.push({ kernel: table[node.op]!, d: settle(i, 0), a: ins[0]!, b: ins[1] ?? 0, c: ins[2] ?? 0 })
    }
    for (const index of freeAfter[i] ?? []) free.push(index)
  })
  columns.steps += steps.length
  return { place, steps, nextScratch: taken }
}

export interface Target {
  readonly value: Value
  readonly column: number
}

/**
 * Targets that an operation may write straight to: each once, and only where no later step and no copy reads what the
 * register held before.
 */
export function directTargets(g: Graph, targets: readonly Target[], { uses }: Reads): Map<number, number> {
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
  const direct = new Map<number, number>()
  for (const t of targets) {
    const node = g.nodes[t.value.node]!
    const once = targets.filter((o) => keyOf(o.value) === keyOf(t.value)).length === 1
    const readLater = (lastLeafRead.get(t.column) ?? -1) > t.value.node
    if (node.op !== 'leaf' && once && !readLater) direct.set(keyOf(t.value), t.column)
  }
  return direct
}

/** Plain moves between registers that are also written go through a copy, so that the order of moves does not matter. */
export function stageMoves(g: Graph, targets: readonly Target[]): Target[] {
  const written = new Set(targets.map((t) => t.column))
  return targets.map((t) => {
    const source = g.nodes[t.value.node]!.column
    if (source === undefined || source === t.column || !written.has(source)) return t
    return { value: apply(g, 'copy', [t.value]), column: t.column }
  })
}
