import { expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createUav } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

/** Three of four pointers lead to one body, and lanes choose among them in an order of their own: what atomics return shows who was first. */
const TEXT = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u8
dcl_uav_raw u9
dcl_input vThreadIDInGroup.x
dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = {fb0}
dcl_function_table ft1 = {fb1}
dcl_interface_dynamicindexed fp0[4][1] = {ft0, ft1}
dcl_temps 3
dcl_thread_group 16, 1, 1
imad r0.x, vThreadIDInGroup.x, l(3), l(2)
and r0.x, r0.x, l(3)
mov r1.xyzw, l(0, 0, 0, 0)
fcall fp0[r0.x + 0][0]
ishl r0.y, vThreadIDInGroup.x, l(4)
store_raw u9.xyzw, r0.y, r1.xyzw
ret
label fb0
imm_atomic_iadd r1.x, u8, l(0), l(1)
ret
label fb1
imm_atomic_iadd r1.x, u8, l(0), l(100)
mov r1.y, l(1)
ret
`

it.each([
  ['the first pointer leads to the first body', [0, 1, 0, 0]],
  ['the first pointer leads to the second body', [1, 0, 0, 1]],
])(
  'lanes that call through several pointers run each body once, in the order of pointers: %s',
  async (_name, tables) => {
    const classInstances = Object.fromEntries(tables.map((table, n) => [`fp0[${n}]`, { table }]))
    const bind = () => ({ u8: createUav(valueOrThrow(createBuffer({ data: new Uint32Array(4) })), { raw: true }) })
    expect(await compareEngines(TEXT, bind, { classInstances })).toEqual([])
  },
)
