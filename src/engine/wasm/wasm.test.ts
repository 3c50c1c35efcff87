import { afterEach, describe, expect, test } from 'vitest'
import { programOf } from '../../../test/support/run-text.ts'
import { ShaderError, valueOrThrow } from '../../diagnostic/index.ts'
import { findCodeChunk, readDxbcOrThrow } from '../../dxbc/index.ts'
import { createBuffer, createCbv, createSrv, createUav, resolveBindings } from '../../machine/index.ts'
import { decodeProgramOrThrow, type Program } from '../../program/index.ts'
import { assembleModule, ByteWriter } from './encode/writer.ts'
import { createWasmEngineWith } from './run/engine.ts'
import { fusedDouble, fusedFloat } from './run/exact-fma.ts'
import { WasmMemory } from './run/memory.ts'

async function kernel(name: string): Promise<Program> {
  const { readFile } = await import('node:fs/promises')
  const bytes = new Uint8Array(await readFile(new URL(`../../../test/kernels/${name}.dxbc`, import.meta.url)))
  return decodeProgramOrThrow(findCodeChunk(readDxbcOrThrow(bytes))!.data)
}

describe('bytes', () => {
  test('LEB128 as the core specification has it', () => {
    expect([...new ByteWriter().unsigned(624485).bytes()]).toEqual([0xe5, 0x8e, 0x26])
    expect([...new ByteWriter().signed(-123456).bytes()]).toEqual([0xc0, 0xbb, 0x78])
  })

  test('a constant of five bytes has its sign in the last', () => {
    expect([...new ByteWriter().wide(-1).bytes()]).toEqual([0xff, 0xff, 0xff, 0xff, 0x7f])
    expect([...new ByteWriter().wide(0x80000000).bytes()]).toEqual([0x80, 0x80, 0x80, 0x80, 0x78])
    expect([...new ByteWriter().wide(1).bytes()]).toEqual([0x81, 0x80, 0x80, 0x80, 0x00])
  })

  test('numbers that do not fit are refused, not wrapped', () => {
    const refused = (write: (w: ByteWriter) => void): void => expect(() => write(new ByteWriter())).toThrow(RangeError)
    for (const value of [-1, 256, 0.5, Number.NaN]) refused((w) => w.byte(value))
    for (const value of [-1, 2 ** 32, 0.5, Number.NaN]) refused((w) => w.unsigned(value))
    for (const value of [-(2 ** 31) - 1, 2 ** 32, 0.5, Number.NaN]) {
      refused((w) => w.signed(value))
      refused((w) => w.wide(value))
      refused((w) => w.word(value))
    }
    expect([...new ByteWriter().signed(2 ** 32 - 1).bytes()]).toEqual([...new ByteWriter().signed(-1).bytes()])
  })

  test('an empty module is valid', () => {
    const validate = (globalThis as unknown as { WebAssembly: { validate(b: Uint8Array): boolean } }).WebAssembly
      .validate
    expect(validate(assembleModule([], [], true))).toBe(true)
  })
})

interface ModuleClass {
  new (bytes: Uint8Array): object
  imports(module: object): readonly { readonly name: string }[]
}

describe('imports', () => {
  const host = (globalThis as unknown as { WebAssembly: { Module: ModuleClass } }).WebAssembly
  const { Module } = host
  afterEach(() => {
    host.Module = Module
  })

  /** What the module of a shader imports, which adds or stores by these lines. */
  async function importsOf(...lines: readonly string[]): Promise<readonly string[]> {
    const names: string[] = []
    host.Module = class extends Module {
      constructor(bytes: Uint8Array) {
        super(bytes)
        names.push(...Module.imports(this).map(({ name }) => name))
      }
    }
    const head = ['cs_5_0', 'dcl_globalFlags refactoringAllowed', 'dcl_uav_raw u0', 'dcl_input vThreadGroupID.xyz']
    const text = [...head, 'dcl_temps 2', 'dcl_thread_group 1, 1, 1', ...lines, 'ret', ''].join('\n')
    const engine = createWasmEngineWith({ threads: 1 })
    const uav = valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: 64 })), { raw: true }))
    names.length = 0
    const shader = valueOrThrow(engine.load(programOf(text)))
    const result = await engine.dispatch(shader, resolveBindings({ u0: uav }).value!, [1, 1, 1])
    expect(result.stopped).toBeUndefined()
    return names
  }

  test('of the host are what the code calls, and no others', async () => {
    expect(await importsOf('store_raw u0.x, l(0), l(1)')).toEqual(['memory'])
    const loop = [
      'mov r0.x, l(0)',
      'loop',
      'ige r0.y, r0.x, vThreadGroupID.x',
      'breakc_nz r0.y',
      'iadd r0.x, r0.x, l(1)',
    ]
    expect(await importsOf(...loop, 'endloop', 'store_raw u0.x, l(0), r0.x')).toEqual(['memory', 'overdue'])
    const fused = ['dfma r0.xy, d(2.5l, 0), d(3l, 0), r1.xyxy', 'store_raw u0.x, l(0), r0.x']
    expect(await importsOf('utof r1.xy, vThreadGroupID.xyxx', ...fused)).toEqual(['memory', 'fusedDouble'])
  })
})

describe('memory', () => {
  test('ranges that were given back come again, zero-filled; old buffers stay valid', () => {
    const memory = WasmMemory.create()!
    const a = memory.allocate(100)!
    new Uint8Array(a.buffer, a.byteOffset, 100).fill(7)
    memory.release(a)
    const b = memory.allocate(100)!
    expect(b.byteOffset).toBe(a.byteOffset)
    expect(new Uint8Array(b.buffer, b.byteOffset, 100).some((x) => x !== 0)).toBe(false)
    const before = memory.memory.buffer
    memory.allocate(1 << 20)
    expect(memory.memory.buffer.byteLength).toBeGreaterThan(before.byteLength)
    expect(memory.owns(before)).toBe(true)
  })
})

describe('fused multiply-add', () => {
  test('rounds once', () => {
    const e = 2 ** -12
    // (1 + e)^2 - (1 + 2e) is e^2, which two roundings lose.
    expect(fusedFloat(1 + e, 1 + e, -(1 + 2 * e))).toBe(e * e)
    expect(fusedDouble(1 + 2 ** -30, 1 + 2 ** -30, -(1 + 2 ** -29))).toBe(2 ** -60)
    expect(fusedDouble(2 ** -1074, 0.5, 0)).toBe(0)
    expect(Object.is(fusedDouble(-1, 0, 0), 0)).toBe(true)
    expect(Object.is(fusedDouble(-1, 0, -0), -0)).toBe(true)
    // A product past the range is no infinity: it does not cancel one.
    expect(fusedDouble(2 ** 1023, -4, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
    expect(fusedFloat(2 ** 127, -4, Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
    expect(fusedDouble(Number.POSITIVE_INFINITY, -4, Number.POSITIVE_INFINITY)).toBeNaN()
    expect(fusedDouble(1, 1, Number.NaN)).toBeNaN()
    // The product 2^1024 is past the range, the sum with -(2^1024 - 2^971) is not.
    expect(fusedDouble(2 ** 1023, 2, -Number.MAX_VALUE)).toBe(2 ** 971)
  })
})

describe('dispatches', () => {
  test('accesses past a view are told once, with their number', async () => {
    const engine = createWasmEngineWith({})
    const shader = valueOrThrow(engine.load(await kernel('copy')))
    const small = valueOrThrow(createBuffer({ byteLength: 16 * 10, stride: 16 }))
    const large = valueOrThrow(createBuffer({ byteLength: 16 * 64, stride: 16 }))
    const bindings = resolveBindings({
      t0: valueOrThrow(createSrv(large)),
      u0: valueOrThrow(createUav(small)),
      b0: valueOrThrow(createCbv(Uint32Array.of(64, 0, 0, 0))),
    })
    const result = await engine.dispatch(shader, bindings.value!, [1, 1, 1])
    expect(result.stopped).toBeUndefined()
    expect(result.diagnostics.map((d) => d.code)).toEqual(['engine-out-of-bounds'])
    expect(result.diagnostics[0]!.notes[0]).toContain('and 53 more')
  })

  test('workers and one thread leave the same bytes', async () => {
    const outputs = []
    for (const threads of [1, 3]) {
      const engine = createWasmEngineWith({ threads, startNow: true })
      const shader = valueOrThrow(engine.load(await kernel('nbody')))
      const { memory } = engine
      const count = 2048
      const data = Float32Array.from({ length: count * 4 }, (_, i) => Math.fround(Math.sin(i) * 3))
      const buffer = (from?: Float32Array) =>
        valueOrThrow(
          createBuffer({ byteLength: count * 16, stride: 16, memory: memory!, ...(from ? { data: from } : {}) }),
        )
      const [positions, velocities] = [buffer(), buffer()]
      const words = new Uint32Array(4)
      words[0] = count
      new Float32Array(words.buffer).set([0.01, 0.5, 0.9], 1)
      const bindings = resolveBindings({
        t0: valueOrThrow(createSrv(buffer(data))),
        t1: valueOrThrow(createSrv(buffer(data))),
        u0: valueOrThrow(createUav(positions)),
        u1: valueOrThrow(createUav(velocities)),
        b0: valueOrThrow(createCbv(words)),
      })
      await engine.dispatch(shader, bindings.value!, [count / 64, 1, 1])
      outputs.push([positions.storage.bytes.slice(), velocities.storage.bytes.slice()])
      engine.dispose?.()
    }
    expect(outputs[1]).toEqual(outputs[0])
  })

  test('a buffer of another memory that is read and written is written back', async () => {
    const engine = createWasmEngineWith({})
    const shader = valueOrThrow(engine.load(await kernel('copy')))
    const buffer = valueOrThrow(createBuffer({ data: Uint32Array.from({ length: 256 }, (_, i) => i), stride: 16 }))
    const uav = valueOrThrow(createUav(buffer, { firstElement: 32, elementCount: 32 }))
    const bindings = resolveBindings({
      t0: valueOrThrow(createSrv(buffer, { firstElement: 0, elementCount: 32 })),
      u0: uav,
      b0: valueOrThrow(createCbv(Uint32Array.of(32, 0, 0, 0))),
    })
    await engine.dispatch(shader, bindings.value!, [1, 1, 1])
    const words = new Uint32Array(buffer.storage.buffer, buffer.storage.byteOffset, 256)
    expect([...words.subarray(128)]).toEqual([...words.subarray(0, 128)])
  })

  test('a trap of the code is an error that names its statement, on one thread and on two', async () => {
    const program = programOf(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadGroupID.xyz
dcl_temps 1
dcl_thread_group 1, 1, 1
store_raw u0.x, l(0), l(1)
imad r0.x, vThreadGroupID.x, l(4), l(0x7fffff00)
store_raw u0.x, r0.x, l(2)
ret
`)
    for (const threads of [1, 2]) {
      const engine = createWasmEngineWith({ threads, startNow: true, minSharedMs: 0 })
      const shader = valueOrThrow(engine.load(program))
      const uav = valueOrThrow(
        createUav(valueOrThrow(createBuffer({ byteLength: 64, memory: engine.memory! })), { raw: true }),
      )
      // A view that claims more than the memory has stands in for a check that the compiler has got wrong.
      const bindings = resolveBindings({ u0: uav }).value!
      const u = new Map([...bindings.u].map(([key, view]) => [key, { ...view, byteLength: 0xfffffff0 } as typeof view]))
      const run = async () => engine.dispatch(shader, { ...bindings, u }, [threads === 1 ? 1 : 5000, 1, 1])
      const error: unknown = await run().catch((e: unknown) => e)
      expect(error).toBeInstanceOf(ShaderError)
      const [found] = (error as ShaderError).diagnostics
      expect(found).toMatchObject({ code: 'engine-code-trap', place: { kind: 'statement', index: 7 } })
      // What came before is there, and the engine runs on.
      expect(uav.storage.words[0]).toBe(1)
      expect((await engine.dispatch(shader, bindings, [1, 1, 1])).stopped).toBeUndefined()
      engine.dispose?.()
    }
  })

  test('an observer is refused, for code has no events', async () => {
    const engine = createWasmEngineWith({})
    const shader = valueOrThrow(engine.load(await kernel('copy')))
    const result = await engine.dispatch(shader, resolveBindings({}).value!, [1, 1, 1], { observer: {} })
    expect(result.stopped).toBe('refused')
  })
})
