import {
  bytesFault,
  type Diagnostic,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  renderDiagnostic,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { type DxbcContainer, decodeStatistics, findChunk } from '../dxbc/index.ts'
import { PROFILE_PREFIXES } from '../isa/index.ts'
import { globalFlagsOf, type Program } from '../program/index.ts'
import { listedDebugInfoOf, readShader } from '../shader/index.ts'
import { type HeaderFacts, printHeader } from './header/index.ts'
import { type CodeNotes, debugNotes, type ListingOptions, printListing } from './listing/index.ts'
import { printLossless } from './lossless/index.ts'

/** What `disassemble` takes: the dialect, and for fxc's its switches (/Ni, /No, /Lx). */
export interface DisassembleOptions extends ListingOptions {
  /** `fxc` (the default): what fxc prints. `lossless`: text that the file can be made from again; no other option applies. */
  readonly dialect?: 'fxc' | 'lossless' | undefined
}

const STAGE_WORDS: readonly HeaderFacts['stage'][] = ['ps', 'vs', 'gs', 'hs', 'ds', 'cs']

function headerFacts(program: Program): HeaderFacts {
  const flags = globalFlagsOf(program)
  const stage = STAGE_WORDS.find((word) => word === PROFILE_PREFIXES[program.stageNumber])
  return {
    // The stage names what a pixel shader's outputs are; a number without a stage is listed as a vertex shader's.
    stage: stage ?? 'vs',
    globalFlags: {
      enableDoublePrecisionFloatOps: flags.has('enableDoublePrecisionFloatOps'),
      forceEarlyDepthStencil: flags.has('forceEarlyDepthStencil'),
      enableMinimumPrecision: flags.has('enableMinimumPrecision'),
      enable11_1DoubleExtensions: flags.has('enable11_1DoubleExtensions'),
      enable11_1ShaderExtensions: flags.has('enable11_1ShaderExtensions'),
    },
  }
}

function notesOf(container: DxbcContainer, program: Program, diagnostics: Diagnostic[]): CodeNotes | undefined {
  const { value, diagnostics: found } = listedDebugInfoOf(container)
  for (const d of found) diagnostics.push(diagnostic('asm-debug-data', d.message, d.place))
  return value === undefined ? undefined : debugNotes(program, value)
}

/** The text of a container, with what was found on the way; no value where fxc's dialect has no program to list. */
export function disassembleOutcome(bytes: Uint8Array, options: DisassembleOptions = {}): Outcome<string> {
  const fault = bytesFault('disassemble', bytes)
  if (fault !== undefined) return failure([fault])
  if (options.dialect === 'lossless') return outcomeOf(printLossless(bytes))
  const { value: shader, diagnostics: found } = readShader(bytes)
  if (shader === undefined) return failure(found)
  const { container, program } = shader
  const diagnostics = [...found]
  const notes = notesOf(container, program, diagnostics)
  const statistics = findChunk(container, 'STAT')
  const counts = statistics === undefined ? undefined : decodeStatistics(statistics.data).value?.counts
  const listing = {
    header: printHeader(container, headerFacts(program)),
    program,
    slotCount: counts?.instructions ?? 0,
    ...(notes === undefined ? {} : { notes }),
  }
  return outcomeOf(printListing(listing, options), diagnostics)
}

/** As `disassembleOutcome`; throws ShaderError where a part of the container or program is wrong. */
export function disassembleOrThrow(bytes: Uint8Array, options: DisassembleOptions = {}): string {
  return valueOrThrow(disassembleOutcome(bytes, options))
}

/**
 * A compiled shader as text: what `fxc /dumpbin` prints, or the dialect `lossless`. Line ends are `\n`, names Latin-1, one
 * code unit a byte. Never throws: bytes that hold no program give comment lines that say what is wrong with them.
 */
export function disassemble(bytes: Uint8Array, options: DisassembleOptions = {}): string {
  const { value, diagnostics } = disassembleOutcome(bytes, options)
  if (value !== undefined) return value
  const lines = diagnostics.map((d) => renderDiagnostic(d)).join('\n')
  return `${lines.replace(/^/gm, '// ')}\n`
}
