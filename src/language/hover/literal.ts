import type { TextRange } from '../../asm/index.ts'
import { FILE } from '../../isa/index.ts'
import type { Operand } from '../../program/index.ts'
import { type ShaderDocument, statementAt } from '../document.ts'

/** A number of a literal where it is written. */
interface LiteralPlace {
  readonly range: TextRange
  readonly isDouble: boolean
  /** Its dwords: one, or low and high of a double. */
  readonly dwords: readonly number[]
}

const NUMBER = /[-+]?[\w.#]+(?:[eE][-+]?\d+)?/g

function placesIn(d: ShaderDocument, operand: Operand, range: TextRange): readonly LiteralPlace[] {
  const isDouble = operand.type === FILE.immediate64
  const open = d.text.indexOf('(', range.start)
  const start = open >= 0 && open < range.end ? open + 1 : range.start
  const numbers = [...d.text.slice(start, range.end).matchAll(NUMBER)]
  const size = isDouble ? 2 : 1
  if (numbers.length * size !== operand.values.length) return []
  return numbers.map((m, i) => ({
    range: { start: start + m.index, end: start + m.index + m[0].length },
    isDouble,
    dwords: operand.values.slice(i * size, (i + 1) * size),
  }))
}

/** The numbers of the literals of a statement. */
export function literalsOf(d: ShaderDocument, statement: number): readonly LiteralPlace[] {
  const s = d.statements[statement]
  const place = d.places.statements[statement]
  if (s?.kind !== 'instruction' || place === undefined) return []
  return s.operands.flatMap((o, k) => {
    const range = place.operands[k]
    const isLiteral = o.type === FILE.immediate32 || o.type === FILE.immediate64
    return isLiteral && range !== undefined ? placesIn(d, o, range) : []
  })
}

/** The number at a position. */
export function literalAt(d: ShaderDocument, position: number): LiteralPlace | undefined {
  const at = statementAt(d, position)
  if (at === undefined) return undefined
  return literalsOf(d, at).find(({ range }) => range.start <= position && position <= range.end)
}

const MOST_DIGITS = 9

/** The shortest decimal that reads back as a float. */
export function shortFloat(bits: number): string {
  const float = new Float32Array(new Uint32Array([bits]).buffer)[0]!
  if (!Number.isFinite(float)) return String(float)
  if (Object.is(float, -0)) return '-0'
  for (let digits = 1; digits < MOST_DIGITS; digits++) {
    const text = float.toPrecision(digits)
    if (Math.fround(Number(text)) === float) return String(Number(text))
  }
  return String(Number(float.toPrecision(MOST_DIGITS)))
}

const hex = (bits: number): string => `0x${bits.toString(16).padStart(8, '0')}`

/** A number in all readings, in Markdown. */
export function literalText({ isDouble, dwords }: LiteralPlace): string {
  if (isDouble) {
    const double = new Float64Array(new Uint32Array(dwords).buffer)[0]!
    return `| double | ${double} |\n| --- | --- |\n| hexadecimal | \`${hex(dwords[1]!)}\`, \`${hex(dwords[0]!)}\` (high, low) |`
  }
  const bits = dwords[0]! >>> 0
  const lines = [
    `| float | ${shortFloat(bits)} |`,
    '| --- | --- |',
    `| int | ${bits | 0} |`,
    ...(bits >= 0x80000000 ? [`| uint | ${bits} |`] : []),
    `| hexadecimal | \`${hex(bits)}\` |`,
  ]
  return lines.join('\n')
}
