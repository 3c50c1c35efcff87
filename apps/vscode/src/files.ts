/** Files of the workspace for run descriptions, whose reads are answered at once while those of an editor take time. */
import * as vscode from 'vscode'
import { unicodeText } from '../../../src/asm/index.ts'
import type { HostFailure, JobHost } from '../../../src/job/index.ts'

/** A description names few files, and what one file names may name others. */
const MAX_ROUNDS = 100

/** The file that a path of a description means; undefined where it leads out of the folder and the workspace. */
export function uriIn(folder: vscode.Uri, path: string): vscode.Uri | undefined {
  const slashed = path.replaceAll('\\', '/')
  if (slashed.startsWith('/') || /^[A-Za-z]:/.test(slashed)) return undefined
  const uri = vscode.Uri.joinPath(folder, slashed)
  const isBelow = uri.path.startsWith(folder.path.endsWith('/') ? folder.path : `${folder.path}/`)
  return isBelow || vscode.workspace.getWorkspaceFolder(uri) !== undefined ? uri : undefined
}

const OUTSIDE: HostFailure = { reason: 'it is outside of the workspace and of the folder of the description' }

const reasonOf = (e: unknown): string => (e instanceof Error ? e.message : String(e))

/** A file, or the text of an editor that has it open. */
export async function readUri(uri: vscode.Uri): Promise<Uint8Array> {
  const open = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString() && d.isDirty)
  return open === undefined ? vscode.workspace.fs.readFile(uri) : new TextEncoder().encode(open.getText())
}

export const readText = async (uri: vscode.Uri): Promise<string> => unicodeText(await readUri(uri))

export const folderOf = (uri: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(uri, '..')

export const nameOf = (uri: vscode.Uri): string => uri.path.slice(uri.path.lastIndexOf('/') + 1)

/** What work over files gave, and the files that it read. */
interface Worked<T> {
  readonly value: T
  readonly files: ReadonlyMap<string, vscode.Uri>
}

/**
 * Does work that reads files below a folder. Where it needs a file that has not been read, it is read, and the work is done
 * again: descriptions name all they need before anything runs. What the work writes is written once it has ended.
 */
export async function withFiles<T>(folder: vscode.Uri, work: (host: JobHost) => T | Promise<T>): Promise<Worked<T>> {
  const contents = new Map<string, Uint8Array | HostFailure>()
  const files = new Map<string, vscode.Uri>()
  for (let round = 0; ; round++) {
    const missing = new Set<string>()
    const written = new Map<string, Uint8Array>()
    const value = await work({
      readFile(path, range) {
        const known = contents.get(path)
        if (known === undefined) missing.add(path)
        if (known === undefined || 'reason' in known || range === undefined)
          return known ?? { reason: 'it is being read' }
        const { byteOffset, byteLength } = range
        return known.subarray(byteOffset, byteLength === undefined ? undefined : byteOffset + byteLength)
      },
      writeFile(path, bytes) {
        if (uriIn(folder, path) === undefined) return OUTSIDE
        written.set(path, bytes)
        return undefined
      },
    })
    if (missing.size === 0 || round === MAX_ROUNDS) {
      for (const [path, bytes] of written) await vscode.workspace.fs.writeFile(uriIn(folder, path)!, bytes)
      return { value, files }
    }
    for (const path of missing) {
      const uri = uriIn(folder, path)
      if (uri !== undefined) files.set(path, uri)
      contents.set(
        path,
        uri === undefined ? OUTSIDE : await readUri(uri).catch((e: unknown) => ({ reason: reasonOf(e) })),
      )
    }
  }
}
