/** Loads that run ahead of their bounds check: their results are undefined or 0, which matters only where they are used. */

import { describe } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { createBuffer, createSrv } from '../../../src/machine/index.ts'
import { type Pair, pairs } from './pair.ts'

/** Shared memory of one dword a thread, written by all; then `body`; then r2.x is stored. */
const shared = (body: string): string => `store_raw g0.x, r7.x, vThreadIDInGroupFlattened.x
sync_g_t
${body}
store_raw u0.x, r7.x, r2.x //@use`

const SHARED = { declarations: 'dcl_tgsm_raw g0, 64' }

/** Each thread's neighbor one to the left: thread 0 has none, and its address lies far past the register. */
const LEFT = 'iadd r0.x, r7.x, l(-4)\nld_raw r0.y, r0.x, g0.xxxx //@load'
const HAS_LEFT = 'uge r0.z, vThreadIDInGroupFlattened.x, l(1)'

const rawSrv = () => ({ t0: valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 64 })), { raw: true })) })

const LEFT_STRUCTURE = 'iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)\nld_structured r0.y, r0.x, l(0), g0.xxxx //@load'
const structured = (body: string): string => `store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(3)
sync_g_t
${body}
store_raw u0.x, r7.x, r2.x //@use`

const doublings = (select: string): string =>
  shared(`mov r1.x, l(1)
mov r2.x, vThreadIDInGroupFlattened.x
loop
  uge r0.w, r1.x, l(16)
  breakc_nz r0.w
  ishl r0.x, r1.x, l(2)
  iadd r0.x, r7.x, -r0.x
  ld_raw r0.y, r0.x, g0.xxxx //@load
  uge r0.z, vThreadIDInGroupFlattened.x, r1.x
  ${select}
  iadd r2.x, r2.x, r0.y
  sync_g_t
  store_raw g0.x, r7.x, r2.x
  sync_g_t
  ishl r1.x, r1.x, l(1)
endloop`)

const TGSM = 'check-bounds-tgsm'

describe('a load past shared memory', () => {
  pairs({
    'is stored, or masked by movc': {
      ...SHARED,
      faulty: shared(`${LEFT}\nmov r2.x, r0.y`),
      silent: shared(`${LEFT}\n${HAS_LEFT}\nmovc r2.x, r0.z, r0.y, l(0)`),
      finds: [`${TGSM} load use x1`],
    },
    'is masked by and': {
      ...SHARED,
      faulty: shared(`${LEFT}\nand r2.x, r0.y, l(255)`),
      silent: shared(`${LEFT}\n${HAS_LEFT}\nand r2.x, r0.y, r0.z`),
      finds: [`${TGSM} load use x1`],
    },
    'is masked by a condition that is one thread off': {
      ...SHARED,
      faulty: shared(`${LEFT}\nuge r0.z, vThreadIDInGroupFlattened.x, l(0)\nmovc r2.x, r0.z, r0.y, l(0)`),
      silent: shared(`${LEFT}\nult r0.z, l(0), vThreadIDInGroupFlattened.x\nmovc r2.x, r0.z, r0.y, l(0)`),
      finds: [`${TGSM} load use x1`],
    },
    'of structures': {
      declarations: 'dcl_tgsm_structured g0, 4, 16',
      faulty: structured(`${LEFT_STRUCTURE}\niadd r2.x, r0.y, l(1)`),
      silent: structured(`${LEFT_STRUCTURE}\n${HAS_LEFT}\nmovc r2.x, r0.z, r0.y, l(0)`),
      finds: [`${TGSM} load use x1`],
    },
    'decides a branch': {
      ...SHARED,
      faulty: `store_raw g0.x, r7.x, l(1)\nsync_g_t\n${LEFT}\nif_nz r0.y //@branch\n  store_raw u0.x, r7.x, l(1)\nendif`,
      silent: `store_raw g0.x, r7.x, l(1)\nsync_g_t\n${LEFT}\n${HAS_LEFT}\nand r0.y, r0.y, r0.z\nif_nz r0.y\n  store_raw u0.x, r7.x, l(1)\nendif`,
      finds: [`${TGSM} load branch x1`],
    },
    'is an address': {
      ...SHARED,
      faulty: shared(`${LEFT}\nand r0.y, r0.y, l(60)\nld_raw r2.x, r0.y, u1.xxxx //@address`),
      silent: shared(
        `${LEFT}\n${HAS_LEFT}\nmovc r0.y, r0.z, r0.y, l(0)\nand r0.y, r0.y, l(60)\nld_raw r2.x, r0.y, u1.xxxx`,
      ),
      finds: [`${TGSM} load address x1`],
    },
    'in every step of a prefix sum': {
      ...SHARED,
      faulty: doublings('nop'),
      silent: doublings('and r0.y, r0.y, r0.z'),
      finds: [`${TGSM} load use x15`],
    },
    'goes through shared memory first': {
      declarations: 'dcl_tgsm_raw g0, 64\ndcl_tgsm_raw g1, 64',
      faulty: shared(`${LEFT}\nstore_raw g1.x, r7.x, r0.y\nsync_g_t\nld_raw r2.x, r7.x, g1.xxxx`),
      silent: [
        shared(
          `${LEFT}\n${HAS_LEFT}\nmovc r0.y, r0.z, r0.y, l(0)\nstore_raw g1.x, r7.x, r0.y\nsync_g_t\nld_raw r2.x, r7.x, g1.xxxx`,
        ),
        shared(`${LEFT}\nstore_raw g1.x, r7.x, r0.y\nsync_g_t\nmov r2.x, l(7)`),
      ],
      finds: [`${TGSM} load use x1`],
    },
    'is not forgiven where it stores': {
      ...SHARED,
      faulty: shared('iadd r0.x, r7.x, l(-4)\nstore_raw g0.x, r0.x, l(1) //@store\nmov r2.x, l(0)'),
      silent: shared(
        `iadd r0.x, r7.x, l(-4)\n${HAS_LEFT}\nif_nz r0.z\n  store_raw g0.x, r0.x, l(1)\nendif\nmov r2.x, l(0)`,
      ),
      finds: [`${TGSM} store x1`],
    },
  })
})

describe('a load past something else', () => {
  pairs({
    'a raw buffer gives 0, which may be masked away': {
      declarations: 'dcl_resource_raw t0',
      bindings: rawSrv,
      faulty: 'iadd r0.x, r7.x, l(4)\nld_raw r2.x, r0.x, t0.xxxx //@load\nstore_raw u0.x, r7.x, r2.x //@use',
      silent:
        'iadd r0.x, r7.x, l(4)\nld_raw r2.x, r0.x, t0.xxxx\nult r0.y, r0.x, l(64)\nmovc r2.x, r0.y, r2.x, l(-1)\nstore_raw u0.x, r7.x, r2.x',
      finds: ['check-bounds-raw load use x1'],
    },
    'a UAV': {
      bindings: () => ({}),
      faulty: 'iadd r0.x, r7.x, l(1000)\nld_raw r2.x, r0.x, u1.xxxx //@load\nstore_raw u0.x, r7.x, r2.x //@use',
      silent:
        'iadd r0.x, r7.x, l(1000)\nld_raw r2.x, r0.x, u1.xxxx\nult r0.y, r0.x, l(1024)\nand r2.x, r0.y, r2.x\nstore_raw u0.x, r7.x, r2.x',
      finds: ['check-bounds-raw load use x10'],
    },
    'an array in registers': {
      declarations: 'dcl_indexableTemp x0[4], 4',
      faulty:
        'mov x0[0].x, l(1)\nmov x0[1].x, l(1)\nmov x0[2].x, l(1)\nmov x0[3].x, l(1)\nmov r0.x, vThreadIDInGroupFlattened.x\nmov r2.x, x0[r0.x + 0].x //@load\nstore_raw u0.x, r7.x, r2.x //@use',
      silent:
        'mov x0[0].x, l(1)\nmov x0[1].x, l(1)\nmov x0[2].x, l(1)\nmov x0[3].x, l(1)\nand r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov r2.x, x0[r0.x + 0].x\nstore_raw u0.x, r7.x, r2.x',
      finds: ['check-bounds-indexable-temp load use x12'],
    },
  } satisfies Record<string, Pair>)
})
