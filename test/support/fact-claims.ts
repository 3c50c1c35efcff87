import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from './engines.ts'
import { FACTOR_CLAIMS, FLOAT_CLAIMS, HALF_CLAIMS, TERM_CLAIMS } from './float-claims.ts'
import { ADDRESS_CLAIMS, INTEGER_CLAIMS, UNIFORM_CLAIMS } from './word-claims.ts'

/**
 * Short programs that rest on one claim each of what the WebAssembly compiler knows of values and leaves out for it, run on
 * all pairs of words where claims end. For the tests of the claims and for their mutants (scripts/source-mutants/facts.ts).
 */

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

/**
 * Words of which none is tiny, so that code that is tried without its flushes goes on to its end: about 2^-51, from where on
 * products are as large as they must be, and what sums and quotients of such words may still make denormal.
 */
const FACTORS = [
  ...[0x26000000, 0x26000001, 0xa6000000, 0xa6000001, 0x26800000, 0x26000100, 0x00000000, 0x80000000],
  ...[0x3f800000, 0xbf800001, 0x3a800000, 0x7e800000, 0x7f000000, 0x3fc00000, 0x2b800000, 0x2b800001],
]
/** Words from 2^-28 on: sums of them are 0 or at least 2^-51, as factors must be. */
const TERMS = [
  ...[0x31800000, 0x31800001, 0x31800003, 0xb1800000, 0xb1800001, 0xb1ffffff, 0x32000000, 0x32000001, 0x00000000],
  ...[0x80000000, 0x3f800000, 0xbf800001, 0x7e800000],
]
/** Words of about 2^-52, half of what a factor must be: products of them are multiples of 2^-127. */
const HALVES = [0x25800000, 0x25800001, 0x25800003, 0xa5800001, 0xa5800002, 0x25c00001, 0x26000001, 0x3f800000]

const pairsOf = (words: readonly number[]) => words.flatMap((x) => words.map((y) => [x, y] as const))
const FACTOR_PAIRS = pairsOf(FACTORS)
const TERM_PAIRS = pairsOf(TERMS)
const HALF_PAIRS = pairsOf(HALVES)

function bind(pairs: readonly (readonly [number, number])[]) {
  const data = Uint32Array.from({ length: GROUPS * GROUP * 2 }, (_, i) => pairs[i >> 1]?.[i & 1] ?? 0)
  return { t0: createSrv(valueOrThrow(createBuffer({ data })), { raw: true }) }
}

/** r0.xy is the pair; r1.xyzw is what the thread stores. */
const program = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u9
dcl_input vThreadIDInGroupFlattened
dcl_input vThreadGroupID.xyz
dcl_temps 9
dcl_tgsm_structured g0, 16, 8
dcl_tgsm_raw g1, 64
dcl_tgsm_structured g2, 16, 7
dcl_indexableTemp x0[4], 4
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

export const CLAIMS: Readonly<Record<string, string>> = {
  ...FACTOR_CLAIMS,
  ...TERM_CLAIMS,
  ...HALF_CLAIMS,
  ...FLOAT_CLAIMS,
  ...INTEGER_CLAIMS,
  ...ADDRESS_CLAIMS,
  ...UNIFORM_CLAIMS,
}

/** What differs between the engines, or what assertion failed, in a program of the list. */
export function differencesOfClaim(
  body: string,
  options: { readonly denormals?: 'flush' | 'keep'; readonly assertions?: boolean } = {},
): Promise<string[]> {
  const { denormals = 'flush', assertions = false } = options
  const isOf = (claims: Readonly<Record<string, string>>): boolean => Object.values(claims).includes(body)
  const pairs = isOf(FACTOR_CLAIMS)
    ? FACTOR_PAIRS
    : isOf(TERM_CLAIMS)
      ? TERM_PAIRS
      : isOf(HALF_CLAIMS)
        ? HALF_PAIRS
        : PAIRS
  return compareEngines(program(body), () => bind(pairs), {
    groups: [GROUPS, 1, 1],
    outputBytes: GROUPS * GROUP * 16,
    load: { denormals },
    assertions,
  })
}
