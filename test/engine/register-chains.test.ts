import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createCbv, createSampler, createSrv, createTexture, createUav } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

// Registers that are computed from what was read through another computed register, in every order and nesting: the
// WebAssembly engine learns which ranges are computed only as it knows what the earlier ones are bound to.

const FLOAT4 = '(float,float,float,float)'
const UINT4 = '(uint,uint,uint,uint)'

/** Each reads a number through a register computed from r2.x into r2.x. */
const LINKS = {
  'a constant buffer': 'and r2.x, r2.x, l(3)\nmov r2.x, CB0[r2.x + 0][0].x',
  'a constant of a computed buffer': 'and r2.x, r2.x, l(1)\nmov r2.x, CB0[r2.x + 0][r2.x + 0].y',
  'a raw buffer': 'and r2.x, r2.x, l(3)\nld_raw r2.x, l(4), T0[r2.x + 0].xxxx',
  'a structured buffer': 'and r2.x, r2.x, l(3)\nld_structured r2.x, l(1), l(0), T1[r2.x + 4].xxxx',
  'a typed buffer': 'and r2.x, r2.x, l(3)\nld r2.x, l(0, 0, 0, 0), T2[r2.x + 8].yxzw',
  'a texture': 'and r2.x, r2.x, l(3)\nld r2.x, l(1, 0, 0, 0), T3[r2.x + 12].xyzw',
  'the size of a texture': 'and r2.x, r2.x, l(3)\nresinfo_uint r2.x, l(0), T3[r2.x + 12].xyzw',
  'a UAV': 'and r2.x, r2.x, l(3)\nld_raw r2.x, l(0), U0[r2.x + 0].xxxx',
  'an atomic': 'and r2.x, r2.x, l(3)\nimm_atomic_or r2.x, U0[r2.x + 0], l(8), l(0)',
  'a sampler':
    'and r2.x, r2.x, l(3)\nsample_l r2.x, l(1.2, 0.5, 0, 0), T4[r2.x + 16].xyzw, S0[r2.x + 0], l(0.0)\nftou r2.x, r2.x',
} as const

const DECLARES = `dcl_constantbuffer CB0[0:3][2], dynamicIndexed, space=0
dcl_sampler S0[0:3], mode_default, space=0
dcl_resource_raw T0[0:3], space=0
dcl_resource_structured T1[4:7], 4, space=0
dcl_resource_buffer ${UINT4} T2[8:11], space=0
dcl_resource_texture2d ${UINT4} T3[12:15], space=0
dcl_resource_texture2d ${FLOAT4} T4[16:19], space=0
dcl_uav_raw U0[0:3], space=0
dcl_uav_raw U9[9:9], space=0`

const program = (body: string): string => `cs_5_1
dcl_globalFlags refactoringAllowed
${DECLARES}
dcl_input vThreadIDInGroup.x
dcl_temps 4
dcl_thread_group 20, 1, 1
mov r2.x, vThreadIDInGroup.x
${body}
ishl r3.x, vThreadIDInGroup.x, l(2)
store_raw U9[9].x, r3.x, r2.x
ret
`

const words = (...data: number[]) => ({ data: Uint32Array.from(data) })

/** Numbers that lead from one register to another; the third register of each range is not bound. */
function bind() {
  const bound = [0, 1, 3].flatMap((n) => {
    const [a, b, c] = [(n * 3 + 1) & 3, (n + 2) & 3, (5 - n) & 3]
    const texels = { dimension: 'texture2d', width: 1 + n, height: 1 } as const
    const whole = Uint32Array.from({ length: 1 + n }, (_, i) => (i + b) & 3)
    const numbers = Float32Array.from({ length: 1 + n }, (_, i) => (i + c) & 3)
    return [
      [`b${n}`, createCbv(Uint32Array.of(a, b, 0, 0, c, a, 0, 0))],
      [`t${n}`, createSrv(valueOrThrow(createBuffer(words(a, b))), { raw: true })],
      [`t${n + 4}`, createSrv(valueOrThrow(createBuffer({ ...words(b, c), stride: 4 })))],
      [`t${n + 8}`, createSrv(valueOrThrow(createBuffer(words(b, c))), { format: 'R16G16_UINT' })],
      [`t${n + 12}`, createSrv(valueOrThrow(createTexture({ ...texels, format: 'R32_UINT', data: whole })))],
      [`t${n + 16}`, createSrv(valueOrThrow(createTexture({ ...texels, format: 'R32_FLOAT', data: numbers })))],
      [`u${n}`, createUav(valueOrThrow(createBuffer(words(c, a, b))), { raw: true })],
      [
        `s${n}`,
        createSampler({ filter: 'MIN_MAG_MIP_POINT', address: n === 1 ? 'MIRROR' : n === 3 ? 'CLAMP' : 'WRAP' }),
      ],
    ] as const
  })
  return Object.fromEntries(bound)
}

describe.each(Object.entries(LINKS))('a register computed from %s', (_first, first) => {
  test.each(Object.entries(LINKS))('names %s', async (_second, second) => {
    expect(await compareEngines(program(`${first}\n${second}`), bind)).toEqual([])
  })
})

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('a chain through all kinds, from kind %i on', async (start) => {
  const links = Object.values(LINKS)
  const chain = links.map((_, i) => links[(start + i * 3) % links.length])
  expect(await compareEngines(program(chain.join('\n')), bind)).toEqual([])
})

test('a range that only code names that waits for what a computed register holds', async () => {
  // Without buffers the condition is 0 for certain, and the load is no code at all.
  const body = `${LINKS['a constant buffer']}
ine r3.y, r2.x, l(0)
if_nz r3.y
${LINKS['a structured buffer']}
endif`
  expect(await compareEngines(program(body), bind)).toEqual([])
})
