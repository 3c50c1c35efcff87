import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { placedMessage } from '../../../src/diagnostic/index.ts'
import { EXCEPTION_FILTERS, type SessionStop } from '../../../src/session/index.ts'
import { type AdapterContext, type LaunchArguments, refuse, sessionOf } from '../context.ts'

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
  const opened = await c.host.open(args)
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
  for (const d of opened.diagnostics)
    c.event('output', { category: 'console', output: `${d.severity}: ${d.message}\n` })
  c.event('initialized')
  return {}
}

const MOMENT = (session: ReturnType<typeof sessionOf>): SessionStop => ({
  reason: 'entry',
  stop: { reason: 'reached', clock: session.timeLine.clock, hits: [] },
  breakpoints: [],
  findings: [],
  logs: [],
})

export function configurationDone(c: AdapterContext): object {
  const session = sessionOf(c)
  const { stopOnEntry, clock, thread, noDebug, finding } = c.launch
  if (thread !== undefined) session.focus = { ...session.focus, thread }
  if (clock !== undefined) c.start((options) => session.goTo(clock, options))
  else if ((stopOnEntry === true || finding !== undefined) && noDebug !== true)
    c.start(() => Promise.resolve(MOMENT(session)))
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
