import type { QuadMemory } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import { laneBytesOf } from '../../lane-bytes.ts'
import type { QuadWords } from '../input-program.ts'
import { QUAD_MEMORY, type ShadedColumns } from '../quads.ts'

/**
 * Covered pixels of small triangles without the helpers of their quads, four by four: a shader that compares no pixels needs no quads. Of
 * each group there are the row of its primitive and the places of its pixels, x and y as halves of a word. A triangle begins a group of its
 * own, and its last pixel is repeated until its last group has four: it is computed and stored again, with the same result.
 */

const { places, primitives, moves } = QUAD_MEMORY.packed

/** Columns of groups: places, which are by pixel, are read apart from them. */
export const PACKED_COLUMNS: ShadedColumns = { primitives, x: places, y: places, coverage: places, masks: places }

/** Bytes of a group's places. */
const GROUP_BYTES = 16

/** The group of a place, by their bytes. */
const groupAt = <V>(o: ValueOps<V>, at: V): V =>
  o.i32Add(o.and(o.shiftRightLogical(at, o.constant(2)), o.constant(0xfffffffc)), o.constant(primitives))

/** Begins the group of a triangle whose first place is at so many bytes. */
export function beginPacked<V>(o: ValueOps<V>, m: QuadMemory<V>, at: V, row: V): void {
  m.store(groupAt(o, at), [row])
}

/** Appends the pixels of a quad whose bit is set, behind those that end at so many bytes; answers where they end then. */
export function packQuad<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  quad: { readonly x: V; readonly y: V; readonly bits: V },
  at: V,
  row: V,
): V {
  const c = (n: number): V => o.constant(n)
  const first = o.or(quad.x, o.shiftLeft(quad.y, c(16)))
  const move = m.load(o.i32Add(laneBytesOf(o, m, quad.bits), c(moves)), 1)[0]!
  const inGroup = laneBytesOf(o, m, c(0))
  // Words behind the pixels that are set are written over by the next.
  m.store(o.i32Add(o.i32Add(at, inGroup), c(places)), [o.i32Add(first, move)])
  const next = o.i32Add(at, o.shiftLeft(o.countBits(quad.bits), c(2)))
  m.store(groupAt(o, next), [row])
  return next
}

/** Ends the groups of a triangle whose pixels lie between two places: where the next one begins. */
export function endPacked<V>(o: ValueOps<V>, m: QuadMemory<V>, at: V): V {
  const c = (n: number): V => o.constant(n >>> 0)
  const last = m.load(o.i32Add(at, c(places - 4)), 1)[0]!
  m.store(o.i32Add(o.i32Add(at, laneBytesOf(o, m, c(0))), c(places)), [last])
  return o.and(o.i32Add(at, c(GROUP_BYTES - 4)), c(-GROUP_BYTES))
}

/** Groups that end at so many bytes. */
export const groupsIn = (bytes: number): number => bytes / GROUP_BYTES

/** Groups in place of eight quads, at the most, for which pixels without helpers are worth what their places take. */
const WORTH_PACKING = 7

/** Whether so many quads have enough helpers: by quad its primitive, by pixel its samples. */
export function paysPacking(primitives: Int32Array, masks: Int32Array, count: number): boolean {
  let groups = 0
  let pixels = 0
  for (let quad = 0; quad < count; quad++) {
    for (let i = quad * 4; i < quad * 4 + 4; i++) if (masks[i] !== 0) pixels++
    if (quad + 1 < count && primitives[quad + 1] === primitives[quad]) continue
    groups += Math.ceil(pixels / 4)
    pixels = 0
  }
  return groups * 8 <= count * WORTH_PACKING
}

/** The place of each pixel of a group. */
export function packedPlaces<V>(o: ValueOps<V>, m: QuadMemory<V>, group: V): Pick<QuadWords<V>, 'x' | 'y'> {
  const place = m.load(o.i32Add(laneBytesOf(o, m, group), o.constant(places)), 1)[0]!
  return { x: o.and(place, o.constant(0xffff)), y: o.shiftRightLogical(place, o.constant(16)) }
}
