import type { Diagnostic } from './diagnostic.ts'
import type { Place } from './place.ts'

/** Colors for the words of a rendered diagnostic; the identity when the output is not a terminal. */
export interface Paint {
  readonly error: (s: string) => string
  readonly warning: (s: string) => string
  readonly hint: (s: string) => string
  readonly dim: (s: string) => string
}

const PLAIN: Paint = { error: (s) => s, warning: (s) => s, hint: (s) => s, dim: (s) => s }

function hex(n: number): string {
  return `0x${n.toString(16).padStart(8, '0')}`
}

/** A place in a few words: `12:5`, `SHEX+0x00000040`, `instruction 17, operand 2`, `$.resources[1]`. */
function describePlace(place: Place): string {
  switch (place.kind) {
    case 'bytes':
      return place.chunk === undefined ? hex(place.byteOffset) : `${place.chunk}+${hex(place.byteOffset)}`
    case 'text':
      return `${place.line}:${place.column}`
    case 'statement': {
      const name = place.instruction === undefined ? `statement ${place.index}` : `instruction ${place.instruction}`
      return place.operand === undefined ? name : `${name}, operand ${place.operand}`
    }
    case 'path':
      return place.path
  }
}

/** A diagnostic in one line without its code, for reports of CI systems: where in a description or a program, and what. */
export function placedMessage({ message, place }: Diagnostic): string {
  if (place?.kind === 'path') return `${place.path}: ${message}`
  if (place?.kind !== 'statement') return message
  const listing = place.listing === undefined ? '' : ` (${place.listing.trim()})`
  return `${describePlace(place)}${listing}: ${message}`
}

/** A text of the input for a terminal: control characters as the signs of Unicode for them, so that they do nothing there. */
function withoutControls(text: string): string {
  let shown = ''
  for (const c of text) {
    const code = c.charCodeAt(0)
    const isControl = (code < 32 && c !== '\t' && c !== '\n') || code === 127
    if (isControl) shown += String.fromCharCode(code === 127 ? 0x2421 : 0x2400 + code)
    else shown += code >= 0x80 && code < 0xa0 ? '\ufffd' : c
  }
  return shown
}

function caretLines(place: Place): string[] {
  if (place.kind === 'statement') return place.listing === undefined ? [] : [`    ${place.listing}`]
  if (place.kind !== 'text') return []
  const gutter = `${place.line} | `
  const before = place.sourceLine.slice(0, place.column - 1).replace(/[^\t]/g, ' ')
  const room = Math.max(1, Math.min(place.length, place.sourceLine.length - place.column + 1))
  return [
    `  ${gutter}${withoutControls(place.sourceLine)}`,
    `  ${' '.repeat(gutter.length)}${before}${'^'.repeat(room)}`,
  ]
}

/** A diagnostic as people read it, several lines without a newline at the end. `file` is put in front of the place. */
export function renderDiagnostic(d: Diagnostic, file?: string, paint: Paint = PLAIN): string {
  const where = [file, d.place === undefined ? undefined : describePlace(d.place)].filter((s) => s !== undefined)
  const head = `${where.length > 0 ? `${where.join(':')}: ` : ''}${paint[d.severity](d.severity)}: ${withoutControls(d.message)} ${paint.dim(`[${d.code}]`)}`
  const body = d.place === undefined ? [] : caretLines(d.place).map(paint.dim)
  const related = (d.related ?? []).map((r) => `  at ${describePlace(r.place)}: ${r.message}`)
  return [head, ...body, ...related, ...d.notes.map((n) => `  note: ${withoutControls(n)}`)].join('\n')
}
