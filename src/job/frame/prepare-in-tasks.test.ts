import { expect, it, vi } from 'vitest'
import { tasksDuring } from '../../../test/support/tasks-during.ts'
import { createReferenceEngine } from '../../engine/reference/index.ts'
import { NO_FILES, parseFrame, prepareFrame, prepareFrameInTasks } from '../index.ts'

// A frame is prepared with other tasks of the host between its resources, shaders and pipelines.

const COUNT = 5
const texture = { kind: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 }

function frame(resources: object) {
  const { value, diagnostics } = parseFrame({ version: 2, resources, commands: [{ clear: 't0', color: [1, 0, 0, 1] }] })
  expect(diagnostics).toEqual([])
  return value!
}
const textures = () => frame(Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`t${n}`, texture])))

it('other tasks run between resources, and what is prepared is the same', async () => {
  const engine = createReferenceEngine({})
  let made: Awaited<ReturnType<typeof prepareFrameInTasks>>
  const tasks = await tasksDuring(async () => {
    made = await prepareFrameInTasks(textures(), NO_FILES, engine)
  })
  expect(tasks).toBeGreaterThanOrEqual(COUNT)
  const atOnce = prepareFrame(textures(), NO_FILES, engine)
  expect([...made!.value!.resources.keys()]).toEqual([...atOnce.value!.resources.keys()])
  expect(made!.value!.commands.map(({ command }) => command)).toEqual(
    atOnce.value!.commands.map(({ command }) => command),
  )
})

it('other tasks run within contents that take long', async () => {
  const contents = { kind: 'heights', size: 512, seed: 1 }
  const long = { kind: 'texture2d', format: 'R32_FLOAT', width: 512, height: 512, init: contents }
  // Each look at the clock is 5 milliseconds behind the one before.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
  const tasks = await tasksDuring(() => prepareFrameInTasks(frame({ t0: long }), NO_FILES, createReferenceEngine({})))
  clock.mockRestore()
  expect(tasks).toBeGreaterThanOrEqual(64)
})

it('a task cancels it: there is no frame then', async () => {
  const controller = new AbortController()
  setImmediate(() => controller.abort())
  const { signal } = controller
  expect(await prepareFrameInTasks(textures(), NO_FILES, createReferenceEngine({}), { signal })).toBeUndefined()
})

it('what is wrong with a frame is said as before', async () => {
  const wrong = frame({ t0: { ...texture, init: { kind: 'file', path: 'missing.bin' } } })
  const engine = createReferenceEngine({})
  const made = await prepareFrameInTasks(wrong, NO_FILES, engine)
  expect(made!.ok).toBe(false)
  expect(made!.diagnostics).toEqual(prepareFrame(wrong, NO_FILES, engine).diagnostics)
})
