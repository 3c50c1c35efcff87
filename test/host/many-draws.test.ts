import { afterEach, describe, expect, it, vi } from 'vitest'
import { WasmMemory } from '../../src/engine/wasm/run/memory.ts'
import { WasmBatchExecution } from '../../src/engine/wasm/run/stages/batch-execution.ts'
import { assemble, Device, rtv, sampler, srv, valueOrThrow } from '../../src/index.ts'

// Draws one after the other: what the first has made, the next find.

const SIGNATURES = (inputs: string, outputs: string) => `// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// ${inputs}
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// ${outputs}
//
`
const POSITION = 'SV_Position              0   xyzw        0      POS   float   xyzw'

const VERTEX = `${SIGNATURES('POSITION                 0   xyzw        0     NONE   float   xyzw', POSITION)}
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v0.xyzw
dcl_output_siv o0.xyzw, position
mov o0.xyzw, v0.xyzw
ret
`
const PIXEL = `${SIGNATURES(POSITION.replace(/xyzw$/, '    '), 'SV_Target                0   xyzw        0   TARGET   float   xyzw')}
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_output o0.xyzw
sample_l_indexable(texture2d)(float,float,float,float) o0.xyzw, l(0.500000,0.500000,0,0), t0.xyzw, s0, l(0)
ret
`

function scene() {
  const device = new Device({ engine: 'wasm', threads: 1 })
  const texture = () => device.createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 })
  const [red, blue] = [texture(), texture()]
  red.write(Uint8Array.from({ length: 64 }, (_, i) => (i % 4 === 0 || i % 4 === 3 ? 255 : 0)))
  blue.write(Uint8Array.from({ length: 64 }, (_, i) => (i % 4 >= 2 ? 255 : 0)))
  const target = texture()
  const [vertex, pixel] = [VERTEX, PIXEL].map((text) => device.createShader(valueOrThrow(assemble(text))))
  const pipeline = device.createPipeline({
    vertex: vertex!,
    pixel: pixel!,
    inputLayout: [{ semanticName: 'POSITION', format: 'R32G32B32_FLOAT' }],
    topology: 'TRIANGLELIST',
    depthStencil: { depthEnable: false },
  })
  const buffer = device.createBuffer({ data: Float32Array.of(-1, 3, 0, 3, -1, 0, -1, -1, 0) })
  const bind = (from: typeof red, to = target) => ({
    pixel: { t0: srv(from), s0: sampler({}) },
    vertexBuffers: [{ buffer, stride: 12 }],
    renderTargets: [rtv(to)],
  })
  return { device, pipeline, texture, target, red, blue, bind, call: { vertexCount: 3 } }
}
const SIDE = 128
const COUNT = 24

function large() {
  const s = scene()
  const wide = s.device.createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: SIDE, height: SIDE })
  // The triangle that covers all of the target, again and again.
  const data = Uint32Array.from({ length: COUNT * 3 }, (_, i) => i % 3)
  const indexBuffer = { buffer: s.device.createBuffer({ data }), format: 'R32_UINT' } as const
  return { ...s, bound: { ...s.bind(s.red, wide), indexBuffer }, wide, long: { indexCount: COUNT * 3 } }
}

const RED = [255, 0, 0, 255]
const BLUE = [0, 0, 255, 255]

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a long draw', () => {
  /** A clock on which each look takes longer than a draw may hold the host: every place where it can yield shows. */
  function slowClock() {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 50))
  }
  it('yields between its triangles where they are large', async () => {
    const { device, pipeline, bound, long } = large()
    const whole = await device.draw(pipeline, bound, long)
    slowClock()
    const slices = vi.spyOn(globalThis, 'setImmediate')
    const sliced = await device.draw(pipeline, bound, long)
    // Every triangle is 128 x 128 pixels: no more than two of them are shaded between two looks at the clock.
    expect(slices.mock.calls.length).toBeGreaterThanOrEqual(COUNT / 2 - 1)
    expect(sliced.statistics).toEqual(whole.statistics)
    device.dispose()
  })

  it('ends within a slice or two of being canceled, and the device draws on', async () => {
    const { device, pipeline, bound, wide, long, bind, blue, call } = large()
    slowClock()
    const controller = new AbortController()
    setImmediate(() => controller.abort())
    const result = await device.draw(pipeline, bound, long, { signal: controller.signal })
    expect(result.stopped).toBe('canceled')
    expect(result.statistics.psInvocations).toBeLessThanOrEqual(4 * SIDE * SIDE)
    vi.restoreAllMocks()
    const after = await device.draw(pipeline, bind(blue, wide), call)
    expect([after.stopped, after.statistics.psInvocations]).toEqual([undefined, SIDE * SIDE])
    const texels = new Set(Array.from(new Uint32Array(wide.read('u32'))))
    expect([...texels]).toEqual([0xffff0000])
    device.dispose()
  })
})

describe('the first draw', () => {
  /** What happens while a draw runs, in order: programs that the host compiles, and tasks between which the draw rests. */
  function watched(): string[] {
    const seen: string[] = []
    const host = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } }).WebAssembly
    const { Module } = host
    class Watched extends Module {
      constructor(bytes: Uint8Array) {
        super(bytes)
        seen.push('program')
      }
    }
    vi.spyOn(host, 'Module').mockImplementation(Watched)
    const rest = globalThis.setImmediate
    vi.spyOn(globalThis, 'setImmediate').mockImplementation(((call: () => void) => {
      seen.push('rest')
      return rest(call)
    }) as never)
    return seen
  }

  it('rests behind the programs that it compiles, which take milliseconds each', async () => {
    const { device, pipeline, target, red, bind, call } = scene()
    // A clock that stands still: nothing but programs has the draw rest.
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const seen = watched()
    await device.draw(pipeline, bind(red), call)
    expect(seen.filter((s) => s === 'program').length).toBeGreaterThan(1)
    expect(seen.join(' ')).not.toContain('program program')
    const first = seen.length
    await device.draw(pipeline, bind(red), call)
    expect(seen.slice(first).filter((s) => s === 'program')).toEqual([])
    expect([...new Uint8Array(target.read())].slice(0, 4)).toEqual(RED)
    device.dispose()
  })

  it('rests behind those that it compiles while it runs', async () => {
    const { device, pipeline, bound, long } = large()
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const seen = watched()
    const { statistics } = await device.draw(pipeline, bound, long)
    expect(statistics.psInvocations).toBe(COUNT * SIDE * SIDE)
    // The two shaders, and then what the draw itself compiles: it goes on in another task.
    expect(seen.slice(0, 4)).toEqual(['program', 'rest', 'program', 'rest'])
    expect(seen.slice(4)).toContain('program')
    expect(seen.at(-1)).toBe('rest')
    device.dispose()
  })

  it('can be canceled between them, and the device draws on', async () => {
    const { device, pipeline, target, red, blue, bind, call } = scene()
    const given = vi.spyOn(WasmBatchExecution.prototype, 'dispose')
    const controller = new AbortController()
    setImmediate(() => controller.abort())
    const { stopped, statistics } = await device.draw(pipeline, bind(red), call, { signal: controller.signal })
    expect([stopped, statistics.iaVertices]).toEqual(['canceled', 0])
    // The vertex shader alone had been compiled: what it holds is given back.
    expect(given).toHaveBeenCalledTimes(1)
    const after = await device.draw(pipeline, bind(blue), call)
    expect([after.stopped, after.statistics.psInvocations]).toEqual([undefined, 16])
    expect([...new Uint8Array(target.read())].slice(0, 4)).toEqual(BLUE)
    device.dispose()
  })
})

describe('draws one after the other', () => {
  it('take memory of the engine for the first of them alone, and compile each shader twice at the most', async () => {
    const { device, pipeline, target, red, blue, bind, call } = scene()
    const allocate = vi.spyOn(WasmMemory.prototype, 'allocate')
    const compile = vi.spyOn(
      (globalThis as unknown as { WebAssembly: { Module: () => unknown } }).WebAssembly,
      'Module',
    )
    const { engine } = await device.draw(pipeline, bind(red), call)
    expect(engine).toBe('wasm')
    const first = [allocate.mock.calls.length, compile.mock.calls.length]
    for (let i = 0; i < 50; i++) {
      // Views and samplers made anew, of the same contents.
      await device.draw(pipeline, bind(i % 2 === 0 ? blue : red), call)
      expect(Array.from(target.read('u8').slice(0, 4))).toEqual(i % 2 === 0 ? BLUE : RED)
    }
    // A module for each shader: so few pixels are interpolated and merged without one.
    expect(first[1]).toBe(2)
    expect(allocate.mock.calls.length).toBe(first[0])
    // Optimized code takes the place of what has run long enough, once.
    expect(compile.mock.calls.length).toBeLessThanOrEqual(4)
    device.dispose()
  })

  it('see what is replaced in an object of resources that is bound again', async () => {
    const { device, pipeline, texture, target, red, blue, bind, call } = scene()
    const bound = bind(red)
    await device.draw(pipeline, bound, call)
    bound.pixel.t0 = srv(blue)
    await device.draw(pipeline, bound, call)
    expect(Array.from(target.read('u8').slice(0, 4))).toEqual(BLUE)
    const other = texture()
    bound.renderTargets[0] = rtv(other)
    await device.draw(pipeline, bound, call)
    expect(Array.from(other.read('u8').slice(60))).toEqual(BLUE)
    const list: { t0: unknown[]; s0: unknown } = { t0: [srv(red)], s0: sampler({}) }
    await device.draw(pipeline, { ...bound, pixel: list as never }, call)
    list.t0[0] = srv(blue)
    target.write(new Uint8Array(64))
    await device.draw(pipeline, { ...bound, pixel: list as never, renderTargets: [rtv(target)] }, call)
    expect(Array.from(target.read('u8').slice(0, 4))).toEqual(BLUE)
    device.dispose()
  })

  it('are refused for what is wrong with them, whatever the draws before them were', async () => {
    const { device, pipeline, target, red, bind, call } = scene()
    const bound = bind(red)
    await device.draw(pipeline, bound, call)
    bound.pixel.t0 = srv(target)
    await expect(device.draw(pipeline, bound, call)).rejects.toThrow(/render target 0 are the same resource/)
    bound.pixel.t0 = srv(red)
    await expect(device.draw(pipeline, { ...bound, viewports: [{ width: 1e9 }] }, call)).rejects.toThrow(/width/)
    const result = await device.draw(pipeline, { ...bound, renderTargets: [] }, call)
    expect(result.diagnostics.map((d) => d.code)).toEqual(['pipeline-output-unbound'])
    expect((await device.draw(pipeline, bound, call)).diagnostics).toEqual([])
    device.dispose()
  })
})
