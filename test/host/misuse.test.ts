import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { assemble, cbv, Device, ShaderError, sampler, srv, uav, valueOrThrow } from '../../src/index.ts'

/** What callers without types give: one ShaderError that names the argument, before anything runs. */

const BYTES = valueOrThrow(
  assemble(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadGroupID.xyz
dcl_temps 1
dcl_thread_group 1, 1, 1
imad r0.x, vThreadGroupID.y, l(4), vThreadGroupID.x
store_structured u0.x, r0.x, l(0), l(7)
ret
`),
)

const ENGINES = ['wasm', 'reference'] as const
const make = (engine: (typeof ENGINES)[number] = 'wasm') => {
  const device = new Device({ engine, threads: 1 })
  const buffer = device.createBuffer({ byteLength: 64, stride: 4 })
  return { device, buffer, shader: device.createShader(BYTES) }
}
const { device, buffer, shader } = make()
// biome-ignore lint/suspicious/noExplicitAny: what these callers give has no type
const given = (value: unknown): any => value

it.each([
  [[2], 1, 2],
  [[2, 3], 3, 2],
  [[2, 3, 1], 3, 2],
])('group counts %j leave the missing ones at 1', async (groups, rows, columns) => {
  buffer.read().fill(0)
  await device.dispatch(shader, { u0: uav(buffer) }, given(groups))
  const expected = Array.from({ length: 16 }, (_, i) => (i % 4 < columns && i >> 2 < rows ? 7 : 0))
  expect([...buffer.read()]).toEqual(expected)
})

it.each([[[]], [[2, 1, 1, 5]], [null], [undefined], [5], ['111'], [{}], [['1', 1, 1]], [[Number.NaN, 1, 1]], [[-1]]])(
  'group counts %j are refused',
  async (groups) => {
    const run = device.dispatch(shader, { u0: uav(buffer) }, given(groups))
    await expect(run).rejects.toThrow(ShaderError)
    await expect(run).rejects.toThrow('machine-dispatch-size')
  },
)

const bound = { u0: uav(buffer) }
it.each<[string, unknown, unknown, unknown]>([
  ['no bindings', shader, null, {}],
  ['bindings that are a number', shader, 5, {}],
  ['bindings that are a list', shader, [], {}],
  ['a view that nothing made', shader, { u0: { kind: 'uav' } }, {}],
  ['a typed array for constants', shader, { ...bound, b0: new Float32Array(4) }, {}],
  ['a name of Object for a slot', shader, JSON.parse('{"__proto__": null, "constructor": 1}'), {}],
  ['an unknown option', shader, bound, { undefinedPolcy: 'trap' }],
  ['options that are no object', shader, bound, 5],
  ['options that are null', shader, bound, null],
  ['a budget of NaN', shader, bound, { maxInstructionsPerThread: Number.NaN }],
  ['a schedule of null', shader, bound, { schedule: null }],
  ['unbound slots that are none', shader, bound, { unbound: ['x9'] }],
  ['no shader', undefined, bound, {}],
  ['a shader that nothing made', { loaded: {} }, bound, {}],
  ['a copy of a shader', { ...shader }, bound, {}],
])('dispatch refuses %s', async (_name, s, bindings, options) => {
  const run = device.dispatch(given(s), given(bindings), [1], given(options))
  await expect(run).rejects.toThrow(ShaderError)
})

it.each<[string, () => unknown]>([
  ['new Device(null)', () => new Device(given(null))],
  ['an unknown option of a device', () => new Device(given({ thread: 2 }))],
  ...[Number.NaN, -1, 0, '2', 1e9, 1.5].map((threads): [string, () => unknown] => [
    `threads: ${String(threads)}`,
    () => new Device(given({ threads })),
  ]),
  ['denormals: x', () => new Device(given({ denormals: 'x' }))],
  ['fma: {}', () => new Device(given({ fma: {} }))],
  ...['__proto__', 'constructor', 'toString', 'metal', 5].map((engine): [string, () => unknown] => [
    `engine: ${engine}`,
    () => new Device(given({ engine })),
  ]),
  ...[undefined, null, 5, {}, { statements: null }, { statements: [1] }, new Uint8Array(3)].map(
    (source): [string, () => unknown] => [
      `createShader(${JSON.stringify(source)})`,
      () => device.createShader(given(source)),
    ],
  ),
  ['an unknown option of a shader', () => device.createShader(BYTES, given({ instances: {} }))],
  ...[undefined, null, 5, [], { data: [1, 2, 3] }, { byteLength: 4, size: 4 }, { byteLength: '4' }].map(
    (options): [string, () => unknown] => [
      `createBuffer(${JSON.stringify(options)})`,
      () => device.createBuffer(given(options)),
    ],
  ),
  ...[
    { dimension: '__proto__' },
    { dimension: 'constructor' },
    { minLod: Number.NaN },
    { minLod: 1e9 },
    { minLod: -1 },
    { data: [1] },
    { format: null },
    { mips: 2 },
  ].map((options): [string, () => unknown] => [
    `createTexture(${JSON.stringify(options)})`,
    () => device.createTexture(given({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 4, ...options })),
  ]),
  ['createTexture()', () => device.createTexture(given(undefined))],
  ['read of an unknown kind', () => buffer.read(given('float'))],
  ['read of a name of Object', () => buffer.read(given('constructor'))],
  ['write of a list', () => buffer.write(given([1, 2, 3]))],
  ['write of nothing', () => buffer.write(given(undefined))],
  ...[
    null,
    5,
    { filter: {} },
    { minLod: Number.NaN },
    { maxLod: Number.NaN },
    { address: '__proto__' },
    { filtr: 'LINEAR' },
  ].map((options): [string, () => unknown] => [
    `sampler(${JSON.stringify(options)})`,
    () => valueOrThrow(sampler(given(options))),
  ]),
  ['uav with another counter', () => valueOrThrow(uav(buffer, given({ counter: 'x' })))],
  ['srv of nothing', () => valueOrThrow(srv(given(null)))],
  ['srv of something that is called a buffer', () => valueOrThrow(srv(given({ kind: 'buffer' })))],
  ['srv with an unknown option', () => valueOrThrow(srv(buffer, given({ frmat: 'R32_UINT' })))],
  ['srv with options that are null', () => valueOrThrow(srv(buffer, given(null)))],
  ['cbv of a list', () => valueOrThrow(cbv(given([1, 2, 3, 4])))],
])('%s is refused', (_name, call) => {
  expect(call).toThrow(ShaderError)
})

it.each(ENGINES)('%s: a shader of another device is refused', async (engine) => {
  const [a, b] = [make(engine), make(engine)]
  const run = b.device.dispatch(a.shader, { u0: uav(b.buffer) }, [1])
  await expect(run).rejects.toThrow('engine-foreign-shader')
  expect([...a.buffer.read(), ...b.buffer.read()].every((w) => w === 0)).toBe(true)
})

it.each(ENGINES)('%s: a resource of another device is refused', async (engine) => {
  const [a, b] = [make(engine), make(engine)]
  await expect(b.device.dispatch(b.shader, { u0: uav(a.buffer) }, [1])).rejects.toThrow(/engine-foreign-resource: u0/)
  const args = a.device.createBuffer({ data: Uint32Array.of(1, 1, 1) })
  const run = b.device.dispatchIndirect(b.shader, { u0: uav(b.buffer) }, args)
  await expect(run).rejects.toThrow('engine-foreign-resource')
  await expect(b.device.dispatchIndirect(b.shader, { u0: uav(b.buffer) }, given(null))).rejects.toThrow(ShaderError)
})

it.each(ENGINES)('%s: a buffer that was disposed of can be neither read, written nor bound', async (engine) => {
  const { device: d, buffer: gone, shader: s } = make(engine)
  const view = uav(gone)
  gone.dispose()
  gone.dispose()
  expect(() => gone.read()).toThrow('machine-resource-disposed')
  expect(() => gone.write(Uint32Array.of(1))).toThrow('machine-resource-disposed')
  await expect(d.dispatch(s, { u0: view }, [1])).rejects.toThrow('machine-resource-disposed')
  const texture = d.createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 4, height: 4 })
  texture.dispose()
  expect(() => texture.read()).toThrow('machine-resource-disposed')
})

it.each(ENGINES)('%s: a declared slot that nothing is bound to is refused, unless it is named', async (engine) => {
  const { device: d, shader: s } = make(engine)
  await expect(d.dispatch(s, {}, [1])).rejects.toThrow(/engine-missing-binding: u0/)
  for (const unbound of ['zero', ['u0'], ['U0']] as const) {
    const result = await d.dispatch(s, {}, [1], { unbound })
    expect(result.diagnostics.map((x) => x.code)).toEqual(['engine-unbound'])
  }
  await expect(d.dispatch(s, {}, [1], { unbound: ['u1'] })).rejects.toThrow('engine-missing-binding')
})

it('constants are laid out by name', () => {
  const bytes = new Uint8Array(readFileSync(new URL('../kernels/saxpy.dxbc', import.meta.url)))
  const s = device.createShader(bytes)
  for (const source of [s, bytes]) {
    const view = valueOrThrow(cbv(source, 'Params', { a: 2, count: 3 }))
    // The listing: uint count at byte 0, float a at byte 4.
    expect([...view.storage.words.slice(0, 4)]).toEqual([3, 0x40000000, 0, 0])
  }
  expect(() => valueOrThrow(cbv(s, 'Parms', {}))).toThrow('no constant buffer "Parms"')
  expect(() => valueOrThrow(cbv(s, 'Params', { b: 1 }))).toThrow(ShaderError)
  expect(() => valueOrThrow(cbv(shader, 'Params', {}))).toThrow('stripped')
})

/** A dispatch that takes long: every thread counts to ten million. */
const LONG = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 64, 1, 1
mov r0.x, l(0)
loop
  uge r0.y, r0.x, l(10000000)
  breakc_nz r0.y
  iadd r0.x, r0.x, l(1)
endloop
store_raw u0.x, l(0), r0.x
ret
`

it('a device that is disposed of during a dispatch cancels it', async () => {
  const d = new Device({ engine: 'reference' })
  const u0 = uav(d.createBuffer({ byteLength: 16 }), { raw: true })
  const running = d.tryDispatch(d.createShader(valueOrThrow(assemble(LONG))), { u0 }, [64])
  d.dispose()
  const result = await running
  expect([result.stopped, result.diagnostics.at(0)?.code]).toEqual(['canceled', 'engine-canceled'])
})

it('a buffer that is disposed of during a dispatch keeps its bytes until the end', async () => {
  const d = new Device({ engine: 'wasm' })
  const controller = new AbortController()
  const buffer = d.createBuffer({ byteLength: 4096 })
  const u0 = uav(buffer, { raw: true })
  // The reference engine runs it on memory of the device, in slices.
  const options = {
    signal: controller.signal,
    schedule: { waveWidth: 4, order: 'reverse', groupsInFlight: 1 },
  } as const
  const running = d.tryDispatch(d.createShader(valueOrThrow(assemble(LONG))), { u0 }, [1], options)
  buffer.dispose()
  const place = { buffer: buffer.storage.buffer, byteOffset: buffer.storage.byteOffset }
  const next = d.createBuffer({ byteLength: 4096 })
  expect({ buffer: next.storage.buffer, byteOffset: next.storage.byteOffset }).not.toEqual(place)
  controller.abort()
  expect((await running).stopped).toBe('canceled')
  const after = d.createBuffer({ byteLength: 4096 })
  expect(after.storage.byteOffset).toBe(place.byteOffset)
})
