/** Listings of compiled shaders as documents: what is saved is assembled back into the file. */
import * as vscode from 'vscode'
import { assemble, disassembleOutcome, inText } from '../../../src/asm/index.ts'
import { type Diagnostic, hasErrors, renderDiagnostic } from '../../../src/diagnostic/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { whyNotRead } from './containers.ts'
import { editorDiagnostic } from './diagnostics.ts'
import { listingOfShader, shaderOfListing } from './listing-uri.ts'

const asComment = (text: string): string =>
  text
    .split('\n')
    .map((line) => `// ${line}\n`)
    .join('')

/** The text that stands for a file: its listing, or why there is none. */
export function listingText(bytes: Uint8Array): string {
  const why = whyNotRead(bytes)
  if (why !== undefined) return asComment(why)
  const { value, diagnostics } = disassembleOutcome(bytes)
  if (value !== undefined) return value
  return asComment(['This file is damaged:', ...diagnostics.map((d) => renderDiagnostic(d, 'file'))].join('\n'))
}

/** Errors of a text that was to be saved. */
interface Assembly {
  readonly bytes?: Uint8Array
  readonly diagnostics: readonly Diagnostic[]
}

/** The container with the code of the text; none where it has errors or breaks the rules of Direct3D. */
function assembled(text: string, base: Uint8Array): Assembly {
  const { value, diagnostics, places } = assemble(text, { base })
  if (value === undefined || hasErrors(diagnostics)) return { diagnostics }
  const found = [...diagnostics.filter((d) => d.severity !== 'hint'), ...inText(places, validate(value))]
  return hasErrors(found) ? { diagnostics: found } : { bytes: value, diagnostics: found }
}

export class ListingFiles implements vscode.FileSystemProvider {
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
  readonly onDidChangeFile = this.#changes.event
  readonly #problems: vscode.DiagnosticCollection

  constructor(problems: vscode.DiagnosticCollection) {
    this.#problems = problems
  }

  /** Notifies editors that the file behind a listing has changed. */
  shaderChanged(shader: vscode.Uri): void {
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri: listingOfShader(shader) }])
  }

  watch(): vscode.Disposable {
    // The extension's file watcher reports changes.
    return new vscode.Disposable(() => {})
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const shader = shaderOfListing(uri)
    const [{ ctime, mtime }, bytes] = await Promise.all([
      vscode.workspace.fs.stat(shader),
      vscode.workspace.fs.readFile(shader),
    ])
    const isRead = whyNotRead(bytes) === undefined
    return {
      type: vscode.FileType.File,
      ctime,
      mtime,
      size: new TextEncoder().encode(listingText(bytes)).length,
      ...(isRead ? {} : { permissions: vscode.FilePermission.Readonly }),
    }
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return new TextEncoder().encode(listingText(await vscode.workspace.fs.readFile(shaderOfListing(uri))))
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const shader = shaderOfListing(uri)
    const { bytes, diagnostics } = assembled(
      new TextDecoder().decode(content),
      await vscode.workspace.fs.readFile(shader),
    )
    this.#problems.set(
      uri,
      diagnostics.map((d) => editorDiagnostic(uri, d)),
    )
    if (bytes === undefined) {
      const [first] = diagnostics.filter((d) => d.severity === 'error')
      const line = first?.place?.kind === 'text' ? `line ${first.place.line}: ` : ''
      throw vscode.FileSystemError.Unavailable(
        `the listing has errors and was not saved: ${line}${first?.message ?? ''}`,
      )
    }
    await vscode.workspace.fs.writeFile(shader, bytes)
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }])
  }

  /** There are no folders: a listing is found by the shader it is of. */
  readDirectory(): [string, vscode.FileType][] {
    return []
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions('listings have no folders of their own')
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions('a listing is deleted with its shader')
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions('a listing is renamed with its shader')
  }
}
