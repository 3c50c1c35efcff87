import { describe, expect, it } from 'vitest'
import { createDrawTimeLine, type DrawTimeLine } from '../../src/debug/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { prepare, type Scene, wordsBuffer } from '../support/draw-text.ts'

// Where the debugger stops for what fixed functions find: clocks are counted by hand, statements of one wave after the other.

const lines = (...l: readonly string[]): string => `${l.join('\n')}\n`

/** Two statements: mov and ret. */
const points = (count: number): number[][] => Array.from({ length: count }, (_, x) => [x, 0, 0, 1])

async function lineOf(
  scene: Scene,
  streams?: { readonly semantic: string; readonly index: number; readonly bytes: number },
) {
  const buffer = wordsBuffer(4096)
  const entry = streams && {
    ...{ stream: 0, semanticName: streams.semantic, semanticIndex: streams.index },
    ...{ startComponent: 0, componentCount: 1, outputSlot: 0 },
  }
  const streamOutput = entry && { declaration: [entry], rasterizedStream: null }
  const target = streams && { storage: buffer.storage, byteLength: streams.bytes, filled: 0 }
  const { pipeline, resources, call } = prepare({
    ps: null,
    ...scene,
    state: {
      depthStencil: { depthEnable: false },
      ...scene.state,
      ...(streamOutput === undefined ? {} : { streamOutput }),
    },
    resources: { ...scene.resources, streamOutputBuffers: target === undefined ? [] : [target] },
  })
  const schedule = { waveWidth: 32, order: 'forward', groupsInFlight: 1 } as const
  const engine = createReferenceEngine({})
  const source = { engine, pipeline: valueOrThrow(pipeline), resources, call, options: { schedule } }
  return (await createDrawTimeLine(source))!
}

/** The one finding with a code, where it stops in both directions, and the word of the listing that was executed. */
async function stopOf(line: DrawTimeLine, code: string) {
  const found = (await line.findings()).filter((f) => f.code === code)
  expect(found.length).toBe(1)
  const condition = { kind: 'finding', codes: [code] } as const
  const { clock, reason } = await line.run('forward', [condition])
  expect(reason).toBe('condition')
  expect(clock).toBe(found[0]!.before + 1)
  await line.goTo(line.end)
  if (line.end !== clock) expect((await line.run('backward', [condition])).clock).toBe(clock)
  const { stage, before, thread, invocation, statement } = found[0]!
  return { stage, before, thread: thread.thread, invocation, statement }
}

const FULL = 'check-stream-overflow'

describe('a full stream stops the run', () => {
  it('where the vertex shader ends for the last vertex of the primitive', async () => {
    const scene = { vertices: points(40), state: { topology: 'POINTLIST' }, call: { vertexCount: 40 } } as const
    const room = (count: number) => lineOf(scene, { semantic: 'SV', index: 1, bytes: count * 4 })
    // A wave of 32 vertices executes mov and ret at clocks 0 and 1, that of the other 8 at 2 and 3.
    const mov = 2
    const ret = { stage: 'vertex', statement: mov + 1 }
    expect(await stopOf(await room(5), FULL)).toEqual({
      ...ret,
      before: 1,
      thread: 5,
      invocation: 'vertex 5 of instance 0',
    })
    expect(await stopOf(await room(35), FULL)).toEqual({
      ...ret,
      before: 3,
      thread: 35,
      invocation: 'vertex 35 of instance 0',
    })
  })

  it('of an instance of a strip, by its last vertex', async () => {
    const call = { vertexCount: 4, instanceCount: 3 }
    const line = await lineOf(
      { vertices: points(4), state: { topology: 'TRIANGLESTRIP' }, call },
      { semantic: 'SV', index: 1, bytes: 3 * 3 * 4 },
    )
    // Two triangles an instance: the fourth is the second of instance 1, of its vertices 1, 2 and 3.
    expect(await stopOf(line, FULL)).toMatchObject({ thread: 7, invocation: 'vertex 3 of instance 1' })
  })

  it('at the emit of a geometry shader that completes the primitive', async () => {
    const gs = lines(
      'gs_5_0',
      'dcl_input v[1][0].xyzw',
      'dcl_inputprimitive point',
      'dcl_stream m0',
      'dcl_outputtopology trianglestrip',
      'dcl_output o0.xyzw',
      'dcl_maxout 5',
      ...['emit', 'emit', 'emit', 'emit', 'cut', 'emit', 'ret'],
    )
    const scene = { vertices: points(3), gs, state: { topology: 'POINTLIST' }, call: { vertexCount: 3 } } as const
    const room = (count: number) => lineOf(scene, { semantic: 'R', index: 0, bytes: count * 3 * 4 })
    // The vertices take clocks 0 and 1. Two triangles an invocation, at its third and its fourth emit.
    const declarations = 6
    for (const [left, invocation, emit] of [
      [0, 0, 2],
      [1, 0, 3],
      [2, 1, 2],
      [5, 2, 3],
    ] as const) {
      const { invocation: name, ...found } = await stopOf(await room(left), FULL)
      const statement = declarations + emit
      expect(found).toEqual({ stage: 'geometry', before: 2 + emit, thread: invocation, statement })
      expect(name).toContain(`primitive ${invocation}`)
    }
  })

  it('where the domain shader ends for the last point of the primitive', async () => {
    const hs = lines(
      ...['hs_5_0', 'hs_decls', 'dcl_input_control_point_count 1', 'dcl_output_control_point_count 1'],
      ...['dcl_tessellator_domain domain_isoline', 'dcl_tessellator_partitioning partitioning_integer'],
      'dcl_tessellator_output_primitive output_point',
      'hs_fork_phase',
      'dcl_output_siv o0.x, finalLineDensityTessFactor',
      'dcl_output_siv o1.x, finalLineDetailTessFactor',
      ...['mov o0.x, l(1.0)', 'mov o1.x, l(3.0)', 'ret'],
    )
    const ds = lines(
      ...['ds_5_0', 'dcl_input_control_point_count 1', 'dcl_tessellator_domain domain_isoline'],
      ...['dcl_input vDomain.xy', 'dcl_output o0.xy', 'mov o0.xy, vDomain.xyxx', 'ret'],
    )
    const state = { topology: '1_CONTROL_POINT_PATCHLIST' } as const
    const scene = { vertices: points(2), hs, ds, state, call: { vertexCount: 2 } } as const
    // A line of three segments has four points: the sixth of all is point 1 of patch 1. vs 2, fork phase 3, then mov and ret.
    const line = await lineOf(scene, { semantic: 'R', index: 0, bytes: 5 * 4 })
    expect(await stopOf(line, FULL)).toMatchObject({ stage: 'domain', before: 6, thread: 5 })
    expect((await line.findings())[0]!.invocation).toContain('domain point 1 of patch 1')
  })
})

describe('a tessellation factor above the declared one stops the run', () => {
  /** The detail of patch n is n; a second phase may write another one over it. */
  const hull = (...more: readonly string[]): string =>
    lines(
      ...['hs_5_0', 'hs_decls', 'dcl_input_control_point_count 1', 'dcl_output_control_point_count 1'],
      ...['dcl_tessellator_domain domain_isoline', 'dcl_tessellator_partitioning partitioning_integer'],
      ...['dcl_tessellator_output_primitive output_point', 'dcl_hs_max_tessfactor l(2.5)'],
      ...['hs_fork_phase', 'dcl_input vPrim', 'dcl_output_siv o0.x, finalLineDensityTessFactor'],
      ...['dcl_output_siv o1.x, finalLineDetailTessFactor', 'dcl_temps 1'],
      ...['utof r0.x, vPrim', 'mov o0.x, l(1.0)', 'mov o1.x, r0.x', 'ret'],
      ...more,
    )
  const ds = lines(
    ...['ds_5_0', 'dcl_input_control_point_count 1', 'dcl_tessellator_domain domain_isoline'],
    ...['dcl_input vDomain.xy', 'dcl_output_siv o0.xyzw, position', 'mov o0.xyzw, vDomain.xyxx', 'ret'],
  )
  const state = { topology: '1_CONTROL_POINT_PATCHLIST' } as const
  const scene = (hs: string) => ({ vertices: points(6), hs, ds, state, call: { vertexCount: 6 } }) as const

  it('where it is written', async () => {
    // The vertices take clocks 0 and 1, the phase begins at 2 and writes the detail in its third statement.
    const found = await stopOf(await lineOf(scene(hull())), 'pipeline-undefined')
    expect(found).toMatchObject({ stage: 'hull', before: 4, thread: 3 })
    expect(found.invocation).toContain('patch 3')
  })

  it('where it is written last', async () => {
    const second = ['hs_fork_phase', 'dcl_input vPrim', 'dcl_output_siv o1.x, finalLineDetailTessFactor', 'dcl_temps 1']
    const body = ['utof r0.x, vPrim', 'add r0.x, r0.x, l(2.0)', 'mov o1.x, r0.x', 'ret']
    // Patch 1 gets 3 from the second phase, which begins at clock 6; patch 0 gets 2.
    const found = await stopOf(await lineOf(scene(hull(...second, ...body))), 'pipeline-undefined')
    expect(found).toMatchObject({ stage: 'hull', before: 8, thread: 1 })
  })
})
