import { describe, expect, it } from 'vitest'
import { statementLister } from '../src/asm/index.ts'
import { check, DETECTOR_NAMES, renderReport } from '../src/check/index.ts'
import { hasErrors } from '../src/diagnostic/index.ts'
import {
  type Declarations,
  gatherComputeDeclarations,
  matchBindings,
  type ResourceDeclaration,
} from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { DIMENSION_NUMBER } from '../src/isa/index.ts'
import {
  type Bindings,
  type BindingValue,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  printSlot,
} from '../src/machine/index.ts'
import { decodeProgram } from '../src/program/index.ts'
import { codeChunk, corpusFiles } from './support/corpus.ts'

const FORMATS = ['R32_FLOAT', 'R32_UINT', 'R32_SINT', 'R8G8B8A8_UNORM'] as const
const BYTES = 4096
const TEXTURES: Readonly<Record<number, readonly [string, object]>> = {
  [DIMENSION_NUMBER.texture1d]: ['texture1d', {}],
  [DIMENSION_NUMBER.texture1darray]: ['texture1d', { arraySize: 4 }],
  [DIMENSION_NUMBER.texture2d]: ['texture2d', { height: 16 }],
  [DIMENSION_NUMBER.texture2darray]: ['texture2d', { height: 16, arraySize: 4 }],
  [DIMENSION_NUMBER.texture2dms]: ['texture2d', { height: 16, sampleCount: 4 }],
  [DIMENSION_NUMBER.texture2dmsarray]: ['texture2d', { height: 16, arraySize: 4, sampleCount: 4 }],
  [DIMENSION_NUMBER.texture3d]: ['texture3d', { height: 16, depth: 4 }],
  [DIMENSION_NUMBER.texturecube]: ['texture2d', { width: 16, height: 16, arraySize: 6, cube: true }],
  [DIMENSION_NUMBER.texturecubearray]: ['texture2d', { width: 16, height: 16, arraySize: 12, cube: true }],
}

function view(d: ResourceDeclaration, uav: boolean, seed: number): BindingValue | undefined {
  const make = uav ? createUav : createSrv
  const data = new Uint32Array(BYTES / 4).map((_, i) => Math.imul(i + seed, 2654435761) >>> 3)
  if (d.shape === 'structured') {
    const whole = Math.floor(BYTES / d.stride) * d.stride
    const buffer = createBuffer({ data: new Uint8Array(data.buffer, 0, whole), stride: d.stride }).value!
    return uav ? createUav(buffer, { counter: 'counter', initialCount: 3 }) : createSrv(buffer)
  }
  if (d.shape === 'raw') return make(createBuffer({ data }).value!, { raw: true })
  for (const format of FORMATS) {
    const found = typedView(d, uav, format, data)
    if (found !== undefined && !hasErrors(found.diagnostics) && isTypeOf(d, format)) return found
  }
  return undefined
}

const RETURN_TYPE_OF = { R32_FLOAT: 5, R32_UINT: 4, R32_SINT: 3, R8G8B8A8_UNORM: 1 } as const
const isTypeOf = (d: ResourceDeclaration, format: (typeof FORMATS)[number]): boolean =>
  (d.returnTypes & 15) === RETURN_TYPE_OF[format]

function typedView(d: ResourceDeclaration, uav: boolean, format: string, data: Uint32Array) {
  if (d.dimension === DIMENSION_NUMBER.buffer) {
    const buffer = createBuffer({ data }).value!
    return uav ? createUav(buffer, { format }) : createSrv(buffer, { format })
  }
  const [dimension, sizes] = TEXTURES[d.dimension] ?? ['texture2d', { height: 16 }]
  const texture = createTexture({ dimension: dimension as 'texture2d', format, width: 16, ...sizes }).value
  if (texture === undefined) return undefined
  return uav ? createUav(texture) : createSrv(texture)
}

/** Something for every slot that a program declares; slots of kinds that are not made here stay unbound. */
function bindingsFor(d: Declarations): Bindings {
  const bound: Record<string, BindingValue> = {}
  const add = (
    register: 't' | 'u' | 'b' | 's',
    r: { first: number; space: number },
    value: BindingValue | undefined,
  ): void => {
    if (value !== undefined) bound[printSlot({ register, index: r.first, space: r.space })] = value
  }
  for (const [i, r] of d.resources.entries()) add('t', r, view(r, false, i))
  for (const [i, r] of d.uavs.entries()) add('u', r, view(r, true, i + 50))
  for (const r of d.constantBuffers) add('b', r, createCbv(new Uint32Array(64).fill(7)))
  for (const r of d.samplers) add('s', r, createSampler({ filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' }))
  return bound
}

const shaders = corpusFiles().filter((f) => f.name.startsWith('cs/') || (f.synthetic && f.name.includes('cs')))
const ENGINE = createReferenceEngine({})
const LIMIT = 3000

function contents(bindings: Bindings): Uint8Array[] {
  return Object.entries(bindings)
    .filter(([slot]) => slot.startsWith('u'))
    .map(([, value]) => {
      const uav = value !== null && value !== undefined && 'value' in value ? value.value : undefined
      return uav !== undefined && 'storage' in uav ? uav.storage.bytes.slice() : new Uint8Array(0)
    })
}

describe('compute shaders of the corpus under the checker', () => {
  it('run to their end in waves of every width, and leave what they leave without it', async () => {
    let checked = 0
    for (const { name, bytes } of shaders) {
      const program = decodeProgram(codeChunk(bytes)).value
      const declarations = program === undefined ? undefined : gatherComputeDeclarations(program).value
      const loaded = program === undefined ? undefined : ENGINE.load(program).value
      if (program === undefined || declarations === undefined || loaded === undefined) continue
      const waveWidth = ([32, 64, 4, 1] as const)[checked % 4]!
      const schedule = { waveWidth, order: 'forward', groupsInFlight: 2 } as const
      const plain = bindingsFor(declarations)
      const matched = matchBindings(declarations, plain)
      if (!matched.ok) continue
      await ENGINE.dispatch(loaded, matched.value, [2, 1, 1], { schedule, maxInstructionsPerThread: LIMIT })
      const watched = bindingsFor(declarations)
      const report = await check(ENGINE, program, watched, [2, 1, 1], {
        schedule,
        detectors: DETECTOR_NAMES.filter((d) => d !== 'schedules'),
        uninitializedUavs: true,
        maxInstructionsPerThread: LIMIT,
        lister: statementLister,
      })
      expect([name, report.partial === 'refused']).toEqual([name, false])
      expect(renderReport(report)).not.toMatch(/undefined at|NaN of|\[object/)
      expect(contents(watched)).toEqual(contents(plain))
      checked++
    }
    expect(checked).toBeGreaterThan(60)
  })
})
