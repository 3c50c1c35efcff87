import { type IfMerge, type Item, OPS, resultsOf, type Value } from '../ir/index.ts'

/**
 * Values that differ between lanes, but not between the lanes of a quad: differences of neighbors and what follows from them. It
 * holds for lanes that are not active too, since values are computed for all lanes.
 */

/** A swizzle that gives all lanes the word of one of them. */
const isOneLane = ({ op, imm }: Value): boolean =>
  (op === 'quadSwizzle' && imm === (imm & 3) * 0x55) || op === 'unpackQuads'

export class SameInQuads {
  /** Whether a value is the same for the whole wave. */
  readonly #isUniform: (v: Value) => boolean
  /** What merges and results are chosen from or computed of. */
  readonly #sources = new Map<Value, readonly Value[]>()
  readonly #known = new Map<Value, boolean>()

  constructor(isUniform: (v: Value) => boolean) {
    this.#isUniform = isUniform
  }

  /** Merges of an if that the whole wave takes. */
  merges(phis: readonly IfMerge[]): void {
    for (const p of phis) this.#sources.set(p.value, [p.taken, p.otherwise])
  }

  /** Merges of an if that lanes take apart: inactive ones may keep something else. */
  diverges(phis: readonly IfMerge[]): void {
    for (const p of phis) this.#sources.delete(p.value)
  }

  /** Loads of tables that nothing writes to. */
  loads(item: Extract<Item, { kind: 'load' }>): void {
    const { space, offset, index, valid } = item.address
    if (space.kind !== 'mip-table') return
    const parts = [offset, index, valid].filter((v) => v !== undefined)
    for (const r of resultsOf(item)) this.#sources.set(r, parts)
  }

  /** What a merge of an if that the whole wave takes is chosen from. */
  mergedOf(v: Value): readonly Value[] | undefined {
    return v.op === 'phi' ? this.#sources.get(v) : undefined
  }

  has(v: Value): boolean {
    const known = this.#known.get(v)
    if (known !== undefined) return known
    // A merge of a loop would come back to itself: it is not known.
    this.#known.set(v, false)
    const found = this.#find(v)
    this.#known.set(v, found)
    return found
  }

  #find(v: Value): boolean {
    if (v.op === 'constant' || this.#isUniform(v) || isOneLane(v)) return true
    if (v.op === 'phi' || v.op === 'result') return this.#sources.get(v)?.every((s) => this.has(s)) ?? false
    if (v.op === 'packQuads') return false
    return OPS[v.op].variesBy === 'operands' && v.args.length > 0 && v.args.every((a) => this.has(a))
  }
}
