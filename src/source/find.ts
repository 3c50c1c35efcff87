/** Where debug data and source files may be: names to look for, and how the right one is recognized. */
import { type Diagnostic, DiagnosticCollector, withSlashes } from '../diagnostic/index.ts'
import { decodeDebugName, findChunk, hexDigest, md5 } from '../dxbc/index.ts'
import type { Shader } from '../shader/index.ts'
import type { SourceFileOfMap } from './model.ts'
import { databaseOf } from './source-of.ts'

const fileName = (path: string): string => withSlashes(path).replace(/^.*\//, '')
const folderOf = (path: string): string => withSlashes(path).slice(0, withSlashes(path).length - fileName(path).length)

/** An extension of the shader's own file, such as `.dxbc` or `.cso`. */
const EXTENSION = /\.[^./\\]*$/

/**
 * Where the PDB of a shader may be, most likely first: the name in its part ILDN (`/Zss`, `/Zsb`), then the name of the
 * shader's file; each beside the shader and in `folders`.
 */
export function databaseNames(shader: Shader, shaderFile: string, folders: readonly string[] = []): readonly string[] {
  const part = findChunk(shader.container, 'ILDN')
  const stated = part === undefined ? undefined : decodeDebugName(part.data).value?.name
  const own = `${fileName(shaderFile).replace(EXTENSION, '')}.pdb`
  const names = stated === undefined || stated === '' ? [own] : [fileName(stated), own]
  const places = [folderOf(shaderFile), ...folders.map((f) => (f === '' || f.endsWith('/') ? f : `${f}/`))]
  return [...new Set(names.flatMap((name) => places.map((place) => place + name)))]
}

/** Reads a file; undefined where there is none. */
type FileReader = (name: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>

/** The bytes of a PDB that is of a shader, and where they were. */
export interface FoundDatabase {
  readonly database?: { readonly name: string; readonly bytes: Uint8Array }
  /** Files that were there and are of another program, or broken. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Looks for the PDB of a shader under some names; the first that is of this program counts. */
export async function findDatabase(
  shader: Shader,
  names: readonly string[],
  readFile: FileReader,
): Promise<FoundDatabase> {
  const found = new DiagnosticCollector()
  for (const name of names) {
    const bytes = await readFile(name)
    if (bytes === undefined) continue
    if (databaseOf(shader, bytes, found) !== undefined)
      return { database: { name, bytes }, diagnostics: found.finish() }
  }
  return { diagnostics: found.finish() }
}

/** Whether bytes are the file that was compiled; undefined where the debug data has no MD5 of it. */
export function isSameSource(file: SourceFileOfMap, bytes: Uint8Array): boolean | undefined {
  return file.md5 === undefined ? undefined : hexDigest(md5(bytes)) === file.md5
}

/** Folders of the computer that compiled, and where they are now. */
export type SourcePathMap = Readonly<Record<string, string>>

/** A path with the first folder of the map that it lies in replaced: in any case and with either slash. */
function mappedNames(name: string, map: SourcePathMap): readonly string[] {
  const plain = withSlashes(name)
  return Object.entries(map).flatMap(([from, to]) => {
    const folder = withSlashes(from).replace(/\/*$/, '/')
    const isInside = plain.toLowerCase().startsWith(folder.toLowerCase())
    return isInside ? [`${to.replace(/[/\\]*$/, '')}/${plain.slice(folder.length)}`] : []
  })
}

/**
 * Where the user's own copy of a source file may be: where `map` says, as it was compiled, and below `folders` by ever shorter
 * paths.
 */
export function sourceNames(
  file: SourceFileOfMap,
  folders: readonly string[],
  map: SourcePathMap = {},
): readonly string[] {
  const parts = withSlashes(file.name)
    .split('/')
    .filter((p) => p !== '' && p !== '.' && p !== '..' && !/^[A-Za-z]:$/.test(p))
  const below = folders.flatMap((folder) =>
    parts.map((_, i) => `${folder.replace(/\/$/, '')}/${parts.slice(i).join('/')}`),
  )
  return [...mappedNames(file.name, map), file.name, ...below]
}
