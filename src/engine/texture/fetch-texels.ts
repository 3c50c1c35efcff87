import type { Value } from '../ir/index.ts'
import { insteadWhere } from './filter-code.ts'
import type { TapContext, TapPlaces } from './tap-context.ts'
import { decodeDword, loadElement, loadInView } from './texel-element.ts'

/** The texels of taps from memory: of two that stand beside each other both with one address. */

/** The dwords of all taps: of each row first those of both at once, where one stands behind the other. */
function loadRows(c: TapContext, { offsets }: TapPlaces, neighbors: Value): Value[] {
  const { o, statement, binding } = c
  const firsts = offsets.filter((_, n) => n % 2 === 0)
  const seconds = offsets.filter((_, n) => n % 2 === 1)
  const rows = firsts.map((offset) => loadInView(o, statement, binding, offset, 2))
  // What stands behind the last texel of a row is another row, or no texel: its second is loaded from where it is.
  const apart = o.make('anyLane', [o.not(neighbors)])
  const behind = rows.map((r) => r[1]!)
  const right = insteadWhere(o, apart, behind, () =>
    seconds.map((offset) => loadInView(o, statement, binding, offset, 1)[0]!),
  )
  return rows.flatMap((r, n) => [r[0]!, right[n]!])
}

/** The register words of each tap's texel, of those that are wanted. */
export function fetchTexels(c: TapContext, places: TapPlaces, wanted: readonly boolean[]): (Value | undefined)[][] {
  const { o, statement, binding, view, stored } = c
  const { format } = view
  const { neighbors } = places
  if (neighbors === undefined || stored.blockByteLength * view.sampleCount !== 4) {
    return places.offsets.map((offset) => loadElement(o, statement, binding, format, offset, wanted))
  }
  return loadRows(c, places, neighbors).map((dword) => decodeDword(o, statement, format, dword, wanted))
}
