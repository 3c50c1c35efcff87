/** The capabilities that the client sends to the language server. */
import * as vscode from 'vscode'
import type { LanguageClientOptions } from 'vscode-languageclient'

export function clientOptions(): LanguageClientOptions {
  return {
    documentSelector: [{ language: 'dxbc' }],
    synchronize: { configurationSection: 'heddle' },
    // The lenses of the server have commands of this extension.
    initializationOptions: { commands: true, settings: vscode.workspace.getConfiguration('heddle') },
  }
}
