import { expect, test } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createUav, resolveBindings } from '../../src/machine/index.ts'
import { programOf } from '../support/run-text.ts'

// Lanes past the end of a small group load where the group's own threads are known to be in bounds: shared memory then
// ends the engine's memory, and its last structure is as large as it can be, so that one further would lie outside.

const SHAPES = [
  { threads: [2, 1, 1], number: 'vThreadIDInGroupFlattened.x', count: 2 },
  { threads: [3, 1, 2], number: 'vThreadIDInGroup.z', count: 2 },
  { threads: [3, 2, 1], number: 'vThreadIDInGroup.x', count: 4 },
  { threads: [5, 1, 1], number: 'vThreadIDInGroup.x', count: 8 },
  { threads: [1, 3, 1], number: 'vThreadIDInGroup.y', count: 4 },
  { threads: [17, 1, 1], number: 'vThreadIDInGroup.x', count: 32 },
] as const
const SHARED_BYTES = 32768

const program = ({ threads, number, count }: (typeof SHAPES)[number]): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps 2
dcl_tgsm_structured g0, ${SHARED_BYTES / count}, ${count}
dcl_thread_group ${threads.join(', ')}
ld_structured r0.x, ${number}, l(0), g0.xxxx
iadd r0.x, r0.x, ${number}
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r1.x, r0.x
ret
`

test.each(SHAPES.flatMap((shape) => ([1, 2, 4] as const).map((width) => ({ ...shape, width }))))(
  '$threads threads load by $number, $width vectors a word',
  async ({ width, ...shape }) => {
    const [x, y] = shape.threads
    const total = shape.threads[0] * shape.threads[1] * shape.threads[2]
    const numbers: Record<string, (flat: number) => number> = {
      'vThreadIDInGroupFlattened.x': (flat) => flat,
      'vThreadIDInGroup.x': (flat) => flat % x,
      'vThreadIDInGroup.y': (flat) => Math.floor(flat / x) % y,
      'vThreadIDInGroup.z': (flat) => Math.floor(flat / (x * y)),
    }
    // What lies before it decides how far shared memory is from the end of the memory, which grows by 64 KiB.
    for (let before = 0; before < 65536; before += 4096) {
      const engine = createWasmEngineWith({ width, threads: 1 })
      const memory = engine.memory!
      const filler = createBuffer({ byteLength: before + 64, memory }).value!
      const out = createBuffer({ byteLength: total * 4, memory }).value!
      const bindings = resolveBindings({ u0: createUav(out, { raw: true }) }).value!
      await engine.dispatch(engine.load(programOf(program(shape))).value!, bindings, [1, 1, 1])
      expect([...out.storage.words.subarray(0, total)]).toEqual(
        Array.from({ length: total }, (_, n) => numbers[shape.number]!(n)),
      )
      expect(filler.storage.words.every((w) => w === 0)).toBe(true)
      engine.dispose?.()
    }
  },
)
