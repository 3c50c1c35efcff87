/**
 * Isolation trials: random programs of addresses between canaries, on both engines.
 *
 *     npm run isolation -- [cases] [first seed] [options]
 *
 * `--big` puts resources more than 2 GiB apart (two memories of 2.5 GiB are filled); default is a megabyte. `--threads N`
 * runs groups on N threads, with programs that leave the same in any order. `--width 1|2|4` chooses the lanes; default
 * every width in turn. `--text` prints the programs that fail. Each failure prints the command that replays it.
 */
import { parseArgs } from 'node:util'
import { IsolationBench } from '../test/support/isolation/isolate.ts'
import { countSharedDispatches } from '../test/support/sharing.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    big: { type: 'boolean', default: false },
    threads: { type: 'string', default: '1' },
    width: { type: 'string' },
    text: { type: 'boolean', default: false },
  },
})
const count = Number(positionals[0] ?? 1000)
const first = Number(positionals[1] ?? Math.floor(Math.random() * 2 ** 30))
const { big, text } = options
const threads = Number(options.threads)
const WIDTHS = [1, 2, 4] as const
const widths = options.width === undefined ? WIDTHS : WIDTHS.filter((w) => w === Number(options.width))
/** A memory grows a little with every program's code: small ones are made anew now and then. */
const BLOCK = 2000

let failed = 0
let done = 0
const begin = performance.now()
const flags = `${big ? ' --big' : ''}${threads > 1 ? ` --threads ${threads}` : ''}`

async function runBlock(from: number, to: number, width: 1 | 2 | 4): Promise<void> {
  const bench = new IsolationBench({ big, threads, width })
  for (let seed = from; seed < to; seed++) {
    const wrong = await bench.trial(seed)
    if (++done % 5000 === 0)
      console.log(`${done} of ${count} run, ${failed} failed, ${Math.round((performance.now() - begin) / 1000)} s`)
    if (wrong === undefined) continue
    failed++
    console.log(`seed ${seed}, ${width * 4} lanes: ${wrong.slice(0, 500)}`)
    console.log(`  replay: npm run isolation -- 1 ${seed} --width ${width}${flags} --text`)
    if (text) console.log(bench.programOf(seed).text)
  }
  const left = bench.finish()
  bench.dispose()
  if (left === undefined) return
  failed++
  console.log(`seeds ${from} to ${to - 1}, ${width * 4} lanes: ${left}`)
}

console.log(`${count} programs from seed ${first}${flags}`)
const shared = countSharedDispatches()
const each = big ? Math.ceil(count / widths.length) : BLOCK
for (let from = first, n = 0; from < first + count; from += each, n++) {
  await runBlock(from, Math.min(from + each, first + count), widths[n % widths.length]!)
}
const seconds = Math.round((performance.now() - begin) / 1000)
// What a run costs, whatever else the machine does.
const processorSeconds = Math.round(process.cpuUsage().user / 1e6)
console.log(`${done} programs, ${failed} failed, ${seconds} s, ${processorSeconds} s of the processor`)
if (threads > 1) console.log(`${shared()} dispatches were shared with workers`)
process.exitCode = failed === 0 ? 0 : 1
