import { describe, expect, it } from 'vitest'
import { corpusFile } from '../../test/support/corpus.ts'
import { valueOrThrow } from '../diagnostic/index.ts'
import { matchBindingsOrThrow } from '../engine/index.ts'
import { createReferenceEngine, numberOps } from '../engine/reference/index.ts'
import { createBuffer, createCbv, createSrv, createTexture, createUav } from '../machine/index.ts'
import { stateOfGroup } from '../session/state.ts'
import { readShader } from '../shader/index.ts'
import { evaluateCondition, parseExpression, sourceOf } from './index.ts'

const LIGHTS = 300

/** Numbers that differ, without an order. */
const noise = (i: number): number => ((i * 7919) % 1009) / 1009

function bindingsOf() {
  const data = Float32Array.from({ length: 48 * 48 }, (_, i) => noise(i))
  const depth = valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 48, height: 48, data }),
  )
  const lights = Float32Array.from({ length: LIGHTS * 8 }, (_, i) => noise(i) * 4)
  const constants = new Float32Array(20)
  for (let i = 0; i < 16; i++) constants[i] = noise(i + 1)
  // size, total and tilesX lie behind the matrix.
  new Uint32Array(constants.buffer).set([40, 37, LIGHTS, 3], 16)
  const counts = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 4 }))
  const lists = valueOrThrow(createBuffer({ byteLength: 9 * 128 * 4 }))
  return {
    b0: valueOrThrow(createCbv(constants)),
    t0: valueOrThrow(createSrv(depth)),
    t1: valueOrThrow(createSrv(valueOrThrow(createBuffer({ data: lights, stride: 32 })))),
    u0: valueOrThrow(createUav(lists, { format: 'R32_UINT' })),
    u1: valueOrThrow(createUav(counts)),
  }
}

/** What holds wherever all of its variables are available, by the text of cs/real_light_cull.hlsl. */
const FACTS = [
  't.x == g.x * 16 + i % 16 && t.y == g.y * 16 + i / 16',
  'c0.x == (g.x + (i == 1 || i == 2 ? 1 : 0)) * 16.0',
  'c0.y == (g.y + (i >= 2 ? 1 : 0)) * 16.0',
  'c1.x == (g.x + (i == 0 || i == 1 ? 1 : 0)) * 16.0',
  'z == depth[t.xy]',
  'l % 256 == i && l >= i',
  'L.pos.x == lights[l].pos.x && L.pos.z == lights[l].pos.z && L.radius == lights[l].radius',
  's < cnt',
  'c == min(cnt, 128u)',
  'base == (g.y * tilesX + g.x) * 128',
  'w % 256 == i && w >= i',
]

const CASES = [
  { name: 'cs/real_light_cull.zi', unknown: 'nothing' },
  // Its compiler kept no scalars of L (firstVariable is -1).
  { name: 'cs/real_light_cull.v9', unknown: 'L' },
]

describe.each(CASES)('$name, run', ({ name, unknown }) => {
  it('has in every variable what the source puts there', () => {
    const shader = readShader(corpusFile(name).bytes).value!
    const { value: map } = sourceOf(shader)
    const engine = createReferenceEngine({})
    const loaded = valueOrThrow(engine.load(shader.program))
    const bindings = matchBindingsOrThrow(loaded.declarations, bindingsOf())
    const execution = valueOrThrow(engine.begin(loaded, bindings, { kind: 'grid', groups: [3, 3, 1] }))
    const operations = numberOps({ denormals: 'flush' })
    const facts = FACTS.map((text) => ({ text, expression: parseExpression(text).value!, held: 0 }))
    const wrong: string[] = []
    let steps = 0
    for (let next = execution.next!(); next !== undefined && steps < 1600; next = execution.next!(), steps++) {
      const { group, wave: number, statement } = next
      const found = execution.inspect!().find((g) => g.position.every((n, i) => n === group[i]))!
      const wave = found.waves[number]!
      const active = Array.from({ length: 32 }, (_, l) => l).filter((l) => ((wave.active.low >>> l) & 1) === 1)
      const lane = wave.firstThread + active[steps % active.length]!
      const state = stateOfGroup({ declarations: loaded.declarations, bindings }, found)
      for (const fact of facts) {
        const { value, diagnostics } = evaluateCondition(fact.expression, { map, state, operations, statement, lane })
        const code = diagnostics[0]?.code
        // A variable that the scope does not have yet is unknown; one that has no register here is not available.
        if (value === undefined && code !== 'source-unavailable' && code !== 'source-name') wrong.push(code!)
        if (value === false) wrong.push(`${fact.text} at statement ${statement}, lane ${lane}`)
        if (value === true) fact.held++
      }
      execution.step!(1)
    }
    execution.dispose()
    expect([...new Set(wrong)]).toEqual([])
    const never = facts.filter((f) => f.held === 0).map((f) => f.text)
    expect(never).toEqual(FACTS.filter((text) => text.startsWith(`${unknown}.`)))
  })
})
