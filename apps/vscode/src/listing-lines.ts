/** Maps lines between the debugger's listing, which has statements only, and a document, which has comments too: by statement. */
import type * as vscode from 'vscode'
import { parseProgram } from '../../../src/asm/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { encodeProgram } from '../../../src/program/index.ts'
import type { DebugSession } from '../../../src/session/index.ts'
import { readUri } from './files.ts'
import { listingOfShader } from './listing-uri.ts'
import { listingText } from './listings.ts'

/** A document that shows the program of a session. */
export interface ListingLines {
  readonly uri: vscode.Uri
  /** The line of the debugger's listing for one of the document, and back; from 1. */
  readonly toListing: ReadonlyMap<number, number>
  readonly toDocument: ReadonlyMap<number, number>
}

const areEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((x, i) => x === b[i])

const decoder = new TextDecoder()

/** The lines of a shader's document; undefined where it does not show the program of the session. */
async function linesIn(file: vscode.Uri, { run }: DebugSession): Promise<ListingLines | undefined> {
  const bytes = await readUri(file)
  const [uri, text] = isContainer(bytes) ? [listingOfShader(file), listingText(bytes)] : [file, decoder.decode(bytes)]
  const { value, places } = parseProgram(text)
  if (value === undefined || !areEqual(encodeProgram(value), encodeProgram(run.program))) return undefined
  const toListing = new Map<number, number>()
  const toDocument = new Map<number, number>()
  places.statements.forEach(({ line }, at) => {
    const own = run.listingMap.linesOf(at)?.statement.line
    if (own === undefined) return
    toListing.set(line, own)
    toDocument.set(own, line)
  })
  return { uri, toListing, toDocument }
}

/** The document, of the files that a session has read, that shows its program. */
export async function listingLines(
  files: readonly vscode.Uri[],
  session: DebugSession,
): Promise<ListingLines | undefined> {
  for (const file of files) {
    const found = await linesIn(file, session).catch(() => undefined)
    if (found !== undefined) return found
  }
  return undefined
}
