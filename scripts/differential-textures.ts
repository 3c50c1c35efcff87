/**
 * Random texture instructions on the WebAssembly engine against the reference engine, word for word.
 *
 *     node --import tsx scripts/differential-textures.ts [count] [first seed] [--keep] [--width 1|2|4] [--only sample_d]
 *
 * `--only` skips instructions whose text does not contain the word. A failure prints its seed, the instruction, the view
 * and the first words that differ; `--text` the program too. `--decoded` for filters
 * of decoded copies of textures.
 */
import { parseArgs } from 'node:util'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { runTextureCase, textureCase } from '../test/support/random-texture.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'boolean', default: false },
    width: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    text: { type: 'boolean', default: false },
    decoded: { type: 'boolean', default: false },
  },
})
const count = Number(positionals[0] ?? 2000)
const first = Number(positionals[1] ?? 1)
const reference = createReferenceEngine({})
const width = Number(options.width) as 1 | 2 | 4
const newEngine = () => createWasmEngineWith({ width, threads: 1, alwaysDecodes: options.decoded })
let engine = newEngine()
let [ran, failed] = [0, 0]

const hex = (n: number): string => n.toString(16).padStart(8, '0')

for (let seed = first; seed < first + count; seed++) {
  const c = textureCase(seed, options.decoded)
  if (c === undefined || !c.name.includes(options.only)) continue
  // Each engine has a memory of its own; new ones now and then keep the process small.
  if (ran++ % 200 === 199) {
    engine.dispose?.()
    engine = newEngine()
  }
  const fail = (text: string): void => {
    failed++
    console.log(`seed ${seed}: ${c.name} ${JSON.stringify(c.sampler)}\n  ${text}`)
    if (options.text) console.log(c.text)
  }
  try {
    const want = await runTextureCase(reference, c, options.keep)
    const got = await runTextureCase(engine, c, options.keep)
    const wrong = [...want.keys()].filter((i) => want[i] !== got[i])
    const shown = wrong.slice(0, 4).map((i) => `[${i >> 2}.${i & 3}] ${hex(got[i]!)}, not ${hex(want[i]!)}`)
    if (wrong.length > 0) fail(`${wrong.length} words differ: ${shown.join('; ')}`)
  } catch (e) {
    fail(`threw ${e instanceof Error ? (e.stack ?? e.message).split('\n').slice(0, 4).join(' | ') : e}`)
  }
}
console.log(`${ran} cases, ${failed} failed`)
engine.dispose?.()
process.exitCode = failed === 0 ? 0 : 1
