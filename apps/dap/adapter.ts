import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { RunOptions } from '../../src/debug/index.ts'
import { ShaderError } from '../../src/diagnostic/index.ts'
import { type DebugSession, placeText, type SessionStop, stopLines } from '../../src/session/index.ts'
import { argumentsOf } from './arguments.ts'
import { type AdapterContext, type AdapterHost, CANCELED, memoryChanged, RequestRefusal } from './context.ts'
import * as breakpoints from './requests/breakpoints.ts'
import * as custom from './requests/custom.ts'
import * as drawing from './requests/drawing.ts'
import * as execution from './requests/execution.ts'
import * as instructions from './requests/instructions.ts'
import * as lifecycle from './requests/lifecycle.ts'
import * as state from './requests/state.ts'
import { announceThreads, focusId, threads } from './requests/threads.ts'

/** Arguments come from outside: handlers take what the protocol promises, and refuse what they cannot use. */
type Handler = (c: AdapterContext, args: never) => object | Promise<object>

/** Requests by name; those of our own begin with `heddle/`. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>(
  Object.entries({
    initialize: lifecycle.initialize,
    launch: lifecycle.launch,
    attach: lifecycle.launch,
    configurationDone: lifecycle.configurationDone,
    restart: lifecycle.restart,
    restartFrame: execution.restartFrame,
    terminate: lifecycle.terminate,
    disconnect: lifecycle.disconnect,
    setBreakpoints: breakpoints.setBreakpoints,
    breakpointLocations: breakpoints.breakpointLocations,
    setFunctionBreakpoints: breakpoints.setFunctionBreakpoints,
    setInstructionBreakpoints: breakpoints.setInstructionBreakpoints,
    dataBreakpointInfo: breakpoints.dataBreakpointInfo,
    setDataBreakpoints: breakpoints.setDataBreakpoints,
    setExceptionBreakpoints: breakpoints.setExceptionBreakpoints,
    exceptionInfo: breakpoints.exceptionInfo,
    threads,
    stackTrace: state.stackTrace,
    scopes: state.scopes,
    variables: state.variables,
    setVariable: state.setVariable,
    setExpression: state.setExpression,
    evaluate: state.evaluate,
    completions: state.completions,
    next: execution.next,
    stepIn: execution.stepIn,
    stepOut: execution.stepOut,
    stepBack: execution.stepBack,
    stepInTargets: execution.stepInTargets,
    continue: execution.continueRun,
    reverseContinue: execution.reverseContinue,
    pause: execution.pause,
    gotoTargets: execution.gotoTargets,
    goto: execution.goto,
    source: custom.source,
    loadedSources: custom.loadedSources,
    modules: custom.modules,
    disassemble: instructions.disassemble,
    readMemory: instructions.readMemory,
    writeMemory: instructions.writeMemory,
    'heddle/grid': custom.grid,
    'heddle/column': custom.column,
    'heddle/history': custom.history,
    'heddle/timeLine': custom.timeLine,
    'heddle/goTo': custom.goToClock,
    'heddle/focus': custom.focus,
    'heddle/commands': drawing.commands,
    'heddle/command': drawing.command,
    'heddle/stages': drawing.stages,
    'heddle/pixelHistory': drawing.pixel,
    'heddle/invocation': drawing.invocation,
  }),
)

/** Answered while the run goes on; all others wait until it stops. */
const AT_ONCE: ReadonlySet<string> = new Set(['pause', 'cancel', 'disconnect', 'terminate', 'initialize'])

/** Clients expect these requests to continue the run; where another request does so, `continued` is sent. */
const GOES_ON: ReadonlySet<string> = new Set([
  ...['configurationDone', 'continue', 'reverseContinue', 'next', 'stepIn', 'stepOut', 'stepBack'],
  ...['goto', 'restart', 'restartFrame'],
])

/** Answered with values: they say what nothing has written. */
const SHOWS_VALUES: ReadonlySet<string> = new Set(['scopes', 'variables', 'evaluate', 'heddle/column'])

const PROGRESS_AFTER_MILLISECONDS = 300
const PROGRESS_EVERY_MILLISECONDS = 100

/** The protocol's reasons of a stop. */
function protocolReason(stop: SessionStop): string {
  switch (stop.reason) {
    case 'breakpoint': {
      const set = stop.breakpoints[0]?.set
      return set === 'function' || set === 'instruction' ? `${set} breakpoint` : 'breakpoint'
    }
    case 'data':
      return 'data breakpoint'
    case 'finding':
    case 'event':
      return 'exception'
    case 'moment':
      return 'goto'
    case 'canceled':
      return 'pause'
    case 'start':
    case 'end':
    case 'entry':
      return 'entry'
    case 'step':
      return 'step'
  }
}

const isRequest = (m: unknown): m is P.Request =>
  typeof m === 'object' && m !== null && 'command' in m && 'seq' in m && typeof m.command === 'string'

/**
 * A debug adapter: takes messages of the protocol as objects and gives such, wherever it runs. One session at a time.
 */
export class DebugAdapter {
  readonly #send: (message: P.ProtocolMessage) => void
  readonly #context: AdapterContext
  #seq = 1
  #turn: Promise<void> = Promise.resolve()
  #running: Promise<void> | undefined
  #abort: AbortController | undefined
  /** The request that is answered, of those that wait for their turn. */
  #answering: AbortController | undefined
  /** By the ids of the progress events that the client was sent. */
  readonly #inProgress = new Map<string, AbortController>()
  readonly #requests = new Map<number, AbortController>()
  /** The request under way. */
  #command = ''
  #after: (() => void)[] = []
  #nextProgress = 1
  #options: RunOptions = {}

  constructor(host: AdapterHost, send: (message: P.ProtocolMessage) => void) {
    this.#send = send
    const adapter = this
    this.#context = {
      host,
      client: { adapterID: 'heddle' },
      session: undefined,
      launch: {},
      threadMode: 'sets',
      lastStop: undefined,
      knownThreads: new Set(),
      frames: [],
      nodes: [],
      gotoTargets: [],
      sameBreakpoint: new Map(),
      exceptionFilters: [],
      shownMemory: new Map(),
      event: (name, body) => this.#event(name, body),
      start: (work) => void this.#after.push(this.#startOf(work)),
      afterResponse: (work) => void this.#after.push(work),
      interrupt: () => this.#interrupt(),
      get options() {
        return adapter.#options
      },
    }
  }

  /** Takes one message of the client. Answers come by `send`. */
  handle(message: unknown): void {
    if (!isRequest(message)) return
    if (message.command === 'cancel') {
      this.#cancel(message)
    } else if (AT_ONCE.has(message.command)) void this.#answer(message)
    else {
      // It can be canceled while it waits.
      const abort = new AbortController()
      this.#requests.set(message.seq, abort)
      this.#turn = this.#turn.then(() => this.#inTurn(message, abort))
    }
  }

  async #inTurn(request: P.Request, abort: AbortController): Promise<void> {
    await this.#running
    const progress = this.#progress(abort)
    this.#answering = abort
    this.#options = { signal: abort.signal, onProgress: progress.step }
    if (abort.signal.aborted) this.#respond(request, undefined, CANCELED)
    else await this.#answer(request)
    this.#answering = undefined
    progress.end()
    this.#requests.delete(request.seq)
  }

  async #answer(request: P.Request): Promise<void> {
    const c = this.#context
    this.#command = request.command
    const handler = HANDLERS.get(request.command)
    try {
      if (handler === undefined) throw new RequestRefusal(`the request ${request.command} is not known`)
      const args = argumentsOf(request.command, request.arguments)
      if (request.command === 'initialize') Object.assign(c, { client: args })
      if (SHOWS_VALUES.has(request.command)) await c.session?.followUndefined(c.options)
      this.#respond(request, await handler(c, args as never))
    } catch (e) {
      // Whatever went wrong, the client waits for an answer, and other requests follow.
      const isKnown = e instanceof RequestRefusal || e instanceof Error
      this.#after = []
      const isQuiet = e instanceof RequestRefusal && e.isQuiet
      this.#respond(request, undefined, isKnown ? e.message : String(e), !isQuiet)
    }
    const after = this.#after
    this.#after = []
    for (const work of after) work()
  }

  #respond(request: P.Request, body: object | undefined, message?: string, showUser = true): void {
    const base = { seq: this.#seq++, type: 'response', request_seq: request.seq, command: request.command } as const
    const failed = {
      success: false,
      message: message?.split('\n')[0],
      body: { error: { id: 1, format: message ?? '', showUser } },
    }
    this.#send(
      message === undefined ? ({ ...base, success: true, body } as P.Response) : ({ ...base, ...failed } as P.Response),
    )
  }

  #event(event: string, body?: object): void {
    this.#send({ seq: this.#seq++, type: 'event', event, ...(body && { body }) } as P.Event)
  }

  /** Ends what runs, or what a request is answered with that takes long. */
  #interrupt(): boolean {
    const under = this.#abort ?? this.#answering
    under?.abort()
    return under !== undefined
  }

  #cancel(request: P.Request): void {
    const { progressId, requestId } = (request.arguments ?? {}) as P.CancelArguments
    if (progressId !== undefined) this.#inProgress.get(progressId)?.abort()
    if (requestId !== undefined) this.#requests.get(requestId)?.abort()
    this.#respond(request, {})
  }

  /** What moves the session, for behind the response. */
  #startOf(work: (options: RunOptions) => Promise<SessionStop>): () => void {
    const isExpected = GOES_ON.has(this.#command)
    return () => {
      if (!isExpected) this.#event('continued', { threadId: focusId(this.#context), allThreadsContinued: true })
      this.#start(work)
    }
  }

  #start(work: (options: RunOptions) => Promise<SessionStop>): void {
    const abort = new AbortController()
    this.#abort = abort
    const progress = this.#progress(abort)
    this.#running = work({ signal: abort.signal, onProgress: progress.step })
      .then((stop) => {
        progress.end()
        this.#stopped(stop)
      })
      .catch((e: unknown) => {
        progress.end()
        const message = e instanceof Error || e instanceof ShaderError ? e.message : String(e)
        this.#event('output', { category: 'stderr', output: `${message}\n` })
        // The client waits for a stop: the session stands where it was left.
        if (this.#context.session !== undefined) this.#stopped(lifecycle.entryStop(this.#context.session))
      })
      .finally(() => {
        this.#abort = undefined
        this.#running = undefined
      })
  }

  /** Reports how far long work is, to clients that can show it; they may cancel it. */
  #progress(abort: AbortController): { step(done: number, total: number | undefined): void; end(): void } {
    const begin = performance.now()
    const wanted = this.#context.client.supportsProgressReporting === true
    let last = 0
    let id: string | undefined
    return {
      step: (done, total) => {
        const now = performance.now()
        if (!wanted || now - begin < PROGRESS_AFTER_MILLISECONDS || now - last < PROGRESS_EVERY_MILLISECONDS) return
        last = now
        const percentage =
          total === undefined || total === 0 ? undefined : Math.min(100, Math.round((100 * done) / total))
        const how = { message: `${done} statements`, ...(percentage === undefined ? {} : { percentage }) }
        if (id === undefined) {
          id = `run ${this.#nextProgress++}`
          this.#inProgress.set(id, abort)
          this.#event('progressStart', { progressId: id, title: 'Running the shader', cancellable: true, ...how })
        } else this.#event('progressUpdate', { progressId: id, ...how })
      },
      end: () => {
        if (id === undefined) return
        this.#event('progressEnd', { progressId: id })
        this.#inProgress.delete(id)
      },
    }
  }

  #stopped(stop: SessionStop): void {
    const c = this.#context
    const { session } = c
    if (session === undefined) return
    c.lastStop = stop
    c.frames.length = 0
    c.nodes.length = 0
    for (const line of stop.logs) this.#event('output', { category: 'console', output: `${line}\n` })
    if (stop.reason === 'end' && (c.launch.stopAtEnd === false || c.launch.noDebug === true)) {
      this.#event('terminated')
      return
    }
    announceThreads(c)
    memoryChanged(c)
    this.#event('stopped', {
      reason: protocolReason(stop),
      description: this.#description(session, stop),
      // The texts of log points were sent as output events already.
      text: stopLines(session, { ...stop, logs: [] })[0],
      threadId: focusId(c),
      allThreadsStopped: true,
      preserveFocusHint: false,
      ...(stop.breakpoints.length > 0
        ? { hitBreakpointIds: stop.breakpoints.map((b) => c.sameBreakpoint.get(b.id) ?? b.id) }
        : {}),
    })
  }

  #description(session: DebugSession, { reason, findings, stop }: SessionStop): string {
    const at = session.statement === undefined ? '' : ` at ${placeText(session.run, session.statement)}`
    if (reason === 'end') return 'The end of the run: going back is possible'
    if (reason === 'start') return 'The start of the run'
    return findings[0]?.message ?? `${reason}${at}, clock ${stop.clock}`
  }
}
