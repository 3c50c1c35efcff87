import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createCbv, createSrv, createUav } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

/**
 * Barriers in flow that no compiler can know to be uniform, although it is, and in flow that is not (22.17.7): the
 * WebAssembly engine against the reference engine, findings included.
 */

/** Groups of 24 threads, so that waves differ and the last may be short; r0.x is the thread's number in its group. */
const program = (body: string, threads = 24): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[1], immediateIndexed
dcl_resource_raw t0
dcl_uav_raw u0
dcl_uav_raw u9
dcl_input vThreadIDInGroup.x
dcl_input vThreadID.x
dcl_input vThreadGroupID.x
dcl_temps 8
dcl_indexableTemp x0[4], 4
dcl_tgsm_raw g0, 4
dcl_tgsm_structured g1, 4, 64
dcl_thread_group ${threads}, 1, 1
mov r0.x, vThreadIDInGroup.x
mov r1.xyzw, l(7, 7, 7, 7)
${body}
ishl r7.x, vThreadID.x, l(4)
store_raw u9.xyzw, r7.x, r1.xyzw
ret
`

const bind = () => ({
  t0: createSrv(valueOrThrow(createBuffer({ data: Uint32Array.of(3, 5, 0, 1) })), { raw: true }),
  u0: createUav(valueOrThrow(createBuffer({ data: Uint32Array.of(3, 0, 4, 1) })), { raw: true }),
  b0: createCbv(Uint32Array.of(3, 1, 0, 0)),
})
const differs = (body: string, threads?: number) => compareEngines(program(body, threads), bind, { groups: [2, 1, 1] })

/** Every thread hands a word to the next one, around the group. */
const exchange = (threads = 24) => `store_structured g1.x, r0.x, l(0), r1.x
sync_g_t
iadd r2.x, r0.x, l(1)
udiv null, r2.x, r2.x, l(${threads})
ld_structured r2.y, r2.x, l(0), g1.xxxx
sync_g_t
imad r1.x, r2.y, l(3), r0.x`

describe('flow that is uniform, although it cannot be known', () => {
  it('a loop whose count comes from a UAV', async () => {
    const body = `ld_raw r3.x, l(0), u0.xxxx
mov r3.y, l(0)
loop
  uge r3.z, r3.y, r3.x
  breakc_nz r3.z
  ${exchange()}
  iadd r3.y, r3.y, l(1)
endloop
mov r1.y, r3.y`
    expect(await differs(body)).toEqual([])
  })

  it('a loop that goes on while shared memory says so', async () => {
    const body = `if_z r0.x
  store_raw g0.x, l(0), l(4)
endif
sync_g_t
mov r3.y, l(0)
loop
  ld_raw r3.x, l(0), g0.xxxx
  sync_g_t
  ige r3.z, l(0), r3.x
  breakc_nz r3.z
  if_z r0.x
    iadd r3.w, r3.x, l(-1)
    store_raw g0.x, l(0), r3.w
  endif
  ${exchange()}
  iadd r3.y, r3.y, r3.x
endloop
mov r1.y, r3.y`
    expect(await differs(body)).toEqual([])
  })

  it('an if with an else, a switch and values that live across them', async () => {
    const body = `ld_raw r3.xy, l(0), u0.xyxx
imul null, r4.x, r0.x, l(5)
utof r4.y, r4.x
dtof_dummy
if_nz r3.y
  ${exchange()}
else
  mov r5.x, r4.x
  ${exchange()}
  iadd r1.y, r5.x, r1.x
endif
switch r3.x
  case l(1)
    mov r1.z, l(1)
    break
  case l(3)
    ${exchange()}
    mov r1.z, r4.y
    break
  default
    mov r1.z, l(2)
    break
endswitch`.replace('dtof_dummy\n', '')
    expect(await differs(body)).toEqual([])
  })

  it('private arrays, doubles and loops inside the parts', async () => {
    const body = `ld_raw r3.x, l(8), u0.xxxx
and r3.y, r0.x, l(3)
mov x0[r3.y + 0].x, r0.x
ftod r4.xy, l(1.5, 2.5, 0, 0)
mov r3.z, l(0)
loop
  ige r3.w, r3.z, r3.x
  breakc_nz r3.w
  ${exchange()}
  dadd r4.xy, r4.xyxy, r4.xyxy
  mov r5.x, l(0)
  loop
    uge r5.y, r5.x, r0.x
    breakc_nz r5.y
    iadd r1.y, r1.y, r5.x
    iadd r5.x, r5.x, l(1)
  endloop
  mov x0[r3.y + 0].y, r1.y
  iadd r3.z, r3.z, l(1)
endloop
mov r1.z, x0[r3.y + 0].y
dtof r1.w, r4.xyxy`
    expect(await differs(body)).toEqual([])
  })
})

const DIVERGENT: Readonly<Record<string, string>> = {
  'an if of single threads': `and r3.x, r0.x, l(1)
if_nz r3.x
  ${exchange()}
endif`,
  'an if of whole waves and parts of them': `ult r3.x, r0.x, l(10)
if_nz r3.x
  ${exchange()}
  iadd r1.y, r1.x, l(1)
else
  iadd r1.y, r1.x, l(2)
  ${exchange()}
endif`,
  'threads that leave a loop one by one': `mov r3.y, l(0)
loop
  uge r3.z, r3.y, r0.x
  breakc_nz r3.z
  ${exchange()}
  iadd r3.y, r3.y, l(1)
endloop
mov r1.y, r3.y`,
  'a return before a barrier': `ult r3.x, l(17), r0.x
retc_nz r3.x
${exchange()}`,
  'a return in the middle of a loop around a barrier': `mov r3.y, l(0)
loop
  uge r3.z, r3.y, l(4)
  breakc_nz r3.z
  ${exchange()}
  ieq r3.w, r3.y, r0.x
  if_nz r3.w
    ishl r7.x, vThreadID.x, l(4)
    store_raw u9.xyzw, r7.x, r1.xyzw
    ret
  endif
  iadd r3.y, r3.y, l(1)
endloop`,
  'a continue past a barrier': `mov r3.y, l(0)
loop
  uge r3.z, r3.y, l(5)
  breakc_nz r3.z
  iadd r3.y, r3.y, l(1)
  and r3.w, r0.x, r3.y
  continuec_nz r3.w
  ${exchange()}
endloop`,
  'nested ifs with barriers at each level': `and r3.xy, r0.xxxx, l(1, 2, 0, 0)
if_nz r3.x
  ${exchange()}
  if_nz r3.y
    ${exchange()}
    iadd r1.y, r1.y, l(1)
  else
    iadd r1.y, r1.y, l(2)
  endif
  ${exchange()}
else
  if_z r3.y
    ${exchange()}
  endif
  iadd r1.z, r1.y, r1.x
endif`,
  'a switch whose cases have barriers of their own': `and r3.x, r0.x, l(3)
switch r3.x
  case l(0)
    ${exchange()}
    break
  case l(1)
    iadd r1.y, r1.x, l(9)
    break
  default
    ${exchange()}
    iadd r1.z, r1.x, l(9)
    break
endswitch`,
  'waves that meet at different barriers': `ult r3.x, r0.x, l(16)
if_nz r3.x
  sync_g_t
  iadd r1.x, r1.x, l(1)
  sync_g_t
  iadd r1.x, r1.x, l(1)
else
  sync_g_t
  iadd r1.x, r1.x, l(100)
endif
store_structured g1.x, r0.x, l(0), r1.x
sync_g_t
ld_structured r1.y, l(3), l(0), g1.xxxx`,
  'a loop of groups that leave it by a mask, around a loop around a barrier': `mov r3.y, l(0)
loop
  mov r4.y, l(0)
  loop
    ige r4.z, r4.y, l(2)
    breakc_nz r4.z
    iadd r4.y, r4.y, l(1)
    iadd r5.x, r3.y, r4.y
    ieq r5.y, r5.x, r0.x
    breakc_nz r5.y
    ${exchange()}
    iadd r1.z, r1.z, l(1)
  endloop
  iadd r3.y, r3.y, l(1)
  uge r3.z, r3.y, l(4)
  breakc_nz r3.z
endloop
mov r1.w, r3.y`,
}

describe('flow that is not uniform', () => {
  it.each(Object.entries(DIVERGENT))('%s', async (_name, body) => {
    expect(await differs(body)).toEqual([])
    // A group of one wave, and one whose last wave is short.
    expect(await differs(body.replaceAll('l(24)', 'l(3)'), 3)).toEqual([])
    expect(await differs(body.replaceAll('l(24)', 'l(37)'), 37)).toEqual([])
  })

  it('the policy trap ends at the first barrier where threads are missing', async () => {
    const text = program(DIVERGENT['threads that leave a loop one by one']!)
    expect(await compareEngines(text, bind, { undefinedPolicy: 'trap', outcomeOnly: true })).toEqual([])
  })
})

describe('the budget of a thread', () => {
  const loop = (turns: number) => `mov r3.y, l(0)
loop
  uge r3.z, r3.y, l(${turns})
  breakc_nz r3.z
  imad r1.x, r1.x, l(3), r3.y
  iadd r3.y, r3.y, l(1)
endloop`
  const LIMIT = { maxInstructionsPerThread: 2000, outputBytes: 8192, groups: [2, 1, 1] } as const

  it.each([
    ['around barriers', (turns: number) => `${loop(turns)}\n${exchange(256)}`],
    ['in parts that take turns', (turns: number) => `${loop(turns)}\nif_nz r0.x\n${exchange(256)}\nendif`],
  ])('is not shared with the waves beside it: loops %s', async (_name, body) => {
    expect(await compareEngines(program(body(300), 256), bind, LIMIT)).toEqual([])
    expect(await compareEngines(program(body(3000), 256), bind, { ...LIMIT, outcomeOnly: true })).toEqual([])
  })
})
