import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createSrv, createUav } from '../../src/machine/index.ts'
import { checkText, foundIn, rawUav } from '../support/check-text.ts'

/**
 * Small programs with the faults that checkers of other languages are tested with, and their right counterparts, in
 * Direct3D's terms.
 */
const program = (body: string, declarations = 'dcl_tgsm_raw g0, 256', threads = 16): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_uav_raw u1
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_input vThreadID.x
dcl_temps 4
${declarations}
dcl_thread_group ${threads}, 1, 1
ishl r3.x, vThreadIDInGroupFlattened.x, l(2)
ishl r3.y, vThreadID.x, l(2)
${body}
ret`

const found = async (body: string, groups = 1, declarations?: string, bindings: Bindings = {}): Promise<string[]> => {
  const text = program(body, declarations)
  const report = await checkText(text, { u0: rawUav(1024), u1: rawUav(1024), ...bindings }, { groups: [groups, 1, 1] })
  return [...new Set(foundIn(report).map((f) => f.replace(/@.*/, '')))]
}

describe('races', () => {
  it('every thread increments one dword without an atomic', async () => {
    expect(await found('ld_raw r0.x, l(0), u0.xxxx\niadd r0.x, r0.x, l(1)\nstore_raw u0.x, l(0), r0.x')).toEqual([
      'check-race',
    ])
    expect(await found('atomic_iadd u0, l(0), l(1)')).toEqual([])
  })

  it('one thread writes what all read: broadcast', async () => {
    const broadcast = (sync: string): string =>
      `if_z vThreadIDInGroupFlattened.x\n  store_raw g0.x, l(0), l(42)\nendif\n${sync}\nld_raw r0.x, l(0), g0.xxxx\nstore_raw u0.x, r3.x, r0.x`
    expect(await found(broadcast('sync_g_t'))).toEqual([])
    expect(await found(broadcast('nop'))).toContain('check-race')
    expect(await found(broadcast('sync_uglobal_t'))).toContain('check-race-barrier-scope')
  })

  it('one thread sums what all wrote to a UAV', async () => {
    const sum = (sync: string): string =>
      `store_raw u0.x, r3.x, vThreadIDInGroupFlattened.x\n${sync}\nif_z vThreadIDInGroupFlattened.x\n  ld_raw r0.x, l(8), u0.xxxx\n  store_raw u1.x, l(0), r0.x\nendif`
    expect(await found(sum('sync_uglobal_t'))).toEqual([])
    expect(await found(sum('sync_g_t'))).toEqual(['check-race-barrier-scope'])
    expect(await found(sum('nop'))).toEqual(['check-race'])
    expect(await found(sum('sync_uglobal_t'), 2)).toContain('check-race-across-groups')
  })

  it('groups hide a race from each other by the order they happen to run in', async () => {
    const body = `if_z vThreadIDInGroupFlattened.x
  if_z vThreadGroupID.x
    store_raw u0.x, l(0), l(7)
  else
    ld_raw r0.x, l(0), u0.xxxx
    ishl r0.y, vThreadGroupID.x, l(2)
    store_raw u1.x, r0.y, r0.x
  endif
endif`
    expect(await found(body, 2)).toEqual(['check-race-across-groups'])
    expect(await found(body, 1)).toEqual([])
  })

  it('a tile loaded and used without the second barrier', async () => {
    const tile = (second: string): string => `mov r2.xy, l(0,0,0,0)
loop
  uge r0.x, r2.x, l(3)
  breakc_nz r0.x
  store_raw g0.x, r3.x, r2.x
  sync_g_t
  xor r0.y, r3.x, l(4)
  ld_raw r0.z, r0.y, g0.xxxx
  iadd r2.y, r2.y, r0.z
  ${second}
  iadd r2.x, r2.x, l(1)
endloop
store_raw u0.x, r3.x, r2.y`
    expect(await found(tile('sync_g_t'))).toEqual([])
    expect(await found(tile('nop'))).toEqual(['check-race'])
  })

  it('a buffer that is read through t# while it is written through u#', async () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
    const bindings = {
      t0: valueOrThrow(createSrv(buffer, { raw: true })),
      u0: valueOrThrow(createUav(buffer, { raw: true })),
    }
    const body = 'xor r0.x, r3.x, l(4)\nld_raw r0.y, r0.x, t0.xxxx\nstore_raw u0.x, r3.x, r0.y'
    expect(await found(body, 1, 'dcl_resource_raw t0', bindings)).toEqual(['check-race'])
    const own = 'ld_raw r0.y, r3.x, t0.xxxx\nstore_raw u0.x, r3.x, r0.y'
    expect(await found(own, 1, 'dcl_resource_raw t0', bindings)).toEqual([])
  })
})

describe('memory', () => {
  it('one element too far, reading and writing, at either end', async () => {
    const small = { u0: rawUav(64) }
    expect(await found('store_raw u0.x, r3.x, l(1)', 1, undefined, small)).toEqual([])
    expect(await found('iadd r0.x, r3.x, l(4)\nstore_raw u0.x, r0.x, l(1)', 1, undefined, small)).toEqual([
      'check-bounds-raw',
    ])
    expect(await found('iadd r0.x, r3.x, l(-4)\nstore_raw u0.x, r0.x, l(1)', 1, undefined, small)).toEqual([
      'check-bounds-raw',
    ])
    expect(
      await found('iadd r0.x, r3.x, l(4)\nld_raw r0.y, r0.x, u0.xxxx\nstore_raw u1.x, r3.x, r0.y', 1, undefined, small),
    ).toEqual(['check-bounds-raw'])
    expect(await found('atomic_iadd u0, l(64), l(1)', 1, undefined, small)).toEqual(['check-bounds-raw'])
    expect(await found('store_raw g0.x, l(256), l(1)')).toEqual(['check-bounds-tgsm'])
  })

  it('an array in registers indexed past its end', async () => {
    const body = (end: number): string =>
      `mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, l(${end})\n  breakc_nz r0.y\n  mov x0[r0.x + 0].x, r0.x\n  iadd r0.x, r0.x, l(1)\nendloop\nmov r0.x, x0[1].x\nstore_raw u0.x, r3.x, r0.x`
    const declarations = 'dcl_indexableTemp x0[4], 4'
    expect(await found(body(4), 1, declarations)).toEqual([])
    expect(await found(body(5), 1, declarations)).toEqual(['check-bounds-indexable-temp'])
  })
})

describe('undefined values', () => {
  it('an array in registers of which a part was written', async () => {
    const declarations = 'dcl_indexableTemp x0[4], 4'
    const body = (last: number): string =>
      `mov x0[0].x, l(1)\nmov x0[1].x, l(2)\nand r0.x, vThreadIDInGroupFlattened.x, l(${last})\nmov r0.y, x0[r0.x + 0].x\nstore_raw u0.x, r3.x, r0.y`
    expect(await found(body(1), 1, declarations)).toEqual([])
    expect(await found(body(3), 1, declarations)).toEqual(['check-uninitialised-indexable-temp'])
  })

  it('shared memory that half of the threads initialise', async () => {
    const body = (bound: number): string =>
      `ult r0.x, vThreadIDInGroupFlattened.x, l(${bound})\nif_nz r0.x\n  store_raw g0.x, r3.x, l(3)\nendif\nsync_g_t\nld_raw r0.y, r3.x, g0.xxxx\nstore_raw u0.x, r3.x, r0.y`
    expect(await found(body(16))).toEqual([])
    expect(await found(body(8))).toEqual(['check-uninitialised-tgsm'])
  })

  it('a value copied through memory before it decides a branch', async () => {
    const body =
      'store_raw g0.x, r3.x, r1.x\nsync_g_t\nld_raw r0.y, r3.x, g0.xxxx\nif_nz r0.y\n  store_raw u0.x, r3.x, l(1)\nendif'
    expect(await found(body)).toEqual(['check-uninitialised-temp'])
  })
})

describe('barriers', () => {
  it('in a loop that threads leave at different times', async () => {
    const body = (bound: string): string =>
      `mov r0.x, l(0)\nloop\n  uge r0.y, r0.x, ${bound}\n  breakc_nz r0.y\n  sync_g_t\n  iadd r0.x, r0.x, l(1)\nendloop`
    expect(await found(body('l(3)'))).toEqual([])
    expect(await found(body('vThreadIDInGroupFlattened.x'))).toEqual(['check-barrier-divergent'])
  })
})
