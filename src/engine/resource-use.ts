/** Which storages dispatches and draws under way work on, so that none is given back to its memory before they have ended. */
import type { ResolvedBindings, Storage } from '../machine/index.ts'

interface Use {
  count: number
  /** Gives the storage back; set where it was disposed of while in use. */
  release: (() => void) | undefined
}

const USES = new WeakMap<Storage, Use>()

/** Marks everything bound as in use; the function that it answers ends that. */
export function holdResources(bindings: ResolvedBindings): () => void {
  return holdStorages([...bindings.t.values(), ...bindings.u.values(), ...bindings.b.values()].map((v) => v.storage))
}

/** The same of storages; one that is named twice is held twice. */
export function holdStorages(held: readonly Storage[]): () => void {
  for (const storage of held) {
    const use = USES.get(storage)
    if (use === undefined) USES.set(storage, { count: 1, release: undefined })
    else use.count++
  }
  return () => {
    for (const storage of held) {
      const use = USES.get(storage)!
      if (--use.count > 0) continue
      USES.delete(storage)
      use.release?.()
    }
  }
}

/** Calls `release` when no dispatch and no draw works on a storage: at once, or when the last of them has ended. */
export function whenUnused(storage: Storage, release: () => void): void {
  const use = USES.get(storage)
  if (use === undefined) release()
  else use.release = release
}
