/** Requests of our own about frames and draws. */
import {
  contentsTexts,
  type DebuggedDraw,
  type DebugSession,
  effectText,
  INVOCATIONS,
  invocationNamedBy,
  invocationOfNthFragment,
  outcomeText,
  outputsText,
} from '../../../src/session/index.ts'
import { type AdapterContext, CANCELED, refuse, sessionOf } from '../context.ts'
import { announceSources, sourcesNow } from '../sources.ts'
import { entryStop } from './lifecycle.ts'

const drawOf = ({ run }: DebugSession): DebuggedDraw => run.draw ?? refuse('this is a dispatch, not a draw')

/** The commands of the frame, and which is debugged. */
export function commands(c: AdapterContext): object {
  const { frame } = sessionOf(c)
  if (frame === undefined) return { commands: [] }
  return { commands: frame.steps.map((step, index) => ({ index, ...step })), current: frame.current }
}

/** Debugs another command. Breakpoints stay where it runs the same shader; those of other sources a client sets again. */
export async function command(c: AdapterContext, args: { readonly command: number }): Promise<object> {
  const session = sessionOf(c)
  const before = sourcesNow(c)
  const { value, diagnostics } = await session.openCommand(args.command, c.options)
  if (value === undefined)
    return refuse(diagnostics.find((d) => d.severity === 'error')?.message ?? 'it was not opened')
  c.sameBreakpoint.clear()
  announceSources(c, before)
  c.start(() => Promise.resolve(entryStop(session)))
  return { current: value.current }
}

/** The batches of a draw with their clocks. */
export const stagesOf = ({ line }: DebuggedDraw): object[] =>
  line.batches.map((batch, index) => {
    const { stage, entry, invocations, first, statements } = batch
    return { index, stage, entry, invocations, first, statements, isCurrent: batch === line.batch }
  })

export const stages = (c: AdapterContext): object => ({ stages: stagesOf(drawOf(sessionOf(c))) })

interface PixelArguments {
  readonly x: number
  readonly y: number
  readonly slice?: number
  readonly sample?: number
}

const isPosition = (n: unknown): n is number => typeof n === 'number' && Number.isInteger(n) && n >= 0

/** What happened to a pixel; its fragments are gone to by `heddle/invocation` with `fragment`. */
export async function pixel(c: AdapterContext, { x, y, slice, sample }: PixelArguments): Promise<object> {
  const session = sessionOf(c)
  const draw = drawOf(session)
  if (!isPosition(x) || !isPosition(y)) return refuse('a pixel is given by whole numbers x and y')
  const question = { x, y, ...(slice === undefined ? {} : { slice }), ...(sample === undefined ? {} : { sample }) }
  const history = (await draw.line.pixelHistory(question, c.options)) ?? refuse(CANCELED)
  session.pixel = { question, history }
  return {
    before: Object.fromEntries(contentsTexts(draw, history.before)),
    after: Object.fromEntries(contentsTexts(draw, history.after)),
    fragments: history.fragments.map((f, fragment) => ({
      fragment,
      name: f.name,
      primitive: f.primitiveId,
      instance: f.instance,
      sample: f.sample,
      isShaded: f.isShaded,
      isDiscarded: f.isDiscarded,
      passed: f.passed,
      failed: f.failed,
      outcome: outcomeText(draw, f),
      outputs: f.outputs,
      outputsText: outputsText(draw, f),
      effect: effectText(draw, f),
    })),
  }
}

/** Goes to an invocation: a fragment of the last pixel, or `vertex 3`, `domain-point 5 0`. */
export function invocation(
  c: AdapterContext,
  { fragment, name }: { readonly fragment?: number; readonly name?: string },
): object {
  const session = sessionOf(c)
  const draw = drawOf(session)
  const found =
    fragment !== undefined && session.pixel !== undefined
      ? invocationOfNthFragment(draw, session.pixel, fragment)
      : invocationNamedBy(draw, name ?? '')
  if (found === undefined)
    return refuse(`no such invocation ran; kinds are fragment, ${Object.keys(INVOCATIONS).join(', ')}`)
  c.start((options) => session.enter(found.batch, found.invocation, options))
  return {}
}
