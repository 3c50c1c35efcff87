/** Idioms of shaders that ship, which must stay silent, each with a fault that is made in it. */

import { describe } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createTexture, createUav } from '../../../src/machine/index.ts'
import { pairs } from './pair.ts'

const texture = (width: number, height: number): Bindings => ({
  u0: valueOrThrow(
    createUav(valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_UINT', width, height }))),
  ),
})

/** Sixteen groups store one texel each; the group that counts last makes the next level from all of them. */
const downsample = (fence: string): string => `if_z vThreadIDInGroupFlattened.x
  and r0.x, vThreadGroupID.x, l(3)
  ushr r0.y, vThreadGroupID.x, l(2)
  store_uav_typed u0.xyzw, r0.xyyy, vThreadGroupID.xxxx //@store
  ${fence}
  imm_atomic_iadd r0.z, u1, l(0), l(1)
  store_raw g0.x, l(0), r0.z
endif
sync_uglobal_g_t
ld_raw r0.z, l(0), g0.xxxx
ieq r0.z, r0.z, l(15)
if_nz r0.z
  and r0.x, vThreadIDInGroupFlattened.x, l(3)
  ushr r0.y, vThreadIDInGroupFlattened.x, l(2)
  ld_uav_typed_indexable(texture2d)(uint,uint,uint,uint) r1.x, r0.xyyy, u0.xyzw //@load
  iadd r0.x, r7.x, l(64)
  store_raw u1.x, r0.x, r1.x
endif`

/** Each group publishes its sum and a flag, and waits for the flag of the group before it. */
const lookBack = (fence: string): string => `if_z vThreadIDInGroupFlattened.x
  ishl r0.x, vThreadGroupID.x, l(2)
  iadd r0.y, r0.x, l(-4)
  mov r1.x, l(0)
  if_nz vThreadGroupID.x
    loop
      imm_atomic_iadd r0.z, u1, r0.y, l(0)
      breakc_nz r0.z
    endloop
    ld_raw r1.x, r0.y, u0.xxxx //@load
  endif
  iadd r1.x, r1.x, l(16)
  store_raw u0.x, r0.x, r1.x //@store
  ${fence}
  imm_atomic_exch r0.z, u1, r0.x, l(1)
endif`

/** Sorts 16 words of shared memory; `sync` ends each step. */
const bitonic = (sync: string): string => `xor r0.x, vThreadIDInGroupFlattened.x, l(5)
store_raw g0.x, r7.x, r0.x
sync_g_t
mov r1.x, l(2)
loop
  ult r0.x, l(16), r1.x
  breakc_nz r0.x
  ushr r1.y, r1.x, l(1)
  loop
    breakc_z r1.y
    xor r2.x, vThreadIDInGroupFlattened.x, r1.y
    ult r2.y, vThreadIDInGroupFlattened.x, r2.x
    if_nz r2.y
      ishl r2.x, r2.x, l(2)
      ld_raw r3.x, r7.x, g0.xxxx //@own
      ld_raw r3.y, r2.x, g0.xxxx //@other
      and r2.z, vThreadIDInGroupFlattened.x, r1.x
      ieq r2.z, r2.z, l(0)
      umin r3.z, r3.x, r3.y
      umax r3.w, r3.x, r3.y
      movc r4.x, r2.z, r3.z, r3.w
      movc r4.y, r2.z, r3.w, r3.z
      store_raw g0.x, r7.x, r4.x //@low
      store_raw g0.x, r2.x, r4.y //@high
    endif
    ${sync}
    ushr r1.y, r1.y, l(1)
  endloop
  ishl r1.x, r1.x, l(1)
endloop
${sync === 'nop' ? 'sync_g_t' : 'nop'}
ld_raw r3.x, r7.x, g0.xxxx
store_raw u0.x, r7.x, r3.x`

/** Depth range of a tile by atomics, then a list of the lights in it. */
const culling = (sync: string, capacity: number): string => `if_z vThreadIDInGroupFlattened.x
  store_raw g0.xyz, l(0), l(-1, 0, 0, 0) //@init
endif
${sync}
atomic_umin g0, l(0), vThreadID.x //@min
atomic_umax g0, l(4), vThreadID.x //@max
sync_g_t
ld_raw r0.xy, l(0), g0.xyxx
mov r1.x, vThreadIDInGroupFlattened.x
loop
  uge r0.z, r1.x, l(32)
  breakc_nz r0.z
  ult r0.z, r1.x, l(${capacity})
  uge r0.w, r1.x, r0.x
  and r0.z, r0.z, r0.w
  if_nz r0.z
    imm_atomic_iadd r2.x, g0, l(8), l(4)
    iadd r2.x, r2.x, l(16)
    store_raw g0.x, r2.x, r1.x //@entry
  endif
  iadd r1.x, r1.x, l(16)
endloop
sync_g_t
ld_raw r1.y, l(8), g0.xxxx
mov r1.x, l(0)
mov r1.z, r0.y
loop
  uge r0.z, r1.x, r1.y
  breakc_nz r0.z
  iadd r0.z, r1.x, l(16)
  ld_raw r0.w, r0.z, g0.xxxx
  iadd r1.z, r1.z, r0.w
  iadd r1.x, r1.x, l(4)
endloop
store_raw u0.x, r7.x, r1.z`

const MERGE_ATOMIC = 'atomic_iadd u0, r0.x, r0.y //@merge'
const MERGE_PLAIN = 'ld_raw r0.z, r0.x, u0.xxxx //@read\niadd r0.y, r0.y, r0.z\nstore_raw u0.x, r0.x, r0.y //@write'
/** Bins in shared memory, of which `cleared` are set to 0, added to those of all groups by `merge`. */
const histogram = (merge: string, cleared = 16): string => `ult r0.x, vThreadIDInGroupFlattened.x, l(${cleared})
if_nz r0.x
  store_raw g0.x, r7.x, l(0)
endif
sync_g_t
imul null, r0.x, vThreadID.x, l(28)
and r0.x, r0.x, l(60)
atomic_iadd g0, r0.x, l(1) //@bin
sync_g_t
mov r0.x, r7.x
ld_raw r0.y, r7.x, g0.xxxx //@load
${merge}`

const counted = (value: number, count = 64) =>
  valueOrThrow(
    createUav(valueOrThrow(createBuffer({ byteLength: count * 4, stride: 4 })), {
      counter: 'counter',
      initialCount: value,
    }),
  )
const queues = (): Bindings => ({ u0: counted(0), u1: counted(32) })
const QUEUES = 'dcl_uav_structured_opc u0, 4\ndcl_uav_structured_opc u1, 4'
const MOVE_ON = `imm_atomic_consume r0.x, u1 //@consume
ld_structured r0.y, r0.x, l(0), u1.xxxx
imm_atomic_alloc r0.x, u0
store_structured u0.x, r0.x, l(0), r0.y`

/** Prefix sums that go back and forth between two halves of shared memory; `offset` is where the other half begins. */
const pingPong = (offset: number): string => `store_raw g0.x, r7.x, vThreadIDInGroupFlattened.x
sync_g_t
mov r1.xy, l(1, 0, 0, 0)
loop
  uge r0.x, r1.x, l(16)
  breakc_nz r0.x
  iadd r0.x, r7.x, r1.y
  ld_raw r2.x, r0.x, g0.xxxx //@own
  uge r0.y, vThreadIDInGroupFlattened.x, r1.x
  if_nz r0.y
    ishl r0.z, r1.x, l(2)
    iadd r0.z, r0.x, -r0.z
    ld_raw r2.y, r0.z, g0.xxxx //@left
    iadd r2.x, r2.x, r2.y
  endif
  xor r1.y, r1.y, l(${offset})
  iadd r0.x, r7.x, r1.y
  store_raw g0.x, r0.x, r2.x //@store
  sync_g_t
  ishl r1.x, r1.x, l(1)
endloop
store_raw u0.x, r7.x, r2.x`

/** A tree of sums whose last steps, of one wave of 16, have `sync` between them. */
const waveReduction = (sync: string): string => `store_raw g0.x, r7.x, l(1)
sync_g_t
mov r1.x, l(8)
loop
  breakc_z r1.x
  ult r0.x, vThreadIDInGroupFlattened.x, r1.x
  if_nz r0.x
    ishl r0.y, r1.x, l(2)
    iadd r0.y, r0.y, r7.x
    ld_raw r0.z, r0.y, g0.xxxx //@other
    ld_raw r0.w, r7.x, g0.xxxx //@mine
    iadd r0.z, r0.z, r0.w
    store_raw g0.x, r7.x, r0.z //@sum
  endif
  ${sync}
  ushr r1.x, r1.x, l(1)
endloop
if_z vThreadIDInGroupFlattened.x
  ld_raw r0.x, l(0), g0.xxxx //@total
  store_raw u0.x, l(0), r0.x
endif`

/** Three taps over a row that is kept with one more word at each end, which `edges` threads load. */
const apron = (edges: number): string => `iadd r0.x, r7.x, l(4)
store_raw g0.x, r0.x, vThreadIDInGroupFlattened.x
ult r0.y, vThreadIDInGroupFlattened.x, l(${edges})
if_nz r0.y
  imul null, r0.z, vThreadIDInGroupFlattened.x, l(68)
  store_raw g0.x, r0.z, l(0)
endif
sync_g_t
ld_raw r1.x, r7.x, g0.xxxx //@left
ld_raw r1.y, r0.x, g0.xxxx
iadd r0.z, r7.x, l(8)
ld_raw r1.z, r0.z, g0.xxxx //@right
iadd r1.x, r1.x, r1.y
iadd r1.x, r1.x, r1.z
store_raw u0.x, r7.x, r1.x //@use`

/** Rows of four words, one a thread, summed from left to right in place; a row has `length` words. */
const runningSum = (length: number): string => `ishl r0.x, r7.x, l(2)
mov r1.xy, l(0, 0, 0, 0)
loop
  uge r0.y, r1.x, l(${length})
  breakc_nz r0.y
  ld_raw r0.z, r0.x, u0.xxxx //@load
  iadd r1.y, r1.y, r0.z
  store_raw u0.x, r0.x, r1.y //@store
  iadd r0.x, r0.x, l(4)
  iadd r1.x, r1.x, l(1)
endloop`

const LINK_ATOMIC = 'imm_atomic_exch r0.y, u1, r0.x, vThreadID.x'
const LINK_PLAIN = 'ld_raw r0.y, r0.x, u1.xxxx //@load\nstore_raw u1.x, r0.x, vThreadID.x //@store'
/** Lists of fragments, four heads in u1; each thread links its node before the head's. */
const linkedLists = (link: string): string => `and r0.x, r7.x, l(12)
${link}
ishl r0.z, r7.y, l(1)
store_raw u0.xy, r0.z, r0.yxyy`

const TRANSPOSE = (sync: string): string => `store_raw g0.x, r7.x, vThreadID.x //@store
${sync}
and r0.x, vThreadIDInGroupFlattened.x, l(3)
ushr r0.y, vThreadIDInGroupFlattened.x, l(2)
imad r0.x, r0.x, l(4), r0.y
ishl r0.x, r0.x, l(2)
ld_raw r1.x, r0.x, g0.xxxx //@load
store_raw u0.x, r7.x, r1.x`

const WORK = (take: string): string => `loop
  if_z vThreadIDInGroupFlattened.x
    ${take}
    store_raw g0.x, l(0), r0.x
  endif
  sync_g_t
  ld_raw r0.x, l(0), g0.xxxx
  sync_g_t
  uge r0.y, r0.x, l(8)
  breakc_nz r0.y
  ishl r0.z, r0.x, l(6)
  iadd r0.z, r0.z, r7.x
  store_raw u0.x, r0.z, r0.x
endloop`

describe('idioms', () => {
  pairs({
    'single-pass downsampling: the last group makes the next level': {
      options: { groups: [16, 1, 1] },
      declarations: 'dcl_uav_typed_texture2d_glc (uint,uint,uint,uint) u0\ndcl_tgsm_raw g0, 16',
      bindings: () => texture(4, 4),
      faulty: downsample('nop'),
      silent: downsample('sync_uglobal'),
      finds: ['check-race-across-groups load store x15'],
    },
    'single-pass downsampling: the level in between is coherent': {
      options: { groups: [16, 1, 1] },
      declarations: 'dcl_uav_typed_texture2d (uint,uint,uint,uint) u0\ndcl_tgsm_raw g0, 16',
      bindings: () => texture(4, 4),
      faulty: downsample('sync_uglobal'),
      silent: downsample('sync_uglobal').replace(/ld_uav_typed_indexable.*/, 'mov r1.x, l(1)'),
      finds: ['check-coherence load store x15'],
    },
    'prefix sum with decoupled look-back': {
      options: { groups: [8, 1, 1] },
      declarations: 'dcl_uav_raw_glc u0\ndcl_uav_raw_glc u1',
      faulty: lookBack('nop'),
      silent: lookBack('sync_uglobal'),
      finds: ['check-race-across-groups load store x7'],
    },
    'bitonic sort': {
      faulty: bitonic('nop'),
      silent: bitonic('sync_g_t'),
      // One barrier is missing, at the end of the inner loop. That one statement races with itself may be of one iteration.
      finds: ['check-race high high x18', 'check-race own high x140 + other low + other high + low high'],
    },
    'tile culling: the range is set before the atomics': {
      faulty: culling('nop', 12),
      silent: culling('sync_g_t', 12),
      // One missing barrier: the pair of the other atomic is among the places of this finding.
      finds: ['check-race min init x30 + max init'],
    },
    'tile culling: the list holds what is put in': {
      declarations: 'dcl_tgsm_raw g0, 64',
      faulty: culling('sync_g_t', 13).replaceAll('r1.y, l(8), g0.xxxx', 'r1.y, l(4), g0.xxxx'),
      silent: culling('sync_g_t', 12),
      finds: ['check-bounds-tgsm entry x1'],
    },
    'histogram: groups add with atomics': {
      options: { groups: [4, 1, 1] },
      faulty: histogram(MERGE_PLAIN),
      silent: histogram(MERGE_ATOMIC),
      finds: ['check-race-across-groups read write x48', 'check-race-across-groups write write x48'],
    },
    'histogram: all bins are cleared': {
      faulty: histogram(MERGE_ATOMIC, 12),
      silent: histogram(MERGE_ATOMIC, 16),
      finds: ['check-uninitialized-tgsm bin merge x4'],
    },
    'queues: one is consumed and another appended to': {
      declarations: QUEUES,
      bindings: queues,
      faulty: `${MOVE_ON}\nimm_atomic_alloc r0.x, u1 //@alloc`,
      silent: MOVE_ON,
      finds: ['check-counter-mixed alloc consume x16'],
    },
    'queues: no more is consumed than is there': {
      declarations: QUEUES,
      bindings: () => ({ u0: counted(0), u1: counted(12) }),
      faulty: 'imm_atomic_consume r0.x, u1 //@consume',
      silent: 'ult r0.x, vThreadID.x, l(12)\nif_nz r0.x\n  imm_atomic_consume r0.x, u1\nendif',
      finds: ['check-counter-underflow consume x1'],
    },
    'ping-pong between halves of shared memory': {
      faulty: pingPong(0),
      silent: pingPong(64),
      finds: ['check-race store left x49'],
    },
    'reductions in a wave need barriers too': {
      faulty: waveReduction('nop'),
      silent: waveReduction('sync_g_t'),
      finds: ['check-race other sum x7'],
    },
    'a row with an apron': {
      faulty: apron(1),
      silent: apron(2),
      finds: ['check-uninitialized-tgsm right use x1'],
    },
    'running sums in place': {
      declarations: 'dcl_uav_raw u0',
      faulty: runningSum(5),
      silent: runningSum(4),
      finds: ['check-race load store x15'],
    },
    'linked lists of fragments': {
      faulty: linkedLists(LINK_PLAIN),
      silent: linkedLists(LINK_ATOMIC),
      finds: ['check-race store load x4', 'check-race store store x12'],
    },
    'a transposed tile': {
      faulty: TRANSPOSE('nop'),
      silent: TRANSPOSE('sync_g_t'),
      finds: ['check-race load store x12'],
    },
    'threads that stay and take work': {
      options: { groups: [3, 1, 1] },
      faulty: WORK('ld_raw r0.x, l(0), u1.xxxx //@load\niadd r0.y, r0.x, l(1)\nstore_raw u1.x, l(0), r0.y //@store'),
      silent: WORK('imm_atomic_iadd r0.x, u1, l(0), l(1)'),
      finds: ['check-race-across-groups load store x2', 'check-race-across-groups store store x2'],
    },
  })
})
