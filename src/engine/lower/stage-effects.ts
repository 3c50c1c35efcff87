import type { Operand } from '../../program/index.ts'
import { EMITTED_STREAM_BITS } from '../batch.ts'
import { streamOf } from '../gather/emitted-stream.ts'
import type { AccessAddress, Value } from '../ir/index.ts'
import { isPlainInput } from '../register-layout.ts'
import type { Node } from './blocks.ts'
import type { Operation } from './sources-and-results.ts'
import type { StageRegisters, Translation } from './translation.ts'

/**
 * Which invocations have effects: not helpers, not pixels that were discarded (16.8, 22.5.1), not geometry shaders that have
 * emitted all that they may (22.3.5). And what those emit.
 */

/** Values of 2 bits a lane: the lane of the quad whose word each gets. */
const swizzle = (a: number, b: number, c: number, d: number): number => a | (b << 2) | (c << 4) | (d << 6)
const QUAD = {
  upperLeft: swizzle(0, 0, 0, 0),
  upperRight: swizzle(1, 1, 1, 1),
  lowerLeft: swizzle(2, 2, 2, 2),
  left: swizzle(0, 0, 2, 2),
  right: swizzle(1, 1, 3, 3),
  upper: swizzle(0, 1, 0, 1),
  lower: swizzle(2, 3, 2, 3),
  acrossRow: swizzle(1, 0, 3, 2),
  acrossColumn: swizzle(2, 3, 0, 1),
} as const

/** The first and the second lane of a difference; where it may be either, it is the fine one (win32 reference, deriv_rtx). */
export function quadDifference({
  axis,
  precision,
}: {
  readonly axis: 'x' | 'y'
  readonly precision: 'any' | 'coarse' | 'fine'
}): readonly [number, number] {
  if (precision === 'coarse') return [QUAD.upperLeft, axis === 'x' ? QUAD.upperRight : QUAD.lowerLeft]
  return axis === 'x' ? [QUAD.left, QUAD.right] : [QUAD.upper, QUAD.lower]
}

/**
 * Marks where a statement reads a word of other lanes. The values do not show it: those of constants are constants, and those of words
 * from before a loop stand before it, or are there already.
 */
export function readsNeighbors(t: Translation, operand: Operand): void {
  if (isPlainInput(operand)) return
  const { region, statement } = t.builder
  t.neighborReads.push({ region, position: region.items.length, statement })
}

/** Variables that a node assigns beside registers. */
export function effectVariables({ effects }: StageRegisters, node: Node): number[] {
  if (effects === undefined) return []
  if (node.kind === 'discard') return [effects.stores]
  if (node.kind !== 'op' || node.row.traits.kind !== 'stream') return []
  return [effects.stores, effects.emitted, effects.cuts]
}

/**
 * All ones in quads of which a pixel has not been discarded. It is computed here and not where `stores` is known: lanes that do not come
 * here have not been discarded, whatever it is for them, so that flow which takes quads apart must be seen around it.
 */
export function anyStoresInQuad(t: Translation, stores: Value): Value {
  const o = t.builder
  const row = o.or(stores, o.place('quadSwizzle', [stores], QUAD.acrossRow))
  return o.or(row, o.place('quadSwizzle', [row], QUAD.acrossColumn))
}

/** Runs what has effects for the invocations that have any, and `otherwise` for the others. */
export function withEffects(t: Translation, effect: () => void, otherwise: () => void = () => {}): void {
  const effects = t.stage?.effects
  if (effects === undefined) effect()
  else t.choose(t.variables[effects.stores]!, effect, otherwise)
}

/** Words of each emitted vertex: its header and the outputs. */
export const emittedWords = (outputSlots: number): number => 1 + outputSlots

/** Stores words one after the other where the next vertex of the invocation goes. */
function storeVertex(t: Translation, op: Operation, most: number, words: readonly Value[]): void {
  const o = t.builder
  const { layout, effects } = t.stage!
  const [threads] = o.options.threads
  const stride = words.length * 4
  const start = layout.outputs.slotCount + STAGE_OUTPUTS
  const thread = o.i32Mul(o.make('threadInGroup', [], 0), o.constant(most * stride))
  const vertex = o.i32Mul(t.variables[effects!.emitted]!, o.constant(stride))
  const offset = o.i32Add(thread, vertex)
  for (let first = 0; first < words.length; first += 4) {
    const byteOffset = start * threads * 4 + first * 4
    const space = { kind: 'batch', part: 'outputs', byteOffset, everyLane: false } as const
    const address: AccessAddress = { space, index: undefined, offset, stride: 0, valid: o.constant(0xffffffff) }
    o.push({ kind: 'store', statement: op.statement, address, values: words.slice(first, first + 4) })
  }
}

/** Columns behind the outputs: which pixels were not discarded, or how many vertices were emitted. */
export const STAGE_OUTPUTS = 1
/** Columns behind the inputs of pixel shaders: all ones for helpers, then the samples of the rasterizer. */
export const STAGE_INPUTS = 2
/** In the column of the rasterizer's samples: how many there are, then x and y of each. */
export const MAX_SAMPLES = 16

/** A word of the column of the rasterizer's samples. */
function rasterizerWord(t: Translation, offset: Value): Value {
  const o = t.builder
  const byteOffset = (t.stage!.layout.inputs.slotCount + 1) * o.options.threads[0] * 4
  const space = { kind: 'batch', part: 'inputs', byteOffset, everyLane: true } as const
  const results = [o.result(0)]
  const address: AccessAddress = { space, index: undefined, offset, stride: 0, valid: o.constant(0xffffffff) }
  o.push({ kind: 'load', statement: o.statement, address, components: [0], dwords: [0], results })
  return results[0]!
}

/** Samples of the render target (22.4.22). */
export const rasterizerSamples = (t: Translation): Value => rasterizerWord(t, t.builder.constant(0))

/** Where a sample is from the pixel's center; zeros where there is no such sample (22.4.21). */
export function rasterizerPosition(t: Translation, index: Value): Value[] {
  const o = t.builder
  const isSample = o.u32Less(index, o.constant(MAX_SAMPLES))
  const offset = o.shiftLeft(o.and(index, isSample), o.constant(3))
  const place = [4, 8].map((first) => o.and(rasterizerWord(t, o.i32Add(offset, o.constant(first))), isSample))
  return [...place, o.constant(0), o.constant(0)]
}

/** emit, cut and emit_then_cut (13.4, 22.8); `outputs` are the words of a vertex. An invocation that emits more than it declares ends. */
export function emitStream(t: Translation, op: Operation, outputs: () => readonly Value[]): void {
  const { traits } = op.row
  const { stage: declared } = t.declarations
  const { effects } = t.stage!
  if (traits.kind !== 'stream' || declared.kind !== 'geometry' || effects === undefined) return
  const o = t.builder
  const most = declared.maxVertexCount
  const streamBit = o.constant(1 << streamOf(op.instruction))
  const variable = (n: number): Value => t.variables[n]!
  if (traits.emits) {
    const limit = o.constant(most)
    const isFull = o.not(o.u32Less(variable(effects.emitted), limit))
    const check = {
      reason: 'max-vertex-count',
      defined: true,
      bad: isFull,
      address: variable(effects.emitted),
      limit,
    } as const
    t.report(op.instruction.operands[0], check, { access: 'other' })
    t.choose(
      isFull,
      () => t.leaveProgram(),
      () => {},
    )
    if (t.ended) return
    const cuts = variable(effects.cuts)
    const header = o.or(
      o.constant(streamOf(op.instruction)),
      o.shiftLeft(o.and(cuts, streamBit), o.constant(EMITTED_STREAM_BITS)),
    )
    storeVertex(t, op, most, [header, ...outputs()])
    const count = o.i32Add(variable(effects.emitted), o.constant(1))
    t.variables[effects.emitted] = count
    t.variables[effects.cuts] = o.and(cuts, o.not(streamBit))
    t.variables[effects.stores] = o.and(variable(effects.stores), o.u32Less(count, limit))
  }
  if (traits.cuts) t.variables[effects.cuts] = o.or(variable(effects.cuts), streamBit)
}
