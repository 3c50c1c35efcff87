import { type DoubleResult, type DoubleToWord, PRIMITIVES, type Primitive, type ValueOps } from '../../../isa/index.ts'

/** The primitive operations of one statement as a graph: what the recorder writes down. */

/** A word of every lane: a result of a node, a column that exists, or a constant. */
export interface Value {
  readonly node: number
  /** 1 for the high word of an operation on doubles. */
  readonly part: 0 | 1
}

/** Operations of doubles, which have two words, and those of single words; `copy` moves a column. */
export type DoubleNode = DoubleResult | DoubleToWord
export type WordNode = Exclude<Primitive, DoubleNode | 'constant'> | 'copy'
type NodeOp = DoubleNode | WordNode | 'leaf'

const DOUBLE_NODES: ReadonlySet<string> = new Set(
  Object.entries(PRIMITIVES)
    .filter(([, { operands, result }]) => [...operands, result].includes('f64'))
    .map(([op]) => op),
)

export const isDoubleNode = (op: NodeOp): op is DoubleNode => DOUBLE_NODES.has(op)

export interface Node {
  op: NodeOp
  ins: Value[]
  /** Set for leaves. */
  readonly column?: number
  readonly bits?: number
  flushing: boolean
  /** No float32 denormal can be in it. */
  readonly flushed: boolean
}

export interface RecorderOptions {
  /** Exact operations on single words: constants are folded with them, rare operations run on them. */
  readonly numbers: ValueOps<number>
  readonly flush: boolean
  readonly fused: boolean
}

function isDenormal(bits: number): boolean {
  return (bits & 0x7f800000) === 0 && (bits & 0x007fffff) !== 0
}

/** The graph of one statement. */
export interface Graph {
  nodes: Node[]
  /** Values by the column that they lie in, or by what makes them. */
  readonly known: Map<number | string, Value>
  readonly options: RecorderOptions
}

export function leaf(g: Graph, key: number | string, node: Partial<Node>): Value {
  const known = g.known.get(key)
  if (known !== undefined) return known
  g.nodes.push({ op: 'leaf', ins: [], flushing: false, flushed: false, ...node })
  const value: Value = { node: g.nodes.length - 1, part: 0 }
  g.known.set(key, value)
  return value
}

export function constant(g: Graph, bits: number): Value {
  return leaf(g, `k${bits | 0}`, { bits: bits | 0, flushed: !isDenormal(bits) })
}

/** Whether an operation on such operands gives no denormal. */
function isFlushed(g: Graph, op: DoubleNode | WordNode, ins: readonly Value[]): boolean {
  if (op === 'copy' || isDoubleNode(op)) return false
  if (op === 'select') return ins.slice(1).every((v) => g.nodes[v.node]!.flushed)
  return PRIMITIVES[op].denormal === 'never'
}

export function apply(g: Graph, op: DoubleNode | WordNode, ins: readonly Value[]): Value {
  let key: string = op
  for (const v of ins) key += ` ${v.node * 2 + v.part}`
  const known = g.known.get(key)
  if (known !== undefined) return known
  const folded = fold(g, op, ins)
  if (folded !== undefined) return folded
  g.nodes.push({ op, ins: [...ins], flushing: false, flushed: isFlushed(g, op, ins) })
  const value: Value = { node: g.nodes.length - 1, part: 0 }
  g.known.set(key, value)
  return value
}

/** The constant that an operation on constants gives; operations on doubles are left to run. */
function fold(g: Graph, op: DoubleNode | WordNode, ins: readonly Value[]): Value | undefined {
  if (op === 'copy' || isDoubleNode(op) || ins.some((v) => g.nodes[v.node]!.bits === undefined)) return undefined
  const bits = ins.map((v) => g.nodes[v.node]!.bits)
  const f = g.options.numbers[op] as (...words: number[]) => number
  return constant(g, f(...(bits as number[])))
}
