import { describe, expect, it } from 'vitest'
import { corpusFile, corpusFiles } from '../../test/support/corpus.ts'
import { findChunk, readDatabase, readDxbcOrThrow, stripChunks } from '../dxbc/index.ts'
import { readShader } from '../shader/index.ts'
import { type SourceType, sourceOf, sourceTypeText } from './index.ts'

const SHADERS = corpusFiles().flatMap(({ name, bytes }) => {
  const shader = readShader(bytes).value
  const chunk = shader === undefined ? undefined : findChunk(shader.container, 'SPDB')
  return shader === undefined || chunk === undefined ? [] : [{ name, shader, data: chunk.data }]
})

it('has the ranges of every variable inside its function, and gaps inside ranges', () => {
  let ranges = 0
  for (const { data } of SHADERS) {
    const { scopes } = readDatabase(data).value!.modules[0]!
    const procedure = scopes.find((s) => s.kind === 'procedure')!
    for (const range of scopes.flatMap((s) => s.variables.flatMap((v) => v.ranges))) {
      ranges++
      expect(range.start).toBeGreaterThanOrEqual(procedure.byteOffset)
      expect(range.end).toBeLessThanOrEqual(procedure.byteOffset + procedure.byteLength)
      for (const gap of range.gaps) {
        expect(gap.start).toBeGreaterThanOrEqual(range.start)
        expect(gap.end).toBeLessThanOrEqual(range.end)
      }
    }
  }
  expect(ranges).toBeGreaterThan(1000)
})

it.each(SHADERS)('$name: constants without reflection are where reflection has them', ({ shader }) => {
  const constants = (map: ReturnType<typeof sourceOf>['value']) =>
    map.variablesAt(0).flatMap((v) => (v.kind === 'constant' && v.home.kind === 'constants' ? [v] : []))
  const stripped = { ...shader, container: stripChunks(shader.container, ['RDEF']) }
  const known = new Map(constants(sourceOf(shader).value).map((v) => [v.name, v]))
  for (const v of constants(sourceOf(stripped).value)) {
    expect(known.get(v.name)?.home).toEqual(v.home)
    // In Shader Model 5.1 fxc writes no number of elements.
    const text = sourceTypeText(v.type)
    const full = sourceTypeText(known.get(v.name)!.type)
    expect(text).toBe(text.includes('[]') ? full.replace(/\[\d+\]/, '[]') : full)
  }
})

describe('types of debug data', () => {
  const typeOf = (name: string, variable: string): SourceType => {
    const shader = readShader(corpusFile(name).bytes).value!
    const { value: map } = sourceOf(shader)
    const all = shader.program.statements.flatMap((_, at) => map.variablesAt(at))
    return all.find((v) => v.name === variable && v.frame !== undefined)!.type
  }

  it('have members where HLSL packs them in registers', () => {
    // struct PC { float e[4]; float i[2]; float4 b[6]; float3 corner[4]; }: 4, 8, 96 and 48 bytes, without padding.
    const type = typeOf('hs/quad.zi', 'o') as Extract<SourceType, { kind: 'structure' }>
    expect(type.name).toBe('PC')
    expect(type.members.map((m) => `${sourceTypeText(m.type)} ${m.name} ${m.byteOffset}`)).toEqual([
      'float[4] e 0',
      'float[2] i 16',
      'float4[6] b 24',
      'float3[4] corner 120',
    ])
  })

  it('are the same from both kinds of debug data', () => {
    for (const variable of ['in_', 'l', 'c0', 'z', 't', 'i', 'base']) {
      const texts = ['zi', 'v9'].map((tag) => sourceTypeText(typeOf(`cs/real_light_cull.${tag}`, variable)))
      expect(texts[0]).toBe(texts[1])
    }
  })
})

it('reads what the compiler was given', () => {
  const { settings, compiler } = readDatabase(
    findChunk(readDxbcOrThrow(corpusFile('ps/include_zi').bytes), 'SPDB')!.data,
  ).value!
  expect(compiler).toBe('Microsoft (R) HLSL Shader Compiler 10.1')
  expect([settings.get('hlslTarget'), settings.get('hlslEntry')]).toEqual(['ps_5_0', 'main'])
})
