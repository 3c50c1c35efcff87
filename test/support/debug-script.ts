/**
 * Scripts for the debugger, made from a program: what they expect is worked out by plain runs under an observer, which know
 * nothing of time lines.
 */
import type { MemoryEvent, Observer, WaveSite } from '../../src/engine/index.ts'
import { printSlot, slotOfKey } from '../../src/machine/index.ts'
import { instructionNumbers } from '../../src/program/index.ts'
import type { DebugSession } from '../../src/session/index.ts'
import { Random } from './random/random.ts'

/** A moment of a plain run at which a lane executes a statement. */
interface Met {
  readonly clock: number
  readonly statement: number
  readonly group: readonly [number, number, number]
  readonly thread: number
  /** How often the thread has executed the statement, this time included. */
  hits: number
  readonly registers: readonly { readonly name: string; readonly bits: number }[]
}

/** A word of a resource, with the clocks behind the stores to it. */
interface Stored {
  readonly register: number
  readonly byteOffset: number
  readonly clocks: readonly number[]
}

export interface ScriptOptions {
  readonly seed: number
  /** Moments with a breakpoint, words with a watch. */
  readonly moments: number
  readonly words: number
}

export interface DispatchScriptOptions extends ScriptOptions {
  /** The line of a statement, where something other than the debugger knows it. */
  readonly lineOf?: ((statement: number) => number | undefined) | undefined
}

/** Sessions over the same run, one for each plain run: memory is as the run finds it. */
export type OpenSession = () => Promise<DebugSession>

/** Runs what a session is about, as it is run without a debugger. */
async function plainRun(open: OpenSession, observer: Observer): Promise<DebugSession> {
  const session = await open()
  const { engine, loaded, bindings, groups, options } = session.run.source
  await engine.dispatch(loaded, bindings, groups, { ...options, observer })
  return session
}

export const isActive = ({ lanes, activeCount }: WaveSite, lane: number): boolean => {
  for (let k = 0; k < activeCount; k++) if (lanes[k] === lane) return true
  return false
}

/** Random moments of the run, in order. */
async function momentsOf(open: OpenSession, { seed, moments }: ScriptOptions): Promise<{ met: Met[]; end: number }> {
  const random = new Random(seed)
  let end = 0
  const session = await plainRun(open, { instruction: () => void end++ })
  const { tempCount } = session.run.declarations
  const chosen = new Set(Array.from({ length: moments }, () => random.below(end)))
  const met: Met[] = []
  let clock = 0
  await plainRun(open, {
    instruction: (w) => {
      const at = clock++
      if (!chosen.has(at) || w.activeCount === 0) return
      const lane = w.lanes[random.below(w.activeCount)]!
      const registers = [0, 1, 2].flatMap(() => {
        if (tempCount === 0) return []
        const [register, component] = [random.below(tempCount), random.below(4)]
        const name = `r${register}.${'xyzw'[component]}`
        return [{ name, bits: w.registers.temp(register, component, lane) | 0 }]
      })
      const { groupX, groupY, groupZ, statement } = w
      const group = [groupX, groupY, groupZ] as const
      met.push({ clock: at, statement, group, thread: w.firstThread + lane, hits: 0, registers })
    },
  })
  const byStatement = new Map<number, Met[]>()
  for (const m of met) byStatement.set(m.statement, [...(byStatement.get(m.statement) ?? []), m])
  clock = 0
  await plainRun(open, {
    instruction: (w) => {
      const at = clock++
      for (const m of byStatement.get(w.statement) ?? []) {
        const isOfGroup = w.groupX === m.group[0] && w.groupY === m.group[1] && w.groupZ === m.group[2]
        if (at <= m.clock && isOfGroup && isActive(w, m.thread - w.firstThread)) m.hits++
      }
    },
  })
  return { met, end }
}

function storesIn(e: MemoryEvent, note: (byteOffset: number, byteLength: number) => void): void {
  if (e.space !== 'uav' || e.access === 'load') return
  for (let i = 0; i < e.wave.activeCount * e.width; i++)
    if (e.byteOffsets[i]! >= 0) note(e.byteOffsets[i]!, e.byteLength)
}

/** Random words that were stored to, and all clocks of stores to them. */
async function storesOf(open: OpenSession, { seed, words }: ScriptOptions): Promise<readonly Stored[]> {
  const random = new Random(seed ^ 0x5bd1e995)
  const seen: { register: number; byteOffset: number }[] = []
  let count = 0
  const opened = await open()
  // In 5.1 registers of events are ranges, which scripts do not name.
  const uavs = new Set(opened.run.declarations.uavs.filter((u) => u.space === 0 && u.id === u.first).map((u) => u.id))
  await plainRun(open, {
    memory: (e) => {
      if (!uavs.has(e.register)) return
      storesIn(e, (byteOffset) => {
        count++
        const place = seen.length < words ? seen.length : random.below(count)
        if (place < words) seen[place] = { register: e.register, byteOffset: byteOffset & ~3 }
      })
    },
  })
  const found = seen.map((s) => ({ ...s, clocks: new Set<number>() }))
  let clock = 0
  await plainRun(open, {
    instruction: () => void clock++,
    memory: (e) => {
      storesIn(e, (first, length) => {
        for (const f of found) {
          if (f.register === e.register && first < f.byteOffset + 4 && first + length > f.byteOffset)
            f.clocks.add(clock)
        }
      })
    },
  })
  return found.map((f) => ({ ...f, clocks: [...f.clocks] }))
}

/** Words of memory at the end, as `memory` prints them. */
async function wordsAtEnd(open: OpenSession, { seed }: ScriptOptions): Promise<readonly string[]> {
  const random = new Random(seed ^ 0x27d4eb2f)
  const { run } = await plainRun(open, {})
  return [...run.source.bindings.u].flatMap(([key, view]) => {
    const { words } = view.storage
    return Array.from({ length: Math.min(4, words.length) }, () => {
      const word = random.below(words.length)
      const bits = (words[word]! >>> 0).toString(16).padStart(8, '0')
      return `memory ${printSlot(slotOfKey('u', key))}+${word * 4} 1\nexpect output 0x${bits}`
    })
  })
}

function momentLines(m: Met, session: DebugSession, line: number | undefined): string[] {
  const number = instructionNumbers(session.run.program)[m.statement]
  return [
    `break i${number} thread ${m.thread} group ${m.group.join(',')} hits == ${m.hits}`,
    'go start',
    'continue',
    'expect reason breakpoint',
    `expect instruction ${number}`,
    `expect clock ${m.clock}`,
    `expect thread ${m.thread}`,
    `expect group ${m.group.join(',')}`,
    ...(line === undefined ? [] : [`expect line ${line}`]),
    ...m.registers.map((r) => `expect asint($${r.name}) == ${r.bits}`),
    'delete',
  ]
}

function storedLines({ register, byteOffset, clocks }: Stored): string[] {
  const at = `watch u${register}+${byteOffset}`
  const forward = clocks.slice(0, 2).flatMap((c) => ['continue', 'expect reason data', `expect clock ${c}`])
  return [
    'go start',
    at,
    ...forward,
    'go end',
    'back continue',
    'expect reason data',
    `expect clock ${clocks.at(-1)}`,
    'delete',
  ]
}

/** A script for a run: breakpoints, watches and the end, in no order of time. */
export async function debugScript(open: OpenSession, options: DispatchScriptOptions): Promise<string> {
  const { met, end } = await momentsOf(open, options)
  const session = await open()
  const numbers = instructionNumbers(session.run.program)
  const own = met.filter((m) => numbers[m.statement] !== undefined)
  const stored = await storesOf(open, options)
  const lines = [
    ...own.flatMap((m) => momentLines(m, session, options.lineOf?.(m.statement))),
    ...stored.flatMap(storedLines),
    'go end',
    'expect reason end',
    `expect clock ${end}`,
    ...(await wordsAtEnd(open, options)),
  ]
  return `${lines.join('\n')}\n`
}
