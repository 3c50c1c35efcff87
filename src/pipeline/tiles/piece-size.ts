/**
 * How many quads a draw takes between two places where it may yield to its host: as many as take some milliseconds. What a quad takes
 * differs from one shader to another by a factor of thousands.
 */

export const MOST_QUADS = 4096
const LEAST_QUADS = 128
/** Those of the first piece, of which nothing is known. */
const FIRST_QUADS = 1024

/** Milliseconds that a piece is to take at the least and at the most. */
const SHORT_MS = 8
const LONG_MS = 16

export class PieceSize {
  quads = FIRST_QUADS
  #begun = 0

  begin(): void {
    this.#begun = performance.now()
  }

  /**
   * A piece that ended early counts as a short one: where the next are too long for it, they are made shorter again. One that ended for a
   * program that is to be compiled says nothing.
   */
  end(waitsForProgram: boolean): void {
    const milliseconds = performance.now() - this.#begun
    if (milliseconds > LONG_MS) this.quads = Math.max(LEAST_QUADS, Math.floor((this.quads * SHORT_MS) / milliseconds))
    else if (!waitsForProgram && milliseconds < SHORT_MS) this.quads = Math.min(MOST_QUADS, this.quads * 2)
  }
}
