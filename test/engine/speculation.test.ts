import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Bindings, createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

// Code without flushes that is repeated with them where a value was tiny (engine/lower/speculate.ts): programs whose
// lanes come and go over the limits of its checks, compared with the reference engine bit for bit.

const WORDS = 64 * 16
/** Exponents of the values that are not everyday ones: all that decide, or those about one limit alone. */
const SETS = {
  any: [-126, -125, -103, -102, -101, -64, -63, -52, -51, -50, -26, 0, 1, 20],
  'factors of denormals': [-67, -66, -65, -64, -63, -62],
  'factors at the limit': [-53, -52, -51, -50],
  'sums of last bits': [-104, -103, -102, -101],
  'the least normal': [-126, -125],
} as const
type Exponents = keyof typeof SETS

function source(tiny: number, exponents: Exponents): () => Bindings {
  const set = SETS[exponents]
  const words = new Uint32Array(WORDS)
  let x = 12345
  const next = (n: number): number => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return Math.floor((x / 2 ** 32) * n)
  }
  for (let i = 0; i < WORDS; i++) {
    const everyday = (127 + next(3)) << 23
    const special =
      exponents === 'any' && next(12) === 0 ? next(2) : ((set[next(set.length)]! + 127) << 23) | next(1 << 23)
    words[i] = (((next(2) << 31) >>> 0) | (next(1000) < tiny ? special : everyday | next(1 << 23))) >>> 0
  }
  const view = () =>
    valueOrThrow(createSrv(valueOrThrow(createBuffer({ data: new Uint8Array(words.buffer.slice(0)) })), { raw: true }))
  return () => ({ t0: view() })
}

const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_temps 8
dcl_thread_group 64, 1, 1
imad r7.x, vThreadGroupID.x, l(64), vThreadIDInGroupFlattened.x
ishl r7.y, r7.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.xyzw, r7.y, t0.xyzw
${body}
store_raw u9.xyzw, r7.y, r1.xyzw
ret
`

const LOOPS: Readonly<Record<string, string>> = {
  'sums of products': `mov r1.xyzw, l(0,0,0,0)
mov r2.x, l(0)
loop
  ige r2.y, r2.x, l(9)
  breakc_nz r2.y
  mad r1.xyzw, r0.xyzw, r0.wzyx, r1.xyzw
  mul r0.xyzw, r0.xyzw, l(1.0,1.25,1.5,1.0)
  iadd r2.x, r2.x, l(1)
endloop`,
  'squares that end lanes': `mov r1.xyzw, l(0,0,0,0)
mov r2.x, l(0)
loop
  ige r2.y, r2.x, l(20)
  breakc_nz r2.y
  mul r3.xy, r1.xyxx, r1.xyxx
  add r2.y, r3.y, r3.x
  lt r2.y, l(4.0), r2.y
  breakc_nz r2.y
  add r3.x, -r3.y, r3.x
  mul r3.y, r1.x, r1.y
  add r1.xy, r3.xyxx, r0.xyxx
  iadd r2.x, r2.x, l(1)
endloop
mov r1.z, r2.x`,
  'distances and their roots': `mov r1.xyzw, l(0,0,0,0)
mov r2.x, l(0)
loop
  ige r2.y, r2.x, l(16)
  breakc_nz r2.y
  ishl r2.z, r2.x, l(4)
  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r3.xyzw, r2.z, t0.xyzw
  add r3.xyz, -r0.xyzx, r3.xyzx
  dp3 r4.x, r3.xyzx, r3.xyzx
  rsq r4.x, r4.x
  mul r4.y, r4.x, r4.x
  mul r4.x, r4.x, r4.y
  mul r4.x, r3.w, r4.x
  mad r1.xyz, r3.xyzx, r4.xxxx, r1.xyzx
  iadd r2.x, r2.x, l(1)
endloop`,
  'a decay that only a flush ends': `mov r1.xyzw, r0.xyzw
mov r2.x, l(0)
loop
  eq r2.y, r1.x, l(0)
  breakc_nz r2.y
  mul r1.xyzw, r1.xyzw, l(0.9,0.9,0.9,0.9)
  mad r1.zw, r1.xxxx, r1.yyyy, r1.zzzw
  iadd r2.x, r2.x, l(1)
endloop
mov r1.y, r2.x`,
  'reads past the end while speculating': `mov r1.xyzw, l(0,0,0,0)
mov r2.x, l(0)
loop
  ige r2.y, r2.x, l(8)
  breakc_nz r2.y
  iadd r2.z, r7.y, l(16000)
  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r3.xyzw, r2.z, t0.xyzw
  add r3.xyzw, r3.xyzw, r0.xyzw
  mad r1.xyzw, r3.xyzw, r3.xyzw, r1.xyzw
  iadd r2.x, r2.x, l(1)
endloop`,
}

// Nothing tiny, a value here and there, and so many that every wave meets one.
const CASES: readonly (readonly [number, Exponents])[] = [
  [0, 'any'],
  [5, 'any'],
  [100, 'any'],
  [600, 'any'],
  [5, 'factors of denormals'],
  [300, 'factors of denormals'],
  [100, 'factors at the limit'],
  [300, 'sums of last bits'],
  [30, 'the least normal'],
]

describe.each(Object.entries(LOOPS))('%s', (name, body) => {
  // A loop that never ends without flushes takes long to be given up.
  const cases = name.startsWith('a decay') ? CASES.slice(0, 2) : CASES
  test.each(cases)('%i of a thousand values: %s', async (tiny, exponents) => {
    const options = { groups: [4, 1, 1], outputBytes: WORDS * 4 } as const
    expect(await compareEngines(program(body), source(tiny, exponents), options)).toEqual([])
  })
})
