/** An option that is undefined counts as one that is not given, wherever options are taken. */
import { describe, expect, it } from 'vitest'
import { check } from '../../src/host/check.ts'
import {
  assembleOrThrow,
  cbv,
  Device,
  type DeviceOptions,
  type EngineName,
  sampler,
  srv,
  uav,
} from '../../src/index.ts'

const SHADER = assembleOrThrow(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadID.x, l(2)
store_raw u0.x, r0.x, vThreadID.x
ret
`)

/** Loops without end: only the limit of instructions stops it. */
const ENDLESS = assembleOrThrow(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_thread_group 1, 1, 1
loop
  store_raw u0.x, l(0), l(1)
endloop
ret
`)

const UNDEFINED_DISPATCH = {
  schedule: undefined,
  undefinedPolicy: undefined,
  maxInstructionsPerThread: undefined,
  maxDiagnostics: undefined,
  classInstances: undefined,
  observer: undefined,
  progress: undefined,
  maxMilliseconds: undefined,
  signal: undefined,
  onProgress: undefined,
  unbound: undefined,
}
const UNDEFINED_LOAD = { denormals: undefined, fma: undefined, minPrecision: undefined }
const ENGINES: readonly EngineName[] = ['reference', 'wasm']

const deviceOf = (engine: EngineName, options: DeviceOptions<EngineName> = {}): Device =>
  new Device({ engine, threads: undefined, pairs: undefined, ...UNDEFINED_LOAD, ...options })

describe.each(ENGINES)('%s: options that are undefined', (engine) => {
  it('have their defaults in devices, resources, views, shaders and dispatches', async () => {
    const device = deviceOf(engine)
    const buffer = device.createBuffer({ byteLength: 16, stride: undefined, data: undefined })
    const shader = device.createShader(SHADER, { classInstances: undefined })
    const view = uav(buffer, {
      raw: true,
      format: undefined,
      stride: undefined,
      firstElement: undefined,
      counter: undefined,
    })
    await device.dispatch(shader, { u0: view }, [1], UNDEFINED_DISPATCH)
    expect([...buffer.read()]).toEqual([0, 1, 2, 3])
  })

  it('leave a dispatch the options of its device', async () => {
    const device = deviceOf(engine, { maxInstructionsPerThread: 1000 })
    const shader = device.createShader(ENDLESS)
    const u0 = uav(device.createBuffer({ byteLength: 4 }), { raw: true })
    expect((await device.tryDispatch(shader, { u0 }, [1], UNDEFINED_DISPATCH)).stopped).toBe('budget')
  })
})

describe('options that are undefined', () => {
  it('make the same samplers and views', () => {
    const device = new Device()
    const texture = device.createTexture({
      ...{ dimension: 'texture2d', format: 'R32_FLOAT', width: 4, height: 4 },
      ...{ depth: undefined, mipLevels: undefined, arraySize: undefined, sampleCount: undefined },
    })
    expect(sampler({ filter: undefined, address: undefined, minLod: undefined, borderColor: undefined })).toEqual(
      sampler(),
    )
    const all = { format: undefined, dimension: undefined, mostDetailedMip: undefined, mipLevels: undefined }
    expect(srv(texture, all)).toEqual(srv(texture))
    expect(uav(texture, { format: undefined, mipSlice: undefined })).toEqual(uav(texture))
    const data = new Uint32Array(8)
    expect(cbv(data, { byteOffset: undefined, byteLength: undefined }).value?.byteLength).toBe(32)
  })

  it('leave the checker its listings and limits', async () => {
    const device = new Device()
    const buffer = device.createBuffer({ byteLength: 12 })
    const options = {
      detectors: undefined,
      lister: undefined,
      maxFindings: undefined,
      load: undefined,
      name: undefined,
    }
    const given = { ...options, schedule: undefined, suppressions: undefined, onProgress: undefined, signal: undefined }
    const u0 = uav(buffer, { raw: true })
    const [with_, without] = [await check(device, SHADER, { u0 }, [1], given), await check(device, SHADER, { u0 }, [1])]
    expect(without.findings).toHaveLength(1)
    expect(without.findings[0]?.site.listing).toContain('store_raw')
    expect(with_.findings).toEqual(without.findings)
  })
})
