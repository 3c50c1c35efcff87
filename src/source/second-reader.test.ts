import { expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import { readSecondPdb, type SecondLocal, type SecondPdb } from '../../test/support/second-pdb.ts'
import { findChunk } from '../dxbc/index.ts'
import { registerFile } from '../isa/index.ts'
import { readShader } from '../shader/index.ts'
import { childrenOf, type SourceValue, sourceOf, wordsOf } from './index.ts'
import { NO_POSITION, positionsOf } from './positions.ts'

const SHADERS = corpusFiles().flatMap((file) => {
  const shader = readShader(file.bytes).value
  const chunk = shader === undefined ? undefined : findChunk(shader.container, 'SPDB')
  return shader === undefined || chunk === undefined ? [] : [{ name: file.name, shader, data: chunk.data }]
})

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
