import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import { readSecondPdb, type SecondLocal, type SecondPdb } from '../../test/support/second-pdb.ts'
import { readSecondSdbg } from '../../test/support/second-sdbg.ts'
import { findChunk } from '../dxbc/index.ts'
import { gatherDeclarationsOrThrow } from '../engine/index.ts'
import { registerFile } from '../isa/index.ts'
import { readShader } from '../shader/index.ts'
import { childrenOf, type SourceValue, sourceOf, wordsOf } from './index.ts'
import { NO_POSITION, positionsOf } from './positions.ts'

const shadersWith = (fourcc: string) =>
  corpusFiles().flatMap((file) => {
    const shader = readShader(file.bytes).value
    const chunk = shader === undefined ? undefined : findChunk(shader.container, fourcc)
    return shader === undefined || chunk === undefined ? [] : [{ name: file.name, shader, data: chunk.data }]
  })

const SHADERS = shadersWith('SPDB')

/** `temp 3.x`, `input 1,0.y`, `indexable-temp 0,5.z` of the scalar at a byte of a range. */
function secondPlace(r: SecondLocal['ranges'][number], byte: number): string {
  const { name, class: kind, indices } = registerFile(r.file)!
  if (kind === 'name') return ''
  const [inner = 0, ...outer] = r.offsets
  const inside = byte - r.at
  if (name === 'indexable-temp') return `${name} ${inner},${Math.floor(inside / 16)}.${(inside % 16) / 4}`
  const component = (((inner % 16) + 16) % 16) / 4 + inside / 4
  const numbers = inner < 0 || indices[1] === 0 ? [] : [...outer, Math.floor(inner / 16)]
  return `${name} ${numbers.join(',')}.${component}`
}

/** Every scalar of a scope with its place at a position, as the second reader sees it. */
function secondPlaces(pdb: SecondPdb, scope: number, position: number): readonly string[] {
  const found = new Set<string>()
  for (const local of pdb.locals.filter((l) => l.scope === scope)) {
    const live = local.ranges.filter((r) => {
      const isIn = position >= r.from && position < r.to && !r.gaps.some(([a, b]) => position >= a && position < b)
      const { start } = pdb.scopes[scope]!
      return isIn && (local.isParameter || scope === 0 || r.from > start || (r.file !== 0 && r.from === start))
    })
    for (const [path, byte] of pdb.leaves(local.type)) {
      const holding = live.filter((r) => byte >= r.at && byte < r.at + r.size).sort((a, b) => b.from - a.from)
      const place = holding.length === 0 ? '' : secondPlace(holding[0]!, byte)
      if (place !== '') found.add(`${local.name}${path} ${place}`)
    }
  }
  return [...found].sort()
}

function places(value: SourceValue): readonly string[] {
  if (value.type.kind !== 'scalar') return childrenOf(value).flatMap(places)
  const [word] = wordsOf(value)
  return word?.kind === 'register' ? [`${value.path} ${word.file} ${word.indices.join(',')}.${word.component}`] : []
}

/** Patches and streams are objects of the compiler's own, whose scalars the second reader does not list. */
const isOrdinary = (v: SourceValue): boolean =>
  !(v.type.kind === 'array' && v.type.count === 0) && v.type.kind !== 'object'

it.each(SHADERS)('$name: variables and lines are those of a second reader', ({ shader, data }) => {
  const map = sourceOf(shader).value
  const pdb = readSecondPdb(data)
  let compared = 0
  positionsOf(shader.program, 'byte-offsets').forEach((position, statement) => {
    const base = pdb.lines.get(position)
    if (position === NO_POSITION || base === undefined) return
    const stack = map.inlineStack(statement)
    const outer = stack.at(-1)!.range
    expect([outer.line, outer.column, outer.endColumn]).toEqual(base.slice(1))
    const variables = map.variablesAt(statement)
    stack.forEach((frame, i) => {
      const own = variables.filter((v) => v.frame === i && isOrdinary(v)).flatMap(places)
      expect([...own].sort()).toEqual(secondPlaces(pdb, frame.site, position))
      compared += own.length
      const rows = pdb.scopes[frame.site]!.rows
      if (frame.site === 0) return
      const row = rows.find(([from, to]) => position >= from && position < to)
      const body = map.functions.find((f) => f.name === frame.functionName && f.line === frame.range.line - row![2])
      expect(body).toBeDefined()
    })
  })
  expect(compared).toBeGreaterThan(0)
})

/** Every scalar of a value with its place, as the second reader writes them. */
function tablePlaces(value: SourceValue): readonly string[] {
  if (value.type.kind !== 'scalar') return childrenOf(value, 0, Number.POSITIVE_INFINITY).flatMap(tablePlaces)
  const [word] = wordsOf(value)
  if (word === undefined) return [`${value.path} nowhere`]
  const place =
    word.kind === 'register'
      ? `${word.file} ${word.indices.join(',')}.${word.component}`
      : `literal ${word.kind === 'literal' ? word.bits : ''}`
  return [`${value.path} ${place}`]
}

describe.each(shadersWith('SDBG'))('$name, with debug data of an older compiler', ({ shader, data }) => {
  const { program } = shader
  const map = sourceOf(shader).value
  const second = readSecondSdbg(data, program, gatherDeclarationsOrThrow(program).tempCount)

  it('has the lines and call frames of a second reader', () => {
    expect(second.instructions.size).toBeGreaterThan(5)
    program.statements.forEach((_, statement) => {
      const own = second.instructions.get(statement)
      const lines = map.linesOf(statement)
      expect(lines === undefined).toBe(own === undefined)
      if (own === undefined || lines === undefined) return
      const { line, column, endColumn } = lines.statement
      expect([line, column, endColumn]).toEqual([own.line, own.column, own.endColumn])
      expect(map.inlineStack(statement).map((f) => [f.functionName, f.range.line])).toEqual(own.frames)
    })
  })

  it('has the variables, types and places of a second reader', () => {
    let placed = 0
    for (const [statement, own] of second.instructions) {
      const isCompared = (leaves: readonly (readonly [string, number])[]): boolean =>
        leaves.length > 0 && leaves.every(([, scalar]) => !second.indexed.has(scalar))
      const names = own.variables.filter((v) => isCompared(v.leaves)).map((v) => v.name)
      const found = map.variablesAt(statement).filter((v) => v.frame === 0)
      expect(found.map((v) => v.name)).toEqual(own.variables.map((v) => v.name))
      const got = found.filter((v) => names.includes(v.name) && v.type.kind !== 'object').flatMap(tablePlaces)
      const want = own.variables
        .filter((v) => isCompared(v.leaves))
        .flatMap((v) => v.leaves.map(([path, scalar]) => `${path} ${second.placeAt(statement, scalar) ?? 'nowhere'}`))
      // What no scalar was kept of has no type in the tables: its parts are not listed.
      const isPlaced = (text: string): boolean => !text.endsWith('nowhere')
      expect(got.filter(isPlaced)).toEqual(want.filter(isPlaced))
      expect(want).toEqual(expect.arrayContaining(got))
      const whole = own.variables.filter((v) => isCompared(v.leaves) && v.leaves.every(([, scalar]) => scalar >= 0))
      const parts = whole.flatMap((v) => v.leaves.map(([path]) => path))
      expect(got.map((text) => text.split(' ')[0])).toEqual(expect.arrayContaining(parts))
      placed += want.filter(isPlaced).length
    }
    expect(placed).toBeGreaterThan(0)
  })
})
