// What a draw of one textured triangle costs through `Device.draw`: making its pipeline and the first draw, the draws after
// it, and what 10,000 of them leave behind in the memory of the process and of the engine.
// Part of npm run bench -- draws; HEDDLE_BENCH=small for this alone, HEDDLE_DRAWS=1000 for fewer.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { from } from './kernels.mjs'
import { allThreadsMilliseconds, callingThreadMilliseconds, median } from './measure.mjs'
import { tune } from './tune.mjs'
import { numberVariable } from './variables.mjs'

const ROW = '-------------------- ----- ------ -------- -------- ------- ------'
const signature = (title, rows) =>
  [
    `// ${title} signature:`,
    '//',
    '// Name                 Index   Mask Register SysValue  Format   Used',
    `// ${ROW}`,
    ...rows.map((r) => `// ${r}`),
    '//',
  ].join('\n')
const element = (name, register, system, mask) =>
  `${name.padEnd(20)}     0   ${mask.padEnd(4)} ${String(register).padStart(8)} ${system.padStart(8)}   float   ${mask}`

const VERTEX = `${signature('Input', [element('POSITION', 0, 'NONE', 'xy'), element('TEXCOORD', 1, 'NONE', 'xy')])}
${signature('Output', [element('SV_Position', 0, 'POS', 'xyzw'), element('TEXCOORD', 1, 'NONE', 'xy')])}
vs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_input v0.xy
dcl_input v1.xy
dcl_output_siv o0.xyzw, position
dcl_output o1.xy
mad o0.xy, v0.xyxx, cb0[0].xyxx, cb0[0].zwzz
mov o0.zw, l(0,0,0,1.000000)
mov o1.xy, v1.xyxx
ret
`
const PIXEL = `${signature('Input', [element('SV_Position', 0, 'POS', 'xyzw').replace(/xyzw$/, '    '), element('TEXCOORD', 1, 'NONE', 'xy')])}
${signature('Output', [element('SV_Target', 0, 'TARGET', 'xyzw')])}
ps_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
sample_l_indexable(texture2d)(float,float,float,float) o0.xyzw, v1.xyxx, t0.xyzw, s0, l(0)
ret
`

/** A device with the pipeline and what a draw of one triangle of four pixels reads. */
export async function smallDraw(engine = 'wasm') {
  const { assemble, cbv, Device, rtv, sampler, srv, valueOrThrow } = await import(from('index'))
  const bytes = [VERTEX, PIXEL].map((text) => valueOrThrow(assemble(text)))
  const device = new Device({ engine, threads: 1, pairs: await tune() })
  const target = device.createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 64, height: 64 })
  const texture = device.createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 8, height: 8 })
  texture.write(Uint8Array.from({ length: 256 }, (_, i) => i))
  const buffer = device.createBuffer({ data: Float32Array.of(0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0) })
  const pipeline = () => {
    const [vertex, pixel] = bytes.map((b) => device.createShader(b))
    return device.createPipeline({
      vertex,
      pixel,
      inputLayout: [
        { semanticName: 'POSITION', format: 'R32G32_FLOAT' },
        { semanticName: 'TEXCOORD', format: 'R32G32_FLOAT' },
      ],
      topology: 'TRIANGLELIST',
      depthStencil: { depthEnable: false },
    })
  }
  const view = rtv(target)
  // What a frame changes from draw to draw: the constants; the rest is bound as it was.
  const fixed = { t0: srv(texture), s0: sampler({ filter: 'MIN_MAG_MIP_LINEAR' }) }
  const resources = (n) => ({
    vertex: { b0: cbv(Float32Array.of(0.0625, 0.0625, (n % 32) / 16 - 1, ((n >> 5) % 32) / 16 - 1)) },
    pixel: fixed,
    vertexBuffers: [{ buffer, stride: 16 }],
    renderTargets: [view],
  })
  return { device, target, pipeline, resources, call: { vertexCount: 3 } }
}

/** Processor milliseconds of one call: of all threads, and of the calling one. */
async function cost(work) {
  const [before, beforeHere] = [allThreadsMilliseconds(), callingThreadMilliseconds()]
  const value = await work()
  return { value, ms: allThreadsMilliseconds() - before, calling: callingThreadMilliseconds() - beforeHere }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Bytes of the heap in use after all garbage is collected, and of the engine's whole memory, which an allocation shows. */
function memoryNow(device) {
  collectGarbage()
  const { memory } = device.engine
  const allocation = memory.allocate(16)
  memory.release(allocation)
  return { heap: process.memoryUsage().heapUsed, engine: allocation.buffer.byteLength }
}

/** Bytes of the heap's old generation, dead objects among them. */
const oldBytes = () => getHeapSpaceStatistics().find((s) => s.space_name === 'old_space').space_used_size

/** Draws whose objects are looked for in the old generation: they fill the new one some times, and the old one is not collected meanwhile. */
const SURVIVING_DRAWS = 2000

/** Bytes that a draw leaves in the old generation, where only a collection of everything finds them: there should be next to none. */
async function survivingBytes(draw) {
  collectGarbage()
  for (let i = 0; i < SERIES; i++) await draw(i)
  const before = oldBytes()
  for (let i = 0; i < SURVIVING_DRAWS; i++) await draw(i)
  return (oldBytes() - before) / SURVIVING_DRAWS
}

/** Draws between two looks at the clock. */
const SERIES = 500

export async function runSmallDraws() {
  const draws = numberVariable('HEDDLE_DRAWS', 10_000, { least: SERIES })
  const small = await smallDraw()
  const { device, resources, call } = small
  const once = async () => {
    const pipeline = small.pipeline()
    await device.draw(pipeline, resources(0), call)
    return pipeline
  }
  const cold = await cost(once)
  const again = []
  for (let i = 0; i < 10; i++) again.push(await cost(once))
  const pipeline = cold.value
  const series = []
  // Of each draw by itself, by the clock: all threads together are looked at once a series.
  const clock = []
  let before
  for (let n = 0; n < draws; n += SERIES) {
    if (n === 2 * SERIES) before = memoryNow(device)
    const { ms } = await cost(async () => {
      for (let i = 0; i < SERIES; i++) {
        const start = performance.now()
        await device.draw(pipeline, resources(n + i), call)
        clock.push(performance.now() - start)
      }
    })
    series.push(ms / SERIES)
  }
  const after = memoryNow(device)
  const surviving = await survivingBytes((i) => device.draw(pipeline, resources(i), call))
  device.dispose()
  const least = (of) => Math.min(...again.map((a) => a[of])).toFixed(1)
  const us = (ms) => `${(ms * 1000).toFixed(0)} us`
  console.log(
    `small draw  pipeline and first draw: cold ${cold.calling.toFixed(0)} ms of the calling thread, ${cold.ms.toFixed(0)} of all threads; warm ${least('calling')} and ${least('ms')} (processor)`,
  )
  console.log(
    `            a draw after it: ${us(Math.min(...series))} at best, ${us(series.reduce((a, b) => a + b) / series.length)} on average of ${draws} (processor, series of ${SERIES}); median ${us(median(clock))} of all by the clock`,
  )
  console.log(`            bytes that a draw leaves in the old generation: ${Math.max(0, surviving).toFixed(0)}`)
  if (before === undefined) return
  console.log(
    `growth from draw ${2 * SERIES} to ${draws}: heap ${((after.heap - before.heap) / 1024).toFixed(0)} KB, engine's memory ${after.engine - before.engine} bytes`,
  )
}
