/** The extension in browsers: the language server is a worker. */
import * as vscode from 'vscode'
import { LanguageClient } from 'vscode-languageclient/browser'
import { clientOptions } from './client-options.ts'
import { activateOn } from './extension.ts'

/** What a browser has and this project's types do not name. */
declare const Worker: new (url: string) => { terminate(): void }

export function activate(context: vscode.ExtensionContext): void {
  activateOn(context, async () => {
    const worker = new Worker(vscode.Uri.joinPath(context.extensionUri, 'dist/server-web.js').toString(true))
    const client = new LanguageClient('heddle', 'Heddle', worker, clientOptions())
    await client.start()
    return { stop: () => client.stop().finally(() => worker.terminate()) }
  })
}
