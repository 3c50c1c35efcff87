import { findCodeChunk, readDxbc } from '../../src/dxbc/index.ts'
import { decodeProgram, type Program } from '../../src/program/index.ts'
import { corpusFiles } from './corpus.ts'

const STAGE_COMPUTE = 5

/** Every compute shader of the corpus and the kernels, the patched ones too, decoded. */
export function computeShaders(): readonly { readonly name: string; readonly program: Program }[] {
  return corpusFiles().flatMap(({ name, bytes }) => {
    const code = findCodeChunk(readDxbc(bytes).value!)
    const program = code === undefined ? undefined : decodeProgram(code.data).value
    return program?.stageNumber === STAGE_COMPUTE ? [{ name, program }] : []
  })
}
