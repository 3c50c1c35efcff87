import { diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import { type DxbcChecksum, type DxbcChunk, type DxbcContainer, writeDxbc } from '../../dxbc/index.ts'
import { encodeProgram, type Program } from '../../program/index.ts'
import { failDirective, readBase64, readDirectiveWord } from '../parse/directives.ts'
import { readUnsigned } from '../parse/number.ts'
import { programOf, readLines, startReading } from '../parse/parse-program.ts'
import { NotedText, type PlaceNotes, type ProgramText } from '../parse/program-text.ts'
import { CODE, GIVE_UP, isDigitCode, MAX_ERRORS, Source } from '../parse/source.ts'
import { decodeBase64 } from '../text/base64.ts'
import { CHUNK_FORM, CONTAINER_DIRECTIVE as D, LOSSLESS_MARK, LOSSLESS_VERSION } from '../text/directive-text.ts'
import { encodeModelText, MODEL_KIND_WORDS, modelKindOf } from './chunk-text.ts'

/** What has been read of the text so far. */
interface Draft {
  readonly source: Source
  checksum: DxbcChecksum
  version: number
  readonly chunks: { readonly fourcc: string; readonly data: Uint8Array }[]
  readonly gaps: Map<number, Uint8Array>
  storageOrder: readonly number[] | undefined
  tail: Uint8Array | undefined
  trailing: Uint8Array | undefined
  /** Where the statements of the program stand, and the program as far as it could be read. */
  places: PlaceNotes
  partial: Program | undefined
  /** The whole file, where it is no container. */
  bytes: Uint8Array | undefined
}

const FOURCC_LENGTH = 4
const CHECKSUM_BYTES = 16

/** `"RDEF"`, with `\x00` for what is not printable. */
function readFourcc(s: Source): string {
  s.skipBlanks()
  const start = s.position
  s.expect(CODE.quote, 'before the name of the part')
  let fourcc = ''
  while (fourcc.length < FOURCC_LENGTH && s.peek() !== CODE.quote && s.peek() !== 0) {
    const isEscape = s.text.startsWith('\\x', s.position)
    const escaped = isEscape ? Number.parseInt(s.text.slice(s.position + 2, s.position + 4), 16) : s.peek()
    if (Number.isNaN(escaped)) s.fail('asm-directive', 'expected two hexadecimal digits', s.position, s.position + 4)
    fourcc += String.fromCharCode(escaped & 0xff)
    s.position += isEscape ? 4 : 1
  }
  s.expect(CODE.quote, 'after the four characters of the name')
  if (fourcc.length === FOURCC_LENGTH) return fourcc
  return s.fail('asm-directive', 'the name of a part has four characters', start, s.position)
}

/** Whether the line ends a block. */
function isEnd(s: Source): boolean {
  s.skipBlanks()
  if (!s.text.startsWith(D.end, s.position) || s.position + D.end.length > s.lineEnd) return false
  s.position += D.end.length
  s.skipBlanks()
  return s.atEnd()
}

function failUnended(s: Source, what: string): never {
  return s.fail('asm-directive', `${what} ends without '${D.end}'`, s.position, s.position + 1)
}

/** Lines of base64 up to `.end`. */
function readBytesBlock(s: Source): Uint8Array {
  const pieces: Uint8Array[] = []
  let length = 0
  while (s.nextLine()) {
    if (isEnd(s)) return joined(pieces, length)
    const piece = decodeBase64(s.text.slice(s.position, s.lineEnd).trimEnd())
    if (piece === undefined) return s.fail('asm-directive', 'expected bytes in base64', s.position, s.lineEnd)
    pieces.push(piece)
    length += piece.length
  }
  return failUnended(s, 'a block of bytes')
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** The data of a part from the JSON up to `.end`. */
function readModelBlock(s: Source, kindWord: string, fourcc: string): Uint8Array {
  const kind = modelKindOf(kindWord)!
  const place = s.placeOf(s.position, s.lineEnd)
  const begin = s.lineEnd
  while (s.nextLine()) {
    const end = s.position
    if (!isEnd(s)) continue
    const model = encodeModelText(kind, fourcc, s.text.slice(begin, end))
    if (model.kind === 'bytes') return model.bytes
    const message = `the text does not describe a ${kind} part: ${model.why}`
    s.diagnostics.push(diagnostic('asm-directive', message, place))
    throw GIVE_UP
  }
  return failUnended(s, 'a model')
}

/** The data of a code part from the lines up to `.end`. */
function readCodeBlock(draft: Draft): Uint8Array {
  const s = draft.source
  const reading = startReading(s, { exact: true })
  const start = s.position
  const place = s.placeOf(s.lineStart, s.lineEnd)
  let ended = false
  readLines(reading, (source) => {
    ended = isEnd(source)
    if (!ended) source.position = source.lineStart
    return ended
  })
  if (!ended && s.errorCount < MAX_ERRORS) failUnended(s, 'the code')
  // A container's first code part is its program.
  const program = programOf(reading)
  if (draft.places.length === 0) {
    draft.places = reading.places
    draft.partial = program
  }
  if (program !== undefined) return encodeProgram(program)
  if (s.errorCount === 0) {
    s.diagnostics.push(diagnostic('asm-profile', 'the code has no profile such as ps_5_0', place))
  }
  s.position = Math.max(start, s.position)
  throw GIVE_UP
}

function readChunk(draft: Draft): void {
  const s = draft.source
  const fourcc = readFourcc(s)
  s.skipBlanks()
  const start = s.position
  const dash = /^[a-z0-9-]*/
  const word = dash.exec(s.text.slice(start, Math.min(s.lineEnd, start + 40)))![0]
  s.position += word.length
  if (word === CHUNK_FORM.code) draft.chunks.push({ fourcc, data: readCodeBlock(draft) })
  else if (word === CHUNK_FORM.bytes) draft.chunks.push({ fourcc, data: readBytesBlock(s) })
  else if (modelKindOf(word) !== undefined) draft.chunks.push({ fourcc, data: readModelBlock(s, word, fourcc) })
  else {
    const words = [CHUNK_FORM.code, CHUNK_FORM.bytes, ...MODEL_KIND_WORDS]
    s.fail('asm-directive', `expected one of ${words.join(', ')}`, start, Math.max(s.position, start + 1))
  }
}

function readNumbers(s: Source): readonly number[] {
  const numbers: number[] = []
  for (s.skipBlanks(); isDigitCode(s.peek()); s.skipBlanks()) numbers.push(readUnsigned(s, 'a number'))
  return numbers
}

function readChecksum(s: Source): DxbcChecksum {
  const start = s.position
  const bytes = readBase64(s)
  if (bytes.length === CHECKSUM_BYTES) return { kind: 'stored', bytes }
  return s.fail('asm-directive', `a checksum has ${CHECKSUM_BYTES} bytes`, start, s.position)
}

function readDirective(draft: Draft): void {
  const s = draft.source
  const start = s.position
  const word = readDirectiveWord(s)
  switch (word) {
    case D.chunk:
      readChunk(draft)
      return
    case D.bytes:
      draft.bytes = readBytesBlock(s)
      return
    case D.checksum:
      draft.checksum = readChecksum(s)
      return
    case D.containerVersion:
      draft.version = readUnsigned(s, 'a version')
      return
    case D.storage:
      draft.storageOrder = readNumbers(s)
      return
    case D.gap:
      draft.gaps.set(readUnsigned(s, 'the number of a part'), readBase64(s))
      return
    case D.tail:
      draft.tail = readBase64(s)
      return
    case D.trailing:
      draft.trailing = readBase64(s)
      return
    default:
      failDirective(s, word, start, Object.values(D))
  }
}

/** `.lossless 1`: the version of the dialect. */
function readMark(s: Source): void {
  const start = s.position
  s.position += LOSSLESS_MARK.length
  const version = readUnsigned(s, 'the version of the dialect')
  if (version === LOSSLESS_VERSION) return
  const message = `this reads version ${LOSSLESS_VERSION} of the dialect, not ${version}`
  s.fail('asm-directive', message, start, s.position)
}

function readLine(draft: Draft): void {
  const s = draft.source
  s.skipBlanks()
  if (s.atEnd()) return
  if (s.text.startsWith(LOSSLESS_MARK, s.position)) readMark(s)
  else if (s.peek() === CODE.dot) readDirective(draft)
  else s.failExpected('a directive')
  s.skipBlanks()
  if (!s.atEnd()) s.failExpected('the end of the line')
}

/** Whether a text is in the dialect `lossless`: its first line that is no comment and not empty has the mark. */
export function isLossless(text: string): boolean {
  const s = new Source(text)
  while (s.nextLine()) {
    s.skipBlanks()
    if (!s.atEnd()) return text.startsWith(LOSSLESS_MARK, s.position)
  }
  return false
}

function containerOf(draft: Draft): DxbcContainer {
  const chunks: DxbcChunk[] = draft.chunks.map((chunk, i) => {
    const gapBefore = draft.gaps.get(i)
    return gapBefore === undefined ? chunk : { ...chunk, gapBefore }
  })
  const { checksum, version, storageOrder, tail, trailing } = draft
  return {
    checksum,
    version,
    chunks,
    ...(storageOrder === undefined ? {} : { storageOrder }),
    ...(tail === undefined ? {} : { tail }),
    ...(trailing === undefined ? {} : { trailing }),
  }
}

/** What a text gave: the file, and of its program what could be read, also where there are errors. */
type ReadFile = Outcome<Uint8Array> & { readonly places: ProgramText; readonly partial: Program | undefined }

/** The file that a text in the dialect `lossless` describes. No value when there is an error. */
export function readLossless(text: string): ReadFile {
  const source = new Source(text)
  const draft: Draft = {
    source,
    checksum: { kind: 'computed' },
    version: 1,
    chunks: [],
    gaps: new Map(),
    storageOrder: undefined,
    tail: undefined,
    trailing: undefined,
    places: [],
    partial: undefined,
    bytes: undefined,
  }
  while (source.errorCount < MAX_ERRORS && source.nextLine()) {
    try {
      readLine(draft)
    } catch (e) {
      if (e !== GIVE_UP) throw e
    }
  }
  const diagnostics = source.finish()
  const found = { places: new NotedText(text, source, draft.places), partial: draft.partial }
  if (source.errorCount > 0) return { ...found, ...failure(diagnostics) }
  return { ...found, ...outcomeOf(draft.bytes ?? writeDxbc(containerOf(draft)), diagnostics) }
}
