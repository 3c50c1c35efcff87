/** The words of a text by what they are, for editors that color by more than patterns. */
import { registerFileOfPrefix, resolveMnemonic, type TextRange } from '../asm/index.ts'
import { PROFILE_PREFIXES, type RegisterFile } from '../isa/index.ts'
import { lineAt, lineStarts, type ShaderDocument } from './document.ts'
import { wordKindOf } from './instruction-text.ts'
import { perDocument } from './per-document.ts'
import { registerUses } from './program/uses.ts'
import { unnecessaryRanges } from './unnecessary.ts'

/** Kinds of words, by their places in the legend. */
export const TOKEN_TYPES = [
  'keyword',
  'function',
  'event',
  'macro',
  'parameter',
  'variable',
  'property',
  'namespace',
  'enumMember',
  'number',
  'comment',
  'string',
] as const
export const TOKEN_MODIFIERS = ['declaration', 'readonly', 'modification', 'deprecated'] as const

export type TokenType = (typeof TOKEN_TYPES)[number]

/** A word with what it is. Words do not go over the end of a line. */
export interface Token {
  readonly start: number
  readonly length: number
  readonly type: TokenType
  /** Bits in the order of `TOKEN_MODIFIERS`. */
  readonly modifiers: number
}

const DECLARATION = 1
const READONLY = 2
const MODIFICATION = 4
const DEPRECATED = 8

/** Comments, strings, numbers, words with what is glued to them, and component letters. */
const LEXEME =
  /\/\*[^\n]*?(?:\*\/|$)|\/\/.*|;.*|"[^"\n]*"?|\.[xyzwrgba]{1,4}\b|0[xX][0-9a-fA-F]+|-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?:#[A-Z]+)?\w*|[A-Za-z_.]\w*/gm

function typeOfFile(file: RegisterFile): TokenType {
  switch (file.class) {
    case 'input':
    case 'output':
      return 'parameter'
    case 'binding':
    case 'constant':
    case 'memory':
      return 'namespace'
    case 'name':
      return 'function'
    default:
      return 'variable'
  }
}

const READONLY_CLASSES: ReadonlySet<RegisterFile['class']> = new Set(['input', 'constant'])

function modifiersOfFile(file: RegisterFile): number {
  const isReadonly = READONLY_CLASSES.has(file.class) || file.name === 'resource' || file.name === 'sampler'
  return isReadonly ? READONLY : 0
}

/** What is known of the names of registers beyond their letters, by position. */
const accessModifiers = perDocument((d: ShaderDocument): ReadonlyMap<number, number> => {
  const byStart = new Map<number, number>()
  for (const { written, access } of registerUses(d)) {
    const own = access === 'declared' ? DECLARATION : access === 'read' ? 0 : MODIFICATION
    if (own !== 0) byStart.set(written.name.start, own)
  }
  return byStart
})

const PROFILE = new RegExp(`^(?:${PROFILE_PREFIXES.join('|')})_\\d_\\d$`)
const LITERAL_PREFIX = /^[ld]$/

interface LineState {
  /** The mnemonic of the line has been seen. */
  hasHead: boolean
}

function typeOfWord(
  word: string,
  next: string | undefined,
  state: LineState,
): readonly [TokenType, number] | undefined {
  if (!state.hasHead) {
    state.hasHead = true
    if (PROFILE.test(word) || word.startsWith('.')) return ['keyword', 0]
    const head = resolveMnemonic(word)
    return head === undefined ? undefined : [wordKindOf(head.row), 0]
  }
  if (LITERAL_PREFIX.test(word) && next === '(') return ['number', 0]
  const file = registerFileOfPrefix(word.replace(/\d+$/, ''))
  if (file !== undefined) return [typeOfFile(file), modifiersOfFile(file)]
  return word.startsWith('_') ? ['function', 0] : ['enumMember', 0]
}

/** The words of one line. */
function addLine(d: ShaderDocument, range: TextRange, tokens: Token[], deprecated: (at: number) => boolean): void {
  const line = d.text.slice(range.start, range.end)
  const state: LineState = { hasHead: /^\s*(?:[{}(]|$)/.test(line) }
  const known = accessModifiers(d)
  const isDeprecated = deprecated(range.start)
  // A number or an offset with a colon stands in front of the lines of some listings.
  const prefix = /^\s*\w+:\s/.exec(line.slice(0, 40))?.[0].length ?? 0
  for (const match of line.slice(prefix).matchAll(LEXEME)) {
    const word = match[0]
    const start = range.start + prefix + match.index
    const add = (type: TokenType, modifiers = 0): void => {
      const extra = isDeprecated && type !== 'comment' ? DEPRECATED : 0
      tokens.push({ start, length: word.length, type, modifiers: modifiers | extra | (known.get(start) ?? 0) })
    }
    const first = word[0]!
    const next = line[prefix + match.index + word.length]
    if (word.startsWith('//') || word.startsWith('/*') || first === ';') add('comment')
    else if (first === '"') add('string')
    else if (/^[-\d]/.test(first) || /^\.\d/.test(word)) add('number')
    else if (first === '.' && state.hasHead) add('property')
    else {
      const found = typeOfWord(word, next, state)
      if (found !== undefined) add(...found)
    }
  }
}

/** The tokens of whole lines that a part of the text is on, in order. */
export function tokensIn(d: ShaderDocument, range: TextRange): readonly Token[] {
  const starts = lineStarts(d)
  const tokens: Token[] = []
  const unnecessary = new Set(unnecessaryRanges(d).map((u) => lineAt(d, u.range.start)))
  const last = lineAt(d, range.end)
  for (let line = lineAt(d, range.start); line <= last; line++) {
    const end = (starts[line + 1] ?? d.text.length + 1) - 1
    addLine(d, { start: starts[line]!, end }, tokens, () => unnecessary.has(line))
  }
  return tokens
}
