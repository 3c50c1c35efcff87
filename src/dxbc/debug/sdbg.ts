import { type Outcome, outcomeOf, valueOrThrow } from '../../diagnostic/index.ts'
import { ByteReader } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import type { DebugInfo, ScalarNote, ScalarRange, SourceFile, SourceLine, ValueNote } from './model.ts'
import { sourceText } from './source-text.ts'

/** Dwords of the header that are read, as D3D10_SHADER_DEBUG_INFO has them. */
const HEADER = {
  size: 0,
  files: 5,
  fileInfo: 6,
  instructions: 7,
  instructionInfo: 8,
  variables: 9,
  variableInfo: 10,
  tokens: 13,
  tokenInfo: 14,
  strings: 20,
} as const

/** Byte sizes of the records of the header's tables. */
const FILE_BYTES = 16
const TOKEN_BYTES = 20
const VARIABLE_BYTES = 24
const INSTRUCTION_BYTES = 396

const OUTPUTS_AT = 12
const OUTPUT_BYTES = 180
const MAX_OUTPUTS = 2
const OUTPUT_REGISTER_AT = 4
const OUTPUT_VARIABLES_AT = 28
/** The number and component of the register that chooses an array's element. */
const OUTPUT_INDEX_AT = 172
const OUTPUT_VARIABLE_BYTES = 36
const COMPONENTS = 4
const INSTRUCTION_TOKEN_AT = OUTPUTS_AT + MAX_OUTPUTS * OUTPUT_BYTES
/** No row of a table. */
const NONE = 0xffffffff

/** Numbers of D3D10_SHADER_VARIABLE_TYPE. */
const TYPE_FLOAT = 3
const TYPE_INT = 2
const TYPE_UINT = 19

const FLOAT_MAX = 3.4028234663852886e38

/** A chunk with its header read: every offset of the header counts from the header's end, strings from their own start. */
interface Tables {
  readonly r: ByteReader
  readonly base: number
  readonly header: readonly number[]
}

function rowAt(t: Tables, count: number, offset: number, i: number, rowBytes: number): number | undefined {
  return i < t.header[count]! ? t.base + t.header[offset]! + i * rowBytes : undefined
}

function stringAt(t: Tables, offset: number, length: number): string {
  const at = t.base + t.header[HEADER.strings]! + offset
  if (!t.r.claim(at, length, 'a string')) return ''
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(t.r.bytes[at + i]!)
  return text
}

interface Token {
  readonly file: number
  readonly line: number
  readonly length: number
  readonly offset: number
}

function tokenAt(t: Tables, i: number): Token | undefined {
  const at = rowAt(t, HEADER.tokens, HEADER.tokenInfo, i, TOKEN_BYTES)
  if (at === undefined) return undefined
  const [file, line, , length, offset] = t.r.dwords(at, 5, 'a source token')
  return { file: file ?? 0, line: line ?? 0, length: length ?? 0, offset: offset ?? 0 }
}

function fileNameAt(t: Tables, i: number): string {
  const at = rowAt(t, HEADER.files, HEADER.fileInfo, i, FILE_BYTES)
  if (at === undefined) return ''
  return stringAt(t, t.r.u32(at, 'the name of a file'), t.r.u32(at + 4, 'the name of a file'))
}

/** The texts of the files, of those that have one. */
function readSources(t: Tables): readonly SourceFile[] {
  const sources: SourceFile[] = []
  for (let i = 0; i < t.header[HEADER.files]! && t.r.fault === undefined; i++) {
    const at = rowAt(t, HEADER.files, HEADER.fileInfo, i, FILE_BYTES)
    const [, , offset = 0, length = 0] = at === undefined ? [] : t.r.dwords(at, 4, 'a file')
    if (length === 0) continue
    const bytes = t.r.slice(t.base + t.header[HEADER.strings]! + offset, length, 'the text of a file')
    sources.push({ file: fileNameAt(t, i), text: sourceText(bytes) })
  }
  return sources
}

const SCRATCH = new Uint32Array(1)
const SCRATCH_FLOAT = new Float32Array(SCRATCH.buffer)

function floatOf(bits: number): number {
  SCRATCH[0] = bits
  return SCRATCH_FLOAT[0]!
}

/** Flags of a value, as D3D10_SHADER_DEBUG_OUTPUTVAR has it behind the variable. */
interface Bounds {
  readonly uint: ScalarRange
  readonly int: ScalarRange
  readonly float: ScalarRange
  readonly isNanPossible: boolean
  readonly isInfinityPossible: boolean
}

function boundsOf(dwords: readonly number[]): Bounds {
  const [uintLeast = 0, uintMost = 0, intLeast = 0, intMost = 0, floatLeast = 0, floatMost = 0, nan, infinity] = dwords
  return {
    uint: { type: 'uint', least: uintLeast, most: uintMost },
    int: { type: 'int', least: intLeast | 0, most: intMost | 0 },
    float: { type: 'float', least: floatOf(floatLeast), most: floatOf(floatMost) },
    isNanPossible: nan !== 0,
    isInfinityPossible: infinity !== 0,
  }
}

/** The largest and smallest finite value count as no bound, as infinity does. */
function isBounded(r: ScalarRange): boolean {
  switch (r.type) {
    case 'uint':
      return r.least !== 0 || r.most !== 0xffffffff
    case 'int':
      return r.least !== -0x80000000 || r.most !== 0x7fffffff
    case 'float':
      return !(r.least <= -FLOAT_MAX && r.most >= FLOAT_MAX)
  }
}

type Knowledge = Omit<ScalarNote, 'offset'>

const NOTHING: Knowledge = { isNanPossible: false, isInfinityPossible: false }

/**
 * What a variable of this type may hold. Of integers the bounds of its own sign, else those of the other; a range of a
 * float only where it cannot be NaN; nothing of other types (corpus: cs/real_light_cull.v9, ps/real_pbr.v9zi).
 */
function knowledgeOf(type: number, b: Bounds): Knowledge {
  if (type === TYPE_FLOAT) {
    const { isNanPossible, isInfinityPossible } = b
    const flags = { isNanPossible, isInfinityPossible }
    return !isNanPossible && isBounded(b.float) ? { ...flags, range: b.float } : flags
  }
  if (type !== TYPE_INT && type !== TYPE_UINT) return NOTHING
  const range = (type === TYPE_INT ? [b.int, b.uint] : [b.uint, b.int]).find(isBounded)
  return range === undefined ? NOTHING : { ...NOTHING, range }
}

interface NamedScalar {
  readonly variable: string
  readonly scalar: ScalarNote
}

function readScalar(t: Tables, at: number): NamedScalar | undefined {
  const dwords = t.r.dwords(at, 9, 'the value of a variable')
  const row = rowAt(t, HEADER.variables, HEADER.variableInfo, dwords[0] ?? NONE, VARIABLE_BYTES)
  if (row === undefined) return undefined
  const token = tokenAt(t, t.r.u32(row, 'a variable'))
  const scalar = {
    offset: t.r.u32(row + 20, 'a variable'),
    ...knowledgeOf(t.r.u32(row + 4, 'a variable'), boundsOf(dwords.slice(1))),
  }
  return { variable: token === undefined ? '' : stringAt(t, token.offset, token.length), scalar }
}

/** The values of one instruction; neighbors of the same variable are one note. */
function readValues(t: Tables, at: number, position: number, values: ValueNote[]): void {
  const outputs = Math.min(t.r.u32(at + 8, 'the outputs of an instruction'), MAX_OUTPUTS)
  let open: { variable: string; scalars: ScalarNote[] } | undefined
  for (let o = 0; o < outputs; o++) {
    const output = at + OUTPUTS_AT + o * OUTPUT_BYTES
    // A destination `null` keeps nothing.
    if (t.r.u32(output + OUTPUT_REGISTER_AT, 'an output of an instruction') === NONE) continue
    const [register = NONE, component = 0] = t.r.dwords(output + OUTPUT_INDEX_AT, 2, 'an output of an instruction')
    const index = register === NONE ? {} : { index: { register, component } }
    for (let k = 0; k < COMPONENTS; k++) {
      const found = readScalar(t, output + OUTPUT_VARIABLES_AT + k * OUTPUT_VARIABLE_BYTES)
      if (found === undefined) continue
      if (open === undefined || open.variable !== found.variable) {
        open = { variable: found.variable, ...index, scalars: [] }
        values.push({ position, ...open })
      }
      open.scalars.push(found.scalar)
    }
  }
}

/** SDBG: the debug data of compilers before fxc 10. Reads the source lines of instructions and the values of variables. */
export function decodeDebugData(data: Uint8Array, fourcc = 'SDBG'): Outcome<DebugInfo> {
  const r = new ByteReader(data)
  const headerBytes = r.u32(0, 'the size of the header')
  const header = r.dwords(0, HEADER.strings + 1, 'the header')
  if (r.fault === undefined && headerBytes < 4 * (HEADER.strings + 1))
    r.fail('value', 0, 4, 'a header that is too short')
  if (r.fault !== undefined) return faultOutcome(fourcc, r.fault)
  const t = { r, base: headerBytes, header }
  const lines: SourceLine[] = []
  const values: ValueNote[] = []
  for (let i = 0; i < header[HEADER.instructions]! && r.fault === undefined; i++) {
    const at = headerBytes + header[HEADER.instructionInfo]! + i * INSTRUCTION_BYTES
    const position = r.u32(at, 'an instruction')
    const token = tokenAt(t, r.u32(at + INSTRUCTION_TOKEN_AT, 'the token of an instruction'))
    if (token !== undefined) lines.push({ position, file: fileNameAt(t, token.file), line: token.line })
    readValues(t, at, position, values)
  }
  const sources = readSources(t)
  if (r.fault !== undefined) return faultOutcome(fourcc, r.fault)
  lines.sort((a, b) => a.position - b.position)
  return outcomeOf({ positions: 'instructions', lines, locations: [], values, sources })
}

/** As `decodeDebugData`; throws ShaderError where the data cannot be read. */
export function decodeDebugDataOrThrow(data: Uint8Array, fourcc = 'SDBG'): DebugInfo {
  return valueOrThrow(decodeDebugData(data, fourcc))
}
