import {
  argumentFault,
  type Diagnostic,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import {
  bindingFormat,
  bindingKindText,
  type DxbcChunk,
  type DxbcContainer,
  decodeStatistics,
  encodeFeatureInfo,
  encodeResourceDefinition,
  encodeSignature,
  encodeStatistics,
  findChunk,
  findCodeChunk,
  makeDxbc,
  PROGRAM_TYPE,
  type ReflectedBinding,
  readDxbc,
  replaceChunk,
  SHADER_FEATURES,
  type SignatureElement,
  type SignatureFourcc,
  STAT_DWORDS_4,
  STAT_DWORDS_5,
  STAT_FIELDS,
  type StatCounts,
  stripChunks,
  writeDxbc,
  zeroStatCounts,
} from '../dxbc/index.ts'
import { CUSTOM_DATA, FILE, PROFILE_PREFIXES, registerFile, rowOfOpcode, stageOfNumber } from '../isa/index.ts'
import { decodeProgram, encodeProgram, globalFlagsOf, type Program } from '../program/index.ts'
import { readShader } from '../shader/index.ts'
import { rowsBesideBase } from './base-signatures.ts'
import type { HeaderFacts } from './header/index.ts'
import { isLossless, readLossless } from './lossless/index.ts'
import { type ListingHeader, readListingHeader } from './parse/header.ts'
import { type KnownLiterals, type ParseOptions, type ProgramText, parseProgram } from './parse/index.ts'
import { MAX_ERRORS } from './parse/source.ts'
import { countStatistics } from './statistics.ts'
import { DEFAULT_FLOAT_TEXT, floatText } from './text/numbers.ts'

/** What `assemble` takes beside the text. */
export interface AssembleOptions {
  /** A shader that everything but the code comes from. */
  readonly base?: Uint8Array | undefined
  /**
   * With a base: where six decimals stand for several floats and the base's code has exactly one literal that prints so, it
   * is taken. Default true; false takes the float nearest to the text.
   */
  readonly recoverLiterals?: boolean | undefined
  /** Leave out what the runtime does not need: reflection, statistics, debug information. */
  readonly strip?: boolean | undefined
}

const STRIPPED: readonly string[] = ['RDEF', 'STAT', 'SDBG', 'SPDB', 'ILDB', 'ILDN']

const DOUBLES_FLAG = 'enableDoublePrecisionFloatOps'
const MINIMUM_PRECISION_FLAG = 'enableMinimumPrecision'
/** Set by fxc in 4.x graphics shaders that read raw or structured buffers; 4.x compute shaders have them anyway. */
const RAW_BUFFERS_FLAG = 'enableRawAndStructuredBuffers'
/** Downlevel shaders with raw and structured buffers need what only the newer kind of chunk was made for. */
const NEW_CHUNK = 'SHEX'
const OLD_CHUNK = 'SHDR'
const NEW_CHUNK_FLAGS = [MINIMUM_PRECISION_FLAG, RAW_BUFFERS_FLAG]

const isCompute = (program: Program): boolean => stageOfNumber(program.stageNumber) === 'compute'

function codeFourcc(program: Program, flags: ReadonlySet<string>): string {
  const isNew = program.major >= 5 || isCompute(program) || NEW_CHUNK_FLAGS.some((f) => flags.has(f))
  return isNew ? NEW_CHUNK : OLD_CHUNK
}

/** Features that go with flags, of which not every listing has a note: older compilers print none. */
function unlistedFeatures(program: Program, flags: ReadonlySet<string>): number {
  const hasDoubles = flags.has(DOUBLES_FLAG)
  const isDownlevel = program.major < 5 && !isCompute(program) && flags.has(RAW_BUFFERS_FLAG)
  return (hasDoubles ? SHADER_FEATURES.doubles : 0) | (isDownlevel ? SHADER_FEATURES.computeWithRawAndStructured : 0)
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The counts of the base, changed by what the new code counts more or less than the old. */
function adjustedCounts(base: StatCounts, before: StatCounts, after: StatCounts): StatCounts {
  const counts = zeroStatCounts()
  for (const field of STAT_FIELDS) counts[field] = Math.max(0, base[field] + after[field] - before[field]) >>> 0
  return counts
}

function withStatistics(container: DxbcContainer, before: Program | undefined, after: Program): DxbcContainer {
  const chunk = findChunk(container, 'STAT')
  const statistics = chunk === undefined ? undefined : decodeStatistics(chunk.data).value
  if (statistics === undefined) return container
  const counted = countStatistics(after)
  const counts = before === undefined ? counted : adjustedCounts(statistics.counts, countStatistics(before), counted)
  return replaceChunk(container, 'STAT', encodeStatistics({ ...statistics, counts }))
}

/** Replaces the code of a container; its chunk is renamed where another shader model needs the other kind. */
function withCode(container: DxbcContainer, code: DxbcChunk, program: Program): DxbcContainer {
  const data = encodeProgram(program)
  if (sameBytes(data, code.data)) return container
  const before = decodeProgram(code.data).value
  const fourcc = before?.major === program.major ? code.fourcc : codeFourcc(program, globalFlagsOf(program))
  const renamed = container.chunks.map((c) => (c === code ? { ...c, fourcc } : c))
  const replaced = replaceChunk({ ...container, chunks: renamed }, fourcc, data)
  return withStatistics(replaced, before, program)
}

function assembleOver(
  base: Uint8Array,
  text: string,
  program: Program,
  diagnostics: Diagnostic[],
): DxbcContainer | undefined {
  const read = readDxbc(base)
  if (read.value === undefined) {
    const notes = read.diagnostics.map((d) => d.message)
    diagnostics.push(diagnostic('asm-base', 'the base shader cannot be read', undefined, notes))
    return undefined
  }
  const code = findCodeChunk(read.value)
  if (code === undefined) {
    diagnostics.push(diagnostic('asm-base', 'the base has no code chunk (SHEX or SHDR)'))
    return undefined
  }
  const stage = decodeProgram(code.data).value?.stageNumber
  if (stage !== undefined && stage !== program.stageNumber) {
    const [of, is] = [stage, program.stageNumber].map((n) => stageOfNumber(n) ?? `stage ${n}`)
    diagnostics.push(diagnostic('asm-base', `the base is a ${of} shader, and the text is a ${is} shader`))
    return undefined
  }
  for (const d of rowsBesideBase(text, stageWord(program), read.value)) diagnostics.push(d)
  return withCode(read.value, code, program)
}

/** The elements without the fields that the form of signature does not have. */
function signatureChunk(fourcc: SignatureFourcc, elements: readonly SignatureElement[]): DxbcChunk {
  return { fourcc, data: encodeSignature({ elements }, fourcc) }
}

/** Signatures in the order in which fxc writes them: a domain shader's patch constants are inputs. */
function signatureChunks(header: ListingHeader, program: Program, flags: ReadonlySet<string>): readonly DxbcChunk[] {
  const stage = stageOfNumber(program.stageNumber)
  const precise = flags.has(MINIMUM_PRECISION_FLAG)
  const { Input: input = [], Output: output = [], 'Patch Constant': patch } = header.signatures
  const streams = stage === 'geometry' && program.major >= 5
  const inputChunk = signatureChunk(precise ? 'ISG1' : 'ISGN', input)
  const outputChunk = signatureChunk(precise ? 'OSG1' : streams ? 'OSG5' : 'OSGN', output)
  if (patch === undefined) return [inputChunk, outputChunk]
  const patchChunk = signatureChunk(precise ? 'PSG1' : 'PCSG', patch)
  return stage === 'domain' ? [inputChunk, patchChunk, outputChunk] : [inputChunk, outputChunk, patchChunk]
}

const STAGE_WORDS: readonly HeaderFacts['stage'][] = ['ps', 'vs', 'gs', 'hs', 'ds', 'cs']

function stageWord(program: Program): HeaderFacts['stage'] {
  return STAGE_WORDS.find((word) => word === PROFILE_PREFIXES[program.stageNumber]) ?? 'vs'
}

/** What fxc's option /O1, its default, leaves in the reflection. */
const DEFAULT_COMPILE_FLAGS = 0x100
const EXTENSION_TAG_50 = 'RD11'
const EXTENSION_TAG_51 = '\x13\x13D%'

/** Strides of the structured views that the program declares, by register file and number (in SM5.1, identifier). */
function declaredStrides(program: Program): ReadonlyMap<string, number> {
  const strides = new Map<string, number>()
  for (const s of program.statements) {
    const row = s.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
    if (s.kind !== 'instruction' || row?.traits.kind !== 'declaration') continue
    const at = row.parameters.indexOf('stride')
    const operand = s.operands[0]
    const index = operand?.indices[0]
    if (at < 0 || operand === undefined || index?.kind !== 'immediate') continue
    strides.set(`${registerFile(operand.type)?.prefix}${index.value}`, s.parameters[at] ?? 0)
  }
  return strides
}

const STRUCTURED = 'struct'

/** The bindings with what their declarations say beside: the reflection has a structured view's stride as sample count. */
function completeBindings(header: ListingHeader, program: Program): readonly ReflectedBinding[] {
  const strides = declaredStrides(program)
  return header.bindings.map((binding) => {
    const stride = strides.get(`${bindingKindText(binding).register}${binding.id ?? binding.bindPoint}`)
    const isStructured = stride !== undefined && bindingFormat(binding) === STRUCTURED
    return isStructured ? { ...binding, sampleCount: stride } : binding
  })
}

/** The reflection of the bindings; the listing's buffer definitions are not read. */
function reflectionChunk(header: ListingHeader, program: Program, creator: string): DxbcChunk {
  const { major, minor } = program
  const programType = Number(Object.entries(PROGRAM_TYPE).find(([, word]) => word === stageWord(program))?.[0] ?? 0)
  const tag = minor === 0 ? EXTENSION_TAG_50 : EXTENSION_TAG_51
  const data = encodeResourceDefinition({
    majorVersion: major,
    minorVersion: minor,
    programType,
    flags: DEFAULT_COMPILE_FLAGS,
    creator,
    bindings: completeBindings(header, program),
    buffers: [],
    types: [],
    ...(major >= 5 ? { extension: { tag, interfaceSlotCount: 0 } } : {}),
  })
  return { fourcc: 'RDEF', data }
}

/** A container from the listing alone: the code, its statistics, and what the header comments say. */
function assembleAlone(text: string, program: Program, diagnostics: Diagnostic[]): DxbcContainer {
  let complaints = 0
  const header = readListingHeader(text, stageWord(program), (s, message) => {
    if (++complaints > MAX_ERRORS) return
    diagnostics.push(diagnostic('asm-header', message, s.placeOf(s.lineStart, s.lineEnd)))
  })
  const { creator, signatures } = header
  const flags = globalFlagsOf(program)
  const features = header.features | unlistedFeatures(program, flags)
  if (signatures.Input === undefined || signatures.Output === undefined) {
    const notes = ['give the shader it comes from as the base, or keep the header comments of the listing']
    diagnostics.push(diagnostic('asm-header', 'the text has no signatures; empty ones are written', undefined, notes))
  }
  const dwordCount = program.major >= 5 ? STAT_DWORDS_5 : STAT_DWORDS_4
  return makeDxbc([
    ...(creator === undefined ? [] : [reflectionChunk(header, program, creator)]),
    ...signatureChunks(header, program, flags),
    { fourcc: codeFourcc(program, flags), data: encodeProgram(program) },
    ...(features === 0 ? [] : [{ fourcc: 'SFI0', data: encodeFeatureInfo({ low: features, high: 0 }) }]),
    { fourcc: 'STAT', data: encodeStatistics({ counts: countStatistics(program), dwordCount }) },
  ])
}

function stripBytes(bytes: Uint8Array): Uint8Array {
  const container = readDxbc(bytes).value
  return container === undefined ? bytes : writeDxbc(stripChunks(container, STRIPPED))
}

/** The 32-bit literals of a program by the texts that fxc gives them. */
function literalsOf(program: Program): KnownLiterals {
  const known = new Map<string, number | undefined>()
  const note = (bits: number): void => {
    for (const ties of ['away', 'even'] as const) {
      const text = floatText(bits, { ...DEFAULT_FLOAT_TEXT, ties })
      known.set(text, known.has(text) && known.get(text) !== bits ? undefined : bits)
    }
  }
  for (const s of program.statements) {
    if (s.kind === 'custom-data' && s.dataClass === CUSTOM_DATA.immediateConstantBuffer) s.dwords.forEach(note)
    if (s.kind !== 'instruction') continue
    const style = rowOfOpcode(s.opcode)?.literals
    if (style === 'integer') continue
    for (const o of s.operands) if (o.type === FILE.immediate32) o.values.forEach(note)
  }
  return known
}

/** What the base shows about the literals of the text. */
function parseOptions(options: AssembleOptions): ParseOptions {
  if (options.recoverLiterals === false || options.base === undefined) return {}
  const program = readShader(options.base).value?.program
  return program === undefined ? {} : { known: literalsOf(program) }
}

/** What a text gave: the container where nothing is wrong with it, and where its statements stand. */
export type Assembled = Outcome<Uint8Array> & {
  /** The text with the places of the program's statements, for findings about the container (`inText`). */
  readonly places: ProgramText
}

function assembleListing(text: string, options: AssembleOptions): Assembled {
  const parsed = parseProgram(text, parseOptions(options))
  const { places } = parsed
  if (parsed.value === undefined) return { places, ...failure(parsed.diagnostics) }
  const diagnostics = [...parsed.diagnostics]
  const container =
    options.base === undefined
      ? assembleAlone(text, parsed.value, diagnostics)
      : assembleOver(options.base, text, parsed.value, diagnostics)
  return { places, ...outcomeOf(container && writeDxbc(container), diagnostics) }
}

/** Places of a text that is none. */
const NO_PLACES: ProgramText = { text: '', statements: [] }

/**
 * A compiled shader from text. The dialect `lossless` gives the file that was listed, byte for byte. From fxc's listing,
 * or text like it, comes the code; everything else comes from `base`, or, without one, as far as possible from the
 * listing's header comments. The container is signed, and its statistics follow the code. No value when there is an error.
 */
export function assemble(text: string, options: AssembleOptions = {}): Assembled {
  const fault = argumentFault('assemble', 'a text', text, typeof text === 'string')
  if (fault !== undefined) return { places: NO_PLACES, ...failure([fault]) }
  const made = isLossless(text) ? readLossless(text) : assembleListing(text, options)
  if (!made.ok) return { places: made.places, ...failure(made.diagnostics) }
  return options.strip === true ? { ...made, value: stripBytes(made.value) } : made
}

/** As `assemble`; throws ShaderError on any error. */
export function assembleOrThrow(text: string, options: AssembleOptions = {}): Uint8Array {
  return valueOrThrow(assemble(text, options))
}
