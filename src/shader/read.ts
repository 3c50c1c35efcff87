/** Reads containers with the program in them; every room that takes compiled shaders uses it. */
import { type Diagnostic, diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import {
  type DebugInfo,
  type DxbcContainer,
  decodeDebugData,
  decodeProgramDatabase,
  findChunk,
  findCodeChunk,
  listedDebugData,
  listedProgramDatabase,
  type Reflection,
  readDxbc,
  reflect,
} from '../dxbc/index.ts'
import { decodeProgram, type Program } from '../program/index.ts'

/** A container with its program. */
export interface Shader {
  readonly container: DxbcContainer
  readonly program: Program
  /** FourCC of the part that holds the program: `SHDR` or `SHEX`. */
  readonly codeFourcc: string
}

/** What a container says of its shader beside the code. */
export interface ShaderFacts {
  readonly reflection?: Reflection
  readonly debug?: DebugInfo
}

/** What parts of containers without a program are. */
const OTHER_PARTS: Readonly<Record<string, string>> = {
  DXIL: 'code of Shader Model 6 (DXIL); fxc, or a profile up to 5_1, gives code that is read here',
  RTS0: 'a root signature',
  FX10: 'an effect; its shaders are containers of their own',
  LIBF: 'functions of a library, which a linker makes a shader of',
  Aon9: 'code for feature level 9 alone',
}

/** The program of a container; `shader-no-code` where it has none. */
export function shaderIn(container: DxbcContainer): Outcome<Shader> {
  const code = findCodeChunk(container)
  if (code === undefined) {
    const text = 'the container holds no program: neither SHEX nor SHDR is there'
    const known = container.chunks.flatMap(({ fourcc }) => (Object.hasOwn(OTHER_PARTS, fourcc) ? [fourcc] : []))
    const notes = known.map((fourcc) => `it has ${fourcc}: ${OTHER_PARTS[fourcc]}`)
    return failure([diagnostic('shader-no-code', text, undefined, notes)])
  }
  const { value: program, diagnostics } = decodeProgram(code.data)
  return program === undefined
    ? failure(diagnostics)
    : outcomeOf({ container, program, codeFourcc: code.fourcc }, diagnostics)
}

/** The container and the program of a compiled shader; the value may be there although diagnostics have errors. */
export function readShader(bytes: Uint8Array): Outcome<Shader> {
  const read = readDxbc(bytes)
  if (read.value === undefined) return failure(read.diagnostics)
  const { value, diagnostics: found } = shaderIn(read.value)
  const diagnostics: Diagnostic[] = [...read.diagnostics, ...found]
  return outcomeOf(value, diagnostics)
}

/** The debug data of a container, of either form; neither value nor diagnostics where it has none. */
function debugInfoOf(container: DxbcContainer): Outcome<DebugInfo> {
  const chunk = findChunk(container, 'SPDB', 'SDBG')
  if (chunk === undefined) return failure([])
  return chunk.fourcc === 'SPDB' ? decodeProgramDatabase(chunk.data) : decodeDebugData(chunk.data)
}

/** As `debugInfoOf`, without what a listing does not print: the texts of sources and the names of shared memory. */
export function listedDebugInfoOf(container: DxbcContainer): Outcome<DebugInfo> {
  const chunk = findChunk(container, 'SPDB', 'SDBG')
  if (chunk === undefined) return failure([])
  return chunk.fourcc === 'SPDB' ? listedProgramDatabase(chunk.data) : listedDebugData(chunk.data)
}

/** Reflection and debug data of a container, as far as it has them. */
export function shaderFacts(container: DxbcContainer): ShaderFacts {
  const debug = debugInfoOf(container).value
  const reflection = reflect(container).value
  return { reflection, ...(debug === undefined ? {} : { debug }) }
}
