// node --import tsx scripts/differential.ts [count] [first seed] [keep]: random programs on the WebAssembly engine against
// the reference engine. Prints each seed that differs; `scripts/differential.ts 1 SEED` replays it.
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { difference, runOn } from '../test/support/differential.ts'
import { type RandomOptions, randomProgram, VALUE_ROWS } from '../test/support/random-program.ts'

const count = Number(process.argv[2] ?? 10_000)
const first = Number(process.argv[3] ?? 1)
const options = process.argv[4] === 'keep' ? ({ denormals: 'keep' } as const) : {}
const WIDTHS = [1, 2, 4] as const

function optionsOf(seed: number): RandomOptions {
  const kind = seed % 8
  if (kind === 0) {
    const rows = [VALUE_ROWS[(seed >> 3) % VALUE_ROWS.length]!]
    return { statements: 8, rows, flow: false, memory: false, barriers: false }
  }
  return { statements: 20 + (seed % 5) * 10, flow: true, memory: kind > 2, barriers: kind > 4 }
}

const reference = createReferenceEngine({})
let engines = WIDTHS.map((width) => createWasmEngineWith({ width }))
let bad = 0
for (let seed = first; seed < first + count; seed++) {
  // Each engine has a memory of its own; new ones now and then keep the process small.
  if (seed % 64 === 63) engines = WIDTHS.map((width) => createWasmEngineWith({ width }))
  const p = randomProgram(seed, optionsOf(seed))
  const width = WIDTHS[seed % 3]!
  const want = await runOn(reference, p, seed, options)
  const got = await runOn(engines[seed % 3]!, p, seed, options).catch((e: unknown) => `threw: ${e}`)
  const d = difference(want, got)
  if (d === undefined) continue
  bad++
  console.log(`seed ${seed}, ${width} vectors per word: ${d.slice(0, 300)}`)
}
console.log(`${bad} of ${count} programs differ`)
process.exitCode = bad === 0 ? 0 : 1
