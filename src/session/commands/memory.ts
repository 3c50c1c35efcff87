/** Commands about memory, its history, findings and changes. */
import type { Change, RecordedAccess, RecordedChange, RecordedFinding } from '../../debug/index.ts'
import type { RegisterPlace } from '../../engine/index.ts'
import { REGISTER_FILES } from '../../isa/index.ts'
import { elementNamed, type MemoryReference } from '../elements.ts'
import { guessText, hexText } from '../format.ts'
import { groupText } from '../lanes.ts'
import { placeText } from '../places.ts'
import type { DebugSession } from '../session.ts'
import {
  type MemorySpace,
  parseReference,
  rangeIn,
  rangeReference,
  SHARED_SPACE,
  spaceNamed,
  spaceNames,
} from '../spaces.ts'
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
import { pixel } from './drawing.ts'

/** A place in memory: `u0+0x30`, the element `u0[5]`, the texel `u1[3,4]`, or a variable that lies in memory. */
function referenceOf(session: DebugSession, word: string | undefined): MemoryReference & { byteLength?: number } {
  const element = word === undefined ? undefined : elementNamed(session.run, word)
  if (element !== undefined) return element
  const direct = word === undefined ? undefined : parseReference(word)
  if (direct !== undefined && spaceNames(session.run).includes(direct.space)) return direct
  const memory = word === undefined ? undefined : session.evaluate(word).value?.node.memory
  const reference = memory === undefined ? undefined : parseReference(memory)
  const names = spaceNames(session.run).join(', ')
  return (
    reference ??
    refuse(
      `${word ?? 'nothing'} is no memory`,
      `memory is ${names}, each with +BYTES or [ELEMENT] or [X,Y], or a variable in memory`,
    )
  )
}

/** Words of a text; an index in brackets belongs to the word before it. */
const memoryWords = (rest: string): readonly string[] =>
  wordsOfText(rest.replace(/\s*\[[^\]]*\]/g, (index) => index.replace(/\s+/g, '')))

function spaceOf(session: DebugSession, { space }: MemoryReference) {
  return spaceNamed(session.run, space, session.focus.group) ?? refuse(`${space} is not there at this moment`)
}

const WORDS_A_ROW = 4

function memory(session: DebugSession, rest: string): CommandResult {
  const [word, given] = memoryWords(rest)
  const reference = referenceOf(session, word)
  const count = given ?? `${Math.ceil((reference.byteLength ?? 64) / 4)}`
  const space = spaceOf(session, reference)
  const { bytes, label } = space
  if (reference.byteOffset >= bytes.length)
    return refuse(`${reference.space} has ${counted(bytes.length, 'byte')}; none at ${reference.byteOffset}`)
  const words = Math.min(wholeNumber(count, 'a number of words', 1), 1024)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const rows: string[][] = []
  const first = reference.byteOffset & ~3
  for (let at = first; at < first + words * 4 && at + 4 <= bytes.length; at += 4 * WORDS_A_ROW) {
    const own: number[] = []
    for (let w = at; w < Math.min(at + 4 * WORDS_A_ROW, first + words * 4) && w + 4 <= bytes.length; w += 4) {
      own.push(view.getUint32(w, true))
    }
    rows.push([`+0x${at.toString(16)}`, own.map(hexText).join(' '), own.map((w) => guessText(w)).join('  ')])
  }
  const last = Math.min(first + words * 4, bytes.length & ~3)
  const notes = [`${label}, ${bytes.length} bytes`, ...unwrittenTexts(session, space, first, last)]
  return { outputs: [tableOf([reference.space, 'words', 'values'], rows, notes.join('; '))] }
}

/** Of a resource: what was bound is still there. */
const AS_BOUND = 'not written by the run so far'

/**
 * `never written`; `undefined` where what was stored depends on such a value; undefined where the word has a value, or where the run
 * has not been gone over for that.
 */
export function unwrittenText(session: DebugSession, space: MemorySpace, byteOffset: number): string | undefined {
  const { undefinedMoment: moment } = session.timeLine
  if (space.name === SHARED_SPACE) return moment?.shared(session.focus.group, byteOffset)
  const { resource, isWritable } = space
  const isBound = isWritable && resource !== undefined && moment?.isStored(resource, byteOffset) === false
  return isBound ? AS_BOUND : undefined
}

/** Ranges that are named at the most. */
const MAX_RANGES = 8

/** The words of memory that the run has not written, as ranges: `never written: +0x80 to +0xfc`. */
function unwrittenTexts(session: DebugSession, space: MemorySpace, first: number, end: number): readonly string[] {
  const ranges = new Map<string, [number, number][]>()
  for (let at = first; at < end; at += 4) {
    const why = unwrittenText(session, space, at)
    if (why === undefined) continue
    const known = ranges.get(why) ?? []
    ranges.set(why, known)
    const latest = known.at(-1)
    if (latest?.[1] === at - 4) latest[1] = at
    else known.push([at, at])
  }
  const offset = (n: number): string => `+0x${n.toString(16)}`
  return [...ranges].map(([why, found]) => {
    const texts = found.slice(0, MAX_RANGES).map(([a, b]) => (a === b ? offset(a) : `${offset(a)} to ${offset(b)}`))
    return `${why}: ${texts.join(', ')}${found.length > MAX_RANGES ? ' and more' : ''}`
  })
}

const bitsOf = (bytes: Uint8Array): string => {
  if (bytes.length !== 4) return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('')
  const bits = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true)
  const [hex, guess] = [hexText(bits), guessText(bits)]
  return hex === guess ? hex : `${hex} ${guess}`
}

/** Rows of a history that are shown. */
const MAX_ROWS = 48

export function historyRow(session: DebugSession, a: RecordedAccess): readonly string[] {
  const place = placeText(session.programOf(a.stage), a.statement)
  const value = a.access === 'load' ? bitsOf(a.original) : `${bitsOf(a.original)} -> ${bitsOf(a.value)}`
  const who = a.stage === undefined ? [groupText(a.group), `${a.thread}`] : [a.stage, a.invocation ?? `${a.thread}`]
  return [`${a.before}`, a.access, ...who, place, value]
}

async function history(c: CommandContext, rest: string): Promise<CommandResult> {
  const { session, options } = c
  const words = memoryWords(rest)
  const loads = words.includes('loads')
  const [word, count] = words.filter((w) => w !== 'loads')
  const target = /^rt\d\[(.*)\]$/.exec(word ?? '')
  // Targets are written by the output merger: who wrote is the history of the pixel.
  if (target !== null) return pixel(c, target[1]!)
  const reference = referenceOf(session, word)
  const byteLength = count === undefined ? (reference.byteLength ?? 4) : wholeNumber(count, 'a number of bytes', 1)
  const range = rangeIn(spaceOf(session, reference), reference.byteOffset, byteLength, session.focus.group)
  if (range === undefined) return refuse(`nothing writes ${reference.space}: constants stay as they are`)
  const accesses = await session.timeLine.history(range, { ...options, loads })
  if (accesses === undefined) return refuse('canceled')
  if (accesses.length === 0) return text('nothing in the whole run writes it')
  const now = session.timeLine.clock
  // What was done last before now comes last of the past: that is who wrote what there is.
  const past = accesses.filter((a) => a.before < now)
  const shown = accesses.slice(Math.max(0, past.length - MAX_ROWS / 2)).slice(0, MAX_ROWS)
  const rows = shown.map((a) => [...historyRow(session, a), a === past.at(-1) ? '<- what there is now' : ''])
  const note = `${counted(accesses.length, 'access', 'accesses')} in the whole run; go CLOCK goes to one`
  const who = session.run.draw === undefined ? ['group', 'thread'] : ['stage', 'invocation']
  return { outputs: [tableOf(['clock', 'access', ...who, 'place', 'value', ''], rows, note)] }
}

export function findingRow(session: DebugSession, f: RecordedFinding, number: number): readonly string[] {
  const what = f.memory === undefined ? '' : rangeReference(session.run, f.memory)
  const { group, thread } = f.thread
  const who = f.stage === undefined ? `${groupText(group)} ${thread}` : `${f.stage}, ${f.invocation ?? thread}`
  return [`${number}`, f.code, `${f.before}`, who, placeText(session.programOf(f.stage), f.statement), what]
}

async function findings(c: CommandContext): Promise<CommandResult> {
  const found = await c.session.timeLine.findings(c.options)
  if (c.options?.signal?.aborted === true) return refuse('canceled')
  c.findings = found
  if (c.findings.length === 0) return text('the detectors find nothing in this run')
  const rows = c.findings.slice(0, MAX_ROWS).map((f, i) => findingRow(c.session, f, i))
  const note = 'go finding N goes to the moment before it; go finding N other to the other access'
  return { outputs: [tableOf(['n', 'code', 'clock', 'thread', 'place', 'memory'], rows, note)] }
}

async function assign(session: DebugSession, rest: string): Promise<CommandResult> {
  const m = /^(.*?)(?<![=!<>])=(?!=)(.*)$/.exec(rest)
  if (m === null) return refuse('an assignment is expected, as set r0.x = 3 or set u0+0x10 = 0x40')
  const [target, value] = [m[1]!.trim().replace(/^var(?:iable)?\s+/, ''), m[2]!.trim()]
  const { value: evaluated, diagnostics } = session.evaluate(target)
  const changes = evaluated === undefined ? memoryChange(session, target, value) : evaluated.node.assign?.(value)
  if (changes === undefined) return refuse(diagnostics[0]?.message ?? `${target} cannot be assigned to`)
  if (typeof changes === 'string') return refuse(changes)
  await session.change(changes)
  const count = session.timeLine.changes.length
  return {
    ...text(`changed; the recording has ${counted(count, 'change')} (changes lists them)`),
    isChanged: true,
  }
}

function memoryChange(session: DebugSession, target: string, value: string): readonly Change[] | string | undefined {
  const reference = parseReference(target)
  if (reference === undefined) return undefined
  const space = spaceOf(session, reference)
  const bits = /^-?(?:0x[0-9a-f]+|\d+)$/i.test(value) ? Number(value) | 0 : undefined
  if (bits === undefined) return `${value} is no whole number`
  const bytes = new Uint8Array(Int32Array.of(bits).buffer)
  const { group } = session.focus
  const range = space.isWritable ? rangeIn(space, reference.byteOffset, 4, group) : undefined
  return range === undefined
    ? `${reference.space} decides the whole run and cannot be changed in it`
    : [{ kind: 'memory', range, bytes }]
}

/** `r0.x`, `x0[3].y`, `o1.w`. */
function registerName({ file, indices, component }: RegisterPlace): string {
  const { prefix } = REGISTER_FILES[file]!
  const [first, ...rest] = indices
  return `${prefix}${first ?? ''}${rest.map((i) => `[${i}]`).join('')}.${'xyzw'[component]}`
}

function changeText(session: DebugSession, { change, clock }: RecordedChange, isMade: boolean): string {
  if (change.kind === 'memory') return `${rangeReference(session.run, change.range)} = ${bitsOf(change.bytes)}`
  const { thread, place, bits } = change
  const batch = session.run.draw?.line.batches.findLast((b) => b.first <= clock && b.statements > 0)
  const isThere = isMade && batch !== undefined && thread.thread < batch.invocations
  const who = isThere ? batch.describe(thread.thread) : `thread ${thread.thread}`
  const group = session.run.draw === undefined ? ` of group ${groupText(thread.group)}` : ''
  return `${registerName(place)} of ${who}${group} = ${hexText(bits)}`
}

async function changes({ session, options }: CommandContext): Promise<CommandResult> {
  const made = await session.timeLine.changesMade(options)
  const rows = session.timeLine.changes.map((c, i) => {
    const note = made[i] === true ? '' : 'left out: its thread does not run then any more'
    return [`${i}`, `${c.clock}`, changeText(session, c, made[i] === true), note]
  })
  return rows.length === 0
    ? text('nothing was changed')
    : { outputs: [tableOf(['n', 'clock', 'change', ''], rows, 'drop N takes one back')] }
}

async function drop({ session, options }: CommandContext, rest: string): Promise<CommandResult> {
  const number = wholeNumber(wordsOfText(rest)[0], 'the number of a change')
  const change = session.timeLine.changes[number]
  if (change === undefined) return refuse(`there is no change ${number}`)
  await session.timeLine.dropChange(change, options)
  return { ...text(`change ${number} taken back`), isChanged: true }
}

export const MEMORY: readonly Command[] = [
  {
    name: 'memory',
    aliases: ['m', 'x'],
    usage: 'MEMORY [WORDS]',
    topic: 'memory',
    summary: 'words of a buffer or of shared memory: memory u0+0x30 16, memory u0[5], memory rt0[3,4], memory g',
    run: ({ session }, rest) => memory(session, rest),
  },
  {
    name: 'history',
    aliases: ['h', 'who'],
    usage: 'MEMORY [BYTES] [loads]',
    topic: 'memory',
    summary: 'who wrote it, in the whole run, with old and new values',
    details: [
      'history u0+0x30 answers who wrote this word, history u0[5] who wrote an element, history u1[3,4] a texel; with',
      'loads also who read it. history rt0[3,4] is pixel 3,4.',
    ],
    run: history,
  },
  {
    name: 'findings',
    aliases: ['f'],
    topic: 'memory',
    summary: 'what the detectors of heddle check find in the whole run, each with its moment',
    run: findings,
  },
  {
    name: 'set',
    usage: 'TARGET = VALUE',
    topic: 'change',
    summary: 'changes a register, a variable or memory at this moment; the run goes on with it',
    run: ({ session }, rest) => assign(session, rest),
  },
  { name: 'changes', topic: 'change', summary: 'lists what was changed', run: (c) => changes(c) },
  { name: 'drop', usage: 'N', topic: 'change', summary: 'takes a change back', run: drop },
]
