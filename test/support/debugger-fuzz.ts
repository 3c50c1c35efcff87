/** Command lines and requests that make no sense, or nearly some: each gets an answer, and none ends the session. */
import { readFileSync } from 'node:fs'
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { type AdapterHost, DebugAdapter } from '../../apps/dap/index.ts'
import { COMMANDS, type CommandContext, type DebugSession, outputText, runCommand } from '../../src/session/index.ts'
import { Random } from './random/random.ts'
import { assemblyJob } from './sessions.ts'

const EXAMPLES = new URL('../../examples/debugging/', import.meta.url)
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, EXAMPLES)))

/** Shared memory, a barrier and a store. */
const SHADER = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_tgsm_raw g0, 64
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw g0.x, r0.x, r0.x
sync_g_t
ld_raw r0.y, r0.x, g0.xxxx
store_raw u0.x, r0.x, r0.y
ret
`

/** What is debugged: run descriptions with their files. */
export const FUZZED: readonly {
  readonly name: string
  readonly job: unknown
  readonly files: Readonly<Record<string, Uint8Array>>
}[] = [
  { name: 'a dispatch', job: assemblyJob(), files: { 'test.asm': new TextEncoder().encode(SHADER) } },
  {
    name: 'a draw',
    job: JSON.parse(new TextDecoder().decode(read('wrong-pixel.job.json'))),
    files: { 'wrong-pixel.vs.asm': read('wrong-pixel.vs.asm'), 'wrong-pixel.ps.asm': read('wrong-pixel.ps.asm') },
  },
]

const HABITS = ['tbreak', 'info', 'thread', 'x/4', 'p/x', 'rc', 'rs', 'frame', 'awatch', 'breakpoint', 'clear', 'call']

/** Words that commands take, and words that they do not. */
const WORDS: readonly string[] = [
  ...['0', '1', '5', '-1', '99999999999', '0x10', '1e309', 'NaN', '3,1,0', '9,9,9', '0-15', '9-3', '0-99999'],
  ...['i0', 'i5', 'i999', '7', 'main', 'file:12', 'pixel:i1', 'vertex:main', ':', '::', 'i', '%', '>= 2', '% 0'],
  ...[
    'r0',
    'r0.x',
    '$r1.y',
    'r99',
    'r0.q',
    'x0[1].y',
    'o0.x',
    'v[0][1]',
    'u0',
    'u0+4',
    'u0+',
    'u0[1]',
    'u0[1,2]',
    'u9',
  ],
  ...['g', 'g+0', 'g[0]', 't0', 't0+8', 'b0', 'rt0[1,1]', 'rt0', 'ds[0,0]', 'u0+0xffffffff', 'u0+99999999999999'],
  ...['if', 'log', 'hits', 'thread', 'group', 'once', 'any', 'other', 'all', 'start', 'end', 'finding', 'loads'],
  ...[
    '(',
    ')',
    '((((((((',
    '1 +',
    'r0.x == 3',
    'sqrt(',
    'min(r0.x@*)',
    'r0.x@',
    'r0.x@1',
    'r0.x,x',
    ',',
    '@',
    '=',
    '= 3',
  ],
  ...[
    'races',
    'nan',
    'barrier',
    'divergence',
    'undefined',
    'check-race',
    'write',
    'read',
    'change',
    '\u0000',
    '😀',
    '"',
  ],
  ...[
    '{r0.x}',
    '{',
    '}}',
    'a'.repeat(300),
    '[',
    ']',
    '[[[[',
    '1/0',
    '-',
    '--',
    '0.5',
    'constructor',
    '__proto__',
    'toString',
  ],
]

function randomLine(random: Random): string {
  const names = COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])]).filter(
    (n) => !['quit', 'q', 'exit'].includes(n),
  )
  const name = random.pick(random.chance(0.8) ? names : [...HABITS, ...WORDS])
  const rest = Array.from({ length: random.below(5) }, () => random.pick(WORDS))
  return [name, ...rest].join(random.chance(0.95) ? ' ' : '')
}

/** Carries out lines that are made at random; the first of them that ends in an exception. */
export async function fuzzCommands(session: DebugSession, seed: number, count: number): Promise<string | undefined> {
  const random = new Random(seed)
  const context: CommandContext = { session, findings: [] }
  for (let i = 0; i < count; i++) {
    const line = randomLine(random)
    try {
      const { value, diagnostics } = await runCommand(context, line)
      if (value === undefined && diagnostics.length === 0) return `${line}: refused without a word`
      if (value !== undefined) outputText(value.outputs)
    } catch (e) {
      return `${JSON.stringify(line)} (line ${i} of seed ${seed}): ${e instanceof Error ? e.stack : String(e)}`
    }
  }
  return undefined
}

const COMMAND_NAMES: readonly string[] = [
  ...[
    'restart',
    'restartFrame',
    'setBreakpoints',
    'breakpointLocations',
    'setFunctionBreakpoints',
    'threads',
    'scopes',
  ],
  ...[
    'setInstructionBreakpoints',
    'dataBreakpointInfo',
    'setDataBreakpoints',
    'setExceptionBreakpoints',
    'exceptionInfo',
  ],
  ...[
    'stackTrace',
    'variables',
    'setVariable',
    'setExpression',
    'evaluate',
    'completions',
    'next',
    'stepIn',
    'stepOut',
  ],
  ...[
    'stepBack',
    'stepInTargets',
    'continue',
    'reverseContinue',
    'pause',
    'gotoTargets',
    'goto',
    'source',
    'loadedSources',
  ],
  ...['modules', 'disassemble', 'readMemory', 'writeMemory', 'heddle/grid', 'heddle/column', 'heddle/history'],
  ...['heddle/timeLine', 'heddle/goTo', 'heddle/focus', 'heddle/commands', 'heddle/command', 'heddle/stages'],
  ...[
    'heddle/pixelHistory',
    'heddle/invocation',
    'initialize',
    'configurationDone',
    'cancel',
    'terminate',
    'frobnicate',
  ],
  ...['attach', 'launch', 'toString', 'constructor', '__proto__'],
]

const KEYS: readonly string[] = [
  ...[
    'threadId',
    'frameId',
    'variablesReference',
    'name',
    'value',
    'expression',
    'context',
    'source',
    'breakpoints',
    'lines',
  ],
  ...[
    'line',
    'column',
    'endLine',
    'filters',
    'filterOptions',
    'granularity',
    'targetId',
    'memoryReference',
    'offset',
    'count',
  ],
  ...[
    'instructionOffset',
    'instructionCount',
    'data',
    'text',
    'start',
    'levels',
    'startFrame',
    'format',
    'filter',
    'group',
  ],
  ...[
    'clock',
    'thread',
    'command',
    'x',
    'y',
    'fragment',
    'bytes',
    'loads',
    'sourceReference',
    'requestId',
    'progressId',
  ],
  ...['allowPartial', 'asAddress', 'job', 'program', 'finding', 'threads', 'slice', 'sample'],
]

const TEXTS: readonly string[] = [
  ...[
    'r0',
    'r0.x',
    'u0+0x0',
    'u0',
    'g+0',
    '0x00000000',
    '0x00000005',
    '-0x1',
    '',
    'repl',
    'watch',
    'hover',
    'instruction',
  ],
  ...[
    'listing.asm',
    'main',
    'races',
    'lane',
    'r0.x == 1',
    '(((',
    'AAAA',
    '!!!',
    'print r0',
    'continue',
    'indexed',
    'named',
  ],
  ...['vertex 3', '99', 'x'.repeat(2000), '\u0000', '__proto__', '% 2', 'log {r0.x}', 'u0[9999]', 'Locals'],
]

const NUMBERS: readonly number[] = [
  0,
  1,
  2,
  3,
  4,
  5,
  7,
  17,
  1024,
  1025,
  -1,
  -(2 ** 31),
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e300,
  0.5,
]

/** A value of any kind that JSON has. */
function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 2 ? 5 : 8)
  if (kind < 2) return random.pick(NUMBERS)
  if (kind < 4) return random.pick(TEXTS)
  if (kind === 4) return random.pick([null, true, false])
  if (kind === 5) return Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1))
  return randomArguments(random, depth + 1)
}

const NUMERIC = /^(?:threadId|frameId|variablesReference|line|count|clock|thread|targetId|levels|x|y|fragment|start)$/

/** Arguments of which many have the type that the protocol promises. */
function randomArguments(random: Random, depth = 0): Record<string, unknown> {
  const entries = Array.from({ length: random.below(7) }, (): [string, unknown] => {
    const key = random.pick(KEYS)
    if (random.chance(0.3)) return [key, randomValue(random, depth)]
    if (NUMERIC.test(key)) return [key, random.below(12)]
    if (key === 'source') return [key, { path: 'listing.asm', name: 'listing.asm' }]
    if (key === 'breakpoints') return [key, [{ line: random.below(20), ...randomArguments(random, 2) }]]
    if (key === 'group') return [key, [0, 0, 0]]
    return [key, random.pick(TEXTS)]
  })
  return Object.fromEntries(entries)
}

/** A session may be begun again, but not by every second request. */
function randomRequest(random: Random): { readonly command: string; readonly arguments: unknown } {
  const command = random.pick(COMMAND_NAMES)
  const args = random.chance(0.95) ? randomArguments(random) : randomValue(random, 0)
  return { command, arguments: args }
}

/** The adapter with what it sends sorted: responses by the request that they are of. */
class Client {
  readonly adapter: DebugAdapter
  readonly #waiting = new Map<number, (r: P.Response) => void>()
  #seq = 1

  constructor(host: AdapterHost) {
    this.adapter = new DebugAdapter(host, (message) => {
      // What cannot be written as JSON reaches no client.
      const sent = JSON.parse(JSON.stringify(message)) as P.ProtocolMessage
      if (sent.type === 'response') this.#waiting.get((sent as P.Response).request_seq)?.(sent as P.Response)
    })
  }

  request(command: string, args: unknown): Promise<P.Response> {
    const seq = this.#seq++
    return new Promise((done) => {
      this.#waiting.set(seq, done)
      this.adapter.handle({ seq, type: 'request', command, arguments: args })
    })
  }
}

const MOST_MILLISECONDS = 30_000

/** Sends requests that are made at random; the first of them that is not answered, or answered by a fault of the adapter. */
export async function fuzzRequests(
  host: AdapterHost,
  launch: object,
  seed: number,
  count: number,
): Promise<string | undefined> {
  const random = new Random(seed)
  const client = new Client(host)
  await client.request('initialize', { adapterID: 'heddle' })
  await client.request('launch', launch)
  await client.request('configurationDone', {})
  for (let i = 0; i < count; i++) {
    const { command, arguments: args } = randomRequest(random)
    const text = `${command} ${JSON.stringify(args)} (request ${i} of seed ${seed})`
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((done) => void (timer = setTimeout(() => done(undefined), MOST_MILLISECONDS)))
    const response = await Promise.race([client.request(command, args), late])
    clearTimeout(timer)
    if (response === undefined) return `${text}: no answer`
    const message = response.success ? undefined : response.message
    // What JavaScript says of arguments of another type is no sentence for a user.
    if (message !== undefined && /undefined|is not (?:a function|iterable)|Cannot |Invalid |\[object/.test(message)) {
      return `${text}: ${message}`
    }
  }
  return undefined
}
