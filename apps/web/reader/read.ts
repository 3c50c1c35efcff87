/** Containers to text and tables, text to containers. */
import {
  assemble,
  countStatistics,
  disassembleOutcome,
  parseProgram,
  profileText,
  textPlaceOf,
} from '../../../src/asm/index.ts'
import { type Diagnostic, hasErrors, type Outcome } from '../../../src/diagnostic/index.ts'
import {
  computeChecksum,
  type DxbcContainer,
  decodeFeatureInfo,
  decodeStatistics,
  findChunk,
  hexDigest,
  readDxbc,
  reflect,
  SHADER_FEATURES,
  storedChecksum,
} from '../../../src/dxbc/index.ts'
import { stageOfNumber } from '../../../src/isa/index.ts'
import { type Program, threadGroupOf } from '../../../src/program/index.ts'
import { shaderIn } from '../../../src/shader/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { decodeLink } from '../model/link.ts'
import type { AssembledShader, Inspection, ReaderCalls, ReadShader } from '../model/shader.ts'

function decoded<T>(read: (data: Uint8Array) => Outcome<T>, container: DxbcContainer, fourcc: string): T | undefined {
  const chunk = findChunk(container, fourcc)
  return chunk === undefined ? undefined : read(chunk.data).value
}

function featuresOf(container: DxbcContainer): readonly string[] {
  const info = decoded(decodeFeatureInfo, container, 'SFI0')
  if (info === undefined) return []
  return Object.entries(SHADER_FEATURES).flatMap(([name, bit]) => ((info.low & bit) === 0 ? [] : [name]))
}

/** Those that the file states, or else those of its code. */
function statisticsOf(container: DxbcContainer, program: Program | undefined): Inspection['statistics'] {
  const stated = decoded(decodeStatistics, container, 'STAT')?.counts
  const counts: Readonly<Record<string, number>> = stated ?? (program && countStatistics(program)) ?? {}
  return Object.entries(counts).filter(([, count]) => count !== 0)
}

function inspect(bytes: Uint8Array, container: DxbcContainer, findings: readonly Diagnostic[]): Inspection {
  const program = shaderIn(container).value?.program
  const stored = hexDigest(storedChecksum(bytes))
  return {
    profile: program && profileText(program),
    stage: program && stageOfNumber(program.stageNumber),
    threadGroup: program && threadGroupOf(program),
    byteLength: bytes.length,
    checksum: stored,
    isSigned: stored === hexDigest(computeChecksum(bytes)),
    features: featuresOf(container),
    chunks: container.chunks.map(({ fourcc, data }) => ({ fourcc, data: data.slice() })),
    reflection: reflect(container).value,
    statistics: statisticsOf(container, program),
    findings,
  }
}

/** A container's text and tables. */
function readContainer(bytes: Uint8Array): ReadShader {
  const { value: container, diagnostics } = readDxbc(bytes)
  if (container === undefined) return { text: undefined, diagnostics, inspection: undefined, lines: [] }
  const listed = disassembleOutcome(bytes)
  const text = listed.value
  // Lines of the listing's own statements: the text is read back, as it is after an edit.
  const lines = text === undefined ? [] : parseProgram(text).places.statements.map((s) => s.line)
  return { text, diagnostics: listed.diagnostics, inspection: inspect(bytes, container, validate(bytes)), lines }
}

/** Hints about literals whose decimals stand for several floats are too many to be shown. */
const isShown = (d: Diagnostic): boolean => d.severity !== 'hint'

/** Assembles a text and validates the container; findings about a statement get the line and column of its text. */
function assembleText(text: string, base: Uint8Array | undefined): AssembledShader {
  const { value: bytes, diagnostics, places } = assemble(text, { base })
  const lines = places.statements.map((s) => s.line)
  const shown = diagnostics.filter(isShown)
  if (bytes === undefined || hasErrors(diagnostics))
    return { bytes: undefined, diagnostics: shown, inspection: undefined, lines }
  const findings = validate(bytes)
  const placed = findings.filter(isShown).map((d): Diagnostic => {
    const place = d.place?.kind === 'statement' ? textPlaceOf(places, d.place) : undefined
    return place === undefined ? d : { ...d, place }
  })
  const container = readDxbc(bytes).value
  const inspection = container && inspect(bytes, container, findings)
  return { bytes, diagnostics: [...shown, ...placed], inspection, lines }
}

export const READER_CALLS: ReaderCalls = {
  read: ({ bytes }) => readContainer(bytes),
  assemble: ({ text, base }) => assembleText(text, base),
  openLink: ({ fragment }) => decodeLink(fragment),
}
