/** The open texts, each read once for each of its versions. */
import { type Connection, type Position, type Range, TextDocuments } from 'vscode-languageserver'
import { TextDocument } from 'vscode-languageserver-textdocument'
import type { TextRange } from '../../../src/asm/index.ts'
import { openDocument, type ShaderDocument } from '../../../src/language/index.ts'

/** A version of an open text: as the editor counts in it, and as it was read. */
export interface OpenDocument {
  readonly uri: string
  readonly shader: ShaderDocument
  position(at: number): Position
  range(range: TextRange): Range
  offset(position: Position): number
}

function opened(
  text: TextDocument,
  container: Uint8Array | undefined,
  before: ShaderDocument | undefined,
): OpenDocument {
  const position = (at: number): Position => text.positionAt(at)
  return {
    uri: text.uri,
    shader: openDocument(text.getText(), { version: text.version, container, before }),
    position,
    range: ({ start, end }) => ({ start: position(start), end: position(end) }),
    offset: (at) => text.offsetAt(at),
  }
}

/** A text that no editor has open. */
export const documentOf = (uri: string, text: string): OpenDocument =>
  opened(TextDocument.create(uri, 'dxbc', 0, text), undefined, undefined)

/** The texts that an editor has open. Changes come as parts of the text; texts are read with the next request. */
export class DocumentStore {
  readonly #texts = new TextDocuments(TextDocument)
  readonly #opened = new Map<string, OpenDocument>()
  readonly #containers = new Map<string, Uint8Array>()

  /** Follows the editor; `changed` is called for each new version, `closed` when a text is no longer open. */
  listen(connection: Connection, changed: (uri: string) => void, closed: (uri: string) => void): void {
    this.#texts.onDidChangeContent(({ document }) => changed(document.uri))
    this.#texts.onDidClose(({ document }) => {
      this.#opened.delete(document.uri)
      this.#containers.delete(document.uri)
      closed(document.uri)
    })
    this.#texts.listen(connection)
  }

  /** The shader that a text is the listing of. */
  setContainer(uri: string, container: Uint8Array): void {
    this.#containers.set(uri, container)
  }

  /** The present version of a text; undefined where it is not open. */
  get(uri: string): OpenDocument | undefined {
    const text = this.#texts.get(uri)
    if (text === undefined) return undefined
    const known = this.#opened.get(uri)
    const container = this.#containers.get(uri)
    if (known?.shader.version === text.version && known.shader.container === container) return known
    const made = opened(text, container, known?.shader)
    this.#opened.set(uri, made)
    return made
  }

  uris(): readonly string[] {
    return this.#texts.keys()
  }
}
