/** The extension on desktops: the language server is a process of Node. */
import type * as vscode from 'vscode'
import { LanguageClient, TransportKind } from 'vscode-languageclient/node'
import { clientOptions } from './client-options.ts'
import { activateOn } from './extension.ts'

export function activate(context: vscode.ExtensionContext): void {
  activateOn(context, async () => {
    const server = { module: context.asAbsolutePath('dist/server.js'), transport: TransportKind.stdio }
    const client = new LanguageClient('heddle', 'Heddle', server, clientOptions())
    await client.start()
    return client
  })
}
