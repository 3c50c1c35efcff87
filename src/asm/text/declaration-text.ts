/**
 * What follows the mnemonic of each form of declaration, as data: the listing prints the pieces in order, the parser
 * reads them in the same order. Blanks and commas are pieces too, so a form is its text from end to end.
 */
import * as I from '../../isa/index.ts'
import { MESSAGE_ID } from '../../program/index.ts'

/** A word glued to the mnemonic where a control bit is set. */
export interface FlagSuffix {
  readonly suffix: string
  readonly control: I.Control
}

export type TextPiece =
  /** These characters. */
  | { readonly piece: 'text'; readonly text: string }
  /** `texture2d`, and `(4)` samples for multisampled kinds where the row has a sample count. Glued to the mnemonic with `_`. */
  | { readonly piece: 'dimension' }
  /** `_glc` and the like, glued to the mnemonic. */
  | { readonly piece: 'suffixes'; readonly flags: readonly FlagSuffix[] }
  /** `(float,float,float,float)`, 4 bits a component of a parameter. */
  | { readonly piece: 'return-types'; readonly parameter: string }
  /** The declared operand as code writes it. */
  | { readonly piece: 'register' }
  /** The declared operand of a binding: `t0`, in SM5.1 `T0[4:19]` (first and last register of the range). */
  | { readonly piece: 'binding' }
  /** `CB0[12]`; in SM5.1 `CB0[2:9][5]`, the size being a parameter there. */
  | { readonly piece: 'constant-buffer' }
  /** `, space=1`, in SM5.1 alone. */
  | { readonly piece: 'space' }
  /** A dword in decimal. */
  | { readonly piece: 'number'; readonly parameter: string }
  /** `l(64.000000)`. */
  | { readonly piece: 'float'; readonly parameter: string }
  /** A control in decimal. */
  | { readonly piece: 'control-number'; readonly control: I.Control }
  /** The word of a control; with `before` in front where there is a word. */
  | { readonly piece: 'word'; readonly control: I.Control; readonly words: I.Enumeration; readonly before: string }
  /** The word of a parameter. */
  | { readonly piece: 'parameter-word'; readonly parameter: string; readonly words: I.Enumeration }
  /** The global flags that are set, with ` | ` between and a blank before; `none` (without a blank) for none. */
  | { readonly piece: 'global-flags' }
  /** The dwords of the `...` parameter: `prefix` and number each, `, ` between. `count` says how many, where it is given. */
  | { readonly piece: 'list'; readonly prefix: string; readonly count: string }
  /** `[3][2]`: the array length in the high half of `lengths`, and the call sites. The low half counts the list behind. */
  | { readonly piece: 'interface-shape' }

const text = (characters: string): TextPiece => ({ piece: 'text', text: characters })
const number = (parameter: string): TextPiece => ({ piece: 'number', parameter })
const word = (control: I.Control, words: I.Enumeration, before = ''): TextPiece => ({
  piece: 'word',
  control,
  words,
  before,
})
const suffixes = (...flags: FlagSuffix[]): TextPiece => ({ piece: 'suffixes', flags })

const BLANK = text(' ')
const COMMA = text(', ')
const REGISTER: TextPiece = { piece: 'register' }
const BINDING: TextPiece = { piece: 'binding' }
const SPACE: TextPiece = { piece: 'space' }
const DIMENSION: TextPiece = { piece: 'dimension' }
const RETURN_TYPES: TextPiece = { piece: 'return-types', parameter: 'returnTypes' }
const SYSTEM_VALUE: TextPiece = { piece: 'parameter-word', parameter: 'systemValue', words: I.SYSTEM_VALUE }
const INTERPOLATION = word(I.INTERPOLATION, I.INTERPOLATION_MODE)

const COHERENT: FlagSuffix = { suffix: '_glc', control: I.GLOBALLY_COHERENT }
const ORDERED: FlagSuffix = { suffix: '_rov', control: I.RASTERIZER_ORDERED }
const WITH_COUNTER: FlagSuffix = { suffix: '_opc', control: I.COUNTER }

/** The words of the access pattern of a constant buffer. */
const ACCESS_PATTERN_WORD: I.Enumeration = { words: ['immediateIndexed', 'dynamicIndexed'], unknown: '' }

/** The text of a program's global flags. */
export const GLOBAL_FLAG_SEPARATOR = ' | '
export const NO_GLOBAL_FLAGS = 'none'

/** The immediate constant buffer: rows of four literals in braces, rows after the first indented. */
export const IMMEDIATE_BUFFER = {
  mnemonic: 'dcl_immediateConstantBuffer',
  begin: ' { ',
  rowBegin: '{ ',
  separator: ', ',
  rowEnd: '}',
  nextRow: ',\n                              ',
  end: ' }',
} as const

export const DECLARATION_TEXT: Readonly<Record<I.DeclarationForm, readonly TextPiece[]>> = {
  resource: [DIMENSION, BLANK, RETURN_TYPES, BLANK, BINDING, SPACE],
  'resource-raw': [BLANK, BINDING, SPACE],
  'resource-structured': [BLANK, BINDING, COMMA, number('stride'), SPACE],
  'uav-typed': [DIMENSION, suffixes(COHERENT, ORDERED), BLANK, RETURN_TYPES, BLANK, BINDING, SPACE],
  'uav-raw': [suffixes(COHERENT, ORDERED), BLANK, BINDING, SPACE],
  'uav-structured': [suffixes(COHERENT, ORDERED, WITH_COUNTER), BLANK, BINDING, COMMA, number('stride'), SPACE],
  'tgsm-raw': [BLANK, REGISTER, COMMA, number('byteCount')],
  'tgsm-structured': [BLANK, REGISTER, COMMA, number('stride'), COMMA, number('count')],
  sampler: [BLANK, BINDING, word(I.SAMPLER_MODE, I.SAMPLER_MODE_WORD, ', '), SPACE],
  'constant-buffer': [BLANK, { piece: 'constant-buffer' }, word(I.ACCESS_PATTERN, ACCESS_PATTERN_WORD, ', '), SPACE],
  'index-range': [BLANK, REGISTER, BLANK, number('count')],
  input: [BLANK, REGISTER],
  'input-sv': [BLANK, REGISTER, COMMA, SYSTEM_VALUE],
  'input-ps': [BLANK, INTERPOLATION, BLANK, REGISTER],
  'input-ps-sv': [BLANK, INTERPOLATION, BLANK, REGISTER, COMMA, SYSTEM_VALUE],
  output: [BLANK, REGISTER],
  'output-sv': [BLANK, REGISTER, COMMA, SYSTEM_VALUE],
  temps: [BLANK, number('count')],
  'indexable-temp': [text(' x'), number('register'), text('['), number('count'), text('], '), number('components')],
  'global-flags': [{ piece: 'global-flags' }],
  'gs-input-primitive': [word(I.INPUT_PRIMITIVE, I.INPUT_PRIMITIVE_WORD, ' '), BLANK],
  'gs-output-topology': [word(I.OUTPUT_TOPOLOGY, I.OUTPUT_TOPOLOGY_WORD, ' '), BLANK],
  'gs-max-output': [BLANK, number('count')],
  'gs-instances': [BLANK, number('count')],
  stream: [BLANK, REGISTER],
  'thread-group': [BLANK, number('x'), COMMA, number('y'), COMMA, number('z')],
  'function-body': [text(' fb'), number('body')],
  'function-table': [
    text(' ft'),
    number('table'),
    text(' = {'),
    { piece: 'list', prefix: 'fb', count: 'count' },
    text('}'),
  ],
  interface: [
    suffixes({ suffix: '_dynamicindexed', control: I.DYNAMICALLY_INDEXED }),
    text(' fp'),
    number('interface'),
    { piece: 'interface-shape' },
    text(' = {'),
    { piece: 'list', prefix: 'ft', count: 'lengths' },
    text('}'),
  ],
  'input-control-points': [BLANK, { piece: 'control-number', control: I.CONTROL_POINTS }],
  'output-control-points': [BLANK, { piece: 'control-number', control: I.CONTROL_POINTS }],
  'tess-domain': [word(I.DOMAIN, I.TESS_DOMAIN_WORD, ' ')],
  'tess-partitioning': [word(I.PARTITIONING, I.TESS_PARTITIONING_WORD, ' ')],
  'tess-output-primitive': [word(I.OUTPUT_PRIMITIVE, I.TESS_OUTPUT_PRIMITIVE_WORD, ' ')],
  'hs-max-tessfactor': [BLANK, { piece: 'float', parameter: 'factor' }],
  'hs-fork-instances': [BLANK, number('count')],
  'hs-join-instances': [BLANK, number('count')],
}

/** Custom data: what the listing says of comments and of classes it cannot read, and the names of shader messages. */
export const COMMENT_TEXT = '// COMMENT: '
export const UNREADABLE_CUSTOM_DATA_TEXT = 'undecipherable custom data'

/** Mnemonics of shader messages, by message number. */
export const MESSAGE_MNEMONIC: ReadonlyMap<number, string> = new Map([
  [MESSAGE_ID.printf, 'printf'],
  [MESSAGE_ID.errorf, 'errorf'],
])

/** The pieces of the text of a form, in order. */
export const declarationPieces = (form: I.DeclarationForm): readonly TextPiece[] => DECLARATION_TEXT[form]
