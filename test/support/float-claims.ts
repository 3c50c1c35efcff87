/**
 * What the compiler knows of floats and of the flushes it may leave out: short programs on a pair of words in r0.xy that
 * store r1.xyzw. fact-claims.ts runs them.
 */

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

export const FLOAT_CLAIMS: Readonly<Record<string, string>> = {
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
  'or and xor of a float with bits of an exponent, a fraction and a sign': `${FLOATS}
or r2.y, r2.x, l(0x3f800000)
xor r2.z, r2.x, l(0x00800000)
or r2.w, r2.x, l(0x00400000)
xor r3.y, r2.x, l(0x80000000)
${seen('r1.x', 'r2.y')}
${seen('r1.y', 'r2.z')}
${seen('r1.z', 'r2.w')}
${seen('r1.w', 'r3.y')}`,
  'and of a float and a mask': `${FLOATS}\nlt r2.y, r2.x, r3.x\nand r2.z, r2.y, r3.x\n${seen('r1.x', 'r2.z')}`,
  'a clamp between 0 and a bound below it': ['-1.0', '0.0', '1.0'].map(clamp).join('\n'),
  'a clamp between 0 and what is no number, or no zero': ['0xffc00001', '0x80000000', '0x7f800000', '0x00800000']
    .map(clamp)
    .join('\n'),
  'the larger of what may be no number and a number': `add r2.x, r0.x, l(0)
utof r3.x, r0.y
lt r2.y, r2.x, r3.x
movc r2.z, r2.y, r3.x, r2.x
max r1.x, r2.z, r3.x
lt r2.y, r3.x, r2.x
movc r2.z, r2.y, r3.x, r2.x
min r1.y, r2.z, r3.x`,
  'the larger of a float and a zero with a sign': `add r2.x, r0.x, l(0)
lt r2.y, l(0x80000000), r2.x
movc r2.z, r2.y, r2.x, l(0x80000000)
and r1.x, r2.z, l(0x7fffffff)
lt r2.y, l(-1.0), r2.x
movc r2.z, r2.y, r2.x, l(-1.0)
and r1.y, r2.z, l(0x7fffffff)`,
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
  'products with factors of about 1': 'mul r1.xyzw, r0.xxxx, l(0.9999999, 1.0, 1.0000001, -8.0)',
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
  'a sign of zero that a condition alone sees': 'mul r2.x, r0.x, r0.y\nmovc r1.x, r2.x, l(1), l(2)',
  'a payload that a choice alone passes on': `add r2.x, r0.x, r0.y
mul r2.y, r0.x, r0.y
ilt r2.z, r0.x, r0.y
movc r1.x, r2.z, r2.x, r2.y`,
  'comparisons in a loop of what may be denormal': `mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  eq r2.z, r0.x, l(0.0)
  lt r2.w, l(0.0), r0.y
  iadd r1.xy, r1.xyxx, r2.zwzz
  iadd r6.x, r6.x, l(1)
endloop`,
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

/** A loop whose values are worth being computed without flushes; the pair's squares need factors. */
const turns = (lines: string): string => `mov r6.x, l(0)
loop
  uge r6.y, r6.x, l(3)
  breakc_nz r6.y
  mul r2.xy, r0.xyxx, r0.xyxx
${lines}
  add r1.xyzw, r1.xyzw, r2.xyzw
  iadd r6.x, r6.x, l(1)
endloop`

/** The same with the pair loaded in each iteration, so that checks of its words cost as much as those of sums. */
const loads = (lines: string): string =>
  turns(lines).replace(
    'breakc_nz r6.y',
    '$&\n  ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.xy, r7.y, t0.xyxx',
  )

/** What holds of sums of values that are not tiny: squares of them, products with a term, differences of such products. */
export const TERM_CLAIMS: Readonly<Record<string, string>> = {
  'differences of terms': turns('add r2.z, r0.x, -r0.y\nmul r2.w, r2.z, r2.z'),
  'products of differences of terms': turns('add r2.z, r0.x, -r0.y\nmul r2.w, r2.z, r0.x\nmul r2.z, r2.z, r0.y'),
  'differences of products of sums of terms': turns(`add r2.z, r0.x, r0.y
add r3.x, r0.x, -r0.y
mul r2.z, r2.z, r0.x
mul r2.w, r3.x, r0.y
add r2.w, r2.w, -r2.z`),
  'sums of three terms': turns(
    'add r2.z, r0.x, -r0.y\nadd r2.z, r2.z, r0.x\nmul r2.w, r2.z, r0.y\nadd r2.z, r2.w, -r2.x',
  ),
}

/** What holds of values none of which is tiny. */
export const FACTOR_CLAIMS: Readonly<Record<string, string>> = {
  'differences of factors may be tiny': loads('add r2.z, r0.x, -r0.y\nmul r2.w, r2.z, r2.z'),
  'differences of factors and constants may be tiny': loads('add r2.z, r0.x, l(0xa6000000)\nmul r2.w, r2.z, r2.z'),
  'differences of factors times a small constant': loads('add r2.z, r0.x, -r0.y\nmul r2.w, r2.z, l(0x21800000)'),
  'products of products may be tiny': turns('mul r2.z, r2.x, r0.y\nmul r2.w, r2.z, r2.y'),
  'quotients by large numbers may be tiny': turns('div r2.z, r0.x, r0.y\nmul r2.w, r2.z, r0.x'),
  'roots of products': turns('sqrt r2.z, |r2.x|\nmul r2.w, r2.z, r2.y'),
  'what shrinks from turn to turn': `mov r3.xy, r0.xyxx\n${turns('mul r3.xy, r3.xyxx, r0.xyxx\nadd r2.zw, r3.xxxy, r3.yyyx')}`,
  'what shrinks to less than its square shows': `mov r3.xy, r0.xyxx\n${turns('mul r2.zw, r3.xxxy, r3.xxxy\nmul r3.xy, r3.xyxx, l(0x3a800000)')}`,
  'negations and sizes': turns('mul r2.z, -|r0.x|, r0.y\nadd r2.w, |r2.z|, -|r2.x|'),
}

/** What checks of a stretch keep out, and half the size would let pass. */
export const HALF_CLAIMS: Readonly<Record<string, string>> = {
  'differences of squares of half a factor': turns('add r2.z, r2.x, -r2.y'),
  'differences of products of half a factor': turns('mul r2.z, r0.x, r0.y\nadd r2.w, r2.z, -r2.x'),
}
