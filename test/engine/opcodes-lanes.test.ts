import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { SYNC_TGSM, SYNC_THREADS, SYNC_UAV_GLOBAL, SYNC_UAV_GROUP } from '../../src/isa/index.ts'
import {
  counterValue,
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type Schedule,
} from '../../src/machine/index.ts'
import { runText } from '../support/run-text.ts'
import { SYNC_VARIANTS } from './opcodes/query-vectors.ts'

/**
 * Memory, counters and textures by many threads: which of them act, and what all of them together leave, under every
 * order. Sums are done here in 32 bits.
 */

const THREADS = 48
const SCHEDULES: readonly Schedule[] = [
  { waveWidth: 1, order: { seed: 3 }, groupsInFlight: 1 },
  { waveWidth: 4, order: 'reverse', groupsInFlight: 2 },
  { waveWidth: 32, order: 'forward', groupsInFlight: 1 },
  { waveWidth: 64, order: { seed: 9 }, groupsInFlight: 2 },
]

/** Dwords: what each of the 96 threads of two groups stored, then one for all. */
const CELL = 2 * THREADS
const CELL_BYTE = CELL * 4

/** r0.x is the thread's number, r0.y its byte offset; r1.x is stored there at the end. */
function run(schedule: Schedule, body: string, initial = 0, declares = '') {
  const buffer = valueOrThrow(createBuffer({ byteLength: CELL_BYTE + 4 }))
  buffer.storage.words[CELL] = initial
  const counted = valueOrThrow(createBuffer({ byteLength: 4, stride: 4 }))
  const view = valueOrThrow(createUav(counted, { counter: 'counter', initialCount: initial }))
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_structured_opc u1, 4
dcl_input vThreadID.x
dcl_input vThreadIDInGroupFlattened
${declares}
dcl_temps 6
dcl_thread_group ${THREADS}, 1, 1
mov r0.x, vThreadID.x
ishl r0.y, r0.x, l(2)
mov r1.xyzw, l(0, 0, 0, 0)
${body}
store_raw u0.x, r0.y, r1.x
ret
`
  const result = runText(text, { u0: createUav(buffer, { raw: true }), u1: view }, { groups: [2, 1, 1], schedule })
  const words = Array.from(buffer.storage.words.subarray(0, CELL + 1))
  const counter = 'counter' in view && view.counter !== undefined ? counterValue(view.counter) : undefined
  return { each: words.slice(0, CELL), cell: words[CELL]!, counter, codes: result.diagnostics.map((d) => d.code) }
}

const ALL = Array.from({ length: CELL }, (_, i) => i)
const odd = (i: number): boolean => (i & 1) === 1

type Fold = (memory: number, value: number) => number
const FOLDS: Readonly<Record<string, Fold>> = {
  and: (m, v) => (m & v) >>> 0,
  or: (m, v) => (m | v) >>> 0,
  xor: (m, v) => (m ^ v) >>> 0,
  iadd: (m, v) => (m + v) >>> 0,
  imax: (m, v) => Math.max(m | 0, v | 0) >>> 0,
  imin: (m, v) => Math.min(m | 0, v | 0) >>> 0,
  umax: (m, v) => Math.max(m, v),
  umin: (m, v) => Math.min(m, v),
}
/** Words of both signs: (thread + 1) * 0x9e3779b1. */
const SPREAD = 'iadd r2.x, r0.x, l(1)\nimul null, r2.x, r2.x, l(0x9e3779b1)'
const spread = (i: number): number => Math.imul(i + 1, 0x9e3779b1) >>> 0

describe.each(SCHEDULES)('under %j', (schedule) => {
  describe.each(Object.entries(FOLDS))('atomic_%s on one dword', (name, fold) => {
    const initial = 0x0ff0ff00

    it('of all threads leaves the same whatever the order', () => {
      const want = ALL.map(spread).reduce(fold, initial)
      const silent = run(schedule, `${SPREAD}\natomic_${name} u0, l(${CELL_BYTE}), r2.x`, initial)
      expect(silent).toMatchObject({ cell: want, codes: [] })
      const returning = run(schedule, `${SPREAD}\nimm_atomic_${name} r1.x, u0, l(${CELL_BYTE}), r2.x`, initial)
      expect(returning.cell).toBe(want)
      // What a thread got back, with its own value folded in, is what some thread got next, or what is left.
      const results = returning.each.map((n, i) => fold(n, spread(i)))
      const sorted = (list: number[]): number[] => [...list].sort((a, b) => a - b)
      expect(sorted([...results, initial])).toEqual(sorted([...returning.each, want]))
    })

    it('of threads in a branch is theirs alone', () => {
      const body = `${SPREAD}
and r3.x, r0.x, l(1)
mov r1.x, l(1234)
if_nz r3.x
  imm_atomic_${name} r1.x, u0, l(${CELL_BYTE}), r2.x
endif`
      const r = run(schedule, body, initial)
      expect(r.cell).toBe(ALL.filter(odd).map(spread).reduce(fold, initial))
      expect(r.each.filter((_, i) => !odd(i))).toEqual(Array(THREADS).fill(1234))
    })
  })

  it('imm_atomic_iadd of 1 gives every number once, and wraps', () => {
    const r = run(schedule, `imm_atomic_iadd r1.x, u0, l(${CELL_BYTE}), l(1)`, 0xfffffff0)
    expect(r.cell).toBe(CELL - 16)
    expect(r.each.map((n) => (n + 16) >>> 0).sort((a, b) => a - b)).toEqual(ALL)
  })

  it('imm_atomic_cmp_exch lets one thread through', () => {
    const body = `iadd r2.x, r0.x, l(1)\nimm_atomic_cmp_exch r1.x, u0, l(${CELL_BYTE}), l(0), r2.x`
    const r = run(schedule, body)
    const winner = r.each.indexOf(0)
    expect(r.each.filter((n) => n === 0)).toHaveLength(1)
    expect(r.cell).toBe(winner + 1)
    expect(new Set(r.each.filter((n) => n !== 0))).toEqual(new Set([winner + 1]))
  })

  it('atomics at addresses of their own do not meet', () => {
    const r = run(schedule, 'store_raw u0.x, r0.y, r0.x\nimm_atomic_exch r1.x, u0, r0.y, l(5)')
    expect(r.each).toEqual(ALL)
  })

  it('imm_atomic_alloc gives every number once, only to threads that ask', () => {
    const all = run(schedule, 'imm_atomic_alloc r1.x, u1', 0xfffffffe)
    expect(all.counter).toBe(CELL - 2)
    expect(all.each.map((n) => (n + 2) >>> 0).sort((a, b) => a - b)).toEqual(ALL)
    const some = run(
      schedule,
      'and r3.x, r0.x, l(1)\nmov r1.x, l(999)\nif_nz r3.x\nimm_atomic_alloc r1.x, u1\nendif',
      0,
    )
    expect(some.counter).toBe(THREADS)
    expect(some.each.filter((_, i) => odd(i)).sort((a, b) => a - b)).toEqual(ALL.slice(0, THREADS))
    expect(some.each.filter((_, i) => !odd(i))).toEqual(Array(THREADS).fill(999))
  })

  it('imm_atomic_consume gives back what was allocated, and goes below 0', () => {
    const r = run(schedule, 'imm_atomic_consume r1.x, u1', CELL - 1)
    expect(r.counter).toBe(0xffffffff)
    expect(r.each.map((n) => (n + 1) >>> 0).sort((a, b) => a - b)).toEqual(ALL)
  })

  it('shared memory belongs to one group', () => {
    const body = `imm_atomic_iadd r1.x, g0, l(4), l(1)`
    const r = run(schedule, body, 0, 'dcl_tgsm_raw g0, 8')
    const ascending = (list: number[]): number[] => [...list].sort((a, b) => a - b)
    expect(ascending(r.each.slice(0, THREADS))).toEqual(ALL.slice(0, THREADS))
    expect(ascending(r.each.slice(THREADS))).toEqual(ALL.slice(0, THREADS))
  })
})

describe.each(SCHEDULES)('textures under %j', (schedule) => {
  const numbers = Float32Array.from({ length: 16 }, (_, i) => i)
  const texture = valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 4, height: 4, data: numbers }),
  )
  const F = '(float,float,float,float)'

  /** Thread n reads texel n; odd threads alone in the second read. */
  it('each thread reads at its own address, and those that do not ask keep what they have', () => {
    const out = valueOrThrow(createBuffer({ byteLength: 16 * 16 }))
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2d ${F} t0
dcl_sampler s0, mode_default
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 6
dcl_thread_group 16, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
and r1.x, r0.x, l(3)
ushr r1.y, r0.x, l(2)
mov r1.zw, l(0, 0, 0, 0)
mov r2.xyzw, l(-1.0, -1.0, -1.0, -1.0)
ld_indexable(texture2d)${F} r2.x, r1.xyzw, t0.xyzw
utof r3.xy, r1.xyxx
add r3.xy, r3.xyxx, l(0.5, 0.5, 0.0, 0.0)
mul r3.xy, r3.xyxx, l(0.25, 0.25, 0.0, 0.0)
and r4.x, r0.x, l(1)
if_nz r4.x
  sample_l_indexable(texture2d)${F} r2.y, r3.xyxx, t0.yxzw, s0, l(0.0)
  gather4_indexable(texture2d)${F} r2.z, r3.xyxx, t0.xywz, s0.x
  resinfo_indexable(texture2d)${F} r2.w, l(0), t0.xyzx
endif
ishl r0.y, r0.x, l(4)
store_raw u0.xyzw, r0.y, r2.xyzw
ret
`
    const bindings = {
      t0: createSrv(texture),
      s0: createSampler({ filter: 'MIN_MAG_MIP_POINT' }),
      u0: createUav(out, { raw: true }),
    }
    runText(text, bindings, { schedule })
    const rows = Array.from({ length: 16 }, (_, i) => [
      ...new Float32Array(out.storage.buffer, out.storage.byteOffset + i * 16, 4),
    ])
    // At the center of a texel that texel is the upper left one of the four of a gather, its .w.
    expect(rows).toEqual(Array.from({ length: 16 }, (_, i) => [i, odd(i) ? i : -1, odd(i) ? i : -1, odd(i) ? 4 : -1]))
  })
})

describe('the variants of sync', () => {
  const FLAGS: readonly (readonly [word: string, flag: number])[] = [
    ['uglobal', SYNC_UAV_GLOBAL],
    ['ugroup', SYNC_UAV_GROUP],
    ['g', SYNC_TGSM],
    ['t', SYNC_THREADS],
  ]
  it.each(SYNC_VARIANTS)('%s waits for threads where it has _t, and for the memory it names', (sync) => {
    const want = sync
      .split('_')
      .slice(1)
      .reduce((sum, word) => sum | FLAGS.find(([w]) => w === word)![1], 0)
    const arrived: number[] = []
    const released: number[] = []
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_temps 1
dcl_thread_group 8, 1, 1
${sync}
mov r0.x, l(0)
ret
`
    const observer = {
      barrier: (e: { flags: number }) => void arrived.push(e.flags),
      release: (e: { flags: number }) => void released.push(e.flags),
    }
    runText(text, {}, { observer, schedule: { waveWidth: 4, order: 'forward', groupsInFlight: 1 } })
    expect(arrived).toEqual([want, want])
    expect(released).toEqual(sync.endsWith('_t') ? [want] : [])
  })
})
