import type pc from 'picocolors'
import type { OutputPaint } from '../../../src/session/index.ts'

/** Colors of cells with equal keys, one after the other. */
export function paintOf(c: ReturnType<typeof pc.createColors>): OutputPaint {
  const colors = [c.green, c.yellow, c.cyan, c.magenta, c.blue, c.red, c.white]
  const cell = (text: string, key: number): string => {
    const painted = colors[key % colors.length]!(text)
    // Beyond the colors there are, equal colors differ by their weight.
    return Math.floor(key / colors.length) % 2 === 0 ? painted : c.bold(painted)
  }
  return { cell, dim: c.dim, strong: c.bold }
}
