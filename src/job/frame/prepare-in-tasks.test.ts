import { expect, it } from 'vitest'
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
  let tasks = 0
  let isDone = false
  const other = (): void => {
    tasks++
    if (!isDone) setImmediate(other)
  }
  setImmediate(other)
  const made = await prepareFrameInTasks(textures(), NO_FILES, engine)
  isDone = true
  expect(tasks).toBeGreaterThanOrEqual(COUNT)
  const atOnce = prepareFrame(textures(), NO_FILES, engine)
  expect([...made!.value!.resources.keys()]).toEqual([...atOnce.value!.resources.keys()])
  expect(made!.value!.commands.map(({ command }) => command)).toEqual(
    atOnce.value!.commands.map(({ command }) => command),
  )
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
