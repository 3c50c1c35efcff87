import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { findCodeChunk, readDxbcOrThrow } from '../../src/dxbc/index.ts'
import type { DispatchOptions, DispatchResult } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { numberOfStage } from '../../src/isa/index.ts'
import {
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  resolveBindings,
} from '../../src/machine/index.ts'
import { decodeProgram } from '../../src/program/index.ts'
import { amount } from '../support/amount.ts'
import { corpusFiles } from '../support/corpus.ts'

/** Damaged programs, with bindings that need not fit: refused or run to an end, never an exception, never endless. */

const ENGINE = createReferenceEngine({})
const PROGRAMS = amount(150, 600)

function random(seed: number): (n: number) => number {
  let x = seed
  return (n) => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return Math.floor((x / 2 ** 32) * n)
  }
}

const CODE = corpusFiles()
  .filter((f) => f.name.startsWith('cs/') || f.name.startsWith('kernels/'))
  .map((f) => findCodeChunk(readDxbcOrThrow(f.bytes))?.data)
  .filter((data) => data !== undefined)
  // One of the folder is a pixel shader, which no dispatch takes: the version token names the stage.
  .filter((data) => (data[2]! | (data[3]! << 8)) === numberOfStage('compute'))

function damage(code: Uint8Array, next: (n: number) => number): Uint8Array {
  const bytes = code.slice()
  const words = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2)
  const at = 2 + next(words.length - 2)
  const kind = next(4)
  if (kind === 0) words[at]! ^= 1 << next(32)
  else if (kind === 1) words[at] = next(64)
  else if (kind === 2) words[at] = words[2 + next(words.length - 2)]!
  else words[at] = next(2 ** 32)
  return bytes
}

const texture = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 8, height: 8 }))
const buffer = valueOrThrow(createBuffer({ byteLength: 256 }))
const structured = valueOrThrow(createBuffer({ byteLength: 256, stride: 16 }))
const VIEWS = [
  { u: createUav(structured, { counter: 'counter' }), t: createSrv(structured) },
  { u: createUav(buffer, { raw: true }), t: createSrv(buffer, { raw: true }) },
  { u: createUav(texture), t: createSrv(texture) },
  { u: createUav(buffer, { format: 'R32_UINT' }), t: createSrv(buffer, { format: 'R16G16_UINT' }) },
  { u: undefined, t: undefined },
]

function bindings(next: (n: number) => number) {
  const slots = [0, 1, 2, 3].flatMap((i) => {
    const view = VIEWS[next(VIEWS.length)]!
    return [[`u${i}`, view.u] as const, [`t${i}`, view.t] as const]
  })
  const rest = { b0: createCbv(new Uint32Array(64)), s0: createSampler() }
  return resolveBindings({ ...Object.fromEntries(slots), ...rest }).value!
}

function options(next: (n: number) => number): DispatchOptions {
  const base = {
    maxInstructionsPerThread: 500,
    maxDiagnostics: 5,
    undefinedPolicy: (['report', 'poison', 'trap'] as const)[next(3)]!,
    schedule: { waveWidth: ([1, 8, 32, 64] as const)[next(4)]!, order: 'forward', groupsInFlight: 2 } as const,
  }
  const nothing = (): void => {}
  return next(3) === 0 ? { ...base, observer: { instruction: nothing, memory: nothing, write: nothing } } : base
}

describe('damaged programs', () => {
  it('are refused, or run to an end', () => {
    const next = random(2024)
    let refused = 0
    const ends: Record<string, number> = {}
    for (let i = 0; i < PROGRAMS; i++) {
      const program = decodeProgram(damage(CODE[next(CODE.length)]!, next)).value!
      const { value } = ENGINE.load(program, next(2) === 0 ? {} : { minPrecision: 'round', denormals: 'keep' })
      if (value === undefined) {
        refused++
        continue
      }
      const result = ENGINE.dispatch(value, bindings(next), [1, 2, 1], options(next)) as DispatchResult
      const end = result.stopped ?? 'done'
      ends[end] = (ends[end] ?? 0) + 1
    }
    // The mixture has everything in it.
    expect(refused).toBeGreaterThan(PROGRAMS / 20)
    expect(Object.keys(ends).sort()).toEqual(['budget', 'done', 'trap'])
  })
})
