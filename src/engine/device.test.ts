import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseProgram } from '../asm/index.ts'
import { ShaderError, valueOrThrow } from '../diagnostic/index.ts'
import { createUav } from '../machine/index.ts'
import { threadsOf } from './declarations.ts'
import { createDeviceClass } from './device.ts'
import { createReferenceEngine } from './reference/index.ts'

const Device = createDeviceClass({
  engines: { reference: createReferenceEngine },
  defaultEngine: 'reference',
  listing: () => (statement) => `statement number ${statement}`,
})

/** Each group adds its number to u0[group]. */
const PROGRAM = valueOrThrow(
  parseProgram(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadGroupID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
iadd r0.x, vThreadGroupID.x, l(1)
store_structured u0.x, vThreadGroupID.x, l(0), r0.x
ret
`),
)

function setUp(options: ConstructorParameters<typeof Device>[0] = {}) {
  const device = new Device(options)
  const buffer = device.createBuffer({ byteLength: 16, stride: 4 })
  const shader = device.createShader(PROGRAM)
  return { device, buffer, shader, bindings: { u0: createUav(buffer) } }
}

describe('Device', () => {
  it('runs a program and lets results be read without a copy', async () => {
    const { device, buffer, shader, bindings } = setUp()
    const view = buffer.read()
    const result = await device.dispatch(shader, bindings, [3, 1, 1])
    expect(result.diagnostics).toEqual([])
    expect(Array.from(view)).toEqual([1, 2, 3, 0])
    expect(buffer.read('f32').buffer).toBe(view.buffer)
    buffer.write(Uint32Array.of(9), 12)
    expect(Array.from(view)).toEqual([1, 2, 3, 9])
  })

  it('takes compiled shaders', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('../../test/kernels/sha256.dxbc', import.meta.url)))
    const device = new Device()
    expect(threadsOf(device.createShader(bytes).loaded.declarations)).toEqual([64, 1, 1])
    expect(() => device.createShader(bytes.subarray(0, 100))).toThrow(ShaderError)
  })

  it('takes group counts from a buffer', async () => {
    const { device, buffer, shader, bindings } = setUp()
    const args = device.createBuffer({ data: Uint32Array.of(77, 2, 1, 1) })
    await device.dispatchIndirect(shader, bindings, args, 4)
    expect(Array.from(buffer.read())).toEqual([1, 2, 0, 0])
    await expect(device.dispatchIndirect(shader, bindings, args, 8)).rejects.toThrow('engine-indirect')
    await expect(device.dispatchIndirect(shader, bindings, args, 2)).rejects.toThrow('engine-indirect')
  })

  it('says where in the listing something happened', async () => {
    const { device, shader, bindings } = setUp()
    const result = await device.dispatch(shader, bindings, [5, 1, 1])
    expect(result.diagnostics).toHaveLength(1)
    expect(result.diagnostics[0]).toMatchObject({
      code: 'engine-out-of-bounds',
      place: { kind: 'statement', index: 6, listing: 'statement number 6' },
    })
    expect(result.diagnostics[0]!.notes[0]).toContain('group (4, 0, 0)')
  })

  it('rejects what cannot run before anything runs', async () => {
    const { device, buffer, shader } = setUp()
    const wrong = { u0: createUav(device.createBuffer({ byteLength: 16 }), { raw: true }) }
    await expect(device.dispatch(shader, wrong, [1, 1, 1])).rejects.toThrow(/u0: .*stride of 4/)
    await expect(device.dispatch(shader, { u0: createUav(buffer) }, [65536, 1, 1])).rejects.toThrow('65536')
    await expect(device.dispatch(shader, { u0: createUav(buffer) }, [1.5, 1, 1])).rejects.toThrow(ShaderError)
    const tried = await device.tryDispatch(shader, wrong, [1, 1, 1])
    expect(tried.stopped).toBe('refused')
    expect(Array.from(buffer.read())).toEqual([0, 0, 0, 0])
  })

  it('rejects options that cannot be', async () => {
    const { device, shader, bindings } = setUp()
    const schedule = { waveWidth: 5, order: 'forward', groupsInFlight: 1 } as never
    await expect(device.dispatch(shader, bindings, [1, 1, 1], { schedule })).rejects.toThrow('wave width of 5')
    await expect(device.dispatch(shader, bindings, [1, 1, 1], { maxInstructionsPerThread: 0 })).rejects.toThrow(
      'engine-invalid-option',
    )
    const undefinedPolicy = 'ignore' as never
    await expect(device.dispatch(shader, bindings, [1, 1, 1], { undefinedPolicy })).rejects.toThrow(
      'report, poison, trap',
    )
    expect(() => new Device({ engine: 'metal' as never })).toThrow('reference')
  })

  it('runs nothing for a count of 0', async () => {
    const { device, buffer, shader, bindings } = setUp()
    const result = await device.dispatch(shader, bindings, [0, 1, 1])
    expect(result.undefinedCount).toBe(0)
    expect(Array.from(buffer.read())).toEqual([0, 0, 0, 0])
  })

  it('uses its own settings where a dispatch has none', async () => {
    const { device, shader, bindings } = setUp({ maxDiagnostics: 0 })
    expect((await device.dispatch(shader, bindings, [5, 1, 1])).diagnostics).toEqual([])
    expect((await device.dispatch(shader, bindings, [5, 1, 1], { maxDiagnostics: 1 })).diagnostics).toHaveLength(1)
  })

  it('refuses shaders of another engine', async () => {
    const { device, shader, bindings } = setUp()
    const foreign = { ...shader, loaded: { ...shader.loaded, engine: 'other' } }
    await expect(device.dispatch(foreign, bindings, [1, 1, 1])).rejects.toThrow('engine-foreign-shader')
  })

  it('makes textures whose mips are read one by one', () => {
    const device = new Device()
    const texture = device.createTexture({
      dimension: 'texture2d',
      format: 'R32_UINT',
      width: 2,
      height: 2,
      mipLevels: 2,
      arraySize: 2,
    })
    texture.write(Uint32Array.of(5), 1, 1)
    expect(Array.from(texture.read('u32', 1, 1))).toEqual([5])
    expect(texture.read('u32', 0, 1)).toHaveLength(4)
    expect(() => texture.read('u32', 2, 0)).toThrow('mip 2')
    expect(() => texture.write(new Uint32Array(2), 1, 1)).toThrow('do not fit')
    expect(() => device.createTexture({ dimension: 'texture2d', format: 'R32', width: 2 })).toThrow(ShaderError)
  })

  it('cannot be used after its end', async () => {
    const { device, shader, bindings } = setUp()
    device.dispose()
    device.dispose()
    await expect(device.dispatch(shader, bindings, [1, 1, 1])).rejects.toThrow('disposed')
    expect(() => device.createBuffer({ byteLength: 4 })).toThrow('disposed')
  })
})

describe('a dispatch of a 4.x shader', () => {
  it('has one group in Z', async () => {
    const device = new Device()
    const text = 'cs_4_0\ndcl_globalFlags refactoringAllowed\ndcl_thread_group 1, 1, 1\nret\n'
    const shader = device.createShader(valueOrThrow(parseProgram(text)))
    expect((await device.dispatch(shader, {}, [2, 2, 1])).stopped).toBeUndefined()
    await expect(device.dispatch(shader, {}, [1, 1, 2])).rejects.toThrow('count Z is 2')
  })
})
