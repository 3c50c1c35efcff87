/**
 * How operands are written; read by the listing (which prints these) and by the parser (which accepts them).
 *
 *     operand    = modifier( register-or-literal components precision ) nonuniform
 *     modifier   = `x`, `-x`, `|x|`, `-|x|`; the minimum precision stands inside the bars, ` { nonuniform }` behind them
 *     register   = prefix indices: the first index is glued on where it is a number (`r1`, `cb0`), `[..]` else
 *     index      = number, or `[register + N]` with N always there and signed (`[r0.x + -1]`)
 *     components = `.` mask, swizzle or component; nothing for registers of one component or none
 *     precision  = ` {min16f}`, or ` {min16f as def32}` where a source is cast to its destination's precision
 *
 * Corpus: synthetic/operand_types, synthetic/operand_forms, ps/minprec_ops, ps/desc_arrays.
 */

const COMPONENT_LETTERS = 'xyzw'

const letters = (components: readonly number[]): string => components.map((c) => COMPONENT_LETTERS[c]!).join('')

/** Letters of each write mask, at its number: 0 is empty. */
export const MASK_LETTERS: readonly string[] = Array.from({ length: 16 }, (_, mask) =>
  letters([0, 1, 2, 3].filter((c) => (mask & (1 << c)) !== 0)),
)

/** `.xyzw` of each write mask, at its number; an empty mask is a bare dot. */
export const MASK_TEXT: readonly string[] = MASK_LETTERS.map((l) => `.${l}`)

/** `.wzyx` of each swizzle, at its number (2 bits a component, x lowest). */
export const SWIZZLE_TEXT: readonly string[] = Array.from(
  { length: 256 },
  (_, s) => `.${letters([s & 3, (s >> 2) & 3, (s >> 4) & 3, (s >> 6) & 3])}`,
)

/** `.x` of each selected component. */
export const SELECT_TEXT: readonly string[] = ['.x', '.y', '.z', '.w']

/** What stands before and behind an operand for each modifier number. */
export const MODIFIER_BEFORE: readonly string[] = ['', '-', '|', '-|']
export const MODIFIER_AFTER: readonly string[] = ['', '', '|', '|']

export const NON_UNIFORM_TEXT = ' { nonuniform }'

/** What stands before the values of a 32-bit and a 64-bit literal, and behind each double. */
export const LITERAL32_PREFIX = 'l'
export const LITERAL64_PREFIX = 'd'

/** Offset of an open-ended range of bindings (`T3[4:*]`) in SM5.1. */
export const UNBOUNDED = 0xffffffff
export const UNBOUNDED_TEXT = '*'
