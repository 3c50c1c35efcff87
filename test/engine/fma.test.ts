import { describe, expect, test } from 'vitest'
import { parseProgram } from '../../src/asm/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine, LoadOptions } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createSrv, createUav, resolveBindings } from '../../src/machine/index.ts'

const THREADS = 256
const WASM = ([1, 2, 4] as const).map((width) => createWasmEngineWith({ threads: 1, width }))
const REFERENCE = createReferenceEngine({})

const program = (mad: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, 12
dcl_uav_structured u0, 4
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_thread_group ${THREADS}, 1, 1
mov r0.w, vThreadIDInGroupFlattened.x
ld_structured_indexable(structured_buffer, stride=12)(mixed,mixed,mixed,mixed) r0.xyz, r0.w, l(0), t0.xyzx
${mad} r1.x, r0.x, r0.y, r0.z
store_structured u0.x, r0.w, l(0), r1.x
ret
`

/** Factors near 1 and their product's negation: what is left of the sum is the rounding error of the product. */
function canceling(): Float32Array<ArrayBuffer> {
  const words = new Float32Array(THREADS * 3)
  let x = 7
  for (let i = 0; i < THREADS; i++) {
    const next = (): number => {
      x = (Math.imul(x, 1664525) + 1013904223) >>> 0
      return Math.fround(1 + (x >>> 9) / 2 ** 23)
    }
    const [a, b] = [next(), next()]
    words.set([a, b, -Math.fround(a * b)], i * 3)
  }
  return words
}

async function results(engine: Engine, mad: string, options: LoadOptions): Promise<readonly number[]> {
  const shader = valueOrThrow(engine.load(valueOrThrow(parseProgram(program(mad))), options))
  const output = valueOrThrow(createBuffer({ byteLength: THREADS * 4, stride: 4 }))
  const input = valueOrThrow(createBuffer({ data: canceling(), stride: 12 }))
  const bindings = valueOrThrow(
    resolveBindings({ t0: valueOrThrow(createSrv(input)), u0: valueOrThrow(createUav(output)) }),
  )
  const result = await engine.dispatch(shader, bindings, [1, 1, 1])
  expect(result.stopped).toBeUndefined()
  return [...output.storage.words]
}

describe('roundings of mad', () => {
  test('two and one differ in what this looks at', async () => {
    const twice = await results(REFERENCE, 'mad', { fma: 'never' })
    const once = await results(REFERENCE, 'mad', { fma: 'always' })
    expect(twice.every((w) => w === 0)).toBe(true)
    expect(once.filter((w) => w !== 0).length).toBeGreaterThan(THREADS / 2)
    for (const engine of WASM) {
      expect(await results(engine, 'mad', {})).toEqual(twice)
      expect(await results(engine, 'mad', { fma: 'always' })).toEqual(once)
    }
  })

  test('allow gives each lane one of the two', async () => {
    const twice = await results(REFERENCE, 'mad', { fma: 'never' })
    const once = await results(REFERENCE, 'mad', { fma: 'always' })
    for (const engine of [REFERENCE, ...WASM]) {
      const words = await results(engine, 'mad', { fma: 'allow' })
      words.forEach((w, i) => void expect([twice[i], once[i]]).toContain(w))
    }
  })

  test('precise instructions round twice whatever is allowed (token format, bits 19 to 22)', async () => {
    const twice = await results(REFERENCE, 'mad', { fma: 'never' })
    for (const engine of [REFERENCE, ...WASM]) {
      for (const fma of ['always', 'allow'] as const) {
        expect(await results(engine, 'mad [precise(x)]', { fma })).toEqual(twice)
      }
    }
  })
})
