import { describe, expect, test } from 'vitest'
import type { DispatchOptions } from '../../src/engine/index.ts'
import { assemble, Device, uav, valueOrThrow } from '../../src/index.ts'

const shader = (...lines: string[]): Uint8Array => valueOrThrow(assemble(`${lines.join('\n')}\n`))

/** u0[thread] = thread * 3. */
const TRIPLE = shader(
  'cs_5_0',
  'dcl_globalFlags refactoringAllowed',
  'dcl_uav_raw u0',
  'dcl_input vThreadID.x',
  'dcl_temps 1',
  'dcl_thread_group 64, 1, 1',
  'ishl r0.x, vThreadID.x, l(2)',
  'imul null, r0.y, vThreadID.x, l(3)',
  'store_raw u0.x, r0.x, r0.y',
  'ret ',
)

/** Two groups of many waves; every thread takes a ticket of u0[0] and leaves its number at u0[1 + ticket]. */
const TICKETS = shader(
  'cs_5_0',
  'dcl_globalFlags refactoringAllowed',
  'dcl_uav_raw u0',
  'dcl_input vThreadID.x',
  'dcl_temps 1',
  'dcl_thread_group 64, 1, 1',
  'imm_atomic_iadd r0.x, u0, l(0), l(1)',
  'ishl r0.x, r0.x, l(2)',
  'iadd r0.x, r0.x, l(4)',
  'store_raw u0.x, r0.x, vThreadID.x',
  'ret ',
)

const TRIPLES = Array.from({ length: 128 }, (_, i) => i * 3)

describe('the default engine', () => {
  test('compiles, and a result says so', async () => {
    const device = new Device()
    expect(device.engine.name).toBe('wasm')
    const buffer = device.createBuffer({ byteLength: 512 })
    const result = await device.dispatch(device.createShader(TRIPLE), { u0: uav(buffer, { raw: true }) }, [2, 1, 1])
    expect(result).toEqual({ engine: 'wasm', diagnostics: [], undefinedCount: 0 })
    expect([...buffer.read()]).toEqual(TRIPLES)
    device.dispose()
  })

  const SECOND: readonly (readonly [string, DispatchOptions])[] = [
    ['poison', { undefinedPolicy: 'poison' }],
    ['a schedule', { schedule: { waveWidth: 4, order: 'reverse', groupsInFlight: 2 } }],
    ['an observer', { observer: {} }],
  ]
  test.each(SECOND)('hands %s to the reference engine, over the same memory', async (_, options) => {
    const device = new Device()
    const buffer = device.createBuffer({ byteLength: 512 })
    const result = await device.dispatch(
      device.createShader(TRIPLE),
      { u0: uav(buffer, { raw: true }) },
      [2, 1, 1],
      options,
    )
    expect(result).toMatchObject({ engine: 'reference', diagnostics: [], threadInstructionCount: 128 * 4 })
    expect([...buffer.read()]).toEqual(TRIPLES)
    device.dispose()
  })

  test('the reference engine is only that', async () => {
    const device = new Device({ engine: 'reference' })
    const buffer = device.createBuffer({ byteLength: 512 })
    const result = await device.dispatch(device.createShader(TRIPLE), { u0: uav(buffer, { raw: true }) }, [2, 1, 1])
    expect(result.threadInstructionCount).toBe(128 * 4)
    expect([...buffer.read()]).toEqual(TRIPLES)
  })

  test('without a number of threads, groups whose order shows run in order', async () => {
    const device = new Device()
    const groups = 32768
    const buffer = device.createBuffer({ byteLength: 4 + groups * 64 * 4 })
    const tickets = device.createShader(TICKETS)
    // Long enough, and often enough, for workers to be started and used if they were allowed to.
    for (let n = 0; n < 6; n++) {
      buffer.write(new Uint32Array(1))
      await device.dispatch(tickets, { u0: uav(buffer, { raw: true }) }, [groups, 1, 1])
    }
    const taken = buffer.read().subarray(1)
    expect(taken.every((thread, i) => thread === i)).toBe(true)
    device.dispose()
  })

  test('what a buffer gave back is used again', () => {
    const device = new Device()
    const places = new Set<number>()
    for (let n = 0; n < 20; n++) {
      const buffer = device.createBuffer({ byteLength: 1 << 16 })
      places.add(buffer.storage.byteOffset)
      expect(buffer.read().every((word) => word === 0)).toBe(true)
      buffer.write(Uint8Array.of(1))
      buffer.dispose()
      buffer.dispose()
    }
    expect(places.size).toBe(1)
    device.dispose()
  })
})
