/** What differs between two shaders, part by part, for `heddle diff`. */
import { profileText, statementIndents, statementLister } from '../../../src/asm/index.ts'
import {
  type DxbcChunk,
  decodeStatistics,
  findChunk,
  type Reflection,
  type ReflectionMember,
  reflect,
} from '../../../src/dxbc/index.ts'
import { CUSTOM_DATA, rowOfOpcode } from '../../../src/isa/index.ts'
import { instructionNumbers, type Program, type Statement } from '../../../src/program/index.ts'
import type { ShaderInput } from '../shader-input.ts'
import { align, type Hunk, type Line } from './align.ts'

/** A part of the shaders as text, with what differs in it. */
export interface Section {
  readonly title: string
  readonly hunks: readonly Hunk[]
  /** False where the lines were too different to be aligned: all of them are given as removed and added. */
  readonly isAligned: boolean
}

/** A chunk that differs and that no section describes. */
export interface PartChange {
  readonly fourcc: string
  readonly change: 'removed' | 'added' | 'changed'
  readonly firstByteLength?: number
  readonly secondByteLength?: number
  /** Offset in the chunk's data of the first byte that differs. */
  readonly byteOffset?: number
}

export interface Comparison {
  readonly isSame: boolean
  readonly sections: readonly Section[]
  readonly parts: readonly PartChange[]
}

const plain = (text: string): Line => ({ key: text, text })

function isDeclaration(s: Statement): boolean {
  if (s.kind === 'custom-data') return s.dataClass === CUSTOM_DATA.immediateConstantBuffer
  return s.kind === 'instruction' && rowOfOpcode(s.opcode)?.traits.kind === 'declaration'
}

/** Lines of the statements of a kind; equal where text and literals are, to the bit. */
function statementLines(program: Program, accepts: (s: Statement) => boolean): Line[] {
  const list = statementLister(program)
  const listExactly = statementLister(program, { hexLiterals: true })
  const indents = statementIndents(program)
  const numbers = instructionNumbers(program)
  return program.statements.flatMap((s, statement) => {
    if (!accepts(s)) return []
    // The mark in front of a hull shader's declarations has no number.
    const number = isDeclaration(s) ? statement : numbers[statement]
    // An immediate constant buffer takes several lines.
    const exactTexts = listExactly(statement)?.split('\n') ?? []
    return (list(statement)?.split('\n') ?? []).map((text, i): Line => {
      const [indent = '', exact = ''] = [indents[statement], exactTexts[i]]
      return {
        key: `${text}\n${exact}`,
        text: indent + text,
        exactText: indent + exact,
        ...(number !== undefined && { number }),
      }
    })
  })
}

function memberLines(m: ReflectionMember, base: number): Line[] {
  const offset = base + m.byteOffset
  const elements = m.elements === undefined ? '' : `[${m.elements}]`
  return [
    plain(`  ${offset}: ${m.type} ${m.name}${elements}`),
    ...(m.members ?? []).flatMap((c) => memberLines(c, offset)),
  ]
}

function bindingLines(r: Reflection): Line[] {
  return r.resources.map((b) => {
    const count = b.count === 1 ? '' : `[${b.count ?? ''}]`
    const space = b.space === 0 ? '' : `, space ${b.space}`
    const stride = b.stride === undefined ? '' : `, stride ${b.stride}`
    return plain(`${b.register}${b.slot}${count}${space}: ${b.name}, ${b.type} ${b.dimension} ${b.format}${stride}`)
  })
}

function bufferLines(r: Reflection): Line[] {
  return r.buffers.flatMap((b) => [
    plain(`${b.kind} ${b.name}, ${b.byteLength} bytes`),
    ...b.variables.flatMap((v) => {
      const bytes = v.defaultValue === undefined ? '' : ` = ${Buffer.from(v.defaultValue).toString('hex')}`
      const [first, ...rest] = memberLines(v, 0)
      return [plain(`${first?.text ?? ''}${bytes}${v.used ? '' : ' (unused)'}`), ...rest]
    }),
  ])
}

function signatureLines(elements: Reflection['inputs']): Line[] {
  return elements.map((e) => {
    const register = e.register === undefined ? '' : ` register ${e.register}`
    const stream = e.stream === undefined || e.stream === 0 ? '' : `, stream ${e.stream}`
    return plain(`${e.name}${e.semanticIndex}${register}, ${e.mask}, ${e.componentType}${stream}`)
  })
}

function statisticLines({ container }: ShaderInput): Line[] {
  const chunk = findChunk(container, 'STAT')
  const counts = chunk === undefined ? undefined : decodeStatistics(chunk.data).value?.counts
  const words = (name: string): string => name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)
  return Object.entries(counts ?? {}).map(([name, n]) => plain(`${words(name)}: ${n}`))
}

const CODE_CHUNKS = ['SHEX', 'SHDR']

/** The parts as lines, and the chunks that each of them describes. */
const SECTIONS: readonly {
  readonly title: string
  readonly chunks: readonly string[]
  readonly linesOf: (s: ShaderInput, r: Reflection) => Line[]
}[] = [
  {
    title: 'declarations',
    chunks: CODE_CHUNKS,
    linesOf: ({ program }) => [plain(profileText(program)), ...statementLines(program, isDeclaration)],
  },
  { title: 'code', chunks: CODE_CHUNKS, linesOf: ({ program }) => statementLines(program, (s) => !isDeclaration(s)) },
  { title: 'bindings', chunks: ['RDEF'], linesOf: (_, r) => bindingLines(r) },
  { title: 'constant buffers', chunks: ['RDEF'], linesOf: (_, r) => bufferLines(r) },
  { title: 'inputs', chunks: ['ISGN', 'ISG1'], linesOf: (_, r) => signatureLines(r.inputs) },
  { title: 'outputs', chunks: ['OSGN', 'OSG5', 'OSG1'], linesOf: (_, r) => signatureLines(r.outputs) },
  { title: 'patch constants', chunks: ['PCSG', 'PSG1'], linesOf: (_, r) => signatureLines(r.patchConstants) },
  { title: 'statistics', chunks: ['STAT'], linesOf: (s) => statisticLines(s) },
]

/** Lines around a change are of use in code alone. */
const contextOf = (title: string, context: number): number => (title === 'code' ? context : 0)

function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i
  return a.length === b.length ? undefined : length
}

/** Chunks in order, those of one name numbered so that each has its partner. */
function chunksByName(chunks: readonly DxbcChunk[]): Map<string, DxbcChunk> {
  const counts = new Map<string, number>()
  return new Map(
    chunks.map((chunk) => {
      const count = (counts.get(chunk.fourcc) ?? 0) + 1
      counts.set(chunk.fourcc, count)
      return [count === 1 ? chunk.fourcc : `${chunk.fourcc} ${count}`, chunk]
    }),
  )
}

function partChanges(first: ShaderInput, second: ShaderInput, described: ReadonlySet<string>): PartChange[] {
  const [a, b] = [chunksByName(first.container.chunks), chunksByName(second.container.chunks)]
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((fourcc): PartChange[] => {
    const [x, y] = [a.get(fourcc)?.data, b.get(fourcc)?.data]
    if (described.has(fourcc)) return []
    if (x === undefined) return y === undefined ? [] : [{ fourcc, change: 'added', secondByteLength: y.length }]
    if (y === undefined) return [{ fourcc, change: 'removed', firstByteLength: x.length }]
    const byteOffset = firstDifference(x, y)
    const lengths = { firstByteLength: x.length, secondByteLength: y.length }
    return byteOffset === undefined ? [] : [{ fourcc, change: 'changed', ...lengths, byteOffset }]
  })
}

/** Compares two shaders; `context` is how many lines to give around those that differ. */
export function compareShaders(first: ShaderInput, second: ShaderInput, context: number): Comparison {
  const [r, s] = [reflect(first.container).value, reflect(second.container).value]
  const sections = SECTIONS.map(({ title, chunks, linesOf }) => {
    const aligned = align(linesOf(first, r), linesOf(second, s), contextOf(title, context))
    return { title, chunks, ...aligned }
  }).filter(({ hunks }) => hunks.length > 0)
  const described = new Set(sections.flatMap(({ chunks }) => chunks))
  const parts = partChanges(first, second, described)
  return {
    isSame: sections.length === 0 && parts.length === 0,
    sections: sections.map(({ title, hunks, isAligned }) => ({ title, hunks, isAligned })),
    parts,
  }
}
