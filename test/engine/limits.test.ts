import { describe, expect, it } from 'vitest'
import { assemble, Device, uav, valueOrThrow } from '../../src/index.ts'

/** Time limits, canceling, progress and the host's event loop. Watchdogs are generous: nothing here measures speed. */

const ENGINES = ['wasm', 'reference'] as const
type EngineName = (typeof ENGINES)[number]

const HEAD =
  'cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_structured u0, 4\ndcl_input vThreadID.x\ndcl_temps 2\n'
/**
 * Writes 7 to u0[0], then loops until its budget is used up. Compiled code counts no more than 2^31 - 1 instructions; the
 * atomic makes an iteration slow enough that no limit of time in these tests is longer than that.
 */
const ENDLESS = `${HEAD}dcl_thread_group 4, 1, 1
store_structured u0.x, l(0), l(0), l(7)
loop
atomic_iadd u0, l(1, 0, 0, 0), l(1)
iadd r0.x, r0.x, l(1)
ige r0.y, r0.x, l(0)
breakc_z r0.y
mov r0.x, l(0)
endloop
ret
`
/** 1024 threads wait for a word of shared memory that none writes. */
const WAITING = `${HEAD}dcl_tgsm_raw g0, 4
dcl_thread_group 1024, 1, 1
store_raw g0.x, l(0), l(0)
sync_g_t
loop
ld_raw r0.x, l(0), g0.xxxx
breakc_nz r0.x
endloop
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
`
/** A loop around a barrier: groups count their own budget there. */
const BARRIERS = `${HEAD}dcl_tgsm_raw g0, 4
dcl_thread_group 64, 1, 1
loop
sync_g_t
iadd r0.x, r0.x, l(1)
ige r0.y, r0.x, l(0)
breakc_z r0.y
mov r0.x, l(0)
endloop
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
`
/** Each function calls the next one twice, 30 deep: 2^30 calls and no loop. */
const DOUBLING = `${HEAD}dcl_thread_group 1, 1, 1
call label0
ret
${Array.from({ length: 30 }, (_, n) => `label label${n}\n${n === 29 ? 'iadd r0.x, r0.x, l(1)' : `call label${n + 1}\ncall label${n + 1}`}\nret\n`).join('')}`
const GROUP_NUMBERS = `${HEAD}dcl_thread_group 1, 1, 1
iadd r0.x, vThreadID.x, l(1)
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
`

function make(engine: EngineName, text: string, threads = 1, elements = 4096) {
  const device = new Device({ engine, threads })
  const buffer = device.createBuffer({ byteLength: elements * 4, stride: 4 })
  const shader = device.createShader(valueOrThrow(assemble(text)))
  return { device, buffer, shader, bindings: { u0: uav(buffer) } }
}

/** No thread uses up this budget before the watchdog of a test bites. */
const maxInstructionsPerThread = 2 ** 40

describe.each(ENGINES)('a time limit on %s', (engine) => {
  it.each([
    ['a loop without an end', ENDLESS],
    ['a wait for what never comes', WAITING],
    ['a loop around a barrier', BARRIERS],
    ['calls that double', DOUBLING],
  ])('ends %s', async (_name, text) => {
    const { device, shader, bindings } = make(engine, text)
    const options = { maxMilliseconds: 60, maxInstructionsPerThread }
    const result = await device.dispatch(shader, bindings, [4], options)
    expect(result.stopped).toBe('time')
    expect(result.diagnostics.map((d) => d.code)).toContain('engine-time')
    device.dispose()
  })

  it('counts the work of all groups', async () => {
    const { device, shader, bindings } = make(engine, GROUP_NUMBERS)
    const result = await device.dispatch(shader, bindings, [65535, 65535], { maxMilliseconds: 60 })
    expect(result.stopped).toBe('time')
    device.dispose()
  })

  it('leaves a dispatch alone that ends before, and those that come after one that did not', async () => {
    const { device, buffer, shader, bindings } = make(engine, GROUP_NUMBERS)
    const endless = device.createShader(valueOrThrow(assemble(ENDLESS)))
    await device.dispatch(endless, bindings, [1], { maxMilliseconds: 20, maxInstructionsPerThread })
    const result = await device.dispatch(shader, bindings, [100], { maxMilliseconds: 60_000 })
    expect(result.stopped).toBeUndefined()
    expect([...buffer.read().subarray(0, 100)]).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    device.dispose()
  })
})

/** Each thread counts to 3000: many groups of it are work for many threads. */
const COUNTING = `${HEAD}dcl_thread_group 64, 1, 1
mov r0.x, l(0)
loop
uge r0.y, r0.x, l(3000)
breakc_nz r0.y
iadd r0.x, r0.x, l(1)
endloop
store_structured u0.x, vThreadID.x, l(0), r0.x
ret
`

it('a time limit ends what workers run', { timeout: 60_000 }, async () => {
  const { device, shader, bindings } = make('wasm', COUNTING, 3)
  for (let n = 0; n < 3; n++) {
    const result = await device.dispatch(shader, bindings, [65535, 65535], { maxMilliseconds: 200 })
    expect(result.stopped).toBe('time')
  }
  device.dispose()
})

describe.each(ENGINES)('canceling on %s', (engine) => {
  it('before the start runs nothing', async () => {
    const { device, buffer, shader, bindings } = make(engine, GROUP_NUMBERS)
    const result = await device.dispatch(shader, bindings, [4], { signal: AbortSignal.abort() })
    expect(result.stopped).toBe('canceled')
    expect(result.diagnostics.map((d) => d.code)).toEqual(['engine-canceled'])
    expect(buffer.read().every((w) => w === 0)).toBe(true)
  })

  it('stops a dispatch that runs; timers and later dispatches come on', async () => {
    const { device, buffer, shader, bindings } = make(engine, GROUP_NUMBERS)
    const controller = new AbortController()
    const seen: number[] = []
    setTimeout(() => controller.abort(), 30)
    const long = device.dispatch(shader, bindings, [65535, 65535], {
      signal: controller.signal,
      onProgress: ({ done, total }) => void seen.push(done / total),
    })
    // Waits for the first one, though it is not awaited.
    const next = device.dispatch(shader, bindings, [3])
    expect((await long).stopped).toBe('canceled')
    expect((await next).stopped).toBeUndefined()
    expect([...buffer.read().subarray(0, 3)]).toEqual([1, 2, 3])
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every((s, i) => s >= (seen[i - 1] ?? 0) && s <= 1)).toBe(true)
    device.dispose()
  })

  it('refuses limits that are none', async () => {
    const { device, shader, bindings } = make(engine, GROUP_NUMBERS)
    for (const maxMilliseconds of [0, -1, Number.NaN, '5' as never]) {
      await expect(device.dispatch(shader, bindings, [1], { maxMilliseconds })).rejects.toThrow('maxMilliseconds')
    }
    await expect(device.dispatch(shader, bindings, [1], { signal: 5 as never })).rejects.toThrow('signal')
    await expect(device.dispatch(shader, bindings, [1], { onProgress: 5 as never })).rejects.toThrow('onProgress')
  })
})

it.each(ENGINES)('%s: more than 65535 groups of a dimension, or 2^32 in all, are refused', async (engine) => {
  const { device, shader, bindings } = make(engine, GROUP_NUMBERS)
  await expect(device.dispatch(shader, bindings, [65536])).rejects.toThrow('machine-dispatch-size')
  await expect(device.dispatch(shader, bindings, [65535, 65535, 65535])).rejects.toThrow('machine-dispatch-size')
  const args = device.createBuffer({ data: Uint32Array.of(1, 0x10000, 1, 65535, 65535, 2) })
  await expect(device.dispatchIndirect(shader, bindings, args, 0)).rejects.toThrow('machine-dispatch-size')
  await expect(device.dispatchIndirect(shader, bindings, args, 12)).rejects.toThrow('machine-dispatch-size')
})
