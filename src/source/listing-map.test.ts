import { expect, it } from 'vitest'
import { corpusFile } from '../../test/support/corpus.ts'
import { readShader } from '../shader/index.ts'
import { childNamed, childrenOf, sourceOf, sourceTypeText, wordsOf } from './index.ts'

const map = sourceOf(readShader(corpusFile('cs/real_light_cull').bytes).value!).value

it('takes the listing for the source where there is no debug data', () => {
  expect(map.origin).toBe('listing')
  const lines = map.files[0]!.text!.split('\n')
  for (const line of map.linesWithStatements(0)) {
    const [statement] = map.statementsOf(0, line)
    expect(map.linesOf(statement!)!.statement.line).toBe(line)
    expect(lines[line - 1]).not.toMatch(/^dcl_/)
  }
})

it('has the names of reflection for constants and resources', () => {
  const variables = map.variablesAt(map.statementsOf(0, map.linesWithStatements(0)[0]!)[0]!)
  const named = (name: string) => variables.find((v) => v.name === name)!
  // cbuffer P : register(b0) { float4x4 invProj; uint2 size; uint total; uint tilesX; }: size is at byte 64.
  expect(sourceTypeText(named('size').type)).toBe('uint2')
  const constant = { kind: 'register', file: 'constant-buffer', indices: [0, 4] }
  expect(wordsOf(named('size'))).toEqual([
    { ...constant, component: 0 },
    { ...constant, component: 1 },
  ])
  // struct Light { float3 pos; float radius; float3 color; uint flags; }: color.y of lights[3] is at byte 20 of element 3.
  const color = childNamed(childNamed(named('lights'), 3)!, 'color')!
  expect(color.path).toBe('lights[3].color')
  expect(wordsOf(childrenOf(color)[1]!)).toEqual([
    { kind: 'memory', file: 'resource', indices: [1], address: { kind: 'structured', element: 3, byteOffset: 20 } },
  ])
})

it('has the components of registers that the program declares', () => {
  const [at] = map.statementsOf(0, map.linesWithStatements(0)[0]!)
  const typeOf = (name: string): string => sourceTypeText(map.variablesAt(at!).find((v) => v.name === name)!.type)
  // dcl_input vThreadIDInGroupFlattened; dcl_input vThreadGroupID.xy; dcl_input vThreadID.xy
  expect(['vThreadIDInGroupFlattened', 'vThreadGroupID', 'vThreadID', 'r0'].map(typeOf)).toEqual([
    'uint',
    'uint2',
    'uint2',
    'float4',
  ])
})
