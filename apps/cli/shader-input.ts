/** A shader as verbs that look at its parts take it: compiled, or text that is assembled first. */
import { assemble, assemblyText } from '../../src/asm/index.ts'
import { failure, type Outcome, outcomeOf } from '../../src/diagnostic/index.ts'
import { isContainer } from '../../src/dxbc/index.ts'
import { readShader as readCompiled, type Shader } from '../../src/shader/index.ts'

export interface ShaderInput extends Shader {
  readonly bytes: Uint8Array
}

function compiledBytes(bytes: Uint8Array): Outcome<Uint8Array> {
  if (isContainer(bytes)) return outcomeOf(bytes)
  const { value, diagnostics } = assemble(assemblyText(bytes))
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
