/** A shader as verbs that look at its parts take it: compiled, or text that is assembled first. */
import { assemble, assemblyText } from '../../src/asm/index.ts'
import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../../src/diagnostic/index.ts'
import { type DxbcContainer, findCodeChunk, isContainer, readDxbc } from '../../src/dxbc/index.ts'
import { decodeProgram, type Program } from '../../src/program/index.ts'

export interface ShaderInput {
  readonly bytes: Uint8Array
  readonly container: DxbcContainer
  readonly program: Program
}

function compiledBytes(bytes: Uint8Array): Outcome<Uint8Array> {
  if (isContainer(bytes)) return { value: bytes, diagnostics: [] }
  const { value, diagnostics } = assemble(assemblyText(bytes))
  // What the text lacks (signatures) is nothing to those who read the program.
  const errors = diagnostics.filter((d) => d.severity === 'error')
  return value === undefined || errors.length > 0 ? { diagnostics: errors } : { value, diagnostics: [] }
}

/** The container and the program of a file's bytes; no value, with errors, where one is missing. */
export function readShader(bytes: Uint8Array): Outcome<ShaderInput> {
  const compiled = compiledBytes(bytes)
  if (compiled.value === undefined) return { diagnostics: compiled.diagnostics }
  const read = readDxbc(compiled.value)
  const diagnostics: Diagnostic[] = [...read.diagnostics]
  if (read.value === undefined || hasErrors(diagnostics)) return { diagnostics }
  const code = findCodeChunk(read.value)
  if (code === undefined) {
    diagnostics.push(diagnostic('asm-no-code', 'the container holds no program: neither SHEX nor SHDR is there'))
    return { diagnostics }
  }
  const program = decodeProgram(code.data)
  for (const d of program.diagnostics) diagnostics.push(d)
  if (program.value === undefined) return { diagnostics }
  return { value: { bytes: compiled.value, container: read.value, program: program.value }, diagnostics }
}
