import { describe } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createSrv, createUav } from '../../src/machine/index.ts'
import { rawUav } from '../support/check-text.ts'
import { pairs } from './pairs/pair.ts'

/**
 * Small programs with the faults that checkers of other languages are tested with, and their right counterparts, in
 * Direct3D's terms. Where a race is counted: the lanes of a wave make a statement's accesses one after the other.
 */
const broadcast = (sync: string): string =>
  `if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(42) //@store\nendif\n${sync}\nld_raw r0.x, l(0), g0.xxxx //@load\nstore_raw u0.x, r7.x, r0.x`

/** One thread adds up two words that others wrote to a UAV. */
const sum = (sync: string): string =>
  `store_raw u0.x, r7.x, vThreadIDInGroupFlattened.x //@store\n${sync}\nif_z vThreadIDInGroupFlattened.x\n  ld_raw r0.xy, l(8), u0.xyxx //@load\n  iadd r0.x, r0.x, r0.y\n  store_raw u1.x, l(0), r0.x //@total\nendif`

const TWO = { options: { groups: [2, 1, 1] } } as const

const handOver = (through: string): string => `if_z vThreadIDInGroupFlattened.x
  if_z vThreadGroupID.x
    store_raw u0.x, l(0), l(7) //@store
  else
    ld_raw r0.x, ${through}, u0.xxxx //@load
    ishl r0.y, vThreadGroupID.x, l(2)
    store_raw u1.x, r0.y, r0.x
  endif
endif`

const tile = (second: string): string => `mov r2.xy, l(0,0,0,0)
loop
  uge r0.x, r2.x, l(3)
  breakc_nz r0.x
  store_raw g0.x, r7.x, r2.x //@store
  sync_g_t
  xor r0.y, r7.x, l(4)
  ld_raw r0.z, r0.y, g0.xxxx //@load
  iadd r2.y, r2.y, r0.z
  ${second}
  iadd r2.x, r2.x, l(1)
endloop
store_raw u0.x, r7.x, r2.y`

const aliased = (): Bindings => {
  const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
  return {
    t0: valueOrThrow(createSrv(buffer, { raw: true })),
    u0: valueOrThrow(createUav(buffer, { raw: true })),
  }
}

describe('races', () => {
  pairs({
    'every thread increments one dword without an atomic': {
      faulty: 'ld_raw r0.x, l(0), u0.xxxx //@load\niadd r0.x, r0.x, l(1)\nstore_raw u0.x, l(0), r0.x //@store',
      silent: 'atomic_iadd u0, l(0), l(1)',
      // All read 0 and write 1: of the writes none differs; thread 0 writes what thread 1 has read.
      finds: ['check-race store load x1'],
    },
    'one thread writes what all read: broadcast': {
      faulty: broadcast('nop'),
      silent: broadcast('sync_g_t'),
      finds: ['check-race load store x15'],
    },
    'one thread writes what all read, behind a barrier for other memory': {
      faulty: broadcast('sync_uglobal_t'),
      silent: broadcast('sync_uglobal_g_t'),
      finds: ['check-race-barrier-scope load store x15'],
    },
    'one thread sums what all wrote to a UAV': {
      faulty: sum('nop'),
      silent: sum('sync_uglobal_t'),
      finds: ['check-race load store x2'],
    },
    'one thread sums what all wrote to a UAV, behind a barrier for shared memory': {
      faulty: sum('sync_g_t'),
      silent: [sum('sync_uglobal_t'), sum('sync_ugroup_t')],
      finds: ['check-race-barrier-scope load store x2'],
    },
    'one thread of each group sums what both groups wrote to a UAV': {
      ...TWO,
      declarations: 'dcl_uav_raw_glc u0',
      faulty: sum('sync_uglobal_t'),
      // Each group has words of its own, and adds to the total with an atomic.
      silent: `ishl r0.z, vThreadGroupID.x, l(6)\niadd r0.z, r0.z, l(8)\n${sum('sync_uglobal_t')}`
        .replace('u0.x, r7.x', 'u0.x, r7.y')
        .replace('l(8), u0', 'r0.z, u0')
        .replace('store_raw u1.x', 'atomic_iadd u1'),
      // The second group stores the words that the first one read, and a total that is the same. It reads what it stored.
      finds: ['check-race-across-groups store load x2'],
    },
    'groups hide a race from each other by the order they happen to run in': {
      ...TWO,
      faulty: handOver('l(0)'),
      silent: handOver('l(4)'),
      finds: ['check-race-across-groups load store x1'],
    },
    'a tile loaded and used without the second barrier': {
      faulty: tile('nop'),
      silent: tile('sync_g_t'),
      // Each of 16 threads stores over what its neighbor read, in two of three iterations.
      finds: ['check-race store load x32'],
    },
    'a buffer that is read through t# while it is written through u#': {
      declarations: 'dcl_resource_raw t0',
      bindings: aliased,
      faulty: 'xor r0.x, r7.x, l(4)\nld_raw r0.y, r0.x, t0.xxxx //@load\nstore_raw u0.x, r7.x, r0.y //@store',
      silent: 'ld_raw r0.y, r7.x, t0.xxxx\nstore_raw u0.x, r7.x, r0.y',
      finds: ['check-race store load x16'],
    },
  })
})

const SMALL = { bindings: (): Bindings => ({ u0: rawUav(64) }) }
const fill = (end: number): string =>
  `mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, l(${end})\n  breakc_nz r0.y\n  mov x0[r0.x + 0].x, r0.x //@write\n  iadd r0.x, r0.x, l(1)\nendloop\nmov r0.x, x0[1].x\nstore_raw u0.x, r7.x, r0.x`

describe('memory', () => {
  pairs({
    'a store one element too far': {
      ...SMALL,
      faulty: 'iadd r0.x, r7.x, l(4)\nstore_raw u0.x, r0.x, l(1) //@store',
      silent: 'store_raw u0.x, r7.x, l(1)',
      finds: ['check-bounds-raw store x1'],
    },
    'a store one element before the first': {
      ...SMALL,
      faulty: 'iadd r0.x, r7.x, l(-4)\nstore_raw u0.x, r0.x, l(1) //@store',
      silent: 'store_raw u0.x, r7.x, l(1)',
      finds: ['check-bounds-raw store x1'],
    },
    'a load one element too far': {
      ...SMALL,
      faulty: 'iadd r0.x, r7.x, l(4)\nld_raw r0.y, r0.x, u0.xxxx //@load\nstore_raw u1.x, r7.x, r0.y //@use',
      silent: 'ld_raw r0.y, r7.x, u0.xxxx\nstore_raw u1.x, r7.x, r0.y',
      finds: ['check-bounds-raw load use x1'],
    },
    'an atomic past the end': {
      ...SMALL,
      faulty: 'atomic_iadd u0, l(64), l(1) //@atomic',
      silent: 'atomic_iadd u0, l(60), l(1)',
      finds: ['check-bounds-raw atomic x16'],
    },
    'a store past shared memory': {
      faulty: 'store_raw g0.x, l(256), l(1) //@store',
      silent: 'store_raw g0.x, l(252), l(1)',
      finds: ['check-bounds-tgsm store x16'],
    },
    'an array in registers indexed past its end': {
      declarations: 'dcl_indexableTemp x0[4], 4',
      faulty: fill(5),
      silent: fill(4),
      finds: ['check-bounds-indexable-temp write x16'],
    },
  })
})

const partOfArray = (last: number): string =>
  `mov x0[0].x, l(1)\nmov x0[1].x, l(2)\nand r0.x, vThreadIDInGroupFlattened.x, l(${last})\nmov r0.y, x0[r0.x + 0].x //@read\nstore_raw u0.x, r7.x, r0.y //@use`
const initialize = (bound: number): string =>
  `ult r0.x, vThreadIDInGroupFlattened.x, l(${bound})\nif_nz r0.x\n  store_raw g0.x, r7.x, l(3)\nendif\nsync_g_t\nld_raw r0.y, r7.x, g0.xxxx //@load\nstore_raw u0.x, r7.x, r0.y //@use`
const copied = (before: string): string =>
  `${before}\nstore_raw g0.x, r7.x, r1.x //@read\nsync_g_t\nld_raw r0.y, r7.x, g0.xxxx\nif_nz r0.y //@branch\n  store_raw u0.x, r7.x, l(1)\nendif`

describe('undefined values', () => {
  pairs({
    'an array in registers of which a part was written': {
      declarations: 'dcl_indexableTemp x0[4], 4',
      faulty: partOfArray(3),
      silent: partOfArray(1),
      finds: ['check-uninitialized-indexable-temp read use x8'],
    },
    'shared memory that half of the threads initialize': {
      faulty: initialize(8),
      silent: initialize(16),
      finds: ['check-uninitialized-tgsm load use x8'],
    },
    'a value copied through memory before it decides a branch': {
      faulty: copied('nop'),
      silent: copied('mov r1.x, l(1)'),
      finds: ['check-uninitialized-temp read branch x16'],
    },
  })
})

const loopOf = (bound: string): string =>
  `mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, ${bound}\n  breakc_nz r0.y\n  sync_g_t //@barrier\n  iadd r0.x, r0.x, l(1)\nendloop`

describe('barriers', () => {
  pairs({
    'in a loop that threads leave at different times': {
      faulty: loopOf('vThreadIDInGroupFlattened.x'),
      silent: loopOf('l(3)'),
      // Thread 15 goes through it 15 times, each time without those that have left.
      finds: ['check-barrier-divergent barrier x15'],
    },
  })
})
