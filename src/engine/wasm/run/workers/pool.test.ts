import { describe, expect, test } from 'vitest'
import { FunctionAssembler, I32 } from '../../encode/assembler.ts'
import { ATOMIC, OP } from '../../encode/opcodes.ts'
import { assembleModule, type Signature } from '../../encode/writer.ts'
import { WasmMemory } from '../memory.ts'
import { type Job, WorkerPool } from './pool.ts'

/** Adds 1 to the word of each of its groups; `fails` makes it trap at its first group instead. */
function countingCode(fails = false): Uint8Array {
  const f = new FunctionAssembler(4)
  const [descriptor, first, end] = [0, 1, 2]
  if (fails) f.op(0x00)
  f.loop((again) => {
    f.get(first).i32(4).op(OP.i32Mul).get(descriptor).op(OP.i32Add).i32(1).atomic(ATOMIC.add).op(OP.drop)
    f.get(first).i32(1).op(OP.i32Add).tee(first).get(end).op(OP.i32LtU).brIf(again)
  })
  f.op(OP.end)
  const signature: Signature = { params: [I32, I32, I32, I32], results: [] }
  const imports = ['fusedFloat', 'fusedDouble', 'texel', 'overdue'].map((name) => ({ name, signature }))
  return assembleModule(imports, [{ signature, locals: f.locals, code: f.code.bytes(), exported: 'run' }], true)
}

/** A memory with the code and a table of counts in it, and what is the same of all jobs over it. */
function prepare(groups: number, code: Uint8Array) {
  const memory = WasmMemory.create()!
  const place = memory.allocate(code.length)!
  new Uint8Array(place.buffer, place.byteOffset, code.length).set(code)
  const table = memory.allocate(groups * 4)!
  const stop = memory.allocate(4)!
  const job: Job = {
    ...{ pipeline: 0, codeAddress: place.byteOffset, codeLength: code.length, descriptor: table.byteOffset },
    ...{ first: 0, total: groups, chunk: 3, scratch: 0, scratchStride: 0, stopWord: stop.byteOffset },
  }
  return { memory, job, counts: new Int32Array(memory.memory.buffer, table.byteOffset, groups) }
}

describe('workers', () => {
  test('every group of every job runs once, although jobs follow each other at once', () => {
    const groups = 50
    const { memory, job, counts } = prepare(groups, countingCode())
    const pool = new WorkerPool(memory, 3)
    pool.start(true)
    const jobs = 2000
    for (let n = 0; n < jobs; n++) {
      expect(pool.run({ ...job, chunk: 1 + (n % 7), pipeline: n % 3 })).toBe(true)
      expect(pool.finish()).toEqual([])
    }
    // The calling thread took no group: workers ran them all.
    expect([...counts]).toEqual(new Array(groups).fill(jobs))
    pool.dispose()
  })

  test('jobs that run while workers still start are theirs who are there', () => {
    const groups = 20
    for (let round = 0; round < 5; round++) {
      const { memory, job, counts } = prepare(groups, countingCode())
      const pool = new WorkerPool(memory, 3)
      pool.start(false)
      let shared = 0
      const end = performance.now() + 2000
      while (shared < 200 && performance.now() < end) {
        if (!pool.run(job)) continue
        shared++
        expect(pool.finish()).toEqual([])
      }
      expect(shared).toBe(200)
      expect([...counts]).toEqual(new Array(groups).fill(shared))
      pool.dispose()
    }
  })

  test('memory that grows while workers start is seen by them', () => {
    const { memory, job, counts } = prepare(8, countingCode())
    const pool = new WorkerPool(memory, 1)
    pool.start(false)
    // Moves the code, the counts and the stop word beyond what the memory had when the worker was started.
    while (pool.ready === 0) memory.allocate(65536)
    const code = countingCode()
    const place = memory.allocate(code.length)!
    new Uint8Array(memory.memory.buffer, place.byteOffset, code.length).set(code)
    const stop = memory.allocate(4)!
    const far = { ...job, codeAddress: place.byteOffset, stopWord: stop.byteOffset }
    expect(pool.run(far)).toBe(true)
    expect(pool.finish()).toEqual([])
    expect([...counts]).toEqual(new Array(8).fill(1))
    pool.dispose()
  })

  test('workers that fail at a job are retired, with what they had taken', () => {
    const { memory, job } = prepare(8, countingCode())
    const broken = countingCode(true)
    const place = memory.allocate(broken.length)!
    new Uint8Array(memory.memory.buffer, place.byteOffset, broken.length).set(broken)
    const pool = new WorkerPool(memory, 2)
    pool.start(true)
    pool.run({ ...job, chunk: 4, pipeline: 1, codeAddress: place.byteOffset, codeLength: broken.length })
    const lost = pool.finish()!
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.every((l) => l.count === 4 && l.first % 4 === 0)).toBe(true)
    expect(pool.ready).toBe(2 - lost.length)
    expect(pool.isShort).toBe(true)
    pool.dispose()
  })

  test('a job that is stopped is left where it is', () => {
    const { memory, job, counts } = prepare(8, countingCode())
    new Int32Array(memory.memory.buffer, job.stopWord, 1)[0] = 1
    const pool = new WorkerPool(memory, 1)
    pool.start(true)
    expect(pool.run(job)).toBe(true)
    expect(pool.finish()).toEqual([])
    expect([...counts]).toEqual(new Array(8).fill(0))
    pool.dispose()
  })

  test('a pool that was disposed of has no workers', () => {
    const { memory, job } = prepare(8, countingCode())
    const pool = new WorkerPool(memory, 1)
    pool.start(true)
    pool.dispose()
    expect(pool.ready).toBe(0)
    expect(pool.run(job)).toBe(false)
  })
})
