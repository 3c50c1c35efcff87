/** Two undefined values at once, of different threads or components: each is found, and no suppression hides the other. */

import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createSrv } from '../../../src/machine/index.ts'
import { checkSample, findingsOf, findingsWithout, type Sample } from './pair.ts'

const srv = (byteLength: number) => valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength })), { raw: true }))
const SRVS = {
  declarations: 'dcl_resource_raw t0\ndcl_resource_raw t1\ndcl_tgsm_raw g0, 256',
  bindings: (): Bindings => ({ t0: srv(16), t1: srv(32) }),
}

/** The first thread goes one way and the others another; then r2.x is stored. */
const either = (first: string, others: string, store = 'store_raw u0.x, r7.x, r2.x //@use'): string =>
  `if_z vThreadIDInGroupFlattened.x\n${first}\nelse\n${others}\nendif\n${store}`

interface TwoFaults extends Omit<Sample, 'body'> {
  readonly faulty: string
  readonly silent: string
  /** What is found: the code, the place that a suppression names, the use, and in how many threads. */
  readonly finds: readonly (readonly [code: string, place: string, other: string, times: number])[]
}

const TEMP = 'check-uninitialized-temp'
const TGSM = 'check-uninitialized-tgsm'
const ARRAY = 'check-uninitialized-indexable-temp'
const UAV = 'check-uninitialized-uav'
const RAW = 'check-bounds-raw'

const CASES: Readonly<Record<string, TwoFaults>> = {
  'registers: one thread takes one that nothing wrote, the others another': {
    faulty: either('mov r2.x, r1.x //@a', 'mov r2.x, r3.y //@b'),
    silent: `mov r1.x, l(1)\nmov r3.y, l(2)\n${either('mov r2.x, r1.x', 'mov r2.x, r3.y')}`,
    finds: [
      [TEMP, 'a', 'use', 1],
      [TEMP, 'b', 'use', 15],
    ],
  },
  'a register in one thread, shared memory in the others': {
    faulty: either('mov r2.x, r1.x //@a', 'ld_raw r2.x, r7.x, g0.xxxx //@b'),
    silent: `mov r1.x, l(1)\nstore_raw g0.x, r7.x, l(2)\n${either('mov r2.x, r1.x', 'ld_raw r2.x, r7.x, g0.xxxx')}`,
    finds: [
      [TEMP, 'a', 'use', 1],
      [TGSM, 'b', 'use', 15],
    ],
  },
  'an array in registers in one thread, a register in the others': {
    declarations: 'dcl_indexableTemp x0[4], 4',
    faulty: either('and r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov r2.x, x0[r0.x + 0].x //@a', 'mov r2.x, r1.x //@b'),
    silent: `mov x0[0].x, l(1)\nmov r1.x, l(1)\n${either('and r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov r2.x, x0[r0.x + 0].x', 'mov r2.x, r1.x')}`,
    finds: [
      [ARRAY, 'a', 'use', 1],
      [TEMP, 'b', 'use', 15],
    ],
  },
  'through an array in registers, one element by threads': {
    declarations: 'dcl_indexableTemp x0[2], 4\ndcl_tgsm_raw g0, 256',
    faulty: either(
      'mov x0[1].x, r1.x //@a',
      'ld_raw r0.x, r7.x, g0.xxxx //@b\nmov x0[1].x, r0.x',
      'store_raw u0.x, r7.x, x0[1].x //@use',
    ),
    silent: either('mov x0[1].x, l(4)', 'mov x0[1].x, l(5)', 'store_raw u0.x, r7.x, x0[1].x'),
    finds: [
      [TEMP, 'a', 'use', 1],
      [TGSM, 'b', 'use', 15],
    ],
  },
  'through shared memory, one dword a thread': {
    declarations: 'dcl_tgsm_raw g0, 64\ndcl_indexableTemp x0[2], 4',
    faulty: either(
      'store_raw g0.x, r7.x, r1.x //@a',
      'store_raw g0.x, r7.x, x0[1].x //@b',
      'sync_g_t\nld_raw r2.x, r7.x, g0.xxxx\nstore_raw u0.x, r7.x, r2.x //@use',
    ),
    silent: either(
      'store_raw g0.x, r7.x, l(3)',
      'store_raw g0.x, r7.x, l(4)',
      'sync_g_t\nld_raw r2.x, r7.x, g0.xxxx\nstore_raw u0.x, r7.x, r2.x',
    ),
    finds: [
      [TEMP, 'a', 'use', 1],
      [ARRAY, 'b', 'use', 15],
    ],
  },
  'contents of a UAV that the dispatch did not write, by two loads': {
    options: { uninitializedUavs: true },
    faulty: either('ld_raw r2.x, r7.x, u1.xxxx //@a', 'iadd r0.x, r7.x, l(512)\nld_raw r2.x, r0.x, u1.xxxx //@b'),
    silent: either(
      'store_raw u1.x, r7.x, l(1)\nld_raw r2.x, r7.x, u1.xxxx',
      'iadd r0.x, r7.x, l(512)\nstore_raw u1.x, r0.x, l(1)\nld_raw r2.x, r0.x, u1.xxxx',
    ),
    finds: [
      [UAV, 'a', 'use', 1],
      [UAV, 'b', 'use', 15],
    ],
  },
  'zeros of loads past two buffers': {
    ...SRVS,
    faulty: either('ld_raw r2.x, l(16), t0.xxxx //@a', 'iadd r0.x, r7.x, l(28)\nld_raw r2.x, r0.x, t1.xxxx //@b'),
    silent: either('ld_raw r2.x, l(12), t0.xxxx', 'and r0.x, r7.x, l(28)\nld_raw r2.x, r0.x, t1.xxxx'),
    finds: [
      [RAW, 'a', 'use', 1],
      [RAW, 'b', 'use', 15],
    ],
  },
  'the zero of a load past a buffer in one thread, an undefined register in the others': {
    ...SRVS,
    faulty: either('ld_raw r2.x, l(16), t0.xxxx //@a', 'mov r2.x, r1.x //@b'),
    silent: either('ld_raw r2.x, l(12), t0.xxxx', 'mov r2.x, l(1)'),
    finds: [
      [RAW, 'a', 'use', 1],
      [TEMP, 'b', 'use', 15],
    ],
  },
  'components of one register': {
    ...SRVS,
    declarations: `dcl_resource_raw t0\ndcl_resource_raw t1\ndcl_tgsm_raw g0, 256`,
    faulty:
      'ld_raw r2.x, l(16), t0.xxxx //@a\nld_raw r2.y, r7.x, g0.xxxx //@b\nishl r0.x, r7.x, l(1)\nstore_raw u0.xy, r0.x, r2.xyxx //@use',
    silent: 'ld_raw r2.x, l(8), t0.xxxx\nmov r2.y, l(1)\nishl r0.x, r7.x, l(1)\nstore_raw u0.xy, r0.x, r2.xyxx',
    finds: [
      [RAW, 'a', 'use', 16],
      [TGSM, 'b', 'use', 16],
    ],
  },
  'a value that is stored and one that is an address': {
    faulty: 'and r0.x, r1.x, l(60) //@a\nld_raw r2.x, r7.x, g0.xxxx //@b\nstore_raw u0.x, r0.x, r2.x //@use',
    silent: 'and r0.x, r7.x, l(60)\nmov r2.x, l(4)\nstore_raw u0.x, r0.x, r2.x',
    finds: [
      [TEMP, 'a', 'use', 16],
      [TGSM, 'b', 'use', 16],
    ],
  },
  'in the upper half of a wave of 64': {
    ...SRVS,
    threads: [64, 1, 1],
    options: { schedule: { waveWidth: 64, order: 'forward', groupsInFlight: 1 } },
    faulty: `ult r0.x, vThreadIDInGroupFlattened.x, l(40)
if_nz r0.x
  mov r2.x, r1.x //@a
else
  ld_raw r2.x, l(32), t1.xxxx //@b
endif
store_raw u0.x, r7.x, r2.x //@use`,
    silent: 'ld_raw r2.x, l(28), t1.xxxx\nstore_raw u0.x, r7.x, r2.x',
    finds: [
      [TEMP, 'a', 'use', 40],
      [RAW, 'b', 'use', 24],
    ],
  },
}

describe('two undefined values', () => {
  for (const [title, { faulty, silent, finds, ...common }] of Object.entries(CASES)) {
    it(title, async () => {
      const sample = { ...common, body: faulty }
      const all = finds.map(([code, place, other, times]) => `${code} ${place} ${other} x${times}`)
      expect(await findingsOf(sample)).toEqual([...all].sort())
      for (const [n, [code, place]] of finds.entries()) {
        expect(await findingsWithout(sample, code, place)).toEqual(all.filter((_, k) => k !== n))
      }
      expect(await findingsOf({ ...common, body: silent })).toEqual([])
    })
  }
})

describe('the thread of a finding', () => {
  const last = 'ieq r0.x, vThreadIDInGroupFlattened.x, l(15)'

  it('is the one whose value is stored, where every thread loads past the buffer', async () => {
    const body = `iadd r0.y, r7.x, l(16)\nld_raw r2.x, r0.y, t0.xxxx //@a\n${last}\nmovc r2.x, r0.x, r2.x, l(1)\nstore_raw u0.x, r7.x, r2.x //@use`
    const { report } = await checkSample({ ...SRVS, body })
    const [finding] = report.findings.filter((f) => f.severity !== 'hint')
    expect([finding?.site.threadFlattened, finding?.other?.threadFlattened]).toEqual([15, 15])
    // Thread 15 loads from byte 15 * 4 + 16.
    expect(finding?.message).toContain('76')
  })

  it('is the one whose value is stored, where every thread reads a register that nothing wrote', async () => {
    const body = `mov r2.x, r1.x //@a\n${last}\nmovc r2.x, r0.x, r2.x, l(1)\nstore_raw u0.x, r7.x, r2.x //@use`
    const { report } = await checkSample({ body })
    const [finding] = report.findings.filter((f) => f.severity !== 'hint')
    expect([finding?.site.threadFlattened, finding?.other?.threadFlattened]).toEqual([15, 15])
  })
})
