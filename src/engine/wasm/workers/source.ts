/** Words of the control block, where the calling thread and the workers meet. */
export const CONTROL = {
  /** Counts jobs; workers wait on it. */
  generation: 0,
  /** Number of the job's code; workers keep what they compiled. */
  pipeline: 1,
  codeAddress: 2,
  codeLength: 3,
  descriptor: 4,
  /** First group that nobody has taken. */
  next: 5,
  total: 6,
  chunk: 7,
  /** Workers that have not finished the job; the calling thread waits on it. */
  remaining: 8,
  scratch: 9,
  scratchStride: 10,
  /** Bits of the workers that wait for jobs, and of those that take part in this one. */
  ready: 11,
  participants: 12,
  exit: 13,
  failed: 14,
  /** Word of the memory that a kernel sets when it stops early. */
  stopWord: 15,
} as const
export const CONTROL_WORDS = 16

/**
 * What a worker runs, as plain JavaScript without imports, so that it needs no file of its own in any bundle. Everything
 * it is told stands in the shared memory: a worker that waits hears no messages.
 */
export const WORKER_SOURCE = `
const serve = ({ memory, control, index }) => {
  const C = ${JSON.stringify(CONTROL)}
  const w = new Int32Array(memory.buffer, control, ${CONTROL_WORDS})
  const bit = 1 << index
  const host = () => { throw new Error('a worker cannot call the host') }
  const pipelines = new Map()
  const code = () => {
    const [at, length] = [w[C.codeAddress] >>> 0, w[C.codeLength]]
    // The memory may have grown a moment ago on another thread.
    while (memory.buffer.byteLength < at + length) Atomics.wait(w, C.exit, 0, 1)
    const module = new WebAssembly.Module(new Uint8Array(memory.buffer, at, length).slice())
    const env = { memory, fusedFloat: host, fusedDouble: host, texel: host }
    return new WebAssembly.Instance(module, { env }).exports.run
  }
  const work = () => {
    const id = w[C.pipeline]
    let run = pipelines.get(id)
    if (run === undefined) pipelines.set(id, (run = code()))
    const [total, chunk] = [w[C.total] >>> 0, w[C.chunk]]
    const scratch = (w[C.scratch] >>> 0) + (index + 1) * w[C.scratchStride]
    const stop = new Int32Array(memory.buffer, w[C.stopWord] >>> 0, 1)
    for (;;) {
      const first = Atomics.add(w, C.next, chunk) >>> 0
      if (first >= total || Atomics.load(stop, 0) !== 0) return
      run(w[C.descriptor], first, Math.min(first + chunk, total), scratch)
    }
  }
  let seen = Atomics.load(w, C.generation)
  Atomics.or(w, C.ready, bit)
  Atomics.notify(w, C.ready)
  for (;;) {
    Atomics.wait(w, C.generation, seen)
    const generation = Atomics.load(w, C.generation)
    if (generation === seen) continue
    seen = generation
    if (Atomics.load(w, C.exit) !== 0) return
    if ((Atomics.load(w, C.participants) & bit) === 0) continue
    try {
      work()
    } catch {
      Atomics.store(w, C.failed, 1)
    }
    if (Atomics.sub(w, C.remaining, 1) === 1) Atomics.notify(w, C.remaining)
  }
}
`
