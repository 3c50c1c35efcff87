import type { MessagePort, Worker } from 'node:worker_threads'
import type { DebugProtocol as P } from '@vscode/debugprotocol'

/** A client of the debug adapter protocol whose messages are objects. */
export class PortClient {
  readonly #port: MessagePort | Worker
  readonly #answers = new Map<number, (m: P.Response) => void>()
  readonly #events: { readonly name: string; readonly take: (m: P.Event) => void }[] = []
  #seq = 1

  constructor(port: MessagePort | Worker) {
    this.#port = port
    port.on('message', (m: P.Response | P.Event) => {
      if (m.type === 'response') this.#answers.get((m as P.Response).request_seq)?.(m as P.Response)
      else this.#take(m as P.Event)
    })
  }

  #take(event: P.Event): void {
    const at = this.#events.findIndex((e) => e.name === event.event)
    if (at >= 0) this.#events.splice(at, 1)[0]!.take(event)
  }

  /** The number of the request that was sent last. */
  get lastSeq(): number {
    return this.#seq - 1
  }

  /** The next event of a name. */
  event(name: string): Promise<P.Event> {
    return new Promise((take) => this.#events.push({ name, take }))
  }

  ask(command: string, args: object = {}): Promise<P.Response> {
    const seq = this.#seq++
    const answer = new Promise<P.Response>((take) => this.#answers.set(seq, take))
    this.#port.postMessage({ seq, type: 'request', command, arguments: args })
    return answer
  }
}
