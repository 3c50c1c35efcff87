import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { compileThresholds, type StreamOutputEntry } from '../../src/pipeline/index.ts'
import { draw, float, wordsBuffer } from '../support/draw-text.ts'
import { takePaths, watchPaths } from '../support/frames/paths.ts'

// Points that no index names twice go from the vertex shader's columns to the geometry shader's, and from there to stream output.

const WASM = createWasmEngineWith({ threads: 1 })
const before = { ...compileThresholds }
beforeAll(() => {
  Object.assign(compileThresholds, { vertices: 1, vertexWords: 1 })
})
afterAll(() => {
  Object.assign(compileThresholds, before)
  WASM.dispose?.()
})

/** Registers 1 and 3 of v0 and v1; the geometry shader reads 0 to 4, of which 0, 2 and 4 are not written. */
const VS = [
  'vs_5_0',
  'dcl_input v0.xyzw',
  'dcl_input_sgv v1.x, vertex_id',
  'dcl_input_sgv v2.x, instance_id',
  'dcl_output o1.xyzw',
  'dcl_output o3.xy',
  'mov o1.xyzw, v0.xyzw',
  'utof o3.x, v1.x',
  'utof o3.y, v2.x',
  'ret',
  '',
].join('\n')

/** As many points as v1.x says, each with its number, the primitive and what the vertex shader left. */
function geometryShader(most: number): string {
  return [
    'gs_5_0',
    ...[0, 1, 2, 3, 4].map((r) => `dcl_input v[1][${r}].xyzw`),
    'dcl_input vPrim',
    'dcl_temps 2',
    'dcl_inputprimitive point',
    'dcl_stream m0',
    'dcl_outputtopology pointlist',
    'dcl_output o1.xyzw',
    'dcl_output o2.xyzw',
    `dcl_maxout ${most}`,
    'utof r0.y, vPrim',
    // Registers that nobody writes are 0.
    'add r0.z, v[0][0].x, v[0][2].y',
    'add r0.z, r0.z, v[0][4].z',
    'mov r0.x, l(0.0)',
    'loop',
    'ge r1.x, r0.x, v[0][1].x',
    'breakc_nz r1.x',
    'mov o1.xyz, r0.xyzx',
    'mov o1.w, v[0][1].y',
    'mov o2.xy, v[0][3].xyxx',
    'mov o2.zw, v[0][1].zzzw',
    'emit_stream m0',
    'add r0.x, r0.x, l(1.0)',
    'endloop',
    'ret',
    '',
  ].join('\n')
}

const entry = (semanticIndex: number | null, startComponent: number, componentCount: number): StreamOutputEntry => ({
  stream: 0,
  semanticName: semanticIndex === null ? null : 'R',
  semanticIndex: semanticIndex ?? 0,
  startComponent,
  componentCount,
  outputSlot: 0,
})

/** What a row has: the number, primitive, zero and second word of a point; its vertex, instance, third and fourth word. */
const WHOLE = [entry(1, 0, 4), entry(2, 0, 4)]
/** The same with gaps, of three and one words. */
const PARTS = [entry(1, 0, 3), entry(null, 0, 1), entry(2, 0, 1), entry(1, 3, 1)]

interface Points {
  readonly most: number
  readonly vertexCount: number
  readonly instanceCount?: number
  readonly startVertex?: number
  readonly declaration?: readonly StreamOutputEntry[]
  readonly stride?: number
  /** Rows that the buffer has room for. */
  readonly room: number
}

const STARTED = 8

/** How many points vertex n is to give. */
const countOf = (n: number, most: number): number => (n * 7 + (n >> 3)) % (most + 1)

function drawn(p: Points, engine: Engine) {
  const { declaration = WHOLE, stride = 32, startVertex = 0 } = p
  const all = Array.from({ length: startVertex + p.vertexCount }, (_, n) => [countOf(n, p.most), n + 0.5, -n, n * 3])
  const buffer = wordsBuffer(STARTED / 4 + (p.room * stride) / 4 + 9, undefined, engine.memory)
  buffer.storage.words.fill(0xeeeeeeee)
  const target = { storage: buffer.storage, byteLength: STARTED + p.room * stride, filled: STARTED }
  const result = draw(
    {
      vertices: all,
      vs: VS,
      gs: geometryShader(p.most),
      ps: null,
      call: { vertexCount: p.vertexCount, instanceCount: p.instanceCount ?? 1, startVertex },
      state: {
        topology: 'POINTLIST',
        depthStencil: { depthEnable: false },
        streamOutput: { declaration, rasterizedStream: null, strides: [stride] },
      },
      resources: { streamOutputBuffers: [target] },
    },
    engine,
  )
  return { words: [...buffer.storage.words], filled: target.filled, result }
}

/** The rows that all points give, as words; `undefined` stays as it was. */
function expectedRows(p: Points): (number | undefined)[][] {
  const { startVertex = 0, instanceCount = 1 } = p
  const rows: (number | undefined)[][] = []
  for (let instance = 0; instance < instanceCount; instance++) {
    for (let v = 0; v < p.vertexCount; v++) {
      const n = startVertex + v
      for (let k = 0; k < countOf(n, p.most); k++) {
        const whole = [k, v, 0, n + 0.5, v, instance, -n, n * 3]
        const parts = [k, v, 0, undefined, v, n + 0.5]
        rows.push(p.declaration === PARTS ? parts : whole)
      }
    }
  }
  return rows
}

function check(p: Points, engine: Engine): void {
  const { words, filled, result } = drawn(p, engine)
  const { stride = 32 } = p
  const rows = expectedRows(p)
  const written = rows.slice(0, p.room)
  expect(result.result.streamOutput[0]).toMatchObject({
    primitivesWritten: written.length,
    primitivesStorageNeeded: rows.length,
  })
  expect(filled).toBe(STARTED + written.length * stride)
  const expected = words.map(() => 'as it was' as string | number)
  written.forEach((row, r) => {
    row.forEach((x, c) => {
      if (x !== undefined) expected[STARTED / 4 + (r * stride) / 4 + c] = x
    })
  })
  expect(words.map((w) => (w === 0xeeeeeeee ? 'as it was' : float(w) + 0))).toEqual(expected)
}

describe.each([
  ['reference', createReferenceEngine({})],
  ['compiled', WASM],
] as const)('points of a geometry shader on the engine %s', (name, engine) => {
  it('are those of each vertex in their order, with primitives and vertices of their own', () => {
    watchPaths(engine)
    for (const most of [1, 2, 4, 5]) {
      takePaths()
      check({ most, vertexCount: 300, room: 2000 }, engine)
      const compiled = ['points of invocations copied by one loop', 'attributes fetched by code']
      const paths = ['points of the geometry shader where the vertex shader left them', ...compiled]
      const taken = takePaths()
      expect(paths.filter((path) => !taken.includes(path))).toEqual(name === 'compiled' ? [] : compiled)
    }
  })

  it('of several instances are numbered anew, wherever batches end', () => {
    check({ most: 2, vertexCount: 100, instanceCount: 6, room: 2000 }, engine)
    check({ most: 3, vertexCount: 257, instanceCount: 2, startVertex: 5, room: 2000 }, engine)
  })

  it('leave bytes between and behind rows as they were', () => {
    check({ most: 3, vertexCount: 260, declaration: PARTS, stride: 24, room: 2000 }, engine)
    check({ most: 2, vertexCount: 260, declaration: PARTS, stride: 40, room: 2000 }, engine)
  })

  it('are written as far as there is room', () => {
    const p = { most: 2, vertexCount: 270 }
    const all = expectedRows({ ...p, room: 0 }).length
    for (const room of [0, 1, 7, all - 1, all, all + 1]) check({ ...p, room }, engine)
  })
})
