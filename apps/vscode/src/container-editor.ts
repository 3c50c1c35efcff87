/** The editor of compiled shaders: it shows, and does not change. */
import * as vscode from 'vscode'
import { containerPage } from './container-page.ts'
import { listingOfShader } from './listing-uri.ts'

class ContainerDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri
  readonly panels = new Set<vscode.WebviewPanel>()

  constructor(uri: vscode.Uri) {
    this.uri = uri
  }

  dispose(): void {
    this.panels.clear()
  }
}

const HEX = 16
const NONCE_BYTES = 16

/** A word that pages from elsewhere cannot guess. */
function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  return Array.from(bytes, (b) => b.toString(HEX).padStart(2, '0')).join('')
}

/** A message of a page is from outside until it is looked at. */
const asksForListing = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'command' in message && message.command === 'openListing'

export class ContainerEditor implements vscode.CustomReadonlyEditorProvider<ContainerDocument> {
  readonly #documents = new Set<ContainerDocument>()

  openCustomDocument(uri: vscode.Uri): ContainerDocument {
    const document = new ContainerDocument(uri)
    this.#documents.add(document)
    return document
  }

  async resolveCustomEditor(document: ContainerDocument, panel: vscode.WebviewPanel): Promise<void> {
    document.panels.add(panel)
    panel.webview.options = { enableScripts: true, localResourceRoots: [] }
    panel.webview.onDidReceiveMessage((message: unknown) => {
      if (asksForListing(message)) void openListing(document.uri)
    })
    panel.onDidDispose(() => {
      document.panels.delete(panel)
      if (document.panels.size === 0) this.#documents.delete(document)
    })
    await this.#show(document, panel)
  }

  async #show(document: ContainerDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { fs } = vscode.workspace
    const bytes = await fs.readFile(document.uri).then(
      (read) => read,
      () => undefined,
    )
    panel.webview.html = containerPage(bytes, newNonce())
  }

  /** Shows a file anew in all its editors. */
  async shaderChanged(uri: vscode.Uri): Promise<void> {
    for (const document of this.#documents) {
      if (document.uri.toString() !== uri.toString()) continue
      for (const panel of document.panels) await this.#show(document, panel)
    }
  }
}

/** Opens the listing of a compiled shader beside its page. */
export async function openListing(shader: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(listingOfShader(shader))
  await vscode.languages.setTextDocumentLanguage(document, 'dxbc')
  await vscode.window.showTextDocument(document)
}
