import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  counterValue,
  createBuffer,
  createUav,
  type Schedule,
  type ScheduleOrder,
  WAVE_WIDTHS,
  type WaveWidth,
} from '../../src/machine/index.ts'
import { type RunOptions, runText } from '../support/run-text.ts'

/** Thread groups: identifiers, barriers, divergence, orders, counters. */

const ORDERS: readonly ScheduleOrder[] = ['forward', 'reverse', { seed: 7 }]
const SCHEDULES: Schedule[] = WAVE_WIDTHS.flatMap((waveWidth) =>
  ORDERS.map((order, i) => ({ waveWidth, order, groupsInFlight: 1 + i })),
)

function rawOutput(dwords: number) {
  const buffer = valueOrThrow(createBuffer({ byteLength: dwords * 4 }))
  return {
    buffer,
    view: createUav(buffer, { raw: true }),
    words: () => Array.from(buffer.storage.words.subarray(0, dwords)),
  }
}

describe('identifiers', () => {
  // 3 x 2 x 2 threads, 2 x 3 x 2 groups; each thread stores its numbers at its place in the grid.
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.xyz
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadID.xyz
dcl_temps 3
dcl_thread_group 3, 2, 2
imad r0.x, vThreadID.z, l(6), vThreadID.y
imad r0.x, r0.x, l(6), vThreadID.x
ishl r0.x, r0.x, l(4)
imad r1.x, vThreadGroupID.x, l(100), vThreadIDInGroup.x
imad r1.y, vThreadGroupID.y, l(100), vThreadIDInGroup.y
imad r1.z, vThreadGroupID.z, l(100), vThreadIDInGroup.z
mov r1.w, vThreadIDInGroupFlattened.x
store_raw u0.xyzw, r0.x, r1.xyzw
ret
`
  it.each(SCHEDULES)('are the same under %j', (schedule) => {
    const out = rawOutput(6 * 6 * 4 * 4)
    const run = runText(text, { u0: out.view }, { groups: [2, 3, 2], schedule })
    expect(run.diagnostics).toEqual([])
    const want: number[] = []
    for (let z = 0; z < 4; z++) {
      for (let y = 0; y < 6; y++) {
        for (let x = 0; x < 6; x++) {
          const [lx, ly, lz] = [x % 3, y % 2, z % 2]
          const place = (group: number, inGroup: number): number => group * 100 + inGroup
          want.push(place((x - lx) / 3, lx), place((y - ly) / 2, ly), place((z - lz) / 2, lz), lx + 3 * ly + 6 * lz)
        }
      }
    }
    expect(out.words()).toEqual(want)
  })
})

/** Rounds of: write own cell, wait, read the neighbor's, wait. Without the barriers a wave would read too early. */
const ROTATE = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_temps 3
dcl_tgsm_structured g0, 4, 96
dcl_thread_group 96, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
iadd r0.y, r0.x, l(1)
udiv null, r0.y, r0.y, l(96)
mov r1.x, r0.x
mov r1.y, l(0)
loop
  uge r1.z, r1.y, l(5)
  breakc_nz r1.z
  store_structured g0.x, r0.x, l(0), r1.x
  sync_g_t
  ld_structured r1.x, r0.y, l(0), g0.xxxx
  sync_g_t
  iadd r1.y, r1.y, l(1)
endloop
imad r2.x, vThreadGroupID.x, l(96), r0.x
ishl r2.x, r2.x, l(2)
store_raw u0.x, r2.x, r1.x
ret
`

describe('barriers', () => {
  it.each(SCHEDULES)('order what waves write and read, under %j', (schedule) => {
    const out = rawOutput(96 * 3)
    const run = runText(ROTATE, { u0: out.view }, { groups: [3, 1, 1], schedule })
    expect(run.diagnostics).toEqual([])
    const one = Array.from({ length: 96 }, (_, i) => (i + 5) % 96)
    expect(out.words()).toEqual([...one, ...one, ...one])
  })

  it('are needed: without them waves of 32 read what is not there yet', () => {
    const out = rawOutput(96)
    const text = ROTATE.replaceAll('sync_g_t', 'nop')
    runText(text, { u0: out.view }, { schedule: { waveWidth: 32, order: 'forward', groupsInFlight: 1 } })
    expect(out.words()).not.toEqual(Array.from({ length: 96 }, (_, i) => (i + 5) % 96))
  })

  it('do not mix the shared memory of groups in flight', () => {
    const out = rawOutput(96 * 8)
    const schedule: Schedule = { waveWidth: 16, order: { seed: 3 }, groupsInFlight: 8 }
    runText(ROTATE, { u0: out.view }, { groups: [8, 1, 1], schedule })
    const one = Array.from({ length: 96 }, (_, i) => (i + 5) % 96)
    expect(out.words()).toEqual(Array.from({ length: 8 }, () => one).flat())
  })
})

function divergent(body: string, options: RunOptions = {}) {
  const out = rawOutput(64)
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_thread_group 64, 1, 1
mov r0.x, vThreadIDInGroupFlattened.x
ishl r0.y, r0.x, l(2)
${body}
store_raw u0.x, r0.y, l(1)
ret
`
  const run = runText(text, { u0: out.view }, options)
  return { run, words: out.words() }
}

describe('divergent barriers', () => {
  const options: RunOptions = { schedule: { waveWidth: 32, order: 'forward', groupsInFlight: 1 } }
  const codes = (body: string): string[] => divergent(body, options).run.diagnostics.map((d) => d.code)

  it('are reported where a part of a wave arrives, and nobody hangs', () => {
    const { run, words } = divergent('ilt r1.x, r0.x, l(5)\nif_nz r1.x\nsync_g_t\nendif', options)
    expect(run.diagnostics.map((d) => d.code)).toEqual(['engine-divergent-barrier'])
    expect(words).toEqual(Array.from({ length: 64 }, () => 1))
  })

  it('are reported where some waves go another way', () => {
    expect(codes('ilt r1.x, r0.x, l(32)\nif_nz r1.x\nsync_g_t\nendif')).toEqual(['engine-divergent-barrier'])
  })

  it('are reported where threads have ended', () => {
    expect(codes('ilt r1.x, r0.x, l(5)\nretc_nz r1.x\nsync_g_t')).toEqual(['engine-divergent-barrier'])
  })

  it('are reported where waves wait at different barriers', () => {
    const body = 'ilt r1.x, r0.x, l(32)\nif_nz r1.x\nsync_g_t\nelse\nsync_g_t\nendif'
    expect(codes(body)).toEqual(['engine-divergent-barrier'])
  })

  it('are not reported in flow that the whole group takes', () => {
    expect(codes('ilt r1.x, r0.x, l(64)\nif_nz r1.x\nsync_g_t\nendif')).toEqual([])
  })

  it('do not matter for a sync without the thread flag', () => {
    expect(codes('ilt r1.x, r0.x, l(5)\nif_nz r1.x\nsync_g\nsync_uglobal\nendif')).toEqual([])
  })
})

describe('waves that wait for each other in memory', () => {
  it('come on: a spinning wave yields to the one that sets the flag', () => {
    // Thread 0 waits until thread 63, of another wave, has written.
    const body = `if_z r0.x
  loop
    imm_atomic_iadd r1.x, u0, l(252), l(0)
    breakc_nz r1.x
  endloop
endif
ieq r1.y, r0.x, l(63)
if_nz r1.y
  atomic_iadd u0, l(252), l(1)
endif`
    const options: RunOptions = { schedule: { waveWidth: 4, order: 'forward', groupsInFlight: 1 } }
    const { run, words } = divergent(body, options)
    expect(run.stopped).toBeUndefined()
    expect(words[0]).toBe(1)
  })
})

describe('schedules', () => {
  /** Each thread takes a ticket: its place in the order of execution. */
  const TICKETS = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_structured_opc u1, 4
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 8, 1, 1
imm_atomic_alloc r0.x, u1
ishl r0.y, vThreadID.x, l(2)
store_raw u0.x, r0.y, r0.x
ret
`
  function tickets(schedule: Schedule): number[] {
    const out = rawOutput(32)
    const buffer = valueOrThrow(createBuffer({ byteLength: 4, stride: 4 }))
    const bindings = { u0: out.view, u1: createUav(buffer, { counter: 'counter', initialCount: 0 }) }
    runText(TICKETS, bindings, { groups: [4, 1, 1], schedule })
    return out.words()
  }
  const inOrder = Array.from({ length: 32 }, (_, i) => i)

  it('forward: threads, waves and groups in order', () => {
    expect(tickets({ waveWidth: 4, order: 'forward', groupsInFlight: 1 })).toEqual(inOrder)
  })

  it('reverse: groups and waves from the last, threads of a wave in order', () => {
    const want = inOrder.map((_, i) => 31 - (i | 3) + (i & 3))
    expect(tickets({ waveWidth: 4, order: 'reverse', groupsInFlight: 1 })).toEqual(want)
  })

  it('seeded: the same seed the same order, another seed another', () => {
    const one = tickets({ waveWidth: 1, order: { seed: 1 }, groupsInFlight: 2 })
    expect(tickets({ waveWidth: 1, order: { seed: 1 }, groupsInFlight: 2 })).toEqual(one)
    expect(tickets({ waveWidth: 1, order: { seed: 2 }, groupsInFlight: 2 })).not.toEqual(one)
    expect([...one].sort((a, b) => a - b)).toEqual(inOrder)
  })

  it('groups in flight take turns', () => {
    // Two groups of two waves of 4 each: waves alternate between the groups.
    const order = tickets({ waveWidth: 4, order: 'forward', groupsInFlight: 2 })
    expect(order.slice(0, 16)).toEqual([0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15])
  })
})

describe('hidden counters', () => {
  function count(body: string, initialCount: number | undefined, times = 1) {
    const out = rawOutput(4)
    const buffer = valueOrThrow(createBuffer({ byteLength: 4, stride: 4 }))
    const initial = initialCount === undefined ? {} : { initialCount }
    const view = valueOrThrow(createUav(buffer, { counter: 'counter', ...initial }))
    const text = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_structured_opc u1, 4
dcl_temps 2
dcl_thread_group 1, 1, 1
${body}
store_raw u0.x, l(0), r0.x
ret
`
    for (let i = 0; i < times; i++) runText(text, { u0: out.view, u1: view })
    const counter = view.kind === 'uav' && 'counter' in view ? view.counter : undefined
    return { returned: out.words()[0], left: counterValue(counter!) }
  }

  it('alloc returns the value before, consume the value after', () => {
    expect(count('imm_atomic_alloc r0.x, u1', 5)).toEqual({ returned: 5, left: 6 })
    expect(count('imm_atomic_consume r0.x, u1', 5)).toEqual({ returned: 4, left: 4 })
  })

  it('wrap', () => {
    expect(count('imm_atomic_alloc r0.x, u1', 0xffffffff)).toEqual({ returned: 0xffffffff, left: 0 })
    expect(count('imm_atomic_consume r0.x, u1', 0)).toEqual({ returned: 0xffffffff, left: 0xffffffff })
  })

  it('take their initial value at each dispatch, or keep what they have', () => {
    expect(count('imm_atomic_alloc r0.x, u1', 5, 3)).toEqual({ returned: 5, left: 6 })
    expect(count('imm_atomic_alloc r0.x, u1', -1, 3)).toEqual({ returned: 2, left: 3 })
    expect(count('imm_atomic_alloc r0.x, u1', undefined, 3)).toEqual({ returned: 2, left: 3 })
  })
})

describe('abort', () => {
  it('ends the dispatch; debug_break does nothing', () => {
    const { run } = divergent('debug_break\nabort')
    expect(run.stopped).toBe('abort')
    expect(run.diagnostics.map((d) => d.code)).toEqual(['engine-abort'])
  })
})

describe('what a dispatch counts', () => {
  it('is the instructions of each thread', () => {
    // Three for all 64 threads (mov, ishl, ilt), if, nop for 5 of them, endif, store, ret.
    const { run } = divergent('ilt r1.x, r0.x, l(5)\nif_nz r1.x\nnop\nendif', {
      schedule: { waveWidth: 64 as WaveWidth, order: 'forward', groupsInFlight: 1 },
    })
    expect(run.threadInstructionCount).toBe(64 * 4 + 5 * 2 + 64 * 2)
  })
})
