/**
 * What the compiler knows of integers, addresses and what lanes have in common: short programs on a pair of words in r0.xy that
 * store r1.xyzw. fact-claims.ts runs them.
 */

export const INTEGER_CLAIMS: Readonly<Record<string, string>> = {
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
iadd r1.w, r1.w, r3.y
umin r3.z, r2.x, r3.x
and r3.z, r3.z, l(0x1e)
iadd r1.w, r1.w, r3.z`,
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

/** The pair as an address: what may be out of bounds must be looked at, however little is over. */
const store = (address: string): string => `store_structured g0.x, ${address}, l(0), r7.x
sync_g_t
ld_structured r1.x, r8.x, l(0), g0.xxxx`
export const ADDRESS_CLAIMS: Readonly<Record<string, string>> = {
  'a remainder that just fits, and one that does not': `udiv null, r8.x, r0.x, l(8)
ld_structured r1.x, r8.x, l(12), g0.xxxx
udiv null, r8.x, r0.x, l(9)
ld_structured r1.y, r8.x, l(0), g0.xxxx
and r8.y, r0.y, l(12)
ld_structured r1.z, r8.x, r8.y, g0.xxxx
and r8.y, r0.y, l(28)
ld_structured r1.w, l(7), r8.y, g0.xxxx`,
  'an index that may be the count, and an offset that leaves no room': `and r8.x, r0.x, l(7)
ld_structured r1.x, r8.x, l(0), g2.xxxx
and r8.y, r0.y, l(12)
ld_structured r1.zw, r8.x, r8.y, g0.xxxy
and r8.y, r0.y, l(4)
ld_structured r1.y, l(6), r8.y, g2.xxxx`,
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
  'addresses of two bytes': `and r8.x, r0.x, l(0x3e)
ld_raw r1.x, r8.x, g1.xxxx
and r8.y, r0.y, l(2)
ld_structured r1.y, l(3), r8.y, g0.xxxx`,
  'rows of indices over an end': `iadd r8.x, vThreadIDInGroupFlattened.x, l(1)
ld_structured r1.x, r8.x, l(0), g0.xxxx
iadd r8.y, l(10), -vThreadIDInGroupFlattened.x
ld_structured r1.y, r8.y, l(0), g0.xxxx`,
  'rows that some lanes store': `store_raw u9.xyzw, r7.z, l(1, 2, 3, 4)
ult r2.x, r0.x, r0.y
if_nz r2.x
  store_raw u9.xy, r7.z, r0.xyxx
endif
ld_raw r1.xyzw, r7.z, u9.xyzw`,
  'patterns that fall': `iadd r8.x, l(70), -vThreadIDInGroupFlattened.x
ishl r8.y, r8.x, l(2)
ld_raw r1.x, r8.y, t0.xxxx
iadd r8.z, vThreadIDInGroupFlattened.x, -r8.x
ishl r8.z, r8.z, l(2)
ld_raw r1.y, r8.z, t0.xxxx`,
  'words that lanes alone have': `and r8.x, r0.x, l(3)
mov x0[r8.x + 0].x, r0.y
and r8.y, r0.y, l(3)
mov r1.x, x0[r8.y + 0].x
ishl r8.z, vThreadIDInGroupFlattened.x, l(2)
and r8.z, r8.z, l(0x3c)
imm_atomic_or r1.y, g1, r8.z, l(0)
ld_raw r1.z, r7.y, t0.yyyy`,
  'patterns that bits make': `or r8.x, vThreadIDInGroupFlattened.x, l(0x40)
ishl r8.x, r8.x, l(2)
ld_raw r1.x, r8.x, t0.xxxx
and r8.y, r0.x, l(1)
or r8.y, r8.y, vThreadIDInGroupFlattened.x
ishl r8.y, r8.y, l(2)
ld_raw r1.y, r8.y, t0.xxxx
or r8.w, vThreadIDInGroupFlattened.x, l(1)
ishl r8.w, r8.w, l(2)
ld_raw r1.w, r8.w, t0.xxxx
xor r8.z, vThreadIDInGroupFlattened.x, l(3)
ishl r8.z, r8.z, l(2)
ld_raw r1.z, r8.z, t0.xxxx`,
}

/** What is taken for the same in all lanes of a wave, or for an even row of numbers. */
export const UNIFORM_CLAIMS: Readonly<Record<string, string>> = {
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
