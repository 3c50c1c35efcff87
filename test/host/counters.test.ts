import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { assembleOrThrow, Device, rtv, uav } from '../../src/index.ts'
import { parseDescription, runFrameOn } from '../../src/job/index.ts'
import { counterValue, createBuffer, createUav } from '../../src/machine/index.ts'
import { leftOf, draw as run, type Scene } from '../support/draw-text.ts'
import { memoryHost } from '../support/jobs.ts'
import { signatureText } from '../support/signature-text.ts'

// Hidden counters of structured buffers in draws: OMSetRenderTargetsAndUnorderedAccessViews has initial counts of its own (5.3.10).

const ENGINES = [createReferenceEngine({}), createWasmEngineWith({ threads: 1 })]

/** Each pixel of the left column takes a number and writes it to its place. */
const PIXEL = `ps_5_0
dcl_uav_structured_opc u1, 4
dcl_output o0.xyzw
dcl_temps 1
imm_atomic_alloc r0.x, u1
store_structured u1.x, r0.x, l(0), l(0x00000001)
utof o0.xyzw, r0.xxxx
ret
`

describe.each(ENGINES.map((e) => [e.name, e] as const))('counters of draws on %s', (_name, engine) => {
  const scene = (initialCount?: number) => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 256, stride: 4, memory: engine.memory }))
    const options = { counter: 'counter', memory: engine.memory, initialCount } as const
    const view = valueOrThrow(createUav(buffer, options))
    const drawn: Scene = { vertices: leftOf(1), ps: PIXEL, resources: { unorderedAccess: { u1: view } } }
    return {
      drawn,
      count: () => (view.shape === 'structured' && view.counter !== undefined ? counterValue(view.counter) : undefined),
      written: () => [...buffer.storage.words].flatMap((w, i) => (w === 1 ? [i] : [])),
    }
  }

  it('begin at the initial count, in each draw anew', () => {
    const { drawn, count, written } = scene(5)
    const numbers = Array.from({ length: 2 }, () => {
      const { value } = run(drawn, engine)
      return [0, 1, 2, 3].map((y) => value(0, y)).sort()
    })
    expect(numbers).toEqual(Array(2).fill([5, 6, 7, 8]))
    expect([count(), written()]).toEqual([9, [5, 6, 7, 8]])
  })

  it.each([undefined, -1])('go on where the initial count is %s', (initialCount) => {
    const { drawn, count, written } = scene(initialCount)
    run(drawn, engine)
    run(drawn, engine)
    expect([count(), written()]).toEqual([8, [0, 1, 2, 3, 4, 5, 6, 7]])
  })
})

/** One vertex of a point that covers the only pixel. */
const VERTEX = [
  ...signatureText('Output', ['SV_Position              0   xyzw        0      POS   float   xyzw']),
  'vs_5_0',
  'dcl_output_siv o0.xyzw, position',
  'mov o0.xyzw, l(0,0,0.5,1.0)',
  'ret',
].join('\n')
const TAKES = `dcl_uav_structured_opc u1, 4
dcl_temps 1
imm_atomic_alloc r0.x, u1
store_structured u1.x, r0.x, l(0), l(0x00000001)
ret
`

const THREADS = TAKES.replace('dcl_temps 1', 'dcl_temps 1\ndcl_thread_group 1, 1, 1')

describe('counters of frames', () => {
  it('have their initial value when the frame begins, and keep what draws and dispatches left', async () => {
    const nodes = { u1: { resource: 'nodes', counter: { initial: 3, use: 'counter' } } }
    const described = {
      version: 2,
      resources: { nodes: { kind: 'buffer', size: 32, stride: 4 } },
      shaders: {
        place: { assembly: VERTEX },
        take: { assembly: `ps_5_0\n${TAKES}` },
        count: { assembly: `cs_5_0\n${THREADS}` },
      },
      pipelines: {
        points: {
          ...{ vertex: 'place', pixel: 'take', topology: 'POINTLIST', inputLayout: [] },
          depthStencil: { depthEnable: false },
          bind: { unorderedAccess: nodes, viewports: [{ width: 1, height: 1 }] },
        },
        threads: { compute: 'count', bind: { compute: nodes } },
      },
      commands: [
        { draw: 'points', vertexCount: 1 },
        { dispatch: 'threads', groups: [1, 1, 1] },
        { draw: 'points', vertexCount: 1 },
      ],
      expect: [{ resource: 'nodes', words: [0, 0, 0, 1, 1, 1, 0, 0] }],
    }
    const parsed = valueOrThrow(parseDescription(described))
    if (parsed.kind !== 'frame') throw new Error('not a frame')
    for (const engine of ENGINES) {
      const report = await runFrameOn(parsed.frame, memoryHost(), engine)
      expect([report.diagnostics, report.run?.checks.map((c) => c.passed)], engine.name).toEqual([[], [true]])
    }
  })
})

describe('copyStructureCount', () => {
  const device = new Device({ engine: 'reference' })
  const nodes = device.createBuffer({ byteLength: 16, stride: 4 })
  const target = device.createBuffer({ data: Uint32Array.of(7, 7, 7) })

  it('copies the counter of a view to a word of a buffer', async () => {
    const view = valueOrThrow(uav(nodes, { counter: 'append', initialCount: 2 }))
    const take = device.createShader(assembleOrThrow(`cs_5_0\n${THREADS}`))
    await device.dispatch(take, { u1: view }, [1])
    device.copyStructureCount(target, 4, view)
    expect([...target.read('u32')]).toEqual([7, 3, 7])
  })

  it.each([
    [target, 4, uav(nodes, {}), 'no hidden counter'],
    [target, 2, uav(nodes, { counter: 'counter' }), 'multiple of 4'],
    [target, 12, uav(nodes, { counter: 'counter' }), '12 bytes'],
    [nodes, 0, rtv(device.createTexture({ dimension: 'texture2d', format: 'R8_UNORM', width: 1 })), 'uav()'],
    [undefined, 0, uav(nodes, { counter: 'counter' }), 'createBuffer'],
  ])('refuses %#', (to, byteOffset, view, text) => {
    expect(() => device.copyStructureCount(to as typeof target, byteOffset, view as ReturnType<typeof uav>)).toThrow(
      text,
    )
  })

  /** Two pixels append, a count goes to the arguments of a draw, and as many pixels are drawn behind them. */
  const frame = (copy: Record<string, unknown>) => ({
    version: 2,
    resources: {
      nodes: { kind: 'buffer', size: 32, stride: 4 },
      arguments: { kind: 'buffer', words: [0, 1, 0, 0] },
      plain: { kind: 'buffer', size: 32, stride: 4 },
    },
    shaders: { place: { assembly: VERTEX }, take: { assembly: `ps_5_0\n${TAKES}` } },
    pipelines: {
      points: {
        ...{ vertex: 'place', pixel: 'take', topology: 'POINTLIST', inputLayout: [] },
        depthStencil: { depthEnable: false },
        bind: { unorderedAccess: { u1: { resource: 'nodes', counter: 0 } }, viewports: [{ width: 1, height: 1 }] },
      },
    },
    commands: [
      { draw: 'points', vertexCount: 2 },
      { copyStructureCount: copy },
      { draw: 'points', indirect: { buffer: 'arguments' } },
    ],
    expect: [
      { resource: 'nodes', words: [1, 1, 1, 1, 0, 0, 0, 0] },
      { resource: 'arguments', words: [2, 1, 0, 0] },
    ],
  })

  it('gives counts to indirect draws of frames', async () => {
    const parsed = valueOrThrow(parseDescription(frame({ from: 'nodes', to: 'arguments' })))
    if (parsed.kind !== 'frame') throw new Error('not a frame')
    for (const engine of ENGINES) {
      const report = await runFrameOn(parsed.frame, memoryHost(), engine)
      expect([report.diagnostics, report.run?.checks.map((c) => c.passed)], engine.name).toEqual([[], [true, true]])
    }
  })

  it.each([
    [{ from: 'plain', to: 'arguments' }, '$.commands[1].copyStructureCount.from'],
    [{ from: 'nodes', to: 'arguments', byteOffset: 14 }, '$.commands[1].copyStructureCount.byteOffset'],
    [{ from: 'nodes', to: 'argument' }, '$.commands[1].copyStructureCount.to'],
    [{ from: 'nodes' }, '$.commands[1].copyStructureCount.to'],
  ])('is checked before anything runs: %j', async (copy, path) => {
    const parsed = parseDescription(frame(copy))
    const found =
      parsed.ok && parsed.value.kind === 'frame'
        ? (await runFrameOn(parsed.value.frame, memoryHost(), ENGINES[0]!)).diagnostics
        : parsed.diagnostics
    expect(found.filter((d) => d.severity === 'error').map((d) => d.place?.kind === 'path' && d.place.path)).toEqual([
      path,
    ])
  })
})
