/** Waits for changes of files, for `heddle run --watch`. */
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobHost } from '../../../src/job/index.ts'

/** How often files are looked at. Events of the system are lost where editors replace files; the state of a file is not. */
const INTERVAL_MILLISECONDS = 250

/** What a file looks like from outside; nothing where it is not there. */
function stateOf(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false })
  return status === undefined ? '' : `${status.mtimeMs} ${status.size}`
}

/** The files that something was made from, each as it was when it was read. */
export class ReadFiles {
  readonly #states = new Map<string, string>()

  add(path: string): void {
    this.#states.set(path, stateOf(path))
  }

  isChanged(): boolean {
    return [...this.#states].some(([path, state]) => stateOf(path) !== state)
  }
}

/** A host that remembers which files it read. `absolute` gives the place of a path. */
export function rememberingHost(host: JobHost, read: ReadFiles, absolute: (path: string) => string): JobHost {
  return {
    ...host,
    readFile(path, range) {
      read.add(absolute(path))
      return host.readFile(path, range)
    },
    writeFile(path, bytes) {
      const failure = host.writeFile(path, bytes)
      // What the run writes itself is no change.
      if (failure === undefined) read.add(absolute(path))
      return failure
    },
  }
}

/** Resolves when one of several sets of files has changed, with the indices of those sets. */
export async function changedSets(sets: readonly ReadFiles[]): Promise<number[]> {
  for (;;) {
    await sleep(INTERVAL_MILLISECONDS)
    const changed = sets.flatMap((set, i) => (set.isChanged() ? [i] : []))
    if (changed.length > 0) return changed
  }
}
