import { findCodeChunk, readDxbc } from '../../src/dxbc/index.ts'
import { decodeProgram, type Program } from '../../src/program/index.ts'
import { corpusFiles } from './corpus.ts'

const STAGE_COMPUTE = 5

export interface NamedProgram {
  readonly name: string
  readonly program: Program
}

/** Every shader of the corpus and the kernels that has code, the patched ones too, decoded. */
function shaders(): readonly NamedProgram[] {
  return corpusFiles().flatMap(({ name, bytes }) => {
    const code = findCodeChunk(readDxbc(bytes).value!)
    const program = code === undefined ? undefined : decodeProgram(code.data).value
    return program === undefined ? [] : [{ name, program }]
  })
}

export const computeShaders = (): readonly NamedProgram[] =>
  shaders().filter(({ program }) => program.stageNumber === STAGE_COMPUTE)

/** Shaders of the stages of draws. */
export const drawShaders = (): readonly NamedProgram[] =>
  shaders().filter(({ program }) => program.stageNumber < STAGE_COMPUTE)
