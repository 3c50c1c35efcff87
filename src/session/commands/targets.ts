/** Places and threads as people write them. */
import type { GroupPosition, StopCondition, Thread } from '../../debug/index.ts'
import { threadCountOf, threadsOf } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { type BreakpointPlace, codesInCondition, type DataAccess } from '../breakpoints.ts'
import { elementNamed } from '../elements.ts'
import { fileNamed, functionStarts, lineStarts, lineWithCode, statementOfInstruction } from '../places.ts'
import type { DebuggedProgram } from '../run.ts'
import type { DebugSession } from '../session.ts'
import { parseReference, rangeIn, spaceNamed, TARGET_LABEL } from '../spaces.ts'
import { refuse, wholeNumber } from './command.ts'

/** Statements of one shader. */
interface PlaceInProgram {
  /** Of a draw. */
  readonly stage: string | undefined
  readonly statements: readonly number[]
}

/** `pixel:i7` as the shader of the pixel stage and `i7`; without a stage the present shader. */
function programAndWord(session: DebugSession, word: string): readonly [DebuggedProgram, string] {
  const m = /^(vertex|hull|domain|geometry|pixel):(.*)$/.exec(word)
  if (m === null) return [session.run, word]
  const stages = session.programs.flatMap((p) => p.stage ?? [])
  const program = session.programs.find((p) => p.stage === m[1])
  return [program ?? refuse(`there is no ${m[1]} shader`, `there are ${stages.join(', ') || 'no stages'}`), m[2]!]
}

/** The statements of `12`, `blur.hlsl:12`, `i7` (an instruction) or a function's name; `pixel:` before them names a stage. */
export function statementsOf(session: DebugSession, text: string): PlaceInProgram {
  const [program, word] = programAndWord(session, text)
  return { stage: program.stage, statements: statementsIn(session, program, word) }
}

function statementsIn(session: DebugSession, program: DebuggedProgram, word: string): readonly number[] {
  const instruction = /^i(\d+)$/.exec(word)
  if (instruction !== null) {
    const statement = statementOfInstruction(program, Number(instruction[1]))
    return statement === undefined ? refuse(`there is no instruction ${instruction[1]}`) : [statement]
  }
  const line = /^(?:(.*):)?(\d+)$/.exec(word)
  const { map } = program
  if (line === null) {
    const starts = functionStarts(program, word)
    if (starts.length > 0) return starts
    const names = map.functions.map((f) => f.name).join(', ')
    return refuse(
      `there is no function ${word}`,
      `places are lines (12, file:12), instructions (i7) and functions: ${names}`,
    )
  }
  const isPresent = program.stage === session.run.stage
  const file = line[1] === undefined ? (isPresent ? currentFile(session) : 0) : fileNamed(map.files, line[1])
  if (file === undefined) {
    return refuse(`there is no file ${line[1]}`, `there are ${map.files.map((f) => f.name).join(', ')}`)
  }
  const withCode = lineWithCode(program, file, Number(line[2]))
  if (withCode === undefined) return refuse(`there is no code at line ${line[2]} or behind it`)
  return lineStarts(program, file, withCode)
}

/** The file that the focus is in. */
export function currentFile({ run, statement }: DebugSession): number {
  return (statement === undefined ? undefined : run.map.linesOf(statement)?.statement.file) ?? 0
}

/** A register or its component: `r0`, `r0.x`, `x0[3].y`, `o1.w`; undefined where a word is none. */
function registerPlace(session: DebugSession, text: string): BreakpointPlace | undefined {
  const [program, word] = programAndWord(session, text)
  const m = /^\$?(r|x|o)(\d+)(?:\[(\d+)\])?(?:\.([xyzw]+))?$/.exec(word)
  if (m === null) return undefined
  const statement = program.stage === session.run.stage ? (session.statement ?? 0) : 0
  const variables = program.registers(statement)
  if (!variables.some((v) => v.name === `${m[1]}${m[2]}`)) return refuse(`the shader declares no ${m[1]}${m[2]}`)
  const file = FILE[({ r: 'temp', o: 'output', x: 'indexable-temp' } as const)[m[1] as 'r' | 'o' | 'x']]
  const indices = m[3] === undefined ? [Number(m[2])] : [Number(m[2]), Number(m[3])]
  const components = [...(m[4] ?? 'xyzw')].map((c) => 'xyzw'.indexOf(c))
  const mask = components.reduce((bits, c) => bits | (1 << c), 0)
  const place = { file, indices, component: components[0]! }
  return { kind: 'register', place, mask, access: 'write', stage: program.stage }
}

const ACCESSES: readonly DataAccess[] = ['read', 'write', 'change', 'any']

export const isAccess = (word: string | undefined): word is DataAccess => ACCESSES.some((a) => a === word)

/** What `watch` stops for: `u0+0x30`, `u0+0x30:16`, `g+0`, `r0.x`, or an expression that lies in memory. */
export function dataPlace(session: DebugSession, word: string, access: DataAccess): BreakpointPlace {
  const register = registerPlace(session, word)
  if (register?.kind === 'register') return access === 'change' ? { ...register, access } : register
  const [reference = '', given] = word.split(':')
  const element = elementNamed(session.run, reference)
  const length = given ?? `${element?.byteLength ?? 4}`
  const memory = element ?? parseReference(reference)
  const space = memory && spaceNamed(session.run, memory.space, session.focus.group)
  if (memory !== undefined && space !== undefined) {
    const byteLength = wholeNumber(length, 'a number of bytes', 1)
    const range = rangeIn(space, memory.byteOffset, byteLength, session.focus.group)
    if (range === undefined) return refuse(`nothing writes ${space.name}: constants stay as they are`)
    if (space.label === TARGET_LABEL)
      return refuse(`the output merger writes ${space.name}, no statement of a shader`, 'pixel X,Y says what it did')
    if (memory.byteOffset + byteLength > space.bytes.length)
      return refuse(`${space.name} has ${space.bytes.length} bytes`)
    return { kind: 'memory', range, access }
  }
  const value = session.evaluate(word).value?.node
  if (value?.memory !== undefined) return dataPlace(session, value.memory, access)
  return refuse(
    `${word} is no memory`,
    'memory is u0+0x30, u0[5], u1[3,4], g+16 (shared), r0.x, or a variable that lies in memory',
  )
}

/** Three numbers with commas, or one. */
function position(word: string, size: readonly number[]): GroupPosition | undefined {
  const numbers = word
    .replace(/[()\s]/g, '')
    .split(',')
    .map(Number)
  const [x = 0, y = 0, z = 0] = numbers
  const isInside = [x, y, z].every((n, axis) => Number.isInteger(n) && n >= 0 && n < size[axis]!)
  return numbers.length <= 3 && isInside ? [x, y, z] : undefined
}

/** A thread of the focus' group: `17`, or `1,2,0` in the group. */
export function threadOf(session: DebugSession, word: string): Thread {
  const { declarations, draw } = session.run
  const size = threadsOf(declarations)
  const { group } = session.focus
  if (draw !== undefined) {
    const { invocations } = draw.line.batch
    const thread = wholeNumber(word, 'the number of a lane')
    return thread < invocations ? { group, thread } : refuse(`there is no lane ${thread}: the batch has ${invocations}`)
  }
  if (/^\d+$/.test(word)) {
    const thread = Number(word)
    if (thread < threadCountOf(declarations)) return { group, thread }
    return refuse(`there is no thread ${thread}: a group has ${threadCountOf(declarations)}`)
  }
  const at = position(word, size)
  if (at === undefined) return refuse(`${word} is no thread of a group of ${size.join(' x ')}`)
  return { group, thread: at[0] + size[0] * (at[1] + size[1] * at[2]) }
}

export function groupOf(session: DebugSession, word: string): GroupPosition {
  const { groups } = session.run.source
  const at = position(word, groups)
  return at ?? refuse(`${word} is no group of a dispatch of ${groups.join(' x ')}`)
}

/** `0-15,40` as threads. */
export function threadRanges(word: string): readonly number[] {
  return word.split(',').flatMap((part) => {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (m === null) return refuse(`${part} is no thread and no range of threads, as 3 or 0-15`)
    const [first, last] = [Number(m[1]), Number(m[2] ?? m[1])]
    if (last - first > 1023) return refuse('a group has at most 1024 threads')
    if (last < first) return refuse(`${part} is no range of threads: it ends before it begins`)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  })
}

/** What `until` runs to, for once. */
export function untilCondition(session: DebugSession, words: readonly string[]): StopCondition {
  const [word = '', ...rest] = words
  switch (word) {
    case 'barrier':
      return { kind: 'barrier', at: 'release' }
    case 'nan':
    case 'infinity':
      return { kind: 'number', number: word }
    case 'divergence':
      return { kind: 'divergence' }
    case 'group-end':
      return { kind: 'group-end' }
    case 'finding': {
      const codes = codesInCondition(rest.join(' '))
      return { kind: 'finding', ...(codes && { codes }) }
    }
    case '':
      return refuse(
        'a place is expected: a line, i7, a function, barrier, finding, nan, infinity, divergence, group-end',
      )
    default: {
      const { group, thread } = session.focus
      const where = rest[0] === 'any' ? undefined : { group, threads: [thread] }
      return { kind: 'statement', ...statementsOf(session, word), ...(where && { where }) }
    }
  }
}
