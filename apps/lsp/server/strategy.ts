/** What becomes of messages that wait. */
import { type ConnectionStrategy, LSPErrorCodes, type RequestMessage } from 'vscode-languageserver'

/** A request that the editor takes back before its turn is refused at once: answers take the thread for themselves. */
export const STRATEGY: ConnectionStrategy = {
  cancelUndispatched: (message) => ({
    jsonrpc: '2.0',
    id: (message as RequestMessage).id,
    error: { code: LSPErrorCodes.RequestCancelled, message: 'canceled' },
  }),
}
