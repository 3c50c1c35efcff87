import { describe, expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from '../support/engines.ts'

// What engine/lower knows of values (facts.ts, magnitude.ts, simplify.ts, demand.ts) and what code leaves out for it:
// short programs that rest on one claim each, run on all pairs of words where claims end, against the reference engine.

/** Words at the edges: zeros, denormals, the least normals, where squares and products vanish, the largest, NaN, integers. */
const EDGES = [
  ...[0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800001],
  // 2^-76, 2^-75 and below, 2^-74, 2^-52, -2^-51, 2^-51 less one bit.
  ...[0x19800000, 0x1a000000, 0x19ffffff, 0x1a800000, 0x25800000, 0xa6000000, 0x25ffffff],
  ...[0x3f000001, 0x3f800000, 0xbf800000, 0x40400000, 0x4f000000, 0x5f800001, 0x7f7fffff, 0xff7fffff],
  ...[0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7fffffff, 0xffffffff, 0x0000001f, 0x00000021],
]
/** Each thread has one ordered pair. */
const PAIRS = EDGES.flatMap((x) => EDGES.map((y) => [x, y] as const))
const GROUP = 64
const GROUPS = Math.ceil(PAIRS.length / GROUP)

function bind() {
  const data = Uint32Array.from({ length: GROUPS * GROUP * 2 }, (_, i) => PAIRS[i >> 1]?.[i & 1] ?? 0)
  return { t0: createSrv(valueOrThrow(createBuffer({ data })), { raw: true }) }
}

/** r0.xy is the pair; r1.xyzw is what the thread stores; r2.x is below 4 and r2.y is 0, the same in all threads. */
const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.x
dcl_temps 8
dcl_thread_group ${GROUP}, 1, 1
imad r7.x, vThreadGroupID.x, l(${GROUP}), vThreadIDInGroupFlattened.x
ishl r7.y, r7.x, l(3)
ishl r7.z, r7.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.xyzw, r7.y, t0.xyxy
mov r1.xyzw, l(0, 0, 0, 0)
${body}
store_raw u9.xyzw, r7.z, r1.xyzw
ret
`

/** Any loop lets code be run without its flushes first. */
const LOOP = `mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  iadd r6.x, r6.x, l(1)
endloop`

const CLAIMS: Readonly<Record<string, string>> = {
  'the square of a tiny root is 0': `dp2 r1.x, r0.xyxx, r0.xyxx
rsq r1.y, r1.x
mul r1.zw, r0.xxxy, r1.yyyy
${LOOP}`,
  'a root with a square and another product': `mul r1.x, r0.x, r0.x
mul r1.y, r0.x, r0.y
mul r1.z, r0.y, r0.y
add r1.w, r1.x, r1.z
${LOOP}`,
  'squares in a loop': `mov r2.xy, r0.xyxx
mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  mul r3.xy, r2.xyxx, r2.xyxx
  add r3.x, -r3.y, r3.x
  mul r3.y, r2.x, r2.y
  add r2.xy, r3.xyxx, r0.xyxx
  mad r1.xyzw, r2.xyxy, r2.xxyy, r1.xyzw
  iadd r6.x, r6.x, l(1)
endloop`,
  'and of one of two equal floats with another word is no float': `add r2.x, r0.x, l(0)
add r3.x, r0.y, l(0)
eq r2.y, r2.x, r2.x
and r2.z, r2.x, r3.x
movc r2.w, r2.y, r2.z, l(0)
mul r1.x, r2.w, l(0x7e967699)
eq r2.y, r2.x, r3.x
and r2.z, r2.x, r3.x
movc r2.w, r2.y, r2.z, l(0)
mul r1.y, r2.w, l(0x7e967699)`,
  'or of one of two equal floats with another word is no float': `add r2.x, r0.x, l(0)
add r3.x, r0.y, l(0)
eq r2.y, r2.x, r2.x
or r2.z, r2.x, r3.x
movc r2.w, r2.y, r2.z, l(0)
mul r1.x, r2.w, l(0x7e967699)
eq r2.y, r3.x, r3.x
or r2.z, r3.x, r2.x
movc r2.w, r2.y, l(0), r2.z
mul r1.y, r2.w, l(0x7e967699)`,
  'a clamp between 0 and a bound below it': [-1, 0, 1]
    .map(
      (bound, n) => `add r2.x, r0.x, l(0)
lt r2.y, r2.x, l(${bound}.0)
movc r2.z, r2.y, r2.x, l(${bound}.0)
lt r2.y, l(0.0), r2.x
movc r1.${'xyz'[n]}, r2.y, r2.z, l(0)`,
    )
    .join('\n'),
}

describe.each(Object.entries(CLAIMS))('%s', (_name, body) => {
  const options = { groups: [GROUPS, 1, 1], outputBytes: GROUPS * GROUP * 16 } as const
  test.each(['flush', 'keep'] as const)('denormals: %s', async (denormals) => {
    expect(await compareEngines(program(body), bind, { ...options, load: { denormals } })).toEqual([])
  })
})
