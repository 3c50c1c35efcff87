// A time line over a long run of one group: processor time of a plain run, of the same as a time line, of one step back and the
// next, bytes of the recording, and the index of accesses with a question to it; growth by length and by threads; a large buffer;
// and stops of the debug adapter.
// npm run bench -- debug; HEDDLE_STATEMENTS=1e7 for other lengths, in thread-instructions.
import { measureStops } from './debug-adapter.mjs'
import { builtFrom, ROOT } from './measure.mjs'
import { numberVariable } from './variables.mjs'

const from = builtFrom(ROOT)

/** Arithmetic, shared memory, a branch that half of the lanes take, and one store to a buffer in sixteen instructions. */
const textOf = (threads, turns) => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 4
dcl_tgsm_raw g0, 4096
dcl_thread_group ${threads}, 1, 1
mov r0.x, l(0)
mov r1.x, vThreadIDInGroupFlattened.x
loop
  uge r0.y, r0.x, l(${turns})
  breakc_nz r0.y
  imad r1.y, r1.x, l(1664525), l(1013904223)
  xor r1.x, r1.y, r0.x
  ishl r2.x, vThreadIDInGroupFlattened.x, l(2)
  ld_raw r2.y, r2.x, g0.xxxx
  iadd r2.y, r2.y, r1.x
  store_raw g0.x, r2.x, r2.y
  and r2.z, r1.x, l(1)
  if_nz r2.z
    ushr r1.x, r1.x, l(3)
  endif
  and r2.w, r1.y, l(0x3fff)
  ishl r2.w, r2.w, l(2)
  store_raw u0.x, r2.w, r1.x
  iadd r0.x, r0.x, l(1)
endloop
ret
`
const PER_TURN = 16
/** A hundredth of them is a turn of the loop for each thread. */
const LEAST_STATEMENTS = 100 * 1024 * PER_TURN

const processorMs = (before) => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function timed(work) {
  const before = process.cpuUsage()
  const value = await work()
  return { value, ms: processorMs(before) }
}

const MB = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const ms = (x) => `${x < 10 ? x.toFixed(2) : x.toFixed(0)} ms`

async function setUp(threads, instructions, byteLength = 1 << 20, fill = undefined) {
  const { parseProgram } = await from('asm/index')
  const { matchBindings } = await from('engine/index')
  const { createReferenceEngine } = await from('engine/reference/index')
  const { createBuffer, createUav } = await from('machine/index')
  const turns = Math.ceil(instructions / threads / PER_TURN)
  const engine = createReferenceEngine({})
  const loaded = engine.load(parseProgram(textOf(threads, turns)).value).value
  const buffer = createBuffer({ byteLength }).value
  if (fill !== undefined) for (let i = 0; i < byteLength / 4; i++) buffer.storage.words[i] = fill(i)
  const bindings = matchBindings(loaded.declarations, { u0: createUav(buffer, { raw: true }) }).value
  const options = { schedule: { waveWidth: 32, order: 'forward', groupsInFlight: 1 } }
  return { source: { engine, loaded, bindings, groups: [1, 1, 1], options }, buffer }
}

async function measure(threads, instructions) {
  const { createTimeLine } = await from('debug/index')
  // Code is compiled, and the host's compiler warm, before anything counts.
  for (const { source } of [await setUp(threads, Math.min(instructions, 2e6))]) {
    source.engine.dispatch(source.loaded, source.bindings, source.groups, source.options)
    const line = createTimeLine(source).value
    await line.goTo(Number.MAX_SAFE_INTEGER)
    await line.step('backward', { unit: 'any' })
  }
  const { source, buffer } = await setUp(threads, instructions)
  const { engine, loaded, bindings, groups, options } = source
  const plain = await timed(() => engine.dispatch(loaded, bindings, groups, options))
  buffer.storage.bytes.fill(0)
  const line = createTimeLine(source).value
  const run = await timed(() => line.goTo(Number.MAX_SAFE_INTEGER))
  const first = await timed(() => line.step('backward', { unit: 'any' }))
  const next = await timed(async () => {
    for (let i = 0; i < 100; i++) await line.step('backward', { unit: 'any' })
  })
  const recording = line.size.checkpointBytes
  const far = await timed(() => line.goTo(Math.floor(line.end / 3)))
  const farBack = await timed(() => line.step('backward', { unit: 'any' }))
  const range = { space: 'resource', resource: buffer, byteOffset: 64, byteLength: 4 }
  const index = await timed(() => line.history(range))
  const question = await timed(() => line.history({ ...range, byteOffset: 128 }))
  return {
    instructions: plain.value.threadInstructionCount,
    plain: plain.ms,
    run: run.ms,
    first: first.ms,
    next: next.ms / 100,
    far: far.ms,
    farBack: farBack.ms,
    checkpoints: line.size.checkpoints,
    recording,
    index: index.ms,
    indexBytes: line.size.indexBytes,
    question: question.ms,
    answers: question.value.length,
  }
}

function print(title, m) {
  console.log(`${title}: ${(m.instructions / 1e6).toFixed(1)} M thread-instructions`)
  console.log(`  plain run ${ms(m.plain)}; as a time line ${ms(m.run)} (${(m.run / m.plain).toFixed(2)} times)`)
  console.log(`  step back at the end ${ms(m.first)}, each of the next 100 ${ms(m.next)}`)
  console.log(`  to a third of the run ${ms(m.far)}, step back there ${ms(m.farBack)}`)
  console.log(`  recording ${MB(m.recording)}, ${m.checkpoints} checkpoints`)
  console.log(
    `  index of a buffer's stores ${ms(m.index)} (${(m.index / m.plain).toFixed(2)} times), ${MB(m.indexBytes)}`,
  )
  console.log(`  a question ${ms(m.question)}, ${m.answers} accesses`)
}

/** Checkpoints beside a large buffer, cleared or full, of which the run writes some pages. */
async function printLarge(instructions) {
  const { createTimeLine } = await from('debug/index')
  for (const [what, fill] of [
    ['cleared', undefined],
    ['full', (i) => Math.imul(i, 2654435761)],
  ]) {
    const { source } = await setUp(1024, instructions, 256 * 2 ** 20, fill)
    const line = createTimeLine(source).value
    const run = await timed(() => line.goTo(Number.MAX_SAFE_INTEGER))
    const first = await timed(() => line.step('backward', { unit: 'any' }))
    const next = await timed(async () => {
      for (let i = 0; i < 10; i++) await line.step('backward', { unit: 'any' })
    })
    console.log(`a buffer of 256 MiB, ${what}: ${(instructions / 1e6).toFixed(1)} M thread-instructions`)
    console.log(`  as a time line ${ms(run.ms)}; step back ${ms(first.ms)}, each of the next 10 ${ms(next.ms / 10)}`)
    console.log(`  recording ${MB(line.size.checkpointBytes)}, ${line.size.checkpoints} checkpoints`)
    line.dispose()
  }
}

/** What clients show at a stop: threads, stack, scopes and the values in them, of 1,024 lanes. */
async function printStops() {
  for (const threads of ['sets', 'waves']) {
    const m = await measureStops(textOf(1024, 1000), threads)
    console.log(
      `heddle dap, 1024 lanes as ${threads}: a stop is shown (${m.values} values) in ${ms(m.least)} to ${ms(m.most)}, ` +
        `the first in ${ms(m.first)}; ${ms(m.processor)} of the processor, the step included`,
    )
  }
}

export async function run() {
  const longest = numberVariable('HEDDLE_STATEMENTS', 1e8, { least: LEAST_STATEMENTS })
  for (const length of [longest / 100, longest / 10, longest]) print('1024 threads', await measure(1024, length))
  for (const threads of [64, 256]) print(`${threads} threads`, await measure(threads, longest / 10))
  await printLarge(longest / 10)
  await printStops()
}
