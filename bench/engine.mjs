// What the WebAssembly engine must show beside the kernels' times. npm run bench engine; HEDDLE_BENCH=nbody,copy for some
// kernels, HEDDLE_PART=threads, memory or growth for one part, HEDDLE_RUNS=10, HEDDLE_RECORD=file for JSON.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ARITHMETIC, cell, from, geometricMean, KERNELS, loadModules, measureKernel, valueFrom } from './kernels.mjs'
import { median } from './measure.mjs'
import { choiceVariable, flagVariable, namesVariable, numberVariable, textVariable } from './variables.mjs'

const RUNS = numberVariable('HEDDLE_RUNS', 10)
const ASKED = namesVariable('HEDDLE_BENCH', KERNELS)
const chosen = (names) => names.filter((n) => ASKED === undefined || ASKED.includes(n))

/** Two threads against one. The two take turns, so that both see the same machine. */
async function threads() {
  const modules = await loadModules()
  console.log(`${'kernel'.padEnd(13)}${cell('1 thread', 10)}${cell('2 threads', 11)}${cell('ratio', 7)}   (goal 1.7)`)
  const record = {}
  for (const name of chosen(ARITHMETIC)) {
    const times = { 1: [], 2: [] }
    for (let round = 0; round < 3; round++) {
      for (const count of [1, 2]) {
        const options = { threads: count, denormals: 'flush', runs: Math.ceil(RUNS / 3), warmups: 3 }
        times[count].push((await measureKernel(modules, name, options)).median)
      }
    }
    const [one, two] = [median(times[1]), median(times[2])]
    record[name] = { one, two, ratio: one / two }
    console.log(name.padEnd(13) + cell(one.toFixed(2), 10) + cell(two.toFixed(2), 11) + cell((one / two).toFixed(2), 7))
  }
  return record
}

/** Memory, compilation and small dispatches, each kernel in a fresh process. */
function memory() {
  const child = fileURLToPath(new URL('./engine-child.mjs', import.meta.url))
  const loader = flagVariable('HEDDLE_SOURCES') ? ['--import', 'tsx'] : []
  console.log(
    `${'kernel'.padEnd(13)}${cell('resources', 10)}${cell('+ engine', 10)}${cell('+ process', 10)}  MB (goal 64) ` +
      `${cell('compile', 9)}${cell('again', 8)}  ms (60)${cell('1 group', 9)}${cell('then', 8)}  ms (0.2)`,
  )
  const record = {}
  for (const name of chosen(KERNELS)) {
    const r = JSON.parse(execFileSync(process.execPath, ['--expose-gc', ...loader, child, name], { encoding: 'utf8' }))
    record[name] = r
    console.log(
      `${name.padEnd(13)}${cell(r.resources.toFixed(1), 10)}${cell(r.engine.toFixed(1), 10)}${cell(r.process.toFixed(1), 10)}${' '.repeat(15)}` +
        `${cell(r.first.toFixed(1), 9)}${cell(r.again.toFixed(1), 8)}${' '.repeat(9)}${cell(r.firstGroup.toFixed(2), 9)}${cell(r.group.toFixed(3), 8)}`,
    )
  }
  return record
}

const header = (resources, place = 'mov r2.x, vThreadID.x') => `cs_5_0
dcl_globalFlags refactoringAllowed
${resources}
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 64, 1, 1
${place}
ishl r2.x, r2.x, l(4)`

const STREAMS = 'dcl_resource_raw t0\ndcl_uav_raw u0'
const SCALE = `ld_raw r0.xyzw, r2.x, t0.xyzw
mad r0.xyzw, r0.xyzw, l(1.5, 1.5, 1.5, 1.5), l(0.25, 0.5, 0.75, 1.0)
store_raw u0.xyzw, r2.x, r0.xyzw
ret
`

/** Programs whose work a thread is the same whatever the size. */
const GROWING = {
  // 16 bytes in, 16 bytes out, of a megabyte that all share: what a thread costs.
  reuse: `${header(STREAMS, 'and r2.x, vThreadID.x, l(0x7fff)')}
${SCALE}`,
  // The same over memory that grows with the threads: bound by caches, then by memory, so the step between them shows.
  stream: `${header(STREAMS)}
${SCALE}`,
  // 64 turns of a quadratic map, then 16 bytes out: bound by arithmetic.
  iterate: `${header('dcl_uav_raw u0')}
utof r0.x, vThreadID.x
mul r0.x, r0.x, l(0.00000005)
mov r0.yz, l(0, 0, 0, 0)
loop
  uge r0.w, r0.z, l(64)
  breakc_nz r0.w
  mad r0.y, r0.y, r0.y, r0.x
  min r0.y, r0.y, l(2.0)
  iadd r0.z, r0.z, l(1)
endloop
store_raw u0.xyzw, r2.x, r0.xyzw
ret
`,
}

/** Times of 2^16 to 2^24 threads. */
async function growth() {
  const { machine, dxbc, program, wasm } = await loadModules()
  const { assemble } = await import(from('asm/index'))
  const record = {}
  console.log(`${'program'.padEnd(13)}${cell('threads', 9)}${cell('ms', 10)}${cell('ratio', 7)}   (goal at most 2.1)`)
  for (const [name, text] of Object.entries(GROWING)) {
    const code = dxbc.findCodeChunk(dxbc.readDxbcOrThrow(valueFrom(assemble(text)))).data
    const engine = wasm.createWasmEngineWith({ threads: 2, startNow: true })
    const shader = valueFrom(engine.load(program.decodeProgramOrThrow(code)))
    const byteLength = 2 ** 24 * 16
    const buffer = () => valueFrom(machine.createBuffer({ byteLength, memory: engine.memory }))
    const bindings = valueFrom(
      machine.resolveBindings({
        u0: valueFrom(machine.createUav(buffer(), { raw: true })),
        ...(text.includes('t0') ? { t0: valueFrom(machine.createSrv(buffer(), { raw: true })) } : {}),
      }),
    )
    record[name] = []
    let before
    // One dispatch of the largest size touches all pages; until then the system hands them out as they are written.
    for (let i = 0; i < 3; i++) await engine.dispatch(shader, bindings, [2 ** 15, 8, 1])
    for (let exponent = 16; exponent <= 24; exponent++) {
      const groups = 2 ** (exponent - 6)
      const counts = [Math.min(groups, 2 ** 15), Math.max(1, groups / 2 ** 15), 1]
      const times = []
      for (let i = 0; i < RUNS; i++) {
        const begin = performance.now()
        await engine.dispatch(shader, bindings, counts)
        times.push(performance.now() - begin)
      }
      const ms = median(times)
      const ratio = before === undefined ? undefined : ms / before
      before = ms
      record[name].push({ exponent, ms, ratio })
      console.log(
        name.padEnd(13) + cell(`2^${exponent}`, 9) + cell(ms.toFixed(3), 10) + cell(ratio?.toFixed(2) ?? '', 7),
      )
    }
    engine.dispose()
  }
  return record
}

const PARTS = { threads, memory, growth }

export async function run() {
  const record = { about: { node: process.version, v8: process.versions.v8, runs: RUNS } }
  const only = choiceVariable('HEDDLE_PART', Object.keys(PARTS))
  for (const [name, part] of Object.entries(PARTS)) {
    if (only !== undefined && only !== name) continue
    console.log(`\n### ${name}\n`)
    record[name] = await part()
    if (name === 'threads' && Object.keys(record[name]).length > 0) {
      const mean = geometricMean(Object.values(record[name]).map((r) => r.ratio))
      console.log(`${'geomean'.padEnd(34)}${cell(mean.toFixed(2), 7)}`)
    }
  }
  const file = textVariable('HEDDLE_RECORD')
  if (file !== undefined) {
    writeFileSync(file, `${JSON.stringify(record, null, 1)}\n`)
  }
}
