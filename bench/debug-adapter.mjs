// A stop of heddle dap over the real protocol: from the event `stopped` to the answers that a client requests to show it.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './measure.mjs'

/** A client of an adapter on standard input and output. */
class Client {
  constructor(command, args) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.answers = new Map()
    this.waiting = []
    this.seq = 1
    let rest = Buffer.alloc(0)
    this.child.stdout.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes])
      for (;;) {
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = Number(/Content-Length: (\d+)/.exec(rest.toString('latin1', 0, end))[1])
        if (rest.length < end + 4 + length) return
        this.take(JSON.parse(rest.toString('utf8', end + 4, end + 4 + length)))
        rest = rest.subarray(end + 4 + length)
      }
    })
  }

  take(message) {
    if (message.type === 'response') {
      const { done, failed } = this.answers.get(message.request_seq)
      this.answers.delete(message.request_seq)
      if (message.success) done(message.body)
      else failed(new Error(`${message.command}: ${message.message}`))
    } else if (message.type === 'event') {
      const at = this.waiting.findIndex((w) => w.name === message.event)
      if (at >= 0) this.waiting.splice(at, 1)[0].done(message.body)
    }
  }

  event(name) {
    return new Promise((done) => this.waiting.push({ name, done }))
  }

  ask(command, args = {}) {
    const seq = this.seq++
    const text = JSON.stringify({ seq, type: 'request', command, arguments: args })
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    return new Promise((done, failed) => this.answers.set(seq, { done, failed }))
  }
}

/** Milliseconds of the processor that a process has taken, where the system reports it (Linux, in hundredths of a second). */
function processorOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

/** What a client asks at a stop. Returns the number of values that came. */
async function show(client, { threadId }) {
  const { threads } = await client.ask('threads')
  const { stackFrames } = await client.ask('stackTrace', { threadId, startFrame: 0, levels: 20 })
  const { scopes } = await client.ask('scopes', { frameId: stackFrames[0].id })
  let values = threads.length
  for (const { variablesReference, indexedVariables } of scopes) {
    const page = indexedVariables === undefined ? {} : { filter: 'indexed', start: 0, count: 100 }
    values += (await client.ask('variables', { variablesReference, ...page })).variables.length
  }
  return values
}

const STOPS = 40

/** Steps through a run and measures what follows each stop. */
export async function measureStops(text, threads) {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'))
  const program = join(folder, 'run.job.json')
  writeFileSync(join(folder, 'run.asm'), text)
  const resources = [{ slot: 'u0', kind: 'raw', size: 1 << 20 }]
  writeFileSync(program, JSON.stringify({ version: 1, name: 'run', shader: 'run.asm', dispatch: [1, 1, 1], resources }))
  const client = new Client(process.execPath, [join(ROOT, 'dist', 'bin', 'main.js'), 'dap'])
  try {
    await client.ask('initialize', { adapterID: 'heddle', linesStartAt1: true, columnsStartAt1: true })
    const ready = client.event('initialized')
    await client.ask('launch', { program, stopOnEntry: true, threads })
    await ready
    const entry = client.event('stopped')
    await client.ask('configurationDone')
    let stop = await entry
    const times = []
    let values = 0
    let before = 0
    for (let i = 0; i < STOPS; i++) {
      if (i === STOPS / 2) before = processorOf(client.child.pid)
      const begin = performance.now()
      values = await show(client, stop)
      times.push(performance.now() - begin)
      const next = client.event('stopped')
      await client.ask(i % 4 === 3 ? 'stepBack' : 'next', { threadId: stop.threadId, granularity: 'instruction' })
      stop = await next
    }
    const processor = (processorOf(client.child.pid) - before) / (STOPS / 2)
    return { first: times[0], least: Math.min(...times), most: Math.max(...times.slice(1)), values, processor }
  } finally {
    client.child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}
