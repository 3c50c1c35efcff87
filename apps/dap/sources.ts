/** Source files as clients see them: the user's own where they are the same, else texts of the session. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { withSlashes } from '../../src/diagnostic/index.ts'
import { type DebuggedProgram, type DebugSession, fileNamed } from '../../src/session/index.ts'
import type { SourceFileOfMap, SourceMap } from '../../src/source/index.ts'
import { type AdapterContext, sessionOf } from './context.ts'

/** A file of one shader. */
export interface FilePart {
  readonly program: DebuggedProgram
  readonly map: SourceMap
  readonly file: number
}

/** A file of the HLSL, or a listing. Shaders of a draw that were compiled from one file share it. */
export interface SourceFile {
  readonly name: string
  readonly isListing: boolean
  readonly parts: readonly FilePart[]
}

export const fileOf = ({ parts }: SourceFile): SourceFileOfMap => parts[0]!.map.files[parts[0]!.file]!

const isSameFile = (a: SourceFileOfMap, b: SourceFileOfMap): boolean =>
  a.name === b.name && a.md5 === b.md5 && (a.md5 !== undefined || a.text === b.text)

/** All files: those of the source first, then a listing for each shader. The reference of a file is its place here, from 1. */
export function filesOf({ programs }: DebugSession): readonly SourceFile[] {
  const files: (SourceFile & { readonly parts: FilePart[] })[] = []
  for (const program of programs) {
    const { map } = program
    if (map.origin === 'listing') continue
    for (const [file, own] of map.files.entries()) {
      const known = files.find((f) => isSameFile(fileOf(f), own))
      const part = { program, map, file }
      if (known !== undefined) known.parts.push(part)
      else files.push({ name: own.name, isListing: false, parts: [part] })
    }
  }
  const listings = programs.map((program): SourceFile => {
    const { stage, listingMap: map } = program
    const { name } = map.files[0]!
    return {
      name: stage === undefined ? name : `${stage}.${name}`,
      isListing: true,
      parts: [{ program, map, file: 0 }],
    }
  })
  return [...files, ...listings]
}

const lastPart = (name: string): string => withSlashes(name).split('/').at(-1)!

function sourceAt(c: AdapterContext, index: number): P.Source {
  const found = filesOf(sessionOf(c))[index]!
  const { name, isListing } = found
  const file = fileOf(found)
  const path = c.host.findSource?.(file)
  const common = {
    name: lastPart(name),
    ...(file.md5 === undefined ? {} : { checksums: [{ algorithm: 'MD5' as const, checksum: file.md5 }] }),
  }
  if (path !== undefined) return { ...common, path }
  return {
    ...common,
    path: name,
    sourceReference: index + 1,
    origin: isListing ? 'listing of the program' : 'debug data of the shader',
  }
}

/** A source as clients see it, and its text. */
interface LoadedSource {
  readonly source: P.Source
  readonly text: string | undefined
}

/** Every source that the session has now. */
export const sourcesNow = (c: AdapterContext): readonly LoadedSource[] =>
  filesOf(sessionOf(c)).map((file, index) => ({ source: sourceAt(c, index), text: fileOf(file).text }))

/** Another command of a frame runs other shaders: events say which sources are new, changed or gone. */
export function announceSources(c: AdapterContext, before: readonly LoadedSource[]): void {
  const isSame = (a: LoadedSource, b: LoadedSource): boolean => a.source.path === b.source.path
  const after = sourcesNow(c)
  const gone = before.filter((b) => !after.some((a) => isSame(a, b)))
  c.afterResponse(() => {
    for (const { source } of gone) c.event('loadedSource', { reason: 'removed', source })
    for (const own of after) {
      const known = before.find((b) => isSame(own, b))
      if (known?.text === own.text && known !== undefined) continue
      c.event('loadedSource', { reason: known === undefined ? 'new' : 'changed', source: own.source })
    }
  })
}

/** The source of a shader's file, or its listing where no file is named. */
export function sourceOfProgram(c: AdapterContext, program: DebuggedProgram, file: number | undefined): P.Source {
  const all = filesOf(sessionOf(c))
  const isIts = (p: FilePart): boolean => p.program.stage === program.stage && (file === undefined || p.file === file)
  return sourceAt(
    c,
    all.findIndex((f) => f.isListing === (file === undefined) && f.parts.some(isIts)),
  )
}

/** The file that a client means. */
export function fileOfSource(c: AdapterContext, source: P.Source): SourceFile | undefined {
  const files = filesOf(sessionOf(c))
  const { sourceReference, path, name } = source
  if (sourceReference !== undefined && sourceReference > 0) return files[sourceReference - 1]
  // What the client was given comes back as it is, whatever the debug data calls it.
  const own = path === undefined ? undefined : files.find((f) => c.host.findSource?.(fileOf(f)) === path)
  if (own !== undefined) return own
  const at = fileNamed(files, path ?? name ?? '')
  return at === undefined ? undefined : files[at]
}

/** Clients count lines and columns from 1, or say that they count from 0. */
export const toClient = (c: AdapterContext, line: number): number =>
  c.client.linesStartAt1 === false ? line - 1 : line
export const fromClient = (c: AdapterContext, line: number): number =>
  c.client.linesStartAt1 === false ? line + 1 : line
export const columnToClient = (c: AdapterContext, column: number): number =>
  c.client.columnsStartAt1 === false ? Math.max(0, column - 1) : Math.max(1, column)
