import type { Builder, Value } from '../ir/index.ts'
import type { MipChoice } from './sample-mips.ts'

/**
 * Levels of detail once a quad: what is the same in all lanes of a quad is computed with a lane for each quad of the wave, so that
 * one vector does for four quads.
 */

/** The lane that a swizzle gives all lanes of a quad; undefined for others. */
const laneOf = ({ op, imm }: Value): number | undefined =>
  op === 'quadSwizzle' && imm === (imm & 3) * 0x55 ? imm & 3 : undefined

/** A lane of each quad, packed: of a product with a constant that of the other factor, which other samples may have packed too. */
function packLane(o: Builder, v: Value, lane: number): Value {
  const [a, b] = v.args
  return v.op === 'f32Mul' && b?.op === 'constant'
    ? o.make('f32Mul', [packLane(o, a!, lane), b])
    : o.make('packQuads', [v], lane)
}

/** A value that is the same in all lanes of a quad, packed: differences of lanes as the differences of packed ones. */
export function pack(o: Builder, v: Value): Value {
  const lane = laneOf(v)
  if (lane !== undefined) return packLane(o, v.args[0]!, lane)
  if (v.op === 'constant') return v
  if (v.op === 'f32Sub' || v.op === 'flushDenormal') {
    return o.make(
      v.op,
      v.args.map((a) => pack(o, a)),
    )
  }
  return o.make('packQuads', [v], 0)
}

/** The value of which one word a quad was taken. */
export const packedOf = (v: Value): Value => (v.op === 'unpackQuads' ? v.args[0]! : v)

/** The mips of packed quads for each lane. */
export function unpackMips(o: Builder, { near, far, fraction, ...rest }: MipChoice): MipChoice {
  const unpack = (v: Value): Value => (v.op === 'constant' ? v : o.make('unpackQuads', [v]))
  return { near: unpack(near), far: far === near ? unpack(near) : unpack(far), fraction: unpack(fraction), ...rest }
}
