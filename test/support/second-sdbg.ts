/**
 * A second reader of the debug tables of older compilers (SDBG), for tests alone: it shares nothing with the one in `src`, and finds
 * places of variables the other way round, from each statement back to what was written.
 */
import { registerFile, rowOfOpcode } from '../../src/isa/index.ts'
import { instructionNumbers, type Program, writtenComponents } from '../../src/program/index.ts'

const NONE = 0xffffffff

export interface SecondInstruction {
  readonly line: number
  readonly column: number
  readonly endColumn: number
  readonly functionName: string
  /** Names of variables with their scalars, those of the innermost scope first; -1 for scalars that the compiler left out. */
  readonly variables: readonly { readonly name: string; readonly leaves: readonly (readonly [string, number])[] }[]
  /** Functions and lines around it, the innermost first. */
  readonly frames: readonly (readonly [name: string, line: number])[]
}

export interface SecondSdbg {
  readonly instructions: ReadonlyMap<number, SecondInstruction>
  /** The place of a scalar before a statement: `temp 3.x`; undefined where it is nowhere, or several paths disagree. */
  placeAt(statement: number, scalar: number): string | undefined
  /** Scalars of arrays that are written with an index: their places are left out here. */
  readonly indexed: ReadonlySet<number>
}

interface ScopeVariable {
  readonly name: string
  readonly isFunction: boolean
  readonly class: number
  readonly rows: number
  readonly columns: number
  readonly members: number
  readonly counts: readonly number[]
  readonly strides: readonly number[]
  readonly scalars: number
}

/** Dwords of the header that tell the number of a table's rows; the next one tells where the rows are. */
const [INSTRUCTIONS, SCALARS, INPUTS, TOKENS, SCOPES, VARIABLES] = [7, 9, 11, 13, 15, 17] as const

/** The part as words and strings. */
function openPart(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (at: number): number => view.getUint32(at, true)
  const base = word(0)
  const table = (header: number, size: number, row: number): number => base + word(4 * header + 4) + row * size
  const count = (header: number): number => word(4 * header)
  const strings = base + word(80)
  const numbers = (at: number, n: number): number[] =>
    Array.from({ length: n }, (_, i) => word(base + word(76) + at + 4 * i))
  const text = (at: number, length: number): string =>
    String.fromCharCode(...bytes.subarray(strings + at, strings + at + length))
  const zeroEnded = (at: number): string => text(at, bytes.indexOf(0, strings + at) - strings - at)
  return { word, table, count, numbers, text, zeroEnded }
}

type Part = ReturnType<typeof openPart>

function tokenOf(p: Part, row: number) {
  const at = p.table(TOKENS, 20, row)
  const [line, column, length, offset] = [4, 8, 12, 16].map((o) => p.word(at + o)) as [number, number, number, number]
  return { line, column: column + 1, endColumn: column + Math.max(1, length), text: p.text(offset, length) }
}

function scopeVariable(p: Part, row: number): ScopeVariable {
  const at = p.table(VARIABLES, 44, row)
  const w = (i: number): number => p.word(at + 4 * i)
  return {
    name: tokenOf(p, w(0)).text,
    isFunction: w(1) === 1,
    ...{ class: w(2), rows: w(3), columns: w(4), members: w(5) },
    counts: p.numbers(w(7), w(6)),
    strides: p.numbers(w(8), w(6)),
    scalars: w(9),
  }
}

const scopeRows = (p: Part, row: number): number[] => {
  const at = p.table(SCOPES, 20, row)
  return p.numbers(p.word(at + 16), p.word(at + 12))
}

/** Every scalar of a variable: its path and its place in the variable. */
function leavesOf(p: Part, v: ScopeVariable, first: number, path: string): (readonly [string, number])[] {
  const [count, ...counts] = v.counts
  if (count !== undefined) {
    const [stride = 0, ...strides] = v.strides
    const element = { ...v, counts, strides }
    return Array.from({ length: count }, (_, i) => leavesOf(p, element, first + i * stride, `${path}[${i}]`)).flat()
  }
  if (v.members !== NONE) {
    const found: (readonly [string, number])[] = []
    let at = first
    for (const row of scopeRows(p, v.members)) {
      const m = scopeVariable(p, row)
      found.push(...leavesOf(p, m, at, `${path}.${m.name.split('::').at(-1)}`))
      at += m.scalars
    }
    return found
  }
  if (v.class === 4) return []
  if (v.class === 2 || v.class === 3) {
    const places = Array.from({ length: v.rows * v.columns }, (_, i) => i)
    return places.map((i) => [`${path}._m${Math.floor(i / v.columns)}${i % v.columns}`, first + i] as const)
  }
  if (v.columns === 1) return [[path, first]]
  return Array.from({ length: v.columns }, (_, i) => [`${path}.${'xyzw'[i]}`, first + i] as const)
}

/** Statements that may come behind each statement: flow control alone, as blocks open and close. */
function successors(program: Program): readonly (readonly number[])[] {
  const names = program.statements.map((s) => (s.kind === 'instruction' ? (rowOfOpcode(s.opcode)?.mnemonic ?? '') : ''))
  const plain = names.map((n) => n.replace(/_(nz|z)$/, ''))
  const open: number[] = []
  const ends = new Map<number, { end: number; inner: number[] }>()
  const around = new Map<number, number[]>()
  plain.forEach((name, at) => {
    around.set(at, [...open])
    const top = ends.get(open.at(-1) ?? -1)
    if (name === 'else' || name === 'case' || name === 'default') top!.inner.push(at)
    if (name === 'if' || name === 'loop' || name === 'switch') {
      open.push(at)
      ends.set(at, { end: -1, inner: [] })
    }
    if (name === 'endif' || name === 'endloop' || name === 'endswitch') ends.get(open.pop()!)!.end = at
  })
  const isAny = (at: number, ...list: readonly string[]): boolean => list.includes(plain[at]!)
  const last = (at: number, ...list: readonly string[]): number => around.get(at)!.findLast((b) => isAny(b, ...list))!
  return plain.map((name, at) => {
    const breaks = (): number => {
      const block = last(at, 'loop', 'switch')
      return ends.get(block)!.end + (isAny(block, 'loop') ? 1 : 0)
    }
    switch (name) {
      case 'if': {
        const { end, inner } = ends.get(at)!
        return [at + 1, inner[0] === undefined ? end : inner[0] + 1]
      }
      case 'else':
        return [ends.get(last(at, 'if'))!.end]
      case 'endloop':
        return [last(at, 'loop')]
      case 'switch': {
        const { end, inner } = ends.get(at)!
        return inner.some((i) => plain[i] === 'default') ? inner : [...inner, end]
      }
      case 'break':
        return [breaks()]
      case 'breakc':
        return [at + 1, breaks()]
      case 'continue':
        return [last(at, 'loop')]
      case 'continuec':
        return [at + 1, last(at, 'loop')]
      case 'ret':
        return []
      default:
        return at + 1 < plain.length ? [at + 1] : []
    }
  })
}

/** What a statement writes, and which scalars its results become. */
interface Effect {
  readonly writes: ReadonlySet<string>
  readonly becomes: ReadonlyMap<number, string>
}

const NUMBERLESS: Readonly<Record<number, string>> = {
  ...{ [-2]: 'input-primitive-id', [-3]: 'output-control-point-id', [-5]: 'thread-id', [-6]: 'thread-id-in-group' },
  ...{ [-7]: 'thread-group-id', [-8]: 'thread-id-in-group-flattened', [-10]: 'gs-instance-id' },
}

function inputPlace(set: number, bank: number, register: number, component: number, bits: number): string | undefined {
  if (set === 9) return `literal ${bits}`
  if (component > 3) return undefined
  if (set === 2) return `constant-buffer ${bank},${register}.${component}`
  if (set !== 0) return undefined
  const name = NUMBERLESS[register - 2 ** 30]
  if (register < 2 ** 29) return `input ${register}.${component}`
  return name === undefined ? undefined : `${name} .${component}`
}

/** Reads a part; positions of its instructions are numbers of the program's instructions. */
export function readSecondSdbg(bytes: Uint8Array, program: Program, tempCount: number): SecondSdbg {
  const p = openPart(bytes)
  const numbers = instructionNumbers(program)
  const statementOf = new Map(numbers.flatMap((n, at) => (n === undefined ? [] : [[n, at] as const])))
  const entry = p.zeroEnded(p.word(8))
  const rows = Array.from({ length: p.count(INSTRUCTIONS) }, (_, row) => p.table(INSTRUCTIONS, 396, row))
  const scopesOf = (at: number): number[] => p.numbers(p.word(at + 384), p.word(at + 380))
  const functionOf = (at: number): string => {
    const scope = scopesOf(at).find((s) => p.word(p.table(SCOPES, 20, s)) === 4)
    if (scope === undefined) return entry
    const record = p.table(SCOPES, 20, scope)
    return p.text(p.word(record + 4), p.word(record + 8))
  }
  const functions = rows.map(functionOf)
  const levels = rows.map((at, i) => (functions[i] === entry ? 0 : p.word(at + 376)))
  const rowOfScalar = new Map<string, number>()
  for (let row = 0; row < p.count(SCALARS); row++) {
    const at = p.table(SCALARS, 24, row)
    rowOfScalar.set(`${p.word(at + 16)} ${p.word(at + 20)}`, row)
  }
  const indexed = new Set<number>()
  const effects = new Map<number, Effect>()
  rows.forEach((at) => {
    const statement = statementOf.get(p.word(at))
    if (statement === undefined) return
    const own = ownDestinations(program, statement)
    const writes = new Set(own.flat().filter((x) => x !== undefined))
    const becomes = new Map<number, string>()
    for (let o = 0; o < p.word(at + 8); o++) {
      const out = at + 12 + 180 * o
      const [set, register, array] = [0, 4, 8].map((x) => p.word(out + x)) as [number, number, number]
      if (register === NONE) continue
      const isIndexed = p.word(out + 172) !== NONE
      for (let c = 0; c < 4; c++) {
        const scalar = p.word(out + 28 + 36 * c)
        if (isIndexed) {
          if (scalar !== NONE) markArray(p, scalar, indexed)
          continue
        }
        if (p.word(out + 12 + 4 * c) === NONE) continue
        const named =
          set === 4 && register < tempCount
            ? `temp ${register}.${c}`
            : set === 1
              ? `output ${register}.${c}`
              : set === 5
                ? `indexable-temp ${array},${register}.${c}`
                : undefined
        const place = named ?? (set === 4 ? own[o]?.[c] : undefined)
        if (place === undefined) continue
        writes.add(place)
        if (scalar !== NONE) becomes.set(scalar, place)
      }
    }
    effects.set(statement, { writes, becomes })
  })
  const start = new Map<number, string>()
  for (let i = 0; i < p.count(INPUTS); i++) {
    const at = p.table(INPUTS, 24, i)
    const [scalar, set, bank, register, component, bits] = [0, 4, 8, 12, 16, 20].map((x) => p.word(at + x)) as number[]
    const place = inputPlace(set!, bank!, register!, component!, bits!)
    if (place !== undefined) start.set(scalar!, place)
  }
  const instructions = new Map<number, SecondInstruction>()
  rows.forEach((at, i) => {
    const statement = statementOf.get(p.word(at))
    const token = p.word(at + 372)
    if (statement === undefined || token >= p.count(TOKENS)) return
    const seen = new Set<number>()
    const variables = scopesOf(at).flatMap((s) => {
      if (p.word(p.table(SCOPES, 20, s)) === 0) return []
      return scopeRows(p, s).flatMap((row) => {
        const v = scopeVariable(p, row)
        if (v.isFunction || seen.has(row)) return []
        seen.add(row)
        const leaves = leavesOf(p, v, 0, v.name)
        return [
          { name: v.name, leaves: leaves.map(([path, at]) => [path, rowOfScalar.get(`${row} ${at}`) ?? -1] as const) },
        ]
      })
    })
    const frames: [string, number][] = []
    let [level, name] = [Number.POSITIVE_INFINITY, '']
    for (let j = i; j >= 0 && level > 0; j--) {
      if (levels[j]! >= level || functions[j] === name) continue
      const line = p.word(rows[j]! + 372)
      if (line >= p.count(TOKENS)) continue
      ;[level, name] = [levels[j]!, functions[j]!]
      frames.push([name, tokenOf(p, line).line])
    }
    const { line, column, endColumn } = tokenOf(p, token)
    instructions.set(statement, { line, column, endColumn, functionName: functions[i]!, variables, frames })
  })
  return { instructions, indexed, placeAt: placeFinder(program, effects, start) }
}

/** The registers that a statement's own destinations name, by component. */
function ownDestinations(program: Program, statement: number): readonly (readonly (string | undefined)[])[] {
  const s = program.statements[statement]!
  if (s.kind !== 'instruction') return []
  const roles = rowOfOpcode(s.opcode)?.operands ?? []
  return s.operands.flatMap((o, i) => {
    if (roles[i]?.role !== 'dest') return []
    const indices = o.indices.map((x) => (x.kind === 'immediate' ? x.value : undefined))
    const name = registerFile(o.type)?.name
    if (name === undefined || indices.includes(undefined)) return [[]]
    const written = writtenComponents(o)
    return [[0, 1, 2, 3].map((c) => (written.includes(c) ? `${name} ${indices.join()}.${c}` : undefined))]
  })
}

/** All scalars of the variable that a scalar is a part of. */
function markArray(p: Part, scalar: number, into: Set<number>): void {
  const variable = p.word(p.table(SCALARS, 24, scalar) + 16)
  for (let row = 0; row < p.count(SCALARS); row++)
    if (p.word(p.table(SCALARS, 24, row) + 16) === variable) into.add(row)
}

/** Looks back from a statement along all paths: a place holds where each path comes to the write that made it. */
function placeFinder(
  program: Program,
  effects: ReadonlyMap<number, Effect>,
  start: ReadonlyMap<number, string>,
): SecondSdbg['placeAt'] {
  const before: number[][] = program.statements.map(() => [])
  successors(program).forEach((list, from) => {
    for (const to of list) before[to]!.push(from)
  })
  const reached = new Set<number>([0])
  const due = [0]
  const after = successors(program)
  for (let at = due.pop(); at !== undefined; at = due.pop()) {
    for (const to of after[at]!) {
      if (reached.has(to)) continue
      reached.add(to)
      due.push(to)
    }
  }
  const isThere = (statement: number, scalar: number, place: string): boolean => {
    const seen = new Set<number>()
    const open = [statement]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      if (at === 0 && start.get(scalar) !== place) return false
      for (const from of before[at]!) {
        if (!reached.has(from)) continue
        const effect = effects.get(from)
        const become = effect?.becomes.get(scalar)
        if (become !== undefined && become !== place) return false
        if (become === place) continue
        if (effect?.writes.has(place)) return false
        open.push(from)
      }
    }
    return true
  }
  return (statement, scalar) => {
    const candidates = new Set([...effects.values()].flatMap((e) => e.becomes.get(scalar) ?? []))
    const first = start.get(scalar)
    if (first !== undefined) candidates.add(first)
    return [...candidates].find((place) => isThere(statement, scalar, place))
  }
}
