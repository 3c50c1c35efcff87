import { assemble, assemblyText, isBinary, statementLister } from '../../asm/index.ts'
import { type Diagnostic, diagnostic, failure, hasErrors, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import {
  type DxbcContainer,
  decodeInterfaces,
  findChunk,
  type InterfaceData,
  isContainer,
  type Reflection,
  reflect,
} from '../../dxbc/index.ts'
import type { Program } from '../../program/index.ts'
import { readShader } from '../../shader/index.ts'
import { isFailure, type JobHost } from '../host.ts'
import type { ShaderSource } from '../model.ts'

/** A shader with what its container says of itself. */
export interface LoadedJobShader {
  readonly container: DxbcContainer
  readonly program: Program
  readonly reflection: Reflection
  readonly interfaces?: InterfaceData
  /** Text of a statement, for diagnostics. */
  readonly listing: (statement: number) => string | undefined
}

type ShaderCode = 'job-shader' | 'job-file' | 'job-compiler'

/** A failure at the place that names the shader: none for a shader that the command line names. */
function failed(code: ShaderCode, message: string, path: string, notes: readonly string[] = []): Outcome<never> {
  const place = path === '' ? undefined : ({ kind: 'path', path } as const)
  return failure([diagnostic(code, message, place, notes)])
}

function assembled(text: string, name: string, path: string): Outcome<Uint8Array> {
  const { value, diagnostics } = assemble(text)
  if (value !== undefined && !hasErrors(diagnostics)) return outcomeOf(value)
  const errors = diagnostics.filter((d) => d.severity === 'error')
  // A file that is no assembly at all gives one error a line; the first few say so well enough.
  const shown = errors.slice(0, 5)
  const more = errors.length > shown.length ? `, the first ${shown.length} of them shown` : ''
  const message = `${name} does not assemble: ${errors.length} ${errors.length === 1 ? 'error' : `errors${more}`}`
  return failure([...failed('job-shader', message, path).diagnostics, ...shown])
}

function compiled(source: ShaderSource, file: string, host: JobHost): Outcome<Uint8Array> {
  if (host.compile === undefined) {
    const message = `${file} is HLSL, and no compiler is named`
    return failed('job-compiler', message, source.path, [
      "name one with --hlsl-compiler or HEDDLE_HLSL_COMPILER, for example 'fxc /nologo /T {profile} /E {entry} /Fo {output} {input}'",
    ])
  }
  const bytes = host.compile(file, source.entry, source.profile)
  if (isFailure(bytes)) {
    const message = `${file} (entry ${source.entry}, profile ${source.profile}) does not compile: ${bytes.reason}`
    return failed('job-compiler', message, source.path, bytes.notes)
  }
  if (!isContainer(bytes)) {
    return failed('job-compiler', `what the compiler made of ${file} is no compiled shader (DXBC)`, source.path)
  }
  return outcomeOf(bytes)
}

function sourceBytes(source: ShaderSource, host: JobHost): Outcome<Uint8Array> {
  if (source.assembly !== undefined) return assembled(source.assembly, 'the assembly text', source.path)
  const file = source.file ?? ''
  const bytes = host.readFile(file)
  if (isFailure(bytes))
    return failed('job-file', `cannot read the shader ${file}: ${bytes.reason}`, source.path, bytes.notes)
  if (isContainer(bytes)) return outcomeOf(bytes)
  if (/\.(hlsl|hlsli|fx|compute)$/i.test(file)) return compiled(source, file, host)
  const text = assemblyText(bytes)
  if (isBinary(text)) {
    return failed('job-shader', `${file} is neither a compiled shader (DXBC) nor text`, source.path)
  }
  return assembled(text, file, source.path)
}

/** The same at the place that names the shader. */
function atSource(d: Diagnostic, path: string): Diagnostic {
  return path === '' ? d : { ...d, place: { kind: 'path', path } }
}

/** The program of a source, with reflection and linkage where they are there. */
export function loadShader(source: ShaderSource, host: JobHost): Outcome<LoadedJobShader> {
  const bytes = sourceBytes(source, host)
  if (bytes.value === undefined) return failure(bytes.diagnostics)
  const { value: shader, diagnostics } = readShader(bytes.value)
  const placed = diagnostics.map((d) => (d.code === 'shader-no-code' ? atSource(d, source.path) : d))
  if (shader === undefined || hasErrors(diagnostics)) return failure(placed)
  const { container, program } = shader
  const linkage = findChunk(container, 'IFCE')
  const interfaces = linkage === undefined ? undefined : decodeInterfaces(linkage.data).value
  const value: LoadedJobShader = {
    container,
    program,
    reflection: reflect(container).value,
    listing: statementLister(program),
    ...(interfaces === undefined ? {} : { interfaces }),
  }
  return outcomeOf(value, diagnostics)
}
