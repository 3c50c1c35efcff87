import type { ValueOps } from '../../../isa/index.ts'

/** The primitive operations of one statement as a graph: what the recorder writes down. */

/** A word of every lane: a result of a node, a column that exists, or a constant. */
export interface Value {
  readonly node: number
  /** 1 for the high word of an operation on doubles. */
  readonly part: 0 | 1
}

export interface Node {
  op: string
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

/** The graph of one statement. */
export interface Graph {
  readonly nodes: Node[]
  readonly known: Map<string, Value>
  readonly options: RecorderOptions
}

export function leaf(g: Graph, key: string, node: Partial<Node>): Value {
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

export function apply(g: Graph, op: string, ins: readonly Value[]): Value {
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
