import { tableLines } from '../job/index.ts'
import type { CommandOutput } from './commands/index.ts'

/** Colors for parts of an output; plain text where they are absent. */
export interface OutputPaint {
  /** A cell of a grid or a legend's entry, by the number of its key. */
  readonly cell: (text: string, key: number) => string
  readonly dim: (text: string) => string
  readonly strong: (text: string) => string
}

const PLAIN: OutputPaint = { cell: (s) => s, dim: (s) => s, strong: (s) => s }

function gridLines(
  { title, grid, keys, texts, legend }: Extract<CommandOutput, { kind: 'grid' }>,
  paint: OutputPaint,
): string[] {
  const numbers = new Map<string | number, number>()
  for (const key of keys) if (!numbers.has(key)) numbers.set(key, numbers.size)
  const [x, y, z] = grid.size
  const width = texts.reduce((most, t) => Math.max(most, t.length), 1)
  // One row of a long group would not fit a terminal: it goes on below.
  const perLine = Math.max(1, Math.min(x, Math.floor(96 / (width + 1))))
  const lines = [`${title ?? `group (${grid.group.join(', ')})`}, ${x} x ${y} x ${z} threads`]
  for (let row = 0; row < y * z; row++) {
    for (let first = 0; first < x; first += perLine) {
      const cells: string[] = []
      for (let i = first; i < Math.min(x, first + perLine); i++) {
        const thread = row * x + i
        cells.push(paint.cell((texts[thread] ?? '').padStart(width), numbers.get(keys[thread] ?? '') ?? 0))
      }
      const name = `${row * x + first}`.padStart(5)
      lines.push(`${paint.dim(name)}  ${cells.join(width === 1 ? '' : ' ')}`)
    }
  }
  for (const { key, text } of legend)
    lines.push(`  ${paint.cell(text.startsWith(`${key}`) ? text : legendText(key, text), numbers.get(key) ?? 0)}`)
  return lines
}

const legendText = (key: string | number, text: string): string =>
  /^\S .* \(\d+\)$/.test(text) ? text : `${key}: ${text}`

function sourceLines({ title, lines }: Extract<CommandOutput, { kind: 'source' }>, paint: OutputPaint): string[] {
  const width = `${lines.at(-1)?.line ?? 1}`.length
  const shown = lines.map(({ line, text, isCurrent, hasBreakpoint }) => {
    const mark = `${hasBreakpoint ? '*' : ' '}${isCurrent ? '>' : ' '}`
    const whole = `${mark}${`${line}`.padStart(width)}  ${text}`
    return isCurrent ? paint.strong(whole) : whole
  })
  return [paint.dim(title), ...shown]
}

/** An output as lines. */
export function outputLines(output: CommandOutput, paint: OutputPaint = PLAIN): readonly string[] {
  switch (output.kind) {
    case 'text':
      return output.lines
    case 'table':
      return [...tableLines(output.table), ...(output.note === undefined ? [] : [paint.dim(`  ${output.note}`)])]
    case 'grid':
      return gridLines(output, paint)
    case 'source':
      return sourceLines(output, paint)
  }
}

export const outputText = (outputs: readonly CommandOutput[]): string =>
  outputs.flatMap((o) => outputLines(o)).join('\n')
