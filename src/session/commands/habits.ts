/** Words of other debuggers, as commands of this one. */
import { type Command, refuse, wordsOfText } from './command.ts'

/** What a line of another debugger is here, by its first word. */
type InOwnWords = (rest: string) => string

const as =
  (command: string): InOwnWords =>
  (rest) =>
    `${command} ${rest}`.trim()

/** `watch u0 if x` with an access behind what is watched. */
const watching =
  (access: string): InOwnWords =>
  (rest) => {
    const [what, ...more] = wordsOfText(rest)
    if (what === undefined) return 'watch'
    return `watch ${what} ${access} ${more.join(' ')}`.trim()
  }

/** What `info` may be asked about, beside the names of commands. */
const INFO: Readonly<Record<string, string>> = {
  all_registers: 'registers',
  args: 'variables',
  b: 'breakpoints',
  br: 'breakpoints',
  break: 'breakpoints',
  display: 'display',
  f: 'where',
  files: 'info',
  frame: 'where',
  line: 'where',
  locals: 'variables',
  mem: 'resources',
  program: 'where',
  reg: 'registers',
  r: 'registers',
  s: 'stack',
  scope: 'variables',
  source: 'list',
  target: 'info',
  thread: 'where',
  threads: 'lanes',
  waves: 'lanes',
  watchpoints: 'breakpoints',
}

/** Commands that show something by their name alone. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['registers', 'variables', 'constants', 'resources', 'stack', 'lanes', 'breakpoints', 'findings', 'changes'],
  ...['draws', 'stages', 'where', 'grid', 'effects'],
])

function info(rest: string): string {
  const [word, ...more] = wordsOfText(rest)
  if (word === undefined) return 'info'
  const known = INFO[word.replaceAll('-', '_')] ?? (SHOWN.has(word) ? word : undefined)
  if (known === 'registers' && more.length > 0) return `print ${more.join(' ')}`
  const names = [...new Set([...SHOWN, 'locals', 'threads', 'frame', 'display'])].join(', ')
  return known ?? refuse(`there is no info about ${word}`, `there is info about ${names}`)
}

/** lldb's `thread list`, gdb's `thread apply all print x`. */
function thread(rest: string): string {
  const [word, ...more] = wordsOfText(rest)
  switch (word) {
    case 'apply': {
      const [, ...inner] = more
      if (more[0] === 'all' && /^(?:p|print)$/.test(inner[0] ?? '')) return `column ${inner.slice(1).join(' ')}`
      return refuse('only print is done for all threads', 'column EXPRESSION shows a value in all of them')
    }
    case 'list':
      return 'lanes'
    case 'backtrace':
      return 'stack'
    case 'select':
      return `thread ${more.join(' ')}`
    case undefined:
      return 'where'
    default:
      return `thread ${rest}`
  }
}

function breakpoint(rest: string): string {
  const [word, ...more] = wordsOfText(rest)
  if (word === undefined || word === 'list') return 'breakpoints'
  if (word === 'set') return `break ${more.filter((w) => !/^--?(?:l|n|line|name)$/.test(w)).join(' ')}`
  const known = ['delete', 'disable', 'enable'].includes(word)
  return known ? `${word} ${more.join(' ')}`.trim() : `break ${rest}`
}

/** `x/4xw u0`, `print/x r0`: what stands behind the slash. */
function withFormat(name: string, format: string, rest: string): string | undefined {
  if (name === 'x') return `memory ${rest} ${/^\d+/.exec(format)?.[0] ?? '1'}`
  if (name !== 'p' && name !== 'print') return undefined
  const letter = { x: 'x', d: 'd', i: 'd', u: 'u', f: 'f', t: 'b', b: 'b', o: 'o', h: 'h' }[format]
  return letter === undefined
    ? refuse(
        `there is no format ${format}`,
        'formats are x, d, u, f, b (binary), o, h (halves), as print/x or print r0,x',
      )
    : `print ${rest},${letter}`
}

const HABITS: Readonly<Record<string, InOwnWords>> = {
  advance: as('until'),
  aw: watching('any'),
  awatch: watching('any'),
  backtrace: as('stack'),
  breakpoint,
  call: as('print'),
  clear: (rest) => `delete ${rest === '' ? 'here' : rest}`,
  disas: as('list asm'),
  disassemble: as('list asm'),
  expr: as('print'),
  expression: as('print'),
  fin: as('out'),
  finish: as('out'),
  info,
  inspect: as('print'),
  locals: as('variables'),
  output: as('print'),
  ptype: as('whatis'),
  rc: as('back continue'),
  regs: as('registers'),
  restart: as('go start'),
  'reverse-continue': as('back continue'),
  'reverse-finish': as('back out'),
  'reverse-next': as('back next'),
  'reverse-nexti': as('back nexti'),
  'reverse-step': as('back step'),
  'reverse-stepi': as('back stepi'),
  rn: as('back next'),
  rni: as('back nexti'),
  rs: as('back step'),
  rsi: as('back stepi'),
  rw: watching('read'),
  rwatch: watching('read'),
  start: as('go start'),
  starti: as('go start'),
  'step-out': as('out'),
  t: thread,
  tb: (rest) => `break ${rest} once`,
  tbreak: (rest) => `break ${rest} once`,
  thread,
}

/** What other debuggers do and this one does in another way. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  jump: 'a thread cannot leave its wave: go CLOCK and until PLACE go to other moments, set changes values',
  kill: 'quit ends the session, go start begins again',
  attach: 'the run is decided by its description: open another one with heddle debug FILE',
  commands: 'break PLACE log TEXT prints at a breakpoint and goes on; display EXPRESSION prints at each stop',
}

/** A line as this debugger says it; undefined where it needs no other words. Refuses what there is in no words. */
export function inOwnWords(line: string): string | undefined {
  const m = /^\s*([^\s/]+)(?:\/(\S+))?\s*(.*?)\s*$/s.exec(line)
  if (m === null) return undefined
  const [, name = '', format, rest = ''] = m
  if (format !== undefined) return withFormat(name, format, rest)
  if (Object.hasOwn(ELSEWHERE, name)) return refuse(`${name} is no command of this debugger`, ELSEWHERE[name]!)
  return Object.hasOwn(HABITS, name) ? HABITS[name]!(rest) : undefined
}

/** Whether a line begins with a word of another debugger. */
export function isHabit(line: string): boolean {
  const m = /^\s*([^\s/]+)(\/\S+)?/.exec(line)
  const name = m?.[1] ?? ''
  if (m?.[2] !== undefined) return name === 'x' || name === 'p' || name === 'print'
  return Object.hasOwn(HABITS, name) || Object.hasOwn(ELSEWHERE, name)
}

const teach = (names: readonly string[]): string => names.map((n) => `${n} is ${HABITS[n]!('').trim()}`).join(', ')

export const HABITS_COMMAND: Command = {
  name: 'habits',
  topic: 'other',
  summary: 'words of gdb and lldb that are understood here',
  run: () => ({
    outputs: [
      {
        kind: 'text',
        lines: [
          teach(['rc', 'rs', 'rn', 'rsi', 'reverse-finish', 'finish']),
          teach(['advance', 'start', 'restart', 'disassemble', 'ptype', 'call']),
          'tbreak PLACE is break PLACE once, rwatch M is watch M read, awatch M is watch M any',
          'x/4 M is memory M 4, print/x E is print E,x; info registers, info locals, info threads, info breakpoints',
          'thread apply all print E is column E; breakpoint list, thread list, thread select N',
        ],
      },
    ],
  }),
}
