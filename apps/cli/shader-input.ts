/** A shader as verbs that look at its parts take it: compiled, or text that is assembled first. */
import { assemble, assemblyText, isBinary } from '../../src/asm/index.ts'
import { diagnostic, failure, type Outcome, outcomeOf } from '../../src/diagnostic/index.ts'
import { isContainer } from '../../src/dxbc/index.ts'
import { readShader as readCompiled, type Shader } from '../../src/shader/index.ts'
import { printError } from './terminal.ts'

export interface ShaderInput extends Shader {
  readonly bytes: Uint8Array
}

/** The text of a listing; an error where a file is no text. */
export function listingText(bytes: Uint8Array): Outcome<string> {
  const text = assemblyText(bytes)
  if (!isBinary(text)) return outcomeOf(text)
  return failure([diagnostic('dxbc-magic', 'this is neither a compiled shader, which begins with "DXBC", nor text')])
}

/** Whether a file is a compiled shader; where not, that is printed. */
export function requireContainer(path: string, bytes: Uint8Array): boolean {
  if (isContainer(bytes)) return true
  const isListing = bytes.length > 0 && !isBinary(assemblyText(bytes))
  printError(
    `${path} is no compiled shader: it does not begin with DXBC${isListing ? '; listings are assembled by heddle asm' : ''}`,
  )
  return false
}

function compiledBytes(bytes: Uint8Array): Outcome<Uint8Array> {
  if (isContainer(bytes)) return outcomeOf(bytes)
  const text = listingText(bytes)
  if (text.value === undefined) return failure(text.diagnostics)
  const { value, diagnostics } = assemble(text.value)
  // What the text lacks (signatures) is nothing to those who read the program.
  const errors = diagnostics.filter((d) => d.severity === 'error')
  return value === undefined || errors.length > 0 ? failure(errors) : outcomeOf(value)
}

/** The container and the program of a file's bytes; no value, with errors, where one is missing. */
export function readShader(bytes: Uint8Array): Outcome<ShaderInput> {
  const compiled = compiledBytes(bytes)
  if (compiled.value === undefined) return failure(compiled.diagnostics)
  const { value: shader, diagnostics } = readCompiled(compiled.value)
  return shader === undefined ? failure(diagnostics) : outcomeOf({ bytes: compiled.value, ...shader }, diagnostics)
}
