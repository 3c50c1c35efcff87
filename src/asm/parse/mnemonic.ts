/**
 * Words at the start of a statement: a row's mnemonic (or alias) with suffixes that set its controls. Which suffixes a
 * row takes follows from its controls, its kind and, for declarations, the pieces of its text.
 */
import * as I from '../../isa/index.ts'
import { DECLARATION_TEXT, NO_GLOBAL_FLAGS } from '../text/declaration-text.ts'
import {
  INDEXABLE_SUFFIX,
  OFFSET_SUFFIX,
  RESINFO_SUFFIX,
  SAMPLEINFO_SUFFIX,
  SATURATE_SUFFIX,
  SYNC_SUFFIXES,
  syncSuffix,
  TEST_SUFFIX,
} from '../text/head-text.ts'

/** What the word of a statement says. */
export interface Head {
  readonly row: I.InstructionRow
  /** Control bits that suffixes set. */
  readonly controls: number
  /** A texel offset in parentheses follows. */
  readonly hasOffset: boolean
  /** The resource's dimension and return types in parentheses follow. */
  readonly isIndexable: boolean
  /** The row has a test (`_z`, `_nz`) and the word too. */
  readonly hasTest: boolean
  /** The dimension was not in the word, as the reference pages write declarations (`dcl_resource t0, texture2d, float`). */
  readonly lacksDimension: boolean
  /** The word is a spelling of the reference pages that the listing does not have. */
  readonly isAlias: boolean
  /** The word names a value that the format does not have (`dcl_resource_<unknown dimension>`); its number is lost. */
  readonly lostWord?: string
}

interface Suffix {
  readonly text: string
  readonly control?: I.Control
  readonly value?: number
  readonly sets?: 'offset' | 'indexable' | 'test'
  readonly lost?: boolean
}

const flag = (control: I.Control, text: string, value = 1): Suffix => ({ text, control, value })

function returnSuffixes(control: I.Control, texts: readonly string[]): readonly Suffix[] {
  return texts.flatMap((text, value) =>
    text === '' ? [] : [flag(control, text, value), flag(control, text.replace('rcpf', 'rcpF'), value)],
  )
}

function controlSuffixes(control: I.Control): readonly Suffix[] {
  switch (control.name) {
    case 'saturate':
      return [flag(control, SATURATE_SUFFIX)]
    case 'test':
      return TEST_SUFFIX.map((text, value) => ({ ...flag(control, text, value), sets: 'test' as const }))
    case 'sync':
      // The bit of _ugroup is the saturate bit, and both are printed.
      return [
        ...SYNC_SUFFIXES.map((s) => flag(control, s.suffix, s.set)),
        flag(control, SATURATE_SUFFIX, I.SYNC_UAV_GROUP),
      ]
    case 'resinfo-return':
      return returnSuffixes(control, RESINFO_SUFFIX)
    case 'sampleinfo-return':
      return returnSuffixes(control, SAMPLEINFO_SUFFIX)
    case 'dimension':
      return [
        ...I.RESOURCE_DIMENSION.words.flatMap((word, value) =>
          word === undefined ? [] : [flag(control, `_${word}`, value)],
        ),
        { ...flag(control, `_${I.RESOURCE_DIMENSION.unknown}`, 0), lost: true },
      ]
    case 'global-flags':
      return [flag(control, NO_GLOBAL_FLAGS, 0)]
    default:
      return []
  }
}

/** Whether texel offsets can stand behind the mnemonic. */
export function takesOffset(row: I.InstructionRow): boolean {
  return row.traits.kind !== 'query' && EXTENDED_KINDS.has(row.traits.kind)
}

/** Kinds of instruction whose extended tokens hold offsets and resource descriptions. */
const EXTENDED_KINDS: ReadonlySet<I.Traits['kind']> = new Set(['load', 'sample', 'gather', 'query'])

function suffixesOfRow(row: I.InstructionRow): readonly Suffix[] {
  const suffixes = row.controls.flatMap(controlSuffixes)
  if (row.traits.kind === 'declaration') {
    for (const piece of DECLARATION_TEXT[row.traits.declares]) {
      if (piece.piece === 'suffixes') for (const f of piece.flags) suffixes.push(flag(f.control, f.suffix))
    }
  }
  if (EXTENDED_KINDS.has(row.traits.kind)) {
    suffixes.push({ text: OFFSET_SUFFIX, sets: 'offset' }, { text: INDEXABLE_SUFFIX, sets: 'indexable' })
  }
  // Longest first, so that `_texture2dms` is not taken for `_texture2d`.
  return suffixes.sort((a, b) => b.text.length - a.text.length)
}

const SUFFIXES = new Map<I.InstructionRow, readonly Suffix[]>(I.INSTRUCTIONS.map((row) => [row, suffixesOfRow(row)]))

function needsDimension(row: I.InstructionRow): boolean {
  return row.controls.some((c) => c.name === 'dimension')
}

const SUFFIX_BOUNDARY = /[A-Za-z0-9]/

/** Whether a suffix ends where the next one or the word's end begins: `_g` does not fit `_glc`. */
function endsAt(word: string, at: number): boolean {
  return at === word.length || !SUFFIX_BOUNDARY.test(word[at]!)
}

const NOT_ZERO = TEST_SUFFIX.indexOf('_nz')

/** Compilers up to 9.29 print `discard l(-1)` for `discard_nz`. */
function impliedTest(row: I.InstructionRow): number {
  const isDiscard = row.traits.kind === 'flow' && row.traits.action === 'discard'
  return isDiscard ? I.withControl(0, I.TEST, NOT_ZERO) : 0
}

function readSuffixes(row: I.InstructionRow, word: string, from: number): Head | undefined {
  let at = from
  let controls = 0
  const seen = { offset: false, indexable: false, test: false, dimension: false, lost: false }
  while (at < word.length) {
    const suffix = SUFFIXES.get(row)!.find((s) => word.startsWith(s.text, at) && endsAt(word, at + s.text.length))
    if (suffix === undefined) return undefined
    const { control } = suffix
    if (control !== undefined) {
      controls |= ((suffix.value ?? 0) << control.shift) >>> 0
      if (control.name === 'dimension') seen.dimension = true
    }
    if (suffix.sets !== undefined) seen[suffix.sets] = true
    if (suffix.lost === true) seen.lost = true
    at += suffix.text.length
  }
  const implied = seen.test ? 0 : impliedTest(row)
  const head: Head = {
    row,
    controls: controls | implied,
    hasOffset: seen.offset,
    isIndexable: seen.indexable,
    hasTest: seen.test || implied !== 0,
    lacksDimension: needsDimension(row) && !seen.dimension,
    isAlias: !word.startsWith(row.mnemonic),
  }
  return seen.lost ? { ...head, lostWord: I.RESOURCE_DIMENSION.unknown } : head
}

function resolve(word: string): Head | undefined {
  for (let end = word.length; end > 0; end = word.lastIndexOf('_', end - 1)) {
    const row = I.rowOfMnemonic(word.slice(0, end))
    const head = row === undefined ? undefined : readSuffixes(row, word, end)
    if (head !== undefined) return head
  }
  if (!word.endsWith(NO_GLOBAL_FLAGS)) return undefined
  const end = word.length - NO_GLOBAL_FLAGS.length
  const row = I.rowOfMnemonic(word.slice(0, end))
  return row === undefined ? undefined : readSuffixes(row, word, end)
}

/** Words of real shaders number in the hundreds; a text made to fill this memory gets no more than this. */
const MAX_KNOWN_WORDS = 4096
/** Longer than any mnemonic with all its suffixes. */
const MAX_WORD_LENGTH = 100
const KNOWN_WORDS = new Map<string, Head>()

/** The row and controls that a statement's word stands for; undefined for a word that is none. */
export function resolveMnemonic(word: string): Head | undefined {
  const known = KNOWN_WORDS.get(word)
  if (known !== undefined || word.length > MAX_WORD_LENGTH) return known
  const head = resolve(word)
  // The key is a copy: a slice would keep the whole text it was cut from.
  if (head !== undefined && KNOWN_WORDS.size < MAX_KNOWN_WORDS) KNOWN_WORDS.set([...word].join(''), head)
  return head
}

/** The suffix of resinfo and sampleinfo behind the parentheses (`)_uint`), as control bits. */
export function resolveReturnSuffix(row: I.InstructionRow, suffix: string): number | undefined {
  const found = SUFFIXES.get(row)!.find((s) => s.text === suffix && s.control !== undefined)
  return found === undefined ? undefined : ((found.value ?? 0) << found.control!.shift) >>> 0
}

/** The barriers of HLSL by their flags: some memory, with or without waiting for the threads of the group. */
const SYNC_WORDS = [I.SYNC_UAV_GLOBAL, I.SYNC_TGSM, I.SYNC_UAV_GLOBAL | I.SYNC_TGSM].flatMap((memory) =>
  [memory, memory | I.SYNC_THREADS].map(syncSuffix),
)

const BUFFERS_WITH_OWN_ROWS: ReadonlySet<number> = new Set([
  I.DIMENSION_NUMBER.rawBuffer,
  I.DIMENSION_NUMBER.structuredBuffer,
])

/** What must stand behind a row's mnemonic, one of these: a test, a dimension, what a barrier is for; else nothing. */
function requiredSuffixes(row: I.InstructionRow): readonly string[] {
  if (row.controls.includes(I.SYNC)) return SYNC_WORDS
  const required = SUFFIXES.get(row)!.filter(
    ({ sets, control, value = 0, lost }) =>
      sets === 'test' || (control?.name === 'dimension' && lost !== true && !BUFFERS_WITH_OWN_ROWS.has(value)),
  )
  return required.length === 0 ? [''] : required.map((s) => s.text)
}

/** The words that a statement of a row may begin with: its mnemonic with what must stand behind it, and with `_sat`. */
export function mnemonicWords(row: I.InstructionRow): readonly string[] {
  const words = requiredSuffixes(row).map((suffix) => row.mnemonic + suffix)
  return row.controls.includes(I.SATURATE) ? [...words, `${row.mnemonic}${SATURATE_SUFFIX}`] : words
}

/** Words to compare a mistyped one with: those of every row, and the forms with the resource's dimension. */
export function* mnemonicCandidates(): Iterable<string> {
  for (const row of I.INSTRUCTIONS) {
    yield* mnemonicWords(row)
    if (EXTENDED_KINDS.has(row.traits.kind)) yield `${row.mnemonic}${INDEXABLE_SUFFIX}`
  }
}

/** The suffixes that a row's mnemonic takes, as the listing writes them. */
export const mnemonicSuffixes = (row: I.InstructionRow): readonly string[] =>
  (SUFFIXES.get(row) ?? []).map((s) => s.text)
