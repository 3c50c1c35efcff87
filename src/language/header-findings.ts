/** What is wrong with the comments in front of a listing, which give signatures where it is assembled alone. */
import { readListingHeader } from '../asm/index.ts'
import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'
import { PROFILE_PREFIXES } from '../isa/index.ts'
import { validateSignatures } from '../validate/index.ts'
import type { ShaderDocument } from './document.ts'
import type { StageWord } from './names/names.ts'

/** Rows of damaged tables that are reported. */
const MOST_ROWS = 100

/** Rows that cannot be read, and declarations that the signatures do not have; none where a shader gives the signatures. */
export function headerDiagnostics(d: ShaderDocument): readonly Diagnostic[] {
  const { program, isWhole, container, dialect, text } = d
  if (program === undefined || container !== undefined || dialect !== 'fxc') return []
  const found: Diagnostic[] = []
  const stage = PROFILE_PREFIXES[program.stageNumber] as StageWord
  const { signatures } = readListingHeader(text, stage, (s, message) => {
    if (found.length < MOST_ROWS) found.push(diagnostic('asm-header', message, s.placeOf(s.lineStart, s.lineEnd)))
  })
  const { Input: input, Output: output, 'Patch Constant': patch } = signatures
  // A text without both tables is a piece of one, or has its signatures from a base.
  if (!isWhole || found.length > 0 || input === undefined || output === undefined) return found
  return validateSignatures(program, { input, output, ...(patch === undefined ? {} : { 'patch-constant': patch }) })
}
