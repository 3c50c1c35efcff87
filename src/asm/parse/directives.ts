/** Directives inside the code of the dialect `lossless`. */
import { closest } from '../../diagnostic/index.ts'
import type { Statement } from '../../program/index.ts'
import { decodeBase64 } from '../text/base64.ts'
import { CODE_DIRECTIVE } from '../text/directive-text.ts'
import { readUnsigned } from './number.ts'
import { CODE, isDigitCode, type Source } from './source.ts'

type ProgramDirective =
  | { readonly kind: 'statement'; readonly statement: Statement }
  | { readonly kind: 'version'; readonly token: number }
  | { readonly kind: 'length'; readonly dwordCount: number }
  | { readonly kind: 'rest'; readonly bytes: Uint8Array }

/** Dwords to the end of the line, or in braces over several lines. */
function readDwords(s: Source): number[] {
  const dwords: number[] = []
  const braced = s.accept(CODE.openBrace)
  const skip = (): void => (braced ? s.skipToToken() : s.skipBlanks())
  for (skip(); isDigitCode(s.peek()); skip()) dwords.push(readUnsigned(s, 'a dword'))
  if (braced) s.expect(CODE.closeBrace, 'after the dwords')
  return dwords
}

/** The base64 text to the next blank. */
export function readBase64(s: Source): Uint8Array {
  s.skipBlanks()
  const start = s.position
  let end = start
  while (end < s.lineEnd && s.text.charCodeAt(end) !== CODE.space) end++
  const bytes = decodeBase64(s.text.slice(start, end))
  s.position = end
  return bytes ?? s.fail('asm-directive', 'expected bytes in base64', start, Math.max(end, start + 1))
}

/** The word of a directive, its point included. */
export function readDirectiveWord(s: Source): string {
  const start = s.position
  s.position++
  s.word()
  return s.text.slice(start, s.position)
}

export function failDirective(s: Source, word: string, start: number, known: readonly string[]): never {
  const shown = word.slice(0, 40)
  return s.failWord('asm-directive', `'${shown}' is not a directive here`, start, s.position, closest(word, known))
}

/** Reads the directive at the position. */
export function readProgramDirective(s: Source): ProgramDirective {
  const start = s.position
  const word = readDirectiveWord(s)
  switch (word) {
    case CODE_DIRECTIVE.tokens:
      return { kind: 'statement', statement: { kind: 'unknown', dwords: readDwords(s) } }
    case CODE_DIRECTIVE.customData: {
      const dataClass = readUnsigned(s, 'a class of custom data')
      return { kind: 'statement', statement: { kind: 'custom-data', dataClass, dwords: readDwords(s) } }
    }
    case CODE_DIRECTIVE.version:
      return { kind: 'version', token: readUnsigned(s, 'a version token') }
    case CODE_DIRECTIVE.length:
      return { kind: 'length', dwordCount: readUnsigned(s, 'a number of dwords') }
    case CODE_DIRECTIVE.rest:
      return { kind: 'rest', bytes: readBase64(s) }
    default:
      return failDirective(s, word, start, Object.values(CODE_DIRECTIVE))
  }
}
