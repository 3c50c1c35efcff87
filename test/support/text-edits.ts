/** Edits of texts as people and programs make them, and worse: whole lines, single keys, halves of characters, everything. */

/** An edit of a text: characters from `start` to `end` give way to others. */
export interface RandomEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

type Numbers = (below: number) => number

/** What is put in: letters of listings, line ends of every kind, what is not of the language, halves of surrogate pairs. */
const PIECES = [
  ...[
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\t',
    ',',
    '.',
    '[',
    '{',
    '}',
    '"',
    '0',
    '9',
    'x',
    '-',
    '|',
    'l(',
    '\0',
    '\ufeff',
    '//',
    ';',
  ],
  ...['/*', '*/', '😀', '\ud83d', '\ude00', '\u2028', 'é', '_sat', '{token 1}', '.version 0x50', '.end', '#line 3'],
  ...[
    'mov r0.x, l(1.0)\n',
    'dcl_temps 2\n',
    'if_nz r0.x\n',
    'endif\n',
    'loop\n',
    'endloop\n',
    'ret\n',
    'call label1\n',
  ],
  ...[
    'label label1\n',
    'hs_fork_phase\n',
    'ps_5_0\n',
    'cs_5_1\n',
    'dcl_indexableTemp x0[4], 4\n',
    'mov x0[r1.x + 2].y, r9.x\n',
  ],
  ...['dcl_resource_texture2d (float,float,float,float) t0\n', 'dcl_constantbuffer CB0[2], immediateIndexed\n'],
  ...['// Input signature:\n', '// COMMENT: 1\n', 'dcl_immediateConstantBuffer { { 1, 0, 0, 0},\n { 2, 0, 0, 0} }\n'],
]

const LONG_LINE = 20_000

function place(text: string, numbers: Numbers): number {
  return numbers(text.length + 1)
}

/** The line that a position is on, with its end. */
function lineAround(text: string, at: number): { readonly start: number; readonly end: number } {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const newline = text.indexOf('\n', at)
  return { start, end: newline < 0 ? text.length : newline + 1 }
}

/** The next edit of a text; `original` is what it began as, from which parts come back. */
export function randomEdit(text: string, original: string, numbers: Numbers): RandomEdit {
  const at = place(text, numbers)
  const line = lineAround(text, at)
  const other = lineAround(original, place(original, numbers))
  const words = original.slice(other.start, other.end)
  switch (numbers(12)) {
    case 0:
      return { ...line, text: '' }
    case 1:
      return { start: line.start, end: line.start, text: words }
    case 2:
      return { ...line, text: words }
    case 3:
      return { ...line, text: text.slice(line.start, line.end).replace(/\r?\n$/, numbers(2) === 0 ? '\r\n' : '\n') }
    case 4:
      return { start: at, end: Math.min(text.length, at + numbers(200)), text: '' }
    case 5:
      return { start: at, end: at, text: PIECES[numbers(PIECES.length)]!.repeat(1 + numbers(3)) }
    case 6: {
      if (numbers(6) > 0) return { start: at, end: at, text: ' ' }
      const restored = numbers(3) > 0 ? original : ''
      return { start: 0, end: text.length, text: restored }
    }
    case 7:
      if (numbers(8) > 0) return { start: at, end: at, text: 'r' }
      return { start: at, end: at, text: 'add r0.x, r0.x, r0.x'.padEnd(LONG_LINE, numbers(2) === 0 ? ' ' : 'a') }
    default:
      return { start: at, end: Math.min(text.length, at + numbers(3)), text: PIECES[numbers(PIECES.length)]! }
  }
}

export const edited = (text: string, { start, end, text: put }: RandomEdit): string =>
  text.slice(0, start) + put + text.slice(end)
