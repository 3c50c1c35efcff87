import { DiagnosticCollector, diagnostic, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import {
  findChunk,
  type ProgramDatabase,
  type Reflection,
  readDatabase,
  readDebugTables,
  reflect,
} from '../dxbc/index.ts'
import { type Declarations, gatherDeclarations } from '../engine/index.ts'
import type { Shader } from '../shader/index.ts'
import { databaseMap } from './database-map.ts'
import { listingMap } from './listing-map.ts'
import type { SourceMap } from './model.ts'
import { tablesMap } from './tables-map.ts'

/** What a map is made with. */
export interface SourceOptions {
  /** The bytes of a PDB that stands beside the shader, used where the container has no debug data itself. */
  readonly database?: Uint8Array | undefined
}

/** A PDB that is of this program, as far as the size of its code says; else what is wrong is reported. */
export function databaseOf(shader: Shader, bytes: Uint8Array, found: DiagnosticCollector): ProgramDatabase | undefined {
  const { value, diagnostics } = readDatabase(bytes)
  found.pushAll(diagnostics)
  const byteLength = findChunk(shader.container, shader.codeFourcc)?.data.length ?? 0
  const stated = value?.codeByteLength ?? 0
  if (stated === 0 || stated === byteLength) return value
  const text = `the debug data is of a program of ${stated} bytes, and this one has ${byteLength}`
  found.push(diagnostic('source-mismatch', text))
  return undefined
}

function debugMap(
  shader: Shader,
  { database }: SourceOptions,
  reflection: Reflection,
  declarations: Declarations | undefined,
  found: DiagnosticCollector,
): SourceMap | undefined {
  const old = findChunk(shader.container, 'SDBG')
  if (old !== undefined) {
    const { value, diagnostics } = readDebugTables(old.data)
    found.pushAll(diagnostics)
    if (value !== undefined) return tablesMap(shader.program, value, reflection, declarations, found)
  }
  const bytes = findChunk(shader.container, 'SPDB')?.data ?? database
  const read = bytes === undefined ? undefined : databaseOf(shader, bytes, found)
  return read === undefined ? undefined : databaseMap(shader.program, read, reflection, declarations, found)
}

/**
 * What the source says of a shader. There is always a map: without debug data, or where it is broken (which diagnostics
 * say), the listing stands for the source.
 */
export function sourceOf(shader: Shader, options: SourceOptions = {}): Outcome<SourceMap> & { value: SourceMap } {
  const found = new DiagnosticCollector()
  const declarations = gatherDeclarations(shader.program).value
  const reflection = reflect(shader.container).value
  const value =
    debugMap(shader, options, reflection, declarations, found) ?? listingMap(shader.program, reflection, declarations)
  return { ...outcomeOf(value, found.finish()), value }
}
