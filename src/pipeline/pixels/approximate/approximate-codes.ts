import type { QuadMemory, ShaderOperations } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import { doubtWord, floatBits } from '../../merge/index.ts'
import { parameterWord, type QuadWords } from '../input-program.ts'
import type { PlainTarget } from '../merge.ts'
import { PARAMETER } from '../quads.ts'
import { pixelLayout, pixelsAt } from '../target-pixels.ts'
import { type ApproximateInputs, type ApproximateShading, laneOfRow, type RunOptions } from './approximate-runs.ts'

/** Codes of eight pixels of a run by approximate sums: the pixel shader and the store. */

interface CodeOptions {
  readonly operations: ShaderOperations
  readonly target: PlainTarget
}

interface RunPlace<V> {
  readonly quad: QuadWords<V>
  readonly addressOf: (x: V, y: V) => V
}

/** Shades eight pixels of both rows approximately; nothing is stored before all are certain. */
export const approximateCodes =
  <V>(
    o: ValueOps<V>,
    m: QuadMemory<V>,
    { operations, target }: CodeOptions,
    { store, copies }: ApproximateShading,
    { quad, addressOf }: RunPlace<V>,
  ): RunOptions<V>['codes'] =>
  (x, rows) => {
    const layout = pixelLayout(target.store.view)
    const lane = laneOfRow(o, m)
    const blendFactor = [0, 1, 2, 3].map((c) => parameterWord(o, m, PARAMETER.blendFactor + c))
    /** The words of four pixels, and what says whether they are certain. */
    const codesOf = (inputs: ApproximateInputs<V>, element: readonly V[]): ReturnType<typeof store.meaning<V>> => {
      const outputs = m.outputsOf(operations, inputs.inputOf)
      const from =
        (first: number) =>
        (c: number): V =>
          first < 0 ? o.constant(0) : outputs[first + c]!
      const source = from(target.slot)
      const scaled = (c: number, by: number): V => {
        const copied = copies.get(target.slot + c)
        return copied === undefined ? o.f32Mul(source(c), o.constant(floatBits(by))) : inputs.scaledInputOf(copied, by)
      }
      return store.meaning(o, { source, source1: from(target.slot1), scaled, blendFactor }, element)
    }
    const made = rows.map((inputs, down) => {
      const at = addressOf(o.i32Add(x, lane), o.i32Add(quad.firstY, o.constant(down)))
      const pixels = pixelsAt(o, m, layout, at)
      const codes: ReturnType<typeof store.meaning<V>>[] = []
      m.keepingDenormals(() => void codes.push(codesOf(inputs, pixels.words)))
      return { pixels, codes: codes[0]! }
    })
    return {
      doubt: doubtWord(
        o,
        made.map(({ codes }) => codes.fractions),
      ),
      store: () => {
        for (const { pixels, codes } of made) pixels.store(codes.words)
      },
    }
  }
