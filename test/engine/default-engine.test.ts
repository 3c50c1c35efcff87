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

  /** Thread 0 waits for what the last thread, of a later wave, writes: to `place`, polled by `poll` into r0.x. */
  const waiting = (declaration: string, write: string, poll: string): Uint8Array =>
    shader(
      'cs_5_0',
      'dcl_globalFlags refactoringAllowed',
      'dcl_uav_raw u0',
      'dcl_input vThreadIDInGroupFlattened',
      'dcl_temps 1',
      ...(declaration === '' ? [] : [declaration]),
      'dcl_thread_group 64, 1, 1',
      'ieq r0.y, vThreadIDInGroupFlattened.x, l(63)',
      'if_nz r0.y',
      write,
      'endif ',
      'ine r0.y, vThreadIDInGroupFlattened.x, l(0)',
      'if_nz r0.y',
      'ret ',
      'endif ',
      'loop ',
      poll,
      'breakc_nz r0.x',
      'endloop ',
      'store_raw u0.x, l(4), r0.x',
      'ret ',
    )
  const WAITS: readonly (readonly [string, Uint8Array])[] = [
    ['shared memory', waiting('dcl_tgsm_raw g0, 4', 'store_raw g0.x, l(0), l(7)', 'ld_raw r0.x, l(0), g0.xxxx')],
    ['a UAV', waiting('', 'store_raw u0.x, l(0), l(7)', 'ld_raw r0.x, l(0), u0.xxxx')],
    ['an atomic', waiting('', 'atomic_iadd u0, l(0), l(7)', 'imm_atomic_or r0.x, u0, l(0), l(0)')],
  ]
  test.each(WAITS)('hands a loop that waits for another wave to the reference engine: %s', async (_, code) => {
    const device = new Device({ maxInstructionsPerThread: 100_000 })
    const buffer = device.createBuffer({ byteLength: 8 })
    const result = await device.dispatch(device.createShader(code), { u0: uav(buffer, { raw: true }) }, [1, 1, 1])
    expect([result.engine, result.stopped]).toEqual(['reference', undefined])
    expect(buffer.read()[1]).toBe(7)
    device.dispose()
  })

  const GOES_ON: readonly (readonly [string, Uint8Array, string | undefined])[] = [
    ['nobody writes', waiting('', 'nop ', 'ld_raw r0.x, l(0), u0.xxxx'), 'budget'],
    ['the loop itself writes', waiting('', 'nop ', 'imm_atomic_iadd r0.x, u0, l(0), l(1)'), undefined],
  ]
  test.each(GOES_ON)('compiles a loop on memory that %s', async (_, code, stopped) => {
    const device = new Device({ maxInstructionsPerThread: 100_000 })
    const buffer = device.createBuffer({ byteLength: 8 })
    const result = await device.dispatch(device.createShader(code), { u0: uav(buffer, { raw: true }) }, [1, 1, 1])
    expect([result.engine, result.stopped]).toEqual(['wasm', stopped])
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
