/** Which part of which files a report is about, so that the reports of all parts can be put together (`heddle merge`). */
export interface ShardMark {
  readonly verb: string
  readonly version: string
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** How many files all shards have together, and a hash of their names. */
  readonly files: number
  readonly hash: string
}
