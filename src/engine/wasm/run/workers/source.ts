/** The program of a worker as text, and the words that it shares with the pool. */

/** Words of the control block, where the calling thread and the workers meet. */
export const CONTROL = {
  /** Number of the job's code; workers keep what they compiled. */
  pipeline: 0,
  codeAddress: 1,
  codeLength: 2,
  descriptor: 3,
  /** First group that no thread has taken. */
  next: 4,
  total: 5,
  chunk: 6,
  scratch: 7,
  scratchStride: 8,
  /** Address of the word that a kernel sets when it stops early. */
  stopWord: 9,
  /** Workers that have not finished the job; the calling thread waits on it. */
  remaining: 10,
  /** Address of the text of shared work (SharedWork of engine/contract.ts), 0 where the job is groups; and its length. */
  text: 11,
  /** Workers that wait for their first job or have had one; the calling thread waits on it. */
  ready: 12,
  textLength: 13,
  /** Memory of the workers' own for shared work, one stride for each. */
  arenas: 14,
  arenaLength: 15,
} as const

/**
 * Words of a worker's mailbox: a cache line, so that no two workers spin on one. They follow the control block, which
 * fills a line of its own.
 */
export const MAILBOX_WORDS = 16
export const MAILBOX = {
  /** 0 until the worker runs, then 1. */
  state: 0,
  /** Jobs that were passed to the worker; it waits on this word. -1 ends it. */
  jobs: 1,
  /** The job that it has last ended, as a count of `jobs`. */
  finished: 2,
  /** 1 while it runs groups, the first of which is `first`: those are lost where it dies. */
  isRunning: 3,
  first: 4,
  /** 1 once it has failed at a job. */
  failed: 5,
  /** Counts on while it works. */
  heartbeat: 6,
  /** 1 asks it to load its module before it takes another job. */
  load: 7,
  /** A number of MODULE. */
  module: 8,
  /** Code units of the text that shared work gave, at the start of the worker's own memory. */
  resultLength: 9,
  /** One more than the number of a file that is open for as long as the worker runs; 0 where there is none. */
  file: 10,
} as const
/** Whether a worker can do shared work. */
export const MODULE = { absent: 0, loaded: 1, failed: 2 } as const
/** Bytes of a worker's own memory that the text of a result may take. */
export const RESULT_BYTES = 256 * 1024
export const CONTROL_WORDS = 16

/** Pipelines that a worker keeps the code of; the least recently used goes. */
const KEPT_PIPELINES = 64

/**
 * What a worker runs, as plain JavaScript without imports, so that it needs no file of its own in any bundle. Its
 * orders stand in shared memory: a worker that waits receives no messages.
 *
 * `within` gives the memory's buffer with room up to `end`. A buffer follows the growth of other threads only when the
 * host gets to it; and V8 never notifies a worker of a growth that falls between its reading the length of the memory it is
 * sent and its entering the list of those to be notified (measured: once in 700 starts on a busy machine; a worker that
 * waited for it waited for ever). Growing by nothing brings the buffer up to date; what is missing then fails the job.
 */
export const WORKER_SOURCE = `
const serve = async ({ memory, control, index, module, packsPairs, file = -1 }) => {
  const C = ${JSON.stringify(CONTROL)}
  const B = ${JSON.stringify(MAILBOX)}
  const w = new Int32Array(memory.buffer, control, ${CONTROL_WORDS})
  const box = new Int32Array(memory.buffer, control + 4 * (${CONTROL_WORDS} + ${MAILBOX_WORDS} * index), ${MAILBOX_WORDS})
  const host = () => { throw new Error('a worker cannot call the host') }
  const pipelines = new Map()
  let stop = new Int32Array(memory.buffer, control, 1)
  const overdue = () => {
    Atomics.add(box, B.heartbeat, 1)
    return Atomics.load(stop, 0) !== 0 ? 1 : 0
  }
  const within = (end) => {
    if (memory.buffer.byteLength < end) memory.grow(0)
    return memory.buffer
  }
  const code = () => {
    const [at, length] = [w[C.codeAddress] >>> 0, w[C.codeLength]]
    const module = new WebAssembly.Module(new Uint8Array(within(at + length), at, length).slice())
    const env = { memory, fusedFloat: host, fusedDouble: host, texel: host, overdue }
    return new WebAssembly.Instance(module, { env }).exports.run
  }
  let shared
  const load = async () => {
    Atomics.store(box, B.load, 0)
    try {
      shared = await import(module)
    } catch {}
    Atomics.store(box, B.module, shared?.work === undefined ? ${MODULE.failed} : ${MODULE.loaded})
    Atomics.store(box, B.state, 1)
    Atomics.notify(w, C.ready)
  }
  const share = () => {
    const [at, length, arenas, arenaLength] = [w[C.text] >>> 0, w[C.textLength], w[C.arenas] >>> 0, w[C.arenaLength]]
    const end = Math.max(arenas + arenaLength * (index + 1), at + length * 2)
    const units = new Uint16Array(within(end), at, length)
    let text = ''
    for (let i = 0; i < length; i += 4096) text += String.fromCharCode.apply(null, units.subarray(i, i + 4096))
    const arena = arenas + arenaLength * index
    Atomics.store(box, B.isRunning, 1)
    const heartbeat = () => Atomics.add(box, B.heartbeat, 1)
    const given = shared.work({ memory, packsPairs, text, from: arena + ${RESULT_BYTES}, to: arena + arenaLength, heartbeat })
    if (given.length * 2 > ${RESULT_BYTES}) throw new Error('the result is too long')
    const result = new Uint16Array(memory.buffer, arena, given.length)
    for (let i = 0; i < given.length; i++) result[i] = given.charCodeAt(i)
    Atomics.store(box, B.resultLength, given.length)
    Atomics.store(box, B.isRunning, 0)
  }
  const work = () => {
    if (w[C.text] !== 0) return share()
    const id = w[C.pipeline]
    const run = pipelines.get(id) ?? code()
    pipelines.delete(id)
    pipelines.set(id, run)
    if (pipelines.size > ${KEPT_PIPELINES}) pipelines.delete(pipelines.keys().next().value)
    const [total, chunk] = [w[C.total] >>> 0, w[C.chunk]]
    const scratch = (w[C.scratch] >>> 0) + (index + 1) * w[C.scratchStride]
    const stopAt = w[C.stopWord] >>> 0
    stop = new Int32Array(within(stopAt + 4), stopAt, 1)
    for (;;) {
      const first = Atomics.add(w, C.next, chunk) >>> 0
      if (first >= total || Atomics.load(stop, 0) !== 0) return
      Atomics.store(box, B.first, first | 0)
      Atomics.store(box, B.isRunning, 1)
      run(w[C.descriptor], first, Math.min(first + chunk, total), scratch)
      Atomics.store(box, B.isRunning, 0)
      Atomics.add(box, B.heartbeat, 1)
    }
  }
  Atomics.store(box, B.file, file + 1)
  Atomics.store(box, B.state, 1)
  Atomics.add(w, C.ready, 1)
  Atomics.notify(w, C.ready)
  for (let done = 0; ; ) {
    Atomics.wait(box, B.jobs, done)
    const jobs = Atomics.load(box, B.jobs)
    if (jobs === -1) return
    if (jobs === done) continue
    done = jobs
    if (Atomics.load(box, B.load) === 1) {
      await load()
      Atomics.store(box, B.finished, jobs)
      continue
    }
    try {
      work()
    } catch {
      Atomics.store(box, B.failed, 1)
    }
    Atomics.store(box, B.finished, jobs)
    if (Atomics.sub(w, C.remaining, 1) === 1) Atomics.notify(w, C.remaining)
  }
}
`
