import type { Declarations, Observer } from '../engine/index.ts'
import type { FindingSink } from './report/finding.ts'

/** What every detector is given. */
export interface CheckContext {
  readonly declarations: Declarations
  readonly sink: FindingSink
  /** Threads of a group. */
  readonly threadCount: number
  /** Groups of the dispatch in x, y, z. */
  readonly groups: readonly [number, number, number]
  /**
   * Bytes of the smallest texel through which any bound view shows a resource, at most 4: the granule in which its
   * memory is watched.
   */
  readonly granuleOf: (resource: object) => number
  /** Resources that are bound as UAV: loads through an SRV of one of them can race. */
  readonly writable: ReadonlySet<object>
}

/** Watches a dispatch and reports to the context's sink; `finish` is called when the dispatch has ended. */
export interface Detector {
  readonly observer: Observer
  finish?(): void
  /** Bytes that the detector's own tables take now. */
  byteLength?(): number
  /** Set where tables were full and something may have been missed. */
  overflowed?(): boolean
}

export type DetectorFactory = (context: CheckContext) => Detector

/** Group x, y, z of a group number (x + y * groupsX + z * groupsX * groupsY). */
export function groupPosition(group: number, groups: readonly [number, number, number]): [number, number, number] {
  const [x, y] = groups
  return [group % x, Math.floor(group / x) % y, Math.floor(group / (x * y))]
}
