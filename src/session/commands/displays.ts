/** Commands that look at other functions of the thread, and show values at each stop. */
import { largest } from '../../diagnostic/index.ts'
import { placeText, rangeText } from '../places.ts'
import type { DebugSession } from '../session.ts'
import { type Command, type CommandResult, refuse, text, wholeNumber, wordsOfText } from './command.ts'
import { print } from './looking.ts'
import { displayLines } from './moving.ts'

/** The functions that the thread is in, the innermost first. */
function stackLines({ run, statement, level }: DebugSession): readonly string[] {
  if (statement === undefined) return ['the group of the thread does not run at this moment']
  const frames = run.map.inlineStack(statement)
  if (frames.length === 0) return [`#0 ${placeText(run, statement)}`]
  const mark = (i: number): string => (level > 0 && i === level ? '  <- looked at' : '')
  return frames.map((f, i) => `#${i} ${f.functionName} at ${rangeText(run, f.range)}${mark(i)}`)
}

/** Looks at a function by its number in the stack. */
function toLevel(session: DebugSession, level: number): CommandResult {
  const { statement, run } = session
  const count = statement === undefined ? 0 : Math.max(1, run.map.inlineStack(statement).length)
  if (count === 0) return refuse('the group of the thread does not run at this moment')
  if (level < 0) return refuse('this is the innermost function')
  if (level >= count) return refuse(level === count ? 'this is the outermost function' : `there is no frame ${level}`)
  session.level = level
  return { ...text(stackLines(session)[level]!.replace('  <- looked at', '')), isChanged: true }
}

function display(session: DebugSession, rest: string): CommandResult {
  if (rest === '') {
    const lines = displayLines(session)
    return text(...(lines.length === 0 ? ['nothing is displayed; display EXPRESSION shows it at each stop'] : lines))
  }
  const shown = print(session, rest)
  const number = largest(0, session.displays.keys()) + 1
  session.displays.set(number, rest)
  return shown
}

function undisplay(session: DebugSession, rest: string): CommandResult {
  const [word] = wordsOfText(rest)
  if (word === undefined) {
    session.displays.clear()
    return text('nothing is displayed')
  }
  const number = wholeNumber(word, 'the number of a display', 1)
  return session.displays.delete(number) ? text(`display ${number} ended`) : refuse(`there is no display ${number}`)
}

function whatis(session: DebugSession, rest: string): CommandResult {
  const { value, diagnostics } = session.evaluate(rest)
  if (value === undefined) return refuse(diagnostics[0]?.message ?? 'nothing', ...(diagnostics[0]?.notes ?? []))
  const { type, memory } = value.node
  return text(`${rest.trim()}: ${type ?? 'no type'}${memory === undefined ? '' : ` at ${memory}`}`)
}

export const DISPLAYS: readonly Command[] = [
  {
    name: 'stack',
    aliases: ['bt'],
    topic: 'look',
    summary: 'the functions that the thread is in',
    run: ({ session }) => text(...stackLines(session)),
  },
  {
    name: 'frame',
    usage: '[N]',
    topic: 'look',
    summary: 'looks at a function of the stack: names are looked up there, until the next stop',
    run: ({ session }, rest) => {
      const [word] = wordsOfText(rest)
      if (word === 'variable') return refuse('variables shows all variables, print X one')
      return toLevel(session, word === undefined ? session.level : wholeNumber(word, 'the number of a frame'))
    },
  },
  {
    name: 'up',
    topic: 'look',
    summary: 'looks at the function that called this one',
    run: ({ session }) => toLevel(session, session.level + 1),
  },
  {
    name: 'down',
    topic: 'look',
    summary: 'looks at the function that was called',
    run: ({ session }) => toLevel(session, session.level - 1),
  },
  {
    name: 'whatis',
    usage: 'EXPRESSION',
    topic: 'look',
    summary: 'the type of an expression, and where it lies in memory',
    run: ({ session }, rest) => whatis(session, rest),
  },
  {
    name: 'display',
    usage: '[EXPRESSION]',
    topic: 'look',
    summary: 'shows an expression at each stop',
    run: ({ session }, rest) => display(session, rest.trim()),
  },
  {
    name: 'undisplay',
    usage: '[N]',
    topic: 'look',
    summary: 'shows it no more, or none',
    run: ({ session }, rest) => undisplay(session, rest),
  },
]
