import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createBuffer, createSrv } from '../../src/machine/index.ts'
import { compareEngines } from './engines.ts'

/**
 * Short programs that rest on one claim each of what the WebAssembly compiler knows of values and leaves out for it, run on
 * all pairs of words where claims end. For the tests of the claims and for their mutants (scripts/fact-mutants.ts).
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
const FACTOR_PAIRS = FACTORS.flatMap((x) => FACTORS.map((y) => [x, y] as const))

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

/** A float that is no denormal, of each word of the pair, in r2.x and r3.x: what arithmetic gives, which is flushed. */
const FLOATS = 'add r2.x, r0.x, l(0)\nadd r3.x, r0.y, l(0)'
/** Makes a denormal that was not flushed seen: its product is no zero. */
const seen = (target: string, from: string): string => `mul ${target}, ${from}, l(0x7e967699)`

/** A choice between `op` of two floats and 0 by whether two are equal: max and min are made of it (22.10). */
const equalChoice = (op: 'and' | 'or', [a, b]: readonly [string, string], [x, y]: readonly [string, string]): string =>
  `${FLOATS}
eq r2.y, ${a}, ${b}
${op} r2.z, ${x}, ${y}
movc r2.w, r2.y, r2.z, l(0)
${seen('r1.x', 'r2.w')}
movc r2.w, r2.y, l(0), r2.z
${seen('r1.y', 'r2.w')}`

const clamp = (bound: string, n: number): string => `add r2.x, r0.x, l(0)
lt r2.y, r2.x, l(${bound})
movc r2.z, r2.y, r2.x, l(${bound})
lt r2.y, l(0.0), r2.x
movc r1.${'xyzw'[n]}, r2.y, r2.z, l(0)`

const FLOAT_CLAIMS: Readonly<Record<string, string>> = {
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
  'a square that the flow may leave before': `mov r6.x, l(0)
mov r2.xy, r0.xyxx
loop
  uge r6.y, r6.x, l(2)
  breakc_nz r6.y
  mul r3.x, r2.x, r0.y
  add r1.x, r1.x, r3.x
  lt r3.y, r3.x, l(2.0)
  breakc_nz r3.y
  mul r3.z, r2.x, r2.x
  add r1.yz, r1.yyzy, r3.zzxz
  mul r2.xy, r2.xyxx, l(0.75, 1.25, 0, 0)
  iadd r6.x, r6.x, l(1)
endloop`,
  'and of equal floats': equalChoice('and', ['r2.x', 'r3.x'], ['r3.x', 'r2.x']),
  'or of equal floats': equalChoice('or', ['r2.x', 'r3.x'], ['r2.x', 'r3.x']),
  'and of one of two equal floats with another word': equalChoice('and', ['r2.x', 'r2.x'], ['r2.x', 'r3.x']),
  'or of one of two equal floats with another word': equalChoice('or', ['r3.x', 'r3.x'], ['r3.x', 'r2.x']),
  'and of two floats alone': `${FLOATS}\nand r2.z, r2.x, r3.x\n${seen('r1.x', 'r2.z')}`,
  'or and xor of two floats': `${FLOATS}\nor r2.z, r2.x, r3.x\nxor r2.w, r2.x, r3.x\n${seen('r1.x', 'r2.z')}\n${seen('r1.y', 'r2.w')}`,
  'and of a float and a mask': `${FLOATS}\nlt r2.y, r2.x, r3.x\nand r2.z, r2.y, r3.x\n${seen('r1.x', 'r2.z')}`,
  'a clamp between 0 and a bound below it': ['-1.0', '0.0', '1.0'].map(clamp).join('\n'),
  'a clamp between 0 and what is no number, or no zero': ['0xffc00001', '0x80000000', '0x7f800000', '0x00800000']
    .map(clamp)
    .join('\n'),
  'a saturation': 'mov_sat r1.xy, r0.xyxx\nadd_sat r1.zw, r0.xxxy, r0.yyyx',
  'comparisons with constants': `lt r1.x, r0.x, l(0x00800000)
ge r1.y, r0.x, l(0x80800000)
eq r1.z, r0.x, l(0x00000001)
ne r1.w, r0.x, l(0x00000000)`,
  'max and min with constants of both signs': `max r1.x, r0.x, l(0x00800000)
max r1.y, r0.x, l(0x80800000)
min r1.z, r0.x, l(0x00800000)
min r1.w, r0.x, l(0x80800000)`,
  'max and min with zeros and denormal constants': `max r1.x, r0.x, l(0x00000000)
max r1.y, r0.x, l(0x80000000)
min r1.z, r0.x, l(0x00000000)
min r1.w, r0.x, l(0x00000001)`,
  'max and min of what may be no number':
    'max r1.x, r0.x, r0.y\nmin r1.y, r0.x, r0.y\nmax r1.z, r0.y, r0.x\nmin r1.w, r0.y, r0.x',
  'max and min where one is a number': `utof r2.x, r0.x
max r1.x, r2.x, r0.y
min r1.y, r0.y, r2.x
sqrt r2.y, r0.x
max r1.z, r2.y, r2.x
max r1.w, r2.x, r2.y`,
  'signs of zeros': `mul r2.x, r0.x, l(0x80000000)
add r1.x, r2.x, l(0x80000000)
div r1.y, l(1.0), r2.x
max r2.y, r2.x, -r2.x
div r1.z, l(1.0), r2.y
min r2.y, r2.x, -r2.x
div r1.w, l(1.0), r2.y`,
  'signs of zeros as conditions': `mul r2.x, r0.x, r0.y
movc r1.x, r2.x, l(1), l(2)
max r2.y, r2.x, r0.x
movc r1.y, r2.y, l(1), l(2)
and r1.z, r2.x, l(0x80000000)
ushr r1.w, r2.y, l(31)`,
  'payloads of NaN': `add r2.x, r0.x, r0.y
mul r2.y, r0.x, r0.y
and r1.x, r2.x, l(0x003fffff)
xor r1.y, r2.y, l(0x80000000)
movc r1.z, r2.x, r2.y, r2.x
sqrt r2.z, r0.x
iadd r1.w, r2.z, l(1)`,
  'differences of negations':
    'add r1.x, r0.x, -r0.y\nadd r1.y, -r0.x, r0.y\nadd r1.z, -r0.x, -r0.y\nadd r1.w, |r0.x|, -|r0.y|',
  'whole numbers and roots are no denormals': `round_ni r1.x, r0.x
round_pi r1.y, r0.x
round_z r1.z, r0.y
sqrt r2.x, r0.x
mul r1.w, r2.x, r2.x`,
  'sums of products that vanish': `mul r2.x, r0.x, r0.y
add r1.x, r2.x, r0.x
mad r1.y, r0.x, r0.y, r2.x
mad r1.z, r0.x, l(0x00800000), r0.y
div r1.w, r0.x, r0.y
${LOOP}`,
}

const INTEGER_CLAIMS: Readonly<Record<string, string>> = {
  'shifts by 32 and more': `ishl r1.x, r0.x, r0.y
ushr r1.y, r0.x, r0.y
ishr r1.z, r0.x, r0.y
ishl r2.x, r0.x, l(33)
and r1.w, r2.x, l(3)`,
  'bits that a shift leaves': `ushr r2.x, r0.x, l(31)
and r1.x, r2.x, l(1)
ushr r2.y, r0.x, l(63)
and r1.y, r2.y, l(1)
ishl r2.z, r0.x, l(31)
and r1.z, r2.z, l(0x80000000)
ushr r2.w, r0.x, r0.y
and r1.w, r2.w, l(0x7fffffff)`,
  'remainders by constants': [3, 5, 16, 0x80000001]
    .map((n, c) => `udiv null, r2.x, r0.x, l(${n})\nult r2.y, r2.x, l(${n - 1})\niadd r1.${'xyzw'[c]}, r2.x, r2.y`)
    .join('\n'),
  'remainders by nothing and by powers of two': `udiv r1.x, r1.y, r0.x, l(0)
udiv r1.z, r1.w, r0.x, l(0x80000000)`,
  'quotients by powers of two and by nothing': 'udiv r1.x, r1.y, r0.x, l(1)\nudiv r1.z, r1.w, r0.x, r0.y',
  'sums of masked words': `and r2.x, r0.x, l(7)
and r2.y, r0.y, l(7)
iadd r2.z, r2.x, r2.y
and r1.x, r2.z, l(14)
ult r1.y, r2.z, l(14)
iadd r2.w, r2.x, -r2.y
and r1.z, r2.w, l(0xfffffff0)
imad r2.w, r2.x, r2.y, r2.x
ult r1.w, r2.w, l(56)`,
  'products of masked words': `and r2.x, r0.x, l(0xfff0)
and r2.y, r0.y, l(0xff000)
imul null, r2.z, r2.x, r2.y
and r1.x, r2.z, l(0xffff)
and r1.y, r2.z, l(0xffff0000)
imul null, r2.w, r2.x, l(0x10001)
and r1.z, r2.w, l(0x000f000f)
ult r1.w, r2.z, l(0x80000000)`,
  'extremes of masked words': `and r2.x, r0.x, l(0x1f)
umin r2.y, r2.x, r0.y
umax r2.z, r2.x, l(0x23)
and r1.x, r2.y, l(0x1f)
and r3.x, r0.y, l(0x21)
umax r2.z, r2.x, r3.x
and r3.y, r2.z, l(0x20)
and r1.y, r2.z, l(0x3f)
imin r2.w, r2.x, r0.y
and r1.z, r2.w, l(0x1f)
imax r1.w, r2.x, r0.y
iadd r1.w, r1.w, r3.y`,
  'counts of bits': `countbits r2.x, r0.x
ult r1.x, r2.x, l(32)
firstbit_lo r2.y, r0.x
and r1.y, r2.y, l(31)
firstbit_hi r2.z, r0.x
and r1.z, r2.z, l(63)
firstbit_shi r1.w, r0.x`,
  'masks as numbers': `ilt r2.x, r0.x, r0.y
ieq r2.y, r0.x, r0.y
ieq r1.x, r2.x, l(0)
ieq r1.y, r2.x, l(-1)
xor r2.z, r2.x, r2.y
ieq r1.z, r2.z, l(1)
not r2.w, r0.x
ieq r1.w, r2.w, l(0)`,
  'words that are no masks': `and r2.x, r0.x, l(1)
not r2.y, r2.x
movc r1.x, r2.y, l(1), l(2)
ieq r1.y, r2.x, l(0)
or r2.z, r2.x, l(2)
movc r1.z, r2.z, l(-1), l(0)
xor r2.w, r2.x, l(1)
movc r1.w, r2.w, l(0), l(-1)`,
  'extremes chosen by comparisons': `ult r2.x, r0.x, r0.y
movc r1.x, r2.x, r0.y, r0.x
movc r1.y, r2.x, r0.x, r0.y
ilt r2.x, r0.x, r0.y
movc r1.z, r2.x, r0.y, r0.x
lt r2.x, r0.x, r0.y
movc r1.w, r2.x, r0.y, r0.x`,
  'numbers of groups and threads': `and r1.x, vThreadGroupID.x, l(0xffff)
and r1.y, vThreadIDInGroupFlattened.x, l(0x3f)
ult r1.z, vThreadIDInGroupFlattened.x, l(63)
or r1.w, vThreadIDInGroupFlattened.x, l(64)`,
  'counters of loops': `mov r6.x, l(0)
mov r6.z, l(1)
loop
  uge r6.y, r6.x, l(40)
  breakc_nz r6.y
  iadd r6.x, r6.x, l(1)
  ishl r6.z, r6.z, l(1)
  and r6.w, r6.x, l(0x1f)
  ieq r6.w, r6.w, l(1)
  movc r1.x, r6.w, r6.x, r1.x
  iadd r1.y, r1.y, r6.z
endloop
and r1.z, r6.x, l(0x7f)
ult r1.w, r6.x, l(40)`,
  'floats that a loop brings round': `add r2.x, r0.x, l(0)
mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  mul r1.x, r2.x, l(0x7e967699)
  and r2.x, r2.x, r0.y
  iadd r6.x, r6.x, l(1)
endloop`,
}

/** A loop whose values are worth being computed without flushes; the pair's squares ask for factors. */
const turns = (lines: string): string => `mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  mul r2.xy, r0.xyxx, r0.xyxx
${lines}
  add r1.xyzw, r1.xyzw, r2.xyzw
  iadd r6.x, r6.x, l(1)
endloop`

/** What holds of values none of which is tiny. */
const FACTOR_CLAIMS: Readonly<Record<string, string>> = {
  'differences of factors may be tiny': turns('add r2.z, r0.x, -r0.y\nmul r2.w, r2.z, r2.z'),
  'differences of factors and constants may be tiny': turns('add r2.z, r0.x, l(0xa6000000)\nmul r2.w, r2.z, r2.z'),
  'products of products may be tiny': turns('mul r2.z, r2.x, r0.y\nmul r2.w, r2.z, r2.y'),
  'quotients by large numbers may be tiny': turns('div r2.z, r0.x, r0.y\nmul r2.w, r2.z, r0.x'),
  'roots of products': turns('sqrt r2.z, |r2.x|\nmul r2.w, r2.z, r2.y'),
  'what shrinks from turn to turn': `mov r3.xy, r0.xyxx\n${turns('mul r3.xy, r3.xyxx, r0.xyxx\nadd r2.zw, r3.xxxy, r3.yyyx')}`,
  'what shrinks to less than its square shows': `mov r3.xy, r0.xyxx\n${turns('mul r2.zw, r3.xxxy, r3.xxxy\nmul r3.xy, r3.xyxx, l(0x3a800000)')}`,
  'negations and sizes': turns('mul r2.z, -|r0.x|, r0.y\nadd r2.w, |r2.z|, -|r2.x|'),
}

/** The pair as an address: what may be out of bounds must be looked at, however little is over. */
const store = (address: string): string => `store_structured g0.x, ${address}, l(0), r7.x
sync_g_t
ld_structured r1.x, r8.x, l(0), g0.xxxx`
const ADDRESS_CLAIMS: Readonly<Record<string, string>> = {
  'a remainder that just fits, and one that does not': `udiv null, r8.x, r0.x, l(8)
ld_structured r1.x, r8.x, l(12), g0.xxxx
udiv null, r8.x, r0.x, l(9)
ld_structured r1.y, r8.x, l(0), g0.xxxx
and r8.y, r0.y, l(12)
ld_structured r1.z, r8.x, r8.y, g0.xxxx
and r8.y, r0.y, l(28)
ld_structured r1.w, l(7), r8.y, g0.xxxx`,
  'the last dword of a raw register, and the one after': `and r8.x, r0.x, l(0x3c)
ld_raw r1.x, r8.x, g1.xxxx
ld_raw r1.yz, r8.x, g1.xxyx
and r8.x, r0.x, l(0x3f)
ld_raw r1.w, r8.x, g1.xxxx`,
  'a raw address at which the last component is outside': `ushr r8.x, r0.x, l(28)
ishl r8.x, r8.x, l(2)
ld_raw r1.xyzw, r8.x, g1.xyzw`,
  'stores at the edge': `and r8.x, r0.x, l(15)\nif_z vThreadIDInGroupFlattened.x\n${store('r8.x').replace('\nsync_g_t', '')}\nendif`,
  'patterns of lanes over an end': `ishl r8.x, vThreadIDInGroupFlattened.x, l(2)
ld_raw r1.x, r8.x, g1.xxxx
iadd r8.y, r8.x, l(-32)
ld_raw r1.y, r8.y, g1.xxxx
imul null, r8.z, vThreadIDInGroupFlattened.x, l(0x04000000)
ld_raw r1.z, r8.z, t0.xxxx
ld_structured r1.w, vThreadIDInGroupFlattened.x, l(0), g0.xxxx`,
  'patterns that bits make': `or r8.x, vThreadIDInGroupFlattened.x, l(0x40)
ishl r8.x, r8.x, l(2)
ld_raw r1.x, r8.x, t0.xxxx
and r8.y, r0.x, l(1)
or r8.y, r8.y, vThreadIDInGroupFlattened.x
ishl r8.y, r8.y, l(2)
ld_raw r1.y, r8.y, t0.xxxx
xor r8.z, vThreadIDInGroupFlattened.x, l(3)
ishl r8.z, r8.z, l(2)
ld_raw r1.z, r8.z, t0.xxxx`,
}

/** What is taken for the same in all lanes of a wave, or for an even row of numbers. */
const UNIFORM_CLAIMS: Readonly<Record<string, string>> = {
  'counters of loops that lanes leave one by one': `and r2.x, vThreadIDInGroupFlattened.x, l(7)
mov r6.x, l(0)
mov r6.z, vThreadIDInGroupFlattened.x
loop
  uge r6.y, r6.x, r2.x
  breakc_nz r6.y
  iadd r6.x, r6.x, l(1)
  iadd r6.z, r6.z, l(4)
  ishl r8.x, r6.z, l(2)
  ld_raw r8.y, r8.x, t0.xxxx
  iadd r1.z, r1.z, r8.y
endloop
mov r1.x, r6.x
mov r1.y, r6.z
ishl r8.x, r6.x, l(2)
ld_raw r1.w, r8.x, t0.xxxx`,
  'merges of arms that lanes take': `ult r2.x, r0.x, r0.y
mov r3.x, l(4)
mov r3.y, vThreadIDInGroupFlattened.x
if_nz r2.x
  mov r3.x, l(8)
  iadd r3.y, r3.y, l(1)
  store_raw u9.x, r7.z, r3.x
endif
ld_raw r1.x, r3.x, t0.xxxx
ishl r3.y, r3.y, l(2)
ld_raw r1.y, r3.y, t0.xxxx`,
  'merges of arms that the group takes': `and r2.x, vThreadGroupID.x, l(1)
mov r3.y, vThreadIDInGroupFlattened.x
if_nz r2.x
  iadd r3.y, r3.y, l(1)
  store_raw u9.x, r7.z, r3.y
else
  ishl r3.y, r3.y, l(1)
  store_raw u9.xy, r7.z, r3.yxyy
endif
ishl r3.y, r3.y, l(2)
ld_raw r1.y, r3.y, t0.xxxx`,
  'what lanes skip with continue': `mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(4)
  breakc_nz r6.y
  iadd r6.x, r6.x, l(1)
  ieq r6.z, r6.x, r0.x
  movc r2.y, r6.z, l(1), l(2)
  ult r6.z, r0.x, r0.y
  continuec_nz r6.z
  iadd r1.x, r1.x, l(1)
  mov r1.y, r6.x
endloop`,
  'words of memory that lanes write': `store_raw g1.x, l(4), l(5)
iadd r8.x, vThreadIDInGroupFlattened.x, l(0)
and r8.x, r8.x, l(1)
ieq r8.y, vThreadIDInGroupFlattened.x, l(0)
sync_g_t
if_nz r8.y
  store_raw g1.x, l(4), l(9)
endif
sync_g_t
ld_raw r1.x, l(4), g1.xxxx
imm_atomic_iadd r8.z, g1, l(8), l(1)
sync_g_t
ld_raw r1.y, l(8), g1.xxxx`,
}

export const CLAIMS: Readonly<Record<string, string>> = {
  ...FACTOR_CLAIMS,
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
  const pairs = Object.values(FACTOR_CLAIMS).includes(body) ? FACTOR_PAIRS : PAIRS
  return compareEngines(program(body), () => bind(pairs), {
    groups: [GROUPS, 1, 1],
    outputBytes: GROUPS * GROUP * 16,
    load: { denormals },
    assertions,
  })
}
