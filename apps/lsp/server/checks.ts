/** Checks of a listing that the user requests: what they found is shown with the other findings until the text changes. */
import { type Connection, type ExecuteCommandParams, MessageType, ShowMessageNotification } from 'vscode-languageserver'
import { type Report, renderReport } from '../../../src/check/index.ts'
import { type Diagnostic, placedMessage } from '../../../src/diagnostic/index.ts'
import { inDocument } from '../../../src/language/index.ts'
import type { DiagnosticsPublisher } from './diagnostics.ts'
import type { OpenDocument } from './documents.ts'

/** The command by which clients request a check; its argument is the uri of an open listing. */
export const CHECK_COMMAND = 'heddle.checkListing'

/** A check of a listing: a report, with what is in it about the listing's shader; or why there is none. */
export type Checked =
  | { readonly report: Report; readonly found: readonly Diagnostic[] }
  | { readonly refused: readonly Diagnostic[] }

/** Runs the shader in the text under the checker. */
export type CheckListing = (uri: string, text: string, signal: AbortSignal) => Promise<Checked>

/** What the command answers. */
export interface CheckAnswer {
  readonly findings: number
  /** The report as people read it, or why there is none. */
  readonly text: string
}

const refusal = (text: string): CheckAnswer => ({ findings: 0, text })

/** What a check is done with. */
interface CheckParts {
  readonly connection: Connection
  readonly publisher: DiagnosticsPublisher
  readonly check: CheckListing
  readonly openText: (uri: string) => OpenDocument | undefined
}

async function answerOf(parts: CheckParts, uri: unknown, signal: AbortSignal): Promise<CheckAnswer> {
  const document = typeof uri === 'string' ? parts.openText(uri) : undefined
  if (document === undefined) return refusal(`${CHECK_COMMAND} takes the uri of a listing that is open`)
  if (signal.aborted) return refusal('canceled')
  const checked = await parts.check(document.uri, document.shader.text, signal)
  if ('refused' in checked) return refusal(checked.refused.map(placedMessage).join('\n'))
  const { report } = checked
  const found = inDocument(document.shader, checked.found)
  parts.publisher.setChecked(document, found)
  return { findings: found.length, text: renderReport(report) }
}

/** One check after the other, so that requests wait for the slices of one alone; a newer check of a text ends the one before. */
class CheckQueue {
  readonly #latest = new Map<string, AbortController>()
  #last: Promise<unknown> = Promise.resolve()

  run<T>(uri: string, abort: AbortController, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#latest.get(uri)?.abort()
    this.#latest.set(uri, abort)
    const running = this.#last.then(() => work(abort.signal))
    this.#last = running
      .catch(() => undefined)
      .finally(() => {
        if (this.#latest.get(uri) === abort) this.#latest.delete(uri)
      })
    return running
  }
}

/** Answers the command; its result is shown in a message too, as most editors do nothing with the answer of a command. */
export function answerCheckCommand(parts: CheckParts): void {
  const { connection } = parts
  const queue = new CheckQueue()
  connection.onExecuteCommand(async ({ command, arguments: given }: ExecuteCommandParams, token) => {
    if (command !== CHECK_COMMAND) return null
    const abort = new AbortController()
    const listener = token.onCancellationRequested(() => abort.abort())
    try {
      const uri: unknown = given?.[0]
      const answer = await queue.run(`${uri}`, abort, (signal) => answerOf(parts, uri, signal))
      const isClean = answer.findings === 0
      const message = answer.text.slice(answer.text.lastIndexOf('\n') + 1)
      const type = isClean ? MessageType.Info : MessageType.Warning
      void connection.sendNotification(ShowMessageNotification.type, { type, message })
      return answer
    } finally {
      listener.dispose()
    }
  })
}
