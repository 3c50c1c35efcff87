/** Filters that read past the edge of an image on purpose: one option says of which slots, and hides nothing else. */

import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createSrv, createTexture, type Srv } from '../../../src/machine/index.ts'
import { type CheckTextOptions, checkText, foundIn, rawUav } from '../../support/check-text.ts'
import { findingsOf } from './pair.ts'

const bindings = (): Bindings => ({
  t0: valueOrThrow(
    createSrv(valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R32_UINT', width: 16, height: 1 }))),
  ),
  t1: valueOrThrow(createSrv(valueOrThrow(createBuffer({ byteLength: 64 })), { raw: true })),
})

/** Left neighbor in an image, right neighbor in a buffer: each of 16 threads reads one outside of it. */
const body = `mov r0.xyzw, l(0, 0, 0, 0)
iadd r0.x, vThreadIDInGroupFlattened.x, l(-1)
ld_indexable(texture2d)(uint,uint,uint,uint) r1.x, r0.xyzw, t0.xyzw //@left
iadd r0.x, r7.x, l(4)
ld_raw r1.y, r0.x, t1.xxxx //@right
iadd r1.x, r1.x, r1.y
store_raw u0.x, r7.x, r1.x //@use`

const found = (options: CheckTextOptions, text = body): Promise<string[]> =>
  findingsOf({
    declarations: 'dcl_resource_texture2d (uint,uint,uint,uint) t0\ndcl_resource_raw t1',
    bindings,
    options,
    body: text,
  })

// One thread at either edge.
const LEFT = 'check-bounds-texel left use x1'
const RIGHT = 'check-bounds-raw right use x1'

describe('a zero border', () => {
  it('is a finding unless it is meant', async () => {
    expect(await found({})).toEqual([RIGHT, LEFT])
  })

  it('is meant for the slots that are named, or for all', async () => {
    expect(await found({ zeroBorder: ['t0'] })).toEqual([RIGHT])
    expect(await found({ zeroBorder: ['t1'] })).toEqual([LEFT])
    expect(await found({ zeroBorder: ['t1', 't0'] })).toEqual([])
    expect(await found({ zeroBorder: 'all' })).toEqual([])
    expect(await found({ zeroBorder: ['u0', 't2', 't0,space1'] })).toEqual([RIGHT, LEFT])
  })

  it('hides no store, and no mip that is not there', async () => {
    const store = 'iadd r0.x, r7.x, l(1000)\nstore_raw u0.x, r0.x, l(1) //@store'
    expect(await found({ zeroBorder: 'all' }, store)).toEqual(['check-bounds-raw store x10'])
    const mip = body.replace('mov r0.xyzw, l(0, 0, 0, 0)', 'mov r0.xyzw, l(0, 0, 0, 5)')
    expect(await found({ zeroBorder: 'all' }, mip)).toEqual(['check-bounds-texel left use x16'])
  })

  it('of a range of Shader Model 5.1 is that of its registers', async () => {
    const text = `cs_5_1
dcl_globalFlags refactoringAllowed
dcl_resource_raw T2[3:4], space=1
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 16, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(3)
ld_raw r0.y, r0.x, T2[4].xxxx
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw U0[0].x, r0.x, r0.y
ret`
    const { t1 } = bindings() as { t1: Srv }
    const run = async (zeroBorder: readonly string[]) =>
      foundIn(await checkText(text, { 't3,space1': t1, 't4,space1': t1, u0: rawUav(64) }, { zeroBorder }))
    expect(await run(['t4'])).toEqual(['check-bounds-raw@1'])
    expect(await run(['t4,space1'])).toEqual([])
  })
})
