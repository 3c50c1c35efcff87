/** What stands beside a shader: its PDB, and the user's own copies of its source files. */
import { type Diagnostic, type DiagnosticCollector, diagnostic } from '../diagnostic/index.ts'
import { findChunk } from '../dxbc/index.ts'
import { isFailure, type JobHost } from '../job/index.ts'
import type { Shader } from '../shader/index.ts'
import { databaseNames, findDatabase, isSameSource, type SourceMap, sourceNames } from '../source/index.ts'

/** Where a shader's debug data and sources are looked for. */
export interface ShaderPlace {
  readonly host: Pick<JobHost, 'readFile'>
  /** The shader's file, as the description names it. */
  readonly file: string | undefined
  /** Bytes of a PDB that was named; in place of what is beside the shader. */
  readonly database: Uint8Array | undefined
}

const folderOf = (file: string | undefined): string => file?.replace(/[^/\\]*$/, '') ?? ''

function read({ host }: ShaderPlace, name: string): Uint8Array | undefined {
  const found = host.readFile(name)
  return isFailure(found) ? undefined : found
}

/** The PDB of a shader that has no debug data of its own. */
export async function databaseBeside(
  shader: Shader,
  place: ShaderPlace,
  found: DiagnosticCollector,
): Promise<Uint8Array | undefined> {
  const { container } = shader
  if (findChunk(container, 'SPDB') !== undefined || findChunk(container, 'SDBG') !== undefined) return undefined
  if (place.database !== undefined || place.file === undefined) return place.database
  const names = databaseNames(shader, place.file)
  const { database, diagnostics } = await findDatabase(shader, names, (name) => read(place, name))
  found.pushAll(diagnostics)
  return database?.bytes
}

/**
 * The map with texts of the user's files, where the debug data has none and the file is the one that was compiled. A file that is
 * there and is another one is reported: its lines would be wrong.
 */
export function withOwnSources(
  map: SourceMap,
  place: ShaderPlace,
): { map: SourceMap; diagnostics: readonly Diagnostic[] } {
  if (map.origin === 'listing') return { map, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const texts = new Map<number, string>()
  for (const [at, file] of map.files.entries()) {
    // The name with which it was compiled is of another computer, mostly; only what is below the shader's folder is looked at.
    const [, ...names] = sourceNames(file, [folderOf(place.file).replace(/[/\\]$/, '') || '.'])
    const there = names.flatMap((name) => {
      const bytes = read(place, name)
      return bytes === undefined ? [] : [{ name, isSame: isSameSource(file, bytes), bytes }]
    })
    const same = there.find((f) => f.isSame === true)
    if (same !== undefined && file.text === undefined) texts.set(at, new TextDecoder().decode(same.bytes))
    const other = there.find((f) => f.isSame === false)
    if (same === undefined && other !== undefined) diagnostics.push(changed(other.name))
  }
  if (texts.size === 0) return { map, diagnostics }
  const files = map.files.map((file, at) => {
    const text = texts.get(at)
    return text === undefined ? file : { ...file, text }
  })
  return { map: { ...map, files }, diagnostics }
}

const changed = (name: string): Diagnostic =>
  diagnostic('source-changed', `${name} is not the file that was compiled: its MD5 is another one`, undefined, [
    'lines are those of the debug data; compile again to see the file as it is now',
  ])
