/** Commands of frames and draws: which command, which invocation, what happened to a pixel. */
import { ShaderError } from '../../diagnostic/index.ts'
import {
  type FoundInvocation,
  INVOCATIONS,
  type InvocationKind,
  invocationOf,
  invocationOfNthFragment,
} from '../invocations.ts'
import { sourcesOf } from '../made-of.ts'
import { blendTexts, contentsTexts, effectText, outcomeText, outputsText } from '../pixels.ts'
import type { DebuggedDraw } from '../run.ts'
import type { DebugSession } from '../session.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  counted,
  refuse,
  tableOf,
  text,
  wholeNumber,
  wordsOfText,
} from './command.ts'
import { stopped, whereLines } from './moving.ts'

/** The draw that is debugged, or a refusal that says where there are some. */
export function drawOf({ run, frame }: DebugSession): DebuggedDraw {
  if (run.draw !== undefined) return run.draw
  const draws = (frame?.steps ?? []).flatMap((s, i) => (s.kind === 'draw' ? [i] : []))
  const notes = draws.length === 0 ? [] : [`draws of the frame are the commands ${draws.slice(0, 20).join(', ')}`]
  return refuse('this is a dispatch, not a draw', ...notes)
}

function draws({ frame }: DebugSession): CommandResult {
  if (frame === undefined) return text('the run description is of one dispatch; frames have commands')
  const rows = frame.steps.map(({ kind, of, isOpen }, i) => {
    return [`${i}`, kind, of, i === frame.current ? '<- debugged' : isOpen ? '' : 'carried out, nothing to step']
  })
  return { outputs: [tableOf(['n', 'command', 'of', ''], rows, 'command N debugs another draw or dispatch')] }
}

async function command({ session, options }: CommandContext, rest: string): Promise<CommandResult> {
  const { value, diagnostics } = await session.openCommand(
    wholeNumber(wordsOfText(rest)[0], 'the number of a command'),
    options,
  )
  if (value === undefined) throw new ShaderError(diagnostics)
  const { of, kind } = value.steps[value.current]!
  const head = `command ${value.current}: ${kind} of ${of}`
  const { waiting } = session
  const note =
    waiting.length === 0
      ? []
      : [`${counted(waiting.length, 'breakpoint')} of other commands: ${waiting.map((b) => b.id).join(', ')}`]
  return { ...text(head, ...note, ...whereLines(session)), isChanged: true }
}

function stages(session: DebugSession): CommandResult {
  const { line } = drawOf(session)
  const rows: string[][] = []
  const { batches } = line
  for (let i = 0; i < batches.length; ) {
    const { stage, entry, first } = batches[i]!
    let end = i
    while (end + 1 < batches.length && batches[end + 1]!.stage === stage && batches[end + 1]!.entry === entry) end++
    const own = batches.slice(i, end + 1)
    const isHere = own.includes(line.batch) ? '<- here' : ''
    const sum = (of: (b: (typeof own)[number]) => number): number => own.reduce((n, b) => n + of(b), 0)
    const name = end === i ? `${i}` : `${i}-${end}`
    const [invocations, statements] = [sum((b) => b.invocations), sum((b) => b.statements)]
    rows.push([name, stage, `${invocations}`, `${first}`, `${statements}`, isHere])
    i = end + 1
  }
  const shown = rows.slice(0, MAX_ROWS)
  const note = rows.length > MAX_ROWS ? `and ${rows.length - MAX_ROWS} more` : 'go CLOCK goes to the begin of one'
  return { outputs: [tableOf(['batches', 'stage', 'invocations', 'clock', 'statements', ''], shown, note)] }
}

const MAX_ROWS = 64

async function enter(c: CommandContext, { batch, invocation }: FoundInvocation): Promise<CommandResult> {
  return stopped(c.session, await c.session.enter(batch, invocation, c.options))
}

async function goToInvocation(c: CommandContext, kind: InvocationKind, rest: string): Promise<CommandResult> {
  const draw = drawOf(c.session)
  const { stage, numbers } = INVOCATIONS[kind]
  const words = wordsOfText(rest.replaceAll(',', ' '))
  const wanted = numbers.flatMap((name, i) =>
    words[i] === undefined && name.startsWith('[')
      ? []
      : wholeNumber(words[i], `the number of a ${name.toLowerCase()}`),
  )
  if (!c.session.programs.some((p) => p.stage === stage)) return refuse(`the draw has no ${stage} shader`)
  const found = invocationOf(draw, kind, wanted)
  return found === undefined
    ? refuse(`no ${kind} ${wanted.join(' of ')} runs in this draw`, ...whyNone(draw, kind))
    : enter(c, found)
}

/** What to do about an invocation that does not run. */
function whyNone({ line }: DebuggedDraw, kind: InvocationKind): readonly string[] {
  const isPassed =
    kind === 'control-point' &&
    !line.batches.some((b) => b.stage === 'hull' && b.invocations > 0 && b.describe(0).startsWith('control point'))
  const passed =
    'the hull shader has no control point phase: control points are the outputs of the vertices of their patch'
  return [...(isPassed ? [passed] : []), 'stages lists what runs']
}

/** Who made what the invocation reads that is looked at. */
function inputs(session: DebugSession): CommandResult {
  const draw = drawOf(session)
  const { text: head, commands } = sourcesOf(draw, session.programs, draw.line.batch, session.focus.thread)
  const lines = commands.map((c) => `  ${c}`)
  return text(head, ...(lines.length === 0 ? [] : [...lines, 'each of these lines is the command that goes there']))
}

/** `10,20`, `10 20`, `(10, 20) slice 1 sample 2`. */
function pixelOf(rest: string): { x: number; y: number; slice?: number; sample?: number } {
  const words = wordsOfText(rest.replace(/[(),]/g, ' '))
  const [x, y] = [wholeNumber(words[0], 'a pixel, as 10,20,'), wholeNumber(words[1], 'a pixel, as 10,20,')]
  const take = (name: string): number | undefined => {
    const at = words.indexOf(name)
    return at < 0 ? undefined : wholeNumber(words[at + 1], `the number of a ${name}`)
  }
  const [slice, sample] = [take('slice'), take('sample')]
  return { x, y, ...(slice === undefined ? {} : { slice }), ...(sample === undefined ? {} : { sample }) }
}

/** What happened to a pixel, primitive by primitive. */
export async function pixel({ session, options }: CommandContext, rest: string): Promise<CommandResult> {
  const draw = drawOf(session)
  const question = pixelOf(rest)
  const history = await draw.line.pixelHistory(question, options)
  if (history === undefined) return refuse('canceled')
  session.pixel = { question, history }
  const before = contentsTexts(draw, history.before)
  const { renderTargets, depthStencil } = draw.source.resources
  const hasTargets = [...renderTargets, depthStencil].some((t) => t !== undefined)
  if (before.length === 0 && hasTargets) return refuse(`pixel (${question.x}, ${question.y}) is outside of the targets`)
  const after = new Map(contentsTexts(draw, history.after))
  const whole = before.map(([name, was]) => `  ${name}: ${was} -> ${after.get(name)}`)
  const head = `pixel (${question.x}, ${question.y}) in this draw:`
  if (history.fragments.length === 0)
    return text(`${head} no primitive covers it`, ...whole, 'commands before it, or a clear, made what is there')
  const rows = history.fragments.map((f, n) => [
    `${n}`,
    `${f.primitiveId}${f.instance > 0 ? ` of instance ${f.instance}` : ''}${f.sample < 0 ? '' : ` sample ${f.sample}`}`,
    outcomeText(draw, f),
    outputsText(draw, f),
    effectText(draw, f),
  ])
  const heads = ['n', 'primitive', 'what happened', 'the shader left', 'targets']
  const note = 'fragment N goes to the invocation that made it'
  return {
    outputs: [
      { kind: 'text', lines: [head, ...whole, ...blendTexts(draw).map((l) => `  ${l}`)] },
      tableOf(heads, rows, note),
    ],
  }
}

async function fragment(c: CommandContext, rest: string): Promise<CommandResult> {
  const { session } = c
  const draw = drawOf(session)
  const { pixel } = session
  if (pixel === undefined) return refuse('no pixel was chosen', 'pixel 10,20 lists what happened to one')
  const { fragments } = pixel.history
  const n = wholeNumber(wordsOfText(rest)[0], 'the number of a fragment')
  const own = fragments[n] ?? refuse(`there is no fragment ${n}: the pixel has ${fragments.length}`)
  const found = invocationOfNthFragment(draw, pixel, n)
  if (found === undefined) return refuse(`the shader did not run for fragment ${n}`, `it ${outcomeText(draw, own)}`)
  return enter(c, found)
}

const invocationCommand = (kind: InvocationKind, summary: string, example: string): Command => ({
  name: kind,
  usage: INVOCATIONS[kind].numbers.join(' '),
  topic: 'draw',
  summary,
  details: [`${example}. From there step, back and all others go on in both directions.`],
  run: (c, rest) => goToInvocation(c, kind, rest),
})

export const DRAWING: readonly Command[] = [
  {
    name: 'draws',
    aliases: ['commands'],
    topic: 'draw',
    summary: 'the commands of the frame, in order; which one is debugged',
    run: ({ session }) => draws(session),
  },
  {
    name: 'command',
    usage: 'N',
    topic: 'draw',
    summary: 'debugs another draw or dispatch of the frame, after the commands before it',
    details: [
      'command 3 begins at the start of command 3. Breakpoints stay where it runs the same shader or has the resource;',
      'the others wait until a command is debugged that does.',
    ],
    run: command,
  },
  {
    name: 'stages',
    topic: 'draw',
    summary: 'the stages of the draw: which invocations run together, and when',
    run: ({ session }) => stages(session),
  },
  {
    name: 'pixel',
    usage: 'X,Y [slice N] [sample N]',
    topic: 'draw',
    summary: 'what happened to a pixel: each primitive there, what its shader left, tests, blending',
    details: [
      'pixel 10,20 lists fragments in the order of the primitives; fragment 1 then goes to the invocation of the second.',
      'This is of one draw alone: draws lists the others, command N goes to one.',
    ],
    run: pixel,
  },
  {
    name: 'fragment',
    usage: 'N',
    topic: 'draw',
    summary: 'goes to the invocation of the pixel shader that made a fragment of the last pixel',
    run: fragment,
  },
  {
    name: 'inputs',
    aliases: ['made-of'],
    topic: 'draw',
    summary: 'which invocations of earlier stages made what this one reads, as commands that go there',
    details: ['Behind fragment 0 it names the vertices, domain points or geometry shader of the pixel’s primitive.'],
    run: ({ session }) => inputs(session),
  },
  invocationCommand('vertex', 'goes to the vertex shader of a vertex', 'vertex 3, vertex 3 1 (of instance 1)'),
  invocationCommand('control-point', 'goes to the hull shader of a control point', 'control-point 2 0 (of patch 0)'),
  invocationCommand('patch', 'goes to the patch constants of a patch', 'patch 0'),
  invocationCommand('domain-point', 'goes to the domain shader of a point', 'domain-point 5 0 (of patch 0)'),
  invocationCommand('primitive', 'goes to the geometry shader of a primitive', 'primitive 7'),
]
