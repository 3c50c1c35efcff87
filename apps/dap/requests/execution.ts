import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { Direction } from '../../../src/debug/index.ts'
import { functionStarts, lineStarts, lineText, lineWithCode, type StepRequest } from '../../../src/session/index.ts'
import { type AdapterContext, refuse, refuseLate, sessionOf } from '../context.ts'
import { type FilePart, fileOfSource, fromClient, toClient } from '../sources.ts'
import { focusOn } from './threads.ts'

type Granular = { readonly threadId: number; readonly granularity?: P.SteppingGranularity }

function step(c: AdapterContext, args: Granular, direction: Direction, depth: StepRequest['depth']): object {
  const session = sessionOf(c)
  focusOn(c, args.threadId)
  const unit = args.granularity === 'instruction' ? 'statement' : 'line'
  c.start((options) => session.step({ direction, unit, depth }, options))
  return {}
}

export const next = (c: AdapterContext, args: P.NextArguments): object => step(c, args, 'forward', 'over')
export const stepOut = (c: AdapterContext, args: P.StepOutArguments): object => step(c, args, 'forward', 'out')
export const stepBack = (c: AdapterContext, args: P.StepBackArguments): object => step(c, args, 'backward', 'over')

export function stepIn(c: AdapterContext, args: P.StepInArguments): object {
  if (args.targetId === undefined) return step(c, args, 'forward', 'in')
  const session = sessionOf(c)
  focusOn(c, args.threadId)
  const { group, thread } = session.focus
  const where = { group, threads: [thread] }
  const condition = { kind: 'statement', statements: [args.targetId], stage: session.run.stage, where } as const
  c.start((options) => session.continue('forward', options, [condition]))
  return {}
}

/** The inlined calls of the frame's line: each goes to the first statement of its function. */
export function stepInTargets(c: AdapterContext, args: P.StepInTargetsArguments): object {
  const { run } = sessionOf(c)
  const handle = c.frames[args.frameId - 1] ?? refuse('there is no such frame')
  const here = run.map.inlineStack(handle.statement)
  const range = here[0]?.range
  if (range === undefined) return { targets: [] }
  const seen = new Set<number>()
  const targets: P.StepInTarget[] = []
  for (const statement of run.map.statementsOf(range.file, range.line)) {
    const stack = run.map.inlineStack(statement)
    const inner = stack[stack.length - here.length - 1]
    if (inner === undefined || seen.has(inner.site) || statement < handle.statement) continue
    seen.add(inner.site)
    targets.push({ id: statement, label: inner.functionName, line: toClient(c, inner.range.line) })
  }
  return { targets }
}

export function continueRun(c: AdapterContext, args: P.ContinueArguments): object {
  const session = sessionOf(c)
  focusOn(c, args.threadId)
  c.start((options) => session.continue('forward', options))
  return { allThreadsContinued: true }
}

export function reverseContinue(c: AdapterContext, args: P.ReverseContinueArguments): object {
  const session = sessionOf(c)
  focusOn(c, args.threadId)
  c.start((options) => session.continue('backward', options))
  return {}
}

/** Goes on, the run is stopped where it is. */
export function pause(c: AdapterContext): object {
  c.interrupt()
  return {}
}

/** Times at which a line begins: jumps of a lane alone would leave the others where they never were. */
export function gotoTargets(c: AdapterContext, args: P.GotoTargetsArguments): object {
  const session = sessionOf(c)
  const found = fileOfSource(c, args.source)
  // Of a file that several shaders were compiled from, the shader that is looked at comes first.
  const isOwn = (p: FilePart): boolean => p.program.stage === session.run.stage
  const parts = [...(found?.parts ?? [])].sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)))
  const part = parts.find((p) => lineWithCode(p, p.file, fromClient(c, args.line)) !== undefined)
  if (part === undefined) return { targets: [] }
  const { map, file } = part
  const line = lineWithCode(part, file, fromClient(c, args.line))!
  const place = { statements: lineStarts({ ...part.program, map }, file, line), stage: part.program.stage }
  const directions: readonly (readonly [Direction, string])[] = [
    ['forward', 'the next time'],
    ['backward', 'the last time'],
  ]
  const targets = directions.map(([direction, when]): P.GotoTarget => {
    const id = c.gotoTargets.push({ direction, ...place })
    const [first] = place.statements
    const text = first === undefined ? undefined : map.linesOf(first)?.statement
    const code = text === undefined ? '' : `: ${lineText({ map }, text) ?? ''}`
    return { id, label: `${when}${code}`, line: toClient(c, line) }
  })
  return { targets }
}

export function goto(c: AdapterContext, args: P.GotoArguments): object {
  const session = sessionOf(c)
  const target = c.gotoTargets[args.targetId - 1] ?? refuse('there is no such target')
  focusOn(c, args.threadId)
  const { group, thread } = session.focus
  const { statements, stage } = target
  // Of another stage any invocation will do: the number is another one's there.
  const where = stage === session.run.stage ? { group, threads: [thread] } : undefined
  const condition = { kind: 'statement', statements, stage, where } as const
  c.start(async (options) => {
    const stop = await session.continue(target.direction, options, [condition])
    return stop.breakpoints.length === 0 && stop.reason === 'breakpoint' ? { ...stop, reason: 'moment' } : stop
  })
  return {}
}

/** Back to the last time that the function of a frame began: a time, as for `goto`. */
export function restartFrame(c: AdapterContext, args: P.RestartFrameArguments): object {
  const session = sessionOf(c)
  const handle = c.frames[args.frameId - 1] ?? refuseLate('the frame is of an earlier stop')
  const { run } = session
  const own = run.map.inlineStack(handle.statement)[handle.frame]
  const starts = own === undefined ? [] : functionStarts(run, own.functionName)
  if (starts.length === 0) return refuse('the debug data does not say where the function begins')
  session.focus = handle.thread
  const { group, thread } = handle.thread
  const where = { group, threads: [thread] }
  const condition = { kind: 'statement', statements: starts, stage: run.stage, where } as const
  c.start(async (running) => {
    // Breakpoints on the way do not count.
    const stop = await session.runTo('backward', condition, running)
    return stop.reason === 'breakpoint' ? { ...stop, reason: 'moment' } : stop
  })
  return {}
}
