/**
 * Scripts for the debugger over a draw: what they expect is worked out by plain runs of the draw under observers, which know
 * nothing of time lines.
 */
import type { Observer, WaveSite } from '../../src/engine/index.ts'
import { FILE } from '../../src/isa/index.ts'
import type { Pipeline, ShaderStage } from '../../src/pipeline/index.ts'
import { componentAt, instructionNumbers, type Operand, type Program } from '../../src/program/index.ts'
import type { DebugSession } from '../../src/session/index.ts'
import { isActive, type OpenSession, type ScriptOptions } from './debug-script.ts'
import { drawAtOnce } from './draw-text.ts'
import { Random } from './random/random.ts'

export interface DrawScriptOptions extends ScriptOptions {
  /** The line of a statement of a stage, where something other than the debugger knows it. */
  readonly lineOf: (stage: string, statement: number) => number | undefined
}

/** A moment of a plain run at which an invocation executes a statement. */
interface Met {
  readonly clock: number
  readonly stage: ShaderStage
  readonly statement: number
  readonly invocation: number
  readonly name: string
  /** How often an invocation with this number has executed the statement, this time included. */
  hits: number
  /** Expressions of what the statement reads, with their bits. */
  readonly values: readonly (readonly [expression: string, bits: number])[]
}

/** The begin of an invocation: when it first executes something. */
interface Begun {
  readonly clock: number
  readonly stage: ShaderStage
  readonly name: string
}

/** Runs the draw of a session as it is run without a debugger. */
async function plainDraw(
  open: OpenSession,
  observerOf: (stage: ShaderStage, session: DebugSession) => Observer,
  change: (p: Pipeline) => Pipeline = (p) => p,
): Promise<void> {
  const session = await open()
  const { engine, pipeline, resources, call, options } = session.run.draw!.source
  drawAtOnce(engine, change(pipeline), resources, call, { ...options, observerOf: (s) => observerOf(s, session) })
}

/** How expressions name a register; undefined for registers that are indexed by others, and for those that bindings are behind. */
function registerText({ type, indices, modifier, minPrecision }: Operand): string | undefined {
  if (modifier !== 0 || minPrecision !== 0) return undefined
  const numbers = indices.map((i) => (i.kind === 'immediate' ? i.value : Number.NaN))
  if (numbers.some(Number.isNaN)) return undefined
  const [first = '', second] = numbers
  switch (type) {
    case FILE.temp:
      return `r${first}`
    case FILE.input:
      return second === undefined ? `v${first}` : `v[${first}][${second}]`
    case FILE['input-control-point']:
      return `vicp[${first}][${second}]`
    case FILE['patch-constant']:
      return `vpc${first}`
    case FILE['domain-point']:
      return 'vDomain'
    case FILE['constant-buffer']:
      return numbers.length === 2 ? `cb${first}[${second}]` : undefined
    default:
      return undefined
  }
}

const MASK = 0
const FOUR_COMPONENTS = 2

/** What the statement of a site reads of registers, for a lane. */
function valuesOf({ statements }: Program, w: WaveSite, lane: number, random: Random): Met['values'] {
  const statement = statements[w.statement]!
  if (statement.kind !== 'instruction') return []
  const found: (readonly [string, number])[] = []
  statement.operands.forEach((o, operand) => {
    const text = registerText(o)
    // A register with a mask is written.
    if (text === undefined || o.components !== FOUR_COMPONENTS || o.mode === MASK) return
    const component = random.below(4)
    const expression = `${text}.${'xyzw'[componentAt(o, component)]}`
    found.push([expression, w.registers.source(operand, component, lane) | 0])
  })
  return found
}

/** Tells first statements of entries: all invocations of a wave are active there, and it comes once. */
function firstStatements(): (stage: ShaderStage, w: WaveSite) => boolean {
  const first = new Map<string, number>()
  return (stage, w) => {
    const key = `${stage} ${w.batch!.entry}`
    const known = first.get(key)
    if (known === undefined) first.set(key, w.statement)
    return (known ?? w.statement) === w.statement
  }
}

/** Where each invocation begins that the debugger can go to: those of one name the first time. */
function noteBegins(begins: Map<string, Begun>, clock: number, stage: ShaderStage, w: WaveSite): void {
  for (let k = 0; k < w.activeCount; k++) {
    const invocation = w.firstThread + w.lanes[k]!
    if (w.batch!.quads?.helpers[invocation] === 1) continue
    const name = w.batch!.describe(invocation)
    if (!begins.has(name)) begins.set(name, { clock, stage, name })
  }
}

interface Plain {
  readonly met: readonly Met[]
  readonly begins: ReadonlyMap<string, Begun>
  readonly end: number
}

/** Random moments of the draw and all begins, in order. */
async function plainOf(open: OpenSession, { seed, moments }: ScriptOptions): Promise<Plain> {
  const random = new Random(seed)
  const stages: [stage: ShaderStage, first: number, end: number][] = []
  let end = 0
  await plainDraw(open, (stage) => ({
    instruction: () => {
      const last = stages.at(-1)
      if (last?.[0] !== stage) stages.push([stage, end, end + 1])
      else last[2]++
      end++
    },
  }))
  // Every stage has its moments, however few of the statements are its.
  const kinds = [...new Set(stages.map(([stage]) => stage))]
  const chosen = new Set<number>()
  for (let i = 0; i < Math.max(moments, kinds.length); i++) {
    const [, first, last] = random.pick(stages.filter(([stage]) => stage === kinds[i % kinds.length]))
    chosen.add(first + random.below(last - first))
    // At the start is where scripts begin: no run comes to it.
    chosen.delete(0)
  }
  const met: Met[] = []
  const begins = new Map<string, Begun>()
  const isFirst = firstStatements()
  let clock = 0
  await plainDraw(open, (stage, session) => ({
    instruction: (w) => {
      const at = clock++
      if (isFirst(stage, w)) noteBegins(begins, at, stage, w)
      if (!chosen.has(at) || w.activeCount === 0) return
      const lane = w.lanes[random.below(w.activeCount)]!
      const invocation = w.firstThread + lane
      const values = valuesOf(session.programOf(stage).program, w, lane, random)
      const name = w.batch!.describe(invocation)
      met.push({ clock: at, stage, statement: w.statement, invocation, name, hits: 0, values })
    },
  }))
  clock = 0
  await plainDraw(open, (stage) => ({
    instruction: (w) => {
      const at = clock++
      for (const m of met) {
        const isSame = m.stage === stage && m.statement === w.statement && at <= m.clock
        if (isSame && isActive(w, m.invocation - w.firstThread)) m.hits++
      }
    },
  }))
  return { met, begins, end }
}

function momentLines(m: Met, session: DebugSession, line: number | undefined): string[] {
  const number = instructionNumbers(session.programOf(m.stage).program)[m.statement]
  return [
    `break ${m.stage}:i${number} thread ${m.invocation} hits == ${m.hits}`,
    'go start',
    'continue',
    'expect reason breakpoint',
    `expect stage ${m.stage}`,
    `expect instruction ${number}`,
    `expect clock ${m.clock}`,
    `expect invocation ${m.name}`,
    ...(line === undefined ? [] : [`expect line ${line}`]),
    ...m.values.map(([expression, bits]) => `expect asint($${expression}) == ${bits}`),
    'delete',
    'back any',
    `expect clock ${m.clock - 1}`,
    'any',
    `expect clock ${m.clock}`,
  ]
}

const PIXEL = /^pixel \((\d+), (\d+)\)(?: sample (\d+))?/

/** The command that goes to an invocation; undefined where there is none for it. Pixels are found by their history. */
function commandFor(name: string, covering: readonly string[]): readonly string[] | undefined {
  const [first, second] = [...name.matchAll(/\d+/g)].map((m) => m[0])
  if (name.startsWith('vertex ')) return [`vertex ${first} ${second}`]
  if (name.startsWith('control point ')) return [`control-point ${first} ${second}`]
  if (/^fork phase instance 0 /.test(name)) return [`patch ${second}`]
  if (name.startsWith('domain point ')) return [`domain-point ${first} ${second}`]
  if (/^(?:instance 0 of )?primitive \d+$/.test(name)) return [`primitive ${/primitive (\d+)/.exec(name)![1]}`]
  const pixel = PIXEL.exec(name)
  if (pixel === null) return undefined
  return [`pixel ${pixel[1]},${pixel[2]}`, `fragment ${covering.indexOf(name)}`]
}

const withoutTests = (p: Pipeline): Pipeline => ({
  ...p,
  depthStencil: { ...p.depthStencil, depthEnable: false, stencilEnable: false },
})

/** Names of what the pixel shader would run for without tests, at the pixel of a name, in order. */
async function coveringOf(open: OpenSession, name: string): Promise<readonly string[]> {
  const pixel = PIXEL.exec(name)
  if (pixel === null) return []
  const found: string[] = []
  const isThere = (own: string): boolean => own.startsWith(`pixel (${pixel[1]}, ${pixel[2]})`)
  const isFirst = firstStatements()
  await plainDraw(
    open,
    (stage) => ({
      instruction: (w) => {
        if (stage !== 'pixel' || !isFirst(stage, w)) return
        for (let k = 0; k < w.activeCount; k++) {
          const invocation = w.firstThread + w.lanes[k]!
          const own = w.batch!.describe(invocation)
          if (w.batch!.quads!.helpers[invocation] !== 1 && isThere(own)) found.push(own)
        }
      },
    }),
    withoutTests,
  )
  return found
}

/** Goes to one invocation of each kind. */
async function beginLines(open: OpenSession, begins: Plain['begins'], random: Random): Promise<string[]> {
  const kinds = new Map<string, Begun[]>()
  for (const b of begins.values()) {
    if (commandFor(b.name, []) === undefined) continue
    const kind = b.name.replace(/\d+/g, '#')
    const own = kinds.get(kind)
    if (own === undefined) kinds.set(kind, [b])
    else own.push(b)
  }
  const lines: string[] = []
  for (const own of kinds.values()) {
    const one = random.pick(own)
    const commands = commandFor(one.name, await coveringOf(open, one.name))!
    lines.push(...commands, `expect stage ${one.stage}`, `expect invocation ${one.name}`, `expect clock ${one.clock}`)
  }
  return lines
}

/** A script for a draw: breakpoints in all stages, invocations by their names, words that are stored, the end. */
export async function drawScript(open: OpenSession, options: DrawScriptOptions): Promise<string> {
  const { met, begins, end } = await plainOf(open, options)
  const session = await open()
  const lines = [
    ...met.flatMap((m) => momentLines(m, session, options.lineOf(m.stage, m.statement))),
    ...(await beginLines(open, begins, new Random(options.seed))),
    'go end',
    'expect reason end',
    `expect clock ${end}`,
  ]
  return `${lines.join('\n')}\n`
}
