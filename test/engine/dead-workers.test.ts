import * as threads from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { assemble, Device, uav, valueOrThrow } from '../../src/index.ts'

/** Workers that die or fail in the middle of a dispatch, by a host whose Worker runs other code than it is given. */

const real = process.getBuiltinModule
afterEach(() => {
  process.getBuiltinModule = real
})

/** Workers do `fault` in place of their first groups. */
function sabotage(fault: string): void {
  class Worker extends threads.Worker {
    constructor(source: string, options: threads.WorkerOptions) {
      const call = 'run(w[C.descriptor]'
      if (!source.includes(call)) throw new Error('the source of workers has changed')
      super(source.replace(call, `${fault}; ${call}`), options)
    }
  }
  process.getBuiltinModule = ((name: string) =>
    name === 'node:worker_threads' ? { ...threads, Worker } : real.call(process, name)) as typeof real
}

/** Takes some time, and writes its number to u0; `reads` makes it read u0 too, so that it cannot run twice. */
const program = (reads: boolean): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 64, 1, 1
mov r0.x, l(0)
loop
uge r0.y, r0.x, l(3000)
breakc_nz r0.y
iadd r0.x, r0.x, l(1)
endloop
${reads ? 'ld_structured r1.x, vThreadID.x, l(0), u0.xxxx\niadd r1.x, r1.x, vThreadID.x' : 'mov r1.x, vThreadID.x'}
store_structured u0.x, vThreadID.x, l(0), r1.x
ret
`

const GROUPS = 4096

/** Dispatches until a worker took part, which shows by what became of it. */
async function untilLost(reads: boolean) {
  const device = new Device({ threads: 2 })
  const buffer = device.createBuffer({ byteLength: GROUPS * 256, stride: 4 })
  const shader = device.createShader(valueOrThrow(assemble(program(reads))))
  const dispatch = () => device.dispatch(shader, { u0: uav(buffer) }, [GROUPS])
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    buffer.read().fill(0)
    const result = await dispatch()
    if (!result.diagnostics.some((d) => d.code === 'engine-worker')) continue
    const isRight = buffer.read().every((w, i) => w === i)
    return { device, buffer, dispatch, result, isRight }
  }
  throw new Error('no worker took part')
}

const codes = (result: { diagnostics: readonly { code: string }[] }): string[] => result.diagnostics.map((d) => d.code)

it.each([
  ['ends', 'process.exit(3)'],
  ['throws', "throw new Error('broken')"],
])('a worker that %s is retired, and its groups run again', async (_how, fault) => {
  sabotage(fault)
  const { device, buffer, dispatch, result, isRight } = await untilLost(false)
  expect(result.stopped).toBeUndefined()
  expect(isRight).toBe(true)
  expect(result.diagnostics.find((d) => d.code === 'engine-worker')?.severity).toBe('warning')
  // The device reports once that fewer threads are left, and goes on.
  const all = codes(result)
  for (let n = 0; n < 3; n++) {
    buffer.read().fill(0)
    const after = await dispatch()
    all.push(...codes(after))
    expect(buffer.read().every((w, i) => w === i)).toBe(true)
  }
  expect(all.filter((c) => c === 'engine-worker')).toHaveLength(1)
  expect(all.filter((c) => c === 'engine-threads')).toHaveLength(1)
  device.dispose()
})

it('where groups read what they write, contents are said to be undefined', async () => {
  sabotage('process.exit(3)')
  const { device, result } = await untilLost(true)
  expect(result.stopped).toBe('lost')
  const found = result.diagnostics.find((d) => d.code === 'engine-worker')
  expect(found?.severity).toBe('error')
  expect(found?.notes.join()).toContain('undefined')
  device.dispose()
})
