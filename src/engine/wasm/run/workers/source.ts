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
  /** Workers that wait for their first job or have had one; the calling thread waits on it. */
  ready: 12,
} as const

/**
 * Words of a worker's mailbox: a cache line, so that no two workers spin on one. They follow the control block, which
 * fills a line of its own.
 */
export const MAILBOX_WORDS = 16
export const MAILBOX = {
  /** 0 until the worker runs, then 1. */
  state: 0,
  /** Jobs that were handed to the worker; it waits on this word. -1 tells it to end. */
  jobs: 1,
  /** The job that it has last ended, as a count of `jobs`. */
  finished: 2,
  /** 1 while it runs groups, the first of which is `first`: those are lost where it dies. */
  isRunning: 3,
  first: 4,
  /** 1 once it has failed at a job. */
  failed: 5,
  /** Counts on while it works. */
  beat: 6,
} as const
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
const serve = ({ memory, control, index }) => {
  const C = ${JSON.stringify(CONTROL)}
  const B = ${JSON.stringify(MAILBOX)}
  const w = new Int32Array(memory.buffer, control, ${CONTROL_WORDS})
  const box = new Int32Array(memory.buffer, control + 4 * (${CONTROL_WORDS} + ${MAILBOX_WORDS} * index), ${MAILBOX_WORDS})
  const host = () => { throw new Error('a worker cannot call the host') }
  const pipelines = new Map()
  let stop = new Int32Array(memory.buffer, control, 1)
  const overdue = () => {
    Atomics.add(box, B.beat, 1)
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
  const work = () => {
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
      Atomics.add(box, B.beat, 1)
    }
  }
  Atomics.store(box, B.state, 1)
  Atomics.add(w, C.ready, 1)
  Atomics.notify(w, C.ready)
  for (let done = 0; ; ) {
    Atomics.wait(box, B.jobs, done)
    const jobs = Atomics.load(box, B.jobs)
    if (jobs === -1) return
    if (jobs === done) continue
    done = jobs
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
