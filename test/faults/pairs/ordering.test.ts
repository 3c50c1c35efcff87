/** What section 7.14 orders and what it does not: fences, barriers that not all threads reach, atomics, tickets. */

import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createUav } from '../../../src/machine/index.ts'
import { structuredUav } from '../../support/check-text.ts'
import { checkSample, pairs, type Sample } from './pair.ts'

/** Each group stores a partial result; the group that counts last adds them up. u1[0] counts; u0 holds the partials. */
const lastGroup = (fence: string): string => `if_z vThreadIDInGroupFlattened.x
  ishl r0.x, vThreadGroupID.x, l(2)
  store_raw u0.x, r0.x, vThreadGroupID.x //@store
  ${fence}
  imm_atomic_iadd r0.y, u1, l(0), l(1) //@atomic
  ieq r0.y, r0.y, l(3)
  if_nz r0.y
    ld_raw r1.xyzw, l(0), u0.xyzw //@load
    iadd r1.x, r1.x, r1.y
    store_raw u1.x, l(16), r1.x
  endif
endif`

/** Every thread stores a partial; after a barrier one thread of the group counts, and tells the others by g0. */
const lastGroupOfAll = (fence: string): string => `store_raw u0.x, r7.y, vThreadID.x //@store
${fence}
if_z vThreadIDInGroupFlattened.x
  imm_atomic_iadd r0.y, u1, l(0), l(1)
  store_raw g0.x, l(0), r0.y
endif
sync_g_t
ld_raw r0.y, l(0), g0.xxxx
ieq r0.y, r0.y, l(3)
if_nz r0.y
  xor r0.x, r7.y, l(64)
  ld_raw r1.x, r0.x, u0.xxxx //@load
  iadd r0.x, r7.x, l(512)
  store_raw u1.x, r0.x, r1.x
endif`

/** Each group stores two words at two statements; the group that counts last loads words of the others by four. */
const lastGroupByParts = (
  fence: string,
  at = 0,
  [s, t, a, b, c, d]: readonly string[] = ['s', 't', 'a', 'b', 'c', 'd'],
): string =>
  `if_z vThreadIDInGroupFlattened.x
  ishl r0.x, vThreadGroupID.x, l(3)
  iadd r0.x, r0.x, l(${at})
  store_raw u0.x, r0.x, vThreadGroupID.x //@${s}
  iadd r0.x, r0.x, l(4)
  store_raw u0.x, r0.x, vThreadGroupID.x //@${t}
  ${fence}
  imm_atomic_iadd r0.y, u1, l(${at}), l(1)
  ieq r0.y, r0.y, l(3)
  if_nz r0.y
    ld_raw r1.x, l(${at}), u0.xxxx //@${a}
    ld_raw r1.y, l(${at + 12}), u0.xxxx //@${b}
    ld_raw r1.z, l(${at + 16}), u0.xxxx //@${c}
    ld_raw r1.w, l(${at + 20}), u0.xxxx //@${d}
    store_raw u1.xyzw, l(${at + 256}), r1.xyzw
  endif
endif`
const NEXT = ['u', 'v', 'e', 'f', 'g', 'h']

const COHERENT = 'dcl_uav_raw_glc u0\ndcl_tgsm_raw g0, 256'
const FOUR = { options: { groups: [4, 1, 1] } } as const

describe('groups are ordered by a fence and an atomic', () => {
  pairs({
    'one thread a group, without a fence': {
      ...FOUR,
      declarations: COHERENT,
      faulty: lastGroup('nop'),
      silent: [lastGroup('sync_uglobal'), lastGroup('sync_uglobal_g')],
      finds: ['check-race-across-groups load store x3'],
    },
    'one thread a group, with a fence of the memory of the group': {
      ...FOUR,
      declarations: COHERENT,
      faulty: lastGroup('sync_g'),
      silent: lastGroup('sync_uglobal'),
      finds: ['check-race-across-groups load store x3'],
    },
    'all threads of a group, with a fence that does not wait': {
      ...FOUR,
      declarations: COHERENT,
      faulty: lastGroupOfAll('sync_g_t'),
      silent: lastGroupOfAll('sync_uglobal_g_t'),
      finds: ['check-race-across-groups load store x16'],
    },
    'many stores and loads, one missing fence': {
      ...FOUR,
      declarations: COHERENT,
      faulty: lastGroupByParts('nop'),
      silent: lastGroupByParts('sync_uglobal'),
      finds: ['check-race-across-groups a s x4 + b t + c s + d t'],
    },
    'two missing fences are two findings': {
      ...FOUR,
      declarations: COHERENT,
      faulty: `${lastGroupByParts('nop')}\n${lastGroupByParts('nop', 64, NEXT)}`,
      silent: `${lastGroupByParts('sync_uglobal')}\n${lastGroupByParts('sync_uglobal', 64, NEXT)}`,
      finds: ['check-race-across-groups a s x4 + b t + c s + d t', 'check-race-across-groups e u x4 + f v + g u + h v'],
    },
    'of two fences one is missing': {
      ...FOUR,
      declarations: COHERENT,
      faulty: `${lastGroupByParts('sync_uglobal')}\n${lastGroupByParts('nop', 64, NEXT)}`,
      silent: `${lastGroupByParts('sync_uglobal')}\n${lastGroupByParts('sync_uglobal', 64, NEXT)}`,
      finds: ['check-race-across-groups e u x4 + f v + g u + h v'],
    },
    'many stores and loads of one buffer that is not globally coherent': {
      ...FOUR,
      declarations: 'dcl_uav_raw u0',
      faulty: lastGroupByParts('sync_uglobal'),
      silent: lastGroupByParts('sync_uglobal').replace(/ld_raw r1.(.*), l.*/g, 'mov r1.$1, l(1)'),
      finds: ['check-coherence a s x4 + b t + c s + d t'],
    },
    'a buffer that is not globally coherent': {
      ...FOUR,
      declarations: 'dcl_uav_raw u0',
      faulty: lastGroup('sync_uglobal'),
      silent: lastGroup('sync_uglobal').replace(/ld_raw r1.xyzw, l\(0\), u0.xyzw.*/, 'mov r1.xy, l(0,0,0,0)'),
      finds: ['check-coherence load store x3'],
    },
  })

  it('what is missing is named: the store, the atomic and a fence, no barrier', async () => {
    const { report, textOf } = await checkSample({ ...FOUR, declarations: COHERENT, body: lastGroup('nop') })
    const [race, ...rest] = report.findings.filter((f) => f.severity !== 'hint')
    expect([textOf(race!), rest]).toEqual(['check-race-across-groups load store x3', []])
    expect(race!.related?.map((r) => [r.label, r.listing])).toEqual([
      ['the atomic by which the groups meet', 'imm_atomic_iadd r0.y, u1, l(0), l(1)'],
    ])
    expect(race!.notes).toEqual([
      'the groups meet at an atomic, but no fence orders the earlier access before it',
      'put a fence (DeviceMemoryBarrier, sync_uglobal) between the earlier access and the atomic, in the thread that makes both',
    ])
  })
})

const DIVERGENT = 'check-barrier-divergent'

describe('a barrier that not all threads of the group reach', () => {
  pairs({
    'inside a condition of the thread': {
      faulty: 'ult r0.x, vThreadIDInGroupFlattened.x, l(8)\nif_nz r0.x\n  sync_g_t //@barrier\nendif',
      silent: [
        'ult r0.x, vThreadIDInGroupFlattened.x, l(8)\nif_nz r0.x\n  nop\nendif\nsync_g_t',
        'ult r0.x, vThreadGroupID.x, l(8)\nif_nz r0.x\n  sync_g_t\nendif',
      ],
      finds: [`${DIVERGENT} barrier x1`],
    },
    'after a return of surplus threads': {
      faulty: 'uge r0.x, vThreadID.x, l(12)\nretc_nz r0.x\nstore_raw g0.x, r7.x, l(1)\nsync_g_t //@barrier',
      silent: 'ult r0.x, vThreadID.x, l(12)\nif_nz r0.x\n  store_raw g0.x, r7.x, l(1)\nendif\nsync_g_t',
      finds: [`${DIVERGENT} barrier x1`],
    },
    'in a loop whose length is the thread': {
      faulty:
        'mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, vThreadIDInGroupFlattened.x\n  breakc_nz r0.y\n  sync_g_t //@barrier\n  iadd r0.x, r0.x, l(1)\nendloop',
      silent:
        'mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, l(4)\n  breakc_nz r0.y\n  sync_g_t\n  iadd r0.x, r0.x, l(1)\nendloop',
      finds: [`${DIVERGENT} barrier x15`],
    },
    'in a case of a switch': {
      faulty:
        'and r0.x, vThreadIDInGroupFlattened.x, l(1)\nswitch r0.x\n  case l(0)\n    sync_g_t //@barrier\n    break\n  default\n    break\nendswitch',
      silent:
        'and r0.x, vThreadGroupID.x, l(1)\nswitch r0.x\n  case l(0)\n    sync_g_t\n    break\n  default\n    break\nendswitch',
      finds: [`${DIVERGENT} barrier x1`],
    },
    'behind a value of shared memory that all threads read alike, and one that they do not': {
      faulty:
        'store_raw g0.x, r7.x, vThreadIDInGroupFlattened.x\nsync_g_t\nld_raw r0.x, r7.x, g0.xxxx\nif_nz r0.x\n  sync_g_t //@barrier\nendif',
      silent:
        'store_raw g0.x, r7.x, vThreadIDInGroupFlattened.x\nsync_g_t\nld_raw r0.x, l(4), g0.xxxx\nif_nz r0.x\n  sync_g_t\nendif',
      finds: [`${DIVERGENT} barrier x1`],
    },
  })
})

/** Four steps of an exchange, unrolled: each reads what a neighbor stored; the barrier after the first store is `sync`. */
const unrolled = (sync: string, memory = 'g0', names = ['store', 'a', 'b', 'c', 'd']): string =>
  `store_raw ${memory}.x, r7.x, vThreadIDInGroupFlattened.x //@${names[0]}
${sync}
xor r0.x, r7.x, l(4)
ld_raw r1.x, r0.x, ${memory}.xxxx //@${names[1]}
xor r0.x, r7.x, l(8)
ld_raw r1.y, r0.x, ${memory}.xxxx //@${names[2]}
xor r0.x, r7.x, l(16)
ld_raw r1.z, r0.x, ${memory}.xxxx //@${names[3]}
xor r0.x, r7.x, l(32)
ld_raw r1.w, r0.x, ${memory}.xxxx //@${names[4]}
iadd r1.xy, r1.xyxx, r1.zwzz
iadd r1.x, r1.x, r1.y
store_raw u0.x, r7.x, r1.x`

const SECOND = ['second', 'e', 'f', 'g', 'h']

describe('unrolled code', () => {
  pairs({
    'a barrier for other memory is one finding': {
      faulty: unrolled('sync_uglobal_t'),
      silent: unrolled('sync_uglobal_g_t'),
      finds: ['check-race-barrier-scope a store x64 + b store + c store + d store'],
    },
    'two barriers for other memory are two findings': {
      declarations: 'dcl_tgsm_raw g0, 256\ndcl_tgsm_raw g1, 256',
      faulty: `${unrolled('sync_ugroup_t')}\n${unrolled('sync_ugroup_t', 'g1', SECOND)}`,
      silent: `${unrolled('sync_g_t')}\n${unrolled('sync_g_t', 'g1', SECOND)}`,
      finds: [
        'check-race-barrier-scope a store x64 + b store + c store + d store',
        'check-race-barrier-scope e second x64 + f second + g second + h second',
      ],
    },
    'one missing barrier is one finding': {
      faulty: unrolled('nop'),
      silent: unrolled('sync_g_t'),
      // Each of 16 threads reads what four others stored.
      finds: ['check-race a store x64 + b store + c store + d store'],
    },
    'two missing barriers are two findings': {
      declarations: 'dcl_tgsm_raw g0, 256\ndcl_tgsm_raw g1, 256',
      faulty: `${unrolled('nop')}\n${unrolled('nop', 'g1', SECOND)}`,
      silent: `${unrolled('sync_g_t')}\n${unrolled('sync_g_t', 'g1', SECOND)}`,
      finds: [
        'check-race a store x64 + b store + c store + d store',
        'check-race e second x64 + f second + g second + h second',
      ],
    },
  })
})

const counterUav = (): Bindings => ({
  u0: valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: 1024, stride: 4 })), { counter: 'counter' })),
})

describe('atomics', () => {
  pairs({
    'a plain store among UAV atomics': {
      faulty:
        'atomic_iadd u0, l(0), l(1) //@atomic\nif_z vThreadIDInGroupFlattened.x\n  store_raw u0.x, l(0), l(0) //@store\nendif',
      silent:
        'if_z vThreadIDInGroupFlattened.x\n  store_raw u0.x, l(0), l(0)\nendif\nsync_uglobal_t\natomic_iadd u0, l(0), l(1)',
      finds: ['check-unordered-atomic store atomic x1'],
    },
    'a counter in shared memory that is reset beside its atomics': {
      faulty:
        'if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(0) //@store\nendif\natomic_iadd g0, l(0), l(1) //@atomic',
      silent:
        'if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(0)\nendif\nsync_g_t\natomic_iadd g0, l(0), l(1)',
      finds: ['check-race atomic store x15'],
    },
    'a total in shared memory that is read before all have added': {
      faulty:
        'if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(0)\nendif\nsync_g_t\natomic_iadd g0, l(0), l(1) //@atomic\nld_raw r0.x, l(0), g0.xxxx //@load\nstore_raw u0.x, r7.x, r0.x',
      silent:
        'if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(0)\nendif\nsync_g_t\natomic_iadd g0, l(0), l(1)\nsync_g_t\nld_raw r0.x, l(0), g0.xxxx\nstore_raw u0.x, r7.x, r0.x',
      finds: ['check-race-atomic load atomic x15'],
    },
    'a maximum that is taken by load, compare and store': {
      faulty:
        'ld_raw r0.x, l(0), u0.xxxx //@load\nult r0.y, r0.x, vThreadIDInGroupFlattened.x\nif_nz r0.y\n  store_raw u0.x, l(0), vThreadIDInGroupFlattened.x //@store\nendif',
      silent: 'atomic_umax u0, l(0), vThreadIDInGroupFlattened.x',
      finds: ['check-race store load x1', 'check-race store store x14'],
    },
  })

  /** Each finding, and in its last note what decided. */
  const decided = async (sample: Sample): Promise<string[]> => {
    const { report, textOf } = await checkSample({ ...sample, options: { detectors: ['schedules'] } })
    return report.findings.flatMap((f) => [textOf(f), f.notes.at(-1)!])
  }

  // Waves of 8 in reverse: threads 8 to 15 come first, and thread 0 is the ninth.
  it('a ticket that decides where a thread stores is named', async () => {
    const body = 'imm_atomic_iadd r0.x, u1, l(0), l(4) //@ticket\nstore_raw u0.x, r0.x, vThreadID.x //@store'
    expect(await decided({ body })).toEqual([
      'check-schedule store ticket x1',
      'what decided is the ticket that a thread got by 2: imm_atomic_iadd r0.x, u1, l(0), l(4): 0 in the first run, 32 in the second',
    ])
    const own = 'imm_atomic_iadd r0.x, u1, l(0), l(4)\nstore_raw u0.x, r7.y, vThreadID.x'
    expect(await decided({ body: own })).toEqual([])
  })

  it('a rank in the group that decides where a thread stores is named', async () => {
    const ranked = (address: string): string => `if_z vThreadIDInGroupFlattened.x
  store_raw g0.x, l(0), l(0)
endif
sync_g_t
imm_atomic_iadd r0.x, g0, l(0), l(4) //@rank
store_raw u0.x, ${address}, vThreadID.x //@store`
    expect(await decided({ body: ranked('r0.x') })).toEqual([
      'check-schedule store rank x1',
      'what decided is the rank in the group that a thread got by 6: imm_atomic_iadd r0.x, g0, l(0), l(4): 0 in the first run, 32 in the second',
    ])
    expect(await decided({ body: ranked('r7.x') })).toEqual([])
  })

  it('an atomic that returns nothing decides nothing for its thread', async () => {
    const body = `ieq r0.x, vThreadIDInGroupFlattened.x, l(3)
if_nz r0.x
  store_raw u0.x, l(0), l(100)
endif
atomic_iadd u0, l(0), l(1) //@add`
    const notes = await decided({ body })
    expect(notes).toEqual(['check-schedule add add x1', 'the two runs differ in which write came last'])
  })

  it('the place of an append that decides where a thread stores is named', async () => {
    const counted = { declarations: 'dcl_uav_structured_opc u0, 4', bindings: counterUav }
    const body = 'imm_atomic_alloc r0.x, u0 //@place\nstore_structured u0.x, r0.x, l(0), vThreadID.x //@store'
    expect(await decided({ ...counted, body })).toEqual([
      'check-schedule store place x1',
      'what decided is the place in the buffer that a thread got by 2: imm_atomic_alloc r0.x, u0: 0 in the first run, 8 in the second',
    ])
    const own = 'imm_atomic_alloc r0.x, u0\nstore_structured u0.x, vThreadID.x, l(0), vThreadID.x'
    expect(await decided({ ...counted, body: own })).toEqual([])
  })
})

describe('threads that write one value', () => {
  const counts = async (sample: Sample): Promise<Record<string, number>> => {
    const { report } = await checkSample(sample)
    const found: Record<string, number> = {}
    for (const f of report.findings) found[f.code] = (found[f.code] ?? 0) + 1
    return found
  }

  it('get a hint, and those that write different ones an error and no hint beside it', async () => {
    expect(await counts({ body: 'store_raw u0.x, l(0), l(7)' })).toEqual({ 'check-race-same-value': 1 })
    const half = 'ushr r0.x, vThreadIDInGroupFlattened.x, l(1)\nstore_raw u0.x, l(0), r0.x'
    expect(await counts({ body: half })).toEqual({ 'check-race': 1 })
    const structured = {
      declarations: 'dcl_uav_structured u0, 4',
      bindings: () => ({ u0: structuredUav(4, 64) }),
      body: 'ushr r0.x, vThreadID.x, l(3)\nstore_structured u0.x, l(0), l(0), r0.x',
    }
    expect(await counts(structured)).toEqual({ 'check-race': 1 })
  })
})
