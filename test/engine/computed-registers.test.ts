import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createCbv, createSampler, createSrv, createTexture, createUav } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

/** Registers that are computed (22.1.3 of Shader Model 5.1): the WebAssembly engine against the reference engine. */

const words = (...data: number[]) => valueOrThrow(createBuffer({ data: Uint32Array.from(data) }))
const records = (...data: number[]) => valueOrThrow(createBuffer({ data: Uint32Array.from(data), stride: 4 }))

/** A program of two groups of 20 threads, so that waves have idle lanes; r0.x is the thread's number. */
const program = (declares: string, body: string): string => `cs_5_1
dcl_globalFlags refactoringAllowed
${declares}
dcl_uav_raw U9[9:9], space=0
dcl_input vThreadIDInGroup.x
dcl_input vThreadID.x
dcl_input vThreadGroupID.x
dcl_temps 6
dcl_thread_group 20, 1, 1
mov r0.x, vThreadIDInGroup.x
mov r1.xyzw, l(7, 7, 7, 7)
${body}
ishl r5.x, vThreadID.x, l(4)
store_raw U9[9].xyzw, r5.x, r1.xyzw
ret
`
/** What selects the register: lanes differ, groups differ, all are the same. */
const INDICES = {
  'of each thread': 'mov r2.x, r0.x',
  'of the group': 'mov r2.x, vThreadGroupID.x',
  'of no thread': 'mov r2.x, l(3)',
  'without bounds': 'imul null, r2.x, r0.x, l(0x13579bdf)',
}

const FLOAT4 = '(float,float,float,float)'

interface Case {
  readonly declares: string
  readonly body: string
  readonly bind: Parameters<typeof compareEngines>[1]
}

const CASES: Readonly<Record<string, Case>> = {
  'ld_structured, with a register unbound and strides as bound': {
    declares: 'dcl_resource_structured T0[2:6], 4, space=1',
    body: 'ld_structured r1.x, l(0), l(0), T0[r2.x + 2].xxxx',
    bind: () => ({
      't2,space1': createSrv(records(20)),
      't3,space1': createSrv(records(30)),
      't5,space1': createSrv(records(50)),
      't6,space1': createSrv(records(60)),
      t4: createSrv(records(99)),
    }),
  },
  'ld_raw from a range without end': {
    declares: 'dcl_resource_raw T0[1:*], space=0',
    body: 'ld_raw r1.xy, l(4), T0[r2.x + 1].yxyy',
    bind: () =>
      Object.fromEntries(
        [1, 2, 3, 7, 8, 9, 11, 12, 13, 14, 15, 400].map((n) => [
          `t${n}`,
          createSrv(words(n, n + 1000, n + 2000), { raw: true }),
        ]),
      ),
  },
  'store_raw and ld_uav': {
    declares: 'dcl_uav_raw U0[0:3], space=0',
    body: `ishl r3.x, r0.x, l(2)
store_raw U0[r2.x].x, r3.x, r0.x
ld_raw r1.x, r3.x, U0[r2.x].xxxx`,
    bind: () => ({
      u0: createUav(valueOrThrow(createBuffer({ byteLength: 128 })), { raw: true }),
      u1: createUav(valueOrThrow(createBuffer({ byteLength: 32 })), { raw: true }),
      u3: createUav(valueOrThrow(createBuffer({ byteLength: 128 })), { raw: true }),
    }),
  },
  'atomics that return a value': {
    declares: 'dcl_uav_raw U0[0:2], space=0',
    body: 'imm_atomic_iadd r1.x, U0[r2.x], l(4), r0.x',
    bind: () => ({
      u0: createUav(words(0, 100), { raw: true }),
      u2: createUav(words(0, 300), { raw: true }),
    }),
  },
  counters: {
    declares: 'dcl_uav_structured_opc U0[0:1], 4, space=0',
    body: 'imm_atomic_alloc r1.x, U0[r2.x]',
    bind: () => {
      const counter = (initial: number) => createUav(records(0, 0, 0), { counter: 'counter', initialCount: initial })
      return { u0: counter(5), u1: counter(50) }
    },
  },
  'textures of different formats, by ld, and their sizes': {
    declares: `dcl_resource_texture2d ${FLOAT4} T0[0:3], space=0`,
    body: `ld r1.xy, l(1, 0, 0, 0), T0[r2.x].xyzw
resinfo_uint r1.z, l(0), T0[r2.x].yzxw`,
    bind: () => ({
      t0: createSrv(
        valueOrThrow(
          createTexture({
            dimension: 'texture2d',
            format: 'R8G8B8A8_UNORM',
            width: 2,
            height: 1,
            data: Uint8Array.of(1, 2, 3, 4, 50, 60, 70, 80),
          }),
        ),
      ),
      t1: createSrv(
        valueOrThrow(
          createTexture({
            dimension: 'texture2d',
            format: 'R32G32_FLOAT',
            width: 3,
            height: 1,
            data: Float32Array.of(1, 2, 3, 4, 5, 6),
          }),
        ),
      ),
      t3: createSrv(
        valueOrThrow(
          createTexture({
            dimension: 'texture2d',
            format: 'R16_FLOAT',
            width: 4,
            height: 1,
            data: Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400),
          }),
        ),
      ),
    }),
  },
  'samples through computed textures and samplers': {
    declares: `dcl_resource_texture2d ${FLOAT4} T0[0:2], space=0\ndcl_sampler S0[0:2], mode_default, space=0`,
    body: `utof r3.xy, r0.xxxx
mul r3.xy, r3.xyxx, l(0.11, 0.13, 0, 0)
iadd r2.y, r2.x, l(1)
sample_l_indexable(texture2d)${FLOAT4} r1.xyzw, r3.xyxx, T0[r2.x].xyzw, S0[r2.y], l(0.0)`,
    bind: () => {
      const texture = (n: number) =>
        createSrv(
          valueOrThrow(
            createTexture({
              dimension: 'texture2d',
              format: 'R32_FLOAT',
              width: 2,
              height: 2,
              data: Float32Array.of(n, n + 1, n + 2, n + 3),
            }),
          ),
        )
      return {
        t0: texture(10),
        t2: texture(20),
        s0: createSampler({ filter: 'MIN_MAG_MIP_POINT', address: 'WRAP' }),
        // Nothing like the sampler that stands for none.
        s1: createSampler({ filter: 'MIN_MAG_MIP_LINEAR', address: 'MIRROR' }),
      }
    },
  },
  'a computed sampler outside its range, with nothing to sample': {
    declares: `dcl_resource_texture2d ${FLOAT4} T0[0:2], space=0\ndcl_sampler S0[0:0], mode_default, space=0`,
    body: `sample_l r1.xyzw, l(0.5, 0.5, 0, 0), T0[1].xyzw, S0[r2.x + 1], l(0.0)`,
    bind: () => ({ s0: createSampler({ filter: 'MIN_MAG_MIP_POINT', address: 'WRAP' }) }),
  },
  'constant buffers, with the constant computed too': {
    declares: 'dcl_constantbuffer CB0[1:4][2], dynamicIndexed, space=0',
    body: `and r2.y, r0.x, l(3)
mov r1.xy, CB0[r2.x + 1][r2.y].yxyy`,
    bind: () => ({
      b1: createCbv(Uint32Array.of(10, 11, 12, 13, 14, 15, 16, 17)),
      b2: createCbv(Uint32Array.of(20, 21, 22, 23)),
      b4: createCbv(Uint32Array.of(40, 41, 42, 43, 44, 45, 46, 47)),
    }),
  },
  'a register that is known and outside of its range': {
    declares: 'dcl_resource_raw T0[2:3], space=0',
    body: 'ld_raw r1.x, l(0), T0[4].xxxx',
    bind: () => ({ t2: createSrv(words(2), { raw: true }), t4: createSrv(words(4), { raw: true }) }),
  },
}

describe.each(Object.entries(CASES))('%s', (_name, { declares, body, bind }) => {
  it.each(Object.entries(INDICES))('with an index %s', async (_index, index) => {
    expect(await compareEngines(program(declares, `${index}\n${body}`), bind, { groups: [2, 1, 1] })).toEqual([])
  })
})

describe('under the policy trap', () => {
  const text = program('dcl_resource_raw T0[0:1], space=0', 'mov r2.x, r0.x\nld_raw r1.x, l(0), T0[r2.x].xxxx')
  const bind = () => ({ t0: createSrv(words(1), { raw: true }), t1: createSrv(words(2), { raw: true }) })
  it('a register outside of its range ends the dispatch', async () => {
    const options = { undefinedPolicy: 'trap', outcomeOnly: true } as const
    expect(await compareEngines(text, bind, options)).toEqual([])
  })
})

/** Textures, samplers and constants of class instances (22.7.20): registers that Shader Model 5.0 takes from this pointers. */
describe('registers of class instances', () => {
  const text = (body: string) => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u9
dcl_input vThreadIDInGroup.x
dcl_function_body fb0
dcl_function_body fb1
dcl_function_table ft0 = {fb0}
dcl_function_table ft1 = {fb1}
dcl_interface_dynamicindexed fp0[2][1] = {ft0, ft1}
dcl_temps 5
dcl_thread_group 20, 1, 1
mov r1.xyzw, l(7, 7, 7, 7)
and r0.x, vThreadIDInGroup.x, l(1)
fcall fp0[0][r0.x + 0]
ishl r4.x, vThreadIDInGroup.x, l(4)
store_raw u9.xyzw, r4.x, r1.xyzw
ret
label fb0
mov r2.xyzw, this[r0.x + 0].xyzw
${body}
ret
label fb1
mov r2.xyzw, this[1].xyzw
${body}
iadd r1.w, r1.w, l(1)
ret
`
  const texture = (n: number, format: 'R32_FLOAT' | 'R8_UNORM') => {
    const data = format === 'R32_FLOAT' ? Float32Array.of(n, n + 1) : Uint8Array.of(n, n + 1)
    return createSrv(valueOrThrow(createTexture({ dimension: 'texture2d', format, width: 2, height: 1, data })))
  }
  const bind = () => ({
    t3: texture(30, 'R32_FLOAT'),
    t5: texture(50, 'R8_UNORM'),
    s2: createSampler({ filter: 'MIN_MAG_MIP_POINT', address: 'CLAMP' }),
    b1: createCbv(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8)),
    b4: createCbv(Uint32Array.of(41, 42, 43, 44)),
  })
  const classInstances = {
    'fp0[0]': { table: 0, constantBuffer: 1, constantOffset: 1, texture: 3, sampler: 2 },
    'fp0[1]': { table: 1, constantBuffer: 4, constantOffset: 0, texture: 5, sampler: 1 },
  }

  it.each([
    ['constants', 'mov r1.xyz, cb[r2.x + 0][r2.y + 0].xyzx'],
    ['texels', `ld_indexable(texture2d)${FLOAT4} r1.xyzw, l(1, 0, 0, 0), t[r2.z + 0].xyzw`],
    [
      'samples',
      `sample_l_indexable(texture2d)${FLOAT4} r1.xyz, l(0.9, 0.5, 0.0, 0.0), t[r2.z + 0].xyzw, s[r2.w + 0], l(0.0)`,
    ],
  ])('%s', async (_name, body) => {
    expect(await compareEngines(text(body), bind, { classInstances })).toEqual([])
  })
})
