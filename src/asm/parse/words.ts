/** Words of enumerations. */
import { closest } from '../../diagnostic/index.ts'
import { type Enumeration, RETURN_TYPE } from '../../isa/index.ts'
import { CODE, isWordCode, type Source } from './source.ts'

function endsWord(s: Source, at: number): boolean {
  return at >= s.lineEnd || !isWordCode(s.text.charCodeAt(at))
}

/** Whether `word` stands at the position as a whole word; words may hold blanks. */
function standsHere(s: Source, word: string): boolean {
  return s.text.startsWith(word, s.position) && endsWord(s, s.position + word.length)
}

/** The longest word of the enumeration at the position. */
function longestWord(s: Source, words: Enumeration['words']): number {
  let best = -1
  for (let value = 0; value < words.length; value++) {
    const word = words[value]
    if (word === undefined || word === '' || !standsHere(s, word)) continue
    if (best < 0 || word.length > words[best]!.length) best = value
  }
  return best
}

/** Lower case without `_`: the reference pages write `clipDistance`, `Texture2D`, `FLOAT`. */
const folded = (word: string): string => word.toLowerCase().replaceAll('_', '').replaceAll(' ', '')

function foldedWord(s: Source, words: Enumeration['words']): number {
  const start = s.position
  const end = s.wordEnd()
  if (end - start > 64) return -1
  const wanted = folded(s.text.slice(start, end))
  const value = wanted === '' ? -1 : words.findIndex((word) => word !== undefined && folded(word) === wanted)
  if (value >= 0) s.position = end
  return value
}

/**
 * Says that the text names no number: the listing prints the same for every number without a word. Says nothing where
 * an annotation of the statement has the number.
 */
export function warnLost(s: Source, start: number, what: string): void {
  if (s.hasStatementAnnotation()) return
  s.report(
    'asm-information-lost',
    `the text does not say which ${what} this is; 0 is taken`,
    start,
    Math.max(s.position, start + 1),
  )
}

/** A word of the enumeration at the position. `what` names the enumeration in messages. */
export function readEnumerationWord(s: Source, e: Enumeration, what: string): number {
  s.skipBlanks()
  const start = s.position
  const value = longestWord(s, e.words)
  if (value >= 0) {
    s.position += e.words[value]!.length
    return value
  }
  const other = foldedWord(s, e.words)
  if (other >= 0) return other
  if (e.unknown === '' ? s.atStatementEnd() : s.text.startsWith(e.unknown, start)) {
    s.position += e.unknown.length
    warnLost(s, start, what)
    return 0
  }
  const end = Math.max(s.wordEnd(), start + 1)
  const words = e.words.filter((word) => word !== undefined && word !== '')
  const listed = words.length <= 12 ? [`one of: ${words.join(', ')}`] : []
  const meant = closest(s.text.slice(start, end), words as string[])
  return s.failWord('asm-unknown-keyword', `expected ${what}, found ${s.found()}`, start, end, meant, listed)
}

/** `(float,float,float,float)`: four return types, 4 bits each from bit 0. */
export function readReturnTypes(s: Source): number {
  s.expect(CODE.open, 'before the return types')
  let types = 0
  for (let component = 0; component < 4; component++) {
    if (component > 0) s.expect(CODE.comma, 'between return types')
    types |= readEnumerationWord(s, RETURN_TYPE, 'a return type') << (4 * component)
  }
  s.expect(CODE.close, 'after the return types')
  return types
}
