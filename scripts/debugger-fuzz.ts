/**
 * Lines of the debugger's console and requests to the debug adapter made at random, of a dispatch and of a draw: each is answered.
 *
 *     npm run debugger-fuzz -- [lines and requests of each session] [seed] [sessions]
 */
import { memoryAdapterHost } from '../apps/dap/index.ts'
import { numberArgument } from '../bench/variables.mjs'
import { FUZZED, fuzzCommands, fuzzRequests } from '../test/support/debugger-fuzz.ts'
import { sessionOf } from '../test/support/sessions.ts'

const count = numberArgument('the count', process.argv[2], 1000, { least: 1 })
const first = numberArgument('the seed', process.argv[3], Math.floor(Math.random() * 2 ** 30))
const sessions = numberArgument('the number of sessions', process.argv[4], 10, { least: 1 })
let failed = 0

function report(what: string, fault: string | undefined): void {
  if (fault === undefined) return
  failed++
  console.log(`${what}: ${fault}`)
}

process.on('unhandledRejection', (e) => report('rejected', e instanceof Error ? e.stack : String(e)))
console.log(`${sessions} sessions of each kind, ${count} lines and ${count} requests in each, from seed ${first}`)
for (let seed = first; seed < first + sessions; seed++) {
  for (const { name, job, files } of FUZZED) {
    const session = await sessionOf(job, files)
    report(`lines, ${name}`, await fuzzCommands(session, seed, count))
    session.timeLine.dispose()
    report(`requests, ${name}`, await fuzzRequests(memoryAdapterHost(), { job, files, stopOnEntry: true }, seed, count))
  }
}
const total = sessions * FUZZED.length * count
console.log(`${total} lines and ${total} requests answered, ${failed} sessions failed (seed ${first})`)
process.exitCode = failed > 0 ? 1 : 0
