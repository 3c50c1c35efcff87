import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { RunOptions } from '../../../src/debug/index.ts'
import { placedMessage } from '../../../src/diagnostic/index.ts'
import {
  type DebugSession,
  EXCEPTION_FILTERS,
  goToFinding,
  invocationNamedBy,
  invocationOfNthFragment,
  type SessionStop,
} from '../../../src/session/index.ts'
import { type AdapterContext, CANCELED, type LaunchArguments, refuse, sessionOf } from '../context.ts'

export function initialize(): P.Capabilities {
  return {
    supportsConfigurationDoneRequest: true,
    supportsFunctionBreakpoints: true,
    supportsConditionalBreakpoints: true,
    supportsHitConditionalBreakpoints: true,
    supportsLogPoints: true,
    supportsBreakpointLocationsRequest: true,
    supportsInstructionBreakpoints: true,
    supportsDataBreakpoints: true,
    supportsDataBreakpointBytes: true,
    supportsExceptionFilterOptions: true,
    supportsExceptionInfoRequest: true,
    exceptionBreakpointFilters: Object.entries(EXCEPTION_FILTERS).map(([filter, { label }]) => ({
      filter,
      label,
      default: false,
      supportsCondition: true,
      conditionDescription: 'code == check-race',
    })),
    supportsStepBack: true,
    supportsSteppingGranularity: true,
    supportsStepInTargetsRequest: true,
    supportsGotoTargetsRequest: true,
    supportsRestartRequest: true,
    supportsRestartFrame: true,
    supportsTerminateRequest: true,
    supportsCancelRequest: true,
    supportsDelayedStackTraceLoading: true,
    supportsEvaluateForHovers: true,
    supportsClipboardContext: true,
    supportsCompletionsRequest: true,
    completionTriggerCharacters: ['.', ' '],
    supportsSetVariable: true,
    supportsSetExpression: true,
    supportsReadMemoryRequest: true,
    supportsWriteMemoryRequest: true,
    supportsDisassembleRequest: true,
    supportsLoadedSourcesRequest: true,
    supportsModulesRequest: true,
    supportedChecksumAlgorithms: ['MD5'],
  }
}

export async function launch(c: AdapterContext, args: LaunchArguments): Promise<object> {
  const opened = await c.host.open(args, c.options)
  if (c.options.signal?.aborted === true) return refuse(CANCELED)
  if (opened.value === undefined)
    return refuse(
      opened.diagnostics
        .filter((d) => d.severity === 'error')
        .map(placedMessage)
        .join('\n'),
    )
  c.session?.timeLine.dispose()
  c.session = opened.value
  c.launch = args
  c.threadMode = args.threads ?? 'sets'
  c.knownThreads = new Set()
  for (const d of opened.diagnostics)
    c.event('output', { category: 'console', output: `${d.severity}: ${d.message}\n` })
  c.event('initialized')
  return {}
}

/** The stop of a session that has not moved. */
export const entryStop = (session: DebugSession): SessionStop => ({
  reason: 'entry',
  stop: { reason: 'reached', clock: session.timeLine.clock, hits: [] },
  breakpoints: [],
  findings: [],
  logs: [],
})

/** Goes to the invocation that a launch request names: by its name, or by the pixel whose color it made. */
async function invocationStop(session: DebugSession, args: LaunchArguments, options: RunOptions): Promise<SessionStop> {
  const { draw } = session.run
  const { pixel, invocation } = args
  if (draw === undefined) return entryStop(session)
  let found = invocation === undefined ? undefined : invocationNamedBy(draw, invocation)
  if (pixel !== undefined) {
    const history = await draw.line.pixelHistory(pixel, options)
    if (history === undefined) return entryStop(session)
    session.pixel = { question: pixel, history }
    const maker = history.fragments.findLastIndex((f) => f.passed === true)
    found = invocationOfNthFragment(draw, session.pixel, Math.max(0, maker))
  }
  return found === undefined ? entryStop(session) : session.enter(found.batch, found.invocation, options)
}

async function findingStop(
  c: AdapterContext,
  session: DebugSession,
  finding: string,
  options: RunOptions,
): Promise<SessionStop> {
  for (const d of await goToFinding(session, finding, options))
    c.event('output', { category: 'console', output: `${d.severity}: ${d.message}\n` })
  return entryStop(session)
}

export function configurationDone(c: AdapterContext): object {
  const session = sessionOf(c)
  const { stopOnEntry, clock, thread, noDebug, finding } = c.launch
  if (thread !== undefined) session.focus = { ...session.focus, thread }
  if (clock !== undefined) c.start((options) => session.goTo(clock, options))
  else if (c.launch.pixel !== undefined || c.launch.invocation !== undefined)
    c.start((options) => invocationStop(session, c.launch, options))
  else if (finding !== undefined && noDebug !== true) c.start((options) => findingStop(c, session, finding, options))
  else if (stopOnEntry === true && noDebug !== true) c.start(() => Promise.resolve(entryStop(session)))
  else c.start((options) => session.continue('forward', options))
  return {}
}

export function restart(c: AdapterContext): object {
  const session = sessionOf(c)
  c.start(async (options) => ({ ...(await session.goTo(0, options)), reason: 'entry' }))
  return {}
}

export function terminate(c: AdapterContext): object {
  c.interrupt()
  c.afterResponse(() => c.event('terminated'))
  return {}
}

export function disconnect(c: AdapterContext): object {
  c.interrupt()
  c.afterResponse(() => {
    c.session?.timeLine.dispose()
    c.session = undefined
  })
  return {}
}
