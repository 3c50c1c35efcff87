import {
  escapesOf,
  type Item,
  type Label,
  type Lowered,
  type NeighborRead,
  type Region,
  someItem,
  type Value,
} from '../ir/index.ts'
import { Uniformity, VARYING } from './uniformity.ts'

/**
 * Differences between lanes of a quad that do not all come there (16.8): Direct3D leaves them undefined, and what the lanes
 * that are not there hold then depends on how an engine runs.
 */

/** Whether a value reads other lanes of its quad; what a lane was given differs between no engines. */
const readsNeighbors = (v: Value): boolean => v.op === 'quadSwizzle' && v.args[0]!.op !== 'input'

class Search {
  readonly #uniformity: Uniformity
  found: number | undefined

  readonly #reads = new Map<Region, NeighborRead[]>()

  constructor(uniformity: Uniformity, reads: readonly NeighborRead[]) {
    this.#uniformity = uniformity
    for (const read of reads) {
      const known = this.#reads.get(read.region)
      if (known === undefined) this.#reads.set(read.region, [read])
      else known.push(read)
    }
  }

  #isDivergent = (label: Label): boolean => label.wholeQuads !== true && this.#uniformity.isDivergent(label)

  region(region: Region, divergent: boolean): void {
    let isDivergent = divergent
    const reads = this.#reads.get(region)
    region.items.forEach((item, n) => {
      if (isDivergent) this.#readAt(reads, n)
      this.#item(item, isDivergent)
      // Behind a jump of some lanes the others are alone, up to where it goes.
      isDivergent ||= [...escapesOf(item)].some(this.#isDivergent)
    })
    if (isDivergent) this.#readAt(reads, region.items.length)
  }

  /** A read whose value stands elsewhere, or nowhere: nothing computes what is known. */
  #readAt(reads: readonly NeighborRead[] | undefined, position: number): void {
    this.found ??= reads?.find((read) => read.position === position)?.statement
  }

  #item(item: Item, divergent: boolean): void {
    switch (item.kind) {
      case 'value':
        if (divergent && readsNeighbors(item.value)) this.found ??= item.value.statement
        return
      case 'if': {
        const isSplit = divergent || this.#uniformity.level(item.condition) === VARYING
        this.region(item.taken, isSplit)
        this.region(item.otherwise, isSplit)
        return
      }
      case 'block':
        this.region(item.body, divergent)
        return
      case 'loop':
        // Lanes that left in one iteration are missing in the next from its start on.
        this.region(item.body, divergent || this.#isDivergent(item.label))
        return
      default:
    }
  }
}

/** The statement of a difference in a quad whose lanes may be apart; undefined where there is none. */
export function findDivergentQuad({ builder, root, neighborReads = [] }: Lowered): number | undefined {
  if (
    neighborReads.length === 0 &&
    !someItem(root.items, (item) => item.kind === 'value' && readsNeighbors(item.value))
  )
    return undefined
  const search = new Search(new Uniformity(builder, root, builder.options.threads, 4), neighborReads)
  search.region(root, false)
  return search.found
}
