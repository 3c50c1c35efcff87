import { type DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import type { Buffer, Storage, Texture } from '../../machine/index.ts'

/**
 * The bytes of all resources of a description: one from elsewhere could otherwise take all memory of the host with resources of which each
 * is small enough by itself.
 */

/** As much as compiled code can reach. */
const MAX_TOTAL_BYTES = 4 * 2 ** 30

export class TotalBytes {
  readonly #seen = new Set<Storage>()
  #total = 0

  /** Counts a resource; false, with a report, where those so far are more than a description may have. */
  add({ storage, byteLength }: Buffer | Texture, path: string, name: string, out: DiagnosticCollector): boolean {
    if (this.#seen.has(storage)) return true
    this.#seen.add(storage)
    this.#total += byteLength
    if (this.#total <= MAX_TOTAL_BYTES) return true
    const text = `the resources up to ${name} have ${this.#total} bytes; those of a description may have ${MAX_TOTAL_BYTES}`
    out.push(diagnostic('machine-out-of-memory', text, { kind: 'path', path }))
    return false
  }
}
