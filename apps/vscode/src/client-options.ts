/** The capabilities that the client sends to the language server. */
import * as vscode from 'vscode'
import type { LanguageClientOptions } from 'vscode-languageclient'

/** The settings as plain data: an object of the editor has functions, which no message to a worker can hold. */
function plainSettings(): unknown {
  return JSON.parse(JSON.stringify(vscode.workspace.getConfiguration('heddle')))
}

export function clientOptions(): LanguageClientOptions {
  return {
    documentSelector: [{ language: 'dxbc' }],
    synchronize: { configurationSection: 'heddle' },
    // The lenses of the server have commands of this extension.
    initializationOptions: { commands: true, settings: plainSettings() },
  }
}
