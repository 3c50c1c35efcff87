/** Accesses outside of their resource, by each coordinate, at either end, and the guards that keep them inside. */

import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import {
  type Bindings,
  type Cbv,
  createBuffer,
  createCbv,
  createSrv,
  createTexture,
  createUav,
  type TextureOptions,
} from '../../../src/machine/index.ts'
import { checkSample, pairs } from './pair.ts'

const texture = (options: Partial<TextureOptions>) =>
  valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 8, height: 4, ...options } as TextureOptions),
  )
const bindTexture = (options: Partial<TextureOptions>) => (): Bindings => ({
  t0: valueOrThrow(createSrv(texture(options))),
})
const bindTarget = (options: Partial<TextureOptions>) => (): Bindings => ({
  u0: valueOrThrow(createUav(texture(options))),
})

/** Each thread loads a texel of t0 and keeps it. */
const load = (coordinates: string, kind = 'texture2d'): string =>
  `${coordinates}\nld_indexable(${kind})(uint,uint,uint,uint) r2.x, r0.xyzw, t0.xyzw //@load\nstore_raw u0.x, r7.x, r2.x //@use`
const target = (coordinates: string): string => `${coordinates}\nstore_uav_typed u0.xyzw, r0.xyzw, l(1,1,1,1) //@store`
/** Coordinates of a thread of a group of 8 by 4. */
const OWN = 'mov r0.xy, vThreadIDInGroup.xyxx\nmov r0.zw, l(0,0,0,0)'
const T2D = 'dcl_resource_texture2d (uint,uint,uint,uint) t0'
const U2D = 'dcl_uav_typed_texture2d (uint,uint,uint,uint) u0'
const PLANE = { threads: [8, 4, 1] as const }

describe('texels', () => {
  pairs({
    'x past the width': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({}),
      faulty: load(`${OWN}\niadd r0.x, r0.x, l(1)`),
      silent: load(`${OWN}\niadd r0.x, r0.x, l(1)\numin r0.x, r0.x, l(7)`),
      finds: ['check-bounds-texel load use x4'],
    },
    'x before 0': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({}),
      faulty: load(`${OWN}\niadd r0.x, r0.x, l(-1)`),
      silent: load(`${OWN}\niadd r0.x, r0.x, l(-1)\nimax r0.x, r0.x, l(0)`),
      finds: ['check-bounds-texel load use x4'],
    },
    'y past the height': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({}),
      faulty: load(`${OWN}\niadd r0.y, r0.y, l(2)`),
      silent: load(`${OWN}\niadd r0.y, r0.y, l(2)\numin r0.y, r0.y, l(3)`),
      finds: ['check-bounds-texel load use x16'],
    },
    'y before 0': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({}),
      faulty: load(`${OWN}\niadd r0.y, r0.y, l(-2)`),
      silent: load(`${OWN}\niadd r0.y, r0.y, l(-2)\nimax r0.y, r0.y, l(0)`),
      finds: ['check-bounds-texel load use x16'],
    },
    'z past the depth': {
      ...PLANE,
      declarations: 'dcl_resource_texture3d (uint,uint,uint,uint) t0',
      bindings: bindTexture({ dimension: 'texture3d', depth: 2 }),
      faulty: load(`${OWN}\nmov r0.z, l(2)`, 'texture3d'),
      silent: load(`${OWN}\nmov r0.z, l(1)`, 'texture3d'),
      finds: ['check-bounds-texel load use x32'],
    },
    'a slice past the array': {
      ...PLANE,
      declarations: 'dcl_resource_texture2darray (uint,uint,uint,uint) t0',
      bindings: bindTexture({ arraySize: 3 }),
      faulty: load(`${OWN}\nmov r0.z, l(3)`, 'texture2darray'),
      silent: load(`${OWN}\nmov r0.z, l(2)`, 'texture2darray'),
      finds: ['check-bounds-texel load use x32'],
    },
    'a mip past the last': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({ mipLevels: 2 }),
      faulty: load('mov r0.xyzw, l(0,0,0,2)'),
      silent: load('mov r0.xyzw, l(0,0,0,1)'),
      finds: ['check-bounds-texel load use x32'],
    },
    'a coordinate that fits the first mip and not the one that is read': {
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({ mipLevels: 2 }),
      faulty: load(`${OWN}\nmov r0.w, l(1)`),
      silent: load(`${OWN}\nushr r0.xy, r0.xyxx, l(1,1,0,0)\nmov r0.w, l(1)`),
      finds: ['check-bounds-texel load use x24'],
    },
    'a store past x': {
      ...PLANE,
      declarations: U2D,
      bindings: bindTarget({}),
      faulty: target(`${OWN}\niadd r0.x, r0.x, l(4)`),
      silent: `${OWN}\niadd r0.x, r0.x, l(4)\nult r1.x, r0.x, l(8)\nif_nz r1.x\n${target('nop')}\nendif`,
      finds: ['check-bounds-texel store x16'],
    },
    'a store before y': {
      ...PLANE,
      declarations: U2D,
      bindings: bindTarget({}),
      faulty: target(`${OWN}\niadd r0.y, r0.y, l(-1)`),
      silent: `${OWN}\niadd r0.y, r0.y, l(-1)\nige r1.x, r0.y, l(0)\nif_nz r1.x\n${target('nop')}\nendif`,
      finds: ['check-bounds-texel store x8'],
    },
    'a group that reaches past an image that is no multiple of its size': {
      threads: [8, 8, 1],
      declarations: U2D,
      bindings: bindTarget({ width: 8, height: 6 }),
      faulty: target(OWN),
      silent: `${OWN}\nult r1.x, r0.y, l(6)\nif_nz r1.x\n${target('nop')}\nendif`,
      finds: ['check-bounds-texel store x16'],
    },
  })

  it('a finding names the coordinate that is outside, its sign and the extent', async () => {
    const sample = (change: string) => ({
      ...PLANE,
      declarations: T2D,
      bindings: bindTexture({}),
      body: load(`${OWN}\n${change}`),
    })
    const message = async (change: string) => (await checkSample(sample(change))).report.findings[0]!.message
    // The texture has 8 by 4 texels; the first thread that is outside is the one of the lowest number.
    expect(await message('iadd r0.x, r0.x, l(-1)')).toMatch(/-1\b.*\b8\b/)
    expect(await message('iadd r0.y, r0.y, l(-2)')).toMatch(/-2\b.*\b4\b/)
    expect(await message('iadd r0.y, r0.y, l(3)')).toMatch(/\b4\b/)
    expect(await message('iadd r0.y, r0.y, l(3)')).toMatch(/\by\b/)
  })
})

const constants = (): { b0: Cbv } => ({
  b0: valueOrThrow(createCbv(valueOrThrow(createBuffer({ byteLength: 64 })))),
})
const structures = (): Bindings => ({
  t0: valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 64, stride: 4 })))),
})
const elements = (): Bindings => ({
  t0: valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 64 })), { format: 'R32_UINT' })),
})
const keep = (body: string): string => `${body}\nstore_raw u0.x, r7.x, r2.x //@use`
const STRUCTURE = 'ld_structured r2.x, r0.x, l(0), t0.xxxx //@load'
const ELEMENT = 'ld_indexable(buffer)(uint,uint,uint,uint) r2.x, r0.xxxx, t0.xyzw //@load'

describe('buffers and registers', () => {
  pairs({
    'a structure after the last': {
      declarations: 'dcl_resource_structured t0, 4',
      bindings: structures,
      faulty: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(1)\n${STRUCTURE}`),
      silent: keep(`mov r0.x, vThreadIDInGroupFlattened.x\n${STRUCTURE}`),
      finds: ['check-bounds-structure-index load use x1'],
    },
    'a structure before the first': {
      declarations: 'dcl_resource_structured t0, 4',
      bindings: structures,
      faulty: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)\n${STRUCTURE}`),
      silent: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)\nimax r0.x, r0.x, l(0)\n${STRUCTURE}`),
      finds: ['check-bounds-structure-index load use x1'],
    },
    'an element after the last': {
      declarations: 'dcl_resource_buffer (uint,uint,uint,uint) t0',
      bindings: elements,
      faulty: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(1)\n${ELEMENT}`),
      silent: keep(`mov r0.x, vThreadIDInGroupFlattened.x\n${ELEMENT}`),
      finds: ['check-bounds-element load use x1'],
    },
    'an element before the first': {
      declarations: 'dcl_resource_buffer (uint,uint,uint,uint) t0',
      bindings: elements,
      faulty: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)\n${ELEMENT}`),
      silent: keep(`iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)\nimax r0.x, r0.x, l(0)\n${ELEMENT}`),
      finds: ['check-bounds-element load use x1'],
    },
    'a dword before the first': {
      faulty: 'iadd r0.x, r7.x, l(-8)\nstore_raw u0.x, r0.x, l(1) //@store',
      silent: 'iadd r0.x, r7.x, l(-8)\nige r1.x, r0.x, l(0)\nif_nz r1.x\n  store_raw u0.x, r0.x, l(1)\nendif',
      finds: ['check-bounds-raw store x2'],
    },
    'an atomic past the end': {
      faulty: 'iadd r0.x, r7.x, l(964)\natomic_iadd u0, r0.x, l(1) //@atomic',
      silent: 'iadd r0.x, r7.x, l(960)\natomic_iadd u0, r0.x, l(1)',
      finds: ['check-bounds-raw atomic x1'],
    },
    'a member past its structure': {
      declarations: 'dcl_tgsm_structured g0, 8, 16',
      faulty: 'store_structured g0.x, vThreadIDInGroupFlattened.x, l(8), l(1) //@store',
      silent: 'store_structured g0.x, vThreadIDInGroupFlattened.x, l(4), l(1)',
      finds: ['check-bounds-tgsm store x1', 'check-bounds-tgsm-structure store x15'],
    },
    'a bin past a histogram in shared memory': {
      declarations: 'dcl_tgsm_structured g0, 4, 8',
      faulty: 'store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(0) //@store',
      silent:
        'ult r0.x, vThreadIDInGroupFlattened.x, l(8)\nif_nz r0.x\n  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(0)\nendif',
      finds: ['check-bounds-tgsm store x8'],
    },
    'a constant past the bound range': {
      declarations: 'dcl_constantbuffer CB0[16], dynamicIndexed',
      bindings: constants,
      faulty: keep('and r0.x, vThreadIDInGroupFlattened.x, l(7)\nmov r2.x, cb0[r0.x + 0].x //@load'),
      silent: keep('and r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov r2.x, cb0[r0.x + 0].x'),
      finds: ['check-bounds-constant-buffer load use x8'],
    },
    'an immediate constant past the last': {
      declarations: 'dcl_immediateConstantBuffer { { 1, 0, 0, 0}, { 2, 0, 0, 0} }',
      faulty: keep('and r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov r2.x, icb[r0.x + 0].x //@load'),
      silent: keep('and r0.x, vThreadIDInGroupFlattened.x, l(1)\nmov r2.x, icb[r0.x + 0].x'),
      finds: ['check-bounds-immediate-constants load use x8'],
    },
    'a write past an array in registers': {
      declarations: 'dcl_indexableTemp x0[4], 4',
      faulty: 'and r0.x, vThreadIDInGroupFlattened.x, l(7)\nmov x0[r0.x + 0].x, l(1) //@store',
      silent: 'and r0.x, vThreadIDInGroupFlattened.x, l(3)\nmov x0[r0.x + 0].x, l(1)',
      finds: ['check-bounds-indexable-temp store x8'],
    },
    'an address that is no multiple of 4': {
      faulty: 'iadd r0.x, r7.x, l(2)\nstore_raw u0.x, r0.x, l(1) //@store',
      silent: 'iadd r0.x, r7.x, l(2)\nand r0.x, r0.x, l(-4)\nstore_raw u0.x, r0.x, l(1)',
      finds: ['check-misaligned store x16'],
    },
  })
})
