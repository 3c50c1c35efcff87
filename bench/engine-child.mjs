// One kernel in a process of its own: memory, time to compile, time of a dispatch of one group. Prints one line of JSON.
import { loadModules, prepare, readKernel, valueFrom } from './kernels.mjs'
import { median } from './measure.mjs'

const name = process.argv[2]
const threads = Number(process.argv[3] ?? 2)
const { machine, dxbc, program, wasm } = await loadModules()
const { description, bytes } = readKernel(name)

const collect = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await new Promise((done) => setTimeout(done, 20))
  }
  return process.memoryUsage().rss
}

/** From bytes to code for what is bound: a dispatch of no groups compiles all and runs nothing. */
async function compile(engine, bindings) {
  const begin = performance.now()
  const code = dxbc.findCodeChunk(dxbc.readDxbcOrThrow(bytes)).data
  const shader = valueFrom(engine.load(program.decodeProgramOrThrow(code)))
  await engine.dispatch(shader, bindings, [0, 1, 1])
  return { shader, ms: performance.now() - begin }
}

async function timed(work) {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

const rssBefore = await collect()
const engine = wasm.createWasmEngineWith({ threads, startNow: true })
let { bindings } = prepare(machine, description, engine.memory)
const resources = engine.memory.memory.buffer.byteLength
const first = await compile(engine, bindings)
const again = []
for (let i = 0; i < 5; i++) again.push((await compile(engine, bindings)).ms)
const firstGroup = await timed(() => engine.dispatch(first.shader, bindings, [1, 1, 1]))
const groups = []
for (let i = 0; i < 300; i++) groups.push(await timed(() => engine.dispatch(first.shader, bindings, [1, 1, 1])))
for (let i = 0; i < 5; i++) await engine.dispatch(first.shader, bindings, description.dispatch)
const memory = engine.memory.memory.buffer.byteLength
bindings = undefined
const rss = (await collect()) - rssBefore
engine.dispose()
const MB = 2 ** 20
console.log(
  JSON.stringify({
    name,
    resources: resources / MB,
    engine: (memory - resources) / MB,
    process: (rss - resources) / MB,
    first: first.ms,
    again: median(again),
    firstGroup,
    group: median(groups),
  }),
)
process.exit(0)
