/** Calls into workers: a name and plain data there, plain data back, with progress on the way. */

/** What a handler may use beside its argument. */
export interface CallContext {
  readonly signal: AbortSignal
  progress(done: number, total: number | undefined): void
}

/** What a worker offers: one argument, one result each. */
export type Calls = Readonly<Record<string, (argument: never, context: CallContext) => unknown>>

interface CallMessage {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

interface AbortMessage {
  readonly abort: number
}

interface AnswerMessage {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
  readonly progress?: { readonly done: number; readonly total: number | undefined }
}

/** The inside of a worker, as far as calls need it. */
export interface CallPort {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

async function answer(port: CallPort, calls: Calls, message: CallMessage, signal: AbortSignal): Promise<void> {
  const { id, name, argument } = message
  const send = (m: AnswerMessage): void => port.postMessage(m)
  try {
    const handler = Object.hasOwn(calls, name) ? calls[name] : undefined
    if (handler === undefined) throw new Error(`there is no call ${name}`)
    const progress = (done: number, total: number | undefined): void => send({ id, progress: { done, total } })
    send({ id, value: await handler(argument as never, { signal, progress }) })
  } catch (e) {
    send({ id, error: e instanceof Error ? e.message : String(e) })
  }
}

/** Answers calls that come through a port. */
export function serveCalls(port: CallPort, calls: Calls): void {
  const running = new Map<number, AbortController>()
  port.addEventListener('message', ({ data }) => {
    const message = data as CallMessage | AbortMessage
    if ('abort' in message) {
      running.get(message.abort)?.abort()
      return
    }
    const controller = new AbortController()
    running.set(message.id, controller)
    void answer(port, calls, message, controller.signal).then(() => running.delete(message.id))
  })
}

/** A call was ended by the user. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

type ResultOf<C extends Calls, N extends keyof C> = Awaited<ReturnType<C[N]>>

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  readonly onProgress: ((done: number, total: number | undefined) => void) | undefined
}

/** A worker as its owner has it. */
export interface WorkerLike {
  postMessage(message: unknown): void
  terminate(): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void
}

/**
 * The outside of a worker. It is started with the first call, and anew with the first call after it was ended, so that
 * whatever a call does can be stopped.
 */
export class WorkerCalls<C extends Calls> {
  readonly #start: () => WorkerLike
  #worker: WorkerLike | undefined
  #nextId = 1
  readonly #pending = new Map<number, Pending>()

  constructor(start: () => WorkerLike) {
    this.#start = start
  }

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Starts the worker before it is needed. */
  warm(): void {
    this.#opened()
  }

  call<N extends keyof C & string>(
    name: N,
    argument: Parameters<C[N]>[0],
    onProgress?: (done: number, total: number | undefined) => void,
  ): Promise<ResultOf<C, N>> {
    const worker = this.#opened()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject, onProgress })
      worker.postMessage({ id, name, argument } satisfies CallMessage)
    })
  }

  /** Requests all calls to end, and does not wait for it. */
  abort(): void {
    for (const abort of this.#pending.keys()) this.#worker?.postMessage({ abort } satisfies AbortMessage)
  }

  /** Requests all calls to end; what has not ended after `graceMilliseconds` ends with the worker. */
  stop(graceMilliseconds = 0): void {
    const ids = [...this.#pending.keys()]
    if (ids.length === 0) return
    this.abort()
    if (graceMilliseconds === 0) this.end()
    else
      setTimeout(() => {
        if (ids.some((id) => this.#pending.has(id))) this.end()
      }, graceMilliseconds)
  }

  /** Ends the worker with everything that it was doing. */
  end(message = 'stopped'): void {
    this.#worker?.terminate()
    this.#worker = undefined
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(new StoppedError(message))
  }

  #opened(): WorkerLike {
    if (this.#worker !== undefined) return this.#worker
    const worker = this.#start()
    this.#worker = worker
    worker.addEventListener('message', ({ data }) => this.#take(data as AnswerMessage))
    worker.addEventListener('error', ({ message }) => {
      if (this.#worker === worker) this.end(message ?? 'the worker ended by itself')
    })
    return worker
  }

  #take({ id, value, error, progress }: AnswerMessage): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    if (progress !== undefined) {
      pending.onProgress?.(progress.done, progress.total)
      return
    }
    this.#pending.delete(id)
    if (error === undefined) pending.resolve(value)
    else pending.reject(new Error(error))
  }
}
