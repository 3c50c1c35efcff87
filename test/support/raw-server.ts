/** The language server at the other end of messages: nothing stands between that would hide a lost one. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node'
import { bundleForBrowser } from './bundle.ts'

/** A message of the protocol. */
export interface RawMessage {
  readonly jsonrpc: '2.0'
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RawServer {
  send(message: RawMessage): void
  end(): Promise<unknown>
}

type Take = (message: RawMessage) => void

/** `heddle lsp` as a process, on its standard input and output. */
export async function serverProcess(take: Take): Promise<RawServer> {
  const main = fileURLToPath(new URL('../../apps/cli/main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', main, 'lsp'], { stdio: ['pipe', 'pipe', 'inherit'] })
  new StreamMessageReader(child.stdout).listen((m) => take(m as RawMessage))
  const writer = new StreamMessageWriter(child.stdin)
  const ended = new Promise((done) => child.once('exit', done))
  return {
    send: (message) => void writer.write(message),
    end() {
      child.kill()
      return ended
    },
  }
}

/** What the page and VS Code for browsers load, in a worker: a port takes the place of the worker's own scope. */
export async function serverWorker(take: Take): Promise<RawServer> {
  const { text } = await bundleForBrowser('apps/lsp/worker/main.ts')
  const scope = "import { parentPort } from 'node:worker_threads'\nglobalThis.self = parentPort\n"
  const url = `data:text/javascript;base64,${Buffer.from(scope + text).toString('base64')}`
  const worker = new Worker(new URL(url))
  worker.on('message', take)
  return { send: (message) => worker.postMessage(message), end: () => worker.terminate() }
}
