import { type Outcome, outcomeOf, valueOrThrow } from '../../diagnostic/index.ts'
import { faultOutcome } from '../fault.ts'
import type { DebugInfo, ScalarNote, ScalarRange, SourceFile, SourceLine, ValueNote } from './model.ts'
import {
  fileNameAt,
  fileTextAt,
  HEADER,
  instructionAt,
  instructionTokenAt,
  NONE,
  openTables,
  outputsAt,
  outputVariableAt,
  stringAt,
  type Tables,
  tokenAt,
  variableRowAt,
} from './sdbg-tables.ts'

/** Numbers of D3D10_SHADER_VARIABLE_TYPE. */
const TYPE_FLOAT = 3
const TYPE_INT = 2
const TYPE_UINT = 19

const FLOAT_MAX = 3.4028234663852886e38

/** The texts of the files, of those that have one. */
function readSources(t: Tables): readonly SourceFile[] {
  const sources: SourceFile[] = []
  for (let i = 0; i < t.header[HEADER.files]! && t.r.fault === undefined; i++) {
    const text = fileTextAt(t, i)
    if (text !== undefined) sources.push({ file: fileNameAt(t, i), text })
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

type RangeNote = Omit<ScalarNote, 'offset'>

const NOTHING: RangeNote = { isNanPossible: false, isInfinityPossible: false }

/**
 * What a variable of this type may hold. Of integers the bounds of its own sign, else those of the other; a range of a
 * float only where it cannot be NaN; nothing of other types (corpus: cs/real_light_cull.v9, ps/real_pbr.v9zi).
 */
function rangeNoteOf(type: number, b: Bounds): RangeNote {
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
  const row = variableRowAt(t, dwords[0] ?? NONE)
  if (row === undefined) return undefined
  const token = tokenAt(t, t.r.u32(row, 'a variable'))
  const scalar = {
    offset: t.r.u32(row + 20, 'a variable'),
    ...rangeNoteOf(t.r.u32(row + 4, 'a variable'), boundsOf(dwords.slice(1))),
  }
  return { variable: token === undefined ? '' : stringAt(t, token.offset, token.length), scalar }
}

/** The values of one instruction; neighbors of the same variable are one note. */
function readValues(t: Tables, at: number, position: number, values: ValueNote[]): void {
  let open: { variable: string; scalars: ScalarNote[] } | undefined
  for (const output of outputsAt(t, at)) {
    // A destination `null` keeps nothing.
    if (output.register === NONE) continue
    for (let k = 0; k < output.variables.length; k++) {
      const found = readScalar(t, outputVariableAt(output, k))
      if (found === undefined) continue
      if (open === undefined || open.variable !== found.variable) {
        open = { variable: found.variable, scalars: [] }
        const { indexRegister: register, indexComponent: component } = output
        values.push({ position, ...open, ...(register === NONE ? {} : { index: { register, component } }) })
      }
      open.scalars.push(found.scalar)
    }
  }
}

function readListed(t: Tables): DebugInfo {
  const { r, header } = t
  const lines: SourceLine[] = []
  const values: ValueNote[] = []
  for (let i = 0; i < header[HEADER.instructions]! && r.fault === undefined; i++) {
    const at = instructionAt(t, i)
    const position = r.u32(at, 'an instruction')
    const token = instructionTokenAt(t, at)
    if (token !== undefined) lines.push({ position, file: fileNameAt(t, token.file), line: token.line })
    readValues(t, at, position, values)
  }
  lines.sort((a, b) => a.position - b.position)
  return { positions: 'instructions', lines, locations: [], values }
}

/** Of debug data what a listing prints: lines and values. */
export function listedDebugData(data: Uint8Array, fourcc = 'SDBG'): Outcome<DebugInfo> {
  const t = openTables(data)
  const info = readListed(t)
  return t.r.fault === undefined ? outcomeOf(info) : faultOutcome(fourcc, t.r.fault)
}

/** SDBG: the debug data of compilers before fxc 10. Reads the source lines of instructions and the values of variables. */
export function decodeDebugData(data: Uint8Array, fourcc = 'SDBG'): Outcome<DebugInfo> {
  const t = openTables(data)
  const info = { ...readListed(t), sources: readSources(t) }
  return t.r.fault === undefined ? outcomeOf(info) : faultOutcome(fourcc, t.r.fault)
}

/** As `decodeDebugData`; throws ShaderError where the data cannot be read. */
export function decodeDebugDataOrThrow(data: Uint8Array, fourcc = 'SDBG'): DebugInfo {
  return valueOrThrow(decodeDebugData(data, fourcc))
}
