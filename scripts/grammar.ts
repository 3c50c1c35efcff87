/** The TextMate grammar of listings and the language configuration of editors, made from the instruction table. */
import { mnemonicSuffixes } from '../src/asm/index.ts'
import {
  INSTRUCTIONS,
  type InstructionRow,
  PROFILE_PREFIXES,
  REGISTER_FILES,
  type RegisterFile,
} from '../src/isa/index.ts'
import { type WordKind, wordKindOf } from '../src/language/index.ts'

/** The name of the scope, without the parts in front. */
type Scope = string

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\<>]/g, '\\$&')

/** Words longest first, so that a shorter one is not taken for a longer. */
function alternatives(words: Iterable<string>): string {
  return [...new Set(words)]
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map(escaped)
    .join('|')
}

const SCOPE_OF_WORD: Readonly<Record<WordKind, Scope>> = {
  macro: 'storage.type.declaration',
  keyword: 'keyword.control',
  function: 'support.function.arithmetic',
  event: 'support.function.memory',
}

const scopeOfRow = (row: InstructionRow): Scope =>
  row.traits.kind === 'sync' ? 'keyword.other.sync' : SCOPE_OF_WORD[wordKindOf(row)]

function scopeOfFile(file: RegisterFile): Scope {
  switch (file.class) {
    case 'input':
      return 'variable.parameter.input'
    case 'output':
      return 'variable.parameter.output'
    case 'constant':
      return 'variable.other.constant'
    case 'binding':
    case 'memory':
      return 'variable.other.binding'
    case 'name':
      return 'entity.name.function'
    default:
      return 'variable.other.register'
  }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => Scope): ReadonlyMap<Scope, readonly T[]> {
  const groups = new Map<Scope, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** A line may begin with numbers and offsets, as `heddle dis --numbers --offsets` prints them. */
const LINE_START = '^(\\s*(?:(?:0x[0-9A-Fa-f]+|[0-9]+):\\s+)*)'

/** Where a line is a statement of an instruction: its mnemonic with any suffixes it takes. */
function instructionPatterns(): readonly object[] {
  return [...grouped(INSTRUCTIONS, scopeOfRow)].map(([scope, rows]) => {
    const names = rows.flatMap((row) => [row.mnemonic, ...row.aliases])
    const suffixes = rows.flatMap((row) => mnemonicSuffixes(row))
    const tail = suffixes.length === 0 ? '' : `(?:${alternatives(suffixes)})*`
    return {
      match: `${LINE_START}((?:${alternatives(names)})${tail})(?![\\w])`,
      captures: { 1: { name: 'constant.numeric.line.dxbc' }, 2: { name: `${scope}.dxbc` } },
    }
  })
}

/** Registers by their prefixes; the letters behind the point are components. */
function registerPatterns(): readonly object[] {
  const files = REGISTER_FILES.filter((f) => f.class !== 'immediate')
  return [...grouped(files, scopeOfFile)].map(([scope, list]) => {
    const numbered = list.filter((f) => f.indices[1] > 0).flatMap((f) => [f.prefix, f.prefix51 ?? f.prefix])
    const plain = list.filter((f) => f.indices[0] === 0).map((f) => f.prefix)
    const parts = [
      ...(numbered.length === 0 ? [] : [`(?:${alternatives(numbered)})(?:[0-9]+|(?=\\[))`]),
      ...(plain.length === 0 ? [] : [`(?:${alternatives(plain)})`]),
    ]
    return { match: `\\b(?:${parts.join('|')})\\b|\\b(?:${parts.join('|')})(?=\\[)`, name: `${scope}.dxbc` }
  })
}

/** The grammar, for `apps/vscode/syntaxes/dxbc.tmLanguage.json`. */
export function grammar(): object {
  return {
    $schema: 'https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json',
    name: 'DXBC assembly',
    scopeName: 'source.dxbc',
    fileTypes: ['dxasm', 'dxbcasm'],
    firstLineMatch: `^(${PROFILE_PREFIXES.join('|')})_[45]_[01]`,
    patterns: [
      { include: '#comments' },
      { include: '#strings' },
      { include: '#profile' },
      { include: '#directives' },
      { include: '#instructions' },
      { include: '#literals' },
      { include: '#components' },
      { include: '#registers' },
      { include: '#annotations' },
      { include: '#numbers' },
      { include: '#keywords' },
    ],
    repository: {
      comments: {
        patterns: [
          { match: '(?://|;).*$', name: 'comment.line.dxbc' },
          { begin: '/\\*', end: '\\*/', name: 'comment.block.dxbc' },
        ],
      },
      strings: { patterns: [{ match: '"[^"]*"', name: 'string.quoted.double.dxbc' }] },
      profile: {
        patterns: [
          {
            match: `${LINE_START}((?:${PROFILE_PREFIXES.join('|')})_[0-9]+_[0-9]+)\\b`,
            captures: { 1: { name: 'constant.numeric.line.dxbc' }, 2: { name: 'keyword.other.profile.dxbc' } },
          },
        ],
      },
      directives: { patterns: [{ match: '^\\s*\\.[a-z-]+\\b', name: 'keyword.other.directive.dxbc' }] },
      instructions: { patterns: instructionPatterns() },
      literals: { patterns: [{ match: '\\b[ld](?=\\()', name: 'storage.type.literal.dxbc' }] },
      components: { patterns: [{ match: '\\.[xyzwrgba]{1,4}\\b', name: 'variable.other.property.dxbc' }] },
      registers: { patterns: registerPatterns() },
      annotations: {
        patterns: [{ match: '\\{\\s*(?:min[0-9_]+[fiu]|def32|nonuniform)\\b[^}]*\\}', name: 'storage.modifier.dxbc' }],
      },
      numbers: {
        patterns: [
          { match: '-?\\b0[xX][0-9A-Fa-f]+\\b', name: 'constant.numeric.hex.dxbc' },
          { match: '-?\\b[0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?:#[A-Z]+)?\\b', name: 'constant.numeric.dxbc' },
        ],
      },
      keywords: { patterns: [{ match: '\\b[A-Za-z_]\\w*\\b', name: 'constant.language.dxbc' }] },
    },
  }
}

const OPENERS = ['if_z', 'if_nz', 'loop', 'switch']

/** Brackets, comments and indents, for `apps/vscode/language-configuration.json`. */
export function languageConfiguration(): object {
  const brackets = [
    ['{', '}'],
    ['[', ']'],
    ['(', ')'],
  ]
  return {
    comments: { lineComment: '//', blockComment: ['/*', '*/'] },
    brackets,
    autoClosingPairs: [...brackets.map(([open, close]) => ({ open, close })), { open: '"', close: '"' }],
    surroundingPairs: [...brackets, ['|', '|']],
    wordPattern: '[A-Za-z_]\\w*|-?\\d+\\.\\d+|-?\\d+',
    folding: { offSide: false },
    indentationRules: {
      increaseIndentPattern: `^\\s*(?:${OPENERS.join('|')}|else|case|default)\\b`,
      decreaseIndentPattern: '^\\s*(?:endif|endloop|endswitch|else)\\b',
    },
  }
}

/** The files that `npm run docs` makes of these, with their texts. */
export const GRAMMAR_FILES: readonly (readonly [path: string, text: string])[] = [
  ['apps/vscode/syntaxes/dxbc.tmLanguage.json', `${JSON.stringify(grammar(), null, 2)}\n`],
  ['apps/vscode/language-configuration.json', `${JSON.stringify(languageConfiguration(), null, 2)}\n`],
]
