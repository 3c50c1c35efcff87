/** Source files as clients see them: the user's own where they are the same, else texts of the session. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { type DebugSession, fileNamed } from '../../src/session/index.ts'
import type { SourceMap } from '../../src/source/index.ts'
import { type AdapterContext, sessionOf } from './context.ts'

/** A file of the HLSL, or the listing. */
export interface SourceFile {
  readonly map: SourceMap
  readonly file: number
}

/** All files: those of the source first, then the listing. The reference of a file is its place here, from 1. */
export function filesOf({ run }: DebugSession): readonly SourceFile[] {
  const own = run.map.files.map((_, file) => ({ map: run.map, file }))
  return run.map.origin === 'listing' ? own : [...own, { map: run.listingMap, file: 0 }]
}

const lastPart = (name: string): string => name.replaceAll('\\', '/').split('/').at(-1)!

export function sourceAt(c: AdapterContext, index: number): P.Source {
  const session = sessionOf(c)
  const { map, file } = filesOf(session)[index]!
  const { name, md5 } = map.files[file]!
  const path = c.host.findSource?.(map.files[file]!)
  const common = {
    name: lastPart(name),
    ...(md5 === undefined ? {} : { checksums: [{ algorithm: 'MD5' as const, checksum: md5 }] }),
  }
  if (path !== undefined) return { ...common, path }
  const isListing = map === session.run.listingMap
  return {
    ...common,
    path: name,
    sourceReference: index + 1,
    origin: isListing ? 'listing of the program' : 'debug data of the shader',
  }
}

/** The file that a client means. */
export function fileOfSource(c: AdapterContext, source: P.Source): SourceFile | undefined {
  const session = sessionOf(c)
  const files = filesOf(session)
  const { sourceReference, path, name } = source
  if (sourceReference !== undefined && sourceReference > 0) return files[sourceReference - 1]
  const wanted = path ?? name ?? ''
  const own = fileNamed(session.run.map.files, wanted)
  if (own !== undefined) return { map: session.run.map, file: own }
  return fileNamed(session.run.listingMap.files, wanted) === undefined
    ? undefined
    : { map: session.run.listingMap, file: 0 }
}

/** Clients count lines and columns from 1, or say that they count from 0. */
export const toClient = (c: AdapterContext, line: number): number =>
  c.client.linesStartAt1 === false ? line - 1 : line
export const fromClient = (c: AdapterContext, line: number): number =>
  c.client.linesStartAt1 === false ? line + 1 : line
export const columnToClient = (c: AdapterContext, column: number): number =>
  c.client.columnsStartAt1 === false ? Math.max(0, column - 1) : Math.max(1, column)
