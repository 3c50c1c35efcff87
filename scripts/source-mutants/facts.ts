/**
 * Mutants of what the WebAssembly compiler knows of values and leaves out for it: each makes one claim false at its edge.
 * Programs that rest on the claims (test/support/fact-claims.ts) must notice every one.
 */
import type { SourceMutant } from './run.ts'

const FACTS = 'src/engine/ir/facts.ts'
const SIMPLIFY = 'src/engine/ir/simplify.ts'
const MAGNITUDE = 'src/engine/analysis/magnitude.ts'
const SPECULATION = 'src/engine/transform/denormal-speculation.ts'
const RANGE = 'src/engine/transform/range-magnitudes.ts'
const ATTEMPT = 'src/engine/wasm/flow/speculation.ts'
const UNIFORMITY = 'src/engine/analysis/uniformity.ts'
const USES = 'src/engine/analysis/uses.ts'
const FIND = 'src/engine/analysis/find-facts.ts'
const SITE = 'src/engine/wasm/emit/bounds-check-site.ts'
const PATTERN = 'src/engine/wasm/emit/pattern-address.ts'
const VECTOR = 'src/engine/wasm/emit/vector-ops.ts'
const BUILDER = 'src/engine/ir/builder.ts'
const ROWS = 'src/isa/semantics/primitives.ts'
const STORE = 'src/engine/wasm/emit/store.ts'

const of = (
  file: string,
  ...list: readonly (readonly [why: string, find: string, replace: string, noticedBy: string])[]
): SourceMutant[] => list.map(([why, find, replace, noticedBy]) => ({ file, find, replace, why, noticedBy }))

export const FACT_MUTANTS: readonly SourceMutant[] = [
  ...of(
    FACTS,
    [
      'and of one compared float with another word is a float',
      'return (x === a && y === b) || (x === b && y === a)',
      'return chosen.args.includes(a!) && chosen.args.includes(b!)',
      'and of one of two equal floats with another word',
    ],
    [
      'factors just below 1 leave what is no denormal one',
      '(v.imm & 0x7fffffff) >= 0x3f800000',
      '(v.imm & 0x7fffffff) >= 0x3f7ffffe',
      'products with factors of about 1',
    ],
    [
      'a remainder has fewer bits',
      'bits(below(divisor - 1))',
      'bits(below(divisor - 1) >>> 1)',
      'remainders by constants',
    ],
    [
      'a sum carries nothing',
      '32 - Math.clz32(b.maybe)) + 1',
      '32 - Math.clz32(b.maybe))',
      'differences of factors may be tiny',
    ],
    [
      'sums keep the low zeros of either',
      'Math.min(lowZeros(a.maybe), lowZeros(b.maybe))',
      'Math.max(lowZeros(a.maybe), lowZeros(b.maybe))',
      'extremes of masked words',
    ],
    [
      'a product has a bit less',
      'const top = 64 - Math.clz32(a.maybe)',
      'const top = 63 - Math.clz32(a.maybe)',
      'sums of masked words',
    ],
    [
      'products have another zero',
      'const low = lowZeros(a.maybe) + lowZeros(b.maybe)',
      'const low = lowZeros(a.maybe) + lowZeros(b.maybe) + 1',
      'sums of masked words',
    ],
    ['any and of floats is a float', '(a.mask && b.flushed) ||', '(a.flushed && b.flushed) ||', 'and of equal floats'],
    [
      'any or of floats is a float',
      '(a.flushed && (b.maybe & changed) === 0) ||',
      '(a.flushed && b.flushed) ||',
      'or and xor of two floats',
    ],
    [
      'bits of an exponent flipped leave a float',
      "const changed = v.op === 'or' ? 0x7fffff : 0x7fffffff",
      'const changed = 0x7fffff',
      'or and xor of a float with bits of an exponent, a fraction and a sign',
    ],
    [
      'bits of a fraction leave a float',
      "const changed = v.op === 'or' ? 0x7fffff : 0x7fffffff",
      "const changed = v.op === 'or' ? 0x3fffff : 0x7fffffff",
      'or and xor of a float with bits of an exponent, a fraction and a sign',
    ],
    [
      'shifts are not taken modulo 32',
      'maybe >>> (count & 31)',
      'count > 31 ? 0 : maybe >>> count',
      'bits that a shift leaves',
    ],
    [
      'a shift by an unknown count clears a bit',
      'count === undefined ? below(maybe)',
      'count === undefined ? below(maybe) >>> 1',
      'bits that a shift leaves',
    ],
    [
      'left shifts by 32 and more leave nothing',
      'bits(firstOf(v, of).maybe << (count & 31))',
      'bits(count > 31 ? 0 : firstOf(v, of).maybe << count)',
      'shifts by 32 and more',
    ],
    [
      'a count of bits is below 32',
      'countTrailingZeros: () => bits(63)',
      'countTrailingZeros: () => bits(31)',
      'counts of bits',
    ],
    [
      'the larger has the bits of the first',
      'bits(below(firstOf(v, of).maybe | secondOf(v, of).maybe))',
      'bits(below(firstOf(v, of).maybe))',
      'extremes of masked words',
    ],
    ['the complement of any word is a mask', '(firstOf(v, of).mask ? MASK : NO_FACTS)', '(MASK)', 'masks as numbers'],
    [
      'a choice between a mask and a word is a mask',
      '    mask: a.mask && b.mask,\n    flushed: a.flushed && b.flushed,',
      '    mask: a.mask || b.mask,\n    flushed: a.flushed && b.flushed,',
      'differences of factors may be tiny',
    ],
    [
      'where one of two may be denormal, none is',
      '    flushed: a.flushed && b.flushed,\n    number',
      '    flushed: a.flushed || b.flushed,\n    number',
      'squares in a loop',
    ],
    [
      'a merge has the bits that all of its inputs have',
      '    maybe: (a.maybe | b.maybe) >>> 0,\n  }\n}\n\n/** What is known where both are',
      '    maybe: (a.maybe & b.maybe) >>> 0,\n  }\n}\n\n/** What is known where both are',
      'differences of factors may be tiny',
    ],
    [
      'pseudo maxima are numbers where the second is',
      'f32PseudoMax: isFirstNumber,\n  f32PseudoMin: isFirstNumber,',
      'f32PseudoMax: isEitherNumber,\n  f32PseudoMin: isEitherNumber,',
      'the larger of what may be no number and a number',
    ],
    [
      'roots are numbers',
      '  u32ToF32: () => true,\n',
      '  u32ToF32: () => true,\n  f32Sqrt: () => true,\n',
      'max and min where one is a number',
    ],
    [
      'maxima are numbers',
      'f32Max: isEitherNumber,\n  f32Min: isEitherNumber,',
      'f32Max: () => true,\n  f32Min: () => true,',
      'max and min of what may be no number',
    ],
    [
      'a choice is a number where one of both is',
      'select: (v, of) => of(v.args[1]!).number && of(v.args[2]!).number',
      'select: (v, of) => of(v.args[1]!).number || of(v.args[2]!).number',
      'and of equal floats',
    ],
    [
      'a bound above what has a sign leaves none of its bits',
      'isUnsigned(bound) && !hasSign ?',
      'isUnsigned(bound) ?',
      'a clamp between 0 and a bound below it',
    ],
    [
      'a maximum with any constant has no sign',
      'isUnsigned(v.args[0]!) ? { ...facts, maybe: ABSOLUTE }',
      'constantOf(v.args[0]!) !== undefined ? { ...facts, maybe: ABSOLUTE }',
      'the larger of a float and a zero with a sign',
    ],
    [
      'the smaller has bits that both have',
      'bits(Math.min(below(firstOf(v, of).maybe), below(secondOf(v, of).maybe)))',
      'bits(firstOf(v, of).maybe & secondOf(v, of).maybe)',
      'extremes of masked words',
    ],
  ),
  ...of(
    SIMPLIFY,
    [
      'a clamp may have any upper bound',
      'bound === 0 || bound > INFINITY',
      'false',
      'a clamp between 0 and what is no number, or no zero',
    ],
    [
      'comparisons with 0 need no flush',
      'magnitude >= 0x00800000 &&',
      'magnitude >= 0 &&',
      'comparisons with constants',
    ],
    [
      'a mask may be wider than the word',
      '(o.facts(x).maybe & ~c) >>> 0 === 0',
      '(o.facts(x).maybe & ~c) >>> 1 === 0',
      'sums of masked words',
    ],
    [
      'a number below its bound is one below the largest',
      'return largest < (constantOf(b!) ?? 0)',
      'return largest <= (constantOf(b!) ?? 0)',
      'remainders by constants',
    ],
    [
      'any word can be compared with 0 as a mask',
      'if (!o.facts(x).mask) return undefined',
      'if (c !== 0) return undefined',
      'masks as numbers',
    ],
    [
      'a choice by a word is the word',
      '  if (o.facts(condition).mask) {\n    if',
      '  {\n    if',
      'words that are no masks',
    ],
    [
      'remainders by powers of two keep a bit more',
      'o.constant(divisor - 1)',
      'o.constant(divisor)',
      'remainders by constants',
    ],
    [
      'bounds decide on the wrong side',
      "f32Max: bounded('f32Max', isPositive)",
      "f32Max: bounded('f32Max', isNegative)",
      'max and min with constants of both signs',
    ],
  ),
  ...of(
    MAGNITUDE,
    [
      'sums are as large as the smaller operand',
      'MIN_EXPONENT,\n    Math.max(Math.min(a.granularityExponent, b.granularityExponent)',
      'Math.min(a.minExponent, b.minExponent),\n    Math.max(Math.min(a.granularityExponent, b.granularityExponent)',
      'differences of factors may be tiny',
    ],
    [
      'sums are multiples of what one operand is',
      'Math.max(Math.min(a.granularityExponent, b.granularityExponent), least)',
      'Math.max(Math.max(a.granularityExponent, b.granularityExponent), least)',
      'differences of factors and constants may be tiny',
    ],
    [
      'products are as large as one factor',
      'a.minExponent + b.minExponent,',
      'Math.max(a.minExponent, b.minExponent),',
      'differences of factors may be tiny',
    ],
    [
      'a float has ten bits fewer',
      'const FRACTION_BITS = 23',
      'const FRACTION_BITS = 13',
      'differences of factors times a small constant',
    ],
    [
      'quotients are as large as what is divided',
      'of(v.args[0]!).minExponent - of(v.args[1]!).maxExponent,',
      'of(v.args[0]!).minExponent,',
      'quotients by large numbers may be tiny',
    ],
  ),
  ...of(
    SPECULATION,
    [
      'squares of tiny roots are seen',
      'minExponent === FACTOR && this.#hasSquare(v)',
      'minExponent === FACTOR',
      'the square of a tiny root is 0',
    ],
    ['squares from 2^-90 on are seen', 'const SQUARED = -74', 'const SQUARED = -149', 'the square of a tiny root is 0'],
  ),
  ...of(RANGE, [
    'a merge of a loop is as large as what it begins with',
    'for (let i = 0; i < inputs.length; i++) {\n        if (',
    'for (let i = 0; i < 1; i++) {\n        if (',
    'what shrinks to less than its square shows',
  ]),
  ...of(
    ATTEMPT,
    [
      'checks let half the size pass',
      'exponent + 127) << 23',
      'exponent + 126) << 23',
      'differences of products of half a factor',
    ],
    [
      'tiny negative values are large',
      'if (!isNeverNegative(v)) {',
      'if (isNeverNegative(v)) {',
      'differences of factors times a small constant',
    ],
    [
      'zeros fail and tiny values pass',
      'const ZERO_LAST = 0x7fffffff',
      'const ZERO_LAST = 0x7f7fffff',
      'differences of factors may be tiny',
    ],
    [
      'failures are not looked at',
      '    f.brIf(failed)\n  }\n  if (broken',
      '    f.op(OP.drop)\n  }\n  if (broken',
      'differences of factors may be tiny',
    ],
  ),
  ...of(
    UNIFORMITY,
    [
      'bits that meet add up',
      'maybe) === 0\n        return disjoint ?',
      'maybe) === 0 || true\n        return disjoint ?',
      'patterns that bits make',
    ],
    [
      'lanes that part merge what is uniform',
      '    let level = control\n',
      '    let level: Level = DISPATCH\n',
      'merges of arms that lanes take',
    ],
    [
      'a loop that lanes leave one by one is left by all',
      'const how = this.#divergent.has(label) ? VARYING : control',
      'const how = DISPATCH',
      'counters of loops that lanes leave one by one',
    ],
    ['subtraction adds', 'combine((x, y) => x - y)', 'combine((x, y) => x + y)', 'rows of indices over an end'],
  ),
  ...of(
    USES,
    [
      'NaN is never made canonical',
      'return OPS[v.op].makesNan &&',
      "return v.op === 'f32Div' &&",
      'products of products may be tiny',
    ],
    [
      'no payload goes through a choice',
      "return position === 0 || isNumber(user) ? 'never' : 'as-result'",
      "return 'never'",
      'a payload that a choice alone passes on',
    ],
  ),
  ...of(FIND, [
    'merges of loops are what they begin with',
    'for (let i = 0; i < inputs.length; i++) made = meetFacts(',
    'for (let i = 0; i < 1; i++) made = meetFacts(',
    'differences of factors may be tiny',
  ]),
  ...of(
    SITE,
    [
      'an index may be the count',
      'bound(e, address.index) < address.space.count',
      'bound(e, address.index) <= address.space.count',
      'an index that may be the count, and an offset that leaves no room',
    ],
    [
      'the last dword of a raw access may be outside',
      '4 * site.last + 4 <= space.byteLength',
      '4 * site.last <= space.byteLength',
      'the last dword of a raw register, and the one after',
    ],
    [
      'an offset may reach a dword past the structure',
      "return boundDword(e, offset) <= room ? 'inside'",
      "return boundDword(e, offset) <= room + 4 ? 'inside'",
      'an index that may be the count, and an offset that leaves no room',
    ],
    [
      'addresses of two bytes are aligned',
      '(e.facts(offset).maybe & 3) === 0',
      '(e.facts(offset).maybe & 1) === 0',
      'addresses of two bytes',
    ],
  ),
  ...of(
    PATTERN,
    [
      'the last lane may lie at the limit',
      'f.tee(t).i32(span).op(OP.i32Sub).op(OP.i32LtU)',
      'f.tee(t).i32(span).op(OP.i32Sub).op(OP.i32LeU)',
      'rows of indices over an end',
    ],
    [
      'the first lane is not looked at from below',
      '  if (least !== 0) f.i32(least).op(OP.i32Add)\n  limit()',
      '  limit()',
      'rows of indices over an end',
    ],
  ),
  ...of(
    VECTOR,
    ['every condition is a mask', 'if (e.facts(condition).mask) return', 'return', 'signs of zeros as conditions'],
    [
      'the first of a maximum is a number',
      'if (!e.facts(first).number) {',
      'if (e.facts(first).number) {',
      'max and min of what may be no number',
    ],
    [
      'maxima with any constant are one operation',
      'c !== (isMax ? 0x80000000 : 0) &&',
      '',
      'max and min with zeros and denormal constants',
    ],
    [
      'flushed zeros lose their sign',
      'if (e.uses.needsZeroSign(v)) f.i32(1).simd(SIMD.i32ShrU)',
      'if (e.fastPath !== undefined) f.i32(1).simd(SIMD.i32ShrU)',
      'quotients by large numbers may be tiny',
    ],
  ),
  ...of(ROWS, [
    'products are no denormals',
    'f32Mul: { ...f32x2, commutative: true },',
    "f32Mul: { ...f32x2, commutative: true, denormal: 'never' },",
    'differences of factors times a small constant',
  ]),
  ...of(BUILDER, [
    'thread numbers have a bit less',
    '0xffffffff >>> Math.clz32(largest)\n    return { mask',
    '0xffffffff >>> (Math.clz32(largest) + 1)\n    return { mask',
    'numbers of groups and threads',
  ]),
  ...of(STORE, [
    'lanes that are not active are stored by pattern',
    "if (mask !== 'full') conditions.push(() => pushAllActive(e, mask))",
    '',
    'rows that some lanes store',
  ]),
]
